"""TELL: the sections of a report: the figures of checks, the table in 3D, and a map."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import PIL.WebPImagePlugin  # noqa: F401 - else Pillow imports all of its formats to find this one
from PIL import Image, features

from silhouette.common.geometry import INCH
from silhouette.drawing.figures import figures_of
from silhouette.drawing.games import drawing_of
from silhouette.drawing.in_3d.stage import Stage, StageCheck
from silhouette.drawing.maps import map_figure
from silhouette.drawing.saving import FigureDescription, Writing, jpeg, svg
from silhouette.drawing.sheet import COLUMN, Figure, Sheet, settings
from silhouette.drawing.styles import PRINT, Style
from silhouette.drawing.words.words import ROUNDED_SHARE_WORDS
from silhouette.files.cache import Cache
from silhouette.judging import Judged
from silhouette.judging.calls import CALL_WORDS
from silhouette.judging.maps import Map
from silhouette.pages.html.page import Figures, Markup, asset, element, joined, table
from silhouette.pages.report.words import PageWords
from silhouette.renderers.protocol import Renderer
from silhouette.rules.on_table import with_unit
from silhouette.scenes.scene import Scene
from silhouette.scenes.table import TableScene

FIGURES = {
    "eye": "From the attacker's eye",
    "plan": "Plan",
    "side": "From the side, along the line of sight",
    "table": "The whole table",
}
"""The captions of figures that several rule systems draw, by their names."""

EYE_VIEW_LEGEND = (
    ("seen", "seen by the attacker"),
    ("obscured", "obscured: something stands before it"),
    ("outside", "beyond the vision arc"),
    ("blocker", "in the way"),
    ("ghost", "not counted: base and insignificant parts"),
)
"""Colours of a target in 3D, as in the eye view."""

LEGEND_PLAIN = (
    ("seen", "the target, where nothing hides it"),
    ("obscured", "the target, not seen"),
    ("blocker", "what the verdict rests on"),
)
"""The same for games that measure nothing."""

VIEWER_TEXTS: dict[str, Any] = {
    "table": "The whole table.",
    "above": "The table from above.",
    "check": "{who}: {verdict}. The colours are now those of this check.",
    "eye": "{eyeLabel}",
    "noEye": "No view for this check",
    "fromEye": "{eyeTold} {who}: {verdict}.",
    "shown": "{name} is shown again.",
    "hidden": "{name} is hidden in this picture. The verdict stays as it is.",
    "all": "Everything is shown again.",
    "own": "Pieces are shown in the colours of their own files.",
    "plain": "Pieces are shown in the colours of their parts.",
    "parts": {
        "attacker": "attacker",
        "target": "target",
        "blocker": "in the way",
        "aside": "disregarded",
    },
    "play": {
        **{CALL_WORDS[key]: CALL_WORDS[key] for key in ("close", "ask")},
        "ruled": "{who}: {verdict}.",
        "close": f"{{who}}: {{verdict}}, {CALL_WORDS['could']}: {CALL_WORDS['rollOff']}.",
        "asked": f"{{who}}: {CALL_WORDS['ask']}, since {{why}}. Copy the command.",
        "share": "{share} is obscured.",
        "by": "{share} is obscured, by: {by}.",
        "doubtful": "{share} ± {bound} is obscured, by: {by}.",
        "out of arc": "No part lies in the vision arc.",
        "why order": "it is not clear what stands before what",
        "why touching": "something touches the outline of the target",
        "why thin": "hardly anything of the target can be seen",
        "why near": "the target stands too near",
        "why eye": "something is too near to the eye, or the eye is estimated",
        "why facing": "where it faces is unknown",
        "why contact": "bases are about as far apart as contact allows",
        "why doubt": "the scene says that places are uncertain",
        "why outline": "an outline is uncertain",
        "why filled": "an outline is filled",
        "why stands": "a piece that stands on another was moved",
        "gang": "Ring and bar of {gang}",
        "none": "nothing",
    },
    "missing": "This browser cannot show the 3D view, which needs WebGL. Verdicts, reasons and figures are complete "
    "without it.",
    "copied": "The scene file is copied.",
    "selected": "The scene file is selected: press Ctrl+C, or ⌘C, to copy it.",
}
"""What the viewer says; what stands in braces it fills in."""


def viewer_texts(words: PageWords) -> dict[str, Any]:
    """`VIEWER_TEXTS` in the language of the page."""
    texts: dict[str, Any] = {
        key: words.phrase(text) if isinstance(text, str) else {part: words.phrase(name) for part, name in text.items()}
        for key, text in VIEWER_TEXTS.items()
    }
    texts["play"] |= {word: words(key, share="{share}") for word, key in ROUNDED_SHARE_WORDS.items()}
    texts["keys"] = {text: words.phrase(text) for text in key_texts()}
    return texts


def key_texts() -> list[str]:
    """What a page says of its keys and gestures; those of the live table alone are not among them."""
    rows = [row for row in json.loads(asset("keys.json")) if "only" not in row]
    return [row[part] for row in rows for part in ("shown", "words")]


MAP: dict[str, str] = {
    "tap": "Tap a place of the map, or use the arrow keys, to be told who sees it and how much.",
    "where": 'At {x}", {y}":',
    "seen": "Seen by {seen} of {all}.",
    "sees": "Sees {seen} of {all}.",
    "unfit": "its base does not fit there.",
    "close": f" ({CALL_WORDS['close']})",
    "share": ", {percent} % obscured",
}
"""What the map says; what stands in braces its script fills in."""


STAGE_HELP = "What is hidden here is hidden in this picture alone: the verdicts stay."
STAGE_KEYS = (
    "Drag to turn it. With the view in focus, arrow keys turn it, + and − and the wheel come nearer and go farther."
)

PLAY_HELP = "The page judges as the command does, or says to ask the desk: silhouette check judges everything."

WEB_JPEG_QUALITY = 88  # the quality of pictures on a page; those that `silhouette draw` writes lose nothing

FIGURE_CHARACTERS = "".join(map(chr, range(32, 127))) + "°±·×–−"
"""Those that figures are written in, so that nearly all of them have one type, which is made once."""

METHOD = 2  # the effort of packing WebP, from 0, quick, to 6: 4 takes half as long again for a few bytes in a hundred


@dataclass(frozen=True)
class PageWriting(Writing):
    """How a figure of a page is drawn and written."""

    style: Style = PRINT
    language: str = "en"

    @property
    def words(self) -> PageWords:
        """The words of the page."""
        return PageWords(self.language)


class PageSheet(Sheet):
    """A sheet whose title and reason stand on the page; legend and notes stay with the drawing."""

    def caption(self, title: str, reason: str) -> None:
        """Leaves title and reason out: they stand in the text of the page."""


def figures_for_page(scene: Scene, judged: Judged, renderer: Renderer, writing: PageWriting) -> list[tuple[str, str]]:
    """The caption of each figure of a check, whose verdict has kept its observation, and its SVG as a page holds it.

    Raises RequestError if matplotlib is not installed.
    """
    drawn = []
    with settings():
        for figure in figures_of(scene, judged.check, judged.verdict, renderer):
            drawing, _ = _drawing(figure, writing)
            drawn.append((_caption(figure, writing), drawing))
    return drawn


def overview_for_page(scene: Scene, writing: PageWriting) -> list[tuple[str, str]]:
    """The caption of the figure of a whole scene, and its SVG; nothing where the game draws none."""
    figure = drawing_of(scene.rules).overview(scene)
    if figure is None:
        return []
    with settings():
        return [(_caption(figure, writing), _drawing(figure, writing)[0])]


def _caption(figure: Figure, writing: PageWriting) -> str:
    return writing.words.of_game(figure.caption or FIGURES.get(figure.name, figure.name))


def _drawing(figure: Figure, writing: PageWriting) -> tuple[str, Sheet]:
    # On a phone 390 pixels wide small letters are 9 pixels high in a figure of a column, half as high in one of two.
    sheet = PageSheet(min(figure.width, COLUMN), writing.style, language=writing.language)
    figure.draw(sheet)
    return svg(sheet.finish(), FigureDescription(figure.name).printable(), writing), sheet


def webp(picture: Image.Image) -> tuple[str, bytes]:
    """A picture with a small loss, as WebP; as JPEG, half as large again, where Pillow cannot write that."""
    if not features.check("webp"):
        return jpeg(picture, WEB_JPEG_QUALITY)
    opaque, stream = picture.getextrema()[-1] == (255, 255), BytesIO()
    picture.convert("RGB" if opaque else "RGBA").save(stream, "WEBP", quality=WEB_JPEG_QUALITY, method=METHOD)
    return "webp", stream.getvalue()


def on_page(cache: Cache, style: Style = PRINT, language: str = "en") -> PageWriting:
    """How figures of a page are written: pictures with a small loss, paths to a hundredth of a point, one type."""
    return PageWriting(
        text=True, decimals=2, signs=FIGURE_CHARACTERS, encode=webp, cache=cache, style=style, language=language
    )


# ---- the table in 3D

About = Sequence[dict[str, str]]


def about_checks(judged: Sequence[Judged], words: PageWords) -> list[dict[str, str]]:
    """The values for the viewer's sentences, one dictionary for each check."""
    about = []
    for ruling in judged:
        name = ruling.check.attacker
        label, sentence = (
            words.phrase("From behind {name}", name=name),
            words.phrase("Seen from behind {name}.", name=name),
        )
        if ruling.verdict.measurement is not None:
            label = words.phrase("From {name}'s eye", name=name)
            sentence = words.phrase("Seen from {name}'s eye.", name=name)
        about.append(
            {
                "who": words.pair(ruling.check),
                "verdict": words.ruling(ruling.verdict),
                "eyeLabel": label,
                "eyeTold": sentence,
            }
        )
    return about


