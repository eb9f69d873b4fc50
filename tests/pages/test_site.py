"""The site: pages that hold together, judge from disk and on a host, and open without a network after one visit."""

from __future__ import annotations

import json
import os
import re
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import FileError
from silhouette.drawing.words.words import LANGUAGES
from silhouette.files.cache import Cache
from silhouette.files.publishing import files_in
from silhouette.judging import load_scene
from silhouette.pages.site.frame import MANIFEST_FILE, OWN_PAGE, SITE_INDEX, SITE_PAGES, SitePage, folder_of
from silhouette.pages.site.offline import WORKER_FILE, is_picture
from silhouette.pages.site.tables import scenes_to_play
from silhouette.pages.site.writing import SITE, SiteParts, write_site
from silhouette.pages.tutorial.parts import Texts, TutorialRun, texts
from silhouette.renderers import choose
from silhouette.rules import RULES
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import NecromundaScene
from silhouette.scenes.places import Move, moved
from silhouette.scenes.scene import Check
from tests.conftest import PROJECT
from tests.support.browsing import DESKTOP, PHONE, Browser, Visit
from tests.support.commands import QUICK, run
from tests.support.markup import Document
from tests.support.page_judge import ASK, disagreement
from tests.support.report_pages import quiet
from tests.support.rulings import ruled

pytestmark = pytest.mark.slow

SCENES = PROJECT / "scenes"
TABLES = [SCENES / "necromunda" / f"{name}.toml" for name in ("two_blockers", "example_1_open")]
MODELS = [PROJECT / "models" / f"{name}.toml" for name in ("crate", "leader")]
PARTS, FEW = SiteParts(TABLES, MODELS), SiteParts(TABLES[:1], MODELS[:1])
TABLE_PAGE = "tables/example-1-open.html"
PAGES = (SITE_INDEX, TABLE_PAGE, OWN_PAGE, "games.html", "gallery.html", "tutorial/index.html")
ANSWERED = "silhouette.play && !silhouette.play.isBusy && document.getElementById('play-answer').textContent"


def few_texts() -> Texts:
    """Of the tutorial two pages, with the first part of each: of a game in Python, and of one that is a file."""
    chosen = [page for page in texts().page if page.name in ("ikosa", "infinity")]
    pages = tuple(page.model_copy(update={"part": page.part[:1]}) for page in chosen)
    return texts().model_copy(update={"page": pages})


def small_run() -> TutorialRun:
    return TutorialRun(SCENES, choose("auto"), Cache.default(), 1, pixel=1.0, texts=few_texts())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("host") / "silhouette"
    write_site(out, small_run(), parts=PARTS)
    return out


def document_of(page: Path) -> Document:
    return Document(page.read_text(encoding="utf-8"))


def values(page: Path, *names: str) -> list[str]:
    """The values of attributes of a page, wherever they stand."""
    found = [attributes.get(name) for _, attributes in document_of(page).elements for name in names]
    return [value for value in found if value]


def judged(visit: Visit) -> str:
    visit.settled()
    visit.until(ANSWERED)
    return str(visit.page.locator("#play-answer").inner_text())


# ---- the folder


def test_every_game_s_scenes_that_a_page_judges_are_tables() -> None:
    scenes = scenes_to_play(SCENES)
    assert {file.name for file in scenes} == {file.name for file in (SCENES / "necromunda").glob("*.toml")}
    assert len(scenes) == len(set(scenes)) > 20
    assert scenes[0].name == "example_2_partial_cover.toml"


def test_every_link_leads_to_something_in_the_folder(site: Path) -> None:
    pages = [site / name for name in files_in(site) if name.endswith(".html")]
    assert {page.relative_to(site).as_posix() for page in pages} >= set(PAGES)
    for page in pages:
        for target in values(page, "href", "src"):
            place, _, mark = target.partition("#")
            assert not re.match(r"[a-z]+:|/", target), (page, target)
            file = (page.parent / place).resolve() if place else page
            assert file.is_file(), (page, target)
            assert file.is_relative_to(site.resolve())
            assert not mark or mark in values(file, "id"), (page, target)


