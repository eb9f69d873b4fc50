"""DRAW: the reason for a verdict, in one sentence below a figure, in the language of the figure.

In English it is the sentence of the rules. In the other languages it is composed from the keys of the result, by the
rule system or, for a measured share, here; it names what decided, with fewer details.
"""

from __future__ import annotations

from silhouette.drawing.words.words import Words
from silhouette.meshes.health import TRIFLES
from silhouette.rules import rule_called
from silhouette.text import Row


def why(words: Words, row: Row) -> str:
    """The sentence for a result, from its row.

    Args:
        words: of the rule system where a scene names that by the path of a game file, else of any.
        row: of the verdict.

    >>> row = {"rules": "tide-of-iron", "attacker": "A", "target": [2, 0], "cause": "clear", "along_edge": False}
    >>> why(Words("de"), {**row, "obstruction": None, "reason": "nothing blocks the line"})
    'A sieht [2, 0]; nichts blockiert die Linie.'
    >>> why(Words(), {**row, "reason": "nothing blocks the line"}), why(Words(), {"reason": ""})
    ('Nothing blocks the line.', '')
    """
    reason = "" if words.language == "en" else _translated(words, row)
    if not reason:
        reason = str(row["reason"])
        reason += "." * bool(reason)
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


def _translated(words: Words, row: Row) -> str:
    """The sentence of the rule system, or of the share that was measured; empty where there is neither."""
    rules = words.rules or row["rules"]
    reason = rule_called(rules).short_reason(row, words.of(rules))
    return reason or ("target_pixels" in row and _of_share(words, row)) or ""


def _of_share(words: Words, row: Row) -> str:
    """The sentence for a measured share: how much of the target is obscured, and by what; "" where it is edge-on."""
    if not row["target_pixels"]:
        return ""
    if row.get("in_arc") is False:  # None where it is unknown where the attacker faces
        return words("why out of arc", target=row["target"])
    blockers = [blocker for blocker in row["blockers"] if blocker.get("occluded")]
    by = ", ".join(share_of_blocker(words, blocker["name"], blocker["occluded"]) for blocker in blockers)
    share = words.share(row["occluded_pixels"], row["target_pixels"])
    key = "why nothing" if not row["occluded_pixels"] else "why some" if row["line_of_sight"] else "why all"
    return words(key, share=share, target=row["target"], by=by)
