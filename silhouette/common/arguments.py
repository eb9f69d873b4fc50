"""Messages name options of the command line: for whoever gives arguments instead, they name these."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

PHRASES = (
    (r"--from NAME (?:and )?--to NAME", "an attacker and a target"),
    (r"--from and --to: a map", "attackers and targets: a map"),
    (r"another gang than ('.*'); say --from NAME", r"another gang than \1; give attackers"),
    (r"--at [^:]*=[^:]*: give NAME=X,Y or NAME=X,Y,FACING, such as [^ ]+", "at: {name: (x, y)} or (x, y, facing)"),
    (r"give --at ('[^']*')=X,Y", r"give {\1: (x, y)}"),
    (r"leave out --(odds|what-if)|leave --what-if out", "ask for its verdict"),
    (r"say --(walk) X,Y", r"give --\1 (x, y)"),
    (r"\bsay --", "give --"),
)
"""What messages advise at the command line, as patterns, and what they advise who gives arguments."""

ARGUMENT_NAMES = MappingProxyType({"from": "attacker", "to": "target", "format": "form", "lang": "language"})
"""Options whose argument has another name."""


def in_arguments(message: str, names: Mapping[str, str] = ARGUMENT_NAMES) -> str:
    """A message for the command line, in terms of arguments; ``names`` are of options whose argument has another name.

    >>> in_arguments("a target or an arc without an attacker; say --from NAME as well")
    'a target or an arc without an attacker; give attacker as well'
    >>> in_arguments("--grid 0.5: no grid is finer than 1 mm"), in_arguments("too many points; --grid 12 would fit")
    ('grid=0.5: no grid is finer than 1 mm', 'too many points; grid=12 would fit')
    >>> in_arguments("--at Kal=1: give NAME=X,Y or NAME=X,Y,FACING, such as Kal=60,216,90")
    'at: {name: (x, y)} or (x, y, facing)'
    >>> in_arguments("nothing is called '--Wex'"), in_arguments("")
    ("nothing is called '--Wex'", '')
    """
    for pattern, words in PHRASES:
        message = re.sub(pattern, words, message)

    def argument(option: re.Match[str]) -> str:
        name = names.get(option[1], option[1].replace("-", "_"))
        return name if option[2] is None else f"{name}={option[2]}"

    return re.sub(r"(?<!\S)--([a-z][a-z-]*)(?: (-?\d[\w.]*))?(?: [A-Z]+\b)?", argument, message)
