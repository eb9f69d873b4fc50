"""SCAN: what a player answers on how a scan lies is done."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.scans.level import WHICH_SIDE, Levelling, as_answered
from silhouette.scans.read import Scan

POINTS = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 5.0], [np.nan, 0.0, 0.0]])
USABLE = np.array([True, True, True, True, False])


def leaning(degrees: float) -> Levelling:
    """A level whose frame is turned about x against the file's."""
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    to_level = np.eye(4)
    to_level[1:3, 1:3] = [[cosine, -sine], [sine, cosine]]
    return Levelling(to_level, None, degrees, 0.1, 0.1, 1.0, np.zeros(5, bool))


def scan() -> Scan:
    return Scan(Path("t.ply"), "ply", POINTS, np.zeros((0, 3), np.int32), None, None, USABLE, "z", None)


def test_the_other_side_comes_up() -> None:
    turned = as_answered(leaning(0.0), scan(), {"up": WHICH_SIDE.answers[1]})
    assert turned.to_level[2].tolist() == [0.0, 0.0, -1.0, 0.0]
    assert np.linalg.det(turned.to_level[:3, :3]) == pytest.approx(1.0), "nothing is mirrored"


def test_what_does_not_stand_on_its_lowest_parts_stands_as_in_its_file() -> None:
    upright = as_answered(leaning(20.0), scan(), {"leaning": "no"})
    assert upright.to_level[2, :3] == pytest.approx([0.0, 0.0, 1.0])
    moved = POINTS[USABLE] @ upright.to_level[:3, :3].T + upright.to_level[:3, 3]
    assert moved[:, 2].min() == pytest.approx(0.0)


@pytest.mark.parametrize("answers", [{}, {"up": "as taken"}, {"leaning": "yes"}, {"scale": "no"}])
def test_other_answers_leave_it(answers: dict[str, str]) -> None:
    lie = leaning(20.0)
    assert as_answered(lie, scan(), answers) is lie
