"""A scout's carbine: short stock, drum magazine, silenced barrel, a sling hanging under it.

Modelled as the weapons of `gear`: along +y (the muzzle), z up, the origin in the middle of the grip.
"""

from __future__ import annotations

import numpy as np
from manifold3d import Manifold
from numpy.typing import ArrayLike

from models.source import gear, solids
from models.source.fields import curve
from models.source.gear import Hold, Weapon


def carbine() -> Weapon:
    """The carbine; its `barrel` is the silencer. Holds: the pistol grip, the fore-end from below."""
    body = solids.union([*_receiver(), *_stock(), *_magazine(), *_fore_end(), _sling()])
    silencer = [
        solids.rod(0.86, 2.0, (0, 7.0, 2.0), (0, 1, 0), 0.1, 16),
        solids.rod(0.96, 6.6, (0, 8.2, 2.0), (0, 1, 0), 0.14, 18),
        *(solids.rod(1.08, 0.34, (0, y, 2.0), (0, 1, 0), 0.1, 18) for y in (8.5, 9.1, 14.0)),
    ]
    flutes = [
        solids.box((0.18, 3.4, 0.3), (0, 11.7, 0.35), 0.0)
        .translate((0, 0, -2.0))
        .rotate((0, 60 * i, 0))
        .translate((0, 0, 2.0))
        for i in range(6)
    ]
    bore = solids.rod(0.55, 2.0, (0, 14.0, 2.0), (0, 1, 0), 0.0, 12)
    barrel = solids.cut(solids.union(silencer), [*flutes, bore])
    holds = (
        Hold((0, 0, 0.1), (0, 0.32, 1), (0, -1, -0.25), 0.5, True),
        Hold((0, 5.1, 1.75), (0, 1, 0), (-1, 0, -0.55), 0.72),
    )
    return Weapon(body, barrel, holds)


def _side(outline: ArrayLike, width: float, bevel: float = 0.16) -> Manifold:
    """A plate seen from the side, `outline` (n, 2) of y and z in any shape, `width` across."""
    return solids.laid_along_x(solids.outlined(outline, width, bevel)).translate((-width / 2, 0, 0))


def _receiver() -> list[Manifold]:
    """Receiver, grip, trigger and guard, a short telescopic sight on a rail."""
    grip = _side([(-0.85, -1.3), (0.2, -1.4), (0.75, 1.4), (-0.35, 1.4)], 0.95, 0.2)
    guard = [(0, 0.5, -0.1), (0, 1.1, -0.4), (0, 1.75, -0.3), (0, 1.9, 1.2)]
    return [
        _side([(-1.6, 1.1), (4.4, 1.0), (4.4, 2.6), (3.8, 2.9), (-1.0, 2.9), (-1.6, 2.5)], 1.4),
        solids.box((1.65, 1.9, 0.7), (0, 1.6, 1.85), 0.12),
        solids.bar((0.5, 3.1, 2.3), (1.35, 2.9, 2.35), 0.36, 8),
        solids.rod(0.5, 1.6, (-0.8, -0.7, 1.8), (1, 0, 0), 0.1, 10),
        *(solids.box((0.7, 0.36, 0.34), (0, -0.4 + 0.6 * i, 2.8), 0.06) for i in range(7)),
        gear.scope(3.6, 1.0).translate((0, 1.3, 4.0)),
        grip,
        solids.swept(solids.regular(8, 0.36), solids.rounded_path(guard, 0.45, 3)),
        solids.bar((0, 1.05, 1.2), (0, 1.2, 0.25), 0.28),
    ]


def _stock() -> list[Manifold]:
    """A short wooden stock bound with cord, with a butt plate."""
    outline = [
        (-1.2, 1.2),
        (-1.2, 2.55),
        (-5.4, 2.65),
        (-5.7, 2.4),
        (-5.7, -0.3),
        (-5.2, -0.45),
        (-4.2, 0.8),
        (-2.6, 1.05),
    ]
    cords = [solids.box((1.25, 0.28, 1.75), (0, -2.6 - 0.4 * i, 0.98), 0.1) for i in range(4)]
    butt = _side([(-6.1, -0.55), (-5.6, -0.55), (-5.5, 2.75), (-6.0, 2.75)], 1.3)
    return [_side(outline[::-1], 1.0, 0.2), butt, *cords]


def _magazine() -> list[Manifold]:
    """A drum on a throat, ribbed, with a bolt in the middle."""
    drum = solids.rod(2.9, 1.5, (-0.75, 3.0, -0.2), (1, 0, 0), 0.22, 24)
    ribs = [
        solids.box((1.62, 0.28, 1.25), (0, 0, 0.0), 0.05).rotate((60 * i, 0, 0)).translate((0, 3.0, -0.2))
        for i in range(6)
    ]
    return [
        drum,
        *ribs,
        solids.box((1.1, 1.6, 1.4), (0, 3.0, 0.4), 0.15),
        solids.rod(0.9, 1.85, (-0.92, 3.0, -0.2), (1, 0, 0), 0.12, 6),
    ]


def _fore_end() -> list[Manifold]:
    """A fore-end with a hand-stop, wound with rags."""
    wood = _side([(4.2, 1.25), (7.3, 1.35), (7.6, 1.7), (7.6, 2.4), (7.2, 2.7), (4.2, 2.75)], 1.3, 0.22)
    rags = [
        solids.box((1.5 + 0.05 * (i % 2), 0.36, 1.62), (0, 0, -0.8), 0.12)
        .rotate((9 * (-1) ** i, 0, 0))
        .translate((0, 6.3 + 0.34 * i, 2.0))
        for i in range(3)
    ]
    return [wood, *rags, solids.box((0.5, 0.5, 0.9), (0, 7.2, 0.7), 0.12)]


def _sling() -> Manifold:
    """A leather sling that hangs in a bow from the butt to the fore-end on the left side."""
    line = curve([(-0.5, -5.0, 0.2), (-0.95, -3.2, -1.3), (-1.15, 0.2, -2.1), (-1.0, 3.6, -1.9), (-0.45, 7.2, 1.2)], 20)
    section = np.array([(0.13, -0.34), (0.13, 0.34), (-0.13, 0.34), (-0.13, -0.34)])
    return solids.swept(section, line, (0, 0, 1))
