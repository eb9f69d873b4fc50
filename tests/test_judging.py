"""Judging a scene for a command."""

from __future__ import annotations

from pathlib import Path

from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection, judge_scene
from silhouette.renderers.embree import EmbreeRenderer
from silhouette.rules.base import MeasuredVerdict, Verdict
from silhouette.scenes.scene import Check, Scene
from tests.support.commands import CHECK, scene


def test_an_observation_is_kept_until_its_picture_is_drawn_and_no_longer(tmp_path: Path) -> None:
    drawn: list[Verdict] = []

    def draw(scene: Scene, check: Check, verdict: Verdict, alone: bool) -> Path:
        assert isinstance(verdict, MeasuredVerdict)
        assert verdict.evidence.masks
        drawn.append(verdict)
        return tmp_path / "drawn.png"

    path = scene(tmp_path, CHECK + CHECK)
    result = judge_scene(path, Selection(), JudgingOptions(EmbreeRenderer(), Cache(None)), draw=draw)
    assert [judged.verdict for judged in result.judged] == drawn
    assert [getattr(judged.verdict, "observation", drawn) for judged in result.judged] == [None, None]
    assert {judged.picture for judged in result.judged} == {tmp_path / "drawn.png"}
