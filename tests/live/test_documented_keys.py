"""The keys of the live table are told alike where they are told: on the page, in its README and in the tutorial."""

from __future__ import annotations

import re

from silhouette.pages.tutorial.parts import texts
from tests.conftest import PROJECT

LIVE = PROJECT / "silhouette/live"
NAMES = {"delete": "del", "\u2212": "-"}


def known(words: list[str]) -> set[str]:
    """Keys by one name each; what is no key is left out."""
    keys = {NAMES.get(word.lower(), word.lower()) for word in words}
    return {
        key for key in keys if len(key) == 1 or key in {"del", "esc", "tab", "page up", "page down", "ctrl", "enter"}
    }


def keys_of_the_page() -> set[str]:
    return known(re.findall(r"<kbd>(.*?)</kbd>", (LIVE / "page/index.html").read_text(encoding="utf-8")))


def test_the_page_tells_of_every_letter_that_does_something() -> None:
    script = (LIVE / "page/keys.js").read_text(encoding="utf-8")
    letters = set(re.findall(r"^\s+(?:\.\.\.\(control && \{ )?([a-z]): \(\) =>", script, flags=re.MULTILINE))
    assert {"m", "s", "d", "x"} <= letters
    assert letters == {key for key in keys_of_the_page() if key.isalpha() and len(key) == 1}


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
