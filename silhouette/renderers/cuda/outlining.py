"""The kernels that find contours on a device, and put them into pictures; see `silhouette.measure.silhouettes`.

faces, each on the side of the eye or not -> edges by their imbalance: contours and borders -> lines of pictures

Threads come in blocks of `THREADS`, each of which works for one aspect, or for one body of a picture.
"""

import warp as wp

from silhouette.meshes.clusters import SIZE
from silhouette.renderers.areas import EDGE_ON
from silhouette.renderers.protocol import NEAREST_DEPTH_MM

# One formula gives the same bits wherever it stands: no product and sum are fused in one place alone
wp.set_module_options({"fuse_fp": False})

THREADS = 256

_OUTLINE_THREADS = wp.constant(THREADS)
_OUTLINE_SIZE = wp.constant(SIZE)
_OUTLINE_NEAREST_DEPTH = wp.constant(wp.float64(NEAREST_DEPTH_MM))
_OUTLINE_EDGE_ON = wp.constant(wp.float64(EDGE_ON))
_OUTLINE_ZERO = wp.constant(wp.float64(0.0))


@wp.struct
class DeviceEdges:
    """A mesh on a device, as `silhouette.meshes.clusters.Clusters` has it."""

    middle: wp.vec3d
    planes: wp.array(dtype=wp.vec4)
    corners: wp.array(dtype=wp.vec3i)
    vertices: wp.array(dtype=wp.vec3d)
    clusters: wp.array(dtype=wp.vec4d)  # the centre and the radius of each
    even_ends: wp.array(dtype=wp.vec2i)
    even_faces: wp.array(dtype=wp.vec2i)
    odd_ends: wp.array(dtype=wp.vec2i)
    odd_first: wp.array(dtype=wp.int32)
    odd_faces: wp.array(dtype=wp.int32)
    odd_along: wp.array(dtype=wp.int32)


@wp.struct
class DeviceAspect:
    """A mesh as an eye sees it."""

    mesh: wp.int32  # its number
    eye: wp.vec3d  # mm, in its frame
    noise: wp.float64  # mm: a side is in doubt where the eye is as near to the plane of a face
    first: wp.int32  # the number of its first face among those of all aspects


@wp.struct
class DeviceBodyLines:
    """A body in a picture."""

    aspect: wp.int32  # the number of the aspect in which it is seen
    picture: wp.int32
    owner: wp.int32  # which body it is there: 0 the target, then the blockers
    matrix: wp.mat33d  # from its frame, with the eye as the origin, to picture coordinates
    # first, count: the number of its first line, and how many it has
    first: wp.int32
    count: wp.int32


@wp.struct
class DeviceLines:
    """Lines in pictures, each from a row down to another, or level."""

    ends: wp.array(dtype=wp.vec4d)  # the column and row of its upper end, and of its lower one
    picture: wp.array(dtype=wp.int32)
    layer: wp.array(dtype=wp.int32)  # twice its owner's number, and 1 more for a border
    weight: wp.array(dtype=wp.int32)  # by how much the winding number is more on its right; of one that is level, below


@wp.func
def exact_side(mesh: DeviceEdges, eye: wp.vec3d, face: wp.int32):
    """On which side of a face the eye is, in float64."""
    corners = mesh.corners[face]
    first = mesh.vertices[corners[0]] - eye
    normal = wp.cross(mesh.vertices[corners[1]] - eye - first, mesh.vertices[corners[2]] - eye - first)
    ahead = -wp.dot(first, normal)
    cluster = mesh.clusters[face / _OUTLINE_SIZE]
    away = wp.length(wp.vec3d(cluster[0], cluster[1], cluster[2]) - eye) - cluster[3]
    nearest = _OUTLINE_EDGE_ON
    if away <= _OUTLINE_NEAREST_DEPTH:
        nearest = _OUTLINE_NEAREST_DEPTH
    if wp.abs(ahead) <= nearest * wp.length(normal):
        return wp.int8(0)
    return wp.int8(wp.where(ahead > _OUTLINE_ZERO, 1, -1))


@wp.kernel(enable_backward=False)
def find_sides(
    meshes: wp.array(dtype=DeviceEdges),
    aspects: wp.array(dtype=DeviceAspect),
    owners: wp.array(dtype=wp.int32),
    starts: wp.array(dtype=wp.int32),
    sides: wp.array(dtype=wp.int8),
):
    """For each face of each aspect 1 where the eye is on the side of its normal, -1 on the other, 0 on neither.

    Args:
        meshes, aspects: all.
        owners, starts: of each block of threads the aspect, and its first face.
        sides: the answers.
    """
    thread = wp.tid()
    aspect = aspects[owners[thread / _OUTLINE_THREADS]]
    mesh = meshes[aspect.mesh]
    face = starts[thread / _OUTLINE_THREADS] + thread % _OUTLINE_THREADS
    if face >= mesh.planes.shape[0]:
        return
    eye = aspect.eye - mesh.middle
    plane = mesh.planes[face]
    near = wp.vec4(wp.float32(eye[0]), wp.float32(eye[1]), wp.float32(eye[2]), wp.float32(-1.0))
    ahead = wp.float64(wp.dot(plane, near))
    side = wp.int8(wp.where(ahead > _OUTLINE_ZERO, 1, -1))
    if wp.abs(ahead) <= aspect.noise:
        side = exact_side(mesh, aspect.eye, face)
    sides[aspect.first + face] = side


