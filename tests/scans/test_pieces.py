"""What stands on small tables made at once, taken apart: figures by their bases, things by their creases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from silhouette.common.geometry import Floats
from silhouette.scans.bases import Disc
from silhouette.scans.classify import Blob, KnownFigure, LabelledPieces, find_pieces
from silhouette.scans.segment import prominences, relief_of
from silhouette.scans.surface import PlacedScan
from tests.support.grown_tables import Heights, Table, box, disc, figure, table
from tests.support.pieces_apart import apart
from tests.support.scanned import matched


def placed(scanned: Table, *, noise: float = 0.1, step: float = 1.0, faces: bool = True) -> PlacedScan:
    return PlacedScan(
        scanned.points,
        scanned.faces if faces else np.zeros((0, 3), dtype=np.int32),
        np.ones(len(scanned.points), dtype=bool),
        np.abs(scanned.points[:, 2]) < max(4 * noise, 0.3),
        noise=noise,
        spacing=step,
        size=scanned.size,
    )


def pieces_of(scanned: Table, *, noise: float = 0.1, step: float = 1.0, faces: bool = True) -> LabelledPieces:
    return find_pieces(placed(scanned, noise=noise, step=step, faces=faces))


def fighters(found: LabelledPieces) -> list[Blob]:
    return [blob for blob in found.blobs if blob.kind == "fighter"]


def terrain(found: LabelledPieces) -> list[Blob]:
    return [blob for blob in found.blobs if blob.kind == "terrain"]


def centres(found: LabelledPieces) -> list[tuple[int, int]]:
    return sorted((round(b.disc.centre[0]), round(b.disc.centre[1])) for b in fighters(found) if b.disc is not None)


@pytest.mark.slow
def test_figures_and_terrain_apart() -> None:
    scanned = table([figure(-50, 0), box(20, 10, 60, 40, 35), figure(50, -50, base=32)], size=140)
    found = pieces_of(scanned)
    assert centres(found) == [(-50, 0), (50, -50)]
    assert [blob.kind for blob in found.blobs] == ["fighter", "fighter", "terrain"]
    assert apart(found.labels, scanned.truth).right > 0.95
    assert all(blob.on is None and not blob.could_be_several and not blob.is_odd for blob in found.blobs)
    assert found.labels.dtype == np.int32
    assert len(found.labels) == len(scanned.points)


@pytest.mark.long
def test_the_same_of_a_cloud_of_points() -> None:
    scanned = table([figure(-35, 0), box(20, 10, 50, 40, 35)], noise=0.3)
    found = pieces_of(scanned, noise=0.3, faces=False)
    assert centres(found) == [(-35, 0)]
    assert apart(found.labels, scanned.truth).right > 0.95


@pytest.mark.long
def test_two_base_to_base_and_three_in_a_row() -> None:
    places = [(-35, 0), (-9.9, 0), (35, -30), (35, -4.9), (35, 20.2)]
    scanned = table([figure(*place) for place in places])
    found = pieces_of(scanned)
    assert centres(found) == sorted((round(x), round(y)) for x, y in places)
    assert min(apart(found.labels, scanned.truth).best.values()) > 0.75


def test_a_figure_against_a_wall() -> None:
    scanned = table([figure(0, 0), box(0, 15.2, 90, 5, 50)])
    found = pieces_of(scanned)
    assert centres(found) == [(0, 0)]
    assert len(terrain(found)) == 1
    assert min(apart(found.labels, scanned.truth).best.values()) > 0.75


def test_the_rim_of_a_table_that_is_curled_up_is_the_table_and_a_wall_along_it_is_not() -> None:
    scanned = table([figure(0, 0), box(0, 46, 60, 6, 12)], size=100)
    points = scanned.points
    points[:, 2] += np.clip((points[:, 0] - 35.0) / 15.0, 0.0, 1.0) * 8.0
    found = pieces_of(scanned)
    assert [blob.kind for blob in found.blobs] == ["fighter", "terrain"]
    assert (found.labels[(points[:, 0] > 44.0) & (np.abs(points[:, 1]) < 30.0)] == 0).mean() > 0.9


@pytest.mark.long
def test_a_figure_on_a_crate_on_a_crate() -> None:
    scanned = table([box(0, 0, 70, 60, 30), box(0, 0, 45, 45, 60), figure(0, 0, on=60)])
    found = pieces_of(scanned)
    (standing,) = fighters(found)
    assert standing.ground == pytest.approx(60, abs=0.5)
    assert standing.on is not None
    assert found.blobs[standing.on - 1].kind == "terrain"
    below = np.abs(scanned.points[:, 2] - 60) < 0.5  # what it stands on is what its base touches
    assert np.bincount(found.labels[below & (found.labels > 0)]).argmax() == standing.on


@pytest.mark.slow
def test_a_figure_half_off_a_roof_is_found() -> None:
    """Its rim is seen in full, the roof's edge below its middle."""

    def leaning_out(u: Floats, v: Floats) -> Floats:
        return figure(28, 0, on=40)(u, v)

    found = pieces_of(table([box(0, 0, 60, 60, 40), leaning_out]))
    assert len(fighters(found)) == 1


