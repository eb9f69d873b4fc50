"""The kernels that go along spans of cells on a device: winding numbers, cells without lines, and sums.

The winding numbers at the upper left corner of a cell are those of the cell before it, counted on by the lines that
cross its upper border: each span of a band counts by how much they change along it, each band adds these up, and each
span goes on from there. So it settles the cells that no line crosses, and lists those that are to be swept
(`silhouette.renderers.cuda.sweeping`). Sums are added in one order: of cells, of spans, of bands.
"""

import warp as wp

from silhouette.renderers.cuda.cells import SPAN, DevicePicture, band_of, cell_of, column_at
from silhouette.renderers.cuda.outlining import DeviceLines
from silhouette.renderers.cuda.sweeping import (
    FIXED_COLUMNS,
    LACK,
    Cell,
    CoverAtPlace,
    DeviceSweep,
    add_whole,
    cell_at,
    column_of_crossed,
    cover_by,
    lack_at_first,
    passed,
    winding_of_crossed,
)

# One formula gives the same bits wherever it stands: no product and sum are fused in one place alone
wp.set_module_options({"fuse_fp": False})

_SPAN_CELLS, _SPAN_COLUMNS, _SPAN_LACK = wp.constant(SPAN), wp.constant(FIXED_COLUMNS), wp.constant(LACK)
_SPAN_ZERO = wp.constant(wp.float64(0.0))


@wp.func
def crosses_upper_border(picture: DevicePicture, cell: Cell, ends: wp.vec4d):
    """Whether a line that is listed in a cell crosses its upper border."""
    if band_of(picture, ends[1]) >= cell.band or band_of(picture, ends[3]) < cell.band:
        return False
    return cell_of(picture, column_at(ends, cell.top)) == cell.number


@wp.kernel(enable_backward=False)
def wind_along_spans(
    pictures: wp.array(dtype=DevicePicture), owners: wp.array(dtype=wp.int32), lines: DeviceLines, sweep: DeviceSweep
):
    """By how much the winding numbers change along each span, of bands of pictures ``owners``."""
    band, span = wp.tid()
    picture = pictures[owners[band]]
    if span >= picture.spans:
        return
    corner = corner_of_span(picture, band - picture.band, span)
    for number in range(span * _SPAN_CELLS, wp.min((span + 1) * _SPAN_CELLS, picture.across)):
        cell = cell_at(picture, owners[band], band - picture.band, number)
        for place in range(sweep.begins[cell.first], sweep.begins[cell.first + 1]):
            line = sweep.crossing[place]
            if crosses_upper_border(picture, cell, lines.ends[line]):
                sweep.winding[corner + lines.layer[line]] += lines.weight[line]


@wp.func
def corner_of_span(picture: DevicePicture, band: wp.int32, span: wp.int32):
    """Where the winding numbers of a span begin."""
    return picture.winding + (band * picture.spans + span) * (2 * picture.blockers + 2)


@wp.func
def column_of_span(picture: DevicePicture, band: wp.int32, span: wp.int32):
    """Where the sums of a span begin."""
    return picture.column + (band * picture.spans + span) * (2 * picture.blockers + _SPAN_COLUMNS)


@wp.kernel(enable_backward=False)
def wind_to_spans(pictures: wp.array(dtype=DevicePicture), owners: wp.array(dtype=wp.int32), sweep: DeviceSweep):
    """The winding numbers where each span begins, in place of those by which they change along it; a thread a band."""
    picture = pictures[owners[wp.tid()]]
    for layer in range(2 * picture.blockers + 2):
        winding = wp.int32(0)
        for span in range(picture.spans):
            place = corner_of_span(picture, wp.tid() - picture.band, span) + layer
            change = sweep.winding[place]
            sweep.winding[place] = winding
            winding += change


