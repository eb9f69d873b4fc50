"""JUDGE: Necromunda, the Sight of a check: vision arcs, friends in base contact, and the pieces that may block."""

from __future__ import annotations

from silhouette.measure.observation import Sight
from silhouette.models.entries import ArcName
from silhouette.scenes.table import Piece, TableScene, in_base_contact
from silhouette.views import VisionArc, fighter_arc, vehicle_arc


def arcs_of(attacker: Piece, name: ArcName | None = None) -> tuple[VisionArc, ...] | None:
    """The vision arcs of a model, or only the one of that name; none where the model has no such arc: a blind spot.

    None where it has one, but nobody knows where the model faces: it is then taken to look towards its target.

    A fighter has a front arc of 90° (R1, R2). A vehicle has those that it has crew for, bounded by lines through its
    corners (R3 to R5). All start at the centre of the base, or of the footprint.
    """
    names = [arc for arc in attacker.arcs if name in (None, arc)]
    centre = attacker.base_centre
    facing = attacker.facing
    if facing is None:
        return None if names else ()
    if attacker.kind == "fighter":
        return tuple(fighter_arc(centre, facing) for _ in names)
    model = attacker.model
    return tuple(vehicle_arc(arc, centre, attacker.hull_ahead, model.body_length, model.body_width) for arc in names)


def is_friend_in_contact(scene: TableScene, attacker: Piece, piece: Piece) -> bool:
    """Whether a piece is a friendly fighter in base contact, which is disregarded (R17, A7); a vehicle blocks (R18)."""
    friendly = piece.kind == "fighter" and piece.gang is not None and piece.gang == attacker.gang
    return friendly and piece.name != attacker.name and in_base_contact(scene, attacker, piece)


def sight_between(
    scene: TableScene,
    attacker: Piece,
    target: Piece,
    arc: ArcName | None,
    *,
    ignored_parts_block: bool,
    friends_block: bool,
) -> Sight:
    """The sight from one model to another: every other piece may block (R8, R10).

    Args:
        scene: the scene of both.
        attacker: the piece that looks, with its eye for the arc.
        target: the piece that is looked at; it is never disregarded, even as a friend in base contact.
        arc: the vision arc to look from; None for any that the attacker has.
        ignored_parts_block: whether the bases and insignificant parts of other models block as well (A6).
        friends_block: whether friends in base contact block.
    """
    friends = [piece for piece in scene.pieces if is_friend_in_contact(scene, attacker, piece)]
    disregarded = () if friends_block else tuple(piece for piece in friends if piece is not target)
    absent = tuple(piece.index for piece in (attacker, target, *disregarded))
    return Sight(
        attacker=attacker,
        target=target,
        eye=attacker.eye,
        facing=attacker.ahead,
        arcs=arcs_of(attacker, arc),
        occluders=scene.whole_pieces if ignored_parts_block else scene.significant_parts,
        absent=absent,
        disregarded=disregarded,
    )
