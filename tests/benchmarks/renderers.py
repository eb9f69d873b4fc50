"""How long does a check take by layers, with each witness, and with other libraries, and how wrong is each?

All 90 pairs of the figures of one crowded table. The first rows are the whole matrix, forking included; every other
method judges the pairs one by one; the last rows are two pictures of 256 x 256 pixels for each pair, or as many rays.
All take turns under the same load: times, and ratios to the first two rows of the same round, are medians.

Errors are differences from what layers count, which `stated_errors` judges: the worst, and the median of pairs that
are partly obscured. Wanted in the first row: 8 times as fast as Open3D, 40 times as fast as pyrender.

The second table has what it took to tell where blockers are before their targets, in all pairs.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cache, partial
from itertools import permutations
from multiprocessing.connection import Connection
from typing import Any
from unittest.mock import patch

import numpy as np

from silhouette.common.errors import RendererUnavailable
from silhouette.common.geometry import Floats
from silhouette.judging import JudgingOptions, judge_all
from silhouette.measure.occlusion import _Target
from silhouette.measure.sampling import sample
from silhouette.measure.silhouettes import silhouette_alone
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.views import View, fit_view
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import Piece, TableScene
from silhouette.workers import cores
from tests.benchmarks.crowded_table import crowded_document, loaded
from tests.benchmarks.tables import Options, Table, options_of, show
from tests.support.rulings import ruled

WIDTH, PIXEL = 256, 0.1
Method = Callable[[Piece, Piece], tuple[float, float]]
"""Judges attacker and target: the share occluded, and the target's pixels."""

TITLE = "Ours, and two pictures with other libraries"
COLUMNS = ("", "ms per check", "times the first", "times the second", "target pixels", "median error", "worst error")

LAPS = 3

REFERENCE = "witness `reference` (6 pairs)"
SLOW = 4.0
"""Seconds from which on a method judges all pairs once a round."""

EVERY = {REFERENCE: 15}
"""A slow method judges one pair in so many."""

Found = list[tuple[float, float]]
"""For each pair the share occluded, and the target's pixels."""


def ours(scene: Scene, name: str) -> Method:
    """Our own check with a renderer."""
    renderer = choose(name)

    def judge(attacker: Piece, target: Piece) -> tuple[float, float]:
        verdict = ruled(NECROMUNDA, scene, Check(attacker.name, target.name), renderer, PIXEL)
        return verdict.occluded, verdict.counts.total

    return judge


def square_view(attacker: Piece, target: Piece, width: int) -> View:
    """A picture of so many pixels each way that just holds the target's box."""
    box = target.body_box
    (view,) = fit_view(attacker.eye, box.mean(axis=0), box, 0.1, roll=0.0)
    across = max(view.width, view.height) * view.step
    middle = view.left + view.width * view.step / 2, view.top - view.height * view.step / 2
    return View(view.eye, view.axes, middle[0] - across / 2, middle[1] + across / 2, across / width, width, width)


def world_meshes(scene: TableScene) -> list[tuple[Any, Any]]:
    """Vertices in the world and faces of what counts, for each piece."""
    parts = [(piece.pose, piece.model.significant) for piece in scene.pieces]
    return [(pose.place(mesh.vertices), mesh.faces) for pose, mesh in parts]


@cache
def offscreen(width: int) -> Any:
    """pyrender's renderer of square pictures, which is slow to start and serves all scenes."""
    os.environ["PYOPENGL_PLATFORM"] = choose("gl").device.split(":")[0].lower()
    import pyrender

    renderer = pyrender.OffscreenRenderer(width, width)
    # The process gives it back: deleted last of all it finds OpenGL gone, and says so.
    renderer.delete = renderer._renderer.delete = lambda: None
    return renderer


def with_pyrender(scene: TableScene, width: int = WIDTH) -> Method:
    """Two segmentation renders per pair: the target alone, and everything but the attacker."""
    renderer = offscreen(width)
    import pyrender
    import trimesh

    stage = pyrender.Scene()
    nodes = {}
    for piece, (vertices, faces) in zip(scene.pieces, world_meshes(scene), strict=True):
        both = np.concatenate([faces, faces[:, ::-1]])  # a segmentation culls what looks away, whatever is asked for
        mesh = pyrender.Mesh.from_trimesh(trimesh.Trimesh(vertices, both, process=False), smooth=False)
        nodes[piece.name] = stage.add(mesh)
    camera = stage.add(pyrender.PerspectiveCamera(1.0, znear=1.0, zfar=1500.0))
    flags = pyrender.RenderFlags.SEG
    colours = {node: (0, 0, number) for number, node in enumerate(nodes.values(), 1)}

    def judge(attacker: Piece, target: Piece) -> tuple[float, float]:
        view = square_view(attacker, target, width)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = (view.axes * [[1], [1], [-1]]).T, view.eye
        focal = 1.0 / view.step
        intrinsics = pyrender.IntrinsicsCamera(
            focal, focal, -view.left * focal, view.top * focal, znear=1.0, zfar=1500.0
        )
        camera.camera = intrinsics
        stage.set_pose(camera, pose)
        stage.main_camera_node = camera
        masks = []
        for shown in ({target.name}, set(nodes) - {attacker.name}):
            for name, node in nodes.items():
                node.mesh.is_visible = name in shown
            image, _ = renderer.render(stage, flags, {node: colours[node] for node in nodes.values()})
            masks.append(image[:, :, 2] == colours[nodes[target.name]][2])
        total = int(masks[0].sum())
        return 1.0 - int(masks[1].sum()) / max(total, 1), total

    return judge


