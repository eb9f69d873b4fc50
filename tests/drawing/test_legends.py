"""Legends: an entry stands only where its mark is to be seen in the drawing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.colors import to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch, Polygon

from silhouette.drawing.captions import Swatch
from silhouette.drawing.figures import figures_of
from silhouette.drawing.games import drawing_of
from silhouette.drawing.page import SKY_BLUE, VERMILLION
from silhouette.drawing.sheet import Label, Sheet, place_labels, settings
from silhouette.drawing.styles import hexadecimal
from silhouette.drawing.table.eye_view import DAY, NIGHT, OUTSIDE_ARC, PALE_COLOUR, VEIL_COLOUR
from silhouette.drawing.words.words import Words
from silhouette.rules import RULES, rule_called
from tests.support.figures import SCENES, case_id, checks_in, cpu_renderer, document_of, loaded, scene_at
from tests.support.rulings import ruled

DOTS = 72
"""Dots per inch at which it is tried whether a mark can be seen."""

LEAST = 3
"""Pixels that a mark must change, at least."""

CASES = checks_in(*(name.replace("-", "_") for name in RULES))
QUICK = [(SCENES / "necromunda/two_blockers.toml", 1), (SCENES / "necromunda/blind_spot.toml", 4)]


def marks_of(sheet: Sheet, swatch: Swatch) -> list[Any]:
    """The marks of the drawing that have the look, in fill or outline, of an entry of the legend."""
    return [artist for artist in sheet.axes.get_children() if _alike(sheet, artist, swatch)]


def _alike(sheet: Sheet, artist: Any, swatch: Swatch) -> bool:
    if swatch.point is not None and isinstance(artist, Line2D):
        return bool(artist.get_marker() == swatch.point) and _near(artist.get_markerfacecolor(), swatch.fill)
    if swatch.point is not None:
        return isinstance(artist, Patch) and _near(artist.get_facecolor(), swatch.fill)
    if swatch.line:
        if isinstance(artist, Line2D):
            return _near(artist.get_color(), swatch.edge) and artist.is_dashed() == (swatch.dashes != "-")
        if not isinstance(artist, Patch):
            return False
        dashed = artist.get_linestyle() not in ("-", "solid")
        return _near(artist.get_edgecolor(), swatch.edge) and dashed == (swatch.dashes != "-")
    if not isinstance(artist, Patch):
        return False
    if swatch.hatch is not None:
        return artist.get_hatch() == swatch.hatch and _near(artist.get_edgecolor(), swatch.edge)
    if swatch.fill is not None:
        share = to_rgba(artist.get_facecolor())[3]
        below = np.array(to_rgb(sheet.style.ground))
        mixed = share * np.array(to_rgb(artist.get_facecolor())) + (1.0 - share) * below
        filled = share > 0.0 and (_near(artist.get_facecolor(), swatch.fill) or _near(mixed, swatch.fill))
        outlined = share == 0.0 and artist.get_linewidth() > 0.0 and _near(artist.get_edgecolor(), swatch.edge)
        return filled or (swatch.edge is not None and outlined)
    return artist.get_linewidth() > 0.0 and _near(artist.get_edgecolor(), swatch.edge)


def _near(colour: Any, other: Any) -> bool:
    return bool(np.abs(np.array(to_rgb(colour)) - to_rgb(other)).max() < 0.01)


def pixels(sheet: Sheet) -> Any:
    """(height, width, 4) the figure as it would be printed, coarsely."""
    sheet.figure.set_dpi(DOTS)
    sheet.figure.canvas.draw()
    return np.asarray(sheet.figure.canvas.buffer_rgba()).astype(int).copy()  # type: ignore[attr-defined]


def unseen(sheet: Sheet) -> list[str]:
    """The entries of a legend whose marks cannot be seen: the drawing is the same without them."""
    sheet.finish()
    whole = pixels(sheet)
    missing = []
    for swatch in sheet.legend_entries:
        marks = marks_of(sheet, swatch)
        for mark in marks:
            mark.set_visible(False)
        changed = (np.abs(pixels(sheet) - whole).max(axis=2) > 8).sum() if marks else 0
        for mark in marks:
            mark.set_visible(True)
        if changed < LEAST:
            missing.append(f"{swatch.words} ({len(marks)} marks)")
    return missing


def unseen_in(case: tuple[Path, int]) -> list[str]:
    """The entries of all figures of a check whose marks cannot be seen, but for those of eye views, which are pictures.

    The figure of counted models has such pictures as well, and frames round them.
    """
    scene = scene_at(case[0])
    check = scene.checks[case[1] - 1]
    verdict = ruled(rule_called(scene.rules), scene, check, cpu_renderer(), 0.4, keep=True)
    found = []
    with settings():
        for figure in figures_of(scene, check, verdict, cpu_renderer()):
            if figure.name != "eye":
                sheet = Sheet(captions=False, names=False)
                figure.draw(sheet)
                if figure.name == "models" and sheet.axes.get_images():
                    pictured = {sheet.words(key) for key in ("seen", "obscured", "outside")}
                    sheet.legend_entries = [one for one in sheet.legend_entries if one.words not in pictured]
                found += [f"{figure.name}: {entry}" for entry in unseen(sheet)]
    return found


@pytest.mark.thinned(quick=40, ci=40)
@pytest.mark.parametrize("case", QUICK, ids=case_id)
def test_an_entry_has_its_mark_in_the_drawing(case: tuple[Path, int]) -> None:
    assert unseen_in(case) == []


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_an_entry_has_its_mark_in_every_shipped_figure(case: tuple[Path, int]) -> None:
    assert unseen_in(case) == []


def sheet_of(case: str, number: int, name: str) -> Sheet:
    """The figure of a name of a shipped check, drawn."""
    scene = scene_at(SCENES / f"{case}.toml")
    check = scene.checks[number - 1]
    verdict = ruled(rule_called(scene.rules), scene, check, cpu_renderer(), 0.4, keep=True)
    (figure,) = (figure for figure in figures_of(scene, check, verdict, cpu_renderer()) if figure.name == name)
    sheet = Sheet()
    figure.draw(sheet)
    return sheet


def entries(sheet: Sheet) -> set[str]:
    return {swatch.words for swatch in sheet.legend_entries}


def test_a_plan_explains_the_colour_of_its_target_and_shows_no_front_that_a_game_lacks() -> None:
    with settings():
        sheet = sheet_of("skirmishcorps/elevation", 1, "plan")
        arrowheads = [artist for artist in sheet.axes.patches if isinstance(artist, Polygon)]
        assert "seen" in entries(sheet)
    assert arrowheads == []


@pytest.mark.parametrize("name", ["plan", "side"])
def test_nothing_is_seen_where_a_target_is_out_of_the_arc(name: str) -> None:
    with settings():
        sheet = sheet_of("necromunda/across_the_arc", 2, name)
        fans = [artist for artist in sheet.axes.get_children() if isinstance(artist, PathPatch) and artist.get_alpha()]
    assert "seen" not in entries(sheet)
    assert not [fan for fan in fans if _near(fan.get_facecolor(), sheet.style.seen)]


@pytest.mark.parametrize(
    ("name", "signs"),
    [
        ("eye", {"outside", "arc edge", "ignored"}),
        ("plan", {"outside", "arc", "line of sight", "to the rim", "eye", "facing"}),
        ("side", {"to the rim", "eye", "ray", "cut"}),
    ],
)
def test_a_legend_has_the_signs_and_lines_of_its_figure(name: str, signs: set[str]) -> None:
    with settings():
        sheet = sheet_of("necromunda/across_the_arc", 1, name)
        assert {sheet.words(sign) for sign in signs} <= entries(sheet)


def test_what_is_beyond_the_arc_has_a_colour_that_nothing_else_of_the_view_has() -> None:
    for scenery in (DAY, NIGHT):
        others = [*vars(scenery).values(), SKY_BLUE, VERMILLION, PALE_COLOUR, VEIL_COLOUR]
        assert min(float(np.linalg.norm(np.subtract(OUTSIDE_ARC, other))) for other in others) > 90.0
    with settings():
        (entry,) = (
            swatch
            for swatch in sheet_of("necromunda/across_the_arc", 1, "eye").legend_entries
            if swatch.words == Words()("outside")
        )
    assert entry.fill == hexadecimal(OUTSIDE_ARC)


def test_a_hex_that_blocks_is_no_other_entry() -> None:
    with settings():
        sheet = sheet_of("tide_of_iron/hex_edge_blocked", 1, "board")
    assert "hex entered" not in entries(sheet)


def test_a_plan_of_bases_has_ticks_in_inches_or_in_units_that_are_not_known(tmp_path: Path) -> None:
    document = document_of(SCENES / "crisis_protocol/in_cover.toml")
    for units, sign in (("mm", '2"'), ("inch", '96"'), ("squares", "100")):
        scene = loaded(document | {"units": units}, tmp_path)
        for figure in (drawing_of(scene.rules).overview(scene), *drawn_plan(scene)):
            sheet = Sheet()
            with settings():
                figure.draw(sheet)
            assert any(text.get_text() == sign for text in sheet.axes.texts), (units, figure.name)


def drawn_plan(scene: Any) -> list[Any]:
    verdict = ruled(rule_called(scene.rules), scene, scene.checks[0], cpu_renderer(), 0.4, keep=True)
    return list(figures_of(scene, scene.checks[0], verdict, cpu_renderer()))


def test_a_name_without_room_stands_on_its_own_thing_and_not_on_numbers() -> None:
    label = Label("wall", (50.0, 20.0), (3.0, 20.0), 7.0, False, "black", False, False)
    taken = [(0.0, 0.0, 46.0, 40.0), (54.0, 0.0, 100.0, 40.0)]
    with settings():
        (placed,) = place_labels([label], [], taken, (0.0, 0.0, 100.0, 40.0), 1.0)
    assert placed.at == (50.0, 20.0)
