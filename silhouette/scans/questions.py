"""SCAN: what a scan cannot tell, as questions with a few answers of which the likeliest is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Question:
    """A question that only the player can answer.

    Attributes:
        key: by which an answer given earlier is found again, such as "scale" or "touching figure 2".
        text: the question in one sentence, with what it is about.
        answers: what can be answered, the likeliest first.
        about: names of the pieces that it is about; none for the whole scan.
        at: x, y in mm on the table where there is something to look at, or None.
    """

    key: str
    text: str
    answers: tuple[str, ...]
    about: tuple[str, ...] = ()
    at: tuple[float, float] | None = None

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
