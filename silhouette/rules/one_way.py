"""TELL: why one piece on a table sees another past something, and that one does not see it: by eyes, or by bodies.

Nothing of it is guessed: what is named as the reason is what changes the answer, judged again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import Move
from silhouette.scenes.table import TableScene
from silhouette.text import in_a_sentence

HIGHER = 1.0
"""mm by which an eye is higher than another at least, for it to be worth a word."""

OfTable = TypeVar("OfTable", bound=TableScene)


def by_eyes(
    scene: TableScene, seer: Piece, blind: Piece, blockers: Sequence[str], sees: Callable[[dict[str, Move]], bool]
) -> str | None:
    """What the one that sees has: an eye that is higher; None where that does not decide.

    Args:
        scene: of both.
        seer: the piece that sees, with the eye that it looks from.
        blind: the piece that does not see it, likewise.
        blockers: the names of what is in the way of ``blind``.
        sees: whether ``blind`` sees the other after moves.
    """
    higher = float(seer.eye[2] - blind.eye[2])
    if higher < HIGHER or not sees({blind.name: Move(eye=(0.0, 0.0, higher))}):
        return None
    eyes = f"{seer.name}'s eye is {seer.eye[2]:.0f} mm up, {blind.name}'s only {blind.eye[2]:.0f} mm"
    return f"{eyes}{_past(scene, blockers)}, and from as high {blind.name} would see {seer.name}"


def by_bodies(
    scene: OfTable, seer: Piece, blind: Piece, blockers: Sequence[str], sees: Callable[[OfTable], bool]
) -> str | None:
    """What the one that is seen has: a body of which something stands out; None where that does not decide."""
    larger = replace(seer, model=blind.model, eye_given=None, eyes={})
    pieces = tuple(larger if piece.name == seer.name else piece for piece in scene.pieces)
    if not sees(replace(scene, pieces=pieces)):
        return None
    tall, small = (float(piece.body_box[:, 2].max()) for piece in (blind, seer))
    there = f"a body like {blind.name}'s in {seer.name}'s place would be seen"
    if tall - small < HIGHER:
        return f"{blind.name}'s body stands out past {_named(blockers)}, {seer.name}'s does not: {there}"
    heights = f"{blind.name} reaches {tall:.0f} mm up, {seer.name} only {small:.0f} mm"
    return f"{heights}{_past(scene, blockers)}, and {there}"


def one_way_words(seer: Piece, blind: Piece, why: str) -> str:
    """The sentence, with its reason."""
    return f"{seer.name} sees {blind.name}, but not the other way round: {why}"


def behind(seer: Piece, blind: Piece, blockers: Sequence[str]) -> str:
    """What is known where neither decides."""
    return f"from {blind.name}'s eye all of {seer.name} lies behind {_named(blockers)}"


def _named(blockers: Sequence[str]) -> str:
    return " and ".join(in_a_sentence(name) for name in blockers[:2]) or "what is in the way"


def _past(scene: TableScene, blockers: Sequence[str]) -> str:
    """How high what is in the way is."""
    if not blockers:
        return ""
    top = float(scene.piece(blockers[0]).body_box[:, 2].max())
    return f", past {in_a_sentence(blockers[0])} of {top:.0f} mm"
