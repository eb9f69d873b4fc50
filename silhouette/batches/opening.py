"""MANY: a scene of a batch is read, with its models, and its checks are listed; the last one is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from silhouette.batches.settings import BatchSettings
from silhouette.errors import FileError, RequestError
from silhouette.files.cache import CACHED_TRIANGLES, Cache, MemoryCache
from silhouette.files.fingerprints import Fingerprints
from silhouette.rules import RULES
from silhouette.text import problem


class Opener:
    """Reads scenes in one process, one after another. It keeps the last one, and models for later ones.

    Args:
        settings: how every scene is judged.
        folder: the folder to which paths of scenes are relative; None is the current one. Rows name files as the batch
            does, whatever the folder.

    Attributes:
        scene: that was read last.
        checks: its checks.
        fingerprints: of files.
        memory: the models that are kept.
    """

    def __init__(self, settings: BatchSettings, folder: Path | None = None) -> None:
        RULES.update(settings.rules)
        self._settings = settings
        self._folder = folder
        self._open_now = ("", "")
        self.scene: Any = None
        self.checks: Sequence[Any] = ()
        self.fingerprints = Fingerprints()
        self.memory = MemoryCache(self.fingerprints.of, CACHED_TRIANGLES)

    @property
    def cache(self) -> Cache:
        """The cache folder, where the settings have one."""
        return Cache.default() if self._settings.cached else Cache(None)

    def digest(self, scene: str) -> str:
        """The fingerprint that a scene has now."""
        return self.fingerprints.of(self._place(scene))

    def open(self, scene: str, digest: str) -> None:
        """Reads a scene unless it was read last, and selects its checks.

        Raises:
            SilhouetteError: where the scene cannot be used, or its files no longer have that digest.
        """
        from silhouette.judging import Selection, content_with, load_scene

        path = self._place(scene)
        changed = RequestError(f"{scene}: it was changed while it was judged; judge it again")
        if self.fingerprints.of(path) != digest:
            raise changed
        if self._open_now == (scene, digest):
            return
        self._open_now, self.scene = ("", ""), None  # frees the last scene first: two large ones may be too much
        loaded = replace(load_scene(path, cache=replace(self.cache, memory=self.memory)), path=Path(scene))
        self.scene = content_with(loaded, self._settings.error)
        self.checks = Selection(everyone=self._settings.everyone, instead="--everyone").checks(self.scene)
        if self.fingerprints.of(path) != digest:
            raise changed
        self._open_now = (scene, digest)

    def problem(self, scene: str, error: Exception) -> str:
        """The error as one line, with the name of the file as the batch would name it.

        Only an error raised while a scene is read names the file by its place; afterwards the scene has its path.
        """
        if self._folder is not None and not Path(scene).is_absolute():
            root = f"{self._folder.as_posix()}/"
            if isinstance(error, FileError):
                error = type(error)(Path(error.path).as_posix().removeprefix(root), error.problem)
            elif isinstance(error, OSError) and isinstance(error.filename, str):
                error = OSError(error.errno, error.strerror, Path(error.filename).as_posix().removeprefix(root))
        return problem(error, Path(scene))

    def _place(self, scene: str) -> Path:
        return Path(scene) if self._folder is None else self._folder / scene
