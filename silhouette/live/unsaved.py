"""TELL: what is not saved yet, in a file beside the scene: where the program was killed, it is there again.

document of a table -> file -> the document again, where the scene's file is still the one that it was made from
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from silhouette.errors import FileError, SilhouetteError
from silhouette.files.documents import document_of, read_text
from silhouette.files.writing import write_file
from silhouette.live.names import Document, Names
from silhouette.live.tags import Models

AUTOSAVE = ".autosave.json"
"""The ending of the file beside a scene that has what is not saved yet; its name begins with a dot."""


@dataclass(frozen=True)
class Unsaved:
    """Changes that are not saved.

    Attributes:
        text: the scene file as it would be saved.
        names: that its pieces have in the file as it is.
        models: what model files are to say as well.
    """

    text: str
    names: Names
    models: Models

    def write(self, scene: Path, on_disk: str | None) -> None:
        """Writes them beside the scene.

        Args:
            scene: the path of its file.
            on_disk: what that says; None where it is not there.

        Raises:
            FileError: where the folder cannot be written to.
        """
        kept = {"of": _digest(on_disk), "names": self.names, "models": self.models, "text": self.text}
        write_file(scene.with_name(autosave_name(scene)), json.dumps(kept, indent=2, default=str))

    @classmethod
    def read(cls, scene: Path, on_disk: str | None) -> Unsaved:
        """What lies beside a scene.

        Raises:
            SilhouetteError: where it is damaged, or the scene is not what it was.
        """
        file = scene.with_name(autosave_name(scene))
        try:
            kept = json.loads(read_text(file))
            found = cls(str(kept["text"]), dict(kept["names"]), dict(kept["models"]))
            is_of_this = kept["of"] == _digest(on_disk)
        except (KeyError, TypeError, ValueError, RecursionError):
            raise FileError(file, "is damaged") from None
        if not is_of_this:
            raise FileError(scene, "was changed since")
        return found

    def document(self, scene: Path) -> Document:
        """What the scene file would say.

        Raises:
            FileError: where the text is no document.
        """
        return document_of(scene, self.text)


def autosave_name(path: Path) -> str:
    """The name of the file for what is not saved yet.

    >>> autosave_name(Path("scenes/duel.toml"))
    '.duel.toml.autosave.json'
    """
    return f".{path.name}{AUTOSAVE}"


def set_aside(file: Path, why: SilhouetteError) -> str:
    """Gives the file of what is not saved another name, beside it, and says so in a sentence."""
    number, kept = 1, file
    while os.path.lexists(kept):
        kept = file.with_name(f"{file.stem}-{number}{file.suffix}")
        number += 1
    with suppress(OSError):
        file.rename(kept)
    return f"changes that were not saved lie in {kept.name} and are not shown: {why}"


def _digest(text: str | None) -> str:
    """A short text that tells the content of a file from any other."""
    return hashlib.blake2b((text or "").encode(), digest_size=16).hexdigest()
