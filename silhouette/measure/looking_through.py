"""COUNT: the pieces that are to be solid, and through whose outline a target is seen all the same.

the outline of a piece on a few thousand rays -> does it enclose anything bare? -> its skins, exactly (`filling`)
-> places on them at which the target is seen, that a skin would hide
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from silhouette.common.geometry import Floats
from silhouette.measure.filling import Skins
from silhouette.measure.framing import Framed
from silhouette.measure.sampling import IN_ARC, OCCLUDED, Picture, sample
from silhouette.renderers.protocol import Body, Cast, Renderer
from silhouette.renderers.registry import looking_between_pixels
from silhouette.renderers.views import View
from silhouette.scenes.table import Piece

ACROSS = 128  # rays along each side of the picture of a piece that tell whether its outline may enclose anything

PLACES = 400
"""Places on the skins of a piece at which it is looked through it, besides the middle of each of their triangles."""


def looked_through(frame: Framed, renderer: Renderer) -> tuple[Piece, ...]:
    """The blockers with ``solid = true`` through whose outline the target of some pictures is seen."""
    solid = [number for number, piece in enumerate(frame.blockers) if piece.model.solid is True]
    if not solid:
        return ()
    exact = renderer if renderer.capabilities.sparse else looking_between_pixels()
    return tuple(frame.blockers[number] for number in solid if _is_looked_through(frame, number, exact))


def _is_looked_through(frame: Framed, number: int, renderer: Renderer) -> bool:
    body, sight = frame.pictures[0].blockers[number], frame.sight
    skins = Skins(body.mesh, body.pose, sight.eye, sight.target.body_middle)
    if not skins.is_round_it and not _may_enclose(skins.view, replace(body, outline=0.0), renderer):
        return False
    triangles = skins.triangles
    if not len(triangles):
        return False
    skin = Body(len(frame.blockers) + 2, skins.mesh, body.pose)
    points = _on(triangles)
    return any(_shows_through(picture, skin, points, renderer) for picture in frame.pictures)


def _may_enclose(view: View, body: Body, renderer: Renderer) -> bool:
    """Whether rays that miss a body lie all round among rays that meet it, as a grid of `ACROSS` by `ACROSS` shows.

    Each ray goes through its cell at random: what is narrower than a cell, and long, is met somewhere.
    """

    columns, rows, depth = view.project(body.pose.place(body.mesh.vertices))
    if depth.min() <= 0.0:
        return True
    low, high = (np.array([bound(rows), bound(columns)]) for bound in (np.min, np.max))
    cells = np.argwhere(np.ones((ACROSS, ACROSS), np.bool_))
    places = low + (cells + np.random.default_rng(5).random(cells.shape)) / ACROSS * (high - low) - 0.5
    bare = ~np.isfinite(renderer.depths([Cast(view, body, places)])).reshape(ACROSS, ACROSS)
    return bool((scipy.ndimage.binary_fill_holes(~bare) & bare).any())


def _on(triangles: Floats) -> Floats:
    """(n, 3) mm: the middles of triangles (k, 3, 3), and `PLACES` places on them, by area, the same each time."""
    a, b, c = (triangles[:, number] for number in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    random = np.random.default_rng(6)
    chosen = random.choice(len(area), PLACES, p=area / area.sum())
    right, up = random.random((2, PLACES, 1))
    over = right + up > 1.0
    right, up = np.where(over, 1.0 - right, right), np.where(over, 1.0 - up, up)
    places = a[chosen] + right * (b - a)[chosen] + up * (c - a)[chosen]
    return np.concatenate([triangles.mean(axis=1), places])


def _shows_through(picture: Picture, skin: Body, points: Floats, renderer: Renderer) -> bool:
    """Whether the target is seen, in an arc, at places of a skin that lies before it."""
    columns, rows, depth = picture.view.project(points)
    with np.errstate(invalid="ignore"):
        within = (depth > 0.0) & (columns > 0.0) & (rows > 0.0)
        within &= (columns < picture.view.width) & (rows < picture.view.height)
    places = np.column_stack([rows, columns])[within] - 0.5
    number = np.zeros(len(places), np.intp)
    seen = sample([picture], number, places, renderer).kind & (IN_ARC | OCCLUDED) == IN_ARC
    behind = sample([replace(picture, blockers=[skin])], number, places, renderer).kind & OCCLUDED > 0
    return bool((seen & behind).any())
