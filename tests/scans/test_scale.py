"""The scale of a scan: what the user gives, units, bases, and what is asked where they cannot tell."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import RequestError
from silhouette.scans import scale as scales
from silhouette.scans.bases import Disc, Sizes
from silhouette.scans.level import Levelling, level
from silhouette.scans.read import Scan, read_scan
from silhouette.scans.scale import SizeHints, scale_of
from silhouette.scans.votes import ScaleMatch

RPG = (25, 25, 25, 25)
MIXED = (25, 25, 28.5, 32, 32, 40, 50)


def disc(diameter: float, quality: float = 1.0) -> Disc:
    return Disc((0.0, 0.0), 0.0, 3.0, diameter, 0.005 * diameter, 1.0, quality)


Made = Callable[..., tuple[Scan, Levelling]]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """Makes a scan of a table of which the bases are found, all 0.6 % too large, as scans show them."""

    def make(
        bases: Sequence[float],
        unit: float,
        *,
        size: tuple[float, float] | None = (600.0, 600.0),
        units: str | None = None,
        others: Sequence[tuple[float, float]] = (),
        tall: float = 120.0,
    ) -> tuple[Scan, Levelling]:
        found = [disc(1.006 * base / unit) for base in bases] + [disc(d / unit, quality) for d, quality in others]

        def find(points: Any, faces: Any, *, least: float, most: float, **_: Any) -> list[Disc]:
            return [one for one in found if least <= one.diameter <= most]

        monkeypatch.setattr(scales, "find_discs", find)
        x, y = size or (120.0, 90.0)
        corners = np.array([[a * x / 2, b * y / 2, z] for a in (-1, 1) for b in (-1, 1) for z in (0, tall)]) / unit
        nowhere = np.zeros((0, 3), dtype=np.int32)
        scan = Scan(Path("t.ply"), "ply", corners, nowhere, None, None, np.ones(8, dtype=bool), "z", units)
        edges = None if size is None else (x / unit, y / unit)
        lie = Levelling(np.eye(4), edges, 0.0, 0.3 / unit, 0.3 / unit, 1.6 / unit, np.zeros(8, dtype=bool))
        return scan, lie

    return make


@pytest.mark.parametrize("unit, units", [(1.0, None), (1000.0, "m"), (25.4, "inch")])
@pytest.mark.parametrize("bases", [RPG, MIXED, (), (25, 50)])
def test_the_units_of_the_file_hold_where_sizes_are_plausible(
    made: Made, unit: float, units: str | None, bases: Sequence[float]
) -> None:
    found = scale_of(*made(bases, unit, units=units))
    assert (found.mm, found.source, found.question, found.warnings) == (unit, "units", None, ())


@pytest.mark.parametrize("unit", [1000.0, 25.4, 10.0, 304.8], ids=["m", "inch", "cm", "ft"])
@pytest.mark.parametrize("bases", [RPG, MIXED, ()])
def test_other_units_for_millimetres_are_caught(made: Made, unit: float, bases: Sequence[float]) -> None:
    found = scale_of(*made(bases, unit))
    assert found.warnings
    assert "In millimetres the table is" in found.warnings[0]
    # Feet and inches are never guessed: there bases tell the scale, to what they are worth.
    is_guessed = unit in (1000.0, 10.0)
    assert found.mm == (unit if is_guessed else pytest.approx(unit, rel=0.02)) or found.question is not None
    if bases == MIXED:
        assert found.mm == pytest.approx(unit, rel=0.02)
        assert found.source == ("units" if is_guessed else "bases")


@pytest.mark.parametrize("unit", [25.4, 304.8])
def test_a_file_that_says_feet_or_inches_has_them(made: Made, unit: float) -> None:
    found = scale_of(*made(MIXED, unit, units={25.4: "inch", 304.8: "foot"}[unit]))
    assert (found.mm, found.source, found.question) == (unit, "units", None)


def test_what_a_file_says_holds_where_it_may_and_bases_that_speak_against_it_are_asked_about(made: Made) -> None:
    found = scale_of(*made([3.0 * base for base in MIXED], 1000.0, size=(3200.0, 3000.0), units="m"))
    assert (found.mm, found.source) == (1000.0, "units")
    assert found.question is not None


def test_millimetres_and_any_numbers_in_a_file_that_says_metres_are_caught(made: Made) -> None:
    for unit in (1.0, 25.4):
        found = scale_of(*made(MIXED, unit, units="m"))
        assert found.mm == pytest.approx(unit, rel=0.02)
        assert "In metres, as the file says," in found.warnings[0]
    # A table of 1.5 m may well be one: what the file says holds, and is asked about.
    asked = scale_of(*made(MIXED, 411.7, units="m"))
    assert (asked.mm, asked.source) == (1000.0, "units")
    assert asked.question is not None
    assert any("the table is 59" in answer for answer in asked.question.answers)


@pytest.mark.parametrize("unit", [37.31, 0.0217, 411.7])
def test_bases_of_many_sizes_tell_the_scale(made: Made, unit: float) -> None:
    found = scale_of(*made(MIXED, unit, others=[(73.0, 0.9), (29.8, 0.55)]))
    assert found.mm == pytest.approx(unit, rel=0.02)
    assert found.source == "bases"
    assert found.question is None
    assert 0.002 < found.error < 0.02


@pytest.mark.parametrize("bases", [RPG, (32, 32, 32), (25, 25, 50), (25, 25, 25, 32), (40, 40, 80)])
def test_bases_that_fit_in_more_than_one_way_are_a_question(made: Made, bases: Sequence[float]) -> None:
    found = scale_of(*made(bases, 37.31, size=(914.0, 610.0)))
    assert found.question is not None
    assert len(found.question.answers) >= 2
    sizes = " and ".join(dict.fromkeys(f"{base:g}" for base in bases))
    right = [answer for answer in found.question.answers if answer.startswith(f"bases of {sizes} mm")]
    assert right
    assert "the table is 9" in right[0]


def test_an_answer_settles_it(made: Made) -> None:
    scan, lie = made((25, 25, 50), 37.31)
    asked = scale_of(scan, lie)
    assert asked.question is not None
    answers = asked.question.answers
    assert answers[0].startswith("bases of 25 and 50 mm: the table is 59")
    second = scale_of(scan, lie, SizeHints(answer=answers[1]))
    assert second.source == "given"
    assert second.question is None
    assert second.mm > 1.3 * asked.mm
    assert scale_of(scan, lie, SizeHints(answer="37.31")).mm == 37.31
    assert scale_of(scan, lie, SizeHints(answer="no such answer")).question is not None


def test_nothing_to_go_by_is_a_guess_with_a_question(made: Made) -> None:
    found = scale_of(*made((), 3.3))  # 182 units: hardly mm, and no other unit
    assert found.question is not None
    lone = scale_of(*made((), 0.0217))
    assert lone.source == "guess"
    assert lone.question is not None


def test_a_round_thing_alone_does_not_speak_against_the_units(made: Made) -> None:
    for units, unit in (("m", 1000.0), (None, 1.0)):
        found = scale_of(*made((), unit, units=units, others=[(73.0, 0.95)]))
        assert (found.mm, found.source) == (unit, "units")


def test_a_scan_that_is_a_little_off_its_units_is_said_to_be(made: Made) -> None:
    scan, lie = made([0.972 * base for base in MIXED], 1000.0, units="m")
    found = scale_of(scan, lie)
    assert (found.mm, found.question) == (1000.0, None)
    assert "2.2% too small" in found.warnings[0]


def test_a_length_wins_over_the_rest(made: Made) -> None:
    scan, lie = made(RPG, 37.31)
    apart = 600 / 37.31
    wanted = SizeHints(scale=2.0, length=(600.0, (1.0, 2.0, 3.0), (1.0, 2.0 + apart, 3.0)), bases=(32.0,))
    found = scale_of(scan, lie, wanted)
    assert found.source == "length"
    assert found.mm == pytest.approx(37.31)
    assert found.error == pytest.approx(0.7 * 1.6 / 600)
    with pytest.raises(RequestError, match="two points that lie apart"):
        scale_of(scan, lie, SizeHints(length=(600.0, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0))))


def test_a_scale_that_cannot_be_is_refused_and_an_unusual_one_warned_of(made: Made) -> None:
    scan, lie = made(RPG, 1000.0)
    assert scale_of(scan, lie, SizeHints(scale=990.0)) == scales.Scale(990.0, "given", 0.0)
    for absurd in (1.0, 60.0, 1e6, 0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(RequestError, match="--scale"):
            scale_of(scan, lie, SizeHints(scale=absurd))
    assert "unusual" in scale_of(scan, lie, SizeHints(scale=8000.0)).warnings[0]


def test_given_bases_tell_the_scale_or_ask(made: Made) -> None:
    scan, lie = made((32, 32, 32), 37.31)
    found = scale_of(scan, lie, SizeHints(bases=(32.0,)))
    assert found.source == "bases"
    assert found.mm == pytest.approx(37.31, rel=0.02)
    assert found.question is None
    either = scale_of(scan, lie, SizeHints(bases=(25.0, 32.0)))
    assert either.question is not None
    own = scale_of(*made((30, 30), 37.31), SizeHints(bases=(30.0,)))
    assert own.mm == pytest.approx(37.31, rel=0.02)
    with pytest.raises(RequestError, match="no such round bases"):
        scale_of(*made((), 37.31), SizeHints(bases=(25.0,)))
    with pytest.raises(RequestError, match="diameters in mm from 10 to 300"):
        scale_of(scan, lie, SizeHints(bases=(2.5,)))


def test_known_models_settle_what_bases_leave_open(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    scan, lie = made((25, 25, 50), 37.31)
    known: list[Any] = [object()]
    sure = ScaleMatch(37.3, 0.004, ("orc.stl",))
    monkeypatch.setattr(scales, "scale_by_models", lambda *_: sure)
    found = scale_of(scan, lie, SizeHints(), known)
    assert (found.source, found.question) == ("known models", None)
    assert found.mm == pytest.approx(37.3, rel=0.002), "with the bases that agree, each by its error"
    assert found.error < 0.004
    monkeypatch.setattr(scales, "scale_by_models", lambda *_: None)
    assert scale_of(scan, lie, SizeHints(), known).question is not None


def test_known_models_that_do_not_agree_with_the_units_are_a_question(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan, lie = made(RPG, 1000.0, units="m")
    cases = (
        (1010.0, 1000.0, "units", False, ""),
        (1035.0, 1000.0, "units", True, "3.5% too small: orc.stl"),
        (2440.0, 2440.0, "known models", True, "144.0% too small: orc.stl"),
    )
    for mm, taken, source, asks, warning in cases:
        match = ScaleMatch(mm, 0.004, ("orc.stl",))
        monkeypatch.setattr(scales, "scale_by_models", lambda *_, found=match: found)
        found = scale_of(scan, lie, SizeHints(), [object()])  # type: ignore[list-item]
        assert (found.mm, found.source) == (pytest.approx(taken, rel=0.002), source)
        assert (found.question is not None) == asks
        assert warning in " ".join(found.warnings)
        assert bool(found.warnings) == bool(warning)
        if found.question is not None:
            answers = scale_of(scan, lie, SizeHints(answer=found.question.answers[1]), [object()])  # type: ignore[list-item]
            assert answers.source == "given"
            assert answers.mm != found.mm


def test_what_known_models_alone_tell_is_asked_about_where_it_may_be_a_hundredth_off(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan, lie = made((25, 25, 50), 37.31)
    for error, asks in ((0.004, False), (0.007, True)):
        match = ScaleMatch(45.0, error, ("orc.stl",))
        monkeypatch.setattr(scales, "scale_by_models", lambda *_, found=match: found)
        found = scale_of(scan, lie, SizeHints(), [object()])  # type: ignore[list-item]
        assert (found.mm, found.source, found.question is not None) == (45.0, "known models", asks)
    assert found.question is not None
    assert "Known models tell it to 1.4%." in found.question.text
    assert found.question.answers[0].endswith("by orc.stl")


@pytest.mark.parametrize(("kind", "asks"), [("fighter", True), ("terrain", False)])
def test_units_at_which_no_known_figure_stands_are_asked_about(
    made: Made, monkeypatch: pytest.MonkeyPatch, kind: str, asks: bool
) -> None:
    """A table of 440 x 380 mm whose numbers are of 410 mm each is one of 1073 x 927 in metres, which may well be."""
    scan, lie = made((), 410.0, size=(440.0, 380.0))
    scan = replace(scan, units="m")
    model: Any = SimpleNamespace(model=SimpleNamespace(kind=kind))
    nothing: Any = SimpleNamespace(figures=[])
    monkeypatch.setattr(scales, "scale_by_models", lambda *_: None)
    found = scale_of(scan, lie, SizeHints(), [model], None, lambda mm: nothing)
    assert (found.mm, found.source, found.question is not None) == (1000.0, "units", asks)


def test_a_thing_without_a_table_has_its_units_where_it_may(made: Made) -> None:
    found = scale_of(*made((), 1000.0, size=None, units="m"))
    assert (found.mm, found.source, found.question) == (1000.0, "units", None)
    asked = scale_of(*made((), 37.31, size=None))
    assert asked.question is not None


def test_sizes_are_means_of_bases_alike_and_guesses_do_not_count() -> None:
    sizes = Sizes.of([disc(24.9), disc(25.1), disc(40), disc(33, quality=0.3)], 1.0)
    assert sizes.diameter == pytest.approx([25, 40], rel=1e-3)
    assert sizes.count.tolist() == [2, 1]
    assert sizes.chance[0] > sizes.chance[1] > 0.7
    assert sizes.named(1.0) == (25, 40)
    assert sizes.named(1.25) == (32, 50)
    assert sizes.likelihood(np.array([1.0, 1.1]))[0] > 3 + sizes.likelihood(np.array([1.0, 1.1]))[1]


def test_no_sizes_speak_for_nothing() -> None:
    none = Sizes.of([], 1.0)
    assert none.likelihood(np.array([1.0, 2.0])).tolist() == [0, 0]
    assert none.scales(0.1, 100.0) == []
    assert none.refined(3.0)[0] == 3.0
    assert none.named(1.0) == ()
    assert none.explained(1.0) == 0


@pytest.mark.long
@pytest.mark.parametrize("file", ["easy.glb", "usual.ply", "no_scale.obj", "points.ply"])
def test_the_scale_of_shared_scans_is_right_or_asked(shared: Path, file: str) -> None:
    truth = json.loads((shared / "scans" / file).with_suffix(".truth.json").read_text())
    scan = read_scan(shared / "scans" / file)
    found = scale_of(scan, level(scan))
    assert found.mm == pytest.approx(truth["unit"], rel=0.02)
    assert (found.question is not None) == (file == "no_scale.obj")