def see_button(view: int | None, who: str, words: PageWords) -> Markup:
    """The button next to a check that shows it in 3D; empty where the check has no view."""
    if view is None:
        return Markup()
    unseen = element("span", f": {who}", class_="unseen")
    button = element("button", words.phrase("See this in 3D"), unseen, type="button", data_view=view, hidden=True)
    return element("p", button, class_="screen")


def view_section(stage: Stage | None, about: About, words: PageWords, playable: bool = False) -> Markup:
    """The section with the view; without a stage a sentence in its place. The values are from `about_checks`."""
    heading = element("h2", words.phrase("The table in 3D"), id="view-title")
    if stage is None:
        sentence = element("p", words.phrase("This scene is only shown in its figures."))
        return element("section", heading, sentence, id="view", aria_labelledby="view-title")
    needed = words.phrase(
        "The 3D view needs JavaScript and WebGL. Verdicts, reasons and figures are complete without it."
    )
    missing = element("p", needed, id="view-missing", class_="note")
    remarks = [element("p", words.of_game(sentence), class_="small") for sentence in stage.remarks]
    canvas = element(
        "canvas",
        id="view-canvas",
        tabindex=0,
        role="application",
        aria_label=words.phrase("The table. Tab goes from piece to piece, arrow keys move the one that is selected.")
        if playable
        else words.phrase("The table in 3D. Arrow keys turn it, plus and minus come nearer and go farther."),
        aria_describedby="play-keys" if playable else "view-keys",
    )
    labels = element("div", id="view-labels", aria_hidden="true")
    # Where pieces are moved, what keys do is listed.
    help_texts = " ".join(words.phrase(text) for text in ([] if playable else [STAGE_KEYS]) + [STAGE_HELP])
    view = element(
        "div",
        element("div", canvas, labels, class_="view-frame"),
        _panel(stage, about, words),
        play_controls(words) if playable else "",
        element("p", id="view-told", role="status", aria_live="polite"),
        element("p", help_texts, id="view-keys", class_="small screen"),
        _legend(stage, words),
        id="view-shown",
        hidden=True,
    )
    return element("section", heading, missing, view, *remarks, id="view", aria_labelledby="view-title")


