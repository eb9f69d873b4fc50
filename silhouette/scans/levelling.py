"""SCAN: the plane of the table, which side of it is up, and its edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Floats
from silhouette.scans.questions import Question


@dataclass(frozen=True, eq=False)
class Level:
    """How a scan lies, in the file's units.

    The levelled frame has z up and the table's top at z = 0, the origin at the middle of the table, x along its longer
    edge. Without a table: what the scan stands on at z = 0, the origin at the middle of the box round it.

    Attributes:
        to_level: (4, 4) float64, rigid, from the file's coordinates to the levelled frame; its unit is the file's.
        size: lengths of the table's edges along x and y, or None where there is no table.
        tilt: degrees between the plane's normal and the axis that the file has up.
        flatness: standard deviation of the table's slow unevenness (over more than a few centimetres).
        noise: standard deviation of its surface about that: the scan's noise.
        spacing: the median distance between neighbouring points.
        on_table: (n,) bool, vertices of the table's surface; none without a table.
        questions: what could not be told, such as which side is up.
    """

    to_level: Floats
    size: tuple[float, float] | None
    tilt: float
    flatness: float
    noise: float
    spacing: float
    on_table: NDArray[np.bool_]
    questions: tuple[Question, ...] = ()
