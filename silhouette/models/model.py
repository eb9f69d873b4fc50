"""TAG: a model file, a mesh or some solids become a Model: which triangles are base, insignificant, body; eye."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, cosine_and_sine, hull_outline
from silhouette.common.lazy import cached_property
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.files.reading import DOCUMENTS, file_named
from silhouette.files.schema import MAX_LENGTH_MM, Location, validated
from silhouette.meshes.health import used_vertices
from silhouette.meshes.holes import close
from silhouette.meshes.mesh import Mesh, MeshFile, keep_in, read_mesh
from silhouette.meshes.primitives import TRIANGLE_COUNTS, Solid, solid
from silhouette.models.bases import Base
from silhouette.models.basing import centred, disc, measured, rounded, tagged, with_base, within
from silhouette.models.entries import (
    ArcName,
    InsignificantEntry,
    Kind,
    ModelFileEntry,
    ModelOptions,
    SolidEntry,
)
from silhouette.models.eyes import BodyBalls, EyeEstimate, EyePlace, eye_estimate, stored_balls, thick_parts
from silhouette.models.frame import (
    DEFAULT_FRONT_DEG,
    MM_PER_MESH_UNIT,
    Y_UP_FORMATS,
    UnitsChoice,
    doubt_about_up,
    units_of,
    upright,
)
from silhouette.models.mistakes import base_mistakes, eye_mistake, tag_mistake

Solidity = bool | Literal["filled"]
BODY, BASE, INSIGNIFICANT = 0, 1, 2
NAMES_OF_ROLES = {BODY: "body", BASE: "base", INSIGNIFICANT: "insignificant"}
Roles = NDArray[np.uint8]
MIN_EXTENT_MM = 0.01  # mm


@dataclass(frozen=True, eq=False)
class DrawnFrom:
    """A mesh file, the axis that is up in it, and the way from its frame to a model's.

    ``factor``: mm of one of its units, times the model's scale; ``shift``: (3,) mm, by which it is moved at last.
    """

    path: Path
    up: Literal["y", "z"]
    factor: float
    shift: Floats

    def placed(self, points: Floats) -> Floats:
        """Points (n, 3) of the file in the model's frame.

        >>> DrawnFrom(Path("a.glb"), "y", 1000.0, np.array([0.0, 0, -2])).placed(np.array([[0.001, 0.002, 0]])).tolist()
        [[1.0, 0.0, 0.0]]
        """
        return upright(points, self.up) * self.factor + self.shift


@dataclass(frozen=True, eq=False)
class Model:
    """A mesh in the model's frame (mm, z up, the front at ``front``), and what each of its triangles is."""

    source: str  # the name of the file it came from, or "parts" for solids; for messages
    kind: Kind
    mesh: Mesh  # the whole mesh, cut where the base ends
    role: Roles  # (m,) uint8, for each face BODY, BASE or INSIGNIFICANT
    base: Base | None
    eye_given: Floats | None  # (3,) the eye that the model file gives, or None
    front: float  # the direction that it faces, degrees anticlockwise from +x, and ``front_from`` how it is known
    # Whether its holes are closed; "filled" where what its outline encloses hides as well, from any eye
    solid: Solidity
    format: str  # of the mesh file; "parts" for solids
    units: str  # taken for the mesh file, and ``units_from`` how they are known
    units_from: Literal["given", "declared", "guessed"]
    up: str  # the axis that was up in the mesh file
    # watertight, holes: of the mesh file, before anything was closed
    watertight: bool
    holes: int
    warnings: tuple[str, ...]
    # The eyes of a vehicle's crew, by the vision arc that they look into; empty where one eye sees all
    eyes: Mapping[ArcName, Floats] = field(default_factory=dict)
    front_from: Literal["given", "default"] = "default"
    scan: bool = False  # whether its surface is a scan's, which lies a little off the truth
    # thick_from, balls_from: give `thick`, and the balls of which one may be the head; pieces that say where their eye
    # is do without. None where they are not needed.
    thick_from: Callable[[], Floats] | None = None
    balls_from: Callable[[], BodyBalls | None] | None = None
    lacks_base: bool = False  # whether a base was looked for, and none found
    # The mesh file whose colours it is shown in, and how that lies in this frame; None for solids
    drawn_from: DrawnFrom | None = None
    touching: tuple[Solid, ...] = ()  # of a model of solids those that touch others in base contact

    @cached_property
    def significant(self) -> Mesh:
        """The triangles that count as target and block sight: those of the body; of terrain the whole mesh."""
        return self.mesh if self.kind == "terrain" else _chosen(self.mesh, self.role == BODY)

    @cached_property
    def ignored(self) -> Mesh:
        """The triangles that do not count: base and insignificant parts; of terrain none."""
        return _chosen(self.mesh, (self.role != BODY) & (self.kind != "terrain"))

    @cached_property
    def eye(self) -> Floats:
        """(3,) in the model's frame: the eye given, or one estimated from the body."""
        return self.eye_given if self.eye_given is not None else self.eye_estimate.eye

    @cached_property
    def eye_estimate(self) -> EyeEstimate:
        """The eye as estimated from the body, given or not, and where else it may be."""
        balls = None if self.balls_from is None else self.balls_from()
        return eye_estimate(self.significant, self.front, self.thick, balls)

    @property
    def eye_candidates(self) -> tuple[EyePlace, ...]:
        """The places where its eye may be, the likeliest first; the one given, where it is given."""
        if self.eye_given is not None:
            return (EyePlace(self.eye_given, self.eye_given, 1.0),)
        return self.eye_estimate.places

    @cached_property
    def thick(self) -> Floats | None:
        """(n, 3) the thick parts of a mesh whose eye is estimated, as `thick_parts` has them; else None."""
        return None if self.thick_from is None else self.thick_from()

    @property
    def eye_from(self) -> Literal["given", "estimated"]:
        """The source of the eye: given by the model file, or estimated."""
        return "estimated" if self.eye_given is None else "given"

    @cached_property
    def body_box(self) -> Floats:
        """(2, 3) the least and greatest coordinates of the significant parts."""
        return self.significant.bounds

    @cached_property
    def footprint(self) -> Floats:
        """(4, 2) corners in plan of the rectangle round the body along its own axes.

        In the order front left, rear left, rear right, front right, as seen by the model itself.
        """
        (rear, right), (front, left) = self._reach
        corners = np.array([[front, left], [rear, left], [rear, right], [front, right]])
        return corners @ self._axes

    @property
    def body_length(self) -> float:
        """The length of the footprint along the front, mm."""
        return float(self._reach[1, 0] - self._reach[0, 0])

    @property
    def body_width(self) -> float:
        """The width of the footprint across the front, mm."""
        return float(self._reach[1, 1] - self._reach[0, 1])

    @cached_property
    def base_centre(self) -> Floats:
        """(2,) in plan: where vision arcs begin.

        The middle of a vehicle's footprint; else the middle of the base, or where there is none of the box round the
        significant parts.
        """
        if self.base is not None and self.kind != "vehicle":
            return np.array(self.base.centre)
        corners = self.footprint if self.kind == "vehicle" else self.body_box[:, :2]
        centre: Floats = corners.mean(axis=0)
        return centre

    @cached_property
    def base_outline(self) -> Floats:
        """(k, 2) the convex outline in plan, anticlockwise, of what touches others in base contact.

        That is the base: a circle where its diameter is given. Where there is none, it is a vehicle's footprint or
        the outline of the body.
        """
        if self.base is not None and self.base.is_round:
            return disc(self.base)
        if self.base is None and self.kind == "vehicle":
            return self.footprint
        return hull_outline(_corner_points(self._grounded)[:, :2])

    @cached_property
    def base_reach(self) -> float:
        """How far what touches others reaches from the origin, in plan, mm."""
        points, radius = self.base_core
        return float(np.hypot(*points.T).max()) + radius

    @cached_property
    def base_core(self) -> tuple[Floats, float]:
        """(k, 2) points in plan, and a radius, mm: what touches others in base contact is all within it of their hull.

        Of a disc that is its middle; of `base_outline` as it is, its corners and 0. Where what touches is made of round
        solids, or a diameter is given, this is exact, and `base_outline` a polygon.
        """
        if self.base is not None and self.base.is_round:
            return np.array([self.base.centre]), self.base.diameter / 2.0
        is_rectangle = self.base is None and self.kind == "vehicle"
        core = None if is_rectangle or not self.touching else rounded(self.touching)
        return (self.base_outline, 0.0) if core is None else core

    @cached_property
    def base_span(self) -> tuple[float, float]:
        """The lowest and highest z of the base, or of the body where there is none."""
        if self.base is not None and self.base.source == "given":
            ground = float(self.mesh.bounds[0, 2])
            return ground, ground + self.base.height
        low, high = self._grounded.bounds[:, 2]
        return float(low), float(high)

    def mistake_of(self, eye: Floats) -> str | None:
        """The sentence that an eye (3,) in its frame is none of this model, as `eye_mistake` has it; else None."""
        base_top = None if self.base is None else float(self.mesh.bounds[0, 2]) + self.base.height
        return eye_mistake(eye, self.body_box, base_top)

    @cached_property
    def _grounded(self) -> Mesh:
        return self.significant if self.base is None else _chosen(self.mesh, self.role == BASE)

    @cached_property
    def _axes(self) -> Floats:
        """(2, 2) rows: ahead and to the left, in plan."""
        cosine, sine = cosine_and_sine(self.front)
        return np.array([[cosine, sine], [-sine, cosine]])

    @cached_property
    def _reach(self) -> Floats:
        """(2, 2) the least and greatest of the body ahead and to the left."""
        seen = _corner_points(self.significant)[:, :2] @ self._axes.T
        return np.array([seen.min(axis=0), seen.max(axis=0)])


