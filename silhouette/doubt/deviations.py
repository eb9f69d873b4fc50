"""DOUBT: how far each piece of a scene may lie from the truth, as standard deviations.

``[doubt]`` of the scene, ``doubt`` of its pieces -> Deviation, one for each number that a trial draws
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from silhouette.scenes.doubt import DoubtEntry
from silhouette.scenes.table import Piece, TableScene

Source = Literal["place", "facing", "eye", "surface"]
"""What may be off: where a piece stands, where it faces, where its eye is, where its outline lies."""

UNSAID = DoubtEntry(place=1.0, facing=2.0)
"""The doubt of a scene that says nothing of it (contract, section 9): a millimetre, two degrees."""

AXES: dict[Source, int] = {"place": 2, "facing": 1, "eye": 3, "surface": 1}
"""The numbers that each source draws for a piece: x and y; an angle; x, y and z of the model; one."""


@dataclass(frozen=True)
class Deviation:
    """One number that every trial draws.

    Attributes:
        piece: the name of the piece that it is about.
        source: what may be off.
        axis: which of its `AXES`.
        size: the standard deviation, mm or degrees, above 0.
    """

    piece: str
    source: Source
    axis: int
    size: float


def doubt_of(scene: TableScene) -> DoubtEntry:
    """The doubt of a scene: as its file says, else `UNSAID`."""
    return UNSAID if scene.doubt is None else scene.doubt


def deviations(scene: TableScene) -> tuple[Deviation, ...]:
    """The numbers that every trial of a scene draws, in the order of its pieces; none where nothing is in doubt."""
    return tuple(
        Deviation(piece.name, source, axis, size)
        for piece in scene.pieces
        for source, size in _of_piece(piece, doubt_of(scene))
        for axis in range(AXES[source])
    )


def _of_piece(piece: Piece, doubt: DoubtEntry) -> Iterator[tuple[Source, float]]:
    """The standard deviations of a piece that are above 0.

    Its own go before the scene's, key by key. Terrain stands where it stands unless it says so itself; it has no eye.
    Where nobody knows where a piece faces, that is not drawn (contract, section 3). Only what is a scan's has a
    doubtful surface.
    """
    own = piece.doubt
    for source in AXES:
        given = None if own is None else getattr(own, source)
        size = given if given is not None else getattr(doubt, source) or 0.0
        stays = piece.kind == "terrain" and (source == "eye" or given is None)
        if source == "surface":
            stays = not piece.model.scan
        if source == "facing" and piece.kind != "terrain":
            stays = piece.facing is None
        if size > 0.0 and not stays:
            yield source, size
