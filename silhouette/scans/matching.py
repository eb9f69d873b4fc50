"""SCAN: which known model a scanned piece is, where it stands and how far it is turned."""

from __future__ import annotations

from dataclasses import dataclass

from silhouette.models.model import Model


@dataclass(frozen=True, eq=False)
class Known:
    """A mesh or model file to look for.

    Attributes:
        path: as the user gave it, or as the folder that was given names it.
        model: as loaded: mm, z up, standing on z = 0 with the middle of its base at the origin.
    """

    path: str
    model: Model


@dataclass(frozen=True, eq=False)
class Match:
    """A known model at the place of a scanned piece.

    Attributes:
        known: the model.
        at: x, y, z in mm on the table of the model's origin.
        turn: degrees anticlockwise from how the mesh lies in its frame.
        residual: root mean square in mm of the distances from the scanned points to the model's surface.
        runner_up: the residual of the next best model, or None with one model alone.
        sure: whether this is the right model in the right pose beyond reasonable doubt.
        place: mm, standard deviation of the place.
        facing: degrees, standard deviation of the turn.
    """

    known: Known
    at: tuple[float, float, float]
    turn: float
    residual: float
    runner_up: float | None
    sure: bool
    place: float
    facing: float
