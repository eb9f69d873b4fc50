"""DRAW: the attacker's eye view of a check as a figure: a coloured image in a frame of vectors, each blocker named."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import INCH, Flags, Floats
from silhouette.drawing import plotting, shading
from silhouette.drawing.captions import Swatch
from silhouette.drawing.marks import shape
from silhouette.drawing.page import SKY_BLUE, SUPERSAMPLING, VERMILLION
from silhouette.drawing.shading import Values
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.styles import Colour, hexadecimal
from silhouette.drawing.table.eye_image import FIRST_PIECE_ID, TARGET_ID, EyeImage
from silhouette.drawing.table.rendering import cropped
from silhouette.drawing.table.sightlines import Sightline, caption
from silhouette.drawing.table.tracing import ring_area, traced
from silhouette.drawing.words.words import share_of_blocker
from silhouette.measure.observation import OBSCURED, OUTSIDE, SEEN
from silhouette.renderers.protocol import Layer
from silhouette.renderers.views import View
from silhouette.scenes.table import Piece, TableScene

# ---- the coloured image


@dataclass(frozen=True)
class Scenery:
    """The colours of everything round the target: sky, table, pieces, and the veil outside the vision arc."""

    sky_high: Colour
    sky_low: Colour
    ground: Colour
    ground_line: Colour
    terrain: Colour
    model: Colour
    blocker: Colour
    dimmed: Colour
    line: Colour


# For white paper, and for dark pages and screens.
_VIEW_COLOURS: Mapping[str, tuple[Colour, Colour]] = {
    "sky_high": ((224, 233, 241), (46, 56, 70)),
    "sky_low": ((250, 250, 246), (26, 29, 35)),
    "ground": ((226, 222, 211), (50, 53, 59)),
    "ground_line": ((140, 136, 124), (128, 132, 140)),
    "terrain": ((222, 222, 219), (128, 132, 138)),
    "model": ((196, 198, 204), (108, 113, 123)),
    "blocker": ((228, 194, 152), (166, 124, 66)),
    "dimmed": ((150, 152, 162), (70, 72, 82)),
    "line": ((38, 38, 44), (12, 13, 16)),
}
DAY = Scenery(**{name: colour for name, (colour, _) in _VIEW_COLOURS.items()})
NIGHT = Scenery(**{name: colour for name, (_, colour) in _VIEW_COLOURS.items()})

OUTSIDE_ARC, DARK_OLIVE = (240, 228, 66), (84, 78, 0)  # Okabe and Ito's yellow, which nothing else of the view has
PALE_COLOUR, GHOST_LINE_COLOUR = (250, 250, 246), (90, 98, 112)
VEIL_COLOUR, VEIL_LINE_COLOUR = (232, 196, 217), (132, 62, 104)
DARK_BLUE, DARK_VERMILLION, ARC_EDGE = (10, 40, 66), (110, 40, 0), (120, 60, 110)
# The share of light that is the same on all seen parts of the target, so that it stands out.
EVEN_LIGHT_SHARE = np.float32(0.4)
SKY_SINE = 0.5  # sine of the angle above the horizon at which the sky has its full colour
COLOUR_STRIP_ROWS = 48  # rows that are coloured at a time, at most: half as long again takes the whole view at once


def coloured(
    image: EyeImage, scene: TableScene, target: Piece, blocking: Container[str], scenery: Scenery = DAY
) -> NDArray[np.uint8]:
    """(height, width, 3) uint8: the view of the target and the blockers of these names, in colours."""
    view, ids = image.view, image.front.ids
    distance = float(np.linalg.norm(target.body_middle - view.eye))
    nearness = shading.nearness_of(image.depth)
    dark, albedo = shading.hollows(view, nearness), _albedo(scene, blocking, scenery)
    edges = np.linspace(0, view.height, -(-view.height // COLOUR_STRIP_ROWS) + 1).round().astype(int).tolist()
    planes: Values = np.empty((3, *ids.shape), np.float32)
    for rows in (slice(start, stop) for start, stop in pairwise(edges)):
        columns, facing, strength = shading.relief(view, ids, nearness, rows)
        strip = image.part(rows, slice(0, view.width))
        _paint_surroundings(planes[:, rows], strip, distance, scenery)
        things = np.ascontiguousarray(planes[:, rows, columns])
        _paint_solids(things, image.part(rows, columns), facing, albedo, distance, scenery)
        planes[:, rows, columns] = things
        _shade(planes[:, rows], strip, dark[rows], distance, scenery)
        things = np.ascontiguousarray(planes[:, rows, columns])
        _lay(things, _rgb(scenery.line), strength, strength > 0.0)
        planes[:, rows, columns] = things
    if not image.inside.all():  # a thin line where surfaces inside and outside the vision arc meet
        edge = _rim(np.pad(image.inside, 1, mode="edge"), SUPERSAMPLING)[1:-1, 1:-1]
        _lay(planes, _rgb(ARC_EDGE), 0.8, edge)
    for draw, layer in (
        (_draw_target, image.target),
        (_draw_ghosts, image.ghosts),
        (_draw_disregarded, image.disregarded),
    ):
        if layer.ids.any():
            part = _LayerWindow(planes, view, layer)
            draw(part, image)
            planes[:, part.where[0], part.where[1]] = part.planes
    np.clip(planes, 0.0, 1.0, out=planes)
    planes *= 255.0
    planes += 0.5
    shown = np.empty((*ids.shape, 3), np.uint8)
    for channel in range(3):
        shown[..., channel] = planes[channel]
    return shown


def _lay(planes: Values, over: Sequence[Values] | Values, share: Values | float, where: Flags) -> None:
    """Lays colours, of each channel a value for all pixels, or one for each (n,), over the pixels ``where`` (height,
    width) of a picture (3, height, width), of which ``share`` is covered.
    """
    pixels = np.flatnonzero(where)
    covered = share.take(pixels) if isinstance(share, np.ndarray) else np.float32(share)
    for painted, colour in zip(planes, over, strict=True):
        flat = painted.reshape(-1)
        below = flat.take(pixels)
        flat[pixels] = below + (colour - below) * covered


def _paint_solids(
    planes: Values, image: EyeImage, facing: Values, albedo: Values, distance: float, scenery: Scenery
) -> None:
    """Paints what stands on the table in its light, without lines, in a part of the view that fits the cache."""
    where = np.flatnonzero(image.front.ids)
    ids, kinds = image.front.ids.take(where), image.kinds.take(where)
    # From 15 % behind the target on surfaces fade, so that it stands out.
    beyond = np.maximum(image.depth.take(where) / np.float32(distance) - np.float32(1.15), 0.0)
    haze = np.float32(0.4) * (np.float32(1.0) - np.exp(-beyond))
    brightness = shading.light(image.view, np.stack([facing[..., axis].take(where) for axis in range(3)]).T)
    seen, outside = kinds == SEEN, np.flatnonzero(kinds == OUTSIDE)
    brightness[seen] = EVEN_LIGHT_SHARE + (1.0 - EVEN_LIGHT_SHARE) * brightness[seen]
    for channel, (painted, sky) in enumerate(zip(planes, _rgb(scenery.sky_low), strict=True)):
        own = albedo[:, channel].take(ids)
        own[outside] = _rgb(OUTSIDE_ARC)[channel]
        surface = shading.lit_channel(own, brightness, channel)
        painted.reshape(-1)[where] = surface + (sky - surface) * haze


def _shade(planes: Values, image: EyeImage, dark: Values, distance: float, scenery: Scenery) -> None:
    near = np.exp(-np.maximum(image.depth / np.float32(1.2 * distance) - np.float32(1.0), 0.0))
    planes *= 1.0 - dark * near
    if not image.inside.all():
        _lay(planes, _rgb(scenery.dimmed), 0.18, ~image.inside)


def _rgb(colour: Colour) -> Values:
    """(3,) float32 from 0 to 1."""
    values: Values = np.array(colour, np.float32) / np.float32(255.0)
    return values


def _albedo(scene: TableScene, blocking: Container[str], scenery: Scenery) -> Values:
    """(ids, 3): the colour of each piece by its id in the view: blockers warm, other pieces grey, the target blue."""
    table = np.zeros((FIRST_PIECE_ID + len(scene.pieces), 3), np.float32)
    table[TARGET_ID] = _rgb(SKY_BLUE)
    for number, piece in enumerate(scene.pieces, FIRST_PIECE_ID):
        colour = scenery.terrain if piece.kind == "terrain" else scenery.model
        table[number] = _rgb(scenery.blocker if piece.name in blocking else colour)
    return table


def _paint_surroundings(planes: Values, image: EyeImage, distance: float, scenery: Scenery) -> None:
    """Paints the sky, and the table top with lines an inch apart, which fades into the sky."""
    view, low = image.view, _rgb(scenery.sky_low)
    free = image.front.ids == 0
    met = free & np.isfinite(image.depth)
    across, upward = shading.plane(view)
    axes = view.axes.T.astype(np.float32)
    planes[:] = low[:, None, None]
    # What is level to the right is so everywhere in a row: the horizon runs along one.
    rising_to_right, rising_to_up, rising_ahead = axes[2]
    z = upward * rising_to_up + rising_ahead
    z = across * rising_to_right + upward * rising_to_up + rising_ahead if rising_to_right else z
    sky = free & (z > 0.0)
    has_sky, has_ground = bool(sky.any()), bool(met.any())
    if has_sky or has_ground:
        x, y = (across * axis[0] + upward * axis[1] + axis[2] for axis in axes[:2])
    if has_sky:
        rising = z / np.sqrt(x**2 + y**2 + z**2)
        _lay(planes, _rgb(scenery.sky_high), np.clip(rising / SKY_SINE, 0.0, 1.0), sky)
    if not has_ground:
        return
    below = slice(min(int(met.any(axis=1).argmax()), max(len(met) - 2, 0)), None)  # a slope needs two rows
    met, depth = met[below], image.depth[below]
    lines = np.zeros(met.shape, np.float32)
    for start, ray in zip(view.eye[:2].astype(np.float32), (x, y), strict=True):
        lines = np.maximum(lines, _grid_lines(np.where(met, start + depth * ray[below], np.float32(0.0))))
    line = np.float32(0.45) * lines[met]
    far = 1.0 - np.exp(-np.maximum(depth[met] / (1.3 * distance) - 1.0, 0.0) / 2.5)
    ground, mark = _rgb(scenery.ground), _rgb(scenery.ground_line)
    table = [ground[channel] + (mark[channel] - ground[channel]) * line for channel in range(3)]
    for channel, part in enumerate(planes[:, below]):
        part[met] = table[channel] + (low[channel] - table[channel]) * far


def _grid_lines(along: Values) -> Values:
    """(height, width): the share of each pixel that lines at every inch cover; none where they would run together."""
    pixel = np.maximum(*(np.abs(slope) for slope in np.gradient(along)))
    away = np.abs(along / INCH - np.round(along / INCH)) * INCH
    with np.errstate(divide="ignore", invalid="ignore"):
        covered = np.clip(1.3 - away / np.maximum(pixel, 1e-6), 0.0, 1.0)
        fading = np.clip(INCH / np.maximum(pixel, 1e-6) / 24.0 - 0.25, 0.0, 1.0)
    lines: Values = (covered * fading).astype(np.float32)
    return lines


def _rim(flags: Flags, width: int) -> Flags:
    """The pixels of an area (height, width) that are at most ``width`` pixels from its edge."""
    inner = flags.copy()
    for _ in range(width):
        shrunk = inner.copy()
        shrunk[1:] &= inner[:-1]
        shrunk[:-1] &= inner[1:]
        shrunk[:, 1:] &= inner[:, :-1]
        shrunk[:, :-1] &= inner[:, 1:]
        inner = shrunk
    rim: Flags = flags & ~inner
    return rim


def _stripes(shape: tuple[int, ...], period: float, share: float, rising: bool) -> Values:
    """(height, width) from 0 to 1: the share of each pixel under diagonal stripes, each a share of its period."""
    return _large_stripes(*_rounded(shape), period, share, rising)[: shape[0], : shape[1]]


@lru_cache(maxsize=8)
def _large_stripes(height: int, width: int, period: float, share: float, rising: bool) -> Values:
    """`_stripes` that many pictures are cut from, which are none to write to."""
    rows, columns = np.ogrid[:height, :width]
    phase = ((columns + rows if rising else columns - rows) % period).astype(np.float32) / np.float32(period)
    stripes: Values = np.clip((share / 2 - np.abs(phase - 0.5)) * period / 1.5 + 0.5, 0.0, 1.0).astype(np.float32)
    return stripes


@lru_cache(maxsize=4)
def _large_dots(height: int, width: int) -> Flags:
    """(height, width) the pixels of dots in rows, each shifted against the one before it by half a period."""
    rows, columns = np.ogrid[:height, :width]
    period = 7 * SUPERSAMPLING
    shifted = (columns + rows // period % 2 * (period // 2)) % period
    dots: Flags = np.hypot(rows % period - period / 2, shifted - period / 2) < 1.15 * SUPERSAMPLING
    return dots


def _rounded(shape: tuple[int, ...]) -> tuple[int, int]:
    return -(-shape[0] // 256) * 256, -(-shape[1] // 256) * 256


def _extent(flags: Flags) -> tuple[slice, slice]:
    """The rows and columns in which any flag is set, and `SUPERSAMPLING` more on each side."""
    rows, columns = (np.flatnonzero(flags.any(axis=axis)) for axis in (1, 0))
    return (
        slice(max(int(rows[0]) - SUPERSAMPLING, 0), int(rows[-1]) + 1 + SUPERSAMPLING),
        slice(max(int(columns[0]) - SUPERSAMPLING, 0), int(columns[-1]) + 1 + SUPERSAMPLING),
    )


class _LayerWindow:
    """The rectangle of a view in which a layer has any pixel: its colours, to be painted on, and its shading."""

    def __init__(self, planes: Values, view: View, layer: Layer) -> None:
        rows, columns = self.where = _extent(layer.ids > 0)
        self.planes = np.ascontiguousarray(planes[:, rows, columns])
        self.ids = layer.ids[rows, columns]
        self.filled = self.ids > 0
        size = self.ids.shape
        self.view = cropped(
            view, slice(rows.start, rows.start + size[0]), slice(columns.start, columns.start + size[1])
        )
        nearness = shading.nearness_of(layer.depth[rows, columns])
        facing = shading.normals(self.view, self.ids, nearness)
        self.light = shading.light(self.view, facing)
        self.lines = shading.outlines(self.ids, nearness, facing)
        self.lines[~self.filled] = 0.0

    def shaded(self, colour: Colour, where: Flags, least: float = 0.0) -> list[Values]:
        """Some pixels (3, n) in one colour under the light, of which the share ``least`` is even."""
        brightness = (least + (1.0 - least) * self.light[where]).astype(np.float32)
        return [shading.lit_channel(value, brightness, channel) for channel, value in enumerate(_rgb(colour))]

    def lay(self, over: Sequence[Values] | Values, share: Values | float, where: Flags) -> None:
        """Lays colours (3,) or (3, n) over some pixels, ``share`` of them opaque."""
        _lay(self.planes, over, share, where)


def _draw_target(part: _LayerWindow, image: EyeImage) -> None:
    """Draws the target's obscured parts as through glass, hatched; those outside the arcs striped; and its outline."""
    kinds = image.kinds[part.where]
    obscured, outside = kinds == OBSCURED, kinds == OUTSIDE
    stripes = _stripes(kinds.shape, 11 * SUPERSAMPLING, 0.5, rising=True)
    part.lay(part.shaded(VERMILLION, obscured), np.float32(0.5) + np.float32(0.45) * stripes, obscured)
    part.lay(_rgb(DARK_OLIVE), np.float32(0.55) * _stripes(kinds.shape, 9 * SUPERSAMPLING, 0.22, rising=False), outside)
    part.lay(_rgb(DARK_VERMILLION), np.float32(0.75) * part.lines, obscured)
    outline = _rim(np.pad(part.filled, SUPERSAMPLING), SUPERSAMPLING)[
        SUPERSAMPLING:-SUPERSAMPLING, SUPERSAMPLING:-SUPERSAMPLING
    ]
    part.lay(_rgb(DARK_VERMILLION), 0.9, outline & obscured)
    part.lay(_rgb(DARK_BLUE), 0.95, outline & ~obscured)


