"""The kernels that take samples, and that count what lies before them: see `silhouette.measure.sampling`."""

# ruff: noqa: SIM102 - a device evaluates both sides of ``and``, also where the second one must not be
import warp as wp

from silhouette.measure.on_device.cells import (
    DeviceArc,
    DeviceLevel,
    DevicePicture,
    DeviceSamples,
    DeviceTables,
    picture_at,
    place_of,
)
from silhouette.measure.sampling import IN_ARC, KINDS, OCCLUDED, TARGET
from silhouette.renderers.cuda.kernels import DeviceBody, DeviceChunk, first_of_body, ray_along

_KINDS = wp.constant(KINDS)
_TARGET = wp.constant(TARGET)
_IN_ARC = wp.constant(IN_ARC)
_OCCLUDED = wp.constant(OCCLUDED)
_FAR = wp.constant(wp.float32(3.0e38))
_EDGE = wp.constant(wp.float64(1.0e-6))
_BITS = wp.constant(64)


@wp.func
def lies_in_arc(arcs: wp.array(dtype=DeviceArc), first: wp.int32, last: wp.int32, x: wp.float64, y: wp.float64):
    """Whether a place lies in an arc, surely within its edges: see `silhouette.renderers.views.VisionArc.contains`."""
    for number in range(first, last):
        arc = arcs[number]
        across = x - arc[0, 0]
        up = y - arc[0, 1]
        slack = -_EDGE * (wp.abs(across) + wp.abs(up))
        if arc[1, 0] * up - arc[1, 1] * across >= -slack and arc[2, 1] * across - arc[2, 0] * up >= -slack:
            return True
    return False


@wp.kernel(enable_backward=False)
def sample_cells(  # noqa: PLR0913  # a kernel has arrays alone
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


@wp.kernel(enable_backward=False)
def count_blockers(  # noqa: PLR0913  # a kernel has arrays alone
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
