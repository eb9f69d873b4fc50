"""DRAW: Necromunda's eye view as one PNG with a caption, for both players; it needs no matplotlib."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from silhouette.common.geometry import Flags
from silhouette.common.text import sentence
from silhouette.drawing.games.on_table import TableDrawing
from silhouette.drawing.page import (
    FINE,
    INK,
    MARGIN,
    PAPER,
    RULE,
    SKY_BLUE,
    SOFT_INK,
    VERMILLION,
    WIDTH,
    Drawing,
    Face,
    check_png_path,
    joined,
    save_png,
    write_lines,
)
from silhouette.drawing.styles import Colour
from silhouette.drawing.table.eye_image import FIRST_PIECE, EyeImage, image_of
from silhouette.drawing.table.eye_view import coloured
from silhouette.drawing.words.words import Words, share_of_blocker, told_in_figures
from silhouette.measure.observation import OBSCURED, OUTSIDE, SEEN
from silhouette.renderers.protocol import Renderer
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.scene import NecromundaScene

# ---- names and caption

WORDS = Words()
NAMES = Face(17, "Bold")
TITLE = (Face(33, "Bold"), Face(28, "Bold"), Face(23, "Bold"))
SHARES = Face(22, "Bold")
REASON = Face(18)
NOTE = Face(15)
LEGEND = Face(16)
SMALL = Face(13)
CELL = 8 * FINE  # pixels across a cell of the grid on which room for a name is sought
NAMED = 4  # the most blockers that are named, in the picture and in the caption: those with the largest shares


def label(picture: Image.Image, image: EyeImage, scene: NecromundaScene, verdict: NecromundaVerdict) -> None:
    """Writes the names of target, blockers and disregarded friends into a picture of the image, where there is room."""
    drawing = ImageDraw.Draw(picture)
    taken = image.kinds > 0
    if taken.any():
        rows, columns = np.nonzero(taken)
        name = NAMES.elided(NAMES.printable(verdict.target), 0.3 * picture.width)
        width, rim = NAMES.width(name), 8 * FINE
        x = min(max((columns.min() + columns.max() - width) / 2, rim), picture.width - width - rim)
        taken = _write_name(drawing, (x, max(rows.min() - NAMES.line - 6 * FINE, rim)), name, taken)
    numbers = {piece.name: number for number, piece in enumerate(scene.pieces, FIRST_PIECE)}
    blockers = [blocker.name for blocker in verdict.blockers if blocker.share][:NAMED]
    areas = [(name, image.front.ids == numbers[name]) for name in blockers]
    areas += [(name, image.disregarded.ids == number) for name, number in numbers.items()]
    for name, area in areas:
        name = NAMES.elided(NAMES.printable(name), 0.3 * picture.width)
        at = _free_corner(area, taken, NAMES.width(name), NAMES.line) if area.any() else None
        if at is not None:
            taken = _write_name(drawing, at, name, taken)


def _write_name(drawing: Drawing, at: tuple[float, float], name: str, taken: Flags) -> Flags:
    """Writes a name with its upper left corner at x and y, in pixels; returns ``taken`` with the pixels of the name."""
    NAMES.draw(drawing, at, name, halo=PAPER)
    left, top = int(at[0]), int(at[1])
    taken = taken.copy()
    taken[top : top + NAMES.line, left : left + int(NAMES.width(name))] = True
    return taken


def _free_corner(area: Flags, taken: Flags, width: float, height: float) -> tuple[float, float] | None:
    """The upper left corner, x and y in pixels, of a free rectangle of a size in an area (height, width), as near to
    the middle of what the target or a name has taken as can be; None where there is none.
    """
    tall, wide = int(-(-height // CELL)), int(-(-width // CELL)) + 1
    offset = CELL // 2
    close = np.pad(taken[offset::CELL, offset::CELL], 1)
    adjacent = close[1:-1, :-2] | close[1:-1, 1:-1] | close[1:-1, 2:] | close[:-2, 1:-1] | close[2:, 1:-1]
    free = area[offset::CELL, offset::CELL] & ~adjacent
    if free.shape[0] < tall or free.shape[1] < wide:
        return None
    # Sums over all rectangles from the upper left corner give the number of free cells in any rectangle.
    total = np.pad(free.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    inside = total[tall:, wide:] - total[:-tall, wide:] - total[tall:, :-wide] + total[:-tall, :-wide]
    rows, columns = np.nonzero(inside == tall * wide)
    if len(rows) == 0:
        return None
    near = np.argwhere(taken[offset::CELL, offset::CELL])
    middle = near.mean(axis=0) if len(near) else np.array(free.shape) / 2
    best = int(np.hypot(rows + tall / 2 - middle[0], columns + wide / 2 - middle[1]).argmin())
    return float(columns[best] * CELL + (wide * CELL - width) / 2), float(rows[best] * CELL)


def add_caption(
    picture: Image.Image, image: EyeImage, scene: NecromundaScene, verdict: NecromundaVerdict, renderer: Renderer
) -> Image.Image:
    """The page: the picture in a thin frame, and below it the verdict, shares, reason, legend and measurement."""
    page = Image.new("RGB", (WIDTH, picture.height + 800 * FINE), PAPER)
    page.paste(picture, (MARGIN, MARGIN))
    drawing = ImageDraw.Draw(page)
    bottom = MARGIN + picture.height
    drawing.rectangle([MARGIN, MARGIN, WIDTH - MARGIN - 1, bottom - 1], outline=SOFT_INK, width=FINE)
    y = _title(drawing, bottom + 14 * FINE, verdict)
    y = write_lines(drawing, y, shares_in_words(verdict, scene), SHARES, 2)
    y = write_lines(drawing, y + 2 * FINE, sentence(verdict.reason), REASON, 4)
    remarks = [WORDS("ahead", target=verdict.target)] if image.surrounds else []
    warnings = [warning for warning in verdict.warnings if told_in_figures(warning)]
    for remark in [*remarks, *(WORDS("note", warning=warning) for warning in warnings[:2])]:
        y = write_lines(drawing, y, remark, NOTE, 2, SOFT_INK)
    y += 12 * FINE
    drawing.line([MARGIN, y, WIDTH - MARGIN, y], fill=RULE, width=FINE)
    x, y = _legend(page, y + 11 * FINE, image, verdict)
    small = SMALL.printable(_small_print(verdict, renderer))
    start = WIDTH - MARGIN - SMALL.width(small)
    y += 4 * FINE if x < start else LEGEND.line + 4 * FINE
    SMALL.draw(drawing, (start, y), small, SOFT_INK)
    return page.crop((0, 0, WIDTH, int(y) + SMALL.line + 16 * FINE))


def _title(drawing: Drawing, y: float, verdict: NecromundaVerdict) -> float:
    """Writes attacker, target and verdict, as large as fits on one line, else on several; returns the y below."""
    text = WORDS("title", attacker=verdict.attacker, target=verdict.target, verdict=verdict.verdict)
    if verdict.in_arc is False:
        text = WORDS("out of arc", title=text)
    text = TITLE[0].printable(WORDS("marginal", title=text) if verdict.marginal else text)
    width = WIDTH - 2 * MARGIN
    face = next((face for face in TITLE if face.width(text) <= width), TITLE[-1])
    return write_lines(drawing, y, text, face, 3)


def shares_in_words(verdict: NecromundaVerdict, scene: NecromundaScene) -> str:
    """The obscured share with its error, of the target or of its part in the arc (A1), and the blockers' shares."""
    counts = verdict.counts
    in_arc = scene.readings.share == "in arc"
    part, whole, error, of = (
        (counts.occluded_in_arc, counts.in_arc, counts.error_in_arc, WORDS("of what lies in the arc"))
        if in_arc
        else (counts.occluded, counts.total, counts.error, "")
    )
    share = WORDS("share", share=f"{WORDS.share(part, whole)}{WORDS.margin(error)}{of}")
    names = {blocker.name: SHARES.elided(SHARES.printable(blocker.name), WIDTH / 4) for blocker in verdict.blockers}
    some = [blocker for blocker in verdict.blockers if blocker.share]
    blockers = [share_of_blocker(WORDS, names[blocker.name], blocker.share) for blocker in some]
    more = [WORDS("more", count=len(blockers) - NAMED)] if len(blockers) > NAMED else []
    return joined([share, *blockers[:NAMED], *more])


