"""SCAN: what became of a scan: the table, its pieces with their places and meshes, and what is left to ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers
from silhouette.scans.discs import Disc
from silhouette.scans.keeping import Earlier
from silhouette.scans.matching import Match
from silhouette.scans.questions import Question
from silhouette.scans.reading import Colours, Scan
from silhouette.scans.scale import Scale

PlacedKind = Literal["fighter", "vehicle", "terrain"]


@dataclass(frozen=True, eq=False)
class PieceMesh:
    """The surface of a piece as it was scanned, in the frame of the piece: mm, z up, its origin at `ScannedPiece.at`.

    Attributes:
        vertices: (n, 3) float64.
        faces: (m, 3) int32.
        colours: (n, 3) uint8, or None.
        holes: how many holes were closed, its underside among them.
        largest: mm, the diagonal of the box round the largest of them.
        open_area: mm2 of holes that were left open, because what lies behind them was never seen.
    """

    vertices: Floats
    faces: Integers
    colours: Colours | None
    holes: int
    largest: float
    open_area: float


@dataclass(frozen=True, eq=False)
class ScannedPiece:
    """A piece of the table.

    Attributes:
        name: unique on the table.
        number: its number among the labels.
        kind: what it is.
        at: x, y, z in mm on the table of its origin: the middle of its base or of its box, and what it stands on.
        turn: degrees by which its mesh is turned from how it lies in its file.
        facing: degrees anticlockwise from +x in which it looks; None where that is unknown, and for terrain.
        facing_is_given: whether a player has said so, and not the scan.
        on: the name of the piece of terrain that it stands on, or None for the table.
        disc: its round base, or None.
        match: the known model that it looks most like, sure or not, or None.
        mesh: what was scanned of it; None where the known model stands in its place.
        outline: (k, 2) mm, the convex outline in plan of its points, anticlockwise.
        height: mm, of its points above what it stands on.
        triangles: how many triangles of the scan are its own (points, of a cloud).
        could_be_several: whether it may be more than one piece.
        place, facing_doubt, surface: standard deviations in mm, degrees and mm.
    """

    name: str
    number: int
    kind: PlacedKind
    at: tuple[float, float, float]
    turn: float
    facing: float | None
    facing_is_given: bool
    on: str | None
    disc: Disc | None
    match: Match | None
    mesh: PieceMesh | None
    outline: Floats
    height: float
    triangles: int
    could_be_several: bool
    place: float
    facing_doubt: float | None
    surface: float

    @property
    def likeness(self) -> str:
        """The name of the known model that it is, or with a question mark that a figure may be; empty elsewhere.

        What terrain looks like without being sure is of no use: something is always the least unlike.
        """
        if self.match is None or not (self.match.sure or self.kind == "fighter"):
            return ""
        return Path(self.match.known.path).stem + ("" if self.match.sure else "?")


@dataclass(frozen=True, eq=False)
class ScannedTable:
    """A scanned table.

    Attributes:
        scan: what was read.
        scale: of it.
        to_table: (4, 4) float64, from the file's coordinates to the table's: mm, z up, the table's top at z = 0, the
            origin at its middle, x along its longer edge.
        size: mm, of the table's edges along x and y; None where there is no table.
        tilt: degrees out of the file's upright.
        flatness, noise, spacing: mm; see `silhouette.scans.levelling.Level`.
        labels: (n,) int32 for each vertex of the scan: 0 the table, k the k-th piece, -1 what was left out.
        pieces: in the order of their numbers; numbers that were left out are missing.
        questions: what is not settled, the likeliest answer of each taken.
        warnings: a sentence for each thing that the user should know.
        earlier: what is kept of an earlier run into the same folder, with its places at this scale.
        figures, terrain: the paths, as they were given, of what was looked for.
    """

    scan: Scan
    scale: Scale
    to_table: Floats
    size: tuple[float, float] | None
    tilt: float
    flatness: float
    noise: float
    spacing: float
    labels: NDArray[np.int32]
    pieces: tuple[ScannedPiece, ...]
    questions: tuple[Question, ...]
    warnings: tuple[str, ...]
    earlier: Earlier = field(default_factory=Earlier)
    figures: tuple[str, ...] = ()
    terrain: tuple[str, ...] = ()

    def on_table(self) -> Floats:
        """(n, 3) float64 mm: the vertices of the scan on the table."""
        points: Floats = self.scan.vertices @ self.to_table[:3, :3].T + self.to_table[:3, 3]
        return points

    def called(self, name: str) -> str:
        """The name of the piece that a person calls so: by its name, or by the known model that it alone is."""
        if any(piece.name == name for piece in self.pieces):
            return name
        stem = name.lower()
        found = [
            piece.name
            for piece in self.pieces
            if piece.match is not None and piece.match.sure and Path(piece.match.known.path).stem.lower() == stem
        ]
        return found[0] if len(found) == 1 else name
