"""Which OpenGL devices this machine has, found out in milliseconds and without importing OpenGL.

PyOpenGL binds to one platform, EGL or OSMesa, when it is first imported, and to no other in that process. So what works
has to be known before: the libraries are asked directly, by ctypes.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from ctypes import POINTER, c_char_p, c_int, c_uint, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silhouette.errors import RendererUnavailable

INSTALL = "on Debian or Ubuntu: apt install libegl1 libopengl0 libgl1-mesa-dri libosmesa6"

# From the EGL registry: EGL_EXT_platform_device and EGL's core.
EGL_PLATFORM_DEVICE = 0x313F
EGL_EXTENSIONS = 0x3055

DEVICES_AT_MOST = 32


@dataclass(frozen=True)
class EGLDevice:
    """One device that EGL can draw on.

    Attributes:
        index: its place in EGL's own list.
        software: whether it is no GPU but Mesa's software renderer.
    """

    index: int
    software: bool


def egl_devices() -> list[EGLDevice]:
    """The devices that EGL lists and that really start, hardware first.

    Raises:
        RendererUnavailable: where there is no EGL library, or none of its devices starts.
    """
    library = _library("EGL", "libEGL.so.1")
    _library("OpenGL for EGL", "libOpenGL.so.0", "libGL.so.1")
    query = _function(library, "eglQueryDevicesEXT", c_uint, c_int, POINTER(c_void_p), POINTER(c_int))
    describe = _function(library, "eglQueryDeviceStringEXT", c_char_p, c_void_p, c_int)
    handles, count = (c_void_p * DEVICES_AT_MOST)(), c_int()
    if not query(DEVICES_AT_MOST, handles, count):
        raise RendererUnavailable(f"EGL lists no device; {INSTALL}")
    devices = []
    for index, handle in enumerate(handles[: count.value]):
        extensions = describe(handle, EGL_EXTENSIONS) or b""
        if _starts(library, handle):
            devices.append(EGLDevice(index, b"EGL_MESA_device_software" in extensions))
    if not devices:
        raise RendererUnavailable(f"EGL has no device that starts, not even in software; {INSTALL}")
    return sorted(devices, key=lambda device: device.software)


def require_osmesa() -> None:
    """Raises `RendererUnavailable` where the OSMesa library is not there."""
    _library("OSMesa", "libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")


def has_gpu() -> bool:
    """Whether EGL can draw on a GPU here; where the system shows none, nothing is loaded to find out."""
    signs = ("nvidia[0-9]*", "dri/renderD*", "dxg")
    if not any(True for sign in signs for _ in Path("/dev").glob(sign)):
        return False
    try:
        return not egl_devices()[0].software
    except RendererUnavailable:
        return False


def _starts(library: ctypes.CDLL, device: int | None) -> bool:
    """Whether a device opens. It stays open: a process has one handle for it and may be drawing with it already."""
    display_of = _function(library, "eglGetPlatformDisplayEXT", c_void_p, c_uint, c_void_p, c_void_p)
    start = _function(library, "eglInitialize", c_uint, c_void_p, POINTER(c_int), POINTER(c_int))
    display = display_of(EGL_PLATFORM_DEVICE, device, None)
    return bool(display and start(display, c_int(), c_int()))


def _library(what: str, *names: str) -> ctypes.CDLL:
    if not sys.platform.startswith("linux"):
        raise RendererUnavailable(f"{what} is looked for on Linux only; embree works everywhere")
    for name in names:
        with suppress(OSError):
            return ctypes.CDLL(name)
    raise RendererUnavailable(f"no {what}: {names[0]} is not installed; {INSTALL}")


def _function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    """An EGL function by name; extensions are not exported and are asked for by `eglGetProcAddress`."""
    find = library.eglGetProcAddress
    find.restype, find.argtypes = c_void_p, [c_char_p]
    address = find(name.encode())
    if not address:
        raise RendererUnavailable(f"EGL is too old: it lacks {name}; {INSTALL}")
    return ctypes.CFUNCTYPE(result, *arguments)(address)
