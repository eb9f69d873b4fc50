"""PLACE: mistakes of a scene that it can be judged with, and that its author should know of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from shapely import Point

from silhouette.common.geometry import INCH, Floats, convex_hull
from silhouette.common.lazy import cached_property
from silhouette.common.text import as_written, differently_spelt, in_a_sentence
from silhouette.meshes.holes import encloses
from silhouette.meshes.primitives import solid
from silhouette.models.mistakes import angle_mistake, point
from silhouette.scenes.entries import FighterEntry, GangerEntry, HeadAndWeapon, PieceEntry, TableEntry, VehicleEntry
from silhouette.scenes.ground import inset
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import similar_names
from silhouette.scenes.standing import (
    ALLOWED,
    LOWER,
    TABLE_TOP,
    Interior,
    OutlinePoints,
    bodies_overlap,
    depths,
    goes_through,
    overlap_of_bases,
    wall_heights,
)
from silhouette.scenes.surfaces import FEET, PieceSurface, Underside, is_upright, underside_of

# ---- what supports a model

# As `silhouette.scenes.standing.SUPPORT_POINTS_PER_AXIS`, for warnings: they look at every piece of a scene.
WARNING_POINTS_PER_AXIS = 12

MAX_TRIANGLE_LAYERS = 5000.0
"""Triangles above each other under a base: a landscape has two or three, a tangle of slivers has any number."""

SLOPE = 0.15
"""The share of points under a base at which the ground is neither near it nor as low as under its middle, from which on
it lies on a slope, and not on an edge."""


@dataclass(frozen=True, eq=False)
class Support:
    """A model, the pieces with triangles under its base, below or above it, and what lies there.

    It is tangled if so many triangles lie above each other there that there is no telling what is ground.
    """

    piece: Piece
    near: Sequence[Piece]
    is_tangled: bool

    @classmethod
    def of(cls, piece: Piece, others: Sequence[Piece]) -> Support:
        """What supports a model among others."""
        corners = base_box(piece)
        surfaces = {other: PieceSurface.of(other).near(corners, np.zeros(2)) for other in others}
        tangled = any(surface.layers(corners[0], corners[2]) > MAX_TRIANGLE_LAYERS for surface in surfaces.values())
        return cls(piece, [other for other, surface in surfaces.items() if not surface.is_empty], tangled)

    @cached_property
    def underside(self) -> Underside:
        """What of the model touches the ground."""
        return underside_of(self.piece)

    @cached_property
    def bottom(self) -> float:
        """The height of the underside of its base, mm."""
        return float(self.piece.pose.translation[2]) + self.underside.bottom

    @property
    def _place(self) -> Floats:
        return self.piece.pose.translation[:2]

    @cached_property
    def _surfaces(self) -> dict[Piece, PieceSurface]:
        return {other: PieceSurface.of(other).near(self.underside.outline, self._place) for other in self.near}

    @cached_property
    def _samples(self) -> OutlinePoints:
        outline = inset(self.underside.outline, ALLOWED)
        return OutlinePoints.over(outline if len(outline) else self.underside.outline, WARNING_POINTS_PER_AXIS)

    @cached_property
    def _terrain_depths(self) -> dict[Piece, Floats]:
        """(p,) mm for each piece of terrain: how far above the base its ground is at each point."""
        points = self._samples.points + self._place
        tall, base = float(np.ptp(self.piece.whole_box[:, 2])), self.piece.model.base
        thick = max(FEET, 0.0 if base is None else base.height) - ALLOWED
        return {
            other: depths(surface.crossings(points), len(points), self.bottom, tall, thick)
            for other, surface in self._surfaces.items()
            if other.kind == "terrain"
        }

    @cached_property
    def _depth(self) -> Floats:
        """(p,) mm: how far above the base the ground is, the table's top among it, at each point."""
        table = np.full(len(self._samples.points), TABLE_TOP - self.bottom)
        depth: Floats = np.max([*self._terrain_depths.values(), table], axis=0)
        return depth

    def sunk(self) -> tuple[float, Piece, bool] | None:
        """How deep the model sinks into terrain, mm, into which, and whether more of that lies above.

        None where it sinks by no more than 2 mm.

        On a slope an upright base that rests on its middle sinks uphill as much as it hangs downhill: that is as models
        stand on hills, and no mistake. What counts is the mean of a point and the one opposite to it.
        """
        if not self._terrain_depths or not len(self._samples.points):
            return None
        # Beyond a cliff the ground is taken to be as low as a slope of 45° would be, no lower.
        points = self._samples.points
        depth = np.maximum(self._depth, -np.linalg.norm(points - points.mean(axis=0), axis=1))
        if ((depth + depth[self._samples.opposite]) / 2.0).max() <= LOWER:
            return None
        deepest = int(depth.argmax())
        into = max(self._terrain_depths, key=lambda other: float(self._terrain_depths[other][deepest]))
        over = self._surfaces[into].crossings(points[deepest][None] + self._place).z
        is_roofed = bool((over > self.bottom + depth[deepest] + LOWER).any())
        return float(depth[deepest]), into, is_roofed

    def walled(self) -> Piece | None:
        """The terrain of which a wall goes up through the base, more than a millimetre from its rim; None for none."""
        inner = inset(self.underside.outline, ALLOWED)
        if not len(inner):
            return None
        low, high = wall_heights(self.piece, np.array([self.bottom]))
        for other in self._terrain_depths:
            if self._surfaces[other].walled(inner, self._place[None], low, high).any():
                return other
        return None

    def highest(self) -> tuple[float, Piece | None]:
        """The height of the highest ground under the base that is not above it, and its piece; None for the table."""
        highest, on = TABLE_TOP if self.bottom >= TABLE_TOP - LOWER else -np.inf, None
        for other, surface in self._surfaces.items():
            # A model that hangs beside this one at the same height carries nobody.
            if other.kind == "terrain" or other.whole_box[:, 2].min() < self.bottom - LOWER:
                (height,) = surface.heights(self.underside.outline, self._place[None], self.bottom + LOWER)
                if height > highest:
                    highest, on = float(height), other
        return highest, on

    def on_its_rim(self) -> float | None:
        """How far below its middle the ground is, mm, for a base that would tip over an edge; None where it would not.

        It tips where its middle lies outside of all that carries it. On a slope an upright base always rests on its
        rim: there the ground comes nearer little by little, at an edge all at once.
        """
        points, depth = self._samples.points, self._depth
        if self.piece.kind != "fighter" or not len(points):
            return None
        middle = points.mean(axis=0)
        fall = -float(depth[np.linalg.norm(points - middle, axis=1).argmin()])
        if fall <= LOWER or np.mean((depth < -0.2 * fall) & (depth > -0.8 * fall)) >= SLOPE:
            return None
        carried = points[depth >= -LOWER]
        if len(carried):
            spacing = np.ptp(points, axis=0).max() / WARNING_POINTS_PER_AXIS
            if convex_hull(carried).distance(Point(middle)) <= spacing:
                return None
        return fall


