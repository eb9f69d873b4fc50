"""The memo of the house: what is worked out once from something frozen, and kept as long as that is.

`cached_property` is an attribute, which lies in its object and goes with it. `derived` is a function of an object and
of further arguments, `remembered` one of values alone; all such functions share one bound of bytes and one `forget`.
Beside them stay: `functools.cache` of constant tables and of words; what renderers hold on a device or in a library's
structures, which they must give back, what processes were sent, and objects made of files: each an `LRU` with a bound
of its own; and the cache on disk (`files.cache`).
"""

from __future__ import annotations

import functools
import os
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Hashable, Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from itertools import count
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload
from weakref import ref

__all__ = ["LRU", "cached_property", "derived", "forget", "kept_bytes", "own_bytes", "remembered", "size_of"]

Value = TypeVar("Value")
Read = TypeVar("Read", covariant=True)


class cached_property(functools.cached_property[Read]):
    """An attribute that is worked out when it is first read, and kept.

    It is that of `functools` without its two faults where there are threads. Until Python 3.11 that one holds a lock,
    for the attribute of all objects of a class, while it works out any of them: threads with different scenes wait for
    each other, and a process that is forked meanwhile, by whatever program, waits for ever. From Python 3.12 on, two
    threads that read an attribute at once can get two objects; here both get the same one.

    Two threads that read it at once may both work it out, so the function must have no effect but its value.

    >>> class Circle:
    ...     @cached_property
    ...     def area(self):
    ...         print("worked out")
    ...         return 3
    >>> circle = Circle()
    >>> circle.area + circle.area
    worked out
    6
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[Read]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Read: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """The value for an object; the descriptor itself for the class."""
        if instance is None:
            return self
        assert self.attrname is not None
        # setdefault is one step for all threads: the value that comes first stays.
        return instance.__dict__.setdefault(self.attrname, self.func(instance))


BYTES = 512 * 2**20
"""What `derived` keeps in a process, in all; the value that was worked out last stays whatever its size."""

ENTRY_BYTES = 400  # what keeping any value takes besides the value

SHARE_AFTER = 0.75
"""The share of the bound that is left when what was used longest ago has been dropped: it takes a look at all."""

Owner = TypeVar("Owner")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Key = tuple[int, tuple[Hashable, ...]]  # the identity of an owner, and further arguments


class _MemoEntry(Generic[Result]):
    """A value, its size in bytes, the number of its last use, and what drops it when its owner or an argument dies."""

    __slots__ = ("guards", "size", "used", "value")
    guards: list[ref[Any]]  # the owner's first

    def __init__(self, value: Result, size: int) -> None:
        self.value, self.size = value, size
        self.used = next(_uses)


_uses = count()
_memos: list[derived[Any, Any, Any]] = []
_lock = Lock()
_freed: deque[int] = deque()
"""Sizes of what went with its owner: an owner may die at any moment, also while this thread holds the lock."""
_total = 0


class derived(Generic[Owner, Parameters, Result]):
    """A function of something frozen, its *owner*, and of hashable arguments, whose values are kept.

    They are kept as long as the owner is, in all functions and threads of a process up to `BYTES`: what was used
    longest ago goes first (LRU), and is worked out again if it is needed. Two threads that need one value at once may
    both work it out, and both get the same one. A process that is forked has what its parent had.

    The function must have no effect but its value, which nobody changes. A value that holds its owner stays until there
    is no room for it, the owner with it. Owners are compared by identity; arguments are given by place. A second owner
    is given as a weak reference: a value goes with whichever dies first.

    >>> class Wall:
    ...     pass
    >>> @derived
    ... def area(wall, height):
    ...     print("worked out")
    ...     return 9 * height
    >>> wall = Wall()
    >>> area(wall, 2) + area(wall, 2) + area(wall, 3)
    worked out
    worked out
    63
    >>> area.count
    2
    >>> del wall
    >>> area.count
    0
    """

    def __init__(self, function: Callable[Concatenate[Owner, Parameters], Result]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._entries: dict[Key, _MemoEntry[Result]] = {}
        _memos.append(self)

    def __call__(self, owner: Owner, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        """The value, worked out if it is not kept; TypeError if an argument is given by its name."""
        if kwargs:
            raise TypeError(f"{self._function.__name__} takes its arguments by place: it keeps its values by them")
        key = id(owner), args
        entry = self._entries.get(key)
        if entry is not None and entry.guards[0]() is owner:
            entry.used = next(_uses)
            return entry.value
        value = self._function(owner, *args, **kwargs)
        # A value that holds its owner would keep it for ever; the owner itself is not kept.
        return value if _is(value, owner) else self._keep(owner, args, value)

    def _keep(self, owner: Owner, args: tuple[Hashable, ...], value: Result) -> Result:
        """The value that is kept: this one, or that of a thread that was quicker."""
        global _total
        key, entry = (id(owner), args), _MemoEntry(value, ENTRY_BYTES + size_of((value, args)))
        others = [each() for each in args if isinstance(each, ref)]
        entry.guards = [ref(each, functools.partial(self._drop, key)) for each in (owner, *others)]
        with _lock:
            first = self._entries.get(key)
            if first is not None and first.guards[0]() is owner:
                return first.value
            self._entries[key] = entry
            _total += entry.size
            _make_room(entry)
        return value

    def _drop(self, key: Key, dead: ref[Any]) -> None:
        """Drops what was kept of an owner and of arguments, one of which died."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            _freed.append(entry.size)

    @property
    def count(self) -> int:
        """The values that are kept."""
        return len(self._entries)

    def forget(self) -> None:
        """Keeps no value of this function any more."""
        global _total
        with _lock:
            while self._entries:
                _total -= self._entries.popitem()[1].size


