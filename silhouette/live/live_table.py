"""TELL: a scene that is being changed: its document, how it was before, the scene that it describes, its file.

edits -> the document after them -> Scene; what is saved is what was judged
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from silhouette.errors import FileError, RequestError, SilhouetteError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document, read_text
from silhouette.files.writing import write_file
from silhouette.live.edits import Document, edit_of, edited
from silhouette.live.tags import Models, tag_of, tagged, with_models, written_models
from silhouette.rules import rule_of
from silhouette.scenes.table import TableScene

AUTOSAVE = ".autosave.json"
"""The ending of the file beside a scene that has what is not saved yet; its name begins with a dot."""


@dataclass(frozen=True)
class State:
    """A document in the history of a table.

    Attributes:
        document: of the scene.
        drag: the drag that made it, a name that its client gave; None where it was another edit.
        models: what model files are to say as well.
    """

    document: Document
    drag: str | None = None
    models: Models = field(default_factory=dict)


@dataclass(frozen=True)
class Pose:
    """How a table stands at some time.

    Attributes:
        number: two poses of one number have the same document.
        document: of the scene.
        path: of the scene's file, from whose folder its meshes are seen.
        scene: that the document describes, where it is loaded.
    """

    number: int
    document: Document
    path: Path
    scene: TableScene | None = field(default=None, compare=False, repr=False)


class LiveTable:
    """A table scene that is being changed.

    Args:
        path: of its file; it need not exist.
        document: of the scene.
        cache: keeps meshes and models, in memory too.
        text: of the file; of one that is not there yet, what it is to begin with.

    Attributes:
        path: of its file.
        scene: as it is now.
        cache: keeps meshes and models, in memory too.
        pose: a number that every change makes one larger.
        listeners: functions that are called after every change.
    """

    def __init__(self, path: Path, document: Document, cache: Cache, text: str = "") -> None:
        self.path, self.pose = path, 0
        self.listeners = list[Callable[[], None]]()
        self.cache = cache.remembering()
        self._text, self._before = text, list[State]()
        self._now, self._after = State(document), list[State]()
        self._saved = self._now if path.is_file() else None
        self.scene = self._loaded(self._now)

    @classmethod
    def opened(cls, path: Path, cache: Cache) -> LiveTable:
        """The table of a scene file; what was not saved when it was last open is there again, as a step to undo.

        Raises:
            FileError: where the file is no scene, or one of a game without a table in 3D.
        """
        table = cls(path, read_document(path), cache, read_text(path))
        if table.autosave_path.is_file():
            kept = read_document(table.autosave_path)
            table._step(State(kept.get("document", {}), models=kept.get("models", {})))
        return table

    def _loaded(self, state: State) -> TableScene:
        document = with_models(state.document, state.models)
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
    def now(self) -> Pose:
        """How it stands."""
        return Pose(self.pose, with_models(self._now.document, self._now.models), self.path, self.scene)

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
        """Makes changes, all of them or, where one is not possible, none.

        Args:
            edits: as the protocol has them; see `silhouette.live.edits`.
            drag: a name; all changes in a row with the same one are one step of `undo`.

        Raises:
            SilhouetteError: where a change is not possible, or the scene cannot be judged after it.
        """
        state, scene = replace(self._now, drag=drag), self.scene
        for data in edits:
            if isinstance(data, Mapping) and "tag" in data:
                document, models = tagged(state.document, state.models, scene, tag_of(data, scene))
                state = replace(state, document=document, models=models)
            else:
                state = replace(state, document=edited(state.document, scene, edit_of(data, scene)))
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
        for listener in list(self.listeners):
            listener()

    def replace(self, path: Path, document: Document | None = None) -> None:
        """Shows another scene in place of this one, or the same one read again; there is nothing to undo then.

        Args:
            path: of a scene file.
            document: what the table is to say, where that is not what the file says.

        Raises:
            FileError: where the file is no scene.
        """
        text, said = read_text(path), read_document(path)
        state, before = State(said if document is None else document), self.path
        self.path = path
        try:
            scene = self._loaded(state)
        except SilhouetteError:
            self.path = before
            raise
        self._before.clear()
        self._after.clear()
        self._text, self._saved = text, State(said)
        self._set(state, scene)

    def undo(self) -> None:
        """Takes the last step back.

        Raises:
            RequestError: where there is none.
        """
        self._go(self._before, self._after, "there is nothing to undo")

    def redo(self) -> None:
        """Does the step again that was taken back last.

        Raises:
            RequestError: where there is none.
        """
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
        from silhouette.live.rewriting import rewritten

        return rewritten(self.path, self._text, self.document)

    def save(self, name: str | None = None) -> Path:
        """Writes the scene file, whole or not at all.

        Args:
            name: of another file in the same folder; by default its own.

        Raises:
            RequestError: where the name is not a plain file name that ends in .toml or .json.
            FileError: where the file has been changed by others since it was read, is there already under the other
                name, or cannot be written.
        """
        place = self.path if name is None else self._beside(name)
        if name is not None and place != self.path and place.exists():
            raise FileError(place, "is there already; give another name")
        if place == self.path and self._text and self._on_disk() != self._text:
            raise FileError(
                place, "was changed by another program since it was opened here; save it under another name"
            )
        from silhouette.live.rewriting import rewritten

        text = rewritten(place, self._text if place.suffix == self.path.suffix else "", self.document)
        for file, of_model in written_models(self.path, self._now.models).items():
            write_file(file, of_model)
        write_file(place, text)
        self.autosave_path.unlink(missing_ok=True)
        if place != self.path:
            self.path = place
            self.scene = self._loaded(self._now)
        self._text, self._saved = text, self._now
        # What model files say now is not taken back: a piece cannot say that its model file does not count.
        for states in (self._before, self._after):
            states[:] = [replace(state, models=self._now.models) for state in states]
        return place

    def _on_disk(self) -> str:
        """The text of the file as it is now; that which is known where it has gone."""
        return read_text(self.path) if self.path.is_file() else self._text

    def _beside(self, name: str) -> Path:
        if Path(name).name != name or "\\" in name or Path(name).suffix not in (".toml", ".json") or name[0] == ".":
            raise RequestError(f"'{name}' is no file name for a scene; give one such as 'table 2.toml'")
        return self.path.with_name(name)

    @property
    def autosave_path(self) -> Path:
        """The file beside the scene that has what is not saved yet."""
        return self.path.with_name(autosave_name(self.path))

    def autosave(self) -> None:
        """Keeps what is not saved yet, so that a crash does not lose it; without such changes the file goes.

        Raises:
            FileError: where the folder cannot be written to.
        """
        if self.is_saved:
            self.autosave_path.unlink(missing_ok=True)
        else:
            kept = {"document": self.document, "models": self._now.models}
            write_file(self.autosave_path, json.dumps(kept, ensure_ascii=False))


def autosave_name(path: Path) -> str:
    """The name of the file for what is not saved yet.

    >>> autosave_name(Path("scenes/duel.toml"))
    '.duel.toml.autosave.json'
    """
    return f".{path.name}{AUTOSAVE}"
