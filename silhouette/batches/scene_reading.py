"""MANY: the work of a process that reads scenes for those that judge on a device.

Chunk that opens a scene -> the scene, its models and its checks as they are carried -> the number of its checks
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from silhouette.batches.carried import CarriedScene
from silhouette.batches.chunks import Chunk
from silhouette.batches.export import failed_row
from silhouette.batches.opening import Opener
from silhouette.batches.settings import BatchSettings
from silhouette.models.model import Model
from silhouette.scenes.carrying import model_digest, packed_model, packed_scene
from silhouette.text import Row


class SceneReader:
    """Reads scenes in one process; no renderer is started there.

    Args:
        settings: how every scene is judged.
    """

    def __init__(self, settings: BatchSettings) -> None:
        self._opener = Opener(settings)
        self._names: WeakKeyDictionary[Model, str] = WeakKeyDictionary()
        self._sent: set[str] = set()

    def __call__(self, chunk: Chunk) -> Iterator[Row | CarriedScene]:
        """The scene, unless it cannot be carried; then, for one that is to be opened, the row of a `ChunkJudge`.

        A scene that an earlier run has opened is not read again: the row has its digest alone. Where the chunk names a
        range of checks, the scene comes without a row.
        """
        try:
            digest = self._opener.digest(chunk.scene)
            if chunk.stop is None and chunk.digest == digest:
                yield {"digest": digest}
                return
            self._opener.open(chunk.scene, digest)
        except Exception as error:
            if chunk.stop is None:
                yield failed_row(self._opener.problem(chunk.scene, error))
            return  # who judges the checks meets the same error, and tells it for each
        carried = self._carried(chunk.scene, digest)
        if carried is not None:
            yield carried
        if chunk.stop is None:
            yield {"digest": digest, "checks": len(self._opener.checks)}

    def _carried(self, scene: str, digest: str) -> CarriedScene | None:
        """The scene that was read last; None where pickle cannot carry it."""
        used, new = set[str](), dict[str, bytes]()

        def name_of(model: Model) -> str:
            if model not in self._names:
                name = model_digest(model)
                if name not in self._sent:
                    new[name] = packed_model(model)
                self._names[model] = name
            used.add(self._names[model])
            return self._names[model]

        try:
            content = packed_scene(replace(self._opener.scene, checks=()), name_of)
            checks = CarriedScene.packed_checks(self._opener.checks)
        except Exception:  # whatever a game's own scenes hold
            self._names.clear()
            return None
        self._sent |= new.keys()
        return CarriedScene(scene, digest, content, frozenset(used), new, checks)
