"""SCAN: what players say of pieces without being asked is done each time a scan is read, and reads nothing anew."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.scans import scan as scanning
from silhouette.scans.classify import Blob, LabelledPieces
from silhouette.scans.corrections import corrected, earlier_with, join_entry, kind_entry, split_entry
from silhouette.scans.identify import Surroundings
from silhouette.scans.keep import Earlier, earlier_run
from silhouette.scans.place import FIGURE_ANSWER, LEFT_OUT, TERRAIN_ANSWER
from silhouette.scans.read import Scan
from silhouette.scans.scan import ScanRequest, recognised
from silhouette.scans.write import record_of, write_folder
from tests.support.scanned import DISC, scanned_table, surfaces

FIGURE_AT, CRATE_AT = (70.0, -30.0), (-60.0, 20.0)
SCAN = Path(__file__).resolve().parents[2] / "scenes" / "scans" / "gang_table.glb"


def after(*said: Mapping[str, Any], bases: bool = True) -> list[tuple[str, float | None, int]]:
    """The figure and the crate as corrected: of each piece its kind, the diameter of its base, how many points it has.

    Points are put on a grid over both, since a crate has eight.
    """
    vertices, faces, labels = surfaces()
    chance = np.random.default_rng(0)
    over = [chance.uniform([x - 11, y - 9, 1], [x + 11, y + 9, 20], (400, 3)) for x, y in (FIGURE_AT, CRATE_AT)]
    points = np.vstack([vertices, *over])
    labels = np.concatenate([labels, np.full(400, 1, np.int32), np.full(400, 2, np.int32)])
    scan = Scan(Path("t.ply"), "ply", points / 1000.0, faces, None, None, np.ones(len(points), bool), "z", None)
    blobs = (Blob("fighter", DISC, 0.0, None, True, False), Blob("terrain", None, 0.0, None, False, False))
    pieces = LabelledPieces(labels.astype(np.int32), blobs, (DISC,) if bases else ())
    earlier = Earlier(answers_by_key={str(one["key"]): one for one in said})
    around = Surroundings(scan, points, 0.3, 1.2)
    left = corrected(pieces, around, (), earlier)
    counts = [int((left.labels == number).sum()) for number in range(1, len(left.blobs) + 1)]
    return [
        (blob.kind, blob.disc and blob.disc.diameter, count) for blob, count in zip(left.blobs, counts, strict=True)
    ]


WHOLE = after()


def test_a_piece_is_what_is_said_of_it() -> None:
    assert after(kind_entry("crate", CRATE_AT, FIGURE_ANSWER))[1] == ("fighter", None, WHOLE[1][2])
    assert after(kind_entry("figure 1", FIGURE_AT, TERRAIN_ANSWER))[0] == ("terrain", 25.1, WHOLE[0][2])
    assert after(kind_entry("crate", CRATE_AT, LEFT_OUT)) == WHOLE[:1]


def test_a_piece_is_two_on_both_sides_of_a_line_and_one_again() -> None:
    split = split_entry("crate", CRATE_AT, [(-60.0, 0.0), (-60.0, 50.0)])
    left, right = after(split)[1:]
    assert left[2] + right[2] == WHOLE[1][2]
    assert min(left[2], right[2]) > 150
    (kind, base, count), *rest = after(split, join_entry("crate", (-66.0, 20.0), (-54.0, 20.0)))[1:]
    assert (kind, base, count, rest) == ("terrain", None, WHOLE[1][2], [])


def test_a_part_that_stands_over_a_base_has_that_base() -> None:
    halves = after(split_entry("figure 1", FIGURE_AT, [(70.0, -60.0), (70.0, 0.0)]))
    assert [base for _, base, _ in halves] == [25.1, None, 25.1], "each half lies over it by more than half"


@pytest.mark.parametrize(
    "said",
    [
        kind_entry("nobody", (0.0, 0.0), LEFT_OUT),
        split_entry("crate", CRATE_AT, [(-60.0, 90.0), (60.0, 90.0)]),
        {**split_entry("crate", CRATE_AT, [(0, 0), (1, 1)]), "answer": "in two"},
        join_entry("crate", CRATE_AT, CRATE_AT),
        {"key": "scale", "answer": "25 mm"},
    ],
    ids=["nobody there", "beside it", "other words", "with itself", "of the whole scan"],
)
def test_what_makes_no_sense_changes_nothing(said: Mapping[str, Any]) -> None:
    assert after(said) == WHOLE


@pytest.mark.slow
def test_answers_survive_the_next_run_which_recognises_nothing_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, cache = ScanRequest(SCAN), Cache(tmp_path / "cache")
    table = recognised(request, cache).table()
    assert [piece.name for piece in table.pieces if piece.kind == "fighter"] == [f"figure {k}" for k in range(1, 6)]
    write_folder(table, tmp_path / "game")
    fresh = _files_but_names(tmp_path / "game")

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("the scan was recognised again")

    for name in ("identify", "level", "scale_of"):
        monkeypatch.setattr(scanning, name, never)
    monkeypatch.setattr("silhouette.scans.identify.find_pieces", never)
    again = recognised(request, cache).table(earlier_run(tmp_path / "game"))
    write_folder(again, tmp_path / "game")
    assert _files_but_names(tmp_path / "game") == fresh
    one, other = table.pieces[0], table.pieces[-1]
    said = [kind_entry(one.name, one.at, LEFT_OUT), kind_entry(other.name, other.at, FIGURE_ANSWER)]
    asked = {str(each["key"]): each for each in said}
    for _ in range(2):  # as they are said, and as they are read from the scene
        told = recognised(request, cache).table(replace(earlier_run(tmp_path / "game"), answers_by_key=asked))
        write_folder(told, tmp_path / "game")
        assert len(told.pieces) == len(table.pieces) - 1
        assert [piece.kind for piece in told.pieces].count("fighter") == 5
        asked = dict(earlier_run(tmp_path / "game").answers_by_key)
        assert list(asked) == [each["key"] for each in said]


def test_pieces_are_corrected_on_the_command_line() -> None:
    checks = [{"attacker": "figure 1", "target": "Vex"}]
    table = scanned_table(earlier=Earlier(keys={"check": checks}))
    texts = ["figure 1=called Kal", "terrain 1 = a figure", "figure 1=along 1,2:3.5,-4", "terrain 1=with figure 1"]
    earlier = earlier_with(table, [*texts, "terrain 1=left out"])
    assert [(key, entry["answer"]) for key, entry in earlier.answers_by_key.items()] == [
        ("split at 70,-30", "along 1.0,2.0:3.5,-4.0"),
        ("join at -60,20", "with 70.0,-30.0"),
        ("piece at -60,20", LEFT_OUT),
    ]
    assert [(piece.name, piece.at.tolist()) for piece in earlier.pieces] == [("Kal", [70.0, -30.0, 0.0])]
    assert earlier.keys["check"] == [{"attacker": "Kal", "target": "Vex"}]
    again = scanned_table(earlier=earlier)
    assert [piece.name for piece in again.pieces] == ["Kal", "terrain 1"]
    assert [piece.name for piece in earlier_with(again, ["Kal=called Vex"]).pieces] == ["Vex"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("figure 9=terrain", "nothing is called 'figure 9'; did you mean 'figure 1'?"),
        ("figure 1=with Vex", "nothing is called 'Vex'"),
        ("figure 1=a mug", "says nothing of a piece; write NAME=a figure, terrain, left out"),
        ("figure 1", "says nothing of a piece"),
        ("figure 1=called terrain 1", "two pieces would be called 'terrain 1'"),
    ],
)
def test_what_says_nothing_of_a_piece_is_refused(text: str, words: str) -> None:
    with pytest.raises(RequestError, match=re.escape(words)):
        earlier_with(scanned_table(), [text])


def _files_but_names(folder: Path) -> list[bytes]:
    """The scan's record and its pictures."""
    return [(folder / name).read_bytes() for name in ("scan.json", "labels.npy", "scan.png", "above.jpg")]


def test_bases_and_the_picture_from_above_are_in_the_record(tmp_path: Path) -> None:
    table = replace(scanned_table(colours=True), bases=(DISC,))
    record = json.loads(json.dumps(record_of(table)))
    assert record["bases"] == [{"at": [70.0, -30.0, 0.0], "diameter": 25.1}]
    assert record["above"] == {"picture": "above.jpg", "low": [-153.0, -103.0], "high": [153.0, 103.0]}
    write_folder(table, tmp_path / "game")
    assert (tmp_path / "game" / "above.jpg").read_bytes()[:3] == b"\xff\xd8\xff"
