"""The drawing with OpenGL: for one body, the least distance at each pixel; or the number of the face in front.

The fragments write their distance, in the plane of their face, as a float and blending keeps the minimum: nothing is
culled, there is no depth buffer and no far plane, and the order of the triangles does not matter. Several bodies are
drawn one after the other into the same texture; the wanted pixels of each are copied into one buffer on the device,
which is read in one piece, so that a check waits for the device once. For the faces, a depth buffer of floats keeps the
nearest fragment, which writes the number of its face.

Importing this module binds PyOpenGL to a platform: it is imported when there is a context, which all of it needs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL
from OpenGL.GL import shaders

from silhouette.common.errors import RendererUnavailable
from silhouette.common.geometry import Floats, corners
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.gl.exact import MAX_TEXTURE_SIDE, Depths, Faces, touched_faces
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View

VERTEX_SHADER = """
#version 330 core
layout(location = 0) in vec3 position;
uniform mat4 clip_from_mesh;
out vec3 corner;
void main() {
    corner = position;
    gl_Position = clip_from_mesh * vec4(position, 1.0);
}
"""
PLANE_SHADER = """
#version 330 core
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec3 corner[];
uniform mat4 clip_from_mesh;
flat out vec4 plane;
flat out vec2 reach;
vec3 along(vec3 edge) { return (clip_from_mesh * vec4(edge, 0.0)).xyw; }
void main() {
    vec3 first = gl_in[0].gl_Position.xyw;
    vec3 normal = cross(along(corner[1] - corner[0]), along(corner[2] - corner[0]));
    vec3 depths = vec3(gl_in[0].gl_Position.w, gl_in[1].gl_Position.w, gl_in[2].gl_Position.w);
    for (int number = 0; number < 3; number++) {
        gl_Position = gl_in[number].gl_Position;
        gl_PrimitiveID = gl_PrimitiveIDIn;
        plane = vec4(normal, dot(normal, first));
        reach = vec2(min(depths.x, min(depths.y, depths.z)), max(depths.x, max(depths.y, depths.z)));
        EmitVertex();
    }
    EndPrimitive();
}
"""
DISTANCE = """
flat in vec4 plane;
flat in vec2 reach;
uniform vec2 size;
float distance_ahead() {
    float facing = dot(plane.xyz, vec3(2.0 * gl_FragCoord.xy / size - 1.0, 1.0));
    return facing == 0.0 ? max(reach.x, 0.0) : clamp(plane.w / facing, reach.x, reach.y);
}
"""
"""In which depth a pixel's middle meets the plane of its face: devices interpolate less exactly than floats are."""

FRAGMENT_SHADER = f"""
#version 330 core
{DISTANCE}
out float least;
void main() {{ least = distance_ahead(); }}
"""
LOOKUP_SHADER = """
#version 330 core
layout(location = 0) in ivec2 place;
uniform sampler2D drawn;
out float found;
void main() { found = texelFetch(drawn, place, 0).r; }
"""

FACE_SHADER = f"""
#version 330 core
{DISTANCE}
uniform uint first_face;
out uint face;
void main() {{
    face = first_face + uint(gl_PrimitiveID);
    gl_FragDepth = {NEAREST_DEPTH_MM} / distance_ahead();
}}
"""

Window = tuple[slice, slice]  # rows and columns of a view

FLOAT_BYTES = 4


