"""DRAW: matplotlib's axes without ticks, which figures do not show: made in less than half the time.

matplotlib gives each axis ticks as soon as anything asks for them, clipping included, and a tick is three lines and two
texts. This module is imported where figures are drawn, because matplotlib takes long to start.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.ticker import NullLocator


class _NoTicks:
    """The ticks of an axis: none, each time they are asked for; what is set is forgotten."""

    def __get__(self, axis: Any, kind: type) -> Any:
        return self if axis is None else []

    def __set__(self, axis: Any, ticks: Any) -> None:
        """Keeps nothing."""


class _BareX(XAxis):
    majorTicks = minorTicks = _NoTicks()

    def _update_ticks(self) -> Any:
        return []


class _BareY(YAxis):
    majorTicks = minorTicks = _NoTicks()

    def _update_ticks(self) -> Any:
        return []


class BareAxes(Axes):
    """Axes whose frame is their spines alone."""

    def __init__(self, *where: Any) -> None:
        super().__init__(*where)
        for axis in (self.xaxis, self.yaxis):
            axis.set_major_locator(NullLocator())  # it is asked for the places of ticks
        for side in self.spines.values():
            side.set_position(("outward", 0.0))  # which else the first tick would do

    def _init_axis(self) -> None:
        self.xaxis, self.yaxis = _BareX(self, clear=False), _BareY(self, clear=False)
        sides: Any = self.spines
        for side, axis in (("bottom", self.xaxis), ("top", self.xaxis), ("left", self.yaxis), ("right", self.yaxis)):
            sides[side].register_axis(axis)
