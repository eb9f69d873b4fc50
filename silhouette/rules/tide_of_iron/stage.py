"""DRAW: a Tide of Iron map on a stage: hexes as high as their levels, with woods, buildings, smoke and units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from silhouette.drawing.in_3d.simplifying import Shape
from silhouette.drawing.in_3d.solids import box, prism, together, turned
from silhouette.drawing.in_3d.stage import Item, Line, LineKind, Sight, Stage
from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.geometry import Floats, Pose
from silhouette.rules.tide_of_iron.hex_ground import corners, middle
from silhouette.rules.tide_of_iron.hexes import Address, in_words
from silhouette.rules.tide_of_iron.judge import TideOfIronVerdict
from silhouette.rules.tide_of_iron.scene import HexScene
from silhouette.scenes.scene import Check

LEVEL_HEIGHT = 0.34
"""The height of a level, in widths of a hex."""

THICK = 0.12
MOST_HEXES = 1200
"""The most hexes in 3D; a larger map is shown as a plan alone."""

GROUND = ("#dcd9c4", "#d3bb8e", "#c09a61", "#a97b41", "#8d6130", "#6f4a24")
"""The colour of the ground by level: the earth of hills, darker the higher it lies."""

FEATURES = {"woods": "#3f7d53", "building": "#8d8a88", "smoke": "#b9bfc7"}

EYES = 0.3
"""The height above a hex of a line that runs from it."""

REMARK = (
    "This game is judged hex by hex, in whole levels: heights and the things on the hexes are drawn for display alone, "
    "and where one can see from somewhere in this picture is no verdict."
)


@dataclass
class _Board:
    """The shapes and items gathered so far, and the numbers of the items of grounds, of features and of units."""

    shapes: list[Shape] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    known: dict[object, int] = field(default_factory=dict)
    ground: dict[Address, int] = field(default_factory=dict)
    features: dict[Address, int] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)

    def shape(self, key: object, make: Callable[[], Shape]) -> int:
        """The number of a shape by its key; it is made once."""
        if key not in self.known:
            self.known[key] = len(self.shapes)
            self.shapes.append(make())
        return self.known[key]


def stage(
    scene: HexScene, judged: Sequence[tuple[Check, TideOfIronVerdict]], cache: Cache | None = None
) -> Stage | None:
    """The stage of a Tide of Iron scene; None where its map is too large to be shown hex by hex.

    Args:
        scene: the scene that was judged.
        judged: its checks with their verdicts, in the order of the page.
    """
    try:
        hexes = scene.map()
    except RequestError:
        return None
    if not 0 < len(hexes) <= MOST_HEXES:
        return None
    board = _Board()
    board.ground = {address: _hex(board, scene, address) for address in hexes}
    board.features = {address: _feature(board, scene, address) for address in hexes if scene.ground(address).blocks}
    board.units = {name: _unit(board, scene, name) for name in scene.units}
    sights = tuple(_sight(board, scene, place, *ruling) for place, ruling in enumerate(judged))
    return Stage(tuple(board.shapes), tuple(board.items), sights, (REMARK,), floor=None)


def _sight(board: _Board, scene: HexScene, place: int, check: Check, verdict: TideOfIronVerdict) -> Sight:
    """A check on the stage, by its place on the page."""
    start, end = scene.address(check.attacker), scene.address(check.target)
    at = verdict.obstruction
    blocker = None if at is None else board.features.get(at, board.ground.get(at))
    kind: LineKind = "free" if verdict.line_of_sight else "blocked"
    points = tuple(_point(_top(scene, address), EYES) for address in (start, end))
    return Sight(
        place,
        board.units.get(check.attacker, board.ground[start]),
        board.units.get(check.target, board.ground[end]),
        () if blocker is None else (blocker,),
        eye=np.array(points[0]) if start != end else None,
        free=bool(verdict.line_of_sight),
        lines=(Line(kind, points),) if start != end else (),
    )


def _hex(board: _Board, scene: HexScene, address: Address) -> int:
    """The ground of a hex; only one that is higher than the rest of the map can be hidden."""
    level = scene.ground(address).elevation
    rim = corners((0, 0), 0.985)
    shape = board.shape(("hex", level), lambda: prism(rim, -THICK, level * LEVEL_HEIGHT))
    colour = GROUND[min(level, len(GROUND) - 1)]
    name = f"level {level} {in_words(address)}"
    listed = level > scene.default.elevation
    pose = Pose.standing((*middle(address), 0.0))
    board.items.append(Item(name, "terrain", shape, pose, colour, listed=listed))
    return len(board.items) - 1


def _feature(board: _Board, scene: HexScene, address: Address) -> int:
    terrain = scene.ground(address).terrain
    shape = board.shape(terrain, lambda: _MAKERS[terrain]())
    pose = Pose.standing(_top(scene, address))
    opacity = 0.75 if terrain == "smoke" else 1.0
    name = f"{terrain} {in_words(address)}"
    board.items.append(Item(name, "terrain", shape, pose, FEATURES[terrain], opacity))
    return len(board.items) - 1


def _unit(board: _Board, scene: HexScene, name: str) -> int:
    shape = board.shape("unit", lambda: box(np.array([-0.22, -0.22, 0.0]), np.array([0.22, 0.22, 0.14])))
    board.items.append(Item(name, "unit", shape, Pose.standing(_top(scene, scene.units[name]))))
    return len(board.items) - 1


def _top(scene: HexScene, address: Address) -> Floats:
    return np.array([*middle(address), scene.ground(address).elevation * LEVEL_HEIGHT])


def _point(at: Floats, above: float) -> tuple[float, float, float]:
    return float(at[0]), float(at[1]), float(at[2]) + above


def _woods() -> Shape:
    tree = turned([(0.04, 0.0), (0.04, 0.07), (0.15, 0.08), (0.09, 0.24), (0.005, 0.42)], sides=9)
    turn = np.radians([30.0, 100.0, 170.0, 240.0, 310.0])
    return together(tree, *[tree] * 5, at=[(0, 0, 0), *((0.3 * np.cos(a), 0.3 * np.sin(a), 0) for a in turn)])


def _building() -> Shape:
    walls = box(np.array([-0.28, -0.2, 0.0]), np.array([0.28, 0.2, 0.26]))
    roof = turned([(0.37, 0.0), (0.01, 0.16)], sides=4)
    angle = np.pi / 4
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    shaped = (roof.vertices @ turn.T) * [1.15, 0.85, 1.0]
    return together(walls, Shape(shaped, roof.faces, flat=True), at=[(0, 0, 0), (0, 0, 0.26)])


def _smoke() -> Shape:
    arcs = np.linspace(-0.48 * np.pi, 0.48 * np.pi, 9)
    puff = turned([(0.17 * float(np.cos(a)), 0.17 + 0.17 * float(np.sin(a))) for a in arcs], sides=16)
    places = [(0, 0, 0.12), (0.2, 0.08, 0), (-0.16, 0.14, 0.02), (-0.06, -0.2, 0), (0.1, -0.08, 0.2)]
    return together(*[puff] * len(places), at=places)


_MAKERS = {"woods": _woods, "building": _building, "smoke": _smoke}
