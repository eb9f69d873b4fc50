"""COUNT: the pieces that are to be solid, and through whose outline a target is seen all the same.

the outline of a piece on a few thousand rays -> does it enclose anything bare? -> its skins, exactly (`filling`)
-> places on them at which the target is seen, that a skin would hide

the same rays, upright -> where they miss the piece, with some of it to the left and to the right, and no more than a
low foot below: a gap that is open at the top or the bottom -> places there at which the target is seen
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy
import shapely

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.filling import Skins
from silhouette.measure.framing import Framed
from silhouette.measure.sampling import IN_ARC, OCCLUDED, Picture, sample
from silhouette.meshes.bounds import bounding_points
from silhouette.renderers.protocol import Body, Cast, Renderer
from silhouette.renderers.registry import looking_between_pixels
from silhouette.renderers.views import View
from silhouette.scenes.table import Piece

RAYS_ACROSS = 128  # rays along each side of the picture of a piece that tell whether its outline may enclose anything

PLACES = 400
"""Places on the skins of a piece at which it is looked through it, besides the middle of each of their triangles."""


FOOT = 0.15
"""What is lower than this share of the height at which it is looked past, such as a floor, does not close a gap."""

GAP_RAYS = 2  # such rays beside each other, and above each other, that make a gap


def looked_through(frame: Framed, renderer: Renderer) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The blockers with ``solid = true`` through which the target of some pictures is seen.

    First those through what their outline encloses, then those through a gap that is open at the top or the bottom.
    """
    solid = [number for number, piece in enumerate(frame.blockers) if piece.model.solid is True]
    if not solid:
        return (), ()
    exact = renderer if renderer.capabilities.sparse else looking_between_pixels()
    through = [number for number in solid if _is_looked_through(frame, number, exact)]
    between = [number for number in solid if number not in through and _is_looked_between(frame, number, exact)]
    windows, gaps = (tuple(frame.blockers[number] for number in numbers) for numbers in (through, between))
    return windows, gaps


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
    """Whether rays that miss a body lie all round among rays that meet it, by `RAYS_ACROSS` of them each way.

    Each ray goes through its cell at random: what is narrower than a cell, and long, is met somewhere.
    """

    grid = _met(view, body, renderer)
    if grid is None:
        return True
    bare = ~np.isfinite(grid[1])
    return bool((scipy.ndimage.binary_fill_holes(~bare) & bare).any())


def _met(view: View, body: Body, renderer: Renderer) -> tuple[Floats, Floats] | None:
    """(n, n, 2) the places in a picture of a grid of rays over a body, and (n, n) mm, the depths at which they meet it.

    None where it reaches behind the eye.
    """
    columns, rows, depth = view.project(body.pose.place(body.mesh.vertices))
    if depth.min() <= 0.0:
        return None
    low, high = (np.array([bound(rows), bound(columns)]) for bound in (np.min, np.max))
    cells = np.argwhere(np.ones((RAYS_ACROSS, RAYS_ACROSS), np.bool_))
    places = low + (cells + np.random.default_rng(5).random(cells.shape)) / RAYS_ACROSS * (high - low) - 0.5
    depths = np.asarray(renderer.depths([Cast(view, body, places)]), np.float64)
    return places.reshape(RAYS_ACROSS, RAYS_ACROSS, 2), depths.reshape(RAYS_ACROSS, RAYS_ACROSS)


def _is_looked_between(frame: Framed, number: int, renderer: Renderer) -> bool:
    """Whether the target is seen through a gap of a piece that stands before it, and in which it does not stand."""
    sight, body = frame.sight, replace(frame.pictures[0].blockers[number], outline=0.0)
    eye, target = sight.eye, sight.target.body_middle
    points = body.pose.place(bounding_points(body.mesh))
    hull = shapely.convex_hull(shapely.multipoints(points[:, :2]))
    if shapely.intersects_xy(hull, *np.array([eye, target])[:, :2].T).any():
        return False
    ahead = points[:, :2].mean(axis=0) - eye[:2]
    ahead = np.append(ahead / np.hypot(*ahead), 0.0)
    view = View(eye, np.array([[ahead[1], -ahead[0], 0.0], [0.0, 0.0, 1.0], ahead]), 0.0, 0.0, 1.0, 1, 1)
    grid = _met(view, body, renderer)
    if grid is None:
        return False
    places, depth = grid
    directions = view.directions(*np.moveaxis(places, -1, 0))
    met = depth < float((target - eye) @ ahead)
    height = np.where(met, (eye[2] + np.where(met, depth, 0.0) * directions[..., 2]) - points[:, 2].min(), 0.0)
    # The height of the nearest of the piece to the left and to the right, and of the highest of it below.
    left, right = (_carried(height[:, ::way], met[:, ::way])[:, ::way] for way in (1, -1))
    below = np.maximum.accumulate(height[::-1], axis=0)[::-1]
    gap = ~np.isfinite(depth) & (below <= FOOT * np.minimum(left, right)) & (np.minimum(left, right) > 0.0)
    gap = scipy.ndimage.binary_opening(gap, np.ones((GAP_RAYS, GAP_RAYS)))
    if not gap.any():
        return False
    return any(_is_seen(picture, eye + directions[gap], renderer).any() for picture in frame.pictures)


def _carried(values: Floats, there: Flags) -> Floats:
    """(n, m) in each row, the value of the last place that is there, from the left; 0 before the first."""
    last = np.maximum.accumulate(np.where(there, np.arange(values.shape[1]), -1), axis=1)
    return np.where(last >= 0, np.take_along_axis(values, np.maximum(last, 0), axis=1), 0.0)


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
    places = _within(picture.view, points)
    number = np.zeros(len(places), np.intp)
    behind = sample([replace(picture, blockers=[skin])], number, places, renderer).kind & OCCLUDED > 0
    return bool((_is_seen(picture, points, renderer) & behind).any())


def _is_seen(picture: Picture, points: Floats, renderer: Renderer) -> Flags:
    """(k,) whether the target is seen, in an arc, where those of some points (n, 3) lie that are in the picture."""
    places = _within(picture.view, points)
    seen: Flags = (
        sample([picture], np.zeros(len(places), np.intp), places, renderer).kind & (IN_ARC | OCCLUDED) == IN_ARC
    )
    return seen


def _within(view: View, points: Floats) -> Floats:
    """(k, 2) row and column of those of some points (n, 3) that lie in a picture."""
    columns, rows, depth = view.project(points)
    with np.errstate(invalid="ignore"):
        within = (depth > 0.0) & (columns > 0.0) & (rows > 0.0) & (columns < view.width) & (rows < view.height)
    places: Floats = np.column_stack([rows, columns])[within] - 0.5
    return places
