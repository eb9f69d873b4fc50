"""A mesh file that a client hands over, such as the phone that holds the scan, and whether it may become the table."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from silhouette.common.errors import RequestError
from silhouette.common.text import as_written, problem
from silhouette.files.fingerprints import MESH_ENDINGS
from silhouette.files.writing import open_own
from silhouette.live.server.connections import MIB, Limits

Tell = Callable[[dict[str, Any]], None]


# ---- asking the players


class Consent:
    """Carries what a second device wants to the players, and the answer of the first of them back."""

    def __init__(self) -> None:
        self._players: list[Tell] = []
        self._requests: dict[str, tuple[asyncio.Future[bool], Tell]] = {}

    def join(self, player: Tell) -> None:
        """Adds a player, who is told of what is wanted just now as well."""
        self._players.append(player)
        for file in self._requests:
            player(_event(file, None))

    def leave(self, player: Tell) -> None:
        """Takes a player away, if it was there; what is wanted waits for those who are left, or come."""
        if player in self._players:
            self._players.remove(player)

    async def given(self, file: str, device: Tell) -> bool:
        """Whether a player allows that a scan becomes the table; true where there is no player to ask."""
        if file in self._requests:
            raise RequestError(f"a player is being asked already whether {as_written(file)} may become the table")
        if not self._players:
            return True
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._requests[file] = answer, device
        self._tell(file, None, device)
        try:
            return await answer
        finally:  # where the device has gone, nobody need be asked any longer
            del self._requests[file]
            self._tell(file, answer.done() and not answer.cancelled() and answer.result(), device)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Takes a player's answer, of a request with ``file`` and ``answer``, and gives that to the player."""
        file, answer = request.get("file"), request.get("answer")
        if not isinstance(answer, bool):
            raise RequestError(f"answer is {as_written(answer)}; it must be true or false")
        waiting = self._requests.get(file) if isinstance(file, str) else None
        if waiting is None or waiting[0].done():
            raise RequestError(f"nobody waits for an answer about {as_written(file)}")
        waiting[0].set_result(answer)
        return {"file": file, "answer": answer}

    def _tell(self, file: str, answer: bool | None, device: Tell) -> None:
        for tell in (*self._players, device):
            tell(_event(file, answer))


def _event(file: str, answer: bool | None) -> dict[str, Any]:
    return {"event": "wanted", "file": file, "answer": answer}


# ---- the file

Received = Callable[[Path, str], Awaitable[str]]
"""What happens with a file that has come: its path and the name that the client gave it in, the name that it is kept
under out. When it returns, the file is deleted, if it is still there."""

MAX_FILE_NAME_LENGTH = 120
_SEPARATORS_AND_SIGNS = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)\.", re.IGNORECASE)


def plain_name(name: object) -> str:
    """The name of a mesh file, if it is one without a folder that every system can write; else RequestError.

    >>> plain_name("table.glb")
    'table.glb'
    """
    if (
        isinstance(name, str)
        and 0 < len(name) <= MAX_FILE_NAME_LENGTH
        and name.isprintable()
        and name[0] not in ". -"
        and not _SEPARATORS_AND_SIGNS.search(name)
        and not _DEVICES.match(name)
        and name[name.rfind(".") :].lower() in MESH_ENDINGS
    ):
        return name
    raise RequestError(
        f"name is {as_written(name)}; it must be that of a mesh file without a folder, such as table{MESH_ENDINGS[3]}"
    )


@dataclass
class _Coming:
    """A file of which some pieces are still to come."""

    giver: object
    tell: Tell
    name: str
    left: int
    stream: BinaryIO
    path: Path
    patience: asyncio.TimerHandle | None = None


