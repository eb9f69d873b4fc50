"""EXCHANGE: names of objects as other programs have them become names in a scene, and of files."""

from __future__ import annotations

import re

LONGEST = 80
"""Letters of a name."""

_COLOURS = re.compile(r"\[(?:[0-9a-fA-F]{6}|-|/?[bius]|/?su[bp])\]")
"""Marks of colour and style in names of Tabletop Simulator."""


def plain_name(name: str) -> str:
    """A name in one line that can be shown anywhere, without marks of colour and style; empty where nothing is left.

    >>> plain_name("[ff0000]Kal[-]\\n the  [b]Red[/b]"), plain_name("\\ud800\\x07")
    ('Kal the Red', '')
    """
    text = _COLOURS.sub("", name[: 20 * LONGEST])
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:LONGEST].strip()


class UniqueNames:
    """Names that are given once each: a second "Kal" is called "Kal 2".

    >>> names = UniqueNames()
    >>> names.of("Kal"), names.of("Kal 2"), names.of("Kal"), names.of("Kal")
    ('Kal', 'Kal 2', 'Kal 3', 'Kal 4')
    """

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._count: dict[str, int] = {}

    def of(self, name: str) -> str:
        """The name itself, or with the next number that is free."""
        unique = name
        while unique in self._given:
            number = self._count.get(name, 1) + 1
            self._count[name] = number
            unique = f"{name} {number}"
        self._given.add(unique)
        return unique


def file_stem(name: str) -> str:
    """A name for a file without its ending, of letters and digits of ASCII.

    >>> file_stem("Kal / 2"), file_stem("..."), file_stem("CON")
    ('kal_2', 'piece', 'con_')
    """
    stem = re.sub(r"[^a-z0-9-]+", "_", name.lower()).strip("_")[:60] or "piece"
    return f"{stem}_" if re.fullmatch(r"con|prn|aux|nul|com\d|lpt\d", stem) else stem
