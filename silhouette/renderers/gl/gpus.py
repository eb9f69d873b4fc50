"""The GPUs that a system shows, whether or not OpenGL can draw on them, and the obstacles where it cannot.

The sources, on Linux: device files, the kernel's list of the PCI bus, the list of drivers that EGL's loader (glvnd)
reads, and the output of nvidia-smi. Nothing is drawn here: `obstacles` gets the outcome of attempts to draw.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

GPU_MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
"""The makers of GPUs, by their numbers on the PCI bus. Chips of consoles and of virtual machines draw nothing by
themselves."""

DISPLAY = "0x03"  # the beginning of the class of a display controller on the PCI bus

DRIVER_LISTS = ("etc/glvnd/egl_vendor.d", "usr/share/glvnd/egl_vendor.d")
NVIDIA_LIBRARY = "libEGL_nvidia.so.0"
NVIDIA_CONTAINER = "in a container NVIDIA_DRIVER_CAPABILITIES must be all, or name graphics, when it is started"


def _opens(file: Path) -> bool:
    return os.access(file, os.R_OK | os.W_OK)


def _loads(library: str) -> bool:
    with suppress(OSError):
        ctypes.CDLL(library)
        return True
    return False


def _nvidia_smi() -> str:
    """What NVIDIA's own tool lists, or complains of; empty where it is not installed."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


@dataclass(frozen=True)
class System:
    """What is looked at."""

    root: Path = Path("/")  # below which /dev, /sys, /usr and so on lie
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)  # the variables
    opens: Callable[[Path], bool] = _opens  # whether this user may read and write a device file
    loads: Callable[[str], bool] = _loads  # whether a library is found
    # Gives what ``nvidia-smi -L`` prints, empty where there is no such tool
    nvidia_smi: Callable[[], str] = _nvidia_smi

    def files(self, *patterns: str) -> list[Path]:
        """Those like the patterns, seen from the root."""
        return [file for pattern in patterns for file in sorted(self.root.glob(pattern))]

    def named(self, file: Path) -> str:
        """A file as it is called on the system itself."""
        return "/" + file.relative_to(self.root).as_posix()


@dataclass(frozen=True)
class Sighting:
    """The signs of GPUs that the system shows."""

    makers: frozenset[str]  # the makers of the chips that are on the PCI bus or have a device file
    chips: tuple[str, ...]  # each chip on the bus, in words, or as nvidia-smi names it
    files: tuple[Path, ...]  # the device files, /dev/nvidia0, /dev/dri/renderD128, /dev/dxg and so on
    complaint: str = ""  # the first line of nvidia-smi where it finds no GPU; else empty

    @property
    def is_empty(self) -> bool:
        """Whether there is no sign of a GPU."""
        return not (self.makers or self.files)


def sighted(system: System) -> Sighting:
    """The GPUs that the system shows.

    >>> sighted(System(root=Path("/no/such/folder"), nvidia_smi=str)).is_empty
    True
    """
    on_bus = list(_chips_on_bus(system))
    makers, chips = {maker for maker, _ in on_bus}, [words for _, words in on_bus]
    files = system.files("dev/nvidia[0-9]*", "dev/dri/renderD*", "dev/dxg")
    vendors = {_word(place) for place in system.files("sys/class/drm/renderD*/device/vendor")}
    makers |= {maker for number, maker in GPU_MAKERS.items() if number in vendors}
    named, complaint = _named_by_nvidia(system)
    if named or any(file.name.startswith("nvidia") for file in files):
        makers.add("NVIDIA")
    if named:
        chips = [*named, *(chip for chip in chips if not chip.startswith("NVIDIA"))]
    return Sighting(frozenset(makers), tuple(chips), tuple(files), complaint)


def _named_by_nvidia(system: System) -> tuple[list[str], str]:
    """The GPUs as nvidia-smi names them; and the first line of what it says instead, if it names none."""
    listed = system.nvidia_smi().strip()
    named = re.findall(r"^GPU \d+: (.+?)(?: \(UUID.*)?$", listed, re.MULTILINE)
    return named, listed.splitlines()[0] if listed and not named else ""


def _chips_on_bus(system: System) -> Iterator[tuple[str, str]]:
    """The maker of each display chip on the PCI bus, and the chip in words."""
    for place in system.files("sys/bus/pci/devices/*"):
        vendor = _word(place / "vendor")
        if vendor in GPU_MAKERS and _word(place / "class").startswith(DISPLAY):
            yield GPU_MAKERS[vendor], f"{GPU_MAKERS[vendor]} {vendor[2:]}:{_word(place / 'device')[2:]} at {place.name}"


