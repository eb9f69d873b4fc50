"""PLACE: a scene with pieces a little elsewhere than they stand, with nothing loaded or lowered again.

Piece, Move -> the piece there; TableScene, moves by name -> the scene with these pieces there
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from silhouette.geometry import Floats, Pose
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import TableScene

OfTable = TypeVar("OfTable", bound=TableScene)

DEVIATIONS = 2.0
"""Standard deviations by which where a piece faces is tried (contract, section 3)."""


@dataclass(frozen=True)
class Move:
    """How a piece stands otherwise than before.

    Attributes:
        by: (x, y, z) mm, in the world.
        turn: degrees anticlockwise, about the piece's own origin; vision arcs turn with it.
        eye: (x, y, z) mm, along the axes of its model: by how much its eyes lie elsewhere in it.
        outline: mm by which its outline lies farther out, seen from anywhere; below 0 farther in.
        faces: whether one that nobody knows where it faces is then known to face where its front is.
    """

    by: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: float = 0.0
    eye: tuple[float, float, float] = (0.0, 0.0, 0.0)
    outline: float = 0.0
    faces: bool = False


class Elsewhere(NamedTuple):
    """How an attacker may stand or look otherwise than a scene has it.

    Attributes:
        move: that leads there.
        why: what decides, if the verdict there is another, as a clause: "where Kal's eye is".
        absent: the name of a piece that is not in the way from there, or None.
    """

    move: Move
    why: str
    absent: str | None = None


def elsewhere_of(piece: Piece) -> tuple[Elsewhere, ...]:
    """The other places of an eye that is estimated; and two standard deviations to either side, if it has a doubt of
    its own about where it faces.
    """
    eyes = [Elsewhere(Move(eye=_three(shift)), f"where {piece.name}'s eye is") for shift in piece.other_eyes]
    turn = 0.0 if piece.doubt is None or piece.facing is None else DEVIATIONS * (piece.doubt.facing or 0.0)
    faces = f"where {piece.name} faces"
    return (*eyes, *(Elsewhere(Move(turn=side * turn), faces) for side in (-1.0, 1.0) if turn))


def _three(vector: Floats) -> tuple[float, float, float]:
    x, y, z = (float(part) for part in vector)
    return x, y, z


def moved_piece(piece: Piece, move: Move) -> Piece:
    """The piece after a move; one that faces nobody knows where still does, but for a move that says otherwise."""
    if move == Move():
        return piece
    turn = Pose.standing(turn=move.turn).rotation
    facing = piece.ahead if move.faces else piece.facing
    changed = replace(
        piece,
        pose=Pose(turn @ piece.pose.rotation, piece.pose.translation + move.by),
        facing=None if facing is None else facing + move.turn,
        outline=piece.outline + move.outline,
    )
    if not any(move.eye):
        return changed
    eye = np.array(move.eye)
    return replace(
        changed,
        eye_given=changed.pose.localise(changed.eye[None])[0] + eye,
        eyes={arc: one + eye for arc, one in piece.eyes.items()},
    )


def moved(scene: OfTable, moves: Mapping[str, Move]) -> OfTable:
    """The scene with pieces moved; each keeps its height but for ``by``, and may overlap others.

    Mistakes in where pieces stand are not looked for again.

    Args:
        scene: with the pieces where they stand.
        moves: by the names of pieces.

    Raises:
        RequestError: where no piece has a name.
    """
    for name in moves:
        scene.piece(name)
    pieces = tuple(moved_piece(piece, moves[piece.name]) if piece.name in moves else piece for piece in scene.pieces)
    return replace(scene, pieces=pieces, placement_warnings=())


def without(scene: OfTable, name: str) -> OfTable:
    """The scene without a piece; all others stay where they are, even what stands on it.

    Raises:
        RequestError: where no piece has the name.
    """
    gone = scene.piece(name)
    left = [piece for piece in scene.pieces if piece is not gone]
    pieces = tuple(piece if piece.index == index else replace(piece, index=index) for index, piece in enumerate(left))
    return replace(scene, pieces=pieces, placement_warnings=())