def _panel(stage: Stage, about: About, words: PageWords) -> Markup:
    options = [
        element("option", f"{sight.check + 1}. {about[sight.check]['who']}", value=number)
        for number, sight in enumerate(stage.sights)
    ]
    label = element("label", words.phrase("Coloured for check"), for_="view-check")
    choice = joined(label, element("select", options, id="view-check"))
    return element(
        "div",
        element("p", choice, class_="choice") if options else "",
        _buttons(bool(options), any(shape.colours is not None for shape in stage.shapes), words),
        _boxes(stage, words),
        class_="view-panel screen",
    )


def play_controls(words: PageWords) -> Markup:
    """What moves the pieces of a page that judges, and what it says; hidden until its judge runs."""
    moves = (
        ("left", "←", words.phrase("Left")),
        ("right", "→", words.phrase("Right")),
        ("away", "↑", words.phrase("Away")),
        ("near", "↓", words.phrase("Near")),
        ("anticlockwise", "⟲", words.phrase("Turn left")),
        ("clockwise", "⟳", words.phrase("Turn right")),
        ("up", "⤒", words.phrase("Raise")),
        ("down", "⤓", words.phrase("Lower")),
    )
    chosen = (
        ("attacker", words.phrase("Who looks")),
        ("target", words.phrase("At whom")),
        ("piece", words.phrase("Moves")),
    )
    choices = [
        element("p", element("label", label, for_=f"play-{key}"), element("select", id=f"play-{key}"), class_="choice")
        for key, label in chosen
    ]
    buttons = [
        element("button", sign, type="button", id=f"play-{key}", aria_label=label, title=label, class_="square")
        for key, sign, label in moves
    ]
    turns = words.phrase("Dragging turns")
    others = element("button", words.phrase("Copy the command"), type="button", id="play-copy")
    return element(
        "div",
        element("h3", words.phrase("Move the figures, and see who sees whom")),
        choices,
        element("p", id="play-answer", role="status", aria_live="polite"),
        element("div", buttons, class_="buttons", role="group", aria_label=words.phrase("Move a piece")),
        element(
            "div",
            element("button", turns, type="button", id="play-turns", aria_pressed="false"),
            element("button", words.phrase("Back to the scene"), type="button", id="play-back"),
            others,
            class_="buttons",
        ),
        element("p", element("code", id="play-command", hidden=True)),
        element("ul", id="play-others", class_="plain", aria_label=words.phrase("What it sees of the others")),
        element("ul", id="play-legend", class_="colours"),
        element(
            "details",
            element("summary", words.phrase("Keys and gestures")),
            element("dl", id="play-keys", class_="keys"),
            hidden=True,
        ),
        element("p", words.phrase(PLAY_HELP), class_="small"),
        id="play",
        class_="screen",
        hidden=True,
    )


