"""A live table that is served until a signal ends it; what is not saved is kept beside the scene after every change.

It listens at this machine's own address and, if that is wanted, at its address in the network. What a page names is
read and written in the scene's folder alone.
"""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from silhouette.common.errors import RequestError, SilhouetteError
from silhouette.common.text import as_written
from silhouette.files.confinement import is_inside, without_folders
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.protocol import Session, Tell
from silhouette.live.server.gate import Door, Role, new_token, page_files
from silhouette.live.server.hand_over import kept_beside
from silhouette.live.server.serving import TableServer
from silhouette.live.shelf import FILE_NAME_KEYS, models_of_shelf

# ---- sessions of pages


class PageSession(Session):
    """A session of a page; a piece that a page adds is of a file in the scene's folder, in use, or on the shelf.

    Messages to a page name no folder of this machine: others may see the page.
    """

    def __init__(self, table: LiveTable, judges: Judges, tell: Tell) -> None:
        super().__init__(table, judges, lambda event: tell(self._without_folders(event)))

    async def answer(self, request: object) -> dict[str, Any]:
        """See `Session`."""
        if isinstance(request, Mapping):
            try:
                for path in _named(request):
                    check_inside(self._table, path)
            except RequestError as error:
                return {"id": request.get("id"), "error": str(error)}
        return self._without_folders(await super().answer(request))

    def _without_folders(self, message: dict[str, Any]) -> dict[str, Any]:
        folder = self._table.path.parent.absolute()
        folders = folder, folder.resolve()
        error, warnings = message.get("error"), message.get("warnings")
        if error is not None:
            message = {**message, "error": without_folders(error, *folders)}
        if warnings is not None:
            message = {**message, "warnings": [without_folders(text, *folders) for text in warnings]}
        return message


def check_inside(table: LiveTable, path: str) -> None:
    """Refuses the path of a file that lies elsewhere than in the scene's folder, is on no shelf and in no piece."""
    try:
        inside = is_inside(table.path.parent, path)
    except (OSError, ValueError):  # a name that no file can have
        inside = False
    pieces = [entry for entries in table.document.values() if isinstance(entries, list) for entry in entries]
    used = {entry[key] for entry in pieces if isinstance(entry, dict) for key in FILE_NAME_KEYS if key in entry}
    if not inside and path not in used and all(model.file != path for model in models_of_shelf(table)):
        raise RequestError(f"{as_written(path)} lies outside the scene's folder; copy the file into it")


def _named(request: Mapping[str, Any]) -> Iterator[str]:
    edits = request.get("edits")
    for edit in edits if isinstance(edits, list) else []:
        if isinstance(edit, Mapping):
            yield from (edit[key] for key in FILE_NAME_KEYS if isinstance(edit.get(key), str))


# ---- keeping what is not saved

SOON = 0.5  # seconds after a change; so much of a drag is lost at most where the program is killed


class Autosaving:
    """Keeps a table while the event loop runs, soon after a change; complains once of the same problem."""

    def __init__(self, table: LiveTable, complain: Callable[[str], None]) -> None:
        self._table, self._complain = table, complain
        self._complaint = ""
        self._keeping: asyncio.Task[None] | None = None
        table.listeners.append(self._changed)

    def _changed(self) -> None:
        if self._keeping is None:
            self._keeping = asyncio.get_running_loop().create_task(self._keep_soon())

    async def _keep_soon(self) -> None:
        try:
            await asyncio.sleep(SOON)
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


# ---- sockets

HERE = "127.0.0.1"
EXAMPLE_ADDRESS = ("192.0.2.1", 9)
"""An address that RFC 5737 keeps for examples: asked for the way to it, the system names the interface of the default
route. Nothing is sent."""

BACKLOG = 128


def opened_doors(port: int, *, lan: bool) -> list[Door]:
    """The doors of a server: for this machine, and with ``lan`` for a second device that looks on; port 0 is any."""
    player, looker = new_token(), new_token()
    doors = [Door(_listening(HERE, port), {player: Role.PLAYER})]
    if lan:
        try:
            doors.append(Door(_listening(lan_address(), port), {looker: Role.LOOKER}))
        except RequestError:
            doors[0].listening.close()
            raise
    return doors


def lan_address() -> str:
    """This machine's IPv4 address on the interface that its default route takes; RequestError without any."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(EXAMPLE_ADDRESS)
            address = str(asking.getsockname()[0])
        except OSError:
            address = ""
    if not address or address.startswith(("127.", "0.")):
        raise RequestError("--lan needs a network, and this machine is in none; join one, or leave it out")
    return address


def _listening(host: str, port: int) -> socket.socket:
    try:
        listening = socket.create_server((host, port), backlog=BACKLOG)
    except OSError as error:
        raise RequestError(_why_not(host, port, error)) from None
    listening.setblocking(False)
    return listening


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; take another --port, or leave it out for any that is free"
    if error.errno == errno.EACCES:
        return f"port {port} of {host} is not open to you; take a --port above 1023, or leave it out"
    return f"port {port} of {host}: {error.strerror or error}"


# ---- serving


async def serve_table(table: LiveTable, judges: Judges, doors: Sequence[Door], complain: Callable[[str], None]) -> None:
    """Serves a table until Ctrl-C or the signal TERM; judges and doors end with it, and what is not saved is kept."""
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
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
    except NotImplementedError:
        pass
    return ended
