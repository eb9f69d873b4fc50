"""SCAN: scan.png, the table from above as it was scanned: pieces coloured and numbered, questions marked.

surface -> samples a pixel apart -> highest of each pixel -> lit, tinted by piece -> numbers, names, questions -> page
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from silhouette.common.geometry import Floats
from silhouette.drawing.four_views import scale_bar
from silhouette.drawing.page import (
    FINE,
    INK,
    MARGIN,
    ORANGE,
    PAPER,
    SKY_BLUE,
    SOFT_INK,
    VERMILLION,
    WIDTH,
    Drawing,
    Face,
    joined,
    png_content,
)
from silhouette.drawing.styles import Colour
from silhouette.files.writing import Content
from silhouette.scans.piece_meshes import owners
from silhouette.scans.scanned import ScannedPiece, ScannedTable

TINTS: tuple[Colour, ...] = (SKY_BLUE, (0, 158, 115), (240, 228, 66), (204, 121, 167), (0, 114, 178), (148, 203, 59))
"""Okabe and Ito's colours, but for those of questions: neighbours in number are told apart."""

TABLE: Colour = (214, 207, 193)
TINTED = 0.42  # the share of the tint in a piece's colour: people still recognise their table
MOST_SAMPLES = 8_000_000  # the most samples of the surface: a picture of the largest scan takes seconds
HIGHEST = 1500 * FINE  # pixels of the picture of the table, so that a long narrow one stays a page

Pixels = NDArray[np.uint8]
PixelOf = Callable[[float, float], tuple[float, float]]  # from x and y in mm on the table to a place on the page


def draw_table(table: ScannedTable) -> Content:
    """The picture, as what a PNG file is to hold."""
    points = table.on_table()
    low, high = _frame(table, points)
    per_mm = min((WIDTH - 2 * MARGIN) / (high[0] - low[0]), HIGHEST / (high[1] - low[1]))
    # The table is drawn at the size at which it is shown; only the marks on it are drawn larger, for smooth edges.
    image = Image.fromarray(_from_above(table, points, low, high, per_mm / FINE))
    image = image.resize((image.width * FINE, image.height * FINE), Image.Resampling.BICUBIC)
    title, text = Face(22, "Bold"), Face(14)
    legend = _legend(table, text)
    top = MARGIN + title.line + text.line + 10 * FINE
    height = top + image.height + 14 * FINE + len(legend) * text.line + 2 * MARGIN
    page = Image.new("RGB", (WIDTH, height), PAPER)
    page.paste(image, (MARGIN, top))
    drawing = ImageDraw.Draw(page)
    title.draw(drawing, (MARGIN, MARGIN), title.elided(title.printable(table.scan.path.name), WIDTH - 2 * MARGIN))
    text.draw(drawing, (MARGIN, MARGIN + title.line), text.printable(_subtitle(table)), SOFT_INK)

    def pixel(x: float, y: float) -> tuple[float, float]:
        return MARGIN + (x - low[0]) * per_mm, top + (high[1] - y) * per_mm

    _mark_pieces(drawing, table, pixel_of=pixel)
    _mark_questions(drawing, table, pixel_of=pixel)
    below = top + image.height + 14 * FINE
    for number, (colour, line) in enumerate(legend):
        text.draw(drawing, (MARGIN, below + number * text.line), line, colour)
    scale_bar(drawing, (WIDTH - MARGIN - 260 * FINE, top - 8 * FINE), per_mm, Face(12))
    return png_content(page, {"scan": table.scan.path.name})


def _frame(table: ScannedTable, points: Floats) -> tuple[Floats, Floats]:
    """The least and greatest x and y in mm of the picture: the table, and all that is labelled."""
    shown = points[(table.labels >= 0) & table.scan.usable, :2]
    if table.size is not None:
        edge = np.array(table.size) / 2.0
        shown = np.vstack([shown, -edge, edge])
    low, high = shown.min(axis=0), shown.max(axis=0)
    margin = 0.01 * float((high - low).max())
    return low - margin, high + margin


