"""DRAW: a vector figure becomes a file, with the scene and the verdict in its metadata.

Files are the same every time: no dates, no versions, no random names in them.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape

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


def save(figure: Figure, path: Path, title: str, data: Mapping[str, Any]) -> None:
    """Writes a figure as SVG, PNG or PDF, by the ending of its path.

    Args:
        figure: from `silhouette.drawing.sheet.Sheet.finish`; to be called within `settings` as well.
        path: the path of the file, in an existing folder; an earlier file of that name is replaced.
        title: the title of the figure.
        data: the scene's path and title and the verdict's row; kept as JSON in ``<desc>``, a text chunk or keywords.

    Raises:
        FileError: where it cannot be written; a file of that name then stays as it was.
    """
    described = json.dumps(data)
    content = _WRITERS[path.suffix.lower()[1:]](figure, typeface.printable(title), described)
    write_file(path, content)


def _svg(figure: Figure, title: str, data: str) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
    text = stream.getvalue().decode("utf-8")
    text = text.replace("'DejaVu Sans';", "'DejaVu Sans', sans-serif;")
    text = re.sub(r"data:image/png;base64,\s*([^\"]+)", _smaller, text)
    text = re.sub(r"(?<=<path d=\")[^\"]*(?=\"[^>]*/>\s*</pattern>)", _rounder, text)
    text = re.sub(r"(?<= d=\")[^\"]*", _rounded, text)
    head, mark, rest = text.partition("</title>")
    described = f"{head}{mark}\n <desc>{escape(data)}</desc>{rest}"
    return described.replace('<style type="text/css">', f'<style type="text/css">{_type_of(text)}', 1).encode()


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


def _png(figure: Figure, title: str, described: str) -> bytes:
    stream = BytesIO()
    data = {"Title": title, "silhouette": described, "Software": None}
    figure.savefig(stream, format="png", dpi=RESOLUTION, metadata=data)
    return stream.getvalue()


def _pdf(figure: Figure, title: str, described: str) -> bytes:
    stream = BytesIO()
    data = {"Title": title, "Keywords": described, "CreationDate": None, "Creator": None, "Producer": None}
    figure.savefig(stream, format="pdf", metadata=data)
    return stream.getvalue()


_WRITERS = {"svg": _svg, "png": _png, "pdf": _pdf}
