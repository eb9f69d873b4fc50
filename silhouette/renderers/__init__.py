"""RENDER: a view and bodies go in, a layer comes out: which body is in front at each pixel, and how deep it lies.

Others use `choose`, `check_name`, `probe`, `RENDERERS` and the values of `silhouette.renderers.protocol`; the modules
of one renderer are its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np

from silhouette.errors import RendererUnavailable, SilhouetteError
from silhouette.geometry import Pose
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.renderers.registry import RENDERERS, RendererEntry, Trial, check_name, choose
from silhouette.text import Progress
from silhouette.views import View

__all__ = ["RENDERERS", "Body", "Layer", "Probe", "Renderer", "check_name", "choose", "in_a_process", "probe"]


@dataclass(frozen=True)
class Probe:
    """What `probe` found out about one renderer, on one device.

    Attributes:
        name: as ``--renderer`` spells it.
        available: whether it drew a triangle as it should.
        device: what it runs on, or would.
        reason: why it does not run, empty where it does.
        number: of the EGL device, for ``--device``; None where it has none.
        driver: what OpenGL says of the driver and its version.
        hardware: whether a GPU draws.
        platform: "egl" or "osmesa", "" for what is no OpenGL.
    """

    name: str
    available: bool
    device: str
    reason: str
    number: int | None = None
    driver: str = ""
    hardware: bool = False
    platform: str = ""


def probe(step: Progress = lambda done, total: None) -> list[Probe]:
    """Every renderer tried on a tiny scene, on each of its devices; those with a graphics driver in a process each.

    ``step`` is called before each trial, with the number of those that are done and of all.
    """
    trials = [(entry, trial) for entry in RENDERERS for trial in entry.trials()]
    probes = []
    for done, (entry, trial) in enumerate(trials):
        step(done, len(trials))
        probes.append(_probe_in_a_process(entry, trial) if trial.platform else _probe_here(entry, trial))
    return probes


def _probe_here(entry: RendererEntry, trial: Trial) -> Probe:
    try:
        renderer = entry.start(trial.device)
        _draw_triangle(renderer)
    except SilhouetteError as error:
        return Probe(entry.name, False, trial.label, str(error))
    return Probe(entry.name, True, renderer.device, "")


def _probe_in_a_process(entry: RendererEntry, trial: Trial) -> Probe:
    """Tries a renderer in a fresh process: PyOpenGL binds to one platform per process; a broken driver may crash."""
    told = in_a_process(
        "from silhouette.renderers import _draw_triangle, choose\n"
        f"renderer = choose({entry.name!r}, {trial.device})\n_draw_triangle(renderer)\n"
        "tell(device=renderer.device, driver=renderer.driver, hardware=renderer.hardware)",
        trial.platform,
    )
    name, number, platform = entry.name, trial.device, trial.platform
    if "reason" in told:
        return Probe(name, False, trial.label, told["reason"], number, platform=platform)
    return Probe(name, True, told["device"], "", number, told["driver"], told["hardware"], platform)


def in_a_process(script: str, platform: str = "") -> dict[str, Any]:
    """What a script tells by ``tell(key=value)`` in a process of its own, which is bound to that OpenGL platform.

    Where it does not get as far, ``reason`` says why, in one line.
    """
    whole = (
        "import json\nfrom silhouette.errors import SilhouetteError\n"
        "def tell(**words):\n    print(json.dumps(words))\n"
        f"try:\n{indent(script, '    ')}\nexcept SilhouetteError as error:\n    tell(reason=str(error))\n"
    )
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, **({"PYOPENGL_PLATFORM": platform} if platform else {})}
    command = [sys.executable, "-c", whole]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return {"reason": "it was not done within a minute"}
    last = (done.stdout.strip().splitlines() or [""])[-1]
    with suppress(ValueError):
        told = json.loads(last)
        if isinstance(told, dict):
            return told
    complaint = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    return {"reason": f"its process ended with status {done.returncode}: {complaint}"}


def _draw_triangle(renderer: Renderer) -> None:
    """Raises RendererUnavailable where a renderer does not draw the lower left half of a picture of 8 x 8 pixels."""
    corners = np.array([[-10.0, 10.0, -10.0], [7.9, 10.0, -10.0], [-10.0, 10.0, 7.9]])
    mesh = Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    view = View(np.zeros(3), axes, -1.0, 1.0, 0.25, width=8, height=8)
    layer = renderer.render(view, [Body(5, mesh, Pose.standing())])
    if layer.ids.tolist() != (5 * np.tri(8, k=-1, dtype=np.int32)).tolist():
        raise RendererUnavailable(f"{renderer.device} runs but draws a plain triangle wrongly; use another renderer")
