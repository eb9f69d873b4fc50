"""JUDGE: what games with models on a table share: their scenes, moves, warnings, reasons and descriptions.

Why one piece sees another past something, and that one does not see it, by eyes or by bodies, is not guessed: what is
named as the reason is what changes the answer, judged again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH, Floats, nearest_of_triangles
from silhouette.common.text import coordinates, in_a_sentence, margin_in_words
from silhouette.measure.observation import Observation
from silhouette.meshes.bounds import faces_near
from silhouette.meshes.holes import encloses
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.models.model import BASE, INSIGNIFICANT
from silhouette.renderers.protocol import NEAREST_DEPTH_MM
from silhouette.rules.abilities import HasDescription, HasMaps, HasOdds, Movers
from silhouette.rules.base import OfVerdict, PieceTable, Rule, Verdict
from silhouette.rules.fields import Alternative, Blocker, OtherReading, largest_first
from silhouette.scenes.entries import LengthUnits
from silhouette.scenes.places import Displacement, Mobility, Move, TablePlaces, elsewhere_of, moved, without
from silhouette.scenes.scene import Check
from silhouette.scenes.table import BlockingPieces, Piece, TableScene
from silhouette.scenes.warnings import eye_inside


@dataclass(frozen=True, eq=False, repr=False)
class ModelScene(TableScene):
    """A table on which models, all pieces but terrain, look and are looked at."""

    def model(self, name: str) -> Piece:
        """The model of a name. RequestError if nothing has the name, or terrain has it."""
        piece = self.piece(name)
        if piece.kind == "terrain":
            raise RequestError(f"{self.path}: '{name}' is terrain; name a fighter or vehicle")
        return piece


OfTable = TypeVar("OfTable", bound=ModelScene)
Given = TypeVar("Given")
Ruling = TypeVar("Ruling", bound=Verdict)
# mm by which an eye on a surface is moved to either side of it: clear of what it only touches (`NEAREST_DEPTH_MM`).
EYE_OFFSET_MM = 1e-3


def in_like_groups(
    requests: Sequence[tuple[OfTable, Check]],
    shared: Callable[[OfTable], Hashable],
    judge: Callable[[Sequence[tuple[OfTable, Check]]], Sequence[Given]],
) -> list[Given]:
    """What ``judge``, which takes only scenes that share a value such as an error, gives for requests, in order."""
    groups: dict[Hashable, list[int]] = {}
    for number, (scene, _) in enumerate(requests):
        groups.setdefault(shared(scene), []).append(number)
    given: dict[int, Given] = {}
    for numbers in groups.values():
        given |= zip(numbers, judge([requests[number] for number in numbers]), strict=True)
    return [given[number] for number in range(len(requests))]


def compared(
    verdict: Ruling, others: Iterable[tuple[Alternative, Ruling]], condition: Callable[[Alternative], str]
) -> Ruling:
    """A verdict with those under other readings that differ from it, also in its reason: ``condition`` says under what
    another one holds, such as "with hills = literal".
    """
    rows, reason = list[OtherReading](), verdict.reason
    for other, otherwise in others:
        if otherwise.verdict != verdict.verdict:
            row: OtherReading = {"reading": str(other), "verdict": otherwise.verdict}
            reason += f"; {condition(other)}: {otherwise.verdict}"
            if len(otherwise.could_be) > 1:
                row["could_be"] = list(otherwise.could_be)
                reason += ", too close to call itself"
            rows.append(row)
    return replace(verdict, other_readings=tuple(rows), reason=reason) if rows else verdict


def places_of_attacker(attacker: Piece, occluders: BlockingPieces) -> list[Displacement]:
    """Where else an attacker may stand or look, since nobody can tell: beside `elsewhere_of`, an eye within
    `NEAREST_DEPTH_MM` of a surface may be a hair to either side of it, or the piece may not be in its way at all.
    """
    eye, boxes = attacker.eye, occluders.boxes
    low, high = boxes.min(axis=1) - NEAREST_DEPTH_MM, boxes.max(axis=1) + NEAREST_DEPTH_MM
    places = list(elsewhere_of(attacker))
    for number in np.flatnonzero(((eye >= low) & (eye <= high)).all(axis=1)).tolist():
        piece, mesh = occluders.pieces[number], occluders.meshes[number]
        if piece.index == attacker.index:
            continue
        outward = _normal_at(mesh, piece.pose.localise(eye[None])[0])
        if outward is not None:
            x, y, z = (attacker.pose.rotation.T @ piece.pose.rotation @ outward * EYE_OFFSET_MM).tolist()
            why = f"how the eye of {attacker.name}, which lies on the surface of {in_a_sentence(piece.name)}, is taken"
            places += [Displacement(Move(eye=shift), why) for shift in ((x, y, z), (-x, -y, -z))]
            places.append(Displacement(Move(), why, piece.name))
    return places


def _normal_at(mesh: Mesh, point: Floats) -> Floats | None:
    """(3,) the unit normal of the surface within `NEAREST_DEPTH_MM` of a point (3,) of its frame; None if there is
    none.
    """
    corners = mesh.vertices[mesh.faces[faces_near(mesh, point, NEAREST_DEPTH_MM)]]
    points = np.repeat(point[None], len(corners), axis=0)
    distance, _ = nearest_of_triangles(points, points, corners)
    near = corners[distance <= NEAREST_DEPTH_MM]
    across = np.cross(near[:, 1] - near[:, 0], near[:, 2] - near[:, 0])
    across = across[np.abs(across).any(axis=1)]
    outward = np.zeros(3)
    for normal in across / np.linalg.norm(across, axis=1, keepdims=True):
        if abs(normal @ outward) < 0.5:  # each side of an edge once, and of a sheet with two faces one
            outward = outward + normal
    length = float(np.linalg.norm(outward))
    return outward / length if length else None


def measured_blockers(observation: Observation) -> tuple[Blocker, ...]:
    """The pieces that obscure some of the target, alone or behind others, the largest share first."""
    counts, total = observation.counts, observation.counts.total or 1
    return largest_first(
        Blocker(piece.name, nearest / total, alone / total)
        for piece, nearest, alone in zip(observation.blockers, counts.nearest, counts.alone, strict=True)
        if alone
    )


def warnings_of(
    observation: Observation,
    pixel: float,
    error_goal: float | None,
    blocking: Iterable[tuple[Piece, Mesh]] = (),
) -> list[str]:
    """Warnings about a measurement: not as fine or as sure as was asked for, an estimated eye, one inside a piece,
    windows.

    Args:
        observation: what was measured.
        pixel: mm, as it was asked for.
        error_goal: the error, as a share, that was asked for; None for any.
        blocking: the pieces in which the eye may lie, with the part of each that blocks.
    """
    attacker, counts, warnings = observation.sight.attacker, observation.counts, list[str]()
    if abs(observation.pixel - pixel) > 0.01 * pixel:
        warnings.append(f"measured at {observation.pixel:.2g} mm per pixel instead of {pixel:g}")
    if error_goal is not None and counts.total and (error := max(counts.error, counts.error_seen)) > error_goal:
        goal = f"± {100 * error_goal:g} %"
        warnings.append(f"measured to{margin_in_words(error)} instead of {goal}; only the renderer auto is as exact")
    warnings += attacker.eye_warnings
    for piece, mesh in blocking:
        if encloses(mesh, piece.pose.localise(observation.sight.eye[None])[0]):
            warnings.append(eye_inside(attacker, piece))
    return warnings + windows_seen_through(observation)


def windows_seen_through(observation: Observation) -> list[str]:
    """A warning for each piece with ``solid = true`` through whose outline the target is seen all the same."""
    target = observation.sight.target.name
    windows = [
        f"{piece.name}: one sees {target} through a window of its mesh, or a gap between its "
        'parts; solid = true closes holes alone: say solid = "filled" if nothing is seen through it'
        for piece in observation.looked_through
    ]
    gaps = [
        f"{piece.name}: one sees {target} through a gap between its parts, open at the top or the bottom, which solid "
        "does not close: put a piece of terrain there if nothing is seen through it"
        for piece in observation.looked_between
    ]
    return windows + gaps


HIGHER = 1.0  # mm by which an eye is higher than another at least, for it to be worth a word


def by_eyes(
    scene: TableScene, seer: Piece, blind: Piece, blockers: Sequence[str], sees: Callable[[dict[str, Move]], bool]
) -> str | None:
    """What the one that sees has: an eye that is higher; None where that does not decide. ``blockers`` are those of
    ``blind``.
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


