"""Checks in motion: every frame is what `check` says of the scene posed like that, and the file tells it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from silhouette.drawing.animation.film import Animation, animate
from silhouette.drawing.animation.frames import WIDTH, Shot, Storyboard
from silhouette.drawing.animation.plot import Plot, Point
from silhouette.drawing.animation.words import COLOURS
from silhouette.drawing.page import FINE
from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.judging import load_scene
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Band, Level, Scale
from silhouette.scenes.motion import DIGITS, Mobility, Motion, place_of, poses
from silhouette.workers import CAN_FORK
from tests.conftest import started
from tests.support.commands import CHECK, run, scene

QUICK = ("--pixel", "0.5", "--no-cache")
"""Eye views are large: the renderer that is fastest here draws them."""

SCENES = Path(__file__).resolve().parents[2] / "scenes"

HALVES = Scale(
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


def test_every_frame_of_a_walk_is_what_check_says_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "walk.gif"
    ran = run(capsys, "draw", file, "--animate", out, "--walk", "60,200,5", "--frames", "5", "--json", *QUICK)
    assert ran.status == 0
    kept, rows = told_by_gif(out), ran.document["frames"]
    assert (kept["scene"], kept["check"], len(kept["frames"]), len(rows)) == (str(file), 1, 5, 5)
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


def test_units_of_skirmishcorps_walk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "units.toml", tmp_path / "walk.gif"
    file.write_text(UNITS, encoding="utf-8")
    said = run(capsys, "draw", file, "--animate", out, "--check", "1", "--walk", "150,80", "--frames", "4", *QUICK)
    assert said.status == 0
    assert said.out.splitlines()[-1] == f"4 frames in {out}"
    assert [frame["verdict"] for frame in told_by_gif(out)["frames"]][::3] == ["low cover", "open"]


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


def test_all_frames_share_their_colours_and_nothing_that_stands_still_flickers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "walk.gif"
    run(capsys, "draw", file, "--animate", out, "--walk", "60,200", "--frames", "6", *QUICK)
    frames = frames_of(out)
    assert len(frames) == 6
    assert {frame.shape for frame in frames} == {(frames[0].shape[0], WIDTH, 3)}
    colours = {tuple(colour) for frame in frames for colour in np.unique(frame.reshape(-1, 3), axis=0)}
    assert len(colours) <= 255
    title = [frame[:40, :200] for frame in frames]
    assert all((one == title[0]).all() for one in title)
    assert out.stat().st_size < 1e6
    with Image.open(out) as image:
        assert image.info["loop"] == 0


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
        ((), "say --out DIR, or --animate FILE.gif"),
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
    assert "pip install 'silhouette[animate]'" in ran.complaints[0]


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


numbers = st.floats(-500, 500).map(lambda number: round(number, 2))


@given(st.tuples(numbers, numbers), st.tuples(numbers, numbers, numbers), st.integers(2, 40), st.floats(-300, 300))
def test_a_motion_is_even_begins_as_the_scene_is_and_moves_nothing_else(
    start: tuple[float, float], end: tuple[float, float, float], frames: int, turn: float
) -> None:
    others = {"terrain": [{"name": "wall", "at": [1, 2]}], "title": "Duel", "readings": {}}
    fighters = [{"name": "Kal", "at": [0, 0]}, {"name": "Vex", "at": list(start)}, {"name": "Yar", "at": [5, 5]}]
    document = {"rules": "necromunda", "fighter": fighters, "check": [{"attacker": "Kal", "target": "Vex"}], **others}
    before = json.dumps(document)
    assume(not np.allclose((*start, 0.0), end, atol=10.0**-DIGITS) and abs(turn) >= 1e-9)  # it moves and turns
    mobility = Mobility(("fighter",), turns=True)
    found = poses(Path("duel.toml"), document, 1, Motion(walk=end, turn=turn, frames=frames), mobility)
    assert json.dumps(document) == before
    assert len(found) == frames
    assert found[0].document["fighter"] == [{**fighters[0], "facing": 90.0}, *fighters[1:]]
    assert found[-1].at == pytest.approx(end, abs=10.0**-DIGITS)
    assert found[-1].facing == pytest.approx(90.0 + turn, abs=10.0**-DIGITS)
    ways = np.diff([one.way for one in found])
    assert ways == pytest.approx(np.full(frames - 1, ways.mean()), abs=4 * 10.0**-DIGITS)
    for one in found:
        assert {key: one.document[key] for key in others} == others
        assert one.document["fighter"][2] == fighters[2]
        assert one.document["fighter"][1]["at"] == one.at
        assert one.document["fighter"][0]["facing"] == one.facing


@pytest.mark.parametrize("text", ["", "1", "1,2,3,4", "a,b", "inf,0", "1e9,0"])
def test_what_is_no_place_is_none(text: str) -> None:
    with pytest.raises(RequestError, match="give where to as X,Y or X,Y,Z"):
        place_of(text)


def plot(*shares: float | None, errors: float = 0.0) -> Plot:
    points = [Point(float(way), "partial cover", Level.PARTIAL, share, errors, 0.0) for way, share in enumerate(shares)]
    return Plot(points, HALVES, ("0", "end"), 600 * FINE, Plot.height(measured=shares[0] is not None) * FINE)


def dark_columns(image: Image.Image) -> np.ndarray[Any, Any]:
    """The columns in which most of what is between the plot's upper edge and its strip is dark."""
    pixels = np.asarray(image.convert("L"))
    return np.flatnonzero((pixels[30:200] < 60).mean(axis=0) > 0.8)


