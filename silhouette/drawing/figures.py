"""DRAW: the figures of a verdict, asked of its rule system, and how they become files."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silhouette.drawing.page import check_png_path
from silhouette.drawing.saving import Format, save
from silhouette.drawing.sheet import COLUMN, Sheet, settings
from silhouette.drawing.styles import PRINT, Style
from silhouette.rules import rule_called
from silhouette.rules.base import Figure, Settings, Verdict
from silhouette.scenes.scene import Check, Scene


@dataclass(frozen=True)
class FigureOptions:
    """How figures are to options: format, colours, whether captions and names are shown, and the language of words."""

    format: Format = "svg"
    style: Style = PRINT
    captions: bool = True
    names: bool = True
    language: str = "en"


def figures_of(scene: Any, check: Check, verdict: Any, settings: Settings) -> list[Figure]:
    """The figures of one verdict, the most telling first.

    Args:
        scene, check: what was judged.
        verdict: the ruling on it, judged with ``settings.keep``: all that the figures show.
        settings: with the renderer that draws what stands round a target; it need not be the one that measured.
    """
    return rule_called(scene.rules).figures(scene, check, verdict, settings)


def write_figures(
    scene: Scene, check: Check, verdict: Verdict, judging: Settings, folder: Path, number: int, options: FigureOptions
) -> list[Path]:
    """Writes the figures of one verdict, and gives their paths, ``NN-attacker-target-figure.ext``.

    Args:
        scene, check, verdict, judging: as of `figures_of`.
        folder: that they are written into.
        number: of the check.
        options: format, colours, captions, names and language.

    Raises:
        FileError: where one cannot be written; those before it are.
        RequestError: where matplotlib is not installed.
    """
    written = []
    with settings():
        for figure in figures_of(scene, check, verdict, judging):
            path = folder / file_name(number, verdict.attacker, verdict.target, figure.name, options.format)
            _write(scene, figure, verdict, path, options)
            written.append(path)
    return written


def write_main_figure(scene: Any, check: Check, verdict: Verdict, judging: Settings, path: Path) -> bool:
    """Writes the most telling picture of a verdict as a PNG: the rule system's own, else its first figure.

    Args:
        scene, check, verdict, judging: as of `figures_of`.
        path: of the picture, ending in .png, in a folder that is there.

    Returns:
        False where nothing of it can be drawn: then nothing is.

    Raises:
        FileError: where it cannot be written.
        RequestError: where matplotlib is needed and not installed.
    """
    check_png_path(path)
    if rule_called(scene.rules).picture(scene, verdict, judging, path):
        return True
    with settings():
        for figure in figures_of(scene, check, verdict, judging)[:1]:
            _write(scene, figure, verdict, path, FigureOptions("png"))
            return True
    return False


def _write(scene: Scene, figure: Figure, verdict: Verdict, path: Path, options: FigureOptions) -> None:
    """One figure into its file."""
    sheet = Sheet(COLUMN, options.style, captions=options.captions, names=options.names, language=options.language)
    figure.draw(sheet)
    title = f"{scene.title or scene.path.stem}: {verdict.attacker} → {verdict.target}, {figure.name}"
    data = {"scene": str(scene.path), "title": scene.title, "figure": figure.name, **verdict.row()}
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
