"""TELL: the results of a run, as the words that fill the places in the tutorial's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from silhouette.doubt.calls import in_hundred
from silhouette.doubt.odds import Odds
from silhouette.judging import Judged
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasDescription
from silhouette.rules.base import Measurement, Verdict
from silhouette.rules.fields import Blocker
from silhouette.scenes.scene import Scene
from silhouette.text import fraction_in_words, in_a_sentence


class Facts:
    """One check's result, and the facts that follow from it, as text by name: ``{c1.verdict}``, ``{c1.share}``.

    Every key of the result is there in words. Further names are: ``sentence`` (the reason, with a capital), ``share``
    (with its error), ``blockers`` (names, with shares where there are several), ``twice_occluded`` and ``compared`` (to
    the whole), ``sight``, and the facts of `silhouette.rules.base.Rule.facts`; where odds were worked out ``odds``,
    ``call``, ``trials``, and ``least`` and ``most``, between which the middle 95 % of the shares lie.

    Args:
        scene: the scene that was judged.
        judged: one of its checks, with its verdict.
        words: the small words of the tutorial.
    """

    def __init__(self, scene: Scene, judged: Judged, words: Mapping[str, str]) -> None:
        verdict = judged.verdict
        self._facts = {key: in_words(value) for key, value in verdict.row().items()}
        self._facts["sentence"] = verdict.reason[:1].upper() + verdict.reason[1:]
        self._facts |= {"attacker": verdict.attacker, "target": verdict.target}
        if verdict.measurement is not None:
            self._facts |= _measured(verdict, verdict.measurement, words)
        rule = rule_called(scene.rules)
        if isinstance(rule, HasDescription):
            self._facts |= rule.facts(scene, verdict, words)
        if judged.odds is not None:
            self._facts |= _likely(judged.odds)

    def __getattr__(self, name: str) -> str:
        try:
            return self._facts[name]
        except KeyError:
            raise AttributeError(f"no check has a '{name}' to tell of") from None


def filled(text: str, facts: Sequence[Facts], scan: object = None, chart: object = None) -> str:
    """A text with the facts put into its places: ``{c1.verdict}`` is the verdict of the first check.

    ``{scan.figures}`` is a fact of the scan of which the scene was made, where it was, ``{map.places}`` one of the map
    that was made of the scene.
    """
    return text.format(scan=scan, map=chart, **{f"c{number}": fact for number, fact in enumerate(facts, 1)})


def in_words(value: Any) -> str:
    """A value of a result in a sentence.

    >>> in_words(18204), in_words(0.10000000000000002), in_words([1, 0, 2]), in_words("open"), in_words(None)
    ('18,204', '0.1', '1, 0, 2', 'open', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3g}"
    return ", ".join(map(in_words, value)) if isinstance(value, list | tuple) else str(value)


def _measured(verdict: Verdict, measured: Measurement, words: Mapping[str, str]) -> dict[str, str]:
    part, whole = measured.counts.occluded, measured.counts.total
    return {
        "share": measured.words if whole else "",
        "pixel": f"{measured.pixel:.2g}",
        "blockers": _in_the_way(verdict.blockers, words),
        "twice_occluded": in_words(2 * part),
        "compared": words["less" if 2 * part < whole else "not_less"],
        "sight": words["sight_yes" if verdict.line_of_sight else "sight_no"],
    }


def _likely(odds: Odds) -> dict[str, str]:
    least, most = odds.occluded_interval or (0.0, 1.0)
    return {
        "odds": in_hundred(odds.odds),
        "call": odds.call,
        "trials": in_words(odds.trials),
        "least": f"{100.0 * least:.0f} %",
        "most": f"{100.0 * most:.0f} %",
    }


def _in_the_way(blockers: Sequence[Blocker], words: Mapping[str, str]) -> str:
    """The names of the blockers, with shares if there are several."""
    some = [blocker for blocker in blockers if blocker.share]
    if len(some) < 2:
        return in_a_sentence(some[0].name) if some else words["nothing"]
    phrases = [f"{in_a_sentence(blocker.name)} ({fraction_in_words(blocker.share)})" for blocker in some]
    return f"{', '.join(phrases[:-1])} {words['and']} {phrases[-1]}"
