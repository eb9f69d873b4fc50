"""Changes of scene and model documents, for tests of mistakes in them."""

from __future__ import annotations

from typing import Any


def put(document: dict[str, Any], path: str, value: Any) -> None:
    """Puts a value into a document at a path such as "fighter.0.at"; the value ``...`` removes the key."""
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    holder: Any = document
    for step in way:
        holder = holder[step]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
