"""What renderers answer at some points of a picture only; for every renderer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.geometry import Pose
from silhouette.renderers import Body, Renderer, rays
from silhouette.renderers.protocol import Cast
from silhouette.renderers.reference import ReferenceRenderer
from tests.support import shapes

PROJECT = Path(__file__).resolve().parents[2]
HERE = Pose.standing()
REFERENCE = ReferenceRenderer()


# Some pixels only.


def test_pixels_asked_for_are_those_of_the_whole_picture(renderer: Renderer) -> None:
    view = shapes.looking((40, -200, 70), (0, 0, 0), 0.002, 90, 70, roll=31.7)
    bodies = [Body(1, shapes.cube(20), HERE), Body(2, shapes.sphere(12, 40, 21), Pose.standing((8, -10, 5)))]
    whole = renderer.render(view, bodies)
    random = np.random.default_rng(1)
    pixels = random.integers((0, 0), (70, 90), (500, 2)).astype(np.int32)
    few = renderer.render(view, bodies, pixels)
    assert few.ids.shape == few.depth.shape == (500,)
    assert np.array_equal(few.ids, whole.ids[tuple(pixels.T)])
    assert np.allclose(few.depth, whole.depth[tuple(pixels.T)], rtol=1e-6)
    assert renderer.render(view, bodies, pixels[:0]).ids.shape == (0,)
    elsewhere = [Body(2, shapes.cube(20), HERE)]
    assert set(np.unique(renderer.render(view, elsewhere, pixels).ids)) == {0, 2}


@pytest.mark.parametrize("beyond", [2, 30, 400])
def test_pixels_outside_the_picture_lie_where_its_plane_goes_on(renderer: Renderer, beyond: int) -> None:
    view = shapes.looking((5, -100, 0), (0, 0, 10), 0.01, 40, 30, roll=31.7)
    bodies = [
        shapes.spot(view, -10, -beyond, 20, beyond + 5, 50.0),
        shapes.spot(view, 12, 33, beyond + 18, beyond + 7, 80.0, number=2),
    ]
    larger = replace(
        view,
        left=view.left - beyond * view.step,
        top=view.top + beyond * view.step,
        width=view.width + 2 * beyond,
        height=view.height + 2 * beyond,
    )
    whole = renderer.render(larger, bodies).ids
    low, high = (-beyond, -beyond), (view.height + beyond, view.width + beyond)
    pixels = np.random.default_rng(2).integers(low, high, (800, 2)).astype(np.int32)
    assert np.array_equal(renderer.render(view, bodies, pixels).ids, whole[tuple((pixels + beyond).T)])


def test_fractional_pixels_are_that_very_point_or_the_nearest_middle(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01, 40, 30)
    bodies = [shapes.spot(view, 10, 10, 10, 10, 50.0)]
    points = np.random.default_rng(3).uniform(5, 25, (2000, 2))
    looked_at = points if renderer.capabilities.sparse else np.floor(points + 0.5)
    expected = ((looked_at > 9.5) & (looked_at < 19.5)).all(axis=1)
    assert np.array_equal(renderer.render(view, bodies, points).ids > 0, expected)


@pytest.mark.parametrize("eye", [(40, -200, 70), (0, -10, 0), (3, 1, 2), (0, 300, 0)])
def test_depths_of_many_casts_are_those_of_each_body_drawn_alone(
    renderer: Renderer, eye: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From before it, from a point in one of its faces, which is only touched, from within it, and from beyond it."""
    monkeypatch.setattr(rays, "FACES_PER_CHUNK", 1000)  # some are indexed in several pieces
    view = shapes.looking(eye, (0, 5, 1), 0.004, 90, 70, roll=31.7)
    pixels = np.random.default_rng(5).uniform(-9, 95, (600, 2))
    bodies = [
        Body(7, shapes.cube(20), HERE),
        Body(2, shapes.sphere(12, 60, 31), Pose.standing((8, -10, 5), 30)),
        Body(3, shapes.square(30), Pose.standing((0, 40, 0))),
        Body(9, shapes.mesh(np.zeros((0, 3)), np.zeros((0, 3))), HERE),
    ]
    views = [view, shapes.looking((90, -150, 40), (0, 5, 1), 0.004, 90, 70)]
    casts = [Cast(seen, body, pixels[start:]) for start, seen in enumerate(views) for body in bodies]
    drawn = [renderer.render(cast.view, [cast.body], cast.places) for cast in casts]
    assert np.array_equal(renderer.depths(casts), np.concatenate([layer.depth for layer in drawn]))
    assert all(np.array_equal(layer.ids > 0, np.isfinite(layer.depth)) for layer in drawn)
    assert renderer.depths([Cast(view, bodies[0], np.empty((0, 2)))]).tolist() == []
