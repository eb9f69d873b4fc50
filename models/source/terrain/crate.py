"""A munitions crate: posts and braces round a plated core, a strapped lid, latches and drop handles."""

import numpy as np
from manifold3d import Manifold

from models.source.details import bolts, chipped, dented, rivets, row
from models.source.paints import OLIVE, STEEL
from models.source.solids import FRONT, RIGHT, UP, beam, box, mirrored, outlined, pipe, placed, regular, union
from models.source.writing import Sculpture

CORE, LID = 22.0, 25.0  # mm across
FOOT, EDGE, TOP = 2.0, 20.2, 24.0  # mm: the core's underside, the lid's underside, the lid's top


def sculpt() -> Sculpture:
    """The crate, its front with the emblem at +y."""
    rng = np.random.default_rng(11)
    wood = chipped(_box(), rng, 40, 1.8) + _lid(rng)
    shell = union([wood, *_four_sides(), _emblem()])
    fittings = union([*_straps(), _latch(), _latch().rotate((0, 0, 180)), mirrored(_handle())])
    return Sculpture("crate", {"crate": shell, "fittings": fittings}, {"crate": OLIVE, "fittings": STEEL})


def _box() -> Manifold:
    core = box((CORE, CORE, EDGE - FOOT + 0.5), (0, 0, FOOT))
    core = dented(core, [(-9, 11, 9), (11, 4, 14), (-3, -11, 8)], [(0, -0.9, 0), (-0.8, 0, 0), (0, 0.9, 0)], [7, 6, 8])
    posts = [box((4.4, 4.4, EDGE - FOOT + 0.4), (x, y, FOOT), 0.5) for x in (-10.1, 10.1) for y in (-10.1, 10.1)]
    skids = [box((5, 24.6, FOOT + 0.4), (x, 0, 0), 0.5) for x in (-7.6, 7.6)]
    sill = box((24.2, 24.2, 2.6), (0, 0, FOOT - 0.1), 0.45)
    return union([core, *posts, *skids, sill])


def _lid(rng: np.random.Generator) -> Manifold:
    lid = chipped(box((LID, LID, TOP - EDGE), (0, 0, EDGE), 0.7), rng, 14, 1.7)
    lid -= box((19.6, 19.6, 2), (0, 0, TOP - 0.7), 0.3)
    ribs = [box((19.8, 2.2, 0.9), (0, y, TOP - 0.9), 0.25) for y in (-6, 0, 6)]
    rim = [(x, y, TOP) for x in (-11.2, 11.2) for y in (-11.2, -3.7, 3.7, 11.2)]
    return union([lid, *ribs, rivets(rim, UP, 1.1)])


def _four_sides() -> list[Manifold]:
    """Each side's braces and rivets: a saltire left and right, rails in front and behind."""
    low, high = FOOT + 2.4, EDGE
    rails = [box((17, 1.5, 2), (0, 11.15, z), 0.3) for z in (low + 4.2, low + 10.4)]
    posts = [(x, 12.3, z) for x in (-10.1, 10.1) for z in np.linspace(low + 1.4, high - 1.6, 4)]
    plain = union([*rails, rivets(posts, FRONT, 1.1)])
    bars = [beam((-8.5 * way, 11.1, low), (8.5 * way, 11.1, high), 2.3, 1.5, 0.3, FRONT) for way in (-1, 1)]
    hub = box((4.6, 1.7, 4.6), (0, 11.2, (low + high) / 2 - 2.3), 0.4)
    braced = union([*bars, hub, rivets(posts, FRONT, 1.1)])
    return [plain, plain.rotate((0, 0, 180)), braced.rotate((0, 0, 90)), braced.rotate((0, 0, -90))]


def _emblem() -> Manifold:
    """A riveted plate with a cog and a bar in relief, between the straps in front."""
    plate = box((8.4, 1.3, 8.0), (0, 11.5, 7.2), 0.3)
    cog = outlined(regular(16, 6.4), 0.9, 0.2)
    teeth = union(box((1.2, 7.2, 0.8)).rotate((0, 0, turn)) for turn in range(0, 180, 45))
    ring = cog + teeth - outlined(regular(16, 3.8), 3, 0).translate((0, 0, 0.3))
    face = ring + box((1.3, 4.4, 0.8)) + box((4.4, 1.1, 0.7))
    heads = rivets([(x, 12.15, z) for x in (-3.6, 3.6) for z in (7.8, 14.6)], FRONT, 0.7, 6)
    return union([plate, placed(face, (0, 11.9, 11.2), FRONT, UP), heads])


def _straps() -> list[Manifold]:
    """Two steel bands right round, each with a buckle in front and on top."""
    bands = []
    for x in (-6.4, 6.4):
        band = box((2.6, LID + 0.9, TOP + 0.45 - FOOT), (x, 0, FOOT), 0.55) - box((3, 26, 2), (x, 0, 0), 0)
        buckle = box((3.8, 1.4, 4.2), (x, LID / 2 + 0.3, 13.6), 0.35) - box((1.7, 3, 2.4), (x, 13.9, 14.5), 0)
        tongue = box((0.7, 1.5, 3.4), (x, LID / 2 + 0.35, 14.3), 0.2)
        end = box((2.0, 1.0, 3.6), (x, LID / 2 + 0.35, 9.4), 0.3)
        knots = rivets([(x, y, TOP + 0.4) for y in (-9.5, 9.5)], UP, 1.2)
        bands += [band, buckle, tongue, end, knots]
    return bands


def _latch() -> Manifold:
    """A toggle latch over the lid's edge, in front."""
    back = box((4.4, 1.2, 3.2), (0, LID / 2 + 0.1, EDGE + 0.3), 0.3)
    hasp = box((2.6, 1.7, 5.4), (0, LID / 2 - 0.1, EDGE - 3.4), 0.35)
    lever = beam((0, LID / 2 + 0.4, EDGE - 3.2), (0, LID / 2 + 1.2, EDGE + 1.2), 1.5, 0.9, 0.2, FRONT)
    pin = box((4.2, 1.2, 1.2), (0, LID / 2 + 0.5, EDGE - 3.6), 0.35)
    return union([back, hasp, lever, pin])


def _handle() -> Manifold:
    """A drop handle on the right side: a bar bent through two eyes."""
    z, reach = 16.2, 12.0
    eyes = [box((1.9, 2.2, 2.6), (reach, y, z - 1.3), 0.4) for y in (-4.4, 4.4)]
    back = box((1.0, 12.4, 4.2), (reach - 0.2, 0, z - 2.1), 0.3)
    grip = pipe(
        [(reach + 0.5, -4.4, z), (reach + 1.2, -4.4, z - 5), (reach + 1.2, 4.4, z - 5), (reach + 0.5, 4.4, z)], 1.3
    )
    heads = bolts(row((reach + 0.25, -5.6, z), (reach + 0.25, 5.6, z), 2), RIGHT, 1.0)
    return union([*eyes, back, grip, heads])
