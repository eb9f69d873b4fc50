"""EXCHANGE: what an object of Tabletop Simulator says of itself in words: name, kind, gang, facing, base.

What decides the kind, the first that says something:

1. a tag "fighter", "vehicle" or "terrain", in any case;
2. the same word in its name, alone or as in "[vehicle] Ridgehauler";
3. its type: a figurine (``TypeIndex`` 1) is a fighter;
4. anything else is terrain.

A tag "gang: Orlock" names its gang, and "facing: 37.5" or "facing: unknown" says where it looks: degrees anticlockwise
from +x on the table; "weapon: 60" where a fighter's weapon points, if elsewhere. `export` writes them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

from silhouette.exchange.imported import plain_name
from silhouette.files.schema import MAX_LENGTH_MM
from silhouette.models.entries import PIECE_KINDS, Kind

FIGURINE = 1  # the ``TypeIndex`` of a figurine

NO_PIECES = {2: "a die", 3: "a coin", 6: "a bag", 7: "a bag without end"}
"""Types of custom models that are no pieces of a table, by ``TypeIndex``."""

_MIN_ALPHA = 0.5 / 255.0

MIN_NAMED_BASE_MM, MAX_NAMED_BASE_MM = 10.0, 250.0  # mm: bases in names


def text_of(state: Mapping[str, Any], key: str) -> str:
    """A text of an object, in one line; empty where it has none."""
    value = state.get(key)
    return plain_name(value) if isinstance(value, str) else ""


def name_of(state: object, number: int) -> str:
    """What an object is called: its Nickname, or what it is and its GUID, or its number.

    >>> name_of({"Nickname": "Kal"}, 3), name_of({"Name": "Custom_Model", "GUID": "a1"}, 3), name_of([], 3)
    ('Kal', 'Custom_Model a1', 'object 3')
    """
    if not isinstance(state, Mapping):
        return f"object {number}"
    own = " ".join(text for text in (text_of(state, "Name"), text_of(state, "GUID")) if text)
    return text_of(state, "Nickname") or own or f"object {number}"


def tags_of(state: Mapping[str, Any]) -> list[str]:
    """The tags of an object."""
    tags = state.get("Tags")
    return [plain_name(tag) for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def type_of(state: Mapping[str, Any]) -> int:
    """The ``TypeIndex`` of an object's custom mesh or asset bundle; 0 where it has none."""
    for key in ("CustomMesh", "CustomAssetbundle"):
        custom = state.get(key)
        value = custom.get("TypeIndex") if isinstance(custom, Mapping) else None
        if isinstance(value, int):
            return int(value)
    return 0


def kind_of(state: Mapping[str, Any]) -> Kind:
    """Fighter, vehicle or terrain, by the rule above.

    >>> kind_of({"Tags": ["Terrain"], "CustomMesh": {"TypeIndex": 1}}), kind_of({"Nickname": "[vehicle] Hauler"})
    ('terrain', 'vehicle')
    >>> kind_of({"CustomMesh": {"TypeIndex": 1}}), kind_of({})
    ('fighter', 'terrain')
    """
    tags = [tag.lower() for tag in tags_of(state)]
    words = re.findall(r"\w+", text_of(state, "Nickname").lower())
    for stated in (tags, words):
        for kind in PIECE_KINDS:
            if kind in stated:
                return kind
    return "fighter" if type_of(state) == FIGURINE else "terrain"


def is_invisible(state: Mapping[str, Any]) -> bool:
    """Whether the game shows nothing of an object: its colour has an alpha of 0, or one that rounds to it.

    >>> is_invisible({"ColorDiffuse": {"r": 1, "g": 1, "b": 1, "a": 0}}), is_invisible({"ColorDiffuse": {"r": 1}})
    (True, False)
    """
    colour = state.get("ColorDiffuse")
    alpha = colour.get("a", 1.0) if isinstance(colour, Mapping) else 1.0
    return isinstance(alpha, int | float) and not isinstance(alpha, bool) and alpha < _MIN_ALPHA


def _tagged(state: Mapping[str, Any], key: str) -> str | None:
    """What a tag "key: value" of an object says."""
    for tag in tags_of(state):
        before, colon, after = tag.partition(":")
        if colon and before.strip().lower() == key and after.strip():
            return after.strip()
    return None


def gang_of(state: Mapping[str, Any]) -> str | None:
    """The gang that a tag names."""
    return _tagged(state, "gang")


def facing_of(state: Mapping[str, Any]) -> float | Literal["unknown"] | None:
    """Where a tag says that it looks; None where none does.

    >>> facing_of({"Tags": ["facing: 37.5"]}), facing_of({"Tags": ["facing: nan"]})
    (37.5, None)
    """
    stated = _tagged(state, "facing")
    return "unknown" if stated is not None and stated.lower() == "unknown" else _degrees(stated)


def weapon_of(state: Mapping[str, Any]) -> float | None:
    """Where a tag says that its weapon points, degrees; None where none does.

    >>> weapon_of({"Tags": ["weapon: 60"]}), weapon_of({"Tags": ["weapon: up"]}), weapon_of({})
    (60.0, None, None)
    """
    return _degrees(_tagged(state, "weapon"))


def _degrees(stated: str | None) -> float | None:
    try:
        degrees = float(stated or "")
    except ValueError:
        return None
    return degrees if math.isfinite(degrees) and abs(degrees) <= MAX_LENGTH_MM else None


def base_in_words(state: Mapping[str, Any]) -> float | None:
    """The diameter of a base that an object's name, description or tags give: "32mm", or of "60x35 mm" the larger.

    >>> base_in_words({"Nickname": "Kal (28.5mm)"}), base_in_words({"Tags": ["60x35 mm"]}), base_in_words({})
    (28.5, 60.0, None)
    """
    for text in (text_of(state, "Nickname"), *tags_of(state), text_of(state, "Description")):
        match = re.search(r"(?<![\d.])(\d{1,3}(?:\.\d{1,2})?)(?:\s*[x×]\s*(\d{1,3}(?:\.\d{1,2})?))?\s*mm\b", text, re.I)
        if match:
            diameter = max(float(number) for number in match.groups() if number)
            if MIN_NAMED_BASE_MM <= diameter <= MAX_NAMED_BASE_MM:
                return diameter
    return None
