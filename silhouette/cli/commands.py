"""The commands: what each may be told, and what its help says. What a command does stands in its own module.

The order of arguments here is theirs on the command line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

from silhouette.cli.completion import beginning, complete_mesh, complete_rules, complete_scene, complete_scene_or_bundle
from silhouette.cli.options import (
    Hushing,
    Judging,
    Measuring,
    NewFolder,
    Options,
    Pairing,
    Picture,
    Printing,
    Reading,
    Rendering,
    SceneFile,
    Styling,
    Telling,
    Trying,
    Working,
    argument,
    flag,
    option,
)

MM_PER_INCH = 25.4  # as `silhouette.common.geometry.INCH`, which help does not wait for
SCHEMAS = ("scene", "model", "game", "result", "scan", "map")  # what has a JSON Schema


def complete_schema(incomplete: str) -> list[str]:
    """The kinds of schemas that begin so."""
    return beginning(incomplete, SCHEMAS)


class NewOptions(Printing):
    """Write a first scene to edit, FOLDER/scene.toml, with a comment on every key. Nothing is overwritten."""

    folder: Annotated[Path, argument("FOLDER", "For the scene; made where it is not there.")]
    meshes: Annotated[list[Path] | None, argument("[MESH]...", "Your miniatures, in place of stand-in figures.")] = None
    rules: Annotated[
        str | None, option("--rules", "GAME", "See silhouette rules; or a game file.", autocompletion=complete_rules)
    ] = None


class ScanOptions(Pairing, Telling):
    """Make a scene of a scanned table: FOLDER/scene.toml, its meshes, and a picture of the table from above.

    With --figures, each figure is looked for among your meshes. With --from and --to, the ruling follows at once.
    Run it again to answer a question that you have written into scene.toml: names and answers are kept.
    """

    file: Annotated[Path, argument("FILE", "The scan: a mesh, a point cloud or a .zip.", autocompletion=complete_mesh)]
    out: NewFolder
    figures: Annotated[
        list[Path] | None, option("--figures", "PATH", "Meshes of your figures, or a folder of them.")
    ] = None
    terrain: Annotated[list[Path] | None, option("--terrain", "PATH", "The same of your terrain.")] = None
    scale: Annotated[float | None, option("--scale", "MM", "Millimetres in one unit of the file.")] = None
    bases: Annotated[str | None, option("--bases", "25,32", "Diameters of the round bases on the table, in mm.")] = None
    length: Annotated[
        str | None, option("--length", "MM=X,Y,Z:X,Y,Z", "A known length between two points of the file.")
    ] = None
    table: Annotated[int | None, option("--table", "N", "Which of several tables; 1 is that with most on it.")] = None
    pieces: Annotated[
        list[str] | None,
        option(
            "--piece", "NAME=WHAT", "What a piece is: a figure, terrain, left out, called X, with Y, along X,Y:X,Y."
        ),
    ] = None
    terrain_only: Annotated[bool, flag("--terrain-only", "Leave the figures out, to place them on the live table.")] = (
        False
    )
    yes: Annotated[bool, flag("--yes", "Ask nothing: take the likeliest answer, and list it.")] = False


class ImportOptions(Telling):
    """Make a scene of a table of Tabletop Simulator, or of a glTF scene, such as Blender exports.

    It is FOLDER/scene.toml, with its meshes. Every object is placed, or listed with the reason why it is not. Nothing
    is fetched: meshes are those in the glTF scene, or those that the game has kept in --meshes. In glTF, pieces are
    objects with the custom property silhouette = "fighter", "vehicle" or "terrain".
    """

    file: Annotated[Path, argument("FILE", "A Tabletop Simulator save, .json, or a glTF scene, .glb or .gltf.")]
    out: NewFolder
    meshes: Annotated[
        Path | None, option("--meshes", "FOLDER", "Where the game keeps its meshes: its Mods/Models.")
    ] = None
    stand_ins: Annotated[
        bool, flag("--stand-ins", "Put a stand-in for a fighter without a mesh whose base is known.")
    ] = False
    units: Annotated[
        str | None, option("--units", "UNIT", "What one unit of a glTF scene is: mm, cm, m (the default) or inch.")
    ] = None


class ExportOptions(Telling):
    """Write a scene as a table of another program: FILE, and for tts beside it a folder of the meshes that it names.

    glb is one file with all meshes, for Blender and others; silhouette import gives the scene back.
    """

    scene: SceneFile
    kind: Annotated[
        str | None, option("--format", "FORMAT", "glb: a glTF scene. tts: a saved object of Tabletop Simulator.")
    ] = None
    to: Annotated[str | None, option("--to", "FORMAT", hidden=True)] = None
    out: Annotated[Path, option("--out", "FILE", "It ends in .glb, or in .json for tts.")]


class CheckOptions(Pairing, Trying, Judging):
    """Judge every [[check]] of each scene, or those that --from and --to name.

    With --picture and several checks, the files are FILE-1.png, FILE-2.png and so on, in the order of the table.
    A FILE.zip of silhouette bundle is judged again, and compared with what is in it.
    """

    scenes: Annotated[
        list[Path], argument("SCENE", "Scene files, folders, globs, bundles.", autocompletion=complete_scene_or_bundle)
    ]
    arc: Annotated[str | None, option("--arc", "ARC", "front, left, right or rear.  [default: any]")] = None
    picture: Picture = None


class MatrixOptions(Trying, Judging):
    """Judge everyone against everyone."""

    scene: SceneFile


class MapOptions(Trying, Styling, Measuring, Working, Telling):
    """Show where a model could stand, and the verdict on it at each place of a grid.

    It is put on each place, on whatever is there, keeps its facing, and is judged as by silhouette check. With --to it
    looks, and faces what it looks at.
    """

    scene: SceneFile
    move: Annotated[str, option("--move", "NAME", "The model that is moved over the table.")]
    out: Annotated[Path | None, option("--out", "FILE", "A picture, .png, .svg or .pdf; or .csv or .json.")] = None
    attackers: Annotated[
        list[str] | None,
        option("--from", "NAME", "Who looks at it; again for others.  [default: everyone but its gang]"),
    ] = None
    targets: Annotated[
        list[str] | None, option("--to", "NAME", "It looks: whom it looks at, facing each; again for others.")
    ] = None
    grid: Annotated[float, option("--grid", "MM", "Between two places.")] = MM_PER_INCH
    within: Annotated[float | None, option("--within", "MM", "Only places so near to where it stands, in plan.")] = None
    under: Annotated[
        float | None, option("--under", "MM", "On the floor below that height.  [default: the highest]")
    ] = None
    layer: Annotated[str, option("--layer", "LAYER", "Of the picture: verdict or seen-by.")] = "verdict"


class BatchOptions(Judging):
    """Judge many scenes and write a row for each check; what goes wrong is a row with an error.

    The rows are kept beside FILE as they come, and FILE appears when all is done: --resume goes on after a kill.
    """

    paths: Annotated[list[str], argument("PATH...", "Scene files, folders, globs.")]
    out: Annotated[Path, option("--out", "FILE", "For the rows: .jsonl, .csv or .parquet.")]
    everyone: Annotated[bool, flag("--everyone", "Everyone against everyone in each scene.")] = False
    expect: Annotated[bool, flag("--expect", "Also name each check that is not as expected.")] = False
    junit: Annotated[Path | None, option("--junit", "FILE.xml", "Also what CI systems show.")] = None
    resume: Annotated[bool, flag("--resume", "Go on with an unfinished batch.")] = False
    retry_errors: Annotated[bool, flag("--retry-errors", "Judge only the failed rows of a finished FILE again.")] = (
        False
    )
    timeout: Annotated[float | None, option("--timeout", "SECONDS", "Longest for reading a scene, or for a check.")] = (
        None
    )
    cluster: Annotated[str | None, option("--cluster", "ADDRESS", "Of a Dask scheduler whose workers judge.")] = None


class InspectOptions(Rendering, Telling):
    """Say what a model is: parts, size, units, base, eye, holes, what is tagged and what could be.

    With --picture, four views with body, base and insignificant parts in different colours.
    """

    file: Annotated[
        Path, argument("MESH_OR_MODEL", "A mesh, or a model file that names one.", autocompletion=complete_mesh)
    ]
    kind: Annotated[str | None, option("--kind", "KIND", "Bare mesh: fighter, vehicle or terrain.")] = None
    units: Annotated[str | None, option("--units", "UNIT", "Bare mesh: mm, cm, m, inch or auto.")] = None
    up: Annotated[str | None, option("--up", "UP", "Bare mesh: z or y, or auto.")] = None
    factor: Annotated[float | None, option("--factor", "FACTOR", "Bare mesh: how much larger to make it.")] = None
    scale: Annotated[float | None, option("--scale", "FACTOR", hidden=True)] = None
    picture: Picture = None


class RulesOptions(Printing):
    """List the rule systems and what each reads; with a NAME, the clauses of a game that is a file, in plain words."""

    name: Annotated[
        str | None, argument("NAME", "A game that is a file: its name, or its path.", autocompletion=complete_rules)
    ] = None


class SchemaOptions(Options):
    """Print the JSON Schema of scene, model and game files, or of what --json prints: results, a scan or a map.

    An editor that knows the schema completes keys and marks mistakes while you write.
    """

    kind: Annotated[str, argument("KIND", "scene, model, game, result, scan or map.", autocompletion=complete_schema)]


class DoctorOptions(Printing, Hushing):
    """Say which renderers work on this machine, on what device, how fast, and why the others do not.

    How fast: checks a second, one after the other, on a small scene of solids. A GPU that is there but cannot be drawn
    on is named, with what stands in the way.
    """

    quick: Annotated[bool, flag("--quick", "Do not measure how fast each renderer is.")] = False


class Moving(Options):
    """What only an animation takes."""

    animate: Annotated[
        Path | None, option("--animate", "FILE", "In place of figures: one check in motion, as .gif or .mp4.")
    ] = None
    walk: Annotated[
        str | None, option("--walk", "X,Y[,Z]", "With --animate: where the target walks to, in a straight line.")
    ] = None
    turn: Annotated[
        float | None, option("--turn", "DEGREES", "With --animate: how far the attacker turns, anticlockwise.")
    ] = None
    frames: Annotated[int | None, option("--frames", "N", "With --animate.  [default: 48]")] = None
    fps: Annotated[float | None, option("--fps", "N", "With --animate: frames a second.  [default: 12]")] = None


class DrawOptions(Pairing, Trying, Styling, Moving, Measuring, Working, Telling):
    """Write the diagrams of each check, or of those that --from and --to name: NN-attacker-target-figure.svg.

    A scene without checks is drawn as a whole, on a grid in inches, as by --figure table: table.svg.
    Figures and verdict come from one measurement, and lie in each file's metadata. With --animate a GIF or MP4 instead.
    """

    scene: SceneFile
    out: Annotated[Path | None, option("--out", "FOLDER", "For the figures; made where it is not there.")] = None
    kind: Annotated[str, option("--format", "FORMAT", "svg, png or pdf.")] = "svg"
    number: Annotated[int | None, option("--check", "N", "The scene's check N alone.  [default: all]")] = None
    figure: Annotated[
        str | None, option("--figure", "NAME", "eye, plan, side, odds ... alone; table: all of it, without a check.")
    ] = None
    no_captions: Annotated[bool, flag("--no-captions", "No words below the figures.")] = False
    no_names: Annotated[bool, flag("--no-names", "No names or other letters in them.")] = False
    text: Annotated[
        bool, flag("--text", "Words in an SVG stay text; otherwise they are outlines, alike everywhere.")
    ] = False


class TutorialOptions(Measuring, Working, Telling):
    """Write a tutorial as HTML pages, worked through on the example scenes: open FOLDER/index.html, no network needed.

    Every verdict, share and figure in it comes from this run. A tutorial that is there already is replaced when the new
    one is whole.
    """

    out: Annotated[Path, option("--out", "FOLDER", "For the pages: new, empty, or a tutorial's.")]
    scenes: Annotated[
        Path | None, option("--scenes", "FOLDER", "The scenes of the source.  [default: here, or by the package]")
    ] = None
    no_animation: Annotated[bool, flag("--no-animation", "Nothing that moves: quicker.")] = False


class SiteOptions(Measuring, Working, Telling):
    """Write a folder of web pages to try it with: tables that judge while figures are moved, tutorial, games, gallery.

    Open FOLDER/index.html from disk, or put the folder on any host of static files: there phones can install it, and it
    opens without a network after the first visit. A site that is there already is replaced when the new one is whole.
    """

    out: Annotated[Path, option("--out", "FOLDER", "For the pages: new, empty, or a site's.")]
    scenes: Annotated[
        Path | None, option("--scenes", "FOLDER", "The scenes of the source.  [default: here, or by the package]")
    ] = None
    no_animation: Annotated[bool, flag("--no-animation", "Nothing that moves: quicker.")] = False
    manual: Annotated[
        str | None, option("--manual", "ADDRESS", "Of a manual, such as manual/index.html, for a link on every page.")
    ] = None


class ReportOptions(Pairing, Trying, Styling, Measuring, Working, Telling):
    """Write one page that opens anywhere, without a network: verdicts, figures, the table in 3D.

    It has each check of the scene, or those that --from and --to name; a scene without checks is shown as a table.
    Figures and verdicts come from one measurement, with a sample in every pixel. The page can be sent to the opponent:
    it opens on a phone, and says what the verdicts rest on.
    """

    scene: SceneFile
    out: Annotated[Path, option("--out", "FILE.html", "For the page; what is there is replaced.")]
    map_of: Annotated[
        str | None, option("--map", "NAME", "Also a map of where NAME could stand, seen by the others.")
    ] = None
    playable: Annotated[bool, flag("--playable", "Pieces can be moved in the page, and it judges.")] = False


class BundleOptions(Pairing, Trying, Measuring, Telling):
    """Keep a scene with all that its verdicts rest on: one file, which silhouette check judges again and compares.

    In it are the scene, its models and meshes, the verdicts of each check, or of those that --from and --to name, their
    diagrams, the versions and settings, and a checksum of each file.
    """

    scene: SceneFile
    out: Annotated[Path, option("--out", "FILE.zip", "For the bundle; what is there is replaced.")]
    no_pictures: Annotated[bool, flag("--no-pictures", "Without the diagrams of each check.")] = False


class AgreeOptions(Pairing, Telling):
    """Record what the players agreed on for a pair, whatever the rules say: it stands beside the verdict everywhere.

    It is written into the scene file, as [[agreed]], and goes with it into reports and bundles. What is judged stays.
    """

    scene: SceneFile
    words: Annotated[str | None, argument('"VERDICT: WHY"', 'Such as "open: we saw it"; a verdict of the game.')] = None
    arc: Annotated[str | None, option("--arc", "ARC", "front, left, right or rear.  [default: any]")] = None
    withdraw: Annotated[bool, flag("--withdraw", "Take it back.")] = False


class TableOptions(Measuring, Working, Reading, Hushing):
    """Open a scene as a table in the browser: move a figure, and see at once who sees it.

    The address is printed first. It has a token: give it to nobody who is not to move your figures. Ctrl-C ends it.
    """

    scene: Annotated[
        Path | None,
        argument(
            "SCENE",
            "A scene, a folder of meshes or of a scan.  [default: scene.toml, or a new one]",
            show_default=False,
            autocompletion=complete_scene,
        ),
    ] = None
    port: Annotated[int, option("--port", "N", "Of the address; 0 for any that is free.", min=0, max=65535)] = 0
    lan: Annotated[bool, flag("--lan", "Also for a second device in this network, such as a phone, to look on.")] = (
        False
    )
    no_browser: Annotated[bool, flag("--no-browser", "Print the address and open nothing.")] = False


class ServeOptions(Measuring, Working, Reading):
    """Answer other programs through standard input and output: about a scene, or an assistant about a folder.

    With --stdio, poses in, verdicts out, as JSON lines: the protocol stands in silhouette/live/protocol.md. With --mcp,
    tools of the Model Context Protocol that read, judge, map and draw the scenes of a folder, and no file outside it.
    """

    scene: Annotated[
        Path | None,
        argument(
            "PATH",
            "With --stdio a scene file; with --mcp a folder.  [default: this folder]",
            show_default=False,
            autocompletion=complete_scene,
        ),
    ] = None
    stdio: Annotated[bool, flag("--stdio", "A line for each request about a scene, and one for each answer.")] = False
    mcp: Annotated[bool, flag("--mcp", "Tools for assistants, which need the extra mcp.")] = False


class Command(NamedTuple):
    """A command: its group and line in the list, its options, and the module of `silhouette.cli` with its function."""

    group: str
    short_help: str
    options: type[Any]
    module: str


COMMANDS = {
    "table": Command("Start", "Open a scene as a table in the browser, and move its pieces.", TableOptions, "table"),
    "new": Command("Start", "Write a first scene to edit.", NewOptions, "new"),
    "scan": Command("Start", "Make a scene of a scanned table.", ScanOptions, "scan"),
    "import": Command("Start", "Make a scene of a table of Tabletop Simulator.", ImportOptions, "exchange"),
    "doctor": Command("Start", "Say which renderers work on this machine.", DoctorOptions, "doctor"),
    "check": Command("Judge", "Judge the checks of scenes.", CheckOptions, "check"),
    "matrix": Command("Judge", "Judge everyone against everyone.", MatrixOptions, "check"),
    "map": Command("Judge", "Show where a model could stand, and how it would be seen.", MapOptions, "map"),
    "batch": Command("Judge", "Judge many scenes, a row for each check.", BatchOptions, "batch"),
    "agree": Command("Judge", "Record in a scene what the players agreed on instead.", AgreeOptions, "agree"),
    "draw": Command("Show", "Write the diagrams of each check.", DrawOptions, "draw"),
    "report": Command("Show", "Write one page with verdicts, figures and the table in 3D.", ReportOptions, "report"),
    "tutorial": Command("Show", "Write a tutorial as pages, from the example scenes.", TutorialOptions, "tutorial"),
    "site": Command("Show", "Write a folder of pages to try it with, for any host.", SiteOptions, "site"),
    "inspect": Command("Show", "Say what a model is and what could be tagged.", InspectOptions, "inspect"),
    "rules": Command("Show", "List the rule systems and what each reads.", RulesOptions, "rules"),
    "bundle": Command(
        "Keep",
        "Keep a scene with all that its verdicts rest on, to be judged again elsewhere.",
        BundleOptions,
        "bundle",
    ),
    "export": Command("Keep", "Write a scene as a table of Tabletop Simulator.", ExportOptions, "exchange"),
    "serve": Command("Serve", "Answer other programs, or an assistant (MCP).", ServeOptions, "serve"),
    "schema": Command(
        "Serve", "Print the JSON Schema of scenes, models, results, scans or maps.", SchemaOptions, "schema"
    ),
}
"""The commands, in the order of the help, group by group."""