def base_box(piece: Piece) -> Floats:
    """(4, 2) mm: the corners of a rectangle in the world that holds what of a piece touches the ground."""
    if piece.model.base is not None and piece.kind == "fighter" and is_upright(piece.pose):
        half = piece.model.base.diameter / 2**0.5 + FEET  # an oval or a rectangle may lie across
        low, high = piece.base_centre - half, piece.base_centre + half
    else:
        low, high = piece.whole_box[:, :2].min(axis=0), piece.whole_box[:, :2].max(axis=0)
    return np.array([low, [high[0], low[1]], high, [low[0], high[1]]])


# ---- what a scene says

WIRE_THICKNESS = 3.0  # mm: no terrain of the table is thinner in two directions, as a wire is

MIN_TABLE_MM = 300.0
"""mm: no table is smaller along either edge; the smallest that games are played on is a foot wide."""

SCAN_DECIMALS = 2  # decimals of degrees that a scan writes; more of them are a person's


def entry_warnings(
    entry: TableEntry, pieces: Sequence[Piece], table: tuple[float, float] | None, tables_of: Mapping[str, str]
) -> Iterator[PlacementWarning]:
    """The mistakes in what a scene says of its pieces, terrain, fighters, vehicles.

    ``table`` is (x, y) mm, the size of the table's top, or None; ``tables_of`` names the table of the user's scene in
    which a piece stands, by its name; by default its kind.
    """
    pairs = list(zip((*entry.terrain, *entry.fighter, *entry.vehicle), pieces, strict=True))
    if table is not None:
        yield from _table(entry, table, pieces)
    for names, text in similar_names(piece.name for piece in pieces):
        yield PlacementWarning(text, names)
    yield from _gangs([*entry.fighter, *entry.vehicle])
    for own, piece in pairs:
        yield from _angles(own, piece, entry.source)
        if isinstance(own, VehicleEntry) and "front" not in own.arcs:
            arcs = as_written(list(own.arcs))
            text = f'{piece.name} has no front arc: arcs = {arcs}; add "front" if any of its crew looks ahead'
            yield PlacementWarning.of(text, piece, as_attacker=True)
        if piece.kind == "terrain" and entry.units != "mm" and tables_of.get(piece.name) != "cover":
            yield from _thin(own, piece, entry)