def _draw_ghosts(part: _LayerWindow, _: EyeImage) -> None:
    part.lay(part.shaded(PALE_COLOUR, part.filled, least=0.35), 0.62, part.filled)
    dots = _large_dots(*_rounded(part.ids.shape))[: part.ids.shape[0], : part.ids.shape[1]]
    part.lay(_rgb(GHOST_LINE_COLOUR), 0.5, part.filled & dots)
    part.lay(_rgb(GHOST_LINE_COLOUR), np.float32(0.8) * part.lines, part.filled)


def _draw_disregarded(part: _LayerWindow, _: EyeImage) -> None:
    """Draws pieces that the rules disregard: a faint veil with a dashed outline."""
    part.lay(part.shaded(VEIL_COLOUR, part.filled), 0.24, part.filled)
    dashes = _stripes(part.ids.shape, 9 * SUPERSAMPLING, 0.6, rising=True) > 0.5
    part.lay(_rgb(VEIL_LINE_COLOUR), 0.8, _rim(part.filled, SUPERSAMPLING) & dashes)


# ---- the figure

MAX_OUTLINED_BLOCKERS = 4  # the most blockers that are outlined and named: those with the largest shares
SMALL_HOLE = 1500.0  # square pixels: smaller parts of a blocker, and smaller holes in it, are not outlined

