"""Motions of a scene, and the frames of an animation: the curve of the share, its thresholds and its marker."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from silhouette.common.errors import RequestError
from silhouette.drawing.animation.frames import Moment, Plot, Point, Storyboard
from silhouette.drawing.page import SUPERSAMPLING
from silhouette.drawing.styles import LEVEL_COLOURS
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.rules import rule_called
from silhouette.rules.base import Band, Level, RuleReference, Verdict, VerdictScale
from silhouette.scenes.places import POSE_DECIMALS, Mobility, Motion, place_of, poses

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


numbers = st.floats(-500, 500).map(lambda number: round(number, 2))


@given(st.tuples(numbers, numbers), st.tuples(numbers, numbers, numbers), st.integers(2, 40), st.floats(-300, 300))
def test_a_motion_is_even_begins_as_the_scene_is_and_moves_nothing_else(
    start: tuple[float, float], end: tuple[float, float, float], frames: int, turn: float
) -> None:
    others = {"terrain": [{"name": "wall", "at": [1, 2]}], "title": "Duel", "readings": {}}
    fighters = [{"name": "Kal", "at": [0, 0]}, {"name": "Vex", "at": list(start)}, {"name": "Yar", "at": [5, 5]}]
    document = {"rules": "necromunda", "fighter": fighters, "check": [{"attacker": "Kal", "target": "Vex"}], **others}
    before = json.dumps(document)
    assume(not np.allclose((*start, 0.0), end, atol=10.0**-POSE_DECIMALS) and abs(turn) >= 1e-9)  # it moves and turns
    mobility = Mobility(("fighter",), turns=True)
    found = poses(Path("duel.toml"), document, 1, Motion(walk=end, turn=turn, frames=frames), mobility)
    assert json.dumps(document) == before
    assert len(found) == frames
    assert found[0].document["fighter"] == [{**fighters[0], "facing": 90.0}, *fighters[1:]]
    assert found[-1].at == pytest.approx(end, abs=10.0**-POSE_DECIMALS)
    assert found[-1].facing == pytest.approx(90.0 + turn, abs=10.0**-POSE_DECIMALS)
    ways = np.diff([one.way for one in found])
    assert ways == pytest.approx(np.full(frames - 1, ways.mean()), abs=4 * 10.0**-POSE_DECIMALS)
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
    return Plot(
        points, HALVES, ("0", "end"), 600 * SUPERSAMPLING, Plot.height(measured=shares[0] is not None) * SUPERSAMPLING
    )


def dark_columns(image: Image.Image) -> np.ndarray[Any, Any]:
    """The columns in which most of what is between the plot's upper edge and its strip is dark."""
    pixels = np.asarray(image.convert("L"))
    return np.flatnonzero((pixels[30:200] < 60).mean(axis=0) > 0.8)


def test_the_marker_goes_along_with_the_frames() -> None:
    drawn = plot(0.1, 0.4, 0.3, 0.2, 0.6)
    columns = [float(dark_columns(drawn.at(number)).mean()) for number in range(5)]
    assert np.diff(columns) == pytest.approx(np.full(4, (columns[-1] - columns[0]) / 4), abs=1.0)


@pytest.mark.parametrize("shares", [(0.0, 0.45, 1.0, 0.3, 0.62, 0.1, 0.99), (None, None, None)])
def test_the_plot_that_is_shown_is_all_of_it_made_smaller(shares: tuple[float | None, ...]) -> None:
    drawn = plot(*shares)
    for number in range(len(shares)):
        whole = drawn.at(number)
        smaller = whole.resize((whole.width // SUPERSAMPLING, whole.height // SUPERSAMPLING), Image.Resampling.LANCZOS)
        assert np.array_equal(np.asarray(drawn.shown(number)), np.asarray(smaller))


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
    scale, size = HALVES, (600 * SUPERSAMPLING, Plot.height(measured=True) * SUPERSAMPLING)
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
    rule = RuleReference("Cover", "R14")
    verdict = Verdict("Kal", "Vex", "plain", "in words", level, rule, "because", could_be=("in words", "or not"))
    panel = np.full((60, 100, 3), 200, np.uint8)
    shots = [Moment(verdict, Point(float(way), "in words", level, 0.5, 0.01, 0.0), (panel, panel)) for way in range(2)]
    frame = Storyboard(shots, HALVES, ("0", "1")).frame(1)
    assert frame.mode == "RGB"
    assert LEVEL_COLOURS[level] in {colour for _, colour in frame.getcolors(frame.width * frame.height) or ()}
    assert frame.width % 2 == frame.height % 2 == 0


def test_pictures_are_read_back_from_what_was_written(tmp_path: Path) -> None:
    from silhouette.drawing.animation.film import write_animation

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
