"""DRAW: the words of figures in one language, with names and numbers put in.

The English term of a verdict stands next to its translation, because players know it from their books. Warnings, the
names of a scene, the pictures of `silhouette check` and `silhouette inspect`, which need no matplotlib, and the
metadata of a file stay English.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files

from silhouette.drawing.words.phrases import PHRASES
from silhouette.errors import RequestError
from silhouette.rules import rule_called
from silhouette.rules.base import Phrase
from silhouette.text import margin_in_words, share_in_words

LANGUAGES = ("en", "de", "fr", "es")
"""English, German, French and Spanish."""

ROUNDED = {"nothing": "no share", "under": "under", "about": "about", "over": "over"}
"""The words that `share_in_words` puts before a number, and the phrase for each."""

VERDICT = "verdict"
"""The context of a verdict's word in a catalogue; that of a phrase is its name."""


@dataclass(frozen=True)
class Words:
    """The words of one language.

    Attributes:
        language: one of `LANGUAGES`.
        rules: the name of the rule system whose phrases are known besides those of all systems, or None.

    Raises:
        RequestError: where there is no such language; it names those that there are.

    >>> Words()("title", attacker="Kal", target="V{e}x", verdict="open")
    'Kal → V{e}x: open'
    >>> Words("fr")("share", share="3 %"), Words("fr", "ikosa")("gravity")
    ('3 % masqué', 'gravité')
    >>> Words("it")
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: no language 'it'; the languages are en, de, fr, es
    """

    language: str = "en"
    rules: str | None = None

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise RequestError(f"no language '{self.language}'; the languages are {', '.join(LANGUAGES)}")

    def of(self, rules: str) -> Words:
        """The words of the same language with the phrases and verdicts of a rule system."""
        return Words(self.language, rules)

    def __call__(self, key: str, **values: object) -> str:
        """A phrase by its name, with ``values`` put in; where it has a text for one and for several, by ``count``.

        >>> words = Words("es", "ikosa")
        >>> [words("why lines", attacker="A", target="B", lines=4, count=count)[-19:] for count in (1, 2)]
        [' el terreno pasa 1.', 'el terreno pasan 2.']
        """
        own = rule_called(self.rules).phrases if self.rules else {}
        phrases, package = (own, self._package) if key in own else (PHRASES, __package__)
        return _translated(phrases, key, translations(package, self.language), values.get("count")).format(**values)

    def verdict(self, verdict: str) -> str:
        """The word for a verdict, with the rules' own in brackets where it differs; one without translation stays.

        >>> Words("en", "necromunda").verdict("partial cover"), Words("de", "necromunda").verdict("partial cover")
        ('partial cover', 'Teildeckung (partial cover)')
        >>> Words("fr", "necromunda").verdict("fled")
        'fled'
        """
        translated = translations(self._package, self.language).pgettext(VERDICT, verdict)
        return translated if translated == verdict else f"{translated} ({verdict})"

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
        """The error of a share, as `silhouette.text.margin_in_words` rounds it.

        >>> Words("de").margin(0.00131), Words("de").margin(0.0)
        (' ± 0,14 %', '')
        """
        return self.number(margin_in_words(error))

    @property
    def _package(self) -> str:
        """The package of the rule system, in which its translations lie; empty where there is none."""
        module = type(rule_called(self.rules)).__module__ if self.rules else ""
        return (sys.modules[module].__package__ or "") if module else ""


@lru_cache(maxsize=64)
def translations(package: str, language: str) -> NullTranslations:
    """The catalogue ``locale/LANGUAGE.mo`` of a package; where there is none, one that leaves all as it is."""
    if not package:
        return NullTranslations()
    file = files(package) / "locale" / f"{language}.mo"
    if not file.is_file():
        return NullTranslations()
    with file.open("rb") as stream:
        return GNUTranslations(stream)


def _translated(phrases: Mapping[str, Phrase], key: str, catalogue: NullTranslations, count: object) -> str:
    phrase = phrases[key]
    if isinstance(phrase, str):
        return catalogue.pgettext(key, phrase)
    singular, plural = phrase
    assert isinstance(count, int), f"'{key}' is said of a number of things, which is its count"
    return catalogue.npgettext(key, singular, plural, count)
