"""TELL: text becomes HTML, escaped once and in one place; everything but `Markup` is plain text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import chain

from silhouette.text import printable

VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "col", "wbr"})
"""Elements that have no content and no end."""


class Markup(str):
    """HTML that is put into a page as it is."""

    __slots__ = ()


Content = str | Iterable[str]
"""Text, markup, or several of them."""


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
    kept = "".join(sign if sign.isprintable() or sign in "\n\t" else "?" for sign in words.replace("\r\n", "\n"))
    return Markup(escape(kept))


def joined(*content: Content) -> Markup:
    """Several pieces one after the other; those that are plain text are escaped.

    >>> joined("1 < 2", [element("b", "Kal"), " & Vex"])
    '1 &lt; 2<b>Kal</b> &amp; Vex'
    >>> joined()
    ''
    """
    pieces = chain.from_iterable([part] if isinstance(part, str) else part for part in content)
    return Markup("".join(text(piece) for piece in pieces))


def element(name: str, /, *content: Content, **attributes: str | int | bool | None) -> Markup:
    """An element with its content and attributes, both escaped.

    Args:
        name: of the element.
        content: text, markup, or several of them.
        attributes: by name, ``_`` for ``-``, with a ``_`` behind names that Python keeps for itself (``class_``). True
            stands for an attribute without a value; False and None leave it out.

    >>> element("a", "to <Vex>", href="a.html?b&c", class_="next")
    '<a href="a.html?b&amp;c" class="next">to &lt;Vex&gt;</a>'
    >>> element("input", type="checkbox", checked=True, disabled=False, aria_label='"Kal"')
    '<input type="checkbox" checked aria-label="&quot;Kal&quot;">'
    >>> element("p")
    '<p></p>'
    """
    listed = "".join(_attribute(key, value) for key, value in attributes.items())
    start = f"<{name}{listed}>"
    return Markup(start if name in VOID else f"{start}{joined(*content)}</{name}>")


def _attribute(key: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(str(value))}"'
