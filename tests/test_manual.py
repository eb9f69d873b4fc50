"""The manual as a site: it is built without a warning, asks a network for nothing, and has what the code has."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import silhouette
from silhouette.cli.commands import COMMANDS, SCHEMAS
from silhouette.pages.site.frame import SITE_PAGES
from silhouette.rules import RULES
from tests.benchmarks.figures import Figures
from tests.benchmarks.page import FOLDER, sections_of
from tests.conftest import PROJECT
from tests.support.browsing import DESKTOP, Browser
from tests.support.game_language import keys, language
from tests.support.made_parts import PART
from tests.support.report_pages import quiet
from tests.support.scene_keys import example_scenes, github_anchor, model_keys, scene_keys

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the manual, built as if it stood in a folder of `silhouette site`."""
    for module in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(module, reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("manual")
    command = ["-m", "mkdocs", "build", "--strict", "--quiet", "-f", ".github/docs/mkdocs.yml", "-d", str(folder)]
    environment = {**os.environ, "SILHOUETTE_SITE": "..", "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        [sys.executable, *command], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_the_gate_installs_what_builds_it() -> None:
    extras = tomllib.loads(text_of(PROJECT / "pyproject.toml"))["project"]["optional-dependencies"]
    assert any(re.fullmatch(r"silhouette-los\[.*\bdocs\b.*\]", line) for line in extras["dev"])


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def test_no_page_asks_a_network(manual: Path) -> None:
    pages = sorted(manual.rglob("*.html"))
    assert len(pages) > 30
    fetched = re.compile(
        r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"(?:https?:)?//|<link\b[^>]*\bhref=\"(?:https?:)?//"
    )
    for page in pages:
        assert not fetched.search(text_of(page)), page
    for style in manual.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import", text_of(style)), style


def test_every_command_has_its_options(manual: Path) -> None:
    page = text_of(manual / "reference" / "options.html")
    for name in COMMANDS:
        assert f'id="silhouette-{name}"' in page
    assert "<code>--what-if</code>" in page


def test_every_game_has_a_row(manual: Path) -> None:
    page = text_of(manual / "reference" / "games.html")
    assert [name for name in RULES if f"<code>{name}</code>" not in page] == []


def test_every_name_of_the_package_is_described(manual: Path) -> None:
    headings = re.findall(r'<h2 id="silhouette\.[\w.]*?(\w+)"', text_of(manual / "reference" / "python.html"))
    assert set(headings) == set(silhouette.__all__)


@pytest.mark.parametrize(
    "page, parts",
    [
        ("scenes/keys.md", [scene_keys]),
        ("scenes/examples.md", [example_scenes]),
        ("models/README.md", [model_keys]),
        ("silhouette/rules/data/language.md", [language, keys]),
        ("tests/benchmarks/README.md", [lambda: sections_of(Figures.read(FOLDER))]),
    ],
    ids=["keys", "examples", "models", "language", "benchmarks"],
)
def test_what_is_made_from_the_code_stands_in_its_page(manual: Path, page: str, parts: list[Callable[[], str]]) -> None:
    """In place of the words that stand there on GitHub; each heading and each cell of each table."""
    kept = text_of(PROJECT / page)
    built = text_of(manual / page.replace("README", "index").replace(".md", ".html"))
    assert "made: " not in built
    for _, words in PART.findall(kept):
        assert plain(words) not in plain(built)
    for text in (part() for part in parts):
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
            assert f'id="{github_anchor(heading)}"' in built
        rows = re.findall(r"^\| .* \|$", text, re.MULTILINE)
        there = {plain(row) for row in re.findall(r"<tr>.*?</tr>", built, re.DOTALL)}
        assert len(rows) > 10
        assert [row for row in rows if plain(row) not in there] == []


def plain(text: str) -> str:
    """The letters and digits of a page or a part of it, whether in HTML or in Markdown."""
    text = re.sub(r"\]\([^)\s]*\)", "", html.unescape(re.sub(r"<[^>]+>", "", text)))
    return re.sub(r"[\W_]", "", text)


def test_every_schema_lies_beside_its_page(manual: Path) -> None:
    for kind in SCHEMAS:
        assert (manual / "reference" / f"{kind}.schema.json").is_file()


def test_the_pages_of_the_site_are_linked_where_it_lies_beside(manual: Path) -> None:
    page = text_of(manual / "reference" / "site.html")
    for path, title in SITE_PAGES:
        assert f'<a href="../../{path}">{title}</a>' in page


def test_from_disk_it_is_searched_without_a_network(manual: Path, browser: Browser) -> None:
    with browser.visit(manual / "index.html", DESKTOP) as visit:
        visit.page.click("input.md-search__input")
        visit.page.keyboard.type("barricade")
        visit.page.wait_for_selector(".md-search-result__item a[href*='models']")
        quiet(visit)


def test_nothing_stands_as_it_is_written_in_markdown(manual: Path) -> None:
    """GitHub takes a list or a table for one where mkdocs does not, such as below a paragraph."""
    for page in sorted(manual.rglob("*.html")):
        for article in re.findall(r"<article.*?</article>", text_of(page), re.DOTALL):
            words = html.unescape(re.sub(r"<(pre|code)\b.*?</\1>|<[^>]+>", "", article, flags=re.DOTALL))
            assert not re.findall(r"^\s*(?:- .*|\|.*\||```.*|#+ .*)$|.*(?:\*\*|\]\().*", words, re.MULTILINE), page


def test_every_cell_of_the_notebook_shows_what_its_text_says(manual: Path) -> None:
    """The page was built by running the cells; in the file itself stand no answers, which would soon be old."""
    cells = json.loads(text_of(PROJECT / ".github" / "docs" / "notebook.ipynb"))["cells"]
    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code")
    page = text_of(manual / "reference" / "notebook.html")
    assert {word for word in ("partial cover", "open", "hidden") if f">{word}</span>" in page} == {
        "partial cover",
        "open",
        "hidden",
    }
    pictures = re.findall(r'src="(notebook-\d+\.png)"', page)
    assert len(pictures) == len(set(pictures)) == 6
    assert all((manual / "reference" / name).stat().st_size > 10_000 for name in pictures)
    shares = [float(share) for share in re.findall(r"\[([\d., ]+)\]</pre>", page)[-1].split(", ")]
    assert shares[0] > 0.3
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == 0.0