def _buttons(any_sight: bool, any_colours: bool, words: PageWords) -> Markup:
    """The buttons to look from elsewhere; where pieces have colours of their own, one that takes these away."""
    eye = element(
        "button",
        words.phrase(FIGURES["eye"]),
        type="button",
        id="view-eye",
        aria_pressed="false",
        disabled=not any_sight,
    )
    whole = element("button", words.phrase("Whole table"), type="button", id="view-table")
    above = element("button", words.phrase("From above"), type="button", id="view-above")
    pair = [
        element("button", sign, type="button", id=f"view-{key}", aria_label=label, class_="square")
        for key, sign, label in (("nearer", "+", words.phrase("Nearer")), ("farther", "−", words.phrase("Farther")))
    ]
    own = element("button", words.phrase("Own colours"), type="button", id="view-own", aria_pressed="true")
    return element(
        "div",
        eye,
        whole,
        above,
        element("span", pair, class_="pair"),
        own if any_colours else "",
        class_="buttons",
        role="group",
        aria_label=words.phrase("Where to look from"),
    )


def _boxes(stage: Stage, words: PageWords) -> Markup:
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
    button = element("button", words.phrase("Show all"), type="button", id="view-all")
    # Folded away: there may be dozens, which on a phone would stand between the view and the verdicts.
    legend = element("legend", words.phrase("Pieces shown"), class_="unseen")
    fieldset = element("fieldset", legend, element("ul", boxes), button)
    summary = element("summary", words.phrase("Pieces shown: {count}", count=len(boxes)))
    return element("details", summary, fieldset, id="view-pieces")


def _kinds_of(sight: StageCheck) -> set[str]:
    kinds = {"seen", "obscured"} if sight.measured else {"seen" if sight.free else "obscured"}
    kinds |= {"outside"} if sight.arcs is not None else set()
    return kinds | ({"blocker"} if sight.blockers else set())