def _small_print(verdict: NecromundaVerdict, renderer: Renderer) -> str:
    """The measurement in words: renderer, pixel, how the eye is known, and the scale of the grid."""
    attacker = verdict.evidence.sight.attacker
    drawn = "" if renderer.name == verdict.measurement.renderer else WORDS("drawn with", renderer=renderer.name)
    return joined(
        [
            WORDS("measured with", renderer=verdict.measurement.renderer, pixel=f"{verdict.measurement.pixel:.2g}"),
            drawn,
            WORDS("the eye", eye=attacker.eye_from),
            WORDS("an inch apart"),
        ]
    )


@dataclass(frozen=True)
class _Swatch:
    """An entry of the legend: the look of its square, and the words beside it."""

    fill: Colour
    words: str
    stripes: Colour | None = None
    falling: bool = False
    dotted: bool = False


def _legend(page: Image.Image, y: float, image: EyeImage, verdict: NecromundaVerdict) -> tuple[float, float]:
    """Draws the colours that this picture has, with words; returns x of the end of the last line, and y of its top."""
    drawing, kinds = ImageDraw.Draw(page), image.kinds
    entries = [
        (SEEN in kinds, _Swatch(SKY_BLUE, WORDS("seen"))),
        (OBSCURED in kinds, _Swatch((236, 170, 124), WORDS("obscured"), stripes=VERMILLION)),
        (OUTSIDE in kinds, _Swatch((150, 150, 157), WORDS("outside"), stripes=(212, 212, 215), falling=True)),
        (image.ghosts.ids.any(), _Swatch((240, 241, 241), WORDS("ignored"), dotted=True)),
        (any(blocker.share for blocker in verdict.blockers), _Swatch((222, 190, 152), WORDS("in the way"))),
        (image.disregarded.ids.any(), _Swatch((241, 222, 233), WORDS("friend"))),
        (not image.inside.all(), _Swatch((214, 213, 210), WORDS("beyond"))),
    ]
    x: float = MARGIN
    side, gap = 17 * FINE, 8 * FINE
    for swatch in (swatch for used, swatch in entries if used):
        width = side + gap + LEGEND.width(swatch.words)
        if x + width > WIDTH - MARGIN:
            x, y = MARGIN, y + LEGEND.line + 4 * FINE
        page.paste(_square(side, swatch), (int(x), int(y) + 3 * FINE))
        LEGEND.draw(drawing, (x + side + gap, y), swatch.words)
        x += width + 26 * FINE
    return x, y


