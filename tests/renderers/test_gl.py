"""What only the gl renderer has: a platform, a context, memory on a device. Its pictures are in test_renderers.py."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silhouette.common.errors import RendererUnavailable
from silhouette.common.geometry import Pose
from silhouette.renderers import Body, Layer, Renderer, choose, registry
from silhouette.renderers.gl import context
from tests.conftest import started, unavailable
from tests.support import shapes

PROJECT = Path(__file__).resolve().parents[2]
HERE = Pose.standing()


def covered(layer: Layer) -> int:
    return int(np.count_nonzero(layer.ids))


@pytest.fixture
def gl() -> Iterator[Renderer]:
    chosen = started("gl")
    yield chosen
    chosen.close()


def test_gl_on_a_platform_that_does_not_exist_says_which_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYOPENGL_PLATFORM", "nonsense")
    with pytest.raises(RendererUnavailable, match="'nonsense' is not known here; egl or osmesa would be right"):
        choose("gl")


def test_gl_without_pyrender_says_what_to_install(monkeypatch: pytest.MonkeyPatch, gl: Renderer) -> None:
    from silhouette.renderers.gl import context as gl_context

    monkeypatch.setattr(registry, "_started", {})
    monkeypatch.setattr(gl_context, "_contexts", {})
    monkeypatch.setitem(sys.modules, "pyrender", None)
    with pytest.raises(RendererUnavailable, match="install pyrender2"):
        choose("gl")


WITHOUT_DISPLAY = """
import sys
sys.modules["pyglet"] = None
from silhouette.renderers import choose
from silhouette.renderers.probe import draw_triangle
gl = choose("gl")
draw_triangle(gl)
print(gl.device)
"""


@pytest.mark.long
def test_gl_needs_no_library_of_a_display(gl: Renderer) -> None:
    """As in a container: pyrender's window, which nothing here opens, cannot be imported there."""
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_DISPLAY], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert (told.stdout.strip(), told.returncode) == (gl.device, 0), told.stderr


def test_gl_without_its_libraries_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(context, "ctypes", SimpleNamespace(CDLL=missing))
    monkeypatch.setattr(context.sys, "platform", "linux")
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
    assert gl.capabilities.hardware is not any(word in device for word in ("llvmpipe", "softpipe"))


def test_gl_can_be_made_and_closed_again_and_again() -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    for _ in range(20):
        renderer = started("gl")
        assert covered(renderer.render(view, [Body(1, shapes.square(30), HERE)])) == 900
        renderer.close()
        renderer.close()
    with pytest.raises(RendererUnavailable, match="was closed"):
        renderer.render(view, [])