class MeshBuffer:
    """A mesh on the device, in float32 about its own middle, so that a mesh far from its origin loses nothing."""

    def __init__(self, mesh: Mesh) -> None:
        self.triangles = len(mesh.faces)
        self.middle = mesh.bounds.mean(axis=0)
        self.corners = corners(*mesh.bounds)
        vertices = (mesh.vertices - self.middle).astype(np.float32)
        faces = mesh.faces.astype(np.uint32)
        self.array = GL.glGenVertexArrays(1)
        self.buffers = GL.glGenBuffers(2)
        GL.glBindVertexArray(self.array)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.buffers[0])
        GL.glBufferData(GL.GL_ARRAY_BUFFER, vertices.nbytes, vertices, GL.GL_STATIC_DRAW)
        GL.glVertexAttribPointer(0, 3, GL.GL_FLOAT, GL.GL_FALSE, 0, ctypes.c_void_p(0))
        GL.glEnableVertexAttribArray(0)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self.buffers[1])
        GL.glBufferData(GL.GL_ELEMENT_ARRAY_BUFFER, faces.nbytes, faces, GL.GL_STATIC_DRAW)
        GL.glBindVertexArray(0)

    def runs(self, body: Body, eye: Floats) -> Iterator[tuple[int, int]]:
        """The runs of faces, first and number, that are drawn: all but those that the eye (3,) only touches."""
        touched = touched_faces(body.mesh, body.pose.localise(eye[None])[0])
        starts, ends = np.append(0, touched + 1), np.append(touched, self.triangles)
        some = ends > starts
        yield from zip(starts[some].tolist(), (ends - starts)[some].tolist(), strict=True)

    def draw(self, start: int, count: int) -> None:
        """Draws ``count`` faces from the face ``start`` on."""
        GL.glBindVertexArray(self.array)
        first = ctypes.c_void_p(3 * start * np.dtype(np.uint32).itemsize)
        GL.glDrawElements(GL.GL_TRIANGLES, 3 * count, GL.GL_UNSIGNED_INT, first)

    def free(self) -> None:
        """Frees the memory on the device."""
        GL.glDeleteVertexArrays(1, [self.array])
        GL.glDeleteBuffers(2, self.buffers)


class FaceProgram:
    """A program that draws the faces of a mesh, and of each pixel knows in which depth its middle meets its face.

    Attributes:
        name: OpenGL's number of it.
    """

    def __init__(self, fragment_shader: str) -> None:
        stages = (
            (VERTEX_SHADER, GL.GL_VERTEX_SHADER),
            (PLANE_SHADER, GL.GL_GEOMETRY_SHADER),
            (fragment_shader, GL.GL_FRAGMENT_SHADER),
        )
        self.name: Any = shaders.compileProgram(
            *(shaders.compileShader(source, stage) for source, stage in stages), validate=False
        )
        self._clip_from_mesh = GL.glGetUniformLocation(self.name, "clip_from_mesh")
        self._size = GL.glGetUniformLocation(self.name, "size")

    def use(self, view: View, body: Body, mesh: MeshBuffer) -> None:
        """Draws with it from now on, as a view sees a body."""
        GL.glUseProgram(self.name)
        GL.glUniformMatrix4fv(self._clip_from_mesh, 1, GL.GL_TRUE, clip_from_mesh(view, body, mesh))
        GL.glUniform2f(self._size, view.width, view.height)


