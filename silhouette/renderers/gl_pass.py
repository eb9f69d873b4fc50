"""What is drawn with OpenGL: for one body, the least distance at each pixel.

The fragments write their distance as a float and blending keeps the minimum: nothing is culled, there is no depth
buffer and no far plane, and the order of the triangles does not matter. Everything here needs a current context.
"""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import RendererUnavailable
from silhouette.geometry import Floats, corners
from silhouette.meshes import Mesh
from silhouette.renderers.base import NEAREST, Body
from silhouette.views import View

# Rows and columns of the buffer: no view that is drawn at once may have more.
TILE = 1024


VERTEX_SHADER = """
#version 330 core
layout(location = 0) in vec3 position;
uniform mat4 clip_from_mesh;
out float distance_ahead;
void main() {
    gl_Position = clip_from_mesh * vec4(position, 1.0);
    distance_ahead = gl_Position.w;
}
"""
FRAGMENT_SHADER = """
#version 330 core
in float distance_ahead;
out float least;
void main() { least = distance_ahead; }
"""

Depths = NDArray[np.float32]


class Upload:
    """A mesh on the device, in float32 about its own middle, so that a mesh far from its origin loses nothing."""

    def __init__(self, mesh: Mesh) -> None:
        from OpenGL import GL

        self.triangles = len(mesh.faces)
        self.bounds = mesh.bounds
        self.middle = self.bounds.mean(axis=0)
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

    def free(self) -> None:
        """Gives the memory on the device back."""
        from OpenGL import GL

        GL.glDeleteVertexArrays(1, [self.array])
        GL.glDeleteBuffers(2, self.buffers)


class Pass:
    """The program, and a buffer of TILE x TILE floats that takes the least distance; needs a current context."""

    def __init__(self) -> None:
        from OpenGL import GL
        from OpenGL.GL import shaders

        self.array = GL.glGenVertexArrays(1)
        self.buffer = GL.glGenRenderbuffers(1)
        self.target = GL.glGenFramebuffers(1)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, self.buffer)
        GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, GL.GL_R32F, TILE, TILE)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.target)
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_RENDERBUFFER, self.buffer)
        if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
            raise RendererUnavailable("this OpenGL cannot draw into a buffer of floats; use embree")
        GL.glBindVertexArray(self.array)
        self.program = shaders.compileProgram(
            shaders.compileShader(VERTEX_SHADER, GL.GL_VERTEX_SHADER),
            shaders.compileShader(FRAGMENT_SHADER, GL.GL_FRAGMENT_SHADER),
        )
        self.clip_from_mesh = GL.glGetUniformLocation(self.program, "clip_from_mesh")

    def draw(self, view: View, body: Body, mesh: Upload) -> tuple[tuple[slice, slice], Depths]:
        """The window of the view that the body may touch, and its depths there, inf where it is not."""
        from OpenGL import GL

        window = _window(view, body.pose.place(corners(*mesh.bounds)))
        rows, columns = window
        x, y, wide, tall = columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start
        depth = np.full((tall, wide), np.inf, np.float32)
        if depth.size == 0:
            return window, depth
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.target)
        GL.glViewport(0, 0, view.width, view.height)
        GL.glEnable(GL.GL_SCISSOR_TEST)
        GL.glScissor(x, y, wide, tall)
        GL.glClearBufferfv(GL.GL_COLOR, 0, np.full(4, np.inf, np.float32))
        for unwanted in (GL.GL_CULL_FACE, GL.GL_DEPTH_TEST, GL.GL_DITHER, GL.GL_MULTISAMPLE):
            GL.glDisable(unwanted)
        GL.glPolygonMode(GL.GL_FRONT_AND_BACK, GL.GL_FILL)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendEquation(GL.GL_MIN)
        GL.glUseProgram(self.program)
        matrix = _clip_from_mesh(view, body, mesh.middle).astype(np.float32)
        GL.glUniformMatrix4fv(self.clip_from_mesh, 1, GL.GL_TRUE, matrix)
        GL.glBindVertexArray(mesh.array)
        GL.glDrawElements(GL.GL_TRIANGLES, 3 * mesh.triangles, GL.GL_UNSIGNED_INT, ctypes.c_void_p(0))
        GL.glReadPixels(x, y, wide, tall, GL.GL_RED, GL.GL_FLOAT, depth)
        return window, depth

    def free(self) -> None:
        """Gives program and buffer back."""
        from OpenGL import GL

        GL.glDeleteProgram(self.program)
        GL.glDeleteFramebuffers(1, [self.target])
        GL.glDeleteRenderbuffers(1, [self.buffer])
        GL.glDeleteVertexArrays(1, [self.array])


def _clip_from_mesh(view: View, body: Body, middle: Floats) -> Floats:
    """The matrix (4, 4) from a mesh about its middle to OpenGL's clip space, in which row 0 of the view lies lowest.

    So the pixels come back in the order of the view. Its last coordinate is the depth along the view's axis.
    """
    across, down = 2.0 / (view.step * view.width), 2.0 / (view.step * view.height)
    clip_from_view = np.array(
        [
            [across, 0.0, -across * view.left - 1.0, 0.0],
            [0.0, -down, down * view.top - 1.0, 0.0],
            [0.0, 0.0, 1.0, -2.0 * NEAREST],
            [0.0, 0.0, 1.0, 0.0],
        ]
    )
    view_from_mesh = np.eye(4)
    view_from_mesh[:3, :3] = view.axes @ body.pose.rotation
    view_from_mesh[:3, 3] = view.axes @ (body.pose.place(middle) - view.eye)
    matrix: Floats = clip_from_view @ view_from_mesh
    return matrix


def _window(view: View, box: Floats) -> tuple[slice, slice]:
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