def test_the_marker_goes_along_with_the_frames() -> None:
    drawn = plot(0.1, 0.4, 0.3, 0.2, 0.6)
    columns = [float(dark_columns(drawn.at(number)).mean()) for number in range(5)]
    assert np.diff(columns) == pytest.approx(np.full(4, (columns[-1] - columns[0]) / 4), abs=1.0)


def test_the_curve_is_as_high_as_the_share() -> None:
    def height(share: float) -> float:
        pixels = np.asarray(plot(share, share).at(0)).astype(int)
        column = pixels[:, pixels.shape[1] // 2]
        return float(np.flatnonzero((np.abs(column - (150, 60, 0)) < 30).all(axis=1)).mean())

    low, middle, high = height(0.1), height(0.4), height(0.9)
    assert (low - middle) / (middle - high) == pytest.approx(0.3 / 0.5, abs=0.05)


@pytest.mark.parametrize(
    ("example", "marks"),
    [
        ("necromunda/example_1_open.toml", (0.0, 0.5, 1.0)),
        ("skirmishcorps/over_his_own_wall.toml", (0.05, 0.5, 1.0)),
        ("ikosa/face_to_face.toml", (0.0, 1.0)),
    ],
)
def test_the_thresholds_are_those_of_the_rules(example: str, marks: tuple[float, ...]) -> None:
    scene = load_scene(SCENES / example, cache=Cache(None))
    assert rule_called(scene.rules).scale(scene).marks == marks


def test_what_lies_beyond_the_arc_is_shown_above_the_curve() -> None:
    points = [Point(float(way), "hidden", Level.BLOCKED, 0.2, 0.0, 0.4 * way) for way in range(3)]
    scale, size = HALVES, (600 * FINE, Plot.height(measured=True) * FINE)
    without = Plot(
        [Point(one.way, one.verdict, one.level, one.share, 0.0, 0.0) for one in points], scale, ("0", "1"), *size
    )
    pictures = [np.asarray(one.at(0)).astype(int) for one in (without, Plot(points, scale, ("0", "1"), *size))]
    changed = np.abs(pictures[1] - pictures[0]).sum(axis=2) > 20
    rows, columns = np.nonzero(changed)
    assert columns.mean() > 0.6 * size[0]
    assert rows.max() < 0.65 * size[1]


@pytest.mark.parametrize("level", [*Level, None])
def test_a_frame_has_even_sides_and_its_verdict_s_colour(level: Level | None) -> None:
    row = {"attacker": "Kal", "target": "Vex", "verdict": "in words", "reason": "because", "marginal": True}
    panel = np.full((60, 100, 3), 200, np.uint8)
    shots = [Shot(row, Point(float(way), "in words", level, 0.5, 0.01, 0.0), (panel, panel)) for way in range(2)]
    frame = Storyboard(shots, HALVES, ("0", "1")).frame(1)
    assert frame.mode == "RGB"
    assert COLOURS[level] in {colour for _, colour in frame.getcolors(frame.width * frame.height) or ()}
    assert frame.width % 2 == frame.height % 2 == 0


def test_pictures_are_read_back_from_what_was_written(tmp_path: Path) -> None:
    from silhouette.drawing.animation.files import write_animation

    class Two:
        size = (40, 20)

        def __len__(self) -> int:
            return 2

        def frame(self, number: int) -> Image.Image:
            return Image.new("RGB", self.size, ("#d55e00", "#56b4e9")[number])

    steps: list[tuple[int, int]] = []
    count: Callable[[int, int], None] = lambda done, total: steps.append((done, total))  # noqa: E731
    write_animation(Two(), tmp_path / "two.gif", 10.0, {"frames": [1, "\u00e9"]}, count)
    assert steps == [(0, 2), (1, 2)]
    with Image.open(io.BytesIO((tmp_path / "two.gif").read_bytes())) as image:
        assert json.loads(image.info["comment"]) == {"frames": [1, "\u00e9"]}
        assert image.convert("RGB").getpixel((5, 5)) == (213, 94, 0)
        assert image.info["duration"] == 600
        image.seek(1)
        assert image.convert("RGB").getpixel((5, 5)) == (86, 180, 233)
        assert image.info["duration"] == 1600
