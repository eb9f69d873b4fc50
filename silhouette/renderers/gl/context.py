"""OpenGL's context: one for each device in a process, opened when it is first asked for.

Contexts and drawing are our own (platforms.py, depth_pass.py), on PyOpenGL's functions. pyrender, which lends contexts,
cannot keep the contract: its depth and segmentation modes cull back faces under every setting, its framebuffer
holds four samples per pixel of which none is the middle, and its 24 bits of depth lie between planes that have to be
chosen. For its contexts alone, it and the packages that it needs are too large to install.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from silhouette.errors import RendererUnavailable, RequestError
from silhouette.installation import package_command
from silhouette.renderers.gl.devices import INSTALL, EGLDevice, chosen_device, require_osmesa
from silhouette.renderers.gl.platforms import EGLPlatform, OSMesaPlatform, Platform

PLATFORMS = ("egl", "osmesa")

SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software")
"""Words by which OpenGL's own names for its renderers betray that no GPU draws."""


@dataclass(frozen=True, eq=False)
class Context:
    """An OpenGL context. It lives to the end of the process: PyOpenGL cannot be bound to another platform in it.

    Attributes:
        label: "EGL" or "OSMesa".
        device: the number of the EGL device, None on OSMesa.
        vendor, renderer, version: what OpenGL calls itself.
        platform: the context itself.
    """

    label: str
    device: int | None
    vendor: str
    renderer: str
    version: str
    platform: Platform

    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def hardware(self) -> bool:
        """Whether this is a GPU."""
        return not any(word in self.renderer.lower() for word in SOFTWARE)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Holds the context for this thread, and then lets go of it, so that other threads can take it."""
        with self.lock:
            self.platform.make_current()
            try:
                yield
            finally:
                self.platform.let_go()


_contexts: dict[tuple[str, int | None], Context] = {}


def context_on(requested: str | None, number: int | None) -> Context:
    """The process's context on a platform and a device, opened on first use.

    Args:
        requested: "egl" or "osmesa"; None for the platform that the environment's PYOPENGL_PLATFORM names, else EGL
            where it works, else OSMesa.
        number: the number of an EGL device; None for `silhouette.renderers.gl.devices.chosen_device`.

    Raises:
        RendererUnavailable: where the platform or the device cannot run here, with the reason and what to install.
        RequestError: where a device is given for OSMesa, which has none.
    """
    platform, device = _choose_platform(requested or os.environ.get("PYOPENGL_PLATFORM"), number)
    place = platform, None if device is None else device.index
    if place not in _contexts:
        _bind_opengl(platform)
        try:
            _contexts[place] = _open(platform, device)
        except RendererUnavailable:
            raise
        except Exception as error:  # whatever a driver or PyOpenGL come up with
            reason = str(error) or type(error).__name__
            raise RendererUnavailable(f"OpenGL on {platform} does not start ({reason}); {INSTALL}") from error
    return _contexts[place]


def _choose_platform(requested: str | None, number: int | None) -> tuple[str, EGLDevice | None]:
    """The platform for PyOpenGL, and the EGL device, both known to work; raises with the reason where none works."""
    if requested is not None and requested not in PLATFORMS:
        raise RendererUnavailable(f"OpenGL platform '{requested}' is not known here; egl or osmesa would be right")
    bound = _bound_platform()
    if bound is not None and (requested or bound) != bound:
        raise RendererUnavailable(
            f"OpenGL is bound to {bound} in this process and cannot change to {requested}; start another process"
        )
    if bound is not None and bound not in PLATFORMS:
        raise RendererUnavailable(
            f"OpenGL is bound to {bound} in this process, not to egl or osmesa; start another process"
        )
    if number is not None and (requested or bound or "egl") != "egl":
        raise RequestError(f"device {number} is asked for, but OpenGL is on OSMesa, which has no devices")
    reasons = []
    for platform in [requested or bound] if requested or bound else PLATFORMS:
        try:
            if platform == "egl":
                return platform, chosen_device(number)
            require_osmesa()
        except RendererUnavailable as error:
            if number is not None or os.environ.get("EGL_DEVICE_ID"):
                raise
            reasons.append(str(error).replace(f"; {INSTALL}", ""))
        else:
            return str(platform), None
    raise RendererUnavailable(f"{', and '.join(reasons)}; {INSTALL}")


def _bound_platform() -> str | None:
    """The platform that PyOpenGL is bound to in this process: the last part of the name of its platform's module."""
    loaded = sys.modules.get("OpenGL.platform")
    bound = getattr(loaded, "PLATFORM", None)
    return type(bound).__module__.rpartition(".")[2] if bound is not None else None


def _bind_opengl(platform: str) -> None:
    """Imports PyOpenGL for a platform: the environment's PYOPENGL_PLATFORM decides when it is first imported."""
    before = os.environ.get("PYOPENGL_PLATFORM")
    os.environ["PYOPENGL_PLATFORM"] = platform
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            from OpenGL import GL  # noqa: F401
    except Exception as error:  # a missing library shows as ImportError, AttributeError or OSError
        raise RendererUnavailable(
            f"PyOpenGL cannot be imported ({error}); install it with: {package_command('PyOpenGL')}; {INSTALL}"
        ) from error
    finally:
        if before is None:
            del os.environ["PYOPENGL_PLATFORM"]
        else:
            os.environ["PYOPENGL_PLATFORM"] = before


def _open(name: str, device: EGLDevice | None) -> Context:
    """A context on a platform; on EGL for a device."""
    platform: Platform = OSMesaPlatform() if device is None else EGLPlatform(device)
    from OpenGL import GL

    vendor, renderer, version = (
        GL.glGetString(which).decode(errors="replace") for which in (GL.GL_VENDOR, GL.GL_RENDERER, GL.GL_VERSION)
    )
    platform.let_go()
    number = None if device is None else device.index
    return Context({"egl": "EGL", "osmesa": "OSMesa"}[name], number, vendor, renderer, version, platform)
