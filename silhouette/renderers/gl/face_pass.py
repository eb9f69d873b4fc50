"""The drawing with OpenGL, again: for one body, the number of the face in front at some pixels.

It is asked only where two bodies come close to each other (exact.py). A depth buffer of floats keeps the nearest
fragment, which writes the number of its face. Everything here needs a current context.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import RendererUnavailable
from silhouette.renderers.gl.depth_pass import TILE, VERTEX_SHADER, MeshBuffer, clip_from_mesh
from silhouette.renderers.gl.exact import Faces
from silhouette.renderers.protocol import NEAREST, Body
from silhouette.views import View

FRAGMENT_SHADER = f"""
#version 330 core
in float distance_ahead;
uniform uint first_face;
out uint face;
void main() {{
    face = first_face + uint(gl_PrimitiveID);
    gl_FragDepth = {NEAREST} / distance_ahead;
}}
"""


class FacePass:
    """A program, and TILE x TILE numbers of faces with their depths."""

    def __init__(self) -> None:
        from OpenGL import GL
        from OpenGL.GL import shaders

        self._target = GL.glGenFramebuffers(1)
        self._pictures = GL.glGenRenderbuffers(2)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._target)
        kinds = (GL.GL_R32UI, GL.GL_COLOR_ATTACHMENT0), (GL.GL_DEPTH_COMPONENT32F, GL.GL_DEPTH_ATTACHMENT)
        for picture, (kind, attachment) in zip(self._pictures, kinds, strict=True):
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, picture)
            GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, kind, TILE, TILE)
            GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, attachment, GL.GL_RENDERBUFFER, picture)
        if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
            raise RendererUnavailable("this OpenGL cannot draw numbers; use embree")
        self._program: Any = shaders.compileProgram(
            shaders.compileShader(VERTEX_SHADER, GL.GL_VERTEX_SHADER),
            shaders.compileShader(FRAGMENT_SHADER, GL.GL_FRAGMENT_SHADER),
            validate=False,
        )
        self._clip_from_mesh = GL.glGetUniformLocation(self._program, "clip_from_mesh")
        self._first_face = GL.glGetUniformLocation(self._program, "first_face")

    def faces(self, view: View, body: Body, mesh: MeshBuffer, pixels: NDArray[np.int64]) -> Faces:
        """(n,) the face in front at ``pixels`` (n, 2), rows and columns within the view, at which the body is."""
        from OpenGL import GL

        (top, left), (bottom, right) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
        height, width = bottom + 1 - top, right + 1 - left
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._target)
        GL.glViewport(0, 0, view.width, view.height)
        for unwanted in (GL.GL_CULL_FACE, GL.GL_BLEND, GL.GL_STENCIL_TEST, GL.GL_DITHER, GL.GL_MULTISAMPLE):
            GL.glDisable(unwanted)
        for wanted in (GL.GL_SCISSOR_TEST, GL.GL_DEPTH_TEST):
            GL.glEnable(wanted)
        GL.glDepthMask(True)
        GL.glDepthFunc(GL.GL_GREATER)
        GL.glColorMask(True, True, True, True)
        GL.glPolygonMode(GL.GL_FRONT_AND_BACK, GL.GL_FILL)
        GL.glScissor(left, top, width, height)
        GL.glClearBufferuiv(GL.GL_COLOR, 0, np.zeros(4, np.uint32))
        GL.glClearBufferfv(GL.GL_DEPTH, 0, np.zeros(1, np.float32))
        GL.glUseProgram(self._program)
        GL.glUniformMatrix4fv(self._clip_from_mesh, 1, GL.GL_TRUE, clip_from_mesh(view, body, mesh))
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
        from OpenGL import GL

        GL.glUseProgram(0)
        GL.glDeleteProgram(self._program)
        GL.glDeleteFramebuffers(1, [self._target])
        GL.glDeleteRenderbuffers(2, self._pictures)
