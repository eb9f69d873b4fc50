"""Milliseconds per check and worst error, ours with each renderer against what one would write in an afternoon.

    python -m tests.benchmarks.renderers

One scene: 10 figures of 50,000 triangles or more, 12 pieces of terrain, all 90 pairs. The others: two segmentation
renders of 256 x 256 with pyrender, two casts of 256 x 256 rays with trimesh's Embree intersector and, where it is
installed, with Open3D. The first two rows are the whole matrix, judged by as many processes as there are cores, as
`silhouette matrix` does it, the forking counted: as it is by default, and with the error of 0.5 % that is asked of the
comparison. Software OpenGL and Open3D use all cores as well. Every method judges all pairs in turn with the first two
rows, several times over, so that all of them meet the same load: told are the medians of the times, and of the ratios
to the first two rows of the same lap. The others have a process of their own, since what they load into memory would
be copied at each fork. Worst error: against Embree at a quarter of the pixel.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from silhouette.errors import RendererUnavailable
from silhouette.groups import verdicts_of
from silhouette.judging import content_with
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece, TableScene
from silhouette.views import View, fit_view
from silhouette.workers import cores
from tests.benchmarks.crowded_table import crowded_document, loaded
from tests.support.rulings import ruled

WIDTH = 256
Method = Callable[[Piece, Piece], tuple[float, int]]
"""Judges attacker and target: the share occluded, and the target's pixels."""

ERROR = 0.005
"""That the comparison allows."""

LAPS = 5

EVERY = {"reference": 15}
"""A slow method judges one pair in so many."""

Found = list[tuple[float, int]]
"""For each pair the share occluded, and the target's pixels."""


def ours(scene: TableScene, name: str, pixel: float = 0.1) -> Method:
    """Our own check with a renderer."""
    renderer = choose(name)

    def judge(attacker: Piece, target: Piece) -> tuple[float, int]:
        verdict = ruled(NECROMUNDA, scene, Check(attacker.name, target.name), renderer, pixel)
        return verdict.occluded, verdict.counts.total

    return judge


def square_view(attacker: Piece, target: Piece) -> View:
    """A picture of 256 x 256 that just holds the target's box."""
    box = target.body_box
    (view,) = fit_view(attacker.eye, box.mean(axis=0), box, 0.1, roll=0.0)
    across = max(view.width, view.height) * view.step
    middle = view.left + view.width * view.step / 2, view.top - view.height * view.step / 2
    return View(view.eye, view.axes, middle[0] - across / 2, middle[1] + across / 2, across / WIDTH, WIDTH, WIDTH)


def world_meshes(scene: TableScene) -> list[tuple[Any, Any]]:
    """Vertices in the world and faces of what counts, for each piece."""
    parts = [(piece.pose, piece.model.significant) for piece in scene.pieces]
    return [(pose.place(mesh.vertices), mesh.faces) for pose, mesh in parts]


def with_pyrender(scene: TableScene) -> Method:
    """Two segmentation renders per pair: the target alone, and everything but the attacker."""
    os.environ["PYOPENGL_PLATFORM"] = choose("gl").device.split(":")[0].lower()
    import pyrender
    import trimesh

    stage = pyrender.Scene()
    nodes = {}
    for piece, (vertices, faces) in zip(scene.pieces, world_meshes(scene), strict=True):
        mesh = pyrender.Mesh.from_trimesh(trimesh.Trimesh(vertices, faces, process=False), smooth=False)
        nodes[piece.name] = stage.add(mesh)
    camera = stage.add(pyrender.PerspectiveCamera(1.0, znear=1.0, zfar=1500.0))
    renderer = pyrender.OffscreenRenderer(WIDTH, WIDTH)
    flags = pyrender.RenderFlags.SEG | pyrender.RenderFlags.SKIP_CULL_FACES
    colours = {node: (0, 0, number) for number, node in enumerate(nodes.values(), 1)}

    def judge(attacker: Piece, target: Piece) -> tuple[float, int]:
        view = square_view(attacker, target)
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


def with_trimesh(scene: TableScene) -> Method:
    """Two casts per pair with trimesh's Embree intersector: the target, and everything in one mesh."""
    import trimesh
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    meshes = [trimesh.Trimesh(*mesh, process=False) for mesh in world_meshes(scene)]
    alone = [RayMeshIntersector(mesh) for mesh in meshes]
    rows, columns = np.indices((WIDTH, WIDTH)).reshape(2, -1)

    @cache
    def all_but(attacker: int) -> tuple[Any, Any]:
        others = [mesh for number, mesh in enumerate(meshes) if number != attacker]
        owner = np.repeat(
            [number for number in range(len(meshes)) if number != attacker], [len(m.faces) for m in others]
        )
        return RayMeshIntersector(trimesh.util.concatenate(others)), owner

    def judge(attacker: Piece, target: Piece) -> tuple[float, int]:
        view = square_view(attacker, target)
        rays = view.directions(rows, columns)
        origins = np.broadcast_to(view.eye, rays.shape)
        total = int((alone[target.index].intersects_first(origins, rays) >= 0).sum())
        everything, owner = all_but(attacker.index)
        first = everything.intersects_first(origins, rays)
        seen = int((owner[first[first >= 0]] == target.index).sum())
        return 1.0 - seen / max(total, 1), total

    return judge


