"""OpenGL's context: one for each device in a process, opened when it is first asked for, lent by pyrender.

The only module that imports pyrender, for its contexts on EGL and on OSMesa. The drawing is our own (depth_pass.py),
because pyrender's passes cannot keep the contract: its depth and segmentation modes cull back faces under every
setting, its framebuffer holds four samples per pixel of which none is the middle, and its 24 bits of depth lie
between planes that have to be chosen.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from silhouette.errors import RendererUnavailable, RequestError
from silhouette.installation import package_command
from silhouette.renderers.gl.devices import INSTALL, chosen_device, require_osmesa

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
        platform: pyrender's object for the context.
    """

    label: str
    device: int | None
    vendor: str
    renderer: str
    version: str
    platform: Any

    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    process: int = field(default_factory=os.getpid, repr=False)

    @property
    def is_here(self) -> bool:
        """Whether this process opened it: one that was forked from it may neither use nor close it."""
        return self.process == os.getpid()

    @property
    def hardware(self) -> bool:
        """Whether this is a GPU."""
        return not any(word in self.renderer.lower() for word in SOFTWARE)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Holds the context for this thread, and then lets go of it, which pyrender does not, so that others can.

        Raises:
            RendererUnavailable: in a process that was forked from the one that opened it.
        """
        if not self.is_here:
            raise RendererUnavailable("this OpenGL renderer was started before this process was forked; start another")
        with self.lock:
            self.platform.make_current()
            try:
                yield
            finally:
                _let_go(self.platform)


_contexts: dict[tuple[str, int | None], Context] = {}

_opening = threading.Lock()
"""Two threads that opened a context at once would open two, of which one closes the device for both when it goes."""

_lost = list[Context]()
"""Those of the processes from which this one was forked."""

SURFACELESS = 0x31DD  # EGL_PLATFORM_SURFACELESS_MESA


def _after_fork() -> None:
    """Lets go of the contexts of the process from which this one was forked, without a call to the driver."""
    global _opening
    for context in _contexts.values():
        context.platform.delete_context = lambda: None  # pyrender would close it here when Python ends
    _lost.extend(_contexts.values())
    _contexts.clear()
    _opening = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


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
    with _opening:
        platform, device = _choose_platform(requested or os.environ.get("PYOPENGL_PLATFORM"), number)
        if (platform, device) not in _contexts:
            _import_pyrender(platform)
            try:
                _contexts[platform, device] = _open(platform, device)
            except RendererUnavailable:
                raise
            except Exception as error:  # whatever a driver, PyOpenGL or pyrender's assertions come up with
                reason = str(error) or type(error).__name__
                raise RendererUnavailable(f"OpenGL on {platform} does not start ({reason}); {INSTALL}") from error
        return _contexts[platform, device]


def _choose_platform(requested: str | None, number: int | None) -> tuple[str, int | None]:
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
                return platform, chosen_device(number).index
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


def _import_pyrender(platform: str) -> None:
    before = os.environ.get("PYOPENGL_PLATFORM")
    os.environ["PYOPENGL_PLATFORM"] = platform
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                import pyrender  # noqa: F401
            except Exception:
                _import_without_viewer()
    except Exception as error:  # a missing library shows as ImportError, AttributeError or OSError
        raise RendererUnavailable(
            f"pyrender cannot be imported ({error}); install it with: {package_command('pyrender2')}; {INSTALL}"
        ) from error
    finally:
        if before is None:
            del os.environ["PYOPENGL_PLATFORM"]
        else:
            os.environ["PYOPENGL_PLATFORM"] = before


def _import_without_viewer() -> None:
    """Imports pyrender without its window, which needs libraries of a display (X11) that a server does not have."""
    name = "pyrender.viewer"
    sys.modules[name] = ModuleType(name)
    sys.modules[name].Viewer = None  # type: ignore[attr-defined]
    try:
        import pyrender  # noqa: F401
    except Exception:
        del sys.modules[name]
        raise


def _open(name: str, device: int | None) -> Context:
    """A context whose own picture has one pixel: everything is drawn into buffers."""
    platform: Any
    if any(context.hardware or context.label == "OSMesa" for context in _lost) or len({c.process for c in _lost}) > 1:
        raise RendererUnavailable(
            "OpenGL's driver does not survive that this process was forked from one that has drawn with it; start "
            "processes with spawn or forkserver"
        )
    if name == "egl":
        from pyrender.platforms import egl

        opened = egl.get_device_by_index(device)
        if _lost:  # the display of the device is that of the other process, with threads that are not here
            opened.get_display = lambda: egl._eglGetPlatformDisplayEXT(SURFACELESS, None, None)
        platform = egl.EGLPlatform(1, 1, device=opened)
    else:
        from pyrender.platforms.osmesa import OSMesaPlatform

        platform = OSMesaPlatform(1, 1)
    from OpenGL import GL

    platform.init_context()
    platform.make_current()
    vendor, renderer, version = (
        GL.glGetString(which).decode(errors="replace") for which in (GL.GL_VENDOR, GL.GL_RENDERER, GL.GL_VERSION)
    )
    _let_go(platform)
    return Context({"egl": "EGL", "osmesa": "OSMesa"}[name], device, vendor, renderer, version, platform)


def _let_go(platform: Any) -> None:
    """Makes no context current on this thread; pyrender's own `make_uncurrent` does nothing."""
    if _bound_platform() == "egl":
        from OpenGL import EGL

        EGL.eglMakeCurrent(platform._egl_display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, EGL.EGL_NO_CONTEXT)
    else:
        from OpenGL import osmesa

        osmesa.OSMesaMakeCurrent(None, None, 0, 0, 0)
