"""TELL: the skeleton of all pages: a whole HTML document that holds all it needs and may fetch nothing.

A page works without scripts, on paper, on a phone 390 pixels wide, by keyboard alone, in light and in dark; its colours
are those of the figures (`silhouette.drawing.styles`), which tell things apart for colour-blind people as well. Text
becomes HTML, escaped once and in one place; everything but `Markup` is plain text.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from html import escape
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from silhouette.common.errors import FileError
from silhouette.common.text import json_text, printable
from silhouette.drawing.styles import DARK, PRINT, Style
from silhouette.files.writing import check_place
from silhouette.judging import Judged
from silhouette.judging.calls import TOO_CLOSE, stands
from silhouette.rules.base import Level

VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "col", "wbr"})  # elements that have no content and no end


class Markup(str):
    """HTML that is put into a page as it is."""

    __slots__ = ()


Content = str | Iterable[str]  # text, markup, or several of them


def text(words: str) -> Markup:
    """Words as HTML that shows just them, on one line and without control characters.

    >>> text("<b>&\\u0000 Kal")
    '&lt;b&gt;&amp;? Kal'
    """
    return words if isinstance(words, Markup) else Markup(escape(printable(words)))


def verbatim(words: str) -> Markup:
    """Text as HTML that shows exactly that text with its line breaks, such as the content of a file.

    >>> verbatim("a <b>\\n\\tc\\x00")
    'a &lt;b&gt;\\n\\tc?'
    """
    shown = "".join(sign if sign.isprintable() or sign in "\n\t" else "?" for sign in words.replace("\r\n", "\n"))
    return Markup(escape(shown))


def joined(*content: Content) -> Markup:
    """Several pieces one after the other; those that are plain text are escaped.

    >>> joined("1 < 2", [element("b", "Kal"), " & Vex"])
    '1 &lt; 2<b>Kal</b> &amp; Vex'
    """
    pieces = chain.from_iterable([part] if isinstance(part, str) else part for part in content)
    return Markup("".join(text(piece) for piece in pieces))


def element(name: str, /, *content: Content, **attributes: str | int | bool | None) -> Markup:
    """An element with its content and attributes, both escaped.

    Attributes are named with ``_`` for ``-``, and a ``_`` behind names that Python keeps for itself (``class_``). True
    stands for one without a value; False and None leave it out.

    >>> element("a", "to <Vex>", href="a.html?b&c", class_="next")
    '<a href="a.html?b&amp;c" class="next">to &lt;Vex&gt;</a>'
    >>> element("input", type="checkbox", checked=True, disabled=False, aria_label='"Kal"')
    '<input type="checkbox" checked aria-label="&quot;Kal&quot;">'
    """
    listed = "".join(_attribute_of(key, value) for key, value in attributes.items())
    start = f"<{name}{listed}>"
    return Markup(start if name in VOID else f"{start}{joined(*content)}</{name}>")


def _attribute_of(key: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(str(value))}"'


# ---- figures in a page

SVG = "{http://www.w3.org/2000/svg}"
PREFIXES = {"http://www.w3.org/1999/xlink": "xlink:", "http://www.w3.org/XML/1998/namespace": "xml:"}

OMITTED_ELEMENTS = frozenset(SVG + name for name in ("metadata", "title", "desc", "style", "script", "foreignObject"))
"""The elements that are left out: a page has its own title and style sheet, and must not have scripts."""

_FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}")
_REFERENCE_PATTERN = re.compile(r"url\(#")


def inlined(svg: str | bytes, mark: str, label: str) -> tuple[Markup, tuple[str, ...]]:
    """A figure as `silhouette.drawing` writes it, as an ``<svg>`` of a page, and its ``@font-face`` rules.

    ``mark`` is put before every id in it, another one for each figure of a page; the label says in words what it shows.

    >>> drawn = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3" width="4pt"><title>t</title>'
    >>> drawn += '<g id="a"><text>a&lt;b</text></g><path clip-path="url(#a)" onclick="no()"/></svg>'
    >>> markup, _ = inlined(drawn, "f1-", 'Kal & "Vex"')
    >>> markup[: markup.index(">")]
    '<svg viewBox="0 0 4 3" role="img" aria-label="Kal &amp; &quot;Vex&quot;" class="drawing"'
    >>> markup[markup.index(">") :]
    '><g id="f1-a"><text>a&lt;b</text></g><path clip-path="url(#f1-a)"></path></svg>'
    """
    root = ElementTree.fromstring(svg)
    styles = [style.text or "" for style in root.iter(f"{SVG}style")]
    fonts = tuple(rule for style in styles for rule in _FONT_FACE.findall(style))
    inner = "".join(_element(child, mark) for child in root if child.tag not in OMITTED_ELEMENTS)
    view = escape(root.get("viewBox", "0 0 1 1"))
    start = f'<svg viewBox="{view}" role="img" aria-label="{text(label)}" class="drawing">'
    return Markup(f"{start}{inner}</svg>"), fonts


def _element(node: ElementTree.Element, mark: str) -> str:
    """An element with its content, as HTML; elements and attributes that a figure does not need are left out."""
    name = node.tag.removeprefix(SVG)
    attributes = "".join(_attribute(key, value, mark) for key, value in node.attrib.items())
    inner = [escape(node.text or "", quote=False) if name in ("text", "tspan") else ""]
    for child in node:
        if child.tag not in OMITTED_ELEMENTS:
            inner.append(_element(child, mark))
        if name in ("text", "tspan"):
            inner.append(escape(child.tail or "", quote=False))
    return f"<{name}{attributes}>{''.join(inner)}</{name}>"


def _attribute(key: str, value: str, mark: str) -> str:
    space, _, name = key.rpartition("}")
    prefix = PREFIXES.get(space.removeprefix("{"), "")
    if name.startswith("on") or (space and not prefix):
        return ""
    if name == "id":
        value = mark + value
    elif name == "href":
        if not value.startswith(("#", "data:image/")):
            return ""
        value = f"#{mark}{value[1:]}" if value.startswith("#") else value
    else:
        value = _REFERENCE_PATTERN.sub(f"url(#{mark}", value)
    return f' {prefix}{name}="{escape(value)}"'


# ---- the page

LEVEL_SIGNS: Mapping[Level | None, tuple[str, str]] = {
    Level.CLEAR: ("free", "○"),
    Level.PARTIAL: ("part", "◐"),
    Level.FULL: ("most", "◕"),
    Level.BLOCKED: ("none", "●"),
    None: ("", ""),
}
"""The class of a verdict in a page, and a sign that needs no colour, by its level."""


class Figures:
    """The figures of one page: each is inlined with its own ids, and their type is kept for the style sheet.

    >>> figures = Figures()
    >>> drawn = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><g id="a"/></svg>'
    >>> [figures.add(drawn, "A plan", "Plan").count('id="f2-a"') for _ in range(2)]
    [0, 1]
    """

    def __init__(self) -> None:
        self._count = 0
        self._fonts: dict[str, None] = {}

    def add(self, svg: str | bytes, label: str, caption: Content = (), **attributes: str) -> Markup:
        """A ``<figure>`` of the attributes given, with a drawing as `inlined` takes it, and a caption, if any."""
        self._count += 1
        markup, fonts = inlined(svg, f"f{self._count}-", label)
        self._fonts.update(dict.fromkeys(fonts))
        below = joined(caption)
        return element("figure", markup, element("figcaption", below) if below else "", **attributes)

    @property
    def type(self) -> str:
        """The ``@font-face`` rules of all figures."""
        return "".join(self._fonts)


@dataclass(frozen=True)
class Head:
    """The head of a page: a title, which is no ``<h1>``, a sentence about it, the figures whose type goes into the
    style sheet, rules for this page alone, after those of all pages, and the code of its language.

    Of a page among others: ``first_script``, the attributes of one that runs before all else; ``scripts``, files beside
    it that run in this order after it is loaded; and ``links``, the files that browsers take for more than the page,
    such as its icon: the relation and the path of each.
    """

    title: str
    description: str = ""
    figures: Figures | None = None
    style: str = ""
    language: str = "en"
    first_script: Mapping[str, str] | None = None
    scripts: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


def page(
    head: Head,
    *content: Content,
    top: Content = (),
    foot: Content = (),
    skip: str = "Skip to the content",
    script: str = "",
    data: Mapping[str, Any] | None = None,
    local_pictures: bool = False,
) -> str:
    """A whole page: HTML5 in one text, to be written as UTF-8.

    Args:
        top: the elements above the content, such as links to other pages.
        skip: the words of the link that leads a keyboard past ``top``.
        script: JavaScript that runs when the page is loaded; nothing else on the page can run.
        data: the values for the script, by the id of the ``<script type="application/json">`` that holds each.
        local_pictures: whether pictures in the folder of the page may be shown too, not only those in the page.
    """
    type_of_figures = head.figures.type if head.figures else ""
    metadata = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(head, script, local_pictures)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content="silhouette"),
        element("meta", name="description", content=head.description) if head.description else "",
        element("title", head.title),
        element("script", **head.first_script) if head.first_script else "",
        *(element("link", rel=relation, href=path) for relation, path in head.links),
        Markup(f"<style>{type_of_figures}{style_sheet()}{head.style}</style>"),
    ]
    over, under = joined(top), joined(foot)
    body = [
        element("a", skip, href="#content", class_="skip"),
        element("header", over, class_="top") if over else "",
        element("main", *content, id="content", tabindex="-1"),
        element("footer", under) if under else "",
        *(_data(key, value) for key, value in (data or {}).items()),
        Markup(f"<script>{script}</script>") if script else "",
        *(element("script", src=path, defer=True) for path in head.scripts),
    ]
    document = element("html", element("head", metadata), element("body", body), lang=head.language)
    return f"<!DOCTYPE html>\n{document}\n"


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[Content]], **attributes: str) -> Markup:
    """A table whose first column names its rows; on a narrow screen each row becomes a card."""
    head = element("tr", [element("th", heading, scope="col", role="columnheader") for heading in headings], role="row")
    body = [element("tr", _cells(headings, row), role="row") for row in rows]
    return element(
        "table",
        element("caption", caption),
        element("thead", head, role="rowgroup"),
        element("tbody", body, role="rowgroup"),
        role="table",
        **attributes,
    )


def _cells(names: Sequence[str], row: Sequence[Content]) -> list[Markup]:
    first = element("th", row[0], scope="row", role="rowheader", data_label=names[0])
    pairs = zip(names[1:], row[1:], strict=True)
    return [first, *(element("td", cell, role="cell", data_label=name) for name, cell in pairs)]


def verdict_mark(verdict: str, level: Level | None) -> Markup:
    """A verdict as a small plate: its colour and its sign have the meaning of its words.

    The level is None where the verdict is not about how exposed a target is.

    >>> verdict_mark("hidden", Level.BLOCKED)
    '<span class="verdict none"><span aria-hidden="true">●</span> hidden</span>'
    >>> verdict_mark("possible", None)
    '<span class="verdict">possible</span>'
    """
    kind, sign = LEVEL_SIGNS[level]
    icon = joined(element("span", sign, aria_hidden="true"), " ") if sign else Markup()
    return element("span", icon, verdict, class_=f"verdict {kind}".rstrip())


def plate(judged: Judged, close: str) -> Markup:
    """The mark of a verdict, with a word beside it if it is too close to call; if there are odds, that of the call."""
    words, note = stands(judged.verdict, judged.call)
    mark = verdict_mark(words, judged.level)
    beside = note.replace(TOO_CLOSE, close) if judged.call is None else note
    return joined(mark, " ", element("span", beside, class_="close")) if note else mark


@lru_cache(maxsize=1)
def style_sheet() -> str:
    """The style sheet of every page: the colours of the figures as variables, and the rules that use them."""
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
    return f":root{{{_variables(PRINT)}}}{dark}{asset('signs.css')}{asset('page.css')}"


def asset(name: str) -> str:
    """A text file that comes with the pages, such as their style sheet."""
    return files("silhouette.pages.html").joinpath("assets", name).read_text(encoding="utf-8")


def check_page_path(path: Path) -> None:
    """Checks, before anything is judged, that a page can be written there.

    >>> check_page_path(Path("duel.pdf"))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.pdf: pages are HTML; give a name that ends in .html
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise FileError(path, "pages are HTML; give a name that ends in .html")
    check_place(path)


def _variables(style: Style) -> str:
    return "".join(f"--{field.name.replace('_', '-')}:{getattr(style, field.name)};" for field in fields(style))


LOCAL = "'self' file:"  # in a policy: the files beside a page, on a host and on disk


def _policy(head: Head, script: str, local_pictures: bool) -> str:
    """The content security policy: show what is in the page, run its scripts, and reach nothing but files beside it."""
    own = [f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"] if script else []
    runs = " ".join([*own, *([LOCAL] if head.scripts else [])]) or "'none'"
    shows = f"data: blob: {LOCAL}" if local_pictures else "data: blob:"
    rules = {
        "default-src": "'none'",
        "script-src": runs,
        "worker-src": f"blob: {LOCAL}" if head.scripts else "blob:",
        "style-src": "'unsafe-inline'",
        "img-src": shows,
        "font-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        **({"manifest-src": "'self'"} if head.links else {}),
    }
    return "; ".join(f"{key} {value}" for key, value in rules.items())


def _data(key: str, value: Any) -> Markup:
    """Data for a script; no sign in it can end the element."""
    document = json_text(value, separators=(",", ":"), ensure_ascii=True)
    safe = document.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="application/json" id="{key}">{safe}</script>')
