"""SCAN: how large what was scanned is, and at which scales that is plausible for games."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats
from silhouette.scans.levelling import Level
from silhouette.scans.reading import Scan

EDGES = (150.0, 4000.0)  # edges in mm that a table for games may have: from a dice tray to a club's longest
WIDTHS = (30.0, 2000.0)  # widths in mm of a thing scanned without a table: from one figure to a whole board of terrain
TALLEST = 600.0  # height in mm of the tallest things on a table for games

ABSURD = (100.0, 10_000.0)
"""A table with edges beyond these, in mm, is refused even when the user says so: a slip of a unit."""

TABLES = (600, 610, 700, 762, 800, 900, 914, 1000, 1118, 1120, 1200, 1219, 1220, 1524, 1800, 1829)
"""Edges in mm that tables, boards and mats for games often have."""


@dataclass(frozen=True)
class There:
    """How large what was scanned is in the file's units: edges along x and y, and the height of the tallest on it."""

    edges: tuple[float, float]
    height: float
    spacing: float
    table: bool

    @classmethod
    def of(cls, scan: Scan, level: Level) -> There:
        """As a levelled scan shows it."""
        points = levelled(scan, level)[scan.usable]
        low, high = np.percentile(points, [0.1, 99.9], axis=0)
        edges = level.size or (float(high[0] - low[0]), float(high[1] - low[1]))
        return cls(edges, max(float(high[2]), 0.0), level.spacing, level.size is not None)

    def words(self, mm: float) -> str:
        """What it is at a scale."""
        x, y = (edge * mm for edge in self.edges)
        if self.table:
            return f"the table is {x:.0f} x {y:.0f} mm"
        return f"it is {x:.0f} x {y:.0f} mm wide and {self.height * mm:.0f} mm tall"

    def limits(self) -> tuple[float, float]:
        """The least and the largest scale at which it has a size for games."""
        least, most = EDGES if self.table else WIDTHS
        tallest = TALLEST / self.height if self.height > 0 else math.inf
        return least / max(min(self.edges), 1e-300), min(most / max(*self.edges, 1e-300), tallest)

    def plausible(self, mm: float) -> bool:
        """Whether it has a size for games at a scale."""
        least, most = self.limits()
        return least <= mm <= most

    def checked(self, mm: float, by: str) -> tuple[str, ...]:
        """What to warn of at a scale that the user gave by an option.

        Raises:
            RequestError: for no positive number, a table smaller than 10 cm, or anything below 1 mm or above 10 m.
        """
        if not (math.isfinite(mm) and mm > 0):
            raise RequestError(f"{by} gives {mm:g} mm per unit of the file; a scale is a number above 0")
        if not (ABSURD[0] if self.table else 1.0) <= max(self.edges) * mm <= ABSURD[1]:
            x, y = (edge * mm / 10 for edge in self.edges)
            what = "the table" if self.table else "what was scanned"
            raise RequestError(
                f"by {by} {what} would be {x:.3g} x {y:.3g} cm; a scale is how many mm one unit of the file is"
            )
        return () if self.plausible(mm) else (f"By {by} {self.words(mm)}, which is unusual.",)

    def likeness(self, mm: float) -> float:
        """The logarithm of how usual it is at a scale: of a table's edges, and of how close a phone's points lie."""
        usual = -0.5 * (math.log(max(self.edges) * mm / (850 if self.table else 150)) / 0.6) ** 2
        close = -0.5 * math.log(max(self.spacing * mm, 1e-9) / 1.7) ** 2
        if not self.table:
            return usual + close
        off = np.abs(np.log(np.multiply.outer(np.array(self.edges) * mm, 1 / np.array(TABLES)))).min(axis=1)
        return usual + close + float(np.log1p(4 * np.exp(-0.5 * (off / 0.006) ** 2)).sum())

    def common(self, mm: float) -> bool:
        """Whether both edges are among those that tables often have, within 1 %."""
        edges = np.array(self.edges) * mm
        return self.table and bool((np.abs(np.log(edges[:, None] / TABLES)).min(axis=1) < 0.01).all())


def levelled(scan: Scan, level: Level) -> Floats:
    """The vertices (n, 3) of a scan in its levelled frame, in the file's unit."""
    return np.asarray(scan.vertices @ level.to_level[:3, :3].T + level.to_level[:3, 3])
