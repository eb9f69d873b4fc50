"""The modules of the package as text: what tests of imports, messages and names read of each, parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "silhouette"


@cache
def imports_of(file: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """The import statements of a file, inside functions and conditions too."""
    found: list[ast.Import | ast.ImportFrom] = []
    waiting: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif not isinstance(node, ast.expr):  # an import stands in no expression, which most nodes are
            waiting += ast.iter_child_nodes(node)
    return tuple(found)


def libraries_of(file: Path) -> set[str]:
    """The packages that a file imports, by the first word of their names."""
    names = set[str]()
    for node in imports_of(file):
        names |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else {node.module or ""}
    return {name.partition(".")[0] for name in names}


def texts_and_calls(file: Path, function: str) -> tuple[list[tuple[int, str]], list[ast.Call]]:
    """Every text of a file with its line, docstrings too and ``{}`` for a value in it, and every call of a function."""
    texts, calls = list[tuple[int, str]](), list[ast.Call]()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Constant(value=str(text)):
                texts.append((node.lineno, text))
            case ast.JoinedStr(values=parts):
                texts.append((node.lineno, "".join(_text_of(part) for part in parts)))
            case ast.Call(func=ast.Name(id=name)) if name == function:
                calls.append(node)
    return texts, calls


def _text_of(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "{}"


def modules() -> Iterator[Path]:
    """Every file of the package."""
    yield from sorted(PACKAGE.rglob("*.py"))
