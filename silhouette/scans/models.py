"""MATCH: the meshes that are looked for, what a camera sees of them, and their poses."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from silhouette.common.errors import FileError, SilhouetteError
from silhouette.common.geometry import Flags, Floats
from silhouette.common.lazy import cached_property
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.files.fingerprints import MESH_ENDINGS
from silhouette.files.reading import DOCUMENTS, missing
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import Kind
from silhouette.models.inspection import is_model_file
from silhouette.models.model import Model, load_model

# ---- poses


@dataclass(frozen=True)
class Upright:
    """A pose of a model: turned by ``yaw`` about its vertical, then moved; relative to where the piece stands."""

    # x, y, z: mm, where the model's origin comes to stand
    x: float
    y: float
    z: float
    yaw: float  # radians anticlockwise

    def place(self, points: Floats) -> Floats:
        """Points (n, 3) of the model where they come to stand."""
        turned = self.turn(points)
        turned += (self.x, self.y, self.z)
        return turned

    def turn(self, vectors: Floats) -> Floats:
        """Vectors (n, 3) of the model as they point when it is turned."""
        cosine, sine = np.cos(self.yaw), np.sin(self.yaw)
        x, y = vectors[:, 0], vectors[:, 1]
        return np.stack([cosine * x - sine * y, sine * x + cosine * y, vectors[:, 2]], axis=1)

    def localise(self, points: Floats) -> Floats:
        """Points (n, 3) in the frame of the model."""
        return Upright(0.0, 0.0, 0.0, -self.yaw).turn(points - (self.x, self.y, self.z))

    def turned_from(self, other: Upright) -> float:
        """Radians from 0 to pi between the yaws of two poses.

        >>> round(Upright(0, 0, 0, 0.1).turned_from(Upright(0, 0, 0, 2 * np.pi - 0.1)), 3)
        0.2
        """
        return abs((self.yaw - other.yaw + np.pi) % (2.0 * np.pi) - np.pi)

    def is_near(self, other: Upright, turn: float = 3.0, apart: float = 1.0) -> bool:
        """Whether two poses are no more than some degrees and mm apart, as one that is reached from two starts."""
        near = np.hypot(self.x - other.x, self.y - other.y) <= apart
        return bool(self.turned_from(other) <= np.radians(turn) and near)


# ---- known


@dataclass(frozen=True, eq=False)
class KnownModel:
    """A mesh or model file to look for."""

    path: str  # as the user gave it, or as the folder that was given names it
    model: Model  # as loaded: mm, z up, standing on z = 0 with the middle of its base at the origin

    @cached_property
    def surface(self) -> VisibleSurface:
        """What a camera round the model and above it can see of its surface."""
        return visible_surface(self.model.mesh)


@dataclass(frozen=True, eq=False)
class KnownModels:
    """The models that were named, and what is to be said about those that could not be read."""

    models: tuple[KnownModel, ...]  # in the order given, those of a folder sorted; none twice
    warnings: tuple[str, ...]  # a sentence for each file of a folder that cannot be read


def known_models(paths: Sequence[str], kind: Kind, cache: Cache) -> KnownModels:
    """The models to look for, all of a kind: meshes, model files, and all those in folders, searched deeply.

    A mesh in a folder that a model file in the same folder names stands for the same model, and is left out. Among
    figures, model files of vehicles stay vehicles; those of another kind are an error where named, and passed over in
    folders.

    Raises:
        FileError: where a file that is named itself cannot be read, or a folder has no mesh and no model file.

    >>> known_models([], "fighter", Cache(None))
    KnownModels(models=(), warnings=())
    """
    models: list[KnownModel] = []
    warnings: list[str] = []
    seen: set[str] = set()
    for path in paths:
        named = Path(path)
        if not named.exists():
            raise missing(named)
        files = [named]
        if named.is_dir():
            files = models_among(files_below(named))
            if not files:
                raise FileError(path, "is a folder without a mesh or a model file")
        for file in files:
            real = os.path.realpath(file)
            if real in seen:
                continue
            seen.add(real)
            try:
                is_vehicle = kind == "fighter" and kind_of_file(file) == "vehicle"
                models.append(KnownModel(str(file), load_model(file, cache, "vehicle" if is_vehicle else kind)))
            except SilhouetteError as problem:
                if not named.is_dir():
                    raise
                if kind_of_file(file) in (None, kind):
                    warnings.append(f"{problem}; it is not looked for")
    return KnownModels(tuple(models), tuple(warnings))


def models_among(files: Iterable[Path]) -> list[Path]:
    """The meshes and model files among some files, sorted; no scenes, and no meshes of the models among them."""
    files = sorted(file for file in files if file.suffix.lower() in (*MESH_ENDINGS, *DOCUMENTS))
    meshes = {file: _mesh_of(file) for file in files if is_model_file(file)}
    taken = {os.path.realpath(mesh) for mesh in meshes.values() if mesh is not None}
    return [file for file in files if meshes.get(file, file) is not None and os.path.realpath(file) not in taken]


def files_below(folder: Path) -> Iterator[Path]:
    """The files in a folder and below it, but for hidden ones, which folders may be as well."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in names if not name.startswith("."))


