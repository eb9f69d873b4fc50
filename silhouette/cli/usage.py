"""What is wrong with the words of a command, in a line: the option or argument, its value, and what would be right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer

from silhouette.text import as_written, did_you_mean


def usage_problem(error: typer.TyperException, arguments: Sequence[str], commands: Sequence[str]) -> str:
    """The mistake in plain words, and where to read more.

    Args:
        error: typer's.
        arguments: the words after the program's name.
        commands: the names of all commands.
    """
    message = " ".join(error.format_message().split()).rstrip(".")
    command = next((word for word in arguments[:1] if word in commands), None)
    more = f"silhouette {command} --help" if command else "silhouette --help"
    return f"{_plain(message, error, arguments, commands)}; {more} says what there is".replace("?;", "?")


def _plain(message: str, error: typer.TyperException, arguments: Sequence[str], commands: Sequence[str]) -> str:
    found = re.match(r"No such command '(.*?)'", message)
    if found:
        return f"no command '{found[1]}'; {did_you_mean(found[1], commands)}"
    found = re.match(r"No such option:? '?(\S+?)'?(?: |$)", message)
    if found:
        like = list(getattr(error, "possibilities", None) or ())
        return f"no option {found[1]}" + (f"; did you mean {' or '.join(like)}?" if like else "")
    found = re.match(r"Missing (argument|option) '(.*?)'", message)
    if found:
        return f"{found[2].removesuffix('...')} is missing"
    found = re.match(r"Option '(.*?)' requires", message)
    if found:
        return f"{found[1]} needs a value"
    found = re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message)
    if found:
        return f"one argument too many: {found[1]}"
    found = re.match(r"Invalid value for '(.*?)': (.*)", message)
    if found:
        return _bad_value(found[1], found[2], arguments)
    return message[:1].lower() + message[1:]


WANTED: tuple[tuple[str, str], ...] = (
    (r"valid integer", "a whole number"),
    (r"valid number", "a number"),
    (r"greater than or equal to (\S+)", "at least {}"),
    (r"less than or equal to (\S+)", "at most {}"),
    (r"valid boolean", "left without a value"),
)
"""What pydantic, which typer asks, says of a value, and the same in plain words."""


def _bad_value(option: str, reason: str, arguments: Sequence[str]) -> str:
    """A value that an option does not take, such as "--pixel is 'fine'; it must be a number"."""
    names = [name.strip() for name in option.split("/")]
    value: Any = None
    for place, word in enumerate(arguments):
        name, equals, rest = word.partition("=")
        if name in names:
            value = rest if equals else next(iter(arguments[place + 1 :]), None)
    given = f"{option} is {as_written(value)}" if value is not None else f"{option} has a wrong value"
    for pattern, words in WANTED:
        found = re.search(pattern, reason)
        if found:
            return f"{given}; it must be {words.format(*found.groups())}"
    return f"{given}; {reason[:1].lower() + reason[1:]}"
