"""TELL: figures that are placed by hand on a scanned table: how far off they may stand, by eye and by a ruler."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import scipy
import shapely
from pydantic import Field

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats
from silhouette.files.schema import MAX_LENGTH_MM, Entry, Name, Number
from silhouette.relations.outlines_in_plan import base_shape, footprint
from silhouette.scans.keep import SOURCE_RECORD
from silhouette.scenes.table import TableScene

Document = dict[str, Any]

# ---- doubt

BY_HAND = {"place": 5, "facing": 10}
"""mm and degrees, standard deviations of how a figure stands that was put on a scanned table by eye."""

ON_A_BASE = {"place": 2, "facing": 5}
"""The same of a figure that was put on what looks like a base in the scan."""


def is_scanned(document: Mapping[str, Any]) -> bool:
    """Whether a scan made the scene, which then knows how exactly all stands.

    >>> is_scanned({"doubt": {"place": 0.3}, "source": {"record": "meshes/found.scan"}}), is_scanned({})
    (True, False)
    """
    return "doubt" in document and SOURCE_RECORD in document.get("source", {})


def with_doubt(entry: Document, doubt: Mapping[str, float] | None) -> Document:
    """The entry of a piece with some keys of its doubt changed; without a doubt of its own where None is given."""
    if doubt is None:
        return {key: value for key, value in entry.items() if key != "doubt"}
    return {**entry, "doubt": {**entry.get("doubt", {}), **doubt}}


def placed_by_hand(before: Document, after: Document) -> Document:
    """The entry of a figure that a hand has moved or turned on a scanned table: what it moved is in doubt by so much.

    One that stood on a base is as exactly turned there as it was put; moved off it, it is in doubt by all of `BY_HAND`.

    >>> placed_by_hand({"at": [0, 0], "doubt": {"place": 0.3}}, {"at": [9, 0], "doubt": {"place": 0.3}})["doubt"]
    {'place': 5}
    """
    is_moved = after["at"][:2] != before["at"][:2]
    is_turned = after.get("facing") != before.get("facing") and after.get("facing") != "unknown"
    is_on_base = before.get("doubt") == ON_A_BASE
    if is_on_base and (is_moved or is_turned):
        return with_doubt(after, BY_HAND if is_moved else ON_A_BASE)
    doubt = {key: BY_HAND[key] for key, changed in (("place", is_moved), ("facing", is_turned)) if changed}
    return with_doubt(after, doubt) if doubt else after


# ---- readings of a ruler

RULER_MM = 1.0  # mm, standard deviation of a distance that is read off a ruler between two edges
LEAST_DOUBT_MM = 0.5  # mm: nothing that is placed by readings stands more exactly than that
MOST_READINGS = 12
MOST_MISFIT = 3.0  # standard deviations by which a reading may be off from all the others and from where it stood


class RulerReading(Entry):
    """The distance in plan from the edge of a figure's base to the nearest edge of another piece, or to a point."""

    to: Name | tuple[Number, Number] = Field(description="the name of a piece, or two numbers of mm")
    mm: Annotated[float, Field(strict=True, ge=0, le=MAX_LENGTH_MM)] = Field(description="a number of mm, 0 or more")


def placed_by_readings(
    scene: TableScene, name: str, readings: Sequence[RulerReading], doubt: float
) -> tuple[tuple[float, float], float]:
    """By how much a figure is to be moved in plan so that readings fit best, and how far off it may stand then, mm.

    Least squares of the readings and of where it stands by now, which may be off by ``doubt``. What is left in doubt is
    that along the direction which the readings tell least about: one reading alone leaves it as it was.

    Raises:
        RequestError: where a piece is not there, or the readings fit neither each other nor where it stands.
    """
    base, lengths = base_shape(scene.piece(name)), np.array([reading.mm for reading in readings])
    shapes, sigmas = zip(*(_target(scene, name, reading) for reading in readings), strict=True)

    def distances(shift: Floats) -> Floats:
        moved = shapely.transform(base, lambda points: points + shift)
        return np.array([shapely.distance(moved, shape) for shape in shapes])

    sigma, doubt = np.array(sigmas), max(doubt, LEAST_DOUBT_MM)
    fit = scipy.optimize.least_squares(
        lambda shift: np.concatenate([(distances(shift) - lengths) / sigma, shift / doubt]), np.zeros(2)
    )
    shift: Floats = fit.x
    misfit = np.abs(distances(shift) - lengths) / sigma
    if misfit.max() > MOST_MISFIT or np.hypot(*shift) > MOST_MISFIT * doubt:
        worst = int(misfit.argmax())
        there = readings[worst].to
        called = f"'{there}'" if isinstance(there, str) else "the point"
        raise RequestError(
            f"{scene.path}: '{name}' stands {distances(np.zeros(2))[worst]:.1f} mm from {called}, and the ruler says "
            f"{readings[worst].mm:g} mm; read again, or put it nearer to where it is first"
        )
    left = float(np.linalg.eigvalsh(fit.jac.T @ fit.jac)[0]) ** -0.5
    return (float(shift[0]), float(shift[1])), math.ceil(10.0 * max(left, LEAST_DOUBT_MM)) / 10.0


def _target(scene: TableScene, name: str, reading: RulerReading) -> tuple[Any, float]:
    """What a reading ends at, in plan, and its standard deviation, mm, with how far off that may be."""
    if not isinstance(reading.to, str):
        return shapely.Point(reading.to), RULER_MM
    if reading.to == name:
        raise RequestError(f"{scene.path}: '{name}' is where the ruler begins; name something else where it ends")
    piece = scene.piece(reading.to)
    doubts = [doubt for doubt in (piece.doubt, scene.doubt) if doubt is not None]
    if piece.kind == "terrain":
        off = next((doubt.surface for doubt in doubts if doubt.surface is not None), 0.0)
        return footprint(piece), math.hypot(RULER_MM, off)
    off = next((doubt.place for doubt in doubts if doubt.place is not None), 0.0)
    return base_shape(piece), math.hypot(RULER_MM, off)