class DepthPass:
    """Two programs, a texture of TILE x TILE floats that takes the least distance, and a buffer for what comes back."""

    def __init__(self) -> None:
        self._texture = GL.glGenTextures(1)
        self._targets = GL.glGenFramebuffers(2)
        self._sink = GL.glGenRenderbuffers(1)
        self._buffers = GL.glGenBuffers(2)
        self._arrays = GL.glGenVertexArrays(2)
        self._room = 0
        self._make_targets()
        GL.glBindVertexArray(self._arrays[0])
        self._program = FaceProgram(FRAGMENT_SHADER)
        self._lookup = _lookup_program()
        GL.glBindVertexArray(self._arrays[1])
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffers[1])
        GL.glVertexAttribIPointer(0, 2, GL.GL_INT, 0, ctypes.c_void_p(0))
        GL.glEnableVertexAttribArray(0)
        GL.glBindVertexArray(0)

    def _make_targets(self) -> None:
        """The texture that is drawn into, and one pixel that stands in for it while it is read."""
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._texture)
        GL.glTexImage2D(
            GL.GL_TEXTURE_2D, 0, GL.GL_R32F, MAX_TEXTURE_SIDE, MAX_TEXTURE_SIDE, 0, GL.GL_RED, GL.GL_FLOAT, None
        )
        for which in (GL.GL_TEXTURE_MIN_FILTER, GL.GL_TEXTURE_MAG_FILTER):
            GL.glTexParameteri(GL.GL_TEXTURE_2D, which, GL.GL_NEAREST)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._targets[0])
        GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_TEXTURE_2D, self._texture, 0)
        if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
            raise RendererUnavailable("this OpenGL cannot draw into a buffer of floats; use embree")
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, self._sink)
        GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, GL.GL_R32F, 1, 1)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._targets[1])
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_RENDERBUFFER, self._sink)

    def windows(self, view: View, bodies: Sequence[tuple[Body, MeshBuffer]]) -> list[tuple[Window, Depths]]:
        """For each body alone the window of the view that it may touch, and its depths there, inf where it is not."""
        windows = [_window(view, body.pose.place(mesh.corners)) for body, mesh in bodies]
        sizes = [_size(window) for window in windows]
        if not any(sizes):
            return [(window, np.empty(_shape(window), np.float32)) for window in windows]
        self._begin(view)
        self._make_room(sum(sizes))
        GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, self._buffers[0])
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, FLOAT_BYTES)
        done = 0
        for (body, mesh), window, size in zip(bodies, windows, sizes, strict=True):
            if size:
                self._draw(window, view, body, mesh)
                GL.glReadPixels(*_origin(window), *_shape(window)[::-1], GL.GL_RED, GL.GL_FLOAT, done * FLOAT_BYTES)
                done += size
        depths = self._fetched(GL.GL_PIXEL_PACK_BUFFER, done)
        parts = np.split(depths, np.cumsum(sizes)[:-1])
        return [(window, part.reshape(_shape(window))) for window, part in zip(windows, parts, strict=True)]

    def depths(self, view: View, bodies: Sequence[tuple[Body, MeshBuffer]], pixels: NDArray[np.int64]) -> Depths:
        """(k, n) the depth of each body alone at ``pixels`` (n, 2), rows and columns within the view; inf for none.

        The device looks the pixels up and sends these alone.
        """
        depths = np.full((len(bodies), len(pixels)), np.inf, np.float32)
        (top, left), (bottom, right) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
        window = slice(top, bottom + 1), slice(left, right + 1)
        touched = np.flatnonzero(
            [_overlap(window, _window(view, body.pose.place(mesh.corners))) for body, mesh in bodies]
        )
        if len(touched) == 0:
            return depths
        self._begin(view)
        self._make_room(len(touched) * len(pixels))
        places = np.ascontiguousarray(pixels[:, ::-1], dtype=np.int32)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffers[1])
        GL.glBufferData(GL.GL_ARRAY_BUFFER, places.nbytes, places, GL.GL_STREAM_DRAW)
        GL.glActiveTexture(GL.GL_TEXTURE0)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._texture)
        for number, index in enumerate(touched.tolist()):
            body, mesh = bodies[index]
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._targets[0])
            self._draw(window, view, body, mesh)
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._targets[1])
            self._look_up(number, len(places))
        depths[touched] = self._fetched(GL.GL_TRANSFORM_FEEDBACK_BUFFER, len(touched) * len(pixels)).reshape(
            len(touched), -1
        )
        return depths

    def _begin(self, view: View) -> None:
        """Sets the state that stays the same from one body to the next."""
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._targets[0])
        GL.glViewport(0, 0, view.width, view.height)
        for unwanted in (GL.GL_CULL_FACE, GL.GL_DEPTH_TEST, GL.GL_STENCIL_TEST, GL.GL_DITHER, GL.GL_MULTISAMPLE):
            GL.glDisable(unwanted)
        GL.glDisable(GL.GL_RASTERIZER_DISCARD)
        GL.glColorMask(True, True, True, True)
        GL.glPolygonMode(GL.GL_FRONT_AND_BACK, GL.GL_FILL)
        GL.glEnable(GL.GL_SCISSOR_TEST)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendEquation(GL.GL_MIN)

    def _draw(self, window: Window, view: View, body: Body, mesh: MeshBuffer) -> None:
        """Draws one body into a window of the texture."""
        GL.glScissor(*_origin(window), *_shape(window)[::-1])
        GL.glClearBufferfv(GL.GL_COLOR, 0, _NO_DEPTH)
        self._program.use(view, body, mesh)
        for start, count in mesh.runs(body, view.eye):
            mesh.draw(start, count)

    def _look_up(self, number: int, count: int) -> None:
        """Copies ``count`` pixels of the texture into part ``number`` of the buffer."""
        size = count * FLOAT_BYTES
        GL.glUseProgram(self._lookup)
        GL.glBindVertexArray(self._arrays[1])
        GL.glEnable(GL.GL_RASTERIZER_DISCARD)
        GL.glBindBufferRange(GL.GL_TRANSFORM_FEEDBACK_BUFFER, 0, self._buffers[0], number * size, size)
        GL.glBeginTransformFeedback(GL.GL_POINTS)
        GL.glDrawArrays(GL.GL_POINTS, 0, count)
        GL.glEndTransformFeedback()
        GL.glDisable(GL.GL_RASTERIZER_DISCARD)

    def _make_room(self, floats: int) -> None:
        """Enlarges the buffer where it holds fewer than ``floats`` numbers."""
        if floats > self._room:
            self._room = 1 << (floats - 1).bit_length()
            GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, self._buffers[0])
            GL.glBufferData(GL.GL_PIXEL_PACK_BUFFER, self._room * FLOAT_BYTES, None, GL.GL_STREAM_READ)
            GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, 0)

    def _fetched(self, binding: Any, floats: int) -> Depths:
        """The first ``floats`` numbers of the buffer, once everything that was drawn is in it."""
        depths = np.empty(floats, np.float32)
        GL.glGetBufferSubData(binding, 0, depths.nbytes, depths.view(np.uint8))
        GL.glBindBuffer(binding, 0)
        GL.glBindVertexArray(0)
        return depths

    def free(self) -> None:
        """Frees the programs, the texture and the buffers on the device."""
        GL.glUseProgram(0)
        GL.glDeleteProgram(self._program.name)
        GL.glDeleteProgram(self._lookup)
        GL.glDeleteFramebuffers(2, self._targets)
        GL.glDeleteRenderbuffers(1, [self._sink])
        GL.glDeleteTextures([self._texture])
        GL.glDeleteBuffers(2, self._buffers)
        GL.glDeleteVertexArrays(2, self._arrays)


