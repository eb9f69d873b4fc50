"""TELL: the figures of a check, drawn for a page: without title and reason, which stand in the text of the page."""

from __future__ import annotations

from io import BytesIO

import PIL.WebPImagePlugin  # noqa: F401 - else Pillow imports all of its formats to find this one
from PIL import Image, features

from silhouette.drawing.figures import figures_of
from silhouette.drawing.games import drawing_of
from silhouette.drawing.saving import Told, Writing, svg
from silhouette.drawing.sheet import COLUMN, Sheet, settings
from silhouette.drawing.styles import PRINT
from silhouette.files.cache import Cache
from silhouette.judging import Judged
from silhouette.pages.report.words import FIGURES
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.scene import Scene

QUALITY = 88
"""The quality of pictures on a page; those that `silhouette draw` writes lose nothing."""

SIGNS = "".join(map(chr, range(32, 127))) + "°±·×–−"
"""Those that figures are written in, so that nearly all of them have one type, which is made once."""

METHOD = 2
"""The effort of packing WebP, from 0, quick, to 6: 4 takes half as long again for a few bytes in a hundred."""


class PageSheet(Sheet):
    """A sheet whose title and reason stand on the page; legend and notes stay with the drawing."""

    def caption(self, title: str, reason: str) -> None:
        """Leaves title and reason out: they stand in the text of the page."""


def figures_for_page(
    scene: Scene, judged: Judged, renderer: Renderer, writing: Writing, language: str = "en"
) -> list[tuple[str, str]]:
    """The caption of each figure, and its SVG as a page holds it.

    Args:
        scene: the scene that was judged.
        judged: one of its checks, whose verdict has kept its observation.
        renderer: the renderer that draws the surroundings of a target.
        writing: from `on_page`.
        language: the language of the words in the figures.

    Raises:
        RequestError: where matplotlib is not installed.
    """
    drawn = []
    with settings():
        for figure in figures_of(scene, judged.check, judged.verdict, renderer):
            sheet = PageSheet(COLUMN, PRINT, language=language)
            figure.draw(sheet)
            drawing = svg(sheet.finish(), Told(figure.name).printable(), writing)
            drawn.append((figure.caption or FIGURES.get(figure.name, figure.name), drawing))
    return drawn


def overview_for_page(scene: Scene, writing: Writing) -> list[tuple[str, str]]:
    """The caption of the figure of a whole scene, and its SVG; nothing where the game draws none."""
    figure = drawing_of(scene.rules).overview(scene)
    if figure is None:
        return []
    with settings():
        sheet = PageSheet(figure.width, PRINT)
        figure.draw(sheet)
        return [(FIGURES[figure.name], svg(sheet.finish(), Told(figure.name).printable(), writing))]


def _webp(picture: Image.Image) -> tuple[str, bytes]:
    """A picture with a small loss, as WebP; as JPEG, half as large again, where Pillow cannot write that."""
    opaque = picture.getextrema()[-1] == (255, 255)
    stream = BytesIO()
    if not features.check("webp"):
        picture.convert("RGB").save(stream, "JPEG", quality=QUALITY, subsampling=0, optimize=True)
        return "jpeg", stream.getvalue()
    picture.convert("RGB" if opaque else "RGBA").save(stream, "WEBP", quality=QUALITY, method=METHOD)
    return "webp", stream.getvalue()


def on_page(cache: Cache) -> Writing:
    """How figures of a page are written: pictures with a small loss, paths to a hundredth of a point, one type for all.

    Args:
        cache: keeps the type.
    """
    return Writing(text=True, decimals=2, signs=SIGNS, encode=_webp, cache=cache)
