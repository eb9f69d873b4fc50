"""A live table that is served until a signal ends it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence

from silhouette.live.autosaving import Autosaving
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.server.files import page_files
from silhouette.live.server.gate import Door
from silhouette.live.server.hand_over import kept_beside
from silhouette.live.server.inside import PageSession
from silhouette.live.server.serving import TableServer


def serve_table(
    table: LiveTable,
    judges: Judges,
    doors: Sequence[Door],
    complain: Callable[[str], None],
) -> None:
    """Serves a table until Ctrl-C or the signal TERM.

    Args:
        table: the table; what is not saved is kept beside its scene.
        judges: judge it; they end with this.
        doors: where it is reached; they are closed with this.
        complain: is told in a line what goes wrong beside the clients' requests.
    """
    asyncio.run(_serve(table, judges, doors, complain))


async def _serve(table: LiveTable, judges: Judges, doors: Sequence[Door], complain: Callable[[str], None]) -> None:
    ended = _ended()
    async with judges:
        autosaving = Autosaving(table, complain)
        try:
            scans = (lambda: table.path.parent), kept_beside
            async with TableServer(doors, lambda tell: PageSession(table, judges, tell), page_files(), scans=scans):
                await ended.wait()
        finally:
            await autosaving.close()


def _ended() -> asyncio.Event:
    """Is set by the signals that end the server. Where the loop takes none, Ctrl-C cancels what runs in it."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(one, ended.set)
    except NotImplementedError:
        pass
    return ended
