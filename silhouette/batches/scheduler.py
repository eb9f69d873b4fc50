"""MANY, on many machines: the way to a Dask scheduler. Whatever is wrong with it is known within a few seconds.

address -> is it one? -> who answers there? -> a client
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import Any

from silhouette.errors import RequestError, SilhouetteError
from silhouette.installation import DISTRIBUTION, extra_command
from silhouette.text import printable
from silhouette.version import VERSION

CONNECTED_WITHIN = 5.0
"""Seconds in which a scheduler must answer."""

_ADDRESS = re.compile(r"(?:(?P<scheme>[a-z]+)://)?(?P<host>\[[^]]+\]|[^:/\[\]]+):(?P<port>\d{1,5})")

_SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")


def place_of(address: str) -> tuple[str, int]:
    """The host and the port of the address of a scheduler.

    Raises:
        RequestError: where it is no such address.

    >>> place_of("tcp://10.0.0.5:8786"), place_of("login-1:8786")
    (('10.0.0.5', 8786), ('login-1', 8786))
    >>> place_of("nonsense")
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: 'nonsense' is no address of a Dask scheduler; give one like tcp://10.0.0.5:8786
    """
    found = _ADDRESS.fullmatch(address)
    if not found or (found["scheme"] or "tcp") not in _SCHEMES or not 0 < int(found["port"]) < 1 << 16:
        raise RequestError(
            f"'{printable(address)}' is no address of a Dask scheduler; give one like tcp://10.0.0.5:8786"
        )
    return found["host"].strip("[]"), int(found["port"])


def client_of(address: str) -> Any:
    """A client of the scheduler at an address.

    Raises:
        RequestError: where that is no address.
        SilhouetteError: where distributed is not installed, or no scheduler answers there.
    """
    host, port = place_of(address)
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise SilhouetteError(
            f"--cluster needs Dask's distributed, which is not installed; install it with: {extra_command('cluster')}"
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if not _within(CONNECTED_WITHIN, lambda: socket.getaddrinfo(host, port)):
        raise SilhouetteError(f"no host is called {printable(host)}; give the address of a Dask scheduler")
    kind = _kind_of_answer(address)
    if kind is None and not _is_open(host, port):
        raise SilhouetteError(
            f"no Dask scheduler answers at {address} (nothing listens there); start one with: dask scheduler"
        )
    if kind != "Scheduler":
        what = f"a Dask {kind.lower()}" if kind else "something else"
        raise SilhouetteError(f"{what} listens at {address}, and no Dask scheduler; give the address of the scheduler")
    try:
        return distributed.Client(address, timeout=CONNECTED_WITHIN, set_as_default=False)
    except (OSError, ValueError) as error:
        why = " ".join(str(error).split())[:120]
        raise SilhouetteError(f"the Dask scheduler at {address} does not take a client ({why})") from None


def _kind_of_answer(address: str) -> str | None:
    """What answers at an address: "Scheduler" or another part of Dask; None where nothing does, or no part of Dask.

    distributed's own client waits without end for an answer of something that is no part of Dask.
    """
    core, security = import_module("distributed.core"), import_module("distributed.security")

    async def identity() -> Any:
        options = security.Security().get_connection_args("client")
        async with core.rpc(address, timeout=CONNECTED_WITHIN, connection_args=options) as remote:
            return await asyncio.wait_for(remote.identity(), CONNECTED_WITHIN)

    answer = _within(CONNECTED_WITHIN + 1.0, lambda: asyncio.run(identity()))
    return str(answer["type"]) if isinstance(answer, dict) and "type" in answer else None


def _within(seconds: float, ask: Callable[[], Any]) -> Any:
    """What a function returns; None where it raises an error, or takes longer.

    It runs in a thread: the one that calls may run an event loop already, as in a notebook, and what takes longer is
    left alone.
    """
    answers: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        answer = None
        with suppress(Exception):  # whatever is sent by what listens there
            answer = ask()
        answers.put(answer)

    threading.Thread(target=run, daemon=True).start()
    with suppress(Empty):
        return answers.get(timeout=seconds)
    return None


def _is_open(host: str, port: int) -> bool:
    """Whether anything listens there."""
    try:
        socket.create_connection((host, port), timeout=1.0).close()
    except OSError:
        return False
    return True


def cannot_import(who: str) -> SilhouetteError:
    """The error about a part of the cluster in whose environment this package is not installed."""
    return SilhouetteError(
        f"{who} cannot import silhouette; install {DISTRIBUTION} {VERSION} in the environment of the scheduler and of "
        "every worker, and start them again"
    )
