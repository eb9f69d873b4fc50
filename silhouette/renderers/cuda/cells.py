"""The kernels that put lines of pictures into cells on a device.

A picture is cut into bands of rows, and these into cells, of which `SPAN` side by side are a span. In which cell an end
of a line lies is the same for all lines that meet there, to the bit, and so are the borders that they cross: no winding
number is ever wrong by rounding.
"""

import warp as wp

from silhouette.renderers.cuda.outlining import DeviceLines

# One formula gives the same bits wherever it stands: no product and sum are fused in one place alone
wp.set_module_options({"fuse_fp": False})

SPAN = 8  # cells of a span; the last of a band may have fewer
_CELL_SPAN = wp.constant(SPAN)

_CELL_ZERO = wp.constant(wp.float64(0.0))
_CELL_UNITY = wp.constant(wp.float64(1.0))


@wp.struct
class DevicePicture:
    """The part of a picture in which its target lies, in bands of cells; the first and last of each lie beside it."""

    left: wp.float64
    right: wp.float64
    top: wp.float64
    width: wp.float64  # of each cell
    height: wp.float64
    band: wp.int32  # the number of its first band
    bands: wp.int32
    cell: wp.int32  # the number of its first cell
    across: wp.int32  # cells of a band
    blockers: wp.int32
    quota: wp.float64  # pixels: of so much area that several are before, the middle of one trapezium stands for all
    span: wp.int32  # the number of its first span
    spans: wp.int32  # of a band
    column: wp.int32  # where the sums of its first span begin
    winding: wp.int32  # where the winding numbers of its first span begin


@wp.func
def band_of(picture: DevicePicture, row: wp.float64):
    """The number of the band in which a row lies."""
    height = wp.float64(picture.bands)
    return wp.int32(wp.clamp(wp.floor((row - picture.top) / picture.height), -_CELL_UNITY, height))


@wp.func
def cell_of(picture: DevicePicture, column: wp.float64):
    """The number in its band of the cell in which a column lies; the first is all that is left of the others."""
    width = wp.float64(picture.across - 1)
    return wp.int32(wp.clamp(_CELL_UNITY + wp.floor((column - picture.left) / picture.width), _CELL_ZERO, width))


@wp.func
def column_at(ends: wp.vec4d, row: wp.float64):
    """The column of a line in a row."""
    if row <= ends[1]:
        return ends[0]
    if row >= ends[3]:
        return ends[2]
    return ends[0] + (row - ends[1]) * ((ends[2] - ends[0]) / (ends[3] - ends[1]))


@wp.func
def row_at(ends: wp.vec4d, column: wp.float64):
    """The row of a line, which is not upright, in a column."""
    return ends[1] + (column - ends[0]) * ((ends[3] - ends[1]) / (ends[2] - ends[0]))


@wp.func
def part_in_band(picture: DevicePicture, ends: wp.vec4d, band: wp.int32):
    """The part of a line in a band."""
    top = picture.top + wp.float64(band) * picture.height
    bottom = picture.top + wp.float64(band + 1) * picture.height
    part = ends
    if band_of(picture, ends[1]) < band:
        part[0] = column_at(ends, top)
        part[1] = top
    if band_of(picture, ends[3]) > band:
        part[2] = column_at(ends, bottom)
        part[3] = bottom
    return part


@wp.kernel(enable_backward=False)
def put_in_cells(
    pictures: wp.array(dtype=DevicePicture),
    lines: DeviceLines,
    next_free: wp.array(dtype=wp.int32),
    crossing: wp.array(dtype=wp.int32),
):
    """Lists the lines that cross each cell.

    Args:
        pictures, lines: all.
        next_free: for each cell the place in ``crossing`` where its next one belongs; counted up.
        crossing: the answers; without room for any they are only counted.
    """
    line = wp.tid()
    picture = pictures[lines.picture[line]]
    ends = lines.ends[line]
    if wp.min(ends[0], ends[2]) >= picture.right:
        return
    first = wp.max(band_of(picture, ends[1]), 0)
    last = wp.min(band_of(picture, ends[3]), picture.bands - 1)
    for band in range(first, last + 1):
        part = part_in_band(picture, ends, band)
        upper = cell_of(picture, part[0])
        lower = cell_of(picture, part[2])
        for cell in range(wp.min(upper, lower), wp.max(upper, lower) + 1):
            place = wp.atomic_add(next_free, picture.cell + band * picture.across + cell, 1)
            if place < crossing.shape[0]:
                crossing[place] = line


@wp.kernel(enable_backward=False)
def find_crossed(
    pictures: wp.array(dtype=DevicePicture),
    owners: wp.array(dtype=wp.int32),
    begins: wp.array(dtype=wp.int32),
    bodies: wp.array(dtype=wp.int32),
):
    """For each cell, of bands of pictures ``owners``, the bodies of its picture where lines cross it, else 0."""
    band, span = wp.tid()
    picture = pictures[owners[band]]
    if span >= picture.spans:
        return
    first = picture.cell + (band - picture.band) * picture.across
    for cell in range(first + span * _CELL_SPAN, first + wp.min((span + 1) * _CELL_SPAN, picture.across)):
        bodies[cell] = wp.where(begins[cell + 1] > begins[cell], picture.blockers + 1, 0)