def _table(entry: TableEntry, table: tuple[float, float], pieces: Sequence[Piece]) -> Iterator[PlacementWarning]:
    everyone = frozenset(piece.name for piece in pieces)
    size = f"{table[0]:g} x {table[1]:g} mm"
    if min(table) < MIN_TABLE_MM:
        hint = '; write units = "inch" if it is in inches' if entry.units == "mm" else ""
        yield PlacementWarning(f"the table is {size}, and none is below {MIN_TABLE_MM:g} mm{hint}", everyone)
    for piece in pieces:
        # As where a base stands: its middle is on the table, if not all of it.
        if (np.abs(piece.base_centre) > np.array(table) / 2.0).any():
            x, y = piece.base_centre
            where = f"the base of {piece.name} lies beyond the table: its middle is x = {x:.4g}, y = {y:.4g} mm"
            reach = f"and from the table's middle, x = y = 0, to its edges are {table[0] / 2:g} and {table[1] / 2:g} mm"
            names = everyone if piece.kind == "terrain" else frozenset({piece.name})
            yield PlacementWarning(f"{where}, {reach}; move it, or give the table its size", names)


def _gangs(entries: Sequence[GangerEntry]) -> Iterator[PlacementWarning]:
    """Gangs that are probably one, and fighters without one where others have one."""
    gangs = dict.fromkeys(entry.gang for entry in entries if entry.gang is not None)
    yield from groups_alike("gangs", {entry.name: entry.gang for entry in entries if entry.gang is not None})
    if gangs:
        for entry in entries:
            if isinstance(entry, FighterEntry) and entry.gang is None:
                text = f"{entry.name} has no gang, while others have one, and is nobody's friend; give gang"
                yield PlacementWarning(text, frozenset({entry.name}))


def groups_alike(what: str, groups: Mapping[str, str]) -> Iterator[PlacementWarning]:
    """A warning for groups of models, such as gangs, whose names are one but for case and blanks.

    >>> [one.text for one in groups_alike("gangs", {"Kal": "red", "Vex": "Red"})]
    ['the gangs "red" and "Red" differ by case or blanks alone, and count as 2; write the same for all if they are one']
    """
    for names in differently_spelt(groups.values()):
        members = frozenset(model for model, group in groups.items() if group in names)
        every = " and ".join(as_written(name) for name in names)
        text = f"the {what} {every} differ by case or blanks alone, and count as {len(names)}"
        yield PlacementWarning(f"{text}; write the same for all if they are one", members)


def _angles(entry: PieceEntry, piece: Piece, source: Mapping[str, Any]) -> Iterator[PlacementWarning]:
    """Angles in radians; not those that were measured, of which any may come near."""
    for key, angle in _typed_angles(entry, is_imported="program" in source or entry.origin == "keep"):
        mistake = angle_mistake(key, angle) if isinstance(angle, float) else None
        if mistake is not None:
            # Terrain that stands turned by mistake may be in the way if it is turned as it should be.
            around = _reach(piece, 1.0) if piece.kind == "terrain" else None
            yield PlacementWarning(f"{piece.name}: {mistake}", frozenset({piece.name}), around=around)


def _typed_angles(entry: PieceEntry, *, is_imported: bool) -> list[tuple[str, float | str | None]]:
    """The angles that a person may have typed, with their keys."""
    of_parts = (("turn", part.turn) for part in entry.parts or ())
    angles: list[tuple[str, float | str | None]] = [
        *_typed_facings(entry),
        ("turn", entry.turn),
        ("front", entry.front),
        *of_parts,
    ]
    if entry.turn is None or (entry.doubt is None and not is_imported):
        return angles
    facing = entry.facing
    is_measured = is_imported or not isinstance(facing, float) or round(facing, SCAN_DECIMALS) == facing
    return [] if is_measured else angles[:1]


