"""TELL: a visitor's own meshes on the site: files from his disk become figures and terrain of a table.

They stand on a table of their own, on the page that `own_page` makes, or among the pieces of an example table.

What runs in it is ``pages/viewer/source/own*.js``. It sizes and stands pieces by what he says of them, as a scene file
says it. Where he leaves it out, it finds a base that is plain, and the eye, as `silhouette.models` does; what is not
plain it leaves to the desk.
"""

from __future__ import annotations

from typing import Any

from silhouette.drawing.in_3d.stage import Stage, StageCheck
from silhouette.models.eyes import EYE_WEIGHTS
from silhouette.pages.html.page import Markup, asset, element, joined
from silhouette.pages.report.playing import play_of_page, verdict_texts
from silhouette.pages.report.sections import view_section, viewer_texts
from silhouette.pages.report.words import PageWords
from silhouette.pages.site.frame import OWN_PAGE, VIEWER_SCRIPT, SitePage, viewer_licence
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
    "damaged": "the file is damaged",
    "desk": "Ask the desk: silhouette inspect FILE says more",
    "taken": "Unzip it: silhouette check scene.toml judges it.",
    "title": "A table of my own meshes",
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
    "asked": "{who}: ask the desk, since {why}. Take the scene away, and silhouette check judges it.",
}
"""What it says otherwise than a report whose pieces can be moved."""


def head_weights() -> dict[str, Any]:
    """The weights by which the page estimates eyes, those of `EYE_WEIGHTS`: ready for JSON."""
    weights, none = EYE_WEIGHTS
    return {"weights": weights.tolist(), "none": none}


def own_page(scene: TableScene) -> SitePage:
    """The page; ``scene`` is any of the game by which it judges: its tolerance and its readings are taken."""
    words = PageWords()
    texts = viewer_texts(words)
    texts["play"] |= {**verdict_texts(scene, words), **OWN_PLAY_TEXTS}
    play: dict[str, Any] = {**play_of_page(scene), "pieces": [], "contacts": None, "asks": None}
    empty = Stage((), (), (StageCheck(0, None, None, measured=True),), ())
    content = [
        element("h1", OWN_TITLE),
        element("p", OWN_LEAD, id="own-alone"),
        *_choosing(),
        view_section(empty, [{"who": ""}], words, playable=True),
    ]
    data = {
        "stage": {"words": texts},
        "own": {"words": texts, "play": play, "rules": scene.rules, "own": OWN_TEXTS, "heads": head_weights()},
        "judge": asset("judge.min.js"),
    }
    scripts = (VIEWER_SCRIPT, OWN_SCRIPT)
    return SitePage(OWN_PAGE, OWN_TITLE, OWN_LEAD, joined(content), scripts, data, viewer_licence())


def own_on_table(scene: TableScene, source: str) -> tuple[Markup, dict[str, Any]]:
    """The section of an example table's page for a visitor's meshes, and its data; ``source`` is the scene's file."""
    heading = element("summary", OWN_ON_TABLE_TITLE)
    section = element(
        "details", heading, element("p", OWN_ON_TABLE_LEAD), *_choosing(), id="own-on-table", class_="screen"
    )
    own = {"own": OWN_TEXTS_ON_TABLE, "play": OWN_PLAY_TEXTS_ON_TABLE, "heads": head_weights(), "source": source}
    return section, {"own": own}


def _choosing() -> list[Markup]:
    """What chooses mesh files, lists what became of them, and takes them away."""
    files = element(
        "p",
        element("label", "Mesh files", for_="own-files"),
        element("input", type="file", id="own-files", multiple=True, accept=".stl,.obj,.glb,.3mf"),
        class_="choice",
    )
    return [
        files,
        element("p", id="own-told", role="status", aria_live="polite"),
        element("div", id="own-pieces"),
        element("p", OWN_HELP, class_="small"),
        element("p", element("button", OWN_TAKE, type="button", id="own-take", disabled=True)),
    ]
