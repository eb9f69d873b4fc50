"""The renderers that work on this machine, the device of each, and the reasons why the others do not work.

``python -m silhouette.renderers.probe NAME [--device NAME]`` tries one in a separate process, where PyOpenGL is bound
to the platform that PYOPENGL_PLATFORM names, and prints its device, or the reason why it does not work, as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import RendererUnavailable, SilhouetteError
from silhouette.common.geometry import Pose
from silhouette.common.text import Progress, json_text
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Renderer
from silhouette.renderers.registry import RENDERERS, RendererEntry, Trial, choose
from silhouette.renderers.views import View

PROBE_SECONDS = 60.0  # seconds after which a process that tries something is given up


@dataclass(frozen=True)
class Probe:
    """The findings of `probe_renderers` about one renderer, on one device."""

    name: str  # as ``--renderer`` spells it
    available: bool  # whether it drew a triangle as it should
    device: str  # the device that it runs on, or would run on, in words
    reason: str  # the reason why it does not run; empty where it runs
    device_option: str = ""  # as ``--device`` spells it; empty where it has none
    driver: str = ""  # the words of OpenGL or CUDA for the driver and its version
    hardware: bool = False  # whether a GPU draws
    platform: str = ""  # "egl" or "osmesa", "" for a renderer without OpenGL
    memory: int = 0  # bytes, of the GPU; 0 where it is not known, and without one


def probe_renderers(step: Progress = lambda done, total: None) -> list[Probe]:
    """Every renderer tried on a tiny scene, on each of its devices; those with a graphics driver in a process each.

    ``step`` is called before each trial, with the number of those that are done and of all.
    """
    trials = [(entry, trial) for entry in RENDERERS for trial in entry.trials()]
    probes = []
    for done, (entry, trial) in enumerate(trials):
        step(done, len(trials))
        probes.append(_probe_in_process(entry, trial) if entry.driver else _probe_here(entry, trial))
    return probes


def _probe_here(entry: RendererEntry, trial: Trial) -> Probe:
    try:
        renderer = choose(entry.name)
        draw_triangle(renderer)
    except SilhouetteError as error:
        return Probe(entry.name, False, trial.label, str(error))
    return Probe(entry.name, True, renderer.device, "")


def _probe_in_process(entry: RendererEntry, trial: Trial) -> Probe:
    """Tries a renderer in a fresh process: PyOpenGL binds to one platform in each; a broken driver may crash."""
    device = ["--device", trial.device] if trial.device else []
    answer = run_module("silhouette.renderers.probe", [entry.name, *device], trial.platform)
    if "reason" in answer:
        return Probe(entry.name, False, trial.label, answer["reason"], trial.device, platform=trial.platform)
    return Probe(entry.name, True, reason="", device_option=trial.device, platform=trial.platform, **answer)


def run_module(module: str, arguments: list[str], platform: str = "") -> dict[str, Any]:
    """The JSON object that ``python -m module arguments`` prints last.

    Where it prints none, the object has one key, ``reason``: the reason in one line.

    Args:
        module: the dotted name of the module; it calls `print_answer`.
        arguments: the arguments of its command line.
        platform: the OpenGL platform that the process is bound to, "egl" or "osmesa"; empty for any.
    """
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, **({"PYOPENGL_PLATFORM": platform} if platform else {})}
    command = [sys.executable, "-P", "-m", module, *arguments]  # -P keeps modules of the current folder out
    try:
        ran = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return {"reason": "it was not done within a minute"}
    last = (ran.stdout.strip().splitlines() or [""])[-1]
    with suppress(ValueError):
        answer = json.loads(last)
        if isinstance(answer, dict):
            return answer
    complaint = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
    return {"reason": f"its process ended with status {ran.returncode}: {complaint}"}


def print_answer(answer: Callable[[], dict[str, Any]]) -> None:
    """Prints ``answer()`` as a line of JSON; a `SilhouetteError` as an object with one key, ``reason``."""
    try:
        document = answer()
    except SilhouetteError as error:
        document = {"reason": str(error)}
    print(json_text(document))


def renderer_arguments(module: str) -> argparse.ArgumentParser:
    """A parser of NAME and ``--device NAME``, which name the renderer for a module that `run_module` runs."""
    parser = argparse.ArgumentParser(f"python -m {module}")
    parser.add_argument("name", metavar="NAME", help="the renderer, as --renderer spells it")
    parser.add_argument("--device", metavar="NAME", help="the name of its device")
    return parser


def draw_triangle(renderer: Renderer) -> None:
    """Raises RendererUnavailable where a renderer does not draw the lower left half of a picture of 8 x 8 pixels."""
    corners = np.array([[-10.0, 10.0, -10.0], [7.9, 10.0, -10.0], [-10.0, 10.0, 7.9]])
    mesh = Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    view = View(np.zeros(3), axes, -1.0, 1.0, 0.25, width=8, height=8)
    layer = renderer.render(view, [Body(5, mesh, Pose.standing())])
    if layer.ids.tolist() != (5 * np.tri(8, k=-1, dtype=np.int32)).tolist():
        raise RendererUnavailable(f"{renderer.device} runs but draws a plain triangle wrongly; use another renderer")


def main() -> None:
    """Tries the renderer that the command line names."""
    given = renderer_arguments("silhouette.renderers.probe").parse_args()

    def answer() -> dict[str, Any]:
        renderer = choose(given.name, given.device)
        draw_triangle(renderer)
        return {
            "device": renderer.device,
            "driver": renderer.capabilities.driver,
            "hardware": renderer.capabilities.hardware,
            "memory": renderer.capabilities.memory,
        }

    print_answer(answer)


if __name__ == "__main__":
    main()
