"""Pictures of maps: their colours are told apart by everyone and in grey; what they show lies where it was judged."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from silhouette.common.geometry import Floats
from silhouette.drawing.maps import MapLook, PaperGrid, write_map_picture
from silhouette.drawing.styles import DARK, PRINT, Style, verdict_colours
from silhouette.drawing.table.table_view import looks_of_gangs
from silhouette.rules import RULES, rule_called
from silhouette.rules.base import Level
from tests.support.mapped_tables import gantry_table, made

# G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", 2009: severity 1, of linear RGB.
EYES = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def lab(colour: str, eye: str) -> Floats:
    """(3,) a colour in CIE Lab, as an eye sees it."""
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(TO_XYZ @ np.clip(np.array(EYES[eye]) @ linear, 0.0, 1.0) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("game", [name for name in RULES if rule_called(name).levels])
def test_verdicts_are_told_apart_by_all_eyes_and_in_grey(game: str, eye: str) -> None:
    levels = rule_called(game).levels
    seen = [lab(colour, eye) for colour in verdict_colours(levels).values()]
    least = 20.0 if len(seen) <= 4 else 12.0
    assert min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2)) >= least
    if eye == "normal":
        lightness = [float(one[0]) for one in seen]
        assert min(one - next_ for one, next_ in pairwise(lightness)) >= 10.0


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("style", [PRINT, DARK], ids=["print", "dark"])
def test_gangs_are_told_apart_by_all_eyes_and_without_colour(style: Style, eye: str) -> None:
    looks = list(looks_of_gangs(style, [f"gang {number}" for number in range(4)]).values())
    seen = [lab(look.colour, eye) for look in looks]
    assert min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2)) >= 20.0
    assert len({look.dashes for look in looks}) == 4
    # Blue and orange stand for what is seen of a target and what is not.
    assert not {look.colour for look in looks} & {style.seen, style.obscured, style.blue, style.red}


@pytest.mark.parametrize("game", [name for name in RULES if rule_called(name).levels])
def test_what_is_seen_is_blue_and_cover_is_not_as_in_all_pictures(game: str) -> None:
    levels = rule_called(game).levels
    for verdict, colour in verdict_colours(levels).items():
        red, blue = int(colour[1:3], 16), int(colour[5:7], 16)
        if levels[verdict] is not Level.BLOCKED:
            assert (blue > red + 30) == (levels[verdict] is Level.CLEAR)


@pytest.mark.long
def test_a_place_has_the_colour_of_its_verdict(tmp_path: Path) -> None:
    drawn = made(gantry_table(), "Vex", attackers=("Kal",))
    file = tmp_path / "map.png"
    write_map_picture(drawn, file)
    with Image.open(file) as picture:
        data = json.loads(picture.info["silhouette"])
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    colours = list(verdict_colours(rule_called("necromunda").levels).values())
    left, _, right, top = data["frame"]["bounds"]
    scale = pixels.shape[1] * (1.0 - 2 * 0.5 / 170.0) / (right - left)
    edge = pixels.shape[1] * 0.5 / 170.0
    right_ones = asked = 0
    for number in np.flatnonzero(drawn.cells.stands & ~drawn.marginal):
        # Near the corner of a place no name, and no figure, is likely to be.
        x, y = drawn.cells.at[number, :2] + 9.0
        colour = pixels[round(edge + (top - y) * scale), round(edge + (x - left) * scale)]
        wanted = colours[drawn.verdict[number]]
        right_ones += np.abs(colour - [int(wanted[at : at + 2], 16) for at in (1, 3, 5)]).max() <= 4
        asked += 1
    assert asked > 40
    assert right_ones >= 0.8 * asked


@pytest.mark.long
@pytest.mark.parametrize("layer", ["verdict", "seen-by"])
def test_the_picture_says_what_it_shows(tmp_path: Path, layer: str) -> None:
    drawn = made(gantry_table(), "Vex")
    file = tmp_path / "map.svg"
    write_map_picture(drawn, file, MapLook("seen-by" if layer == "seen-by" else "verdict"))
    words = [unescape(one) for one in re.findall(r"""aria-label=["'](.*?)["']>""", file.read_text())]
    assert "Where Vex could stand, seen by Kal, Yar" in words
    assert "its base does not fit there" in words
    if layer == "verdict":
        assert {"open", "partial cover", "full cover", "hidden"} <= set(words)
        for verdict, (_, mm) in drawn.nearest.items():
            assert any(verdict in one and f'{mm / 25.4:.1f}"' in one for one in words)
    else:
        assert {"seen by 0", "seen by 1", "seen by 2"} <= set(words)


def test_no_place_reaches_beyond_the_table() -> None:
    """The middle of the last place lies on a table of 300 mm, and 4.8 mm of it do not."""
    grid = PaperGrid(np.array([-150.0, -120.0]), 25.4, np.array([300.0, 240.0]) / 25.4)
    index = np.array([(x, y) for y in range(9) for x in range(12)])
    (ring,) = grid.rings(index)
    for corners in (ring, np.concatenate(grid.squares(index))):
        assert corners.min(axis=0).tolist() == [-150.0, -120.0]
        assert corners.max(axis=0) == pytest.approx([150.0, -120.0 + 9 * 25.4])


@pytest.mark.long
def test_it_speaks_a_language_and_can_be_dark(tmp_path: Path) -> None:
    drawn = made(gantry_table(), "Vex")
    file = tmp_path / "map.svg"
    write_map_picture(drawn, file, MapLook.called("seen-by", "dark", "fr"))
    text = file.read_text()
    words = [unescape(one) for one in re.findall(r"""aria-label=["'](.*?)["']>""", text)]
    assert {"vu par 0", "vu par 1", "le socle n'y tient pas"} <= set(words)
    assert DARK.paper in text
    assert PRINT.ground not in text
    write_map_picture(drawn, file, MapLook.called("verdict", "print", "fr"))
    _, mm = drawn.nearest["hidden"]
    assert f"{mm / 25.4:.1f}".replace(".", ",") in file.read_text()
    assert f"{mm / 25.4:.1f}&quot;" not in file.read_text()


@pytest.mark.thinned(quick=0, ci=50)
@pytest.mark.parametrize(("exposed", "line"), [(True, PRINT.ink), (False, PRINT.paper)])
def test_hatches_are_dark_on_light_colours_and_light_on_dark_ones(exposed: bool, line: str, tmp_path: Path) -> None:
    drawn = made(gantry_table(), "Vex")
    half = (drawn.verdict < len(drawn.verdicts) / 2) == exposed
    (place,) = np.flatnonzero(drawn.cells.stands & half)[:1]
    cells = replace(
        drawn.cells, marginal=np.zeros_like(drawn.cells.marginal), possible=np.zeros_like(drawn.cells.possible)
    )
    cells.marginal[place] = True
    file = tmp_path / "map.svg"
    write_map_picture(replace(drawn, cells=cells), file, MapLook.called("verdict", "dark", "en"))
    hatches = re.findall(r"<pattern.*?</pattern>", file.read_text(), re.DOTALL)
    assert {one for one in (PRINT.ink, PRINT.paper) if any(one in hatch for hatch in hatches)} == {line}


def test_as_many_verdicts_of_a_level_as_a_game_has_get_as_many_colours() -> None:
    levels = {f"{level} {number}": level for level in Level for number in range(6)}
    assert len(set(verdict_colours(levels).values())) == len(levels)
