"""The command line: what each command prints, where, and with which exit status."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.judging import counterfactuals
from silhouette.judging.nearest import Field
from silhouette.rules import RULES
from tests.support.commands import CHECK, QUICK, WALLED, Ran, run, scene
from tests.support.games import BY_CODE

Capture = pytest.CaptureFixture[str]

ROW = {
    *("attacker", "target", "rules", "verdict", "line_of_sight", "in_arc", "occluded", "occluded_in_arc", "error"),
    *("target_pixels", "occluded_pixels", "seen_pixels", "blockers", "marginal", "could_be", "rule", "reason"),
    *("renderer", "pixel", "decided_by", "projection", "expected"),
}
PARTIAL = CHECK + 'expect = { verdict = "partial cover", occluded = [0.3, 0.36] }\n'
WRONG = CHECK + 'expect = { verdict = "hidden" }\n'

PROJECT = Path(__file__).resolve().parents[2]


def pairs(ran: Ran) -> list[tuple[str, str]]:
    return [(row["attacker"], row["target"]) for each in ran.document["scenes"] for row in each["results"]]


# ---- check


def test_check_prints_a_table_and_the_reason_in_words(tmp_path: Path, capsys: Capture) -> None:
    ran = run(capsys, "check", scene(tmp_path, PARTIAL), *QUICK)
    assert ran.status == 0
    assert ran.err == ""
    assert re.search(r"Kal +Vex +partial cover +3\d\.\d % ± [\d.]+ % +wall 3\d\.\d % +reference +held", ran.out)
    assert "Kal to Vex: 32.6 % of Vex is obscured by the wall; less than half: partial cover" in ran.out
    assert "Behind the wall" in ran.out
    assert "\x1b" not in ran.out


def test_check_prints_one_json_document_with_the_keys_of_the_contract(tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, PARTIAL, CHECK)
    ran = run(capsys, "check", path, "--json", *QUICK)
    assert (ran.status, ran.err) == (0, "")
    (entry,) = ran.document["scenes"]
    assert (entry["scene"], entry["title"], entry["rules"]) == (str(path), "Behind the wall", "necromunda")
    first, second = entry["results"]
    assert first.keys() >= ROW
    assert (first["expected"], second["expected"]) == (True, None)
    assert first["blockers"][0]["name"] == "wall"


def test_json_is_ascii_and_names_keep_their_letters(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "duel.toml"
    path.write_text((WALLED + CHECK).replace("Vex", "Vëx [bold]"), encoding="utf-8")
    ran = run(capsys, "check", path, "--json", *QUICK)
    assert ran.out.isascii()
    assert pairs(ran) == [("Kal", "Vëx [bold]")]
    assert "Vëx [bold]" in run(capsys, "check", path, *QUICK).out


def test_an_expectation_that_does_not_hold_is_marked_and_gives_status_1(tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, PARTIAL, WRONG)
    ran = run(capsys, "check", path, *QUICK)
    assert (ran.status, ran.err) == (1, "")
    assert "NOT AS EXPECTED: Kal to Vex: verdict is 'partial cover', not 'hidden'" in ran.out
    assert ran.out.count("BROKEN") == 1
    rows = run(capsys, "check", path, "--json", *QUICK).document["scenes"][0]["results"]
    assert [row["expected"] for row in rows] == [True, False]
    assert rows[1]["unmet"] == ["verdict is 'partial cover', not 'hidden'"]


def test_what_is_marginal_is_marked_too_close_to_call(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "close.toml"
    path.write_text("tolerance = 0.3\n" + WALLED + CHECK, encoding="utf-8")
    assert "partial cover, too close to call" in run(capsys, "check", path, *QUICK).out
    assert "too close to call" not in run(capsys, "check", scene(tmp_path, CHECK), *QUICK).out


def test_from_and_to_judge_one_pair_that_no_check_asks_for(tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, WRONG)
    ran = run(capsys, "check", path, "--from", "Vex", "--to", "Kal", "--json", *QUICK)
    assert (ran.status, pairs(ran)) == (0, [("Vex", "Kal")])
    assert ran.document["scenes"][0]["results"][0]["expected"] is None


def test_from_alone_judges_every_other_model(tmp_path: Path, capsys: Capture) -> None:
    ran = run(capsys, "check", scene(tmp_path), "--from", "hauler", "--json", *QUICK)
    assert pairs(ran) == [("hauler", "Kal"), ("hauler", "Vex")]


def test_an_arc_that_the_attacker_lacks_is_a_blind_spot(tmp_path: Path, capsys: Capture) -> None:
    ran = run(capsys, "check", scene(tmp_path), "--from", "hauler", "--to", "Kal", "--arc", "left", "--json", *QUICK)
    assert ran.document["scenes"][0]["results"][0]["rule_number"] == "R4"


def test_a_folder_means_all_its_scenes_sorted(tmp_path: Path, capsys: Capture) -> None:
    for name in ("b.toml", "a.toml", "c.TOML"):
        scene(tmp_path, PARTIAL, name=name)
    (tmp_path / "notes.txt").write_text("no scene")
    ran = run(capsys, "check", tmp_path, "--json", *QUICK)
    assert ran.status == 0
    assert [Path(each["scene"]).name for each in ran.document["scenes"]] == ["a.toml", "b.toml", "c.TOML"]
    told = run(capsys, "check", tmp_path, *QUICK).out
    assert "3 checks in 3 scenes, every expectation held" in told


def test_a_bad_scene_is_one_line_and_the_others_are_still_judged(tmp_path: Path, capsys: Capture) -> None:
    good, bad = scene(tmp_path, WRONG), tmp_path / "bad.toml"
    bad.write_text('rules = "necromunda"\nfigther = []\n')
    ran = run(capsys, "check", good, bad, good, *QUICK)
    assert ran.status == 2
    (complaint,) = ran.complaints
    assert complaint == f"error: {bad}: unknown key 'figther'; did you mean 'fighter'?"
    assert ran.out.count("Kal to Vex: 32.6 %") == 2
    ran = run(capsys, "check", bad, good, "--json", *QUICK)
    assert (ran.status, len(ran.complaints)) == (2, 1)
    failed, judged = ran.document["scenes"]
    assert failed["error"] == complaint.removeprefix("error: ")
    assert failed["results"] == []
    assert "error" not in judged
    assert len(judged["results"]) == 1


def test_what_was_judged_before_a_scene_fails_stays_judged(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from silhouette.rules.necromunda.rule import Necromunda

    judge = Necromunda.judge

    def failing(requests: Any, settings: Any) -> Any:
        if any(check is table.checks[1] for table, check in requests):
            raise ZeroDivisionError("a bug\nin two lines")
        return judge(requests, settings)

    monkeypatch.setattr(Necromunda, "judge", staticmethod(failing))
    path = scene(tmp_path, CHECK, CHECK)
    ran = run(capsys, "check", path, "--json", *QUICK)
    assert ran.status == 2
    (complaint,) = ran.complaints
    assert complaint.startswith(f"error: {path}: internal: ZeroDivisionError: a bug in two lines; please report it")
    assert len(ran.document["scenes"][0]["results"]) == 1


def test_quiet_leaves_the_table_and_what_is_not_as_expected(tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, PARTIAL, WRONG, '[[check]]\nattacker = "Vex"\ntarget = "Kal"\n')
    loud, quiet = (run(capsys, "check", path, *QUICK, *words).out for words in ([], ["--quiet"]))
    assert "warning: the eye of Vex is estimated" in loud
    assert "warning" not in quiet
    assert "less than half" not in quiet
    assert "NOT AS EXPECTED" in quiet
    assert "partial cover" in quiet


# ---- pictures


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", pytest.param("matrix", marks=pytest.mark.long)])
def test_quiet_leaves_the_answers_that_options_ask_for(
    command: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = Field(reach=8.0, least=2.0, growth=0.5, widest=4.0)
    monkeypatch.setattr(counterfactuals, "MOVE_FIELD", near)
    monkeypatch.setattr(counterfactuals, "TURN_FIELD", replace(near, is_line=True))
    two = tmp_path / "two.toml"
    two.write_text(WALLED.split("[[vehicle]]")[0] + (CHECK if command == "check" else "") + "[doubt]\nplace = 20\n")
    ran = run(capsys, command, two, "--pixel", "0.5", "--no-cache", "--quiet", "--what-if")
    assert ran.status == 0
    assert "Kal to Vex: " in ran.out
    assert "without the wall: open" in ran.out
    ran = run(capsys, command, two, "--pixel", "0.5", "--no-cache", "--quiet", "--odds")
    assert ran.status == 0
    assert " in 100" in ran.out


@pytest.mark.long
def test_a_picture_is_written_where_it_was_asked_for(tmp_path: Path, capsys: Capture) -> None:
    path, picture = scene(tmp_path, CHECK), tmp_path / "eye.png"
    ran = run(capsys, "check", path, "--picture", picture, *QUICK)
    assert (ran.status, ran.err) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"drawn in {picture}" in ran.out
    assert sorted(file.name for file in tmp_path.iterdir()) == ["eye.png", "walled.toml"]


def test_pictures_of_several_checks_are_numbered(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawing(scene: Any, verdict: Any, renderer: Any, path: Path) -> None:
        path.write_bytes(f"{verdict.attacker} {verdict.target}".encode())

    monkeypatch.setattr("silhouette.drawing.games.necromunda.draw_eye_view", drawing)
    path = scene(tmp_path, CHECK, CHECK)
    ran = run(capsys, "check", path, path, "--picture", tmp_path / "eye.png", "--json", *QUICK)
    rows = [row for each in ran.document["scenes"] for row in each["results"]]
    assert [Path(row["picture"]).name for row in rows] == [f"eye-{number}.png" for number in (1, 2, 3, 4)]
    assert sorted(file.name for file in tmp_path.glob("*.png")) == [f"eye-{number}.png" for number in (1, 2, 3, 4)]


@pytest.mark.slow
def test_a_picture_that_fails_leaves_no_half_file_and_the_old_one(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(old: Any, new: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", failing)
    path, picture = scene(tmp_path, CHECK), tmp_path / "eye.png"
    picture.write_bytes(b"old")
    ran = run(capsys, "check", path, "--picture", picture, "--json", *QUICK)
    assert ran.status == 2
    assert ran.complaints == [f"error: {picture}: cannot be written (no space left on device)"]
    assert picture.read_bytes() == b"old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["eye.png", "walled.toml"]
    assert len(ran.document["scenes"][0]["results"]) == 1


# ---- matrix


def test_matrix_judges_everyone_against_everyone(tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, WRONG)
    ran = run(capsys, "matrix", path, "--json", *QUICK)
    assert (ran.status, ran.err) == (0, "")
    names = ("Kal", "Vex", "hauler")
    assert pairs(ran) == [(one, other) for one in names for other in names if one != other]
    assert ran.document["scenes"][0]["results"][0].keys() >= ROW
    told = run(capsys, "matrix", path, *QUICK)
    assert re.search(r"Kal +Vex +hauler", told.out)
    assert re.search(r"Kal +partial +hidden", told.out)
    assert "the share is what is obscured" in told.out


def test_matrix_needs_two_models(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "lonely.toml"
    path.write_text('rules = "necromunda"\nfighter = [{ name = "Kal", at = [0, 0], parts = [{ box = [9, 9, 30] }] }]\n')
    ran = run(capsys, "matrix", path, *QUICK)
    assert (ran.status, ran.out) == (2, "")
    assert ran.complaints == [f"error: {path}: fewer than two fighters or vehicles stand there; add another to look at"]


# ---- inspect


def box_stl(path: Path, *sizes: float) -> Path:
    """An ASCII STL of a box."""
    from silhouette.meshes.primitives import Box, Solid, solid

    mesh = solid(Solid(Box((sizes[0], sizes[1], sizes[2]))))
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in triangle)
        + "endloop\nendfacet\n"
        for triangle in mesh.vertices[mesh.faces]
    )
    path.write_text(f"solid box\n{facets}endsolid box\n")
    return path


def test_inspect_prints_the_keys_of_the_contract(tmp_path: Path, capsys: Capture) -> None:
    path = box_stl(tmp_path / "block.stl", 12, 10, 30)
    ran = run(capsys, "inspect", path, "--json", "--no-cache")
    assert (ran.status, ran.err) == (0, "")
    found = ran.document
    assert found["file"] == str(path)
    assert (found["format"], found["triangles"], found["extents"]) == ("stl", 12, [12.0, 10.0, 30.0])
    assert (found["units"], found["units_from"], found["up"], found["kind"]) == ("mm", "guessed", "z", "fighter")
    assert found["parts"] == [{"name": "box", "triangles": 12, "role": "body"}]
    assert (found["base"], found["eye_from"], found["eye"]) == (None, "estimated", [0.0, 5.0, 27.0])
    assert (found["watertight"], found["holes"], found["suggested"], found["warnings"]) == (True, 0, [], [])


def test_inspect_takes_options_for_a_bare_mesh(tmp_path: Path, capsys: Capture) -> None:
    path = box_stl(tmp_path / "block.stl", 3, 3, 1)
    words = ("--kind", "terrain", "--units", "cm", "--up", "y", "--scale", "2")
    found = run(capsys, "inspect", path, "--json", "--no-cache", *words).document
    assert (found["extents"], found["units"], found["units_from"]) == ([60.0, 20.0, 60.0], "cm", "given")
    assert (found["kind"], found["up"], found["parts"][0]["role"]) == ("terrain", "y", "terrain")
    assert found["eye"] is None


def test_inspect_says_what_a_model_file_tags(tmp_path: Path, capsys: Capture) -> None:
    box_stl(tmp_path / "block.stl", 12, 10, 30)
    model = tmp_path / "block.toml"
    model.write_text(
        'mesh = "block.stl"\nbase = { height = 3 }\neye = [0, 5, 28]\n'
        "[[insignificant]]\nbox = [[-9, -9, 29.9], [9, 9, 31]]\n"
    )
    found = run(capsys, "inspect", model, "--json", "--no-cache").document
    assert {part["role"] for part in found["parts"]} == {"base", "body", "insignificant"}
    assert sum(part["triangles"] for part in found["parts"]) == found["triangles"]
    assert found["base"] == {"from": "height", "height": 3.0, "diameter": 12.0}
    assert (found["eye"], found["eye_from"]) == ([0.0, 5.0, 28.0], "given")
    told = run(capsys, "inspect", model, "--no-cache").out
    assert "base    12.0 mm across, 3.00 mm high (height)" in told
    assert "eye     0.0, 5.0, 28.0 (given)" in told
    refused = run(capsys, "inspect", model, "--units", "cm")
    assert (refused.status, refused.out, len(refused.complaints)) == (2, "", 1)


def test_inspect_suggests_a_part_with_lines_to_paste(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from silhouette.models.thin_parts import Suggestion

    def top(mesh: Any, body: Any) -> tuple[Suggestion, ...]:
        faces = body & (mesh.vertices[mesh.faces].mean(axis=1)[:, 2] > 29.9)
        return (Suggestion(np.array([-6.0, -5, 29.9]), np.array([6.0, 5, 30.1]), faces, 0.0512345, 1.5, 12.0),)

    monkeypatch.setattr("silhouette.models.inspection.suggest_insignificant", top)
    path = box_stl(tmp_path / "block.stl", 12, 10, 30)
    (found,) = run(capsys, "inspect", path, "--json", "--no-cache").document["suggested"]
    assert (found["box"], found["share"]) == ([[-6.0, -5.0, 29.9], [6.0, 5.0, 30.1]], 0.0512)
    told = run(capsys, "inspect", path, "--no-cache").out
    assert all(line in told for line in found["toml"].splitlines())
    model = tmp_path / "block.toml"
    model.write_text(f'mesh = "block.stl"\n{found["toml"]}')
    parts = run(capsys, "inspect", model, "--json", "--no-cache").document["parts"]
    assert [(part["role"], part["triangles"]) for part in parts] == [("body", 10), ("insignificant", 2)]


@pytest.mark.long
def test_inspect_draws_four_views(tmp_path: Path, capsys: Capture) -> None:
    path, picture = box_stl(tmp_path / "block.stl", 12, 10, 30), tmp_path / "views.png"
    assert run(capsys, "inspect", path, "--picture", picture, "--no-cache").status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["block.stl", "views.png"]


# ---- doctor, rules, version, help


def test_doctor_says_what_works_and_what_auto_takes(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from silhouette.renderers.probe import Probe

    probes = [Probe("embree", False, "CPU", "embreex is not installed"), Probe("reference", True, "numpy", "")]
    monkeypatch.setattr("silhouette.cli.doctor.probe_renderers", lambda step: probes)
    found = run(capsys, "doctor", "--quick", "--json").document
    assert found["renderers"][0] == {
        "name": "embree",
        "works": False,
        "device_option": None,
        "memory": None,
        "device": "CPU",
        "driver": None,
        "hardware": False,
        "reason": "embreex is not installed",
        "checks_per_second": None,
    }
    assert found["auto"]["name"] in ("layers (embree)", "layers (gl)", "layers (reference)")
    assert found["versions"].keys() >= {"python", "silhouette", "numpy", "trimesh", "pyrender2", "embreex"}
    assert found["cache"].keys() == {"folder", "entries", "bytes"}
    told = run(capsys, "doctor", "--quick")
    assert (told.status, told.err) == (0, "")
    assert re.search(r"embree +no +CPU +embreex is not installed", told.out)
    assert "auto takes" in told.out


def test_rules_lists_what_each_reads(capsys: Capture) -> None:
    systems = {one["name"]: one for one in run(capsys, "rules", "--json").document["rules"]}
    assert systems.keys() == set(RULES)
    assert set(BY_CODE) == {"necromunda", "crisis-protocol", "tide-of-iron", "ikosa", "skirmishcorps"}
    assert "fighter" in systems["necromunda"]["reads"]
    told = run(capsys, "rules").out
    for name, system in systems.items():
        assert name in told
        assert (PROJECT / system["example"]).is_file()


def test_version_and_help(capsys: Capture) -> None:
    assert re.fullmatch(r"silhouette \d+\.\d+\.\d+\n", run(capsys, "--version").out)
    for words in (["--help"], ["-h"]):
        ran = run(capsys, *words)
        assert (ran.status, ran.err) == (0, "")
        assert all(command in ran.out for command in ("check", "matrix", "inspect", "doctor", "rules"))
    assert "--picture" in run(capsys, "check", "--help").out


def test_help_imports_nothing_heavy() -> None:
    script = "import sys, silhouette.cli.app as c; c.main(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    for heavy in ("numpy", "pydantic", "trimesh", "rich", "silhouette.judging"):
        assert f"'{heavy}'" not in done.stderr


@pytest.mark.parametrize(("asked", "threads"), [(None, "1"), ("2", None)])
def test_linear_algebra_has_one_thread_unless_the_user_asks_for_more(asked: str | None, threads: str | None) -> None:
    script = "import os, silhouette.cli.app as c; c.main(['--version']); print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    given = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    given |= {} if asked is None else {"OMP_NUM_THREADS": asked}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=given)
    assert done.stdout.splitlines()[-1] == str(threads)


def imported_by(words: list[str]) -> str:
    """The modules that a process has when it has run a command, as Python writes their names."""
    script = f"import sys, silhouette.cli.app as c; c.main({words!r}); print(sorted(sys.modules), file=sys.stderr)"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stderr


def test_a_check_of_solids_imports_no_mesh_library(tmp_path: Path) -> None:
    imported = imported_by(["check", str(scene(tmp_path, CHECK)), "--renderer", "reference", "--pixel", "1"])
    for heavy in ("trimesh", "pyrender", "PIL", "embreex", "scipy.spatial", "scipy.optimize"):
        assert f"'{heavy}'" not in imported


def test_figures_of_solids_import_nothing_that_draws_none(tmp_path: Path) -> None:
    words = ["draw", str(scene(tmp_path, CHECK)), "--out", str(tmp_path / "figures")]
    imported = imported_by([*words, "--renderer", "reference", "--pixel", "1"])
    for heavy in ("trimesh", "pyrender", "embreex", "scipy.spatial", "scipy.ndimage", "scipy.special"):
        assert f"'{heavy}'" not in imported
    assert "'matplotlib.axes'" in imported
