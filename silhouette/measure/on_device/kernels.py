"""The kernels that count on a device: the same places, the same law of errors as in `silhouette.measure`.

Only `silhouette.measure.on_device.sampled` imports this: warp is an extra, and takes half a second.
"""

# ruff: noqa: SIM102 - a device evaluates both sides of ``and``, also where the second one must not be
import warp as wp

from silhouette.measure.places import PERIOD
from silhouette.measure.sampling import IN_ARC, KINDS, OCCLUDED, TARGET
from silhouette.renderers.cuda.kernels import DeviceBody, DeviceChunk, DeviceView, first_of_body, ray_along

_KINDS = wp.constant(KINDS)
_TARGET = wp.constant(TARGET)
_IN_ARC = wp.constant(IN_ARC)
_OCCLUDED = wp.constant(OCCLUDED)
_PERIOD = wp.constant(PERIOD)
_FAR = wp.constant(wp.float32(3.0e38))
_EDGE = wp.constant(wp.float64(1.0e-6))
_HALF = wp.constant(wp.float64(0.5))
_ZERO = wp.constant(wp.float64(0.0))
_QUARTER = wp.constant(wp.float64(0.25))
_ONE = wp.constant(wp.float64(1.0))
_BITS = wp.constant(64)


@wp.struct
class DevicePicture:
    """A picture of the atlas.

    Attributes:
        view: as it is looked at.
        target: the number of its target among the bodies; its blockers are the bodies after it.
        blockers: how many they are.
        whole: 1 where all of the target lies in an arc.
        first_arc, last_arc: the number of its first arc, and the one after its last.
        top_row: the first row of its tile, its margin included, in cells of level 0.
        high, wide: cells of level 0.
        check: the number of its check.
    """

    view: DeviceView
    target: wp.int32
    blockers: wp.int32
    whole: wp.int32
    first_arc: wp.int32
    last_arc: wp.int32
    top_row: wp.int32
    high: wp.int32
    wide: wp.int32
    check: wp.int32


DeviceArc = wp.types.matrix(shape=(3, 2), dtype=wp.float64)
"""A vision arc, by rows: its apex, and the unit vectors along its right and its left edge."""


@wp.struct
class DeviceLevel:
    """Cells of one width, as rows of the whole atlas.

    Attributes:
        depth: the number of the level: the cells of level 0 are cut so often.
        cell: the width of a cell, in pixels.
        high, wide: cells of the atlas.
        kinds: of the sample that stands for each cell.
        numbers: of the sample of each cell that has one.
        own: 1 where a cell has a sample.
        cut: 1 where a cell is cut.
    """

    depth: wp.int32
    cell: wp.int32
    high: wp.int32
    wide: wp.int32
    kinds: wp.array(dtype=wp.uint8)
    numbers: wp.array(dtype=wp.int32)
    own: wp.array(dtype=wp.uint8)
    cut: wp.array(dtype=wp.int32)


@wp.struct
class DeviceSamples:
    """Samples by their numbers: their kind, the nearest blocker or -1, and the bits of all that are before the target.

    Attributes:
        words: how many words of bits each sample has.
    """

    kinds: wp.array(dtype=wp.uint8)
    nearest: wp.array(dtype=wp.int32)
    before: wp.array(dtype=wp.uint64)
    words: wp.int32


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
def lies_in_arc(arcs: wp.array(dtype=DeviceArc), first: wp.int32, last: wp.int32, x: wp.float64, y: wp.float64):
    """Whether a place lies in an arc, surely within its edges: see `silhouette.views.VisionArc.contains`."""
    for number in range(first, last):
        arc = arcs[number]
        across = x - arc[0, 0]
        up = y - arc[0, 1]
        slack = -_EDGE * (wp.abs(across) + wp.abs(up))
        if arc[1, 0] * up - arc[1, 1] * across >= -slack and arc[2, 1] * across - arc[2, 0] * up >= -slack:
            return True
    return False