class FacePass:
    """A program, and TILE x TILE numbers of faces with their depths."""

    def __init__(self) -> None:
        self._target = GL.glGenFramebuffers(1)
        self._pictures = GL.glGenRenderbuffers(2)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._target)
        kinds = (GL.GL_R32UI, GL.GL_COLOR_ATTACHMENT0), (GL.GL_DEPTH_COMPONENT32F, GL.GL_DEPTH_ATTACHMENT)
        for picture, (kind, attachment) in zip(self._pictures, kinds, strict=True):
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, picture)
            GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, kind, MAX_TEXTURE_SIDE, MAX_TEXTURE_SIDE)
            GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, attachment, GL.GL_RENDERBUFFER, picture)
        if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
            raise RendererUnavailable("this OpenGL cannot draw numbers; use embree")
        self._program = FaceProgram(FACE_SHADER)
        self._first_face = GL.glGetUniformLocation(self._program.name, "first_face")

    def faces(self, view: View, body: Body, mesh: MeshBuffer, pixels: NDArray[np.int64]) -> Faces:
        """(n,) the face in front at ``pixels`` (n, 2), rows and columns within the view, at which the body is."""
        (top, left), (bottom, right) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
        height, width = bottom + 1 - top, right + 1 - left
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._target)
        GL.glViewport(0, 0, view.width, view.height)
        for unwanted in (GL.GL_CULL_FACE, GL.GL_BLEND, GL.GL_STENCIL_TEST, GL.GL_DITHER, GL.GL_MULTISAMPLE):
            GL.glDisable(unwanted)
        for needed in (GL.GL_SCISSOR_TEST, GL.GL_DEPTH_TEST):
            GL.glEnable(needed)
        GL.glDepthMask(True)
        GL.glDepthFunc(GL.GL_GREATER)
        GL.glColorMask(True, True, True, True)
        GL.glPolygonMode(GL.GL_FRONT_AND_BACK, GL.GL_FILL)
        GL.glScissor(left, top, width, height)
        GL.glClearBufferuiv(GL.GL_COLOR, 0, np.zeros(4, np.uint32))
        GL.glClearBufferfv(GL.GL_DEPTH, 0, np.zeros(1, np.float32))
        self._program.use(view, body, mesh)
        for start, count in mesh.runs(body, view.eye):
            GL.glUniform1ui(self._first_face, start)
            mesh.draw(start, count)
        drawn = np.empty((height, width), np.uint32)
        GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, 0)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, drawn.itemsize)
        GL.glReadPixels(left, top, width, height, GL.GL_RED_INTEGER, GL.GL_UNSIGNED_INT, drawn)
        GL.glBindVertexArray(0)
        GL.glDisable(GL.GL_DEPTH_TEST)
        faces: Faces = drawn[pixels[:, 0] - top, pixels[:, 1] - left]
        return faces

    def free(self) -> None:
        """Frees the program and the pictures on the device."""
        GL.glUseProgram(0)
        GL.glDeleteProgram(self._program.name)
        GL.glDeleteFramebuffers(1, [self._target])
        GL.glDeleteRenderbuffers(2, self._pictures)


