"""DRAW: the words of figures in one language: the phrases of all games, and the reason for a verdict in one sentence.

`PHRASES` has the English text of each phrase by its name; `Words` puts in the names in braces. The translations lie in
``locale/``, a .po file for each language; ``python -m tests.catalogues`` brings them up to date with this table and
compiles them.

The English term of a verdict stands next to its translation, because players know it from their books. Warnings, the
names of a scene, pictures that need no matplotlib, and the metadata of a file stay English. The reason below a figure
is in English the sentence of the rules; in the other languages it is composed from the keys of the result, by the rule
system or, for a measured share, here, with fewer details.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from typing import Self

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH
from silhouette.common.text import margin_in_words, share_in_words
from silhouette.judging.trials import assumed
from silhouette.meshes.health import TRIFLES
from silhouette.rules import rule_called
from silhouette.rules.base import Measurement, Phrase, Verdict, blocker_shares
from silhouette.scenes.table import TableScene

PHRASES: Mapping[str, Phrase] = {
    "title": "{attacker} → {target}: {verdict}",
    "marginal": "{title}, too close to call",
    "agreed": "{title}; the players agreed: {verdict}",
    "out of arc": "{title}, out of arc",
    "modifier": "{title}, {modifier} to hit",
    "no share": "nothing",
    "under": "under {share}",
    "about": "about {share}",
    "over": "over {share}",
    "note": "Note: {warning}.",
    "share": "{share} obscured",
    "blocker": "{name} {share}",
    "seen": "seen",
    "obscured": "obscured",
    "partly": "partly obscured in that direction",
    "wholly": "wholly obscured in that direction",
    "in the way": "in the way",
    "disregarded": "disregarded",
    "ignored": "not counted: base and insignificant parts",
    "outside": "target outside the vision arc",
    "arc": "vision arc",
    "terrain": "terrain",
    "arc edge": "edge of the vision arc",
    "eye": "the attacker's eye",
    "facing": "which way a model faces",
    "to the rim": "to the rim of the target",
    "cut": "cut along the line of sight",
    "ray": "limiting ray",
    "line of sight": "line of sight to the middle",
    "eye given": "as given",
    "eye estimated": "estimated",
    "measured": "{share}: {part} of {whole} pixels of {pixel} mm, measured with {renderer}; eye {eye}.",
    "plan": "Seen from above, turned so that the line of sight runs to the right; numbers are inches from the eye.",
    "side": "Seen from the side, along the line of sight; heights to the same scale.",
    "table": "Seen from above, x to the right and y up; grid lines {inches} apart, numbers from the scene's origin.",
    "inches": '{number}"',
    "centimetres": "{number} cm",
    "map from": "Where {name} could stand, seen by {others}",
    "map to": "Where {name} could stand, looking at {others}",
    "map verdict from": "Each place has the verdict of whoever sees most of it there.",
    "map verdict to": "Each place has the verdict on whoever is seen best from there.",
    "map count from": "The colour of a place says how many see it there.",
    "map count to": "The colour of a place says how many it sees from there.",
    "map seen by": "seen by {number}",
    "map sees": "sees {number}",
    "map close": "too close to call",
    "map unfit": "its base does not fit there",
    "map nearest": "the nearest place at least so well covered, from where it stands",
    "map grid": "A place is {inches} wide ({mm} mm).",
    "ahead": "{target} reaches round the eye: the picture shows only the 90° ahead.",
    "filled": "{names}: drawn as the mesh is; what its outline encloses hides as well.",
    "of what lies in the arc": " of what lies in the arc",
    "more": "{count} more",
    "measured with": "measured with {renderer}, {pixel} mm per pixel",
    "drawn with": "drawn with {renderer}",
    "the eye": "eye {eye}",
    "an inch apart": "lines on the ground one inch apart",
    "friend": "disregarded: friend in base contact",
    "beyond": "beyond the vision arc",
    "odds": "Of 100 such tables: {odds}.",
    "nearly all": "over 99",
    "roll off": "roll off",
    "trials": "{count} trials by the share of {target} that is obscured.",
    "changes": "Dashed: where the verdict changes.",
    "sure": "The odds of the likeliest verdict are sure to {error}.",
    "assumed": "Assumed, one standard deviation each: {deviations}.",
    "off place": "places off by {size}",
    "off facing": "facings by {size}",
    "off eye": "eyes by {size}",
    "off surface": "surfaces of scans by {size}",
    "off nothing": "nothing is off but what was measured",
    "from place": "What weighs most is where the pieces stand.",
    "from facing": "What weighs most is which way the pieces face.",
    "from eye": "What weighs most is where the eye is.",
    "from surface": "What weighs most is how true the surface of a scan is.",
    "from measuring": "What weighs most is how well it is measured.",
    "why out of arc": "No part of {target} lies in the vision arc.",
    "why nothing": "Nothing obscures {target}.",
    "why some": "{share} of {target} is obscured: {by}.",
    "why all": "Nothing of {target} is seen: {by}.",
}

LANGUAGES = ("en", "de", "fr", "es")  # English, German, French and Spanish

ROUNDED_SHARE_WORDS = {"nothing": "no share", "under": "under", "about": "about", "over": "over"}
"""The words that `share_in_words` puts before a number, and the phrase for each."""

VERDICT_CONTEXT = "verdict"  # the context of a verdict's word in a catalogue; that of a phrase is its name


@dataclass(frozen=True)
class Words:
    """The words of one of `LANGUAGES`, with the phrases of a rule system besides those of all. RequestError where there
    is no such language; it names those that there are.

    >>> Words()("title", attacker="Kal", target="V{e}x", verdict="open")
    'Kal → V{e}x: open'
    >>> Words("fr")("share", share="3 %"), Words("fr", "ikosa")("gravity")
    ('3 % masqué', 'gravité')
    >>> Words("it")
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: no language 'it'; the languages are en, de, fr, es
    """

    language: str = "en"
    rules: str | None = None

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise RequestError(f"no language '{self.language}'; the languages are {', '.join(LANGUAGES)}")

    def of(self, rules: str) -> Self:
        """The words of the same language with the phrases and verdicts of a rule system."""
        return replace(self, rules=rules)

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
        translated = translations(self._package, self.language).pgettext(VERDICT_CONTEXT, verdict)
        return translated if translated == verdict else f"{translated} ({verdict})"

    def number(self, text: str) -> str:
        """Numbers in a text with the decimal sign of the language.

        >>> Words().number("0.14 %"), Words("es").number("0.14 %"), Words("de").number("Nr. 5.")
        ('0.14 %', '0,14 %', 'Nr. 5.')
        """
        return text if self.language == "en" else re.sub(r"(?<=\d)\.(?=\d)", ",", text)

    def share(self, part: float, whole: float) -> str:
        """A share as `silhouette.common.text.share_in_words` rounds it.

        >>> Words("de").share(4999, 10000), Words("fr").share(1, 10**9), Words("es").share(0, 0)
        ('49,99 %', 'moins de 0,01 %', 'nada')
        """
        return self.rounded(share_in_words(part, whole))

    def rounded(self, share: str) -> str:
        """A share that is rounded in English already.

        >>> Words("de").rounded("under 0.01 %"), Words("fr").rounded("3.5 %")
        ('unter 0,01 %', '3,5 %')
        """
        first, _, rest = share.partition(" ")
        if first not in ROUNDED_SHARE_WORDS:
            return self.number(share)
        return self(ROUNDED_SHARE_WORDS[first], share=self.number(rest))

    def margin(self, error: float) -> str:
        """The error of a share, as `silhouette.common.text.margin_in_words` rounds it.

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


