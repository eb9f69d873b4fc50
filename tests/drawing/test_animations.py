"""Checks in motion: every frame is what `check` says of the scene posed like that, and the file tells it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from silhouette.common.installation import extra_command
from silhouette.drawing.animation.film import Animation, animate
from silhouette.drawing.animation.frames import FRAME_WIDTH_PX
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.renderers import choose
from silhouette.rules.base import Band, Level, VerdictScale
from silhouette.scenes.places import Motion
from silhouette.workers import CAN_FORK
from tests.conftest import started
from tests.support.commands import CHECK, run, scene

QUICK = ("--pixel", "0.5", "--no-cache")
"""Eye views are large: the renderer that is fastest here draws them."""

SCENES = Path(__file__).resolve().parents[2] / "scenes"

HALVES = VerdictScale(
    (0.0, 0.5, 1.0), (Band(0.0, 0.5, "partial cover", Level.PARTIAL), Band(0.5, 1.0, "full cover", Level.FULL))
)

UNITS = """
title = "Behind the wall"
rules = "skirmishcorps"
unit = [{ name = "A", at = [0, 0] }, { name = "B", at = [150, 0] }]
cover = [{ name = "wall", at = [130, 0], size = [8, 60], height = 2 }]
check = [{ attacker = "A", target = "B" }, { ask = "classify", height = 2, unit_height = 4 }]
"""

HOSTILE = '<b>\U0001f480 "quoted" & ' + "w" * 70


def told_by_gif(file: Path) -> dict[str, Any]:
    """What the comment of a GIF holds."""
    with Image.open(file) as image:
        found: dict[str, Any] = json.loads(image.info["comment"])
        return found


def frames_of(file: Path) -> list[np.ndarray[Any, Any]]:
    """(height, width, 3) of every frame of a GIF."""
    found = []
    with Image.open(file) as image:
        for number in range(image.n_frames):
            image.seek(number)
            found.append(np.asarray(image.convert("RGB")).astype(int))
    return found


def checked(capsys: pytest.CaptureFixture[str], path: Path, document: dict[str, Any]) -> dict[str, Any]:
    """What `silhouette check` says of a document that is written down."""
    file = path.with_name("posed.json")
    file.write_text(json.dumps(document), encoding="utf-8")
    (row,) = run(capsys, "check", file, "--json", *QUICK).document["scenes"][0]["results"]
    found: dict[str, Any] = row
    return found


@pytest.mark.long
def test_every_frame_of_a_walk_is_what_check_says_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "walk.gif"
    ran = run(capsys, "draw", file, "--animate", out, "--walk", "60,200,5", "--frames", "5", "--json", *QUICK)
    assert ran.status == 0
    kept, rows = told_by_gif(out), ran.document["frames"]
    assert (kept["scene"], kept["check"], len(kept["frames"]), len(rows)) == (file.name, 1, 5, 5)
    assert [frame["at"] for frame in kept["frames"]] == [
        [0, 200],
        [15, 200, 1.25],
        [30, 200, 2.5],
        [45, 200, 3.75],
        [60, 200, 5],
    ]
    for frame, row in zip(kept["frames"], rows, strict=True):
        document = read_document(file)
        for fighter in document["fighter"]:
            if fighter["name"] == "Vex":
                fighter["at"] = frame["at"]
        found = checked(capsys, file, document)
        for key in ("verdict", "occluded", "error"):
            assert found[key] == frame[key] == row[key], (frame, key)
    assert kept["frames"][0]["verdict"] == "partial cover"
    assert kept["frames"][-1]["verdict"] == "open"


@pytest.mark.parametrize("unit", [{"units": "inch"}, {"units": "square"}, {"units": "square", "square": 25.4}])
def test_the_places_of_a_walk_in_inches_are_results_and_so_in_mm(
    unit: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = [
        {"name": name, "at": at, "facing": 0, "figure": {"base": 25, "height": 32}}
        for name, at in (("Kal", [0, 0]), ("Vex", [4, 0]))
    ]
    file = tmp_path / "inches.json"
    checks = [{"attacker": "Kal", "target": "Vex"}]
    file.write_text(json.dumps({"rules": "necromunda", **unit, "fighter": figures, "check": checks}))
    ran = run(capsys, "draw", file, "--animate", tmp_path / "a.gif", "--walk", "8,2", "--frames", "2", "--json", *QUICK)
    assert [frame["at"] for frame in ran.document["frames"]] == [[101.6, 0.0], [203.2, 50.8]]


@pytest.mark.long
def test_every_frame_of_a_turn_is_what_check_says_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "turn.gif"
    assert run(capsys, "draw", file, "--animate", out, "--turn=-80", "--frames", "5", *QUICK).status == 0
    frames = told_by_gif(out)["frames"]
    assert [frame["facing"] for frame in frames] == [90, 70, 50, 30, 10]
    for frame in frames:
        document = read_document(file)
        for fighter in document["fighter"]:
            if fighter["name"] == "Kal":
                fighter["facing"] = frame["facing"]
        found = checked(capsys, file, document)
        assert [found[key] for key in ("verdict", "occluded", "error")] == [
            frame[key] for key in ("verdict", "occluded", "error")
        ]
    assert [frame["verdict"] for frame in frames][::4] == ["partial cover", "hidden"]


@pytest.mark.long
def test_units_of_skirmishcorps_walk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "units.toml", tmp_path / "walk.gif"
    file.write_text(UNITS, encoding="utf-8")
    said = run(capsys, "draw", file, "--animate", out, "--check", "1", "--walk", "150,80", "--frames", "4", *QUICK)
    assert said.status == 0
    assert said.out.splitlines()[-1] == f"4 frames in {out}"
    assert [frame["verdict"] for frame in told_by_gif(out)["frames"]][::3] == ["low cover", "open"]


@pytest.mark.long
def test_characters_of_crisis_protocol_walk_over_one_stretch_of_map(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = SCENES / "crisis_protocol" / "in_cover.toml", tmp_path / "walk.gif"
    ran = run(capsys, "draw", file, "--animate", out, "--walk", "120,-120", "--frames", "4", "--json", *QUICK)
    assert ran.status == 0
    kept = told_by_gif(out)["frames"]
    for frame in kept:
        document = read_document(file)
        document["character"][1]["at"] = frame["at"]
        document["check"] = [{"attacker": "Baron Zemo", "target": "Captain Marvel"}]
        assert checked(capsys, tmp_path / "x", document)["verdict"] == frame["verdict"]
    assert [frame["verdict"] for frame in kept][::3] == ["cover", "open"]
    attacker = [frame[200:260, 110:165] for frame in frames_of(out)]
    assert all(np.abs(one - attacker[0]).mean() < 12 for one in attacker)  # the attacker stands where it stood


@pytest.mark.long
def test_all_frames_share_their_colours_and_nothing_that_stands_still_flickers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "walk.gif"
    run(capsys, "draw", file, "--animate", out, "--walk", "60,200", "--frames", "6", *QUICK)
    frames = frames_of(out)
    assert len(frames) == 6
    assert {frame.shape for frame in frames} == {(frames[0].shape[0], FRAME_WIDTH_PX, 3)}
    colours = {tuple(colour) for frame in frames for colour in np.unique(frame.reshape(-1, 3), axis=0)}
    assert len(colours) <= 255
    title = [frame[:40, :200] for frame in frames]
    assert all((one == title[0]).all() for one in title)
    assert out.stat().st_size < 1e6
    with Image.open(out) as image:
        assert image.info["loop"] == 0


@pytest.mark.long
def test_an_mp4_tells_the_same_as_a_gif(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    av = pytest.importorskip("av")
    file = scene(tmp_path, CHECK)
    for ending in ("gif", "mp4"):
        words = ("--animate", tmp_path / f"walk.{ending}", "--walk", "60,200", "--frames", "4", "--fps", "10")
        assert run(capsys, "draw", file, *words, *QUICK).status == 0
    with av.open(str(tmp_path / "walk.mp4")) as container:
        assert json.loads(container.metadata["comment"]) == told_by_gif(tmp_path / "walk.gif")
        pictures = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
    shown = frames_of(tmp_path / "walk.gif")
    assert len(pictures) == 4 + 5 + 15  # the first stays for half a second, the last for one and a half
    assert np.abs(pictures[0] - shown[0]).mean() < 4
    assert np.abs(pictures[-1] - shown[-1]).mean() < 4
    assert np.abs(pictures[0] - shown[-1]).mean() > 4


@pytest.mark.long
def test_several_processes_write_the_same_file(tmp_path: Path) -> None:
    if not CAN_FORK:
        pytest.skip("needs forked processes, which are Linux's")
    renderer = started("embree")
    asked = Animation(
        SCENES / "necromunda" / "example_4_full_cover.toml", None, Motion(walk=(30, 212), frames=3), 12.0, 0.8
    )
    files = [tmp_path / f"{workers}.gif" for workers in (1, 2)]
    rows = [animate(asked, file, renderer, Cache(None), workers) for workers, file in enumerate(files, 1)]
    assert rows[0] == rows[1]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("game", ["kill_team_2024", "legion"])
def test_games_that_count_no_share_walk_over_their_plan(tmp_path: Path, game: str) -> None:
    steps = list[tuple[int, int]]()
    animation = Animation(SCENES / game / "example.toml", 1, Motion(walk=(10, 150), frames=2), 12.0, 0.8)
    rows = animate(animation, tmp_path / "walk.gif", choose("auto"), Cache(None), 1, lambda *step: steps.append(step))
    assert [row["at"] for row in rows][-1] == [10, 150]
    assert [frame["verdict"] for frame in told_by_gif(tmp_path / "walk.gif")["frames"]] == [
        row["verdict"] for row in rows
    ]
    assert steps == sorted(steps)
    assert {total for _, total in steps} == {4}  # each frame is judged, and then written


def test_hostile_names_are_drawn_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "walk.gif"
    text = file.read_text(encoding="utf-8").replace('"Vex"', json.dumps(HOSTILE, ensure_ascii=False))
    file.write_text(text, encoding="utf-8")
    ran = run(capsys, "draw", file, "--animate", out, "--walk", "20,200", "--frames", "2", "--json", *QUICK)
    assert ran.status == 0
    assert ran.document["frames"][0]["target"] == HOSTILE


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--animate", "OUT.gif"), "nothing moves"),
        (("--walk", "0,100"), "say --animate FILE.gif as well"),
        ((), "say --out FOLDER, or --animate FILE.gif"),
        (("--animate", "OUT.avi", "--walk", "0,100"), "ends in .gif or .mp4"),
        (("--animate", "nowhere/OUT.gif", "--walk", "0,100"), "there is no folder"),
        (("--animate", "OUT.gif", "--walk", "there"), "give where to as X,Y or X,Y,Z"),
        (("--animate", "OUT.gif", "--walk", "1,nan"), "give where to as X,Y or X,Y,Z"),
        (("--animate", "OUT.gif", "--walk", "0,200"), "stands at [0, 200] already"),
        (("--animate", "OUT.gif", "--turn", "0"), "number of degrees that is not 0"),
        (("--animate", "OUT.gif", "--turn", "nan"), "number of degrees that is not 0"),
        (("--animate", "OUT.gif", "--turn", "9", "--frames", "1"), "a whole number from 2 to"),
        (("--animate", "OUT.gif", "--turn", "9", "--fps", "0"), "a number from 0.2 to 50"),
        (("--animate", "OUT.gif", "--turn", "9", "--check", "2"), "there is no check 2; it has 1"),
        (("--animate", "OUT.gif", "--turn", "9", "--out", "."), "--out is for figures"),
        (("--animate", "OUT.gif", "--turn", "9", "--style", "dark"), "--style is for figures"),
    ],
)
def test_what_cannot_be_is_said_in_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], problem: str
) -> None:
    file = scene(tmp_path, CHECK)
    words = tuple(str(tmp_path / word) if "OUT" in word else word for word in words)
    ran = run(capsys, "draw", file, *words, *QUICK)
    assert ran.status == 2
    (line,) = ran.complaints
    assert problem in line
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize(
    ("name", "words", "problem"),
    [
        (
            "skirmishcorps/over_his_own_wall.toml",
            ("--check", "1", "--turn", "9"),
            "nobody faces anywhere in skirmishcorps",
        ),
        ("skirmishcorps/classes.toml", ("--check", "1", "--walk", "9,9"), "asks 'classify'; only protection"),
        ("skirmishcorps/over_his_own_wall.toml", ("--walk", "9,9"), "has 3 checks; say --check N"),
        ("ikosa/face_to_face.toml", ("--walk", "9,9,9"), "animations are for"),
        ("tide_of_iron/same_elevation.toml", ("--check", "1", "--walk", "9,9"), "animations are for"),
    ],
)
def test_games_in_which_nothing_moves_so_say_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, words: tuple[str, ...], problem: str
) -> None:
    ran = run(capsys, "draw", SCENES / name, "--animate", tmp_path / "x.gif", *words, *QUICK)
    assert ran.status == 2
    (line,) = ran.complaints
    assert problem in line
    assert not list(tmp_path.iterdir())


def test_an_mp4_without_its_library_names_the_extra_before_anything_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    ran = run(capsys, "draw", scene(tmp_path, CHECK), "--animate", tmp_path / "x.mp4", "--walk", "9,9", *QUICK)
    assert ran.status == 2
    assert extra_command("mp4") in ran.complaints[0]


@pytest.mark.thinned(quick=32, ci=59)
@pytest.mark.parametrize("when", [0, 3, 5, 7])
def test_an_interruption_leaves_what_was_there(tmp_path: Path, when: int) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "walk.gif"
    out.write_bytes(b"an earlier one")

    def step(done: int, total: int) -> None:
        if done == when:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        animate(
            Animation(file, 1, Motion(walk=(60, 200), frames=4), 12.0, 0.5),
            out,
            choose("auto"),
            Cache(None),
            1,
            step,
        )
    assert out.read_bytes() == b"an earlier one"
    assert {one.name for one in tmp_path.iterdir()} == {file.name, out.name}
