"""OpenGL's devices and contexts: the devices of this machine, and a context for each that a process asks for.

a name, or none -> a device that starts -> the platform -> a context, opened once, lent by pyrender

PyOpenGL binds to one platform, EGL or OSMesa, when it is first imported, and to no other in that process. So which
platform works has to be known before the import: ctypes calls the libraries directly, which lists the devices in
milliseconds and without importing OpenGL.

The only module that imports pyrender, for its contexts on EGL and on OSMesa. The drawing is our own (depth_pass.py),
because pyrender's passes cannot keep the contract: its depth and segmentation modes cull back faces under every
setting, its framebuffer holds four samples per pixel of which none is the middle, and its 24 bits of depth lie
between planes that have to be chosen.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import POINTER, c_char_p, c_int, c_ssize_t, c_uint, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from silhouette.common.errors import RendererUnavailable, RequestError
from silhouette.common.installation import package_command

# ---- devices

INSTALL = "on Debian or Ubuntu: apt install libegl1 libopengl0 libgl1-mesa-dri libosmesa6"

# From the EGL registry: EGL_EXT_platform_device, EGL's core, EGL_EXT_device_drm and EGL_NV_device_cuda.
EGL_PLATFORM_DEVICE = 0x313F
EGL_EXTENSIONS = 0x3055
EGL_DRM_DEVICE_FILE = 0x3233
EGL_CUDA_DEVICE = 0x323A

DEVICES_AT_MOST = 32

SYSTEM_ROOT = Path("/")  # below which the device files, /dev and /sys, are looked for


@dataclass(frozen=True)
class EGLDevice:
    """One device that EGL can draw on."""

    index: int  # its place in EGL's own list, and so its number
    software: bool  # whether it is no GPU but Mesa's software renderer
    file: str = ""  # the device file through which it draws, such as /dev/dri/card0; empty where EGL names none
    cuda: int | None = None  # the number that CUDA gives it, or None
    handle: int | None = field(default=None, repr=False, compare=False)  # the pointer by which EGL knows it


def listed_devices() -> list[EGLDevice]:
    """The devices that EGL lists, in its order; some may not start.

    Raises:
        RendererUnavailable: where there is no EGL library, or it lists none.
    """
    library = _library("EGL", "libEGL.so.1")
    _library("OpenGL for EGL", "libOpenGL.so.0", "libGL.so.1")
    query = _function(library, "eglQueryDevicesEXT", c_uint, c_int, POINTER(c_void_p), POINTER(c_int))
    describe = _function(library, "eglQueryDeviceStringEXT", c_char_p, c_void_p, c_int)
    handles, count = (c_void_p * DEVICES_AT_MOST)(), c_int()
    if not query(DEVICES_AT_MOST, handles, count) or count.value == 0:
        raise RendererUnavailable(f"EGL lists no device; {INSTALL}")
    devices = []
    for index, handle in enumerate(handles[: count.value]):
        extensions = (describe(handle, EGL_EXTENSIONS) or b"").split()
        file = describe(handle, EGL_DRM_DEVICE_FILE) if b"EGL_EXT_device_drm" in extensions else None
        cuda = _cuda_number(library, handle) if b"EGL_NV_device_cuda" in extensions else None
        software = b"EGL_MESA_device_software" in extensions
        devices.append(EGLDevice(index, software, (file or b"").decode(errors="replace"), cuda, handle))
    return devices


def _cuda_number(library: ctypes.CDLL, device: int | None) -> int | None:
    query = _function(library, "eglQueryDeviceAttribEXT", c_uint, c_void_p, c_int, POINTER(c_ssize_t))
    value = c_ssize_t()
    return value.value if query(device, EGL_CUDA_DEVICE, value) else None


def chosen_device(number: int | None = None) -> EGLDevice:
    """The device ``number``; for None the one that the environment chooses, else the first that starts, a GPU if any.

    The environment chooses by EGL_DEVICE_ID, a number in EGL's list, as for other programs that draw on EGL; or where
    CUDA_VISIBLE_DEVICES hands out GPUs, the first that it names.

    Raises:
        RendererUnavailable: where there is no EGL library, no device of that number, or it does not start.
        RequestError: where EGL_DEVICE_ID is no number.
    """
    listed = listed_devices()
    requested, source = number, "--device"
    if requested is None and os.environ.get("EGL_DEVICE_ID"):
        source = "EGL_DEVICE_ID"
        requested = _whole_number(os.environ["EGL_DEVICE_ID"])
        if requested is None:
            raise RequestError(f"EGL_DEVICE_ID is '{os.environ['EGL_DEVICE_ID']}'; it must be a number of a device")
    if requested is None:
        for device in [*_gpus(listed), *(device for device in listed if device.software)]:
            if starts(device):
                return device
        raise RendererUnavailable(f"EGL has no device that starts, not even in software; {INSTALL}")
    if not 0 <= requested < len(listed):
        there = "0" if len(listed) == 1 else f"0 to {len(listed) - 1}"
        absent = f"there is no device {requested} ({source})"
        raise RendererUnavailable(f"{absent}; EGL lists {there}, see silhouette doctor")
    if not starts(listed[requested]):
        raise RendererUnavailable(f"EGL's device {requested} does not start; silhouette doctor says more")
    return listed[requested]


def shared_out(worker: int) -> int | None:
    """The device for worker ``worker``, from 0, of a pool without a chosen device: the GPUs in turn.

    All GPUs are of the kind of the first: the pictures of others could differ in pixels on a rim. None leaves it to
    `chosen_device`: where the environment names one, and where there is one GPU or none.
    """
    if os.environ.get("EGL_DEVICE_ID") or os.environ.get("PYOPENGL_PLATFORM", "egl") != "egl" or not shows_gpu():
        return None
    try:
        listed = _gpus(listed_devices())
    except RendererUnavailable:
        return None
    gpus = [device for device in listed if _kind(device) == _kind(listed[0])]
    if len(gpus) < 2:
        return None
    first = worker % len(gpus)
    return next((device.index for device in [*gpus[first:], *gpus[:first]] if starts(device)), None)


def _gpus(devices: list[EGLDevice]) -> list[EGLDevice]:
    """The devices that are GPUs; where CUDA_VISIBLE_DEVICES names any by number, these alone and in its order."""
    numbers = [_whole_number(word) for word in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    chosen = [device for cuda in numbers for device in devices if cuda is not None and device.cuda == cuda]
    return chosen or [device for device in devices if not device.software]


def _whole_number(word: str) -> int | None:
    """The whole number that a word of digits alone stands for; None for any other word.

    >>> _whole_number(" 2"), _whole_number("GPU-5ebe9fa3"), _whole_number("-1")
    (2, None, None)
    """
    return int(word) if word.strip().isdecimal() else None


def _kind(device: EGLDevice) -> tuple[str, ...]:
    """The system's name for the chip, and whether NVIDIA's driver lists it: Mesa may list the same card again."""
    place = Path(SYSTEM_ROOT, "sys/class/drm", Path(device.file).name, "device")
    names = []
    for name in ("vendor", "device"):
        with suppress(OSError):
            names.append((place / name).read_text().strip())
    return (*names, "" if device.cuda is None else "CUDA")


def require_osmesa() -> None:
    """Raises `RendererUnavailable` where the OSMesa library is not there."""
    _library("OSMesa", "libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")


def shows_gpu() -> bool:
    """Whether the system has a device file of a GPU; nothing is loaded to find out."""
    signs = ("nvidia[0-9]*", "dri/renderD*", "dxg")
    return any(True for sign in signs for _ in Path(SYSTEM_ROOT, "dev").glob(sign))


def starts(device: EGLDevice) -> bool:
    """Whether a device opens. It stays open: a process has one handle for it and may be drawing with it already."""
    library = _library("EGL", "libEGL.so.1")
    display_of = _function(library, "eglGetPlatformDisplayEXT", c_void_p, c_uint, c_void_p, c_void_p)
    start = _function(library, "eglInitialize", c_uint, c_void_p, POINTER(c_int), POINTER(c_int))
    display = display_of(EGL_PLATFORM_DEVICE, device.handle, None)
    return bool(display and start(display, c_int(), c_int()))


def _library(what: str, *names: str) -> ctypes.CDLL:
    if not sys.platform.startswith("linux"):
        raise RendererUnavailable(f"{what} is looked for on Linux only; embree works everywhere")
    for name in names:
        with suppress(OSError):
            return ctypes.CDLL(name)
    raise RendererUnavailable(f"no {what}: {names[0]} is not installed; {INSTALL}")


def _function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    """An EGL function by name; extensions are not exported, but found through `eglGetProcAddress`."""
    find = library.eglGetProcAddress
    find.restype, find.argtypes = c_void_p, [c_char_p]
    address = find(name.encode())
    if not address:
        raise RendererUnavailable(f"EGL is too old: it lacks {name}; {INSTALL}")
    return ctypes.CFUNCTYPE(result, *arguments)(address)


# ---- contexts

PLATFORMS = ("egl", "osmesa")

SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software")
"""Words by which OpenGL's own names for its renderers betray that no GPU draws."""


