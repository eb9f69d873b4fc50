"""What is worked out of a mesh once and kept while it moves, and how little is looked at where little decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose
from silhouette.common.lazy import forget
from silhouette.judging import load_scene
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Solid, Sphere, solid
from silhouette.relations import beams, lines, points, visible
from silhouette.relations.beams import widths
from silhouette.relations.lines import widest_line
from silhouette.relations.obstacles import Obstacles
from silhouette.relations.points import PointSet, point_set, standard_volume
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import Move, moved_piece
from silhouette.scenes.table import TableScene
from tests.conftest import PROJECT
from tests.relations.pieces import block, surface
from tests.support.shapes import box


def example(game: str) -> TableScene:
    scene = load_scene(PROJECT / "scenes" / game / "example.toml")
    assert isinstance(scene, TableScene)
    return scene


def fighter(game: str) -> Piece:
    return next(piece for piece in example(game).pieces if piece.kind == "fighter")


def cube(size: float) -> Mesh:
    return box([0, 0, 0], [size] * 3)


def test_heads_and_balls_are_worked_out_once_for_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    piece = fighter("kill_team_2024")
    worked_out = list[str]()
    for module, name in ((points, "cut_to_box"), (points, "_nested")):
        made = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, made=made, name=name: worked_out.append(name) or made(*given))
    forget()
    places = [moved_piece(piece, Move((10.0 * number, 0.0, 0.0), 17.0 * number)) for number in range(4)]
    middles = [points.balls(point_set(place, "head"), 0.4).middles(0, np.zeros(1, np.intp))[0] for place in places]
    assert worked_out == ["cut_to_box", "_nested"]
    own = [place.pose.localise(middle[None])[0] for place, middle in zip(places, middles, strict=True)]
    assert np.allclose(own, own[0], atol=1e-9)
    assert not np.allclose(middles, middles[0], atol=1.0)


def test_single_points_beside_a_surface_are_in_balls_of_their_own() -> None:
    mesh, pose = cube(2.0), Pose.standing((5.0, 0.0, 0.0))
    for height in (9.0, 7.0, 9.0):
        beside = PointSet("both", mesh, pose, np.array([[0.0, 0.0, height]]))
        assert points.balls(beside, 0.4).placed(np.array([-1])).tolist() == [[5.0, 0.0, height]]


@pytest.mark.parametrize("turn", [0.0, 33.0])
def test_a_head_moves_with_the_eye_and_looks_from_where_it_stands(turn: float) -> None:
    piece = fighter("kill_team_2024")
    piece = moved_piece(piece, Move((4.0, 5.0, 0.0), turn))
    head, lower = point_set(piece, "head"), point_set(moved_piece(piece, Move(eye=(0.0, 0.0, -2.0))), "head")
    assert np.allclose(head.single[0], piece.eye)
    assert np.allclose(lower.single - head.single, [0.0, 0.0, -2.0])
    assert np.allclose(lower.box[0, 2] - head.box[0, 2], -2.0)


def test_patches_are_looked_for_from_one_eye_first(monkeypatch: pytest.MonkeyPatch) -> None:
    target = surface([0, 0, 0], [20, 20, 20])
    eyes = np.array([[10.0 + number, -200.0, 10.0] for number in range(20)])
    asked, observed = list[int](), visible.observed

    def noted(eyes: Floats, *given: Any) -> Any:
        asked.append(len(eyes))
        return observed(eyes, *given)

    monkeypatch.setattr(visible, "observed", noted)
    visible.widest_patch(eyes, target, [], least=3.0)
    assert asked == [1]
    asked.clear()
    visible.widest_patch(eyes, target, [], least=500.0)
    assert asked == [1, 2, 4, 8, 5]


def test_blockers_are_looked_for_only_where_the_target_is(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = example("infinity_n5")
    target, wall = scene.pieces[-1], scene.pieces[0]
    eye = target.body_middle + np.array([0.0, 400.0, 0.0])
    (look,) = visible.observed(eye[None], point_set(target, "body"), [])
    view = look.masks[0].view
    places = np.stack(np.meshgrid(np.arange(0.0, view.height, 9.0), np.arange(0.0, view.width, 9.0)), -1).reshape(-1, 2)
    x, y, z = (target.body_middle - wall.body_middle + np.array([0.0, 60.0, -15.0])).tolist()
    before = moved_piece(wall, Move((x, y, z)))
    blockers = [(before, before.model.significant)]
    seen = visible.seen_at(target, [], view, places)
    hidden = visible.seen_at(target, blockers, view, places)
    assert 0 < hidden.sum() < seen.sum() < len(places)
    assert not (hidden & ~seen).any()
    renderer, asked = visible.looking_between_pixels(), list[int]()

    class Noted(ReferenceRenderer):
        def render(self, view: Any, bodies: Sequence[Any], pixels: Any = None) -> Any:
            asked.append(len(pixels))
            return renderer.render(view, bodies, pixels)

    monkeypatch.setattr(visible, "looking_between_pixels", Noted)
    assert (visible.seen_at(target, blockers, view, places) == hidden).all()
    assert asked == [len(places), seen.sum()]


@pytest.mark.parametrize("seed", range(4))
def test_of_a_standard_volume_the_plan_of_its_faces_tells_what_rays_tell(seed: int) -> None:
    random = np.random.default_rng(seed)
    piece = fighter("infinity_n5")
    volume = standard_volume(piece, 40.0, 12.5)
    rays = PointSet(volume.name, volume.mesh, volume.pose, volume.own, volume.outward)
    eyes = volume.box.mean(axis=0) + random.normal(size=(12, 3)) * [200.0, 200.0, 15.0]
    eyes[:, 0] += 60.0
    cells = visible._cells(volume, 1.0)
    obstacles = Obstacles([], (np.array([eyes.min(axis=0), eyes.max(axis=0)]), volume.box), 0.0)
    assert volume.convex
    assert not rays.convex
    assert [standard_volume(piece, size, size).convex for size in (1.9, 2.1)] == [False, True]
    for by_plan, by_rays in zip(
        visible._faced_and_seen(eyes, cells, volume, obstacles),
        visible._faced_and_seen(eyes, cells, rays, obstacles),
        strict=True,
    ):
        assert (by_plan == by_rays).all()


def test_rays_are_asked_where_a_face_is_seen_nearly_edge_on() -> None:
    piece = fighter("infinity_n5")
    cells = visible._cells(standard_volume(piece, 40.0, 12.5), 1.0)
    lid = np.flatnonzero(cells.normal[:, 2] > 0.99)[:1]
    eyes = cells.middle[lid] + 100.0 * np.array([[1.0, 0.0, height] for height in (0.03, 0.012, -0.012, -0.03)])
    assert visible._surely(eyes, cells, lid).tolist() == [1.0, 0.0, 0.0, -1.0]


def between_walls() -> tuple[tuple[PointSet, PointSet], list[Piece]]:
    """Two boxes, and two walls between them, 6 mm apart."""
    ends = surface([0, 0, 0], [10, 10, 10]), surface([200, 0, 0], [210, 10, 10])
    return ends, [block([100, -90, -9], [110, 2, 90], "one"), block([100, 8, -9], [110, 90, 90], "other")]


@pytest.mark.slow
def test_a_beam_is_widened_until_it_is_wide_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    ends, walls = between_walls()
    obstacles = Obstacles(walls, (ends[0].box, ends[1].box), 50.0)
    segment, asked, programme = np.array([[10.0, 2.2, 5.0], [200.0, 2.2, 5.0]]), list[int](), beams._programme
    monkeypatch.setattr(beams, "_programme", lambda *given: asked.append(1) or programme(*given))
    found = []
    for enough in (1.0, np.inf):
        asked.clear()
        moved = beams.widened(segment, ends, obstacles, 0.4, enough=enough)
        found.append((float(widths(moved[None], obstacles)[0]), len(asked)))
    (narrow, few), (wide, many) = found
    assert 1.0 <= narrow < 5.0
    assert wide == pytest.approx(6.0, abs=1e-5)
    assert few < many


@pytest.mark.long
def test_a_search_widens_beams_until_they_are_wide_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    ends, walls = between_walls()
    given, widened = list[Any](), lines.widened
    monkeypatch.setattr(lines, "widened", lambda *every: given.append(every[-1]) or widened(*every))
    assert widest_line(*ends, walls, least=5.5).value >= 5.5
    assert widest_line(*ends, walls, least=np.inf).value == pytest.approx(6.0, abs=1e-5)
    assert given[0] == 5.5
    assert given[-1] == np.inf


def test_a_cylinder_of_a_kilometre_has_few_rings() -> None:
    assert len(points._tower(1e6, 1e6).faces) < 100_000


@pytest.mark.long
def test_balls_of_long_thin_triangles_and_of_very_many_are_as_fine_as_they_say() -> None:
    """Of a mesh of more triangles than may be sampled, each has its corners; and nothing goes on for ever."""
    turn = np.linspace(0.0, 2.0 * np.pi, 120)
    rim = np.column_stack([30.0 * np.cos(turn), 30.0 * np.sin(turn)])
    vertices = np.concatenate([np.column_stack([rim, np.full(len(rim), z)]) for z in (0.0, 120.0)])
    here = np.arange(len(rim) - 1)
    faces = np.concatenate([np.column_stack([here, here + 1, here + len(rim)])])
    thin = Mesh(vertices, faces.astype(np.int32), np.zeros(len(faces), np.int32))
    found = points._of_surface(thin, 0.4)
    assert found.spacing == 0.4
    assert len(found.points) < points.MAX_POINT_SAMPLES / 2
    assert set(found.of[:, 0].tolist()) == set(range(len(faces)))
    spots = np.random.default_rng(0).dirichlet(np.ones(3), 300)
    chosen = np.random.default_rng(1).integers(0, len(faces), 300)
    for weights, face in zip(spots, chosen, strict=True):
        own = found.points[found.of[found.of[:, 0] == face, 1]]
        assert np.linalg.norm(own - weights @ vertices[faces[face]], axis=1).min() <= 0.4


def test_a_surface_of_more_triangles_than_samples_has_the_corners_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, the spacing grew for ever: of no spacing have triangles fewer samples than corners."""
    pytest.importorskip("resource", reason="this system has no limits for a process")
    from tests.fuzz.limits import limited

    monkeypatch.setattr(points, "MAX_POINT_SAMPLES", 10)
    ball = solid(Solid(Sphere(30.0)))
    outcome = limited(lambda: len(points._of_surface(ball, 1.0).points), cpu=3, wall=120.0)
    assert (outcome.kind, outcome.text) == ("done", str(len(ball.vertices)))