def behind(seer: Piece, blind: Piece, blockers: Sequence[str]) -> str:
    """What is known where neither decides."""
    return f"from {blind.name}'s eye all of {seer.name} lies behind {_named(blockers)}"


def _named(blockers: Sequence[str]) -> str:
    return " and ".join(in_a_sentence(name) for name in blockers[:2]) or "what is in the way"


def _past(scene: TableScene, blockers: Sequence[str]) -> str:
    if not blockers:
        return ""
    top = float(scene.piece(blockers[0]).body_box[:, 2].max())
    return f", past {in_a_sentence(blockers[0])} of {top:.0f} mm"


CAPTION = (
    "Everything on the table, where it stands, and what its mesh is. A hash names a surface: with "
    "the same hash it is the same mesh, triangle by triangle."
)


class OnTable(Rule[OfTable, OfVerdict], HasOdds[OfTable], HasMaps[OfTable], HasDescription[OfTable]):
    """A game with models on a table: how they move, and how they are described."""

    reads = ("terrain", "fighter", "vehicle", "check")
    mobility = Mobility(walkers=("fighter", "vehicle"), turns=True)
    kind_of_lookers = "fighters or vehicles"

    def lookers(self, scene: OfTable) -> list[str]:
        """The names of all models."""
        return [piece.name for piece in scene.pieces if piece.kind != "terrain"]

    def refuse(self, scene: OfTable, attacker: str, target: str | None, arc: ArcName | None) -> None:
        """Refuses an arc in a game without arcs, and what is no model."""
        super().refuse(scene, attacker, target, arc)
        for name in filter(None, (attacker, target)):
            scene.model(name)

    def places(self, scene: OfTable, name: str) -> TablePlaces:
        """Where a model could stand. RequestError if nothing has the name, or terrain has it."""
        return TablePlaces(scene, scene.model(name))

    def meshes(self, scene: OfTable) -> dict[str, Mesh]:
        """The significant parts of every piece, by the name of the piece."""
        return {piece.name: piece.model.significant for piece in scene.pieces}

    moved = staticmethod(moved)
    without = staticmethod(without)

    def movers(self, scene: OfTable, check: Check) -> Movers:
        """Both models can move; the attacker can turn if it is known where it faces."""
        is_turning = scene.piece(check.attacker).facing is not None
        others = tuple(piece.name for piece in scene.pieces if piece.name not in (check.attacker, check.target))
        return Movers(True, True, is_turning, others)

    def middle(self, scene: OfTable, name: str) -> Floats:
        """(2,) mm: the centre of a piece's base, or of its footprint."""
        return scene.piece(name).base_centre

    def basis(self, scene: OfTable) -> list[tuple[str, str]]:
        """The distance from a threshold within which a verdict is too close to call."""
        return [("tolerance", f"{100 * scene.tolerance:g} % on either side of a threshold is too close to call")]

    def pieces(self, scene: OfTable) -> PieceTable:
        """The pieces as a table: place, facing and eye of each, and the source, triangles and hash of its mesh."""
        headings = ("name", "kind", "stands at", "eye", "mesh", "counts", "hash")
        rows = [(*_place_of(piece, scene.unit_of_places), *_mesh_of(piece)) for piece in scene.pieces]
        return PieceTable(headings, rows, CAPTION, frozenset({"hash"}))


