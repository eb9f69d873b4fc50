"""DRAW: the figures of a verdict, asked of its rule system, and how they become files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean
from silhouette.drawing.games import drawing_of
from silhouette.drawing.odds_chart import ODDS_FIGURE, figures_of_odds
from silhouette.drawing.page import check_png_path
from silhouette.drawing.saving import FigureDescription, Format, Writing, encoded, svg
from silhouette.drawing.sheet import Figure, Sheet
from silhouette.drawing.sheet import settings as matplotlib_settings
from silhouette.drawing.styles import PRINT, Style
from silhouette.drawing.table import tracing
from silhouette.files.writing import make_folder, write_file
from silhouette.judging import Judged, JudgingOptions, judge_all
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasOdds
from silhouette.rules.base import Verdict
from silhouette.scenes.scene import Check, Scene

OVERVIEW = "table"  # the name of the figure of a whole scene, in every game that has one


@dataclass(frozen=True)
class FigureOptions:
    """The options of figures."""

    format: Format = "svg"
    style: Style = PRINT
    captions: bool = True  # whether figures have a title, a reason and notes
    names: bool = True  # whether the names of pieces are written into the drawing
    language: str = "en"  # the code of the language of all words, such as "en"
    text: bool = False  # whether words in an SVG stay text, and do not become outlines
    figure: str | None = None  # the name of the only figure to draw, such as "plan"; None for all


def warm_up(tables: bool, writing: Writing | None = None) -> None:
    """Imports what figures, if ``tables`` those of tables too, and their writing as SVG need, within `settings`, in a
    process that is about to be forked: each of the others would import it anew.
    """
    if tables:
        tracing.traced(np.ones((4, 4), np.bool_))
    if writing is not None:
        sheet = Sheet()
        sheet.text(0.0, 0.0, "x")
        svg(sheet.finish(), FigureDescription("x"), writing)


def figures_of(scene: Any, check: Check, verdict: Any, renderer: Renderer) -> list[Figure]:
    """The figures of a verdict judged with ``Settings(keep=True)``, the most telling first, by any renderer."""
    return drawing_of(scene.rules).figures(scene, check, verdict, renderer)


def write_figures(
    scene: Scene,
    check: Check,
    verdict: Verdict,
    renderer: Renderer,
    folder: Path,
    number: int,
    options: FigureOptions,
    more: Sequence[Figure] = (),
) -> list[Path]:
    """Writes the figures of one verdict and ``more``, or the chosen one, into a folder that exists; returns their
    paths, ``NN-attacker-target-figure.ext``, by the number of the check. FileError where one cannot be written; those
    before it have been; RequestError where the verdict has no figure of the chosen name, or matplotlib is not
    installed.
    """
    written = []
    for name, content in figure_contents(scene, check, verdict, renderer, options, more).items():
        path = folder / file_name(number, verdict.attacker, verdict.target, name, options.format)
        write_file(path, content)
        written.append(path)
    return written


def figure_contents(
    scene: Scene,
    check: Check,
    verdict: Verdict,
    renderer: Renderer,
    options: FigureOptions,
    more: Sequence[Figure] = (),
) -> dict[str, bytes]:
    """The contents of the files of a verdict's figures and ``more``, or of the chosen one, by name; errors are those of
    `write_figures`.
    """
    with matplotlib_settings():
        figures = [*figures_of(scene, check, verdict, renderer), *more]
        chosen = _chosen(scene, check, figures, options.figure)
        return {figure.name: figure_content(scene, figure, verdict, options) for figure in chosen}


def draw_checks(
    scene: Scene,
    checks: Mapping[int, Check],
    judging: JudgingOptions,
    folder: Path,
    options: FigureOptions,
    step: Callable[[float, int], None] = lambda done, total: None,
) -> dict[int, tuple[Judged, list[Path]]]:
    """Judges checks and writes the figures of each into a folder, which is made; returns the results and the paths of
    the figures by the numbers of the checks. Errors are those of judging, and of `write_figures`.
    """
    make_folder(folder)
    seed = 0 if options.figure == ODDS_FIGURE else None
    drawn: dict[int, tuple[Judged, list[Path]]] = {}
    for done, (number, check) in enumerate(checks.items()):
        step(done, len(checks))
        (judged,) = judge_all([(scene, check)], replace(judging, keep=True, seed=seed))
        more = figures_of_odds(scene, judged)
        files = write_figures(scene, check, judged.verdict, judging.renderer, folder, number, options, more)
        drawn[number] = judged, files
    return drawn


def _chosen(scene: Scene, check: Check, figures: list[Figure], name: str | None) -> list[Figure]:
    """The figures of a name, or without one all. RequestError where there are figures, but none of that name."""
    chosen = [figure for figure in figures if name in (None, figure.name)]
    if figures and not chosen:
        rule = rule_called(scene.rules)
        overview = drawing_of(scene.rules).overview(scene)
        names = [figure.name for figure in [*figures, *([overview] if overview else [])]]
        names += [ODDS_FIGURE] * (isinstance(rule, HasOdds) and rule.has_odds(check))
        raise RequestError(f"{scene.path}: no figure '{name}'; {did_you_mean(str(name), names, 'its figures are')}")
    return chosen


def write_overview(scene: Scene, folder: Path, options: FigureOptions) -> Path:
    """Writes the figure of a whole scene into a folder that exists; returns its path, such as ``table.svg``. FileError
    where it cannot be written; RequestError where the game has no such figure, or matplotlib is not installed.
    """
    name, content = overview_content(scene, options)
    path = folder / f"{name}.{options.format}"
    write_file(path, content)
    return path


def overview_content(scene: Scene, options: FigureOptions) -> tuple[str, bytes]:
    """The name of the figure of a whole scene, and the content of its file; errors are those of `write_overview`."""
    figure = drawing_of(scene.rules).overview(scene)
    if figure is None:
        raise RequestError(
            f"{scene.path}: {rule_called(scene.rules).title} has no figure of a whole scene; draw its checks"
        )
    with matplotlib_settings():
        return figure.name, _content(scene, figure, options, scene.title or scene.path.stem)


def write_main_figure(scene: Any, check: Check, verdict: Verdict, renderer: Renderer, path: Path) -> bool:
    """Writes the picture that the rule system draws itself, or its first figure, as a PNG; returns whether there is
    one. FileError where it cannot be written; RequestError where matplotlib is needed and not installed.
    """
    check_png_path(path)
    if drawing_of(scene.rules).picture(scene, verdict, renderer, path):
        return True
    with matplotlib_settings():
        for figure in figures_of(scene, check, verdict, renderer)[:1]:
            write_figure(scene, figure, verdict, path, FigureOptions("png"))
            return True
    return False


def main_picture(scene: Scene, check: Check, verdict: Verdict, renderer: Renderer) -> bytes | None:
    """The content of the file that `write_main_figure` writes, a PNG; None where nothing of the verdict is drawn."""
    with TemporaryDirectory(prefix="silhouette-picture-") as folder:
        path = Path(folder, "picture.png")
        return path.read_bytes() if write_main_figure(scene, check, verdict, renderer, path) else None


def write_figure(
    scene: Scene, figure: Figure, verdict: Verdict, path: Path, options: FigureOptions, source: str = ""
) -> None:
    """Writes one figure, with the verdict's row, the data of the sheet and the scene's name, or ``source``, in it."""
    write_file(path, figure_content(scene, figure, verdict, options, source))


def figure_content(scene: Scene, figure: Figure, verdict: Verdict, options: FigureOptions, source: str = "") -> bytes:
    """The content of the file of one figure of a verdict; within the `settings` in which it was asked for."""
    title = f"{scene.title or scene.path.stem}: {verdict.attacker} → {verdict.target}, {figure.name}"
    return _content(scene, figure, options, title, {"scene": source or scene.path.name, **verdict.row()})


def _content(
    scene: Scene, figure: Figure, options: FigureOptions, title: str, row: Mapping[str, Any] | None = None
) -> bytes:
    sheet = Sheet(
        figure.width, options.style, captions=options.captions, names=options.names, language=options.language
    )
    figure.draw(sheet)
    data = {"scene": scene.path.name, "title": scene.title, "figure": figure.name, **(row or {}), **sheet.data}
    return encoded(sheet.finish(), options.format, FigureDescription(title, sheet.about, data), text=options.text)


def file_name(number: int, attacker: str, target: str, figure: str, ending: str) -> str:
    """The name of a figure's file, in lower case ASCII letters, digits and hyphens, whatever the pieces are called.

    >>> file_name(1, "Kal", "Vex", "plan", "svg"), file_name(12, "../etc", "<b>&É", "side", "png")
    ('01-kal-vex-plan.svg', '12-etc-b-e-side.png')
    >>> file_name(1, "", "\\U0001f480", "board", "pdf"), len(file_name(1, "x" * 80, "y" * 80, "plan", "svg"))
    ('01-board.pdf', 65)
    """
    plain = [unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode() for name in (attacker, target)]
    names = [re.sub(r"[^a-z0-9]+", "-", name.lower())[:26].strip("-") for name in plain]
    return "-".join([f"{number:02d}", *filter(None, names), figure]) + f".{ending}"
