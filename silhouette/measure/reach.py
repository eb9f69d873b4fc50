"""COUNT: into which blocks of a picture a target may reach."""

from __future__ import annotations

import numpy as np

from silhouette.common.geometry import Flags
from silhouette.measure.culling import DIRECTIONS, outermost, picture_bounds
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import View


def reached_blocks(view: View, target: Body, block: int) -> Flags:
    """(height, width) in blocks: which of them the target may reach into, between its tangents in four directions."""
    rows, columns = (np.arange(-(-size // block)) * block + block / 2 for size in (view.height, view.width))
    least, most = picture_bounds(view, outermost(target))
    reached = np.ones((len(rows), len(columns)), dtype=np.bool_)
    for direction in range(0, len(least), 2):
        across, down = DIRECTIONS[:, direction]
        along = (down * rows)[:, None] + across * columns
        reached &= (along >= least[direction] - block) & (along <= most[direction] + block)
    return reached