def load_model(path: Path, cache: Cache, kind: Kind | None = None, overrides: Mapping[str, Any] | None = None) -> Model:
    """The model of a model file (.toml or .json) or, with the default of every key, of a mesh file.

    Args:
        kind: that the scene's table requires; without it the kind in the file, or a fighter.
        overrides: keys of a model file, already checked, that replace those of the file.

    Raises FileError if the model file cannot be used; MeshError if its mesh cannot.
    """
    if path.suffix.lower() in DOCUMENTS:
        location = Location(path)
        document = read_document(path)
        if "rules" in document:
            raise location.error("is a scene, not a model; silhouette check judges it")
        options: ModelOptions = validated(ModelFileEntry, document, location)
        if kind is not None and options.kind not in (None, kind):
            raise location.error(
                f"kind is {options.kind}, but it stands among a scene's {kind} pieces; move it or change kind"
            )
    else:
        location = Location(path)
        options = ModelOptions().model_copy(update={"mesh": path.name})  # a name that is no UTF-8 too
    return model_of_mesh(options.model_copy(update=dict(overrides or {})), location, cache, kind)


def model_of_mesh(options: ModelOptions, location: Location, cache: Cache, kind: Kind | None = None) -> Model:
    """The model of a mesh file, by the keys of a model file; ``mesh`` is seen from the file in which they stand."""
    assert options.mesh is not None
    kind = kind or options.kind or "fighter"
    path = file_named(location, "mesh", options.mesh)
    file = read_mesh(path, cache)
    lying = _in_mm(file, options, kind, location, cache)
    mesh, below, base, doubts = with_base(lying.mesh, options, kind, location, lying.key, cache)
    lowest = mesh.bounds[0]
    if options.origin == "base":
        mesh, base = centred(mesh, base)
    role, mistakes = _roles(mesh, below, options.insignificant, location)
    warnings = [*lying.warnings, *doubts, *mistakes, *base_mistakes(base)]
    if kind == "terrain" and role.any():
        warnings.append("terrain blocks whole, its base and insignificant parts too")
    up, units, source = lying.up, lying.units, Path(options.mesh).name
    model = Model(
        source, kind, mesh, role, base, **_looks(options, up), solid=options.solid, format=file.format,
        units=units.units, units_from=units.source, up=up, watertight=file.watertight, holes=file.holes,
        warnings=tuple(f"{source}: {warning}" for warning in warnings), scan=options.scan,
        lacks_base=base is None and kind == "fighter" and options.base.how == "auto",
        drawn_from=DrawnFrom(path, up, MM_PER_MESH_UNIT[units.units] * options.scale, mesh.bounds[0] - lowest),
    )  # fmt: skip
    model = _with_a_body(model, location)
    keep_in(cache, model.mesh, model.significant)
    if kind != "fighter" or options.eye is not None:
        return model
    balls_from = partial(stored_balls, model.significant, model.front, cache)
    return replace(model, thick_from=partial(_thick, model.significant, cache), balls_from=balls_from)


