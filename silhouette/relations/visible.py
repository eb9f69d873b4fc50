"""RELATE: how much of a surface's facing side is seen from some of many eyes, and its greatest patch seen from one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats
from silhouette.measure.observation import SEEN, Observation, Sight
from silhouette.measure.observe import ObservationRequest, observe_many
from silhouette.models.model import Model
from silhouette.relations.obstacles import Blocker, Indices, Obstacles, meets
from silhouette.relations.points import ErrorBound, PointSet
from silhouette.renderers.protocol import Body
from silhouette.renderers.registry import choose, looking_between_pixels
from silhouette.renderers.views import View
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import BlockingPieces

VISIBLE_PIXEL_MM = 0.1  # mm per pixel at the target, by default
WITNESSES = 64  # pixels, those deepest inside what is seen, through which lines are drawn


def observed(
    eyes: Floats, target: PointSet, blockers: Sequence[Blocker], pixel: float = VISIBLE_PIXEL_MM
) -> list[Observation]:
    """What is seen of a surface from each eye (n, 3), with masks. ValueError where the target has no surface."""
    go_on()
    if target.mesh is None:
        raise ValueError(f"the point set '{target.name}' has no surface to look at")
    role, own_eye, occluders = np.zeros(len(target.mesh.faces), np.uint8), np.zeros(3), BlockingPieces.of(blockers)
    model = Model(
        "surface", "terrain", target.mesh, role, None, own_eye, 90.0, False, "parts", "mm", "given", "z", False, 0, ()
    )
    piece = Piece(target.name, "terrain", model, target.pose, None, 90.0, (), None, {}, -1)
    sights = [Sight(piece, piece, eye, 90.0, None, occluders) for eye in np.asarray(eyes, dtype=np.float64)]
    return observe_many(sights, choose(), pixel, ObservationRequest(thresholds=(), keep=True))


def seen_points(observation: Observation, target: PointSet) -> Floats:
    """(n, 3) mm, world: points of the target in the middle of what is seen of it; none where nothing is."""
    points = [np.empty((0, 3))]
    for mask in observation.masks:
        is_seen = mask.kinds == SEEN
        inside = scipy.ndimage.distance_transform_edt(np.pad(is_seen, 1))[1:-1, 1:-1]
        deepest = np.argsort(-inside, axis=None, kind="stable")[: min(WITNESSES, int(is_seen.sum()))]
        rows, columns = np.array(np.unravel_index(deepest, is_seen.shape), np.float64)
        if len(rows):
            points.append(surface_points(observation.sight.target, mask.view, rows, columns))
    return np.concatenate(points)


def seen_at(piece: Piece, blockers: Sequence[Blocker], view: View, places: Floats) -> Flags:
    """(n,) at which places (n, 2), rows and columns of a view, a piece is seen past blockers."""
    target = Body(1, piece.model.significant, piece.pose)
    bodies = [Body(number, mesh, other.pose) for number, (other, mesh) in enumerate(blockers, 2) if len(mesh.faces)]
    renderer = looking_between_pixels()
    seen: Flags = renderer.render(view, [target], places).ids == 1
    if bodies:  # looked for only where there is anything to hide
        seen[seen] = renderer.render(view, [target, *bodies], places[seen]).ids == 1
    return seen


def surface_points(piece: Piece, view: View, rows: Floats, columns: Floats) -> Floats:
    """(n, 3) mm, world: the points of a piece's surface at places of a view; only of those that lie on it."""
    places = np.column_stack([rows, columns])
    body = Body(1, piece.model.significant, piece.pose)
    depth = looking_between_pixels().render(view, [body], places).depth.astype(np.float64)
    met = np.isfinite(depth)
    return view.eye + depth[met, None] * view.directions(rows, columns)[met]


# ---- patches

MAX_HALVINGS = 3  # so often are pixels halved at most, where the width that is compared with lies within the error
EYES_AT_ONCE = 8  # looked from together, at most: first one, which is often enough, then twice as many
PIXELS_WRONG = 2.0  # by so many pixels the side of a patch may be wrong: each of its borders by one
QUICK_MARGIN_MM = 0.5  # mm by which a square that is taken for seen without a picture is larger to each side
QUICK_PLACES, QUICK_LINES = 5, 8  # places of such squares, and lines to them of which it is worked out what is near
FAR_AWAY = 3.0  # eyes nearer to a target than so many times half its diagonal see its near parts much larger
INSCRIBED_SHARE = 0.99  # of the half width of a volume's box: what is no farther from its axis lies inside
LOOKS_DOWN = 1e-6  # the sine of an angle from the vertical below which a look has no upright


