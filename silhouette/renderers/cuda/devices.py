"""The devices of the renderer ``cuda``, by the names that ``--device`` takes: cuda:0, cuda:1 and so on, and cpu."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from silhouette.common.errors import RendererUnavailable
from silhouette.common.installation import extra_command

CPU = "cpu"  # the name of the device that runs the kernels without a GPU
DEVICE_ROOT = Path("/")  # below which the device files, /dev, are looked for

WITHOUT_GPU_ADVICE = f"--device {CPU} runs the same kernels without a GPU"


@dataclass(frozen=True)
class Device:
    """A device that the kernels run on."""

    name: str  # as ``--device`` spells it
    title: str  # in words
    driver: str  # the version of CUDA that its driver serves; empty for the CPU
    handle: Any  # warp's own

    @property
    def is_gpu(self) -> bool:
        """Whether it is no CPU."""
        return self.name != CPU

    @property
    def memory(self) -> int:
        """Bytes, all that it has; 0 for the CPU, whose memory is the system's. A GPU is started to find out."""
        return self.handle.total_memory if self.is_gpu else 0

    @property
    def free(self) -> int:
        """Bytes that nobody uses now; 0 for the CPU."""
        return self.handle.free_memory if self.is_gpu else 0


def is_installed() -> bool:
    """Whether the extra is installed; nothing is loaded to find out."""
    return "warp" in sys.modules or find_spec("warp") is not None


def shows_gpu() -> bool:
    """Whether the system has a device file of an NVIDIA GPU, or is Windows; nothing is loaded to find out."""
    return sys.platform == "win32" or any(
        True for sign in ("nvidia[0-9]*", "dxg") for _ in Path(DEVICE_ROOT, "dev").glob(sign)
    )


@cache
def warp() -> Any:
    """The module warp, started and silent.

    Raises:
        RendererUnavailable: where the extra is not installed, or warp does not start.
    """
    try:
        import warp as module
    except ImportError as missing:
        raise RendererUnavailable(
            f"cuda: the package warp-lang is not installed ({missing}); install it with: {extra_command('cuda')}"
        ) from None
    module.config.log_level = module.LOG_ERROR
    try:
        with silenced():
            module.init()
    except Exception as error:
        raise RendererUnavailable(f"cuda: warp does not start: {error}") from None
    return module


@contextmanager
def silenced() -> Iterator[None]:
    """Keeps off standard error what warp's library writes there itself: that there is no driver, or memory is full."""
    sys.stderr.flush()
    try:
        standard_error = os.dup(2)
    except OSError:  # the process has no standard error
        yield
        return
    with open(os.devnull, "wb") as elsewhere:
        os.dup2(elsewhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(standard_error, 2)
            os.close(standard_error)


def listed_devices() -> list[Device]:
    """The CUDA devices in the driver's order, and the CPU as the last.

    Raises:
        RendererUnavailable: where the extra is not installed, or warp does not start.
    """
    module = warp()
    version = module.get_cuda_driver_version()
    driver = f"CUDA {version[0]}.{version[1]}" if version else ""
    gpus = [Device(gpu.alias, gpu.name, driver, gpu) for gpu in module.get_cuda_devices()]
    return [*gpus, Device(CPU, "CPU", "", module.get_device(CPU))]


def chosen_device(name: str | None = None) -> Device:
    """The device of that name; for None the first GPU, as CUDA_VISIBLE_DEVICES orders them.

    Raises:
        RendererUnavailable: where the extra is not installed, or there is no such device, with the reason.
    """
    listed = listed_devices()
    for device in listed:
        if device.name == name or (name is None and device.is_gpu):
            return device
    if len(listed) == 1:
        raise RendererUnavailable(f"cuda: {_why_none()}; {WITHOUT_GPU_ADVICE}")
    raise RendererUnavailable(f"cuda: there is no device {name}; there are {', '.join(entry.name for entry in listed)}")


def _why_none() -> str:
    """Why no GPU is listed."""
    toolkit = warp().get_cuda_toolkit_version()
    if toolkit is None:
        return f"warp has no CUDA on {sys.platform}"
    served = served_by_driver()
    if served is None:
        return "no NVIDIA driver is found here"
    if served < (toolkit[0], 0):
        return f"the NVIDIA driver is too old: it serves CUDA {served[0]}.{served[1]}, and {toolkit[0]}.0 is needed"
    return "the NVIDIA driver lists no GPU (nvidia-smi says more)"


def served_by_driver() -> tuple[int, int] | None:
    """The version of CUDA that the installed driver serves, as major and minor; None where there is no driver.

    Asked of the driver itself: warp does not tell of one that is too old for it.
    """
    version = ctypes.c_int()
    for name in ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so"):
        with suppress(OSError, AttributeError):
            if ctypes.CDLL(name).cuDriverGetVersion(ctypes.byref(version)) == 0:
                return version.value // 1000, version.value % 1000 // 10
    return None


def has_gpu() -> bool:
    """Whether CUDA may work here; nothing is loaded where the extra is missing or the system shows no GPU."""
    return is_installed() and shows_gpu()


def shared_out(worker: int) -> str | None:
    """The device for worker ``worker``, from 0, of a pool without a chosen device: the GPUs in turn.

    All are of the kind of the first: see `silhouette.renderers.gl.context.shared_out`. None for one GPU or none.
    """
    if not has_gpu():
        return None
    try:
        gpus = [device for device in listed_devices() if device.is_gpu]
    except RendererUnavailable:
        return None
    names = [device.name for device in gpus if device.title == gpus[0].title]
    return names[worker % len(names)] if len(names) > 1 else None
