"""SCAN: what a scan cannot tell, as questions with a few answers of which the likeliest is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SCALE = "scale"  # the key of the question how large the scan is
ABOUT_MODEL = "model"  # the kind of the question whether a piece is a known model; its second answer is that model


def kind_of(key: str) -> str:
    """The kind of a question, from its key: what is asked, without the place that it is asked about.

    >>> kind_of("odd at 3,4"), kind_of(SCALE)
    ('odd', 'scale')
    """
    return key.partition(" at ")[0]


@dataclass(frozen=True)
class Question:
    """A question that only the player can answer."""

    key: str  # by which an answer given earlier is found again, such as "scale" or "odd at 3,4"
    text: str  # the question in one sentence, with what it is about
    answers: tuple[str, ...]  # what can be answered, the likeliest first
    # Names of the pieces that it is about (their numbers until they have names); none for the whole scan
    about: tuple[str, ...] = ()
    at: tuple[float, float] | None = None  # x, y in mm on the table where there is something to look at, or None

    def keys(self) -> dict[str, Any]:
        """The keys of its table in a scene.

        >>> Question("scale", "Which bases are these?", ("25 mm", "32 mm")).keys()
        {'key': 'scale', 'text': 'Which bases are these?', 'answers': ['25 mm', '32 mm']}
        """
        keys: dict[str, Any] = {"key": self.key, "text": self.text, "answers": list(self.answers)}
        if self.about:
            keys["about"] = list(self.about)
        if self.at is not None:
            keys["at"] = [round(place, 1) for place in self.at]
        return keys
