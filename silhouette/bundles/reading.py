"""KEEP: a bundle from a stranger becomes files in a temporary folder, in which they are judged, and rows about them.

Only files that the manifest lists are unpacked, and of those only what a scene may rest on; the scene may name no file
outside of the bundle. Messages name the files as the bundle does, not as the temporary folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from silhouette.bundles.layout import Place, check_inside, unusable
from silhouette.bundles.manifest import MANIFEST, SCENE_FOLDER, FileRecord, Manifest, read_manifest
from silhouette.common.errors import FileError
from silhouette.common.text import strict
from silhouette.files.archives import Archive, ArchiveError, collision_key
from silhouette.files.reading import MAX_FILE_BYTES, read_file
from silhouette.judging import SceneResult


def lay_out(folder: Path, contents: Mapping[Place, bytes], folders: Iterable[Place] = ()) -> Path:
    """Writes files below a new folder in ``folder``, and makes further folders there; answers with the new folder."""
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

    def renamed(text: str) -> str:
        for path, name in names.items():
            text = text.replace(str(path), str(name))
        return text

    error = None if result.error is None else renamed(result.error)
    return replace(result, error=error, warnings=tuple(map(renamed, result.warnings)))


def rows_of(result: SceneResult, folder: Path) -> list[dict[str, Any]]:
    """The rows of a result as JSON has them; files in the folder are named as seen from it, wherever it lies."""
    return [_seen_from(folder, strict(judged.row())) for judged in result.judged]


def _seen_from(folder: Path, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _seen_from(folder, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_seen_from(folder, item) for item in value]
    return value.replace(f"{folder}/", "").replace(f"{folder}\\", "") if isinstance(value, str) else value


# ---- what is unpacked

AGAIN = "bundle the scene again"
PACKED = (".zip", ".7z", ".rar", ".gz", ".bz2", ".xz", ".tar", ".tgz")
"""The endings of archives, none of which a bundle holds; a .3mf file is a mesh."""


@dataclass(frozen=True)
class Opened:
    """A bundle that is unpacked into a folder, until it is closed, and what is not as the manifest has it, in words."""

    manifest: Manifest
    folder: Path
    scene: Path
    changed: tuple[str, ...]


@contextmanager
def opened_bundle(path: Path) -> Iterator[Opened]:
    """A bundle, unpacked into a temporary folder for as long as the block lasts.

    Raises FileError if it is no bundle, damaged, or made to harm: one line that says what is wrong.
    """
    try:
        archive = Archive(read_file(path, MAX_FILE_BYTES), AGAIN)
        manifest = _manifest(path, archive)
        contents, changed = _contents(archive, manifest)
    except ArchiveError as error:
        raise FileError(path, str(error)) from None
    with TemporaryDirectory(prefix="silhouette-bundle-") as made:
        top = Path(made).resolve()
        inner = {PurePosixPath(name).parts[1:]: content for name, content in contents.items()}
        try:
            folder = lay_out(top, inner)
        except OSError as error:
            raise FileError(path, f"cannot be unpacked ({(error.strerror or str(error)).lower()})") from None
        place = PurePosixPath(manifest.bundle).parts[1:]
        try:
            make_folders(folder, check_inside(folder, place))
        except FileError as error:
            raise FileError(str(error.path).replace(str(top), str(path)), error.problem) from None
        yield Opened(manifest, folder, folder.joinpath(*place), tuple(changed))


def _manifest(path: Path, archive: Archive) -> Manifest:
    """The manifest, with every name in it and in the archive checked."""
    names = archive.names()
    if collision_key(MANIFEST) not in names:
        raise ArchiveError(
            f"is no bundle: it has no {MANIFEST}; silhouette bundle makes one of a scene, silhouette scan reads scans"
        )
    for name in names.values():
        if problem := unusable(name):
            raise ArchiveError(f"is an archive in which {problem}; it is not read")
        if PurePosixPath(name).suffix.lower() in PACKED:
            raise ArchiveError(f"holds another archive, {name[:80]!r}; no bundle does")
        for parent in map(str, PurePosixPath(name).parents):
            if collision_key(parent) in names:
                raise ArchiveError(f"is an archive in which {parent[:80]!r} is a file and a folder; it is not read")
    manifest = read_manifest(path, archive.read(MANIFEST))
    seen = set[str]()
    for file in manifest.files:
        if problem := unusable(file.path):
            raise ArchiveError(f"has a manifest in which {problem}; it is not read")
        if collision_key(file.path) in seen or collision_key(file.path) == collision_key(MANIFEST):
            raise ArchiveError(f"has a manifest that lists {file.path[:80]!r} twice; {AGAIN}")
        seen.add(collision_key(file.path))
    if not any(file.path == manifest.bundle and file.role == "scene" for file in manifest.files):
        raise ArchiveError(f"has a manifest without the scene {manifest.bundle[:80]!r} among its files; {AGAIN}")
    return manifest


def _contents(archive: Archive, manifest: Manifest) -> tuple[dict[str, bytes], list[str]]:
    """The files on which the scene may rest, by their paths, and what is not as the manifest has it."""
    names, contents, changed = archive.names(), dict[str, bytes](), list[str]()
    for file in manifest.files:
        if collision_key(file.path) not in names:
            changed.append(f"{file.path} is missing")
            if file.path == manifest.bundle:
                raise ArchiveError(f"lacks its scene, {file.path[:80]!r}; {AGAIN}")
            continue
        content = archive.read(file.path)
        if not _is(file, content):
            changed.append(f"{file.path} was changed")
        if file.role != "picture" and file.path.startswith(f"{SCENE_FOLDER}/"):
            contents[file.path] = content
    listed = {collision_key(file.path) for file in manifest.files} | {collision_key(MANIFEST)}
    changed += [f"{name} was added" for key, name in names.items() if key not in listed]
    if manifest.bundle not in contents:
        raise ArchiveError(f"has its scene, {manifest.bundle[:80]!r}, outside of the folder {SCENE_FOLDER}; {AGAIN}")
    return contents, changed


def _is(file: FileRecord, content: bytes) -> bool:
    return len(content) == file.size and hashlib.sha256(content).hexdigest() == file.sha256
