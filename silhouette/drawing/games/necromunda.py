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
    INK,
    PAGE_MARGIN_PX,
    PAGE_WIDTH_PX,
    PAPER,
    RULE_COLOUR,
    SKY_BLUE,
    SOFT_INK,
    SUPERSAMPLING,
    VERMILLION,
    Drawing,
    TypeFace,
    check_png_path,
    joined,
    save_png,
    write_lines,
)
from silhouette.drawing.styles import Colour
from silhouette.drawing.table.eye_image import FIRST_PIECE_ID, EyeImage, image_of
from silhouette.drawing.table.eye_view import DARK_OLIVE, OUTSIDE_ARC, coloured
from silhouette.drawing.words.words import Words, noted, share_of_blocker, told_in_figures
from silhouette.measure.observation import OBSCURED, OUTSIDE, SEEN
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import blocker_shares
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.scene import NecromundaScene

# ---- names and caption

PAGE_WORDS = Words()
PAGE_NAME_TYPE = TypeFace(17, "Bold")
PAGE_TITLE_TYPES = (TypeFace(33, "Bold"), TypeFace(28, "Bold"), TypeFace(23, "Bold"))
PAGE_SHARE_TYPE = TypeFace(22, "Bold")
PAGE_REASON_TYPE = TypeFace(18)
PAGE_NOTE_TYPE = TypeFace(15)
PAGE_LEGEND_TYPE = TypeFace(16)
PAGE_SMALL_TYPE = TypeFace(13)
NAME_CELL_PX = 8 * SUPERSAMPLING  # pixels across a cell of the grid on which room for a name is sought
# The most blockers that are named, in the picture and in the caption: those with the largest shares.
MAX_NAMED_BLOCKERS = 4


def label(picture: Image.Image, image: EyeImage, scene: NecromundaScene, verdict: NecromundaVerdict) -> None:
    """Writes the names of target, blockers and disregarded friends into a picture of the image, where there is room."""
    drawing = ImageDraw.Draw(picture)
    taken = image.kinds > 0
    if taken.any():
        rows, columns = np.nonzero(taken)
        name = PAGE_NAME_TYPE.elided(PAGE_NAME_TYPE.printable(verdict.target), 0.3 * picture.width)
        width, rim = PAGE_NAME_TYPE.width(name), 8 * SUPERSAMPLING
        x = min(max((columns.min() + columns.max() - width) / 2, rim), picture.width - width - rim)
        taken = _write_name(drawing, (x, max(rows.min() - PAGE_NAME_TYPE.line - 6 * SUPERSAMPLING, rim)), name, taken)
    numbers = {piece.name: number for number, piece in enumerate(scene.pieces, FIRST_PIECE_ID)}
    blockers = [blocker.name for blocker in verdict.blockers if blocker.share][:MAX_NAMED_BLOCKERS]
    areas = [(name, image.front.ids == numbers[name]) for name in blockers]
    areas += [(name, image.disregarded.ids == number) for name, number in numbers.items()]
    for name, area in areas:
        name = PAGE_NAME_TYPE.elided(PAGE_NAME_TYPE.printable(name), 0.3 * picture.width)
        at = _free_corner(area, taken, PAGE_NAME_TYPE.width(name), PAGE_NAME_TYPE.line) if area.any() else None
        if at is not None:
            taken = _write_name(drawing, at, name, taken)


def _write_name(drawing: Drawing, at: tuple[float, float], name: str, taken: Flags) -> Flags:
    """Writes a name with its upper left corner at x and y, in pixels; returns ``taken`` with the pixels of the name."""
    PAGE_NAME_TYPE.draw(drawing, at, name, halo=PAPER)
    left, top = int(at[0]), int(at[1])
    taken = taken.copy()
    taken[top : top + PAGE_NAME_TYPE.line, left : left + int(PAGE_NAME_TYPE.width(name))] = True
    return taken