def why(words: Words, verdict: Verdict) -> str:
    """The sentence for a verdict, in words of the rule system if a scene names that by the path of a game file, else of
    any.

    >>> from silhouette.rules.base import RuleReference
    >>> rule, reason = RuleReference("Cover", "R13"), "nothing obscures Vex: in the open"
    >>> why(Words(), Verdict("Kal", "Vex", "necromunda", "open", None, rule, reason))
    'Nothing obscures Vex: in the open.'
    """
    reason, rules = "", words.rules or verdict.rules
    if words.language != "en":
        reason = rule_called(rules).short_reason(verdict, words.of(rules))
        if not reason and verdict.measurement is not None:
            reason = _of_share(words, verdict, verdict.measurement)
    if not reason:
        reason = verdict.reason + "." * bool(verdict.reason)
    return reason[:1].upper() + reason[1:]


def noted(words: Words, title: str, verdict: Verdict) -> str:
    """The title of a verdict, with what stands beside it: that it is too close to call, and what the players agreed on.

    >>> from silhouette.rules.base import RuleReference
    >>> from silhouette.scenes.scene import Agreement
    >>> rule, agreed = RuleReference("Cover", "R13"), Agreement("Kal", "Vex", "open", "we saw it")
    >>> verdict = Verdict("Kal", "Vex", "necromunda", "hidden", None, rule, "", agreed=agreed)
    >>> noted(Words(), "Kal → Vex: hidden", verdict)
    'Kal → Vex: hidden; the players agreed: open'
    """
    if verdict.marginal:
        title = words("marginal", title=title)
    agreed = verdict.agreed
    return title if agreed is None else words("agreed", title=title, verdict=words.verdict(agreed.verdict))


OFF = {"place": "off place", "facing": "off facing", "eye": "off eye", "surface": "off surface"}
"""The phrase of each source of doubt."""


def assumed_in_words(words: Words, scene: TableScene) -> str:
    """What may be off by how much where odds are worked out: standard deviations, in inches if the places of the scene
    are in them.
    """
    inches = scene.unit_of_places == "inch"

    def written(source: str, size: float) -> str:
        if source == "facing":
            return words.number(f"{size:g}°")
        return words.number(f'{size / INCH:.2g}"' if inches else f"{size:g} mm")

    parts = []
    for source, (least, most) in assumed(scene).items():
        ends = dict.fromkeys((written(source, least), written(source, most)))
        parts.append(words(OFF[source], size="–".join(ends)))
    return words("assumed", deviations=", ".join(parts) or words("off nothing"))


def told_in_figures(warning: str) -> bool:
    """Whether a figure has room for a warning: no trifles, and no estimates, which its last line says by itself.

    >>> told_in_figures("rock.stl: more than two faces meet at 46 edges"), told_in_figures("Vex: the mesh has 2 holes")
    (False, True)
    """
    return not (warning.endswith("is estimated") or TRIFLES.search(warning))


def share_of_blocker(words: Words, name: str, share: str) -> str:
    """A blocker's name with its share, as `silhouette.rules.base.blocker_shares` rounds it."""
    return words("blocker", name=name, share=words.rounded(share))


def _of_share(words: Words, verdict: Verdict, measured: Measurement) -> str:
    """The sentence for a measured share: how much of the target is obscured, and by what; "" if it is edge-on."""
    counts, target = measured.counts, verdict.target
    if not counts.total:
        return ""
    if verdict.in_arc is False:  # None where it is unknown where the attacker faces
        return words("why out of arc", target=target)
    blockers = [(blocker.name, share) for blocker, share in blocker_shares(verdict) if blocker.share]
    by = ", ".join(share_of_blocker(words, name, share) for name, share in blockers)
    share = words.share(counts.occluded, counts.total)
    key = "why nothing" if not counts.occluded else "why some" if verdict.line_of_sight else "why all"
    return words(key, share=share, target=target, by=by)
