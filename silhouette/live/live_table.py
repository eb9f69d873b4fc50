"""TELL: a scene that is being changed: its document, how it was before, the scene that it describes, its files."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
import zlib
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from silhouette.common.errors import FileError, RequestError, SilhouetteError
from silhouette.common.text import in_quotes, json_text
from silhouette.files.cache import Cache
from silhouette.files.documents import BYTE_ORDER_MARK, check_document, document_of, read_document, read_text
from silhouette.files.fingerprints import MESH_ENDINGS
from silhouette.files.reading import DOCUMENTS, missing
from silhouette.files.writing import write_file
from silhouette.live.by_hand import Document
from silhouette.live.corrections import with_correction
from silhouette.live.edits import (
    Models,
    PieceEdit,
    edit_of,
    edited,
    laid_over,
    model_file,
    names_after,
    piece_names,
    said_of,
    tag_of,
    tagged,
    with_models,
    written_models,
)
from silhouette.live.rewriting import Names, rewritten
from silhouette.rules import DEFAULT_GAME, rule_called, rule_of
from silhouette.rules.abilities import first_scene_of
from silhouette.scans.keep import SCENE
from silhouette.scenes.table import TableScene

# ---- pictures of tagged models

SIGNATURE = b"\x89PNG\r\n\x1a\n"  # the first bytes of every PNG
MAX_PICTURE_BYTES = 2**20  # the bytes of the largest picture
_PNG_HEAD_BYTES = len(SIGNATURE) + 25  # where the first chunk of a PNG, its size and colours, ends
_TEXT = b"tEXtSoftware\0Silhouette: a model as it is tagged"
_OWN_CHUNK = (len(_TEXT) - 4).to_bytes(4, "big") + _TEXT + zlib.crc32(_TEXT).to_bytes(4, "big")
"""The chunk of a PNG that says so: the length of its content, its kind, its content, and the sum that proves it."""


def picture_of(data: object) -> bytes:
    """The PNG that a request holds in base 64, marked as ours; RequestError where it is none, or too large."""
    try:
        png = b64decode(data if isinstance(data, str) else "", validate=True)
    except ValueError:
        png = b""
    if len(png) > MAX_PICTURE_BYTES:
        raise RequestError(f"a picture of {len(png)} bytes; {MAX_PICTURE_BYTES} are the most")
    if png[:16] != SIGNATURE + b"\0\0\0\rIHDR" or len(png) < _PNG_HEAD_BYTES:
        raise RequestError("data must be a PNG in base 64")
    return png[:_PNG_HEAD_BYTES] + _OWN_CHUNK + png[_PNG_HEAD_BYTES:]


def is_ours(file: Path) -> bool:
    """Whether a picture was written by `silhouette table`: it says so in its second chunk."""
    with file.open("rb") as stream:
        return stream.read(_PNG_HEAD_BYTES + len(_OWN_CHUNK))[_PNG_HEAD_BYTES:] == _OWN_CHUNK


def place_of(model: Path) -> Path:
    """Where the picture of a model file is written; FileError where another one lies there, which is not ours.

    >>> place_of(Path("models/kal.toml")).name
    'kal.png'
    """
    place = model.with_suffix(".png")
    if place.is_symlink() or (place.exists() and not (place.is_file() and is_ours(place))):
        raise FileError(place, "is there already, and not of a live table; rename it to keep a picture of the model")
    return place


# ---- model files that are written


@dataclass(frozen=True)
class ModelFileVersion:
    """The text of a model file, and the picture that the live table keeps beside it; None where there is no picture."""

    text: str
    picture: bytes | None

    @classmethod
    def present(cls, file: Path) -> ModelFileVersion:
        """What lies there now."""
        place = file.with_suffix(".png")
        is_picture = place.is_file() and not place.is_symlink() and is_ours(place)
        return cls(read_text(file, with_mark=True), place.read_bytes() if is_picture else None)


class ModelFileHistory:
    """What model files were before a table wrote them: undone, a file is as it was, with its comments and picture."""

    def __init__(self) -> None:
        self._versions = dict[Path, list[ModelFileVersion]]()
        self._written = dict[Path, str]()

    def write(self, file: Path, text: str) -> None:
        """Writes a model file; one that said the same before this table wrote it gets back what it was then."""
        present = ModelFileVersion.present(file)
        versions = self._versions.setdefault(file, [])
        if self._written.get(file, present.text) != present.text:  # by somebody else, whose words are not to be lost
            versions.clear()
        document = _document(file, text)
        earlier = next((version for version in versions if _document(file, version.text) == document), None)
        versions.append(present)
        self._written[file] = text if earlier is None else earlier.text
        write_file(file, self._written[file])
        if earlier is not None and earlier.picture != present.picture:
            with suppress(FileError, OSError):  # another picture lies there; no reason not to save
                place = place_of(file)
                if earlier.picture is None:
                    place.unlink(missing_ok=True)
                else:
                    write_file(place, earlier.picture)


def _document(file: Path, text: str) -> Document:
    return document_of(file, text.removeprefix(BYTE_ORDER_MARK))


# ---- what is not saved yet

AUTOSAVE = ".autosave.json"
"""The ending of the file beside a scene that has what is not saved yet; its name begins with a dot."""


@dataclass(frozen=True)
class Unsaved:
    """Changes that are not saved, names as the pieces have them in the file as it is."""

    text: str
    names: Names
    models: Models

    def write(self, scene: Path, on_disk: str | None) -> None:
        """Writes them beside the scene, with what that says on disk; None where it is not there."""
        unsaved = {"of": _digest(on_disk), "names": self.names, "models": self.models, "text": self.text}
        write_file(scene.with_name(autosave_name(scene)), json_text(unsaved, indent=2, default=str))

    @classmethod
    def read(cls, scene: Path, on_disk: str | None) -> Unsaved:
        """What lies beside a scene; SilhouetteError where it is damaged, or the scene is not what it was."""
        file = scene.with_name(autosave_name(scene))
        try:
            unsaved = json.loads(read_text(file))
            changes = cls(str(unsaved["text"]), dict(unsaved["names"]), dict(unsaved["models"]))
            is_of_this = unsaved["of"] == _digest(on_disk)
        except (KeyError, TypeError, ValueError, RecursionError):
            raise FileError(file, "is damaged") from None
        if not is_of_this:
            raise FileError(scene, "was changed since")
        return changes


def autosave_name(path: Path) -> str:
    """The name of the file for what is not saved yet.

    >>> autosave_name(Path("scenes/duel.toml"))
    '.duel.toml.autosave.json'
    """
    return f".{path.name}{AUTOSAVE}"


def set_aside(file: Path, why: SilhouetteError) -> str:
    """Gives the file of what is not saved another name, beside it, and says so in a sentence."""
    number, renamed = 1, file
    while os.path.lexists(renamed):
        renamed = file.with_name(f"{file.stem}-{number}{file.suffix}")
        number += 1
    with suppress(OSError):
        file.rename(renamed)
    return f"changes that were not saved lie in {renamed.name} and are not shown: {why}"


def _digest(text: str | None) -> str:
    """A short text that tells the content of a file from any other."""
    return hashlib.blake2b((text or "").encode(), digest_size=16).hexdigest()


# ---- the table


@dataclass(frozen=True)
class State:
    """A document in the history of a table, and what model files are to say as well."""

    document: Document
    drag: str | None = None
    models: Models = field(default_factory=dict)
    names: Names = field(default_factory=dict)


@dataclass(frozen=True)
class TablePose:
    """How a table stands at some time: two poses of one number have the same document."""

    number: int
    document: Document
    path: Path
    scene: TableScene | None = field(default=None, compare=False, repr=False)


class LiveTable:
    """A table scene that is being changed; its file need not exist.

    Attributes:
        path: of its file.
        scene: as it is now.
        cache: in memory too.
        pose: a number that every change makes one larger.
        listeners: functions that are called after every change, and after saving.
        notices: what is to be told about changes that were not saved and could not be made again, a sentence each.
    """

    def __init__(self, path: Path, document: Document, cache: Cache, text: str = "") -> None:
        self.path, self.pose = path, 0
        self.listeners = list[Callable[[], None]]()
        self.notices = tuple[str, ...]()
        self.cache = cache.remembering()
        self._before, self._after, self._now = list[State](), list[State](), State(document)
        self._on_disk: str | None = None
        self._saved: State | None = None
        self._begin(text, document, is_file=path.is_file())
        self._pictures = dict[str, tuple[bytes, Document]]()  # by model file, with what was tagged when they were taken
        self._model_files = ModelFileHistory()
        self.scene = self._loaded(self._now)

    def _begin(self, text: str, document: Document, *, is_file: bool) -> None:
        """Takes a text as the one from which all that follows is written; it need not be in a file yet."""
        self._opened = text
        self._on_disk, self._saved = (text, State(document)) if is_file else (None, None)
        self._first = document if text and not is_file else None  # made of nothing: opened again it is the same

    @classmethod
    def opened(cls, path: Path, cache: Cache, *, recover: bool = True) -> LiveTable:
        """The table of a scene file; FileError if it is no scene, or one of a game without a table in 3D."""
        table = cls(path, read_document(path), cache, read_text(path, with_mark=True))
        if recover:
            table.recover()
        return table

    def recover(self) -> None:
        """Makes the changes again that were not saved when the table was last open, as a step to undo.

        Where that cannot be, their file is set aside, and `notices` tells it.
        """
        if not self.autosave_path.is_file():
            return
        try:
            unsaved = Unsaved.read(self.path, self._on_disk)
            state = State(document_of(self.path, unsaved.text), None, unsaved.models, unsaved.names)
            if (state.document, state.models) != (self._now.document, self._now.models):
                self._step(state)
        except SilhouetteError as error:
            self.notices = (set_aside(self.autosave_path, error),)

    def _loaded(self, state: State) -> TableScene:
        document = with_models(self.path, state.document, state.models)
        scene = rule_of(self.path, document).load(self.path, document, self.cache)
        if not isinstance(scene, TableScene):
            raise FileError(
                self.path, f'rules = "{scene.rules}" has no live table; it takes scenes of models on a table'
            )
        return scene

    @property
    def document(self) -> Document:
        """What the scene file would say."""
        return self._now.document

    @property
    def now(self) -> TablePose:
        """How it stands."""
        return TablePose(self.pose, with_models(self.path, self._now.document, self._now.models), self.path, self.scene)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to do again."""
        return bool(self._after)

    @property
    def is_saved(self) -> bool:
        """Whether the files say what the table shows."""
        saved = self._saved
        return saved is not None and (saved.document, saved.models) == (self._now.document, self._now.models)

    def edit(self, edits: Sequence[object], drag: str | None = None) -> None:
        """Makes changes, as `silhouette.live.edits` has them, all of them or, where one is not possible, none.

        All changes in a row with the same ``drag``, a name, are one step of `undo`.
        """
        state, scene = replace(self._now, drag=drag), self.scene
        for data in edits:
            if isinstance(data, Mapping) and "tag" in data:
                document, models = tagged(state.document, state.models, scene, tag_of(data, scene))
                state = replace(state, document=document, models=models)
            else:
                edit = edit_of(data, scene)
                document = edited(state.document, scene, edit)
                document = with_correction(self.path.parent, state.document, document, edit)
                renamed = edit.piece if isinstance(edit, PieceEdit) else None
                names = names_after(state.names, renamed, state.document, document)
                state = replace(state, document=document, names=names)
            check_document(self.path, state.document)
            scene = self._loaded(state)
        if (state.document, state.models) != (self._now.document, self._now.models):
            self._step(state, scene)

    def _step(self, state: State, scene: TableScene | None = None) -> None:
        """Makes a state the present one; the one before can be had again unless both are of one drag."""
        scene = self._loaded(state) if scene is None else scene
        if state.drag is None or state.drag != self._now.drag:
            self._before.append(self._now)
        self._after.clear()
        self._set(state, scene)

    def _set(self, state: State, scene: TableScene) -> None:
        self._now, self.scene = state, scene
        self.pose += 1
        self._tell()

    def _tell(self) -> None:
        for listener in list(self.listeners):
            listener()

    def replace(self, path: Path, document: Document | None = None, *, is_step: bool = False) -> None:
        """Shows another scene in place of this one, or the same one read again; there is nothing to undo then, unless
        that is a step itself: then all that the states before name must still be there.

        The document is what the table is to say, where that is not what the file says.
        """
        text = read_text(path, with_mark=True)
        content = document_of(path, text.removeprefix(BYTE_ORDER_MARK))
        state, before = State(content if document is None else document), self.path
        self.path = path
        try:
            scene = self._loaded(state)
        except SilhouetteError:
            self.path = before
            raise
        # Names are as in the file that is there now, as far as the states before have them.
        self._before = [replace(state, drag=None, names={}) for state in (*self._before, self._now)] if is_step else []
        self._after.clear()
        self._begin(text, content, is_file=True)
        self._set(state, scene)

    def lay_down(self, text: str) -> None:
        """Has the scene file say something else than the table; what that says is kept as what is not saved."""
        self._on_disk, self._saved = text, State(document_of(self.path, text.removeprefix(BYTE_ORDER_MARK)))
        self.autosave()  # first: where the program is killed between the two, the file still has what was saved
        write_file(self.path, text)

    def undo(self) -> None:
        """Takes the last step back; RequestError where there is none."""
        self._go(self._before, self._after, "there is nothing to undo")

    def redo(self) -> None:
        """Does the step again that was taken back last; RequestError where there is none."""
        self._go(self._after, self._before, "there is nothing to do again")

    def _go(self, source: list[State], other: list[State], nothing: str) -> None:
        if not source:
            raise RequestError(nothing)
        scene = self._loaded(source[-1])
        other.append(replace(self._now, drag=None))
        self._set(replace(source.pop(), drag=None), scene)

    @property
    def text(self) -> str:
        """The scene file as it would be saved."""
        return self._text_of(self._now, self.path)

    def _text_of(self, state: State, place: Path) -> str:
        is_same_format = place.suffix.lower() == self.path.suffix.lower()
        return rewritten(place, self._opened if is_same_format else "", state.document, state.names)

    def save(self, name: str | None = None) -> Path:
        """Writes the scene file, whole or not at all, and what model files are to say as well; or another file in its
        folder.

        Raises:
            RequestError: where the name is not a plain file name that ends in .toml or .json.
            FileError: where the file has been changed by others since it was read, is there already under the other
                name, or cannot be written.
        """
        place = self.path if name is None else self._beside(name)
        if os.path.lexists(place) and (place != self.path or self._on_disk is None):
            raise FileError(place, "is there already; give another name")
        if place == self.path and place.is_file() and read_text(place, with_mark=True) != self._on_disk:
            raise FileError(
                place, "was changed by another program since it was opened here; save it under another name"
            )
        state, text = self._now, self._text_of(self._now, place)
        written, was = written_models(self.path, state.models)
        for file, model in written.items():
            self._model_files.write(file, model)
        for of_model, (png, keys) in self._pictures.items():
            if state.models.get(of_model) == keys:  # else it shows what holds no longer
                with suppress(FileError):  # somebody else's by now; no reason not to save the scene
                    write_file(place_of(self.path.parent / of_model), png)
        self._pictures.clear()
        write_file(place, text)
        with suppress(OSError):
            self.autosave_path.unlink(missing_ok=True)
        if place != self.path:
            if place.suffix.lower() != self.path.suffix.lower():
                self._opened = ""
            self.path = place
            self.scene = self._loaded(state)
        self._on_disk, self._saved = text, state
        # The other states are of other model files: they are to say again what they said then.
        for states in (self._before, self._after):
            states[:] = [replace(other, models=laid_over(was, other.models)) for other in states]
        self._tell()
        return place

    def tags(self, name: str) -> dict[str, Any]:
        """What is said of the model of a piece; see `silhouette.live.edits.said_of`."""
        return said_of(self.document, self._now.models, self.scene, name)

    def picture(self, name: str, data: object) -> Path | None:
        """Takes a picture of a model as it is tagged, a PNG in base 64; `save` writes it beside the model file.

        Answers where it will lie; None where the model has no file of its own here, or nothing was tagged.
        """
        file = model_file(self.document, self.scene, name)
        png, keys = picture_of(data), self._now.models.get(file)
        if keys is None:
            return None
        place = place_of(self.path.parent / file)
        self._pictures[file] = png, keys
        return place

    def _beside(self, name: str) -> Path:
        is_plain = Path(name).name == name and name.isprintable() and not set(name) & set("\\:") and name[:1] != "."
        if not is_plain or Path(name).suffix not in (".toml", ".json"):
            raise RequestError(f"{in_quotes(name)} is no file name for a scene; give one such as 'table 2.toml'")
        return self.path.with_name(name)

    @property
    def autosave_path(self) -> Path:
        """The file beside the scene that has what is not saved yet."""
        return self.path.with_name(autosave_name(self.path))

    def autosave(self) -> None:
        """Keeps what is not saved yet, so that a crash does not lose it; without such changes the file goes."""
        state = self._now
        if self.is_saved or (self._saved is None and (state.document, state.models) == (self._first, {})):
            with suppress(OSError):
                self.autosave_path.unlink(missing_ok=True)
            return
        saved = self._saved
        on_disk = {saved.names.get(name, name): name for name in piece_names(saved.document)} if saved else {}
        names = {name: on_disk.get(state.names.get(name, name)) for name in piece_names(state.document)}
        Unsaved(self._text_of(state, self.path), names, state.models).write(self.path, self._on_disk)


