"""JUDGE, games by data: the areas of pieces, seen from above, that lines may cross."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import shapely

from silhouette.files.schema import MAX_LENGTH
from silhouette.relations.outlines_in_plan import Region, base_shape, footprint
from silhouette.rules.data.found import Parts
from silhouette.scenes.pieces import Piece

ROUND = 64
"""Straight pieces of a quarter of a circle: an inch round a base is right to 0.002 mm."""


def regions_of(several: Iterable[Parts], ends: tuple[Piece, Piece], piece: Callable[[str], Piece]) -> list[Region]:
    """The areas that count for lines from base to base; the pieces at their ends never do."""
    regions = []
    for parts in several:
        for name in parts.pieces:
            if name not in (ends[0].name, ends[1].name):
                regions.append(Region(name, _shape_of(piece(name), parts, ends)))
    return regions


def _shape_of(piece: Piece, parts: Parts, ends: tuple[Piece, Piece]) -> shapely.Geometry:
    shape = footprint(piece, parts.above) if parts.above > 0.0 else footprint(piece)
    if parts.within < MAX_LENGTH:
        shape = shapely.intersection(shape, shapely.buffer(base_shape(ends[1]), parts.within, quad_segs=ROUND))
    if parts.beyond > 0.0:
        near = shapely.union_all([shapely.buffer(base_shape(end), parts.beyond, quad_segs=ROUND) for end in ends])
        shape = shapely.difference(shape, near)
    return shape
