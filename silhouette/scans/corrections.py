"""SCAN: what players say of pieces without being asked: another kind, left out, two that are one, one that is two.

Each is an answered question in the scene, as those are that a scan asks, with the place of the piece in its key and in
``at``. It is about the piece that stands nearest to that place, and about no other.

    key                answer
    piece at 12,40     a figure | terrain | no part of the game: leave it out
    join at 12,40      with 60,45            the piece that stands nearest there becomes a part of this one
    split at 12,40     along 10,30:14,50     what lies to the right of that line becomes a piece of its own
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean
from silhouette.scans.bases import Disc
from silhouette.scans.classify import Blob, LabelledPieces
from silhouette.scans.identify import Surroundings, match_of, without
from silhouette.scans.keep import ABOUT_JOIN, ABOUT_PIECE, ABOUT_SPLIT, SAME_PIECE_REACH, Earlier, EarlierPiece, kind_of
from silhouette.scans.models import KnownModel
from silhouette.scans.place import FIGURE_ANSWER, LEFT_OUT, TERRAIN_ANSWER, ScannedPiece, ScannedTable, origin_of

ANSWERS_ON_KIND = (FIGURE_ANSWER, TERRAIN_ANSWER, LEFT_OUT)  # what a piece can be said to be
FEWEST_OF_A_PART = 10  # points of each side of a line that parts a piece

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_PLACE_ANSWER = re.compile(f"with {_NUMBER},{_NUMBER}")
_LINE_ANSWER = re.compile(f"along {_NUMBER},{_NUMBER}:{_NUMBER},{_NUMBER}")


def kind_entry(name: str, place: Sequence[float], answer: str) -> dict[str, Any]:
    """The entry by which a scene says what the piece at a place (x, y in mm) is: one of `ANSWERS_ON_KIND`.

    >>> kind_entry("figure 2", (12.04, 40), "terrain")["key"]
    'piece at 12,40'
    """
    return {**_entry(ABOUT_PIECE, place, f"what is {name}?", answer), "answers": list(ANSWERS_ON_KIND)}


def join_entry(name: str, place: Sequence[float], other: Sequence[float]) -> dict[str, Any]:
    """The entry by which a scene says that the piece at another place is a part of that at a place."""
    return _entry(ABOUT_JOIN, place, f"is {name} one with another piece?", f"with {other[0]:.1f},{other[1]:.1f}")


def split_entry(name: str, place: Sequence[float], ends: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The entry by which a scene says that the piece at a place is two, on both sides of a line through two points."""
    written = ":".join(f"{end[0]:.1f},{end[1]:.1f}" for end in ends)
    return _entry(ABOUT_SPLIT, place, f"is {name} more than one piece?", f"along {written}")


PIECE_OPTION = "a figure, terrain, left out, called NAME, with NAME, or along X,Y:X,Y"
"""What can be said of a piece on the command line, in words."""


def earlier_with(table: ScannedTable, texts: Sequence[str]) -> Earlier:
    """What is kept for a table, with what a player says of its pieces, such as "figure 2=terrain" (`PIECE_OPTION`).

    Names are those that the pieces have on the table; ``called`` gives another one.

    Raises:
        RequestError: where nothing has such a name, or a text says none of these things.
    """
    entries, names = table.earlier.answers, dict[str, str]()
    for text in texts:
        name, _, what = (part.strip() for part in text.partition("="))
        piece, (word, _, rest) = _named(table, name), what.partition(" ")
        if word == "called" and rest:
            names[piece.name] = rest
            continue
        if what in (FIGURE_ANSWER, TERRAIN_ANSWER):
            entry = kind_entry(name, piece.at, what)
        elif what == "left out":
            entry = kind_entry(name, piece.at, LEFT_OUT)
        elif word == "with" and rest:
            entry = join_entry(name, piece.at, _named(table, rest).at)
        elif ends := _numbers(_LINE_ANSWER, what):
            entry = split_entry(name, piece.at, (ends[:2], ends[2:]))
        else:
            raise RequestError(f"--piece {text}: says nothing of a piece; write NAME={PIECE_OPTION}")
        entries = [*(other for other in entries if other["key"] != entry["key"]), entry]
    return _renamed(table.earlier.with_answers(entries), table, names)


def _named(table: ScannedTable, name: str) -> ScannedPiece:
    """The piece of a name; RequestError where there is none."""
    pieces = {piece.name: piece for piece in table.pieces}
    if name not in pieces:
        raise RequestError(f"--piece: nothing is called '{name}'; {did_you_mean(name, pieces)}")
    return pieces[name]


def _renamed(earlier: Earlier, table: ScannedTable, names: Mapping[str, str]) -> Earlier:
    """What is kept, with other names for some pieces, in the checks that name them too."""
    taken = [names.get(piece.name, piece.name) for piece in table.pieces]
    twice = next((name for name in names.values() if taken.count(name) > 1), None)
    if twice is not None:
        raise RequestError(f"--piece: two pieces would be called '{twice}'; give another name")
    before = {piece.name: piece for piece in earlier.pieces}
    pieces = {
        piece.name: replace(
            before.get(piece.name) or EarlierPiece(piece.name, piece.kind, np.array(piece.at), None, {}),
            name=names[piece.name],
        )
        for piece in table.pieces
        if piece.name in names
    }
    checks = [
        {key: names.get(str(value), value) if key in ("attacker", "target") else value for key, value in check.items()}
        for check in earlier.keys.get("check", ())
    ]
    keys = {**earlier.keys, **({"check": checks} if checks else {})}
    return replace(earlier, pieces=tuple(({**before, **pieces}).values()), keys=keys)


