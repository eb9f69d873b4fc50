"""The kernels that look along contours, and cut cells there: see `silhouette.measure.error` and `.atlas`."""

# ruff: noqa: SIM102 - a device evaluates both sides of ``and``, also where the second one must not be
import warp as wp

from silhouette.measure.on_device.cells import (
    DeviceLevel,
    DevicePicture,
    DeviceTables,
    kind_at,
    owns,
    picture_at,
    quarter_of,
)
from silhouette.measure.sampling import KINDS

_KINDS = wp.constant(KINDS)
_HALF = wp.constant(wp.float64(0.5))
_ZERO = wp.constant(wp.float64(0.0))
_QUARTER = wp.constant(wp.float64(0.25))
_ONE = wp.constant(wp.float64(1.0))


@wp.func
def steps_on(level: DeviceLevel, first: wp.int32, second: wp.int32, beside: wp.int32, pair: wp.int32):
    """A half where the pair of cells beside a pair is of the same kinds, minus a half where it is of others."""
    one = kind_at(level, first + beside)
    other = kind_at(level, second + beside)
    if one == other or owns(level, first + beside) == 0 or owns(level, second + beside) == 0:
        return _ZERO
    if one * _KINDS + other == pair:
        return _HALF
    return -_HALF


@wp.func
def add_pair(
    level: DeviceLevel,
    cut: wp.int32,
    first: wp.int32,
    step: wp.int32,
    beside: wp.int32,
    picture: DevicePicture,
    variance: wp.array(dtype=wp.float64),
    pairs: wp.array(dtype=wp.float64),
):
    """Adds a pair of neighbours, if they differ: see `silhouette.measure.error.open_variance`."""
    second = first + step
    one = wp.int32(level.kinds[first])
    other = wp.int32(level.kinds[second])
    if one == other:
        return
    pair = one * _KINDS + other
    place = picture.check * _KINDS * _KINDS + pair
    wp.atomic_add(pairs, place, _ONE)
    has_first = owns(level, first)
    has_second = owns(level, second)
    if cut == 1:
        if level.cut[first] + level.cut[second] > 0:
            return
    share = _ONE
    if has_first + has_second == 2 or level.depth == 0:
        on = steps_on(level, first, second, beside, pair) + steps_on(level, first, second, -beside, pair)
        share = _QUARTER * (_ONE - on)
    high = picture.high << level.depth
    wide = picture.wide << level.depth
    begin = ((picture.top_row + 1) << level.depth) * level.wide + (1 << level.depth)
    middle = 2 * begin + (high - 1) * level.wide + wide - 1
    if kind_at(level, middle - first) * _KINDS + kind_at(level, middle - second) == pair:
        share = share * wp.float64(2.0)
    area = wp.float64(level.cell * level.cell)
    wp.atomic_add(variance, place, share * area * area)


@wp.kernel(enable_backward=False)
def look_along(  # noqa: PLR0913  # a kernel has arrays alone
    cells: wp.array(dtype=wp.int32),
    level: DeviceLevel,
    cut: wp.int32,
    pictures: wp.array(dtype=DevicePicture),
    is_open: wp.array(dtype=wp.int32),
    of_row: wp.array(dtype=wp.int32),
    variance: wp.array(dtype=wp.float64),
    pairs: wp.array(dtype=wp.float64),
    alone: wp.array(dtype=wp.float64),
):
    """Sums what lies along the contours of a level: one thread for each cell that has a sample, and its neighbours.

    A pair of two such cells is that of the first.

    Args:
        cells: those that have a sample.
        level: whose cells.
        cut: 1 where pairs of which one is cut do not count.
        pictures, of_row: of the atlas.
        is_open: 0 where a picture is settled.
        variance, pairs, alone: for each check and pair of kinds: see `silhouette.measure.sampled.Along`.
    """
    cell = cells[wp.tid()]
    number = picture_at(of_row, level, cell)
    if is_open[number] == 0:
        return
    picture = pictures[number]
    wide = level.wide
    add_pair(level, cut, cell, 1, wide, picture, variance, pairs)
    add_pair(level, cut, cell, wide, 1, picture, variance, pairs)
    if owns(level, cell - 1) == 0:
        add_pair(level, cut, cell - 1, 1, wide, picture, variance, pairs)
    if owns(level, cell - wide) == 0:
        add_pair(level, cut, cell - wide, wide, 1, picture, variance, pairs)
    own = wp.int32(level.kinds[cell])
    around = kind_at(level, cell - 1)
    if own == around:
        return
    alike = wp.int32(1)
    for down in range(-1, 2):
        for across in range(-1, 2):
            if down != 0 or across != 0:
                if kind_at(level, cell + down * wide + across) != around:
                    alike = wp.int32(0)
    if alike == 1:
        wp.atomic_add(alone, (picture.check * _KINDS + own) * _KINDS + around, _ONE)


