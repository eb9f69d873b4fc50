"""TAG: the keys of a model file, which may also stand in a scene's piece, and the solids of ``parts``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field, JsonValue, StrictBool, field_validator, model_validator

from silhouette.files.schema import MAX_LENGTH_MM, Entry, Name, Number, Point, Size, exactly_one, need_one, plain
from silhouette.meshes.primitives import Axis, Box, Cylinder, Solid, Sphere

MIN_BASE_MM = 0.01  # mm

Kind = Literal["fighter", "vehicle", "terrain"]
PIECE_KINDS: tuple[Kind, ...] = get_args(Kind)
ArcName = Literal["front", "left", "right", "rear"]


class CylinderEntry(Entry):
    """``cylinder = { diameter = 25, height = 3, axis = "z" }``."""

    diameter: Size = Field(description="a number of mm above zero")
    """The diameter across the axis."""
    height: Size = Field(description="a number of mm above zero")
    """The height along the axis."""
    axis: Axis = Field("z", description='"x", "y" or "z"')
    """The axis that the cylinder lies along."""


class SphereEntry(Entry):
    """``sphere = { diameter = 12 }``."""

    diameter: Size = Field(description="a number of mm above zero")
    """The diameter of the sphere."""


class SolidEntry(Entry):
    """One of ``parts``: a solid in its place."""

    model_config = exactly_one("box", "cylinder", "sphere")

    box: tuple[Size, Size, Size] | None = Field(None, description="three sizes in mm along x, y and z, each above zero")
    """A box of these sizes. A solid has exactly one of `box`, `cylinder` and `sphere`."""
    cylinder: CylinderEntry | None = Field(None, description="{ diameter = ..., height = ... } in mm")
    """A cylinder."""
    sphere: SphereEntry | None = Field(None, description="{ diameter = ... } in mm")
    """A sphere."""
    at: Point = Field((0.0, 0.0, 0.0), description="three numbers of mm, the middle of the solid's underside")
    """Where the middle of its underside stands in the piece's own frame."""
    turn: Number = Field(0.0, description="a number of degrees")
    """How far it is turned about its own vertical, anticlockwise seen from above."""
    name: Name | None = Field(None, description="a name in quotes")
    """What it is called, for messages and pictures."""
    base: StrictBool = Field(False, description="true or false")
    """Whether it is the base, which neither counts as target nor blocks."""
    insignificant: StrictBool = Field(False, description="true or false")
    """Whether it is an insignificant part, which neither counts as target nor blocks."""

    @model_validator(mode="after")
    def _one_shape(self) -> SolidEntry:
        need_one(self, "box", "cylinder", "sphere")
        if self.base and self.insignificant:
            raise plain("base and insignificant are both true; a solid is one or the other")
        return self

    def solid(self) -> Solid:
        """The solid that the entry describes."""
        shape: Box | Cylinder | Sphere
        if self.box is not None:
            shape = Box(self.box)
        elif self.cylinder is not None:
            shape = Cylinder(self.cylinder.diameter, self.cylinder.height, self.cylinder.axis)
        else:
            assert self.sphere is not None
            shape = Sphere(self.sphere.diameter)
        return Solid(shape, self.at, self.turn, self.name)


class FigureEntry(Entry):
    """``figure = { base = 32, height = 38 }``: a stand-in for a figure whose mesh is not at hand."""

    base: Size = Field(description="a number of mm above zero")
    """The diameter of the base, which is round and at most 3 mm thick."""
    height: Size = Field(description="a number of mm above zero")
    """The height of the whole figure, from the underside of its base to the top of its head."""


class BallEntry(Entry):
    """``sphere = { centre = [0, 0, 34], radius = 4 }``."""

    centre: Point = Field(description="three numbers of mm in the model's frame")
    """The middle of the sphere."""
    radius: Size = Field(description="a number of mm above zero")
    """The radius of the sphere."""


class InsignificantEntry(Entry):
    """One ``[[insignificant]]``: a part by name, or all triangles in a box or a sphere."""

    model_config = exactly_one("part", "box", "sphere")

    part: Name | None = Field(
        None, description="the name of a part of the mesh; *, ? and [...] stand for other letters"
    )
    """All triangles of the named node, group, object or material of the mesh. An entry has exactly one of
    `part`, `box` and `sphere`.
    """
    box: tuple[Point, Point] | None = Field(None, description="two opposite corners, [[x, y, z], [x, y, z]] in mm")
    """All triangles whose centroid lies in this box."""
    sphere: BallEntry | None = Field(None, description="{ centre = [x, y, z], radius = ... } in mm")
    """All triangles whose centroid lies in this sphere."""

    @model_validator(mode="after")
    def _one_way(self) -> InsignificantEntry:
        need_one(self, "part", "box", "sphere")
        return self


LENGTH: JsonValue = {"type": "number", "minimum": MIN_BASE_MM, "maximum": MAX_LENGTH_MM}


def _base_form(key: str, properties: dict[str, JsonValue]) -> JsonValue:
    return {"type": "object", "properties": properties, "required": [key], "additionalProperties": False}