def _entry(kind: str, place: Sequence[float], text: str, answer: str) -> dict[str, Any]:
    x, y = float(place[0]), float(place[1])
    at = [round(x, 1), round(y, 1)]
    return {"key": f"{kind} at {x:.0f},{y:.0f}", "text": text, "at": at, "answer": answer}


def corrected(
    pieces: LabelledPieces, around: Surroundings, figures: Sequence[KnownModel], earlier: Earlier
) -> LabelledPieces:
    """The pieces as players have corrected them, in the order in which they have; ``figures`` are those looked for.

    What is about a place where no piece stands, or is written otherwise, changes nothing.
    """
    corrector = _Corrector(around, [figure for figure in figures if figure.model.kind != "vehicle"])
    for entry in earlier.answers:
        kind, answer, at = kind_of(str(entry["key"])), str(entry["answer"]), entry.get("at")
        if not isinstance(at, list) or kind not in (ABOUT_PIECE, ABOUT_JOIN, ABOUT_SPLIT):
            continue
        number = corrector.nearest(pieces, at)
        if number is None:
            continue
        if kind == ABOUT_PIECE and answer == LEFT_OUT:
            pieces = without(pieces, [number])
        elif kind == ABOUT_PIECE:
            pieces = corrector.of_kind(pieces, number, "fighter" if answer == FIGURE_ANSWER else "terrain")
        elif kind == ABOUT_JOIN and (place := _numbers(_PLACE_ANSWER, answer)):
            pieces = _joined(pieces, number, corrector.nearest(pieces, place))
        elif kind == ABOUT_SPLIT and (ends := _numbers(_LINE_ANSWER, answer)):
            pieces = corrector.split(pieces, number, ends)
    return pieces


def _numbers(pattern: re.Pattern[str], answer: str) -> list[float]:
    """The numbers of an answer; none where it is written otherwise."""
    whole = pattern.fullmatch(answer)
    return [] if whole is None else [float(number) for number in whole.groups()]


@dataclass(frozen=True)
class _Corrector:
    """Corrects pieces, of these points, which may be these figures."""

    around: Surroundings
    figures: Sequence[KnownModel]

    def nearest(self, pieces: LabelledPieces, place: Sequence[float]) -> int | None:
        """The number of the piece that stands at a place, or next to it."""
        stands = [
            origin_of(blob, self.around.points[pieces.labels == number])
            for number, blob in enumerate(pieces.blobs, start=1)
        ]
        gaps = [math.dist(at[:2], place[:2]) for at in stands]
        return 1 + int(np.argmin(gaps)) if gaps and min(gaps) <= SAME_PIECE_REACH else None

    def of_kind(self, pieces: LabelledPieces, number: int, kind: Literal["fighter", "terrain"]) -> LabelledPieces:
        """The pieces with one that is of a kind beyond question; of another one than before it is compared anew."""
        blob = pieces.blobs[number - 1]
        if blob.kind == kind:
            return _with(pieces, number, replace(blob, is_odd=False))
        own = np.flatnonzero(pieces.labels == number)
        return _with(pieces, number, self._compared(replace(blob, kind=kind), own, pieces.bases))

    def split(self, pieces: LabelledPieces, number: int, ends: Sequence[float]) -> LabelledPieces:
        """The pieces with one that is two; the one to the right of the line has the next number after all others."""
        own = np.flatnonzero(pieces.labels == number)
        x, y, u, v = ends
        offset = self.around.points[own, :2] - (x, y)
        right = (u - x) * offset[:, 1] - (v - y) * offset[:, 0] < 0.0
        if min(int(right.sum()), int((~right).sum())) < FEWEST_OF_A_PART:
            return pieces
        labels = pieces.labels.copy()
        labels[own[right]] = len(pieces.blobs) + 1
        blob = pieces.blobs[number - 1]
        left = _with(pieces, number, self._compared(blob, own[~right], pieces.bases))
        second = self._compared(blob, own[right], pieces.bases)
        return replace(left, labels=labels, blobs=(*left.blobs, second))

    def _compared(self, blob: Blob, own: NDArray[np.intp], bases: Sequence[Disc]) -> Blob:
        """A piece of these points, on the base that most of them stand over; a figure with the known one that it is."""
        away = [np.hypot(*(self.around.points[own, :2] - disc.centre).T) < 0.6 * disc.diameter for disc in bases]
        under = [disc for disc, near in zip(bases, away, strict=True) if near.mean() > 0.5]
        disc, ground = (under[0], under[0].ground) if under else (None, blob.ground)
        part = replace(blob, disc=disc, ground=ground, could_be_several=False, is_odd=False, why="", match=None)
        return replace(part, match=match_of(own, part, self.figures, self.around)) if part.kind == "fighter" else part


def _with(pieces: LabelledPieces, number: int, blob: Blob) -> LabelledPieces:
    """The pieces with another one at a number."""
    return replace(pieces, blobs=(*pieces.blobs[: number - 1], blob, *pieces.blobs[number:]))


def _joined(pieces: LabelledPieces, number: int, other: int | None) -> LabelledPieces:
    """The pieces with one that has become a part of another; what stood on it stands on that."""
    if other in (None, number):
        return pieces
    whole, part = pieces.blobs[number - 1], pieces.blobs[other - 1]
    blobs = [replace(blob, on=number) if blob.on == other else blob for blob in pieces.blobs]
    blobs[number - 1] = replace(
        whole,
        ground=min(whole.ground, part.ground),
        on=None if whole.on == other else whole.on,
        could_be_several=False,
        is_odd=False,
    )
    labels = np.where(pieces.labels == other, number, pieces.labels).astype(np.int32)
    return without(replace(pieces, labels=labels, blobs=tuple(blobs)), [other])
