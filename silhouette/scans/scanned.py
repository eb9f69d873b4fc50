"""SCAN: what became of a scan: the table, its pieces with their places and meshes, and what is left to ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.scans.account import Account
from silhouette.scans.discs import Disc
from silhouette.scans.keeping import Earlier
from silhouette.scans.matching import Match
from silhouette.scans.piece_meshes import PieceMesh
from silhouette.scans.questions import ABOUT_MODEL, Question, kind_of
from silhouette.scans.reading import Scan
from silhouette.scans.scale import Scale

PlacedKind = Literal["fighter", "vehicle", "terrain"]


@dataclass(frozen=True, eq=False)
class ScannedPiece:
    """A piece of the table."""

    name: str  # unique on the table
    number: int  # its number among the labels
    kind: PlacedKind  # what it is
    # X, y, z in mm on the table of its origin: the middle of its base or of its box, and what it stands on
    at: tuple[float, float, float]
    turn: float  # degrees by which its mesh is turned from how it lies in its file
    facing: float | None  # degrees anticlockwise from +x in which it looks; None where that is unknown, and for terrain
    facing_is_given: bool  # whether a player has said so, and not the scan
    on: str | None  # the name of the piece of terrain that it stands on, or None for the table
    disc: Disc | None  # its round base, or None
    match: Match | None  # the known model that it looks most like, sure or not, or None
    mesh: PieceMesh | None  # what was scanned of it; None where the known model stands in its place
    outline: Floats  # (k, 2) mm, the convex outline in plan of its points, anticlockwise
    height: float  # mm, of its points above what it stands on
    triangles: int  # how many triangles of the scan are its own (points, of a cloud)
    could_be_several: bool  # whether it may be more than one piece
    # place, facing_doubt, surface: standard deviations in mm, degrees and mm
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
        return self.match.name + ("" if self.match.sure else "?")


@dataclass(frozen=True, eq=False)
class ScannedTable:
    """A scanned table."""

    scan: Scan  # what was read
    scale: Scale  # of it
    # (4, 4) float64, from the file's coordinates to the table's: mm, z up, the table's top at z = 0, the origin at its
    # middle, x along its longer edge
    to_table: Floats
    size: tuple[float, float] | None  # mm, of the table's edges along x and y; None where there is no table
    tilt: float  # degrees out of the file's upright
    # flatness, noise, spacing: mm; see `silhouette.scans.levelling.Level`
    flatness: float
    noise: float
    spacing: float
    # (n,) int32 for each vertex of the scan: 0 the table, k the k-th piece, -1 what was left out
    labels: NDArray[np.int32]
    pieces: tuple[ScannedPiece, ...]  # in the order of their numbers; numbers that were left out are missing
    questions: tuple[Question, ...]  # what is not settled, the likeliest answer of each taken
    warnings: tuple[str, ...]  # a sentence for each thing that the user should know
    # What is kept of an earlier run into the same folder, with its places at this scale
    earlier: Earlier = field(default_factory=Earlier)
    # figures, terrain: the paths, as they were given, of what was looked for
    figures: tuple[str, ...] = ()
    terrain: tuple[str, ...] = ()
    account: Account = field(default_factory=Account)  # what became of the figures that were looked for

    def on_table(self) -> Floats:
        """(n, 3) float64 mm: the vertices of the scan on the table."""
        points: Floats = self.scan.vertices @ self.to_table[:3, :3].T + self.to_table[:3, 3]
        return points

    def called(self, name: str) -> str:
        """The name of the piece that a person calls so: by its name, or by the known model that it alone is."""
        if any(piece.name == name for piece in self.pieces):
            return name
        stem = name.lower()
        fitting = [
            piece.name
            for piece in self.pieces
            if piece.match is not None and piece.match.sure and piece.match.name.lower() == stem
        ]
        return fitting[0] if len(fitting) == 1 else name

    def question_of(self, name: str) -> Question | None:
        """The open question whether a piece is the known model that a person calls so; None where one is it already.

        Of several such pieces it is the one that this model fits best.
        """
        stem = name.lower()
        stems = {piece.match.name.lower() for piece in self.pieces if piece.match and piece.match.sure}
        if stem in stems or any(piece.name == name for piece in self.pieces):
            return None
        residuals = {piece.name: piece.match.residual for piece in self.pieces if piece.match}
        about = [
            question
            for question in self.questions
            if kind_of(question.key) == ABOUT_MODEL
            and len(question.answers) > 1
            and question.answers[1].lower() == stem
        ]
        return min(about, key=lambda question: residuals.get(question.about[0], 0.0), default=None)