def widest_patch(
    eyes: Floats,
    target: PointSet,
    blockers: Sequence[Blocker],
    *,
    least: float = np.inf,
    pixel: float = VISIBLE_PIXEL_MM,
) -> ErrorBound:
    """The side of the greatest upright square all of which is seen target; mm, within two pixels.

    It is a square in the flat picture taken from an eye straight at the middle of the target, measured in mm
    at the depth of that middle. The best of all eyes (n, 3), mm, world, counts, and the search stops at the first whose
    patch is surely ``least`` mm; ``inf`` looks from every eye. Where ``least`` lies within the error, smaller pixels
    are taken, down to an eighth. Where the target reaches round the eye, patches are looked for in each of six
    pictures. Things in the way that are thinner than a pixel may be missed.

    ``lines`` leads from the eye to the middle of the patch; ``by`` are the pieces that obscure something of the target
    from the eyes looked from, most first. ValueError where the target has no surface.
    """
    best, hidden = ErrorBound(0.0), dict[str, float]()
    eyes = np.asarray(eyes, dtype=np.float64).reshape(-1, 3)
    first, together = 0, 1
    while first < len(eyes):
        for observation in observed(eyes[first : first + together], target, blockers, pixel):
            patch = _finest(observation, target, blockers, least)
            for piece, count in zip(observation.blockers, observation.counts.alone, strict=True):
                hidden[piece.name] = hidden.get(piece.name, 0) + count
            if patch.value > best.value or (patch.value == best.value and patch.error > best.error):
                best = patch
            if best.value - best.error >= least:
                return best
        first, together = first + together, min(2 * together, EYES_AT_ONCE)
    by = tuple(sorted((name for name in hidden if hidden[name]), key=lambda name: -hidden[name]))
    return ErrorBound(best.value, best.error, best.lines, by)


def has_quick_patch(eyes: Floats, target: PointSet, blockers: Sequence[Blocker], side: float) -> bool:
    """Whether nothing is in the way between one of some eyes (n, 3) and a square of a side, mm, on the axis of an
    upright convex target. Where it is, `widest_patch` finds one at least as wide, which takes longer; where it is not,
    others may be.
    """
    low, high = target.box
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    # All of a ball round a place on the axis lies inside of the target, and a square in its great circle is seen so.
    reach = (side / 2.0 + QUICK_MARGIN_MM) * np.sqrt(2.0)
    rise = half[2] - reach
    far = np.linalg.norm(eyes - middle, axis=1) > FAR_AWAY * float(np.linalg.norm(half))
    if not target.convex or rise < 0.0 or half[:2].min() * INSCRIBED_SHARE < reach or not far.all():
        return False
    places = middle + np.linspace(-rise, rise, QUICK_PLACES)[:, None] * [0.0, 0.0, 1.0]
    lines = np.stack(np.broadcast_arrays(eyes[:, None], places), axis=2).reshape(-1, 2, 3)
    obstacles = Obstacles(blockers, (np.array([eyes.min(axis=0), eyes.max(axis=0)]), target.box), reach)
    room = obstacles.clearance(lines)
    if room.max() >= reach:
        return True
    best = lines[np.argsort(-room, kind="stable")[:QUICK_LINES]]
    return bool((obstacles.nearest(best, np.full(len(best), reach)).distance >= reach).any())


def _finest(observation: Observation, target: PointSet, blockers: Sequence[Blocker], least: float) -> ErrorBound:
    """The patch of one look, taken again with smaller pixels where it is not clear whether it is ``least``."""
    patch = _patch(observation, blockers)
    for _ in range(MAX_HALVINGS):
        if abs(patch.value - least) > patch.error:
            break
        (observation,) = observed(observation.sight.eye[None], target, blockers, observation.pixel / 2)
        patch = _patch(observation, blockers)
    return patch