def _typed_facings(entry: PieceEntry) -> list[tuple[str, float | str | None]]:
    if isinstance(entry.facing, HeadAndWeapon):
        return [(f"facing's {key}", angle) for key, angle in entry.facing._asdict().items()]
    return [("facing", entry.facing)]


def _thin(entry: PieceEntry, piece: Piece, of: TableEntry) -> Iterator[PlacementWarning]:
    """Terrain that is no thicker than a wire in a scene of inches, or squares."""
    solids = [solid(replace(part.solid(), turn=0.0)) for part in entry.parts or ()]
    sizes = [np.ptp(mesh.bounds, axis=0) for mesh in solids or [piece.model.mesh]]
    if any(np.count_nonzero(size < WIRE_THICKNESS) < 2 for size in sizes):
        return
    largest = max(sizes, key=np.prod)
    what = "all its parts are" if len(sizes) > 1 else "it is"
    mm = f"{piece.name}: {what} thinner than {WIRE_THICKNESS:g} mm in two directions"
    unit, name = (INCH, "inches") if of.units == "inch" else (of.square, "squares")
    meant = f"if {point(largest)} are {name}, write {point(largest * unit)}"
    if not entry.parts:
        meant = f'it is {point(largest)} mm; say units = "inch" in the piece if its mesh is in inches'
    text = f"{mm}; {ONLY_PLACES.format(of.units)}; {meant}"
    yield PlacementWarning(text, frozenset({piece.name}), around=_reach(piece, unit))


def _reach(piece: Piece, factor: float) -> tuple[float, float, float]:
    """The circle in plan, x, y and radius in mm, that a piece may reach if it is turned, and larger by a factor."""
    x, y = piece.pose.translation[:2].tolist()
    radius = float(np.hypot(*(piece.whole_box[:, :2] - [x, y]).T).max())
    return x, y, radius * factor


# ---- where pieces stand

MAX_PIECE_DISTANCE_MM = 2000.0  # mm: no piece stands so far from all others
SHORTEST_FIGHTER, TALLEST_FIGHTER = 10.0, 150.0  # mm: the heights of fighters
MAX_SCENE_WARNINGS = 50  # a scene with more of them is not looked at further: what is wrong with it is plain

MAX_NEIGHBOUR_PAIRS = 4000
"""The number of pairs of neighbours that are looked at; crowds of thousands are not looked through to the end."""

MAX_COMPARED_BODIES = 1000  # the number of bodies that are compared with terrain

ONLY_PLACES = 'units = "{}" holds for at, under and table, while parts, figure, base and eye are mm'
"""What goes with a warning about a length that was probably meant in inches, or in squares."""

_LOWER_IT = 'write on = "surface"'


@dataclass(frozen=True)
class PlacementWarning:
    """A mistake in where a piece stands, or in what a scene says of it: a sentence, and the names of the pieces."""

    text: str
    names: frozenset[str]
    as_attacker: bool = False  # whether it touches only checks in which the piece looks
    # X, y and radius in mm of the circle in plan that the piece may reach if the mistake is mended. It touches each
    # check between whose pieces the circle lies, whether or not the piece is in the way. None where it touches those
    # alone in which the piece takes part.
    around: tuple[float, float, float] | None = None

    @classmethod
    def of(cls, text: str, *pieces: Piece, as_attacker: bool = False) -> PlacementWarning:
        """The warning about some pieces."""
        return cls(text, frozenset(piece.name for piece in pieces), as_attacker)

    def touches(self, attacker: str, others: frozenset[str]) -> bool:
        """Whether it may touch a check of an attacker, with its target and what is in the way as ``others``."""
        return attacker in self.names or (not self.as_attacker and not self.names.isdisjoint(others))


def prepare(pieces: Sequence[Piece]) -> None:
    """Works out now what looking at these models anywhere shares, for all processes forked from this one."""
    for piece in {piece.model: piece for piece in pieces}.values():
        PieceSurface.of(piece).ground.prepare()
        underside_of(piece)
        if piece.kind != "terrain":
            Interior.of_body(piece.model)
        encloses(piece.model.significant, piece.model.significant.vertices[0])


