"""TELL: what all pages of the site have in common: their head, the links between them, and their foot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from silhouette.common.installation import VERSION
from silhouette.pages.html.page import Content, Head, Markup, asset, element, joined, page

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
VIEWER_SCRIPT = "viewer.min.js"

SITE_PAGES = (
    (SITE_INDEX, "The table"),
    (OWN_PAGE, "Your meshes"),
    (f"{TUTORIAL_FOLDER}/index.html", "Tutorial"),
    (GAMES_PAGE, "Games"),
    (GALLERY_PAGE, "Gallery"),
)
"""The pages that every other one leads to, and what they are called."""


@dataclass(frozen=True)
class SitePage:
    """A page of the site: its path in the folder, its title, a sentence, its content, and what runs in it."""

    path: str
    title: str
    summary: str
    content: Content
    scripts: tuple[str, ...] = ()  # by their paths in the folder, in the order in which they run
    data: Mapping[str, Any] | None = None  # for the scripts
    foot: Content = ()
    manual: str | None = None  # where the manual begins: a path in the folder, or an address

    @property
    def above(self) -> str:
        """What leads from the page to the folder: one ``../`` for each folder in which it lies."""
        return "../" * self.path.count("/")

    def written(self) -> str:
        """The whole page: HTML in one text."""
        head = Head(
            self.title if self.path == SITE_INDEX else f"{self.title} · {SITE_NAME}",
            self.summary,
            style=asset("report.css") + asset("site.css"),
            scripts=tuple(f"{self.above}{script}" for script in (*self.scripts, SITE_SCRIPT)),
            links=(
                ("manifest", f"{self.above}{MANIFEST_FILE}"),
                ("icon", f"{self.above}{ICON_FILE}"),
                ("apple-touch-icon", f"{self.above}{ICON_FILE}"),
            ),
        )
        made = element("p", f"Made by Silhouette {VERSION}. Nothing that you do here leaves this device.")
        return page(
            head,
            self.content,
            top=self._navigation(),
            foot=joined(made, self.foot),
            data=self.data,
            local_pictures=True,
        )

    def _navigation(self) -> Markup:
        links = [
            element("a", words, href=f"{self.above}{path}", aria_current="page" if path == self.path else None)
            for path, words in SITE_PAGES
        ]
        if self.manual:
            is_address = "://" in self.manual
            links.append(element("a", "Manual", href=self.manual if is_address else f"{self.above}{self.manual}"))
        return element("nav", element("ul", [element("li", link) for link in links]), aria_label="Pages")


def viewer_licence() -> Markup:
    """The licence of what the viewer uses, folded away, for the foot of a page that has it."""
    summary = element("summary", "Licence of the 3D view's library, three.js")
    return element("details", summary, element("pre", asset("three.LICENSE.txt")), class_="screen")
