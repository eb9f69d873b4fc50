"""`cached_property`: an attribute that is worked out when it is first read, and kept, of objects that threads share."""

from __future__ import annotations

import functools
from typing import Any, TypeVar, overload

__all__ = ["cached_property"]

Value = TypeVar("Value", covariant=True)


class cached_property(functools.cached_property[Value]):
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
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """The value for an object; the descriptor itself for the class."""
        if instance is None:
            return self
        assert self.attrname is not None
        # setdefault is one step for all threads: the value that comes first stays.
        return instance.__dict__.setdefault(self.attrname, self.func(instance))
