"""Words for people: names, shares and mistakes, written the same way wherever they appear."""

from __future__ import annotations

import difflib
import json
import math
import os
import re
import sys
import traceback
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from silhouette.common.errors import SilhouetteError

Progress = Callable[[int, int], None]  # a callback that shows progress: how many are done, of how many

Row = Mapping[str, Any]  # the result of one check: values by the names of the contract's keys

DEBUG_VARIABLE = "SILHOUETTE_DEBUG"

# How like a misspelt word must be, as difflib measures it, to one that is suggested. Keys are fewer, and in short ones
# a letter or two are the difference between "arcs" and "parts".
NAME_SIMILARITY, KEY_SIMILARITY = 0.6, 0.7


def did_you_mean(
    name: str, choices: Iterable[str], others: str = "there are", similarity: float = NAME_SIMILARITY, most: int = 12
) -> str:
    """The known name that is most like an unknown one, as a question; where none is, a list of ``most`` known names.

    >>> did_you_mean("figther", ["fighter", "vehicle"]), did_you_mean("VEX", ["Kal", "Vex"])
    ("did you mean 'fighter'?", "did you mean 'Vex'?")
    >>> did_you_mean("wall", ["fighter", "vehicle"]), did_you_mean("wall", [])
    ("there are 'fighter', 'vehicle'", 'there are none')
    """
    names = list(dict.fromkeys(choices))
    close = difflib.get_close_matches(name, names, n=1, cutoff=similarity) or [
        choice for choice in names if choice.lower() == name.lower()
    ]
    if close:
        return f"did you mean '{close[0]}'?"
    first = ", ".join(f"'{name}'" for name in names[:most])
    return f"{others} {first}{' and more' if len(names) > most else ''}" if names else f"{others} none"


