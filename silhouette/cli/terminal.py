"""Output to the terminal: results on standard output, one line per error on standard error."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

from silhouette.text import printable, strict
from silhouette.version import document

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

UNBOUNDED = 1000
"""Columns where no terminal sets the width: nothing is folded, so that a line of a log can be searched."""


def tolerate_any_text() -> None:
    """Makes characters that the terminal's encoding lacks question marks instead of errors."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def complain(line: str) -> None:
    """One line ``error: ...`` on standard error, if it is open."""
    with suppress(BrokenPipeError):
        print(f"error: {printable(line)}", file=sys.stderr, flush=True)


def show_json(content: Mapping[str, Any]) -> None:
    """One JSON document on standard output, with the version and the schema at its top: strict, and ASCII alone."""
    print(json.dumps(strict(document(content)), indent=2, allow_nan=False), flush=True)


def show(*parts: RenderableType) -> None:
    """Tables and lines on standard output; without colour, and unfolded, where that is no terminal.

    A line that says ``no_wrap`` is never folded: a path that the terminal itself breaks is still copied whole.
    Written in one go: where the reader has gone away, rich would end the process with an exit status of rich.
    """
    console = console_on(sys.stdout)
    with console.capture() as captured:
        for part in parts:
            console.print(part, soft_wrap=getattr(part, "no_wrap", None) is True)
    sys.stdout.write(captured.get())
    sys.stdout.flush()


def console_on(stream: TextIO) -> Console:
    """A console that writes to a stream; lines are folded only where that is a terminal."""
    from rich.console import Console

    free = not stream.isatty() and not os.environ.get("COLUMNS")
    return Console(file=stream, width=UNBOUNDED if free else None, highlight=False, markup=False, emoji=False)
