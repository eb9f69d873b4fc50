"""TELL: a figure written as SVG becomes part of a page; its ids differ from those of all other figures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from xml.etree import ElementTree

from silhouette.pages.html.markup import Markup, text

SVG = "{http://www.w3.org/2000/svg}"
PREFIXES = {"http://www.w3.org/1999/xlink": "xlink:", "http://www.w3.org/XML/1998/namespace": "xml:"}

LEFT_OUT = frozenset(SVG + name for name in ("metadata", "title", "desc", "style", "script", "foreignObject"))
"""The elements that are left out: a page has its own title and style sheet, and must not have scripts."""

_FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}")
_REFERENCE = re.compile(r"url\(#")


@dataclass(frozen=True)
class InlineFigure:
    """A figure as a part of a page.

    Attributes:
        markup: the ``<svg>`` element.
        fonts: the ``@font-face`` rules that its text is set in, for the page's own style sheet.
    """

    markup: Markup
    fonts: tuple[str, ...]


def inlined(svg: str | bytes, mark: str, label: str) -> InlineFigure:
    """A figure for a page, as one picture with a label for readers who do not see it.

    Args:
        svg: the file's content, as `silhouette.drawing` writes it.
        mark: put before every id in it; no two figures of a page may have the same.
        label: the content of the figure, in words.

    >>> drawn = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3" width="4pt"><title>t</title>'
    >>> drawn += '<g id="a"><text>a&lt;b</text></g><path clip-path="url(#a)" onclick="no()"/></svg>'
    >>> found = inlined(drawn, "f1-", 'Kal & "Vex"').markup
    >>> found[: found.index(">")]
    '<svg viewBox="0 0 4 3" role="img" aria-label="Kal &amp; &quot;Vex&quot;" class="drawing"'
    >>> found[found.index(">") :]
    '><g id="f1-a"><text>a&lt;b</text></g><path clip-path="url(#f1-a)"></path></svg>'
    """
    root = ElementTree.fromstring(svg)
    styles = [style.text or "" for style in root.iter(f"{SVG}style")]
    fonts = tuple(rule for style in styles for rule in _FONT_FACE.findall(style))
    inner = "".join(_element(child, mark) for child in root if child.tag not in LEFT_OUT)
    view = escape(root.get("viewBox", "0 0 1 1"))
    start = f'<svg viewBox="{view}" role="img" aria-label="{text(label)}" class="drawing">'
    return InlineFigure(Markup(f"{start}{inner}</svg>"), fonts)


def _element(node: ElementTree.Element, mark: str) -> str:
    """An element with its content, as HTML; elements and attributes that a figure does not need are left out."""
    name = node.tag.removeprefix(SVG)
    attributes = "".join(_attribute(key, value, mark) for key, value in node.attrib.items())
    inner = [escape(node.text or "", quote=False) if name in ("text", "tspan") else ""]
    for child in node:
        if child.tag not in LEFT_OUT:
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
        value = _REFERENCE.sub(f"url(#{mark}", value)
    return f' {prefix}{name}="{escape(value)}"'
