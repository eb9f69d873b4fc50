"""The command line, house rulings: ``silhouette agree``, which writes into a scene what its players agreed on."""

from __future__ import annotations

from typing import Any

from silhouette.cli.commands import AgreeOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.scene_job import cache_of
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean
from silhouette.files.documents import read_document, read_text
from silhouette.files.writing import write_file
from silhouette.judging import Selection, load_scene
from silhouette.live.rewriting import rewritten
from silhouette.rules import rule_called
from silhouette.scenes.scene import Check

AGREED_KEY = "agreed"  # of the tables in a scene file


def agree(given: AgreeOptions) -> int:
    """Writes an agreement into the scene file, in place of an earlier one on the same check, or takes it out."""
    if given.attacker is None or given.target is None:
        raise RequestError("who agreed on whom? say --from NAME and --to NAME")
    if (given.words is None) != given.withdraw:
        raise RequestError('say what was agreed, such as "open: we saw it", or --withdraw, and not both')
    with Waiting(f"reading {given.scene}", quiet=given.quiet):
        scene = load_scene(given.scene, cache=cache_of(given))
    (check,) = Selection(given.attacker, given.target, given.arc).checks(scene)
    document, text = read_document(given.scene), read_text(given.scene, with_mark=True)
    before = [entry for entry in document.get(AGREED_KEY, []) if _is_about(entry, check)]
    others = [entry for entry in document.get(AGREED_KEY, []) if entry not in before]
    if given.withdraw and not before:
        raise RequestError(f"{given.scene}: nothing is agreed on {check.label}")
    entry = None if given.words is None else _entry(scene.rules, check, given.words)
    changed = {key: value for key, value in document.items() if key != AGREED_KEY}
    changed |= {AGREED_KEY: [*others, *([] if entry is None else [entry])]} if others or entry else {}
    write_file(given.scene, rewritten(given.scene, text, changed))
    lines = [f"{check.label}: the players agreed: {_in_words(entry)}"] if entry else [f"{check.label}: nothing agreed"]
    lines += [f"before, they agreed: {_in_words(earlier)}" for earlier in before]
    show_result({"scene": str(given.scene), "agreed": entry, "before": before}, *lines, as_json=given.as_json)
    return ExitStatus.OK


def _is_about(entry: dict[str, Any], check: Check) -> bool:
    return (entry["attacker"], entry["target"], entry.get("arc")) == (check.attacker, check.target, check.arc)


def _entry(rules: str, check: Check, words: str) -> dict[str, Any]:
    """The table of an agreement that a player writes as "VERDICT: why"; the verdict must be one of the game."""
    verdict, _, why = (part.strip() for part in words.partition(":"))
    levels = rule_called(rules).levels
    if verdict not in levels:
        raise RequestError(f"no verdict is '{verdict}'; {did_you_mean(verdict, levels)}")
    keys = {"attacker": check.attacker, "target": check.target, "arc": check.arc, "verdict": verdict, "why": why}
    return {key: value for key, value in keys.items() if value}


def _in_words(entry: dict[str, Any]) -> str:
    why = entry.get("why")
    return f"{entry['verdict']} ({why})" if why else str(entry["verdict"])
