"""Makes a phone's scan of a table scene, and tells what is true of it.

    python -m tests.support.scan_maker scenes/scans/gang_table.toml --out scenes/scans

A camera goes three times round the table by hand and takes a depth picture at each of 48 places. The pictures are wrong
as those of a phone are, and are fused into one surface (`tests.support.fusing`): figures, terrain and table have grown
together, undersides and narrow gaps are missing. The surface lies somewhere in a frame of its own, in metres, y up.

The same scene and seed make the same scan. It needs the extra ``sculpt``, for marching cubes.
"""

from __future__ import annotations

import argparse
import colorsys
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fast_simplification
import numpy as np
import trimesh
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

import silhouette
from silhouette.common.geometry import Floats, Integers, Pose, unit
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Solid, solid
from silhouette.renderers.embree import EmbreeRenderer
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import View
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import TableScene
from tests.support.fusing import Volume

TABLE_COLOUR = (0.42, 0.40, 0.36)
SLAB = 12.0
"""mm, how thick the table's top is."""

FACING = 0.12
"""A surface that the camera sees at less than this cosine is not measured: what comes back of it is too faint."""

LAPS = 3
"""How often the camera goes round the table."""

SPECK = 60
"""Loose parts of fewer triangles are left out, as scanning apps do."""


@dataclass(frozen=True)
class Plan:
    """How a table is scanned.

    Attributes:
        seed: of everything that chance decides.
        depth_noise: mm, standard deviation of a depth, of each pixel and once more of patches of a tenth of a picture.
        pose_noise: mm and degrees, standard deviations of where the app thinks that the camera was.
        drift: mm and degrees by which that has gone astray after a lap, standard deviations: each picture adds to it,
            so that what the pictures of one side show lies beside, and turned from, what those of another show.
        voxel: mm.
        views: how many pictures are taken.
        picture: pixels across and down.
        triangles: at most so many are kept.
        unit: mm for each unit of the file.
        up: which axis of the file points up.
        turn: degrees by which the table is turned in the file, about the upright; ``shift``: mm, where its middle is.
    """

    seed: int = 1
    depth_noise: float = 0.5
    pose_noise: tuple[float, float] = (0.25, 0.03)
    drift: tuple[float, float] = (0.0, 0.0)
    voxel: float = 1.5
    views: int = 48
    picture: tuple[int, int] = (800, 600)
    triangles: int = 400_000
    unit: float = 1000.0
    up: str = "y"
    turn: float = 0.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def to_table(self) -> Floats:
        """(4, 4) from the file's coordinates to the table's: mm, z up, the middle of the table's top at the origin."""
        pose = Pose.standing(self.shift, self.turn)
        out = np.eye(4)  # from the table to the file's frame, in mm and with z up
        out[:3, :3], out[:3, 3] = pose.rotation, pose.translation
        if self.up == "y":
            out = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]]) @ out
        inverse: Floats = np.linalg.inv(np.diag([1 / self.unit] * 3 + [1.0]) @ out)
        return inverse


EXAMPLE = Plan(triangles=70_000, turn=37.0, shift=(212.0, -340.0, -705.0))
"""How ``scenes/scans/gang_table.glb`` was scanned: a file of less than 1.5 MB."""


@dataclass(frozen=True, eq=False)
class Surface:
    """What an app exports: vertices (n, 3) in mm on the table, faces (m, 3), colours (n, 3) uint8."""

    vertices: Floats
    faces: Integers
    colours: NDArray[np.uint8]


def scan_of(scene: TableScene, plan: Plan) -> Surface:
    """The scan of a scene, which must say how large its table is, in the table's own frame."""
    if scene.table is None:
        raise ValueError(f"{scene.path}: a table that is to be scanned needs its size; write table = [400, 300]")
    chance = np.random.default_rng(plan.seed)
    bodies = [Body(1, _slab(scene.table), Pose.standing())]
    bodies += [Body(number, piece.model.mesh, piece.pose) for number, piece in enumerate(scene.pieces, 2)]
    colours = np.array([TABLE_COLOUR, *(paint(number) for number in range(len(scene.pieces)))], np.float32)
    renderer, volume = EmbreeRenderer(), Volume(plan.voxel)
    for view, astray in zip(walk(scene.table, plan, chance), _drifts(plan), strict=True):
        layer = renderer.render(view, bodies)
        upright, cosine = _normals(view, layer.depth)
        depth = _measured(layer.depth, plan.depth_noise, chance)
        depth[~(cosine > FACING)] = 0.0
        shade = (0.55 + 0.45 * np.abs(upright))[..., None]
        colour = colours[np.maximum(layer.ids - 1, 0)] * shade + chance.normal(0, 0.02, (*depth.shape, 3))
        thought = _astray(_as_the_app_thinks(view, plan.pose_noise, chance), *astray)
        volume.add(thought, depth, np.clip(colour, 0, 1).astype(np.float32))
    return _tidied(*volume.surface(), plan.triangles)


