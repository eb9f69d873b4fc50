"""PLACE: a table of a scene becomes a Piece: its model, loaded once for all that share it, how it stands and looks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from silhouette.common.errors import FileError
from silhouette.common.geometry import Floats, Pose, corners, turned
from silhouette.common.lazy import cached_property
from silhouette.files.cache import Cache
from silhouette.files.reading import file_named
from silhouette.files.schema import Location
from silhouette.meshes.bounds import plan_corners
from silhouette.meshes.health import extremes
from silhouette.models.entries import ArcName, Kind, ModelOptions
from silhouette.models.model import Model, load_model, model_of_mesh, model_of_solids
from silhouette.models.stand_ins import stand_in
from silhouette.scenes.entries import (
    UNKNOWN_FACING,
    FighterEntry,
    GangerEntry,
    HeadAndWeapon,
    PieceDoubtEntry,
    PieceEntry,
    VehicleEntry,
)

NO_BASE = 'no base was found, so all of it counts as body; give base = { height = ... }, or base = "none"'
SAME_EYE_MM = 1.0  # mm: places of an eye nearer to each other are one
SAME_DIRECTION = 1e-6  # degrees: two directions that differ by less are one
MESSAGE_DECIMALS = 2  # decimals of mm and degrees of pieces in messages to other programs


@dataclass(frozen=True, eq=False, repr=False)
class Piece:
    """A model standing on the table."""

    name: str
    kind: Kind
    model: Model
    pose: Pose  # from the model's frame to the world
    gang: str | None  # the gang that it belongs to, or None; pieces of one gang are friends
    # The direction in the world in which it looks, degrees anticlockwise from +x; None where it is unknown
    facing: float | None
    arcs: tuple[ArcName, ...]
    eye_given: Floats | None  # (3,) the eye in the model's frame that the scene gives, or None
    # The eyes of a vehicle's crew, in the model's frame, by the vision arc that they look into
    eyes: Mapping[ArcName, Floats]
    index: int  # its number in the scene, from 0: terrain, then fighters, then vehicles
    warnings: tuple[str, ...] = ()
    facing_given: bool = True  # whether the scene says where it looks, if only that this is unknown
    # mm by which its outline lies farther out than that of its mesh, seen from anywhere; below 0 farther in
    outline: float = 0.0
    doubt: PieceDoubtEntry | None = None  # how far it may lie from the truth, where the scene says so for this piece
    # The direction in which its weapon points, degrees, where the scene tells it from ``facing``, the head's
    weapon: float | None = None

    def __repr__(self) -> str:
        """In a line, as a notebook shows it."""
        x, y, z = self.pose.translation.tolist()
        return f"<Piece {self.name}: {self.kind} at {x:g}, {y:g}, {z:g} mm>"

    def row(self) -> dict[str, Any]:
        """The piece and how it stands, ready for JSON: mm and degrees, whatever the units of the scene."""
        doubt = self.doubt
        return {
            "name": self.name,
            "kind": self.kind,
            "at": _in_hundredths(self.pose.translation),
            "facing": None if self.facing is None else round(self.facing % 360.0, MESSAGE_DECIMALS),
            "ahead": round(self.ahead % 360.0, MESSAGE_DECIMALS),
            "gang": self.gang,
            "arcs": list(self.arcs),
            "eye": _in_hundredths(self.eye),
            "doubt": None if doubt is None else {"place": doubt.place, "facing": doubt.facing},
        }

    @property
    def ahead(self) -> float:
        """The direction in the world of its front, degrees anticlockwise from +x, which it has without facing too."""
        return self.hull_ahead if self.facing is None else self.facing

    @property
    def hull_ahead(self) -> float:
        """The direction in the world of the front of its body, degrees: where it looks but for a vehicle that says
        ``turn`` and looks across its own axes.
        """
        along_x = self.pose.rotation[:, 0]
        ahead = self.model.front + float(np.degrees(np.arctan2(along_x[1], along_x[0])))
        is_same = self.facing is not None and abs((ahead - self.facing + 180.0) % 360.0 - 180.0) < SAME_DIRECTION
        return self.facing if is_same and self.facing is not None else ahead

    @property
    def eye_warnings(self) -> tuple[str, ...]:
        """Warnings about the eye that it looks from: that it is estimated, and what makes the estimate doubtful."""
        if self.eye_from == "given":
            mistake = self.model.mistake_of(self.own_eye)
            return () if mistake is None else (f"{self.name}: {mistake}",)
        doubt = self.model.eye_estimate.doubt
        return (f"the eye of {self.name} is estimated", *([] if doubt is None else [f"{self.name}: {doubt}"]))

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """The warnings about how it stands and about its model, each with its name in front."""
        of_base = [f"{self.model.source}: {NO_BASE}"] if self.model.lacks_base else []
        return tuple(f"{self.name}: {warning}" for warning in (*self.warnings, *self.model.warnings, *of_base))

    @property
    def own_eye(self) -> Floats:
        """(3,) mm: its eye in the model's frame; the middle of its head where its face is not known either."""
        if self.eye_from == "estimated" and self.facing is None and self.kind == "fighter":
            return self.model.eye_estimate.head
        return self.model.eye if self.eye_given is None else self.eye_given

    @cached_property
    def eye(self) -> Floats:
        """(3,) the eye of the piece in the world, mm; see `own_eye`."""
        return self.pose.place(self.own_eye)

    @property
    def eye_shifts(self) -> tuple[tuple[Floats, float], ...]:
        """By how much (3,) mm, in the model's frame, its eye may lie elsewhere, and how likely that is, 0 to 1.

        The first is where it looks from, (0, 0, 0); it is the only one where an eye is given.
        """
        none = np.zeros(3)
        if self.eye_from == "given" or self.kind == "terrain":
            return ((none, 1.0),)
        is_known = self.facing is not None or self.kind != "fighter"
        places = self.model.eye_candidates
        shifts = [((place.eye if is_known else place.head) - self.own_eye, place.likelihood) for place in places]
        own = sum(likelihood for shift, likelihood in shifts if np.linalg.norm(shift) < SAME_EYE_MM)
        return ((none, own), *(place for place in shifts if np.linalg.norm(place[0]) >= SAME_EYE_MM))

    def with_eye_for(self, arc: ArcName | None) -> Piece:
        """The piece with the eye of the crew member who looks into ``arc``, or its only one; else the piece itself."""
        if arc is None and len(self.arcs) == 1:
            arc = self.arcs[0]
        eye = None if arc is None else self.eyes.get(arc)
        return self if eye is None else replace(self, eye_given=eye)

    @property
    def eye_from(self) -> Literal["given", "estimated"]:
        """Whether the eye is given by the scene or the model, or estimated."""
        return self.model.eye_from if self.eye_given is None else "given"

    @cached_property
    def base_centre(self) -> Floats:
        """(2,) the point in the world, in plan, where its vision arcs begin, mm."""
        x, y = self.in_plan(self.model.base_centre[None])[0]
        return np.array([x, y])

    @cached_property
    def base_outline(self) -> Floats:
        """(k, 2) the outline, in the world and in plan, by which base contact is judged: anticlockwise and convex."""
        return self.in_plan(self.model.base_outline)

    @cached_property
    def base_core(self) -> tuple[Floats, float]:
        """(k, 2) points, in the world and in plan, and a radius, mm: `base_outline` exactly (`Model.base_core`)."""
        points, radius = self.model.base_core
        if self.pose.rotation[2, 2] == 1.0:
            return self.in_plan(points), radius
        return self.base_outline, 0.0

    @cached_property
    def base_span(self) -> tuple[float, float]:
        """The lowest and highest z of its base in the world, or of its body where it has none."""
        low, high = self.model.base_span
        ground = float(self.pose.translation[2])
        return ground + low, ground + high

    @cached_property
    def body_box(self) -> Floats:
        """(8, 3) the corners, in the world, of the box round its significant parts along the model's axes."""
        return self.pose.place(corners(*self.model.body_box))

    @cached_property
    def body_middle(self) -> Floats:
        """(3,) mm, world: the middle of the box round its significant parts along the world's axes.

        The picture of a target is taken straight at it (contract, section 3). Where the piece stands turned, this is
        not the middle of `body_box`.
        """
        if np.isin(np.abs(self.pose.rotation), (0.0, 1.0)).all():
            low, high = extremes(self.body_box)
        else:
            mesh, upright = self.model.significant, (self.pose.rotation[2] == (0.0, 0.0, 1.0)).all()
            points = plan_corners(mesh) if upright else mesh.vertices
            low, high = extremes(turned(self.pose.rotation, points.T).T + self.pose.translation)
        return (low + high) / 2

    @cached_property
    def whole_box(self) -> Floats:
        """(8, 3) the corners, in the world, of the box round the whole piece along the model's axes."""
        return self.pose.place(corners(*self.model.mesh.bounds))

    def in_plan(self, points: Floats) -> Floats:
        """(k, 2) the world's x and y of points (k, 2) on the ground of the model's frame."""
        return self.pose.place(np.column_stack([points, np.zeros(len(points))]))[:, :2]


