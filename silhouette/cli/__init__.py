"""TELL, the command line: what commands may be told, what each does, and the tables that they print."""

from __future__ import annotations

import os

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """See `silhouette.cli.app.main`, which takes a moment to import, and Ctrl-C may come then.

    It ends the process at once: importing wraps it in errors of its own, and nothing is begun that must be finished.
    """
    try:
        import signal

        given = signal.getsignal(signal.SIGINT)
        is_ours = given is signal.default_int_handler  # and no program's that runs this, nor ignored
        try:
            if is_ours:
                signal.signal(signal.SIGINT, _leave)
        except ValueError:  # a thread, which gets no signals
            is_ours = False
        from silhouette.cli.app import main as run

        if is_ours:
            signal.signal(signal.SIGINT, given)
    except KeyboardInterrupt:
        _leave()
    return run(arguments)


def _leave(*_: object) -> None:
    """Ends the process after Ctrl-C."""
    try:
        os.write(2, b"error: interrupted; nothing further was judged\n")
    finally:  # though it be closed, or full
        os._exit(130)  # ExitStatus.INTERRUPTED, which that imports
