"""The command line, what works here: ``silhouette doctor``: renderers and their speed, GPUs, versions, the cache.

The speed of a renderer is that on a small scene of solids, which is judged again and again for a second, in a process
of its own.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from silhouette.cli.commands import DoctorOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.tables import doctor_report
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.common.installation import VERSION, version_of
from silhouette.common.lazy import BYTES, kept_bytes
from silhouette.common.text import Progress
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.judging import DEFAULT_PIXEL_MM
from silhouette.renderers import choose
from silhouette.renderers.gl.gpus import Drawn, System, obstacles, sighted
from silhouette.renderers.probe import Probe, answer_apart, probe_renderers
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_of
from silhouette.rules.base import Settings

# ---- the state of the machine

DOCTOR_PACKAGES = ("numpy", "trimesh", "pyrender2", "embreex", "warp-lang")


def examination(*, quick: bool = False, step: Progress = lambda done, total: None) -> dict[str, Any]:
    """Every renderer tried, the one that ``auto`` takes, GPUs, versions, the cache, and what is kept in memory.

    A renderer that does not work says why and what would help. A package that is not installed has no version.
    ``quick`` leaves out the speed of each renderer, which takes a second of judging for each, and its start.
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
            **{name: version_of(name) for name in DOCTOR_PACKAGES},
        },
        "cache": _cache(Cache.default()),
        "memory": {"bytes": kept_bytes(), "most": BYTES},
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


# ---- the speed of a renderer

MIN_TRIAL_S = 1.0

FILE = Path(__file__).with_name("throughput.toml")  # the scene of solids


def checks_per_second(name: str, platform: str = "", device: str = "", seconds: float = MIN_TRIAL_S) -> float | None:
    """The checks per second of a renderer in a separate process, one after the other; None where that fails."""
    return answer_apart(partial(_measured, name, device or None, seconds), platform).get("rate")


def _measured(name: str, device: str | None, seconds: float) -> dict[str, Any]:
    return {"rate": rate(choose(name, device), seconds)}


def rate(renderer: Renderer, seconds: float = MIN_TRIAL_S) -> float:
    """Checks per second on the scene of solids, of at least one."""
    document = solids()
    rule = rule_of(FILE, document)
    scene = rule.load(FILE, document, Cache(None))
    checks = cycle(rule.everyone(scene))
    settings = Settings(renderer, DEFAULT_PIXEL_MM)
    rule.judge([(scene, next(checks))], settings)
    judged, start = 0, time.perf_counter()
    while True:
        rule.judge([(scene, next(checks))], settings)
        judged += 1
        passed = time.perf_counter() - start
        if passed >= seconds:
            return judged / passed


def solids() -> dict[str, Any]:
    """The scene as a document: six figures in a ring, each of a cylinder, a box and a ball, with barriers between."""
    return read_document(FILE)


# ---- the command


def doctor(given: DoctorOptions) -> int:
    """Tries the renderers, and says how each does."""
    with Waiting("trying the renderers", quiet=given.quiet) as waiting:
        report = examination(quick=given.quick, step=waiting.step)
    show_result(report, *doctor_report(report), as_json=given.as_json)
    return ExitStatus.OK
