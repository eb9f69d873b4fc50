"""TELL: the basis of verdicts: version, renderer, pixel size, readings, and all pieces on the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from silhouette.judging import Judged
from silhouette.pages.html.markup import Content, Markup, element, joined
from silhouette.pages.html.skeleton import table
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasDescription
from silhouette.rules.fields import PIXEL, RENDERER

Facts = list[tuple[str, Content]]


def facts_about(scene: Any, judged: Sequence[Judged], version: str) -> Facts:
    """The facts that hold for all verdicts of a scene: the name and the content of each."""
    verdicts, rule = [result.verdict for result in judged], rule_called(scene.rules)
    facts: Facts = [("Silhouette", version), ("rules", scene.rules_as_written), ("scene file", scene.path.name)]
    measured = [row for row in (verdict.row() for verdict in verdicts) if RENDERER.key in row and PIXEL.key in row]
    if measured:
        facts.append(("renderer", ", ".join(dict.fromkeys(row[RENDERER.key] for row in measured))))
        pixels = dict.fromkeys(f"{row[PIXEL.key]:.3g}" for row in measured)
        facts.append(("fineness", f"{' and '.join(pixels)} mm per pixel at the target"))
        if any(verdict.measurement and verdict.measurement.projection == "cube" for verdict in verdicts):
            facts.append(
                ("projection", "six faces of a cube round the eye, where a target reaches round it; else flat")
            )
    elif verdicts:
        facts.append(("measured", rule.unmeasured))
    if isinstance(rule, HasDescription):
        facts += rule.basis(scene)
    readings = [f"{key.replace('_', ' ')}: {_reading(value)}" for key, value in scene.readings]
    if readings:
        facts.append(("readings", element("ul", [element("li", reading) for reading in readings], class_="plain")))
    return facts


def pieces_table(scene: Any) -> Markup:
    """The pieces of a scene as a table; empty where there are none."""
    rule = rule_called(scene.rules)
    pieces = rule.pieces(scene) if isinstance(rule, HasDescription) else None
    if pieces is None or not pieces.rows:
        return Markup()
    rows = [
        [
            element("code", text) if heading in pieces.code else text
            for heading, text in zip(pieces.headings, row, strict=True)
        ]
        for row in pieces.rows
    ]
    return table(pieces.caption, pieces.headings, rows, class_="wide")


def _reading(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def listed(facts: Facts) -> Markup:
    """The facts as a definition list of names and contents."""
    return element(
        "dl", joined(*(joined(element("dt", name), element("dd", content)) for name, content in facts)), class_="facts"
    )
