"""DRAW: a vector figure becomes a file, which says in words what it shows, and holds the verdict as data.

No path is written into a file: who gets the figure is not told where it was made. Files are the same every time: no
dates, no versions, no random names in them.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from silhouette.drawing import typeface
from silhouette.drawing.sheet import RESOLUTION
from silhouette.files.writing import write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALETTE = 256
"""The most colours of a palette."""

NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
"""A number as matplotlib writes it."""

QUALITY = 92
"""The quality of JPEG: its losses cannot be seen in print."""

Format = Literal["svg", "png", "pdf"]

FORMATS: tuple[Format, ...] = ("svg", "png", "pdf")


SPACE = "urn:silhouette:figure"
"""The XML namespace of the data in an SVG."""

WORDS = "words-"
"""The beginning of the id of each text in an SVG."""


@dataclass(frozen=True)
class Told:
    """What a file says besides its drawing.

    Attributes:
        title: the title of the figure, on one line.
        about: the content of the figure in a sentence or two, for those who do not see it.
        data: the verdict's row and the figure's data; JSON, apart from the sentences for people.
    """

    title: str
    about: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def save(figure: Figure, path: Path, told: Told, *, text: bool = False) -> None:
    """Writes a figure as SVG, PNG or PDF, by the ending of its path.

    Title and sentence are in ``<title>`` and ``<desc>`` of an SVG, the chunks "Title" and "Description" of a PNG, and
    title and subject of a PDF. The data is JSON in ``<metadata>``, the chunk "silhouette", and the entry "Silhouette"
    of the PDF's information.

    Args:
        figure: from `silhouette.drawing.sheet.Sheet.finish`; to be called within `settings` as well.
        path: the path of the file, in an existing folder; an earlier file of that name is replaced.
        told: title, sentence and data.
        text: whether the words in an SVG stay text, with the type embedded, which not every program reads. Otherwise
            they are outlines, which look the same everywhere, with the words in ``aria-label``.

    Raises:
        FileError: where it cannot be written; a file of that name then stays as it was.
    """
    told = Told(typeface.printable(told.title), typeface.printable(told.about), told.data)
    ending = path.suffix.lower()[1:]
    content = _svg(figure, told, text=text) if ending == "svg" else _WRITERS[ending](figure, told)
    write_file(path, content)


def _svg(figure: Figure, told: Told, *, text: bool) -> bytes:
    import matplotlib

    words = _marked(figure)
    stream = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none" if text else "path"}):
        figure.savefig(stream, format="svg", metadata={"Title": told.title, "Date": None, "Creator": None})
    svg = stream.getvalue().decode("utf-8")
    svg = re.sub(r"\s*<!--.*?-->", "", svg, flags=re.DOTALL)  # matplotlib's, which repeat the words
    svg = svg.replace("'DejaVu Sans';", "'DejaVu Sans', sans-serif;")
    svg = re.sub(r"data:image/png;base64,\s*([^\"]+)", _smaller, svg)
    svg = re.sub(r"(?<=<path d=\")[^\"]*(?=\"[^>]*/>\s*</pattern>)", _rounder, svg)
    svg = re.sub(r"(?<= d=\")[^\"]*", _rounded, svg)
    type_of_words = _type_of(svg) if text else ""
    if not text:
        svg = re.sub(f'(?<=<g )id="{WORDS}(\\d+)"', lambda mark: f"aria-label={quoteattr(words[int(mark[1])])}", svg)
    svg = svg.replace('<style type="text/css">', f'<style type="text/css">{type_of_words}', 1)
    svg = svg.replace("<svg ", '<svg role="img" aria-labelledby="title desc" ', 1)
    svg = svg.replace("<title>", '<title id="title">', 1)
    described = f'</title>\n <desc id="desc">{escape(told.about or told.title)}</desc>'
    svg = svg.replace("</title>", described, 1)
    data = f'<figure xmlns="{SPACE}">{escape(json.dumps(told.data))}</figure>'
    return svg.replace("</metadata>", f" {data}\n </metadata>", 1).encode()


def _marked(figure: Figure) -> list[str]:
    """The words of a figure, text by text; the number of each is in its id. Halos, which repeat them, have none."""
    from matplotlib.text import Text

    words = list[str]()
    for one in figure.findobj(Text):
        assert isinstance(one, Text)
        if one.get_text() and not one.get_path_effects():
            one.set_gid(f"{WORDS}{len(words)}")
            words.append(one.get_text())
    return words


def _smaller(match: re.Match[str]) -> str:
    """A raster of an SVG in fewer bytes: in a palette where it has few colours, exactly; else as a fine JPEG."""
    from PIL import Image

    with Image.open(BytesIO(b64decode(match.group(1)))) as picture:
        stream, kind = BytesIO(), "png"
        if picture.getcolors(PALETTE):
            packed = np.ascontiguousarray(picture.convert("RGBA")).view(np.uint32)
            found_colours, number = np.unique(packed, return_inverse=True)
            colours = found_colours.view(np.uint8).reshape(-1, 4)
            paletted = Image.fromarray(number.reshape(picture.height, picture.width).astype(np.uint8), "P")
            paletted.putpalette(colours[:, :3].tobytes())
            paletted.save(stream, "PNG", transparency=colours[:, 3].tobytes(), optimize=True)
        else:
            kind = "jpeg"
            picture.convert("RGB").save(stream, "JPEG", quality=QUALITY, subsampling=0, optimize=True)
    return f"data:image/{kind};base64,{b64encode(stream.getvalue()).decode()}"


def _rounder(match: re.Match[str]) -> str:
    """The path of a hatch with its circles as arcs: matplotlib writes each of the hundreds as eight curves."""
    shapes = []
    for shape in re.split(r"(?=M)", match.group()):
        points = np.array(re.findall(NUMBER, shape), dtype=np.float64).reshape(-1, 2)
        if shape.count("C") < 8:
            shapes.append(shape)
            continue
        (left, top), (right, _) = points.min(axis=0), points.max(axis=0)
        radius, (x, y) = (right - left) / 2, np.roll(points, -1, axis=0).T
        sweep = int(float(np.sum(points[:, 0] * y - points[:, 1] * x)) > 0.0)
        half = f"a{radius:.3g} {radius:.3g} 0 1 {sweep}"
        shapes.append(f"M{left:.2f} {top + radius:.2f}{half} {2 * radius:.3g} 0{half} {-2 * radius:.3g} 0z")
    return "".join(shapes)


def _rounded(match: re.Match[str]) -> str:
    """A path with its numbers to a thousandth of a point: finer is not printed, and takes a third more bytes."""
    return re.sub(r"-?\d+\.\d{4,}", lambda number: f"{float(number[0]):.3f}".rstrip("0").rstrip("."), match[0])


def _type_of(text: str) -> str:
    """The type of an SVG as a style sheet, with the signs that the file needs: the same on every screen."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    faces = []
    signs = set("".join(re.findall(r"<text[^>]*>([^<]*)</text>", text)) + " &<>")
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
    return "".join(faces) if signs - set(" &<>") else ""


def _png(figure: Figure, told: Told) -> bytes:
    stream = BytesIO()
    data = {"Title": told.title, "Description": told.about, "silhouette": json.dumps(told.data), "Software": None}
    figure.savefig(stream, format="png", dpi=RESOLUTION, metadata=data)
    return stream.getvalue()


def _pdf(figure: Figure, told: Told) -> bytes:
    from matplotlib.backends.backend_pdf import PdfPages

    stream = BytesIO()
    about = {"Title": told.title, "Subject": told.about, "CreationDate": None, "Creator": None, "Producer": None}
    with PdfPages(stream, metadata=about) as pages:
        pages.savefig(figure)
        pages.infodict()["Silhouette"] = json.dumps(told.data)  # no entry of matplotlib's own list of names
    return stream.getvalue()


_WRITERS = {"png": _png, "pdf": _pdf}
