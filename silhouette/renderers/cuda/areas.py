"""RENDER areas on a device: contours of whole meshes are found there, put into pictures, and swept: a launch a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers, spread
from silhouette.meshes.clusters import Indices, clusters_of
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.areas import CoveredAreas, LayeredPicture, Lines, SeenMesh
from silhouette.renderers.cuda import cells as cell_kernels
from silhouette.renderers.cuda import outlining as outline_kernels
from silhouette.renderers.cuda import spans as span_kernels
from silhouette.renderers.cuda import sweeping as sweep_kernels
from silhouette.renderers.rays import MeshMemo

# Kernels are in warp's own language
cells: Any = cell_kernels
outlining: Any = outline_kernels
span_sweep: Any = span_kernels
sweeping: Any = sweep_kernels

EDGES_OF_CONTOUR = 4  # edges of a mesh for each contour that there is room for at first

CELLS_FOR_LINE = 8.0  # cells of a picture for each of its lines
CELLS_AT_LEAST, CELLS_AT_MOST = 1024, 1 << 18  # of a picture
QUOTAS = 4096  # the most places of a picture that stand for all that several blockers are before

CELLS_ALONG = 4096  # cells along a side of it
LEAST_WIDE = 1e-9  # pixels: no window counts as narrower

FACES_TOGETHER = 1 << 25  # of the aspects of pictures that are swept together
BODIES_TOGETHER = 1 << 26  # of all cells of these: no number of a sum reaches 2**31


class Launcher(Protocol):
    """What launches kernels on a device: see `silhouette.renderers.cuda.renderer.CudaRenderer`."""

    warp: Any

    def given(self, values: NDArray[Any], kind: Any, copy: bool = False) -> Any:
        """An array on the device."""

    def read(self, array: Any) -> NDArray[Any]:
        """An array of the device, here."""
        ...

    def zeros(self, size: int, kind: Any) -> Any:
        """An array of zeros on the device."""

    def empty(self, size: int, kind: Any) -> Any:
        """An array on the device that is still to be filled."""

    def launch(self, kernel: Any, threads: int | tuple[int, ...], given: Sequence[Any]) -> None:
        """Runs a kernel on the device."""


class AreaSweep:
    """What bodies cover of pictures, found on a device.

    Args:
        launcher: of the device.
        room: bytes that edges of meshes may take there.
    """

    def __init__(self, launcher: Launcher, room: int) -> None:
        self._launcher, self._kinds = launcher, launcher.warp
        self._meshes: MeshMemo[_EdgesOnDevice] = MeshMemo(self._uploaded, lambda mesh: mesh.size, room)

    def areas(self, pictures: Sequence[LayeredPicture]) -> list[CoveredAreas]:
        """Those of each picture, in their order."""
        areas, some, size = list[CoveredAreas](), list[LayeredPicture](), 0.0
        for picture in pictures:
            more = _share_of_launch(picture)
            if some and size + more > 1.0:
                areas += self._areas_together(some)
                some, size = [], 0.0
            some.append(picture)
            size += more
        return areas + (self._areas_together(some) if some else [])

    def _areas_together(self, pictures: Sequence[LayeredPicture]) -> list[CoveredAreas]:
        bodies = [
            (number, owner, body)
            for number, picture in enumerate(pictures)
            for owner, body in enumerate(picture.bodies)
        ]
        seen = [_MeshOfPicture(number, owner, body) for number, owner, body in bodies if isinstance(body, SeenMesh)]
        given = [_LinesOfPicture(number, owner, body) for number, owner, body in bodies if isinstance(body, Lines)]
        aspects = self._aspects([each.body for each in seen])
        lines = self._lines(aspects, seen, given)
        of_picture = np.bincount(lines.of_picture, lines.counts, len(pictures)).astype(np.int64)
        return self._swept(self._rows(pictures, of_picture), lines)

    # ---- contours

    def _aspects(self, bodies: Sequence[SeenMesh]) -> _Aspects:
        """The meshes of bodies as their eyes see them, each once, and their contours."""
        keys = [(body.mesh.digest, body.eye.tobytes()) for body in bodies]
        first_of = dict(zip(keys, bodies, strict=True))
        numbers, distinct = {key: number for number, key in enumerate(first_of)}, list(first_of.values())
        held = {body.mesh.digest: self._meshes.of(body.mesh) for body in distinct}
        of_mesh = {digest: number for number, digest in enumerate(held)}
        meshes = self._listed([mesh.row for mesh in held.values()], outlining.DeviceEdges)
        faces = np.array([held[body.mesh.digest].faces for body in distinct], np.int64)
        edges = np.array([held[body.mesh.digest].edges for body in distinct], np.int64)
        rows: Any = np.zeros(len(distinct), outlining.DeviceAspect.numpy_dtype())
        rows["mesh"] = [of_mesh[body.mesh.digest] for body in distinct]
        rows["eye"] = np.array([body.eye for body in distinct]).reshape(-1, 3)
        rows["noise"] = [body.noise for body in distinct]
        rows["first"] = np.cumsum(faces) - faces
        aspects = self._launcher.given(rows, outlining.DeviceAspect, copy=True)
        sides = self._launcher.empty(int(faces.sum()), self._kinds.int8)
        self._in_blocks(outlining.find_sides, faces, [meshes, aspects], [sides])
        contours, first, counts = self._contours(meshes, aspects, edges, sides)
        return _Aspects(meshes, aspects, contours, first, counts, [numbers[key] for key in keys], held)

    def _contours(self, meshes: Any, aspects: Any, edges: Indices, sides: Any) -> tuple[Any, Integers, Indices]:
        """The contours of aspects, given how many edges each has; where those of each begin, and their number."""
        room, kinds = edges // EDGES_OF_CONTOUR + 1, self._kinds
        while True:
            begins = np.cumsum([0, *room])
            first = self._launcher.given(begins.astype(np.int32), kinds.int32, copy=True)
            counts = self._launcher.zeros(len(edges), kinds.int32)
            contours = self._launcher.empty(int(begins[-1]), kinds.vec4i)
            self._in_blocks(outlining.find_contours, edges, [meshes, aspects], [sides, first, counts, contours])
            needed = self._launcher.read(counts).astype(np.int64)
            if (needed <= room).all():
                return contours, first, needed
            room = needed

    def _lines(
        self, aspects: _Aspects, seen: Sequence[_MeshOfPicture], given: Sequence[_LinesOfPicture]
    ) -> _LinesOnDevice:
        """The contours of bodies as lines in their pictures, and after them those that are given."""
        counts = aspects.counts[aspects.numbers]
        first = np.cumsum(counts) - counts
        rows: Any = np.zeros(len(seen), outlining.DeviceBodyLines.numpy_dtype())
        rows["aspect"], rows["first"], rows["count"] = aspects.numbers, first, counts
        rows["picture"], rows["owner"] = [each.picture for each in seen], [each.owner for each in seen]
        rows["matrix"] = np.array([each.body.matrix for each in seen]).reshape(-1, 3, 3)
        before = int(counts.sum())
        lines = outlining.DeviceLines()
        for name, values in _flattened(given).items():
            kind = self._kinds.vec4d if name == "ends" else self._kinds.int32
            room = self._launcher.empty(before + len(values), kind)
            if len(values):
                self._kinds.copy(room, self._launcher.given(values, kind), dest_offset=before)
            setattr(lines, name, room)
        bodies = self._launcher.given(rows, outlining.DeviceBodyLines, copy=True)
        self._in_blocks(
            outlining.put_in_pictures,
            counts,
            [aspects.meshes, aspects.rows, aspects.first, aspects.contours, bodies],
            [lines],
        )
        all_counts = np.concatenate([counts, [each.lines.start.shape[1] for each in given]]).astype(np.int64)
        pictures = np.array([each.picture for some in (seen, given) for each in some], np.int64)
        return _LinesOnDevice(lines, all_counts, pictures)

    # ---- areas

    def _rows(self, pictures: Sequence[LayeredPicture], lines: Indices) -> Any:
        """The pictures as the device reads them, given the number of lines of each."""
        left, right, top, bottom = np.array([picture.window for picture in pictures]).T
        wide, high = np.maximum(right - left, LEAST_WIDE), np.maximum(bottom - top, LEAST_WIDE)
        blockers = np.array([len(picture.bodies) - 1 for picture in pictures])
        most = np.minimum(BODIES_TOGETHER / (blockers + 1), CELLS_AT_MOST)
        size = np.sqrt(wide * high / np.clip(lines * CELLS_FOR_LINE, CELLS_AT_LEAST, most))
        bands = np.ceil(np.minimum(high / size, CELLS_ALONG)).astype(np.int64)
        across = np.ceil(np.minimum(wide / size, CELLS_ALONG)).astype(np.int64)
        spans = -(-(across + 2) // cells.SPAN)
        rows: Any = np.zeros(len(pictures), cells.DevicePicture.numpy_dtype())
        rows["left"], rows["right"], rows["top"] = left, right, top
        rows["width"], rows["height"] = wide / across, high / bands
        rows["bands"], rows["across"], rows["blockers"] = bands, across + 2, blockers
        rows["quota"], rows["spans"] = wide * high / QUOTAS, spans
        for name, counts in (
            ("band", bands),
            ("cell", bands * (across + 2)),
            ("span", bands * spans),
            ("column", bands * spans * _sums_of(blockers)),
            ("winding", bands * spans * 2 * (blockers + 1)),
        ):
            rows[name] = np.cumsum(counts) - counts
        return rows

    def _swept(self, rows: Any, lines: _LinesOnDevice) -> list[CoveredAreas]:
        kinds, launcher, count = self._kinds, self._launcher, int(lines.counts.sum())
        blockers, bands = rows["blockers"].astype(np.int64), rows["bands"].astype(np.int64)
        spans = bands * rows["spans"]
        all_bands, all_spans = int(bands.sum()), (int(bands.sum()), int(rows["spans"].max()))
        pictures = launcher.given(rows, cells.DevicePicture, copy=True)
        of_band = launcher.given(np.repeat(np.arange(len(rows), dtype=np.int32), bands), kinds.int32, copy=True)
        sweep = sweeping.DeviceSweep()
        counts = launcher.zeros(int((bands * rows["across"]).sum()) + 1, kinds.int32)
        launcher.launch(cells.put_in_cells, count, [pictures, lines.arrays, counts, launcher.zeros(0, kinds.int32)])
        sweep.begins, crossings = self._added_up(counts)
        sweep.crossing = launcher.empty(crossings, kinds.int32)
        kinds.copy(counts, sweep.begins)
        launcher.launch(cells.put_in_cells, count, [pictures, lines.arrays, counts, sweep.crossing])
        bodies = launcher.zeros(counts.shape[0], kinds.int32)
        launcher.launch(cells.find_crossed, all_spans, [pictures, of_band, sweep.begins, bodies])
        sweep.bodies, crossed = self._added_up(bodies)
        sweep.line, sweep.border, sweep.order = (launcher.empty(crossings, kinds.int32) for _ in range(3))
        for name in ("start", "stop", "above", "below"):
            setattr(sweep, name, launcher.empty(crossings, kinds.float64))
        sweep.cell_winding = int((spans * 2 * (blockers + 1)).sum())
        sweep.winding = launcher.zeros(sweep.cell_winding + sweeping.WINDINGS * crossed, kinds.int32)
        sweep.cell_sum = int((spans * _sums_of(blockers)).sum())
        sweep.sums = launcher.zeros(sweep.cell_sum + sweeping.FIXED_COLUMNS * crossed, kinds.float64)
        # Of spans and of cells, each has at most one place more than its share of quotas
        several = blockers > 1
        room = int(((QUOTAS + spans) * several).sum()) + (crossed if several.any() else 0)
        sweep.places, sweep.place_count = launcher.empty(room, kinds.vec4d), launcher.zeros(1, kinds.int32)
        sweep.listed, sweep.list_count = launcher.empty(crossed, kinds.vec3i), launcher.zeros(1, kinds.int32)
        # Sorting takes as much room again
        sweep.haste, sweep.numbers = (launcher.empty(2 * crossed, kinds.int32) for _ in range(2))
        launcher.launch(span_sweep.wind_along_spans, all_spans, [pictures, of_band, lines.arrays, sweep])
        launcher.launch(span_sweep.wind_to_spans, all_bands, [pictures, of_band, sweep])
        launcher.launch(span_sweep.settle_spans, all_spans, [pictures, of_band, lines.arrays, sweep])
        if listed := int(launcher.read(sweep.list_count)[0]):
            kinds.utils.radix_sort_pairs(sweep.haste, sweep.numbers, listed)
            launcher.launch(sweeping.sweep_cells, listed, [pictures, sweep.numbers, lines.arrays, sweep])
        launcher.launch(span_sweep.add_cells, all_spans, [pictures, of_band, sweep])
        launcher.launch(span_sweep.add_spans, all_bands, [pictures, of_band, sweep])
        column, picture = spread(np.zeros(len(rows), np.int64), _sums_of(blockers))
        totals = launcher.empty(len(column), kinds.float64)
        of_total = [launcher.given(each.astype(np.int32), kinds.int32, copy=True) for each in (picture, column)]
        launcher.launch(span_sweep.add_bands, len(column), [pictures, *of_total, sweep, totals])
        sums = np.split(launcher.read(totals), np.cumsum(_sums_of(blockers))[:-1])
        places = self._places(sweep, len(rows))
        return [_covered(*each) for each in zip(sums, places, rows["quota"].tolist(), strict=True)]

    def _places(self, sweep: Any, count: int) -> list[Floats]:
        """For each of ``count`` pictures (n, 3) row, column, quotas of places behind several blockers, row by row."""
        used = int(self._launcher.read(sweep.place_count)[0])
        places = self._launcher.read(sweep.places[:used]) if used else np.empty((0, 4))
        places = places[np.lexsort(places.T[::-1])]
        return np.split(places[:, 1:], np.searchsorted(places[:, 0], np.arange(1, count)))

    def _added_up(self, counts: Any) -> tuple[Any, int]:
        """Running sums of counts, the last of which is 0: where the items of each owner begin; and their number."""
        begins = self._launcher.empty(counts.shape[0], self._kinds.int32)
        self._kinds.utils.array_scan(counts, begins, inclusive=False)
        return begins, int(self._launcher.read(begins[-1:])[0])

    # ---- the device

    def _in_blocks(self, kernel: Any, counts: Indices, before: Sequence[Any], after: Sequence[Any]) -> None:
        """Launches a kernel with a thread for each item, given the number of items of each owner.

        ``before`` and ``after`` are its arguments before and after those of the blocks of threads.
        """
        block, owner = spread(np.zeros(len(counts), np.int64), -(-counts // outlining.THREADS))
        if len(block):
            owners = self._launcher.given(owner.astype(np.int32), self._kinds.int32)
            starts = self._launcher.given((block * outlining.THREADS).astype(np.int32), self._kinds.int32)
            self._launcher.launch(kernel, len(block) * outlining.THREADS, [*before, owners, starts, *after])

    def _listed(self, rows: Sequence[Any], kind: Any) -> Any:
        return self._launcher.given(np.array(rows, kind.numpy_dtype()), kind, copy=True)

    def _uploaded(self, mesh: Mesh) -> _EdgesOnDevice:
        """The faces and edges of a mesh on the device."""
        clusters, kinds = clusters_of(mesh), self._kinds
        even, odd = clusters.even, clusters.odd
        row = outlining.DeviceEdges()
        row.middle = kinds.vec3d(*clusters.middle)
        size = 0
        for name, kind, values in (
            ("planes", kinds.vec4, clusters.planes),
            ("corners", kinds.vec3i, clusters.corners),
            ("vertices", kinds.vec3d, clusters.vertices),
            ("clusters", kinds.vec4d, np.column_stack([clusters.centres.T, clusters.radii])),
            ("even_ends", kinds.vec2i, even.ends),
            ("even_faces", kinds.vec2i, even.faces.T),
            ("odd_ends", kinds.vec2i, odd.ends),
            ("odd_first", kinds.int32, odd.first.astype(np.int32)),
            ("odd_faces", kinds.int32, odd.faces),
            ("odd_along", kinds.int32, odd.along.astype(np.int32)),
        ):
            setattr(row, name, self._launcher.given(values, kind, copy=True))
            size += values.nbytes
        return _EdgesOnDevice(size, len(clusters.corners), len(even.ends) + len(odd.ends), row.numpy_value(), row)


class _MeshOfPicture(NamedTuple):
    """A body that is a whole mesh."""

    picture: int  # the number of its picture
    owner: int  # its own there
    body: SeenMesh


class _LinesOfPicture(NamedTuple):
    """A body that is given as lines."""

    picture: int
    owner: int
    lines: Lines


@dataclass(frozen=True, eq=False)
class _EdgesOnDevice:
    """A mesh on a device."""

    size: int  # bytes
    faces: int
    edges: int
    row: Any  # as the device reads it
    held: Any  # what must not be freed as long as the row is in use


@dataclass(frozen=True, eq=False)
class _Aspects:
    """Meshes as eyes see them, on a device."""

    meshes: Any
    rows: Any
    contours: Any
    first: Any  # where the contours of each begin
    counts: Indices  # (n,) how many each has
    numbers: list[int]  # for each body its aspect
    held: Any  # what must not be freed as long as they are in use


@dataclass(frozen=True, eq=False)
class _LinesOnDevice:
    """Lines of pictures, on a device."""

    arrays: Any
    counts: Indices  # (n,) of each body
    of_picture: Indices  # (n,) the number of each body's picture


def _flattened(given: Sequence[_LinesOfPicture]) -> dict[str, NDArray[Any]]:
    """Given lines as the device has them, by the names of `silhouette.renderers.cuda.outlining.DeviceLines`."""
    start, end = (
        np.concatenate([np.empty((0, 2)), *(each.T for each in some)])
        for some in ([body.lines.start for body in given], [body.lines.end for body in given])
    )
    counts = [body.lines.start.shape[1] for body in given]
    picture = np.repeat(np.array([body.picture for body in given], np.int32), counts)
    owner = np.repeat(np.array([body.owner for body in given], np.int32), counts)
    border = np.concatenate([np.empty(0, np.int32), *(body.lines.border for body in given)])
    down = start[:, 1] <= end[:, 1]
    ends = np.where(down[:, None], np.hstack([start, end]), np.hstack([end, start]))
    weight = np.where(down, 1, -1).astype(np.int32)
    return {"ends": ends, "picture": picture, "layer": (2 * owner + border).astype(np.int32), "weight": weight}


def _share_of_launch(picture: LayeredPicture) -> float:
    """The share of what is swept together that a picture takes at most."""
    faces = sum(len(body.mesh.faces) for body in picture.bodies if isinstance(body, SeenMesh))
    return max(faces / FACES_TOGETHER, CELLS_AT_MOST * len(picture.bodies) / BODIES_TOGETHER)


def _sums_of(blockers: Indices) -> Indices:
    """How many sums each span has, and each picture."""
    fixed: int = sweeping.FIXED_COLUMNS
    return fixed + 2 * blockers


def _covered(sums: Floats, places: Floats, quota: float) -> CoveredAreas:
    lone, shared = np.split(sums[sweeping.FIXED_COLUMNS :], 2)
    free, several, rim, obscured_rim, *sides = sums[: sweeping.FIXED_COLUMNS].tolist()
    free_sides, obscured_sides, several_sides, _ = sides
    return CoveredAreas(
        free=free,
        several=several,
        rim=rim,
        obscured_rim=obscured_rim,
        free_sides=free_sides,
        obscured_sides=obscured_sides,
        several_sides=several_sides,
        places=places[:, :2] - 0.5,
        weights=places[:, 2] * quota,
        lone=lone,
        shared=shared,
    )
