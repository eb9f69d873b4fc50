"""SCAN: what a scan cannot tell, as questions with a few answers of which the likeliest is taken."""

from __future__ import annotations

from dataclasses import dataclass


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