def paint(number: int) -> tuple[float, float, float]:
    """The colour of a piece, unlike that of its neighbours in number: hues a golden ratio apart."""
    return colorsys.hsv_to_rgb(number * 0.618 % 1.0, 0.5, 0.75)


def walk(table: tuple[float, float], plan: Plan, chance: np.random.Generator) -> Iterator[View]:
    """The places of the camera: three times round the table, near and low, middling, far and high."""
    across, down = plan.picture
    step = 2 * math.tan(math.radians(58) / 2) / across
    widest = max(table)
    for number in range(plan.views):
        angle = 2 * math.pi * number / plan.views * LAPS + chance.normal(0, 0.1)
        lap = number % LAPS
        radius = (0.55 + 0.25 * lap) * widest / 2 + 120
        height = (150, 320, 560)[lap] * chance.uniform(0.85, 1.15)
        eye = np.array([radius * math.cos(angle), radius * math.sin(angle) * table[1] / widest, height])
        aim = np.array([*(chance.uniform(-0.3, 0.3, 2) * table), chance.uniform(0, 40)])
        forward = unit(aim - eye)
        right = unit(np.cross(forward, [0.0, 0.0, 1.0]))
        axes = np.array([right, np.cross(right, forward), forward])
        roll = math.radians(chance.normal(0, 4))
        cosine, sine = math.cos(roll), math.sin(roll)
        axes = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]]) @ axes
        yield View(eye, axes, -across / 2 * step, down / 2 * step, step, across, down)


def write_scan(scene: TableScene, plan: Plan, file: Path) -> Surface:
    """Scans a scene and writes the scan; the format is that of the file's ending, ``.points.ply`` a cloud of points."""
    surface = scan_of(scene, plan)
    stored = _placed(surface.vertices, np.linalg.inv(plan.to_table))
    if file.name.endswith(".points.ply"):
        trimesh.PointCloud(stored.astype(np.float32), colors=_opaque(surface.colours)).export(file)
    else:
        mesh = trimesh.Trimesh(stored, surface.faces, vertex_colors=_opaque(surface.colours), process=False)
        mesh.export(file)
    return surface


def truth_of(scene: TableScene, plan: Plan) -> dict[str, Any]:
    """What is true of a scan: where its table lies, and for each piece where its model's origin stands and its turn."""
    return {
        "name": scene.path.stem,
        "scene": str(scene.path),
        "size": scene.table,
        "unit": plan.unit,
        "up": plan.up,
        "voxel": plan.voxel,
        "depth_noise": plan.depth_noise,
        "to_table": (np.linalg.inv(mean_drift(plan)) @ plan.to_table).ravel().tolist(),
        "pieces": [_truth_of(piece) for piece in scene.pieces],
    }


def _truth_of(piece: Piece) -> dict[str, Any]:
    along_x = piece.pose.rotation[:, 0]
    base = piece.model.base
    return {
        "name": piece.name,
        "kind": piece.kind,
        "base_at": [round(float(value), 3) for value in piece.pose.translation],
        "turn": round(math.degrees(math.atan2(along_x[1], along_x[0])) % 360.0, 3),
        "base": None if piece.kind == "terrain" or base is None else round(base.diameter, 2),
    }


def _slab(table: tuple[float, float]) -> Mesh:
    """The table's top, whose upper side is z = 0."""
    return solid(Solid(Box((*table, SLAB)), (0.0, 0.0, -SLAB)))


