"""Round bases on small tables made at once: where they are, how large, and what is none."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Integers
from silhouette.scans.bases import Disc, find_discs
from tests.support.grown_tables import Heights, Table, box, disc, figure, table


def discs_of(scanned: Table, *, noise: float = 0.1, step: float = 1.0, faces: bool = True) -> list[Disc]:
    return find_discs(
        scanned.points,
        scanned.faces if faces else None,
        spacing=step,
        noise=noise,
        least=18.0,
        most=110.0,
    )


def good(discs: list[Disc]) -> list[Disc]:
    return sorted((disc for disc in discs if disc.quality > 0.6), key=lambda one: one.centre)


@pytest.mark.parametrize(
    "diameter", [20.0, 28.5, pytest.param(50.0, marks=pytest.mark.long), pytest.param(80.0, marks=pytest.mark.slow)]
)
def test_a_base_is_measured_within_one_percent_whatever_its_size(diameter: float) -> None:
    (found,) = good(discs_of(table([figure(3.3, -2.1, base=diameter)], size=diameter + 40, noise=0.2), noise=0.2))
    assert np.hypot(found.centre[0] - 3.3, found.centre[1] + 2.1) < 0.3
    assert found.diameter == pytest.approx(diameter, rel=0.012)
    assert found.height == pytest.approx(3.0, abs=0.3)
    assert found.ground == pytest.approx(0.0, abs=0.2)
    assert found.seen > 0.9


def test_a_rough_scan_still_shows_the_base_within_its_error() -> None:
    off = []
    for seed in range(3):
        (found,) = good(discs_of(table([figure(0, 0, base=32)], size=70, step=1.5, noise=0.5, seed=seed), noise=0.5))
        off.append(abs(found.diameter - 32.0))
        assert found.error < 1.0
    assert np.median(off) < 0.32


def test_a_cloud_of_points_shows_it_as_well() -> None:
    (found,) = good(discs_of(table([figure(0, 0, base=40)], size=90, noise=0.2), noise=0.2, faces=False))
    assert found.diameter == pytest.approx(40.0, rel=0.015)


@pytest.mark.long
def test_the_unit_of_the_points_does_not_matter() -> None:
    scanned = table([figure(-20, 0, base=32), figure(20, 0, base=25)])
    here = good(discs_of(scanned))
    there = good(
        find_discs(
            scanned.points / 25.4, scanned.faces, spacing=1 / 25.4, noise=0.1 / 25.4, least=18 / 25.4, most=110 / 25.4
        )
    )
    assert len(here) == len(there) == 2
    for one, other in zip(here, there, strict=True):
        assert other.diameter * 25.4 == pytest.approx(one.diameter, rel=0.005)


def test_bases_side_by_side_are_both_found() -> None:
    """
    ( A )( B )
         ( C )
    """
    found = good(discs_of(table([figure(0, 0), figure(25.2, 0), figure(25.2, -25.2)])))
    assert [round(one.centre[0] / 25.2) for one in found] == [0, 1, 1]
    assert [one.diameter for one in found] == pytest.approx([25.0] * 3, rel=0.03)


@pytest.mark.slow
def test_a_base_on_a_roof_is_found_there() -> None:
    (found,) = good(discs_of(table([box(0, 0, 70, 60, 40), figure(5, 5, on=40)])))
    assert found.ground == pytest.approx(40.0, abs=0.3)
    assert found.diameter == pytest.approx(25.0, rel=0.02)


@pytest.mark.thinned(quick=20, ci=20)
@pytest.mark.parametrize(
    "thing",
    [
        pytest.param(box(0, 0, 30, 30, 4), id="square base"),
        pytest.param(box(0, 0, 30, 30, 4, turn=30), id="turned square"),
        pytest.param(box(0, 0, 60, 40, 40), id="container"),
        pytest.param(disc(0, 0, 30, 45), id="barrel"),
        pytest.param(lambda u, v: np.where(abs(np.hypot(u, v) - 38) < 4, 60.0, 0.0), id="mug"),
        pytest.param(lambda u, v: np.where((u / 30) ** 2 + (v / 17.5) ** 2 < 1, 3.0, 0.0), id="oval base"),
        pytest.param(lambda u, v: 8.0 * np.exp(-(u**2 + v**2) / 800), id="hillock"),
    ],
)
def test_what_is_no_round_base(thing: Heights) -> None:
    assert good(discs_of(table([thing], size=100))) == []


def test_nothing_at_all() -> None:
    flat: tuple[Floats, Integers] = (table([], size=60).points, table([], size=60).faces)
    assert find_discs(*flat, spacing=1.0, noise=0.1, least=18.0, most=110.0) == []
    few = find_discs(np.zeros((3, 3)), np.array([[0, 1, 2]], np.int32), spacing=1.0, noise=0.1, least=18.0, most=110.0)
    assert few == []


@pytest.mark.slow
def test_the_same_scan_gives_the_same_discs() -> None:
    scanned = table([figure(0, 0), figure(25.2, 0)])
    assert discs_of(scanned) == discs_of(scanned)
