"""The worked cases of ../shared/rules/cases/necromunda, on every renderer, and against a finer picture."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.registry import looking_between_pixels
from silhouette.rules.fields import unmet_expectations
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.rule import NECROMUNDA
from tests.conftest import started
from tests.support.rulings import ruled

CASES = Path(__file__).resolve().parents[4] / "shared" / "rules" / "cases" / "necromunda"
NAMES = sorted(path.stem for path in CASES.glob("*.json"))


def judged(name: str, renderer: Renderer, pixel: float) -> list[NecromundaVerdict]:
    path = CASES / f"{name}.json"
    scene = NECROMUNDA.load(path, read_document(path), Cache(None))
    return [ruled(NECROMUNDA, scene, check, renderer, pixel) for check in scene.checks]


@cache
def finely(name: str) -> list[NecromundaVerdict]:
    """What Embree's rays answer at a quarter of the default pixel."""
    return judged(name, looking_between_pixels(), 0.025)


@pytest.mark.skipif(not NAMES, reason="needs ../shared (worked cases), which is not here")
@pytest.mark.parametrize("name", NAMES)
def test_a_worked_case_holds(name: str, renderer: Renderer) -> None:
    path = CASES / f"{name}.json"
    scene = NECROMUNDA.load(path, read_document(path), Cache(None))
    for check, found, fine in zip(scene.checks, judged(name, renderer, 0.1), finely(name), strict=True):
        assert check.expect
        assert not unmet_expectations(found.row(), check.expect)
        assert abs(found.occluded - fine.occluded) <= found.counts.error + fine.counts.error + 1e-12
        assert found.counts.error <= 0.002
        flat = scene.source.get("flat_fraction")
        assert abs(found.occluded - flat) < 0.016


@pytest.mark.parametrize(
    "name, renderer_name, expected",
    [
        ("contact_1.004mm.toml", "embree", {"verdict": "hidden", "marginal": False}),
        ("gl_sheet_1um_before_target.toml", "gl", {"verdict": "full cover", "occluded": [0.71, 0.716]}),
        ("ne_friend_in_front.json", "embree", {"verdict": "open"}),
    ],
)
def test_what_went_wrong_is_right(name: str, renderer_name: str, expected: dict[str, Any], shared: Path) -> None:
    path = shared / "reports/scenes" / name
    scene = NECROMUNDA.load(path, read_document(path), Cache(None))
    row = ruled(NECROMUNDA, scene, scene.checks[0], started(renderer_name), 0.1).row()
    assert not unmet_expectations(row, expected)
    assert ("E, a friend in base contact with A, is disregarded" in row["reason"]) == (
        name == "ne_friend_in_front.json"
    )