def with_trimesh(scene: TableScene, width: int = WIDTH) -> Method:
    """Two casts per pair with trimesh's Embree intersector: the target, and everything in one mesh."""
    import trimesh
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    meshes = [trimesh.Trimesh(*mesh, process=False) for mesh in world_meshes(scene)]
    alone = [RayMeshIntersector(mesh) for mesh in meshes]
    rows, columns = np.indices((width, width)).reshape(2, -1)

    @cache
    def all_but(attacker: int) -> tuple[Any, Any]:
        others = [mesh for number, mesh in enumerate(meshes) if number != attacker]
        owner = np.repeat(
            [number for number in range(len(meshes)) if number != attacker], [len(m.faces) for m in others]
        )
        return RayMeshIntersector(trimesh.util.concatenate(others)), owner

    def judge(attacker: Piece, target: Piece) -> tuple[float, float]:
        view = square_view(attacker, target, width)
        rays = view.directions(rows, columns)
        origins = np.broadcast_to(view.eye, rays.shape)
        total = int((alone[target.index].intersects_first(origins, rays) >= 0).sum())
        everything, owner = all_but(attacker.index)
        first = everything.intersects_first(origins, rays)
        seen = int((owner[first[first >= 0]] == target.index).sum())
        return 1.0 - seen / max(total, 1), total

    return judge


def with_open3d(scene: TableScene, width: int = WIDTH) -> Method:
    """Two casts per pair with Open3D's raycasting scene."""
    import open3d

    def cast_into(meshes: list[tuple[Any, Any]]) -> Any:
        stage = open3d.t.geometry.RaycastingScene()
        for vertices, faces in meshes:
            stage.add_triangles(vertices.astype(np.float32), faces.astype(np.uint32))
        return stage

    meshes = world_meshes(scene)
    alone = [cast_into([mesh]) for mesh in meshes]

    @cache
    def all_but(attacker: int) -> Any:
        return cast_into([mesh for number, mesh in enumerate(meshes) if number != attacker])

    rows, columns = np.indices((width, width)).reshape(2, -1)

    def judge(attacker: Piece, target: Piece) -> tuple[float, float]:
        view = square_view(attacker, target, width)
        rays = np.empty((width * width, 6), np.float32)
        rays[:, :3], rays[:, 3:] = view.eye, view.directions(rows, columns)
        tensor = open3d.core.Tensor(rays)
        total = int(np.isfinite(alone[target.index].cast_rays(tensor)["t_hit"].numpy()).sum())
        number = target.index - (target.index > attacker.index)
        seen = int((all_but(attacker.index).cast_rays(tensor)["geometry_ids"].numpy() == number).sum())
        return 1.0 - seen / max(total, 1), total

    return judge


