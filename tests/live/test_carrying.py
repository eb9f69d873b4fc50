"""A scene that is carried to another process is the one that was sent: it is judged alike, with the models there."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, content_with, judge_all
from silhouette.live.judges import CheckQuestion, Judges
from silhouette.live.live_table import LiveTable
from silhouette.models.model import Model
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.scenes.carrying import model_digest, packed_model, packed_scene, unpacked_scene
from tests.support.batching import force_forking


def document() -> dict[str, Any]:
    """A crate between a stand-in and a vehicle, all keys that a piece takes room for among them."""
    return {
        "rules": "necromunda",
        "readings": {"share": "in arc"},
        "doubt": {"place": 1.0},
        "terrain": [{"name": "crate", "parts": [{"box": [20, 20, 20]}], "at": [100, 6], "doubt": {"place": 2.0}}],
        "fighter": [{"name": "Kal", "figure": {"base": 32, "height": 38}, "at": [0, 0], "facing": 0, "gang": "Orlock"}],
        "vehicle": [
            {
                "name": "Hauler",
                "parts": [{"box": [60, 30, 30]}],
                "at": [200, 0],
                "facing": "unknown",
                "arcs": ["front", "left"],
                "eyes": {"left": [0, 0, 30]},
            }
        ],
        "check": [{"attacker": "Kal", "target": "Hauler"}],
    }


def rows(scene: Any) -> list[dict[str, Any]]:
    rule = rule_called(scene.rules)
    return [
        verdict.row()
        for verdict in rule.judge([(scene, check) for check in rule.everyone(scene)], Settings(choose(), 0.5))
    ]


def test_a_carried_scene_is_the_one_that_was_sent(tmp_path: Path) -> None:
    table = LiveTable(tmp_path / "duel.toml", document(), Cache(None))
    sent, models = table.scene, [piece.model for piece in table.scene.pieces]
    expected = rows(sent)
    content = packed_scene(sent, models.index)
    there = unpacked_scene(content, lambda number: models[int(number)])
    assert type(there) is type(sent)
    for one, other in zip(there.pieces, sent.pieces, strict=True):
        assert one.model is other.model
        assert np.array_equal(one.pose.rotation, other.pose.rotation)
        assert np.array_equal(one.pose.translation, other.pose.translation)
        assert not one.__dict__.keys() - {field.name for field in fields(one)}, "what was worked out is carried"
        for name in ("name", "kind", "gang", "facing", "arcs", "index", "warnings", "facing_given", "outline", "doubt"):
            assert getattr(one, name) == getattr(other, name)
    for name in ("path", "title", "checks", "warnings", "readings", "tolerance", "base_contact", "table", "doubt"):
        assert getattr(there, name) == getattr(sent, name)
    assert rows(there) == expected
    assert len(content) < 20_000


def test_models_of_one_content_have_one_digest_and_others_another(tmp_path: Path) -> None:
    table = LiveTable(tmp_path / "duel.toml", document(), Cache(None))
    before = {piece.name: piece.model for piece in table.scene.pieces}
    rows(table.scene)  # which works much out of them
    table.edit([{"piece": "Kal", "at": [0, 1]}])
    after = {piece.name: piece.model for piece in table.scene.pieces}
    assert any(before[name] is not after[name] for name in before)
    assert [model_digest(model) for model in before.values()] == [model_digest(model) for model in after.values()]
    changed = [
        *before.values(),
        replace(before["Kal"], front=1.0),
        replace(before["Kal"], role=before["Kal"].role ^ np.uint8(1)),
        replace(before["Kal"], mesh=replace(before["Kal"].mesh, vertices=before["Kal"].mesh.vertices + 1e-9)),
    ]
    assert len({model_digest(model) for model in changed}) == len(changed)


def test_a_model_that_came_later_is_sent_to_each_process_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the scene at the start are never sent to a process that was forked."""
    table, packed = LiveTable(tmp_path / "duel.toml", document(), Cache(None)), list[str]()

    def packed_and_counted(model: Model) -> bytes:
        packed.append(model.source)
        return packed_model(model)

    monkeypatch.setattr("silhouette.live.judges.packed_model", packed_and_counted)
    monkeypatch.setattr("silhouette.live.judges.start_method", lambda: "fork")

    async def asked() -> None:
        async with Judges(table.scene, table.cache, "auto", workers=1, pixel=0.5) as judges:
            for step in range(7):
                if step == 3:
                    table.edit([{"add": "fighter", "name": "Vex", "figure": {"base": 40, "height": 50}, "at": [0, 90]}])
                table.edit([{"piece": "Kal", "at": [0, step]}])
                checks = rule_called("necromunda").everyone(table.scene)
                answers = await judges.ask(table.now, CheckQuestion(checks))
                requests = [(content_with(table.scene, None), check) for check in checks]
                expected = judge_all(requests, JudgingOptions(choose(), pixel=0.5))
                assert [answer.row for answer in answers] == [result.row() for result in expected]
                assert len(packed) == (0 if step < 3 else 1)

    force_forking(monkeypatch)
    asyncio.run(asked())
