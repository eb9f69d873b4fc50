"""TELL: the tables of the site: each example scene that a page can judge, to be played with.

A table has the view, the judge and the scripts of `silhouette report --playable`. Scripts and meshes lie in files that
the pages share, so that a page has only what is its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silhouette.common.text import json_text, sentence
from silhouette.drawing.in_3d.shapes import DisplayShape
from silhouette.drawing.in_3d.stage import packed_apart
from silhouette.files.documents import read_text
from silhouette.judging import Judged, JudgingOptions, Selection, content_with, judge_all, load_scene
from silhouette.judging.calls import CALL_WORDS
from silhouette.pages.html.page import Markup, asset, element, joined, plate, table
from silhouette.pages.report.page import scene_file_section, stage_of
from silhouette.pages.report.playing import played_document
from silhouette.pages.report.sections import about_checks, view_section
from silhouette.pages.report.words import PageWords
from silhouette.pages.site.frame import (
    MESHES_FOLDER,
    SITE_INDEX,
    SITE_NAME,
    TABLES_FOLDER,
    VIEWER_SCRIPT,
    SitePage,
    viewer_licence,
)
from silhouette.pages.site.own import OWN_SCRIPT, own_on_table
from silhouette.pages.tutorial.parts import TutorialRun
from silhouette.rules import RULES, rule_called
from silhouette.rules.abilities import HasPlay
from silhouette.scenes.table import TableScene

QUESTION = "Can he see me, and am I in cover?"
WELCOME = (
    "Drag a figure, and the page says what it sees of the others, and how much of them is obscured. It looks at the "
    "meshes themselves, from the eye of who looks, and answers what silhouette check would answer, or says that the "
    "command must be asked."
)
EVERY_TABLE = "All tables"

OFFLINE_TEXTS = {
    "some": "Tables and pages are on this device now, and open without a network. {left} pictures are not, unless you "
    "have seen them: all pictures take {size} MB.",
    "fetching": "{left} pictures to come.",
    "all": "All of this site is on this device now, and opens without a network.",
    "failed": "The network broke off: {left} pictures are missing.",
}
"""What a page says of itself without a network; what stands in braces its script fills in."""

MESH_DIGEST_BYTES = 8


@dataclass(frozen=True)
class SiteTable:
    """A table of the site: its scene, what was judged of it, the path of its page, and its file."""

    scene: TableScene
    judged: tuple[Judged, ...]
    path: str
    source: str

    @property
    def title(self) -> str:
        """What it is called."""
        return self.scene.title or self.scene.path.stem

    @property
    def facts(self) -> dict[str, Any]:
        """Its page, its scene and the results of its checks, ready for JSON."""
        return {"page": self.path, "scene": self.scene.path.name, "checks": [check.row() for check in self.judged]}


def scenes_to_play(scenes: Path) -> list[Path]:
    """The example scenes that a page can judge, in the folder of scenes: of each game first its own example."""
    files = list[Path]()
    for name in RULES:
        rule = rule_called(name)
        if isinstance(rule, HasPlay):
            first = scenes.joinpath(*Path(rule.example).parts[1:])
            files += [first, *sorted(file for file in first.parent.glob("*.toml") if file != first)]
    return files


def judged_tables(files: Sequence[Path], run: TutorialRun) -> Iterator[SiteTable]:
    """The tables of scenes, judged; the page of the first is the site's first page."""
    for number, file in enumerate(files):
        scene = content_with(load_scene(file, cache=run.cache), run.error)
        assert isinstance(scene, TableScene)
        options = JudgingOptions(run.renderer, pixel=run.pixel, keep=True)
        judged = judge_all([(scene, check) for check in Selection().checks(scene)], options)
        path = f"{TABLES_FOLDER}/{file.stem.replace('_', '-')}.html" if number else SITE_INDEX
        yield SiteTable(scene, tuple(judged), path, read_text(file))


def table_page(shown: SiteTable, tables: Mapping[str, str], run: TutorialRun, meshes: dict[str, str]) -> SitePage:
    """The page of a table.

    Args:
        tables: the title of each table, by the path of its page.
        meshes: gets the content of each file of a mesh that it needs, by its path.
    """
    words, scene, is_first = PageWords(), shown.scene, shown.path == SITE_INDEX
    stage = stage_of(scene, shown.judged, run.cache, playable=True)
    assert stage is not None
    scripts = list[str]()

    def packing(shapes: Sequence[DisplayShape]) -> tuple[list[dict[str, Any]], list[str]]:
        entries, texts = packed_apart(shapes)
        names = [hashlib.blake2b(text.encode(), digest_size=MESH_DIGEST_BYTES).hexdigest() for text in texts]
        for name, text in zip(names, texts, strict=True):
            scripts.append(f"{MESHES_FOLDER}/{name}.js")
            meshes[scripts[-1]] = f"(self.silhouetteMeshes ??= {{}})[{json_text(name)}] = {json_text(text)};\n"
        return entries, names

    about = about_checks(shown.judged, words)
    own, own_data = own_on_table(scene, shown.source)
    data: dict[str, Any] = {"stage": played_document(scene, stage, about, words, packing)}
    data |= {"judge": asset("judge.min.js"), **own_data}
    by_title = f"{rule_called(scene.rules).title} · {scene.path.name}"
    head = element("div", element("h1", shown.title), element("p", by_title, class_="small"))
    if is_first:
        welcome = joined(element("p", WELCOME), element("p", f"{shown.title} · {by_title}", class_="small"))
        head = element("div", element("h1", QUESTION), welcome)
        data["offline-words"] = OFFLINE_TEXTS
    content = [
        head,
        _choice(shown.path, tables),
        view_section(stage, about, words, playable=True),
        own,
        element("h2", "What silhouette check says"),
        _verdicts(shown.judged, words),
        scene_file_section(scene, shown.source, shown.judged, {}, words),
        _offline() if is_first else "",
    ]
    return SitePage(
        shown.path,
        SITE_NAME if is_first else shown.title,
        QUESTION if is_first else f"{shown.title}: a table to play with.",
        content,
        (*dict.fromkeys(scripts), OWN_SCRIPT, VIEWER_SCRIPT),
        data,
        viewer_licence(),
    )


def _choice(current: str, tables: Mapping[str, str]) -> Markup:
    """The links to all tables, folded away."""
    above = "../" * current.count("/")
    links = [
        element("a", title, href=f"{above}{path}", aria_current="page" if path == current else None)
        for path, title in tables.items()
    ]
    listed = element("ul", [element("li", link) for link in links])
    summary = element("summary", f"{EVERY_TABLE}: {len(tables)}")
    return element("nav", element("details", summary, listed), aria_label=EVERY_TABLE, class_="tables")


def _offline() -> Markup:
    """What opens without a network; hidden where the browser keeps nothing, as of pages from disk."""
    button = element("button", "Fetch all pictures too", type="button")
    words = element("p", role="status", aria_live="polite")
    heading = element("h2", "Without a network", id="offline-title")
    return element(
        "section", heading, words, button, id="offline", aria_labelledby="offline-title", class_="screen", hidden=True
    )


def _verdicts(judged: Sequence[Judged], words: PageWords) -> Markup:
    rows = [
        [
            words.pair(check.check),
            plate(check, words.phrase(CALL_WORDS["call"])),
            words.measured(check.verdict),
            sentence(check.reason),
        ]
        for check in judged
    ]
    return table("Each check of the scene, as it stands in its file.", ["check", "verdict", "obscured", "why"], rows)
