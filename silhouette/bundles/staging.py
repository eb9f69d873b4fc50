"""KEEP: the files of a bundle in a temporary folder, in which they are judged, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from silhouette.bundles.layout import Place
from silhouette.bundles.manifest import SCENE_FOLDER
from silhouette.judging import SceneResult
from silhouette.text import strict


def lay_out(folder: Path, contents: Mapping[Place, bytes], folders: Iterable[Place] = ()) -> Path:
    """Writes files below a new folder in ``folder``, and makes further folders there; answers with the new folder.

    Args:
        folder: that is there.
        contents: of the files, by their places, which are checked already.
        folders: the places of further folders.
    """
    made = folder / SCENE_FOLDER
    made.mkdir()
    for place, content in contents.items():
        file = made.joinpath(*place)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as opened:
            opened.write(content)
    make_folders(made, folders)
    return made


def make_folders(folder: Path, folders: Iterable[Place]) -> None:
    """Makes the folders through which paths go, though no file may lie in them."""
    for place in folders:
        folder.joinpath(*place).mkdir(parents=True, exist_ok=True)


def shown_as(result: SceneResult, names: Mapping[Path, Path]) -> SceneResult:
    """A result whose error and warnings have other names for some paths; those that come first are replaced first."""

    def told(text: str) -> str:
        for path, name in names.items():
            text = text.replace(str(path), str(name))
        return text

    error = None if result.error is None else told(result.error)
    return replace(result, error=error, warnings=tuple(map(told, result.warnings)))


def rows_of(result: SceneResult, folder: Path) -> list[dict[str, Any]]:
    """The rows of a result as JSON has them; files in the folder are named as seen from it, wherever it lies."""
    return [_seen_from(folder, strict(judged.row())) for judged in result.judged]


def _seen_from(folder: Path, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _seen_from(folder, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_seen_from(folder, item) for item in value]
    return value.replace(f"{folder}/", "").replace(f"{folder}\\", "") if isinstance(value, str) else value
