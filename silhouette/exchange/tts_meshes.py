"""EXCHANGE: the meshes of Tabletop Simulator: an address becomes a file in the folder where the game keeps them.

Nothing is fetched, and only files of that folder itself are opened: an address is compared with their names, and never
taken for a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from silhouette.errors import FileError

MOST_FILES = 200_000
"""Files of the folder that are looked at."""

_HOSTED = re.compile(r"/ugc/(\d{1,30})/([0-9A-Za-z]{8,64})")
"""The part of an address in Steam's cloud that stays when the host changes."""


class KeptMeshes:
    """The meshes in a folder, such as the game's ``Mods/Models``.

    The game names a file after its address, with all but letters and digits left out, and ``.obj``. A local file
    (``file:///C:/minis/kal.obj``) is looked for by its own name, in this folder alone.

    Args:
        folder: that they lie in; None has none.

    Raises:
        FileError: where it is no folder that can be read.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._by_name: dict[str, str] = {}
        self._by_place: dict[str, str] = {}
        for name in [] if folder is None else _names(folder):
            stem = name[:-4].lower()
            self._by_name.setdefault(stem, name)
            if (start := stem.rfind("ugc")) >= 0:
                self._by_place.setdefault(stem[start:], name)

    def find(self, address: str) -> Path | None:
        """The file in which the mesh of an address is kept; None where there is none.

        Raises:
            FileError: where its name is that of a link which leads out of the folder.
        """
        name = self._name(address.replace("{verifycache}", "").strip())
        if name is None or self._folder is None:
            return None
        path = self._folder / name
        try:
            is_inside = path.resolve().is_relative_to(self._folder.resolve())
        except (OSError, ValueError, RuntimeError):
            is_inside = False
        if not is_inside:
            raise FileError(path, "is a link that leads out of the folder of the meshes, and is not followed")
        return path

    def _name(self, address: str) -> str | None:
        letters = re.sub(r"[^a-z0-9]", "", address.lower())
        if not letters:
            return None
        by_address = self._by_name.get(letters)
        hosted = _HOSTED.search(address)
        if by_address is None and hosted:
            by_address = self._by_place.get(f"ugc{hosted[1]}{hosted[2].lower()}")
        if by_address is None and not re.match(r"https?:", address, flags=re.IGNORECASE):
            last = re.split(r"[/\\]", address)[-1].lower()
            by_address = self._by_name.get(last.removesuffix(".obj"))
        return by_address


def _names(folder: Path) -> Iterator[str]:
    """The names of the OBJ files in a folder."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, MOST_FILES))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(folder, f"is no folder of meshes that can be read ({reason}); give Mods/Models") from None
    return (name for name in names if name.lower().endswith(".obj"))
