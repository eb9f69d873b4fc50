"""TELL: what all pages of the site have in common: their head, the links between them, and their foot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from silhouette.common.installation import VERSION
from silhouette.drawing.words.words import LANGUAGES
from silhouette.pages.html.page import Content, Head, Markup, asset, element, joined, page
from silhouette.pages.report.words import PageWords

SITE_NAME = "Silhouette"

SITE_INDEX = "index.html"
OWN_PAGE = "own.html"
GAMES_PAGE = "games.html"
GALLERY_PAGE = "gallery.html"
TUTORIAL_FOLDER = "tutorial"
TABLES_FOLDER = "tables"
MESHES_FOLDER = "meshes"
MANIFEST_FILE = "manifest.webmanifest"
ICON_FILE = "icon-192.png"
SITE_SCRIPT = "site.js"
LANGUAGE_SCRIPT = "language.js"
VIEWER_SCRIPT = "viewer.min.js"
JUDGE_SCRIPT = "judge.js"

SITE_PAGES = (
    (SITE_INDEX, "The table"),
    (OWN_PAGE, "Your meshes"),
    (f"{TUTORIAL_FOLDER}/index.html", "Tutorial"),
    (GAMES_PAGE, "Games"),
    (GALLERY_PAGE, "Gallery"),
)
"""The pages that every other one leads to, and what they are called."""

ENGLISH_FOLDERS = (TUTORIAL_FOLDER, "manual")
"""What lies there is in English alone."""

LANGUAGE_NAMES = {"de": "Deutsch", "en": "English", "es": "Español", "fr": "Français"}


@dataclass(frozen=True)
class SitePage:
    """A page of the site in one language: its path in the folder of that language, which of English is the site's own,
    its title, a sentence, its content, and what runs in it.
    """

    path: str
    title: str
    summary: str
    content: Content
    scripts: tuple[str, ...] = ()  # by their paths in the folder, in the order in which they run
    data: Mapping[str, Any] | None = None  # for the scripts
    foot: Content = ()
    manual: str | None = None  # where the manual begins: a path in the site's folder, or an address
    words: PageWords = field(default_factory=PageWords)

    @property
    def file(self) -> str:
        """Its path in the site's folder."""
        return f"{folder_of(self.words.language)}{self.path}"

    @property
    def above(self) -> str:
        """What leads from the page to the site's folder: one ``../`` for each folder in which it lies."""
        return "../" * self.file.count("/")

    def written(self) -> str:
        """The whole page: HTML in one text."""
        head = Head(
            self.title if self.path == SITE_INDEX else f"{self.title} · {SITE_NAME}",
            self.summary,
            style=asset("report.css") + asset("site.css"),
            language=self.words.language,
            first_script={
                "src": f"{self.above}{LANGUAGE_SCRIPT}",
                "data_path": self.path,
                "data_languages": " ".join(LANGUAGES),
            },
            scripts=tuple(f"{self.above}{script}" for script in (*self.scripts, SITE_SCRIPT)),
            links=(
                ("manifest", f"{self.above}{MANIFEST_FILE}"),
                ("icon", f"{self.above}{ICON_FILE}"),
                ("apple-touch-icon", f"{self.above}{ICON_FILE}"),
            ),
        )
        made = element(
            "p",
            self.words.phrase(
                "Made by Silhouette {version}. Nothing that you do here leaves this device.", version=VERSION
            ),
        )
        return page(
            head,
            self.content,
            top=self._navigation(),
            foot=joined(made, self.foot),
            skip=self.words.phrase("Skip to the content"),
            data=self.data,
            local_pictures=True,
        )

    def _navigation(self) -> Markup:
        words, home = self.words, "../" * self.path.count("/")
        links = [
            element(
                "a",
                words.phrase(title),
                href=f"{self.above if is_english(path) else home}{path}",
                hreflang=words.foreign if is_english(path) else None,
                aria_current="page" if path == self.path else None,
            )
            for path, title in SITE_PAGES
        ]
        if self.manual:
            address = self.manual if "://" in self.manual else f"{self.above}{self.manual}"
            links.append(element("a", words.phrase("Manual"), href=address, hreflang=words.foreign))
        pages = element("nav", _listed(links), aria_label=words.phrase("Pages"))
        return element("div", pages, self._languages(), class_="frame")

    def _languages(self) -> Markup:
        """The page in the other languages; its script keeps the one that is chosen."""
        links = [
            element(
                "a",
                name,
                href=f"{self.above}{folder_of(language)}{self.path}",
                lang=language,
                hreflang=language,
                data_language=language,
                aria_current="true" if language == self.words.language else None,
            )
            for language, name in LANGUAGE_NAMES.items()
        ]
        return element("nav", _listed(links), aria_label=self.words.phrase("Language"), class_="languages")


def _listed(links: list[Markup]) -> Markup:
    return element("ul", [element("li", link) for link in links])


def folder_of(language: str) -> str:
    """The folder of the pages in a language, seen from the site's: none for English.

    >>> folder_of("de"), folder_of("en")
    ('de/', '')
    """
    return "" if language == LANGUAGES[0] else f"{language}/"


def is_english(path: str) -> bool:
    """Whether a page is in English alone.

    >>> is_english("tutorial/index.html"), is_english("games.html")
    (True, False)
    """
    return path.startswith(tuple(f"{folder}/" for folder in ENGLISH_FOLDERS))


def viewer_licence(words: PageWords) -> Markup:
    """The licence of what the viewer uses, folded away, for the foot of a page that has it."""
    summary = element("summary", words.phrase("Licence of the 3D view's library, three.js"))
    return element("details", summary, element("pre", asset("three.LICENSE.txt"), lang=words.foreign), class_="screen")
