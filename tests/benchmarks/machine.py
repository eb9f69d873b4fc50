"""The machine on which something was measured, in words without a name or a path of it.

``python -m tests.benchmarks.machine`` prints it, with what ``nvidia-smi`` says.
"""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from silhouette.common.errors import RendererUnavailable
from silhouette.common.installation import VERSION, version_of
from silhouette.renderers import choose
from silhouette.workers import cores
from tests.benchmarks.figures import commit, today

LIBRARIES = ("numpy", "scipy", "shapely", "embreex", "trimesh", "pyrender2", "open3d", "warp-lang")


def described() -> dict[str, str]:
    """Processor, cores, memory, system, Python, versions of libraries, the device of OpenGL and the GPU of CUDA.

    >>> list(described())
    ['processor', 'cores', 'memory', 'system', 'Python', 'libraries', 'OpenGL', 'CUDA']
    """
    versions = {library: version_of(library) for library in LIBRARIES}
    return {
        "processor": _processor(),
        "cores": str(cores()),
        "memory": _memory(),
        "system": f"{_system()}, {platform.machine()}",
        "Python": platform.python_version(),
        "libraries": ", ".join([f"silhouette {VERSION}", *(f"{name} {one}" for name, one in versions.items() if one)]),
        "OpenGL": _opengl(),
        "CUDA": _cuda(),
    }


def _processor() -> str:
    """The model as Linux tells it, else what Python knows."""
    file = Path("/proc/cpuinfo")
    for line in file.read_text().splitlines() if file.exists() else ():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or "unknown"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, ValueError, OSError):
        return "unknown"


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"


def _opengl() -> str:
    try:
        return choose("gl").device
    except RendererUnavailable:
        return "none"


def _cuda() -> str:
    from silhouette.renderers.cuda.devices import chosen_device

    try:
        device = chosen_device()
    except RendererUnavailable:
        return "none"
    return f"{device.title}, {device.memory / 2**30:.0f} GiB, {device.driver}"


def _nvidia_smi() -> str:
    """What NVIDIA's own tool says of the GPUs, or why not."""
    try:
        ran = subprocess.run(["nvidia-smi"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as reason:
        return f"nvidia-smi: {reason}"
    return (ran.stdout + ran.stderr).strip()


if __name__ == "__main__":
    print(f"{today()}, {commit()}", *(f"{name}: {value}" for name, value in described().items()), sep="\n")
    print(_nvidia_smi())
