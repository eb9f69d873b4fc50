"""What waits for a client that reads slowly: nothing about an earlier pose, and everything else in its order."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from silhouette.live.server.connections import Limits, Outbox


class SlowConnection:
    """Takes messages when it is told to."""

    def __init__(self) -> None:
        self.reads = asyncio.Event()
        self.sent: list[dict[str, Any]] = []
        self.is_dropped = False

    @property
    def transport(self) -> SlowConnection:
        return self

    def get_write_buffer_size(self) -> int:
        return 0

    async def send(self, text: str) -> None:
        await self.reads.wait()
        self.sent.append(json.loads(text))

    def drop(self) -> None:
        self.is_dropped = True


async def sent(messages: list[dict[str, Any]], limits: Limits | None = None) -> SlowConnection:
    """A connection that has taken these messages, the first of which it was slow to take."""
    connection = SlowConnection()
    outbox = Outbox(connection, limits or Limits())  # type: ignore[arg-type]
    pouring = asyncio.create_task(outbox.pour())
    outbox.put({"event": "welcome"})
    await asyncio.sleep(0)
    for message in messages:
        outbox.put(message)
    connection.reads.set()
    await asyncio.sleep(0.01)
    pouring.cancel()
    await asyncio.gather(pouring, return_exceptions=True)
    assert connection.sent.pop(0) == {"event": "welcome"}
    return connection


def results(pose: int, number: int = 0) -> dict[str, Any]:
    return {"event": "results", "pose": pose, "results": [number]}


def test_events_of_earlier_poses_are_left_out() -> None:
    late = {"event": "edited", "pose": 3}
    answers = [{"id": 1, "pose": 1}, {"id": 2, "pose": 2}]
    told = [answers[0], results(1), {"event": "edited", "pose": 1}, answers[1], results(2), late, results(3)]
    assert asyncio.run(sent(told)).sent == [*answers, late, results(3)]
    assert asyncio.run(sent([results(3), results(2)])).sent == [results(3)]


def test_all_events_of_one_pose_and_all_maps_are_sent() -> None:
    told = [results(1, 0), results(1, 1), {"event": "map", "pose": 1}, {"event": "map", "pose": 2}, results(1, 2)]
    assert asyncio.run(sent(told)).sent == told


def test_what_is_left_out_does_not_count_against_the_client() -> None:
    large = "x" * 1000
    told = [{**results(pose), "more": large} for pose in range(100)]
    connection = asyncio.run(sent(told, Limits(unsent=5000)))
    assert not connection.is_dropped
    assert connection.sent == told[-1:]
    assert asyncio.run(sent([{"id": 1, "more": large}] * 100, Limits(unsent=5000))).is_dropped


def test_numbers_that_json_cannot_hold_are_null() -> None:
    assert asyncio.run(sent([{"id": 1, "share": float("nan")}])).sent == [{"id": 1, "share": None}]