def _mesh_of(file: Path) -> Path | None:
    """The mesh that a model file names; None for a document that is no model."""
    mesh = _document(file).get("mesh")
    return file.parent / mesh if isinstance(mesh, str) else None


def kind_of_file(file: Path) -> Any:
    """The kind that a model file says; None where it says none, and for meshes."""
    return _document(file).get("kind") if is_model_file(file) else None


def _document(file: Path) -> dict[str, Any]:
    """What a document says; nothing for one that cannot be read, or that is a scene."""
    try:
        document = read_document(file)
    except SilhouetteError:
        return {}
    return {} if "rules" in document else document


# ---- visible

MODEL_SAMPLES = 40_000
"""The samples on a model's surface, hidden parts included. On a figure of 32 mm with 6,000 mm2 they lie 0.4 mm apart,
less than the step of any scan of a table."""

LEAST_SPACING = 0.3  # mm between samples: closer ones than this tell nothing that a scan shows
FACING = 0.12  # the least cosine between a ray and the normal at which a depth camera still sees a surface


class SearchedPoints:
    """Points of which the nearest ones to other places are searched."""

    points: Floats  # (n, 3) float64, mm

    @cached_property
    def tree(self) -> Any:
        """A `scipy.spatial.cKDTree` of the points."""
        return scipy.spatial.cKDTree(self.points)

    @cached_property
    def distances(self) -> DistanceGrid:
        """How far places in and round the points are from them."""
        return DistanceGrid.of(self.points)


