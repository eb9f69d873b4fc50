"""Every scene that ships gives what it expects, on every renderer."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.renderers.protocol import Renderer
from silhouette.rules.fields import unmet_expectations
from silhouette.rules.necromunda.judge import VERDICTS
from silhouette.rules.necromunda.rule import NECROMUNDA
from tests.support.rulings import ruled

FOLDER = Path(__file__).resolve().parents[2] / "scenes" / "necromunda"
SCENES = sorted(FOLDER.glob("*.toml"))


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_scene_gives_what_it_expects(path: Path, renderer: Renderer) -> None:
    scene = NECROMUNDA.load(path, read_document(path), Cache(None))
    assert scene.title
    assert scene.source
    assert scene.checks
    for check in scene.checks:
        assert check.expect, "every check of a shipped scene expects something"
        verdict = ruled(NECROMUNDA, scene, check, renderer, 0.1)
        assert not unmet_expectations(verdict.row(), check.expect)
        assert verdict.counts.error <= (0.004 if "grating" in path.stem else 0.002)
        assert verdict.marginal == (path.stem == "too_close_to_call")


def test_every_scene_says_what_it_teaches() -> None:
    assert len(SCENES) >= 16
    for path in SCENES:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("# ")
        assert first.endswith(".")


@pytest.mark.long
def test_there_is_a_scene_for_every_verdict() -> None:
    expected = {
        check.expect.get("verdict")
        for path in SCENES
        for check in NECROMUNDA.load(path, read_document(path), Cache(None)).checks
        if check.expect
    }
    assert set(VERDICTS) <= expected