def with_unit(place: Iterable[float], units: LengthUnits = "mm") -> str:
    """A place, in mm, with its unit: inches if the places of a scene are in them, else mm.

    >>> with_unit([25.4, 0.0, 8.0], "inch"), with_unit([25.4, 0.0, 8.0])
    ('[1, 0, 0.31] inches', '[25.4, 0, 8] mm')
    """
    if units != "inch":
        return f"{coordinates(place)} mm"
    return f"[{', '.join(f'{round(float(value) / INCH, 2) + 0.0:g}' for value in place)}] inches"


def _place_of(piece: Piece, units: LengthUnits) -> tuple[str, str, str, str]:
    eye = "" if piece.kind == "terrain" else f"{with_unit(piece.eye, units)}, {piece.eye_from}"
    facing = "unknown" if piece.facing is None else f"{piece.facing % 360.0:g}°"
    turned = f"{with_unit(piece.pose.translation, units)}, facing {facing}"
    kind = f"{piece.kind} of {piece.gang}" if piece.gang else piece.kind
    return piece.name, kind, turned, eye


def _mesh_of(piece: Piece) -> tuple[str, str, str]:
    model = piece.model
    counts = [f"{len(model.mesh.faces):,} triangles".replace(",", " ")]
    if model.kind != "terrain":
        for role, faces in (("base", model.role == BASE), ("insignificant", model.role == INSIGNIFICANT)):
            if faces.any():
                counts.append(f"{role} {int(faces.sum()):,}".replace(",", " "))
    made = {"parts": "solids of the scene", "figure": "a stand-in"}
    source = made.get(model.format) or f"{model.source} ({model.format}, {model.units})"
    return source, ", ".join(counts), model.mesh.digest
