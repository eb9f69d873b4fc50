"""A scene that is carried to another process is the one that was sent: it is judged alike, with the models there."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.live.carrying import Carrier
from silhouette.live.live_table import LiveTable
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings


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
        for verdict in rule.judge([(scene, check) for check in rule.everyone(scene)], Settings(choose("embree"), 0.5))
    ]


def test_a_carried_scene_is_the_one_that_was_sent(tmp_path: Path) -> None:
    table = LiveTable(tmp_path / "duel.toml", document(), Cache(None))
    carrier, sent = Carrier(table.scene), table.scene
    expected = rows(sent)
    content = carrier.packed(sent)
    assert content is not None
    there = carrier.unpacked(content)
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


def test_a_scene_with_a_model_that_is_not_there_is_not_carried(tmp_path: Path) -> None:
    table = LiveTable(tmp_path / "duel.toml", document(), Cache(None))
    carrier = Carrier(table.scene)
    table.edit([{"add": "fighter", "name": "Vex", "figure": {"base": 40, "height": 50}, "at": [0, 90]}])
    assert carrier.packed(table.scene) is None
