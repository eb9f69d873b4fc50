"""PYTHON: what commands write, by functions: figures, reports, bundles, and scenes of scans and of other tables."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path

from silhouette.bundles.writing import bundled, check_bundle_path
from silhouette.common.errors import FileError, RequestError, WrittenFileWarning
from silhouette.common.text import did_you_mean
from silhouette.drawing.figures import FigureOptions, draw_checks
from silhouette.drawing.saving import FIGURE_FORMATS
from silhouette.drawing.styles import style_called
from silhouette.drawing.words.words import Words
from silhouette.exchange.folder import SCENE_FILE, read_table, write_table
from silhouette.exchange.gltf_export import write_glb
from silhouette.exchange.tts_export import write_saved_object
from silhouette.files.cache import Cache
from silhouette.files.changing import check_folder
from silhouette.files.writing import write_file
from silhouette.judging import JudgingOptions, Selection
from silhouette.notebook.arguments import python_terms
from silhouette.notebook.questions import Places, SceneSource, places_of, scene_of
from silhouette.notebook.scenes import Scene, load_scene
from silhouette.pages.report.writing import ReportRequest, write_report
from silhouette.renderers import started
from silhouette.renderers.protocol import Renderer
from silhouette.scans.keep import SCENE, earlier_run
from silhouette.scans.scale import SizeHints
from silhouette.scans.scan import ScanRequest, recognised
from silhouette.scans.write import write_folder
from silhouette.workers import cores

FilePath = str | PathLike[str]


def draw(  # noqa: PLR0913  # the options of a command
    scene: SceneSource,
    out: FilePath,
    *,
    attacker: str | None = None,
    target: str | None = None,
    figure: str | None = None,
    form: str = "svg",
    style: str = "print",
    language: str = "en",
    at: Places | None = None,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
) -> list[Path]:
    """Draws checks into a folder, which is made; returns the paths of the figures.

    Args:
        scene: from `silhouette.load_scene`, the path of one, or its keys.
        out: the folder.
        attacker, target: whom to draw; by default the scene's own checks; without a target everyone else.
        figure: the only one to draw, such as "plan" or "odds"; by default all.
        form: "svg", "png" or "pdf".
        style: "print" or "dark".
        language: of the words: "en", "de", "fr" or "es".
        at, renderer, pixel: as of `silhouette.check`.

    Raises RequestError where what is asked for is not there; FileError where it cannot be written.
    """
    with python_terms():
        ending = next((ending for ending in FIGURE_FORMATS if ending == form.lower()), None)
        if ending is None:
            raise RequestError(f"no form '{form}'; {did_you_mean(form, FIGURE_FORMATS)}")
        options = FigureOptions(ending, style_called(style), language=Words(language).language, figure=figure)
        read = scene_of(scene, at)
        checks = dict(enumerate(Selection(attacker, target).checks(read), 1))
        drawn = draw_checks(read, checks, JudgingOptions(started(renderer), pixel=pixel), Path(out), options)
    return [file for _, files in drawn.values() for file in files]


def report(  # noqa: PLR0913  # the options of a command
    scene: SceneSource,
    out: FilePath,
    *,
    attacker: str | None = None,
    target: str | None = None,
    at: Places | None = None,
    map_of: str | None = None,
    playable: bool = False,
    style: str = "print",
    language: str = "en",
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
    workers: int | None = None,
) -> Path:
    """Writes one HTML page with the verdicts, their figures and the table in 3D; returns its path.

    Args:
        scene: from `silhouette.load_scene`, the path of one, or its keys.
        out: a file that ends in .html.
        attacker, target: whom it is about; by default the scene's own checks.
        map_of: the name of a model of which there is a map too.
        playable: whether pieces can be moved in the page, and it judges.
        style, language: as of `draw`.
        at, renderer, pixel, error, workers: as of `silhouette.check` and `silhouette.matrix`.

    Raises RequestError where what is asked for is not there; FileError where it cannot be written.
    """
    with python_terms():
        read = scene_of(scene)
        place, selection = Path(out), Selection(attacker, target)
        request = ReportRequest(
            read.path, place, selection, places_of(scene, at), map_of, playable, style, language, pixel, error
        )
        write_report(request, lambda: started(renderer), Cache.default(), cores() if workers is None else workers)
    return place


def bundle(
    scene: SceneSource,
    out: FilePath,
    *,
    attacker: str | None = None,
    target: str | None = None,
    at: Places | None = None,
    pictures: bool = True,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
) -> Path:
    """Writes a scene with all that its verdicts rest on into one archive (.zip); returns its path. Arguments and errors
    are those of `report`.
    """
    with python_terms():
        place, read = Path(out), scene_of(scene)
        check_bundle_path(place)
        options = JudgingOptions(started(renderer), Cache.default(), pixel)
        made = bundled(read.path, Selection(attacker, target), options, at=places_of(scene, at), pictures=pictures)
        write_file(place, made.content)
    _warn(place, [f"left out, since it is not there: {name}" for name in made.left_out])
    return place


def scan_table(  # the options of a command
    file: FilePath,
    out: FilePath,
    *,
    figures: Iterable[FilePath] = (),
    terrain: Iterable[FilePath] = (),
    scale: float | None = None,
    bases: Sequence[float] | None = None,
    terrain_only: bool = False,
    table: int | None = None,
) -> Scene:
    """Makes a scene of a scanned table in a folder, and returns it. What a player should answer or know is a warning.

    Args:
        file: the scan: PLY, OBJ, GLB, STL and others that `silhouette scan` reads.
        out: the folder, new or of an earlier run, whose names and answers stay.
        figures, terrain: meshes, model files or folders of them to look for.
        scale: mm per unit of the file, where it is known.
        bases: or the diameters in mm of the bases that stand on the table.
        terrain_only: whether figures are left out.
        table: which of several tables, from 1; by default that with most on it.

    Raises FileError where the scan cannot be read, or the folder not be written; RequestError where both a scale and
    bases are given.
    """
    if scale is not None and bases is not None:
        raise RequestError("scale and bases both say how large it is; give one of them")
    with python_terms():
        folder, cache = Path(out), Cache.default()
        size = SizeHints(scale=scale, bases=None if bases is None else tuple(map(float, bases)))
        looked_for = tuple(map(Path, figures)), tuple(map(Path, terrain))
        request = ScanRequest(Path(file), *looked_for, size, terrain_only, table)
        check_folder(folder, (request.file, *request.figures, *request.terrain))
        earlier = earlier_run(folder)
        scanned = recognised(request, cache, earlier).table(earlier)
        write_folder(scanned, folder)
    questions = [f"question: {question.text}" for question in scanned.questions]
    _warn(folder / SCENE, [*questions, *scanned.warnings])
    return load_scene(folder / SCENE)


def import_table(
    file: FilePath,
    out: FilePath,
    *,
    meshes: FilePath | None = None,
    stand_ins: bool = False,
    units: str | None = None,
) -> Scene:
    """Makes a scene of a table of another program in a folder, and returns it. What is left out is a warning.

    Args:
        file: a save of Tabletop Simulator (.json), or a scene of glTF (.glb, .gltf), such as from Blender.
        out: the folder.
        meshes: the folder in which Tabletop Simulator keeps meshes.
        stand_ins: whether a fighter without a mesh becomes a stand-in.
        units: of a glTF scene, where they are others than it says: "mm", "cm", "m" or "inch".

    Raises RequestError where an argument is that of another format; FileError where it cannot be read or written.
    """
    with python_terms():
        path, folder, cache = Path(file), Path(out), Cache.default()
        inside = None if meshes is None else Path(meshes)
        check_folder(folder, [path, *([] if inside is None else [inside])])
        written = write_table(read_table(path, inside, cache, stand_ins=stand_ins, units=units), folder, cache)
    left_out = [f"left out: {entry.name}: {entry.why}" for entry in written.left_out]
    _warn(folder / SCENE_FILE, [*left_out, *written.warnings])
    return load_scene(folder / SCENE_FILE)


def export_scene(scene: SceneSource, out: FilePath) -> Path:
    """Writes a table for another program, by the ending a glTF scene (.glb), such as for Blender, or a saved object of
    Tabletop Simulator (.json), whose meshes lie beside it; returns its path. RequestError where the game has no meshes;
    FileError where it cannot be written, or has another ending.
    """
    place = Path(out)
    with python_terms():
        read = scene_of(scene)
        if place.suffix.lower() == ".glb":
            write_glb(read, place)
        elif place.suffix.lower() == ".json":
            write_saved_object(read, place, Cache.default())
        else:
            raise FileError(place, f"'{place.suffix}' is no known ending; a table is written to .glb or .json")
    return place


def _warn(file: Path, remarks: Iterable[str]) -> None:
    for remark in remarks:
        warnings.warn(f"{fspath(file)}: {remark}", WrittenFileWarning, stacklevel=3)