def remembered(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A function of hashable arguments, which are given by place and compared by value; it is kept as by `derived`.

    >>> @remembered
    ... def upper(word):
    ...     print("worked out")
    ...     return word.upper()
    >>> upper("a") + upper("a")
    worked out
    'AA'
    """

    def of_owner(owner: object, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return function(*args, **kwargs)

    memo: derived[object, Parameters, Result] = derived(of_owner)  # type: ignore[arg-type]  # the owner comes by place
    functools.update_wrapper(memo, function)

    @functools.wraps(function)
    def remembering(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return memo(remembering, *args, **kwargs)

    return remembering


def _is(first: object, second: object) -> bool:
    """Whether two are one object; written apart, since mypy takes the value's type from it."""
    return first is second


def _make_room(latest: _MemoEntry[Any]) -> None:
    """Drops what was used longest ago if too much is kept; the lock is held."""
    global _total
    while _freed:
        _total -= _freed.popleft()
    if _total <= BYTES:
        return
    # Lists of what lies in dictionaries, since an owner may die meanwhile.
    there = [(memo, key, memo._entries.get(key)) for memo in _memos for key in list(memo._entries)]
    others = [(entry.used, memo, key) for memo, key, entry in there if entry is not None and entry is not latest]
    for _, memo, key in sorted(others, key=lambda each: each[0]):
        if _total <= SHARE_AFTER * BYTES:
            return
        if (dropped := memo._entries.pop(key, None)) is not None:
            _total -= dropped.size


def kept_bytes() -> int:
    """About how many bytes `derived` keeps in this process."""
    return _total - sum(list(_freed))


def forget() -> None:
    """Keeps no value of any function under `derived`; attributes stay as long as their objects."""
    for memo in _memos:
        memo.forget()


def _after_fork() -> None:
    """Another thread may have held the lock, which is not in this process to give it back."""
    global _lock
    _lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@functools.singledispatch
def own_bytes(value: object) -> int:
    """About how many bytes an object takes without those that it holds; rooms register kinds of their own."""
    return sys.getsizeof(value, 64)


def size_of(value: object) -> int:
    """About how many bytes a value takes, with all that it holds in containers and in fields, each object once.

    >>> 800 <= size_of(((b"a" * 800,), {"a": 1.0})) < 1600
    True
    """
    total, seen, left = 0, set[int](), [value]
    while left:
        item = left.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        total += own_bytes(item)
        if isinstance(item, dict):
            left += [*item.keys(), *item.values()]
        elif isinstance(item, list | tuple | set | frozenset):
            left += item
        elif is_dataclass(item) and not isinstance(item, type):
            left += [getattr(item, field.name) for field in fields(item)]
        elif not isinstance(item, type | FunctionType | ModuleType):
            with suppress(TypeError):  # it has none
                left += vars(item).values()
    return total


class LRU(Generic[Value]):
    """Values by their keys, of which those are dropped that were used least recently when they take too much room.

    >>> lru = LRU[str](room=5)
    >>> for digest in "abc":
    ...     lru.put(digest, digest.upper(), size=2)
    >>> lru.touch("a")
    >>> lru.trim(keep="c"), "a" in lru, lru.get("b")
    ({'b': 'B'}, True, None)
    """

    def __init__(self, room: int) -> None:
        self.room, self.size = room, 0
        self._entries: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def items(self) -> list[tuple[Any, Value]]:
        """All keys with their values, those used least recently first."""
        return [(key, value) for key, (value, _) in self._entries.items()]

    def size_of(self, keys: Iterable[Hashable]) -> int:
        """How much of the room the values of these keys take."""
        return sum(self._entries[key][1] for key in keys)

    def get(self, key: Hashable) -> Value | None:
        """The value, which counts as used now; None if it is not there."""
        if key not in self._entries:
            return None
        self.touch(key)
        return self._entries[key][0]

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Adds a value that takes ``size`` of the room; `trim` makes room for it."""
        self.size += size - self._entries.get(key, (None, 0))[1]
        self._entries[key] = value, size
        self.touch(key)

    def clear(self) -> None:
        """Keeps nothing any more."""
        self._entries.clear()
        self.size = 0

    def copy(self) -> LRU[Value]:
        """The same values, in the same order of use."""
        other = LRU[Value](self.room)
        other.size, other._entries = self.size, self._entries.copy()
        return other

    def touch(self, key: Hashable) -> None:
        """Counts a value as used now."""
        self._entries.move_to_end(key)

    def trim(self, keep: Collection[Hashable] = (), room: int | None = None) -> dict[Any, Value]:
        """Drops values until the others have room, none of those in ``keep``, and gives what was dropped."""
        room, dropped = self.room if room is None else room, dict[Any, Value]()
        for key in list(self._entries) if self.size > room else ():
            if self.size <= room:
                break
            if key not in keep:
                dropped[key], size = self._entries.pop(key)
                self.size -= size
        return dropped