@dataclass(frozen=True, eq=False)
class Context:
    """An OpenGL context. It lives to the end of the process: PyOpenGL cannot be bound to another platform in it."""

    label: str  # "EGL" or "OSMesa"
    device: int | None  # the number of the EGL device, None on OSMesa
    # vendor, renderer, version: what OpenGL calls itself
    vendor: str
    renderer: str
    version: str
    platform: Any  # pyrender's object for the context

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

_lost = list[Context]()  # those of the processes from which this one was forked

SURFACELESS = 0x31DD  # EGL_PLATFORM_SURFACELESS_MESA


def _end_without_the_driver() -> None:
    """Has this process end before the exit handlers that it was forked with.

    Mesa's waits for threads that the fork does not have; where a new thread has taken the place of one, for ever.
    """
    libc = ctypes.CDLL(None)
    with suppress(AttributeError):  # musl has no on_exit
        libc.on_exit(ctypes.cast(libc._exit, c_void_p), None)  # called last to first, with the exit status
        libc.__cxa_atexit(ctypes.cast(libc.fflush, c_void_p), None, None)


def _after_fork() -> None:
    """Lets go of the contexts of the process from which this one was forked, without a call to the driver."""
    global _opening
    if _contexts:
        _end_without_the_driver()
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
        number: the number of an EGL device; None for `silhouette.renderers.gl.context.chosen_device`.

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
    platform = _allowed_platform(requested)
    if number is not None and (platform or "egl") != "egl":
        raise RequestError(f"device {number} is asked for, but OpenGL is on OSMesa, which has no devices")
    reasons = []
    for name in [platform] if platform else PLATFORMS:
        try:
            if name == "egl":
                return name, chosen_device(number).index
            require_osmesa()
        except RendererUnavailable as error:
            if number is not None or os.environ.get("EGL_DEVICE_ID"):
                raise
            reasons.append(str(error).replace(f"; {INSTALL}", ""))
        else:
            return name, None
    raise RendererUnavailable(f"{', and '.join(reasons)}; {INSTALL}")


def _allowed_platform(requested: str | None) -> str | None:
    """The platform that is requested, or to which this process is bound; None where either would do.

    Raises:
        RendererUnavailable: where it is unknown, or the process is bound to another one.
    """
    if requested is not None and requested not in PLATFORMS:
        raise RendererUnavailable(f"OpenGL platform '{requested}' is not known here; egl or osmesa would be right")
    bound = _bound_platform()
    if bound is None:
        return requested
    if requested not in (None, bound):
        raise RendererUnavailable(
            f"OpenGL is bound to {bound} in this process and cannot change to {requested}; start another process"
        )
    if bound not in PLATFORMS:
        raise RendererUnavailable(
            f"OpenGL is bound to {bound} in this process, not to egl or osmesa; start another process"
        )
    return bound


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
