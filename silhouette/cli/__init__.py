"""TELL, the command line: the options of commands, what each does, and the tables that they print."""

from __future__ import annotations

import os

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """See `silhouette.cli.app.main`, which takes a moment to import, and Ctrl-C may come then.

    The command's own process then ends at once, since importing wraps the interrupt in errors of other kinds. A program
    that passes ``arguments`` gets its KeyboardInterrupt.
    """
    try:
        import signal

        given = signal.getsignal(signal.SIGINT)
        is_ours = arguments is None and given is signal.default_int_handler  # neither a program's, nor ignored
        try:
            if is_ours:
                signal.signal(signal.SIGINT, _leave)
        except ValueError:  # a thread, which gets no signals
            is_ours = False
        from silhouette.cli.app import main as run

        if is_ours:
            signal.signal(signal.SIGINT, given)
    except KeyboardInterrupt:
        if arguments is not None:
            raise
        _leave()
    return run(arguments)


def _leave(*_: object) -> None:
    """Ends the process after Ctrl-C."""
    try:
        os.write(2, b"error: interrupted; nothing further was judged\n")
    finally:  # though it be closed, or full
        os._exit(130)  # ExitStatus.INTERRUPTED, which that imports