def _legend(stage: Stage, words: PageWords) -> Markup:
    measured = any(sight.measured for sight in stage.sights)
    used = set[str]().union(*(_kinds_of(sight) for sight in stage.sights))
    used |= {"ghost" for shape in stage.shapes if shape.ghosts}
    shown = [(kind, text) for kind, text in (EYE_VIEW_LEGEND if measured else LEGEND_PLAIN) if kind in used]
    entries = [
        element("li", element("span", class_=f"swatch {kind}", aria_hidden="true"), words.phrase(text))
        for kind, text in shown
    ]
    return element("ul", entries, class_="colours") if entries else Markup()


# ---- the map


def map_section(drawn: Map, figures: Figures, writing: PageWriting) -> tuple[Markup, dict[str, Any]]:
    """The section of a map, and what its script needs.

    Raises RequestError if the game draws no table, or matplotlib is not installed.
    """
    figure = map_figure(drawn)
    with settings():
        picture, sheet = _drawing(figure, writing)
    words, move, others = writing.words, drawn.request.move, ", ".join(drawn.others)
    title = words.phrase("{name} at each place, seen by {others}", name=move, others=others)
    if drawn.request.role == "attacker":
        title = words.phrase("{name} at each place, looking at {others}", name=move, others=others)
    mark = element("div", id="map-mark", hidden=True)
    shown = element("div", figures.add(picture, title, title), mark, id="map-shown", role="group", aria_label=title)
    answer = element("p", id="map-told", role="status", aria_live="polite", class_="screen")
    section = element(
        "section",
        element("h2", words.phrase("Where {name} could stand", name=move), id="map-title"),
        shown,
        answer,
        _nearest(drawn, words),
        id="map-section",
        aria_labelledby="map-title",
    )
    return section, _data(drawn, sheet.data, words)


def _nearest(drawn: Map, words: PageWords) -> Markup:
    if not drawn.nearest:
        return Markup()
    units = drawn.scene.unit_of_places if isinstance(drawn.scene, TableScene) else "mm"
    rows = [
        (
            words.of(drawn.scene.rules).verdict(verdict),
            words.number(f'{mm / INCH:.1f}"'),
            words.of_game(with_unit(drawn.cells.at[number], units)),
        )
        for verdict, (number, mm) in drawn.nearest.items()
    ]
    caption = words.phrase("The nearest places at least so well covered from all, from where it stands")
    headings = [words.phrase("cover"), words.phrase("away"), words.phrase("at")]
    return joined(table(caption, headings, rows, class_="narrow"))


def _data(drawn: Map, data: dict[str, Any], words: PageWords) -> dict[str, Any]:
    """What the script needs: each place as its numbers, its verdicts, its shares in per cent, and what is doubtful."""
    first = next(iter(drawn.nearest.values()), (int(np.argmax(drawn.cells.stands)), 0.0))[0]
    texts = {key: words.phrase(text) for key, text in MAP.items()}
    texts |= {"count": texts["sees" if drawn.request.role == "attacker" else "seen"], "point": words.number("0.0")[1]}
    return {
        "table": data["frame"]["table"],
        "mm": data["frame"].get("mm", 1.0),
        **data["map"],
        "verdicts": [words.of(drawn.scene.rules).verdict(verdict) for verdict in drawn.verdicts],
        "others": list(drawn.others),
        "first": drawn.index[first].tolist(),
        "words": texts,
        "cells": [_cell(drawn, number) for number in range(len(drawn.index))],
    }


def _cell(drawn: Map, number: int) -> list[Any]:
    """A place for the script; of one at which the model does not stand, its numbers alone."""
    index: list[Any] = drawn.index[number].tolist()
    if not drawn.cells.stands[number]:
        return index
    percents = np.round(100.0 * drawn.cells.occluded[number])
    shares = [None if np.isnan(percent) or percent in (0.0, 100.0) else int(percent) for percent in percents.tolist()]
    doubts = drawn.cells.marginal[number].astype(int).tolist()
    return [*index, int(drawn.marginal[number]), drawn.cells.verdict[number].tolist(), shares, doubts]
