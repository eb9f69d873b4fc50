"""A question that takes too long by itself, on a table: one line that names the clause, soon after the time is over."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import RequestError
from silhouette.judging import load_scene
from silhouette.notebook.questions import check
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.data import evaluating
from tests.support.shapes import sphere

GAME = """
title = "Slow"
source = "nowhere"
line_of_sight = "near"

[[clause]]
name = "near"
number = "1"
when = '''
any(one in terrain where one.name is "shell": distance(one, those(two in terrain where two.name is "core"),
    measured = "in space") < 1 mm)
'''
text = "yes"
otherwise = "no"
source = "p. 1"

[[verdict]]
name = "near"
level = "full"
when = "near"

[[verdict]]
name = "far"
level = "clear"
"""

SCENE = """
rules = "game.toml"

[[fighter]]
name = "Kal"
figure = { base = 32, height = 30 }
at = [0, -200]

[[fighter]]
name = "Vex"
figure = { base = 32, height = 30 }
at = [0, 200]

[[terrain]]
name = "shell"
mesh = "shell.stl"
units = "mm"
origin = "keep"
at = [0, 0, 40]

[[terrain]]
name = "core"
mesh = "core.stl"
units = "mm"
origin = "keep"
at = [0, 0, 40]

[[check]]
attacker = "Kal"
target = "Vex"
"""


def write_ball(path: Path, radius: float) -> None:
    """A finely meshed ball, as binary STL."""
    ball = sphere(radius, 300, 150)
    facets = np.zeros(len(ball.faces), [("numbers", "<f4", 12), ("unused", "<u2")])
    facets["numbers"][:, 3:] = ball.vertices[ball.faces].reshape(-1, 9)
    path.write_bytes(bytes(80) + np.uint32(len(facets)).tobytes() + facets.tobytes())


@pytest.mark.long
def test_a_ball_in_a_ball_is_refused_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The distance of both in space alone takes a minute."""
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    (tmp_path / "table.toml").write_text(SCENE, encoding="utf-8")
    write_ball(tmp_path / "shell.stl", 30.0)
    write_ball(tmp_path / "core.stl", 10.0)
    scene = load_scene(tmp_path / "table.toml")
    monkeypatch.setattr(evaluating, "MAX_CPU_SECONDS", 1.0)
    begun = time.process_time()
    with pytest.raises(RequestError) as refused:
        rule_called(scene.rules).judge([(scene, check) for check in scene.checks], Settings(choose(), 0.1))
    assert time.process_time() - begun < 3.0
    assert str(refused.value) == (
        f"{scene.path}: {scene.checks[0].label}: {tmp_path / 'game.toml'}: clause 'near' (clause 1): takes more than "
        "1 s of CPU time; 'distance' alone takes most of it: a simpler mesh would be faster, "
        "above all of the shell (89,400 triangles)"
    )


def test_the_clauses_of_a_check_have_one_limit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "table.toml").write_text(
        'rules = "warhammer-40000-10"\n[[fighter]]\nname = "Kal"\nfigure = { base = 32, height = 38 }\nat = [0, 0]\n'
        '[[fighter]]\nname = "Vex"\nfigure = { base = 32, height = 38 }\nat = [0, 200]\n',
        encoding="utf-8",
    )
    scene = load_scene(tmp_path / "table.toml")
    monkeypatch.setattr("silhouette.rules.data.judge.MAX_CPU_SECONDS", -1.0)
    with pytest.raises(RequestError) as refused:
        check(scene, "Kal", "Vex")
    assert str(refused.value).startswith(f"{scene.path}: Kal to Vex: ")
    assert "takes more than 10 s of CPU time, with the clauses before it; " in str(refused.value)


def test_large_figures_on_an_empty_table_are_looked_at_between_few_points(tmp_path: Path) -> None:
    """All points of the larger take seconds to be put in balls, and 0.1 s where any line will do."""
    figures = "".join(
        f'[[fighter]]\nname = "{name}"\nfigure = {{ base = {base}, height = {height} }}\nat = {at}\nfacing = {facing}\n'
        for name, base, height, at, facing in (("Kal", 100, 150, [0, 0], 90), ("Vex", 160, 200, [300, 900], 270))
    )
    (tmp_path / "table.toml").write_text(f'rules = "warhammer-40000-10"\n{figures}', encoding="utf-8")
    scene = load_scene(tmp_path / "table.toml")
    begun = time.process_time()
    verdict: Any = check(scene, "Kal", "Vex")
    assert time.process_time() - begun < 2.0
    assert (verdict.verdict, verdict.could_be) == ("in the open", ("in the open",))