@wp.kernel(enable_backward=False)
def settle_spans(
    pictures: wp.array(dtype=DevicePicture), owners: wp.array(dtype=wp.int32), lines: DeviceLines, sweep: DeviceSweep
):
    """Adds the cells that no line crosses to the sums of their span, and lists those that lines of the target may."""
    band, span = wp.tid()
    picture = pictures[owners[band]]
    if span >= picture.spans:
        return
    corner = corner_of_span(picture, band - picture.band, span)
    column = column_of_span(picture, band - picture.band, span)
    sweep.sums[column + _SPAN_LACK] = lack_at_first(picture, (band - picture.band) * picture.spans + span)
    cover = cover_by(sweep, picture, corner)
    for number in range(span * _SPAN_CELLS, wp.min((span + 1) * _SPAN_CELLS, picture.across)):
        cell = cell_at(picture, owners[band], band - picture.band, number)
        cell.corner = corner
        cell.column = column
        is_inner = number > 0 and number < picture.across - 1
        if is_inner and cover.target == 1 and sweep.begins[cell.first + 1] == sweep.begins[cell.first]:
            add_whole(sweep, picture, cell, cover)
        elif is_inner and may_be_target(lines, sweep, cell, cover):
            list_cell(sweep, picture, cell)
        for place in range(sweep.begins[cell.first], sweep.begins[cell.first + 1]):
            line = sweep.crossing[place]
            if crosses_upper_border(picture, cell, lines.ends[line]):
                cover = passed(lines, sweep, line, corner, cover)


@wp.func
def may_be_target(lines: DeviceLines, sweep: DeviceSweep, cell: Cell, cover: CoverAtPlace):
    """Whether the target may cover a part of a cell: it covers the corner, or a line of it crosses the cell."""
    if cover.target == 1:
        return True
    for place in range(sweep.begins[cell.first], sweep.begins[cell.first + 1]):
        if lines.layer[sweep.crossing[place]] < 2:
            return True
    return False


@wp.func
def list_cell(sweep: DeviceSweep, picture: DevicePicture, cell: Cell):
    """Lists a cell, with the winding numbers at its corner."""
    corner = winding_of_crossed(sweep, cell.first)
    for layer in range(2 * picture.blockers + 2):
        sweep.winding[corner + layer] = sweep.winding[cell.corner + layer]
    place = wp.atomic_add(sweep.list_count, 0, 1)
    sweep.listed[place] = wp.vec3i(cell.picture, cell.band, cell.number)
    sweep.haste[place] = sweep.begins[cell.first] - sweep.begins[cell.first + 1]
    sweep.numbers[place] = place


# ---- sums


@wp.kernel(enable_backward=False)
def add_cells(pictures: wp.array(dtype=DevicePicture), owners: wp.array(dtype=wp.int32), sweep: DeviceSweep):
    """Adds the sums of the cells that lines cross to those of their spans, of bands of pictures ``owners``."""
    band, span = wp.tid()
    picture = pictures[owners[band]]
    if span >= picture.spans:
        return
    total = column_of_span(picture, band - picture.band, span)
    first = picture.cell + (band - picture.band) * picture.across
    for cell in range(first + span * _SPAN_CELLS, first + wp.min((span + 1) * _SPAN_CELLS, picture.across)):
        if sweep.begins[cell + 1] > sweep.begins[cell]:
            column = column_of_crossed(sweep, cell)
            for number in range(2 * picture.blockers + _SPAN_COLUMNS):
                sweep.sums[total + number] += sweep.sums[column + number]


@wp.kernel(enable_backward=False)
def add_spans(pictures: wp.array(dtype=DevicePicture), owners: wp.array(dtype=wp.int32), sweep: DeviceSweep):
    """Adds the sums of all spans of each band to those of its first one."""
    picture = pictures[owners[wp.tid()]]
    total = column_of_span(picture, wp.tid() - picture.band, 0)
    for span in range(1, picture.spans):
        column = column_of_span(picture, wp.tid() - picture.band, span)
        for number in range(2 * picture.blockers + _SPAN_COLUMNS):
            sweep.sums[total + number] += sweep.sums[column + number]


@wp.kernel(enable_backward=False)
def add_bands(
    pictures: wp.array(dtype=DevicePicture),
    owners: wp.array(dtype=wp.int32),
    columns: wp.array(dtype=wp.int32),
    sweep: DeviceSweep,
    totals: wp.array(dtype=wp.float64),
):
    """The sums of pictures: those of the first spans of their bands, one after the other.

    Args:
        pictures: all.
        owners, columns: of each total, its picture, and which of its columns it is.
        sweep: all.
        totals: the answers.
    """
    picture = pictures[owners[wp.tid()]]
    total = _SPAN_ZERO
    for band in range(picture.bands):
        total += sweep.sums[column_of_span(picture, band, 0) + columns[wp.tid()]]
    totals[wp.tid()] = total