@pytest.mark.parametrize(
    "thing",
    [
        pytest.param(disc(0, 0, 26, 34), id="barrel"),
        pytest.param(disc(0, 0, 76, 60), id="can", marks=pytest.mark.slow),
        pytest.param(disc(0, 0, 25, 2.5), id="token"),
    ],
)
def test_what_is_round_is_no_figure(thing: Heights) -> None:
    assert fighters(pieces_of(table([thing]))) == []


@pytest.mark.parametrize("height", [40.0, 60.0])
def test_a_figure_at_a_wall_whose_base_was_not_seen_is_asked_about(height: float) -> None:
    scanned = table([figure(0, 0, base=30), box(0, 9, 100, 6, height)])
    scan = placed(scanned)
    relief = relief_of(scan.points, scan.faces, scan.usable, scan.spacing, scan.size)
    assert relief is not None
    found = find_pieces(scan, rising=prominences(relief), about_bases=np.zeros(len(scan.points), dtype=bool))
    (asked,) = [blob for blob in found.blobs if blob.is_odd]
    assert len(found.blobs) == 2
    assert (asked.kind, asked.disc) == ("terrain", None)
    assert "grown together with something larger" in asked.why
    (plain,) = find_pieces(placed(table([box(0, 10, 100, 6, height)]))).blobs
    assert not plain.is_odd


def test_a_pillar_on_a_round_base_is_asked_about() -> None:
    found = pieces_of(table([lambda u, v: np.maximum(disc(0, 0, 40)(u, v), disc(0, 0, 20, 60)(u, v))]))
    (pillar,) = found.blobs
    assert pillar.is_odd
    assert "pillar" in pillar.why


@pytest.mark.parametrize(
    "things",
    [
        pytest.param([box(0, 0, 80, 5, 60), box(-37.5, 30, 5, 60, 60)], id="L ruin"),
        pytest.param([box(0, 0, 80, 5, 60), box(0, 30, 5, 60, 40)], id="T ruin"),
        pytest.param([box(-15, 0, 30, 50, 15), box(15, 0, 30, 50, 30)], id="steps"),
        pytest.param(
            [box(0, 0, 60, 50, 40), box(30, 0, 3, 8, 40), box(-30, 0, 3, 8, 40)], id="ribbed", marks=pytest.mark.slow
        ),
        pytest.param([box(0, 0, 70, 60, 40), box(15, 10, 10, 10, 55)], id="chimney", marks=pytest.mark.slow),
        pytest.param([box(x, 0, 4, 4, 30) for x in (-30, 0, 30)] + [box(0, 0, 64, 2, 20)], id="fence"),
    ],
)
def test_terrain_stays_whole(things: list[Heights]) -> None:
    assert len(pieces_of(table(things)).blobs) == 1


@pytest.mark.thinned(quick=0, ci=20)
@pytest.mark.parametrize(
    "things",
    [
        pytest.param([box(-25, 0, 50, 60, 40), box(27, 5, 50, 45, 65, turn=8)], id="side by side"),
        pytest.param([box(0, 0, 90, 80, 40), box(5, 5, 45, 40, 85, turn=20)], id="one on the other"),
        pytest.param([box(-30, 0, 60, 60, 50), disc(27, 0, 52, 80)], id="box and can"),
    ],
)
def test_things_that_touch_are_apart(things: list[Heights]) -> None:
    scanned = table(things, size=140)
    assert apart(pieces_of(scanned).labels, scanned.truth).right > 0.95


def on_oval(x: float, y: float) -> Heights:
    def heights(u: Floats, v: Floats) -> Floats:
        oval = np.where(((u - x) / 17.5) ** 2 + ((v - y) / 30) ** 2 < 1, 3.0, 0.0)
        return np.maximum(oval, figure(x, y, base=22)(u, v))

    return heights


@pytest.mark.long
def test_a_figure_on_an_oval_base_is_asked_about() -> None:
    (found,) = pieces_of(table([on_oval(0, 0)])).blobs
    assert (found.kind, found.disc, found.is_odd) == ("fighter", None, True)
    assert "not round" in found.why


@pytest.mark.long
def test_two_on_oval_bases_that_touch_are_apart_or_flagged() -> None:
    found = pieces_of(table([on_oval(-17.2, 0), on_oval(17.2, 6)]))
    assert len(found.blobs) == 2 or found.blobs[0].could_be_several


@pytest.mark.long
def test_two_boxes_that_make_one_step_may_be_several() -> None:
    """Their sides are nearly in one plane: nobody can tell without colours; they are not merged in silence."""
    found = pieces_of(table([box(-22, 0, 40, 50, 40), box(20, 5, 40, 45, 65, turn=8)]))
    assert len(found.blobs) == 2 or found.blobs[0].could_be_several


