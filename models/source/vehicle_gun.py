"""The hauler's roof gun: twin heavy stubbers on a ring behind a shield, and the gunner who stands in the hatch."""

import numpy as np
from manifold3d import Manifold

from models.source import armour, clothing, heads
from models.source.anatomy import SIDES, Body, Build, Foot, Grip, Pose, gloved_hand, posed, sign
from models.source.fields import union as joined
from models.source.skin import finished, lightened, skin
from models.source.solids import FRONT, RIGHT, UP, beam, box, cut, mirrored, outlined, placed, revolved, rod, union
from models.source.vehicle_shapes import block, faceted, pad, studs

AXIS = 46.4  # mm: the barrels' height
PIVOT = 18.4  # mm: the gun's trunnion along y
APART = 2.0  # mm: each gun from the middle line
GRIP = (1.7, 12.4, 45.6)  # the right spade grip's middle


def mount() -> Manifold:
    """Pedestal and cradle, two receivers with their ammunition boxes and belts, spade grips, shield."""
    side = ((14.4, 41.0), (19.0, 40.4), (16.6, 45.0), (19.4, 45.0))
    arm = Manifold.hull_points([(x, y, z) for x in (-2.2, 2.2) for y, z in side])
    foot = pad((8.4, 5.0, 2.0), (0, 16.4, 40.6), bevel=0.5)
    cradle = block((6.0, 7.0, 1.6), (0, 18.0, 43.7))
    trunnion = rod(2.2, 8.6, (-4.3, PIVOT, 44.6), RIGHT, 0.0, 8)
    mantlet = box((8.6, 4.6, 5.4), (0, 24.6, AXIS - 2.7), 0.9)
    halves = mirrored(union([_receiver(), _shield(), _ammunition(), _spade_grip()]))
    return union([arm, foot, cradle, trunnion, mantlet, halves, block((4.0, 0.8, 1.4), (0, 13.4, GRIP[2] - 0.7))])


def _receiver() -> Manifold:
    """The right gun's receiver: cover, cocking handle, ribs, buffer."""
    body = box((3.2, 9.6, 3.6), (APART, 18.2, AXIS - 2.0), 0.4)
    top = ((14.6, AXIS + 1.4), (21.0, AXIS + 1.4), (15.2, AXIS + 2.6), (20.2, AXIS + 2.4))
    cover = faceted([(APART + x, y, z) for x in (-1.3, 1.3) for y, z in top], 0.25)
    ribs = [block((3.6, 0.6, 2.4), (APART, 14.6 + 1.1 * i, AXIS - 1.4)) for i in range(3)]
    handle = block((2.6, 0.8, 0.8), (APART + 2.4, 16.6, AXIS + 0.5))
    back = rod(2.4, 1.2, (APART, 12.7, AXIS - 0.2), FRONT, 0.0, 8)
    return union([body, cover, *ribs, handle, back])


def _spade_grip() -> Manifold:
    """The right one of two upright grips behind the receivers, on its two arms."""
    x, y, z = GRIP
    arms = [block((1.0, 2.2, 0.8), (x, y + 0.8, z + dz - 0.4)) for dz in (-2.0, 2.0)]
    return union([rod(1.0, 4.2, (x, y, z - 2.1), bevel=0.0, sides=8), *arms])


def _shield() -> Manifold:
    """The right half of the shield: a swept-back plate on its stay, beside the block that the barrels come out of."""
    outline = [(0.9, -4.2), (0.9, 3.3), (-2.2, 3.3), (-3.6, 6.8), (-7.8, 6.8), (-10.6, 4.0), (-9.8, -3.0), (-7.0, -4.2)]
    heads = studs([(x, y, 1.2) for x, y in ((-8.4, -2.4), (-9.3, 3.4), (-7.4, 5.6), (-4.4, 5.4))], UP, 1.3)
    plate = placed(outlined(outline, 1.2, 0.3) + heads, (0, 24.4, AXIS), (0.3, 1, 0.12), UP)
    return plate + beam((4.4, 22.6, AXIS + 0.2), (3.0, 19.4, AXIS - 1.2), 1.0, 1.4, 0.0)


