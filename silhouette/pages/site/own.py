"""TELL: a visitor's own meshes on the site: files from his disk become figures and terrain of a table.

They stand on a table of their own, on the page that `own_page` makes, or among the pieces of an example table.

What runs in it is ``pages/viewer/source/own*.js``. It sizes and stands pieces by what he says of them, as a scene file
says it. Where he leaves it out, it finds a base that is plain, and the eye, as `silhouette.models` does; what is not
plain it leaves to the desk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from silhouette.drawing.in_3d.stage import Stage, StageCheck
from silhouette.judging.calls import CALL_WORDS
from silhouette.models.eyes import EYE_WEIGHTS
from silhouette.pages.html.page import Markup, asset, element, joined
from silhouette.pages.report.playing import play_of_page, verdict_texts
from silhouette.pages.report.sections import view_section, viewer_texts
from silhouette.pages.report.words import PageWords
from silhouette.pages.site.frame import JUDGE_SCRIPT, OWN_PAGE, VIEWER_SCRIPT, SitePage, viewer_licence
from silhouette.scenes.table import TableScene

OWN_SCRIPT = "own.min.js"

OWN_TITLE = "Your own meshes"
OWN_LEAD = (
    "Drop mesh files anywhere on this page, or choose them: STL, OBJ, GLB or 3MF. The first two become figures, the "
    "others terrain. They stay on this device."
)
OWN_HELP = (
    "Lengths are mm. A base is all below its height, and counts as nobody's target; left out, it is found where it is "
    "plain. An eye is taken to be over the middle of the base, at the height that you give; left out, it is estimated "
    "from the shape. Where a base is not plain, or where else the eye may be matters, the page says to ask the desk."
)
OWN_TAKE = "Take the scene and the meshes away"

OWN_ON_TABLE_TITLE = "A figure of your own on this table"
OWN_ON_TABLE_LEAD = (
    "Drop mesh files anywhere on this page, or choose them: STL, OBJ, GLB or 3MF. They come to stand near the edge of "
    "the table, and stay on this device."
)

OWN_TEXTS = {
    "name": "Name",
    "kind": "It is",
    "figure": "a figure",
    "terrain": "terrain",
    "units": "Its units",
    "up": "Axis up",
    "gang": "Gang",
    "base": "Base",
    "unclear": "not plain",
    "found": "found: {height} mm",
    "estimated": "estimated",
    "none": "none in the mesh",
    "given": "all below a height",
    "height": "Height of the base",
    "diameter": "Its diameter",
    "eyeHeight": "Height of the eye",
    "x": "To the right of the middle",
    "y": "Behind the middle",
    "turn": "Turned by degrees",
    "remove": "Remove",
    "reading": "Reading, and looking for bases and eyes …",
    "added": "Files that were read: {count}.",
    "refused": "{name}: {why}.",
    "mended": "{name}: {why}: {mend}.",
    "damaged": "the file is damaged",
    "desk": "Ask the desk: silhouette inspect FILE says more.",
    "taken": "Unzip it: silhouette check scene.toml judges it.",
    "title": "A table of my own meshes",
    "piece": "piece",
    "gangNumber": "gang {number}",
    "eyeLabel": "From {name}'s eye",
    "eyeTold": "Seen from {name}'s eye.",
}
"""What the page says of the visitor's meshes."""

OWN_TEXTS_ON_TABLE = OWN_TEXTS | {
    "taken": "Unzip it in the folder of the example scenes, whose models it needs. The command that you can copy "
    "below the table has what you moved.",
}
"""The same on a page that shows an example table."""

OWN_PLAY_TEXTS_ON_TABLE = {
    "why base": "a base is not plain, and not given",
    "estimated eye": "The attacker's eye is estimated from its shape.",
    "doubtful eye": "The attacker's eye is estimated from its shape, and doubtful: give its height, or ask the desk.",
}
"""What the view says of a visitor's pieces, by the names of `viewer_texts`."""

