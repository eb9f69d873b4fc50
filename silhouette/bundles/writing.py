"""KEEP: a scene becomes a bundle: its files are laid out anew, judged and drawn there, and packed into one archive.

What is judged is what is packed, so that a file which changes meanwhile cannot make a bundle that does not replay. The
same scene gives the same bytes with the same versions: dates are fixed and names sorted.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from silhouette.bundles.layout import Layout, layout_of
from silhouette.bundles.manifest import MANIFEST, PICTURE_FOLDER, SCENE_FOLDER, FileRecord, Role, manifest_bytes
from silhouette.bundles.reading import lay_out, rows_of, shown_as
from silhouette.common.errors import FileError, SilhouetteError
from silhouette.drawing.figures import FigureOptions, write_figures
from silhouette.files.archives import MAX_ARCHIVE_ENTRIES, MAX_UNPACKED_BYTES
from silhouette.files.documents import MAX_DOCUMENT_BYTES, read_document
from silhouette.files.fingerprints import MESH_ENDINGS
from silhouette.files.reading import DOCUMENTS, MAX_FILE_BYTES, read_file
from silhouette.files.writing import check_place, why_not
from silhouette.judging import JudgingOptions, SceneResult, Selection, judge_scene, load_scene
from silhouette.rules.base import Verdict
from silhouette.scenes.scene import Check, Scene

DATE = (1980, 1, 1, 0, 0, 0)  # the date of every file in a bundle: the first that a zip archive can have


@dataclass(frozen=True)
class Bundle:
    """A bundle that is ready to be written: the bytes of the archive, what lies in it but for the manifest, and the
    scene as it was judged, under the path that the user gave; ``left_out`` is what a file names and what is not there.
    """

    content: bytes
    files: tuple[FileRecord, ...]
    result: SceneResult
    left_out: tuple[str, ...]


def check_bundle_path(path: Path) -> None:
    """Refuses a path at which no bundle can be written, before anything is judged.

    >>> check_bundle_path(Path("duel.tar"))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.tar: bundles are zip archives; give a name that ends in .zip
    """
    if path.suffix.lower() != ".zip":
        raise FileError(path, "bundles are zip archives; give a name that ends in .zip")
    check_place(path)


def bundled(
    scene: Path,
    selection: Selection,
    options: JudgingOptions,
    device: str | None = None,
    *,
    at: Mapping[str, Sequence[float]] = MappingProxyType({}),
    pictures: bool = True,
    step: Callable[[float, int], None] = lambda done, total: None,
) -> Bundle:
    """The bundle of a scene.

    Args:
        options: how they are judged; neither odds nor changes are kept.
        device: the name of the renderer's device, as the user gave it, for the record.
        at: places to try, as of `silhouette.judging.load_scene`; they are recorded.
        pictures: whether the figures of each check are drawn.
        step: is called with how many of the checks are judged or drawn, and of how many.

    Raises FileError if the scene cannot be judged, or what it rests on cannot be carried; RequestError if a name in the
    selection is not there, or no check is left.
    """
    layout = layout_of(scene)
    if layout.missing:  # either a mistake, which is then told with the user's own paths, or not needed
        load_scene(scene, cache=options.cache)
    contents = _contents(layout)
    with TemporaryDirectory(prefix="silhouette-bundle-") as made:
        folder = Path(made).resolve()
        try:
            place = lay_out(folder, contents, layout.folders)
        except OSError as error:
            room = f"there is no room for its files in {folder.parent} ({why_not(error)})"
            raise FileError(scene, f"{room}; set TMPDIR to another folder") from None
        staged = place.joinpath(*layout.scene)
        judge = partial(judge_scene, staged, selection, at=at)
        rounds = 2 if pictures else 1
        result = judge(options, step=lambda done, total: step(done, rounds * max(1, total)))
        top = scene.absolute().parents[len(layout.scene) - 1]
        result = shown_as(result, {staged: scene, place: top})
        if result.error is not None:
            raise SilhouetteError(result.error)
        drawn = _drawn(judge, options, folder / PICTURE_FOLDER, step) if pictures else {}
        readings = read_document(staged).get("readings", {})
        rows = rows_of(result, place)
    packed = {"/".join((SCENE_FOLDER, *key)): (_role(layout, key), content) for key, content in contents.items()}
    packed |= {f"{PICTURE_FOLDER}/{name}": ("picture", content) for name, content in drawn.items()}
    files = [FileRecord.of(path, role, content) for path, (role, content) in sorted(packed.items())]
    how = {"renderer": options.renderer.name, "device": device, "pixel": options.pixel, "error": options.error}
    chosen = {"from": selection.attacker, "to": selection.target, "at": dict(at), "readings": readings}
    about: dict[str, Any] = {"bundle": "/".join((SCENE_FOLDER, *layout.scene)), "settings": {**how, **chosen}}
    about |= {"title": result.title, "rules": result.rules, "warnings": result.warnings, "left_out": layout.missing}
    manifest = manifest_bytes({**about, "files": files, "results": rows})
    _check_size(scene, files, manifest)
    content = _zipped({MANIFEST: manifest, **{path: content for path, (_, content) in sorted(packed.items())}})
    return Bundle(content, tuple(files), replace(result, path=scene), layout.missing)


def _check_size(scene: Path, files: Sequence[FileRecord], manifest: bytes) -> None:
    """Refuses what would not be read again."""
    if len(manifest) > MAX_DOCUMENT_BYTES:
        raise FileError(scene, f"has results of more than {MAX_DOCUMENT_BYTES >> 20} MiB; bundle fewer checks")
    if len(files) >= MAX_ARCHIVE_ENTRIES:
        raise FileError(scene, f"comes to {len(files)} files, more than {MAX_ARCHIVE_ENTRIES}; say --no-pictures")
    if sum(file.size for file in files) + len(manifest) > MAX_UNPACKED_BYTES:
        raise FileError(
            scene, f"comes to more than {MAX_UNPACKED_BYTES >> 20} MiB; say --no-pictures, or reduce its meshes"
        )


def _contents(layout: Layout) -> dict[tuple[str, ...], bytes]:
    left, contents = MAX_UNPACKED_BYTES, {}
    for place, path in layout.files.items():
        contents[place] = read_file(path, min(left, MAX_FILE_BYTES))
        left -= len(contents[place])
    return contents


def _role(layout: Layout, place: tuple[str, ...]) -> Role:
    if place == layout.scene:
        return "scene"
    ending = Path(place[-1]).suffix.lower()
    if ending in DOCUMENTS:
        return "model"
    return "mesh" if ending in MESH_ENDINGS else "buffer"


def _drawn(
    judge: Callable[..., SceneResult], options: JudgingOptions, folder: Path, step: Callable[[float, int], None]
) -> dict[str, bytes]:
    """The figures of every check by their names, as ``silhouette draw`` writes them."""
    folder.mkdir()
    numbers = count(1)

    def draw(table: Scene, check: Check, verdict: Verdict, alone: bool) -> None:
        write_figures(table, check, verdict, options.renderer, folder, next(numbers), FigureOptions())

    options = replace(options, workers=1)
    result = judge(options, draw=draw, step=lambda done, total: step(total + done, 2 * total))
    if result.error is not None:  # of a picture the user knows the name that it has in the bundle
        raise SilhouetteError(result.error.replace(f"{folder.parent}{os.sep}", ""))
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def _zipped(contents: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in contents.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o100644 << 16
            archive.writestr(entry, content)
    return held.getvalue()
