"""The state of this machine: renderers and their speed, GPUs, versions, and the place of the cache."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from silhouette.cli.throughput import checks_per_second
from silhouette.files.cache import Cache
from silhouette.renderers import choose
from silhouette.renderers.gl.gpus import Drawn, System, obstacles, sighted
from silhouette.renderers.probe import Probe, probe_renderers
from silhouette.text import Progress
from silhouette.version import VERSION, version_of

PACKAGES = ("numpy", "trimesh", "pyrender2", "embreex", "warp-lang")


def examination(*, quick: bool = False, step: Progress = lambda done, total: None) -> dict[str, Any]:
    """Every renderer tried, the one that ``auto`` takes, GPUs, versions and the cache; ready for JSON.

    A renderer that does not work says why and what would help. A package that is not installed has no version.

    Args:
        quick: whether to leave out the speed of each renderer, which takes a second of judging for each, and its start.
        step: called with the number of trials that are done, and the number of all trials.
    """
    times = 1 if quick else 2
    probes = probe_renderers(lambda done, total: step(done, times * total))
    renderers = []
    for done, probe in enumerate(probes, len(probes)):
        step(done, times * len(probes))
        fast = (
            None if quick or not probe.available else checks_per_second(probe.name, probe.platform, probe.device_option)
        )
        renderers.append(_renderer(probe) | {"checks_per_second": fast})
    best = choose("auto")
    return {
        "renderers": renderers,
        "auto": {"name": best.name, "device": best.device},
        "gpu": gpu(probes, System()),
        "versions": {
            "python": platform.python_version(),
            "silhouette": VERSION,
            **{name: version_of(name) for name in PACKAGES},
        },
        "cache": _cache(Cache.default()),
    }


def _renderer(probe: Probe) -> dict[str, Any]:
    return {
        "name": probe.name,
        "works": probe.available,
        "device_option": probe.device_option or None,
        "device": probe.device,
        "memory": probe.memory or None,
        "driver": probe.driver or None,
        "hardware": probe.hardware,
        "reason": probe.reason,
    }


def gpu(probes: Sequence[Probe], system: System) -> dict[str, Any]:
    """The GPUs that the system shows, whether ``cuda`` runs on one, whether ``gl`` draws on one, and if not, why not.

    >>> from pathlib import Path
    >>> gpu([], System(root=Path("/no/such/folder"), nvidia_smi=str))
    {'seen': [], 'used': False, 'cuda': False, 'obstacles': []}
    """
    sighting = sighted(system)
    on_egl = [probe for probe in probes if probe.platform == "egl"]
    drawn = [Drawn(_number(probe), probe.available, probe.hardware, probe.reason or probe.device) for probe in on_egl]
    in_the_way = obstacles(system, sighting, drawn)
    return {
        "seen": [*sighting.chips, *(system.named(file) for file in sighting.files)],
        "used": any(probe.hardware for probe in on_egl) and not in_the_way,
        "cuda": any(probe.hardware for probe in probes if probe.name == "cuda"),
        "obstacles": in_the_way,
    }


def _number(probe: Probe) -> int | None:
    """The number of an EGL device, by which its obstacles name it."""
    return int(probe.device_option) if probe.device_option else None


def _cache(cache: Cache) -> dict[str, Any]:
    folder = cache.directory
    sizes = []
    for entry in folder.glob("*.npz") if folder is not None and folder.is_dir() else ():
        with suppress(OSError):  # another process may have dropped it just now
            sizes.append(entry.stat().st_size)
    return {"folder": str(folder), "entries": len(sizes), "bytes": sum(sizes)}
