"""How finely a picture is sampled: as finely as an answer asks for, and no finer. Each bound is reached, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from silhouette.measure.counting import measured
from silhouette.measure.error import PARTS
from silhouette.measure.observe import Wanted, observe, observe_many
from silhouette.measure.question import Question
from silhouette.measure.sampling import Picture
from silhouette.measure.survey import Survey
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import fighter_arc, fit_view
from tests.conftest import started
from tests.support import shapes
from tests.support.measured_shares import EYE, FRONT, HERE, exact_share, rotation_about_x, turned
from tests.support.sight_cases import Case

LEVEL_BY_LEVEL = 0.6
"""Each level divides an error by about 2.8: of a dozen pictures, some need little more than a level has, and come to at
least this share of what is allowed."""


def question(target: Mesh, blockers: Sequence[Mesh], goal: float = 0.002, pixel: float = 0.1) -> Question:
    """What one check asks: the target seen from `EYE`, past the blockers."""
    bodies = [Body(number, shape, HERE) for number, shape in enumerate([target, *blockers], 1)]
    views = fit_view(EYE, target.bounds.mean(axis=0), bounding_points(target), pixel)
    return Question([Picture(view, bodies[0], bodies[1:], None) for view in views], pixel, goal)


def surveyed(one: Question) -> Survey:
    """The survey of one check, sampled as finely as it asks for."""
    survey = Survey([one], started("embree"))
    while survey.refine():
        pass
    return survey


def leaning(top: float, degrees: float = 20.0) -> Mesh:
    """A wall half way to `FRONT`, the ``top`` of which leans."""
    wall = shapes.box((146, -200, top - 400), (150, 200, top))
    return turned(wall, rotation_about_x(np.radians(degrees)), EYE)


def test_an_error_is_a_fifth_of_the_way_to_a_threshold() -> None:
    """Where that is more than the goal: an error of up to a fifth of the way, but not much less."""
    wall = leaning(15.0)
    case = Case(FRONT, (wall,), EYE)
    (view,) = fit_view(EYE, FRONT.bounds.mean(axis=0), bounding_points(FRONT), 0.1)
    share = exact_share(view, FRONT, [wall])
    ways = np.geomspace(0.004, 0.04, 12)
    found = [observe(case.sight, started("embree"), 0.1, Wanted((share + way,), error_goal=0.3)) for way in ways]
    errors = np.array([one.counts.error for one in found])
    assert (errors <= (ways + errors) / 5).all()
    assert (errors / ways).max() >= LEVEL_BY_LEVEL / 5


@pytest.mark.parametrize("tops", [(13.9, 14.4), (28.6, 28.95)])
def test_nothing_and_all_are_always_thresholds(tops: tuple[float, float]) -> None:
    """A wall of which little reaches before the target, or all but a little."""
    (view,) = fit_view(EYE, FRONT.bounds.mean(axis=0), bounding_points(FRONT), 0.1)
    walls = [leaning(top, 5.0) for top in np.linspace(*tops, 6)]
    shares = np.array([exact_share(view, FRONT, [wall]) for wall in walls])
    ways = np.minimum(shares, 1.0 - shares)
    assert 0.002 < ways.min() < ways.max() < 0.03
    sights = [Case(FRONT, (wall,), EYE).sight for wall in walls]
    found = observe_many(sights, started("embree"), 0.1, Wanted((), error_goal=0.3))
    errors = np.array([one.counts.error for one in found])
    assert (errors <= (ways + errors) / 5).all()


@pytest.mark.parametrize(("allowed", "cell"), [(0.55, 64), (0.45, 16), (0.55 / 4, 16), (0.45 / 4, 4)])
def test_what_is_smaller_than_a_cell_takes_half_of_the_error_at_most(allowed: float, cell: int) -> None:
    """Half a cell may differ from all others and not have been met: that is 3 sqrt(1/2) cells, of three sigmas.

    ``allowed`` is that error, with cells of 64 pixels, in terms of the goal: or rather its inverse.
    """
    wall = shapes.box((146, -200, -200), (150, 200, 15))
    total = surveyed(question(FRONT, [wall], goal=1.0)).counts.sum()
    largest = 3.0 * np.sqrt(0.5) * 64 / total
    survey = surveyed(question(FRONT, [wall], goal=4.0 * largest * allowed))
    assert survey.cell.tolist() == [cell]


@pytest.mark.parametrize(("times", "is_finer"), [(0.9, True), (1.1, False)])
def test_contours_are_followed_only_where_few_things_were_missed(times: float, is_finer: bool) -> None:
    """Things smaller than a cell are a tenth of the goal at most, or the coarse grid is made finer."""
    target = shapes.box((300, -30, 0), (301, 30, 60))
    bars = [shapes.box((150, y, -100), (151, y + 1.5, 100)) for y in np.arange(-15.0, -1.0, 3.0)]
    places = [(y, z) for y in np.arange(2.0, 14.0, 3.0) for z in np.arange(16.0, 40.0, 3.0)]
    dots = [shapes.box((150, y, z), (151, y + 0.15, z + 0.15)) for y, z in places]
    one = replace(question(target, [shapes.joined(*bars, *dots)]), thresholds=())
    first = Survey([one], started("embree"))
    met, total = first.alone.sum(), first.counts.sum()
    assert met >= 1
    goal = met * first.cell[0] / total / 0.1
    survey = Survey([replace(one, goal=times * goal)], started("embree"))
    survey.refine()
    assert (survey.cell < first.cell).tolist() == [is_finer]


@pytest.mark.parametrize(("period", "is_thin"), [(6.6, True), (8.2, False)])
def test_bars_are_thin_where_three_tenths_of_the_cells_have_another_neighbour(period: float, is_thin: bool) -> None:
    """Upright bars make |cos| + |sin| = 1.38 pairs for each cell of their edges, of which there are two a period."""
    target = shapes.box((300, -60, -30), (301, 60, 90))
    bars = [shapes.box((150, y, -200), (151, y + period / 4, 200)) for y in np.arange(-50, 50, period / 2)]
    survey = Survey([question(target, [shapes.joined(*bars)])], started("embree"))
    assert survey.is_thin.tolist() == [is_thin]


@pytest.mark.long
def test_the_error_of_thin_things_is_small_whatever_is_allowed() -> None:
    errors = []
    for period in np.linspace(0.5, 1.4, 12):
        bars = [shapes.box((146, y, -100), (146.1, y + period / 4, 100)) for y in np.arange(-6.0, 6.0, period)]
        (found,) = measured([question(FRONT, bars, goal=0.02)], started("embree"))
        errors.append(found.counts.error)
    assert LEVEL_BY_LEVEL * 0.0045 <= max(errors) <= 0.0045


def test_the_size_of_a_target_is_right_to_two_hundredths() -> None:
    """That of one before which nothing stands, so that nothing else hangs on it."""
    errors = []
    for side in np.linspace(6.0, 14.0, 12):
        one = question(shapes.box((300, -side / 2, 3), (301, side / 2, 3 + side)), [])
        survey = surveyed(one)
        errors.append(3.0 * np.sqrt(survey.variance.sum()) / survey.counts.sum())
    assert LEVEL_BY_LEVEL * 0.02 <= max(errors) <= 0.02


@pytest.mark.parametrize("side", [30.0, 32.5])
def test_what_stands_before_a_target_leaves_its_size_as_certain(side: float) -> None:
    """Where any error of a share is allowed, a picture is sampled no finer for the sake of the blockers' contours."""
    target = shapes.box((300, -side / 2, 3), (301, side / 2, 3 + side))
    walls = [shapes.box((150, -200, z), (151, 200, z + 1.1)) for z in np.arange(3.0, 23.0, 3.0)]
    with_walls, without = (
        surveyed(replace(question(target, blockers, goal=1.0), thresholds=())) for blockers in (walls, [])
    )
    assert with_walls.counts @ PARTS[0] > 0.1 * without.counts.sum()
    assert with_walls.sampled.width == without.sampled.width == 8


