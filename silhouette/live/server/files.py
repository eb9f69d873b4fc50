"""The files of the page, read once when the server starts: nothing else can be asked for, whatever the address says."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
"""The content types of the files, by their endings; files of other endings are not served."""

SHARED = ("viewer.min.js", "three.LICENSE.txt")
"""What the page shares with reports."""


@dataclass(frozen=True)
class PageFile:
    """A file as it is sent."""

    content: bytes
    type: str


def page_files() -> dict[str, PageFile]:
    """The files of the page, by the path that a browser asks for; ``/`` is ``index.html``."""
    assets = files("silhouette.pages.html") / "assets"
    found = {f"/{name}": _page_file(assets / name) for name in SHARED}
    found |= {f"/{path}": _page_file(file) for path, file in _below(files("silhouette.live") / "page", "")}
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    return found


def _page_file(file: Traversable) -> PageFile:
    return PageFile(file.read_bytes(), TYPES[_ending(file.name)])


def _below(folder: Traversable, before: str) -> list[tuple[str, Traversable]]:
    """The files of a folder and of those in it, each with its path from there."""
    if not folder.is_dir():
        return []
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _below(entry, f"{before}{entry.name}/")
        elif _ending(entry.name) in TYPES:
            found.append((before + entry.name, entry))
    return found


def _ending(name: str) -> str:
    return name[name.rfind(".") :] if "." in name else ""
