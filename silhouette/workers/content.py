"""What tasks need besides themselves: known by its digest, sent to a process once, and unpacked there once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

CONTENT_ROOM = 1 << 30  # bytes of content that a process keeps from task to task; what was used last stays longest


@dataclass(frozen=True)
class Content:
    """Something that tasks need: gives it as bytes, called only if a process lacks it.

    ``extra``: bytes that it takes in a process besides these, for what is worked out of it.
    """

    make: Callable[[], bytes]
    extra: int = 0


_packed: dict[str, bytes] = {}
_unpacked: dict[str, Any] = {}  # the contents of this process, a worker: each is packed until it is first asked for


def receive(new: Mapping[str, bytes], dropped: Collection[str]) -> None:
    """Keeps contents that came with a task, and lets go of others."""
    _packed.update(new)
    for digest in dropped:
        _packed.pop(digest, None)
        _unpacked.pop(digest, None)


def content_of(digest: str, unpack: Callable[[bytes], Any]) -> Any:
    """A content that was sent to this process, else KeyError: what ``unpack`` made of its bytes, once."""
    if digest not in _unpacked:
        _unpacked[digest] = unpack(_packed[digest])
        del _packed[digest]
    return _unpacked[digest]