def test_the_error_by_default_is_a_fifth_of_a_hundredth() -> None:
    sights = [Case(FRONT, (leaning(15.0, degrees),), EYE).sight for degrees in np.linspace(2.0, 30.0, 12)]
    errors = [observe(sight, started("embree"), 0.1, Wanted(())).counts.error for sight in sights]
    assert LEVEL_BY_LEVEL * 0.002 <= max(errors) <= 0.002


@pytest.mark.long
def test_a_picture_is_taken_four_times_finer_at_most() -> None:
    """Half of the target is obscured, to a millionth: no picture tells on which side of one half that is."""
    middle = (FRONT.bounds[0, 1] + FRONT.bounds[1, 1]) / 2 + 1e-4
    wall = shapes.box((290, -100, -100), (299, middle, 100))
    found = observe(Case(shapes.box((300, -10, 3), (300.001, 10, 33)), (wall,), EYE).sight, started("embree"), 0.1)
    assert found.pixel == pytest.approx(0.1 / 4)


@pytest.mark.thinned(quick=50, ci=50)
@pytest.mark.parametrize(
    ("low", "high"),
    [pytest.param((-90, -90), (0.003, 90), id="half"), pytest.param((-0.1, 25.003), (90, 90), id="half in the arc")],
)
def test_either_share_asks_for_finer_pictures(low: tuple[float, float], high: tuple[float, float]) -> None:
    """That of the whole target, or that of its part in the arc, is one half but for a hair."""
    wall = shapes.box((299, low[0], low[1]), (299.5, high[0], high[1]))
    target = shapes.box((300, -10, 10), (300.001, 10, 40))  # on a level with the eye, so that its halves are alike
    one = Case(target, (wall,), EYE, (fighter_arc((0.0, 0.0), facing=45.0),))
    found = observe(one.sight, started("embree"), 0.1)
    assert found.pixel == pytest.approx(0.1 / 4)