_NO_DEPTH = np.full(4, np.inf, np.float32)


def _lookup_program() -> Any:
    """The program that reads single pixels; its output is named before it is linked."""
    program = GL.glCreateProgram()
    shader = shaders.compileShader(LOOKUP_SHADER, GL.GL_VERTEX_SHADER)
    GL.glAttachShader(program, shader)
    GL.glDeleteShader(shader)
    names = (ctypes.c_char_p * 1)(b"found")
    listed = ctypes.cast(names, ctypes.POINTER(ctypes.POINTER(GL.GLchar)))
    GL.glTransformFeedbackVaryings(program, 1, listed, GL.GL_INTERLEAVED_ATTRIBS)
    GL.glLinkProgram(program)
    if GL.glGetProgramiv(program, GL.GL_LINK_STATUS) != GL.GL_TRUE:
        raise RuntimeError(GL.glGetProgramInfoLog(program))
    return program


def clip_from_mesh(view: View, body: Body, mesh: MeshBuffer) -> NDArray[np.float32]:
    """The matrix (4, 4) from a mesh about its middle to OpenGL's clip space."""
    return (_clip_from_view(view) @ _view_from_mesh(view, body, mesh.middle)).astype(np.float32)


def _clip_from_view(view: View) -> Floats:
    """The matrix (4, 4) from right, up and forward to OpenGL's clip space, in which row 0 of the view lies lowest.

    So the pixels come back in the order of the view. Its last coordinate is the depth along the view's axis.
    """
    across, down = 2.0 / (view.step * view.width), 2.0 / (view.step * view.height)
    return np.array(
        [
            [across, 0.0, -across * view.left - 1.0, 0.0],
            [0.0, -down, down * view.top - 1.0, 0.0],
            [0.0, 0.0, 1.0, -2.0 * NEAREST_DEPTH_MM],
            [0.0, 0.0, 1.0, 0.0],
        ]
    )


def _view_from_mesh(view: View, body: Body, middle: Floats) -> Floats:
    """The matrix (4, 4) from a mesh about its middle to right, up and forward of the view."""
    matrix = np.eye(4)
    matrix[:3, :3] = view.axes @ body.pose.rotation
    matrix[:3, 3] = view.axes @ (body.pose.place(middle) - view.eye)
    return matrix


def _window(view: View, box: Floats) -> Window:
    """The rows and columns that a body within the eight corners ``box`` (8, 3) of the world may touch."""
    columns, rows, depth = view.project(box)
    if (depth <= 0).all():
        return slice(0, 0), slice(0, 0)
    if (depth <= 0).any():
        return slice(0, view.height), slice(0, view.width)
    return _span(rows, view.height), _span(columns, view.width)


def _span(places: Floats, size: int) -> slice:
    low, high = np.clip([places.min() - 1.0, places.max() + 2.0], 0, size).astype(int).tolist()
    return slice(low, high)


def _overlap(first: Window, second: Window) -> bool:
    """Whether two windows share a pixel."""
    return all(max(a.start, b.start) < min(a.stop, b.stop) for a, b in zip(first, second, strict=True))


def _shape(window: Window) -> tuple[int, int]:
    rows, columns = window
    return rows.stop - rows.start, columns.stop - columns.start


def _size(window: Window) -> int:
    height, width = _shape(window)
    return height * width


def _origin(window: Window) -> tuple[int, int]:
    """The first column and row of a window, as OpenGL counts: across, then upward."""
    return window[1].start, window[0].start
