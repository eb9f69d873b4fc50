"""DRAW: the reason for a verdict, in one sentence below a figure, in the language of the figure.

In English it is the sentence of the rules. In the other languages it is composed from the keys of the result, by the
rule system or, for a measured share, here; it names what decided, with fewer details.
"""

from __future__ import annotations

from silhouette.drawing.words.words import Words
from silhouette.meshes.health import TRIFLES
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasFigures
from silhouette.rules.base import Measurement, Verdict


def why(words: Words, verdict: Verdict) -> str:
    """The sentence for a verdict.

    Args:
        words: of the rule system if a scene names that by the path of a game file, else of any.
        verdict: to be explained.

    >>> from silhouette.rules.base import RuleReference
    >>> rule, reason = RuleReference("Cover", "R13"), "nothing obscures Vex: in the open"
    >>> why(Words(), Verdict("Kal", "Vex", "necromunda", "open", None, rule, reason))
    'Nothing obscures Vex: in the open.'
    """
    reason = "" if words.language == "en" else _translated(words, verdict)
    if not reason:
        reason = verdict.reason + "." * bool(verdict.reason)
    return reason[:1].upper() + reason[1:]


def told_in_figures(warning: str) -> bool:
    """Whether a figure has room for a warning: no trifles, and no estimates, which its last line says by itself.

    >>> told_in_figures("rock.stl: more than two faces meet at 46 edges"), told_in_figures("Vex: the mesh has 2 holes")
    (False, True)
    """
    return not (warning.endswith("is estimated") or TRIFLES.search(warning))


def share_of_blocker(words: Words, name: str, share: float) -> str:
    """A blocker's name with its share."""
    return words("blocker", name=name, share=words.share(round(share * 1e9), 10**9))


def _translated(words: Words, verdict: Verdict) -> str:
    """The sentence of the rule system, or of the share that was measured; empty if there is neither."""
    rules = words.rules or verdict.rules
    rule = rule_called(rules)
    reason = rule.short_reason(verdict, words.of(rules)) if isinstance(rule, HasFigures) else ""
    return reason or ("" if verdict.measurement is None else _of_share(words, verdict, verdict.measurement))


def _of_share(words: Words, verdict: Verdict, measured: Measurement) -> str:
    """The sentence for a measured share: how much of the target is obscured, and by what; "" if it is edge-on."""
    counts, target = measured.counts, verdict.target
    if not counts.total:
        return ""
    if verdict.in_arc is False:  # None where it is unknown where the attacker faces
        return words("why out of arc", target=target)
    blockers = [blocker for blocker in verdict.blockers if blocker.share]
    by = ", ".join(share_of_blocker(words, blocker.name, blocker.share) for blocker in blockers)
    share = words.share(counts.occluded, counts.total)
    key = "why nothing" if not counts.occluded else "why some" if verdict.line_of_sight else "why all"
    return words(key, share=share, target=target, by=by)