def placement_warnings(
    pieces: Sequence[Piece], *, faces: bool, units: str, z_is_ground: bool
) -> Iterator[PlacementWarning]:
    """The mistakes in where the pieces of a table stand.

    ``faces`` if it matters to the rules where a model looks; ``units`` are those of the scene's file; ``z_is_ground``
    if the height that a place gives is that of the ground there, so that nothing hangs above the table.
    """
    if not pieces:
        return
    boxes = np.array([[piece.whole_box.min(axis=0), piece.whole_box.max(axis=0)] for piece in pieces])
    yield from _alone(pieces, faces=faces, units=units)
    yield from _far(pieces, boxes)
    pairs, bodies = 0, iter(range(MAX_COMPARED_BODIES))
    for number, piece in enumerate(pieces):
        if piece.kind == "terrain" or pairs > MAX_NEIGHBOUR_PAIRS:
            continue
        gaps = np.maximum(boxes[:, 0] - boxes[number, 1], boxes[number, 0] - boxes[:, 1])
        gaps[number] = np.inf
        above = [pieces[other] for other in np.flatnonzero((gaps[:, :2] < 0.0).all(axis=1)).tolist()]
        support = Support.of(piece, above)
        of_ground = list(_on_the_ground(support, z_is_ground=z_is_ground))
        yield from of_ground
        named = frozenset[str]().union(*(warning.names for warning in of_ground))
        for other in np.flatnonzero((gaps < 0.0).all(axis=1)).tolist():
            yield from _between(piece, pieces[other], seen=other < number)
            may_go_through = pieces[other].kind == "terrain" and pieces[other].name not in named
            may_go_through = may_go_through and not support.is_tangled and next(bodies, None) is not None
            if may_go_through and goes_through(piece, pieces[other]):
                name = in_a_sentence(pieces[other].name)
                yield PlacementWarning.of(f"{piece.name} goes through {name}; move it", piece, pieces[other])
        pairs += len(above)


def _alone(pieces: Sequence[Piece], *, faces: bool, units: str) -> Iterator[PlacementWarning]:
    """What is odd about a piece whoever stands near it."""
    for piece in pieces:
        if piece.kind == "fighter":
            low, high = piece.model.mesh.bounds[:, 2]
            if not SHORTEST_FIGHTER <= high - low <= TALLEST_FIGHTER:
                is_mesh = piece.model.format not in ("parts", "figure")
                what = "the unit or the scale of its mesh" if is_mesh else "its height"
                keys = "" if is_mesh or units == "mm" else f"; {ONLY_PLACES.format(units)}"
                yield PlacementWarning.of(f"{piece.name} is {_mm(high - low)} tall; is {what} right?{keys}", piece)
        if piece.kind != "terrain" and faces and not piece.facing_given:
            is_turned = not np.allclose(piece.pose.rotation, np.eye(3))
            how = "as its turn leaves it" if is_turned else "as it lies in its file"
            text = f"{piece.name} has no facing and looks {how}, to {round(piece.ahead) % 360:d}°"
            yield PlacementWarning.of(f"{text}; give facing", piece, as_attacker=True)


def _far(pieces: Sequence[Piece], boxes: Floats) -> Iterator[PlacementWarning]:
    if len(pieces) < 2:
        return
    order = np.argsort(boxes[:, 0, 0], kind="stable")
    near = np.zeros(len(pieces), np.bool_)
    # For nearly all pieces the next one is near enough.
    close = _apart(boxes[order[:-1]], boxes[order[1:]]) <= MAX_PIECE_DISTANCE_MM
    near[order[:-1][close]] = near[order[1:][close]] = True
    for number in np.flatnonzero(~near)[:MAX_SCENE_WARNINGS]:
        apart = _apart(boxes[number][None], boxes)
        apart[number] = np.inf
        if apart.min() > MAX_PIECE_DISTANCE_MM:
            metres = f"{apart.min() / 1000:.1f} m"
            text = f"{pieces[number].name} stands {metres} from everything else; is its place right?"
            yield PlacementWarning.of(text, pieces[number])


def _apart(a: Floats, b: Floats) -> Floats:
    """(n,) mm: the distances between boxes (n, 2, 3)."""
    distances: Floats = np.linalg.norm(np.maximum(0.0, np.maximum(a[:, 0] - b[:, 1], b[:, 0] - a[:, 1])), axis=1)
    return distances