def test_every_page_leads_to_every_other(site: Path) -> None:
    for page in PAGES[:5]:
        here = site / page
        there = {(here.parent / target.partition("#")[0]).resolve() for target in values(here, "href")}
        assert {(site / path).resolve() for path, _ in SITE_PAGES} <= there, page
    assert values(site / "tutorial/index.html", "href").count(f"../{SITE_INDEX}") == 1


@pytest.mark.parametrize("address", ["manual/index.html", "https://example.org/"])
def test_every_page_leads_to_the_manual(address: str) -> None:
    for path, above in ((SITE_INDEX, ""), (TABLE_PAGE, "../")):
        page = SitePage(path, "a page", "of the site", (), manual=address).written()
        (link,) = [attributes for _, attributes in Document(page).elements if address in (attributes.get("href") or "")]
        assert link["href"] == (address if "://" in address else above + address)


def test_every_game_has_a_section(site: Path) -> None:
    assert set(RULES) <= set(values(site / "games.html", "id"))


def test_the_first_load_is_small(site: Path) -> None:
    """What the first page takes of a host, but for the meshes: a megabyte at most."""
    asked = [SITE_INDEX, *values(site / SITE_INDEX, "src"), MANIFEST_FILE, "icon-192.png"]
    sizes = {name: (site / name).stat().st_size for name in asked if not name.startswith("meshes/")}
    assert sum(sizes.values()) <= 1_000_000, sizes
    assert any(name.startswith("meshes/") for name in asked)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_first_load_in_another_language_is_small(site: Path, language: str) -> None:
    """The English page, which sends a visitor on, the one in his language, and what that asks for."""
    page = site / folder_of(language) / SITE_INDEX
    asked = {site / SITE_INDEX, page, site / MANIFEST_FILE, site / "icon-192.png"}
    asked |= {(page.parent / source).resolve() for source in values(page, "src")}
    assert sum(file.stat().st_size for file in asked if file.parent.name != "meshes") <= 1_000_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_leads_to_itself_in_every_language(site: Path, language: str) -> None:
    for name in PAGES[:5]:
        page = site / folder_of(language) / name
        attributes = [attributes for _, attributes in document_of(page).elements if attributes.get("data-language")]
        there = {each["data-language"]: (page.parent / (each["href"] or "")).resolve() for each in attributes}
        assert there == {one: (site / folder_of(one) / name).resolve() for one in LANGUAGES}
        assert [each["data-language"] for each in attributes if "aria-current" in each] == [language]
        (lang,) = [attributes["lang"] for tag, attributes in document_of(page).elements if tag == "html"]
        assert lang == language


def test_a_mesh_that_several_tables_have_lies_there_once(site: Path) -> None:
    meshes = [{name.removeprefix("../") for name in values(site / page, "src") if "meshes/" in name} for page in PAGES]
    assert meshes[0] & meshes[1]
    assert meshes[0] | meshes[1] == {name for name in files_in(site) if name.startswith("meshes/")}


def test_the_manifest_and_the_service_worker_name_what_is_there(site: Path) -> None:
    manifest = json.loads((site / MANIFEST_FILE).read_text(encoding="utf-8"))
    assert {icon["sizes"] for icon in manifest["icons"]} == {"192x192", "512x512"}
    assert all((site / icon["src"]).is_file() for icon in manifest["icons"])
    first_line, *_ = (site / WORKER_FILE).read_text(encoding="utf-8").splitlines()
    listed = json.loads(first_line.removeprefix("const SITE = ").removesuffix(";"))
    shown = [name for name in files_in(site) if not name.endswith(".json") and name != WORKER_FILE]
    assert sorted([*listed["first"], *listed["later"]]) == shown
    assert all(map(is_picture, listed["later"]))
    assert not any(map(is_picture, listed["first"]))


