"""A fence of welded mesh: posts on bolted feet, an angle-iron frame, and wires that one sees through."""

import numpy as np
from manifold3d import Manifold

from models.source.details import bolts, chipped, dented, rivets
from models.source.paints import IRON, RUST, STEEL
from models.source.solids import FRONT, UP, beam, box, cut, outlined, placed, union
from models.source.writing import Sculpture

LONG, HIGH = 100.0, 40.0  # mm
PITCH, WIRE = 3.6, 0.8  # mm: openings of 2.8 mm
LOW, TOP, HALF = 4.0, 37.0, 47.0  # mm: the frame's lower and upper middle, and its reach to either side
BULGE = ([(-26, 0, 16), (40, 0, 14), (7, 0, 12)], [(0, 1.2, 0), (0, -0.8, 0), (0, 0.9, 0)], [19, 12, 8])


def sculpt() -> Sculpture:
    """The fence along x, its wires in two layers as they are welded."""
    rng = np.random.default_rng(41)
    torn = placed(outlined(_tear(rng), 12, 0), (-27, -6, 12), FRONT, UP)
    x, z = _wires(HALF), _wires((TOP - LOW) / 2) + (LOW + TOP) / 2
    upright = union(box((WIRE, WIRE, TOP - LOW), (at, -0.33, LOW), 0).refine_to_length(PITCH) for at in x)
    across = union(box((2 * HALF, WIRE, WIRE), (0, 0.33, at - WIRE / 2), 0).refine_to_length(PITCH) for at in z)
    parts = {
        "posts": union([*_posts(rng), *_frame()]),
        "wires upright": dented(cut(upright, [torn]), *BULGE, fineness=None).simplify(0.05),
        "wires across": dented(cut(across, [torn]), *BULGE, fineness=None).simplify(0.05),
        "sign": _sign(),
    }
    return Sculpture(
        "grating_fence", parts, {"posts": IRON, "wires upright": STEEL, "wires across": STEEL, "sign": RUST}
    )


def _wires(reach: float) -> np.ndarray:
    """The middles of the wires that fill from -reach to +reach."""
    count = int(2 * reach // PITCH)
    return (np.arange(count) - (count - 1) / 2) * PITCH


def _tear(rng: np.random.Generator) -> np.ndarray:
    """A ragged outline (n, 2) where the mesh has been cut open."""
    angles = np.linspace(0, 2 * np.pi, 11, endpoint=False)
    reach = rng.uniform(0.6, 1.15, 11)
    return np.stack([5.2 * np.cos(angles) * reach, 4.2 * np.sin(angles) * reach], axis=1)


def _posts(rng: np.random.Generator) -> list[Manifold]:
    """Two end posts and a middle one, each on a foot with gussets."""
    solids = []
    for x in (-HALF - 1.4, 0.0, HALF + 1.4):
        solids.append(chipped(box((2.6, 2.4, HIGH - 1), (x, 0, 0.5), 0.35), rng, 7, 0.9))
        solids.append(box((3.2, 3.0, 1.6), (x, 0, HIGH - 1.6), 0.4))
        solids.append(box((6.4 if x == 0 else 3.2, 3.0, 1.3), (x, 0, 0), 0.3))
        solids += [box((3.0, 2.8, 1.4), (x, 0, z), 0.3) for z in (LOW - 0.7, 20, TOP - 0.7)]
        solids.append(rivets([(x, 1.4, z) for z in (LOW, 20.7, TOP)], FRONT, 1.0, 6))
        solids.append(rivets([(x, -1.4, z) for z in (LOW, 20.7, TOP)], (0, -1, 0), 1.0, 6))
    solids.append(bolts([(x, 0, 1.3) for x in (-2.2, 2.2)], UP, 1.1))
    return solids


def _frame() -> list[Manifold]:
    """The angle irons that hold the wires, and a stay across each half."""
    rails = [box((2 * HALF + 2, 2.0, 1.5), (0, 0, z - 0.75), 0.3) for z in (LOW, TOP)]
    clips = [(x, 1.0, z) for x in np.arange(-42, 43, 7.0) for z in (LOW, TOP) if abs(x) > 3]
    stays = [beam((way * 1.2, -1.0, LOW), (way * HALF, -1.0, TOP), 1.3, 0.9, 0.2, FRONT) for way in (-1, 1)]
    return [*rails, *stays, rivets(clips, FRONT, 0.9, 6)]


def _sign() -> Manifold:
    """A bent warning plate wired to the mesh: a bolt of lightning in relief."""
    plate = box((13, 0.8, 10), (22, 0.95, 21), 0.25)
    flash = np.array([(0.6, 4), (-2.6, -0.6), (-0.3, -0.6), (-1.4, -4), (2.8, 0.9), (0.4, 0.9), (2.2, 4)])
    relief = placed(outlined(flash, 0.6, 0), (22, 1.45, 26), FRONT, UP)
    rim = cut(box((12.2, 0.7, 9.2), (22, 1.15, 21.4), 0.15), [box((11, 3, 8), (22, 1.2, 22), 0)])
    heads = rivets([(x, 1.2, z) for x in (16.6, 27.4) for z in (22, 30)], FRONT, 0.8, 6)
    return union([plate, relief, rim, heads])