def _ammunition() -> Manifold:
    """The right gun's box of belted rounds, its lid gone, the belt rising into the feed."""
    case = box((4.0, 6.2, 5.2), (7.2, 18.6, 41.9), 0.4) - block((3.0, 5.2, 2.0), (7.2, 18.6, 46.2))
    ribs = [block((4.4, 0.9, 4.6), (7.2, y, 42.1)) for y in (16.6, 20.6)]
    bracket = block((3.6, 2.4, 1.2), (4.6, 18.6, 43.4))
    cartridge = revolved([(0, -1.9), (0.75, -1.9), (0.75, 0.6), (0, 1.9)], towards=FRONT, sides=5)
    path = np.array([(7.3, 47.0), (6.5, 47.6), (5.5, 47.7), (4.5, 47.3)])
    belt = [cartridge.translate((x, 18.6, z)) for x, z in path]
    return union([case, *ribs, bracket, *belt])


def barrels() -> Manifold:
    """The two barrels: slotted jackets in front of the shield, thinner tubes, conical flash hiders."""
    jacket = rod(2.6, 8.0, (APART, 26.2, AXIS), FRONT, 0.3, 10)
    slots = [
        block((1.0, 1.9, 3.0), (0, y, 0.4)).rotate((0, turn, 0)).translate((APART, 0, AXIS))
        for y in (28.4, 31.4)
        for turn in (-36, 36)
    ]
    tube = rod(1.5, 15.4, (APART, 26.4, AXIS), FRONT, 0.0, 8)
    muzzle = rod(1.6, 2.6, (APART, 40.4, AXIS), FRONT, 0.0, 10, top=2.5)
    bore = rod(1.6, 2.0, (APART, 41.8, AXIS), FRONT, 0.0, 8)
    collar = rod(2.2, 0.9, (APART, 36.8, AXIS), FRONT, 0.0, 8)
    sight = block((0.6, 0.9, 1.6), (APART, 37.2, AXIS + 0.8))
    return mirrored(union([cut(jacket, slots), tube, muzzle - bore, collar, sight]))


def gunner() -> Manifold:
    """The gunner from the waist up, both hands at the spade grips, in a padded jacket with shoulder pads."""
    body = _body()
    jacket = skin(joined(clothing.jacket(body, seed=6), clothing.collar(body)), 0.15, 1200)
    gloves = [skin(gloved_hand(body, side), 0.11, 350) for side in SIDES]
    cuffs = [skin(clothing.cuff(body, side), 0.13, 110) for side in SIDES]
    plates = [armour.shoulder_pad(body, side) for side in SIDES]
    figure = union([jacket, *gloves, *cuffs, *plates, skin(heads.neck(body), 0.15, 100)])
    return finished(lightened(figure.trim_by_plane(UP, 36.2), 1900))


def helmet() -> Manifold:
    """The gunner's helmet with its visor."""
    return lightened(_body().head.put(skin(heads.helmet(), 0.1, 3200)), 900)


def _body() -> Body:
    """The stance: leaning into the gun, elbows out, the face turned a little to the right."""
    x, y, z = GRIP
    hands = {
        side: Grip(
            np.array([sign(side) * x, y, z]),
            np.array([0, 0, 1.0]),
            np.array([sign(side) * 0.25, -1.0, -0.15]),
            (1.0, -0.5, -0.7),
        )
        for side in SIDES
    }
    feet = {side: Foot((sign(side) * 1.8, 6.0, 23.0)) for side in SIDES}  # in the dark of the hatch
    return posed(Build(), Pose((0, 6.6, 38.4), (0, 4, 0), (0, 10, 0), (-12, 2, 0), feet, hands))
