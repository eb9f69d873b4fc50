"""COUNT: the claims that nothing of a target is obscured, or nothing of it seen, and whether they are proven.

samples of which none is obscured, or none is seen -> a claim -> `unobscured` or `hidden`, which know where surfaces end
-> what is left unproven -> rays into that -> proven, or refuted, or an error as large as what is left
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.contours import Placed
from silhouette.measure.hidden import unproven_hidden
from silhouette.measure.places import scattered
from silhouette.measure.polygons import uncovered
from silhouette.measure.sampling import IN_ARC, OCCLUDED, TARGET, Kinds, Picture, sample
from silhouette.measure.unobscured import unproven_open
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.clusters import Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Cast, Renderer

Assertion = Literal["open", "covered", "hidden"]
"""What a claim says: nothing of the target is obscured; all of it is; or nothing of it in the arcs is seen."""

RAYS = 4  # rays along each side of a pixel that look for what refutes a claim, where it is not proven
CLEARLY = 1e-6  # the share of a depth that is beyond the rounding of float32: surfaces in one plane may differ by less
SOME = 200  # the most faces of a target of which it is asked first whether one reaches into an arc; all are asked then
AIMED = 2000  # the most rays that are aimed at faces of a blocker
MOST_RAYS = 100_000  # the most rays that look for it: where more is unproven, fewer are cast in each pixel


@dataclass(frozen=True, eq=False)
class Claim:
    """What is left of a claim."""

    says: Assertion  # what it says
    unproven: float  # pixels: not less than the part of the target for which it may be untrue; 0 where it is proven
    against: tuple[Floats, ...]  # for each picture, (k, 2) rows and columns of places in it at which it is untrue

    @property
    def is_refuted(self) -> bool:
        """Whether it is known to be untrue."""
        return any(len(places) > 0 for places in self.against)


MOST_BLOCKERS = 128
"""With more blockers in a picture only what is quick is proven: a thorough proof looks at each, cell by cell."""


def claim_of(
    pictures: Sequence[Picture], says: Assertion, renderer: Renderer, thorough: bool = True, soon: bool = False
) -> Claim:
    """What is left of a claim about the target of these pictures, one flat one or the faces of a cube.

    Args:
        pictures: of one check.
        says: the claim.
        renderer: must look at any place of a picture, between its pixels too (`Capabilities.sparse`).
        thorough: whether what is hard to prove is proven, and what is left searched by rays; what is left is larger
            otherwise, and found sooner.
        soon: whether rays are aimed at what may refute the claim ahead of what is dear: they refute most claims that
            are untrue, and take a twentieth of the time.
    """
    left, against = 0.0, []
    for picture in pictures:
        unproven, found = _left_of(picture, says, renderer, thorough, soon)
        left += float(unproven[:, 2:].prod(axis=1).sum())
        against.append(found)
    return Claim(says, left, tuple(against))


def _left_of(
    picture: Picture, says: Assertion, renderer: Renderer, thorough: bool, soon: bool
) -> tuple[Floats, Floats]:
    """(n, 4) the blocks of a picture for which a claim is not proven, and (k, 2) places at which it is untrue."""
    found = [np.empty((0, 2))]
    thorough = thorough and len(picture.blockers) <= MOST_BLOCKERS
    if says == "open":

        def is_before(blocker: Placed, faces: Indices) -> bool:
            found.append(_untrue_at(picture, _on_faces(picture, blocker, faces), says, renderer) if soon else found[0])
            return len(found[-1]) > 0

        blocks = unproven_open(picture.view, picture.target, picture.blockers, thorough, is_before).blocks
        if len(found[-1]) or not thorough:
            return blocks, found[-1]
        return blocks, _against(picture, blocks, says, renderer, RAYS, MOST_RAYS)

    def is_refuted(blocks: Floats) -> bool:
        found.append(_against(picture, blocks, says, renderer, 1, MOST_RAYS // RAYS**2))
        return len(found[-1]) > 0

    if says == "hidden" and not _reaches_an_arc(picture):
        return np.empty((0, 4)), found[0]

    def matters(blocks: Floats) -> Flags:
        return np.ones(len(blocks), dtype=np.bool_) if says == "covered" else ~_out_of_arcs(picture, blocks)

    blocks = unproven_hidden(
        picture.view, picture.target, picture.blockers, renderer, thorough, is_refuted, matters
    ).blocks
    if len(found[-1]):
        return blocks, found[-1]
    blocks = blocks[matters(blocks)]
    if not thorough or (soon and is_refuted(blocks)):
        return blocks, found[-1]
    blocks = uncovered(picture, blocks)
    return blocks, _against(picture, blocks, says, renderer, RAYS, MOST_RAYS)


def _against(picture: Picture, blocks: Floats, says: Assertion, renderer: Renderer, across: int, most: int) -> Floats:
    """(k, 2) places in blocks at which a claim is untrue, of ``across`` along each side of a pixel, ``most`` in all."""
    if len(blocks) == 0:
        return np.empty((0, 2))
    # Rather fewer in each block than none in the last ones.
    area = float(np.maximum(blocks[:, 2:], 1.0).prod(axis=1).sum())
    places = scattered(blocks, min(across, (most / area) ** 0.5), most)
    return _untrue_at(picture, places, says, renderer)


def _on_faces(picture: Picture, blocker: Placed, faces: Indices) -> Floats:
    """(k, 2) rows and columns of `AIMED` places or fewer on faces of a blocker, as far as the picture has them."""
    chosen = faces[:: len(faces) // AIMED + 1]
    corners = np.repeat(blocker.points(blocker.clusters.corners.take(chosen, axis=0)), AIMED // len(chosen), axis=1)
    # Of a point of the unit square the half beyond the diagonal is turned over onto the other.
    right, up = np.random.default_rng(1).random((2, corners.shape[1]))
    beyond = right + up > 1.0
    right[beyond], up[beyond] = 1.0 - right[beyond], 1.0 - up[beyond]
    origin = corners[..., 0]
    columns, rows, depth = origin + right * (corners[..., 1] - origin) + up * (corners[..., 2] - origin)
    before = depth > NEAREST_DEPTH_MM
    places = np.column_stack([rows[before], columns[before]]) / depth[before, None]
    within = np.all((places > 0.0) & (places < [picture.view.height, picture.view.width]), axis=1)
    on_faces: Floats = places[within] - 0.5
    return on_faces


def _untrue_at(picture: Picture, places: Floats, says: Assertion, renderer: Renderer) -> Floats:
    """(k, 2) those of places (n, 2) at which a claim is untrue."""
    samples = sample([picture], np.zeros(len(places), dtype=np.intp), places, renderer)
    return _certain(picture, places[_is_against(samples.kind, says)], says, renderer)


def _certain(picture: Picture, places: Floats, says: Assertion, renderer: Renderer) -> Floats:
    """(k, 2) those of the places at which the target and what is nearest before it, or behind, are clearly apart."""
    bodies = [picture.target, *picture.blockers]
    depth, *others = renderer.depths([Cast(picture.view, body, places) for body in bodies]).reshape(len(bodies), -1)
    nearest = np.min([np.full(len(places), np.inf), *others], axis=0)
    certain: Floats = places[nearest < depth * (1.0 - CLEARLY) if says == "open" else nearest > depth * (1.0 + CLEARLY)]
    return certain


def _is_against(kind: Kinds, says: Assertion) -> Flags:
    """(n,) whether a sample of that kind shows that a claim is untrue."""
    bits, untrue = {
        "open": (OCCLUDED, OCCLUDED),
        "covered": (TARGET | OCCLUDED, TARGET),
        "hidden": (IN_ARC | OCCLUDED, IN_ARC),
    }[says]
    against: Flags = kind & bits == untrue
    return against


def _reaches_an_arc(picture: Picture) -> bool:
    """Whether a face of the target may reach into an arc: does not lie wholly beyond one of its edges."""
    if picture.arcs is None:
        return True
    body = picture.target
    for faces in (body.mesh.faces[:: len(body.mesh.faces) // SOME + 1], body.mesh.faces):
        triangles = body.pose.place(body.mesh.vertices[faces.ravel()]).reshape(-1, 3, 3)
        if any(arc.reaches(triangles).any() for arc in picture.arcs):
            return True
    return False


def _out_of_arcs(picture: Picture, blocks: Floats) -> Flags:
    """(n,) whether no part of the target that may lie in a block lies in an arc.

    The target in a block lies in the convex hull of the block's four corners, as near and as far as the target is.
    """
    outside = np.zeros(len(blocks), dtype=np.bool_)
    if picture.arcs is None or not len(outside):
        return outside
    body, view = picture.target, picture.view
    depth = view.project(body.pose.place(bounding_points(body.mesh)))[2]
    row, column, height, width = blocks.T - np.array([[0.5], [0.5], [0.0], [0.0]])
    ways = [view.directions(row + down * height, column + right * width) for down in (0, 1) for right in (0, 1)]
    hulls = np.stack([view.eye + way * max(far, 0.0) for way in ways for far in (depth.min(), depth.max())], axis=1)
    outside[:] = True
    for arc in picture.arcs:
        outside &= ~arc.reaches(hulls)
    return outside
