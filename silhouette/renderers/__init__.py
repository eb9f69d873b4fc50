"""Renderers: one method behind which rays, OpenGL and a plain z-buffer give the same answer."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np

from silhouette.errors import RendererUnavailable, RequestError, SilhouetteError
from silhouette.geometry import Pose
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.text import Progress
from silhouette.views import View

__all__ = ["RENDERERS", "Body", "Layer", "Probe", "Renderer", "check_name", "choose", "in_a_process", "probe"]


def _embree() -> Renderer:
    from silhouette.renderers.embree import EmbreeRenderer

    return EmbreeRenderer()


def _gl(device: int | None = None) -> Renderer:
    from silhouette.renderers.gl.renderer import GLRenderer

    return GLRenderer.create(device=device)


def _reference() -> Renderer:
    from silhouette.renderers.reference import ReferenceRenderer

    return ReferenceRenderer()


# The one list of renderers, by the name that ``--renderer`` takes; each starts one or raises RendererUnavailable.
RENDERERS: dict[str, Callable[[], Renderer]] = {"embree": _embree, "gl": _gl, "reference": _reference}


def choose(name: str = "auto", device: int | None = None) -> Renderer:
    """The renderer of that name, started; on the device of that number, as ``silhouette doctor`` counts them.

    "auto" takes ``gl`` where it would run on a GPU, else ``embree``, else ``gl`` in software, else ``reference``; which
    one it was stands in the renderer's ``name`` and ``device``. Any other name is that renderer or an error. Where a
    device is asked for, "auto" takes ``gl``, the only one that has several.

    Raises:
        RequestError: where there is no renderer of that name, or a device is asked for and it has none.
        RendererUnavailable: where the one asked for cannot run on this machine, or there is no such device.

    >>> choose("reference").device
    'numpy'
    >>> choose("refrence")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: no renderer 'refrence'; did you mean 'reference'? ...
    """
    check_name(name, device)
    if device is not None:
        return _gl(device)
    return _choose_best() if name == "auto" else RENDERERS[name]()


def check_name(name: str, device: int | None = None) -> None:
    """Refuses a renderer that does not exist, and a device for one that has none; nothing is started to find out.

    Raises:
        RequestError: see above.

    >>> check_name("embree", device=1)
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: device 1 is asked for, but embree has no devices; gl has
    """
    if name != "auto" and name not in RENDERERS:
        names = ["auto", *RENDERERS]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise RequestError(f"no renderer '{name}'; {hint}there are {', '.join(names)}")
    if device is not None and name not in ("auto", "gl"):
        raise RequestError(f"device {device} is asked for, but {name} has no devices; gl has")


def _choose_best() -> Renderer:
    from silhouette.renderers.gl.devices import has_gpu

    if has_gpu() and os.environ.get("PYOPENGL_PLATFORM", "egl") == "egl":
        try:
            renderer = _gl()
        except RendererUnavailable:
            pass
        else:
            if getattr(renderer, "hardware", False):
                return renderer
    for name in ("embree", "gl", "reference"):
        try:
            return RENDERERS[name]()
        except RendererUnavailable:
            continue
    raise RendererUnavailable("no renderer runs here, not even the one in numpy")


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
    """Every renderer tried on a tiny scene; ``gl`` on each EGL device and on OSMesa, each in a process of its own.

    ``step`` is told how many are done, of how many.
    """
    from silhouette.renderers.gl.devices import listed_devices

    numbers: list[int | None] = [None]
    with suppress(RendererUnavailable):
        numbers = [device.index for device in listed_devices()]
    trials = [
        partial(_probe_here, "embree", "CPU"),
        *(partial(_probe_gl, "egl", number) for number in numbers),
        partial(_probe_gl, "osmesa", None),
        partial(_probe_here, "reference", "numpy"),
    ]
    found = []
    for done, trial in enumerate(trials):
        step(done, len(trials))
        found.append(trial())
    return found


def _probe_here(name: str, device: str) -> Probe:
    try:
        renderer = RENDERERS[name]()
        _draw_triangle(renderer)
    except SilhouetteError as error:
        return Probe(name, False, device, str(error))
    return Probe(name, True, renderer.device, "")


def _probe_gl(platform: str, number: int | None) -> Probe:
    """Tries ``gl`` in a fresh process: PyOpenGL binds to one platform per process, and a broken driver may crash."""
    told = in_a_process(
        "from silhouette.renderers import _draw_triangle, _gl\n"
        f"renderer = _gl({number})\n_draw_triangle(renderer)\n"
        "tell(device=renderer.device, driver=renderer.driver, hardware=renderer.hardware)",
        platform,
    )
    label = {"egl": "EGL", "osmesa": "OSMesa"}[platform]
    if "reason" in told:
        return Probe("gl", False, label, told["reason"], number, platform=platform)
    return Probe("gl", True, told["device"], "", number, told["driver"], told["hardware"], platform)


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