@wp.func
def imbalances(mesh: DeviceEdges, sides: wp.array(dtype=wp.int8), first: wp.int32, edge: wp.int32):
    """By how many more faces that look at the eye an edge has on its one side, and by how many more of all."""
    even = mesh.even_ends.shape[0]
    if edge < even:
        faces = mesh.even_faces[edge]
        here = wp.int32(sides[first + faces[0]])
        there = wp.int32(sides[first + faces[1]])
        return wp.vec2i(wp.max(here, 0) - wp.max(there, 0), wp.abs(here) - wp.abs(there))
    front = wp.int32(0)
    both = wp.int32(0)
    for number in range(mesh.odd_first[edge - even], mesh.odd_first[edge - even + 1]):
        side = wp.int32(sides[first + mesh.odd_faces[number]])
        front += wp.max(side, 0) * mesh.odd_along[number]
        both += wp.abs(side) * mesh.odd_along[number]
    return wp.vec2i(front, both)


@wp.func
def edge_ends(mesh: DeviceEdges, edge: wp.int32):
    """The vertices of an edge."""
    even = mesh.even_ends.shape[0]
    if edge < even:
        return mesh.even_ends[edge]
    return mesh.odd_ends[edge - even]


@wp.kernel(enable_backward=False)
def find_contours(
    meshes: wp.array(dtype=DeviceEdges),
    aspects: wp.array(dtype=DeviceAspect),
    owners: wp.array(dtype=wp.int32),
    starts: wp.array(dtype=wp.int32),
    sides: wp.array(dtype=wp.int8),
    firsts: wp.array(dtype=wp.int32),
    counts: wp.array(dtype=wp.int32),
    contours: wp.array(dtype=wp.vec4i),
):
    """The edges of each aspect that have an imbalance: both ends, the imbalance, and 1 for one of all faces, else 0.

    Args:
        meshes, aspects, owners, starts, sides: see `find_sides`; of edges, first the even ones.
        firsts: for each aspect the place in ``contours`` where its first one belongs, and where those of the last end.
        counts: how many each has; they are counted up from 0.
        contours: the answers; where there is no room for some, these are only counted.
    """
    thread = wp.tid()
    number = owners[thread / _OUTLINE_THREADS]
    aspect = aspects[number]
    mesh = meshes[aspect.mesh]
    edge = starts[thread / _OUTLINE_THREADS] + thread % _OUTLINE_THREADS
    if edge >= mesh.even_ends.shape[0] + mesh.odd_ends.shape[0]:
        return
    imbalance = imbalances(mesh, sides, aspect.first, edge)
    if imbalance[0] == 0 and imbalance[1] == 0:
        return
    ends = edge_ends(mesh, edge)
    for which in range(2):
        if imbalance[which] != 0:
            place = firsts[number] + wp.atomic_add(counts, number, 1)
            if place < firsts[number + 1]:
                contours[place] = wp.vec4i(ends[0], ends[1], imbalance[which], which)


@wp.func
def place_of(body: DeviceBodyLines, point: wp.vec3d):
    """The column and row of a point that is given as seen from the eye, in the body's frame."""
    seen = body.matrix * point
    return wp.vec2d(seen[0] / seen[2], seen[1] / seen[2])


@wp.kernel(enable_backward=False)
def put_in_pictures(
    meshes: wp.array(dtype=DeviceEdges),
    aspects: wp.array(dtype=DeviceAspect),
    firsts: wp.array(dtype=wp.int32),
    contours: wp.array(dtype=wp.vec4i),
    bodies: wp.array(dtype=DeviceBodyLines),
    owners: wp.array(dtype=wp.int32),
    starts: wp.array(dtype=wp.int32),
    lines: DeviceLines,
):
    """The contours of bodies as lines of their pictures.

    Args:
        meshes, aspects: all.
        firsts: where the contours of each aspect begin.
        contours: see `find_contours`.
        bodies: in pictures.
        owners, starts: of each block of threads the body, and the first of its aspect's contours.
        lines: the answers.
    """
    thread = wp.tid()
    body = bodies[owners[thread / _OUTLINE_THREADS]]
    number = starts[thread / _OUTLINE_THREADS] + thread % _OUTLINE_THREADS
    if number >= body.count:
        return
    aspect = aspects[body.aspect]
    mesh = meshes[aspect.mesh]
    contour = contours[firsts[body.aspect] + number]
    here = place_of(body, mesh.vertices[contour[0]] - aspect.eye)
    there = place_of(body, mesh.vertices[contour[1]] - aspect.eye)
    line = body.first + number
    lines.picture[line] = body.picture
    lines.layer[line] = 2 * body.owner + contour[3]
    if here[1] <= there[1]:
        lines.ends[line] = wp.vec4d(here[0], here[1], there[0], there[1])
        lines.weight[line] = contour[2]
    else:
        lines.ends[line] = wp.vec4d(there[0], there[1], here[0], here[1])
        lines.weight[line] = -contour[2]
