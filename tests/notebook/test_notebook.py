"""The notebook that newcomers read: every cell runs, and shows what its text says that it shows."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / ".github" / "docs" / "notebook.ipynb"


def last_value(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell, and returns the value of the expression at its end, which a notebook shows."""
    tree = ast.parse(source)
    last = tree.body.pop()
    exec(compile(tree, "cell", "exec"), names)
    assert isinstance(last, ast.Expr), "a cell ends in what it shows"
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.slow
def test_every_cell_runs_and_shows_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    shown = [last_value("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"]
    words = [type(value).__name__ for value in shown]
    assert words[:2] == ["NecromundaScene", "NecromundaVerdict"]
    for value in shown:
        if hasattr(value, "_repr_html_"):
            assert value._repr_html_().startswith("<")
    assert shown[4].verdict != shown[1].verdict
    shares = shown[-1]
    assert shares[0] > 0.3
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == 0.0


def test_no_outputs_are_kept_in_the_file() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code")