def _in_hundredths(point: Floats) -> list[float]:
    """A place for a message: whole hundredths of a mm, and no -0."""
    return [round(float(value), MESSAGE_DECIMALS) + 0.0 for value in point]


class Models:
    """The models of one scene; a model is loaded once for all of its pieces.

    ``tables``: the table of the scene in which a piece stands, by its name, for messages; by default its kind.
    """

    def __init__(self, scene: Path, cache: Cache, tables: Mapping[str, str] | None = None) -> None:
        self._scene = scene
        self._cache = cache
        self._tables = tables or {}
        self._loaded: dict[Hashable, Model] = {}

    def of(self, kind: Kind, piece: PieceEntry) -> Model:
        """The model of a piece, without the eye that the piece itself may give."""
        location = Location(self._scene, f"{self._tables.get(piece.name, kind)} '{piece.name}'")
        if piece.kind not in (None, kind):
            raise location.error(
                f"kind is {piece.kind}, but it stands in [[{kind}]]; move it to [[{piece.kind}]] or change kind"
            )
        overriding = (piece.model_fields_set & ModelOptions.model_fields.keys()) - {"eye", "eyes", "kind", "mesh"}
        overrides = {key: getattr(piece, key) for key in sorted(overriding)}
        if piece.parts is not None:
            parts = piece.parts
            front = piece.front if "front" in piece.model_fields_set else None
            solids: Hashable = (kind, parts, front, piece.solid)
            if solids not in self._loaded:
                self._loaded[solids] = model_of_solids(parts, location, kind, front, piece.solid)
            return self._loaded[solids]
        if isinstance(piece, FighterEntry) and piece.figure is not None:
            return stand_in(piece.figure, kind, piece.front if "front" in piece.model_fields_set else None)
        named: Hashable = (kind, piece.model, piece.mesh, *overrides.items())
        if named not in self._loaded:
            self._loaded[named] = self._of_file(kind, piece, overrides, location)
        return self._loaded[named]

    def looking(self, model: Model, front: float) -> Model:
        """The model with its front elsewhere, for a piece whose ``turn`` and ``facing`` say where that is."""
        key = (id(model), front % 360.0)
        if key not in self._loaded:
            self._loaded[key] = replace(model, front=front % 360.0)
        return self._loaded[key]

    def _of_file(self, kind: Kind, piece: PieceEntry, overrides: Mapping[str, Any], location: Location) -> Model:
        """What another scene may have loaded before, from whatever folder it names the file."""
        how: Hashable = (kind, *overrides.items())
        load: Callable[[], Model]
        if piece.model is not None:
            file = file_named(location, "model", piece.model)
            load = partial(load_model, file, self._cache, kind, overrides)
        else:
            file = self._scene.parent / str(piece.mesh)
            load = partial(model_of_mesh, ModelOptions(mesh=piece.mesh, **overrides), location, self._cache, kind)
        try:
            return self._cache.in_memory(file, (file.name, how), load, lambda model: len(model.mesh.faces))
        except FileError as error:
            if location.where in error.problem:
                raise
            problem = f"{error.problem} (for {location.where} in {location.path.name})"
            raise type(error)(error.path, problem) from error


