"""``python -m silhouette.workers.child HANDLE PARENT``: a fresh Python as a `silhouette.workers.process.ChildProcess`.

The target and its argument come through the pipe of that handle, from the process with the number PARENT.
"""

from __future__ import annotations

import sys
from multiprocessing import connection

from silhouette.workers.process import run_child


def connection_of(handle: int) -> connection.Connection:
    """The connection of an inherited handle."""
    if sys.platform == "win32":
        return connection.PipeConnection(handle)
    return connection.Connection(handle)


def main() -> None:
    """Reads the search path for modules, then the target and its argument, and runs it."""
    handle, parent = map(int, sys.argv[1:])
    pipe = connection_of(handle)
    try:
        sys.path[:] = pipe.recv()
        target, argument = pipe.recv()
    except EOFError:
        return  # the parent has ended already
    run_child(pipe, parent, target, argument)


if __name__ == "__main__":
    main()
