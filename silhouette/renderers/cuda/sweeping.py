"""The kernels that sweep lines of pictures on a device: what the bodies cover round which they wind, as exact areas.

Cells that lines cross are swept by a thread each, those with the most lines first, from the winding numbers at their
upper left corners (`silhouette.renderers.cuda.spans`). A body that covers all of a cell for certain is left as it is
there; the lines of the others cut the cell at their ends into slabs:

    x------+---+  x: a corner, of which    In a slab all lines run from above to below. Sorted along the row, they are
    |     /    |  winding numbers are      left of each other, until two cross: there it is cut once more. Between two
    |----+-----|  known                    neighbours is a trapezium, and by the winding numbers, counted on from line
    |     \\ /  |                           to line, it is known what covers it.
    |------X---|  a crossing

Lines that lie in one place, and such as all but cross, may come in either order: the areas are then off by no more than
the places of the lines are.
"""

import warp as wp

from silhouette.renderers.cuda.cells import DevicePicture, cell_of, column_at, part_in_band, row_at
from silhouette.renderers.cuda.outlining import DeviceLines

# One formula gives the same bits wherever it stands: no product and sum are fused in one place alone
wp.set_module_options({"fuse_fp": False})

_SWEEP_GOLDEN = wp.constant(wp.float64((5.0**0.5 - 1.0) / 2.0))  # its multiples are spread as evenly as can be
_SWEEP_ZERO = wp.constant(wp.float64(0.0))
_SWEEP_HALF = wp.constant(wp.float64(0.5))
_SWEEP_QUARTER = wp.constant(wp.float64(0.25))
_SWEEP_UNITY = wp.constant(wp.float64(1.0))
_SWEEP_ASIDE = wp.constant(wp.float64(1e-9))  # pixels: a line as near to a corner may pass it on either side

# Columns of sums: areas of the target that no blocker is before, and that several are before; the lengths of the rims
# of the target and of what is obscured of it; of the sides of all the trapezia that are free, obscured, and before
# which several are; the area that the quota of the picture still lacks; then for each blocker what it alone is before,
# and what it is before with others.
FREE_AREA, SHARED_AREA, TARGET_RIM, OBSCURED_RIM, FREE_SIDES, OBSCURED_SIDES, SHARED_SIDES, LACK = range(8)
FIXED_COLUMNS = 8

_SWEEP_FREE_AREA, _SWEEP_SHARED_AREA, _SWEEP_FIXED_COLUMNS = (
    wp.constant(FREE_AREA),
    wp.constant(SHARED_AREA),
    wp.constant(FIXED_COLUMNS),
)
_SWEEP_TARGET_RIM, _SWEEP_OBSCURED_RIM, _SWEEP_FREE_SIDES = (
    wp.constant(TARGET_RIM),
    wp.constant(OBSCURED_RIM),
    wp.constant(FREE_SIDES),
)
_SWEEP_OBSCURED_SIDES, _SWEEP_SHARED_SIDES = wp.constant(OBSCURED_SIDES), wp.constant(SHARED_SIDES)
_SWEEP_LACK = wp.constant(LACK)

WINDINGS = 7  # numbers of each body of a cell: of two layers at three places, and one
_SWEEP_WINDINGS = wp.constant(WINDINGS)

# Where a line enters or leaves a cell through its left border
FROM_LEFT, TO_LEFT = 1, 2
_SWEEP_FROM_LEFT, _SWEEP_TO_LEFT = wp.constant(FROM_LEFT), wp.constant(TO_LEFT)