MASK_COLOURS = np.array([[0, 0, 0, 0], [86, 180, 233, 48], [213, 94, 0, 60], [240, 228, 66, 48]], np.uint8)
"""(4, 4) uint8: red, green, blue and opacity of NOTHING, SEEN, OBSCURED and OUTSIDE, laid over the image."""

AVOIDED_STEP = 12  # pixels between those of the target that names keep off
MIN_NAMED_PIXELS = 1500  # pixels: a disregarded piece that shows no more is not named
NAME_GRID_PX = 4  # pixels across a cell of the grid on which room for a name is sought
MOST_ROOM = 14  # cells: more room round a name is not sought


def draw_eye_frame(sheet: Sheet, line: Sightline, overlay: Callable[[Sheet, Sightline], None] | None = None) -> None:
    """Draws the image from the eye, the pixels that were counted, and the names and shares of the blockers. ``overlay``
    draws what only one game shows over the image; names keep off what it reserves.
    """
    image = line.image
    height, width = image.kinds.shape
    sheet.frame(0.0, 0.0, width, height)
    sheet.picture(coloured(image, line.scene, line.sight.target, line.blocking, scenery_of(sheet)))
    _draw_counted(sheet, line)
    numbers = {piece.name: number for number, piece in enumerate(line.scene.pieces, FIRST_PIECE_ID)}
    target = (image.kinds > 0) | (image.ghosts.ids == numbers[line.sight.target.name])
    if overlay is not None:
        overlay(sheet, line)
    _name_target(sheet, line, target)
    for name, share in list(line.shares.items())[:MAX_OUTLINED_BLOCKERS]:
        area = image.front.ids == numbers[name]
        if area.any():
            _outline(sheet, area)
            _name_area(sheet, area & ~target, target, share_of_blocker(sheet.words, name, share))
    for piece in line.sight.disregarded:
        area = image.disregarded.ids == numbers[piece.name]
        if area.sum() > MIN_NAMED_PIXELS:
            _name_area(sheet, area & ~target, target, piece.name)
    _legend(sheet, line)
    caption(sheet, line, warned=True)


