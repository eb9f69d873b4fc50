"""MANY: the process that holds a device for all that judge, and another in its place where it ends.

this process -> keeper, which starts the process that holds the device, and waits for its end -> again
"""

from __future__ import annotations

import secrets
import shutil
import sys
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from silhouette.workers.process import ChildProcess

PATIENCE = 10.0
"""Seconds that the keeper has to end the other."""

LONGEST = 90
"""Characters of the longest path of a folder for a socket, whose path has some 100 at most."""


class HeldDevice:
    """A context manager: while it is entered, a process of its own holds a device, and answers those that ask.

    Args:
        device: its name; None leaves it to the renderer.
        clients: the number of processes that will ask.

    Attributes:
        address, key: where the process is reached: see `silhouette.renderers.cuda.served.ServedRenderer`.
    """

    address: str

    def __init__(self, device: str | None, clients: int) -> None:
        self._device, self._clients = device, clients
        self.key = secrets.token_bytes(16)

    def __enter__(self) -> HeldDevice:
        self._folder = _short_folder()
        self.address = str(Path(self._folder.name, "device"))
        if sys.platform == "win32":
            self.address = rf"\\.\pipe\silhouette-{secrets.token_hex(16)}"
        self._keeper = ChildProcess(_keep, (self.address, self.key, self._device, self._clients))
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._keeper.pipe.send(None)
        self._keeper.wait(PATIENCE)
        self._keeper.kill()
        self._folder.cleanup()


def _keep(pipe: Connection, given: tuple[Any, ...]) -> None:
    """Starts the process that holds the device, again and again; it ends with this one.

    Args:
        pipe: has something to read, or breaks, when the device is needed no longer.
        given: the arguments of `silhouette.measure.on_device.serving.serve`.
    """
    while True:
        holder = ChildProcess(_hold, given, fresh=True)
        ready = wait([pipe, holder.pipe])
        holder.kill()
        if pipe in ready:
            break
    if sys.platform != "win32":  # where the other process was killed it leaves its folder
        shutil.rmtree(Path(given[0]).parent, ignore_errors=True)


def _hold(pipe: Connection, given: tuple[Any, ...]) -> None:
    """Holds the device; ``pipe`` breaks at the end of this process."""
    from silhouette.measure.on_device.serving import serve

    serve(*given)


def _short_folder() -> TemporaryDirectory[str]:
    """A folder for a socket, whose path must be short."""
    folder = TemporaryDirectory(prefix="silhouette-", ignore_cleanup_errors=True)
    if len(folder.name) > LONGEST and Path("/tmp").is_dir():
        folder.cleanup()
        folder = TemporaryDirectory(prefix="silhouette-", dir="/tmp", ignore_cleanup_errors=True)
    return folder
