"""TELL: the words of a report in one language: its sentences, and what games say of results and of pieces.

A sentence stands in English where it is used, in ``words.phrase("...")``; ``python -m tests.catalogues`` gathers these
and `VOCABULARY`, and compiles the translations in ``locale/``. Warnings, the sections of rule books, keys of scene
files and expectations that are not met stay English, marked as such for screen readers (``lang="en"``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from gettext import NullTranslations

from silhouette.drawing.words.words import Words, translations
from silhouette.judging.calls import CALL_WORDS
from silhouette.rules.base import Verdict
from silhouette.scenes.scene import Check

PAGE_CONTEXT = "page"  # the context of a page's words in a catalogue

VOCABULARY: tuple[str, ...] = (
    # kinds of pieces, and what tables of pieces say of them
    *("fighter", "vehicle", "terrain", "model", "unit", "hexes", "creature", "solid", "effect", "character", "object"),
    *("fighter of", "vehicle of", "model of", "facing", "unknown", "given", "estimated", "triangles", "base"),
    *("insignificant", "solids of the scene", "a stand-in", "level", "flying", "gives cover", "blocks nothing"),
    *(
        "gravity",
        "at",
        "mm",
        "inches",
        "mm at",
        "cm at",
        "inches at",
        "to",
        "on",
        "cover from a card",
        "clear",
        "woods",
        "building",
        "smoke",
    ),
    *("name", "kind", "stands at", "eye", "mesh", "counts", "hash", "where", "how", "size"),
    "Everything on the board, and where it stands.",
    (
        "Everything on the table, where it stands, and what its mesh is. A hash names a surface: with the same hash it "
        "is the same mesh, triangle by triangle."
    ),
    # what verdicts rest on
    *("tolerance", "game", "mode", "ranges", "other hexes", "melee", "ranged", "range"),
    "{0} % on either side of a threshold is too close to call",
    "range {0} is {1}, range {2} is {3} mm",
    "nothing: this game is judged exactly, by its geometry",
    "lines, distances and outlines, on the meshes of the table",
    # codes of results
    *("same hex", "adjacent", "blocking terrain", "higher elevation", "plateau", "blind hex", "both sides blocked"),
    *("left", "right", "front", "rear", "yes", "no", CALL_WORDS["call"]),
    # captions of figures, and remarks on the table in 3D
    *("The cells", "The board", "All that the attacker does not see", "Every model that was counted."),
    (
        "For display the meshes are simplified from {0} to {1} triangles. No verdict rests on the simplified ones: "
        "what is judged is always the whole mesh."
    ),
    "The meshes are shown as they were judged, but for the rounding of their coordinates.",
    "The meshes are whole: by them the page itself judges, wherever the pieces are moved.",
    "Creatures fill their cells; the lines are those from corner to corner by which cover is judged.",
    "Of many lines, {0} of a kind are drawn.",
    (
        "This game is judged hex by hex, in whole levels: heights and the things on the hexes are drawn for display "
        "alone, and where one can see from somewhere in this picture is no verdict."
    ),
    (
        "This game is judged in the plan, by sizes: bodies are drawn as high as their sizes for display alone, and "
        "where one can see from somewhere in this picture is no verdict."
    ),
)
"""What games and figures say in English, for `PageWords.of_game`; the names of fields of results are known besides."""

_WRITTEN_NUMBER = re.compile(r"\d+(?: \d{3})*(?:\.\d+)?")
_BRACKETED = re.compile(r"\[[^\]]*\]|[^\[]+")  # they keep the decimal point of scene files, or all that is before some
_SMALL_LETTERS = re.compile(r"(?<![\w./\\-])[a-z][a-z' ]*[a-z](?![\w./\\-])")


@dataclass(frozen=True)
class PageWords(Words):
    """The words of a report, besides those of figures.

    >>> words = PageWords("de")
    >>> words.phrase("Whole table"), words.counted(2, "{count} check", "{count} checks")
    ('Ganzer Tisch', '2 Prüfungen')
    >>> PageWords().phrase("From {name}'s eye", name="Kal")
    "From Kal's eye"
    """

    def phrase(self, english: str, /, **values: object) -> str:
        """A phrase by its English text, with ``values`` put in; without any, what stands in braces stays."""
        text = self._catalogue.pgettext(PAGE_CONTEXT, english)
        return text.format(**values) if values else text

    def counted(self, count: int, singular: str, plural: str, /) -> str:
        """A number of things, in the form of the number, which stands for ``{count}``."""
        return self._catalogue.npgettext(PAGE_CONTEXT, singular, plural, count).format(count=count)

    def of_game(self, text: str) -> str:
        """What a game says in English, by `VOCABULARY`: whole, with its numbers, or else word by word if all are known.

        >>> PageWords("de").of_game("[0, 120, 3], facing 90.5°"), PageWords().of_game("[0, 120, 3], facing 90.5°")
        ('[0, 120, 3], Blick nach 90,5°', '[0, 120, 3], facing 90.5°')
        >>> PageWords("fr").of_game("terrain.glb (glb, mm)"), PageWords("fr").of_game("")
        ('terrain.glb (glb, mm)', '')
        """
        if self.language == "en" or not text:
            return text
        numbers = _WRITTEN_NUMBER.findall(text)
        places = iter(range(len(numbers)))
        template = _WRITTEN_NUMBER.sub(lambda _: f"{{{next(places)}}}", text)
        translated = self.phrase(template)
        if translated != template:
            return translated.format(*map(self.number, numbers))
        if not all(self.phrase(run) != run or run in VOCABULARY for run in _SMALL_LETTERS.findall(text)):
            return text
        translated = _SMALL_LETTERS.sub(lambda run: self.phrase(run[0]), text)
        return _BRACKETED.sub(lambda part: part[0] if part[0][0] == "[" else self.number(part[0]), translated)

    def fraction(self, share: float) -> str:
        """A share from 0 to 1 of which the counts are not known.

        >>> PageWords("fr").fraction(1 / 3)
        '33,3 %'
        """
        return self.share(round(share * 10**9), 10**9)

    def measured(self, verdict: Verdict) -> str:
        """The obscured share of a verdict, and how far it may be off; "" where nothing was measured."""
        measured = verdict.measurement
        if measured is None:
            return ""
        return self.share(measured.counts.occluded, measured.counts.total) + self.margin(measured.error)

    def ruling(self, verdict: Verdict) -> str:
        """A verdict in words of its game, and why it is hidden if the reason is the vision arc."""
        words = self.of(verdict.rules).verdict(verdict.verdict)
        return self.phrase("{verdict}, out of arc", verdict=words) if verdict.in_arc is False else words

    def pair(self, check: Check) -> str:
        """Who looks at whom.

        >>> PageWords("de").pair(Check("Kal", "Vex")), PageWords().pair(Check("Ridgehauler", "Vex", "left"))
        ('Kal → Vex', 'Ridgehauler (left arc) to Vex')
        """
        if self.language == "en":
            return check.label
        arc = f" ({self.phrase('vision arc')}: {self.phrase(check.arc)})" if check.arc else ""
        return f"{check.attacker}{arc} → {check.target}"

    @property
    def foreign(self) -> str | None:
        """The code of the language of what is English on a page in another one; None on an English page."""
        return None if self.language == "en" else "en"

    @property
    def _catalogue(self) -> NullTranslations:
        return translations(__package__, self.language)