def scenery_of(sheet: Sheet) -> Scenery:
    """The colours round the target: those of the night on dark paper."""
    return NIGHT if int(sheet.style.paper[1:3], 16) < 128 else DAY


def _draw_counted(sheet: Sheet, line: Sightline) -> None:
    r"""Lays the counted pixels over the image, askew, as their grid is turned against the upright (`views.ROLL`). Where
    the target reaches round the eye only the first mask is shown, the one ahead.
    """
    mask = line.observation.masks[0]
    view, kinds = mask.view, mask.kinds
    across, upward = view.axes[:2] @ line.image.view.axes[:2].T
    picture = line.image.view
    turn = np.array([across, upward]).T * view.step / picture.step * [1.0, -1.0]
    start = np.array([across, upward]).T @ [view.left, view.top] / picture.step
    corner = start - [picture.left / picture.step, picture.top / picture.step - picture.height]
    place = plotting.transforms.Affine2D(np.vstack([np.column_stack([turn, corner]), [0.0, 0.0, 1.0]]))
    overlaid = sheet.axes.imshow(
        MASK_COLOURS[kinds],
        extent=(0.0, view.width, view.height, 0.0),
        transform=place + sheet.axes.transData,
        interpolation="none",
        aspect="auto",
        zorder=1,
    )
    overlaid.set_gid("counted")


