"""JUDGE: trials of a scene, in each of which its pieces stand where they may stand in truth, by Sobol points, scrambled
eight times. How far a piece may lie from the truth is given as standard deviations. An eye that is estimated, and may
be at several places, is at each of them in as many trials as that is likely.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import scipy

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats
from silhouette.common.lazy import cached_property
from silhouette.files.cache import UNCACHED, Cache
from silhouette.rules.abilities import HasOdds
from silhouette.scenes.entries import DoubtEntry
from silhouette.scenes.places import Move
from silhouette.scenes.table import Piece, TableScene

# ---- the doubt of each piece

Source = Literal["place", "facing", "eye", "surface"]  # "surface": its outline
UNSAID = DoubtEntry(place=1.0, facing=2.0)  # a millimetre, two degrees (contract, section 9)
# x, y; an angle; x, y, z of the model; one.
DRAWN_AXES: dict[Source, int] = {"place": 2, "facing": 1, "eye": 3, "surface": 1}
EYE_PLACE = DRAWN_AXES["eye"]  # the axis of "eye" that draws at which of the places where an estimated eye may be it is


@dataclass(frozen=True)
class Deviation:
    """One number that each trial draws: what of a piece is off, along which of its `DRAWN_AXES` (or `EYE_PLACE`), and
    the standard deviation, mm or degrees, above 0; 1 of `EYE_PLACE`.
    """

    piece: str
    source: Source
    axis: int
    size: float


def doubt_of(scene: TableScene) -> DoubtEntry:
    """The doubt of a scene: as its file says, else `UNSAID`."""
    return UNSAID if scene.doubt is None else scene.doubt


def deviations(scene: TableScene) -> tuple[Deviation, ...]:
    """The numbers that every trial of a scene draws, in the order of its pieces; none where nothing is in doubt.

    Behind them, one for each piece of which an estimated eye may be at several places.
    """
    given = [
        Deviation(piece.name, source, axis, size)
        for piece in scene.pieces
        for source, size in _of_piece(piece, doubt_of(scene))
        for axis in range(DRAWN_AXES[source])
    ]
    return (*given, *(Deviation(name, "eye", EYE_PLACE, 1.0) for name in _eyes_of(scene)))


def assumed(scene: TableScene) -> dict[Source, tuple[float, float]]:
    """The least and the greatest standard deviation, mm or degrees, of each thing that trials of a scene draw; nothing
    where nothing is in doubt. That an estimated eye may be at several places is not among them.
    """
    sizes: dict[Source, list[float]] = {}
    for deviation in deviations(scene):
        if deviation.source != "eye" or deviation.axis != EYE_PLACE:
            sizes.setdefault(deviation.source, []).append(deviation.size)
    return {source: (min(sizes[source]), max(sizes[source])) for source in sizes}


@dataclass(frozen=True, eq=False)
class _Eyes:
    """The places where the estimated eye of a piece may be."""

    # By how much each lies elsewhere than where it looks from, mm along the axes of its model
    shifts: Sequence[Sequence[float]]
    # The standard normal numbers at which one ends and the next begins: each is drawn as often as it is likely, all of
    # them together being sure
    borders: Sequence[float]

    def at(self, number: float) -> Sequence[float]:
        """The shift of the place that a standard normal number draws."""
        return self.shifts[bisect_right(self.borders, number)]


def _eyes_of(scene: TableScene) -> dict[str, _Eyes]:
    """The eyes that may be at several places, by the names of their pieces."""
    eyes = dict[str, _Eyes]()
    for piece in scene.pieces:
        places = piece.with_eye_for(None).eye_shifts
        if len(places) > 1:
            shares = np.cumsum([likelihood for _, likelihood in places])
            borders = map(NormalDist().inv_cdf, (shares[:-1] / shares[-1]).tolist())
            eyes[piece.name] = _Eyes([shift.tolist() for shift, _ in places], list(borders))
    return eyes


def _of_piece(piece: Piece, doubt: DoubtEntry) -> Iterator[tuple[Source, float]]:
    """The standard deviations of a piece that are above 0: its own before the scene's, key by key. Terrain stands where
    it stands unless it says so itself; it has no eye. Where nobody knows where a piece faces, that is not drawn
    (contract, section 3). Only what is a scan's has a doubtful surface.
    """
    own = piece.doubt
    for source in DRAWN_AXES:
        given = None if own is None else getattr(own, source)
        size = given if given is not None else getattr(doubt, source) or 0.0
        stays = piece.kind == "terrain" and (source == "eye" or given is None)
        if source == "surface":
            stays = not piece.model.scan
        if source == "facing" and piece.kind != "terrain":
            stays = piece.facing is None
        if size > 0.0 and not stays:
            yield source, size


# ---- trials

SCRAMBLINGS = 8  # independent scramblings of the Sobol points: what differs between them is the error of the odds
MAX_TRIALS = 256  # the trials of each scrambling, at most; a power of two, as balanced nets of Sobol points are
COORDINATES = 16  # points have a multiple of so many, of which a scene takes the first: scenes share what is cached
# Numbers of a trial: a multiple of `COORDINATES`; scipy's Sobol points have one coordinate more.
MAX_DRAWN_NUMBERS = 21_200
# No number is drawn that lies farther from 0, in standard deviations: a Sobol point may lie at 0 itself.
MAX_DRAWN_DEVIATIONS = 8.0


@dataclass(frozen=True, eq=False)
class Trials:
    """The trials of a scene, the same for all of its checks, by a seed; the cache keeps what is drawn."""

    scene: TableScene
    rule: HasOdds[Any]
    seed: int = 0
    cache: Cache = UNCACHED

    @cached_property
    def deviations(self) -> tuple[Deviation, ...]:
        """What is drawn in each trial."""
        return deviations(self.scene)

    @cached_property
    def eyes(self) -> Mapping[str, _Eyes]:
        """The eyes that may be at several places, by the names of their pieces."""
        return _eyes_of(self.scene)

    @cached_property
    def drawn(self) -> Floats:
        """(SCRAMBLINGS, MOST, d) standard normal numbers, one for each deviation. RequestError if d is too many."""
        many = len(self.deviations)
        if many > MAX_DRAWN_NUMBERS:
            raise RequestError(
                f"{self.scene.path}: {many} numbers are in doubt, and odds draw {MAX_DRAWN_NUMBERS} at most; say "
                "doubt = { place = 0, facing = 0 } in pieces that play no part"
            )
        return _normal(many, self.seed, self.cache)

    @cached_property
    def measuring(self) -> Floats:
        """(SCRAMBLINGS, MOST) standard normal numbers, for the error of measuring."""
        return _normal(1, self.seed, self.cache)[:, :, 0]

    def scenes(self, start: int, stop: int, scramblings: slice) -> list[TableScene]:
        """The scenes of the trials of some scramblings from ``start`` to ``stop``, scrambling after scrambling."""
        return self.scenes_of(self.drawn[scramblings, start:stop].reshape(-1, len(self.deviations)))

    def scenes_of(self, drawn: Floats) -> list[TableScene]:
        """The scene of each trial, for the standard normal numbers (n, d) that are drawn in it."""
        sizes = np.array([deviation.size for deviation in self.deviations])
        return [self.rule.moved(self.scene, self._moves(numbers)) for numbers in (drawn * sizes).tolist()]

    def _moves(self, numbers: Sequence[float]) -> dict[str, Move]:
        """The moves of the pieces for the numbers drawn in one trial, mm and degrees."""
        drawn: dict[str, dict[Source, list[float]]] = {}
        shifts: dict[str, Sequence[float]] = {}
        for deviation, number in zip(self.deviations, numbers, strict=True):
            of_piece = drawn.setdefault(deviation.piece, {})
            if deviation.axis == EYE_PLACE:
                shifts[deviation.piece] = self.eyes[deviation.piece].at(number)
            else:
                of_piece.setdefault(deviation.source, []).append(number)
        return {name: _move(of_piece, shifts.get(name, (0.0, 0.0, 0.0))) for name, of_piece in drawn.items()}


def _move(drawn: dict[Source, list[float]], shift: Sequence[float]) -> Move:
    """The move of a piece for the numbers drawn, with its eye besides at a place that lies so far elsewhere."""
    x, y = drawn.get("place", (0.0, 0.0))
    (turn,), (outline,) = drawn.get("facing", (0.0,)), drawn.get("surface", (0.0,))
    right, ahead, up = (sum(parts) for parts in zip(drawn.get("eye", (0.0, 0.0, 0.0)), shift, strict=True))
    return Move((x, y, 0.0), turn, (right, ahead, up), outline)


def _normal(size: int, seed: int, cache: Cache) -> Floats:
    """(SCRAMBLINGS, MOST, size) standard normal numbers, from Sobol points."""
    if not size:
        return np.zeros((SCRAMBLINGS, MAX_TRIALS, 0))
    coordinates = COORDINATES * ceil(size / COORDINATES)
    key = (
        f"Sobol points as normal numbers, scipy {scipy.__version__}: {SCRAMBLINGS}, {MAX_TRIALS}, {coordinates}, {seed}"
    )
    numbers: Floats = cache.fetch(key, lambda: {"numbers": _sobol(coordinates, seed)})["numbers"]
    return numbers[:, :, :size]


def _sobol(coordinates: int, seed: int) -> Floats:
    """(SCRAMBLINGS, MOST, coordinates) standard normal numbers."""
    randoms = np.random.default_rng(seed).spawn(SCRAMBLINGS)
    points = np.stack([scipy.stats.qmc.Sobol(coordinates, seed=random).random(MAX_TRIALS) for random in randoms])
    numbers: Floats = np.clip(scipy.special.ndtri(points), -MAX_DRAWN_DEVIATIONS, MAX_DRAWN_DEVIATIONS)
    return numbers
