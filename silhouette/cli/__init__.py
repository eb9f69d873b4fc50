"""TELL, the command line: what commands may be told, what each does, and the tables that they print."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """See `silhouette.cli.app.main`, which takes a moment to import, and Ctrl-C may come then."""
    try:
        from silhouette.cli.app import main as run
    except KeyboardInterrupt:
        with suppress(AttributeError, OSError, ValueError):  # closed, or full
            sys.stderr.write("error: interrupted; nothing further was judged\n")
        return 130  # ExitStatus.INTERRUPTED, which that imports
    return run(arguments)
