"""Renderers: one method behind which rays, OpenGL and a plain z-buffer give the same answer."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from silhouette.errors import RendererUnavailable, RequestError, SilhouetteError
from silhouette.geometry import Pose
from silhouette.meshes import Mesh
from silhouette.renderers.base import Body, Layer, Renderer
from silhouette.views import View

__all__ = ["RENDERERS", "Body", "Layer", "Probe", "Renderer", "choose", "probe"]


def _embree() -> Renderer:
    from silhouette.renderers.embree import EmbreeRenderer

    return EmbreeRenderer()


def _gl() -> Renderer:
    from silhouette.renderers.gl import GLRenderer

    return GLRenderer.create()


def _reference() -> Renderer:
    from silhouette.renderers.reference import ReferenceRenderer

    return ReferenceRenderer()


# The one list of renderers, by the name that ``--renderer`` takes; each starts one or raises RendererUnavailable.
RENDERERS: dict[str, Callable[[], Renderer]] = {"embree": _embree, "gl": _gl, "reference": _reference}


def choose(name: str = "auto") -> Renderer:
    """The renderer of that name, started.

    "auto" takes ``gl`` where it would run on a GPU, else ``embree``, else ``gl`` in software, else ``reference``; which
    one it was stands in the renderer's ``name`` and ``device``. Any other name is that renderer or an error.

    Raises:
        RequestError: where there is no renderer of that name.
        RendererUnavailable: where the one asked for cannot run on this machine.

    >>> choose("reference").device
    'numpy'
    >>> choose("refrence")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: no renderer 'refrence'; did you mean 'reference'? ...
    """
    if name == "auto":
        return _choose_best()
    if name not in RENDERERS:
        names = ["auto", *RENDERERS]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise RequestError(f"no renderer '{name}'; {hint}there are {', '.join(names)}")
    return RENDERERS[name]()


def _choose_best() -> Renderer:
    from silhouette.renderers.devices import has_gpu

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
    """What `probe` found out about one renderer.

    Attributes:
        name: as ``--renderer`` spells it.
        available: whether it drew a triangle as it should.
        device: what it runs on, or would.
        reason: why it does not run, empty where it does.
    """

    name: str
    available: bool
    device: str
    reason: str


def probe() -> list[Probe]:
    """Every renderer tried on a tiny scene, ``gl`` on both of its platforms, each of these in a process of its own."""
    probes = [_probe_here("embree", "CPU"), *(_probe_gl(platform) for platform in ("egl", "osmesa"))]
    return [*probes, _probe_here("reference", "numpy")]


def _probe_here(name: str, device: str) -> Probe:
    try:
        renderer = RENDERERS[name]()
        _draw_triangle(renderer)
    except SilhouetteError as error:
        return Probe(name, False, device, str(error))
    return Probe(name, True, renderer.device, "")


def _probe_gl(platform: str) -> Probe:
    """Tries ``gl`` in a fresh process: PyOpenGL binds to one platform per process, and a broken driver may crash."""
    label = {"egl": "EGL", "osmesa": "OSMesa"}[platform]
    script = (
        "from silhouette.errors import SilhouetteError\n"
        "from silhouette.renderers import _draw_triangle, _gl\n"
        "try:\n    renderer = _gl()\n    _draw_triangle(renderer)\n    print('device:', renderer.device)\n"
        "except SilhouetteError as error:\n    print('reason:', error)\n"
    )
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYOPENGL_PLATFORM": platform, "PYTHONPATH": path}
    try:
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return Probe("gl", False, label, "it did not draw a triangle within a minute")
    last = (done.stdout.strip().splitlines() or [""])[-1]
    kind, _, text = last.partition(": ")
    if kind == "device":
        return Probe("gl", True, text, "")
    if kind == "reason":
        return Probe("gl", False, label, text)
    complaint = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    return Probe("gl", False, label, f"its process ended with status {done.returncode}: {complaint}")


def _draw_triangle(renderer: Renderer) -> None:
    """Raises RendererUnavailable where a renderer does not draw the lower left half of a picture of 8 x 8 pixels."""
    corners = np.array([[-10.0, 10.0, -10.0], [7.9, 10.0, -10.0], [-10.0, 10.0, 7.9]])
    mesh = Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    view = View(np.zeros(3), axes, -1.0, 1.0, 0.25, width=8, height=8)
    layer = renderer.render(view, [Body(5, mesh, Pose.standing())])
    if layer.ids.tolist() != (5 * np.tri(8, k=-1, dtype=np.int32)).tolist():
        raise RendererUnavailable(f"{renderer.device} runs but draws a plain triangle wrongly; use another renderer")
