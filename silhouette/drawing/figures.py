"""DRAW: which figures a verdict has, and how they become files: the one place that knows all rule systems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silhouette.drawing.page import check_png_path
from silhouette.drawing.saving import Format, save
from silhouette.drawing.sheet import COLUMN, Sheet, settings
from silhouette.drawing.styles import PRINT, Style
from silhouette.drawing.table.every_pixel import EveryPixel
from silhouette.drawing.table.eye_view import draw_eye_view
from silhouette.judging import PIXEL
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.base import Settings, Verdict
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene


@dataclass(frozen=True)
class Figure:
    """A figure that a verdict has.

    Attributes:
        name: such as "plan"; part of the file's name.
        draw: draws it on a sheet, within `settings`.
        verdict: what it tells.
        caption: what it shows, in words, or empty.
    """

    name: str
    draw: Callable[[Sheet], None]
    verdict: Verdict
    caption: str = ""


@dataclass(frozen=True)
class Look:
    """How figures are to look: format, colours, whether captions and names are shown, and the language of words."""

    format: Format = "svg"
    style: Style = PRINT
    captions: bool = True
    names: bool = True
    language: str = "en"


def figures_of(scene: Any, check: Check, verdict: Any, renderer: Renderer) -> list[Figure]:
    """The figures of one verdict, the most telling first.

    Args:
        scene, check: what was judged.
        verdict: the ruling on it: all that figures tell. Looks on a table are judged again with a sample in every
            pixel, unless this was measured with ``renderer`` and that is an
            `silhouette.drawing.table.every_pixel.EveryPixel`: then what they show and tell is one count.
        renderer: draws eye views; it need not be the one that measured.
    """
    if not isinstance(scene, TableScene):
        found = rule_called(scene.rules).figures(scene, check, verdict, Settings(renderer, PIXEL, keep=True))
        return [Figure(figure.name, figure.draw, verdict, figure.caption) for figure in found]
    return _of_table(scene, check, verdict, renderer)


def _of_table(scene: Any, check: Check, verdict: Any, renderer: Renderer) -> list[Figure]:
    """Eye view, plan and side view of a look; none where nothing is looked at, or from an arc that there is not."""
    from silhouette.drawing.table.eye_frame import draw_eye_frame
    from silhouette.drawing.table.plan_view import draw_plan_view
    from silhouette.drawing.table.side_view import draw_side_view
    from silhouette.drawing.table.sightlines import Sightline

    if verdict.row().get("ask", "protection") != "protection":
        return []
    line = Sightline.of(scene, check, verdict, renderer)
    return [
        Figure("eye", lambda sheet: draw_eye_frame(sheet, line), line.verdict),
        Figure("plan", lambda sheet: draw_plan_view(sheet, line), line.verdict),
        Figure("side", lambda sheet: draw_side_view(sheet, line), line.verdict),
    ]


def write_figures(
    scene: Scene, check: Check, verdict: Verdict, renderer: Renderer, folder: Path, number: int, look: Look
) -> list[Path]:
    """Writes the figures of one verdict, and gives their paths, ``NN-attacker-target-figure.ext``.

    Raises:
        FileError: where one cannot be written; those before it are.
        RequestError: where matplotlib is not installed.
    """
    written = []
    with settings():
        for figure in figures_of(scene, check, verdict, renderer):
            path = folder / file_name(number, verdict.attacker, verdict.target, figure.name, look.format)
            _write(scene, figure, path, look)
            written.append(path)
    return written


def write_main_figure(scene: Any, check: Check, verdict: Verdict, renderer: Renderer, path: Path) -> bool:
    """Writes the most telling figure of a verdict as a PNG: the eye view, or the board.

    Necromunda's eye view needs no matplotlib, and is larger than a column of print.

    Args:
        scene, check, verdict, renderer: as of `figures_of`.
        path: of the picture, ending in .png, in a folder that is there.

    Returns:
        False where nothing of it can be drawn: then nothing is.

    Raises:
        FileError: where it cannot be written.
        RequestError: where matplotlib is needed and not installed.
    """
    check_png_path(path)
    if isinstance(verdict, NecromundaVerdict):
        drawing = renderer.inner if isinstance(renderer, EveryPixel) else renderer
        draw_eye_view(scene, check, verdict, drawing, path)
        return True
    with settings():
        for figure in figures_of(scene, check, verdict, renderer)[:1]:
            _write(scene, figure, path, Look("png"))
            return True
    return False


def _write(scene: Scene, figure: Figure, path: Path, look: Look) -> None:
    """One figure into its file."""
    sheet = Sheet(COLUMN, look.style, captions=look.captions, names=look.names, language=look.language)
    figure.draw(sheet)
    told = figure.verdict
    title = f"{scene.title or scene.path.stem}: {told.attacker} → {told.target}, {figure.name}"
    data = {"scene": str(scene.path), "title": scene.title, "figure": figure.name, **told.row()}
    save(sheet.finish(), path, title, {**data, **sheet.data})


def file_name(number: int, attacker: str, target: str, figure: str, ending: str) -> str:
    """A name for a file that every system takes, whatever the models are called.

    >>> file_name(1, "Kal", "Vex", "plan", "svg"), file_name(12, "../etc", "<b>&É", "side", "png")
    ('01-kal-vex-plan.svg', '12-etc-b-e-side.png')
    >>> file_name(1, "", "\\U0001f480", "board", "pdf"), len(file_name(1, "x" * 80, "y" * 80, "plan", "svg"))
    ('01-board.pdf', 65)
    """
    names = [_safe(name) for name in (attacker, target)]
    return "-".join([f"{number:02d}", *filter(None, names), figure]) + f".{ending}"


def _safe(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:26].strip("-")
