"""The tutorial: pages that hold together, work without a network, and say what `check` says of the scenes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from silhouette.common.errors import FileError, RequestError
from silhouette.files.cache import Cache
from silhouette.files.publishing import files_in
from silhouette.judging import JudgingOptions, judge_all, load_scene
from silhouette.pages.html.page import VOID
from silhouette.pages.tutorial.pages import INDEX, TUTORIAL, TutorialRun, scenes_folder, write_tutorial
from silhouette.pages.tutorial.parts import ODDS_SEED, Facts, Texts, Walking, filled, map_scene, texts
from silhouette.renderers import choose
from silhouette.rules import RULES
from tests.support.browsing import DESKTOP, PHONE, Browser
from tests.support.commands import QUICK, run

pytestmark = pytest.mark.slow  # drawing the tutorial takes most of a minute

PROJECT = Path(__file__).resolve().parents[2]
SCENES = PROJECT / "scenes"
PIXEL = 1.0

DECODE = """() => Promise.all([...document.images].map((one) => {
    one.loading = 'eager';
    return one.decode();
}))"""
"""Waits until every picture of a page is there; it is an error where one is not."""

PARTS = [(page.name, part) for page in texts().page for part in page.part if part.scan is None]
SCANS = [(page.name, part) for page in texts().page for part in page.part if part.scan is not None]


SOME = ("five-examples", "blind-hexes", "bolt-action")
"""A page of each kind: that moves, of hexes, of lines in plan, of a game by data; those of odds and a scan are slow."""


EVERY = tuple(page.name for page in texts().page)


def few(names: Collection[str]) -> Texts:
    """Of these pages the first part, and the second if it moves or has a map; of the animation three frames."""
    short = Walking(walk=(40.0, 216.0), frames=3, fps=6.0)
    pages = []
    for page in texts().page:
        if page.name not in names:
            continue
        chosen = [part for part in page.part[:2] if part is page.part[0] or part.animate or part.map]
        parts = [part.model_copy(update={"animate": short}) if part.animate else part for part in chosen]
        pages.append(page.model_copy(update={"part": tuple(parts)}))
    return texts().model_copy(update={"page": tuple(pages)})


@pytest.fixture(
    scope="module", params=[pytest.param(SOME, id="some"), pytest.param(EVERY, id="every", marks=pytest.mark.long)]
)
def names(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The pages of the tutorial that is written."""
    chosen: tuple[str, ...] = request.param
    return chosen


