"""What several test files share: where the real meshes and the worked cases lie, if they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real meshes, rules and worked cases beside the project."""
    folder = PROJECT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared (real meshes and worked cases), which is not here")
    return folder