@wp.kernel(enable_backward=False)
def choose_cells(
    cells: wp.array(dtype=wp.int32),
    level: DeviceLevel,
    is_open: wp.array(dtype=wp.int32),
    everywhere: wp.array(dtype=wp.int32),
    throughout: wp.array(dtype=wp.int32),
    of_row: wp.array(dtype=wp.int32),
    chosen: wp.array(dtype=wp.int32),
    count: wp.array(dtype=wp.int32),
):
    """Lists those of the cells that are to be cut at first: see `silhouette.measure.sampled.Sampled.refine`."""
    cell = cells[wp.tid()]
    number = picture_at(of_row, level, cell)
    if is_open[number] == 0:
        return
    wide = level.wide
    own = wp.int32(level.kinds[cell])
    wanted = throughout[number]
    if (
        kind_at(level, cell - 1) != own
        or kind_at(level, cell + 1) != own
        or kind_at(level, cell - wide) != own
        or kind_at(level, cell + wide) != own
    ):
        wanted = wp.int32(1)
    if wanted == 0 and everywhere[number] == 1:
        for down in range(-2, 3):
            for across in range(-2, 3):
                if wp.abs(down) + wp.abs(across) <= 2:
                    row = cell // wide + down
                    column = cell % wide + across
                    if row >= 0 and row < level.high and column >= 0 and column < wide:
                        if level.kinds[row * wide + column] > wp.uint8(0):
                            wanted = wp.int32(1)
    if wanted == 1:
        level.cut[cell] = 1
        chosen[wp.atomic_add(count, 0, 1)] = cell


@wp.kernel(enable_backward=False)
def spread_kinds(coarse: DeviceLevel, fine: DeviceLevel):
    """Gives each cell of a new level the kind of the cell of the level before it in which it lies."""
    cell = wp.tid()
    row = cell // fine.wide
    column = cell % fine.wide
    fine.kinds[cell] = coarse.kinds[(row // 2) * coarse.wide + column // 2]


@wp.kernel(enable_backward=False)
def quarter_cells(  # noqa: PLR0913  # a kernel has arrays alone
    cells: wp.array(dtype=wp.int32),
    coarse: DeviceLevel,
    fine: DeviceLevel,
    pictures: wp.array(dtype=DevicePicture),
    of_row: wp.array(dtype=wp.int32),
    tables: DeviceTables,
    counts: wp.array(dtype=wp.int32),
    corners: wp.array(dtype=wp.int32),
    others: wp.array(dtype=wp.int32),
):
    """Cuts cells into four ``corners``; the sample of each goes to one of them, the ``others`` are to be sampled."""
    thread = wp.tid()
    cell = cells[thread]
    number = picture_at(of_row, coarse, cell)
    picture = pictures[number]
    row = cell // coarse.wide
    column = cell % coarse.wide
    quarter = quarter_of(
        tables,
        row - ((picture.top_row + 1) << coarse.depth),
        column - (1 << coarse.depth),
        coarse.cell,
        picture.high << coarse.depth,
        picture.wide << coarse.depth,
    )
    at = wp.int32(0)
    for corner in range(4):
        place = (2 * row + corner // 2) * fine.wide + 2 * column + corner % 2
        fine.own[place] = wp.uint8(1)
        corners[4 * thread + corner] = place
        if corner == quarter:
            fine.numbers[place] = coarse.numbers[cell]
        else:
            others[3 * thread + at] = place
            at += 1
    less = coarse.cell * coarse.cell - fine.cell * fine.cell
    wp.atomic_sub(counts, number * _KINDS + wp.int32(coarse.kinds[cell]), less)


@wp.func
def lead_across(
    coarse: DeviceLevel,
    fine: DeviceLevel,
    inner_row: wp.int32,
    inner_column: wp.int32,
    down: wp.int32,
    across: wp.int32,
    chosen: wp.array(dtype=wp.int32),
    count: wp.array(dtype=wp.int32),
):
    """Lists the cell across a side of one that was cut, if the quarters on both sides differ and it is whole."""
    inner = inner_row * fine.wide + inner_column
    outer_row = inner_row + down
    outer_column = inner_column + across
    outer = outer_row * fine.wide + outer_column
    if fine.kinds[inner] == fine.kinds[outer]:
        return
    beyond = (outer_row // 2) * coarse.wide + outer_column // 2
    if owns(coarse, beyond) == 1:
        if wp.atomic_cas(coarse.cut, beyond, 0, 1) == 0:
            chosen[wp.atomic_add(count, 0, 1)] = beyond


@wp.kernel(enable_backward=False)
def lead_on(
    cells: wp.array(dtype=wp.int32),
    coarse: DeviceLevel,
    fine: DeviceLevel,
    chosen: wp.array(dtype=wp.int32),
    count: wp.array(dtype=wp.int32),
):
    """Lists the whole cells next to cells that were cut, to which a contour turned out to lead: one thread each."""
    cell = cells[wp.tid()]
    row = 2 * (cell // coarse.wide)
    column = 2 * (cell % coarse.wide)
    for number in range(2):
        lead_across(coarse, fine, row + number, column + 1, 0, 1, chosen, count)
        lead_across(coarse, fine, row + 1, column + number, 1, 0, chosen, count)
        lead_across(coarse, fine, row + number, column, 0, -1, chosen, count)
        lead_across(coarse, fine, row, column + number, -1, 0, chosen, count)
