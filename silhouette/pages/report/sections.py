"""TELL: two sections of a report: the table in 3D, and a map.

The first has the elements that the viewer works with. The second is a picture whose places tell, when tapped, who sees
them and how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from silhouette.doubt.maps import Map
from silhouette.drawing.in_3d.stage import Stage
from silhouette.drawing.maps import map_figure
from silhouette.drawing.saving import Told, Writing, svg
from silhouette.drawing.sheet import settings
from silhouette.drawing.styles import PRINT
from silhouette.geometry import INCH
from silhouette.judging import Judged
from silhouette.pages.html.markup import Markup, element, joined
from silhouette.pages.html.skeleton import Figures, table
from silhouette.pages.report.figures import PageSheet
from silhouette.pages.report.words import LEGEND, LEGEND_PLAIN, MAP, word
from silhouette.text import coordinates

# ---- the table in 3D

About = Sequence[dict[str, str]]


def about_checks(judged: Sequence[Judged]) -> list[dict[str, str]]:
    """The values for the viewer's sentences, one dictionary for each check."""
    about = []
    for ruling in judged:
        measured, attacker = ruling.verdict.measurement is not None, ruling.check.attacker
        place = word("from eye" if measured else "from place", attacker=attacker)
        about.append(
            {
                "who": ruling.check.label,
                "verdict": ruling.verdict.words,
                "eyeLabel": place,
                "eyeTold": word("seen from eye" if measured else "seen from place", attacker=attacker),
            }
        )
    return about


def see_button(view: int | None, who: str) -> Markup:
    """The button next to a check that shows it in 3D; empty where the check has no view."""
    if view is None:
        return Markup()
    unseen = element("span", f": {who}", class_="unseen")
    button = element("button", word("see"), unseen, type="button", data_view=view, hidden=True)
    return element("p", button, class_="screen")


def view_section(stage: Stage | None, about: About) -> Markup:
    """The section with the view; without a stage a sentence in its place.

    Args:
        stage: the stage to show, or None.
        about: the values from `about_checks`.
    """
    heading = element("h2", word("3d"), id="view-title")
    if stage is None:
        return element("section", heading, element("p", word("3d none")), id="view", aria_labelledby="view-title")
    missing = element("p", word("3d missing"), id="view-missing", class_="note")
    remarks = [element("p", sentence, class_="small") for sentence in stage.remarks]
    view = element(
        "div",
        _frame(),
        _panel(stage, about),
        element("p", id="view-told", role="status", aria_live="polite"),
        element("p", word("3d keys"), id="view-keys", class_="small screen"),
        _legend(stage),
        id="view-shown",
        hidden=True,
    )
    return element("section", heading, missing, view, *remarks, id="view", aria_labelledby="view-title")


def _frame() -> Markup:
    canvas = element(
        "canvas",
        id="view-canvas",
        tabindex=0,
        role="application",
        aria_label=word("3d label"),
        aria_describedby="view-keys",
    )
    return element("div", canvas, element("div", id="view-labels", aria_hidden="true"), class_="view-frame")


def _panel(stage: Stage, about: About) -> Markup:
    options = [
        element("option", f"{sight.check + 1}. {about[sight.check]['who']}", value=number)
        for number, sight in enumerate(stage.sights)
    ]
    choice = joined(element("label", word("3d check"), for_="view-check"), element("select", options, id="view-check"))
    return element(
        "div",
        element("p", choice, class_="choice") if options else "",
        _buttons(bool(options), any(shape.colours is not None for shape in stage.shapes)),
        _boxes(stage),
        class_="view-panel screen",
    )


def _buttons(any_sight: bool, any_colours: bool) -> Markup:
    """The buttons to look from elsewhere; where pieces have colours of their own, one that takes these away."""
    eye = element("button", word("3d eye"), type="button", id="view-eye", aria_pressed="false", disabled=not any_sight)
    nearer = {"nearer": "+", "farther": "−"}
    others = [element("button", word(f"3d {place}"), type="button", id=f"view-{place}") for place in ("table", "above")]
    pair = [
        element("button", sign, type="button", id=f"view-{place}", aria_label=word(f"3d {place}"), class_="square")
        for place, sign in nearer.items()
    ]
    return element(
        "div",
        eye,
        others,
        element("span", pair, class_="pair"),
        element("button", word("3d own"), type="button", id="view-own", aria_pressed="true") if any_colours else "",
        class_="buttons",
        role="group",
        aria_label=word("3d where"),
    )


def _boxes(stage: Stage) -> Markup:
    """A box for each piece that can be hidden: models first, then terrain."""
    there = [(number, item) for number, item in enumerate(stage.items) if item.listed]
    there.sort(key=lambda pair: pair[1].kind == "terrain")
    boxes = [
        element(
            "li",
            element(
                "label",
                element("input", type="checkbox", checked=True, data_piece=number),
                element("span", item.name, class_="name"),
                " ",
                element("span", data_part=number, class_="part"),
            ),
        )
        for number, item in there
    ]
    button = element("button", word("3d all"), type="button", id="view-all")
    # Folded away: there may be dozens, which on a phone would stand between the view and the verdicts.
    fieldset = element("fieldset", element("legend", word("3d pieces"), class_="unseen"), element("ul", boxes), button)
    return element("details", element("summary", f"{word('3d pieces')}: {len(boxes)}"), fieldset, id="view-pieces")


def _legend(stage: Stage) -> Markup:
    """The legend of the colours that are used."""
    measured = any(sight.measured for sight in stage.sights)
    used = {
        "seen": measured or any(sight.free for sight in stage.sights),
        "obscured": measured or any(not sight.free for sight in stage.sights),
        "outside": any(sight.arcs is not None for sight in stage.sights),
        "blocker": any(sight.blockers for sight in stage.sights),
        "ghost": any(shape.ghosts for shape in stage.shapes),
    }
    entries = [
        element("li", element("span", class_=f"swatch {kind}", aria_hidden="true"), words)
        for kind, words in (LEGEND if measured else LEGEND_PLAIN)
        if used[kind]
    ]
    return element("ul", entries, class_="colours") if entries else Markup()


# ---- the map


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
        sheet = PageSheet(figure.width, PRINT)
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
