"""Figures show every model that was counted, as it was looked at, and which of them count."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from silhouette.drawing.captions import BOLD_LINE_PT
from silhouette.drawing.games import by_data as counted
from silhouette.drawing.games import drawing_of
from silhouette.drawing.games.by_data import draw_clauses, draw_models, first_tally, look_of, rows_of
from silhouette.drawing.sheet import Sheet, settings
from silhouette.drawing.table.eye_image import image_of
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.relations.points import ErrorBound
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.data.scene import DataScene
from silhouette.rules.data.values import Counted, Use
from tests.drawing.test_legends import unseen

SCENES = Path(__file__).resolve().parents[2] / "scenes"
EMBREE = choose()


@lru_cache(maxsize=4)
def ruled(name: str, number: int = 0, *, keep: bool = True) -> tuple[DataScene, DataVerdict]:
    """A check of a scene that ships, judged; kept for the next test."""
    scene = load_scene(SCENES / f"{name}.toml")
    assert isinstance(scene, DataScene)
    checks = scene.checks[number : number + 1]
    (verdict,) = rule_called(scene.rules).judge([(scene, check) for check in checks], Settings(EMBREE, 0.1, keep=keep))
    return scene, verdict  # type: ignore[return-value]


def drawn(scene: DataScene, verdict: DataVerdict, language: str = "en") -> Sheet:
    """The figure of the models that were counted."""
    with settings():
        sheet = Sheet(language=language)
        draw_models(sheet, scene, verdict, EMBREE)
        sheet.finish()
    return sheet


def marks(sheet: Sheet) -> list[str]:
    return sorted(str(one.get_gid()) for one in sheet.axes.get_children() if one.get_gid())


def printed(sheet: Sheet) -> set[str]:
    return {one.get_text() for one in sheet.axes.texts}


def names_of(scene: DataScene, verdict: DataVerdict) -> list[tuple[str, list[str], list[str]]]:
    """For each row its name, the models that count, and the others."""
    found = first_tally(scene, verdict)
    assert found is not None
    return [
        (row.name, [one.name for one in row.members if one.holds], [one.name for one in row.members if not one.holds])
        for row in rows_of(found[1])
    ]


def test_all_models_of_a_unit_are_counted_and_those_that_do_not_count_are_kept() -> None:
    scene, verdict = ruled("the_old_world/example")
    assert names_of(scene, verdict) == [("", ["Vex", "Yar"], ["Zil"])]
    clause, tally = first_tally(scene, verdict) or pytest.fail("nothing was counted")
    assert clause.number == "8"
    shares = {}
    for one in tally.members:
        look = look_of(one, verdict)
        assert look is not None
        assert look.sight.target.name == one.name
        shares[one.name] = look.counts.occluded / look.counts.total
    assert {name for name, share in shares.items() if share > 0.5} == set(tally.counting)


@pytest.mark.long
def test_what_was_counted_for_each_of_several_shooters_is_a_row_each() -> None:
    scene, verdict = ruled("bolt_action_3/example")
    rows = [(name, ["Zil"], ["Vex", "Yar"]) for name in ("Kal", "Ash", "Rho")]
    assert names_of(scene, verdict) == rows
    sheet = drawn(scene, verdict)
    assert {"Kal: 1 of 3", "Ash: 1 of 3", "Rho: 1 of 3"} <= printed(sheet)
    assert [mark.rpartition("-")[0] for mark in marks(sheet)] == ["counts"] * 3 + ["does-not-count"] * 6
    assert len(set(marks(sheet))) == 9


@pytest.mark.thinned(quick=0, ci=59)
@pytest.mark.parametrize(("number", "filled"), [(0, 0), (1, 3)])
def test_a_row_says_whether_the_one_who_looks_counts(number: int, filled: int) -> None:
    sheet = drawn(*ruled("bolt_action_3/example", number))
    purple = to_rgb(sheet.style.purple)
    assert (
        len([one for one in sheet.axes.patches if one.get_fill() and to_rgb(one.get_facecolor()) == purple]) == filled
    )


def test_shares_of_one_figure_are_told_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """In narrow panels none of them says that it is the obscured one, since not all could: the legend does."""
    scene, verdict = ruled("the_old_world/example")
    assert {"87.4 % obscured", "85.5 % obscured", "0 % obscured"} <= printed(drawn(scene, verdict))
    monkeypatch.setattr(counted, "MAX_PANEL_WIDTH_MM", 12.0)
    assert {"87.4 %", "85.5 %", "0 %"} <= printed(drawn(scene, verdict))


def test_of_several_clauses_that_counted_the_first_of_the_game_is_shown() -> None:
    """This verdict tells the clause on hard cover before that on clear lines, which it has when that is denied."""
    scene, verdict = ruled("bolt_action_3/few_shooters", 1)
    assert [clause.number for clause in verdict.clauses if clause.decides and clause.tallies] == ["3", "4", "6"]
    backwards = [*reversed(verdict.clauses)]
    found = first_tally(scene, _with(verdict, backwards))
    assert found is not None
    assert found[0].number == "3"


def _with(verdict: DataVerdict, clauses: list[Any]) -> DataVerdict:
    return replace(verdict, clauses=tuple(clauses))


def test_a_shooter_that_is_counted_is_shown_looking() -> None:
    scene, verdict = ruled("bolt_action_3/few_shooters", 1)
    assert {"Kal → Tisk", "Ash → Tisk", "Rho → Tisk"} <= printed(drawn(scene, verdict))


@pytest.mark.long
def test_the_small_print_of_every_figure_has_the_count() -> None:
    scene, verdict = ruled("the_old_world/example")
    told = "Counted for clause 8: 2 of 3 models: Vex, Yar."
    figures = drawing_of(scene.rules).figures(scene, scene.checks[0], verdict, EMBREE)
    assert [figure.name for figure in figures] == ["plan", "models", "eye", "side"]
    for figure in figures:
        with settings():
            sheet = Sheet()
            figure.draw(sheet)
        assert told in sheet.notes, figure.name
    assert "Gezählt für Klausel 8: 2 von 3 Modellen: Vex, Yar." in drawn(scene, verdict, "de").notes


def test_where_nothing_was_counted_there_is_no_such_figure() -> None:
    scene, verdict = ruled("the_old_world/two_ranks")
    figures = drawing_of(scene.rules).figures(scene, scene.checks[0], verdict, EMBREE)
    assert "models" not in [figure.name for figure in figures]


def test_panels_show_what_was_measured() -> None:
    """In its picture, as much of a model is obscured as was measured."""
    scene, verdict = ruled("the_old_world/example")
    sheet = drawn(scene, verdict)
    assert {"87.4 % obscured", "85.5 % obscured", "0 % obscured"} <= printed(sheet)
    pictures = [np.asarray(image.get_array()).astype(int) for image in sheet.axes.get_images()]
    assert len(pictures) == 3
    for picture, is_hidden in zip(pictures, (True, True, False), strict=True):
        red, _, blue = np.moveaxis(picture[..., :3], 2, 0)
        orange, sky = np.count_nonzero(red - blue > 110), np.count_nonzero(blue - red > 90)
        assert (orange > 3 * sky) if is_hidden else (sky > 20 * orange)


@pytest.mark.parametrize(("most", "pictured"), [(3, True), (2, False)])
def test_of_more_models_only_the_shares_are_shown(monkeypatch: pytest.MonkeyPatch, most: int, pictured: bool) -> None:
    monkeypatch.setattr(counted, "MAX_PANELS", most)
    scene, verdict = ruled("the_old_world/example")
    sheet = drawn(scene, verdict)
    assert bool(sheet.axes.get_images()) is pictured
    bars = [one for one in sheet.axes.patches if one.get_hatch()]
    assert len(bars) == (0 if pictured else 2)
    if not pictured:
        assert unseen(drawn(scene, verdict)) == []
    for bar, share in zip(bars, (0.873, 0.855), strict=False):
        wide = bar.get_path().get_extents().width
        assert wide / counted.MAX_PANEL_WIDTH_MM == pytest.approx(share * 0.98, abs=0.03)


def test_there_is_room_for_twenty_pictures_and_for_ten_by_ten_bars() -> None:
    assert counted.MAX_PANELS == 4 * counted.PER_LINE
    assert counted.BARS_PER_LINE == 10


def test_evidence_is_kept_for_figures_alone() -> None:
    _, verdict = ruled("the_old_world/example")
    assert len(verdict.looks) >= 3
    assert not verdict.without_evidence().looks
    assert not ruled("the_old_world/example", keep=False)[1].looks


WOODS = {"name": "woods", "parts": [{"cylinder": {"diameter": 90, "height": 2}}], "at": [60, 110], "type": "woods"}
FIGURE = {"base": 32, "height": 38}


def test_a_model_that_was_not_looked_at_says_what_is_in_the_way() -> None:
    """Nobody sees through woods: what all lines cross is obscured, whatever is seen of it."""
    fighters = [{"name": "Kal", "figure": FIGURE, "at": [0, 0], "facing": 90}]
    fighters += [
        {"name": name, "figure": FIGURE, "at": [x, 220], "facing": 270, "unit": "blue"}
        for name, x in (("Vex", -60), ("Yar", 90), ("Zil", 120))
    ]
    document = {"rules": "the-old-world", "terrain": [WOODS], "fighter": fighters}
    document["check"] = [{"attacker": "Kal", "target": "Vex"}]
    rule = rule_called("the-old-world")
    scene = rule.load(Path("scene.toml"), document, Cache(None))
    (verdict,) = rule.judge([(scene, check) for check in scene.checks], Settings(EMBREE, 0.2, keep=True))
    assert names_of(scene, verdict) == [("", ["Yar", "Zil"], ["Vex"])]
    assert "woods" in printed(drawn(scene, verdict))


def test_the_plan_has_a_ring_and_a_line_for_every_model_that_was_counted() -> None:
    """Of Ona no line leads to: what was looked for is drawn as well. Zil is seen, and does not count."""
    scene, verdict = ruled("legion/out_of_sight", 1)
    with settings():
        sheet = Sheet()
        draw_clauses(sheet, scene, verdict)
        left, bottom, right, top = sheet.bounds
        sheet.finish()
    ona, zil = (scene.piece(name) for name in ("Ona", "Zil"))
    assert {f"counted-{ona.index + 1}", f"counted-{zil.index + 1}", "no-line", "line-1"} <= set(marks(sheet))
    told = [swatch.words for swatch in sheet.legend_entries]
    assert {"counts for clause 2", "does not count for clause 2", "where no line of sight gets through"} <= set(told)
    for piece in (ona, zil):
        assert left < piece.base_centre[0] < right
        assert bottom < piece.base_centre[1] < top


def test_of_several_looks_at_a_model_that_does_not_count_the_best_is_shown() -> None:
    """Uli counts for no shooter: from two of them nothing is seen of it, and the crate hides most of it from Kal."""
    _, verdict = ruled("bolt_action_3/few_shooters", 1)
    fourth = next(clause for clause in verdict.clauses if clause.number == "4")
    uli = next(one for one in fourth.tallies[0].members if one.name == "Uli")
    lookers = [verdict.looks[use].sight.attacker.name for use in uli.uses if use in verdict.looks]
    assert set(lookers) == {"Kal", "Ash", "Rho"}
    look = look_of(uli, verdict)
    assert look is not None
    assert look.sight.attacker.name == "Kal"


def test_the_best_look_is_that_in_which_least_is_obscured() -> None:
    names = ("seen", "obscured", "obscured", "obscured")
    uses = tuple(Use(name, ErrorBound(0.0)) for name in names)
    shares = (0, 7, 3, 5)
    looks = {
        use: SimpleNamespace(counts=SimpleNamespace(occluded=share, total=10))
        for use, share in zip(uses, shares, strict=True)
    }
    told: Any = SimpleNamespace(looks=looks)
    assert look_of(Counted("Vex", False, uses), told) is looks[uses[2]]
    assert look_of(Counted("Vex", False), told) is None


@pytest.mark.slow
@pytest.mark.parametrize("most", [20, 0])
def test_names_frames_and_shares_of_all_rows_have_room(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(counted, "MAX_PANELS", most)
    scene, verdict = ruled("bolt_action_3/example")
    with settings():
        sheet = Sheet()
        draw_models(sheet, scene, verdict, EMBREE)
        figure = sheet.finish()
        figure.canvas.draw()
        halo = [one.get_zorder() < 31.0 for one in sheet.axes.texts]
        texts = [one.get_window_extent() for one, is_halo in zip(sheet.axes.texts, halo, strict=True) if not is_halo]
        frames = [one.get_window_extent() for one in sheet.axes.patches if str(one.get_gid() or "").startswith(MARKS)]
        whole = sheet.axes.get_window_extent()
    assert (len(texts), len(frames)) == (21, 9)
    boxes = [*texts, *frames]
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[number + 1 :])
    for frame in frames:
        assert whole.x0 < frame.x0 - 0.5 * BOLD_LINE_PT
        assert frame.x1 + 0.5 * BOLD_LINE_PT < whole.x1
        assert bool(frame.height < 0.5 * frame.width) is (most == 0)
    assert max(frame.y1 for frame in frames) - min(frame.y0 for frame in frames) < 420, "rows lie close to each other"


MARKS = ("counts-", "does-not-count-")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["the_old_world/example", "bolt_action_3/soft_or_hard"])
def test_all_of_a_model_lies_in_its_picture_and_is_large(name: str) -> None:
    scene, verdict = ruled(name)
    middle = slice((counted.WINDOW - counted.SHOWN) // 2, (counted.WINDOW + counted.SHOWN) // 2)
    for look in verdict.looks.values():
        kinds = image_of(scene, look, EMBREE, counted.WINDOW, counted.WINDOW).kinds
        shown = kinds[middle, middle]
        assert np.count_nonzero(shown) == np.count_nonzero(kinds)
        assert np.ptp(np.nonzero(shown)[0]) > 0.6 * counted.SHOWN


def test_a_ring_lies_close_round_its_base() -> None:
    scene, verdict = ruled("legion/out_of_sight", 1)
    with settings():
        sheet = Sheet()
        draw_clauses(sheet, scene, verdict)
    ona = scene.piece("Ona")
    (ring,) = (one for one in sheet.axes.patches if one.get_gid() == f"counted-{ona.index + 1}")
    radius = np.linalg.norm(ring.get_path().vertices - ona.base_centre, axis=1)
    base = np.linalg.norm(ona.base_outline - ona.base_centre, axis=1).max()
    assert base < radius.min()
    assert radius.max() < 1.5 * base
