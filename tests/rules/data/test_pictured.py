"""What figures show of a game by data: the measurement in which most of the target is obscured, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.drawing.table.eye_image import image_of
from silhouette.files.cache import Cache
from silhouette.measure.observation import OBSCURED, SEEN
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.base import Settings

GAME = """
title = "Bushes"
source = "none"
line_of_sight = "seen"

[keys.terrain.high]
type = "yes or no"
means = "whether it blocks"

[[clause]]
name = "seen"
number = "1"
when = "line(attacker.eye, target.body, past = those(piece in terrain where piece.high))"
text = "{attacker} sees {target}"
otherwise = "{attacker} does not see {target}"
source = "none"

[[clause]]
name = "behind"
number = "2"
when = "obscured(attacker.eye, target.body, past = terrain) >= 10 %"
text = "{obscured} of {target} is behind bushes"
otherwise = "{target} is not behind bushes"
source = "none"

[[verdict]]
name = "hidden"
level = "blocked"
when = "not seen"

[[verdict]]
name = "cover"
level = "partial"
when = "behind"

[[verdict]]
name = "open"
level = "clear"
"""

FIGURE = [{"cylinder": {"diameter": 25, "height": 3}, "base": True}, {"sphere": {"diameter": 24}, "at": [0, 0, 3]}]


@pytest.mark.parametrize(("clauses", "share"), [("behind", 1.0), ("seen", 0.0)])
def test_the_picture_shows_what_was_measured(tmp_path: Path, renderer: Renderer, clauses: str, share: float) -> None:
    """Bushes that are not asked about hide nothing in the picture, not even on the rim of the target."""
    game = (
        GAME if clauses == "behind" else GAME.replace("past = terrain)", "past = those(one in terrain where one.high))")
    )
    (tmp_path / "bushes.toml").write_text(game, encoding="utf-8")
    rule = rule_called(str(tmp_path / "bushes.toml"))
    document: dict[str, Any] = {
        "rules": "bushes.toml",
        "terrain": [{"name": "bushes", "parts": [{"box": [200, 5, 80]}], "at": [0, 120]}],
        "fighter": [
            {"name": "Kal", "parts": FIGURE, "at": [0, 0], "eye": [0, 0, 20]},
            {"name": "Vex", "parts": FIGURE, "at": [0, 240], "facing": 270},
        ],
        "check": [{"attacker": "Kal", "target": "Vex"}],
    }
    scene = rule.load(tmp_path / "scene.toml", document, Cache(None))
    (verdict,) = rule.judge([(scene, check) for check in scene.checks], Settings(renderer, 0.2, keep=True))
    assert verdict.verdict == ("cover" if clauses == "behind" else "open")
    counts = verdict.observation.counts
    assert counts.occluded / counts.total == share
    kinds = image_of(scene, verdict.observation, renderer, 480, 320).kinds
    assert np.count_nonzero(kinds == (SEEN if share else OBSCURED)) == 0
    assert np.count_nonzero(kinds == (OBSCURED if share else SEEN)) > 1000
