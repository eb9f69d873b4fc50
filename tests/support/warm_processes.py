"""Processes of the command line that are forked from a Python which has the program loaded, not started anew.

A start of the command takes about a second of processor time, nearly all of it for imports. A test that needs a process
of its own, to be killed, interrupted or talked to, takes it from here; a test of what a start does (which modules are
imported, which streams are closed, which signals are ignored) starts Python itself.

The process that forks has no threads and no renderer, and imports no graphics driver. There is one for each worker of
pytest, which starts with the first command and ends with the worker. Where a system cannot fork, Python is started.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from silhouette.workers import CAN_FORK

LOADED = (
    *("numpy", "shapely", "scipy.spatial", "PIL.Image", "rich.console", "rich.table", "rich.text", "filelock"),
    *("silhouette.cli.app", "silhouette.cli.tables", "silhouette.cli.batch", "silhouette.cli.check"),
    *("silhouette.cli.commands", "silhouette.cli.table", "silhouette.batches.run", "silhouette.live.protocol"),
    *("silhouette.live.server.serving", "silhouette.meshes.mesh", "silhouette.rules.necromunda.rule"),
    *("silhouette.renderers.embree", "silhouette.renderers.reference"),
)
"""What most commands import."""

PROJECT = Path(__file__).resolve().parents[2]
SERVER = f"""
import sys
sys.path.insert(0, {str(PROJECT)!r})
from tests.support.warm_processes import become, serve
request = serve({{}})
if request is not None:
    become(request)
"""


class WarmProcess(subprocess.Popen[Any]):
    """`subprocess.Popen` of ``[sys.executable, "-m" or "-c", ...]``, forked from a process that has it loaded."""

    _status: int
    """The end of a pipe from which the exit status can be read."""

    def _execute_child(self, args: Any, *more: Any) -> None:
        names = (
            "executable preexec_fn close_fds pass_fds cwd env startupinfo creationflags shell p2cread p2cwrite "
            "c2pread c2pwrite errread errwrite restore_signals gid gids uid umask start_new_session"
        )
        given = dict(zip(names.split(), more, strict=False))
        environment = dict(given["env"] or os.environ)
        assert list(args[:1]) == [sys.executable], args
        assert args[1] in ("-m", "-c"), args
        assert _read_at_start(environment) == _read_at_start(os.environ), "Python reads these when it starts"
        assert not any(given[name] for name in ("preexec_fn", "pass_fds", "shell"))
        self._status, status = os.pipe()
        request = {
            "words": list(map(os.fspath, args[1:])),
            "folder": os.fspath(given["cwd"] or os.getcwd()),
            "environment": environment,
            "new_session": bool(given["start_new_session"]),
        }
        ends = (given["p2cread"], given["c2pwrite"], given["errwrite"])
        streams = [own if end == -1 else end for own, end in enumerate(ends)]
        self.pid = _server().fork(request, [*streams, status])
        self._child_created = True
        for end in {status, *ends} - {-1, getattr(self, "_devnull", -1)}:
            os.close(end)
        if getattr(self, "_devnull", None) is not None:
            os.close(self._devnull)  # type: ignore[has-type]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._status], [], [], 0)[0]:
            return 0, 0
        told = os.read(self._status, 4)
        os.close(self._status)
        return self.pid, struct.unpack("i", told)[0] if told else 0

    def _internal_poll(self, _deadstate: int | None = None, *_: Any) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG) if self.returncode is None else (0, 0)
                if pid == self.pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith("PYTHON")}


Process: type[subprocess.Popen[Any]] = WarmProcess if CAN_FORK else subprocess.Popen


def run_warm(words: list[str], *, timeout: float = 120.0, **options: Any) -> subprocess.CompletedProcess[Any]:
    """`subprocess.run` with both streams captured, by a `WarmProcess`."""
    with Process(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
        return subprocess.CompletedProcess(words, process.returncode, out, err)


class _Server:
    """The process that forks, as its parent sees it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket, other = socket.socketpair()
        command = [sys.executable, "-c", SERVER.format(other.fileno())]
        environment = os.environ | {"PYDANTIC_DISABLE_PLUGINS": "__all__"}  # as `main` does before it imports pydantic
        self._process = subprocess.Popen(command, pass_fds=[other.fileno()], env=environment)
        other.close()
        atexit.register(self._socket.close)

    def fork(self, request: dict[str, Any], descriptors: list[int]) -> int:
        """Forks a process with these streams; gives its number."""
        content = json.dumps(request).encode("utf-8", "surrogateescape")
        with self._lock:
            socket.send_fds(self._socket, [struct.pack("i", len(content))], descriptors)
            self._socket.sendall(content)
            return int(struct.unpack("i", self._socket.recv(4))[0])


_servers: dict[int, _Server] = {}


def _server() -> _Server:
    if os.getpid() not in _servers:
        _servers[os.getpid()] = _Server()
    return _servers[os.getpid()]


def serve(number: int) -> dict[str, Any] | None:
    """Forks processes as they are asked for by a socket, and tells how they ended, until the other end is closed.

    Gives None there. In a forked process this returns what it is to do, so that Python ends in it as it always does.
    """
    for name in LOADED:
        __import__(name)
    asked = socket.socket(fileno=number)
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal of the tests
    gc.collect()
    gc.freeze()
    statuses: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([asked, ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            _tell(statuses)
        if asked not in ready:
            continue
        size, descriptors, _, _ = socket.recv_fds(asked, 4, 4)
        if not size:
            return None
        content = b""
        while len(content) < struct.unpack("i", size)[0]:
            content += asked.recv(1 << 16)
        process = os.fork()
        if process == 0:
            request: dict[str, Any] = json.loads(content)
            if request["new_session"]:
                os.setsid()
            asked.sendall(struct.pack("i", os.getpid()))
            asked.detach()
            _as_if_started(descriptors[:3])
            return request
        statuses[process] = descriptors[3]
        for descriptor in descriptors[:3]:
            os.close(descriptor)


def _tell(statuses: dict[int, int]) -> None:
    """Writes how each process ended that has, into its pipe."""
    while statuses:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process == 0:
            return
        pipe = statuses.pop(process)
        with suppress(BrokenPipeError):
            os.write(pipe, struct.pack("i", status))
        os.close(pipe)


def _as_if_started(streams: list[int]) -> None:
    """Gives a forked process its streams, and signals as a fresh Python has them."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, 4096)
    for number, name in enumerate(("stdin", "stdout", "stderr")):  # new ones: those before know whether they could seek
        before = getattr(sys, name)
        stream = open(number, "w" if number else "r", -1, before.encoding, before.errors, closefd=False)  # noqa: SIM115
        stream.reconfigure(line_buffering=number == 2 or stream.isatty())
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def become(request: dict[str, Any]) -> None:
    """Does what `python` would with these words, in this folder and environment."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    option, name, *words = request["words"]
    sys.argv = [option, *words]
    sys.path[:2] = ["" if option == "-c" else request["folder"]]  # in place of the script's, and of `PROJECT`
    if option == "-c":
        module = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(name, "<string>", "exec"), module.__dict__)
    else:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