OWN_PLAY_TEXTS = OWN_PLAY_TEXTS_ON_TABLE | {
    "asked": f"{{who}}: {CALL_WORDS['ask']}, since {{why}}. Take the scene away, and silhouette check judges it.",
}
"""What it says otherwise than a report whose pieces can be moved."""


def head_weights() -> dict[str, Any]:
    """The weights by which the page estimates eyes, those of `EYE_WEIGHTS`: ready for JSON."""
    weights, none = EYE_WEIGHTS
    return {"weights": weights.tolist(), "none": none}


def own_page(scene: TableScene, words: PageWords) -> SitePage:
    """The page; ``scene`` is any of the game by which it judges: its tolerance and its readings are taken."""
    texts = viewer_texts(words)
    texts["play"] |= {**verdict_texts(scene, words), **_translated(OWN_PLAY_TEXTS, words)}
    play: dict[str, Any] = {**play_of_page(scene), "pieces": [], "contacts": None, "asks": None}
    empty = Stage((), (), (StageCheck(0, None, None, measured=True),), ())
    content = [
        element("h1", words.phrase(OWN_TITLE)),
        element("p", words.phrase(OWN_LEAD), id="own-alone"),
        *_choosing(words),
        view_section(empty, [{"who": ""}], words, playable=True),
    ]
    data = {
        "stage": {"words": texts},
        "own": {
            "words": texts,
            "play": play,
            "rules": scene.rules,
            "own": _own_texts(OWN_TEXTS, words),
            "heads": head_weights(),
        },
    }
    title, lead = words.phrase(OWN_TITLE), words.phrase(OWN_LEAD)
    scripts = (JUDGE_SCRIPT, VIEWER_SCRIPT, OWN_SCRIPT)
    return SitePage(OWN_PAGE, title, lead, joined(content), scripts, data, viewer_licence(words), words=words)


def own_on_table(scene: TableScene, source: str, words: PageWords) -> tuple[Markup, dict[str, Any]]:
    """The section of an example table's page for a visitor's meshes, and its data; ``source`` is the scene's file."""
    heading = element("summary", words.phrase(OWN_ON_TABLE_TITLE))
    lead = element("p", words.phrase(OWN_ON_TABLE_LEAD))
    section = element("details", heading, lead, *_choosing(words), id="own-on-table", class_="screen")
    texts = _own_texts(OWN_TEXTS_ON_TABLE, words)
    play = _translated(OWN_PLAY_TEXTS_ON_TABLE, words)
    return section, {"own": {"own": texts, "play": play, "heads": head_weights(), "source": source}}


def refusal_texts() -> list[str]:
    """What a page says of a mesh that it cannot use."""
    return [text for refusal in json.loads(asset("refusals.json")).values() for text in refusal.values()]


def _translated(texts: Mapping[str, str], words: PageWords) -> dict[str, str]:
    return {key: words.phrase(text) for key, text in texts.items()}


def _own_texts(texts: Mapping[str, str], words: PageWords) -> dict[str, Any]:
    """Texts in the language of a page, with those of `refusal_texts` by the English ones."""
    refusals = {} if words.foreign is None else {text: words.phrase(text) for text in refusal_texts()}
    return {**_translated(texts, words), "refusals": refusals}


def _choosing(words: PageWords) -> list[Markup]:
    """What chooses mesh files, lists what became of them, and takes them away."""
    files = element(
        "p",
        element("label", words.phrase("Mesh files"), for_="own-files"),
        element("input", type="file", id="own-files", multiple=True, accept=".stl,.obj,.glb,.3mf"),
        class_="choice",
    )
    return [
        files,
        element("p", id="own-told", role="status", aria_live="polite"),
        element("div", id="own-pieces"),
        element("p", words.phrase(OWN_HELP), class_="small"),
        element("p", element("button", words.phrase(OWN_TAKE), type="button", id="own-take", disabled=True)),
    ]