def _name_target(sheet: Sheet, line: Sightline, target: Flags) -> None:
    if not target.any():
        return
    rows, columns = (np.flatnonzero(target.any(axis=axis))[[0, -1]] for axis in (1, 0))
    height = target.shape[0]
    sheet.name(line.sight.target.name, np.column_stack([columns, height - rows]), bold=True)
    coarse_rows, coarse_columns = np.nonzero(target[::AVOIDED_STEP, ::AVOIDED_STEP])
    sheet.avoid(np.column_stack([coarse_columns * float(AVOIDED_STEP), height - coarse_rows * float(AVOIDED_STEP)]))


def _outline(sheet: Sheet, area: Flags) -> None:
    height = area.shape[0]
    rings = tuple(ring for ring in traced(area, tolerance=0.6) if abs(ring_area(ring)) > SMALL_HOLE)
    upright = tuple(ring * [1.0, -1.0] + [0.0, height] for ring in rings)
    for colour, width in ((sheet.lettering.paper, 1.9), (sheet.style.orange, 0.9)):
        shape(sheet, upright, "none", colour, 10.0, linewidth=width)


def _name_area(sheet: Sheet, area: Flags, target: Flags, text: str) -> None:
    """Writes a name into an area (height, width), where there is most room near the target: by the distance from the
    area's edge, in cells and at most `MOST_ROOM`, less 12 for each width, or height, of the image away from the target.
    """
    free = area.copy()
    for left, bottom, right, top in sheet.reserved:
        free[area.shape[0] - round(top) : area.shape[0] - round(bottom), round(left) : round(right)] = False
    small = free[NAME_GRID_PX // 2 :: NAME_GRID_PX, NAME_GRID_PX // 2 :: NAME_GRID_PX]
    if not small.any():
        return
    room = _room(small)
    rows, columns = np.indices(room.shape)
    there = np.argwhere(target)
    centre = there.mean(axis=0)[::-1] if len(there) else np.array(target.shape[::-1]) / 2
    away = np.hypot(
        (columns * NAME_GRID_PX - centre[0]) / target.shape[1], (rows * NAME_GRID_PX - centre[1]) / target.shape[0]
    )
    score = room - 12.0 * away
    score[room < 1.0] = -np.inf
    row, column = np.unravel_index(int(np.argmax(score)), room.shape)
    at = float(column * NAME_GRID_PX + NAME_GRID_PX / 2), float(area.shape[0] - row * NAME_GRID_PX - NAME_GRID_PX / 2)
    sheet.label(text, at, inside=True)


def _room(area: Flags) -> Floats:
    """(height, width) how many cells away from each cell of an area the nearest outside it is, `MOST_ROOM` at most; 0
    outside the area, as all beyond the array is.

    It is found first along columns, then across them: few steps, for which scipy need not be imported.

    >>> _room(np.array([[True, True, True, False]])).tolist(), _room(np.ones((3, 3), np.bool_))[1].tolist()
    ([[1.0, 1.0, 1.0, 0.0]], [1.0, 2.0, 1.0])
    """
    height, width = area.shape
    squares = np.pad(area * np.int16(MOST_ROOM**2), MOST_ROOM)
    for axis in (0, 1):
        nearest = squares.copy()
        for step in range(1, MOST_ROOM):
            for shift in (step, -step):  # it wraps round only into the margin, where all is outside
                np.minimum(nearest, np.roll(squares, shift, axis) + np.int16(step**2), out=nearest)
        squares = nearest
    room: Floats = np.sqrt(squares[MOST_ROOM : MOST_ROOM + height, MOST_ROOM : MOST_ROOM + width], dtype=np.float64)
    return room


def target_swatches(sheet: Sheet, kinds: Container[int]) -> list[Swatch]:
    """The legend's entries for the kinds of pixel of a target in the image from the eye."""
    entries = {
        SEEN: Swatch(sheet.words("seen"), "#58b1e4", "#0a2842"),
        OBSCURED: Swatch(sheet.words("obscured"), "#d98547", "#a84600", "////"),
        OUTSIDE: Swatch(sheet.words("outside"), "#f0e442", "#544e00", "\\\\\\\\"),
    }
    return [swatch for kind, swatch in entries.items() if kind in kinds]


def _legend(sheet: Sheet, line: Sightline) -> None:
    image, kinds = line.image, line.image.kinds
    blocking = [number for number, piece in enumerate(line.scene.pieces, FIRST_PIECE_ID) if piece.name in line.blocking]
    blocker, veil = ("#debe98", "#f1dee9") if scenery_of(sheet) is DAY else ("#a67c42", "#4f434f")
    sheet.legend(*target_swatches(sheet, [kind for kind in (SEEN, OBSCURED, OUTSIDE) if (kinds == kind).any()]))
    entries = [
        (
            any((image.front.ids == number).any() for number in blocking),
            Swatch(sheet.words("in the way"), blocker, sheet.style.orange),
        ),
        (image.ghosts.ids.any(), Swatch(sheet.words("ignored"), "#f0f1f1", "#6e7684", "....")),
        (image.disregarded.ids.any(), Swatch(sheet.words("disregarded"), veil, "#843e68", dashes="--")),
        (not image.inside.all(), Swatch(sheet.words("arc edge"), edge=hexadecimal(ARC_EDGE), line=True)),
    ]
    sheet.legend(*(swatch for used, swatch in entries if used))