@pytest.fixture(scope="module")
def written(names: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A tutorial's folder, and what was told of it."""
    out = tmp_path_factory.mktemp("tutorial") / "pages"
    made = write_tutorial(out, TutorialRun(SCENES, choose("auto"), Cache.default(), 2, pixel=PIXEL, texts=few(names)))
    return out, made


def page_of(written: tuple[Path, list[dict[str, Any]]], name: str) -> Path:
    """The file of a page; the test is skipped where the tutorial that is written has no such page."""
    folder, pages = written
    if name.removesuffix(".html") not in {"index", *(page["name"] for page in pages)}:
        pytest.skip(f"{name} is not among the pages that are written here")
    return folder / name


class Page(HTMLParser):
    """A page as it is read: strict about what opens and closes."""

    def __init__(self, file: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), tag
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID and tag != "source":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != "source":
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def values(self, *names: str) -> list[str]:
        """The values of attributes, wherever they stand."""
        return [value for _, found in self.elements for name in names if (value := found.get(name))]


def pages_of(folder: Path) -> dict[str, Page]:
    return {file.name: Page(file) for file in sorted(folder.glob("*.html"))}


@pytest.mark.long
def test_every_page_is_whole_and_all_it_refers_to_is_there(
    written: tuple[Path, list[dict[str, Any]]], names: tuple[str, ...]
) -> None:
    folder, _ = written
    pages = pages_of(folder)
    assert set(pages) == {"index.html", *(f"{name}.html" for name in names)}
    shown = set()
    for name, page in pages.items():
        marks = page.values("id")
        assert max(Counter(marks).values()) == 1
        for target in page.values("href", "src", "srcset"):
            file, _, mark = target.partition("#")
            assert not re.match(r"[a-z]+:|//", target), (name, target)
            assert not file or (folder / file).is_file(), (name, target)
            if mark:
                assert mark in pages[file or name].values("id"), (name, target)
            shown.add(file)
        for mark in page.values("aria-labelledby"):
            assert mark in marks
        for tag, found in page.elements:
            assert tag != "img" or "alt" in found
            assert tag != "script"
        assert sum(tag == "h1" for tag, _ in page.elements) == 1
    assert {file for file in files_in(folder) if file.startswith("figures/")} <= shown


def test_nothing_is_fetched_from_anywhere(written: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, _ = written
    for file in folder.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"https?:|url\((?!data:)", text.replace("http-equiv", ""))
        assert "default-src &#x27;none&#x27;" in text


def test_every_page_leads_to_every_other(written: tuple[Path, list[dict[str, Any]]]) -> None:
    pages = pages_of(written[0])
    for page in pages.values():
        assert set(pages) <= set(page.values("href"))


def test_the_folder_tells_what_its_pages_tell(
    written: tuple[Path, list[dict[str, Any]]], names: tuple[str, ...]
) -> None:
    folder, told = written
    document = json.loads((folder / TUTORIAL.facts_file).read_text(encoding="utf-8"))
    assert document["files"] == files_in(folder)
    assert document["pages"] == json.loads(json.dumps(told))
    for page, facts in zip(few(names).page, told, strict=True):
        text = Page(folder / f"{page.name}.html").text
        for part in facts["parts"]:
            for row in part["checks"]:
                assert row["expected"] is not False, row["reason"]
                assert row["reason"][1:] in text
                assert str(row["verdict"]) in text


@pytest.mark.long
def test_the_pages_say_what_check_says(
    written: tuple[Path, list[dict[str, Any]]], capsys: pytest.CaptureFixture[str]
) -> None:
    for page in written[1]:
        for part in page["parts"]:
            if page["name"] in dict(SCANS):
                continue
            file = SCENES / part["scene"]
            rows = run(capsys, "check", file, "--json", "--pixel", PIXEL).document["scenes"][0]["results"]
            for row in part["checks"]:
                found = rows[row["check"] - 1]
                assert (row["verdict"], row["rule_number"]) == (found["verdict"], found["rule_number"]), file
                if row.get("occluded") is not None:
                    assert abs(row["occluded"] - found["occluded"]) <= row["error"] + found["error"], file


def test_the_animation_moves_and_its_frames_are_listed(written: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, told = written
    (part,) = [part for page in told for part in page["parts"] if "animation" in part]
    with Image.open(folder / part["animation"]) as image:
        assert image.n_frames == len(part["frames"]) == 3
        kept = json.loads(image.info["comment"])["frames"]
    page = Page(folder / "five-examples.html")
    assert part["animation"] in page.values("src")
    assert "(prefers-reduced-motion: reduce)" in page.values("media")
    for frame, row in zip(kept, part["frames"], strict=True):
        assert {key: row[key] for key in frame} == frame
        assert ", ".join(f"{value:g}" for value in row["at"]) in page.text


@pytest.mark.long
@pytest.mark.parametrize(("page", "part"), PARTS, ids=[f"{page}-{part.scene}" for page, part in PARTS])
def test_every_text_has_what_it_tells_of(page: str, part: Any, tmp_path: Path) -> None:
    words, scene, renderer = texts(), load_scene(SCENES / part.scene, cache=Cache.default()), choose("auto")
    seed = ODDS_SEED if part.odds else None
    options = JudgingOptions(renderer, pixel=PIXEL, seed=seed)
    found = judge_all([(scene, scene.checks[number - 1]) for number in part.checks], options)
    facts = [Facts(scene, one, words.words) for one in found]
    chart = None if part.map is None else map_scene(part.map, scene, renderer, tmp_path / "map.svg")
    steps = words.steps[part.steps] if part.steps else ()
    for text in (*part.text, *steps, *part.after):
        told = filled(text, facts, chart=chart)
        assert "{" not in told
        assert "none" not in told.split() or "none" in text.split()
        for number in re.findall(r"\{c(\d+)\.", text):
            assert 1 <= int(number) <= len(facts)
    assert set(part.figures) <= words.figures.keys()


@pytest.mark.long
def test_the_page_of_a_scan_is_made_from_the_scan(written: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, made = written
    ((name, part),) = SCANS
    if not (folder / f"{name}.html").exists():
        pytest.skip("only all pages together have that of the scan")
    assert part.scan is not None
    page = Page(folder / f"{name}.html")
    assert "{scan" not in page.text
    assert str(PROJECT) not in page.text
    (told,) = [one for one in made if one["name"] == name]
    checks = told["parts"][0]["checks"]
    assert [(row["attacker"], row["target"]) for row in checks] == list(part.scan.pairs)
    assert {row["verdict"] for row in checks} == {"partial cover", "full cover"}
    pictures = [file for file in page.values("src") if file.endswith("scan.png")]
    assert len(pictures) == 1
    with Image.open(folder / pictures[0]) as picture:
        assert picture.width > 1000
    assert re.search("[45] of 5 are one of these beyond doubt", page.text)


def test_no_verdict_or_share_is_typed_into_a_text() -> None:
    for _, part in (*PARTS, *SCANS):
        for text in (*part.text, *part.after):
            assert not re.search(r"\d\s*%", text), text


def test_there_is_a_page_for_every_game_and_the_five_examples_come_first() -> None:
    first, *rest = texts().page
    assert [part.scene for part in first.part] == sorted(
        f"necromunda/{one.name}" for one in SCENES.glob("*/example_*.toml")
    )
    games = {
        load_scene(SCENES / page.part[0].scene, cache=Cache.default()).rules
        for page in rest
        if page.part[0].scan is None
    }
    assert games == set(RULES)


@pytest.mark.parametrize(
    "name",
    [
        *("index.html", "five-examples.html"),
        *(pytest.param(name, marks=pytest.mark.long) for name in ("blind-hexes.html", "crisis-protocol.html")),
    ],
)
def test_pages_open_in_a_browser(written: tuple[Path, list[dict[str, Any]]], browser: Browser, name: str) -> None:
    with browser.visit(page_of(written, name)) as visit:
        for width, height in (DESKTOP, PHONE):
            visit.page.set_viewport_size({"width": width, "height": height})
            visit.page.evaluate(DECODE)
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
            assert visit.page.evaluate("Math.min(...[...document.images].map((one) => one.width))") > 200
        assert visit.said == []
        assert all(url.startswith(("file:", "data:")) for url in visit.asked)


@pytest.mark.long
@pytest.mark.parametrize("name", ["live-table.html", "index.html"])
def test_axe_finds_nothing(written: tuple[Path, list[dict[str, Any]]], browser: Browser, name: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with browser.visit(page_of(written, name)) as visit:
        for (width, height), scheme in ((PHONE, "light"), (DESKTOP, "dark")):
            visit.page.set_viewport_size({"width": width, "height": height})
            visit.page.emulate_media(color_scheme=scheme)
            found = axe.Axe().run(visit.page)
            assert found.violations_count == 0, (scheme, found.generate_report())


@pytest.mark.long
def test_whoever_wants_nothing_to_move_sees_a_still_picture(
    written: tuple[Path, list[dict[str, Any]]], browser: Browser
) -> None:
    shown = []
    for wish in ("reduce", "no-preference"):
        with browser.visit(written[0] / "five-examples.html", reduced_motion=wish) as visit:
            visit.page.evaluate(DECODE)
            shown.append(visit.page.evaluate("document.querySelector('picture img').currentSrc.split('.').pop()"))
    assert shown == ["svg", "gif"]


@pytest.mark.long
def test_links_to_the_other_pages_can_be_followed(
    written: tuple[Path, list[dict[str, Any]]], names: tuple[str, ...], browser: Browser
) -> None:
    with browser.visit(written[0] / "index.html", PHONE) as visit:
        for page in few(names).page:
            visit.page.get_by_role("link", name=page.short, exact=True).first.click()
            assert visit.page.locator("h1").inner_text() == page.title
        assert visit.said == []


# What becomes of the folder.


def small() -> Texts:
    """One page with one part that draws nothing."""
    page = next(page for page in texts().page if page.name == "ikosa")
    bare = page.part[0].model_copy(update={"figures": ("cells",)})
    return texts().model_copy(update={"page": (page.model_copy(update={"part": (bare,)}),)})


def small_run(**options: Any) -> TutorialRun:
    return replace(TutorialRun(SCENES, choose("reference"), Cache(None), texts=small()), **options)


def test_an_earlier_tutorial_is_replaced_whole(tmp_path: Path) -> None:
    out = tmp_path / "pages"
    write_tutorial(out, small_run())
    (out / "ikosa.html").write_text("older", encoding="utf-8")
    write_tutorial(out, small_run())
    assert "older" not in (out / "ikosa.html").read_text(encoding="utf-8")
    assert [one.name for one in tmp_path.iterdir()] == ["pages"]


@pytest.mark.parametrize("own", [True, False])
def test_what_is_somebody_s_own_is_not_written_over(tmp_path: Path, own: bool) -> None:
    out = tmp_path / "pages"
    if own:
        write_tutorial(out, small_run())
    out.mkdir(exist_ok=True)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    before = files_in(out)
    with pytest.raises(
        FileError, match=r"holds notes\.txt, which is no part" if own else "holds files, and no tutorial"
    ):
        write_tutorial(out, small_run())
    assert files_in(out) == before
    assert [one.name for one in tmp_path.iterdir()] == ["pages"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    out = tmp_path / "pages"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(FileError, match="is a file"):
        write_tutorial(out, small_run())
    assert out.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("error", [KeyboardInterrupt, FileError("x.toml", "is broken")])
def test_a_tutorial_that_is_not_finished_leaves_nothing(tmp_path: Path, error: Any) -> None:
    out = tmp_path / "deep" / "pages"

    def step(done: int, total: int) -> None:
        raise error

    for earlier in (False, True):
        if earlier:
            write_tutorial(out, small_run())
        before = files_in(tmp_path)
        with pytest.raises((KeyboardInterrupt, FileError)):
            write_tutorial(out, small_run(), step)
        assert files_in(tmp_path) == before


def test_the_tutorial_before_stays_where_the_new_one_cannot_be_put(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    out, moved = tmp_path / "pages", os.replace
    write_tutorial(out, small_run())
    before = {name: (out / name).read_bytes() for name in files_in(out)}

    def refusing(source: Any, target: Any) -> None:
        if Path(target) == out / TUTORIAL.facts_file:
            raise PermissionError(13, "Permission denied")
        moved(source, target)

    def write_another() -> None:
        with TUTORIAL.whole_folder(out) as folder:
            for name in (TUTORIAL.facts_file, INDEX):
                (folder / name).write_text("another", encoding="utf-8")

    monkeypatch.setattr("os.replace", refusing)
    with pytest.raises(FileError, match="cannot be written"):
        write_another()
    assert {name: (out / name).read_bytes() for name in files_in(out)} == before
    assert [one.name for one in tmp_path.iterdir()] == ["pages"]
    assert not list(out.rglob("*.part"))


def test_where_there_are_no_scenes_it_is_said_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RequestError, match="give the folder 'scenes' of Silhouette's source"):
        scenes_folder(tmp_path)
    assert scenes_folder(SCENES) == SCENES
    assert scenes_folder() == Path("scenes")
    monkeypatch.chdir(tmp_path)
    assert scenes_folder() == SCENES
    monkeypatch.setattr("silhouette.files.reading.PACKAGE", tmp_path / "site" / "silhouette")
    with pytest.raises(RequestError, match="the example scenes are not installed"):
        scenes_folder()


def test_the_command_tells_what_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "silhouette.cli.tutorial.TutorialRun", lambda *words: replace(TutorialRun(*words), texts=small())
    )
    out = tmp_path / "deep" / "pages"
    ran = run(capsys, "tutorial", "--out", out, "--no-animation", *QUICK)
    assert (ran.status, ran.out) == (0, f"2 pages with 1 check; open {out / 'index.html'}\n")
    chosen = ("--scenes", SCENES, "--no-animation", "--json", *QUICK)
    document = run(capsys, "tutorial", "--out", out, *chosen).document
    for file in out.rglob("*.*"):
        assert str(SCENES.parent).encode() not in file.read_bytes()  # nobody is told where it was made
    assert document["pages"] == json.loads((out / TUTORIAL.facts_file).read_text(encoding="utf-8"))["pages"]


def test_what_is_wrong_with_the_command_is_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "tutorial", "--out", tmp_path / "pages", "--scenes", tmp_path, *QUICK)
    assert ran.status == 2
    assert "give the folder 'scenes'" in ran.complaints[0]
    (tmp_path / "mine").write_text("", encoding="utf-8")
    ran = run(capsys, "tutorial", "--out", tmp_path, *QUICK)
    assert ran.status == 2
    assert "holds files, and no tutorial" in ran.complaints[0]
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]
