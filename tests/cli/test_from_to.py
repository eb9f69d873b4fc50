"""``--from`` and ``--to`` of `draw` and `report`: one pair of a scene, whatever checks the scene has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import CHECK, QUICK, run, scene


@pytest.mark.slow
def test_a_pair_of_a_scene_without_checks_is_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "figures"
    ran = run(capsys, "draw", scene(tmp_path), "--from", "Kal", "--to", "Vex", "--out", out, "--json", *QUICK)
    assert ran.status == 0, ran.complaints
    (drawn,) = ran.document["checks"]
    assert (drawn["attacker"], drawn["target"]) == ("Kal", "Vex")
    assert sorted(file.name for file in out.iterdir()) == [f"01-kal-vex-{name}.svg" for name in ("eye", "plan", "side")]


@pytest.mark.slow
def test_a_pair_of_a_scene_without_checks_is_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    ran = run(capsys, "report", scene(tmp_path), "--from", "Vex", "--to", "Kal", "--out", out, "--json", *QUICK)
    assert ran.status == 0, ran.complaints
    assert [(row["attacker"], row["target"]) for row in ran.document["checks"]] == [("Vex", "Kal")]
    page = out.read_text(encoding="utf-8")
    assert "Vex to Kal" in page
    assert "silhouette check walled.toml --from Vex --to Kal</code>" in page


@pytest.mark.parametrize(
    ("command", "options", "wrong"),
    [
        ("draw", ["--to", "Vex"], "say --from NAME as well"),
        ("draw", ["--from", "Kal", "--check", "1"], "leave it out with --from"),
        ("draw", ["--from", "Kal", "--to", "Wex"], "did you mean 'Vex'?"),
        ("report", ["--to", "Vex"], "say --from NAME as well"),
        ("report", ["--from", "Kal", "--to", "Wex"], "did you mean 'Vex'?"),
    ],
)
def test_a_selection_that_means_nothing_is_one_line(
    command: str, options: list[str], wrong: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ran = run(capsys, command, scene(tmp_path, CHECK), *options, "--out", tmp_path / "report.html", *QUICK)
    assert ran.status == 2
    assert len(ran.complaints) == 1
    assert wrong in ran.complaints[0]
