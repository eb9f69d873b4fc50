"""The sockets that the server listens on: this machine's own address, and, if wanted, its address in the network."""

from __future__ import annotations

import errno
import socket

from silhouette.errors import RequestError
from silhouette.live.server.gate import Door, Role, new_token

HERE = "127.0.0.1"
ELSEWHERE = ("192.0.2.1", 9)
"""An address that RFC 5737 keeps for examples: asked for the way to it, the system names the interface of the default
route. Nothing is sent."""

BACKLOG = 128


def opened_doors(port: int, *, lan: bool) -> list[Door]:
    """The doors of a server: for this machine, and with ``lan`` for a second device in the same network.

    Args:
        port: 0 for any that is free.
        lan: whether the second one is wanted, at which one can only look.

    Raises:
        RequestError: where the port cannot be had, or the machine is in no network.
    """
    player, looker = new_token(), new_token()
    doors = [Door(_listening(HERE, port), {player: Role.PLAYER})]
    if lan:
        try:
            doors.append(Door(_listening(lan_address(), port), {looker: Role.LOOKER}))
        except RequestError:
            doors[0].listening.close()
            raise
    return doors


def lan_address() -> str:
    """This machine's IPv4 address on the interface that its default route takes.

    Raises:
        RequestError: where there is none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(ELSEWHERE)
            address = str(asking.getsockname()[0])
        except OSError:
            address = ""
    if not address or address.startswith(("127.", "0.")):
        raise RequestError("--lan needs a network, and this machine is in none; join one, or leave it out")
    return address


def _listening(host: str, port: int) -> socket.socket:
    try:
        listening = socket.create_server((host, port), backlog=BACKLOG)
    except OSError as error:
        raise RequestError(_why_not(host, port, error)) from None
    listening.setblocking(False)
    return listening


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; take another --port, or leave it out for any that is free"
    if error.errno == errno.EACCES:
        return f"port {port} of {host} is not open to you; take a --port above 1023, or leave it out"
    return f"port {port} of {host}: {error.strerror or error}"