def piece_of(index: int, kind: Kind, entry: PieceEntry, models: Models) -> Piece:
    """The piece that a table of a scene describes, of the kind that the table requires; its number is from 0."""
    model = models.of(kind, entry)
    at = (*entry.at, 0.0)[:3]
    turn, facing = _turn_and_facing(entry, model)
    if entry.turn is not None and facing is not None:
        front = facing - turn
        model = models.looking(model, _front_of_hull(model, front) if kind == "vehicle" else front)
    warnings = []
    if kind == "terrain" and entry.facing is not None and model.front_from == "default":
        by = (turn + 180.0) % 360.0 - 180.0
        warnings.append(
            f"facing turns it by {by:g}° from how it lies in its file, since no front is given; "
            f"say turn = {by:g} instead, or give front"
        )
    return Piece(
        name=entry.name,
        kind=kind,
        model=model,
        pose=Pose.standing(at, turn),
        gang=entry.gang if isinstance(entry, GangerEntry) else None,
        facing=facing,
        arcs=tuple(dict.fromkeys(entry.arcs)) if isinstance(entry, VehicleEntry) else ("front",),
        eye_given=None if entry.eye is None else np.array(entry.eye),
        eyes=_eyes(entry, model),
        index=index,
        warnings=tuple(warnings),
        facing_given=entry.facing is not None,
        doubt=entry.doubt,
        weapon=entry.facing.weapon if isinstance(entry.facing, HeadAndWeapon) else None,
    )


def _front_of_hull(model: Model, looks: float) -> float:
    """The front of a vehicle that looks in some direction, both in its model's frame, degrees.

    Its footprint lies along its own axes. These are those of its model, and the front is the side that looks there;
    but a hull that lies askew in its file, as one from a scan does, is as long as it looks: the tighter rectangle.
    """
    nearest = model.front + 90.0 * round((looks - model.front) / 90.0)
    askew = replace(model, front=looks)
    squarer = model.body_length * model.body_width <= askew.body_length * askew.body_width
    return nearest if squarer else looks


def _turn_and_facing(entry: PieceEntry, model: Model) -> tuple[float, float | None]:
    """How far a piece is turned from how its model lies, and where it faces, in degrees; None where that is unknown.

    ``turn`` alone decides how it stands; without it ``facing`` turns the front there; without both nothing is turned.
    """
    facing = entry.facing.head if isinstance(entry.facing, HeadAndWeapon) else entry.facing
    if isinstance(facing, float):
        return (facing - model.front if entry.turn is None else entry.turn), facing
    turn = entry.turn or 0.0
    return turn, None if facing == UNKNOWN_FACING else model.front + turn


def _eyes(entry: PieceEntry, model: Model) -> Mapping[ArcName, Floats]:
    """The crew's: the piece's own, those of the model, or none where the piece itself has one eye for all."""
    if entry.eyes is not None:
        return {arc: np.array(eye) for arc, eye in entry.eyes.items()}
    return model.eyes if entry.eye is None else {}
