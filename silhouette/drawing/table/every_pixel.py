"""DRAW: a check judged with a sample in every pixel, and these very samples kept, so that a picture shows what counted.

What judges need not ask for every pixel: a block in which nothing changes has one sample. A figure is better shown
whole: so for figures the check is judged once more, by the same rules, with a renderer that is always asked for all.

    renderer -> EveryPixel -> a rule judges -> layers kept -> the counts of the verdict found among them -> Counted
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from silhouette.drawing.table.eye_image import NOTHING, OBSCURED, OUTSIDE, SEEN, Kinds
from silhouette.drawing.table.windows import rendered
from silhouette.geometry import Floats
from silhouette.measure.samples import SampleRequest, Samples, sample
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.views import View, VisionArc

FACES = 6
"""So many pictures show a target that reaches round the eye: those of a cube."""


@dataclass(frozen=True, eq=False)
class Counted:
    """The pixels that a verdict counted.

    Attributes:
        views: the picture, or the six faces of a cube.
        kinds: for each, (height, width) uint8: NOTHING, SEEN, OBSCURED or OUTSIDE.
    """

    views: tuple[View, ...]
    kinds: tuple[Kinds, ...]

    def count(self, *kinds: int) -> int:
        """How many pixels are of one of these kinds."""
        return sum(int(np.isin(image, kinds).sum()) for image in self.kinds)


class EveryPixel:
    """A renderer that is asked for every pixel of a picture, and keeps what each body showed in it.

    It keeps all that it was asked for: one for each check, or `forget` after each.

    Attributes:
        inner: what renders.
    """

    sparse = False

    def __init__(self, inner: Renderer) -> None:
        self.inner = inner
        self.name, self.device = inner.name, inner.device
        self._kept: dict[View, dict[Body, Layer]] = {}

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """See `silhouette.renderers.protocol.Renderer.share`."""
        return self.inner.share(meshes)

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """See `silhouette.renderers.protocol.Renderer.render`."""
        if pixels is not None or len(bodies) != 1:
            return self.inner.render(view, bodies, pixels)
        kept = self._kept.setdefault(view, {})
        if bodies[0] not in kept:
            kept[bodies[0]] = rendered(self.inner, view, bodies)
        layer = kept[bodies[0]]
        return Layer(layer.ids.copy(), layer.depth.copy())

    def forget(self) -> None:
        """Lets go of what was kept: what is rendered next belongs to another check."""
        self._kept.clear()

    def counted(self, eye: Floats, arcs: Sequence[VisionArc] | None, whole: int, part: int) -> Counted | None:
        """The pictures from an eye in which a target has so many pixels, so many of them obscured.

        Args:
            eye: (3,) in the world.
            arcs: the vision arcs looked from; None where all of the target lies in one.
            whole, part: as the verdict tells them.

        Returns:
            None where there are none: where a verdict rests on rays between the pixels.
        """
        for views in self._looks(eye):
            samples = [self._samples(view, arcs) for view in views]
            total = sum(int(one.target.sum()) for one in samples)
            if (total, sum(int(one.occluded.sum()) for one in samples)) == (whole, part):
                kinds = (_kinds(view, one) for view, one in zip(views, samples, strict=True))
                return Counted(tuple(views), tuple(kinds))
        return None

    def _looks(self, eye: Floats) -> list[list[View]]:
        """Views that belong together, in the order asked: the faces of a cube, or one alone."""
        views = [view for view in self._kept if np.array_equal(view.eye, eye)]
        found = []
        for cube, some in groupby(views, key=lambda view: view.left == -1.0 and view.top == 1.0):
            group, size = list(some), FACES if cube else 1
            found += [group[start : start + size] for start in range(0, len(group), size)]
        return found

    def _samples(self, view: View, arcs: Sequence[VisionArc] | None) -> Samples:
        """What was met in every pixel, from the layers kept: the target has the lowest id."""
        target, *blockers = sorted(self._kept[view], key=lambda body: body.id)
        return sample(view, SampleRequest(target, blockers, arcs, self))


def _kinds(view: View, samples: Samples) -> Kinds:
    there = np.where(samples.in_arc, SEEN, np.where(samples.target, OUTSIDE, NOTHING))
    return np.where(samples.occluded, OBSCURED, there).astype(np.uint8).reshape(view.height, view.width)