def with_open3d(scene: TableScene) -> Method:
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

    rows, columns = np.indices((WIDTH, WIDTH)).reshape(2, -1)

    def judge(attacker: Piece, target: Piece) -> tuple[float, int]:
        view = square_view(attacker, target)
        rays = np.empty((WIDTH * WIDTH, 6), np.float32)
        rays[:, :3], rays[:, 3:] = view.eye, view.directions(rows, columns)
        tensor = open3d.core.Tensor(rays)
        total = int(np.isfinite(alone[target.index].cast_rays(tensor)["t_hit"].numpy()).sum())
        number = target.index - (target.index > attacker.index)
        seen = int((all_but(attacker.index).cast_rays(tensor)["geometry_ids"].numpy() == number).sum())
        return 1.0 - seen / max(total, 1), total

    return judge


def available(scene: TableScene) -> dict[str, Method]:
    """Every method that can run here, by name; why another one cannot is printed."""
    makers: dict[str, Callable[[], Method]] = {
        "embree": lambda: ours(scene, "embree"),
        "gl": lambda: ours(scene, "gl"),
        "reference": lambda: ours(scene, "reference"),
        "pyrender, 2 x 256²": lambda: with_pyrender(scene),
        "trimesh, 2 x 256²": lambda: with_trimesh(scene),
        "Open3D, 2 x 256²": lambda: with_open3d(scene),
    }
    found = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except (ImportError, RendererUnavailable) as reason:
            print(f"without {name}: {reason}")
    return found


def table_and_pairs() -> tuple[TableScene, list[tuple[Piece, Piece]]]:
    """The crowded table, and everyone against everyone."""
    scene = loaded({**crowded_document(), "readings": Readings().model_dump()})
    return scene, list(permutations([piece for piece in scene.pieces if piece.kind == "fighter"], 2))


def lap(work: Callable[[], Found]) -> tuple[float, Found]:
    """Seconds per check, and what was found: the first time does not count, since the memory has lain idle while
    others worked; of two more the better one does, since others work on these cores as well."""
    found, taken = work(), []
    for _ in range(2):
        start = time.perf_counter()
        found = work()
        taken.append(time.perf_counter() - start)
    return min(taken) / len(found), found


def judge_on_demand(pipe: Connection) -> None:
    """The other process: says which methods there are, and gives the lap of each that it is sent the name of."""
    scene, pairs = table_and_pairs()
    methods = available(scene)
    pipe.send(list(methods))
    while name := pipe.recv():
        judge, asked = methods[name], pairs[:: EVERY.get(name, 1)]
        pipe.send(lap(lambda judge=judge, asked=asked: [judge(*pair) for pair in asked]))  # type: ignore[misc]


def in_processes(scene: TableScene, pairs: Sequence[tuple[Piece, Piece]], renderer: Renderer) -> Found:
    """The whole matrix, by as many processes as there are cores."""
    checks = [Check(attacker.name, target.name) for attacker, target in pairs]
    rows = [verdict.row() for verdict in verdicts_of(scene, checks, renderer, 0.1, cores())]
    return [(row["occluded"], row["target_pixels"]) for row in rows]


def main() -> None:
    """Prints the table."""
    context = multiprocessing.get_context("spawn")
    pipe, far = context.Pipe()
    context.Process(target=judge_on_demand, args=(far,), daemon=True).start()
    scene, pairs = table_and_pairs()
    triangles = sum(len(piece.model.significant.faces) for piece in scene.pieces)
    figures = len({attacker.name for attacker, _ in pairs})
    truth = ours(scene, "embree", pixel=0.025)
    exact = np.array([truth(*pair)[0] for pair in pairs])
    names, embree = pipe.recv(), choose("embree")
    together = {f"embree, {cores()} processes": scene, f"the same, error {ERROR:.1%}": content_with(scene, ERROR)}
    laps: list[dict[str, tuple[float, Found]]] = []
    for _ in range(LAPS + 1):
        laps.append({})
        for name, table in together.items():
            laps[-1][name] = lap(lambda table=table: in_processes(table, pairs, embree))  # type: ignore[misc]
        for name in names:
            pipe.send(name)
            laps[-1][name] = pipe.recv()
    pipe.send("")
    print(f"{figures} figures, {len(scene.pieces) - figures} pieces, {triangles:,} triangles, {len(pairs)} pairs")
    print(f"{'':22}{'ms per check':>14}{'x first':>9}{'x second':>10}{'target pixels':>15}{'worst error':>13}")
    for name in laps[0]:
        times = np.array([[each[which][0] for which in (name, *together)] for each in laps[1:]])  # the first builds
        shares, pixels = np.array(laps[-1][name][1]).T
        error = np.abs(shares - exact[:: EVERY.get(name, 1)]).max()
        first, second = np.median(times[:, :1] / times[:, 1:], axis=0)
        told = f"{name:22}{np.median(times[:, 0]) * 1e3:14.2f}{first:9.1f}{second:10.1f}"
        print(f"{told}{pixels.mean():15,.0f}{error:13.2%}")


if __name__ == "__main__":
    main()
