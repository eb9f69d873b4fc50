"""The files of the page, read once when the server starts: nothing else can be asked for, whatever the address says."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

VIEWER = "viewer.min.js"
SHARED = (VIEWER, "three.LICENSE.txt")
"""What the page shares with reports."""


@dataclass(frozen=True)
class PageFile:
    """A file as it is sent.

    Attributes:
        content: its bytes.
        type: its content type.
        links: the value of the header Link (RFC 8288), which names all modules that a page needs, so that a browser
            asks for them at once: else it learns of each from another one. Empty for other files.
    """

    content: bytes
    type: str
    links: str = ""


def page_files() -> dict[str, PageFile]:
    """The files of the page, by the path that a browser asks for; ``/`` is ``index.html``."""
    assets = files("silhouette.pages.html") / "assets"
    found = {f"/{name}": _page_file(assets / name) for name in SHARED}
    own = {f"/{path}": _page_file(file) for path, file in _below(files("silhouette.live") / "page", "")}
    found |= own
    if "/index.html" in found:
        modules = [f"<{path}>; rel=modulepreload" for path in sorted(own) if _ending(path) == ".js"]
        links = ", ".join([f"</{VIEWER}>; rel=preload; as=script", *modules])
        found["/"] = found["/index.html"] = replace(found["/index.html"], links=links)
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
