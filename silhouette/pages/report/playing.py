"""TELL: what a report carries whose pieces can be moved, for the judge that runs in it."""

from __future__ import annotations

from typing import Any

from silhouette.common.errors import RequestError
from silhouette.common.text import in_a_row
from silhouette.drawing.in_3d.stage import Packing, Stage, packed
from silhouette.files.documents import read_document
from silhouette.pages.report.sections import About, viewer_texts
from silhouette.pages.report.words import PageWords
from silhouette.rules import RULES, rule_called
from silhouette.rules.abilities import HasPlay
from silhouette.scenes.scene import Scene
from silhouette.scenes.table import TableScene, unit_in


def check_playable(scene: Scene) -> None:
    """Refuses, before anything is judged, a game that a page cannot judge: RequestError that says which it can."""
    if not isinstance(rule_called(scene.rules), HasPlay):
        able = [name for name in RULES if isinstance(rule_called(name), HasPlay)]
        raise RequestError(f"--playable: a page judges {in_a_row(able)} alone, and {scene.path.name} is {scene.rules}")


def play_of_page(scene: TableScene) -> dict[str, Any]:
    """What the judge of a page must know; also how exposed a verdict leaves a target, the unit and the file's name."""
    rule = rule_called(scene.rules)
    assert isinstance(rule, HasPlay)
    document = read_document(scene.path)
    standing_on = {
        entry["name"]
        for table in ("terrain", "fighter", "vehicle")
        for entry in document.get(table, ())
        if entry.get("on") is not None
    }
    play = rule.play(scene)
    for piece, entry in zip(scene.pieces, play["pieces"], strict=True):
        entry["stands"] = piece.name in standing_on
    levels = {verdict: str(level) for verdict, level in rule.levels.items()}
    return {**play, "levels": levels, "unit": unit_in(document), "scene": scene.path.name}


def played_document(
    scene: TableScene, stage: Stage, about: About, words: PageWords, packing: Packing = packed
) -> dict[str, Any]:
    """Everything for the viewer of a stage with whole meshes, and for the judge; ``about`` from `about_checks`."""
    texts = viewer_texts(words)
    texts["play"] |= verdict_texts(scene, words)
    return {**stage.document(texts, about, packing), "play": play_of_page(scene)}


def verdict_texts(scene: Scene, words: PageWords) -> dict[str, str]:
    """The verdicts of a scene's game, by their names, in the language of a page."""
    of_game = words.of(scene.rules)
    return {verdict: of_game.verdict(verdict) for verdict in rule_called(scene.rules).levels}
