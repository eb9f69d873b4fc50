"""How fine and how sure: the pixel and the error that are asked for, by options, keys of scenes, and from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import silhouette
from silhouette.judging import DEFAULT_PIXEL_MM, JudgingOptions, Selection, content_with, judge_all, load_scene
from silhouette.renderers import choose
from tests.conftest import PROJECT
from tests.support.commands import CHECK, WALLED, run

Capture = pytest.CaptureFixture[str]
EXAMPLE = PROJECT / "scenes" / "necromunda" / "example_2_partial_cover.toml"
BARRICADE = PROJECT / "scenes" / "skirmishcorps" / "gangers_at_the_barricade.toml"


@pytest.mark.parametrize(
    ("key", "words", "pixel"),
    [("", [], DEFAULT_PIXEL_MM), ("pixel = 0.8\n", [], 0.8), ("pixel = 0.8\n", ["--pixel", "0.4"], 0.4)],
)
def test_pixel_is_the_option_else_the_scenes_else_a_tenth(
    tmp_path: Path, capsys: Capture, key: str, words: list[str], pixel: float
) -> None:
    path = tmp_path / "duel.toml"
    path.write_text(key + WALLED + CHECK, encoding="utf-8")
    ran = run(capsys, "check", path, "--json", "--no-cache", *words)
    assert ran.document["scenes"][0]["results"][0]["pixel"] == pytest.approx(pixel)


@pytest.mark.parametrize(
    ("key", "words", "most"),
    [("", [], 0.002), ("error = 0.01\n", [], 0.01), ("error = 0.01\n", ["--error", "0.003"], 0.003)],
)
def test_error_is_the_option_else_the_scenes_else_a_fifth_of_a_hundredth(
    tmp_path: Path, capsys: Capture, key: str, words: list[str], most: float
) -> None:
    """An example whose share no other verdict is near: what is allowed is what is stated, but for what is left over."""
    text = (PROJECT / "scenes/necromunda/example_2_partial_cover.toml").read_text(encoding="utf-8")
    path = tmp_path / "duel.toml"
    path.write_text(key + text.replace("../../models", (PROJECT / "models").as_posix()), encoding="utf-8")
    (row,) = run(capsys, "check", path, "--json", *words).document["scenes"][0]["results"]
    (exact,) = run(capsys, "check", path, "--json", "--error", "0.0001").document["scenes"][0]["results"]
    assert row["verdict"] == exact["verdict"]
    assert abs(row["occluded"] - exact["occluded"]) <= row["error"] + exact["error"]
    assert exact["error"] <= row["error"] <= most
    assert row["error"] < 1e-6  # whatever is allowed


@pytest.mark.long
@pytest.mark.parametrize("scene", [EXAMPLE, BARRICADE], ids=lambda path: path.parent.name)
def test_the_error_allowed_reaches_the_measurement_from_a_batch_as_from_python(scene: Path) -> None:
    """A witness takes finer pixels for it; what is counted by layers is as exact without."""
    plain, fine = (next(silhouette.batch(scene, renderer="embree", error=error)) for error in (None, 0.001))
    assert plain["verdict"] == fine["verdict"]
    assert fine["error"] <= 0.001 < plain["error"]
    table = content_with(load_scene(scene), 0.001)
    (judged,) = judge_all([(table, Selection().checks(table)[0])], JudgingOptions(choose("embree")))
    assert judged.row()["error"] == fine["error"]


@pytest.mark.parametrize("scene", [EXAMPLE, BARRICADE], ids=lambda path: path.parent.name)
@pytest.mark.parametrize(("renderer", "reaches_it"), [("embree", False), ("auto", True)])
def test_an_error_that_is_not_reached_is_a_warning(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, scene: Path, renderer: str, reaches_it: bool
) -> None:
    """Rays are limited, and so is what a witness can do; what layers count is far within what may be asked for."""
    monkeypatch.setattr("silhouette.measure.observe.MOST_RAYS", 1)
    ran = run(capsys, "check", scene, "--json", "--renderer", renderer, "--error", "0.0001")
    row = ran.document["scenes"][0]["results"][0]
    assert (row["error"] <= 0.0001) == reaches_it
    warned = [warning for warning in row["warnings"] if "instead of ± 0.01 %; only the renderer auto" in warning]
    assert len(warned) == (not reaches_it)
