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

from silhouette.common.text import json_text
from silhouette.drawing.in_3d.shapes import DisplayShape
from silhouette.drawing.in_3d.stage import Stage, packed_apart
from silhouette.files.documents import read_text
from silhouette.judging import Judged, JudgingOptions, Selection, content_with, judge_all, load_scene
from silhouette.pages.html.page import Markup, element, joined, table
from silhouette.pages.report.page import reason_for, scene_file_section, stage_of, verdict_plate
from silhouette.pages.report.playing import played_document
from silhouette.pages.report.sections import about_checks, view_section
from silhouette.pages.report.words import PageWords
from silhouette.pages.site.frame import (
    JUDGE_SCRIPT,
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


@dataclass(frozen=True)
class PackedTable:
    """A table of the site that is ready for its pages: its stage, and what becomes of its meshes."""

    shown: SiteTable
    stage: Stage
    entries: list[dict[str, Any]]  # of its shapes, as `packed_apart` gives them
    names: list[str]  # of what is packed, one for each shape
    meshes: Mapping[str, str]  # what is packed, by its name

    @property
    def files(self) -> dict[str, str]:
        """The content of each file of a mesh that it needs, by its path."""
        return {
            f"{MESHES_FOLDER}/{name}.js": f"(self.silhouetteMeshes ??= {{}})[{json_text(name)}] = {json_text(text)};\n"
            for name, text in self.meshes.items()
        }

    def packing(self, _: Sequence[DisplayShape]) -> tuple[list[dict[str, Any]], list[str]]:
        """Its shapes as the document of a page has them: by the names of their files."""
        return self.entries, self.names


def packed_table(shown: SiteTable, run: TutorialRun) -> PackedTable:
    """A table with its meshes, once for the pages in all languages."""
    stage = stage_of(shown.scene, shown.judged, run.cache, playable=True)
    assert stage is not None
    entries, texts = packed_apart(stage.shapes)
    names = [hashlib.blake2b(text.encode(), digest_size=MESH_DIGEST_BYTES).hexdigest() for text in texts]
    return PackedTable(shown, stage, entries, names, dict(zip(names, texts, strict=True)))


def table_page(packed: PackedTable, tables: Mapping[str, str], words: PageWords) -> SitePage:
    """The page of a table in a language; ``tables`` has the title of each table, by the path of its page."""
    shown, stage = packed.shown, packed.stage
    scene, is_first = shown.scene, shown.path == SITE_INDEX
    about = about_checks(shown.judged, words)
    own, own_data = own_on_table(scene, shown.source, words)
    data: dict[str, Any] = {"stage": played_document(scene, stage, about, words, packed.packing), **own_data}
    by_title = f"{rule_called(scene.rules).title} · {scene.path.name}"
    question = words.phrase(QUESTION)
    head = element("div", element("h1", shown.title), element("p", by_title, class_="small"))
    if is_first:
        welcome = joined(
            element("p", words.phrase(WELCOME)), element("p", f"{shown.title} · {by_title}", class_="small")
        )
        head = element("div", element("h1", question), welcome)
        data["offline-words"] = {key: words.phrase(text) for key, text in OFFLINE_TEXTS.items()}
    content = [
        head,
        _choice(shown.path, tables, words),
        view_section(stage, about, words, playable=True),
        own,
        element("h2", words.phrase("What silhouette check says")),
        _verdicts(shown.judged, words),
        scene_file_section(scene, shown.source, shown.judged, {}, words),
        _offline(words) if is_first else "",
    ]
    return SitePage(
        shown.path,
        SITE_NAME if is_first else shown.title,
        question if is_first else words.phrase("{title}: a table to play with.", title=shown.title),
        content,
        (*packed.files, JUDGE_SCRIPT, OWN_SCRIPT, VIEWER_SCRIPT),
        data,
        viewer_licence(words),
        words=words,
    )


def _choice(current: str, tables: Mapping[str, str], words: PageWords) -> Markup:
    """The links to all tables, folded away."""
    above = "../" * current.count("/")
    links = [
        element("a", title, href=f"{above}{path}", aria_current="page" if path == current else None)
        for path, title in tables.items()
    ]
    listed = element("ul", [element("li", link) for link in links])
    label = words.phrase(EVERY_TABLE)
    summary = element("summary", f"{label}: {len(tables)}")
    return element("nav", element("details", summary, listed), aria_label=label, class_="tables")


def _offline(words: PageWords) -> Markup:
    """What opens without a network; hidden where the browser keeps nothing, as of pages from disk."""
    button = element("button", words.phrase("Fetch all pictures too"), type="button")
    status = element("p", role="status", aria_live="polite")
    heading = element("h2", words.phrase("Without a network"), id="offline-title")
    return element(
        "section", heading, status, button, id="offline", aria_labelledby="offline-title", class_="screen", hidden=True
    )


def _verdicts(judged: Sequence[Judged], words: PageWords) -> Markup:
    rows = [
        [
            words.pair(check.check),
            verdict_plate(check, words),
            words.measured(check.verdict),
            reason_for(check, words, "span"),
        ]
        for check in judged
    ]
    headings = [words.phrase("check"), words.phrase("verdict"), words.phrase("obscured"), words.phrase("why")]
    return table(words.phrase("Each check of the scene, as it stands in its file."), headings, rows)
