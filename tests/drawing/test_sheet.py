"""A sheet as matplotlib has it: a frame at the rim of the drawing, and no ticks."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from silhouette.common.geometry import INCH
from silhouette.drawing.captions import Swatch
from silhouette.drawing.sheet import Sheet, settings


def test_axes_without_ticks_show_what_matplotlib_shows_of_axes_whose_ticks_are_hidden() -> None:
    with settings():
        sheet = Sheet(50.0)
        sheet.frame(-3.0, 2.0, 7.0, 9.0)
        figure = Figure(figsize=sheet.figure.get_size_inches(), facecolor=sheet.style.paper)
        axes: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(NullLocator())
        axes.set(xlim=sheet.axes.get_xlim(), ylim=sheet.axes.get_ylim(), facecolor=sheet.axes.get_facecolor())
        for name, spine in axes.spines.items():
            spine.set(linewidth=sheet.axes.spines[name].get_linewidth(), color=sheet.style.rule)
        for one in (sheet.axes, axes):
            one.set_position((0.1, 0.2, 0.7, 0.6))
            one.plot([-2.0, 6.0], [3.0, 8.0], color="black")
        drawn = []
        for canvas in (FigureCanvasAgg(sheet.figure), FigureCanvasAgg(figure)):
            canvas.draw()
            drawn.append(np.asarray(canvas.buffer_rgba()))
        assert np.array_equal(*drawn)
        assert not sheet.axes.xaxis.get_major_ticks()
        assert not sheet.axes.yaxis.get_minor_ticks()


def test_a_caption_has_a_margin_on_all_sides() -> None:
    with settings():
        sheet = Sheet()
        sheet.frame(0.0, 0.0, 10.0, 5.0)
        sheet.caption("A title", "A reason that is long enough to be broken into lines, " * 4)
        sheet.legend(Swatch("seen", "#ffffff"))
        sheet.note("A note.")
        figure = sheet.finish()
        figure.canvas.draw()
        high = figure.get_size_inches()[1] * INCH
        for text in figure.texts:
            box = text.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
            assert box.x0 * INCH >= 1.9
            assert box.x1 * INCH <= sheet.width - 1.9
            assert 1.2 <= box.y0 * INCH <= high
