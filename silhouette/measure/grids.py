"""COUNT, roughly: a grid of cells over a picture, with a place in each, drawn at random.

Which places are drawn depends on where the eye, the target and its blockers are, and on nothing else: the same sight is
looked at in the same way, and one with any of them a little elsewhere in another way. So the errors of like sights are
independent, and those of their mean grow small.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from struct import pack
from zlib import crc32

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.measure.sampling import Picture

FINEST = 128  # the most cells along each side of a grid


def grids(pictures: Sequence[Picture], across: int) -> Floats:
    """(n, across², 2) rows and columns, in pixels, of a place in each of ``across`` by ``across`` cells of pictures."""
    cells = np.indices((across, across)).reshape(2, -1).T
    sizes = np.array([size_of(picture) for picture in pictures])[:, None]
    places: Floats = (cells + drawn_for(pictures, across**2)) * (sizes / across) - 0.5
    return places


def size_of(picture: Picture) -> Floats:
    """(2,) the height and the width of a picture, in pixels."""
    return np.array([picture.view.height, picture.view.width], dtype=np.float64)


def drawn_for(pictures: Sequence[Picture], count: int) -> Floats:
    """(n, count, 2) numbers from 0 to 1, drawn at random for pictures; for fewer, other numbers than for more."""
    starts = list[int]()
    for picture in pictures:
        view = picture.view
        content = [view.eye.tobytes(), view.axes.tobytes(), pack("d", count)]
        for body in (picture.target, *picture.blockers):
            content += body.pose.translation.tobytes(), pack("d", body.outline), body.pose.rotation.tobytes()
        starts.append(crc32(b"".join(content)) % len(_drawn()))
    return _drawn().take(np.array(starts)[:, None] + np.arange(count), axis=0, mode="wrap")


@cache
def _drawn() -> Floats:
    """(2^18, 2) numbers from 0 to 1."""
    drawn: Floats = np.random.default_rng(3).random((1 << 18, 2))
    return drawn
