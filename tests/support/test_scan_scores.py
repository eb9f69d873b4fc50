"""How a scan is scored: what is right counts as right, and each kind of mistake as what it is."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Integers
from tests.support.scan_scores import FigureScore, Score, compare_verdicts, score
from tests.support.scan_truth import Truth, read_truth

SCENE = {
    "rules": "necromunda",
    "table": [200, 160],
    "terrain": [{"name": "block", "parts": [{"box": [40, 30, 20]}], "at": [-50, 0]}],
    "fighter": [
        {"name": "alone", "figure": {"base": 32, "height": 36}, "at": [60, 40]},
        {"name": "left", "figure": {"base": 25, "height": 30}, "at": [40, -40]},
        {"name": "right", "figure": {"base": 25, "height": 30}, "at": [65.5, -40]},
        {"name": "high", "figure": {"base": 25, "height": 30}, "at": [-50, 0], "on": "block"},
    ],
}
BASES = (None, 32.0, 25.0, 25.0, 25.0)
PLACES = ([-50.0, 0.0, 0.0], [60.0, 40.0, 0.0], [40.0, -40.0, 0.0], [65.5, -40.0, 0.0], [-50.0, 0.0, 20.0])


@pytest.fixture
def truth(tmp_path: Path) -> Truth:
    """A table of which one unit of the scan is 10 mm, turned by a quarter and moved by 300 mm along x."""
    (tmp_path / "scene.json").write_text(json.dumps(SCENE), encoding="utf-8")
    (tmp_path / "made.ply").write_bytes(b"")
    names = ["block", "alone", "left", "right", "high"]
    pieces = [
        {"name": name, "kind": "terrain" if base is None else "fighter", "base_at": at, "turn": 30.0, "base": base}
        for name, at, base in zip(names, PLACES, BASES, strict=True)
    ]
    to_table = [0, -10, 0, 300, 10, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 1]
    said = {"name": "made", "scene": str(tmp_path / "scene.json"), "unit": 10.0, "depth_noise": 0.5}
    path = tmp_path / "made.truth.json"
    path.write_text(json.dumps(said | {"to_table": to_table, "pieces": pieces}), encoding="utf-8")
    return read_truth(path)


@pytest.fixture
def document(truth: Truth) -> dict[str, Any]:
    """What a perfect scan would say; its table lies as the true one, but for half a turn."""
    half = np.diag([-1.0, -1.0, 1.0, 1.0])
    pieces = [
        {
            "name": f"piece {number}",
            "kind": piece.kind,
            "at": (half[:3, :3] @ piece.at).tolist(),
            "turn": 210.0,
            "model": f"minis/{piece.mesh}.stl",
            "match": {"residual": 0.4, "runner_up": 1.3, "sure": True},
            "could_be_several": False,
        }
        for number, piece in enumerate(truth.pieces, 1)
    ]
    matrix = (half @ truth.to_table).ravel().tolist()
    return {"to_table": matrix, "scale": 10.0, "scale_from": "units", "pieces": pieces, "questions": []}


TRUE_LABELS = np.repeat(np.arange(-1, 6), 10).astype(np.int32)


def scored(truth: Truth, document: dict[str, Any], labels: Integers = TRUE_LABELS) -> Score:
    return score(truth, document, labels, TRUE_LABELS)


def figure(one: Score, name: str) -> FigureScore:
    return next(figure for figure in one.figures if figure.name == name)


def test_a_perfect_scan_has_a_perfect_score(truth: Truth, document: dict[str, Any]) -> None:
    one = scored(truth, document)
    assert (one.tilt, one.height, one.scale) == pytest.approx((0, 0, 0), abs=1e-6)
    assert (one.terrain, one.apart, one.things) == (1.0, 1.0, 1.0)
    assert one.extra == ()
    assert [(each.found, each.named, each.sure) for each in one.figures] == [(True, True, True)] * 4
    assert [each.off for each in one.figures] == pytest.approx([0] * 4, abs=1e-9)
    assert [each.turned for each in one.figures] == pytest.approx([0] * 4, abs=1e-6)


def test_figures_stand_as_the_truth_says(truth: Truth) -> None:
    standing = {piece.name: truth.standing(piece) for piece in truth.figures}
    assert standing == {"alone": "isolated", "left": "touching", "right": "touching", "high": "on terrain"}


@pytest.mark.parametrize(("change", "expected"), [((0, 0, 0.5), (0.0, 0.5)), ((0.01745, 0, 0), (1.0, 0.0))])
def test_tilt_and_height_are_those_of_the_scans_table(
    truth: Truth, document: dict[str, Any], change: tuple[float, float, float], expected: tuple[float, float]
) -> None:
    angle, _, up = change
    wrong = np.eye(4)
    wrong[1:3, 1:3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    wrong[2, 3] = up
    document["to_table"] = (wrong @ np.array(document["to_table"]).reshape(4, 4)).ravel().tolist()
    one = scored(truth, document)
    assert (one.tilt, one.height) == pytest.approx(expected, abs=0.01)


def test_a_wrong_scale_is_a_share_and_places_are_held_against_the_true_table(
    truth: Truth, document: dict[str, Any]
) -> None:
    grown = np.diag([1.02, 1.02, 1.02, 1.0]) @ np.array(document["to_table"]).reshape(4, 4)
    document |= {"to_table": grown.ravel().tolist(), "scale": 10.2, "questions": ["How large is it?"]}
    for piece in document["pieces"]:
        piece["at"] = [1.02 * value for value in piece["at"]]
    one = scored(truth, document)
    assert one.scale == pytest.approx(0.02)
    assert one.asked
    assert figure(one, "alone").off == pytest.approx(0, abs=1e-9)
    other = scored(truth, document | {"questions": ["Is figure 1 the scout? It fits to 0.5 mm."]})
    assert not other.asked


def test_a_figure_is_found_within_three_millimetres_and_only_once(truth: Truth, document: dict[str, Any]) -> None:
    pieces = document["pieces"]
    pieces[1]["at"][0] += 2.9
    pieces[4]["at"][2] += 3.1
    pieces.append(deepcopy(pieces[2]) | {"name": "twice"})
    one = scored(truth, document)
    assert figure(one, "alone").off == pytest.approx(2.9)
    assert figure(one, "alone").found
    assert not figure(one, "high").found
    assert one.extra == ("piece 5", "twice")


def test_a_figure_grown_together_with_another_is_flagged_where_its_points_are(
    truth: Truth, document: dict[str, Any]
) -> None:
    del document["pieces"][3]
    document["pieces"][2]["could_be_several"] = True
    labels = np.where(TRUE_LABELS >= 4, TRUE_LABELS - 1, TRUE_LABELS).astype(
        np.int32
    )  # the right one is the left one's
    one = scored(truth, document, labels)
    assert (figure(one, "right").found, figure(one, "right").flagged) == (False, True)
    assert (figure(one, "alone").found, figure(one, "alone").flagged) == (True, False)
    assert one.things == pytest.approx(3 / 5)


def test_a_wrong_model_has_no_facing(truth: Truth, document: dict[str, Any]) -> None:
    document["pieces"][1]["model"] = "minis/other.stl"
    document["pieces"][2] |= {"model": None, "match": None}
    document["pieces"][3]["turn"] = 207.0
    one = scored(truth, document)
    assert (figure(one, "alone").named, figure(one, "alone").sure, figure(one, "alone").turned) == (False, True, None)
    assert (figure(one, "left").named, figure(one, "left").sure) == (None, False)
    assert figure(one, "right").turned == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("labels", "terrain"),
    [
        (np.where(TRUE_LABELS == 1, 5, TRUE_LABELS), 0.0),  # the figure on it took the block
        (np.where((TRUE_LABELS == 1) & (np.arange(70) % 5 == 0), 0, TRUE_LABELS), 0.8),  # two of ten points are table
        (np.where((TRUE_LABELS == 1) & (np.arange(70) % 5 < 2), 6, TRUE_LABELS), 0.6),  # a second piece has four of ten
    ],
)
def test_points_of_terrain_are_right_where_the_piece_is(
    truth: Truth, document: dict[str, Any], labels: Floats, terrain: float
) -> None:
    document["pieces"].append(deepcopy(document["pieces"][0]) | {"name": "rest"})
    one = scored(truth, document, labels.astype(np.int32))
    assert one.terrain == pytest.approx(terrain)


def test_the_nearest_true_surface_labels_points(truth: Truth) -> None:
    on_table = np.array(
        [[-50, 0, 10], [-50, 12, 15], [60, 40, 35.5], [0, 0, 0.2], [40, -40, 29], [0, 0, 60], [-50, 0, 48]]
    )
    points = np.column_stack([on_table[:, 1] / 10, (300 - on_table[:, 0]) / 10, on_table[:, 2] / 10])
    assert truth.labels(points).tolist() == [-1, 1, 2, 0, 3, -1, 5]


def test_verdicts_are_compared_by_the_figures_that_were_found() -> None:
    figures = [
        FigureScore(name, "isolated", piece, 0.0, piece is not None, False, True, True, 0.0)
        for name, piece in (("Kal", "figure 2"), ("Vex", "figure 1"), ("Ada", None))
    ]
    rows = [
        {"attacker": first, "target": second, "verdict": "open", "occluded": 0.0}
        for first, second in (("Kal", "Vex"), ("Vex", "Kal"), ("Kal", "Ada"))
    ]
    scanned = [
        {"attacker": "figure 2", "target": "figure 1", "verdict": "open", "occluded": 0.0},
        {"attacker": "figure 1", "target": "figure 2", "verdict": "full cover", "occluded": 0.6, "call": "roll off"},
    ]
    pairs = compare_verdicts(rows, scanned, figures, unknown=["figure 1"])
    assert [(pair.same, pair.scanned, pair.known) for pair in pairs] == [
        (True, "open", True),
        (False, "full cover", False),
        (False, None, True),
    ]
    assert [pair.call for pair in pairs] == [None, "roll off", None]
