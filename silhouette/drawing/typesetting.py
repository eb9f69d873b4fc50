"""DRAW: text made fit for its place: of signs that the type has, in lines no wider than the room.

One logic for vector figures, which measure with matplotlib in mm, and pictures, with Pillow in pixels.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Literal

Weight = Literal["Regular", "Bold"]
ELLIPSIS = "..."
REPLACED = "?"
WORDS_MEASURED = 6  # words that are measured to guess how many fit on a line

SUBSTITUTES = {"×": "x", "–": "-", "—": "-", "…": ELLIPSIS, "Ø": "O", "ø": "o", "ß": "ss", "“": '"', "”": '"', "’": "'"}
"""The replacements of signs that a type may lack, and that no decomposition gives."""


@lru_cache(maxsize=4)
def open_sans(weight: Weight) -> Path | None:
    """The file of Open Sans in a weight, which is part of this package; None where it is missing."""
    file = Path(__file__).with_name("fonts") / f"OpenSans-{weight}.ttf"
    return file if file.is_file() else None


class Type:
    """A type in one size: what knows its signs, and measures a text of them on one line, makes any text fit.

    >>> class Typewriter(Type):
    ...     has, width = staticmethod(str.isascii), staticmethod(len)
    >>> Typewriter().printable("Zoë’s\\n\\u202e漢")
    "Zoe's ?"
    >>> Typewriter().elided("abcdefgh", 5), Typewriter().elided("abc", 5)
    ('a...h', 'abc')
    >>> Typewriter().wrapped("one two three four", 8, 2), Typewriter().wrapped("abcdefgh", 5, 2)
    (['one two', 'thr...ur'], ['abcde', 'fgh'])
    """

    def has(self, sign: str) -> bool:
        """Whether the type has a sign."""
        raise NotImplementedError

    def width(self, text: str) -> float:
        """The width of a printable text on one line."""
        raise NotImplementedError

    def printable(self, text: str) -> str:
        """Any text on one line, of signs that the type has: accents it lacks are dropped, other signs become '?'. Signs
        that only say how others are to be set, such as a change of direction, are left out.
        """
        signs = [sign for sign in text if unicodedata.category(sign) != "Cf"]
        plain = "".join(sign if sign.isprintable() else " " for sign in unicodedata.normalize("NFC", "".join(signs)))
        return "".join(self._replacement(sign) for sign in " ".join(plain.split()))

    def _replacement(self, sign: str) -> str:
        if sign.isspace() or self.has(sign):
            return sign
        if unicodedata.category(sign) in ("Mn", "Me"):  # an accent that no composed sign holds
            return ""
        if sign in SUBSTITUTES:
            return SUBSTITUTES[sign]
        bare = "".join(part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part))
        return bare if bare and all(map(self.has, bare)) else REPLACED

    def elided(self, text: str, room: float) -> str:
        """The text, cut in its middle where it is wider than the room."""
        if self.width(text) <= room:
            return text

        def cut(count: int) -> str:
            return text[: (count + 1) // 2].rstrip() + ELLIPSIS + text[len(text) - count // 2 :].lstrip()

        fitting = bisect_right(range(1, len(text)), room, key=lambda count: self.width(cut(count)))
        return cut(fitting) if fitting else ELLIPSIS

    def wrapped(self, text: str, room: float, most: int) -> list[str]:
        """The text in at most ``most`` lines no wider than the room; the last is elided where text is left over."""
        lines: list[str] = []
        words = text.split()
        while words:
            if len(lines) == most - 1:
                lines.append(self.elided(" ".join(words), room))
                break
            count = self._fitting(words, room)
            if count == 1:  # else each of the words fits
                words[:1] = self._cut_to_width(words[0], room)
            lines.append(" ".join(words[:count]))
            words = words[count:]
        return lines

    def _fitting(self, words: list[str], room: float) -> int:
        """How many words fit on a line, one at least: a guess by the width of some of them, then one more or fewer."""

        def fits(count: int) -> bool:
            return self.width(" ".join(words[:count])) <= room

        some = " ".join(words[:WORDS_MEASURED])
        signs = room * len(some) / max(self.width(some), 1e-9)
        count = max(bisect_right(list(accumulate(len(word) + 1 for word in words)), signs + 1.0), 1)
        if fits(count):
            while count < len(words) and fits(count + 1):
                count += 1
        else:
            while count > 1 and not fits(count):
                count -= 1
        return count

    def _cut_to_width(self, word: str, room: float) -> list[str]:
        pieces = []
        while self.width(word) > room and len(word) > 1:
            fitting = bisect_right(range(1, len(word)), room, key=lambda count: self.width(word[:count]))
            count = max(fitting, 1)
            pieces.append(word[:count])
            word = word[count:]
        return [*pieces, word]
