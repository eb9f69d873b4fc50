"""A barricade of scrap: plates welded to a bent frame, a girder along its top, sandbags at its foot."""

import numpy as np
from manifold3d import CrossSection, Manifold

from models.source.details import bolts, chipped, dented, rivets, stripes
from models.source.paints import CLOTH, IRON, RUST
from models.source.settling import COARSE, settled
from models.source.solids import (
    FRONT,
    UP,
    bar,
    beam,
    box,
    girder,
    mirrored,
    outlined,
    pipe,
    placed,
    standing,
    union,
)
from models.source.writing import Sculpture

LONG, HIGH = 60.0, 16.0  # mm


def sculpt() -> Sculpture:
    """The barricade along x; the plates face the front, the struts and two of the sandbags stand behind."""
    rng = np.random.default_rng(83)
    frame, plates = union(_frame(rng)), union(_plates(rng))
    parts = {"frame": frame, "plates": plates, "sandbags": union(_bags(rng))}
    return Sculpture("barricade", parts, {"frame": IRON, "plates": RUST, "sandbags": CLOTH})


def _frame(rng: np.random.Generator) -> list[Manifold]:
    """A girder on posts, struts behind them on feet, and a rail low down."""
    top = girder(LONG, 3.6, 4.4, 1.2, 1.0).translate((-LONG / 2, -0.6, HIGH - 4.4))
    bow = dented(top, [(-12, 0, 14), (20, 1, 15)], [(0, -0.9, -0.6), (0, 0.7, -0.5)], [14, 11], 3.0)
    stiff = [box((0.9, 3.5, 3.4), (x, -0.6, HIGH - 3.9), 0.15) for x in (-24, -9, 4, 17, 27)]
    heads = rivets([(x, -0.6 + way, HIGH - 0.05) for x in np.linspace(-27, 27, 10) for way in (-1.2, 1.2)], UP, 0.8, 6)
    solids = [chipped(bow, rng, 14, 1.3), *stiff, heads, beam((-29, -0.4, 3.4), (29, -0.4, 3.0), 1.4, 2.2, 0.3)]
    for x in (-25.0, 0.6, 25.0):
        solids.append(box((3.2, 2.2, HIGH - 3), (x, -0.6, 0.2), 0.35))
        solids.append(beam((x, -0.8, 11.5), (x, -5.0, 0.7), 2.0, 1.4, 0.3, FRONT))
        foot = box((4.6, 7.4, 1.1), (x, -2.4, 0), 0.3)
        solids += [foot, bolts([(x + way * 1.4, -5.0, 1.05) for way in (-1, 1)], UP, 1.2)]
    return solids


def _plates(rng: np.random.Generator) -> list[Manifold]:
    """Odd plates that overlap, each bent and riveted at its rim, one with hazard stripes, one with a shuttered slit."""
    outlines: list[tuple[list[tuple[float, float]], float]] = [
        ([(-29.5, 1.0), (-15, 0.4), (-13.6, 12.6), (-20, 14.4), (-27.4, 13.0), (-29.0, 8)], 0.9),
        ([(-17, 0.6), (-1, 0.9), (-0.6, 9.4), (-3, 13.8), (-16.6, 12.0)], 1.6),
        ([(-3.4, 0.3), (14.6, 0.5), (15.4, 13.0), (8.4, 15.2), (-2.4, 12.4)], 0.9),
        ([(12.2, 1.2), (29.6, 0.4), (28.4, 11.0), (25.6, 11.6), (24.0, 14.6), (13.0, 13.2)], 1.6),
    ]
    solids = []
    for outline, y in outlines:
        plate = standing(outlined(np.array(outline), 1.1, 0.25))
        at = np.stack([rng.uniform(-28, 28, 6), np.full(6, 1.0), rng.uniform(1, 13, 6)], axis=1)
        push = np.stack([np.zeros(6), rng.uniform(-1.1, 0.5, 6), np.zeros(6)], axis=1)
        plate = chipped(dented(plate, at, push, rng.uniform(5, 8, 6), 2.0), rng, 8, 1.5)
        rim = CrossSection([np.array(outline)]).offset(-1.1).to_polygons()[0]
        heads = rivets([(-x, 0.95, z) for x, z in _along(np.asarray(rim), 3.4)], FRONT, 0.95, 6)
        solids.append((plate + heads).translate((0, y, 0)))
    relief = placed(stripes(13, 3.6, 4.2, 0.45), (-6.0, 1.8, 5.0), FRONT, UP)
    slit = box((7.4, 5, 1.5), (20.0, 2, 8.6), 0)
    weld = [bar((x, 1.2, 1.2), (x + lean, 1.4, 12.0), 1.1, 6) for x, lean in ((14.8, 1.0), (1.6, 0.6), (-13.6, -0.6))]
    shutter = union(box((9.2, 0.8, 0.8), (20.0, 2.4, z), 0.15) for z in (7.4, 10.6))
    return [union([*solids, *weld, relief, shutter]) - slit, *_scrap()]


