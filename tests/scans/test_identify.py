"""SCAN: a piece that may be several is settled by a known model that explains it, or taken apart by several."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.common.geometry import Flags, Floats
from silhouette.scans import identify as room
from silhouette.scans.classify import Blob, LabelledPieces
from silhouette.scans.identify import Surroundings, identify, without
from silhouette.scans.match import Match
from silhouette.scans.read import Scan
from tests.support.scanned import known

POINTS = np.column_stack([np.arange(100.0), np.zeros(100), np.zeros(100)])


def around() -> Surroundings:
    scan = Scan(Path("t.ply"), "ply", POINTS, np.zeros((0, 3), np.int32), None, None, np.ones(100, bool), "z", None)
    return Surroundings(scan, POINTS, 0.3, 1.0)


def several(kind: str) -> LabelledPieces:
    blob = Blob("fighter" if kind == "fighter" else "terrain", None, 0.0, None, True, False)
    return LabelledPieces(np.ones(100, np.int32), (blob,))


def explaining(share: float, *, sure: bool = True) -> Match:
    return Match(known(), (0.0, 0.0, 0.0), 0.0, 0.3, None, sure, 0.1, 0.5, first(share, 100))


def first(share: float, count: int) -> Flags:
    return np.arange(count) < share * count


@pytest.mark.parametrize("kind", ["fighter", "terrain"])
@pytest.mark.parametrize(("share", "sure", "settled"), [(0.9, True, True), (0.5, True, False), (1.0, False, False)])
def test_a_sure_model_that_explains_nearly_all_of_it_settles_that_it_is_one(
    kind: str, share: float, sure: bool, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([explaining(share, sure=sure)])
    monkeypatch.setattr(room, "match", lambda *_: next(answers, None))
    found = identify(several(kind), around(), [known()], [known()], lambda: None)
    assert len(found.blobs) == 1
    assert found.blobs[0].could_be_several is not settled


def test_what_the_first_figure_leaves_is_matched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def match(points: Floats, *_: object) -> Match:
        asked.append(len(points))
        return Match(known(), (0.0, 0.0, 0.0), 0.0, 0.3, None, True, 0.1, 0.5, first(0.5, len(points)))

    monkeypatch.setattr(room, "match", match)
    found = identify(several("fighter"), around(), [known()], [], lambda: None)
    assert asked == [100, 50, 25], "until what is left is less than a figure"
    assert [blob.could_be_several for blob in found.blobs] == [False] * 3
    assert all(blob.match is not None for blob in found.blobs)
    assert np.bincount(found.labels).tolist() == [0, 62, 25, 13]


def test_what_stood_on_a_piece_that_is_left_out_stands_on_the_table() -> None:
    crate = Blob("terrain", None, 0.0, None, False, True)
    figure = Blob("fighter", None, 25.0, 1, False, False)
    on_second = Blob("fighter", None, 25.0, 2, False, False)
    labels = np.array([0, 1, 2, 3, -1], np.int32)
    left = without(LabelledPieces(labels, (crate, figure, on_second)), [1])
    assert left.labels.tolist() == [0, -1, 1, 2, -1]
    assert [blob.on for blob in left.blobs] == [None, 1]
