"""Which pieces there are, and which module sculpts each.

A piece is a module of `figures/` or `terrain/` that carries the piece's name and has a function `sculpt()`; modules
whose names begin with an underscore are helpers. A module beside this one is a piece where `ALONE` says so.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from models.source.writing import Sculpture

FOLDERS = ("figures", "terrain")
ALONE = {"hauler": "vehicle"}  # the piece's name: the module beside this one that sculpts it


def pieces() -> dict[str, str]:
    """Every piece's name and the full name of the module that sculpts it; nothing is imported."""
    here = Path(__file__).parent
    found = {
        module.stem: f"models.source.{folder}.{module.stem}"
        for folder in FOLDERS
        for module in sorted((here / folder).glob("[!_]*.py"))
    }
    alone = {name: module for name, module in ALONE.items() if (here / f"{module}.py").exists()}
    return found | {name: f"models.source.{module}" for name, module in alone.items()}


def sculptor(name: str) -> Callable[[], Sculpture]:
    """The function that sculpts the piece `name`; importing it is the first work done. KeyError: no such piece."""
    function: Callable[[], Sculpture] = import_module(pieces()[name]).sculpt
    return function
