"""What only the gl renderer has: a platform, a context, memory on a device. Its pictures are in test_renderers.py."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest

from silhouette.errors import RendererUnavailable
from silhouette.geometry import Pose
from silhouette.renderers import Body, Layer, Renderer, choose, devices
from tests import shapes
from tests.conftest import started, unavailable

PROJECT = Path(__file__).resolve().parent.parent
HERE = Pose.standing()


def covered(layer: Layer) -> int:
    return int(np.count_nonzero(layer.ids))


@pytest.fixture
def gl() -> Iterator[Renderer]:
    chosen = started("gl")
    yield chosen
    chosen.close()  # type: ignore[attr-defined]


def test_gl_on_a_platform_that_does_not_exist_says_which_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYOPENGL_PLATFORM", "nonsense")
    with pytest.raises(RendererUnavailable, match="'nonsense' is not known here; egl or osmesa would be right"):
        choose("gl")


def test_gl_without_pyrender_says_what_to_install(monkeypatch: pytest.MonkeyPatch, gl: Renderer) -> None:
    from silhouette.renderers import gl as module

    monkeypatch.setattr(module, "_contexts", {})
    monkeypatch.setitem(sys.modules, "pyrender", None)
    with pytest.raises(RendererUnavailable, match="pip install pyrender2"):
        choose("gl")


def test_gl_without_its_libraries_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(devices, "ctypes", SimpleNamespace(CDLL=missing))
    monkeypatch.setattr(devices.sys, "platform", "linux")
    with pytest.raises(RendererUnavailable, match=r"is not installed; on Debian or Ubuntu: apt install libegl1"):
        choose("gl")


def test_gl_says_that_a_process_keeps_its_first_platform(monkeypatch: pytest.MonkeyPatch, gl: Renderer) -> None:
    other = "osmesa" if gl.device.startswith("EGL") else "egl"
    monkeypatch.setenv("PYOPENGL_PLATFORM", other)
    with pytest.raises(RendererUnavailable, match=f"cannot change to {other}; start another process"):
        choose("gl")


def test_gl_says_on_what_it_runs(gl: Renderer) -> None:
    platform, _, device = gl.device.partition(": ")
    assert platform in ("EGL", "OSMesa")
    if os.environ.get("SILHOUETTE_REQUIRE_GL"):
        assert platform == ("OSMesa" if os.environ.get("PYOPENGL_PLATFORM") == "osmesa" else "EGL")
    assert gl.hardware is not any(word in device for word in ("llvmpipe", "softpipe"))  # type: ignore[attr-defined]


def test_gl_can_be_made_and_closed_again_and_again() -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    for _ in range(20):
        renderer = started("gl")
        assert covered(renderer.render(view, [Body(1, shapes.square(30), HERE)])) == 900
        renderer.close()  # type: ignore[attr-defined]
        renderer.close()  # type: ignore[attr-defined]
    with pytest.raises(RendererUnavailable, match="was closed"):
        renderer.render(view, [])


def test_gl_uploads_each_mesh_once_and_makes_room(gl: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    from silhouette.renderers import gl as module

    monkeypatch.setattr(module, "TRIANGLES_KEPT", 4)
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    for side in (2, 4, 6, 8, 2, 4):
        layer = gl.render(view, [Body(1, shapes.square(side), HERE), Body(2, shapes.square(side), HERE)])
        assert covered(layer) == side**2
    assert len(gl._meshes) == 2  # type: ignore[attr-defined]


def test_gl_draws_from_any_thread(gl: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    counts: list[int] = []
    threads = [
        Thread(target=lambda k=k: counts.append(covered(gl.render(view, [Body(1, shapes.square(k), HERE)]))))
        for k in (10, 20, 30)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [100, 400, 900]


def test_gl_loses_no_precision_on_a_mesh_far_from_its_origin(gl: Renderer) -> None:
    far = shapes.moved(shapes.square(30), (2e6, -1e6, 0))
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    layer = gl.render(view, [Body(1, far, Pose.standing((-2e6, 1e6, 0)))])
    assert covered(layer) == 900
    assert np.allclose(layer.depth[layer.ids > 0], 100, rtol=1e-6)


@pytest.mark.skipif("SILHOUETTE_OTHER_PLATFORM" in os.environ, reason="this is the other platform already")
def test_all_of_this_holds_on_osmesa_too() -> None:
    """The same tests in another process, since PyOpenGL is bound to one platform in each."""
    bound = sys.modules.get("OpenGL.platform")
    if bound is not None and type(bound.PLATFORM).__module__.endswith("osmesa"):
        pytest.skip("this process draws on OSMesa already")
    try:
        devices.require_osmesa()
    except RendererUnavailable as reason:
        unavailable(reason)
    environment = {**os.environ, "PYOPENGL_PLATFORM": "osmesa", "SILHOUETTE_OTHER_PLATFORM": "yes"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "yes"
    files = [PROJECT / "tests" / name for name in ("test_renderers.py", "test_gl.py")]
    command = [sys.executable, "-m", "pytest", *map(str, files), "-k", "opengl or test_gl", "-rs"]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "passed" in done.stdout
