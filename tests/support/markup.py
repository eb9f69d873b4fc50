"""The elements of a page, read back from its markup."""

from __future__ import annotations

from html.parser import HTMLParser

from silhouette.pages.html.page import VOID


class Document(HTMLParser):
    """What a page holds: its elements, all properly closed, its ids, texts, references, scripts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for key, value in attrs if key == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        (self.scripts if self.open and self.open[-1] in ("script", "style") else self.texts).append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def policy(self) -> str:
        return next(a["content"] or "" for tag, a in self.elements if a.get("http-equiv") == "Content-Security-Policy")
