"""The renderers that work on this machine, the device of each, and the reasons why the others do not work."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from silhouette.common.errors import RendererUnavailable, SilhouetteError
from silhouette.common.geometry import Pose
from silhouette.common.text import Progress
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Renderer
from silhouette.renderers.registry import RENDERERS, RendererEntry, RendererTrial, choose
from silhouette.renderers.views import View
from silhouette.workers.process import ChildProcess

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


def _probe_here(entry: RendererEntry, trial: RendererTrial) -> Probe:
    try:
        renderer = choose(entry.name)
        draw_triangle(renderer)
    except SilhouetteError as error:
        return Probe(entry.name, False, trial.label, str(error))
    return Probe(entry.name, True, renderer.device, "")


def _probe_in_process(entry: RendererEntry, trial: RendererTrial) -> Probe:
    """Tries a renderer in a fresh process: PyOpenGL binds to one platform in each; a broken driver may crash."""
    answer = answer_apart(partial(describe, entry.name, trial.device or None), trial.platform)
    if "reason" in answer:
        return Probe(entry.name, False, trial.label, answer["reason"], trial.device, platform=trial.platform)
    return Probe(entry.name, True, reason="", device_option=trial.device, platform=trial.platform, **answer)


def answer_apart(work: Callable[[], dict[str, Any]], platform: str = "") -> dict[str, Any]:
    """What a function answers in a fresh Python; where it answers nothing, one key, ``reason``: the reason in one line.

    Args:
        work: the function, which pickle can carry.
        platform: the OpenGL platform that the process is bound to, "egl" or "osmesa"; empty for any.
    """
    with TemporaryDirectory() as folder:
        complaints = Path(folder, "complaints.txt")
        process = ChildProcess(_answer, (work, platform, complaints), fresh=True)
        try:
            if not process.pipe.poll(PROBE_SECONDS):
                return {"reason": "it was not done within a minute"}
            answer: dict[str, Any] = process.pipe.recv()
            return answer
        except (EOFError, OSError):
            status = process.wait(PROBE_SECONDS)
        finally:
            process.kill()
        lines = complaints.read_text(errors="replace").strip().splitlines() if complaints.exists() else []
        return {"reason": f"its process ended with status {status}: {lines[-1] if lines else 'it said nothing'}"}


def _answer(pipe: Connection, argument: tuple[Callable[[], dict[str, Any]], str, Path]) -> None:
    """Sends what the function answers; what drivers print goes into a file, and not to the user."""
    work, platform, complaints = argument
    with open(os.devnull, "wb") as nowhere, complaints.open("wb") as file:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(file.fileno(), 2)
    if platform:
        os.environ["PYOPENGL_PLATFORM"] = platform
    try:
        answer = work()
    except SilhouetteError as error:
        answer = {"reason": str(error)}
    pipe.send(answer)


def draw_triangle(renderer: Renderer) -> None:
    """Raises RendererUnavailable where a renderer does not draw the lower left half of a picture of 8 x 8 pixels."""
    corners = np.array([[-10.0, 10.0, -10.0], [7.9, 10.0, -10.0], [-10.0, 10.0, 7.9]])
    mesh = Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    view = View(np.zeros(3), axes, -1.0, 1.0, 0.25, width=8, height=8)
    layer = renderer.render(view, [Body(5, mesh, Pose.standing())])
    if layer.ids.tolist() != (5 * np.tri(8, k=-1, dtype=np.int32)).tolist():
        raise RendererUnavailable(f"{renderer.device} runs but draws a plain triangle wrongly; use another renderer")


def describe(name: str, device: str | None) -> dict[str, Any]:
    """What a renderer that draws as it should says of its device; SilhouetteError where it does not work."""
    renderer = choose(name, device)
    draw_triangle(renderer)
    able = renderer.capabilities
    return {"device": renderer.device, "driver": able.driver, "hardware": able.hardware, "memory": able.memory}
