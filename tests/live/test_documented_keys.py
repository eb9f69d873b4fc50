"""The help on pages, the live table's README and the tutorial document the same keys."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

from silhouette.pages.html.page import asset
from silhouette.pages.tutorial.parts import texts
from tests.conftest import PROJECT

LIVE = PROJECT / "silhouette/live"
PLAY = PROJECT / "silhouette/pages/viewer/source/play.js"
NAMES = {"delete": "del", "escape": "esc", "\u2212": "-", "comma": ",", "full stop": "."}
ROWS: list[dict[str, Any]] = json.loads(asset("keys.json"))
SAME_AS = {"=": "+", "arrowleft": "arrows", "arrowright": "arrows", "arrowup": "arrows", "arrowdown": "arrows"}
"""Keys that the help lists under the name of another key."""


def known(words: list[str]) -> set[str]:
    """Keys by one name each; what is no key is left out."""
    keys = {NAMES.get(word.lower(), word.lower()) for word in words}
    return {
        key for key in keys if len(key) == 1 or key in {"del", "esc", "tab", "page up", "page down", "ctrl", "enter"}
    }


def marked(row: dict[str, Any]) -> list[str]:
    """The keys that a row tells of."""
    return re.findall(r"`(.*?)`", f"{row['shown']} {row['words']}")


def keys_of_the_page() -> set[str]:
    return known([*chain.from_iterable(map(marked, ROWS))])


def test_every_key_does_one_thing_and_its_row_tells_of_it() -> None:
    pressed = [key for row in ROWS for key in row.get("keys", ())]
    assert len(pressed) == len(set(pressed))
    assert {"m", "Ctrl+s", "Ctrl+d", "x", "["} <= set(pressed)
    for row in ROWS:
        words = {NAMES.get(word.lower(), word.lower()) for word in marked(row)} | {row["shown"].lower()}
        for combination in row.get("keys", ()):
            key = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", combination.split("+")[-1] or "+").lower()
            key = NAMES.get(key, key)
            assert {key, SAME_AS.get(key.replace(" ", ""), key)} & words, (combination, row)


def acts(script: str) -> set[str]:
    return set(re.findall(r"^\s+([a-z][A-Za-z]+): (?:\(|ofPiece|undone)", script, flags=re.MULTILINE))


def test_both_pages_do_what_the_keys_are_said_to_do() -> None:
    """The acts of a view, which they have in common, are those of the viewer's module."""
    of_view = acts((PLAY.parent / "keys.js").read_text(encoding="utf-8"))
    ways = {"left", "right", "away", "near"}
    live = acts((LIVE / "page/keys.js").read_text(encoding="utf-8")) | of_view | ways | {"undo", "redo", "save"}
    report = acts((PLAY.parent / "report.js").read_text(encoding="utf-8"))
    report |= acts(PLAY.read_text(encoding="utf-8")) | of_view | ways
    for row in ROWS:
        named = set(row.get("keys", {}).values())
        assert named <= live, row
        assert not (named & report if "only" in row else named - report), row


def test_the_readme_tells_of_the_keys_of_the_page() -> None:
    section = (
        (LIVE / "README.md").read_text(encoding="utf-8").partition("## Keys and gestures")[2].partition("\n## ")[0]
    )
    cells = re.findall(r"^\| (.+?) \|", section, flags=re.MULTILINE)
    words = re.split(r"[,;] | \+ |`", " ; ".join(cells))
    assert keys_of_the_page() - known([word.strip() for word in words]) == set()


def test_the_tutorial_tells_of_the_keys_of_the_page() -> None:
    (page,) = (page for page in texts().page if page.name == "live-table")
    told = " ; ".join(f"{keys} ; {does}" for part in page.part for keys, does in part.gestures)
    words = re.split(r"[,;] | \+ | and | to | the |or ", told)
    assert keys_of_the_page() - known([word.strip() for word in words]) == set()