def _free_corner(area: Flags, taken: Flags, width: float, height: float) -> tuple[float, float] | None:
    """The upper left corner, x and y in pixels, of a free rectangle of a size in an area (height, width), as near to
    the middle of what the target or a name has taken as can be; None where there is none.
    """
    tall, wide = int(-(-height // NAME_CELL_PX)), int(-(-width // NAME_CELL_PX)) + 1
    offset = NAME_CELL_PX // 2
    close = np.pad(taken[offset::NAME_CELL_PX, offset::NAME_CELL_PX], 1)
    adjacent = close[1:-1, :-2] | close[1:-1, 1:-1] | close[1:-1, 2:] | close[:-2, 1:-1] | close[2:, 1:-1]
    free = area[offset::NAME_CELL_PX, offset::NAME_CELL_PX] & ~adjacent
    if free.shape[0] < tall or free.shape[1] < wide:
        return None
    # Sums over all rectangles from the upper left corner give the number of free cells in any rectangle.
    total = np.pad(free.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    inside = total[tall:, wide:] - total[:-tall, wide:] - total[tall:, :-wide] + total[:-tall, :-wide]
    rows, columns = np.nonzero(inside == tall * wide)
    if len(rows) == 0:
        return None
    near = np.argwhere(taken[offset::NAME_CELL_PX, offset::NAME_CELL_PX])
    middle = near.mean(axis=0) if len(near) else np.array(free.shape) / 2
    best = int(np.hypot(rows + tall / 2 - middle[0], columns + wide / 2 - middle[1]).argmin())
    return float(columns[best] * NAME_CELL_PX + (wide * NAME_CELL_PX - width) / 2), float(rows[best] * NAME_CELL_PX)


def add_caption(
    picture: Image.Image, image: EyeImage, scene: NecromundaScene, verdict: NecromundaVerdict, renderer: Renderer
) -> Image.Image:
    """The page: the picture in a thin frame, and below it the verdict, shares, reason, legend and measurement."""
    page = Image.new("RGB", (PAGE_WIDTH_PX, picture.height + 800 * SUPERSAMPLING), PAPER)
    page.paste(picture, (PAGE_MARGIN_PX, PAGE_MARGIN_PX))
    drawing = ImageDraw.Draw(page)
    bottom = PAGE_MARGIN_PX + picture.height
    drawing.rectangle(
        [PAGE_MARGIN_PX, PAGE_MARGIN_PX, PAGE_WIDTH_PX - PAGE_MARGIN_PX - 1, bottom - 1],
        outline=SOFT_INK,
        width=SUPERSAMPLING,
    )
    y = _title(drawing, bottom + 14 * SUPERSAMPLING, verdict)
    y = write_lines(drawing, y, shares_in_words(verdict, scene), PAGE_SHARE_TYPE, 2)
    y = write_lines(drawing, y + 2 * SUPERSAMPLING, sentence(verdict.reason), PAGE_REASON_TYPE, 4)
    remarks = [PAGE_WORDS("ahead", target=verdict.target)] if image.surrounds else []
    warnings = [warning for warning in verdict.warnings if told_in_figures(warning)]
    for remark in [*remarks, *(PAGE_WORDS("note", warning=warning) for warning in warnings[:2])]:
        y = write_lines(drawing, y, remark, PAGE_NOTE_TYPE, 2, SOFT_INK)
    y += 12 * SUPERSAMPLING
    drawing.line([PAGE_MARGIN_PX, y, PAGE_WIDTH_PX - PAGE_MARGIN_PX, y], fill=RULE_COLOUR, width=SUPERSAMPLING)
    x, y = _legend(page, y + 11 * SUPERSAMPLING, image, verdict)
    small = PAGE_SMALL_TYPE.printable(_small_print(verdict, renderer))
    start = PAGE_WIDTH_PX - PAGE_MARGIN_PX - PAGE_SMALL_TYPE.width(small)
    y += 4 * SUPERSAMPLING if x < start else PAGE_LEGEND_TYPE.line + 4 * SUPERSAMPLING
    PAGE_SMALL_TYPE.draw(drawing, (start, y), small, SOFT_INK)
    return page.crop((0, 0, PAGE_WIDTH_PX, int(y) + PAGE_SMALL_TYPE.line + 16 * SUPERSAMPLING))


def _title(drawing: Drawing, y: float, verdict: NecromundaVerdict) -> float:
    """Writes attacker, target and verdict, as large as fits on one line, else on several; returns the y below."""
    text = PAGE_WORDS("title", attacker=verdict.attacker, target=verdict.target, verdict=verdict.verdict)
    if verdict.in_arc is False:
        text = PAGE_WORDS("out of arc", title=text)
    text = PAGE_TITLE_TYPES[0].printable(noted(PAGE_WORDS, text, verdict))
    width = PAGE_WIDTH_PX - 2 * PAGE_MARGIN_PX
    face = next((face for face in PAGE_TITLE_TYPES if face.width(text) <= width), PAGE_TITLE_TYPES[-1])
    return write_lines(drawing, y, text, face, 3)


def shares_in_words(verdict: NecromundaVerdict, scene: NecromundaScene) -> str:
    """The obscured share with its error, of the target or of its part in the arc (A1), and the blockers' shares."""
    counts = verdict.counts
    in_arc = scene.readings.share == "in arc"
    part, whole, error, of = (
        (counts.occluded_in_arc, counts.in_arc, counts.error_in_arc, PAGE_WORDS("of what lies in the arc"))
        if in_arc
        else (counts.occluded, counts.total, counts.error, "")
    )
    share = PAGE_WORDS("share", share=f"{PAGE_WORDS.share(part, whole)}{PAGE_WORDS.margin(error)}{of}")
    names = {
        blocker.name: PAGE_SHARE_TYPE.elided(PAGE_SHARE_TYPE.printable(blocker.name), PAGE_WIDTH_PX / 4)
        for blocker in verdict.blockers
    }
    some = [(names[blocker.name], share) for blocker, share in blocker_shares(verdict) if blocker.share]
    blockers = [share_of_blocker(PAGE_WORDS, name, share) for name, share in some]
    more = [PAGE_WORDS("more", count=len(blockers) - MAX_NAMED_BLOCKERS)] if len(blockers) > MAX_NAMED_BLOCKERS else []
    return joined([share, *blockers[:MAX_NAMED_BLOCKERS], *more])


def _small_print(verdict: NecromundaVerdict, renderer: Renderer) -> str:
    """The measurement in words: renderer, pixel, how the eye is known, and the scale of the grid."""
    attacker = verdict.evidence.sight.attacker
    drawn = "" if renderer.name == verdict.measurement.renderer else PAGE_WORDS("drawn with", renderer=renderer.name)
    return joined(
        [
            PAGE_WORDS(
                "measured with", renderer=verdict.measurement.renderer, pixel=f"{verdict.measurement.pixel:.2g}"
            ),
            drawn,
            PAGE_WORDS("the eye", eye=attacker.eye_from),
            PAGE_WORDS("an inch apart"),
        ]
    )


@dataclass(frozen=True)
class _LegendEntry:
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
        (SEEN in kinds, _LegendEntry(SKY_BLUE, PAGE_WORDS("seen"))),
        (OBSCURED in kinds, _LegendEntry((236, 170, 124), PAGE_WORDS("obscured"), stripes=VERMILLION)),
        (OUTSIDE in kinds, _LegendEntry(OUTSIDE_ARC, PAGE_WORDS("outside"), stripes=DARK_OLIVE, falling=True)),
        (image.ghosts.ids.any(), _LegendEntry((240, 241, 241), PAGE_WORDS("ignored"), dotted=True)),
        (any(blocker.share for blocker in verdict.blockers), _LegendEntry((222, 190, 152), PAGE_WORDS("in the way"))),
        (image.disregarded.ids.any(), _LegendEntry((241, 222, 233), PAGE_WORDS("friend"))),
        (not image.inside.all(), _LegendEntry((214, 213, 210), PAGE_WORDS("beyond"))),
    ]
    x: float = PAGE_MARGIN_PX
    side, gap = 17 * SUPERSAMPLING, 8 * SUPERSAMPLING
    for swatch in (swatch for used, swatch in entries if used):
        width = side + gap + PAGE_LEGEND_TYPE.width(swatch.words)
        if x + width > PAGE_WIDTH_PX - PAGE_MARGIN_PX:
            x, y = PAGE_MARGIN_PX, y + PAGE_LEGEND_TYPE.line + 4 * SUPERSAMPLING
        page.paste(_square(side, swatch), (int(x), int(y) + 3 * SUPERSAMPLING))
        PAGE_LEGEND_TYPE.draw(drawing, (x + side + gap, y), swatch.words)
        x += width + 26 * SUPERSAMPLING
    return x, y


def _square(side: int, swatch: _LegendEntry) -> Image.Image:
    tile = Image.new("RGB", (side, side), swatch.fill)
    inner = ImageDraw.Draw(tile)
    if swatch.stripes:
        for offset in range(-side, side, 7 * SUPERSAMPLING):
            ends = (0, side) if swatch.falling else (side, 0)
            inner.line([offset, ends[0], offset + side, ends[1]], fill=swatch.stripes, width=3 * SUPERSAMPLING)
    if swatch.dotted:
        for row in range(2):
            for column in range(2):
                centre_x, centre_y = (4.5 + 8 * column) * SUPERSAMPLING, (4.5 + 8 * row) * SUPERSAMPLING
                inner.ellipse(
                    [
                        centre_x - SUPERSAMPLING,
                        centre_y - SUPERSAMPLING,
                        centre_x + SUPERSAMPLING,
                        centre_y + SUPERSAMPLING,
                    ],
                    fill=(110, 118, 132),
                )
    inner.rectangle([0, 0, side - 1, side - 1], outline=INK, width=SUPERSAMPLING // 2)
    return tile


# ---- the picture

# Pixels: width and height of the picture above the caption.
EYE_PICTURE_PX = (PAGE_WIDTH_PX - 2 * PAGE_MARGIN_PX, 720 * SUPERSAMPLING)


def draw_eye_view(scene: NecromundaScene, verdict: NecromundaVerdict, renderer: Renderer, path: Path) -> None:
    """Writes the eye view of a verdict, with its observation, as a PNG with a caption; the text chunk "silhouette" is
    JSON: the verdict's row, and the name of the scene's file. The renderer need not be the one that measured. FileError
    where the file cannot be written; then none is left behind; ValueError where the verdict has not kept its
    observation.
    """
    check_png_path(path)
    observation = verdict.evidence
    image = image_of(scene, observation, renderer, *EYE_PICTURE_PX)
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