def _from_above(table: ScannedTable, points: Floats, low: Floats, high: Floats, per_mm: float) -> Pixels:
    """(height, width, 3) the table from above, row 0 at the top."""
    columns, rows = (int(np.ceil(length)) for length in (high - low) * per_mm)
    where, shade, owner, colours = _samples(table, points, 1.0 / per_mm)
    column = ((where[:, 0] - low[0]) * per_mm).astype(np.int64)
    row = ((high[1] - where[:, 1]) * per_mm).astype(np.int64)
    inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    flat, kept = (row * columns + column)[inside], np.flatnonzero(inside)
    height, highest = where[kept, 2], np.full(rows * columns, -np.inf)
    np.maximum.at(highest, flat, height)
    top = np.flatnonzero(height == highest[flat])
    sample = np.full(rows * columns, -1, dtype=np.int64)
    sample[flat[top]] = kept[top]  # of several at one height the last
    sample = _filled(sample.reshape(rows, columns), reach=max(1.5, 1.2 * table.spacing * per_mm))
    picture = np.empty((rows, columns, 3))
    picture[:] = PAPER
    seen = sample >= 0
    chosen = sample[seen]
    tints = np.array([TABLE, *(TINTS[(number - 1) % len(TINTS)] for number in range(1, int(owner.max(initial=0)) + 1))])
    tint = tints[owner[chosen]]
    share = np.where(owner[chosen] > 0, TINTED, 0.0)[:, None]
    ground = tint if colours is None else (1.0 - share) * colours[chosen] + share * tint
    picture[seen] = ground * shade[chosen, None]
    return np.clip(picture, 0, 255).astype(np.uint8)


