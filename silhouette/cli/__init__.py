"""TELL, the command line: the options of commands, what each does, and the tables that they print."""

from __future__ import annotations

import os

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """See `silhouette.cli.app.main`, which takes a moment to import, and Ctrl-C may come then.

    The command's own process then ends at once; a program that passes ``arguments`` gets its KeyboardInterrupt.
    """
    try:
        with InterruptsDeferred():
            from silhouette.cli.app import main as run
    except KeyboardInterrupt:
        if arguments is not None:
            raise
        try:
            os.write(2, b"error: interrupted; nothing further was judged\n")
        finally:  # though it be closed, or full
            os._exit(130)  # ExitStatus.INTERRUPTED, which that imports
    return run(arguments)


class InterruptsDeferred:
    """Holds Ctrl-C back while modules are imported, and lets it come afterwards.

    Importing wraps an interrupt in errors of other kinds, and a compiled module that it meets while it makes its types
    (manifold3d) ends the process by a segmentation fault. Where Ctrl-C is ignored, and outside of the main thread,
    which alone handles signals, this does nothing.
    """

    def __enter__(self) -> None:
        import signal  # after `main` began to catch interrupts: nothing else may be imported before

        handler = signal.getsignal(signal.SIGINT)
        self._handler = handler if callable(handler) else None
        self._number = 0
        try:
            if self._handler is not None:
                signal.signal(signal.SIGINT, self._defer)
        except ValueError:  # not the main thread
            self._handler = None

    def _defer(self, number: int, _: object) -> None:
        self._number = number

    def __exit__(self, *_: object) -> None:
        import signal

        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            if self._number:
                signal.raise_signal(self._number)
