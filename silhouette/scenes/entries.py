"""PLACE: the keys of a table scene: its pieces, where they stand, and the checks asked for."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from silhouette.files.schema import COARSEST, LARGEST_ERROR, Entry, Error, Name, Number, Pixel, need_one, plain
from silhouette.models.entries import Arc, ModelOptions, SolidEntry


class PieceEntry(ModelOptions):
    """What a piece of any table may say: which model it is, and where it stands."""

    name: Name = Field(description="a name of its own, in quotes")
    model: Name | None = Field(None, description="the path of a model file, seen from the scene's own folder")
    parts: tuple[SolidEntry, ...] | None = Field(
        None, min_length=1, description="a list of one or more solids, such as { box = [60, 5, 30] }"
    )
    at: Annotated[tuple[Number, ...], Field(min_length=2, max_length=3)] = Field(
        description="two or three finite numbers of mm, [x, y] or [x, y, z], up to a kilometre"
    )
    facing: Number = Field(90.0, description="a number of degrees anticlockwise from +x")

    @model_validator(mode="after")
    def _one_model(self) -> PieceEntry:
        need_one(self, "model", "mesh", "parts")
        if self.parts is not None:
            for key in ("units", "up", "scale", "base", "origin", "insignificant"):
                if key in self.model_fields_set:
                    raise plain(
                        f"{key} goes with a mesh, not with parts; say base or insignificant in the solid itself"
                    )
        return self


class TerrainEntry(PieceEntry):
    """A ``[[terrain]]``."""


class FighterEntry(PieceEntry):
    """A ``[[fighter]]``."""

    gang: Name | None = Field(None, description="a name in quotes")


class VehicleEntry(FighterEntry):
    """A ``[[vehicle]]``."""

    arcs: tuple[Arc, ...] = Field(
        ("front",), min_length=1, description='a list of one or more of "front", "left", "right", "rear"'
    )


class CheckEntry(Entry):
    """A ``[[check]]``."""

    attacker: Name = Field(description="the name of a fighter or vehicle")
    target: Name = Field(description="the name of a fighter or vehicle")
    arc: Arc | None = Field(None, description='"front", "left", "right" or "rear"')
    expect: dict[str, Any] | None = Field(None, description="a table of result keys, each a value or [least, most]")


class SceneEntry(Entry):
    """What every scene has, whatever its rule system."""

    title: str = Field("", description="a text in quotes")
    rules: Name = Field(description="the name of a rule system")
    source: dict[str, Any] = Field({}, description="a table")
    readings: dict[str, Any] = Field({}, description="a table [readings]")


class TableEntry(SceneEntry):
    """A table scene, whole."""

    terrain: tuple[TerrainEntry, ...] = Field((), description="tables [[terrain]]")
    fighter: tuple[FighterEntry, ...] = Field((), description="tables [[fighter]]")
    vehicle: tuple[VehicleEntry, ...] = Field((), description="tables [[vehicle]]")
    check: tuple[CheckEntry, ...] = Field((), description="tables [[check]]")
    base_contact: tuple[tuple[Name, Name], ...] | None = Field(
        None, description='a list of pairs of names, [["Kal", "Vex"]]'
    )
    tolerance: Annotated[float, Field(strict=True, ge=0, le=0.5)] = Field(0.01, description="a share from 0 to 0.5")
    pixel: Pixel | None = Field(None, description=f"a number of mm above zero, at most {COARSEST:g}")
    error: Error | None = Field(None, description=f"a share above zero, at most {LARGEST_ERROR:g}")