BASE_FORMS: list[JsonValue] = [
    {"enum": ["auto", "none"]},
    _base_form("part", {"part": {"type": "string", "minLength": 1}, "diameter": LENGTH}),
    _base_form("height", {"height": LENGTH, "diameter": LENGTH}),
    _base_form("diameter", {"diameter": LENGTH}),
]
"""The forms of the key ``base``, as JSON Schemas."""


@dataclass(frozen=True)
class BaseChoice:
    """How the base is to be known: found, not there, a named part (with wildcards), or all below a height.

    Height and diameter are mm; the diameter is None where it is as wide as its mesh.
    """

    how: Literal["auto", "none", "part", "height"]
    part: str = ""
    height: float = 0.0
    diameter: float | None = None


def _length(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not MIN_BASE_MM <= value <= MAX_LENGTH_MM:
        raise ValueError
    return float(value)


class ModelOptions(Entry):
    """The keys of a model file, which may also stand in a scene's piece that names a ``mesh``."""

    mesh: Name | None = Field(None, description="the path of a mesh file, seen from the file that names it")
    """The mesh: STL, OBJ, PLY, GLB, glTF, 3MF, OFF or USD."""
    kind: Kind | None = Field(None, description='"fighter", "vehicle" or "terrain"')
    """What the model is. A mesh without it is a fighter; in a scene the table decides (`[[fighter]]`,
    `[[vehicle]]`, `[[terrain]]`).
    """
    units: Literal["mm", "cm", "m", "inch", "auto"] = Field("auto", description='"mm", "cm", "m", "inch" or "auto"')
    """The unit of the mesh file's numbers. With "auto" it is found from the size, and the answer says what was
    taken.
    """
    up: Literal["z", "y", "auto"] = Field("auto", description='"z" or "y", or "auto"')
    """The axis of the mesh file that points up. "auto" is "y" for GLB and glTF and "z" for the others; a warning says
    what to write where the mesh plainly stands otherwise.
    """
    scale: Size = Field(1.0, description="a number above zero")
    """How many times larger than in its file the model is."""
    eye: Point | None = Field(None, description="three numbers of mm in the model's frame")
    """The eye, after units, up and scale. Without it the eye is estimated from the shape, and the answer says so."""
    eyes: dict[ArcName, Point] | None = Field(
        None, description="a table of points in the model's frame by vision arc, such as { front = [x, y, z] }"
    )
    """An eye for each vision arc that a vehicle has crew for."""
    base: BaseChoice = Field(
        BaseChoice("auto"),
        description='"auto", "none", { part = "..." } or { height = ... }, and diameter = ... beside either or alone, '
        "in mm above zero",
        json_schema_extra={"default": "auto", "anyOf": BASE_FORMS},
    )
    """Which part of the mesh is the base: found from the shape, not there, a named part, or everything below a
    height; what crosses that height is cut. `diameter` makes the base round and so wide, whatever the mesh has:
    { height = 3.5, diameter = 32 }. { diameter = 32 } alone finds the base, or is one without height.
    """
    front: Number | None = Field(None, description="a number of degrees anticlockwise from +x")
    """Which way the model faces in its own frame. The default is 90, that is +y; if y is up in the mesh file, 270, that
    is -y, where the front of glTF, +Z, comes to lie.
    """
    solid: StrictBool | Literal["filled"] = Field(False, description='true, false or "filled"')
    """Terrain: true closes the holes of an open mesh, such as a scan's, but no windows of it and no gaps between its
    parts. "filled" also fills what its outline encloses in the picture, windows and gaps, but not what is open on one
    side, such as a notch, an arch or a doorway without a sill.
    """
    scan: StrictBool = Field(False, description="true or false")
    """Whether the surface is a scan's, and lies a little off the truth."""
    origin: Literal["base", "keep"] = Field("base", description='"keep", or left out')
    """Loading moves the mesh so that it stands on z = 0 with the middle of its base (or of its box, where there
    is no base) at x = y = 0. "keep" leaves it where its file has it.
    """
    insignificant: tuple[InsignificantEntry, ...] = Field((), description="tables [[insignificant]]")
    """Parts that neither count as target nor block: banners, gun barrels, plumes."""

    @field_validator("base", mode="plain")
    @classmethod
    def _base(cls, value: object) -> BaseChoice:
        match value:
            case BaseChoice():
                return value
            case "auto" | "none":
                return BaseChoice(value)
            case {"part": str(part), **rest} if part and rest.keys() <= {"diameter"}:
                return BaseChoice("part", part=part, diameter=_length(rest.get("diameter", None)))
            case {"height": height, **rest} if height is not None and rest.keys() <= {"diameter"}:
                return BaseChoice("height", height=_length(height) or 0.0, diameter=_length(rest.get("diameter")))
            case {"diameter": diameter, **rest} if diameter is not None and not rest:
                return BaseChoice("auto", diameter=_length(diameter))
        raise ValueError


class ModelFileEntry(ModelOptions):
    """A model file, whole."""

    mesh: Name = Field(description='the path of a mesh file, such as mesh = "ganger.stl"')
    """The mesh: STL, OBJ, PLY, GLB, glTF, 3MF, OFF or USD."""