def _looks(options: ModelOptions, up: str) -> dict[str, Any]:
    """The fields of a model that say whence and where it looks, by the axis that is up in its mesh file."""
    return {
        "eye_given": None if options.eye is None else np.array(options.eye),
        "eyes": {arc: np.array(point) for arc, point in (options.eyes or {}).items()},
        "front": DEFAULT_FRONT_DEG[up] if options.front is None else options.front,
        "front_from": "default" if options.front is None else "given",
    }


@dataclass(frozen=True, eq=False)
class _Lying:
    """The mesh of a file in mm with z up, before its base is looked for, closed if it is to be solid.

    The key names the mesh and all that was done to it, for the cache.
    """

    mesh: Mesh
    up: Literal["y", "z"]
    units: UnitsChoice
    key: str
    warnings: list[str]


def _in_mm(file: MeshFile, options: ModelOptions, kind: Kind, location: Location, cache: Cache) -> _Lying:
    usual: Literal["y", "z"] = "y" if file.format in Y_UP_FORMATS else "z"
    up = usual if options.up == "auto" else options.up
    extents = np.ptp(upright(file.mesh.bounds, up), axis=0)
    if options.units == "auto":
        units = units_of(extents, kind, file.declared_units, options.scale)
    else:
        units = UnitsChoice(options.units, "given")
    factor = MM_PER_MESH_UNIT[units.units] * options.scale
    if not MIN_EXTENT_MM <= extents.max() * factor <= MAX_LENGTH_MM:
        size = f"{options.mesh} comes out {extents.max() * factor:.3g} mm across"
        raise location.error(f"{size}; give units or scale that make it a size for the table")
    mesh = replace(file.mesh, vertices=upright(file.mesh.vertices, up) * factor)
    warnings = [*file.warnings, *filter(None, [units.warning])]
    key = f"{file.digest} {units.units} {up} {options.scale!r}"
    if options.solid and not file.watertight:
        mesh, sentence = _closed(mesh, key, cache)
        warnings = [warning for warning in warnings if "hole" not in warning] + [sentence]
        key += " solid"
    if options.up == "auto" or options.origin == "base":  # what a scan or another table has lying is to lie there
        warnings += doubt_about_up(mesh, up, kind, options.up, usual)
    return _Lying(mesh, up, units, key, warnings)


