"""Judging a scene for a command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import trimesh

from silhouette import changes, check, map_of, odds
from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection, judge, judge_all, judge_scene, load_scene
from silhouette.judging import counterfactuals as searching
from silhouette.judging.run import Run
from silhouette.models.model import Model, load_model
from silhouette.renderers import choose
from silhouette.rules.base import MeasuredVerdict, Verdict
from silhouette.scenes.scene import Check, Scene
from tests.support.commands import CHECK, run, scene
from tests.support.duels import duel
from tests.support.mapped_tables import gantry_table

EXAMPLES = Path(__file__).resolve().parents[2] / "scenes"


def test_an_observation_is_kept_until_its_picture_is_drawn_and_no_longer(tmp_path: Path) -> None:
    drawn: list[Verdict] = []

    def draw(scene: Scene, check: Check, verdict: Verdict, alone: bool) -> Path:
        assert isinstance(verdict, MeasuredVerdict)
        assert verdict.evidence.masks
        drawn.append(verdict)
        return tmp_path / "drawn.png"

    path = scene(tmp_path, CHECK + CHECK)
    result = judge_scene(path, Selection(), JudgingOptions(choose(), Cache(None)), draw=draw)
    assert [judged.verdict for judged in result.judged] == drawn
    assert [getattr(judged.verdict, "observation", drawn) for judged in result.judged] == [None, None]
    assert {judged.picture for judged in result.judged} == {tmp_path / "drawn.png"}


def test_a_path_that_is_asked_again_finds_its_models_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as their files stay as they are: one that was changed is read again."""
    model, file, loads = tmp_path / "block.stl", tmp_path / "duel.toml", list[Path]()

    def load(path: Path, *rest: Any) -> Model:
        loads.append(path)
        return load_model(path, *rest)

    monkeypatch.setattr("silhouette.scenes.pieces.load_model", load)
    trimesh.creation.box((12.0, 12.0, 30.0)).export(model)
    file.write_text(
        'rules = "necromunda"\nfighter = [\n'
        '  { name = "Kal", at = [0, 0], eye = [0, 6, 15], parts = [{ box = [12, 12, 30] }] },\n'
        '  { name = "Vex", at = [0, 200], model = "block.stl" },\n]\n'
        'terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 20] }] }]\n'
    )
    low = [check(file, "Kal", "Vex").occluded for _ in range(3)]
    assert (len(set(low)), len(loads)) == (1, 1)
    trimesh.creation.box((12.0, 12.0, 20.0)).export(model)
    assert check(file, "Kal", "Vex").occluded > low[0] + 0.1
    assert len(loads) == 2


def test_what_the_first_measurement_imports_is_imported_before_workers_are_forked(tmp_path: Path) -> None:
    script = """
import sys
import subprocess
import sys
from pathlib import Path
from silhouette.judging.run import shared
from silhouette.judging import JudgingOptions, judge_all, load_scene
from silhouette.renderers import choose
scene, renderer = load_scene(Path(sys.argv[1])), choose("reference")
assert shared(scene, renderer)
before = set(sys.modules)
verdicts = judge_all([(scene, check) for check in scene.checks], JudgingOptions(renderer, pixel=0.5))
print(len(verdicts), sorted(set(sys.modules) - before))
"""
    words = [sys.executable, "-c", script, str(scene(tmp_path, CHECK))]  # of solids: a mesh file's reader imports more
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "1 []\n"


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few trials, changes within 4 mm or 60 degrees: these tests are of who asks, not of how it is worked out."""
    monkeypatch.setattr("silhouette.judging.monte_carlo.MAX_TRIALS", 16)
    monkeypatch.setattr(searching, "MOVE_FIELD", replace(searching.MOVE_FIELD, reach=4.0))
    monkeypatch.setattr(searching, "TURN_FIELD", replace(searching.TURN_FIELD, reach=60.0))


ROUGH = ("--pixel", "0.5", "--no-cache")


@pytest.mark.long
@pytest.mark.usefixtures("near")
def test_odds_and_changes_from_python_are_those_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "duel.json"
    file.write_text(json.dumps(duel([0.0, 0.0], 90.0, [15.0, 163.0], [-7.0, 122.0], 61.0)))
    pair = ("--from", "Kal", "--to", "Vex")
    ran = run(capsys, "check", file, *pair, "--odds", "--seed", "3", "--what-if", "--json", *ROUGH)
    (row,) = json.loads(ran.out)["scenes"][0]["results"]
    found = odds(file, "Kal", "Vex", seed=3, pixel=0.5)
    assert (found.odds, found.error, found.trials, found.call) == tuple(
        row[key] for key in ("odds", "odds_error", "trials", "call")
    )
    assert changes(file, "Kal", "Vex", pixel=0.5).rows() == row["changes"]
    with pytest.raises(RequestError, match=r"seed is -1; it must be a whole number, 0 or more"):
        odds(file, "Kal", "Vex", seed=-1)
    with pytest.raises(RequestError, match="nothing is called 'Kol'"):
        odds(file, "Kol", "Vex")


ONE_WAY = """
rules = "necromunda"
fighter = [
  { name = "Kal", at = [0, 0], facing = 90, parts = [{ box = [12, 12, 40] }], eye = [0, 6, 38] },
  { name = "Vex", at = [0, 200], facing = 90, parts = [{ box = [12, 12, 30] }], eye = [0, 6, 12] },
]
check = [{ attacker = "Kal", target = "Vex" }, { attacker = "Vex", target = "Kal" }]
"""


@pytest.mark.slow
@pytest.mark.usefixtures("near")
def test_what_would_change_is_the_same_from_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A batch and Python say as well why one sees the other and is not seen, though the way back was not asked."""
    file, out = tmp_path / "one way.toml", tmp_path / "rows.jsonl"
    file.write_text(ONE_WAY, encoding="utf-8")
    ran = run(capsys, "check", file, "--what-if", "--json", *ROUGH)
    rows = json.loads(ran.out)["scenes"][0]["results"]
    assert rows[1]["one_way"].startswith("Kal sees Vex, but not the other way round: ")
    assert "one_way" not in rows[0]
    assert rows[0]["changes"]
    run(capsys, "batch", file, "--what-if", *ROUGH, "--workers", "1", "--out", out)
    of_batch = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [{key: row[key] for key in rows[0]} for row in of_batch[:1]] == rows[:1]
    assert of_batch[1]["one_way"] == rows[1]["one_way"]
    alone = run(capsys, "check", file, "--from", "Vex", "--to", "Kal", "--what-if", "--json", *ROUGH)
    assert json.loads(alone.out)["scenes"][0]["results"] == [{**rows[1], "expected": None}]
    assert changes(file, "Vex", "Kal", pixel=0.5).one_way == rows[1]["one_way"]
    assert changes(file, "Kal", "Vex", pixel=0.5).one_way is None


