"""Puts the example models and scenes into the wheel, as data of the package; see silhouette/files/reading.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EXAMPLES = {"models": (".glb", ".toml"), "scenes": (".toml", ".png", ".glb")}
"""The folders, and the endings of the files in them that go into the wheel."""


def example_files(root: Path) -> dict[str, str]:
    """The path of each file in the wheel, by its path in the source.

    How the models were made, ``models/source``, stays out.
    """
    source = root / "models" / "source"
    return {
        str(file): f"silhouette/examples/{file.relative_to(root).as_posix()}"
        for folder, endings in EXAMPLES.items()
        for file in sorted((root / folder).rglob("*"))
        if file.suffix in endings and source not in file.parents
    }


class ExamplesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs whenever a wheel is built. An editable installation finds the examples in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the files to those that the wheel is built of."""
        if version != "editable":
            build_data["force_include"].update(example_files(Path(self.root)))