def _on_the_ground(support: Support, *, z_is_ground: bool) -> Iterator[PlacementWarning]:
    piece = support.piece
    if support.is_tangled:
        return
    if support.near:
        yield from _on_what_is_near(piece, support, z_is_ground=z_is_ground)
        return
    if abs(float(piece.whole_box[:, 2].min()) - TABLE_TOP) <= LOWER:
        return
    # What hangs down farther than feet carries nobody, as a spear, or the base of one who lies down.
    if support.bottom > TABLE_TOP + LOWER and not z_is_ground:
        yield PlacementWarning.of(_hangs(piece, support.bottom - TABLE_TOP, "the table"), piece)
    if support.bottom < TABLE_TOP - LOWER:
        yield PlacementWarning.of(_sinks_into_the_table(piece, TABLE_TOP - support.bottom), piece)


def _on_what_is_near(piece: Piece, support: Support, *, z_is_ground: bool) -> Iterator[PlacementWarning]:
    """The first thing that is wrong with what a model stands on."""
    sunk = support.sunk()
    if sunk is not None:
        depth, ground, is_roofed = sunk
        below = ", with under to stand below what is over it" if is_roofed else ""
        where = f"{piece.name} sinks {_mm(depth)} into {in_a_sentence(ground.name)}"
        yield PlacementWarning.of(f"{where}; move it, or {_LOWER_IT}{_height_of(piece)}{below}", piece, ground)
        return
    wall = support.walled()
    if wall is not None:
        text = f"{piece.name} stands in {in_a_sentence(wall.name)}, which goes up through its base; move it"
        yield PlacementWarning.of(text, piece, wall)
        return
    highest, on = support.highest()
    if z_is_ground and on is None:
        return
    ground_name = "the table" if on is None else in_a_sentence(on.name)
    if not np.isfinite(highest):
        yield PlacementWarning.of(_sinks_into_the_table(piece, TABLE_TOP - support.bottom), piece)
    elif support.bottom - highest > LOWER:
        yield PlacementWarning.of(_hangs(piece, support.bottom - highest, ground_name), piece)
    elif on is not None and on.kind == "terrain" and (fall := support.on_its_rim()) is not None:
        below = f"and the ground under its middle is {_mm(fall)} lower"
        yield PlacementWarning.of(f"{piece.name} rests on {ground_name} with its rim only, {below}; move it", piece, on)


def _between(piece: Piece, other: Piece, *, seen: bool) -> Iterator[PlacementWarning]:
    """What is odd about two pieces whose boxes overlap; ``seen`` is whether the other has been looked at before."""
    for eye in [piece.eye, *(piece.pose.place(eye) for eye in piece.eyes.values())]:
        if encloses(other.model.significant, other.pose.localise(eye[None])[0]):
            yield PlacementWarning.of(eye_inside(piece, other), piece, as_attacker=True)
            break
    if other.kind == "terrain" or seen or not (is_upright(piece.pose) and is_upright(other.pose)):
        return
    depth = overlap_of_bases(piece, other)
    both = f"{in_a_sentence(piece.name)} and {in_a_sentence(other.name)}"
    if depth > ALLOWED:
        yield PlacementWarning.of(f"the bases of {both} overlap by {_mm(depth)}; move one", piece, other)
    elif bodies_overlap(piece, other):
        yield PlacementWarning.of(f"{both} overlap; move one", piece, other)


def eye_inside(piece: Piece, other: Piece) -> str:
    """The warning that an eye lies inside another piece."""
    return f"the eye of {piece.name} lies inside {in_a_sentence(other.name)}: probably a mistake in the pose"


def _sinks_into_the_table(piece: Piece, depth: float) -> str:
    hint = "give it z = 0" if piece.pose.translation[2] < TABLE_TOP else _LOWER_IT
    return f"{piece.name} sinks {_mm(depth)} into the table; {hint}"


def _hangs(piece: Piece, gap: float, ground: str) -> str:
    return f"{piece.name} hangs {_mm(gap)} above {ground}; {_LOWER_IT}{_height_of(piece)}"


def _height_of(piece: Piece) -> str:
    """What a hint adds where the scene gives the height of a piece."""
    return "" if piece.pose.translation[2] == TABLE_TOP else " in place of its height"


def _mm(length: float) -> str:
    """A length for people: tenths of mm where it is small.

    >>> _mm(3.14159), _mm(1830.2), _mm(0.00123)
    ('3.1 mm', '1830 mm', '0.0012 mm')
    """
    digits = ".0f" if length >= 10.0 else ".1f" if length >= 1.0 else ".2g"
    return f"{length:{digits}} mm"