@wp.struct
class DeviceSweep:
    """What a sweep works with."""

    begins: wp.array(dtype=wp.int32)  # of each cell, among the following, and where those of the last end
    crossing: wp.array(dtype=wp.int32)  # the lines that cross each cell
    bodies: wp.array(dtype=wp.int32)  # of each cell, the bodies of all cells before it that lines cross
    # For each layer of each span at a corner; then of each cell at a corner, at the left border and along a row, and a
    # number of each body
    winding: wp.array(dtype=wp.int32)
    cell_winding: wp.int32  # where those of cells begin
    sums: wp.array(dtype=wp.float64)  # of each span, then of each cell
    cell_sum: wp.int32  # where those of cells begin
    # Places that several are before: the number of the picture, row, column, and for how many quotas each stands
    places: wp.array(dtype=wp.vec4d)
    place_count: wp.array(dtype=wp.int32)  # (1,) how many there are
    listed: wp.array(dtype=wp.vec3i)  # cells that are swept: picture, band of it, number in the band
    list_count: wp.array(dtype=wp.int32)  # (1,) how many there are
    haste: wp.array(dtype=wp.int32)  # of each listed cell: minus its lines; the least is swept first
    numbers: wp.array(dtype=wp.int32)  # of listed cells, as they come
    # For each line of each cell, where it is among those that cross cells
    line: wp.array(dtype=wp.int32)
    start: wp.array(dtype=wp.float64)  # the rows between which it runs in the cell
    stop: wp.array(dtype=wp.float64)
    border: wp.array(dtype=wp.int32)  # `FROM_LEFT`, `TO_LEFT`
    order: wp.array(dtype=wp.int32)  # of the lines of a slab along the row: places of lines of the cell
    above: wp.array(dtype=wp.float64)  # their columns at the top of the slab
    below: wp.array(dtype=wp.float64)


@wp.struct
class Cell:
    """A cell of a span."""

    left: wp.float64
    right: wp.float64
    top: wp.float64
    bottom: wp.float64
    number: wp.int32  # among the band's
    band: wp.int32  # among the picture's
    picture: wp.int32
    first: wp.int32  # its number among all cells
    corner: wp.int32  # where winding numbers at the corner begin
    column: wp.int32  # where the sums begin to which its areas are added
    room: wp.int32  # where its lines begin
    border: wp.int32  # where winding numbers at the left border begin
    along: wp.int32  # where those along a row begin
    slack: wp.int32  # where a number of each body begins


@wp.struct
class CoverAtPlace:
    """What covers a place."""

    target: wp.int32  # 1 for the target
    count: wp.int32  # of blockers
    numbers: wp.int32  # the sum of their numbers


# ---- what covers what


@wp.func
def passed(lines: DeviceLines, sweep: DeviceSweep, line: wp.int32, winding: wp.int32, cover: CoverAtPlace):
    """What covers the places right of a line, given what covers those left of it; winding numbers are counted on."""
    layer = lines.layer[line]
    other = sweep.winding[winding + (layer ^ 1)]
    before = sweep.winding[winding + layer]
    after = before + lines.weight[line]
    sweep.winding[winding + layer] = after
    change = wp.int32(0)
    if other == 0 and before == 0:
        change = 1
    elif other == 0 and after == 0:
        change = -1
    result = CoverAtPlace(cover.target, cover.count, cover.numbers)
    if layer < 2:
        result.target += change
    else:
        result.count += change
        result.numbers += change * (layer / 2 - 1)
    return result


@wp.func
def cover_by(sweep: DeviceSweep, picture: DevicePicture, winding: wp.int32):
    """What covers a place with such winding numbers."""
    result = CoverAtPlace()
    for body in range(picture.blockers + 1):
        if sweep.winding[winding + 2 * body] != 0 or sweep.winding[winding + 2 * body + 1] != 0:
            if body == 0:
                result.target = 1
            else:
                result.count += 1
                result.numbers += body - 1
    return result


