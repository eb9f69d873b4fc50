"""How well a scan was understood: what `silhouette scan` wrote is held against the truth.

The document is that of scan.json, the labels those of labels.npy, as the contract has them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats, Integers
from tests.support.scan_truth import TruePiece, Truth

FOUND = 3.0
"""mm: a figure is found where a figure's base was put no further from its own."""

APART = 0.75
"""A thing counts as found where its points and those of one piece have this intersection over union."""


@dataclass(frozen=True)
class FigureScore:
    """What became of one figure.

    Attributes:
        name: of the figure, and ``standing``: isolated, touching, on terrain or at a wall.
        piece: the name of the piece of the scan that it is, or None.
        off: mm, from its base's centre to that of the nearest figure of the scan; inf without any.
        found: whether that is at most `FOUND`, and the scan's figure is no other's.
        flagged: whether the piece that has most of its points could be several, as the scan says.
        named: whether the model is right; None where none was named.
        sure: whether the scan is sure of the model.
        turned: degrees between the turn and the true one; None where the model is not right, or not sure: what stands
            there is then what was scanned.
    """

    name: str
    standing: str
    piece: str | None
    off: float
    found: bool
    flagged: bool
    named: bool | None
    sure: bool
    turned: float | None


@dataclass(frozen=True)
class Score:
    """What became of one scan.

    Attributes:
        tilt, height: degrees and mm between the table's plane and the true one, height at the table's middle.
        scale: the share by which the scale is wrong, and ``scale_from`` how it was known.
        asked: whether there is a question about the scale.
        figures: one score for each true figure.
        extra: the names of figures of the scan where none stands.
        terrain: the share of the points of terrain that are right, nan without terrain.
        apart: the share of the true things' points that belong to things found (`APART`), and ``things``, the share of
            the things.
    """

    tilt: float
    height: float
    scale: float
    scale_from: str
    asked: bool
    figures: tuple[FigureScore, ...]
    extra: tuple[str, ...]
    terrain: float
    apart: float
    things: float
    questions: tuple[str, ...] = field(default=())


def score(truth: Truth, document: Mapping[str, Any], labels: Integers, true_labels: Integers) -> Score:
    """How well a scan was understood; both labels have one entry for each vertex as stored."""
    found = np.array(document["to_table"], dtype=np.float64).reshape(4, 4)
    # From the scan's table to the true one. Its scale is what the scale is wrong by.
    across = truth.to_table @ np.linalg.inv(found)
    upward = across[:3, 2] / np.linalg.norm(across[:3, 2])
    middle = np.linalg.solve(across, [0.0, 0.0, 0.0, 1.0])
    things, points = _apart(labels, true_labels)
    texts = tuple(str(question) for question in document.get("questions", ()))
    figures, extra = _figures(truth, document, across, labels, true_labels)
    return Score(
        tilt=math.degrees(math.acos(min(1.0, abs(float(upward[2]))))),
        height=abs(float(middle[2])),
        scale=abs(document["scale"] / truth.unit - 1.0),
        scale_from=document["scale_from"],
        asked=any(re.search(r"How large|unit", text) for text in texts),
        figures=figures,
        extra=extra,
        terrain=_terrain(truth, labels, true_labels),
        apart=points,
        things=things,
        questions=texts,
    )


def _figures(
    truth: Truth, document: Mapping[str, Any], across: Floats, labels: Integers, true_labels: Integers
) -> tuple[tuple[FigureScore, ...], tuple[str, ...]]:
    pieces = document["pieces"]
    scanned = [(number, piece) for number, piece in enumerate(pieces, 1) if piece["kind"] == "fighter"]
    places = [across[:3, :3] @ np.array(piece["at"], dtype=float) + across[:3, 3] for _, piece in scanned]
    turn = math.degrees(math.atan2(across[1, 0], across[0, 0]))
    partner = _partners([np.array(figure.at) for figure in truth.figures], places)
    scores = []
    for number, figure in enumerate(truth.figures):
        other = partner.get(number)
        off = min((math.dist(figure.at, place) for place in places), default=math.inf)
        piece = None if other is None else scanned[other][1]
        mine = labels[true_labels == truth.pieces.index(figure) + 1]
        mine = mine[mine > 0]
        owner = pieces[int(np.bincount(mine).argmax()) - 1] if len(mine) else None
        scores.append(_figure_score(figure, truth.standing(figure), piece, off, owner, turn))
    taken = {scanned[other][1]["name"] for other in partner.values()}
    return tuple(scores), tuple(piece["name"] for _, piece in scanned if piece["name"] not in taken)


