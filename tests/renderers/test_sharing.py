"""A process has one started renderer of each name and device: in any thread, after a fork, and until it ends."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from numpy.typing import NDArray

from silhouette.common.errors import RendererUnavailable
from silhouette.common.geometry import Pose
from silhouette.renderers import Body, choose, embree, registry
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.rays import INDEX_BYTES_PER_CHUNK, MeshMemo, indexed_size
from tests.conftest import started
from tests.support import shapes

SCENE = Path(__file__).resolve().parents[2] / "scenes" / "necromunda" / "example_2_partial_cover.toml"

FORKED = """
import faulthandler, os, signal, sys
import silhouette
scene = silhouette.load_scene(sys.argv[1])
check = scene.checks[0]
def share():
    return silhouette.check(scene, check.attacker, check.target, renderer=sys.argv[2]).occluded
try:
    first = silhouette.choose(sys.argv[2])
except silhouette.RendererUnavailable:
    sys.exit(77)
before = share()
silhouette.check(scene, check.attacker, check.target, renderer="embree")  # has a thread, which the fork has not
child = os.fork()
if child == 0:
    faulthandler.dump_traceback_later(50, exit=True)
    signal.alarm(60)  # the exit handlers of libraries are after Python's end
    try:
        same = share() == before and silhouette.choose(sys.argv[2]) is not first
    except silhouette.RendererUnavailable:
        same = first.device.startswith("OSMesa") or first.capabilities.hardware
    sys.exit(0 if same else 5)  # as a child of the user's own ends, with all that Python does then
_, status = os.waitpid(child, 0)
assert status == 0, status
assert share() == before and silhouette.choose(sys.argv[2]) is first
"""


def test_a_renderer_is_started_once_and_anew_after_it_was_closed() -> None:
    assert choose("embree") is choose("embree") is not choose("reference")
    assert choose("auto") is choose("auto")
    gl = started("gl")
    assert choose("gl") is gl
    registry.close_all()
    assert gl.is_closed
    again = choose("gl")
    assert again is not gl
    again.close()
    assert choose("gl") is not again
    registry.close_all()


def test_one_that_does_not_start_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = list[int]()

    def broken(device: str | None) -> Renderer:
        tries.append(1)
        raise RendererUnavailable("not here")

    monkeypatch.setattr(registry, "RENDERERS", (registry.RendererEntry("embree", broken, list),))
    for _ in range(2):
        with pytest.raises(RendererUnavailable, match="not here"):
            choose("embree")
    assert len(tries) == 2


@pytest.mark.parametrize("name", ["embree", "gl"])
def test_threads_that_look_at_once_share_it_and_see_the_same(name: str) -> None:
    started(name)
    registry.close_all()
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    bodies = [[Body(1, shapes.square(10 + 4 * number), Pose.standing())] for number in range(6)]
    waiting = Barrier(4)

    def look(_: int) -> tuple[int, list[int]]:
        waiting.wait()
        renderer = choose(name)
        return id(renderer), [int(np.count_nonzero(renderer.render(view, body).ids)) for body in bodies]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(look, range(4)))
    assert len(set(map(str, found))) == 1
    alone = choose("reference")
    assert found[0][1] == [int(np.count_nonzero(alone.render(view, body).ids)) for body in bodies]
    registry.close_all()


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize("name", ["embree", "gl"])
def test_a_process_that_is_forked_starts_its_own_and_ends(name: str) -> None:
    command = [sys.executable, "-c", FORKED, str(SCENE), name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 77:
        pytest.skip(f"{name} does not run here")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_of_meshes_that_are_gone_little_is_kept() -> None:
    kept = MeshMemo[int](lambda mesh: len(mesh.faces), lambda size: size, room=100, spare=30)
    here = [shapes.cube(size) for size in (1, 2, 3)]
    for mesh in here:
        kept.of(mesh)
    for size in range(10, 20):
        kept.of(shapes.cube(size))
        gc.collect()
    digests = set(kept.made)
    assert {mesh.digest for mesh in here} < digests
    assert len(digests) <= 3 + 3
    for size in range(30, 50):
        here.append(shapes.cube(size))
        kept.of(here[-1])
    assert sum(kept.made.values()) <= 100
    assert here[-1].digest in kept.made


def test_of_small_meshes_that_are_gone_no_more_bytes_are_kept_than_of_large_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Boxes come and go by the thousand, as where pieces are tried elsewhere; each takes far more than its faces."""
    pytest.importorskip("embreex")
    kept = MeshMemo(embree._IndexedChunk.all_of, indexed_size, room=10**9, spare=40 * INDEX_BYTES_PER_CHUNK)
    monkeypatch.setattr(embree, "_chunks", kept)
    renderer = embree.EmbreeRenderer()
    for size in range(1, 120):
        renderer.share([shapes.cube(size)])
    gc.collect()
    assert 20 < len(kept.made) <= 40


@pytest.mark.thinned(quick=70)
@pytest.mark.parametrize("name", ["embree", "reference"])
def test_a_view_that_is_kept_keeps_no_mesh_that_was_seen_in_it(name: str) -> None:
    view, mesh = shapes.looking((0, -100, 0), (0, 0, 0), 0.01), shapes.cube(9.375)
    gone = weakref.ref(mesh)
    assert started(name).render(view, [Body(1, mesh, Pose.standing())]).ids.any()
    del mesh
    gc.collect()
    assert gone() is None


def test_all_that_cast_rays_share_one_structure_of_each_mesh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two renderers, and what asks whether segments meet a mesh, in whose copies scenes once lay twice."""
    construction, built = pytest.importorskip("embreex.mesh_construction"), list[int]()

    def build(structure: object, vertices: object, faces: NDArray[np.int32]) -> object:
        built.append(len(faces))
        return triangles(structure, vertices, faces)

    triangles = construction.TriangleMesh
    monkeypatch.setattr(construction, "TriangleMesh", build)
    mesh = shapes.cube(7.125)
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    pictures = [embree.EmbreeRenderer().render(view, [Body(1, mesh, Pose.standing())]).ids for _ in range(2)]
    ends = np.array([[0.0, 0.0, -50.0], [50.0, 0.0, 0.0]])
    starts = np.array([[0.0, 0.0, 50.0], [50.0, 50.0, 0.0]])
    met = embree.met_by_embree(mesh, starts, ends)
    assert met is not None
    assert (met.tolist(), built) == ([True, False], [len(mesh.faces)])
    assert pictures[0].any()
    assert np.array_equal(pictures[0], pictures[1])


def test_keeping_many_small_things_takes_no_longer_for_each_than_keeping_few() -> None:
    sized = list[int]()

    def size(made: int) -> int:
        sized.append(made)
        return made

    kept = MeshMemo[int](lambda mesh: len(mesh.faces), size, room=1_000_000, spare=1_000)
    here = [shapes.cube(size) for size in range(1, 400)]
    for mesh in (*here, *here):
        kept.of(mesh)
    assert len(kept.made) == len(sized) == len(here)
