"""OpenGL contexts without a window: on EGL, for a device of its list, and on OSMesa, in memory.

PyOpenGL must be bound to the platform before (context.py). What is drawn goes into buffers, so that no surface is
needed but the one pixel that OSMesa asks for.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from silhouette.renderers.gl.devices import EGLDevice, display_on

DEPTH_BITS = 24
COLOUR_BITS = 8


class Platform(Protocol):
    """An OpenGL context that can be made the thread's own, and let go of."""

    def make_current(self) -> None:
        """Makes it the context of this thread."""

    def let_go(self) -> None:
        """Leaves this thread without a context, so that another can take it."""


class EGLPlatform:
    """A core context of OpenGL 4.1 on an EGL device.

    Args:
        device: one of `silhouette.renderers.gl.devices.listed_devices`.

    Raises:
        OSError: where EGL refuses one of the steps.
    """

    def __init__(self, device: EGLDevice) -> None:
        from OpenGL import EGL

        with _without_display():
            self._display = ctypes.cast(display_on(device) or 0, EGL.EGLDisplay)
        attributes = _attributes(
            *(EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT),
            *(EGL.EGL_RED_SIZE, COLOUR_BITS, EGL.EGL_GREEN_SIZE, COLOUR_BITS, EGL.EGL_BLUE_SIZE, COLOUR_BITS),
            *(EGL.EGL_DEPTH_SIZE, DEPTH_BITS),
            *(EGL.EGL_COLOR_BUFFER_TYPE, EGL.EGL_RGB_BUFFER),
            *(EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_BIT, EGL.EGL_CONFORMANT, EGL.EGL_OPENGL_BIT),
            EGL.EGL_NONE,
        )
        version = _attributes(
            *(EGL.EGL_CONTEXT_MAJOR_VERSION, 4, EGL.EGL_CONTEXT_MINOR_VERSION, 1),
            *(EGL.EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL.EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT),
            EGL.EGL_NONE,
        )
        configurations, count = (EGL.EGLConfig * 1)(), EGL.EGLint()
        _granted("open the device", EGL.eglInitialize(self._display, EGL.EGLint(), EGL.EGLint()))
        found = EGL.eglChooseConfig(self._display, attributes, configurations, 1, count)
        _granted("offer a configuration", found and count.value)
        _granted("bind OpenGL", EGL.eglBindAPI(EGL.EGL_OPENGL_API))
        self._context = EGL.eglCreateContext(self._display, configurations[0], EGL.EGL_NO_CONTEXT, version)
        self.make_current()

    def make_current(self) -> None:
        """Makes it the context of this thread."""
        from OpenGL import EGL

        made = EGL.eglMakeCurrent(self._display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, self._context)
        _granted("make its context current", made)

    def let_go(self) -> None:
        """Leaves this thread without a context."""
        from OpenGL import EGL

        EGL.eglMakeCurrent(self._display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, EGL.EGL_NO_CONTEXT)


class OSMesaPlatform:
    """A core context of OpenGL 3.3 in memory, drawn by the CPU.

    Raises:
        OSError: where OSMesa refuses it.
    """

    def __init__(self) -> None:
        from OpenGL import osmesa

        attributes = _attributes(
            *(osmesa.OSMESA_FORMAT, osmesa.OSMESA_RGBA, osmesa.OSMESA_DEPTH_BITS, DEPTH_BITS),
            *(osmesa.OSMESA_PROFILE, osmesa.OSMESA_CORE_PROFILE),
            *(osmesa.OSMESA_CONTEXT_MAJOR_VERSION, 3, osmesa.OSMESA_CONTEXT_MINOR_VERSION, 3),
            0,
        )
        self._context = osmesa.OSMesaCreateContextAttribs(attributes, None)
        self._pixel = np.zeros((1, 1, 4), np.uint8)
        self.make_current()

    def make_current(self) -> None:
        """Makes it the context of this thread."""
        from OpenGL import GL, osmesa

        made = osmesa.OSMesaMakeCurrent(self._context, self._pixel, GL.GL_UNSIGNED_BYTE, 1, 1)
        _granted("make its context current", made)

    def let_go(self) -> None:
        """Leaves this thread without a context."""
        from OpenGL import osmesa

        osmesa.OSMesaMakeCurrent(None, None, 0, 0, 0)


def _attributes(*words: int) -> Any:
    """A list of attributes as C has it."""
    from OpenGL import arrays

    return arrays.GLintArray.asArray([int(word) for word in words])


def _granted(step: str, answer: Any) -> None:
    if not answer:
        raise OSError(f"the driver does not {step}")


@contextmanager
def _without_display() -> Iterator[None]:
    """Hides the display of a desktop, which some drivers would otherwise take in place of the device."""
    kept = os.environ.pop("DISPLAY", None)
    try:
        yield
    finally:
        if kept is not None:
            os.environ["DISPLAY"] = kept
