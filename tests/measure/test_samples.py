"""What places of pictures show: the target, whether in an arc, and all that is before it, as single rays tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.measure.sampling import IN_ARC, OCCLUDED, TARGET, Picture, Samples, sample
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Renderer
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View, fighter_arc
from tests.support import shapes
from tests.support.measured_shares import HERE
from tests.support.shapes import box, looking

REFERENCE = ReferenceRenderer()
VIEWS = [
    looking((0.0, 0.0, 0.0), (100.0, 0.0, 0.0), 0.02, 40, 30),
    looking((0.0, 9.0, 4.0), (100.0, 9.0, 4.0), 0.03, 24, 36),
]
ARC = fighter_arc((0.0, 0.0), facing=45.0)
TARGETS = [box((100, -20, -20), (101, 20, 20)), shapes.moved(shapes.sphere(25.0, 12, 7), (120.0, 5.0, 0.0))]
BLOCKERS = [box((50, -4, -30), (51, 3, 30)), box((40, -30, -1), (41, 30, 2)), box((150, -90, -90), (151, 90, 90))]


def picture(number: int, blockers: Sequence[Mesh], arcs: Any) -> Picture:
    bodies = [Body(which, shape, HERE) for which, shape in enumerate((TARGETS[number], *blockers), 1)]
    return Picture(VIEWS[number], bodies[0], bodies[1:], arcs)


PICTURES = [
    picture(0, BLOCKERS, None),
    picture(1, [], [ARC]),
    picture(1, BLOCKERS[::-1], [ARC]),
    picture(0, BLOCKERS[:1], []),
]


def sampled(renderer: Renderer, which: list[int], count: int = 300) -> tuple[Samples, Floats]:
    """Samples of some of the pictures, and their places."""
    chance = np.random.default_rng(4)
    number = np.repeat(which, count).astype(np.intp)
    sizes = np.array([[PICTURES[one].view.height, PICTURES[one].view.width] for one in number]).reshape(-1, 2)
    places = chance.random((len(number), 2)) * sizes - 0.5
    return sample(PICTURES, number, places, renderer), places


def depth(body: Body, view: View, place: Floats) -> float:
    return float(REFERENCE.render(view, [body], place[None]).depth[0])


def test_samples_are_what_single_rays_meet() -> None:
    for which in ([0, 1, 2, 3], [2], [1, 3], []):
        found, places = sampled(REFERENCE, which, 100)
        assert found.picture.tolist() == np.repeat(which, 100).tolist()
        pairs = set(zip(*found.blocked.tolist(), strict=True))
        assert len(pairs) == found.blocked.shape[1]
        for ray, (number, place) in enumerate(zip(found.picture, places, strict=True)):
            one = PICTURES[number]
            target = depth(one.target, one.view, place)
            nearer = [depth(body, one.view, place) for body in one.blockers] if np.isfinite(target) else []
            before = [blocker for blocker, distance in enumerate(nearer) if distance < target]
            kind = TARGET * np.isfinite(target) | OCCLUDED * (len(before) > 0)
            if np.isfinite(target):
                point = one.view.eye + one.view.directions(*place[:, None])[0] * target
                kind |= IN_ARC * (one.arcs is None or any(arc.contains(point[None])[0] for arc in one.arcs))
            assert found.kind[ray] == kind
            assert found.nearest[ray] == (int(np.argmin(nearer)) if before else -1)
            assert {blocker for owner, blocker in pairs if owner == ray} == set(before)
