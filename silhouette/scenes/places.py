"""PLACE: where one model could stand on its table, thousands of places at once, and the scene with it at one of them.

points in plan -> heights -> whether it stands -> the scene with it there
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.scenes.moved import Move
from silhouette.scenes.scene import Scene
from silhouette.scenes.standing import Standing
from silhouette.scenes.table import Piece, TableScene


class Places(Protocol):
    """Where one model of a scene could stand, with everyone else where they are; what games give for maps.

    Attributes:
        table: (2, 2) mm, the least and the greatest x and y of the table's top.
        start: (2,) mm, where it stands now.
    """

    @property
    def table(self) -> Floats:
        """See the class."""

    @property
    def start(self) -> Floats:
        """See the class."""

    def prepare(self) -> None:
        """Works out now what all points share, so that processes forked from this one need not do it again."""

    def heights(self, points: Floats, under: float | None) -> Floats:
        """(q,) mm: the heights of its place where it is lowered at points (q, 2); -inf where nothing is to stand on.

        Args:
            points: mm.
            under: mm; nothing higher than this counts to stand on.
        """

    def stands(self, points: Floats, heights: Floats) -> Flags:
        """(q,) whether it stands at points (q, 2), lowered to ``heights`` (q,); both mm."""

    def boxes(self, points: Floats, heights: Floats) -> Floats:
        """(q, 8, 3) mm: the corners of the box round what is measured of it at each point, turned as it stands now."""

    def facing_to(self, point: Floats, other: str) -> float | None:
        """The direction from a point (2,) to another piece, degrees anticlockwise from +x; None where it has none."""

    def scene_at(self, point: Floats, height: float, facing: float | None = None) -> Any:
        """The scene with it at a point (2,) and a height, mm; facing as before, or in a direction in degrees."""


class TablePlaces:
    """`Places` of a piece of a table.

    Args:
        scene: where it stands.
        piece: the piece.
        moved: gives the scene with pieces moved, as `silhouette.scenes.moved.moved` does.
        origin: (2,) mm, where the scene file says that it stands; by default its model's own origin.
        turns: whether it can face another way.
    """

    def __init__(
        self,
        scene: TableScene,
        piece: Piece,
        moved: Callable[[Any, Mapping[str, Move]], Scene],
        origin: Floats | None = None,
        *,
        turns: bool = True,
    ) -> None:
        self._scene, self._piece, self._moved, self._turns = scene, piece, moved, turns
        self._standing = Standing(scene.pieces, piece)
        self.start = piece.pose.translation[:2] if origin is None else origin
        self._offset = piece.pose.translation[:2] - self.start
        self._lift = float(self._standing.there(np.zeros(2), 0.0).pose.translation[2])

    @property
    def table(self) -> Floats:
        """See `Places`."""
        return self._scene.table_top

    def prepare(self) -> None:
        """See `Places`."""
        self._standing.prepare()

    def heights(self, points: Floats, under: float | None) -> Floats:
        """See `Places`."""
        return self._standing.heights(points + self._offset, under) + self._lift

    def stands(self, points: Floats, heights: Floats) -> Flags:
        """See `Places`."""
        return self._standing.stands(points + self._offset, heights - self._lift)

    def boxes(self, points: Floats, heights: Floats) -> Floats:
        """See `Places`."""
        by = np.column_stack([points - self.start, heights - self._piece.pose.translation[2]])
        boxes: Floats = self._piece.body_box + by[:, None]
        return boxes

    def facing_to(self, point: Floats, other: str) -> float | None:
        """See `Places`."""
        if not self._turns:
            return None
        x, y = self._scene.piece(other).base_centre - point
        return float(np.degrees(np.arctan2(y, x)))

    def scene_at(self, point: Floats, height: float, facing: float | None = None) -> Scene:
        """See `Places`."""
        x, y = point - self.start
        by = (float(x), float(y), height - float(self._piece.pose.translation[2]))
        if facing is None:
            return self._moved(self._scene, {self._piece.name: Move(by)})
        move = Move(by, (facing - self._piece.ahead + 180.0) % 360.0 - 180.0, faces=True)
        return self._moved(self._scene, {self._piece.name: move})
