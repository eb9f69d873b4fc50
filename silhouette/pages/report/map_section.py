"""TELL: the section of a report with a map: a picture whose places tell, when tapped, who sees them and how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silhouette.doubt.maps import Map
from silhouette.drawing.maps import map_figure
from silhouette.drawing.saving import Told, Writing, svg
from silhouette.drawing.sheet import COLUMN, settings
from silhouette.drawing.styles import PRINT
from silhouette.geometry import INCH
from silhouette.pages.html.markup import Markup, element, joined
from silhouette.pages.html.skeleton import Figures, table
from silhouette.pages.report.figures import PageSheet
from silhouette.pages.report.words import MAP, word
from silhouette.text import coordinates


@dataclass(frozen=True)
class MapSection:
    """A map on a page.

    Attributes:
        markup: the section.
        data: what its script needs.
    """

    markup: Markup
    data: dict[str, Any]


def map_section(drawn: Map, figures: Figures, writing: Writing) -> MapSection:
    """The section of a map.

    Args:
        drawn: the map.
        figures: those of the page.
        writing: from `silhouette.pages.report.figures.on_page`.

    Raises:
        RequestError: where the game draws no table, or matplotlib is not installed.
    """
    figure = map_figure(drawn)
    with settings():
        sheet = PageSheet(figure.width or COLUMN, PRINT)
        figure.draw(sheet)
        picture = svg(sheet.finish(), Told(figure.name).printable(), writing)
    looks = drawn.request.role == "attacker"
    title = word("map to" if looks else "map from", name=drawn.request.move, others=", ".join(drawn.others))
    mark = element("div", id="map-mark", hidden=True)
    shown = element("div", figures.add(picture, title, title), mark, id="map-shown", role="group", aria_label=title)
    told = element("p", id="map-told", role="status", aria_live="polite", class_="screen")
    section = element(
        "section",
        element("h2", word("map", name=drawn.request.move), id="map-title"),
        shown,
        told,
        _nearest(drawn),
        id="map-section",
        aria_labelledby="map-title",
    )
    return MapSection(section, _data(drawn, sheet.data))


def _nearest(drawn: Map) -> Markup:
    """The nearest place with each cover, as a table."""
    if not drawn.nearest:
        return Markup()
    rows = [
        (verdict, f'{mm / INCH:.1f}"', f"{coordinates(drawn.cells.at[number])} mm")
        for verdict, (number, mm) in drawn.nearest.items()
    ]
    headings = [word("map cover"), word("map away"), word("map at")]
    return joined(table(word("map nearest"), headings, rows, class_="narrow"))


def _data(drawn: Map, data: dict[str, Any]) -> dict[str, Any]:
    """What the script needs: each place as its numbers, its verdicts, its shares in per cent, and what is doubtful."""
    looks = drawn.request.role == "attacker"
    first = next(iter(drawn.nearest.values()), (int(np.argmax(drawn.cells.stands)), 0.0))[0]
    return {
        "table": data["frame"]["table"],
        "mm": data["frame"].get("mm", 1.0),
        **data["map"],
        "verdicts": list(drawn.verdicts),
        "others": list(drawn.others),
        "first": drawn.index[first].tolist(),
        "words": {**MAP, "count": word("map sees" if looks else "map seen by")},
        "cells": [_cell(drawn, number) for number in range(len(drawn.index))],
    }


def _cell(drawn: Map, number: int) -> list[Any]:
    """A place for the script; of one at which the model does not stand, its numbers alone."""
    index: list[Any] = drawn.index[number].tolist()
    if not drawn.cells.stands[number]:
        return index
    percents = np.round(100.0 * drawn.cells.occluded[number])
    told = [None if np.isnan(one) or one in (0.0, 100.0) else int(one) for one in percents.tolist()]
    doubts = drawn.cells.marginal[number].astype(int).tolist()
    return [*index, int(drawn.marginal[number]), drawn.cells.verdict[number].tolist(), told, doubts]