@dataclass(frozen=True, eq=False)
class VisibleSurface(SearchedPoints):
    """The part of a model's surface that can be seen from round about and from above, as points."""

    points: Floats  # (n, 3) float64, mm in the model's frame
    normals: Floats  # (n, 3) float64, unit vectors that point to where the surface is seen from
    openness: Floats  # (n,) float64, the share of all directions of view from which the point is seen, above 0
    spacing: float  # mm between neighbouring points

    @cached_property
    def sparse(self) -> NDArray[np.intp]:
        """Indices of about 1,000 points spread evenly: enough for a first look at a pose."""
        return spread(self.points, 1000)

    def some(self, most: int) -> NDArray[np.intp]:
        """Indices of at most ``most`` points, evenly taken: neighbours in the list are neighbours on the surface."""
        return np.arange(0, len(self.points), max(1, -(-len(self.points) // most)))

    def thin(self, thickness: float, chosen: NDArray[np.intp]) -> Flags:
        """(k,) bool, which of the points with these indices (k,) lie on walls thinner than ``thickness`` mm, which a
        scan of that fineness may have lost."""
        normals = self.normals[chosen]
        inside = self.points[chosen] - normals * (0.5 * thickness)
        near = self.tree.query(inside, k=8, distance_upper_bound=0.5 * thickness + self.spacing)
        index = np.where(np.isfinite(near[0]), near[1], 0)
        opposite = np.einsum("ijk,ik->ij", self.normals[index], normals) < -0.3
        thin: Flags = (opposite & np.isfinite(near[0])).any(axis=1)
        return thin

    @cached_property
    def _pictures(self) -> list[DepthPicture]:
        return [DepthPicture.of(self.points, direction, 3.0 * self.spacing) for direction in _directions()]

    def openness_at(self, places: Floats) -> Floats:
        """The share (n,) of directions from which places (n, 3) round the model are seen past it."""
        seen = sum(picture.in_front(places).astype(np.float64) for picture in self._pictures)
        return np.asarray(seen) / len(self._pictures)

    @property
    def area(self) -> float:
        """mm2 of the surface that can be seen."""
        return len(self.points) * self.spacing**2

    @cached_property
    def reach(self) -> float:
        """mm, the greatest distance in plan of a point from the origin."""
        return float(np.hypot(self.points[:, 0], self.points[:, 1]).max())


def visible_surface(mesh: Mesh) -> VisibleSurface:
    """What can be seen of a mesh from round about and from above, sampled evenly.

    A camera does not see undersides, insides, or what overlapping shells hide in each other. Each sample is therefore
    tested against depth pictures from `_directions`, in cells three samples wide: what a scan of that fineness shows.
    The samples are the same every time.
    """
    corners = mesh.vertices[mesh.faces]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    double = np.linalg.norm(cross, axis=1)
    area = float(double.sum()) / 2.0
    count = int(min(MODEL_SAMPLES, max(2000.0, area / LEAST_SPACING**2)))
    spacing = float(np.sqrt(area / count))
    chance = np.random.default_rng(0)
    ends = np.cumsum(double)
    # One sample in each of equal shares of the area: more even than independent draws.
    face = np.minimum(
        np.searchsorted(ends, (np.arange(count) + chance.random(count)) / count * ends[-1]), len(ends) - 1
    )
    root, share = np.sqrt(chance.random(count)), chance.random(count)
    weights = np.stack([1.0 - root, root * (1.0 - share), root * share], axis=1)
    points = np.einsum("ij,ijk->ik", weights, corners[face])
    normals = cross[face] / np.maximum(double[face], 1e-300)[:, None]
    seen, towards = _seen(points, normals, 3.0 * spacing)
    visible = seen > 0.0
    if not visible.any():
        visible[:] = True
        seen[:] = 1.0
    normals = np.where(np.einsum("ij,ij->i", normals, towards)[:, None] < 0.0, -normals, normals)
    return VisibleSurface(points[visible], normals[visible], seen[visible], spacing)


@cache
def _directions() -> Floats:
    """(37, 3) unit vectors towards cameras: twelve round about at each of 15, 40 and 65 degrees, and the zenith."""
    round_about = np.arange(12) * (np.pi / 6.0)
    rows = [np.array([[0.0, 0.0, 1.0]])]
    for number, height in enumerate(np.radians([15.0, 40.0, 65.0])):
        turn = round_about + number * np.pi / 18.0
        ring = [np.cos(turn) * np.cos(height), np.sin(turn) * np.cos(height), np.full(12, np.sin(height))]
        rows.append(np.stack(ring, axis=1))
    return np.concatenate(rows)


def _seen(points: Floats, normals: Floats, cell: float) -> tuple[Floats, Floats]:
    """The share (n,) of directions from which each point is seen, and the sum (n, 3) of those directions."""
    directions = _directions()
    times = np.zeros(len(points))
    towards = np.zeros((len(points), 3))
    for direction in directions:
        seen = DepthPicture.of(points, direction, cell).in_front(points) & (np.abs(normals @ direction) >= FACING)
        times += seen
        towards[seen] += direction
    return times / len(directions), towards


@dataclass(frozen=True, eq=False)
class DepthPicture:
    """A depth picture of points, seen along a direction from far away."""

    axes: Floats  # (3, 3) rows across, upward and towards the camera
    cell: float  # mm across a pixel
    corner: NDArray[np.int64]  # (2,) of the first pixel, in pixels
    depth: Floats  # (rows, columns) of the nearest point in each pixel, towards the camera; -inf where there is none

    SLOPE = 1.7
    """The pixels by which a point may lie behind the nearest one and count as in front: a surface that slopes at 60
    degrees rises by as much within a pixel."""

    @classmethod
    def of(cls, points: Floats, direction: Floats, cell: float) -> DepthPicture:
        """The picture of points (n, 3) for a camera in that direction."""
        helper = np.array([1.0, 0.0, 0.0]) if abs(direction[2]) > 0.9 else np.array([0.0, 0.0, 1.0])
        across = np.cross(helper, direction)
        across /= np.linalg.norm(across)
        axes = np.stack([across, np.cross(direction, across), direction])
        pixels = np.floor(points @ axes[:2].T / cell).astype(np.int64)
        corner = pixels.min(axis=0)
        column, row = (pixels - corner).T
        depth = np.full((int(row.max()) + 1, int(column.max()) + 1), -np.inf)
        np.maximum.at(depth, (row, column), points @ direction)
        return cls(axes, cell, corner, depth)

    def in_front(self, places: Floats) -> Flags:
        """(n,) bool, which places (n, 3) nothing hides."""
        pixels = np.floor(places @ self.axes[:2].T / self.cell).astype(np.int64) - self.corner
        column, row = np.clip(pixels, 0, np.array(self.depth.shape[::-1]) - 1).T
        inside = (pixels[:, 0] == column) & (pixels[:, 1] == row)
        behind = places @ self.axes[2] < self.depth[row, column] - self.SLOPE * self.cell
        in_front: Flags = ~(inside & behind)
        return in_front


def spread(points: Floats, count: int) -> NDArray[np.intp]:
    """Indices of about ``count`` of the points (n, 3), one in each cell of a grid that is as fine as that needs.

    >>> spread(np.array([[0.0, 0, 0], [0.1, 0, 0], [9, 0, 0]]), 5).tolist()
    [0, 1, 2]
    """
    if len(points) <= count:
        return np.arange(len(points))
    low, high = points.min(axis=0), points.max(axis=0)
    extent = float((high - low).max())
    least, most = 0.0, extent
    chosen = np.arange(len(points))
    for _ in range(12):
        cell = (least + most) / 2.0
        index = np.floor((points - low) / max(cell, 1e-9)).astype(np.int64)
        size = index.max(axis=0) + 1
        flat = (index[:, 0] * size[1] + index[:, 1]) * size[2] + index[:, 2]
        chosen = np.unique(flat, return_index=True)[1]
        if 0.9 * count <= len(chosen) <= 1.1 * count:
            break
        least, most = (cell, most) if len(chosen) > count else (least, cell)
    return np.sort(chosen)


@dataclass(frozen=True, eq=False)
class DistanceGrid:
    """Distances from places to the nearest of some points, to look up instead of to search."""

    low: Floats  # (3,) the middle of the first cell
    cell: float  # mm across one
    # (x, y, z) float32, the distance at the middle of each cell; what lies outside is as far as the border
    values: NDArray[np.float32]

    CELLS = 56
    """Along the longest side. A look-up is wrong by at most 0.87 cells."""

    @classmethod
    def of(cls, points: Floats) -> DistanceGrid:
        """The grid round points (n, 3), wider by a quarter of the longest side on each side."""
        least, most = points.min(axis=0), points.max(axis=0)
        margin = 0.25 * float((most - least).max())
        cell = 6.0 * margin / cls.CELLS
        low = least - margin
        shape = np.ceil((most - least + 2.0 * margin) / cell).astype(int) + 1
        free = np.ones(tuple(shape), dtype=np.bool_)
        free[tuple(np.rint((points - low) / cell).astype(int).T)] = False
        return cls(low, cell, (scipy.ndimage.distance_transform_edt(free) * cell).astype(np.float32))

    def at(self, places: Floats) -> NDArray[np.float32]:
        """The distances (...) at places (..., 3)."""
        index = np.rint((places - self.low) / self.cell).astype(np.intp)
        index = np.clip(index, 0, np.array(self.values.shape) - 1)
        return self.values[index[..., 0], index[..., 1], index[..., 2]]