def _square(side: int, swatch: _Swatch) -> Image.Image:
    tile = Image.new("RGB", (side, side), swatch.fill)
    inner = ImageDraw.Draw(tile)
    if swatch.stripes:
        for offset in range(-side, side, 7 * FINE):
            ends = (0, side) if swatch.falling else (side, 0)
            inner.line([offset, ends[0], offset + side, ends[1]], fill=swatch.stripes, width=3 * FINE)
    if swatch.dotted:
        for row in range(2):
            for column in range(2):
                centre_x, centre_y = (4.5 + 8 * column) * FINE, (4.5 + 8 * row) * FINE
                inner.ellipse(
                    [centre_x - FINE, centre_y - FINE, centre_x + FINE, centre_y + FINE], fill=(110, 118, 132)
                )
    inner.rectangle([0, 0, side - 1, side - 1], outline=INK, width=FINE // 2)
    return tile


# ---- the picture

PICTURE = (WIDTH - 2 * MARGIN, 720 * FINE)  # pixels: width and height of the picture above the caption


def draw_eye_view(scene: NecromundaScene, verdict: NecromundaVerdict, renderer: Renderer, path: Path) -> None:
    """Writes the eye view of a verdict, with its observation, as a PNG with a caption; the text chunk "silhouette" is
    JSON: the verdict's row, and the name of the scene's file. The renderer need not be the one that measured. FileError
    where the file cannot be written; then none is left behind; ValueError where the verdict has not kept its
    observation.
    """
    check_png_path(path)
    observation = verdict.evidence
    image = image_of(scene, observation, renderer, *PICTURE)
    blocking = {blocker.name for blocker in verdict.blockers if blocker.obscures}
    picture = Image.fromarray(coloured(image, scene, observation.sight.target, blocking))
    label(picture, image, scene, verdict)
    page = add_caption(picture, image, scene, verdict, renderer)
    save_png(page, path, {"scene": scene.path.name, **verdict.row()})


class NecromundaDrawing(TableDrawing[NecromundaScene]):
    """What is drawn of Necromunda."""

    def picture(self, scene: NecromundaScene, verdict: NecromundaVerdict, renderer: Renderer, path: Path) -> bool:
        """The eye view with its caption."""
        draw_eye_view(scene, verdict, renderer, path)
        return True


DRAWING = NecromundaDrawing()