def _roles(mesh: Mesh, below: Flags, tags: Sequence[InsignificantEntry], location: Location) -> tuple[Roles, list[str]]:
    role, mistakes = np.where(below, BASE, BODY).astype(np.uint8), list[str]()
    for number, tag in enumerate(tags, 1):
        chosen = tagged(mesh, tag, within(location, f"insignificant {number}"))
        role[chosen & (role == BODY)] = INSIGNIFICANT
        if not chosen.any():
            mistakes.append(tag_mistake(number, tag, mesh.bounds))
    return role, mistakes


def model_of_solids(
    parts: Sequence[SolidEntry], location: Location, kind: Kind, front: float | None = None, is_solid: Solidity = False
) -> Model:
    """The model of some solids, in their own frame; its front is +y where none is given."""
    solids = [part.solid() for part in parts]
    mesh = solid(*solids)
    roles = [BASE if part.base else INSIGNIFICANT if part.insignificant else BODY for part in parts]
    role = np.repeat(np.array(roles, np.uint8), [TRIANGLE_COUNTS[type(part.shape)] for part in solids])
    base = measured("parts", _chosen(mesh, role == BASE)) if (role == BASE).any() else None
    touching = [part for part, what in zip(solids, roles, strict=True) if what == (BODY if base is None else BASE)]
    model = Model(
        "parts", kind, mesh, role, base, None, DEFAULT_FRONT_DEG["z"] if front is None else front, is_solid,
        "parts", "mm", "given", "z", True, 0, tuple(base_mistakes(base)),
        front_from="default" if front is None else "given", touching=tuple(touching),
    )  # fmt: skip
    return _with_a_body(model, location)


def _thick(body: Mesh, cache: Cache) -> Floats:
    return cache.fetch(f"thick {body.digest}", lambda: {"thick": thick_parts(body)})["thick"]


def _with_a_body(model: Model, location: Location) -> Model:
    """The model, if anything of it counts."""
    if model.kind != "terrain" and not (model.role == BODY).any():
        counts = {name: np.count_nonzero(model.role == role) for role, name in NAMES_OF_ROLES.items()}
        what = " and ".join(f"{count} as {name}" for name, count in counts.items() if count)
        raise location.error(
            f"all {len(model.role)} triangles of {model.source} are tagged, {what}; "
            "a model needs a significant part: tag less"
        )
    return model


def _closed(mesh: Mesh, key: str, cache: Cache) -> tuple[Mesh, str]:
    """The mesh without its holes, and the sentence that says how much it grew."""

    def build() -> dict[str, NDArray[Any]]:
        closed = close(mesh)
        return {
            "vertices": closed.mesh.vertices,
            "faces": closed.mesh.faces,
            "part": closed.mesh.part,
            "names": np.array(closed.mesh.part_names),
            "sentence": np.array([closed.sentence]),
        }

    entry = cache.fetch(f"closed {key}", build)
    names = tuple(str(name) for name in entry["names"])
    return Mesh(entry["vertices"], entry["faces"], entry["part"], names), str(entry["sentence"].item())


def _chosen(mesh: Mesh, flags: Flags) -> Mesh:
    return mesh if flags.all() else mesh.subset(flags)


def _corner_points(mesh: Mesh) -> Floats:
    return mesh.vertices[used_vertices(mesh.faces, len(mesh.vertices))]
