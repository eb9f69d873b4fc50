"""`turn`, `facing` and an unknown facing, in the commands, figures and animations that read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette import load_scene
from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from silhouette.scenes.entries import TableEntry
from silhouette.scenes.places import Mobility, Motion, Trial, poses, with_trials
from tests.support.commands import CHECK, QUICK, WALLED, run

MODELS = Path(__file__).resolve().parents[2] / "models"
UNKNOWN = WALLED.replace('name = "Kal"\n', 'name = "Kal"\nfacing = "unknown"\n', 1) + CHECK


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    path = tmp_path / "unknown.toml"
    path.write_text(UNKNOWN, encoding="utf-8")
    return path


def test_every_command_takes_an_unknown_facing(
    unknown: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (row,) = run(capsys, "check", unknown, "--json", *QUICK).document["scenes"][0]["results"]
    assert (row["in_arc"], row["marginal"], row["could_be"][-1]) == (None, True, "hidden")
    assert row["verdict"] in ("open", "partial cover")
    table = run(capsys, "matrix", unknown, *QUICK)
    assert table.status == 0
    assert "?" in table.out
    assert run(capsys, "batch", unknown, "--out", tmp_path / "rows.csv", "--quiet", "--workers", "1").status == 0
    assert run(capsys, "report", unknown, "--out", tmp_path / "page.html", "--quiet", *QUICK).status == 0
    assert "facing unknown" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_figures_draw_no_vision_arc_where_the_facing_is_unknown(
    unknown: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "known.toml"
    known.write_text(UNKNOWN.replace('"unknown"', "90"), encoding="utf-8")
    drawn = []
    for path in (unknown, known):
        folder = tmp_path / path.stem
        assert run(capsys, "draw", path, "--figure", "plan", "--out", folder, "--quiet", *QUICK).status == 0
        (figure,) = folder.glob("*plan*.svg")
        drawn.append('id="arc-1"' in figure.read_text(encoding="utf-8"))
    assert drawn == [False, True]


def test_who_turns_in_an_animation_is_turned_with_its_mesh() -> None:
    kal: dict[str, Any] = {"name": "Kal", "at": [0, 0]}
    duel = {"fighter": [kal, {"name": "Vex", "at": [0, 200]}], "check": [{"attacker": "Kal", "target": "Vex"}]}
    mobility, turning = Mobility(("fighter",), turns=True), Motion(turn=-45.0, frames=2)

    def last(keys: dict[str, Any], facing: float | None) -> dict[str, Any]:
        document = {**duel, "fighter": [{**kal, **keys}, duel["fighter"][1]]}
        turned = poses(Path("duel.toml"), document, 1, turning, mobility, facing)[-1].document["fighter"][0]
        return {key: turned[key] for key in ("facing", "turn") if key in turned}

    assert last({}, 270.0) == {"facing": 225.0}  # as a glTF model faces, whose scene does not say where
    assert last({"turn": 30, "facing": 100}, 100.0) == {"facing": 55.0, "turn": -15.0}
    assert last({"turn": 30}, 120.0) == {"facing": 75.0, "turn": -15.0}
    with pytest.raises(RequestError, match="where 'Kal' faces is unknown"):
        last({"facing": "unknown"}, None)


@pytest.mark.parametrize(
    ("keys", "turned", "faces"),
    [({}, 0.0, 270.0), ({"facing": 0}, 90.0, 0.0), ({"turn": 30}, 30.0, 300.0), ({"turn": 30, "facing": 5}, 30.0, 5.0)],
)
def test_units_with_models_turn_as_fighters_do(keys: dict[str, Any], turned: float, faces: float) -> None:
    unit = {"name": "Kal", "at": [0, 0], "model": str(MODELS / "leader.toml"), **keys}
    document = {"rules": "skirmishcorps", "unit": [unit], "cover": []}
    piece = SKIRMISHCORPS.load(Path("table.toml"), document, Cache.default()).units[0].piece
    ahead = piece.pose.place([[1.0, 0.0, 0.0]])[0] - piece.pose.translation
    assert np.degrees(np.arctan2(ahead[1], ahead[0])) == pytest.approx(turned)
    assert piece.facing == pytest.approx(faces)


@pytest.mark.parametrize(
    ("keys", "turned"),
    [({}, 90.0), ({"turn": 30}, 90.0), ({"turn": 30, "facing": 100}, 110.0), ({"turn": 30, "facing": "unknown"}, 30.0)],
)
def test_a_trial_that_faces_elsewhere_turns_the_piece(tmp_path: Path, keys: dict[str, Any], turned: float) -> None:
    kal = {"name": "Kal", "at": [0, 0], "parts": [{"box": [12, 12, 30]}], **keys}
    path, duel = tmp_path / "duel.toml", {"rules": "necromunda", "fighter": [kal]}
    document = with_trials(path, duel, [Trial("Kal", (0.0, 0.0), 180.0)], TableEntry)
    piece = NECROMUNDA.load(path, document, Cache(None)).piece("Kal")
    ahead = piece.pose.place([[1.0, 0.0, 0.0]])[0] - piece.pose.translation
    assert np.degrees(np.arctan2(ahead[1], ahead[0])) == pytest.approx(turned)
    assert piece.facing == 180.0


FIGURE = """
rules = "necromunda"
[[fighter]]
name = "Kal"
at = [0, 0]
parts = [ { cylinder = { diameter = 25, height = 3 }, base = true }, { box = [16, 10, 30], at = [0, 0, 3] } ]
"""


@pytest.mark.parametrize("turn", [0, 90, 200])
def test_a_figure_that_looks_nobody_knows_where_has_its_eye_in_the_middle_of_its_head(
    turn: float, tmp_path: Path
) -> None:
    path = tmp_path / "figure.toml"
    path.write_text(f'{FIGURE}turn = {turn}\nfacing = "unknown"\n', encoding="utf-8")
    unknown = load_scene(path).piece("Kal").eye
    assert unknown == pytest.approx([0.0, 0.0, 30.0], abs=0.01)
    path.write_text(f"{FIGURE}turn = {turn}\n", encoding="utf-8")
    known = load_scene(path).piece("Kal").eye
    assert np.linalg.norm(known - unknown) == pytest.approx(5.0, abs=0.01), "on the face"


def test_an_eye_that_is_given_stays_where_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "figure.toml"
    path.write_text(f'{FIGURE}facing = "unknown"\neye = [0, 3, 27]\n', encoding="utf-8")
    assert load_scene(path).piece("Kal").eye == pytest.approx([0.0, 3.0, 27.0])