@wp.kernel(enable_backward=False)
def sample_cells(
    cells: wp.array(dtype=wp.int32),
    first_number: wp.int32,
    level: DeviceLevel,
    samples: DeviceSamples,
    pictures: wp.array(dtype=DevicePicture),
    of_row: wp.array(dtype=wp.int32),
    bodies: wp.array(dtype=DeviceBody),
    chunks: wp.array(dtype=DeviceChunk),
    arcs: wp.array(dtype=DeviceArc),
    tables: DeviceTables,
    counts: wp.array(dtype=wp.int32),
):
    """Takes a sample in each of the cells of a level: one thread each."""
    thread = wp.tid()
    cell = cells[thread]
    number = picture_at(of_row, level, cell)
    picture = pictures[number]
    row = cell // level.wide - ((picture.top_row + 1) << level.depth)
    column = cell % level.wide - (1 << level.depth)
    place = place_of(tables, row, column, level.cell, picture.high << level.depth, picture.wide << level.depth)
    eye = picture.view[0]
    along = ray_along(picture.view, place)
    depth = first_of_body(bodies[picture.target], chunks, eye, along, _FAR)
    kind = wp.int32(0)
    nearest = wp.int32(-1)
    sample = first_number + thread
    if depth < _FAR:
        kind = _TARGET
        if picture.whole == 1:
            kind = kind | _IN_ARC
        elif picture.first_arc < picture.last_arc:
            far = wp.float64(depth)
            x = eye[0] + along[0] * far
            y = eye[1] + along[1] * far
            if lies_in_arc(arcs, picture.first_arc, picture.last_arc, x, y):
                kind = kind | _IN_ARC
        front = wp.float32(wp.inf)
        limit = depth * wp.float32(1.001) + wp.float32(0.001)
        for blocker in range(picture.blockers):
            distance = first_of_body(bodies[picture.target + 1 + blocker], chunks, eye, along, limit)
            if distance < depth:
                word = sample * samples.words + blocker // _BITS
                samples.before[word] = samples.before[word] | (wp.uint64(1) << wp.uint64(blocker % _BITS))
                if distance < front:
                    front = distance
                    nearest = blocker
        if nearest >= 0:
            kind = kind | _OCCLUDED
    samples.kinds[sample] = wp.uint8(kind)
    samples.nearest[sample] = nearest
    level.kinds[cell] = wp.uint8(kind)
    level.numbers[cell] = sample
    wp.atomic_add(counts, number * _KINDS + kind, level.cell * level.cell)


@wp.func
def kind_at(level: DeviceLevel, cell: wp.int32):
    """The kind of a cell; of places before the first one or after the last, that of the first or the last."""
    return wp.int32(level.kinds[wp.clamp(cell, 0, level.high * level.wide - 1)])


@wp.func
def owns(level: DeviceLevel, cell: wp.int32):
    """Whether a cell has a sample; as `kind_at`."""
    return wp.int32(level.own[wp.clamp(cell, 0, level.high * level.wide - 1)])


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
def look_along(
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
def quarter_cells(
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


@wp.kernel(enable_backward=False)
def count_blockers(
    cells: wp.array(dtype=wp.int32),
    level: DeviceLevel,
    is_last: wp.int32,
    samples: DeviceSamples,
    pictures: wp.array(dtype=DevicePicture),
    of_row: wp.array(dtype=wp.int32),
    first_blocker: wp.array(dtype=wp.int32),
    nearest: wp.array(dtype=wp.int32),
    alone: wp.array(dtype=wp.int32),
):
    """Adds the pixels for which each sample of a level stands to its nearest blocker, and to all before the target."""
    cell = cells[wp.tid()]
    if is_last == 0:
        if level.cut[cell] == 1:
            return
    sample = level.numbers[cell]
    if samples.nearest[sample] < 0:
        return
    number = picture_at(of_row, level, cell)
    pixels = level.cell * level.cell
    first = first_blocker[number]
    wp.atomic_add(nearest, first + samples.nearest[sample], pixels)
    for blocker in range(pictures[number].blockers):
        word = samples.before[sample * samples.words + blocker // _BITS]
        if ((word >> wp.uint64(blocker % _BITS)) & wp.uint64(1)) == wp.uint64(1):
            wp.atomic_add(alone, first + blocker, pixels)
