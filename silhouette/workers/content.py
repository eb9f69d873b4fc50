"""What tasks need besides themselves: known by its digest, sent to a process once, and unpacked there once.

`Content` of a task -> its bytes, to each process that lacks it -> `content_of` in the process -> the unpacked value

A pool decides what its processes keep, by an `LRU` of the sizes, and so they never lack what their tasks name. A
process that many ask decides itself: of what a task needs it may be `Lacking` some, and is asked again with that.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")

CONTENT_ROOM = 1 << 30
"""Bytes of content that a process keeps from task to task; what was used last stays longest."""


@dataclass(frozen=True)
class Content:
    """Something that tasks need.

    Attributes:
        make: gives it as bytes; called only if a process lacks it.
        extra: bytes that it takes in a process besides these, for what is worked out of it.
    """

    make: Callable[[], bytes]
    extra: int = 0


class LRU(Generic[Value]):
    """Values by their digests, of which those are dropped that were used least recently when they take too much room.

    >>> lru = LRU[str](room=5)
    >>> for digest in "abc":
    ...     lru.put(digest, digest.upper(), size=2)
    >>> lru.touch("a")
    >>> lru.trim(keep="c"), "a" in lru, lru.get("b")
    (['b'], True, None)
    >>> LRU[str](room=0).trim()
    []
    """

    def __init__(self, room: int) -> None:
        self.room, self.size = room, 0
        self._entries: OrderedDict[str, tuple[Value, int]] = OrderedDict()

    def __contains__(self, digest: str) -> bool:
        return digest in self._entries

    def get(self, digest: str) -> Value | None:
        """The value, which counts as used now; None if it is not there."""
        if digest not in self._entries:
            return None
        self.touch(digest)
        return self._entries[digest][0]

    def put(self, digest: str, value: Value, size: int) -> None:
        """Adds a value that takes ``size`` of the room; `trim` makes room for it."""
        self.size += size - self._entries.get(digest, (None, 0))[1]
        self._entries[digest] = value, size
        self.touch(digest)

    def copy(self) -> LRU[Value]:
        """The same values, in the same order of use."""
        other = LRU[Value](self.room)
        other.size, other._entries = self.size, self._entries.copy()
        return other

    def touch(self, digest: str) -> None:
        """Counts a value as used now."""
        self._entries.move_to_end(digest)

    def trim(self, keep: Collection[str] = ()) -> list[str]:
        """Drops values until the others have room, none of those in ``keep``; the digests of the dropped ones."""
        dropped = list[str]()
        for digest in list(self._entries) if self.size > self.room else ():
            if self.size <= self.room:
                break
            if digest not in keep:
                self.size -= self._entries.pop(digest)[1]
                dropped.append(digest)
        return dropped


_packed: dict[str, bytes] = {}
_unpacked: dict[str, Any] = {}
"""The contents of this process, a worker: each is packed until it is first asked for."""


def receive(new: Mapping[str, bytes], dropped: Collection[str]) -> None:
    """Keeps contents that came with a task, and lets go of others."""
    _packed.update(new)
    for digest in dropped:
        _packed.pop(digest, None)
        _unpacked.pop(digest, None)


class Lacking(LookupError):
    """Contents that a task needs were not sent to this process, or let go of; its arguments are their digests."""


def check_sent(digests: Collection[str]) -> None:
    """Whether contents are all there.

    Raises:
        Lacking: for those that are not.
    """
    missing = [digest for digest in digests if digest not in _packed and digest not in _unpacked]
    if missing:
        raise Lacking(*missing)


def content_of(digest: str, unpack: Callable[[bytes], Any]) -> Any:
    """A content that was sent to this process: what ``unpack`` made of its bytes, once.

    Raises:
        Lacking: if it was not sent.
        Exception: that which ``unpack`` meets, each time.
    """
    if digest not in _unpacked:
        check_sent([digest])
        _unpacked[digest] = unpack(_packed[digest])
        del _packed[digest]
    return _unpacked[digest]
