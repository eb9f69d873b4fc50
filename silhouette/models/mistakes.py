"""TAG: mistakes in what a file says of a model, with which it can be judged: sentences with what would mend them."""

from __future__ import annotations

from math import pi

import numpy as np

from silhouette.common.geometry import INCH, Floats
from silhouette.models.bases import Base
from silhouette.models.entries import InsignificantEntry

MAX_EYE_OUTSIDE_MM = 3.0
"""mm: an eye so far outside the box round the body is one of a visor or a scope that sticks out; farther is a slip."""

MIN_FIGURE_BASE_MM = 5.0  # mm: no base that figures stand on is smaller across
RADIANS = pi / 12  # an angle of 15 degrees, of which the angles that people write are multiples
RADIANS_ROUNDING = 0.001  # the most by which such an angle is off where somebody writes it in radians


def in_radians(angle: float) -> float | None:
    """The degrees that an angle has if it was written in radians: where it is plainly one, up to a whole turn.

    Beyond a turn nothing is plain: 355 degrees are 113 half turns in radians to within a ten thousandth.

    >>> in_radians(1.5708), in_radians(-0.785), in_radians(355.0), in_radians(0.0), in_radians(1.5)
    (90.0, -45.0, None, None, None)
    """
    steps = round(angle / RADIANS)
    is_plain = 0 < abs(steps) <= 24 and abs(angle - steps * RADIANS) <= RADIANS_ROUNDING
    return steps * 15.0 if is_plain else None


def angle_mistake(key: str, angle: float) -> str | None:
    """The sentence that an angle was written in radians.

    >>> angle_mistake("facing", 3.14159)
    'facing = 3.14159 is 180° in radians, and angles are degrees; write facing = 180 if that is meant'
    """
    degrees = in_radians(angle)
    if degrees is None:
        return None
    meant = f"write {key} = {degrees:g} if that is meant"
    return f"{key} = {angle:g} is {degrees:g}° in radians, and angles are degrees; {meant}"


def eye_mistake(eye: Floats, body: Floats, base_top: float | None) -> str | None:
    """The sentence that an eye (3,) is none of its model: outside its body, or in or below its base; mm, model's frame.

    ``body`` (2, 3) is the box round it, ``base_top`` the top of the base, None where there is none.

    >>> body = np.array([[-8.0, -6.0, 3.0], [8.0, 6.0, 34.0]])
    >>> eye_mistake(np.array([0.0, 9.0, 30.0]), body, 3.0) is None
    True
    >>> eye_mistake(np.array([0.0, 9.1, 30.0]), body, 3.0)  # doctest: +ELLIPSIS
    "its eye [0, 9.1, 30] lies 3.1 mm outside its body, which reaches from [-8, -6, 3] to [8, 6, 34] mm, all in ..."
    >>> eye_mistake(np.array([0.0, 0.1, 1.3]), body, 3.0)  # doctest: +ELLIPSIS
    "its eye [0, 0.1, 1.3] lies in or below its base, ... if these are inches, write [0, 2.54, 33.02], or leave eye out"
    """
    low, high = body
    apart = float(np.maximum(np.maximum(low - eye, eye - high), 0.0).max())
    if base_top is not None and eye[2] < base_top:
        what = f"lies in or below its base, which reaches up to {base_top:.4g} mm"
    elif apart > MAX_EYE_OUTSIDE_MM:
        what = f"lies {apart:.1f} mm outside its body, which reaches from {point(low)} to {point(high)} mm"
    else:
        return None
    inches = eye * INCH
    is_inches = ((low - MAX_EYE_OUTSIDE_MM <= inches) & (inches <= high + MAX_EYE_OUTSIDE_MM)).all()
    meant = f"if these are inches, write {point(inches)}" if is_inches else "give the eye's true place"
    return f"its eye {point(eye)} {what}, all in mm in the model's own frame; {meant}, or leave eye out"


def base_mistakes(base: Base | None) -> list[str]:
    """A sentence for what is odd about a base: too small for one, cut at the first of two steps, wider at its foot.

    >>> base_mistakes(Base("part", 3.0, 5.0, (0.0, 0.0))), base_mistakes(None)
    ([], [])
    >>> base_mistakes(Base("given", 0.0, 1.25, (0.0, 0.0)))
    ['its base is 1.25 mm across, and no base is below 5 mm: bases are mm; if these are inches, write 31.75']
    >>> print(*base_mistakes(Base("auto", 3.0, 40.0, (0.0, 0.0), step=6.0)))  # doctest: +NORMALIZE_WHITESPACE
    its base has two steps, and is cut at the first, 3 mm high; say base = { height = 6 } if the second is base too, or
    cut the first off the mesh if it is a printer's raft
    >>> print(*base_mistakes(Base("auto", 4.0, 30.0, (0.0, 0.0), foot=(1.0, 25.0))))  # doctest: +NORMALIZE_WHITESPACE
    its base, 30 mm across, is 25 mm across from 1 mm up; if what is below is a printer's raft, cut it off the mesh, or
    say base = { height = 4, diameter = 25 }
    """
    if base is None:
        return []
    mistakes = []
    if base.diameter < MIN_FIGURE_BASE_MM:
        inches = base.diameter * INCH
        meant = f"if these are inches, write {inches:.4g}" if inches >= 4 * MIN_FIGURE_BASE_MM else "give its true size"
        small = f"its base is {base.diameter:.4g} mm across, and no base is below {MIN_FIGURE_BASE_MM:g} mm"
        mistakes.append(f"{small}: bases are mm; {meant}")
    if base.step is not None:
        cut = f"its base has two steps, and is cut at the first, {base.height:.2g} mm high"
        mend = f"say base = {{ height = {base.step:.3g} }} if the second is base too"
        mistakes.append(f"{cut}; {mend}, or cut the first off the mesh if it is a printer's raft")
    if base.foot is not None:
        (low, upper), height = base.foot, base.height
        wider = f"its base, {base.diameter:.3g} mm across, is {upper:.3g} mm across from {low:.2g} mm up"
        mend = f"cut it off the mesh, or say base = {{ height = {height:.2g}, diameter = {upper:.3g} }}"
        mistakes.append(f"{wider}; if what is below is a printer's raft, {mend}")
    return mistakes


def tag_mistake(number: int, tag: InsignificantEntry, bounds: Floats) -> str:
    """The sentence that a box or a sphere tags nothing."""
    if tag.box is not None:
        what = f"box = [{point(tag.box[0])}, {point(tag.box[1])}]"
    else:
        assert tag.sphere is not None
        what = f"sphere = {{ centre = {point(tag.sphere.centre)}, radius = {tag.sphere.radius:g} }}"
    reach = f"the mesh reaches from {point(bounds[0])} to {point(bounds[1])} mm in the model's own frame"
    return f"insignificant {number}, {what}, tags nothing, no triangle has its middle in it; {reach}; change it"


def point(coordinates: Floats | tuple[float, float, float]) -> str:
    """A point as a file has it, to hundredths.

    >>> point((0.0, 2.541, 30.0))
    '[0, 2.54, 30]'
    """
    return f"[{', '.join(f'{round(float(value), 2) + 0.0:g}' for value in coordinates)}]"