class HandOver:
    """Takes files, one at a time, whichever client hands them over; tells all clients of one that has come."""

    def __init__(self, folder: Callable[[], Path], received: Received, limits: Limits, tell_all: Tell) -> None:
        self._folder, self._received, self._limits, self._tell_all = folder, received, limits, tell_all
        self.consent = Consent()
        self._announced = 0
        self._received_files = set[str]()
        self._coming: _Coming | None = None
        self._after: asyncio.Task[None] | None = None

    def begin(self, giver: object, request: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
        """Makes ready for a file of a ``name`` and a ``size``, and gives the answer.

        ``tell`` is given the event ``handed-over`` where the file does not come, or cannot be kept. OSError if the
        folder cannot be written to.
        """
        name, size = plain_name(request.get("name")), request.get("size")
        if type(size) is not int or not 0 < size <= self._limits.file:
            raise RequestError(
                f"size is {as_written(size)}; it must be the file's, from 1 to {self._limits.file} bytes "
                f"({self._limits.file // MIB} MiB)"
            )
        if self._coming is not None or self._after is not None:
            raise RequestError("another file is being handed over; try again when it has come")
        if self._announced + size > self._limits.files:
            raise RequestError(f"files of more than {self._limits.files // MIB} MiB in all; start the table again")
        path = self._folder() / f".handed-over-{uuid4().hex[:8]}{name[name.rfind('.') :].lower()}"
        stream = open_own(path, new=True)
        self._announced += size
        self._coming = _Coming(giver, tell, name, size, stream, path)
        self._wait(self._coming)
        return {"chunk": self._limits.chunk}

    async def take(self, giver: object, piece: bytes) -> None:
        """Takes a piece; where there is none to take, or it cannot be written (OSError), the file is dropped."""
        coming = self._coming
        if coming is None or coming.giver is not giver:
            raise RequestError("a piece of a file, but none is being handed over")
        most = min(self._limits.chunk, coming.left)
        try:
            if len(piece) > most:
                raise RequestError(f"a piece of {len(piece)} bytes of {coming.name}; at most {most} were to come")
            await asyncio.to_thread(coming.stream.write, piece)
            coming.left -= len(piece)
            if coming.left == 0:
                coming.stream.close()
        except BaseException:
            self.drop(giver)
            raise
        if coming.left:
            self._wait(coming)
            return
        _stop_waiting(coming)
        self._coming = None
        self._after = asyncio.create_task(self._pass_on(coming))

    def has_come(self, name: object) -> bool:
        """Whether a file that is kept under this name was handed over."""
        return isinstance(name, str) and name in self._received_files

    def refuse(self, name: str) -> None:
        """Counts a file as one that was not handed over; it stays where it is."""
        self._received_files.discard(name)

    def drop(self, giver: object) -> None:
        """Ends what a client hands over, and deletes what has come of it; of another client nothing."""
        coming = self._coming
        if coming is not None and coming.giver is giver:
            self._coming = None
            _stop_waiting(coming)
            _delete(coming)

    async def close(self) -> None:
        """Ends whatever is being handed over, or being done with it, and leaves no file."""
        if self._coming is not None:
            self.drop(self._coming.giver)
        if self._after is not None:
            self._after.cancel()
            with suppress(asyncio.CancelledError):
                await self._after

    async def _pass_on(self, coming: _Coming) -> None:
        event = {"event": "handed-over", "name": coming.name}
        try:
            file = await self._received(coming.path, coming.name)
            self._received_files.add(file)
            self._tell_all({**event, "file": file})
        except Exception as error:
            coming.tell({**event, "error": problem(error)})
        finally:
            self._after = None
            _delete(coming)

    def _wait(self, coming: _Coming) -> None:
        """Waits for the next piece, for as long as a client may pause."""
        _stop_waiting(coming)
        coming.patience = asyncio.get_running_loop().call_later(self._limits.pause, self._give_up, coming)

    def _give_up(self, coming: _Coming) -> None:
        self.drop(coming.giver)
        words = f"no piece of it has come for {self._limits.pause:g} s"
        coming.tell({"event": "handed-over", "name": coming.name, "error": words})


def _stop_waiting(coming: _Coming) -> None:
    if coming.patience is not None:
        coming.patience.cancel()
        coming.patience = None


def _delete(coming: _Coming) -> None:
    with suppress(OSError):
        coming.stream.close()
    with suppress(OSError):
        coming.path.unlink(missing_ok=True)


async def kept_beside(path: Path, name: str) -> str:
    """Keeps a file in the folder that it lies in, and gives its name there: its own, or the next one that is free."""
    free, number = path.with_name(name), 1
    while free.exists():
        number += 1
        free = path.with_name(f"{Path(name).stem} {number}{Path(name).suffix}")
    path.rename(free)
    return free.name