def _patch(observation: Observation, blockers: Sequence[Blocker]) -> ErrorBound:
    if observation.counts.seen == 0 and observation.decided_by == "proof":
        return ErrorBound(0.0)
    target, error = observation.sight.target, PIXELS_WRONG * observation.pixel
    best = ErrorBound(0.0, error)
    for mask in observation.masks:
        places = _upright(mask.view)
        seen = seen_at(target, blockers, mask.view, places.reshape(-1, 2)).reshape(places.shape[:2])
        size, *middle = greatest_square(seen)
        if size * observation.pixel > best.value:
            place = places[tuple(np.round(middle).astype(int))]
            point = surface_points(target, mask.view, place[:1], place[1:])
            lines = np.stack([np.broadcast_to(observation.sight.eye, point.shape), point], axis=1)
            best = ErrorBound(size * observation.pixel, error, lines)
    return best


def _upright(view: View) -> Floats:
    """(h, w, 2) the rows and columns of a view that make up an upright picture of the same things, as fine: views are
    tilted, so that no edge of the table runs along their rows.
    """
    right, _, ahead = view.axes
    level = np.cross(ahead, [0.0, 0.0, 1.0])
    if np.linalg.norm(level) < LOOKS_DOWN:
        level = right
    level = level / np.linalg.norm(level)
    cosine, sine = float(right @ level), float(right @ np.cross(level, ahead))
    turn = np.array([[cosine, sine], [-sine, cosine]])
    shape = np.array([view.height, view.width])
    across = np.ceil(np.abs(np.array([shape, shape * [1, -1]]) @ turn).max(axis=0)).astype(int)
    grid = np.moveaxis(np.indices(tuple(across)), 0, -1) - (across - 1) / 2
    places: Floats = grid @ turn.T + (shape - 1) / 2
    return places