def test_gl_uploads_each_mesh_once_and_makes_room(gl: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    from silhouette.renderers.gl import renderer as module

    monkeypatch.setattr(module, "TRIANGLES_KEPT", 4)
    monkeypatch.setattr(gl._meshes, "room", 4)  # type: ignore[attr-defined]
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    for side in (2, 4, 6, 8, 2, 4):
        layer = gl.render(view, [Body(1, shapes.square(side), HERE), Body(2, shapes.square(side), HERE)])
        assert covered(layer) == side**2
    assert len(gl._meshes) == 2  # type: ignore[attr-defined]


def test_gl_uploads_and_drops_within_one_drawing(gl: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """More meshes at once than there is room for: none is dropped before it is drawn."""
    from silhouette.renderers.gl import renderer as module

    monkeypatch.setattr(module, "TRIANGLES_KEPT", 4)
    monkeypatch.setattr(gl._meshes, "room", 4)  # type: ignore[attr-defined]
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    bodies = [Body(number, shapes.square(2 * number), HERE) for number in range(1, 8)]
    for _ in range(2):
        assert covered(gl.render(view, bodies)) == 14**2
        some = np.argwhere(np.ones((view.height, view.width)))
        assert covered(gl.render(view.refined(2), bodies, 2 * some)) == 14**2
    assert sum(mesh.triangles for _, mesh in gl._meshes.items()) <= 4  # type: ignore[attr-defined]


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many numbers came back from the device each time that it was waited for."""
    from silhouette.renderers.gl.depth_pass import DepthPass

    sizes: list[int] = []
    fetch = DepthPass._fetched

    def counted(one: DepthPass, binding: object, floats: int) -> object:
        sizes.append(floats)
        return fetch(one, binding, floats)

    monkeypatch.setattr(DepthPass, "_fetched", counted)
    return sizes


def test_gl_waits_once_for_all_bodies_and_reads_no_more_than_they_may_touch(gl: Renderer, fetched: list[int]) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.001, width=1000, height=1000)
    bodies = [Body(k, shapes.square(k), Pose.standing((10 * k - 30, 0, 0))) for k in range(1, 6)]
    assert covered(gl.render(view, bodies)) == sum((10 * k) ** 2 for k in range(1, 6))
    assert len(fetched) == 1
    assert fetched[0] <= sum((10 * k + 4) ** 2 for k in range(1, 6))
    assert gl.render(view, bodies[:1], [[500, 500], [-3, 1002]]).ids.tolist() == [0, 0]


def test_gl_looks_single_pixels_up_on_the_device(gl: Renderer, fetched: list[int]) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.0025, width=800, height=800)
    bodies = [Body(1, shapes.square(100), HERE), Body(2, shapes.square(100), Pose.standing((900, 0, 0)))]
    pixels = np.random.default_rng(5).integers(100, 700, (1000, 2))
    layer = gl.render(view, bodies, pixels)
    assert fetched == [1000]  # of the body that may be there
    inside = ((pixels >= 200) & (pixels < 600)).all(axis=1)
    assert np.array_equal(layer.ids > 0, inside)
    assert np.allclose(layer.depth[inside], 100, rtol=1e-6)


def test_gl_draws_in_groups_where_all_at_once_are_too_many(
    gl: Renderer, monkeypatch: pytest.MonkeyPatch, fetched: list[int]
) -> None:
    from silhouette.renderers.gl import renderer as module

    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    monkeypatch.setattr(module, "DEPTHS_AT_ONCE", 3 * view.width * view.height)
    bodies = [Body(k, shapes.square(2 * k), HERE) for k in range(1, 8)]
    assert covered(gl.render(view, bodies)) == 14**2
    assert len(fetched) == 3


@pytest.mark.long
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    width=st.integers(1, 90),
    height=st.integers(1, 90),
    tile=st.sampled_from([17, 32, 50]),
    seed=st.integers(0, 99),
    reach=st.integers(0, 60),
)
def test_gl_gives_the_same_whatever_the_tiles(
    gl: Renderer, width: int, height: int, tile: int, seed: int, reach: int
) -> None:
    """Cut into tiles, as a picture larger than the device's texture is, or in one; all of it, or pixel by pixel."""
    from silhouette.renderers.gl import renderer as module

    view = shapes.looking((30, -150, 40), (0, 0, 0), 0.003, width=width, height=height, roll=31.7)
    bodies = [Body(1, shapes.cube(20), HERE), Body(2, shapes.square(14), Pose.standing((4, -30, 6), turn=20))]
    pixels = np.random.default_rng(seed).integers(-reach, (height + reach, width + reach), (200, 2))
    with pytest.MonkeyPatch.context() as patch:
        whole = [gl.render(view, [body]) for body in bodies], gl.render(view, bodies, pixels)
        patch.setattr(module, "MAX_TEXTURE_SIDE", tile)
        cut = [gl.render(view, [body]) for body in bodies], gl.render(view, bodies, pixels)
    for one, other in zip([*whole[0], whole[1]], [*cut[0], cut[1]], strict=True):
        differing = one.ids != other.ids
        assert differing.sum() <= 0.004 * differing.size + 1  # a tile is a view of its own, rounded in float32
        both = ~differing & (one.ids > 0)
        assert np.allclose(one.depth[both], other.depth[both], rtol=1e-5)


def test_gl_leaves_nothing_on_the_device(gl: Renderer) -> None:
    from OpenGL import GL

    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    renderer: Any = choose("gl")
    covered(renderer.render(view, [Body(1, shapes.square(30), HERE)]))
    kinds = "Buffer", "Texture", "Framebuffer", "Renderbuffer", "VertexArray", "Program", "Shader"

    def there() -> list[int]:
        with renderer._context.current():
            return [sum(map(getattr(GL, f"glIs{kind}"), range(1, 3000))) for kind in kinds]

    opened = there()
    renderer.close()
    closed = there()
    second: Any = choose("gl")
    second.render(view, [Body(1, shapes.square(30), HERE)])
    again = there()
    second.close()
    assert again == opened
    assert there() == closed
    assert all(after < before for after, before in zip(closed[:6], opened[:6], strict=True))


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


def test_gl_keeps_the_pictures_of_several_threads_apart(gl: Renderer) -> None:
    """One renderer, the same body, and each thread looks at it from elsewhere, all of it and then some pixels."""
    body = [Body(1, shapes.cube(20), Pose.standing(turn=30))]
    views = [shapes.looking((80 * k - 120, -150, 30), (0, 0, 0), 0.005, roll=10 * k) for k in range(4)]
    pixels = np.random.default_rng(7).integers(0, 64, (300, 2))
    expected = [gl.render(view, body) for view in views]
    wrong: list[int] = []

    def look(number: int) -> None:
        for _ in range(15):
            whole = gl.render(views[number], body)
            some = gl.render(views[number], body, pixels)
            same = np.array_equal(whole.ids, expected[number].ids)
            if not same or not np.array_equal(some.depth, expected[number].depth[tuple(pixels.T)]):
                wrong.append(number)

    threads = [Thread(target=look, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_gl_loses_no_precision_on_a_mesh_far_from_its_origin(gl: Renderer) -> None:
    far = shapes.moved(shapes.square(30), (2e6, -1e6, 0))
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    layer = gl.render(view, [Body(1, far, Pose.standing((-2e6, 1e6, 0)))])
    assert covered(layer) == 900
    assert np.allclose(layer.depth[layer.ids > 0], 100, rtol=1e-6)


@pytest.mark.skipif("SILHOUETTE_OTHER_PLATFORM" in os.environ, reason="this is the other platform already")
@pytest.mark.long
def test_all_of_this_holds_on_osmesa_too() -> None:
    """The same tests in another process, since PyOpenGL is bound to one platform in each."""
    bound = sys.modules.get("OpenGL.platform")
    if bound is not None and type(bound.PLATFORM).__module__.endswith("osmesa"):
        pytest.skip("this process draws on OSMesa already")
    try:
        context.require_osmesa()
    except RendererUnavailable as reason:
        unavailable("gl", reason)
    environment = {**os.environ, "PYOPENGL_PLATFORM": "osmesa", "SILHOUETTE_OTHER_PLATFORM": "yes"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "yes"
    files = [PROJECT / "tests" / "renderers" / name for name in ("test_renderers.py", "test_gl.py")]
    command = [sys.executable, "-m", "pytest", *map(str, files), "-k", "opengl and eye0 or test_gl", "-rs"]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "passed" in done.stdout
