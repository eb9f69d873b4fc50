"""The film of the live table in README: it shows what the page shows, and says what `check` says."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from silhouette import check
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from tests.conftest import PROJECT
from tests.support.browsing import Browser
from tests.support.live_film import FILM, LOOKS, SCENE, WIDTH, WINDOW, taken, told_in

MOST_BYTES = 1_500_000
SECONDS = (6.0, 10.0)
LOSS = 4.0
"""Levels of 255 by which a picture of the film may differ in the mean from what was on the page: it is compressed."""

SMALL = (100, 62)
ALIKE = 8.0
"""Levels by which the accepted film may differ from one taken now, both made so small that no letter is left."""


def pictures(path: Path) -> list[Image.Image]:
    with Image.open(path) as film:
        found = []
        for number in range(film.n_frames):
            film.seek(number)
            found.append(film.convert("RGB"))
    return found


def levels(picture: Image.Image) -> NDArray[np.float64]:
    return np.asarray(picture.convert("RGB")).astype(np.float64)


def eye_view(picture: Image.Image, told: dict[str, Any]) -> NDArray[np.float64]:
    """What the eye sees, of one size."""
    scale = WIDTH / WINDOW[0]
    return levels(picture.crop([round(scale * edge) for edge in told["eye"]]).resize(SMALL))


def scene_as_told(told: dict[str, Any], folder: Path) -> Path:
    """The scene with the model where it stood in a picture."""
    text = SCENE.read_text(encoding="utf-8").replace("../../models", (PROJECT / "models").as_posix())
    before = re.search(rf'name = "{LOOKS}"\n.*?facing = \d+\n', text, flags=re.DOTALL)
    assert before is not None
    now = re.sub(r"at = .*", f"at = {told['at']}", before[0])
    now = re.sub(r"facing = .*", f"facing = {told['facing']}", now)
    file = folder / "told.toml"
    file.write_text(text.replace(before[0], now), encoding="utf-8")
    return file


def told_once(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first picture of each verdict."""
    return list({each["verdict"]: each for each in reversed(told) if "pair" in each}.values())


def said_by_check(told: dict[str, Any], folder: Path, cache: Cache) -> None:
    row = check(load_scene(scene_as_told(told, folder), cache=cache), *told["pair"]).row()
    out_of_arc = ", out of arc" if row["in_arc"] is False else ""
    assert told["verdict"].split(" ", 1)[1] == row["verdict"] + out_of_arc
    assert told["reason"].lower() == row["reason"].lower()
    if told["share"]:
        share = float(re.findall(r"[0-9.]+", told["share"])[0]) / 100.0
        assert share == pytest.approx(row["occluded"], abs=row["error"] + 0.0006)


def test_the_film_in_readme_is_light_calm_and_goes_on_for_ever() -> None:
    assert FILM.stat().st_size <= MOST_BYTES
    with Image.open(FILM) as film:
        assert film.width == WIDTH
        assert film.info["loop"] == 0
        assert film.n_frames == len(told_in(FILM))
        seconds = 0.0
        for number in range(film.n_frames):
            film.seek(number)
            film.load()
            seconds += film.info["duration"] / 1000.0
    assert SECONDS[0] <= seconds <= SECONDS[1]
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    (words,) = re.findall(rf"!\[([^]]+)\]\({FILM.relative_to(PROJECT).as_posix()}\)", readme)
    assert LOOKS in words


@pytest.mark.long
def test_the_film_in_readme_says_what_check_says(tmp_path: Path) -> None:
    told = told_in(FILM)
    words = {each["verdict"].split(" ", 1)[1] for each in told if "pair" in each}
    assert {"open", "partial cover", "full cover", "hidden, out of arc"} <= words
    cache = Cache.default()
    for each in told_once(told):
        said_by_check(each, tmp_path, cache)
    assert told[-1]["saving"] == "Saved"


@pytest.mark.long
def test_a_film_that_is_taken_now_shows_what_the_page_shows(browser: Browser, tmp_path: Path) -> None:
    film, path = taken(browser, rough=True), tmp_path / "film.webp"
    film.write(path)
    assert told_in(path) == film.told
    shown = pictures(path)
    assert [picture.size for picture in shown] == [picture.size for picture in film.pictures]
    for picture, page, (x, y) in zip(shown, film.pictures, film.pointed, strict=True):
        assert np.abs(levels(picture) - levels(page)).mean() < LOSS
        scale = WIDTH / WINDOW[0]
        column, row = round(scale * (x + 3)), round(scale * (y + 9))
        assert levels(page)[row, column].mean() < 90.0, "no pointer"
    seen = [
        (each["at"], each["facing"], eye_view(page, each))
        for page, each in zip(film.pictures, film.told, strict=True)
        if "eye" in each
    ]
    for before, after in pairwise(seen):
        if before[:2] != after[:2]:
            assert np.abs(before[2] - after[2]).mean() > 1.0, "the picture from the eye did not follow"
    assert len({each.get("verdict") for each in film.told}) >= 4
    assert len({tuple(each["at"]) for each in film.told}) >= 4
    assert len({each["facing"] for each in film.told}) == 3
    cache = Cache.default()
    for each in told_once(film.told):
        said_by_check(each, tmp_path, cache)
    assert film.told[-1]["saving"] == "Saved"
    for accepted, page in zip(pictures(FILM)[:1], film.pictures[:1], strict=True):
        apart = levels(accepted.resize(SMALL)) - levels(page.resize(SMALL))
        assert np.abs(apart).mean() < ALIKE, "python -m tests.support.live_film takes it anew"
