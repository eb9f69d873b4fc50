"""The kernels of the renderer ``cuda``: compiled when they are first launched on a device, and kept on disk by warp.

Only `silhouette.renderers.cuda.renderer` imports this, when it is started: warp is an extra, and takes half a second.
"""

import warp as wp

from silhouette.renderers.protocol import NEAREST
from silhouette.renderers.rays import ATTEMPTS, TRUSTED

_ATTEMPTS = wp.constant(ATTEMPTS)
_NEAREST = wp.constant(wp.float64(NEAREST))
_TRUSTED = wp.constant(wp.float64(TRUSTED))
_HALF = wp.constant(wp.float64(0.5))
_ONE = wp.constant(wp.float64(1.0))
_FAR = wp.constant(wp.float32(3.0e38))


@wp.struct
class DeviceChunk:
    """A chunk on a device: see `silhouette.renderers.rays.Chunk`; ``mesh`` is the number of its `warp.Mesh`."""

    mesh: wp.uint64
    middle: wp.vec3d
    planes: wp.array(dtype=wp.vec4d)


DeviceCast = wp.types.matrix(shape=(9, 3), dtype=wp.float64)
"""A cast on a device, by rows: the eye; the view's right, up and forward; its left, top and step; the three rows of the
rotation of the body's pose; and its translation."""


@wp.func
def turned_back(cast: DeviceCast, vector: wp.vec3d):
    """A vector of the world in the frame of the cast's body."""
    return vector[0] * cast[5] + vector[1] * cast[6] + vector[2] * cast[7]


@wp.func
def first_met(chunk: DeviceChunk, eye: wp.vec3d, along: wp.vec3d):
    """The depth of the face that a ray meets first, infinite for none; no face that the eye only touches.

    A ray that meets such a face is sent again from a point beside the eye, on that side of the face to which it goes,
    and therefore cannot meet the face again.

    Args:
        chunk: which faces.
        eye: in the mesh's frame.
        along: the ray in that frame, as long as one unit of depth.
    """
    origin = eye - chunk.middle
    start = origin
    ray = wp.vec3(wp.float32(along[0]), wp.float32(along[1]), wp.float32(along[2]))
    for attempt in range(_ATTEMPTS):
        near = wp.vec3(wp.float32(start[0]), wp.float32(start[1]), wp.float32(start[2]))
        hit = wp.mesh_query_ray(chunk.mesh, near, ray, _FAR)
        if not hit.result:
            return wp.float32(wp.inf)
        plane = chunk.planes[hit.face]
        normal = wp.vec3d(plane[0], plane[1], plane[2])
        ahead = plane[3] - wp.dot(normal, origin)
        facing = wp.dot(normal, along)
        met = wp.float64(hit.t)
        if wp.abs(ahead) >= _NEAREST and met >= _NEAREST:
            depth = ahead / facing
            if wp.abs(depth - met) <= _TRUSTED * (_ONE + met):
                return wp.float32(depth)
            return hit.t
        beside = wp.float64(attempt + 1) * _NEAREST
        if facing < wp.float64(0.0):
            beside = -beside
        start = start + normal * beside
    return wp.float32(wp.inf)


@wp.kernel(enable_backward=False)
def cast_rays(
    casts: wp.array(dtype=DeviceCast),
    chunks_of_cast: wp.array(dtype=wp.vec2i),
    chunks: wp.array(dtype=DeviceChunk),
    cast_of_ray: wp.array(dtype=wp.int32),
    places: wp.array(dtype=wp.vec2d),
    depths: wp.array(dtype=wp.float32),
):
    """The depth at which each ray meets its cast's body, infinite for none.

    Args:
        casts: of all checks.
        chunks_of_cast: the number of the first chunk of each cast's body, and the one after its last.
        chunks: all that are on the device.
        cast_of_ray: by number.
        places: row and column of each ray in the picture of its cast.
        depths: the answers.
    """
    ray = wp.tid()
    number = cast_of_ray[ray]
    cast = casts[number]
    frame = cast[4]
    place = places[ray]
    across = frame[0] + (place[1] + _HALF) * frame[2]
    upward = frame[1] - (place[0] + _HALF) * frame[2]
    along = turned_back(cast, across * cast[1] + upward * cast[2] + cast[3])
    eye = turned_back(cast, cast[0] - cast[8])
    span = chunks_of_cast[number]
    nearest = wp.float32(wp.inf)
    for chunk in range(span[0], span[1]):
        nearest = wp.min(nearest, first_met(chunks[chunk], eye, along))
    depths[ray] = nearest