def test_nobody_is_told_where_it_was_made(site: Path) -> None:
    for name in files_in(site):
        assert str(PROJECT).encode() not in (site / name).read_bytes(), name


@pytest.mark.long
def test_the_same_site_has_the_same_version(site: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    write_site(again, small_run(), parts=PARTS)
    assert files_in(again) == files_in(site)
    assert (again / WORKER_FILE).read_bytes() == (site / WORKER_FILE).read_bytes()


def test_what_is_somebody_s_own_is_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "site"
    out.mkdir()
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileError, match="holds files, and no site"):
        write_site(out, small_run(), parts=FEW)
    (out / SITE.facts_file).write_text(json.dumps({"maker": SITE.maker, "files": []}), encoding="utf-8")
    with pytest.raises(FileError, match=r"holds notes\.txt, which is no part of the site there"):
        write_site(out, small_run(), parts=FEW)
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert sorted(files_in(out)) == ["notes.txt", SITE.facts_file]


def test_a_site_that_is_not_finished_leaves_nothing(tmp_path: Path) -> None:
    steps = list[int]()

    def step(done: int, total: int) -> None:
        steps.append(done)
        assert done <= total
        if done > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_site(tmp_path / "site", small_run(), step, PARTS)
    assert steps == sorted(steps)
    assert files_in(tmp_path) == []


def test_the_command_says_what_to_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("silhouette.cli.tutorial.TutorialRun", lambda *given: small_run())
    monkeypatch.setattr("silhouette.pages.site.writing.SiteParts.shipped", lambda scenes: FEW)
    out = tmp_path / "deep" / "site"
    ran = run(capsys, "site", "--out", out, "--no-animation", "--manual", "manual/index.html", *QUICK)
    assert ran.status == 0
    assert ran.out == f"1 table to play with, and the tutorial; open {out / SITE_INDEX}\n"
    document = json.loads((out / SITE.facts_file).read_text(encoding="utf-8"))
    assert document["files"] == files_in(out)
    assert [table["page"] for table in document["tables"]] == [SITE_INDEX]
    assert "manual/index.html" in values(out / SITE_INDEX, "href")


# ---- in a browser


@pytest.mark.parametrize("size", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["desktop", "phone"])
@pytest.mark.parametrize(("page", "scene"), list(zip(PAGES, TABLES, strict=False)), ids=["index", "table"])
def test_from_disk_a_table_says_what_the_scene_expects(
    site: Path, browser: Browser, page: str, scene: Path, size: tuple[int, int]
) -> None:
    (check, *_) = load_scene(scene).checks
    assert check.expect is not None
    with browser.visit(site / page, size) as visit:
        first = judged(visit)
        assert first.startswith(f"{check.attacker} → {check.target}: {check.expect['verdict']}")
        visit.page.evaluate("document.getElementById('play-answer').textContent = ''")
        visit.page.click("#play-left")
        assert judged(visit)
        quiet(visit)


WORD_AT_START = """
const started = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (...how) {
    window.word ??= document.getElementById("play-answer").textContent;
    return started.apply(this, how);
};"""


def test_the_first_word_is_there_before_the_view(site: Path, browser: Browser) -> None:
    """Of three visits one at least: the view waits for the judge a while, and not forever."""
    words = list[str]()
    while not any(words) and len(words) < 3:
        with browser.visit(site / SITE_INDEX, before=WORD_AT_START) as visit:
            visit.settled()
            words.append(visit.page.evaluate("window.word"))
    assert any(words)


