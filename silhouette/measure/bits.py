"""COUNT: a target of which hardly any pixel shows something: bits far smaller than a pixel, or far apart.

The cells of a fine grid that the boxes of its faces touch are few, though the picture is large. In each of them several
places are sampled, at random, so that the spread within the cells says how far the count may be off:

    . . . . . . . .       # cells that faces touch; all others are empty for certain
    . # . . . . . .
    . . . . . # # .       from `ACROSS`² places in each cell: how many show what, and how much they differ
    . . . . . . . .
"""

from __future__ import annotations

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.measure.claims import claim_of
from silhouette.measure.error import PARTS, SIGMAS, WHOLES, shares
from silhouette.measure.observation import DecidedBy
from silhouette.measure.places import scattered
from silhouette.measure.question import Measured, Question, occlusion_counts
from silhouette.measure.sampling import KINDS, Kinds, Picture, sample
from silhouette.renderers.protocol import Renderer

FEW = 100  # a target of fewer pixels is measured here
ACROSS = 2  # places along each side of a cell
MOST_CELLS = 30_000  # the cells are as small as they can be without being more than this
SMALLEST = 1.0 / 1024.0  # pixels: no cell is smaller


def measured_in_bits(question: Question, renderer: Renderer) -> Measured | None:
    """What is found of a target of small bits; None where it has too many faces, or too large ones, or
    reaches round the eye.

    A pixel of the counts is one of the samples: a cell is `ACROSS` pixels wide.
    """
    (picture,) = question.pictures if len(question.pictures) == 1 else (None,)
    if picture is None or len(picture.target.mesh.faces) > MOST_CELLS:
        return None
    boxes = _boxes(picture)
    if not np.isfinite(boxes).all() or _touched(boxes, 1.0).prod(axis=1).sum() > MOST_CELLS:
        return None
    cells, size = _cells(boxes)
    blocks = np.column_stack([cells * size, np.full((len(cells), 2), size)])
    places = scattered(blocks, ACROSS, ACROSS**2 * len(cells))
    samples = sample([picture], np.zeros(len(places), dtype=np.intp), places, renderer)
    kinds = samples.kind.reshape(-1, ACROSS**2)
    counts = np.bincount(kinds.ravel(), minlength=KINDS).astype(np.float64)
    counts[0] = 0.0
    errors = _errors(kinds, counts)
    decided_by: DecidedBy = "count"
    if picture.blockers and np.count_nonzero(counts) == 1:
        claim = claim_of([picture], "covered" if counts @ PARTS[0] else "open", renderer)
        errors[:] = min(1.0, claim.unproven / (counts.sum() * (size / ACROSS) ** 2))
        decided_by = "proof" if claim.unproven == 0.0 else "count"
    number = len(picture.blockers)
    nearest = np.bincount(samples.nearest + 1, minlength=number + 1)[1:]
    alone = np.bincount(samples.blocked[1], minlength=number)
    return Measured(occlusion_counts(counts, nearest, alone, errors), question.pixel * size / ACROSS, decided_by, ())


def _boxes(picture: Picture) -> Floats:
    """(m, 4) least row and column, and greatest, of the faces of the target, in pixels from the picture's corner."""
    body = picture.target
    columns, rows, _ = picture.view.project(body.pose.place(body.mesh.vertices))
    corners = np.stack([rows, columns], axis=1)[body.mesh.faces]
    return np.hstack([corners.min(axis=1), corners.max(axis=1)])


def _cells(boxes: Floats) -> tuple[Floats, float]:
    """(k, 2) row and column of the cells that the boxes (m, 4) touch, as small as can be, and their size in pixels."""
    size = 1.0
    while size > SMALLEST and _touched(boxes, size / 2).prod(axis=1).sum() <= MOST_CELLS:
        size /= 2
    across = _touched(boxes, size)
    counts = across.prod(axis=1).astype(np.intp)
    of_box = np.repeat(np.arange(len(boxes)), counts)
    number = np.arange(len(of_box)) - (np.cumsum(counts) - counts)[of_box]
    step = np.stack(np.divmod(number, across[of_box, 1].astype(np.intp)), axis=1)
    return np.unique(np.floor(boxes[of_box, :2] / size) + step, axis=0), size


def _touched(boxes: Floats, size: float) -> Floats:
    """(m, 2) how many cells each box touches, down and across."""
    across: Floats = np.floor(boxes[:, 2:] / size) - np.floor(boxes[:, :2] / size) + 1.0
    return across


def _errors(kinds: Kinds, counts: Floats) -> Floats:
    """(3,) the errors of the three shares, from kinds (k, `ACROSS`²) in each cell."""
    (share,), (whole,) = shares(counts[None])
    z = PARTS - share[:, None] * WHOLES
    spread = z[:, kinds].var(axis=2, ddof=1).sum(axis=1) * ACROSS**2
    errors: Floats = np.divide(SIGMAS * np.sqrt(spread), whole, out=np.ones(3), where=whole > 0.0)
    return errors
