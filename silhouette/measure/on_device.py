"""COUNT on a device: the areas of many targets at once, by a renderer that counts by layers there.

frames -> pictures whose bodies are parted (`occlusion.layered`) -> areas (`Renderer.areas`) -> counts

What it leaves is counted as elsewhere: cubes, arcs, outlines, faces whose order is a matter of their own planes, and
what may be narrower than a gap that counts. Both give the same counts, but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence

from silhouette.measure.counting import Measured, measured_by_areas
from silhouette.measure.framing import Framed
from silhouette.measure.occlusion import layered
from silhouette.renderers.protocol import Renderer


def measured_on_device(frames: Sequence[Framed], renderer: Renderer) -> list[Measured | None]:
    """What is obscured and seen of each target; None for those that are not counted there.

    Args:
        frames: of sights.
        renderer: has the capability ``counts_areas``, and casts the rays that tell which blocker is the nearest.
    """
    layers = [layered(frame.pictures[0], renderer.go_on) if len(frame.pictures) == 1 else None for frame in frames]
    chosen = [(number, layer) for number, layer in enumerate(layers) if layer is not None]
    measurements = list[Measured | None]([None] * len(frames))
    if chosen:
        areas = renderer.areas([layer for _, layer in chosen])
        pictures = [frames[number].pictures[0] for number, _ in chosen]
        for (number, _), each in zip(chosen, measured_by_areas(pictures, areas, renderer), strict=True):
            measurements[number] = each
    return measurements