def test_a_figure_of_the_visitors_stands_on_a_table_of_the_site(site: Path, browser: Browser, tmp_path: Path) -> None:
    """It comes to what is there, which stays where it was moved to; the desk says the same of what is taken away."""
    with browser.visit(site / TABLE_PAGE) as visit:
        judged(visit)
        visit.page.click("#play-left")
        (left, *_) = visit.page.evaluate("silhouette.play.pieces.map(({ at }) => at)[silhouette.play.attacker]")
        name, target = visit.page.evaluate(
            "['attacker', 'target'].map((part) => silhouette.play.pieces[silhouette.play[part]].name)"
        )
        visit.page.set_input_files("#own-files", str(PROJECT / "models" / "ganger_rifle.glb"))
        visit.until("window.silhouette?.play?.pieces.some(({ own }) => own)")
        visit.page.evaluate("document.getElementById('play-answer').textContent = ''")
        visit.page.click("#play-away")
        assert judged(visit).startswith(f"ganger_rifle → {target}: ")
        legend = visit.page.locator("#play-legend li").all_inner_texts()
        assert legend[-3:] == [f"Ring and bar of {gang}" for gang in ("Orlock", "Escher", "gang 1")]
        assert visit.page.locator("#view-labels .gang.dash-2").inner_text() == "ganger_rifle"
        answer = visit.page.evaluate("silhouette.play.answers.get(silhouette.play.pieces[silhouette.play.target].name)")
        with visit.page.expect_download() as download:
            visit.page.click("#own-take")
        folder = tmp_path / "scenes" / "necromunda"
        folder.mkdir(parents=True)
        (tmp_path / "models").symlink_to(PROJECT / "models")
        download.value.save_as(tmp_path / "scene.zip")
        with zipfile.ZipFile(tmp_path / "scene.zip") as archive:
            archive.extractall(folder)
        scene = load_scene(folder / "with_own_meshes.toml")
        assert isinstance(scene, NecromundaScene)
        by = (left - float(scene.piece(name).pose.translation[0]), 0.0, 0.0)
        assert by[0]
        verdict = ruled(NECROMUNDA, moved(scene, {name: Move(by=by)}), Check("ganger_rifle", target))
        assert answer["word"] != ASK
        assert disagreement(answer, verdict) is None
        quiet(visit)


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (DESKTOP, "light"),
        (PHONE, "dark"),
        pytest.param(DESKTOP, "dark", marks=pytest.mark.long),
        pytest.param(PHONE, "light", marks=pytest.mark.long),
    ],
    ids=["desktop-light", "phone-dark", "desktop-dark", "phone-light"],
)
@pytest.mark.parametrize("page", [*PAGES, *(f"{folder_of('de')}{name}" for name in PAGES[:5])])
def test_axe_finds_nothing(site: Path, browser: Browser, page: str, size: tuple[int, int], scheme: str) -> None:
    with browser.visit(site / page, size, color_scheme=scheme) as visit:
        if page.removeprefix(folder_of("de")) in (SITE_INDEX, TABLE_PAGE):
            judged(visit)
        found = pytest.importorskip("axe_playwright_python.sync_playwright").Axe().run(visit.page)
        assert found.violations_count == 0, found.generate_report()
        quiet(visit)


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """A host of static files for a folder, as long as the block runs; its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_it_opens_in_the_visitor_s_language_and_keeps_the_one_that_he_chooses(site: Path, browser: Browser) -> None:
    language = "document.documentElement.lang"
    with hosted(site.parent) as host:
        home = f"{host}{site.name}/"
        with browser.visit(home, guarded=False, shares=False, locale="de-DE") as visit:
            visit.until(f"{language} === 'de'")
            assert visit.page.locator("h1").inner_text() == "Sieht er mich, und bin ich in Deckung?"
            assert judged(visit).startswith("Kal → Vex: ")
            visit.page.click("nav a[href='own.html']")
            visit.until(f"{language} === 'de' && document.getElementById('own-files') !== null")
            visit.page.click("a[data-language=fr]")
            visit.until(f"{language} === 'fr' && document.getElementById('own-files') !== null")
            visit.page.goto(f"{home}games.html")
            visit.until(f"{language} === 'fr'")
            visit.page.goto(f"{home}es/games.html")
            assert visit.page.evaluate(language) == "es"
            visit.page.goto(f"{home}{TABLE_PAGE}?lang=en")
            assert visit.page.evaluate(language) == "en"
            visit.page.goto(home)
            assert visit.page.evaluate(language) == "en"
            quiet_host(visit)


def quiet_host(visit: Visit) -> None:
    """Nothing went wrong on a page of a host."""
    assert not [line for line in visit.said if line.startswith(("error", "warning"))]


def test_from_disk_it_keeps_the_language_that_its_address_asks_for(site: Path, browser: Browser) -> None:
    """Also where pages from disk keep nothing for each other."""
    forgetful = (
        "delete window.localStorage; Object.defineProperty(window, 'localStorage', { get() { throw Error(); } });"
    )
    language = "document.documentElement.lang"
    with browser.visit(site / "games.html", before=forgetful, locale="es-ES") as visit:
        visit.until(f"{language} === 'es'")
        visit.page.click("a[data-language=en]")
        visit.until(f"{language} === 'en'")
        visit.page.click("nav a[href='gallery.html']")
        visit.until(f"{language} === 'en' && document.title.startsWith('Gallery')")
        quiet(visit)


LOADED = "[...document.images].every((image) => image.complete && image.naturalWidth > 0)"


def test_after_one_visit_it_opens_without_a_network(site: Path, browser: Browser) -> None:
    """The host ends after the first page: tables open and judge; all else does, once all pictures were fetched."""
    with hosted(site.parent) as host:
        home = f"{host}{site.name}/"
        visiting = browser.visit(home, guarded=False, shares=False)
        visit = visiting.__enter__()
        judged(visit)
        visit.until("!document.getElementById('offline').hidden")
        assert "pictures take" in visit.page.locator("#offline p").inner_text()
        visit.page.click("#offline button")
        visit.until("document.querySelector('#offline p').textContent.startsWith('All of this')")
        assert visit.page.locator("#offline button").is_hidden()
    try:
        for page in ("", *PAGES):
            visit.page.goto(home + page)
            if page in ("", SITE_INDEX, TABLE_PAGE):
                judged(visit)
        visit.page.goto(f"{home}gallery.html")
        visit.page.evaluate("for (const image of document.images) image.loading = 'eager'")
        visit.until(LOADED)
        assert not [line for line in visit.said if line.startswith("error")]
    finally:
        visiting.__exit__(None, None, None)


def test_another_version_takes_the_place_of_the_one_before(site: Path, browser: Browser, tmp_path: Path) -> None:
    """And only when the pages of the one before are left: none is put together of both."""
    copy = tmp_path / "silhouette"
    for name in files_in(site):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((site / name).read_bytes())
    with hosted(tmp_path) as host:
        home = f"{host}silhouette/games.html"
        with browser.visit(home, guarded=False, shares=False) as visit:
            visit.until("navigator.serviceWorker.controller !== null")
            for name, before, after in (
                ("games.html", "<h1>The games</h1>", "<h1>Newer</h1>"),
                (WORKER_FILE, '"version": "', '"version": "newer '),
            ):
                text = (copy / name).read_text(encoding="utf-8")
                assert before in text
                (copy / name).write_text(text.replace(before, after), encoding="utf-8")
                later = time.time() + 10  # the host tells versions of a file apart by whole seconds
                os.utime(copy / name, (later, later))
            visit.page.reload()
            assert visit.page.locator("h1").inner_text() == "The games"
            visit.page.evaluate("navigator.serviceWorker.ready.then((there) => there.update())")
            visit.until("caches.keys().then((names) => names.some((name) => name.includes('newer')))")
            visit.until("navigator.serviceWorker.ready.then(({ installing }) => installing === null)")
            visit.page.goto("about:blank")
            visit.page.goto(home)
            visit.until("caches.keys().then((names) => names.length === 1 && names[0].includes('newer'))")
            visit.page.goto(home)
            assert visit.page.locator("h1").inner_text() == "Newer"
