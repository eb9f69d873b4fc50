"""A picture of one table: each row a mark, its error against its time, both by orders of magnitude; as SVG."""

from __future__ import annotations

import math
from io import StringIO

import matplotlib
from matplotlib.figure import Figure

from tests.benchmarks.tables import Table

OURS, OTHERS = "#c2410c", "#1d4ed8"
"""The colours of marks."""


def error_against_time(table: Table, time: str, error: str, ours: str) -> str:
    """The chart of a table.

    Args:
        table: with columns ``time``, of numbers, and ``error``, of percentages; an error of 0 has no mark.
        ours: how the names of rows begin that have a colour of their own.
    """
    columns = table.columns.index(time), table.columns.index(error)
    marks = [(row[0].replace("`", ""), float(row[columns[0]]), float(row[columns[1]].split()[0])) for row in table.rows]
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": table.title, "font.family": "sans-serif"}):
        figure = Figure(figsize=(8.0, 4.0), layout="constrained")
        axes = figure.add_subplot(xscale="log", yscale="log", xlabel=time, ylabel=f"{error}, in %")
        axes.grid(color="#dddddd")
        axes.set_axisbelow(True)
        shown = [mark for mark in marks if mark[2] > 0.0]
        for number, (name, x, y) in enumerate(shown, 1):
            colour = OURS if name.startswith(ours) else OTHERS
            axes.scatter([x], [y], s=150.0, color=colour, edgecolors="white", label=f"{number}  {name}")
            axes.annotate(str(number), (x, y), color="white", ha="center", va="center", fontsize=8)
        times = [math.log10(mark[1]) for mark in shown]
        axes.set_xlim(10.0 ** math.floor(min(times) - 0.1), 10.0 ** math.ceil(max(times) + 0.1))
        figure.legend(loc="outside right upper", frameon=False, handlelength=1.0)
        drawn = StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()
