"""Documents: a TOML or JSON file becomes a table of keys and values, or one line that says where the mistake is."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from silhouette.errors import FileError

LARGEST_DOCUMENT = 64 * 1024**2


def read_document(path: Path) -> dict[str, Any]:
    """The content of a scene or model file, by its ending TOML or JSON.

    Raises:
        FileError: where it is missing, no file, too large, not UTF-8 text, neither TOML nor JSON, or goes wrong in
            some line.
    """
    readers: dict[str, Callable[[str], object]] = {".toml": tomllib.loads, ".json": _json}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise FileError(path, f"'{path.suffix}' is no known ending; scene and model files end in .toml or .json")
    text = read_text(path)
    try:
        document = reader(text)
    except json.JSONDecodeError as error:
        raise FileError(path, f"not JSON at line {error.lineno}, column {error.colno}: {_plain(error.msg)}") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(path, f"not TOML: {_plain(str(error))}") from None
    except RecursionError:
        raise FileError(path, "its tables lie too deep in each other; a scene needs no more than five levels") from None
    except ValueError as error:
        raise FileError(path, f"a value cannot be read: {_plain(str(error))}") from None
    if not isinstance(document, dict):
        raise FileError(path, "holds no table of keys; it must be an object, { ... }")
    return document


def read_text(path: Path) -> str:
    """The text of a scene or model file.

    Raises:
        FileError: where it is missing, no file, too large or not UTF-8.
    """
    try:
        if path.is_dir():
            raise FileError(path, "is a folder; give a file in it")
        if path.stat().st_size > LARGEST_DOCUMENT:
            raise FileError(path, f"is larger than {LARGEST_DOCUMENT >> 20} MiB; give a scene or model file")
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileError(path, "there is no such file; give the path of one that is there") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FileError(path, f"cannot be read ({reason.lower()}); give a file that you may read") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(path, f"not UTF-8 text in line {line}; save it as UTF-8") from None


def _json(text: str) -> object:
    return json.loads(text, object_pairs_hook=_table)


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key '{twice}' stands twice in one table; keep one of them")
    return table


def _plain(message: str) -> str:
    return message[:1].lower() + message[1:]