@wp.func
def add_area(
    sweep: DeviceSweep,
    picture: DevicePicture,
    cell: Cell,
    cover: CoverAtPlace,
    winding: wp.int32,
    sides: wp.vec2d,
    high: wp.float64,
    middle: wp.vec2d,
):
    """Adds the area of a trapezium of the target, of level ``sides`` and some height, to the sums for the cell."""
    length = sides[0] + sides[1]
    area = _SWEEP_HALF * high * length
    column = cell.column
    if cover.count == 0:
        sweep.sums[column + _SWEEP_FREE_AREA] += area
        sweep.sums[column + _SWEEP_FREE_SIDES] += length
        return
    sweep.sums[column + _SWEEP_OBSCURED_SIDES] += length
    if cover.count == 1:
        sweep.sums[column + _SWEEP_FIXED_COLUMNS + cover.numbers] += area
        return
    sweep.sums[column + _SWEEP_SHARED_AREA] += area
    sweep.sums[column + _SWEEP_SHARED_SIDES] += length
    for blocker in range(picture.blockers):
        layer = winding + 2 * blocker + 2
        if sweep.winding[layer] != 0 or sweep.winding[layer + 1] != 0:
            sweep.sums[column + _SWEEP_FIXED_COLUMNS + picture.blockers + blocker] += area
    sweep.sums[column + _SWEEP_LACK] -= area
    if sweep.sums[column + _SWEEP_LACK] < _SWEEP_ZERO:
        add_place(sweep, picture, cell, middle)


@wp.func
def add_place(sweep: DeviceSweep, picture: DevicePicture, cell: Cell, middle: wp.vec2d):
    """Adds a place that several are before, for as many quotas as are overdue."""
    lack = cell.column + _SWEEP_LACK
    quotas = wp.ceil(-sweep.sums[lack] / picture.quota)
    sweep.sums[lack] += quotas * picture.quota
    place = wp.atomic_add(sweep.place_count, 0, 1)
    if place < sweep.places.shape[0]:
        sweep.places[place] = wp.vec4d(wp.float64(cell.picture), middle[1], middle[0], quotas)


@wp.func
def add_rims(sweep: DeviceSweep, column: wp.int32, left: CoverAtPlace, right: CoverAtPlace, along: wp.vec2d):
    """Adds the length of a piece of a line, so far across and down, to those of what it bounds."""
    free = wp.where(left.count == 0, left.target, 0) != wp.where(right.count == 0, right.target, 0)
    hidden = wp.where(left.count > 0, left.target, 0) != wp.where(right.count > 0, right.target, 0)
    by_several = wp.where(left.count > 1, left.target, 0) != wp.where(right.count > 1, right.target, 0)
    if not (free or hidden or by_several):
        return
    length = wp.length(along)
    if left.target != right.target:
        sweep.sums[column + _SWEEP_TARGET_RIM] += length
    if hidden:
        sweep.sums[column + _SWEEP_OBSCURED_RIM] += length
        sweep.sums[column + _SWEEP_OBSCURED_SIDES] += length
    if free:
        sweep.sums[column + _SWEEP_FREE_SIDES] += length
    if by_several:
        sweep.sums[column + _SWEEP_SHARED_SIDES] += length


# ---- cells


@wp.func
def decreases(lines: DeviceLines, cell: Cell, line: wp.int32, number: wp.int32):
    """By how much a line may make a winding number smaller on the way from the corner of a cell to a place in it."""
    ends = lines.ends[line]
    across = ends[2] - ends[0]
    down = ends[3] - ends[1]
    side = across * (cell.top - ends[1]) - down * (cell.left - ends[0])
    change = lines.weight[line] * wp.where(number < 0, -1, 1)
    if wp.abs(side) <= _SWEEP_ASIDE * (wp.abs(across) + down):
        return wp.abs(change)
    return wp.max(wp.where(side > _SWEEP_ZERO, -change, change), 0)


@wp.func
def settle_bodies(lines: DeviceLines, sweep: DeviceSweep, picture: DevicePicture, cell: Cell):
    """For each body what is left for certain in a cell of the winding number of its first layer; 0 or less: nothing."""
    for body in range(picture.blockers + 1):
        sweep.winding[cell.slack + body] = wp.abs(sweep.winding[cell.corner + 2 * body])
    for place in range(sweep.begins[cell.first], sweep.begins[cell.first + 1]):
        line = sweep.crossing[place]
        layer = lines.layer[line]
        if layer % 2 == 0 and sweep.winding[cell.slack + layer / 2] > 0:
            sweep.winding[cell.slack + layer / 2] -= decreases(lines, cell, line, sweep.winding[cell.corner + layer])


