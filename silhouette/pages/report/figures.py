"""TELL: the figures of a check, drawn for a page: without title and reason, which stand in the text of the page."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, features

from silhouette.drawing.figures import figures_of
from silhouette.drawing.saving import Told, save
from silhouette.drawing.sheet import COLUMN, Sheet, settings
from silhouette.drawing.styles import PRINT
from silhouette.judging import Judged
from silhouette.pages.report.words import FIGURES
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.scenes.scene import Scene

QUALITY = 88
"""The quality of pictures on a page; those that `silhouette draw` writes lose nothing."""

_PICTURE = re.compile(r"data:image/(?:png|jpeg);base64,([A-Za-z0-9+/=\s]+)")
_PATH = re.compile(r'(?<= d=")[^"]+')
_NUMBER = re.compile(r"-?\d+\.\d{3,}")


class PageSheet(Sheet):
    """A sheet whose title and reason stand on the page; legend and notes stay with the drawing."""

    def caption(self, title: str, reason: str) -> None:
        """Leaves title and reason out: they stand in the text of the page."""


def figures_for_page(scene: Scene, judged: Judged, renderer: Renderer, language: str = "en") -> list[tuple[str, str]]:
    """The caption of each figure, and its SVG, made lighter.

    Args:
        scene: the scene that was judged.
        judged: one of its checks, whose verdict has kept its observation.
        renderer: the renderer that draws the surroundings of a target.
        language: the language of the words in the figures.

    Raises:
        RequestError: where matplotlib is not installed.
    """
    drawn = []
    with settings(), TemporaryDirectory(prefix="silhouette-") as folder:
        for figure in figures_of(scene, judged.check, judged.verdict, renderer):
            sheet = PageSheet(COLUMN, PRINT, language=language)
            figure.draw(sheet)
            file = Path(folder, f"{figure.name}.svg")
            save(sheet.finish(), file, Told(figure.name), text=True)
            drawn.append(
                (figure.caption or FIGURES.get(figure.name, figure.name), lighter(file.read_text(encoding="utf-8")))
            )
    return drawn


def overview_for_page(scene: Scene) -> list[tuple[str, str]]:
    """The caption of the figure of a whole scene, and its SVG, made lighter; nothing where the game draws none."""
    figure = rule_called(scene.rules).overview(scene)
    if figure is None:
        return []
    with settings(), TemporaryDirectory(prefix="silhouette-") as folder:
        sheet = PageSheet(figure.width or COLUMN, PRINT)
        figure.draw(sheet)
        file = Path(folder, f"{figure.name}.svg")
        save(sheet.finish(), file, Told(figure.name), text=True)
        return [(FIGURES[figure.name], lighter(file.read_text(encoding="utf-8")))]


def lighter(svg: str) -> str:
    """The same drawing in fewer bytes: its pictures compressed with a small loss, its paths rounded to a hundredth.

    >>> lighter('<path d="M 1.417323 2.5 L -0.004 3" x="1.417323"/>')
    '<path d="M 1.42 2.5 L 0 3" x="1.417323"/>'
    """
    svg = _PATH.sub(lambda path: " ".join(_NUMBER.sub(_rounded, path[0]).split()), svg)
    return _PICTURE.sub(lambda picture: _compressed(picture[0], picture[1]), svg)


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:g}"


def _compressed(whole: str, data: str) -> str:
    """A picture as WebP, where Pillow can write that and it is smaller."""
    if not features.check("webp"):
        return whole
    stream = BytesIO()
    with Image.open(BytesIO(b64decode(data))) as picture:
        full = picture.convert("RGBA")
        opaque = full.getextrema()[-1] == (255, 255)
        full.convert("RGB" if opaque else "RGBA").save(stream, "WEBP", quality=QUALITY, method=4)
    smaller = f"data:image/webp;base64,{b64encode(stream.getvalue()).decode('ascii')}"
    return min(whole, smaller, key=len)
