"""SCAN: how many millimetres one unit of the file is, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from silhouette.scans.questions import Question

ScaleSource = Literal["given", "length", "units", "known models", "bases", "guess"]

BASES = (25.0, 28.5, 32.0, 40.0, 50.0, 60.0, 80.0, 100.0)
"""The diameters in mm of the round bases that are sold."""


@dataclass(frozen=True)
class Scale:
    """The scale of a scan.

    Attributes:
        mm: per unit of the file.
        source: how it is known.
        error: its standard deviation as a share of it, as far as that can be told.
        question: what to ask where it is not sure; always there for a guess.
        warnings: a sentence for each thing that the user should know, such as that the file's units are not plausible.
    """

    mm: float
    source: ScaleSource
    error: float
    question: Question | None = None
    warnings: tuple[str, ...] = ()