def _samples(
    table: ScannedTable, points: Floats, pixel: float
) -> tuple[Floats, Floats, NDArray[np.int32], Floats | None]:
    """Places (k, 3) mm on the surface, about a pixel apart in plan, with light, piece and colour of each."""
    scan = table.scan
    if len(scan.faces) == 0:
        kept = np.flatnonzero((table.labels >= 0) & scan.usable)
        tall = max(float(points[kept, 2].max(initial=1.0)), 1.0)
        light = 0.75 + 0.25 * np.clip(points[kept, 2] / tall, 0.0, 1.0)
        colours = None if scan.colours is None else scan.colours[kept].astype(np.float64)
        return points[kept], light, table.labels[kept], colours
    owner = owners(scan.faces, table.labels)
    faces, owner = scan.faces[owner >= 0], owner[owner >= 0]
    a, b, c = (points[faces[:, corner]] for corner in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    light = 0.55 + 0.45 * np.abs(normal @ [-0.30, 0.35, 0.89]) / np.maximum(length, 1e-12)
    count = 1 + (np.abs(normal[:, 2]) / pixel**2).astype(np.int64)  # twice the area in plan, in pixels
    share = min(1.0, MOST_SAMPLES / count.sum())
    count = np.maximum((count * share).astype(np.int64), 1)
    face = np.repeat(np.arange(len(faces)), count)
    # R2, a sequence of points that fill a square evenly (M. Roberts, 2018), folded into the triangle.
    number = np.arange(len(face), dtype=np.float64)
    u, v = (0.5 + 0.7548776662466927 * number) % 1.0, (0.5 + 0.5698402909980532 * number) % 1.0
    outside = u + v > 1.0
    u, v = np.where(outside, 1.0 - u, u)[:, None], np.where(outside, 1.0 - v, v)[:, None]
    where = a[face] + u * (b - a)[face] + v * (c - a)[face]
    colours = None if scan.colours is None else scan.colours[faces].mean(axis=1)[face]
    return where, light[face], owner[face], colours


def _filled(sample: NDArray[np.int64], reach: float) -> NDArray[np.int64]:
    """Pixels without a sample take that of the nearest pixel which has one, where that is within ``reach`` pixels."""

    distance, nearest = scipy.ndimage.distance_transform_edt(sample < 0, return_indices=True)
    return np.where(distance <= reach, sample[tuple(nearest)], -1)


def _subtitle(table: ScannedTable) -> str:
    size = "no table found" if table.size is None else f"table {table.size[0]:.0f} x {table.size[1]:.0f} mm"
    figures = sum(piece.kind != "terrain" for piece in table.pieces)
    terrain = len(table.pieces) - figures
    counts = f"{figures} figures, {terrain} pieces of terrain"
    return f"{size}, noise {table.noise:.2g} mm, {counts}; grade: {table.account.grade}"


def _legend(table: ScannedTable, text: Face) -> list[tuple[Colour, str]]:
    """Lines below the picture: how many figures were found, what each number is, then the questions."""
    parts = joined([f"{piece.number}: {_called(piece)}" for piece in table.pieces])
    lines = text.wrapped(text.printable(parts), WIDTH - 2 * MARGIN, most=12) if parts else []
    asked = [
        line
        for question in table.questions
        for line in text.wrapped(text.printable(f"? {question.text}"), WIDTH - 2 * MARGIN, most=3)
    ]
    account = table.account
    counts = [
        line
        for sentence in (account.counts(), *account.warnings())
        if sentence
        for line in text.wrapped(text.printable(sentence), WIDTH - 2 * MARGIN, most=3)
    ]
    colour = VERMILLION if account.missing or account.unknown or account.warnings() else INK
    marked = ((VERMILLION, line) for line in asked)
    return [*((colour, line) for line in counts), *((INK, line) for line in lines), *marked]


def _called(piece: ScannedPiece) -> str:
    """The name of a piece, and the known model that it is."""
    is_said = piece.likeness in ("", piece.name)
    return piece.name if is_said else f"{piece.name} ({piece.likeness})"


def _mark_pieces(drawing: Drawing, table: ScannedTable, pixel_of: PixelOf) -> None:
    """A number in the middle of each piece of terrain and beside each figure, and a line to where a figure looks."""
    face = Face(14, "Bold")
    radius = 11 * FINE
    for piece in table.pieces:
        outline = [pixel_of(x, y) for x, y in piece.outline]
        if len(outline) > 2:
            drawing.line([*outline, outline[0]], fill=INK, width=FINE)
        if piece.kind == "terrain":
            x, y = pixel_of(*_clear_of_figures(piece, table))
        else:
            x, y = pixel_of(piece.at[0], piece.at[1])
            if piece.facing is not None:
                angle = np.radians(piece.facing)
                tip = (x + 34 * FINE * np.cos(angle), y - 34 * FINE * np.sin(angle))
                drawing.line([(x, y), tip], fill=PAPER, width=5 * FINE)
                drawing.line([(x, y), tip], fill=INK, width=3 * FINE)
            x = max(px for px, _ in outline) + radius
            y = min(py for _, py in outline) - radius / 2
        ring = VERMILLION if piece.could_be_several else INK
        drawing.ellipse([x - radius, y - radius, x + radius, y + radius], fill=PAPER, outline=ring, width=2 * FINE)
        text = str(piece.number)
        face.draw(drawing, (x - face.width(text) / 2, y - 0.72 * face.size), text, INK)


def _clear_of_figures(piece: ScannedPiece, table: ScannedTable) -> Floats:
    """(2,) mm: the middle of a piece of terrain; where a figure stands there, half way to its farthest corner."""
    middle: Floats = piece.outline.mean(axis=0)
    figures = [other.at[:2] for other in table.pieces if other.kind != "terrain"]
    if not figures or np.hypot(*(np.array(figures) - middle).T).min() > 20.0:
        return middle
    beside: Floats = (middle + piece.outline[np.hypot(*(piece.outline - middle).T).argmax()]) / 2.0
    return beside


def _mark_questions(drawing: Drawing, table: ScannedTable, pixel_of: PixelOf) -> None:
    """A mark at each place that a question is about."""
    face = Face(17, "Bold")
    for question in table.questions:
        if question.at is None:
            continue
        x, y = pixel_of(*question.at)
        x -= 26 * FINE
        drawing.rectangle(
            [x - 9 * FINE, y - 11 * FINE, x + 9 * FINE, y + 11 * FINE], fill=ORANGE, outline=INK, width=FINE
        )
        face.draw(drawing, (x - face.width("?") / 2, y - 0.72 * face.size), "?", INK)
