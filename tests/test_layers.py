"""Data flows one way: a room imports only rooms that stand above it in the list in silhouette/README.md."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.sources import PACKAGE as PACKAGE
from tests.support.sources import imports_of, libraries_of


@cache
def rooms() -> list[str]:
    """The rooms as dotted names, in the order of README: the first word of each line of the marked block."""
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"<!-- rooms -->\n```\n(.*?)```", text, flags=re.DOTALL)
    return [line.split()[0].replace("/", ".") for line in block.splitlines() if line.strip()]


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name below ``silhouette``; a folder's ``__init__`` by the folder's."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        parts = list(file.relative_to(PACKAGE).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found[name] = file
    return found


def room_of(module: str) -> str:
    """The innermost room that a module stands in."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in rooms():
            return name
    raise AssertionError(f"{module} stands in no room of silhouette/README.md")


@cache
def imported(module: str) -> frozenset[str]:
    """Modules of the package that a module imports, anywhere in it."""
    names = set()
    for node in imports_of(modules()[module]):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        else:
            assert node.level == 0, f"{module}: a relative import"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    inside = {name.removeprefix("silhouette.") for name in names if name.startswith("silhouette.")}
    return frozenset(name for name in inside if name in modules())


def test_every_module_stands_in_a_room_and_every_room_is_there() -> None:
    assert {room_of(module) for module in modules()} == set(rooms())


def test_every_room_imports_only_rooms_above_it() -> None:
    order = {room: number for number, room in enumerate(rooms())}
    wrong = [
        f"{module} {other}"
        for module in modules()
        for other in sorted(imported(module))
        if order[room_of(other)] > order[room_of(module)]
    ]
    assert wrong == []


def test_no_two_folders_import_each_other() -> None:
    arrows = {
        (module.split(".")[0], other.split(".")[0])
        for module in modules()
        for other in imported(module)
        if "__init__" not in (module, other)
    }
    assert [(one, other) for one, other in arrows if one < other and (other, one) in arrows] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Within a room as well; a package's own ``__init__``, which only hands names on, is left out."""
    left = {module: set(imported(module)) for module in modules() if modules()[module].name != "__init__.py"}
    while ready := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in ready:
            del left[module]
    assert not left


def test_nothing_imports_the_package_root() -> None:
    for module, file in modules().items():
        for node in imports_of(file):
            if isinstance(node, ast.Import):
                assert "silhouette" not in [alias.name for alias in node.names], module
            if isinstance(node, ast.ImportFrom):
                assert node.module != "silhouette", module


def importers_of(library: str) -> set[str]:
    """The modules that import a library."""
    return {module for module, file in modules().items() if library in libraries_of(file)}


def test_each_heavy_library_has_one_room() -> None:
    assert importers_of("embreex") == {"renderers.embree"}
    assert all(name.startswith("renderers.gl") for name in importers_of("pyrender"))
    assert all(name.startswith("meshes") for name in importers_of("trimesh"))
    assert {room_of(name) for name in importers_of("PIL")} <= {"drawing", "meshes", "notebook", "pages", "scans"}
    assert {room_of(name) for name in importers_of("matplotlib")} <= {"drawing"}


PROBING = {
    "__init__": "the public names of the package, which are imported when they are first asked for",
    "cli.terminal": "what rich prints",
    "cli.app": "an error of click's",
    "drawing.plotting": "modules of matplotlib, which are imported when they are first used",
    "live.rewriting": "a value of tomlkit's",
    "pages.tutorial.parts": "places in a text, which str.format reads as attributes",
    "renderers.gl.context": "a module of PyOpenGL's, which has what its platform has",
    "rules.data.parsing": "a node of lark's",
}
"""The modules that ask of something whether it has a name, and of what."""


def is_probing(source: str) -> bool:
    """Whether a module asks of something if it has a name: by hasattr, by getattr, or in a __getattr__ of its own.

    It may ask a library that it imports, such as os. And getattr may read fields of a record by their names, one after
    the other: the name is then no literal, and there is no default for one that is missing.
    """
    if "getattr" not in source and "hasattr" not in source:
        return False
    nodes = list(ast.walk(ast.parse(source)))
    imports = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    libraries = {alias.asname or alias.name for alias in imports if not alias.name.startswith("silhouette")}
    for node in nodes:
        match node:
            case ast.FunctionDef(name="__getattr__" | "__getattribute__"):
                return True
            case ast.Call(func=ast.Name(id="getattr" | "hasattr" as function), args=[thing, name, *default]):
                reads_a_field = function == "getattr" and not default and not isinstance(name, ast.Constant)
                if not reads_a_field and ast.unparse(thing) not in libraries:
                    return True
    return False


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("getattr(renderer, 'together', 64)", True),
        ("getattr(renderer, name, None)", True),
        ("getattr(renderer, 'depths')", True),
        ("hasattr(renderer, name)", True),
        ("import silhouette.judging.run\nhasattr(silhouette.judging.run, 'shared')", True),
        ("class Forwarding:\n    def __getattr__(self, name): return 1", True),
        ("[getattr(record, field.name) for field in fields(record)]", False),
        ("import os\nflags = getattr(os, 'O_BINARY', 0) if hasattr(os, 'fork') else 0", False),
        ("import numpy as np\nhasattr(np, 'concat')", False),
    ],
)
def test_asking_whether_something_has_a_name_is_seen(source: str, expected: bool) -> None:
    assert is_probing(source) is expected


def test_no_module_asks_of_another_s_values_whether_they_have_a_name() -> None:
    """What may be there or not is declared, with a default: see `silhouette.renderers.protocol.Capabilities`."""
    assert {name for name, file in modules().items() if is_probing(file.read_text(encoding="utf-8"))} == set(PROBING)