def _word(file: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return file.read_text().strip()
    return ""


@dataclass(frozen=True)
class Drawn:
    """The outcome of an attempt to draw on an EGL device."""

    number: int | None  # the number of the device; None where EGL itself does not work
    works: bool  # whether it drew
    hardware: bool  # whether OpenGL said that a GPU drew
    description: str  # OpenGL's name for its renderer, or why it did not draw


def obstacles(system: System, sighting: Sighting, drawn: Sequence[Drawn]) -> list[str]:
    """The reasons why OpenGL does not draw on the GPU of this machine: a sentence each, the likeliest first.

    Empty where it does draw on a GPU, and where the machine has none.
    """
    if sighting.is_empty:
        return []
    sentences = [*_forced(system)]
    if any(attempt.works and attempt.hardware for attempt in drawn):
        return sentences
    if "NVIDIA" in sighting.makers:
        sentences += _nvidia(system, sighting)
    if sighting.makers - {"NVIDIA"} or not sighting.makers:
        sentences += _rendering(system, sighting)
    for attempt in drawn:
        if not attempt.works:
            sentences.append(f"EGL's device {attempt.number}: " * (attempt.number is not None) + attempt.description)
        elif not sentences:
            why = f"draws in software ({attempt.description}): it was given no driver of the GPU"
            sentences.append(f"EGL's device {attempt.number} {why}")
    return sentences or ["EGL does not list it, and says no more; is the driver of the GPU installed?"]


def _forced(system: System) -> Iterator[str]:
    """Variables of the environment that keep OpenGL off the GPU."""
    environment = system.environment
    if environment.get("PYOPENGL_PLATFORM", "egl") != "egl":
        yield f"PYOPENGL_PLATFORM is {environment['PYOPENGL_PLATFORM']}, which draws in software; unset it"
    if environment.get("LIBGL_ALWAYS_SOFTWARE", "") not in ("", "0", "false"):
        yield "LIBGL_ALWAYS_SOFTWARE is set, which asks Mesa for software; unset it"


def _nvidia(system: System, sighting: Sighting) -> Iterator[str]:
    files = [file for file in sighting.files if file.name.startswith("nvidia")]
    control = system.files("dev/nvidiactl")
    if not files:
        if system.files("proc/driver/nvidia/version"):
            yield "there is no /dev/nvidia0 here: start the container with its GPU (docker run --gpus all)"
        else:
            yield "there is no /dev/nvidia0: NVIDIA's kernel driver is not loaded (nvidia-smi says more)"
    if sighting.complaint:
        yield f"nvidia-smi says: {sighting.complaint.rstrip('.')}"
    yield from _closed(system, [*files, *control])
    drivers = list(_drivers(system))
    if NVIDIA_LIBRARY not in drivers:
        where = " or ".join(f"/{folder}" for folder in DRIVER_LISTS)
        yield (
            f"EGL is not told of NVIDIA's driver: no .json file in {where} names {NVIDIA_LIBRARY}; "
            "install the OpenGL part of the driver (Ubuntu: libnvidia-gl, Debian: nvidia-driver-libs); "
            f"{NVIDIA_CONTAINER}"
        )
    elif not system.loads(NVIDIA_LIBRARY):
        yield f"{NVIDIA_LIBRARY}, which EGL is told of, is not found; {NVIDIA_CONTAINER}"


def _drivers(system: System) -> Iterator[str]:
    """The libraries that EGL's loader knows; the environment may name files or folders in place of the system's."""
    environment = system.environment
    if environment.get("__EGL_VENDOR_LIBRARY_FILENAMES"):
        files = [Path(name) for name in environment["__EGL_VENDOR_LIBRARY_FILENAMES"].split(":")]
    elif environment.get("__EGL_VENDOR_LIBRARY_DIRS"):
        folders = environment["__EGL_VENDOR_LIBRARY_DIRS"].split(":")
        files = [file for folder in folders for file in sorted(Path(folder).glob("*.json"))]
    else:
        files = system.files(*(f"{folder}/*.json" for folder in DRIVER_LISTS))
    for file in files:
        with suppress(OSError, ValueError, KeyError, TypeError):
            yield Path(json.loads(file.read_text())["ICD"]["library_path"]).name


def _rendering(system: System, sighting: Sighting) -> Iterator[str]:
    """The reasons about Mesa's drivers, which draw through /dev/dri, and on Windows' own Linux through /dev/dxg."""
    files = [file for file in sighting.files if not file.name.startswith("nvidia")]
    if not files:
        yield (
            "there is no /dev/dri/renderD128: the kernel's driver of the GPU is not loaded, "
            "or the container was started without it (docker run --device /dev/dri)"
        )
        return
    closed = list(_closed(system, files))
    yield from closed
    if not closed and not any("mesa" in driver for driver in _drivers(system)):
        yield "EGL is not told of Mesa's drivers; on Debian or Ubuntu: apt install libegl-mesa0 libgl1-mesa-dri"


def _closed(system: System, files: Sequence[Path]) -> Iterator[str]:
    """Device files that this user may not open, and who may open them."""
    closed = [file for file in files if not system.opens(file)]
    if not closed:
        return
    names = ", ".join(system.named(file) for file in closed)
    group = _group(closed[0])
    cure = f"it is open to the group {group}: sudo usermod -aG {group} $USER, then log in anew" if group else ""
    yield f"this user may not open {names}" + (f"; {cure}" if cure else "")


def _group(file: Path) -> str:
    with suppress(OSError, KeyError, NotImplementedError):
        return "" if file.group() == "root" else file.group()
    return ""
