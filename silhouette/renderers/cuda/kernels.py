"""The kernels of the renderer ``cuda``: compiled when they are first launched on a device, and kept on disk by warp.

Only `silhouette.renderers.cuda.renderer` imports this, when it is started: warp is an extra, and takes half a second.
"""

import warp as wp

from silhouette.renderers.protocol import NEAREST_DEPTH_MM
from silhouette.renderers.rays import MAX_RAY_ATTEMPTS, TRUSTED_DEPTH_SHARE

_KERNEL_ATTEMPTS = wp.constant(MAX_RAY_ATTEMPTS)
_KERNEL_NEAREST_DEPTH = wp.constant(wp.float64(NEAREST_DEPTH_MM))
_KERNEL_TRUSTED_DEPTH = wp.constant(wp.float64(TRUSTED_DEPTH_SHARE))
_KERNEL_HALF = wp.constant(wp.float64(0.5))
_KERNEL_UNITY = wp.constant(wp.float64(1.0))
_KERNEL_FAR = wp.constant(wp.float32(3.0e38))  # farther than anything


@wp.struct
class DeviceChunk:
    """A chunk on a device: see `silhouette.renderers.rays.FaceChunk`; ``mesh`` is the number of its `warp.Mesh`."""

    mesh: wp.uint64
    middle: wp.vec3d
    planes: wp.array(dtype=wp.vec4d)


DeviceView = wp.types.matrix(shape=(5, 3), dtype=wp.float64)
"""A view on a device, by rows: its eye; right, up and forward; and its left, top and step."""


@wp.struct
class DeviceBody:
    """A body on a device."""

    turn: wp.mat33d  # by rows, the rotation of its pose
    at: wp.vec3d  # its translation
    # first, last: the number of its mesh's first chunk, and the one after its last
    first: wp.int32
    last: wp.int32


@wp.func
def turned_back(body: DeviceBody, vector: wp.vec3d):
    """A vector of the world in the frame of the body."""
    return vector[0] * body.turn[0] + vector[1] * body.turn[1] + vector[2] * body.turn[2]


@wp.func
def ray_along(view: DeviceView, place: wp.vec2d):
    """The ray through a place of the picture, row and column, as long as one unit of depth."""
    across = view[4, 0] + (place[1] + _KERNEL_HALF) * view[4, 2]
    upward = view[4, 1] - (place[0] + _KERNEL_HALF) * view[4, 2]
    return across * view[1] + upward * view[2] + view[3]


@wp.func
def first_met(chunk: DeviceChunk, eye: wp.vec3d, along: wp.vec3d, far: wp.float32):
    """The depth of the face that a ray meets first, infinite for none; no face that the eye only touches.

    A ray that meets such faces is sent again from a point beside the eye, on that side of them to which it goes. Each
    weighs the same: else, at a sharp edge, that side of one would be the wrong side of the other.

    Args:
        chunk: which faces.
        eye: in the mesh's frame.
        along: the ray in that frame, as long as one unit of depth.
        far: a depth; what lies well beyond it need not be met.
    """
    origin = eye - chunk.middle
    start = origin
    towards = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))
    ray = wp.vec3(wp.float32(along[0]), wp.float32(along[1]), wp.float32(along[2]))
    for attempt in range(_KERNEL_ATTEMPTS):
        near = wp.vec3(wp.float32(start[0]), wp.float32(start[1]), wp.float32(start[2]))
        hit = wp.mesh_query_ray(chunk.mesh, near, ray, far)
        if not hit.result:
            return wp.float32(wp.inf)
        plane = chunk.planes[hit.face]
        normal = wp.vec3d(plane[0], plane[1], plane[2])
        ahead = plane[3] - wp.dot(normal, origin)
        facing = wp.dot(normal, along)
        met = wp.float64(hit.t)
        if wp.abs(ahead) >= _KERNEL_NEAREST_DEPTH and met >= _KERNEL_NEAREST_DEPTH:
            depth = ahead / facing
            if wp.abs(depth - met) <= _KERNEL_TRUSTED_DEPTH * (_KERNEL_UNITY + met):
                return wp.float32(depth)
            return hit.t
        if facing < wp.float64(0.0):
            normal = -normal
        towards = towards + normal
        start = origin + towards * (wp.float64(attempt + 1) * _KERNEL_NEAREST_DEPTH)
    return wp.float32(wp.inf)


@wp.func
def first_of_body(
    body: DeviceBody, chunks: wp.array(dtype=DeviceChunk), eye: wp.vec3d, along: wp.vec3d, far: wp.float32
):
    """The depth at which a ray meets a body first, if that is not beyond ``far``; infinite for none."""
    from_there = turned_back(body, eye - body.at)
    turned = turned_back(body, along)
    nearest = wp.float32(wp.inf)
    for chunk in range(body.first, body.last):
        nearest = wp.min(nearest, first_met(chunks[chunk], from_there, turned, far))
    return nearest


@wp.kernel(enable_backward=False)
def cast_rays(
    views: wp.array(dtype=DeviceView),
    bodies: wp.array(dtype=DeviceBody),
    chunks: wp.array(dtype=DeviceChunk),
    cast_of_ray: wp.array(dtype=wp.int32),
    places: wp.array(dtype=wp.vec2d),
    depths: wp.array(dtype=wp.float32),
):
    """The depth at which each ray meets its cast's body, infinite for none.

    Args:
        views, bodies: of each cast.
        chunks: all that are on the device.
        cast_of_ray: by number.
        places: row and column of each ray in the picture of its cast.
        depths: the answers.
    """
    ray = wp.tid()
    number = cast_of_ray[ray]
    view = views[number]
    depths[ray] = first_of_body(bodies[number], chunks, view[0], ray_along(view, places[ray]), _KERNEL_FAR)
