"""SCAN: what stands on the table, piece by piece: terrain, and figures on their bases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Integers
from silhouette.scans.discs import Disc
from silhouette.scans.questions import Question


@dataclass(frozen=True)
class Blob:
    """One piece as it was scanned; its points are those that bear its number among the labels.

    Attributes:
        kind: fighter, or terrain, which everything is that does not look like a figure.
        disc: the base of a figure in mm, or None where none was seen.
        ground: mm, z of what it stands on.
        on: the number of the piece that it stands on, or None for the table.
        could_be_several: whether it may be more than one piece, grown together.
        is_odd: whether it does not look like a part of the game (a mug, a hand's edge, dice), so that one should ask.
        why: what speaks for its kind, or for several, in a few words for people.
    """

    kind: Literal["fighter", "terrain"]
    disc: Disc | None
    ground: float
    on: int | None
    could_be_several: bool
    is_odd: bool
    why: str = ""


@dataclass(frozen=True, eq=False)
class Pieces:
    """What stands on the table.

    Attributes:
        labels: (n,) int32 for each vertex of the scan: 0 the table, k the k-th piece (from 1; a figure's base belongs
            to it), -1 what belongs to nothing: loose specks, what lies beside or below the table.
        blobs: the pieces; the k-th bears the number k + 1.
        questions: such as whether two that touch are one.
    """

    labels: Integers
    blobs: tuple[Blob, ...]
    questions: tuple[Question, ...] = ()


Labels = NDArray[np.int32]
