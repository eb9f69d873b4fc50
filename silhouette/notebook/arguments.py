"""PYTHON: what the rooms above say of a mistake names options of the command line; here it names arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType

from silhouette.common.errors import FileError, RequestError

BUILT_FOLDER = "silhouette-scene-"  # the beginning of the name of a folder in which a scene lies that Python built
BUILT_SCENE = "scene.toml"

PHRASES = (
    (rf"\S*{BUILT_FOLDER}\w+.{BUILT_SCENE}", "the scene"),
    (r"--from NAME --to NAME", "an attacker and a target"),
    (r"--from and --to: a map", "attackers and targets: a map"),
    (r"another gang than ('.*'); say --from NAME", r"another gang than \1; give attackers"),
    (r"--at [^:]*=[^:]*: give NAME=X,Y or NAME=X,Y,FACING, such as [^ ]+", "at: {name: (x, y)} or (x, y, facing)"),
    (r"give --at ('[^']*')=X,Y", r"give {\1: (x, y)}"),
    (r"leave out --(odds|what-if)|leave --what-if out", "ask for its verdict"),
    (r"say --(walk) X,Y", r"give --\1 (x, y)"),
    (r"\bsay --", "give --"),
)
"""What messages advise at the command line, as patterns, and what they advise in Python."""

ARGUMENT_NAMES = MappingProxyType({"from": "attacker", "to": "target", "format": "form", "lang": "language"})
"""Options whose argument has another name."""


def in_python(message: str) -> str:
    """A message for the command line in Python's terms.

    >>> in_python("a target or an arc without an attacker; say --from NAME as well")
    'a target or an arc without an attacker; give attacker as well'
    >>> in_python("--grid 0.5: no grid is finer than 1 mm"), in_python("too many points; --grid 12 would fit")
    ('grid=0.5: no grid is finer than 1 mm', 'too many points; grid=12 would fit')
    >>> in_python("--at Kal=1: give NAME=X,Y or NAME=X,Y,FACING, such as Kal=60,216,90")
    'at: {name: (x, y)} or (x, y, facing)'
    >>> in_python("/tmp/silhouette-scene-1x_y/scene.toml: nothing is called 'Wex'"), in_python("gone.toml: is gone")
    ("the scene: nothing is called 'Wex'", 'gone.toml: is gone')
    """
    for pattern, words in PHRASES:
        message = re.sub(pattern, words, message)
    return re.sub(r"(?<!\S)--([a-z][a-z-]*)(?: (-?\d[\w.]*))?(?: [A-Z]+\b)?", _argument, message)


def _argument(option: re.Match[str]) -> str:
    name = ARGUMENT_NAMES.get(option[1], option[1].replace("-", "_"))
    return name if option[2] is None else f"{name}={option[2]}"


@contextmanager
def python_terms() -> Iterator[None]:
    """Errors of what is done inside speak of arguments; their types stay.

    >>> with python_terms():
    ...     raise RequestError("--within=-1: give mm from where it stands, 0 or more")
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: within=-1: give mm from where it stands, 0 or more
    """
    try:
        yield
    except FileError as error:
        raise type(error)(in_python(error.path), in_python(error.problem)) from None
    except RequestError as error:
        raise RequestError(in_python(str(error))) from None
