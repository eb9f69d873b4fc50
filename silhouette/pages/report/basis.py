"""TELL: what verdicts rest on: version, renderer, fineness, readings, and everything that stands on the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from silhouette.geometry import Floats
from silhouette.judging import Judged
from silhouette.models.model import BASE, INSIGNIFICANT
from silhouette.pages.html.markup import Content, Markup, element, joined
from silhouette.pages.html.skeleton import table
from silhouette.pages.report.words import word
from silhouette.rules.crisis_protocol.scene import PlanScene
from silhouette.rules.ikosa.scene import CellScene
from silhouette.rules.tide_of_iron.hexes import in_words
from silhouette.rules.tide_of_iron.scene import HexScene
from silhouette.scenes.table import Piece, TableScene

Facts = list[tuple[str, Content]]
Rows = tuple[Sequence[str], list[list[Content]]]


def facts_about(scene: Any, judged: Sequence[Judged], version: str) -> Facts:
    """What holds for all verdicts of a scene, a name and words each."""
    rows = [one.row() for one in judged]
    facts: Facts = [("Silhouette", version), ("rules", scene.rules), ("scene file", scene.path.name)]
    measured = [row for row in rows if "renderer" in row and "pixel" in row]
    if measured:
        facts.append(("renderer", ", ".join(dict.fromkeys(row["renderer"] for row in measured))))
        pixels = dict.fromkeys(f"{row['pixel']:.3g}" for row in measured)
        facts.append(("fineness", f"{' and '.join(pixels)} mm per pixel at the target, every pixel sampled"))
    else:
        facts.append(("measured", "nothing: this game is judged exactly, by its geometry"))
    if isinstance(scene, TableScene):
        facts.append(("tolerance", f"{100 * scene.tolerance:g} % on either side of a threshold is too close to call"))
    if isinstance(scene, PlanScene):
        told = f"range 1 is {scene.ranges.one:g}, range 2 is {scene.ranges.two:g} {scene.units}"
        facts.append(("ranges", told))
    if isinstance(scene, CellScene):
        facts.append(("mode", scene.mode))
    if isinstance(scene, HexScene):
        facts.append(("other hexes", f"{scene.default.terrain}, level {scene.default.elevation}"))
    readings = [f"{key.replace('_', ' ')}: {_reading(value)}" for key, value in scene.readings.items()]
    if readings:
        facts.append(("readings", element("ul", [element("li", one) for one in readings], class_="plain")))
    return facts


def pieces_table(scene: Any) -> Markup:
    """Everything that stands there, as a table; empty where there is nothing."""
    headings, rows = _pieces(scene)
    caption = word("pieces caption" if isinstance(scene, TableScene) else "pieces plain")
    return table(caption, headings, rows, class_="wide") if rows else Markup()


def _reading(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _pieces(scene: Any) -> Rows:
    if isinstance(scene, TableScene):
        return _table_rows(scene)
    if isinstance(scene, PlanScene):
        return _plan_rows(scene)
    if isinstance(scene, CellScene):
        return _cell_rows(scene)
    return _hex_rows(scene)


def _table_rows(scene: TableScene) -> Rows:
    headings = ("name", "kind", "stands at", "eye", "mesh", "counts", "hash")
    return headings, [[*_standing(piece), *_meshed(piece)] for piece in scene.pieces]


def _standing(piece: Piece) -> list[Content]:
    eye: Content = "" if piece.kind == "terrain" else f"{_point(piece.eye)}, {piece.eye_from}"
    turned = f"{_point(piece.pose.translation)}, facing {piece.facing % 360.0:g}°"
    kind = f"{piece.kind} of {piece.gang}" if piece.gang else piece.kind
    return [piece.name, kind, turned, eye]


def _meshed(piece: Piece) -> list[Content]:
    model = piece.model
    total, role = len(model.mesh.faces), model.role
    counts = [f"{total:,} triangles".replace(",", " ")]
    if model.kind != "terrain":
        for words, number in (
            ("base", int((role == BASE).sum())),
            ("insignificant", int((role == INSIGNIFICANT).sum())),
        ):
            if number:
                counts.append(f"{words} {number:,}".replace(",", " "))
    source = "solids of the scene" if model.format == "parts" else f"{model.source} ({model.format}, {model.units})"
    return [source, ", ".join(counts), element("code", model.mesh.digest)]


def _plan_rows(scene: PlanScene) -> Rows:
    headings = ("name", "kind", "size", "where")
    rows: list[list[Content]] = []
    for one in scene.characters:
        on = f", on {one.on}" if one.on else ""
        card = ", cover from a card" if one.granted_cover else ""
        base = f"base {2 * one.base.radius:g} {scene.units} at {_point(np.array(one.base.centre))}{on}{card}"
        rows.append([one.name, "character", str(one.size), base])
    for kind, features in (("terrain", scene.terrain), ("object", scene.objects)):
        for feature in features:
            corners = " ".join(_point(corner) for corner in feature.outline.corners)
            rows.append([feature.name, kind, str(feature.size), corners])
    return headings, rows


def _cell_rows(scene: CellScene) -> Rows:
    rows: list[list[Content]] = []
    for one in scene.creatures:
        cells = " ".join(f"[{', '.join(map(str, cell))}]" for cell in one.cells)
        gravity = f"{'+' if one.gravity.high else '-'}{'xyz'[one.gravity.axis]}"
        rows.append([one.name, "creature", cells, f"gravity {gravity}{', flying' if one.flying else ''}"])
    whole = len(scene.solid_cells)
    for number, (low, high) in enumerate(scene.solids.boxes, 1):
        name = "solid cell" if number <= whole else f"box {number - whole}"
        rows.append([name, "solid", f"{_point(low)} to {_point(high)}", ""])
    return ("name", "kind", "where", "how"), rows


def _hex_rows(scene: HexScene) -> Rows:
    rows: list[list[Content]] = [[name, "unit", in_words(address), ""] for name, address in scene.units.items()]
    kinds: dict[tuple[str, int], list[str]] = {}
    for address, ground in scene.described.items():
        kinds.setdefault((ground.terrain, ground.elevation), []).append(in_words(address))
    for (terrain, level), places in sorted(kinds.items()):
        rows.append([terrain, "hexes", " ".join(places), f"level {level}"])
    return ("name", "kind", "where", "how"), rows


def _point(values: Floats) -> str:
    """Coordinates in words, without needless zeros.

    >>> _point(np.array([0.0, 120.25, -3.0]))
    '[0, 120.2, -3]'
    """
    return f"[{', '.join(f'{round(float(value), 1) + 0.0:g}' for value in values)}]"


def listed(facts: Facts) -> Markup:
    """Facts as a list of names and words."""
    return element(
        "dl", joined(*(joined(element("dt", name), element("dd", told)) for name, told in facts)), class_="facts"
    )
