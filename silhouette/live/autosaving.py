"""TELL: a table that keeps itself: what is not saved lies in a file beside the scene, soon after every change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from silhouette.errors import SilhouetteError
from silhouette.live.live_table import LiveTable

SOON = 0.5
"""Seconds after a change; so much of a drag is lost at most where the program is killed."""


class Autosaving:
    """Keeps a table while the event loop runs.

    Args:
        table: the table.
        complain: is called with one line that says why the table cannot be kept; with the same line once.
        soon: seconds after a change.
    """

    def __init__(self, table: LiveTable, complain: Callable[[str], None], soon: float = SOON) -> None:
        self._table, self._complain, self._soon = table, complain, soon
        self._complaint = ""
        self._keeping: asyncio.Task[None] | None = None
        table.listeners.append(self._changed)

    def _changed(self) -> None:
        if self._keeping is None:
            self._keeping = asyncio.get_running_loop().create_task(self._keep_soon())

    async def _keep_soon(self) -> None:
        try:
            await asyncio.sleep(self._soon)
            pose = -1
            while pose != self._table.pose:
                pose = self._table.pose
                await asyncio.to_thread(self._keep)  # the disk may take its time
            if self._table.is_saved:
                self._keep()  # saved meanwhile: the file of before goes
        finally:
            self._keeping = None

    def _keep(self) -> None:
        try:
            self._table.autosave()
            self._complaint = ""
        except SilhouetteError as error:
            if str(error) != self._complaint:
                self._complaint = str(error)
                self._complain(self._complaint)

    async def close(self) -> None:
        """Keeps what there is to keep, and ends."""
        self._table.listeners.remove(self._changed)
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        self._keep()