def test_what_is_exactly_one_half_is_looked_at_no_finer() -> None:
    """It counts as one half, since the places are symmetric, and no finer picture would tell more."""
    wall = shapes.box((299, -90, -90), (299.5, 0, 140))
    sight = Case(shapes.box((300, -10, 10), (300.001, 10, 40)), (wall,), EYE).sight
    (found,) = observe_many([sight], started("embree"), 0.1)
    assert found.counts.occluded * 2 == found.counts.total
    assert 0.0 < found.counts.error < 0.002
    assert found.pixel == 0.1


@pytest.mark.parametrize(
    ("pixel", "block"), [(2.0, 1), (0.81, 1), (0.79, 1), (0.4, 2), (0.1, 8), (0.05, 16), (0.01, 16)]
)
def test_a_cell_of_the_coarse_grid_is_at_most_eight_tenths_of_a_millimetre_wide(pixel: float, block: int) -> None:
    """And at most 16 pixels."""
    assert question(FRONT, [], pixel=pixel).block == block


@pytest.mark.parametrize(("side", "block"), [(240.0, 1), (280.0, 2), (480.0, 2), (530.0, 4)])
def test_the_cells_of_a_large_picture_are_wider(side: float, block: int) -> None:
    """A coarse grid has 65,536 cells at most: a picture of 256 by 256 pixels has them one pixel wide."""
    (picture,) = question(shapes.box((900, 0, 0), (901, 1, 1)), [], pixel=1.0).pictures
    view = replace(picture.view, width=int(side), height=int(side))
    assert Question([replace(picture, view=view)], 1.0, 0.002).block == block


