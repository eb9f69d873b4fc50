"""PLACE: what supports a model: what its base sinks into, hangs above, or rests on with its rim only.

a model, the pieces under its base -> the ground at points under it -> sunk, walled in, hanging, on its rim, or none
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Floats
from silhouette.hulls import convex_hull
from silhouette.lazy import cached_property
from silhouette.scenes.ground import inset
from silhouette.scenes.overlap import ALLOWED
from silhouette.scenes.pieces import Piece
from silhouette.scenes.standing import LOWER, TABLE_TOP, Samples, depths, wall_heights
from silhouette.scenes.surfaces import Surface, is_upright
from silhouette.scenes.underside import FEET, Underside, underside_of

COARSE = 12
"""As `silhouette.scenes.standing.ACROSS`, for warnings: they look at every piece of a scene."""

MOST_LAYERS = 5000.0
"""Triangles above each other under a base: a landscape has two or three, a tangle of slivers has any number."""

SLOPE = 0.15
"""The share of points under a base at which the ground is neither near it nor as low as under its middle, from which on
it lies on a slope, and not on an edge."""


@dataclass(frozen=True, eq=False)
class Support:
    """A model and what lies under its base.

    Attributes:
        piece: the model.
        near: the pieces with triangles under its base, below or above it.
        is_tangled: whether so many triangles lie above each other there that there is no telling what is ground.
    """

    piece: Piece
    near: Sequence[Piece]
    is_tangled: bool

    @classmethod
    def of(cls, piece: Piece, others: Sequence[Piece]) -> Support:
        """What supports a model among others."""
        corners = base_box(piece)
        surfaces = {other: Surface.of(other).near(corners, np.zeros(2)) for other in others}
        tangled = any(surface.layers(corners[0], corners[2]) > MOST_LAYERS for surface in surfaces.values())
        return cls(piece, [other for other, surface in surfaces.items() if not surface.is_empty], tangled)

    @cached_property
    def underside(self) -> Underside:
        """What of the model touches the ground."""
        return underside_of(self.piece)

    @cached_property
    def bottom(self) -> float:
        """The height of the underside of its base, mm."""
        return float(self.piece.pose.translation[2]) + self.underside.bottom

    @property
    def _place(self) -> Floats:
        return self.piece.pose.translation[:2]

    @cached_property
    def _surfaces(self) -> dict[Piece, Surface]:
        return {other: Surface.of(other).near(self.underside.outline, self._place) for other in self.near}

    @cached_property
    def _samples(self) -> Samples:
        outline = inset(self.underside.outline, ALLOWED)
        return Samples.over(outline if len(outline) else self.underside.outline, COARSE)

    @cached_property
    def _terrain_depths(self) -> dict[Piece, Floats]:
        """(p,) mm for each piece of terrain: how far above the base its ground is at each point."""
        points = self._samples.points + self._place
        tall, base = float(np.ptp(self.piece.whole_box[:, 2])), self.piece.model.base
        thick = max(FEET, 0.0 if base is None else base.height) - ALLOWED
        return {
            other: depths(surface.crossings(points), len(points), self.bottom, tall, thick)
            for other, surface in self._surfaces.items()
            if other.kind == "terrain"
        }

    @cached_property
    def _depth(self) -> Floats:
        """(p,) mm: how far above the base the ground is, the table's top among it, at each point."""
        table = np.full(len(self._samples.points), TABLE_TOP - self.bottom)
        depth: Floats = np.max([*self._terrain_depths.values(), table], axis=0)
        return depth

    def sunk(self) -> tuple[float, Piece, bool] | None:
        """How deep the model sinks into terrain, mm, into which, and whether more of that lies above.

        None where it sinks by no more than 2 mm.

        On a slope an upright base that rests on its middle sinks uphill as much as it hangs downhill: that is as models
        stand on hills, and no mistake. What counts is the mean of a point and the one opposite to it.
        """
        if not self._terrain_depths or not len(self._samples.points):
            return None
        # Beyond a cliff the ground is taken to be as low as a slope of 45° would be, no lower.
        points = self._samples.points
        depth = np.maximum(self._depth, -np.linalg.norm(points - points.mean(axis=0), axis=1))
        if ((depth + depth[self._samples.opposite]) / 2.0).max() <= LOWER:
            return None
        deepest = int(depth.argmax())
        into = max(self._terrain_depths, key=lambda other: float(self._terrain_depths[other][deepest]))
        over = self._surfaces[into].crossings(points[deepest][None] + self._place).z
        is_roofed = bool((over > self.bottom + depth[deepest] + LOWER).any())
        return float(depth[deepest]), into, is_roofed

    def walled(self) -> Piece | None:
        """The terrain of which a wall goes up through the base, more than a millimetre from its rim; None for none."""
        inner = inset(self.underside.outline, ALLOWED)
        if not len(inner):
            return None
        low, high = wall_heights(self.piece, np.array([self.bottom]))
        for other in self._terrain_depths:
            if self._surfaces[other].walled(inner, self._place[None], low, high).any():
                return other
        return None

    def highest(self) -> tuple[float, Piece | None]:
        """The height of the highest ground under the base that is not above it, and its piece; None for the table."""
        highest, on = TABLE_TOP if self.bottom >= TABLE_TOP - LOWER else -np.inf, None
        for other, surface in self._surfaces.items():
            # A model that hangs beside this one at the same height carries nobody.
            if other.kind == "terrain" or other.whole_box[:, 2].min() < self.bottom - LOWER:
                (height,) = surface.heights(self.underside.outline, self._place[None], self.bottom + LOWER)
                if height > highest:
                    highest, on = float(height), other
        return highest, on

    def on_its_rim(self) -> float | None:
        """How far below its middle the ground is, mm, for a base that would tip over an edge; None where it would not.

        It tips where its middle lies outside of all that carries it. On a slope an upright base always rests on its
        rim: there the ground comes nearer little by little, at an edge all at once.
        """
        points, depth = self._samples.points, self._depth
        if self.piece.kind != "fighter" or not len(points):
            return None
        middle = points.mean(axis=0)
        fall = -float(depth[np.linalg.norm(points - middle, axis=1).argmin()])
        if fall <= LOWER or np.mean((depth < -0.2 * fall) & (depth > -0.8 * fall)) >= SLOPE:
            return None
        carried = points[depth >= -LOWER]
        if len(carried):
            from shapely import Point

            spacing = np.ptp(points, axis=0).max() / COARSE
            if convex_hull(carried).distance(Point(middle)) <= spacing:
                return None
        return fall


def base_box(piece: Piece) -> Floats:
    """(4, 2) mm: the corners of a rectangle in the world that holds what of a piece touches the ground."""
    if piece.model.base is not None and piece.kind == "fighter" and is_upright(piece.pose):
        half = piece.model.base.diameter / 2**0.5 + FEET  # an oval or a rectangle may lie across
        low, high = piece.base_centre - half, piece.base_centre + half
    else:
        low, high = piece.whole_box[:, :2].min(axis=0), piece.whole_box[:, :2].max(axis=0)
    return np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