@wp.func
def choose_lines(lines: DeviceLines, sweep: DeviceSweep, picture: DevicePicture, cell: Cell):
    """Lists the lines of a cell that matter in it, with the rows between which they run there; how many they are."""
    settle_bodies(lines, sweep, picture, cell)
    count = wp.int32(0)
    for place in range(sweep.begins[cell.first], sweep.begins[cell.first + 1]):
        line = sweep.crossing[place]
        if sweep.winding[cell.slack + lines.layer[line] / 2] <= 0:
            part = part_in_band(picture, lines.ends[line], cell.band)
            upper = cell_of(picture, part[0])
            lower = cell_of(picture, part[2])
            start = part[1]
            stop = part[3]
            border = wp.int32(0)
            if upper != cell.number:
                start = wp.clamp(
                    row_at(lines.ends[line], wp.where(upper < cell.number, cell.left, cell.right)), part[1], part[3]
                )
            if lower != cell.number:
                stop = wp.clamp(
                    row_at(lines.ends[line], wp.where(lower < cell.number, cell.left, cell.right)), part[1], part[3]
                )
            if upper < cell.number:
                border += _SWEEP_FROM_LEFT
            if lower < cell.number:
                border += _SWEEP_TO_LEFT
            sweep.line[cell.room + count] = line
            sweep.start[cell.room + count] = start
            sweep.stop[cell.room + count] = stop
            sweep.border[cell.room + count] = border
            count += 1
    return count


@wp.func
def next_end(sweep: DeviceSweep, cell: Cell, count: wp.int32, row: wp.float64):
    """The first row below ``row`` in which a line begins or ends in a cell, or the cell itself does."""
    nearest = cell.bottom
    for place in range(cell.room, cell.room + count):
        if sweep.start[place] > row:
            nearest = wp.min(nearest, sweep.start[place])
        elif sweep.stop[place] > row:
            nearest = wp.min(nearest, sweep.stop[place])
    return nearest


@wp.func
def lies_right(lines: DeviceLines, sweep: DeviceSweep, at: wp.int32, place: wp.int32, columns: wp.vec2d):
    """Whether a line of a slab lies right of another one with such columns; of two in one place, either does."""
    if sweep.above[at] != columns[0]:
        return sweep.above[at] > columns[0]
    if sweep.below[at] != columns[1]:
        return sweep.below[at] > columns[1]
    line = sweep.line[place]
    there = sweep.line[sweep.order[at]]
    if lines.layer[there] != lines.layer[line]:
        return lines.layer[there] > lines.layer[line]
    return lines.weight[there] > lines.weight[line]


@wp.func
def change_lines(
    lines: DeviceLines,
    sweep: DeviceSweep,
    cell: Cell,
    count: wp.int32,
    running: wp.int32,
    before: wp.float64,
    row: wp.float64,
):
    """Takes out of the running lines those that end up to a row, and adds those that begin; how many run then.

    The winding numbers at the left border are counted on, and columns at the row are known then.

    Args:
        lines, sweep, cell: all.
        count: of lines that matter in the cell.
        running: how many run in the slab above.
        before: where that began.
        row: where it ended.
    """
    end = cell.room
    for at in range(cell.room, cell.room + running):
        place = sweep.order[at]
        if sweep.stop[place] > row:
            sweep.order[end] = place
            sweep.above[end] = sweep.below[at]
            end += 1
    for place in range(cell.room, cell.room + count):
        start = sweep.start[place]
        stop = sweep.stop[place]
        if start > before and start <= row:
            line = sweep.line[place]
            if stop > row:
                sweep.order[end] = place
                sweep.above[end] = wp.clamp(column_at(lines.ends[line], row), cell.left, cell.right)
                end += 1
            if (sweep.border[place] & _SWEEP_FROM_LEFT) != 0:
                sweep.winding[cell.border + lines.layer[line]] -= lines.weight[line]
        if stop > before and stop <= row:
            line = sweep.line[place]
            if (sweep.border[place] & _SWEEP_TO_LEFT) != 0:
                sweep.winding[cell.border + lines.layer[line]] += lines.weight[line]
    return end - cell.room