@pytest.mark.long
def test_colours_part_what_creases_leave_open() -> None:
    scanned = table([box(-22, 0, 40, 50, 40), box(20, 5, 40, 45, 65, turn=8)])
    paint = np.array([[90, 90, 90], [160, 60, 50], [50, 90, 160]], dtype=np.uint8)
    on_table = np.abs(scanned.points[:, 2]) < 0.4
    usable = np.ones(len(on_table), dtype=bool)
    found = find_pieces(
        PlacedScan(scanned.points, scanned.faces, usable, on_table, 0.1, 1.0, scanned.size, paint[scanned.truth])
    )
    assert apart(found.labels, scanned.truth).right > 0.95


def test_a_die_is_asked_about_and_a_crate_is_not() -> None:
    found = pieces_of(table([box(-30, 0, 16, 16, 16), box(30, 0, 40, 40, 35)]))
    assert [blob.is_odd for blob in found.blobs] == [True, False]
    assert "die" in found.blobs[0].why


def test_a_bent_table_is_no_piece() -> None:
    scan = placed(scanned := table([figure(30, 0), box(-35, 10, 20, 30, 25)]))
    scan = replace(scan, on_table=scan.on_table & (scanned.truth == 0))
    scan.points[:, 2] += 6.0 * (scan.points[:, 0] / 55.0) ** 2
    found = find_pieces(scan)
    assert [blob.kind for blob in found.blobs] == ["fighter", "terrain"]
    assert apart(found.labels, scanned.truth).right > 0.95


@pytest.mark.parametrize("is_closed", [False, True])
def test_triangles_that_are_wound_the_wrong_way_round_change_nothing(is_closed: bool) -> None:
    scanned = table([box(0, 0, 70, 60, 40), figure(5, 5, on=40)])
    points, faces = scanned.points, scanned.faces
    if is_closed:  # a board with a flat underside: all points once more, below
        under = points * [1.0, 1.0, 0.0] - [0.0, 0.0, 12.0]
        points, faces = np.vstack([points, under]), np.vstack([faces, faces[:, ::-1] + len(points)])
    right, wrong = (find_pieces(placed(replace(scanned, points=points, faces=way))) for way in (faces, faces[:, ::-1]))
    assert [blob.kind for blob in right.blobs] == ["fighter", "terrain"]
    assert right.blobs == wrong.blobs
    assert np.array_equal(right.labels, wrong.labels)


def test_what_goes_on_beyond_the_tables_edge_is_asked_about_and_what_ends_there_is_not() -> None:
    """An arm, of which nearly all that is on the table is within it."""
    scan = placed(table([box(30, 0, 60, 25, 30), box(-35, 0, 25, 40, 30)], size=120))
    found = find_pieces(replace(scan, size=(105.0, 105.0)))
    assert [blob.is_odd for blob in found.blobs] == [False, True]
    assert "reaches over the table's edge" in found.blobs[1].why


def test_the_rest_of_a_base_beside_a_known_figure_is_no_piece() -> None:
    scan = placed(table([figure(0, 0, base=40)]))
    body = np.flatnonzero((np.hypot(*scan.points[:, :2].T) < 18.0) & (scan.points[:, 2] > 1.0))
    known = KnownFigure(body, Disc((0.0, 0.0), 0.0, 3.0, 36.0, 0.1, 1.0), matched(sure=True))
    (only,) = find_pieces(scan, [known], about_bases=np.zeros(len(scan.points), dtype=bool)).blobs
    assert only.kind == "fighter"


def test_nothing_on_the_table() -> None:
    scanned = table([])
    found = pieces_of(scanned)
    assert found.blobs == ()
    assert (found.labels == 0).all()


def test_one_huge_thing_over_the_table() -> None:
    scanned = table([box(0, 0, 106, 106, 30)])
    found = pieces_of(scanned)
    assert [blob.kind for blob in found.blobs] == ["terrain"]


def test_specks_beside_below_and_above_belong_to_nothing() -> None:
    scanned = table([figure(0, 0)])
    specks = np.array([[0, 0, 90.0], [300, 0, 5], [10, 10, -60]]).repeat(3, axis=0)
    specks = specks + np.tile(np.eye(3), (3, 1))
    faces = len(scanned.points) + np.arange(9).reshape(3, 3)
    more = Table(
        np.vstack([scanned.points, specks]),
        np.vstack([scanned.faces, faces]),
        np.append(scanned.truth, [-1] * 9),
        scanned.size,
    )
    found = pieces_of(more)
    assert len(found.blobs) == 1
    assert (found.labels[-9:] == -1).all()


def test_what_is_not_usable_is_left_out() -> None:
    scanned = table([figure(0, 0)])
    points = scanned.points.copy()
    points[7] = np.nan
    usable = np.isfinite(points).all(1)
    faces = scanned.faces[usable[scanned.faces].all(1)]
    on_table = np.abs(points[:, 2]) < 0.4
    found = find_pieces(PlacedScan(np.nan_to_num(points), faces, usable, on_table, 0.1, 1.0, scanned.size))
    assert len(found.blobs) == 1
    assert found.labels[7] == -1


@pytest.mark.slow
def test_the_same_scan_gives_the_same_pieces() -> None:
    scanned = table([figure(-15, 0), box(15, 0, 20, 20, 15)], size=70)
    one, other = pieces_of(scanned), pieces_of(scanned)
    assert (one.labels == other.labels).all()
    assert one.blobs == other.blobs
