"""Sessions of pages: what a page names is read and written in the scene's folder alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from silhouette.errors import RequestError
from silhouette.live.live_table import LiveTable
from silhouette.live.protocol import Session
from silhouette.live.tags import is_inside
from silhouette.text import as_written

NAMING = ("mesh", "model")
"""The keys of an edit that name a file."""


class PageSession(Session):
    """A session of a page; a piece that a page adds is of a file in the scene's folder, or of one that is in use."""

    async def answer(self, request: object) -> dict[str, Any]:
        """See `Session`."""
        if isinstance(request, Mapping):
            try:
                for path in _named(request):
                    check_inside(self._table, path)
            except RequestError as error:
                return {"id": request.get("id"), "error": str(error)}
        return await super().answer(request)


def check_inside(table: LiveTable, path: str) -> None:
    """Refuses the path of a file that lies elsewhere than in the scene's folder, unless the scene has it already.

    Raises:
        RequestError: one line.
    """
    try:
        inside = is_inside(table.path.parent, path)
    except (OSError, ValueError):  # a name that no file can have
        inside = False
    if not inside and path not in _used(table.document):
        raise RequestError(f"{as_written(path)} lies outside the scene's folder; copy the file into it")


def _named(request: Mapping[str, Any]) -> Iterator[str]:
    edits = request.get("edits")
    for edit in edits if isinstance(edits, list) else []:
        if isinstance(edit, Mapping):
            yield from (edit[key] for key in NAMING if isinstance(edit.get(key), str))


def _used(document: Mapping[str, Any]) -> set[str]:
    """The paths that the pieces of a scene name."""
    pieces = [entry for entries in document.values() if isinstance(entries, list) for entry in entries]
    return {entry[key] for entry in pieces if isinstance(entry, dict) for key in NAMING if key in entry}