def _along(outline: np.ndarray, spacing: float) -> np.ndarray:
    """Points (n, 2) along a closed outline, about `spacing` apart."""
    closed = np.concatenate([outline, outline[:1]])
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.arange(max(3, round(length[-1] / spacing))) * (length[-1] / max(3, round(length[-1] / spacing)))
    return np.stack([np.interp(at, length, closed[:, axis]) for axis in (0, 1)], axis=1)


def _scrap() -> list[Manifold]:
    """A length of pipe and a rusty chain of bars thrust through the plates."""
    path: list[tuple[float, float, float]] = [(-29, 2.6, 6.0), (-20, 2.9, 7.6), (-17.6, 2.4, 14.6)]
    return [pipe(path, 1.5, 3.0, 8, 4), beam((8.0, 2.6, 1.0), (12.6, 2.4, 12.6), 1.9, 1.0, 0.25, FRONT)]


def _bags(rng: np.random.Generator) -> list[Manifold]:
    """Sandbags slumped against the foot: four in front, two on them, two behind."""
    places = [
        (-22.6, 4.3, 0, 4),
        (-13.4, 4.6, 0, -6),
        (-17.8, 4.2, 3.3, 8),
        (3.4, 4.5, 0, 5),
        (12.4, 4.3, 0, -4),
        (22.0, 4.5, 0, 6),
    ]
    places += [(17.4, 4.0, 3.3, -7), (-12.6, -3.9, 0, 3), (12.8, -3.9, 0, -5)]
    return [_bag(rng).rotate((0, 0, turn)).translate((x, y, z)) for x, y, z, turn in places]


def _bag(rng: np.random.Generator) -> Manifold:
    """A sandbag lying along x: a pillow with pinched ends, a seam and sags."""
    length, width, height = 10.2 + rng.uniform(-0.6, 0.6), 4.8, 4.0
    phase = rng.uniform(0, 2 * np.pi, 3)

    def pillow(points: np.ndarray) -> np.ndarray:
        squared = np.sign(points) * np.abs(points) ** 0.62
        x, y, z = (squared * [length / 2, width / 2, height / 2]).T
        z = z - 0.35 * np.cos(x * 0.9 + phase[0]) - 0.12 * np.sin(2.3 * x + 1.7 * y + phase[1])
        y = y + 0.18 * np.sin(1.6 * x + phase[2]) * (1 + 0.3 * z)
        return settled(np.stack([x, y, z], axis=1), COARSE)

    body = Manifold.sphere(1.0, 20).warp_batch(pillow)
    tail = mirrored(
        outlined([(0, -1.5), (1.1, -2.0), (1.1, 2.0), (0, 1.5)], 0.9, 0.2).translate((length / 2 - 0.35, 0, -0.3))
    )
    seam = box((length - 0.6, width + 0.3, 0.4), (0, 0, 0.1), 0.1)
    bag = union([body, tail, seam ^ body.scale((1.02, 1.06, 2.0))])
    return bag.translate((0, 0, 1.75)).trim_by_plane(UP, 0.0)
