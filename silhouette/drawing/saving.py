"""DRAW: a vector figure becomes a file, which says in words what it shows, and holds the verdict as data.

No path is written into a file, so that whoever gets the figure does not learn where it was made. Files are the same
every time: there are no dates, versions or random names in them.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from silhouette.common.text import json_text
from silhouette.drawing import plotting, typeface
from silhouette.drawing.sheet import RASTER_DPI
from silhouette.files.cache import Cache
from silhouette.files.writing import write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL import Image

NUMBER_PATTERN = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"  # a number as matplotlib writes it
PRINT_JPEG_QUALITY = 92  # the quality of JPEG: its losses cannot be seen in print
Format = Literal["svg", "png", "pdf"]
FIGURE_FORMATS: tuple[Format, ...] = ("svg", "png", "pdf")
NOTHING_KEPT = Cache(None)
FIGURE_NAMESPACE = "urn:silhouette:figure"  # the XML namespace of the data in an SVG
TEXT_ID_PREFIX = "words-"  # the beginning of the id of each text in an SVG


@dataclass(frozen=True)
class FigureDescription:
    """What a file says besides its drawing: the title on one line, the content in a sentence or two for those who do
    not see it, and the verdict's row and the figure's data; JSON, apart from the sentences for people.
    """

    title: str
    about: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    def printable(self) -> FigureDescription:
        """The same in signs that can be printed."""
        return FigureDescription(typeface.printable(self.title), typeface.printable(self.about), self.data)


def save(figure: Figure, path: Path, description: FigureDescription, *, text: bool = False) -> None:
    """Writes a figure as SVG, PNG or PDF, by the ending of its path; within the `settings` in which it was drawn.

    Raises FileError where it cannot be written; a file of that name then stays as it was.
    """
    write_file(path, encoded(figure, path.suffix.lower()[1:], description, text=text))


def encoded(figure: Figure, form: str, description: FigureDescription, *, text: bool = False) -> bytes:
    """A figure as the content of a file of a form in `FIGURE_FORMATS`.

    Title and sentence are in ``<title>`` and ``<desc>`` of an SVG, the chunks "Title" and "Description" of a PNG, and
    title and subject of a PDF. The data is JSON in ``<metadata>``, the chunk "silhouette", and the entry "Silhouette"
    of the PDF's information. With ``text`` the words in an SVG stay text, with the type embedded, which not every
    program reads; otherwise they are outlines, which look the same everywhere, with the words in ``aria-label``.
    """
    description = description.printable()
    if form == "svg":
        return svg(figure, description, DRAWN_TEXT if text else DRAWN).encode()
    return _RASTER_WRITERS[form](figure, description)


def jpeg(picture: Image.Image, quality: int = PRINT_JPEG_QUALITY) -> tuple[str, bytes]:
    """A picture as JPEG, opaque."""
    stream = BytesIO()
    picture.convert("RGB").save(stream, "JPEG", quality=quality, subsampling=0, optimize=True)
    return "jpeg", stream.getvalue()


@dataclass(frozen=True)
class Writing:
    """How an SVG is written."""

    text: bool = False  # whether the words stay text, with the type embedded
    # Of coordinates, in points of 1/72 inch; more cannot be seen in print, and take a quarter more bytes
    decimals: int = 4
    # The signs that the embedded type has even where no word needs them, so that all figures of a page embed the same
    # type
    signs: str = " &<>"
    # Gives the kind of image, such as "jpeg", and the bytes of a raster (RGBA) too rich for a palette
    encode: Callable[[Image.Image], tuple[str, bytes]] = jpeg
    cache: Cache = NOTHING_KEPT  # keeps the embedded type, which takes a fifth of a second to make


DRAWN, DRAWN_TEXT = Writing(), Writing(text=True)  # a file of its own: outlines, or text


def svg(figure: Figure, description: FigureDescription, writing: Writing = DRAWN) -> str:
    """A figure as the text of an SVG; see `save`."""
    import matplotlib

    from silhouette.drawing.vector import RASTER, svg_of

    words = _marked(figure)
    with matplotlib.rc_context({"svg.fonttype": "none" if writing.text else "path"}):
        metadata = {"Title": description.title, "Date": None, "Creator": None}
        svg, rasters = svg_of(figure, metadata, writing.encode)
    svg = svg.replace("'DejaVu Sans';", "'DejaVu Sans', sans-serif;")
    svg = re.sub(
        r"(<pattern .*?<path d=\")([^\"]*)(?=\"[^>]*/>\s*</pattern>)",
        lambda path: path[1] + _rounder(path[2]),
        svg,
        flags=re.DOTALL,
    )
    svg = re.sub(r" d=\"[^\"]*", lambda path: cut(path[0], writing.decimals), svg)
    if writing.text:
        signs = set("".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg)))
        if signs - set(" &<>"):
            embedded = _type_with("".join(sorted(signs.union(writing.signs))), writing.cache)
            svg = svg.replace('<style type="text/css">', f'<style type="text/css">{embedded}', 1)
    else:
        svg = re.sub(
            f'<g id="{TEXT_ID_PREFIX}(\\d+)"', lambda mark: f"<g aria-label={quoteattr(words[int(mark[1])])}", svg
        )
    svg = svg.replace("<svg ", '<svg role="img" aria-labelledby="title desc" ', 1)
    svg = svg.replace("<title>", '<title id="title">', 1)
    described = f'</title>\n <desc id="desc">{escape(description.about or description.title)}</desc>'
    svg = svg.replace("</title>", described, 1)
    data = f'<figure xmlns="{FIGURE_NAMESPACE}">{escape(json_text(description.data))}</figure>'
    svg = svg.replace("</metadata>", f" {data}\n </metadata>", 1)
    return "".join(part for pair in zip_longest(svg.split(RASTER), rasters, fillvalue="") for part in pair)


def _marked(figure: Figure) -> list[str]:
    """The words of a figure, text by text; the number of each is in its id. Halos, which repeat them, have none."""
    words = list[str]()
    for text in figure.findobj(plotting.text.Text):
        assert isinstance(text, plotting.text.Text)
        if text.get_text() and not text.get_path_effects():
            text.set_gid(f"{TEXT_ID_PREFIX}{len(words)}")
            words.append(text.get_text())
    return words


@lru_cache(maxsize=64)
def _rounder(path: str) -> str:
    """The path of a hatch with its circles as arcs: it has hundreds, and matplotlib writes each as eight curves."""
    shapes = []
    for shape in re.split(r"(?=M)", path):
        points = np.array(re.findall(NUMBER_PATTERN, shape), dtype=np.float64).reshape(-1, 2)
        if shape.count("C") < 8:
            shapes.append(shape)
            continue
        (left, top), (right, _) = points.min(axis=0), points.max(axis=0)
        radius, (x, y) = (right - left) / 2, np.roll(points, -1, axis=0).T
        sweep = int(float(np.sum(points[:, 0] * y - points[:, 1] * x)) > 0.0)
        half = f"a{radius:.3g} {radius:.3g} 0 1 {sweep}"
        shapes.append(f"M{left:.2f} {top + radius:.2f}{half} {2 * radius:.3g} 0{half} {-2 * radius:.3g} 0z")
    return "".join(shapes)


def cut(path: str, decimals: int) -> str:
    """A path whose numbers have a given number of decimals at most: cut off, since rounding takes ten times longer.

    >>> cut("M 1.417323 2.5 L -0.0004 3.2007 C 1 10 0.1 20", 3)
    'M 1.417 2.5 L -0.000 3.200 C 1 10 0.1 20'
    """
    return "".join(re.split(rf"(\.{'[0-9]' * decimals})[0-9]+", path))


@lru_cache(maxsize=64)
def _type_with(signs: str, cache: Cache) -> str:
    digests = [hashlib.blake2b(file.read_bytes()).hexdigest() for file in typeface.files().values()]
    key = "\0".join(["embedded type", *digests, signs])
    arrays = cache.fetch(key, lambda: {"text": np.frombuffer(_made_type(signs).encode(), np.uint8)})
    return arrays["text"].tobytes().decode()


def _made_type(signs: str) -> str:
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    faces = []
    for weight, file in typeface.files().items():
        with TTFont(file, recalcTimestamp=False) as font:
            keeper = Subsetter(Options(notdef_outline=True, hinting=False, layout_features=["kern"]))
            keeper.populate(unicodes=sorted(map(ord, signs)))
            keeper.subset(font)
            font.flavor = "woff"
            stream = BytesIO()
            font.save(stream, reorderTables=None)
        data = b64encode(stream.getvalue()).decode()
        source = f"url(data:font/woff;base64,{data})"
        faces.append(f"@font-face{{font-family: 'Open Sans'; font-weight: {weight}; src: {source}}}")
    return "".join(faces)


def _png(figure: Figure, description: FigureDescription) -> bytes:
    stream = BytesIO()
    data = {
        "Title": description.title,
        "Description": description.about,
        "silhouette": json_text(description.data),
        "Software": None,
    }
    figure.savefig(stream, format="png", dpi=RASTER_DPI, metadata=data)
    return stream.getvalue()


def _pdf(figure: Figure, description: FigureDescription) -> bytes:
    stream = BytesIO()
    about = {
        "Title": description.title,
        "Subject": description.about,
        "CreationDate": None,
        "Creator": None,
        "Producer": None,
    }
    with plotting.pdf.PdfPages(stream, metadata=about) as pages:
        pages.savefig(figure)
        pages.infodict()["Silhouette"] = json_text(description.data)  # no entry of matplotlib's own list of names
    return stream.getvalue()


_RASTER_WRITERS = {"png": _png, "pdf": _pdf}
