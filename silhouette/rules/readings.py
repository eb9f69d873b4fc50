"""JUDGE: what a result would be under a reading of the rules that the scene did not choose, in every game alike.

`Rule.readings_entry` declares the readings of a game; a result lists, in ``other_readings``, each single other one that
would change it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import (
    Literal,
    NamedTuple,
    Required,  # pydantic needs it below Python 3.12
    TypeVar,
    get_args,
    get_origin,
)

from typing_extensions import TypedDict

from silhouette.files.schema import Entry

OfReadings = TypeVar("OfReadings", bound=Entry)


class OtherReading(TypedDict, total=False):
    """A reading that the scene did not choose, with the verdict that it gives and the other results that it changes."""

    reading: Required[str]
    """The key of ``[readings]`` and its other value: "hills = literal"."""
    verdict: Required[str]
    could_be: list[str]
    """The verdicts that it could be, this one among them, if that verdict is too close to call itself."""
    line_of_sight: bool
    line_of_effect: bool
    cover: bool | str | None
    cover_from: list[str]
    modifier: int | None
    wounds: int


class Alternative(NamedTuple):
    """One value of one reading that a scene did not choose, such as "literal" of ``hills``."""

    key: str
    value: str | bool

    def __str__(self) -> str:
        """As results name it, and as a scene's ``[readings]`` says it but for the quotes.

        >>> str(Alternative("hills", "literal")), str(Alternative("ignored_parts_block", True))
        ('hills = literal', 'ignored_parts_block = true')
        """
        return f"{self.key} = {str(self.value).lower() if isinstance(self.value, bool) else self.value}"

    def taken(self, readings: OfReadings) -> OfReadings:
        """The readings of a scene with this value in place of the one that it chose."""
        return readings.model_copy(update={self.key: self.value})


def alternatives(readings: Entry) -> Iterator[Alternative]:
    """Each single value that a scene's readings did not choose, key by key; of numbers there is no list.

    >>> class Readings(Entry):
    ...     hills: Literal["above the lower", "literal"] = "literal"
    ...     infantry_hides: bool = False
    ...     tolerance: float = 1.0
    >>> [str(one) for one in alternatives(Readings())]
    ['hills = above the lower', 'infantry_hides = true']
    """
    for key, field in type(readings).model_fields.items():
        chosen = getattr(readings, key)
        values = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        for value in (not chosen,) if isinstance(chosen, bool) else values:
            if value != chosen:
                yield Alternative(key, value)
