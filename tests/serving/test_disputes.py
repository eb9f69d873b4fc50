"""Disputes that an assistant settles by calls alone.

What is true follows from closed forms or from the rules' own words, written down beside each dispute, and not from what
the tools have said.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.assistants import Assistant

DISPUTES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("disputes.json").read_text(encoding="utf-8"))
OF_NO_SCENE = ("list_scenes", "games")


def values(content: Any, path: str) -> list[Any]:
    """What stands at a path such as "results.0.verdict"; a star is each of a list."""
    here = [content]
    for step in path.split("."):
        inner = [list(value) if step == "*" else [value[int(step) if step.isdigit() else step]] for value in here]
        here = [value for of_one in inner for value in of_one]
    return here


def is_as_expected(value: Any, expect: Any) -> bool:
    """Whether a value is the one expected, or lies within [least, most]."""
    if isinstance(value, int | float) and isinstance(expect, list):
        least, most = expect
        return bool(least <= value <= most)
    return bool(value == expect)


def mistakes(result: Any, expect: dict[str, Any]) -> list[str]:
    """What of an answer is not as expected."""
    if result.is_error:
        return [result.content[0].text]
    content = {**result.structured_content, "pictures": sum(part.type == "image" for part in result.content)}
    return [
        f"{path}: {value}, not {value_expected}"
        for path, value_expected in expect.items()
        for value in values(content, path)
        if not is_as_expected(value, value_expected)
    ]


def test_fifty_disputes_are_settled_by_calls_alone(assistant: Assistant, place: Path) -> None:
    assert len(DISPUTES) == 50
    wrong = {}
    for number, dispute in enumerate(DISPUTES, 1):
        name = f"dispute {number}.json"
        Path(place, "served", name).write_text(json.dumps(dispute["scene"]), encoding="utf-8")
        for call in dispute["calls"]:
            scene = {} if call["tool"] in OF_NO_SCENE else {"scene": name}
            if mistake := mistakes(assistant.call(call["tool"], **scene, **call["arguments"]), call["expect"]):
                wrong[dispute["question"]] = mistake
    assert wrong == {}