# ---- what it opens with


def opened(path: Path | None, cache: Cache) -> LiveTable:
    """The table of a scene file, or of a folder; without either a first scene, which is saved in the current folder.

    A folder has scene.toml, as `silhouette scan` and `silhouette new` make, or meshes, put on a first table.
    """
    if path is None:
        return _new(Path(SCENE), [], cache) if not Path(SCENE).exists() else LiveTable.opened(Path(SCENE), cache)
    if not path.exists():
        raise missing(path)
    if path.is_dir():
        return _of_folder(path, cache)
    if path.suffix.lower() in MESH_ENDINGS:
        raise FileError(
            path, f"is a mesh, not a scene; give its folder, or make a scene of a scan: silhouette scan {path.name}"
        )
    return LiveTable.opened(path, cache)


def _of_folder(folder: Path, cache: Cache) -> LiveTable:
    if (folder / SCENE).is_file():
        return LiveTable.opened(folder / SCENE, cache)
    scenes = sorted(file for file in folder.iterdir() if file.suffix.lower() in DOCUMENTS and file.name[0] != ".")
    meshes = sorted(
        file.name for file in folder.iterdir() if file.suffix.lower() in MESH_ENDINGS and file.name[0] != "."
    )
    if not meshes:
        if scenes:
            raise FileError(folder, f"is a folder without {SCENE} or meshes; give a scene file, such as {scenes[0]}")
        raise FileError(folder, "is a folder without a scene or meshes; put some in, or give a scene file")
    return _new(folder / SCENE, meshes, cache)


def _new(path: Path, meshes: list[str], cache: Cache) -> LiveTable:
    """A first scene that is not saved yet."""
    text = first_scene_of(rule_called(DEFAULT_GAME), meshes)
    table = LiveTable(path, tomllib.loads(text), cache, text)
    table.recover()
    return table


__all__ = ["LiveTable", "State", "TablePose", "autosave_name"]