def _figure_score(
    figure: TruePiece,
    standing: str,
    piece: Mapping[str, Any] | None,
    off: float,
    owner: Mapping[str, Any] | None,
    turn: float,
) -> FigureScore:
    model = None if piece is None else piece.get("model")
    match = None if piece is None else piece.get("match")
    named = None if model is None else Path(model).stem == figure.mesh
    turned = None
    if piece is not None and named and match and match["sure"]:
        turned = abs((piece["turn"] + turn - figure.turn + 180.0) % 360.0 - 180.0)
    return FigureScore(
        name=figure.name,
        standing=standing,
        piece=None if piece is None else piece["name"],
        off=off,
        found=piece is not None,
        flagged=owner is not None and bool(owner["could_be_several"]),
        named=named,
        sure=bool(match and match["sure"]),
        turned=turned,
    )


def _partners(wanted: Sequence[Floats], places: Sequence[Floats]) -> dict[int, int]:
    """Which place each wanted one has, none further than `FOUND`, the nearest first."""
    near = sorted(
        (math.dist(one, place), number, other)
        for number, one in enumerate(wanted)
        for other, place in enumerate(places)
        if math.dist(one, place) <= FOUND
    )
    partner: dict[int, int] = {}
    for _, number, other in near:
        if number not in partner and other not in partner.values():
            partner[number] = other
    return partner


def _terrain(truth: Truth, labels: Integers, true_labels: Integers) -> float:
    """The share of the points of true terrain that bear the label of the piece that this terrain is.

    That is the piece with most of its points, where more than half of what the piece has is this terrain.
    """
    numbers = [number for number, piece in enumerate(truth.pieces, 1) if piece.kind == "terrain"]
    table = _together(labels, true_labels)
    right = sum(int(table[number].max()) for number in numbers if _is_mutual(table, number))
    total = sum(int((true_labels == number).sum()) for number in numbers)
    return right / total if total else math.nan


def _is_mutual(table: Integers, number: int) -> bool:
    """Whether more than half of the piece that has most points of a true one are points of that one."""
    if number >= len(table) or not table[number].any():
        return False
    column = int(table[number].argmax())
    return bool(2 * table[number, column] > table[1:, column].sum())


def _together(labels: Integers, true_labels: Integers) -> Integers:
    """(true + 1, scanned + 1): how many points a true piece and a scanned one have in common; column 0 is empty."""
    both = (true_labels >= 0) & (labels >= 0)
    shape = max(int(true_labels.max(initial=0)), 0) + 1, max(int(labels.max(initial=0)), 0) + 1
    table = np.zeros(shape, np.int64)
    np.add.at(table, (true_labels[both], labels[both]), 1)
    table[:, 0] = 0
    return table


def _apart(labels: Integers, true_labels: Integers) -> tuple[float, float]:
    """The share of the true things, and of their points, that one piece has with `APART`."""
    tells = true_labels >= 0
    table = _together(labels, true_labels)
    of_true = np.bincount(true_labels[tells], minlength=len(table))
    of_scanned = np.bincount(labels[tells & (labels >= 0)], minlength=table.shape[1])
    union = of_true[:, None] + of_scanned[None] - table
    overlap = (table / np.maximum(union, 1)).max(axis=1)
    there = (np.arange(len(table)) > 0) & (of_true > 0)
    if not there.any():
        return math.nan, math.nan
    good = there & (overlap > APART)
    return float(good.sum() / there.sum()), float(of_true[good].sum() / of_true[there].sum())


@dataclass(frozen=True)
class PairScore:
    """A verdict in the true scene and in the scan's; ``scanned`` is None where a figure was not found.

    ``call`` is what stands by the odds in the scan's scene; None where nobody asked for odds.
    """

    attacker: str
    target: str
    true: str
    true_share: float
    scanned: str | None
    scanned_share: float | None
    known: bool
    call: str | None = None

    @property
    def same(self) -> bool:
        return self.true == self.scanned


def compare_verdicts(
    rows: Sequence[Mapping[str, Any]],
    scanned: Sequence[Mapping[str, Any]],
    figures: Sequence[FigureScore],
    unknown: Sequence[str] = (),
) -> list[PairScore]:
    """The verdicts of the true scene beside those of the scan's scene.

    Args:
        rows: of `silhouette.matrix` for the true scene.
        scanned: the same for the scan's scene, with or without odds.
        figures: which piece of the scan each figure is.
        unknown: the pieces of the scan of which the facing is not known, and asked for.
    """
    names = {figure.name: figure.piece for figure in figures if figure.piece is not None}
    found = {(row["attacker"], row["target"]): row for row in scanned}
    pairs = []
    for row in rows:
        key = names.get(row["attacker"]), names.get(row["target"])
        other = found.get(key)
        pairs.append(
            PairScore(
                row["attacker"],
                row["target"],
                row["verdict"],
                row["occluded"],
                None if other is None else other["verdict"],
                None if other is None else other["occluded"],
                key[0] not in unknown,
                None if other is None else other.get("call"),
            )
        )
    return pairs
