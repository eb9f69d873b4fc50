"""Whether a scan that a second device hands over may take the place of the players' table: they are asked first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from silhouette.errors import RequestError
from silhouette.text import as_written

Tell = Callable[[dict[str, Any]], None]


class Consent:
    """Carries what a second device wants to the players, and the answer of the first of them back."""

    def __init__(self) -> None:
        self._players: list[Tell] = []
        self._wanted: dict[str, tuple[asyncio.Future[bool], Tell]] = {}

    def join(self, player: Tell) -> None:
        """Adds a player, who is told of what is wanted just now as well."""
        self._players.append(player)
        for file in self._wanted:
            player(_event(file, None))

    def leave(self, player: Tell) -> None:
        """Takes a player away, if it was there; what is wanted waits for those who are left, or come."""
        if player in self._players:
            self._players.remove(player)

    async def given(self, file: str, device: Tell) -> bool:
        """Whether a player allows that a scan becomes the table; true where there is no player to ask.

        Args:
            file: of the scan.
            device: tells the one who wants it that it waits, and what was answered.

        Raises:
            RequestError: where that is being asked already.
        """
        if file in self._wanted:
            raise RequestError(f"a player is being asked already whether {as_written(file)} may become the table")
        if not self._players:
            return True
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._wanted[file] = answer, device
        self._tell(file, None, device)
        try:
            return await answer
        finally:  # where the device has gone, nobody need be asked any longer
            del self._wanted[file]
            self._tell(file, answer.done() and not answer.cancelled() and answer.result(), device)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Takes a player's answer, and gives that to the player.

        Args:
            request: with ``file`` and ``answer``.

        Raises:
            RequestError: where nobody wants that, or it is neither true nor false.
        """
        file, answer = request.get("file"), request.get("answer")
        if not isinstance(answer, bool):
            raise RequestError(f"answer is {as_written(answer)}; it must be true or false")
        waiting = self._wanted.get(file) if isinstance(file, str) else None
        if waiting is None or waiting[0].done():
            raise RequestError(f"nobody waits for an answer about {as_written(file)}")
        waiting[0].set_result(answer)
        return {"file": file, "answer": answer}

    def _tell(self, file: str, answer: bool | None, device: Tell) -> None:
        for tell in (*self._players, device):
            tell(_event(file, answer))


def _event(file: str, answer: bool | None) -> dict[str, Any]:
    return {"event": "wanted", "file": file, "answer": answer}
