"""What the kernels that count share: the atlas on a device, and the places of `silhouette.measure.places`.

Only `silhouette.measure.on_device.sampled` imports this, and the kernels: warp is an extra, and takes half a second.
"""

import warp as wp

from silhouette.measure.places import PERIOD
from silhouette.renderers.cuda.kernels import DeviceView

_PERIOD = wp.constant(PERIOD)


@wp.struct
class DevicePicture:
    """A picture of the atlas."""

    view: DeviceView  # as it is looked at
    target: wp.int32  # the number of its target among the bodies; its blockers are the bodies after it
    blockers: wp.int32  # how many they are
    whole: wp.int32  # 1 where all of the target lies in an arc
    # first_arc, last_arc: the number of its first arc, and the one after its last
    first_arc: wp.int32
    last_arc: wp.int32
    top_row: wp.int32  # the first row of its tile, its margin included, in cells of level 0
    # high, wide: cells of level 0
    high: wp.int32
    wide: wp.int32
    check: wp.int32  # the number of its check


DeviceArc = wp.types.matrix(shape=(3, 2), dtype=wp.float64)
"""A vision arc, by rows: its apex, and the unit vectors along its right and its left edge."""


@wp.struct
class DeviceLevel:
    """Cells of one width, as rows of the whole atlas."""

    depth: wp.int32  # the number of the level: the cells of level 0 are cut so often
    cell: wp.int32  # the width of a cell, in pixels
    # high, wide: cells of the atlas
    high: wp.int32
    wide: wp.int32
    kinds: wp.array(dtype=wp.uint8)  # of the sample that stands for each cell
    numbers: wp.array(dtype=wp.int32)  # of the sample of each cell that has one
    own: wp.array(dtype=wp.uint8)  # 1 where a cell has a sample
    cut: wp.array(dtype=wp.int32)  # 1 where a cell is cut


@wp.struct
class DeviceSamples:
    """Samples by their numbers: their kind, the nearest blocker or -1, and the bits of all that are before the
    target.
    """

    kinds: wp.array(dtype=wp.uint8)
    nearest: wp.array(dtype=wp.int32)
    before: wp.array(dtype=wp.uint64)
    words: wp.int32  # how many words of bits each sample has


@wp.struct
class DeviceTables:
    """The tables of `silhouette.measure.places`: offsets of pixels, and the quarter that stands for a block."""

    offsets: wp.array(dtype=wp.vec2d)
    choices: wp.array(dtype=wp.uint8)


@wp.func
def choice_of(tables: DeviceTables, row: wp.int32, column: wp.int32, width: wp.int32):
    """The quarter that stands for a block of ``width`` pixels in the first half of its picture."""
    table = wp.int32(0)
    while (2 << table) < width:
        table += 1
    place = (row & (_PERIOD - 1)) * _PERIOD + (column & (_PERIOD - 1))
    return wp.int32(tables.choices[table * _PERIOD * _PERIOD + place])


@wp.func
def is_mirrored(row: wp.int32, column: wp.int32, high: wp.int32, wide: wp.int32):
    """Whether a block lies in the second half of its picture."""
    opposite_row = high - 1 - row
    return row > opposite_row or (row == opposite_row and column > wide - 1 - column)


@wp.func
def quarter_of(tables: DeviceTables, row: wp.int32, column: wp.int32, width: wp.int32, high: wp.int32, wide: wp.int32):
    """See `silhouette.measure.places.quarter_of`."""
    if is_mirrored(row, column, high, wide):
        return 3 - choice_of(tables, high - 1 - row, wide - 1 - column, width)
    return choice_of(tables, row, column, width)


@wp.func
def place_of(tables: DeviceTables, row: wp.int32, column: wp.int32, width: wp.int32, high: wp.int32, wide: wp.int32):
    """Row and column, in pixels, at which a block is sampled: see `silhouette.measure.places.places`."""
    mirrored = is_mirrored(row, column, high, wide)
    r = row
    c = column
    if mirrored:
        r = high - 1 - row
        c = wide - 1 - column
    w = width
    while w > 1:
        quarter = choice_of(tables, r, c, w)
        r = 2 * r + (quarter >> 1)
        c = 2 * c + (quarter & 1)
        w = w // 2
    within = tables.offsets[(r & (_PERIOD - 1)) * _PERIOD + (c & (_PERIOD - 1))]
    down = within[0] + wp.float64(r)
    across = within[1] + wp.float64(c)
    if mirrored:
        down = wp.float64(high * width - 1) - down
        across = wp.float64(wide * width - 1) - across
    return wp.vec2d(down, across)


@wp.func
def picture_at(of_row: wp.array(dtype=wp.int32), level: DeviceLevel, cell: wp.int32):
    """The number of the picture in whose tile a cell lies."""
    return of_row[(cell // level.wide) >> level.depth]


@wp.func
def kind_at(level: DeviceLevel, cell: wp.int32):
    """The kind of a cell; of places before the first one or after the last, that of the first or the last."""
    return wp.int32(level.kinds[wp.clamp(cell, 0, level.high * level.wide - 1)])


@wp.func
def owns(level: DeviceLevel, cell: wp.int32):
    """Whether a cell has a sample; as `kind_at`."""
    return wp.int32(level.own[wp.clamp(cell, 0, level.high * level.wide - 1)])
