"""PYTHON: a value of an earlier room becomes the same value with the methods of a class of this room."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar, cast

Methods = TypeVar("Methods")

PLAIN_VALUE = "_plain"  # the attribute with the value without the methods


def with_methods(value: Any, methods: type[Methods], **attributes: Any) -> Methods:
    """A copy of a frozen value that has the methods of a subclass of its base as well: an instance of both classes.

    Its class keeps the name of the value's own. ``attributes`` are for the methods, and no fields: a value that
    `dataclasses.replace` makes of it has none of them.

    >>> from dataclasses import dataclass, replace
    >>> @dataclass(frozen=True)
    ... class Level:
    ...     high: float
    >>> class Loud(Level):
    ...     def shout(self):
    ...         return f"{self.high} mm!"
    >>> shouting = with_methods(Level(3.0), Loud)
    >>> shouting.shout(), isinstance(shouting, Level), shouting
    ('3.0 mm!', True, Level(high=3.0))
    >>> replace(shouting, high=4.0).shout()
    '4.0 mm!'
    """
    made: Any = object.__new__(_class_of(type(value), methods))
    vars(made).update(vars(value) | attributes | {PLAIN_VALUE: value})
    return cast(Methods, made)


_classes: dict[tuple[type, type], type] = {}
"""One class of each kind for all threads, never forgotten: values are equal only where they are of one class."""


def _class_of(kind: type, methods: type) -> type:
    inherited = {"__doc__": kind.__doc__, "__module__": kind.__module__, "__reduce__": _reduce}
    if (kind, methods) not in _classes:
        _classes.setdefault((kind, methods), type(kind.__name__, (methods, kind), inherited))
    return _classes[kind, methods]


def _reduce(value: Any) -> tuple[Any, ...]:
    """Copied or sent to another process, it is the value without the methods: these hold a renderer."""
    return copy, (plain(value),)


def plain(value: Any) -> Any:
    """The value without the methods, as the earlier rooms know it; any other value itself.

    >>> from types import SimpleNamespace
    >>> value = SimpleNamespace(at=3)
    >>> plain(value) is value
    True
    """
    return vars(value).get(PLAIN_VALUE, value)