def greatest_square(mask: Flags) -> tuple[float, float, float]:
    """The side of the greatest square of a mask (h, w), in pixels, and the row and column of its middle.

    >>> greatest_square(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool))
    (2.0, 1.5, 1.5)
    >>> greatest_square(np.zeros((2, 2), dtype=bool))
    (0.0, 0.0, 0.0)
    """
    total = np.pad(np.cumsum(np.cumsum(mask, axis=0, dtype=np.int64), axis=1), ((1, 0), (1, 0)))
    low, high, where = 0, min(mask.shape), (0, 0)
    while low < high:
        side = (low + high + 1) // 2
        inside = total[side:, side:] - total[:-side, side:] - total[side:, :-side] + total[:-side, :-side]
        full = np.flatnonzero(inside == side * side)
        if len(full):
            low, where = side, divmod(int(full[len(full) // 2]), inside.shape[1])
        else:
            high = side - 1
    middle = max(low - 1, 0) / 2
    return float(low), where[0] + middle, where[1] + middle


# ---- the share that is seen

PATCH_SAMPLE_SPACING_MM = 0.5  # mm: no point of the surface is farther from a sample, where it is not very large
MAX_PATCH_SAMPLES = 20_000  # a larger surface is sampled more coarsely
# mm before a sample at which a line from the eye ends, so that it does not meet the sample's own face.
RAY_END_GAP_MM = 0.02
PROVEN_EYES = 8  # of up to so many eyes it is asked whether it is proven that nothing is obscured
MIN_SAMPLES = 3.0  # samples in whose number the error is at least stated: one of so many may not agree
ERROR_DEVIATIONS = 3.0  # standard deviations that the error of a share is
LINES_AT_ONCE = 200_000
PORTIONS = 16  # of cells, one after the other, where only the side of a bound is asked for
# The sine of an angle from a convex face above which no ray has to tell; times `RAY_END_GAP_MM` far above float32.
GRAZING_SINE = 0.02


@dataclass(frozen=True, eq=False)
class _SurfaceCells:
    """Small triangles of a surface, (n,) mm²: middles, (n, 3) mm, world, and outward normals (n, 3), 0 without area."""

    middle: Floats
    area: Floats
    normal: Floats


def share_visible(eyes: Floats, target: PointSet, blockers: Sequence[Blocker]) -> ErrorBound:
    """The share of a surface's facing side that is seen from some eye (n, 3), mm, world; 1 where nothing faces an eye.

    The facing side is what would be seen from some eye, by area of the surface, if nothing but the surface itself stood
    in the way. Of it counts what some eye sees past the blockers, the target none of them; different eyes may see
    different parts. The surface is cut into small triangles, no point of it farther than `PATCH_SAMPLE_SPACING_MM` mm
    from the middle of one, or coarser where it would take too many, and each middle is looked at. The error is three
    standard deviations of as many middles drawn at random, which spread less evenly, and no less than that of three
    triangles: an estimate, but for 0 and 1 that are proven, whose error is 0.

    ``by`` are the pieces that obscure most of it, the most telling first; ``lines`` has one that leads from an eye to
    the middle of what is seen. ValueError where the target has no surface.
    """
    eyes = np.asarray(eyes, dtype=np.float64).reshape(-1, 3)
    if target.mesh is None:
        raise ValueError(f"the point set '{target.name}' has no surface to look at")
    cells = _cells(target, PATCH_SAMPLE_SPACING_MM)
    around = np.array([eyes.min(axis=0), eyes.max(axis=0)])
    obstacles = Obstacles(blockers, (around, target.box), 0.0)
    facing, by_whom = _faced_and_seen(eyes, cells, target, obstacles)
    seen = by_whom >= 0
    total = float(cells.area[facing].sum())
    if total == 0.0:
        return ErrorBound(1.0)
    share = float(cells.area[seen].sum()) / total
    by, lines, shown = tuple[str, ...](), np.zeros((0, 2, 3)), cells.middle[seen]
    if seen.sum() < facing.sum():
        generator, hidden = np.random.default_rng(1), cells.middle[facing & ~seen]
        some = hidden[generator.integers(0, len(hidden), 1024)]
        by = obstacles.blocking(np.stack([eyes[generator.integers(0, len(eyes), 1024)], some], axis=1))
    if len(shown):
        nearest = int(np.linalg.norm(shown - shown.mean(axis=0), axis=1).argmin())
        lines = np.array([[eyes[by_whom[seen][nearest]], shown[nearest]]])
    if share in (0.0, 1.0) and _is_proven(eyes, target, obstacles, share):
        return ErrorBound(share, lines=lines, by=by)
    weight = cells.area[facing] / total
    spread = np.sqrt(share * (1.0 - share) * float((weight**2).sum()))
    error = max(ERROR_DEVIATIONS * spread, MIN_SAMPLES / int(facing.sum()))
    return ErrorBound(share, min(error, max(share, 1.0 - share)), lines, by)


def share_beside(eyes: Floats, target: PointSet, blockers: Sequence[Blocker], bounds: Sequence[float]) -> float:
    """A share that is greater or less than each of some bounds where that of `share_visible` is, sooner told: cells of
    all parts of the surface are looked at in portions, until the others can change nothing. ValueError where the target
    has no surface.
    """
    eyes = np.asarray(eyes, dtype=np.float64).reshape(-1, 3)
    if target.mesh is None:
        raise ValueError(f"the point set '{target.name}' has no surface to look at")
    obstacles = Obstacles(blockers, (np.array([eyes.min(axis=0), eyes.max(axis=0)]), target.box), 0.0)
    if not obstacles.pairs:
        return 1.0
    cells = _cells(target, PATCH_SAMPLE_SPACING_MM)
    facing = seen = 0.0
    left = float(cells.area.sum())
    for first in range(PORTIONS):
        some = _SurfaceCells(cells.middle[first::PORTIONS], cells.area[first::PORTIONS], cells.normal[first::PORTIONS])
        faced, by_whom = _faced_and_seen(eyes, some, target, obstacles)
        facing += float(some.area[faced].sum())
        seen += float(some.area[by_whom >= 0].sum())
        left -= float(some.area.sum())
        if facing + left <= 0.0:
            break
        least, most = seen / (facing + left), (seen + left) / (facing + left)
        if all(bound < least or bound > most for bound in bounds):
            break
    share = (seen + left / 2.0) / (facing + left) if facing + left > 0.0 else 1.0
    # Half way between bounds: what is told apart from them must not be taken for equal.
    below, above = ([bound for bound in bounds if turn * bound < turn * share] for turn in (1.0, -1.0))
    is_beside = 0.0 < share < 1.0 and share not in bounds
    return (max(below, default=0.0) + min(above, default=1.0)) / 2.0 if is_beside else share


def _faced_and_seen(
    eyes: Floats, cells: _SurfaceCells, target: PointSet, obstacles: Obstacles
) -> tuple[Flags, Indices]:
    """(n,) of each cell whether it faces an eye, and the number of an eye that sees it, -1 where none does."""
    facing, by_whom = np.zeros(len(cells.middle), dtype=np.bool_), np.full(len(cells.middle), -1, dtype=np.intp)
    at_once = max(1, LINES_AT_ONCE // len(cells.middle))
    assert target.mesh is not None
    for first in range(0, len(eyes), at_once):
        go_on()
        some, open_ = eyes[first : first + at_once], np.flatnonzero(by_whom < 0)
        if len(open_) == 0:
            break
        number, cell = np.repeat(np.arange(len(some)), len(open_)), np.tile(open_, len(some))
        surely = _surely(some, cells, open_) if target.convex else np.zeros(len(cell))
        number, cell, faces = number[surely >= 0.0], cell[surely >= 0.0], surely[surely >= 0.0] > 0.0
        eye = some[number]
        way = cells.middle[cell] - eye
        length = np.linalg.norm(way, axis=1, keepdims=True)
        ends = eye + way * np.maximum(0.0, 1.0 - RAY_END_GAP_MM / np.maximum(length, 1e-300))
        lines = np.stack([eye, ends], axis=1)
        faces[~faces] = ~meets(target.mesh, target.pose, lines[~faces])
        facing[cell[faces]] = True
        free = faces.nonzero()[0]
        free = free[~obstacles.blocked(lines[free])]
        by_whom[cell[free]] = first + number[free]
    return facing, by_whom


def _surely(eyes: Floats, cells: _SurfaceCells, which: Indices) -> Floats:
    """(n m,) whether m cells of a convex surface face eyes (n, 3), eye by eye: 1 for yes, -1 for no, else 0."""
    normal, middle = cells.normal[which], cells.middle[which]
    height = eyes @ normal.T - np.einsum("ij,ij->i", normal, middle)
    square = sum((eyes[:, axis, None] - middle[:, axis]) ** 2 for axis in range(3))
    clear = height * height > GRAZING_SINE**2 * square
    return np.where(clear, np.sign(height), 0.0).ravel()


def _cells(target: PointSet, resolution: float) -> _SurfaceCells:
    """The surface in small triangles, no point of which is farther than ``resolution`` from the middle of its own."""
    corners = target.corners
    edges = np.roll(corners, -1, axis=1) - corners
    longest = np.sqrt((edges**2).sum(axis=2)).max(axis=1)
    normals = np.cross(edges[:, 0], edges[:, 1])
    areas = np.linalg.norm(normals, axis=1) / 2
    normals = normals / np.maximum(2 * areas, 1e-300)[:, None]
    while True:
        # No point of a triangle is farther than 2/3 of its longest side from its middle.
        steps = np.maximum(1, np.ceil(longest * (2.0 / 3.0) / resolution)).astype(np.int64)
        if (steps**2).sum() <= max(MAX_PATCH_SAMPLES, len(corners)):
            break
        resolution *= 1.2
    middles, sizes, turned = list[Floats](), list[Floats](), list[Floats]()
    for count in np.unique(steps).tolist():
        chosen: Indices = np.flatnonzero(steps == count)
        i, j = (index.ravel() for index in np.indices((count, count)))
        upward = np.stack([i + 1 / 3, j + 1 / 3], axis=1)[i + j < count]
        downward = np.stack([i + 2 / 3, j + 2 / 3], axis=1)[i + j < count - 1]
        two = np.concatenate([upward, downward]) / count
        weights = np.column_stack([two, 1.0 - two.sum(axis=1)])
        middles.append(np.einsum("wc,mcx->mwx", weights, corners[chosen]).reshape(-1, 3))
        sizes.append(np.repeat(areas[chosen] / count**2, len(weights)))
        turned.append(np.repeat(normals[chosen], len(weights), axis=0))
    return _SurfaceCells(np.concatenate(middles), np.concatenate(sizes), np.concatenate(turned))


def _is_proven(eyes: Floats, target: PointSet, obstacles: Obstacles, share: float) -> bool:
    """Whether it is proven that each eye sees nothing, for a share of 0, or that nothing is obscured from any."""
    if len(obstacles.pairs) == 0:
        return share == 1.0
    if len(eyes) > PROVEN_EYES:
        return False
    looks = (look for eye in eyes for look in observed(eye[None], target, obstacles.pairs, VISIBLE_PIXEL_MM * 4))
    if share == 0.0:
        return all(look.counts.seen == 0 and look.decided_by == "proof" for look in looks)
    return all(look.counts.occluded == 0 and look.counts.error == 0.0 for look in looks)