@wp.func
def put_in_order(lines: DeviceLines, sweep: DeviceSweep, cell: Cell, running: wp.int32, below: wp.float64):
    """Puts the running lines in their order along a row; of those that meet there, in that along the row ``below``."""
    for begin in range(cell.room, cell.room + running):
        place = sweep.order[begin]
        here = sweep.above[begin]
        there = wp.clamp(column_at(lines.ends[sweep.line[place]], below), cell.left, cell.right)
        at = begin + 0
        while at > cell.room:
            if not lies_right(lines, sweep, at - 1, place, wp.vec2d(here, there)):
                break
            sweep.above[at] = sweep.above[at - 1]
            sweep.below[at] = sweep.below[at - 1]
            sweep.order[at] = sweep.order[at - 1]
            at -= 1
        sweep.above[at] = here
        sweep.below[at] = there
        sweep.order[at] = place


@wp.func
def crossing_at(sweep: DeviceSweep, place: wp.int32):
    """Where in a slab, from 0 to 1, a line crosses its neighbour on the right."""
    above = sweep.above[place + 1] - sweep.above[place]
    return above / (above + sweep.below[place] - sweep.below[place + 1])


@wp.func
def next_crossing(sweep: DeviceSweep, cell: Cell, count: wp.int32):
    """The place of the neighbours that cross first in a slab, -1 for none."""
    foremost = wp.int32(-1)
    first = _SWEEP_UNITY
    for place in range(cell.room, cell.room + count - 1):
        if sweep.below[place] > sweep.below[place + 1]:
            share = crossing_at(sweep, place)
            if foremost < 0 or share < first:
                foremost = place
                first = share
    return foremost


@wp.func
def swap_neighbours(sweep: DeviceSweep, place: wp.int32):
    """Lines that have crossed change places."""
    above = sweep.above[place]
    below = sweep.below[place]
    line = sweep.order[place]
    sweep.above[place] = sweep.above[place + 1]
    sweep.below[place] = sweep.below[place + 1]
    sweep.order[place] = sweep.order[place + 1]
    sweep.above[place + 1] = above
    sweep.below[place + 1] = below
    sweep.order[place + 1] = line


@wp.func
def add_slab(
    lines: DeviceLines,
    sweep: DeviceSweep,
    picture: DevicePicture,
    cell: Cell,
    count: wp.int32,
    rows: wp.vec2d,
    part: wp.vec2d,
):
    """Adds the part of a slab between two shares of its height to the sums for the cell; it lies between two rows."""
    for layer in range(2 * picture.blockers + 2):
        sweep.winding[cell.along + layer] = sweep.winding[cell.border + layer]
    left = cover_by(sweep, picture, cell.along)
    upper = cell.left
    lower = cell.left
    high = rows[1] - rows[0]
    row = _SWEEP_HALF * (rows[0] + rows[1])
    for place in range(cell.room, cell.room + count):
        across = sweep.below[place] - sweep.above[place]
        top = sweep.above[place] + across * part[0]
        bottom = sweep.above[place] + across * part[1]
        if left.target == 1:
            middle = wp.vec2d(_SWEEP_QUARTER * (top + bottom + upper + lower), row)
            add_area(sweep, picture, cell, left, cell.along, wp.vec2d(top - upper, bottom - lower), high, middle)
        right = passed(lines, sweep, sweep.line[sweep.order[place]], cell.along, left)
        if left.target == 1 or right.target == 1:
            add_rims(sweep, cell.column, left, right, wp.vec2d(bottom - top, high))
        left = right
        upper = top
        lower = bottom
    if left.target == 1:
        sides = wp.vec2d(cell.right - upper, cell.right - lower)
        middle = wp.vec2d(cell.right - _SWEEP_QUARTER * (sides[0] + sides[1]), row)
        add_area(sweep, picture, cell, left, cell.along, sides, high, middle)