def test_a_giant_is_measured_with_as_few_rays_as_a_figure() -> None:
    """A picture of two million pixels and more, where an error of five hundredths is allowed."""
    giant = shapes.box((3000, -900, -900), (3001, 900, 900))
    wall = leaning(15.0)
    one = question(giant, [wall], goal=0.05, pixel=1.0)
    assert sum(picture.view.width * picture.view.height for picture in one.pictures) > 2_000_000
    survey = surveyed(one)
    assert sum(len(batch.kind) for batch in survey.sampled._atlas.samplings.batches) < 200_000
    occluded = survey.counts @ PARTS[0]
    (view,) = (picture.view for picture in one.pictures)
    assert abs(occluded / survey.counts.sum() - exact_share(view, giant, [wall])) < survey.errors[0, 0]


def bits(area: float, number: int = 2) -> Mesh:
    """Squares here and there, far from each other, which have so many square millimetres together."""
    side = np.sqrt(area / number)
    places = 5.0 * np.stack(np.divmod(np.arange(number) * 7 % 36, 6), axis=1) + np.arange(number)[:, None] * [0.3, 0.17]
    corners = np.array([[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]])
    squares = [np.insert(place + corners, 0, 300.0, axis=1) for place in places]
    return shapes.joined(*[shapes.quad(*square) for square in squares])


@pytest.mark.long
def test_a_target_of_fewer_than_a_hundred_pixels_is_measured_in_its_bits() -> None:
    """In pixels smaller than those that were asked for."""
    fewer, more = [], []
    for expected in range(50, 190, 5):
        one = question(bits(expected * 0.1**2, 12), [leaning(15.0)])
        pixels = surveyed(one).counts.sum()
        (found,) = measured([one], started("embree"))
        if 50 < pixels < 95:
            fewer.append(found.pixel < 0.1)
        elif 105 < pixels < 200:
            more.append(found.pixel < 0.1)
    assert set(fewer) == {True}
    assert set(more) == {False}


def test_bits_are_looked_at_in_cells_as_small_as_a_1024th_of_a_pixel() -> None:
    """And not smaller; a pixel of the counts is half as wide as a cell."""
    (found,) = measured([question(bits(1e-10), [leaning(15.0)])], started("embree"))
    assert found.pixel == pytest.approx(0.1 / 1024 / 2)


@pytest.mark.parametrize("area", [0.35, 0.65])
def test_bits_are_looked_at_in_as_many_cells_as_there_may_be(area: float) -> None:
    """At most 30,000 for all faces; half as wide, there would be more."""
    one = question(bits(area), [leaning(15.0)])
    (found,) = measured([one], started("embree"))
    (picture,) = one.pictures
    columns, rows, _ = picture.view.project(picture.target.mesh.vertices)
    sizes = [np.ptp(np.column_stack([columns, rows])[face], axis=0) * 0.1 for face in picture.target.mesh.faces]
    cells = float(np.prod(sizes, axis=1).sum()) / (2 * found.pixel) ** 2
    assert 30_000 / 4 < cells < 30_000


def test_sixty_four_pictures_are_at_hand_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of figures, which are some 400 pixels wide; a hundred are measured in two goes."""
    from silhouette.measure import counting

    at_hand = []

    class Recorded(Survey):
        def __init__(self, questions: Sequence[Question], renderer: object) -> None:
            at_hand.append(len(questions))
            super().__init__(questions, started("embree"))

    monkeypatch.setattr(counting, "Survey", Recorded)
    one = question(shapes.box((300, -13, 0), (301, 13, 28)), [])
    assert [picture.view.width for picture in one.pictures] == [pytest.approx(400, abs=40)]
    measured([one] * 64, started("embree"))
    assert at_hand == [64]
    at_hand.clear()
    measured([one] * 100, started("embree"))
    most = counting.PIXELS_TOGETHER // (one.pictures[0].view.width * one.pictures[0].view.height)
    assert at_hand == [most, 100 - most]