def test_a_map_from_python_is_that_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps(gantry_table()))
    words = ("map", file, "--move", "Vex", "--from", "Kal", "--within", "60", "--json", "--no-cache")
    assert map_of(file, "Vex", attackers=["Kal"], within=60).document() == json.loads(run(capsys, *words).out)
    one = map_of(file, "Vex", attackers="Kal", within=60, workers=0)
    assert [check.attacker for check in one.checks] == ["Kal"]


def test_checks_of_scenes_that_ask_for_different_things_are_judged_as_each_is_alone(tmp_path: Path) -> None:
    asked = ("", "tolerance = 0.3", "error = 0.05", "pixel = 3.0", "error = 0.05\ntolerance = 0.3")
    scenes = []
    for number, line in enumerate(asked):
        path = scene(tmp_path, CHECK, CHECK, name=f"{number}.toml")
        path.write_text(f"{line}\n{path.read_text()}")
        scenes.append(load_scene(path, cache=Cache(None)))
    scenes.append(load_scene(EXAMPLES / "skirmishcorps" / "classes.toml", cache=Cache(None)))
    scenes.append(load_scene(EXAMPLES / "crisis_protocol" / "in_cover.toml", cache=Cache(None)))
    options = JudgingOptions(choose())
    requests = [(one, check) for one in scenes for check in one.checks]
    together = [result.row() for result in judge_all(requests, options)]
    assert together == [result.row() for request in requests for result in judge_all([request], options)]
    assert len({f"{row['could_be']} {row['error']}" for row in together[:10]}) > 2


def test_steps_go_on_from_what_is_added_to_what_is_added_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(scene: Scene, checks: list[Check], *options: Any) -> Iterator[None]:
        for _ in checks:
            options[-1].step(0.5)
            yield None

    for name in ("odds_of_each", "changes_of_each"):
        monkeypatch.setattr(import_module("silhouette.judging.judge"), name, nothing)
    loaded, steps = load_scene(scene(tmp_path, CHECK, CHECK), cache=Cache(None)), list[tuple[float, int]]()
    options = JudgingOptions(choose(), pixel=1.0, seed=0, what_if=True)
    requests = [(loaded, check) for check in loaded.checks]
    assert len(list(judge(requests, options, step=lambda *step: steps.append(step)))) == 2 * 4
    assert steps == [(0, 6), (1, 6), (2, 6), (2.5, 6), (2.5, 6), (4.5, 6), (4.5, 6)]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/example*.toml")), ids=lambda path: path.parent.name)
def test_what_python_shows_of_an_answer_is_a_line_that_a_person_reads(path: Path) -> None:
    read = load_scene(path)
    assert re.fullmatch(rf"<\w+ .*{path.name}: .+, \d+ checks?>", repr(read))
    for result in judge_all([(read, each) for each in read.checks], JudgingOptions(choose(), pixel=1.0)):
        shown = repr(result.verdict)
        assert re.fullmatch(r"<\w+Verdict .+>", shown)
        assert result.check.label.replace(f" ({result.check.arc} arc)", "") in shown
        assert result.verdict.verdict in shown
        assert len(shown) < 200


def test_a_run_tells_nobody_from_a_process_that_is_forked_from_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = list[float]()
    run = Run(step=steps.append).silent_when_forked()
    run.step(0.5)
    monkeypatch.setattr("silhouette.judging.run.os.getpid", lambda: -1)
    run.step(0.75)
    assert steps == [0.5]