@wp.func
def sweep_cell(lines: DeviceLines, sweep: DeviceSweep, picture: DevicePicture, cell: Cell, count: wp.int32):
    """Adds a cell, given the number of lines that matter in it, to the sums for the cell."""
    for layer in range(2 * picture.blockers + 2):
        sweep.winding[cell.border + layer] = sweep.winding[cell.corner + layer]
    before = cell.top - picture.height
    row = cell.top
    running = wp.int32(0)
    while row < cell.bottom:
        running = change_lines(lines, sweep, cell, count, running, before, row)
        below = next_end(sweep, cell, count, row)
        put_in_order(lines, sweep, cell, running, below)
        share = _SWEEP_ZERO
        place = wp.int32(0)
        while place >= 0:
            place = next_crossing(sweep, cell, running)
            further = _SWEEP_UNITY
            if place >= 0:
                further = wp.clamp(crossing_at(sweep, place), share, _SWEEP_UNITY)
            if further > share:
                rows = wp.vec2d(row + (below - row) * share, row + (below - row) * further)
                add_slab(lines, sweep, picture, cell, running, rows, wp.vec2d(share, further))
            share = further
            if place >= 0:
                swap_neighbours(sweep, place)
        before = row
        row = below


@wp.func
def cell_at(picture: DevicePicture, owner: wp.int32, band: wp.int32, number: wp.int32):
    """A cell of a band of a picture ``owner``; where its numbers lie is still to be said."""
    cell = Cell()
    cell.picture = owner
    cell.band = band
    cell.number = number
    cell.first = picture.cell + band * picture.across + number
    cell.left = picture.left + wp.float64(number - 1) * picture.width
    cell.right = picture.left + wp.float64(number) * picture.width
    cell.top = picture.top + wp.float64(band) * picture.height
    cell.bottom = picture.top + wp.float64(band + 1) * picture.height
    return cell


@wp.func
def winding_of_crossed(sweep: DeviceSweep, first: wp.int32):
    """Where the winding numbers begin of a cell that lines cross."""
    return sweep.cell_winding + _SWEEP_WINDINGS * sweep.bodies[first]


@wp.func
def column_of_crossed(sweep: DeviceSweep, first: wp.int32):
    """Where the sums begin of a cell that lines cross."""
    return sweep.cell_sum + _SWEEP_FIXED_COLUMNS * sweep.bodies[first]


@wp.func
def lack_at_first(picture: DevicePicture, number: wp.int32):
    """What the quota lacks where sums begin: other parts of it, so that places are spread as evenly as areas are."""
    phase = wp.float64(number) * _SWEEP_GOLDEN
    return (phase - wp.floor(phase)) * picture.quota


@wp.func
def add_whole(sweep: DeviceSweep, picture: DevicePicture, cell: Cell, cover: CoverAtPlace):
    """Adds a cell of the target that is covered alike everywhere to the sums for it."""
    sides = wp.vec2d(picture.width, picture.width)
    middle = wp.vec2d(_SWEEP_HALF * (cell.left + cell.right), _SWEEP_HALF * (cell.top + cell.bottom))
    add_area(sweep, picture, cell, cover, cell.corner, sides, picture.height, middle)


@wp.kernel(enable_backward=False)
def sweep_cells(
    pictures: wp.array(dtype=DevicePicture), numbers: wp.array(dtype=wp.int32), lines: DeviceLines, sweep: DeviceSweep
):
    """The sums of listed cells, by their numbers in the list, in this order."""
    listed = sweep.listed[numbers[wp.tid()]]
    picture = pictures[listed[0]]
    cell = cell_at(picture, listed[0], listed[1], listed[2])
    layers = 2 * picture.blockers + 2
    cell.corner = winding_of_crossed(sweep, cell.first)
    cell.border = cell.corner + layers
    cell.along = cell.border + layers
    cell.slack = cell.along + layers
    cell.column = column_of_crossed(sweep, cell.first)
    cell.room = sweep.begins[cell.first]
    sweep.sums[cell.column + _SWEEP_LACK] = lack_at_first(picture, cell.first - picture.cell)
    count = choose_lines(lines, sweep, picture, cell)
    if count > 0:
        sweep_cell(lines, sweep, picture, cell, count)
        return
    cover = cover_by(sweep, picture, cell.corner)
    if cover.target == 1:
        add_whole(sweep, picture, cell, cover)
