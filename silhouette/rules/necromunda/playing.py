"""JUDGE: what the judge in a page must know of a Necromunda scene, to say what `judge` would say of it.

That judge, ``pages/viewer/source/judge_necromunda.js``, counts as `silhouette.measure` does. It lacks what few tables
need; a piece or scene that needs it has the reason, ``asks``, for which the page sends its reader to the command.
"""

from __future__ import annotations

from typing import Any, get_args

from silhouette.renderers.views import VisionArc
from silhouette.rules.necromunda.judge import Aim, aimed, arcs_of
from silhouette.rules.necromunda.scene import NecromundaScene
from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import elsewhere_of


def play_of(scene: NecromundaScene) -> dict[str, Any]:
    """The tolerance, the readings, who is said to touch whom, and every piece, in their order; ready for JSON.

    Lengths are mm, points and directions those of the world, angles degrees anticlockwise from x. Where else an
    estimated eye may be, ``elsewhere``, is given as its distance from where the piece looks from.
    """
    readings = scene.readings
    contacts = None if scene.base_contact is None else sorted(sorted(pair) for pair in scene.base_contact)
    return {
        "tolerance": scene.tolerance,
        "readings": {
            "share": readings.share,
            "friends": readings.friends_in_contact,
            "ignoredPartsBlock": readings.ignored_parts_block,
        },
        "contacts": contacts,
        "asks": "doubt" if scene.doubt is not None else None,
        "pieces": [_entry(piece) for piece in scene.pieces],
    }


def _entry(piece: Piece) -> dict[str, Any]:
    core, radius = piece.base_core
    return {
        "gang": piece.gang,
        "asks": _asks(piece),
        "looks": [] if piece.kind == "terrain" else _looks(piece),
        "unsure": "facing" if piece.kind != "terrain" and piece.facing is None else None,
        "elsewhere": [(piece.pose.rotation @ way.move.eye).tolist() for way in elsewhere_of(piece)],
        "base": {"core": core.tolist(), "radius": radius, "span": list(piece.base_span)},
    }


def _asks(piece: Piece) -> str | None:
    """Why the page's judge does not judge what a piece has a part in."""
    if piece.doubt is not None:
        return "doubt"
    if piece.outline:
        return "outline"
    return "filled" if piece.model.solid == "filled" else None


def _looks(attacker: Piece) -> list[dict[str, Any]]:
    """The looks of an attacker: one, or one for each of a crew with eyes, or by the head and by the weapon (R2)."""
    if attacker.weapon is not None:
        aims: tuple[Aim, ...] = get_args(Aim)
        return [_look(aimed(attacker, aim), arcs_of(aimed(attacker, aim))) for aim in aims]
    if attacker.eyes and len(attacker.arcs) > 1:
        return [_look(attacker.with_eye_for(arc), arcs_of(attacker, arc)) for arc in attacker.arcs]
    return [_look(attacker.with_eye_for(None), arcs_of(attacker))]


def _look(attacker: Piece, arcs: tuple[VisionArc, ...] | None) -> dict[str, Any]:
    return {
        "eye": attacker.eye.tolist(),
        "facing": attacker.ahead,
        "arcs": None if arcs is None else [arc_entry(arc) for arc in arcs],
    }


def arc_entry(arc: VisionArc) -> dict[str, list[float]]:
    """A vision arc, ready for JSON: where it begins, and its edges, each [x, y].

    >>> from silhouette.renderers.views import vehicle_arc
    >>> arc_entry(vehicle_arc("front", (0.0, 5.0), 0.0, 8.0, 6.0))
    {'apex': [0.0, 5.0], 'right': [0.8, -0.6], 'left': [0.8, 0.6]}
    """
    return {"apex": arc.apex.tolist(), "right": arc.right.tolist(), "left": arc.left.tolist()}
