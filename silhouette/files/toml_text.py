"""Values and keys as TOML writes them, in scenes that Silhouette writes for people to read and edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def toml(value: Any) -> str:
    """A value as TOML writes it, tables inline.

    >>> toml({"box": [1.0, 2], "a b": "x\\x7f"}), toml([]), toml(True)
    ('{ box = [1.0, 2], "a b" = "x\\\\u007f" }', '[]', 'true')
    """
    if isinstance(value, Mapping):
        pairs = [f"{toml_key(str(key))} = {toml(item)}" for key, item in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml(item) for item in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def toml_key(key: str) -> str:
    """A key, in quotes where it has other signs than letters, digits, - and _.

    >>> toml_key("thin-part_2"), toml_key("a b"), toml_key("")
    ('thin-part_2', '"a b"', '""')
    """
    is_bare = key.isascii() and key.replace("-", "a").replace("_", "a").isalnum()
    return key if is_bare else toml(key)