def differently_spelt(names: Iterable[str]) -> list[list[str]]:
    """Those of some names that are one but for case and blanks, each such group in the order of the names.

    Blanks between digits tell names apart, as in "wall 1 11" and "wall 11 1".

    >>> differently_spelt(["Kal", "Van Saar", "VEX", "kal ", "vansaar"])
    [['Kal', 'kal '], ['Van Saar', 'vansaar']]
    >>> differently_spelt(["Kal", "Kal", "wall 1 11", "wall 11 1"])
    []
    """
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        plain = _BLANKS.sub(lambda blanks: " " if blanks[1] else "", unicodedata.normalize("NFC", name).casefold())
        groups.setdefault(plain.strip(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


_UNSEEN = "\u00ad\u200b\u2060\ufeff"  # the soft hyphen, and blanks of no width
_BLANKS = re.compile(rf"(?<=\d)(\s+)(?=\d)|[\s{_UNSEEN}]+")


def as_written(value: object) -> str:
    """A value as a user wrote it, shortened.

    >>> as_written(True), as_written("left"), as_written([1.5, float("nan")])
    ('true', '"left"', '[1.5, nan]')
    """
    match value:
        case bool():
            text = str(value).lower()
        case None:
            text = "null"
        case str():
            text = f'"{value}"'
        case list() | tuple():
            text = f"[{', '.join(as_written(item) for item in value[:8])}]"
        case dict():
            text = f"{{ {', '.join(f'{key} = {as_written(item)}' for key, item in list(value.items())[:4])} }}"
        case _:
            text = str(value)
    return text if len(text) <= 60 else f"{text[:56]} ..."


def in_quotes(value: object) -> str:
    """A value in a sentence: a text in single quotes, anything else as a user wrote it, shortened.

    >>> in_quotes("open"), in_quotes(True), in_quotes(None), in_quotes(["open"])
    ("'open'", 'true', 'null', '["open"]')
    """
    return f"'{value}'" if isinstance(value, str) else as_written(value)


def share_in_words(part: float, whole: float) -> str:
    """A share as a percentage with one decimal; nothing, a half and all of it stand only for exactly that.

    Tables, reasons, figures and pages all round shares by this function.

    >>> [share_in_words(part, 7) for part in (0, 1, 7)], share_in_words(0, 0)
    (['0 %', '14.3 %', '100 %'], 'nothing')
    >>> share_in_words(1, 1000), share_in_words(999, 1000), share_in_words(4999, 10000), share_in_words(1, 2)
    ('0.1 %', '99.9 %', '49.99 %', '50 %')
    >>> share_in_words(1, 10**9)
    'under 0.01 %'
    """
    if whole == 0:
        return "nothing"
    share = 100.0 * part / whole
    marks = (0.0, 50.0, 100.0)
    if 2 * part in (0, whole, 2 * whole):
        return f"{share:.0f} %"
    for digits in (1, 2):
        rounded = round(share, digits)
        if rounded not in marks:
            return f"{rounded:.{digits}f} %"
    return {0.0: "under 0.01 %", 50.0: "about 50 %", 100.0: "over 99.99 %"}[rounded]


def fraction_in_words(share: float) -> str:
    """A share from 0 to 1 of which the counts are not known, as `share_in_words` rounds it.

    >>> fraction_in_words(1 / 3), fraction_in_words(0.5), fraction_in_words(0.0)
    ('33.3 %', '50 %', '0 %')
    """
    return share_in_words(round(share * 10**9), 10**9)


def parts_in_words(parts: Sequence[float], whole: float) -> list[str]:
    """Shares from 0 to 1 as `fraction_in_words` rounds them; those that make up a whole, which is rounded likewise, so
    that they add up to it as written, by the largest remainder.

    >>> parts_in_words([0.5364, 0.2974], 0.8338), fraction_in_words(0.8338)
    (['53.7 %', '29.7 %'], '83.4 %')
    >>> parts_in_words([0.5364, 0.2974], 0.9), parts_in_words([], 0.0)
    (['53.6 %', '29.7 %'], [])
    >>> parts_in_words([0.5, 0.00004, 0.1234], 0.62344), fraction_in_words(0.62344)
    (['50 %', 'under 0.01 %', '12.3 %'], '62.3 %')
    """
    words = [fraction_in_words(part) for part in parts]
    written = [_hundredths(text) for text in (*words, fraction_in_words(whole))]
    total = written.pop()
    if (
        abs(sum(parts) - whole) > PARTS_MAKE_UP
        or total is None
        or None in written
        or sum(filter(None, written)) == total
    ):
        return words
    for step, digits in ((10, 1), (1, 2)):
        exact = [10**4 * part / step for part in parts]
        counts = [math.floor(count + 1e-6) for count in exact]
        missing = total // step - sum(counts)
        for number in sorted(range(len(parts)), key=lambda number: counts[number] - exact[number])[: max(missing, 0)]:
            counts[number] += 1
        shown = [
            text if before == count * step else f"{count * step / 100:.{digits}f} %"
            for text, before, count in zip(words, written, counts, strict=True)
        ]
        is_plain = all(text in words or _hundredths(text) not in (0, 5000, 10**4) for text in shown)
        if total % step == 0 and sum(counts) * step == total and is_plain:
            return shown
    return words


PARTS_MAKE_UP = 1e-6  # the shares of parts make up a whole if their sum is as near to it


def _hundredths(share: str) -> int | None:
    """A share in words as a number of hundredths of a per cent; None if it is none, such as "under 0.01 %"."""
    return round(100 * float(share.removesuffix(" %"))) if share[0].isdigit() else None


def margin_in_words(error: float) -> str:
    """The error of a share in words, never smaller than it is.

    >>> margin_in_words(0.00131), margin_in_words(0.002), margin_in_words(0.0)
    (' ± 0.14 %', ' ± 0.2 %', '')
    """
    return f" ± {math.ceil(round(error * 10**4, 9)) / 100:g} %" if error else ""


def obscured(part: float, whole: float, error: float) -> str:
    """The share that is obscured, and how far it may be off; 0, 50 and 100 % stand only for exactly that.

    >>> obscured(5678, 18204, 0.002), obscured(0, 18204, 0.0)
    ('31.2 % ± 0.2 %', '0 %')
    """
    return share_in_words(part, whole) + margin_in_words(error)


def verdict_in_words(verdict: str, in_arc: bool | None) -> str:
    """A verdict, and why it is hidden if the reason is the vision arc and not the share that is obscured.

    ``in_arc`` if some of the target lies in a vision arc; None if that is unknown, or there are no arcs.

    >>> verdict_in_words("hidden", False), verdict_in_words("hidden", True), verdict_in_words("visible", None)
    ('hidden, out of arc', 'hidden', 'visible')
    """
    return f"{verdict}, out of arc" if in_arc is False else verdict


def in_a_sentence(name: str) -> str:
    """A piece's name with the article that a common noun takes.

    >>> in_a_sentence("barricade"), in_a_sentence("Vex"), in_a_sentence("the pipes"), in_a_sentence("wall 3")
    ('the barricade', 'Vex', 'the pipes', 'wall 3')
    """
    common = len(name) > 2 and name.replace(" ", "").replace("-", "").isalpha() and name.islower()
    return f"the {name}" if common and not name.startswith("the ") else name


def sentence(reason: str) -> str:
    """A reason as a whole sentence, with a capital and a full stop."""
    return f"{reason[:1].upper()}{reason[1:]}."


def in_a_row(words: Sequence[str], most: int | None = None, last: str = "and") -> str:
    """Words with commas and an "and"; of more than ``most`` the first ones, and how many more there are.

    >>> in_a_row(["cover", "obscured"]), in_a_row(["a", "b", "c"], last="or")
    ('cover and obscured', 'a, b or c')
    >>> in_a_row(["a", "b", "c", "d"], most=2), in_a_row([])
    ('a, b and 2 more', '')
    """
    if most is not None and len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def counted(number: int, noun: str) -> str:
    """A number of things, such as 1 hole or 0 holes."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def numbered(name: str, taken: Container[str], first: int = 2) -> str:
    """A name with the least number, from ``first`` on, with which it is not taken.

    >>> numbered("Kal", {"Kal", "Kal 2"}), numbered("terrain", (), first=1)
    ('Kal 3', 'terrain 1')
    """
    return next(free for number in count(first) if (free := f"{name} {number}") not in taken)


def printable(text: str) -> str:
    """The text on one line and without control characters: names come from users' files and are not to be trusted.

    >>> printable("Kal\\x1b[31m\\nthe  Red")
    'Kal?[31m the  Red'
    """
    return "".join(sign if sign.isprintable() else " " if sign.isspace() else "?" for sign in text)


def problem(error: Exception, path: Path | None = None) -> str:
    """An error as one line for a user; the traceback as well where ``SILHOUETTE_DEBUG`` is set.

    >>> problem(SilhouetteError("duel.toml: not TOML"))
    'duel.toml: not TOML'
    >>> problem(ZeroDivisionError("division by zero"))
    'internal: ZeroDivisionError: division by zero; please report it, with what it prints after SILHOUETTE_DEBUG=1'
    """
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error, file=sys.stderr)
    if isinstance(error, SilhouetteError):
        return str(error)
    where = f"{path}: " if path is not None else ""
    if isinstance(error, MemoryError):
        return f"{where}needs more memory than there is; take a larger --pixel or simpler meshes"
    if isinstance(error, OSError):
        return f"{where}{error.filename or 'what was to be read or written'}: {error.strerror or error}"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{where}internal: {what}; please report it, with what it prints after {DEBUG_VARIABLE}=1"


def json_text(value: object, **layout: Any) -> str:
    """A value as JSON, with null in place of every number that JSON cannot hold; ``layout`` as `json.dumps` has it.

    >>> json_text({"share": math.nan, "at": (1, 2)}, separators=(",", ":"))
    '{"share":null,"at":[1,2]}'
    """
    try:
        return json.dumps(value, allow_nan=False, **layout)
    except ValueError:
        return json.dumps(strict(value), allow_nan=False, **layout)


def strict(value: Any) -> Any:
    """The value with null in place of every number that JSON cannot hold."""
    if isinstance(value, dict):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def coordinates(values: Iterable[float]) -> str:
    """Coordinates in words, to a tenth and without needless zeros.

    >>> coordinates([0.0, 120.25, -3.0])
    '[0, 120.2, -3]'
    """
    return f"[{', '.join(f'{round(float(value), 1) + 0.0:g}' for value in values)}]"
