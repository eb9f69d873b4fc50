"""Tab completion: what the shell may offer for scene files, games and renderers. Other rooms are imported only then."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

SCENE_ENDINGS = (".toml", ".json")


def complete_rules(incomplete: str) -> list[str]:
    """The names of the games that begin so."""
    from silhouette.rules import RULES

    return beginning(incomplete, RULES)


def complete_renderer(incomplete: str) -> list[str]:
    """The names of the renderers that begin so."""
    from silhouette.renderers.registry import RENDERERS

    return beginning(incomplete, ("auto", *(entry.name for entry in RENDERERS)))


def complete_scene(incomplete: str) -> list[str]:
    """The scene files, and the folders, whose paths begin so; a folder ends in a slash, so that it can be gone into."""
    return complete_files(incomplete, SCENE_ENDINGS)


def complete_scene_or_bundle(incomplete: str) -> list[str]:
    """The scene files, bundles and folders whose paths begin so."""
    return complete_files(incomplete, (*SCENE_ENDINGS, ".zip"))


def complete_mesh(incomplete: str) -> list[str]:
    """The meshes, model files and folders whose paths begin so."""
    from silhouette.files.fingerprints import MESH_ENDINGS

    return complete_files(incomplete, (*MESH_ENDINGS, *SCENE_ENDINGS))


def complete_files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """The files of some endings, and the folders, whose paths begin with what is typed; hidden ones left out."""
    folder, _, begun = incomplete.rpartition("/")
    place = Path(folder or ("/" if incomplete.startswith("/") else "."))
    paths = []
    try:
        entries = sorted(place.iterdir())
    except OSError:
        return []
    for entry in entries:
        if not entry.name.startswith(begun) or (entry.name.startswith(".") and not begun):
            continue
        path = incomplete[: len(incomplete) - len(begun)] + entry.name
        if entry.is_dir():
            paths.append(f"{path}/")
        elif entry.suffix.lower() in endings:
            paths.append(path)
    return paths


def beginning(begun: str, names: Iterable[str]) -> list[str]:
    """The names among those known that begin with what is typed."""
    return [name for name in names if name.startswith(begun)]
