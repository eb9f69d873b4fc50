"""RELATE: the widest beam: closed forms, exactly as wide as the gap, an oracle by brute force, and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import Pose
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere, solid
from silhouette.relations.beams import BEAM_TOUCH_MM, widths
from silhouette.relations.lines import has_quick_beam, sunk, widest_line
from silhouette.relations.obstacles import Obstacles
from silhouette.relations.points import PointSet
from tests.relations.pieces import beam_by_brute_force, block, piece, point, surface
from tests.support.shapes import quad

FAR = 100.0


def slit(gap: float, depth: float = 5.0):
    """Two tall blocks with a gap between them, at y = 0."""
    half = gap / 2
    return [block((-60, 0, -60), (-half, depth, 60), "left"), block((half, 0, -60), (60, depth, 60), "right")]


def test_an_open_line_is_as_wide_as_it_is_long():
    assert widest_line(point(0, 0, 0), point(0, 8, 0), [], least=math.inf).value == 8.0


@pytest.mark.parametrize("gap", [0.25, 1.0, 3.0])
def test_a_line_between_points_through_the_middle_of_a_slit_is_as_wide_as_the_slit(gap):
    found = widest_line(point(0, -40, 0), point(0, 50, 0), slit(gap), least=math.inf)
    assert found.value == pytest.approx(gap, abs=1e-6)


@pytest.mark.parametrize("gap", [0.25, 0.9, 1.0, 30.0])
def test_a_beam_that_is_tried_without_a_search_fits_where_one_fits(gap):
    start, end = surface((-5, -50, -5), (5, -40, 5)), surface((-5, 40, -5), (5, 50, 5))
    assert has_quick_beam(start, end, slit(gap), 1.0) <= (gap >= 1.0)
    assert has_quick_beam(start, end, slit(gap), 1.0) or gap < 30.0
    assert has_quick_beam(point(0, -40, 0), point(0, 50, 0), slit(gap), 1.0) == (gap >= 1.0)


def test_a_line_off_the_middle_has_what_is_left():
    found = widest_line(point(0.2, -40, 0), point(0.2, 50, 0), slit(1.0), least=math.inf)
    assert found.value == pytest.approx(0.6, abs=1e-6)


@pytest.mark.parametrize(
    "least, goes, side",
    [
        *((1.0, True, 10), (1.0 - 1e-5, True, 10)),
        pytest.param(1.0 + 1e-5, False, 3, marks=pytest.mark.slow),
        pytest.param(1.0 + 1e-5, False, 10, marks=pytest.mark.long),
    ],
)
def test_a_gap_of_exactly_the_width_lets_a_line_through(least, goes, side):
    low, high = -side / 2, side / 2
    start, end = surface((low, -50, low), (high, -40, high)), surface((low, 40, low), (high, 50, high))
    found = widest_line(start, end, slit(1.0), least=least)
    assert (found.value >= least - BEAM_TOUCH_MM) == goes
    if not goes:
        assert found.value == pytest.approx(1.0, abs=2e-6)


@pytest.mark.long
def test_a_line_crosses_no_gap_that_is_too_narrow():
    start, end = surface((-5, -50, -5), (5, -40, 5)), surface((-5, 40, -5), (5, 50, 5))
    found = widest_line(start, end, slit(0.02), least=1.0)
    assert found.value + found.error < 1.0
    assert set(found.by) == {"left", "right"}


@pytest.mark.parametrize("height, least", [(9.0, 1.0), (9.9, 0.1)])
def test_a_line_over_a_wall_is_as_wide_as_what_stands_out_above_it(height, least):
    """Both boxes are 10 high: the widest line runs along their tops, its lower side on the wall."""
    start, end = surface((-5, -50, 0), (5, -40, 10)), surface((-5, 40, 0), (5, 50, 10))
    wall = block((-60, -1, -1), (60, 1, height))
    found = widest_line(start, end, [wall], least=2 * (10 - height) - 1e-5)
    assert found.value == pytest.approx(2 * (10 - height), abs=1e-4)
    assert widest_line(start, end, [wall], least=least).value >= least


def test_a_wall_as_high_as_both_blocks_with_certainty():
    start, end = surface((-5, -50, 0), (5, -40, 10)), surface((-5, 40, 0), (5, 50, 10))
    wall = block((-60, -1, -1), (60, 1, 12))
    found = widest_line(start, end, [wall])
    assert (found.value, found.error, found.by) == (0.0, 0.0, ("wall",))
    found = widest_line(start, end, [wall], least=1.0)
    assert (found.value, found.by) == (0.0, ("wall",))
    assert found.error < 1.0


@pytest.mark.slow
def test_a_line_through_a_round_window_is_as_wide_as_the_window():
    """A frame of many quads round a circle of 4 mm across."""
    turn = np.linspace(0, 2 * np.pi, 721)
    inner, outer = (np.column_stack([r * np.cos(turn), 0 * turn, r * np.sin(turn)]) for r in (2.0, 90.0))
    panes = [quad(inner[k], inner[k + 1], outer[k + 1], outer[k]) for k in range(720)]
    frame = [piece(pane, "frame") for pane in panes]
    found = widest_line(point(0, -30, 0), point(0, 30, 0), frame, least=math.inf)
    assert found.value == pytest.approx(4 * np.cos(np.pi / 720), abs=1e-5)


def test_past_a_ball_and_past_a_pillar():
    ball = piece(solid(Solid(Sphere(20.0), at=(0, 0, -10))))
    found = widest_line(point(12, -50, 0), point(12, 50, 0), [ball], least=math.inf)
    assert found.value == pytest.approx(4.0, abs=0.01)
    pillar = piece(solid(Solid(Cylinder(20.0, 80.0), at=(0, 0, -40))))
    found = widest_line(point(12, -50, 3), point(12, 50, -3), [pillar], least=math.inf)
    assert found.value == pytest.approx(4.0, abs=0.01)


def test_nothing_passes_under_what_stands_on_the_ground_and_slopes_stay_as_they_are():
    start, end = surface((-5, -50, 0), (5, -40, 10)), surface((-5, 40, 0), (5, 50, 10))
    found = widest_line(start, end, [block((-60, -1, 0), (60, 1, 12))])
    assert (found.value, found.error) == (0.0, 0.0)
    corners = np.array([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0], [0, 0, 20]], float)
    faces = np.array([[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], np.int32)
    pyramid = piece(Mesh(corners, faces, np.zeros(6, np.int32)))
    standing, sunken = (
        widest_line(point(7, -30, 5), point(7, 30, 5), pieces, least=math.inf).value
        for pieces in ([pyramid], sunk([pyramid], 0.0, 100.0))
    )
    assert standing == sunken
    assert 0.0 < standing == pytest.approx(0.0, abs=1.0)


def test_a_tip_on_a_blocker_leads_no_line_but_square_away_from_its_face():
    wall = block((-20, 0, -20), (20, 5, 20))
    assert widest_line(point(0, 5, 0), point(0, 50, 0), [wall], least=1.0).value == 2.0
    assert widest_line(point(0, 5, 0), point(30, 50, 0), [wall], least=1.0).value == 0.0
    assert widest_line(point(0, 3, 0), point(0, 50, 0), [wall], least=0.0).value == 0.0


def test_a_figure_on_the_ground_with_its_back_to_a_wall_has_lines():
    ground, wall = block((-99, -99, -5), (99, 99, 0), "ground"), block((-20, 10, 0), (20, 15, 30))
    start, end = surface((-5, 0, 0), (5, 10, 30)), surface((-5, -60, 0), (5, -50, 30))
    assert widest_line(start, end, [ground, wall], least=3.0).value >= 3.0


def test_a_line_in_the_plane_of_a_face_has_no_width_and_one_beside_it_has():
    sheet = piece(quad((0, -9, -9), (0, 9, -9), (0, 9, 9), (0, -9, 9)))
    assert widest_line(point(0, -30, 0), point(0, 30, 0), [sheet], least=0.0).value == 0.0
    beside = widest_line(point(1e-3, -30, 0), point(1e-3, 30, 0), [sheet], least=0.0)
    assert beside.value == pytest.approx(2e-3, abs=2e-6)


def test_the_witness_leads_from_one_set_to_the_other():
    start, end = surface((-5, -50, 0), (5, -40, 10)), surface((-5, 40, 0), (5, 50, 10))
    (line,) = widest_line(start, end, slit(1.0), least=0.8).lines
    assert (line >= [[-5, -50, 0], [-5, 40, 0]]).all()
    assert (line <= [[5, -40, 10], [5, 50, 10]]).all()
    triangles = np.concatenate([mesh.vertices[mesh.faces] for _, mesh in slit(1.0)])
    assert beam_by_brute_force(line[0], line[1], triangles) >= 0.8 - 1e-6


def test_an_eye_finds_a_slit_that_no_sample_is_behind():
    """A slit of 0.01 mm, off the samples: the measurement finds what is seen through it, or says how wide at most."""
    end = surface((-5, 40, 0), (5, 50, 10))
    found = widest_line(point(0.0313, -40, 5), end, slit(0.08), least=0.0)
    assert found.value > 0.0
    hidden = widest_line(point(0, -40, 5), end, [block((-60, 0, -60), (60, 1, 60))], least=0.0)
    assert (hidden.value, hidden.error) == (0.0, 0.0)


SOUP = st.integers(0, 10_000)


def soup(seed: int, count: int = 6):
    """Triangles between y = -10 and y = 10, and two points on either side."""
    generator = np.random.default_rng(seed)
    triangles = generator.uniform((-8, -10, -8), (8, 10, 8), (count, 3, 3))
    ends = generator.uniform((-6, -1, -6), (6, 1, 6), (2, 3)) + np.array([[0, -30, 0], [0, 30, 0]])
    return triangles, ends


def as_pieces(triangles):
    return [piece(quad(a, b, c, c).subset(np.array([True, False])), str(k)) for k, (a, b, c) in enumerate(triangles)]


@pytest.mark.long
@settings(max_examples=40)
@given(SOUP)
def test_widths_agree_with_brute_force(seed):
    triangles, ends = soup(seed)
    obstacles = Obstacles(as_pieces(triangles), (ends[[0, 0]], ends[[1, 1]]), FAR)
    found = float(widths(ends[None], obstacles)[0])
    expected = beam_by_brute_force(*ends, triangles)
    # the oracle's points lie up to 0.4 mm apart on these triangles
    assert found <= expected + 1e-6
    assert expected <= max(found + 0.2, np.sqrt(found**2 + 1.0))


@settings(max_examples=25)
@given(SOUP, st.floats(-180, 180), st.tuples(*[st.floats(-500, 500)] * 3))
def test_moved_and_turned_together_nothing_changes(seed, turn, by):
    triangles, ends = soup(seed)
    found = widest_line(point(*ends[0]), point(*ends[1]), as_pieces(triangles), least=math.inf)
    pose = Pose.standing(by, turn)
    moved = [piece(mesh, one.name, pose) for one, mesh in as_pieces(triangles)]
    start, end = (point(*pose.place(one[None])[0]) for one in ends)
    assert widest_line(start, end, moved, least=math.inf).value == pytest.approx(found.value, abs=3e-6)


def crate(middle, side):
    return PointSet.of_surface(solid(Solid(Box((side, side, side)))), Pose.standing(middle))


@pytest.mark.long
@settings(max_examples=3)
@given(SOUP)
def test_a_swap_and_a_blocker_more_and_finer_samples_keep_to_the_errors(seed):
    triangles, ends = soup(seed, 8)
    start, end = crate(ends[0], 4.0), crate(ends[1], 6.0)
    blockers = as_pieces(triangles)
    options = {"least": 1.0, "resolution": 0.45}
    one, other = widest_line(start, end, blockers, **options), widest_line(end, start, blockers, **options)
    assert one.value <= other.value + other.error + 1e-6 or other.value >= 1.0
    assert (one.value >= 1.0) == (other.value >= 1.0) or one.error + other.error > 0
    fewer = widest_line(start, end, blockers[:-1], **options)
    if one.value >= 1.0:
        assert fewer.value + fewer.error >= 1.0 or fewer.value >= 1.0
    finer = widest_line(start, end, blockers, least=1.0, resolution=0.225)
    assert min(finer.value, 1.0) <= one.value + one.error + 1e-6 or one.value >= 1.0
    assert min(one.value, 1.0) <= finer.value + finer.error + 1e-6 or finer.value >= 1.0


@pytest.mark.long
@settings(max_examples=5)
@given(SOUP)
def test_no_line_is_said_not_to_be_there_that_dense_tries_find(seed):
    triangles, ends = soup(seed, 9)
    start, end = crate(ends[0], 2.0), crate(ends[1], 2.0)
    blockers = as_pieces(triangles)
    found = widest_line(start, end, blockers, least=0.6, resolution=0.25)
    obstacles = Obstacles(blockers, (start.box, end.box), 2.0)
    generator = np.random.default_rng(seed)
    corners = np.stack([generator.uniform(*one.box, (4000, 3)) for one in (start, end)], axis=1)
    free = corners[~obstacles.blocked(corners)]
    assume(len(free))
    # inside the crates: a beam from there goes on from their surface
    best = float(widths(free[:400], obstacles, 1.2).max())
    assert best <= found.value + found.error + 1e-6 or found.value >= 0.6


@pytest.mark.parametrize("least", [0.9, 1.0])
def test_the_error_is_what_the_search_left_beyond_the_width_that_it_found(least):
    """Between two points there is one line: its width is known, and nothing is left."""
    found = widest_line(point(0, -40, 0), point(0, 50, 0), slit(0.8), least=least)
    assert (found.value, found.error) == (pytest.approx(0.8, abs=1e-9), pytest.approx(0.0, abs=1e-9))


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("swapped", [False, True])
def test_the_piece_that_meets_most_lines_is_named_first(names, swapped):
    start, end = surface((-5, -50, -5), (5, -40, 5)), surface((-5, 40, -5), (5, 50, 5))
    most, some = block((-90, 10, -90), (90, 12, 90), names[0]), block((2, -10, -5), (4, -8, 5), names[1])
    found = widest_line(start, end, [some, most] if swapped else [most, some], least=1.0)
    assert (found.value, found.by) == (0.0, names)
