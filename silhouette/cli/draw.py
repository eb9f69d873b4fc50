"""The command line, pictures: parsing and printing of ``silhouette draw``, with moving pictures (``--animate``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from silhouette.cli.options import (
    AsJson,
    Attacker,
    Device,
    ExitStatus,
    Language,
    NoCache,
    PixelSize,
    Quiet,
    RendererName,
    SceneFile,
    StyleName,
    Target,
    Tried,
    exit_status,
    tried,
)
from silhouette.cli.scene_job import mesh_cache
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.doubt.calls import stands
from silhouette.drawing.animation.files import check_path
from silhouette.drawing.animation.film import FPS, Animation, animate
from silhouette.drawing.figures import OVERVIEW, FigureOptions, write_figures, write_overview
from silhouette.drawing.odds_chart import NAME, odds_figure
from silhouette.drawing.saving import FORMATS
from silhouette.drawing.sheet import settings
from silhouette.drawing.styles import style_called
from silhouette.drawing.words.words import Words
from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.writing import make_folder
from silhouette.judging import JudgingOptions, Selection, judge_all, load_scene, usable_pixel
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.motion import FRAMES, Motion, place_of
from silhouette.scenes.scene import Check, Scene
from silhouette.text import did_you_mean, verdict_in_words
from silhouette.workers import cores

if TYPE_CHECKING:
    from silhouette.drawing.figures import FigureOptions
    from silhouette.judging import Judged, Selection
    from silhouette.renderers.protocol import Renderer
    from silhouette.scenes.scene import Check, Scene


# ---- moving pictures

AnimationFile = Annotated[
    Path | None,
    typer.Option("--animate", metavar="FILE", help="In place of figures: one check in motion, as .gif or .mp4."),
]


Walk = Annotated[
    str | None,
    typer.Option("--walk", metavar="X,Y[,Z]", help="With --animate: where the target walks to, in a straight line."),
]


Turn = Annotated[
    float | None,
    typer.Option("--turn", metavar="DEGREES", help="With --animate: how far the attacker turns, anticlockwise."),
]


Frames = Annotated[int | None, typer.Option("--frames", metavar="N", help="With --animate.  [default: 48]")]


Fps = Annotated[
    float | None, typer.Option("--fps", metavar="N", help="With --animate: frames a second.  [default: 12]")
]


SLOWEST, FASTEST = 0.2, 50.0
"""Frames a second."""


@dataclass(frozen=True)
class Moving:
    """The options of the command line that only an animation takes.

    Attributes:
        file: the file to write; None where nothing moves.
        walk: the point to which the target walks, as it was typed.
        turn: the angle of a turn, degrees.
        frames: the number of frames.
        fps: the number of frames per second.
    """

    file: Path | None
    walk: str | None
    turn: float | None
    frames: int | None
    fps: float | None

    def checked(self, out: Path | None, **others: bool) -> None:
        """Refuses options that do not go together.

        Args:
            out: the folder for figures.
            others: for each option that only figures take, by its name, whether it was given.
        """
        own = {"--walk": self.walk, "--turn": self.turn, "--frames": self.frames, "--fps": self.fps}
        given = [name for name, value in own.items() if value is not None]
        if self.file is None and given:
            raise RequestError(f"{given[0]} moves something; say --animate FILE.gif as well")
        if self.file is None and out is None:
            raise RequestError("there is no place for the figures; say --out DIR, or --animate FILE.gif")
        unfit = [f"--{name.replace('_', '-')}" for name, is_given in others.items() if is_given]
        if self.file is not None and (out is not None or unfit):
            raise RequestError(f"{unfit[0] if unfit else '--out'} is for figures; leave it out with --animate")
        if self.fps is not None and not SLOWEST <= self.fps <= FASTEST:
            raise RequestError(f"--fps {self.fps:g}: give a number from {SLOWEST:g} to {FASTEST:g}")


def animated(
    scene: Path,
    number: int | None,
    moving: Moving,
    *,
    as_json: bool,
    renderer: str,
    device: str | None,
    pixel: float | None,
    no_cache: bool,
    quiet: bool,
) -> int:
    """Judges, draws and writes an animation, and prints the result of each frame."""
    assert moving.file is not None
    walk = None if moving.walk is None else place_of(moving.walk)
    motion = Motion(walk, moving.turn, FRAMES if moving.frames is None else moving.frames)
    fine = None if pixel is None else usable_pixel(pixel)
    check_path(moving.file)
    cache = Cache(None) if no_cache else Cache.default()
    animation = Animation(scene, number, motion, FPS if moving.fps is None else moving.fps, fine)
    with Waiting(f"animating {scene}", quiet=quiet, forking=True) as waiting:
        rows = animate(animation, moving.file, choose(renderer, device), cache, cores(), waiting.step)
    if as_json:
        show_json({"scene": str(scene), "animation": str(moving.file), "frames": rows})
    else:
        show("\n".join([*(() if quiet else map(_line, rows)), f"{len(rows)} frames in {moving.file}"]))
    return ExitStatus.OK


def _line(row: dict[str, Any]) -> str:
    """A frame's verdict, and the place of the moving piece in it."""
    share = row.get("occluded")
    words = [f"{row['frame']:3d}", verdict_in_words(row["verdict"], row.get("in_arc"))]
    words += [f"{100.0 * share:.2f} % ± {100.0 * row['error']:.2f} %"] if share is not None else []
    words += [f"{key} {row[key]}" for key in ("at", "facing") if key in row]
    return "  ".join(words)