def available(scene: TableScene) -> tuple[dict[str, Method], dict[str, str]]:
    """Every method that can run here, by name, and why the others cannot."""
    makers: dict[str, Callable[[], Method]] = {
        "by layers, one check at a time": lambda: ours(scene, "auto"),
        "witness `embree`": lambda: ours(scene, "embree"),
        "witness `gl`": lambda: ours(scene, "gl"),
        REFERENCE: lambda: ours(scene, "reference"),
        "pyrender, two segmentation renders": lambda: with_pyrender(scene),
        "trimesh with Embree, two casts": lambda: with_trimesh(scene),
        "Open3D, two casts": lambda: with_open3d(scene),
    }
    found, absent = {}, {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except (ImportError, RendererUnavailable) as reason:
            absent[name] = str(reason)
    return found, absent


def table_and_pairs() -> tuple[TableScene, list[tuple[Piece, Piece]]]:
    """The crowded table, and everyone against everyone."""
    scene: TableScene = loaded({**crowded_document(), "readings": Readings().model_dump()})
    return scene, list(permutations([piece for piece in scene.pieces if piece.kind == "fighter"], 2))


def lap(work: Callable[[], Found]) -> tuple[float, Found]:
    """Seconds per check, and what was found.

    The first time does not count, since the memory has lain idle while others worked; of two more the better one does,
    since others work on these cores as well. What takes longer than `SLOW` is done once.
    """
    taken = []
    for _ in range(3):
        silhouette_alone.forget()
        start = time.perf_counter()
        found = work()
        taken.append(time.perf_counter() - start)
        if taken[0] > SLOW:
            break
    return min(taken[1:] or taken) / len(found), found


def judge_on_demand(pipe: Connection) -> None:
    """The other process: says which methods there are, and gives the lap of each that it is sent the name of."""
    scene, pairs = table_and_pairs()
    methods, absent = available(scene)
    pipe.send((list(methods), absent))
    with suppress(EOFError):  # the one that asks has ended
        while name := pipe.recv():
            judge, asked = methods[name], pairs[:: EVERY.get(name, 1)]
            pipe.send(lap(lambda judge=judge, asked=asked: [judge(*pair) for pair in asked]))  # type: ignore[misc]


def in_processes(scene: Scene, pairs: Sequence[tuple[Piece, Piece]], renderer: Renderer, processes: int) -> Found:
    """The whole matrix, by so many processes."""
    requests = [(scene, Check(attacker.name, target.name)) for attacker, target in pairs]
    rows = [one.row() for one in judge_all(requests, JudgingOptions(renderer, pixel=PIXEL, workers=processes))]
    return [(row["occluded"], row["target_pixels"]) for row in rows]


def tables(options: Options) -> Iterator[Table]:
    """One row for each method."""
    scene, pairs = table_and_pairs()
    context = multiprocessing.get_context("spawn")
    pipe, far = context.Pipe()
    others = context.Process(target=judge_on_demand, args=(far,), daemon=True)
    others.start()
    truth = ours(scene, "auto")
    exact = np.array([truth(*pair)[0] for pair in pairs])
    (names, absent), renderer = pipe.recv(), choose()
    together = {f"by layers, {cores()} processes (`silhouette matrix`)": cores(), "by layers, one process": 1}
    laps: list[dict[str, tuple[float, Found]]] = []
    for _ in range(options.laps(LAPS) + 1):
        laps.append({})
        for name, processes in together.items():
            laps[-1][name] = lap(partial(in_processes, scene, pairs, renderer, processes))
        for name in names:
            pipe.send(name)
            laps[-1][name] = pipe.recv()
    pipe.send("")
    others.join()
    figures = len({attacker.name for attacker, _ in pairs})
    triangles = sum(len(piece.model.significant.faces) for piece in scene.pieces)
    note = f"{figures} figures, {len(scene.pieces) - figures} pieces, {triangles:,} triangles, {len(pairs)} pairs."
    rows = tuple(row_of(name, laps, list(together), exact) for name in laps[0])
    compared = ("ms per check", "times the first", "worst error")
    yield Table(TITLE, COLUMNS, rows, (note,), compared=compared, absent=absent)
    yield steps(truth, pairs)


def steps(judge: Method, pairs: Sequence[tuple[Piece, Piece]]) -> Table:
    """How often each way of telling the order of surfaces was taken, and how many rays were cast besides."""
    with ExitStack() as patches:
        reached, parted, compared = (
            patches.enter_context(patch.object(_Target, name, autospec=True, side_effect=getattr(_Target, name)))
            for name in ("hidden_by", "_parted", "_hidden_by_mixed")
        )
        casts = patches.enter_context(patch("silhouette.measure.counting.sample", side_effect=sample))
        for pair in pairs:
            judge(*pair)
    rows = (
        ("blockers that may be before a target", reached.call_count),
        ("told by planes that part both, as wholes", reached.call_count - parted.call_count),
        ("told by planes, face by face", parted.call_count - compared.call_count),
        ("faces compared with the target's, tile by tile", compared.call_count),
        ("pairs in which rays tell the nearest of several", casts.call_count),
        ("rays for that", sum(len(call.args[2]) for call in casts.call_args_list)),
    )
    return Table("How the order was told", ("", "number"), tuple((name, f"{number:,}") for name, number in rows))


def row_of(name: str, laps: list[dict[str, tuple[float, Found]]], firsts: list[str], exact: Floats) -> tuple[str, ...]:
    """The row of a method: see `COLUMNS`. The first lap builds what is kept, and does not count."""
    times = np.array([[each[which][0] for which in (name, *firsts)] for each in laps[1:]])
    ratios = np.median(times[:, :1] / times[:, 1:], axis=0)
    shares, pixels = np.array(laps[-1][name][1]).T
    truth = exact[:: EVERY.get(name, 1)]
    errors, partly = np.abs(shares - truth), (truth > 0.0) & (truth < 1.0)
    numbers = f"{np.median(times[:, 0]) * 1e3:.1f}", *(f"{ratio:.1f}" for ratio in ratios), f"{pixels.mean():,.0f}"
    middle = f"{100 * np.median(errors[partly]):.3f} %" if partly.any() else ""
    return name, *numbers, middle, f"{100 * errors.max():.2f} %"


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