def _normals(view: View, depth: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """How far up the surface at each pixel faces, and the cosine at which it is seen; nan where nothing is."""
    rows, columns = np.indices(depth.shape)
    rays = view.directions(rows, columns)
    with np.errstate(invalid="ignore"):
        points = rays * np.where(np.isfinite(depth), depth, np.nan)[..., None]
        normals = np.cross(np.gradient(points, axis=1), np.gradient(points, axis=0))
        normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    cosine = np.abs((normals * rays).sum(axis=-1)) / np.linalg.norm(rays, axis=-1)
    return np.nan_to_num(normals[..., 2]), cosine


def _measured(depth: NDArray[np.float32], noise: float, chance: np.random.Generator) -> NDArray[np.float32]:
    """Depths (h, w) as a camera measures them: wrong slowly across the picture, and in each pixel; 0 for nothing."""
    height, width = depth.shape
    coarse = chance.normal(0, noise, (9, 12))
    at = np.stack(np.meshgrid(np.linspace(0, 8, height), np.linspace(0, 11, width), indexing="ij"))
    slow = map_coordinates(coarse, at, order=1)
    wrong = depth + slow + chance.normal(0, noise, depth.shape)
    return np.where(np.isfinite(depth), wrong, 0.0).astype(np.float32)


def _as_the_app_thinks(view: View, noise: tuple[float, float], chance: np.random.Generator) -> View:
    """The view with the camera a little off where it was."""
    shift, degrees = chance.normal(0, noise[0], 3), math.radians(chance.normal(0, noise[1]))
    x, y, z = unit(chance.normal(size=3)) * degrees
    small = np.array([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]])  # a rotation, for so few hundredths of a degree
    axes, _ = np.linalg.qr((view.axes @ small.T).T)
    axes = axes.T * np.sign((axes.T * view.axes).sum(axis=1, keepdims=True))
    return View(view.eye + shift, axes, view.left, view.top, view.step, view.width, view.height)


def _drifts(plan: Plan) -> list[tuple[Floats, Floats]]:
    """For each picture mm (3,) and radians (3,) about the axes by which the app is astray: steps that add up."""
    chance = np.random.default_rng([plan.seed, plan.views])
    steps = chance.normal(0.0, 1.0, (plan.views, 6)) * math.sqrt(LAPS / plan.views)
    walked = np.cumsum(steps, axis=0) * np.repeat([plan.drift[0], math.radians(plan.drift[1])], 3)
    return [(number[:3], number[3:]) for number in walked]


def mean_drift(plan: Plan) -> Floats:
    """(4, 4) by how much all that was seen lies beside the table and is turned, mm: where the scan lies is no error."""
    shift, turn = np.mean(_drifts(plan), axis=0)
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = _rotation(turn), shift
    return out


def _rotation(turn: Floats) -> Floats:
    """(3, 3) the rotation by radians (3,) about the axes at once."""
    angle = float(np.linalg.norm(turn))
    x, y, z = turn / max(angle, 1e-12)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: Floats = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return rotation


def _astray(view: View, shift: Floats, turn: Floats) -> View:
    """The view with the camera shifted by mm (3,) and turned by radians (3,) about the axes, through the origin."""
    if not turn.any() and not shift.any():
        return view
    turned = _rotation(turn)
    axes = (turned @ view.axes.T).T
    return View(turned @ view.eye + shift, axes, view.left, view.top, view.step, view.width, view.height)


def _tidied(vertices: Floats, faces: Integers, colours: NDArray[np.float32], most: int) -> Surface:
    """Without loose specks, and with at most so many triangles."""
    edges = np.concatenate([faces[:, :2], faces[:, 1:]])
    graph = coo_array((np.ones(len(edges), np.bool_), edges.T), shape=(len(vertices),) * 2)
    part = connected_components(graph, directed=False)[1][faces[:, 0]]
    faces = faces[np.bincount(part)[part] >= SPECK]
    placed, kept = vertices.astype(np.float32), faces
    if len(faces) > most:
        placed, kept = fast_simplification.simplify(placed, faces, target_count=most)
    used, kept = np.unique(kept, return_inverse=True)
    placed = placed[used].astype(np.float64)
    near = cKDTree(vertices).query(placed)[1]
    shades = np.rint(colours[near] * 255).astype(np.uint8)
    return Surface(placed, kept.reshape(-1, 3).astype(np.int32), shades)


def _opaque(colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.column_stack([colours, np.full(len(colours), 255, np.uint8)])


def _placed(points: Floats, matrix: Floats) -> Floats:
    placed: Floats = points @ matrix[:3, :3].T + matrix[:3, 3]
    return placed


def table_scene(path: Path) -> TableScene:
    """The scene of a file, which must be one of a table."""
    scene = silhouette.load_scene(path, cache=Cache(None))
    assert isinstance(scene, TableScene), path
    return scene


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: scans one scene as the example was scanned."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.scan_maker", description="Scan a scene's table.")
    parser.add_argument("scene", type=Path, help="a Necromunda scene with a table")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write NAME.glb")
    asked = parser.parse_args(arguments)
    file = asked.out / f"{asked.scene.stem}.glb"
    surface = write_scan(table_scene(asked.scene), EXAMPLE, file)
    print(f"{file}: {len(surface.faces):,} triangles, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
