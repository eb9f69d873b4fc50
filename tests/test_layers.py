"""Data flows one way: modules import only what stands above them."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "silhouette"

# From file to verdict to page; a name stands for a module, or for a folder and everything in it.
ORDER = [
    *["errors", "geometry", "plan", "line_cells", "free_lines", "cell_lines", "hexes", "cache", "documents"],
    *["health", "formats", "meshes", "closing", "solids", "slicing"],
    *["bases", "protrusions", "eyes", "schemas", "questions", "frames", "models", "scenes"],
    *["views", "clusters", "culling"],
    *["renderers.base", "renderers"],
    *["sampling", "surveys", "searches", "outlines", "silhouettes"],
    *["rules.base", "rules.sight", "rules.necromunda"],
    *["rules.skirmishcorps"],
    *["rules.crisis_protocol_scenes", "rules.crisis_protocol_evidence", "rules.crisis_protocol_words"],
    *["rules.crisis_protocol"],
    *["rules.ikosa_entries", "rules.ikosa_scenes", "rules.ikosa_lines", "rules.ikosa"],
    *["rules.tide_of_iron_entries", "rules.tide_of_iron_lines", "rules.tide_of_iron", "rules"],
    *["pictures", "terminal", "workers", "judging", "inspecting", "trials", "doctor"],
    *["motions", "animations"],
    *[
        "serving",
        "forkserver",
        "crew",
        "fingerprints",
        "portions",
        "cluster",
        "journal",
        "planning",
        "tables",
        "batches",
        "rows",
    ],
    *[
        "report",
        "pages",
        "options",
        "cli_pages",
        "cli_animation",
        "cli_pictures",
        "cli_doctor",
        "cli_tutorial",
        "cli",
        "__main__",
        "__init__",
    ],
]


def place(module: str) -> int:
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in ORDER:
            return ORDER.index(name)
    raise AssertionError(f"{module} has no place in the order of tests/test_layers.py")


def modules() -> dict[str, Path]:
    found = {}
    for file in PACKAGE.rglob("*.py"):
        parts = list(file.relative_to(PACKAGE).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found[name] = file
    return found


def imported(file: Path) -> set[str]:
    """Modules of the package that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    known = modules()
    inside = {name.removeprefix("silhouette.") for name in names if name.startswith("silhouette.")}
    return {name for name in inside if name in known}


def test_every_module_imports_only_what_stands_above_it() -> None:
    wrong = []
    for name, file in modules().items():
        for other in imported(file):
            same_folder = place(name) == place(other) and name != other
            if place(other) > place(name) or (place(other) == place(name) and not same_folder):
                wrong.append(f"{name} imports {other}")
    assert not wrong


def test_nothing_imports_the_package_root() -> None:
    for name, file in modules().items():
        if name in ("__main__",):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert "silhouette" not in [alias.name for alias in node.names], name
            if isinstance(node, ast.ImportFrom):
                assert node.module != "silhouette", name


def importers_of(library: str) -> set[str]:
    found = set()
    for name, file in modules().items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if any(each.split(".")[0] == library for each in names):
                found.add(name)
    return found


def test_each_heavy_library_has_one_room() -> None:
    assert importers_of("embreex") == {"renderers.embree"}
    assert all(name.startswith("renderers.gl") for name in importers_of("pyrender"))
    assert all(name == "meshes" or name.startswith("formats") for name in importers_of("trimesh"))
    assert all(name.startswith(("pictures", "pages.figures")) for name in importers_of("PIL"))
    assert all(name.startswith("pictures") for name in importers_of("matplotlib"))
