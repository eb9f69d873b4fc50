"""TELL: the text of a TOML file in blocks: a header such as [[fighter]], what stands below it, the comments above it.

text -> blocks; blocks -> the same text
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from silhouette.files.documents import MARKS


@dataclass(frozen=True)
class Block:
    """A header of a TOML text with what stands below it; the first block of a text has no header.

    Attributes:
        keys: of the header: ("fighter",) of [[fighter]], ("fighter", "doubt") of [fighter.doubt]; none in the first.
        is_entry: whether the header has two brackets.
        above: the empty lines above it, and comments that are set off from it by an empty line.
        comment: the lines of the comment directly above the header.
        text: the header, and all lines below it that are its own.
    """

    keys: tuple[str, ...]
    is_entry: bool
    above: str
    comment: str
    text: str

    @property
    def whole(self) -> str:
        """The block with what stands above it."""
        return self.above + self.comment + self.text


def blocks_of(text: str) -> tuple[list[Block], str]:
    """The blocks of a TOML text, and what stands below the last one: empty lines and comments.

    Put together again they are the text. A comment belongs to the header that it stands directly above, else to the
    lines that it stands directly below, else to none.

    >>> text = 'rules = "ikosa"\\n\\n# The tall one.\\n[[creature]]\\nname = "ogre"\\n# it flies\\n\\n# That is all.\\n'
    >>> (first, ogre), below = blocks_of(text)
    >>> ogre.keys, ogre.comment, ogre.text
    (('creature',), '# The tall one.\\n', '[[creature]]\\nname = "ogre"\\n# it flies\\n')
    >>> below
    '\\n# That is all.\\n'
    """
    lines = text.split("\n")
    lines = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    heads = list(_headers(text))
    blocks = list[Block]()
    above = comment = ""
    for start, end in zip([0, *heads], [*heads, len(lines)], strict=True):
        own, left = _own(lines[start:end], is_last=end == len(lines))
        keys, is_entry = ((), False) if not blocks else _keys(own[0])
        blocks.append(Block(keys, is_entry, above, comment, "".join(own)))
        first = len(left)
        while end < len(lines) and first and _is_comment(left[first - 1]):
            first -= 1
        above, comment = "".join(left[:first]), "".join(left[first:])
    return blocks, above + comment


def _headers(text: str) -> Iterator[int]:
    """The numbers of the lines, from 0, that are headers."""
    depth, line, begins = 0, 0, True
    for match in MARKS.finditer(text):
        mark = match["mark"]
        if mark == "[" and depth == 0 and begins:
            yield line
        if mark == "\n" or match[0].strip():
            begins = mark == "\n" and depth == 0
        depth += (mark in ("[", "{")) - (mark in ("]", "}"))
        line += match[0].count("\n")


def _own(lines: Sequence[str], *, is_last: bool) -> tuple[Sequence[str], Sequence[str]]:
    """The lines that belong to the header that they begin with, and those that may belong to the next one.

    A comment right below them is theirs, unless the next header follows it without an empty line.
    """
    end = len(lines)
    while end and (not lines[end - 1].strip() or _is_comment(lines[end - 1])):
        end -= 1
    below = next(
        (number for number in range(end, len(lines)) if not lines[number].strip()), len(lines) if is_last else end
    )
    return lines[:below], lines[below:]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _keys(header: str) -> tuple[tuple[str, ...], bool]:
    """The keys of a header, and whether it has two brackets."""
    value: Any = tomllib.loads(header)
    keys = list[str]()
    while value:
        if isinstance(value, list):
            (value,) = value
        else:
            ((key, value),) = value.items()
            keys.append(key)
    return tuple(keys), header.lstrip().startswith("[[")
