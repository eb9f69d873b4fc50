"""RENDER: what bodies cover of pictures, as areas: what a renderer is asked that counts by layers on its own device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh

EDGE_ON = 1e-9  # mm: a face whose plane passes the eye as near as this has no side


@dataclass(frozen=True, eq=False)
class SeenMesh:
    """A whole mesh that lies before an eye, in a picture."""

    mesh: Mesh
    eye: Floats  # (3,) mm, in its frame
    matrix: Floats  # (3, 3) from its frame, with the eye as the origin, to (column * depth, row * depth, depth)
    noise: float  # mm: where a face's plane passes as near to the eye, its side is looked up in float64


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines in a picture, round what faces cover: contours of a body and borders; see `SeenMesh` for whole meshes."""

    start: Floats  # (2, n) column and row at which each begins
    end: Floats  # (2, n) where each ends
    border: Integers  # (n,) 0 for those round faces that look at the eye, 1 for those round all


NO_LINES = Lines(np.empty((2, 0)), np.empty((2, 0)), np.empty(0, np.int32))
"""Round no faces."""


@dataclass(frozen=True, eq=False)
class LayeredPicture:
    """A target in a picture, and what is before it: all of each body but of the target is nearer than that is."""

    window: Floats  # (4,) least and greatest column, least and greatest row, between which the target lies
    bodies: Sequence[SeenMesh | Lines]  # the target, then the blockers


@dataclass(frozen=True, eq=False)
class CoveredAreas:
    """Of a target in a picture; areas are in pixels, and rims in their widths."""

    free: float  # what nothing is before
    several: float  # what several blockers are before
    rim: float  # the length of the target's rim, but for what of it is level
    obscured_rim: float  # that of what is obscured of it
    # The lengths of the sides of trapezia that make up what is free, what is obscured, and what several are before
    free_sides: float
    obscured_sides: float
    several_sides: float
    # (n, 2) rows and columns of places that several are before, a pixel's middle at its index, evenly spread, and (n,)
    # the area for which each of them stands
    places: Floats
    weights: Floats
    lone: Floats  # (blockers,) what each is before, and no other
    shared: Floats  # (blockers,) what each is before with others

    @property
    def obscured(self) -> float:
        """What some blocker is before."""
        return self.several + float(self.lone.sum())