# ---- the command

Folder = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="For the figures; made where it is not there.")
]


Format = Annotated[str, typer.Option("--format", metavar="FORMAT", help="svg, png or pdf.")]


CheckNumber = Annotated[
    int | None, typer.Option("--check", metavar="N", help="The scene's check N alone.  [default: all]")
]


FigureName = Annotated[
    str | None,
    typer.Option(
        "--figure", metavar="NAME", help="eye, plan, side, odds ... alone; table: all of it, without a check."
    ),
]


NoCaptions = Annotated[bool, typer.Option("--no-captions", help="No words below the figures.")]


NoNames = Annotated[bool, typer.Option("--no-names", help="No names or other letters in them.")]


AsText = Annotated[
    bool, typer.Option("--text", help="Words in an SVG stay text; otherwise they are outlines, alike everywhere.")
]


def draw(
    scene: SceneFile,
    out: Folder = None,
    kind: Format = "svg",
    number: CheckNumber = None,
    attacker: Attacker = None,
    target: Target = None,
    at: Tried = None,
    figure: FigureName = None,
    style: StyleName = "print",
    no_captions: NoCaptions = False,
    no_names: NoNames = False,
    text: AsText = False,
    language: Language = "en",
    animate: AnimationFile = None,
    walk: Walk = None,
    turn: Turn = None,
    frames: Frames = None,
    fps: Fps = None,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Write the diagrams of each check, or of those that --from and --to name: NN-attacker-target-figure.svg.

    A scene without checks is drawn as a whole, on a grid in inches, as by --figure table: table.svg.
    Figures and verdict come from one measurement, and lie in each file's metadata. With --animate a GIF or MP4 instead.
    """
    from silhouette.files.writing import make_folder
    from silhouette.judging import Selection, usable_pixel

    moving = Moving(animate, walk, turn, frames, fps)
    only_figures = {"from": attacker, "to": target, "figure": figure, "at": at, "text": text, "no_names": no_names}
    only_figures |= {"format": kind != "svg", "style": style != "print", "lang": language != "en"}
    moving.checked(
        out, no_captions=no_captions, **{name: given not in (None, False) for name, given in only_figures.items()}
    )
    if out is None:
        shared = {"as_json": as_json, "no_cache": no_cache, "quiet": quiet}
        return animated(scene, number, moving, renderer=renderer, device=device, pixel=pixel, **shared)
    selection, places = Selection(attacker, target), tried(at)
    options = replace(
        _options(kind, style, language), captions=not no_captions, names=not no_names, figure=figure, text=text
    )
    fine = None if pixel is None else usable_pixel(pixel)
    with Waiting(f"drawing {scene}", quiet=quiet) as waiting:
        measuring = _ready(renderer, device)
        table = load_scene(scene, cache=mesh_cache(no_cache), at=places)
        if _whole(table, selection, number, figure):
            return _draw_whole(table, out, options, as_json=as_json)
        checks = _checks(table, selection, number)
        make_folder(out)
        drawn: dict[int, tuple[Judged, list[str]]] = {}
        for done, place in enumerate(checks):
            waiting.step(done, len(checks))
            drawn[place] = _draw_check(table, place, checks[place], measuring, fine, out, options)
    return _shown(table, drawn, as_json=as_json)


def _ready(renderer: str, device: str | None) -> Renderer:
    """The renderer, once it is certain that figures can be drawn: nobody waits for a verdict that then cannot be."""
    with settings():
        return choose(renderer, device)


def _draw_check(
    scene: Scene, number: int, check: Check, renderer: Renderer, pixel: float | None, out: Path, options: FigureOptions
) -> tuple[Judged, list[str]]:
    """Judges and draws one check: its result, and the files of its figures."""
    from silhouette.rules import rule_called
    from silhouette.rules.abilities import scale_of

    rule = rule_called(scene.rules)
    judging = JudgingOptions(renderer, pixel=pixel, keep=True, seed=0 if options.figure == NAME else None)
    (result,) = judge_all([(scene, check)], judging)
    verdict, odds = result.verdict, result.odds
    more = [] if odds is None else [odds_figure(verdict, odds, rule.levels, scale_of(rule, scene))]
    files = write_figures(scene, check, verdict, renderer, out, number, options, more)
    return result, [str(file) for file in files]


def _options(kind: str, style: str, language: str) -> FigureOptions:
    """The options of figures; RequestError for an unknown format, style or language."""
    ending = next((known for known in FORMATS if known == kind.lower()), None)
    if ending is None:
        raise RequestError(f"no format '{kind}'; {did_you_mean(kind, FORMATS)}")
    return FigureOptions(ending, style_called(style), language=Words(language).language)


def _checks(scene: Scene, selection: Selection, number: int | None) -> dict[int, Check]:
    """The checks to draw, by their number in the selection."""
    if number is not None and selection.attacker is not None:
        raise RequestError("--check is for the scene's own checks; leave it out with --from")
    checks = dict(enumerate(selection.checks(scene), 1))
    if number is None:
        return checks
    if number not in checks:
        raise RequestError(f"{scene.path}: there is no check {number}; it has {len(checks)}")
    return {number: checks[number]}


def _whole(scene: Scene, selection: Selection, number: int | None, figure: str | None) -> bool:
    """Whether the figure of the whole scene is wanted: by its name, or because there is no check to draw."""
    from silhouette.drawing.games import drawing_of

    of_check = number is not None or selection.attacker is not None
    if figure == OVERVIEW and of_check:
        raise RequestError(f"--figure {OVERVIEW} is one figure of the whole scene; leave --check, --from and --to out")
    without_check = figure is None and not of_check and not scene.checks
    return figure == OVERVIEW or (without_check and drawing_of(scene.rules).overview(scene) is not None)


def _draw_whole(scene: Scene, out: Path, options: FigureOptions, *, as_json: bool) -> int:
    """Writes the figure of the whole scene."""
    make_folder(out)
    file = write_overview(scene, out, options)
    if as_json:
        show_json({"scene": str(scene.path), "title": scene.title, "checks": [], "figures": [str(file)]})
    else:
        show(str(file))
    return exit_status(failed=False, unexpected=False)


def _shown(scene: Scene, drawn: Mapping[int, tuple[Judged, list[str]]], *, as_json: bool) -> int:
    """Prints the checks that were drawn, with their figures; the exit status."""
    if as_json:
        checks = [{"check": number, **result.row(), "figures": files} for number, (result, files) in drawn.items()]
        show_json({"scene": str(scene.path), "title": scene.title, "checks": checks})
    else:
        show("\n".join(_lines(result, files) for result, files in drawn.values()))
    return exit_status(failed=False, unexpected=any(result.expected is False for result, _ in drawn.values()))


def _lines(result: Judged, files: Sequence[str]) -> str:
    """A check's verdict, or the call if there are odds, and its figures below it."""

    verdict = ", ".join(words for words in stands(result.verdict, result.call) if words)
    return "\n".join(
        [f"{result.check.label}: {verdict}", *(f"  {file}" for file in files or ["nothing of it can be drawn"])]
    )
