"""Who may come in: Host, Origin and token that a browser must show; and the files of the page, read once."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from socket import socket
from typing import TYPE_CHECKING

from silhouette.common.lazy import cached_property

if TYPE_CHECKING:
    from websockets.datastructures import Headers
    from websockets.http11 import Request


CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
"""The content types of the files, by their endings; files of other endings are not served."""

VIEWER_FILE = "viewer.min.js"
SHARED_FILES = (VIEWER_FILE, "judge.min.js", "signs.css", "three.LICENSE.txt")  # what the page shares with reports


@dataclass(frozen=True)
class PageFile:
    """A file as it is sent, with its content type.

    ``links`` is the value of the header Link (RFC 8288), which names all modules that a page needs, so that a browser
    asks for them at once: else it learns of each from another one. Empty for other files.
    """

    content: bytes
    type: str
    links: str = ""


def page_files() -> dict[str, PageFile]:
    """The files of the page, by the path that a browser asks for; ``/`` is ``index.html``."""
    assets = files("silhouette.pages.html") / "assets"
    pages = {f"/{name}": _page_file(assets / name) for name in SHARED_FILES}
    own = {f"/{path}": _page_file(file) for path, file in _below(files("silhouette.live") / "page", "")}
    pages |= own
    if "/index.html" in pages:
        modules = [f"<{path}>; rel=modulepreload" for path in sorted(own) if _ending(path) == ".js"]
        links = ", ".join([f"</{VIEWER_FILE}>; rel=preload; as=script", *modules])
        pages["/"] = pages["/index.html"] = replace(pages["/index.html"], links=links)
    return pages


def _page_file(file: Traversable) -> PageFile:
    return PageFile(file.read_bytes(), CONTENT_TYPES[_ending(file.name)])


def _below(folder: Traversable, before: str) -> list[tuple[str, Traversable]]:
    """The files of a folder and of those in it, each with its path from there."""
    if not folder.is_dir():
        return []
    below = []
    for entry in folder.iterdir():
        if entry.is_dir():
            below += _below(entry, f"{before}{entry.name}/")
        elif _ending(entry.name) in CONTENT_TYPES:
            below.append((before + entry.name, entry))
    return below


def _ending(name: str) -> str:
    return name[name.rfind(".") :] if "." in name else ""


SOCKET = "/socket"  # the path of the WebSocket


class Role(StrEnum):
    """What a client may do."""

    PLAYER = "player"
    """Everything."""
    LOOKER = "looker"
    """Look, hand over a scan and answer its questions: a second device."""


LOOKING = frozenset({"state", "watch", "check", "sight", "shapes", "map", "stop", "hand-over", "scan", "answer"})
"""What a looker may ask for; to have a scan read, only where it was handed over."""


def new_token() -> str:
    """128 random bits, as text that may stand in an address."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True)
class Refusal:
    """An answer in place of the one asked for: the status of HTTP, and one line."""

    status: HTTPStatus
    words: str


@dataclass(frozen=True)
class Door:
    """An address at which the server can be reached, and the tokens that open a session there, each with a role.

    Those in ``once`` give it once, for addresses that others of this machine may read.
    """

    listening: socket
    roles: Mapping[str, Role] = field(repr=False)
    once: dict[str, Role] = field(default_factory=dict, repr=False)

    @cached_property
    def hosts(self) -> frozenset[str]:
        """The Host headers of browsers that mean this address; those of other names come from rebound DNS."""
        address, port = self.listening.getsockname()[:2]
        names = {address, "localhost"} if address.startswith("127.") else {address}
        return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())

    def address(self, role: Role) -> str:
        """The address of the page, with the first token of a role in its fragment, which is never sent."""
        return self._address(self.token_of(role))

    def address_once(self, role: Role) -> str:
        """The address of the page with a new token, which opens one session; its client is told the lasting one."""
        token = new_token()
        self.once[token] = role
        return self._address(token)

    def _address(self, token: str) -> str:
        host, port = self.listening.getsockname()[:2]
        return f"http://{host}:{port}/#{token}"

    def token_of(self, role: Role) -> str:
        """The first token that gives a role."""
        return next(token for token, given in self.roles.items() if given is role)

    def role_of(self, token: object) -> Role | None:
        """The role that a token gives; None where it gives none. How long this takes tells nothing about the tokens."""
        shown = token.encode(errors="replace") if isinstance(token, str) else b""
        matches = [
            known_token for known_token in (*self.roles, *self.once) if hmac.compare_digest(known_token.encode(), shown)
        ]
        if not matches:
            return None
        return self.once.pop(matches[0]) if matches[0] in self.once else self.roles[matches[0]]

    def answer(self, request: Request, files: Mapping[str, PageFile]) -> PageFile | Refusal | None:
        """What a request gets: a file, a refusal, or None, where it may open a WebSocket."""
        host = _only(request.headers, "Host")
        if host not in self.hosts:
            return Refusal(HTTPStatus.FORBIDDEN, "The live table answers only at the address that it printed.")
        if request.method != "GET":
            return Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "The live table answers GET alone.")
        if request.path != SOCKET:
            page = files.get(request.path)
            return page or Refusal(HTTPStatus.NOT_FOUND, "The live table has no such file.")
        if _only(request.headers, "Origin") != f"http://{host}":
            return Refusal(HTTPStatus.FORBIDDEN, "The live table is open to its own page alone.")
        return None


def _only(headers: Headers, name: str) -> str | None:
    """The value of a header that stands there once; None where it is missing or stands there twice."""
    values = headers.get_all(name)
    return values[0] if len(values) == 1 else None


def security_headers(host: str | None) -> dict[str, str]:
    """The headers of every answer: nothing from elsewhere, nothing kept, and no page of another may show this one."""
    sockets = f" ws://{host}" if host else ""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self'{sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if host and host.startswith(("127.", "localhost")):  # browsers complain of it elsewhere, where there is no TLS
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
    return headers
