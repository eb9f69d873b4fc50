"""DRAW: every word that is drawn in a figure, in one place and in four languages.

A verdict's own term is kept in English beside its translation, because players know it from their books. The sentence
that says why comes from the rules and is English; in the other languages `silhouette.drawing.words.reasons` composes
one. English stay warnings, the names of a scene, the pictures of `silhouette check` and `silhouette inspect` that need
no matplotlib, and what lies in a file's metadata.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from silhouette.drawing.words.phrases import PHRASES, VERDICTS
from silhouette.errors import RequestError
from silhouette.text import margin_in_words, share_in_words

LANGUAGES = ("en", "de", "fr", "es")
"""English, German, French and Spanish, in the order of the tables."""

ROUNDED = {"nothing": "no share", "under": "under", "about": "about", "over": "over"}
"""What `share_in_words` may say beside a number, and the phrase for it."""


@dataclass(frozen=True)
class Words:
    """The words of one language.

    Attributes:
        language: one of `LANGUAGES`.

    Raises:
        RequestError: where there is no such language; it names those that there are.

    >>> Words()("title", attacker="Kal", target="V{e}x", verdict="open")
    'Kal → V{e}x: open'
    >>> Words("it")
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: no language 'it'; the languages are en, de, fr, es
    """

    language: str = "en"

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise RequestError(f"no language '{self.language}'; the languages are {', '.join(LANGUAGES)}")

    def __call__(self, key: str, **values: object) -> str:
        """The words for something, with names and numbers put in."""
        return PHRASES[key][LANGUAGES.index(self.language)].format(**values)

    def verdict(self, verdict: str) -> str:
        """A verdict's word, with the rules' own beside it where that is another; one that is not known stays.

        >>> Words().verdict("partial cover"), Words("de").verdict("partial cover"), Words("fr").verdict("fled")
        ('partial cover', 'Teildeckung (partial cover)', 'fled')
        """
        known = VERDICTS.get(verdict)
        if self.language == "en" or known is None:
            return verdict
        said = known[LANGUAGES.index(self.language) - 1]
        return said if said == verdict else f"{said} ({verdict})"

    def number(self, text: str) -> str:
        """Numbers in a text with the decimal sign of the language.

        >>> Words().number("0.14 %"), Words("es").number("0.14 %"), Words("de").number("Nr. 5.")
        ('0.14 %', '0,14 %', 'Nr. 5.')
        """
        return text if self.language == "en" else re.sub(r"(?<=\d)\.(?=\d)", ",", text)

    def share(self, part: int, whole: int) -> str:
        """A share as `silhouette.text.share_in_words` rounds it.

        >>> Words("de").share(4999, 10000), Words("fr").share(1, 10**9), Words("es").share(0, 0)
        ('49,99 %', 'moins de 0,01 %', 'nada')
        """
        first, _, rest = share_in_words(part, whole).partition(" ")
        if first not in ROUNDED:
            return self.number(f"{first} {rest}")
        return self(ROUNDED[first], share=self.number(rest))

    def margin(self, error: float) -> str:
        """How far a share may be off, as `silhouette.text.margin_in_words` rounds it.

        >>> Words("de").margin(0.00131), Words("de").margin(0.0)
        (' ± 0,14 %', '')
        """
        return self.number(margin_in_words(error))
