"""A process that ends with the one that started it, and what a worker does in it: task after task, through a pipe."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, TypeVar

from silhouette.workers import starting
from silhouette.workers.content import receive

Work = Callable[[Any], Iterator[Any]]  # does a task, and yields its results as they come

PARENT_CHECK_INTERVAL = 1.0  # seconds between two looks whether the parent process is still there
RESULT, DONE, FAILED, STOPPED = "result", "done", "failed", "stopped"  # the kinds of messages of a worker: see `serve`
STOP = "stop"  # the message that stops a worker in the middle of a task

Made = TypeVar("Made")


class ChildProcess:
    """A process that runs ``target(pipe, argument)`` and ends with this one, even where this one is killed.

    It is forked if that is safe, unless it is to be ``fresh``; else ``target`` and ``argument`` must be what pickle can
    carry. ``pipe`` is this end.
    """

    def __init__(self, target: Callable[[Connection, Any], None], argument: Any, *, fresh: bool = False) -> None:
        self.pipe, child_end = multiprocessing.Pipe()
        self._forked: Any = None
        self._executed: subprocess.Popen[bytes] | None = None
        try:
            if not fresh and starting.start_method() == "fork":
                self._forked = _fork(self.pipe, child_end, target, argument)
            else:
                self._executed = _execute(child_end)
        except BaseException:
            self.pipe.close()
            raise
        finally:
            child_end.close()
        if self._executed is not None:
            self._instruct(target, argument)

    def _instruct(self, target: Callable[[Connection, Any], None], argument: Any) -> None:
        """Sends a fresh Python its target and argument."""
        try:
            self.pipe.send(sys.path)
            self.pipe.send((target, argument))
        except OSError:
            return  # it has ended already, which is noticed when something is read from it
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        """Its number."""
        process: Any = self._forked or self._executed
        number: int = process.pid
        return number

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._executed.poll() is None if self._executed is not None else bool(self._forked.is_alive())

    def is_stopped(self) -> bool:
        """See `is_stopped`."""
        return is_stopped(self.pid)

    def wait(self, seconds: float | None = None) -> int | None:
        """Its exit status, below 0 the number of the signal that killed it; None where it runs on after the time."""
        if self._executed is not None:
            try:
                return self._executed.wait(seconds)
            except subprocess.TimeoutExpired:
                return None
        self._forked.join(seconds)
        status: int | None = self._forked.exitcode
        return status

    def interrupt(self) -> None:
        """Ends it, and leaves its pipe to a thread that may be at it; `kill` comes after that."""
        process: Any = self._forked or self._executed
        process.kill()

    def kill(self) -> None:
        """Ends it, whatever it is doing."""
        self.interrupt()
        self.wait()
        if self._forked is not None:
            self._forked.close()
        self.pipe.close()


def is_stopped(process: int) -> bool:
    """Whether a process is stopped by a signal or by a debugger; False where the system does not tell."""
    try:
        status = Path("/proc", str(process), "stat").read_text(errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] in ("T", "t")  # the name in parentheses may hold anything


def _fork(
    parent_end: Connection, child_end: Connection, target: Callable[[Connection, Any], None], argument: Any
) -> Any:
    arguments = (child_end, parent_end, os.getpid(), target, argument)
    process = multiprocessing.get_context("fork").Process(target=_begin_forked, args=arguments, daemon=True)
    # Ctrl-C waits until the new process ignores it, as it does from `run_child` on.
    with starting.fork_warning_silenced(), _interrupts_held_back():
        process.start()
    return process


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl-C comes after the block; never in a process that is forked in it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_forked(
    pipe: Connection, parent_end: Connection, parent: int, target: Callable[[Connection, Any], None], argument: Any
) -> None:
    """Closes the copy of the parent's end, without which the parent's death would not break the pipe."""
    parent_end.close()
    run_child(pipe, parent, target, argument)


def _execute(child_end: Connection) -> subprocess.Popen[bytes]:
    """A fresh Python that runs `begin_fresh` with that end of a pipe, in a new process group.

    So Ctrl-C does not reach the process before it can ignore it. ``-P`` keeps modules of the current folder out.
    """
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    handle = child_end.fileno()
    options: dict[str, Any] = {"pass_fds": [handle], "process_group": 0}
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, True)
        options = {
            "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]}),
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP,
        }
    begin = "from silhouette.workers.process import begin_fresh; begin_fresh()"
    command = [sys.executable, "-P", "-c", begin, str(handle), str(os.getpid())]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path}, **options)


def begin_fresh() -> None:
    """Runs the target of a `ChildProcess` in a fresh Python, whose arguments are its pipe's handle and its parent."""
    handle, parent = map(int, sys.argv[1:])
    if sys.platform == "win32":
        pipe = connection.PipeConnection(handle)
    else:
        pipe = Connection(handle)
    try:
        sys.path[:] = pipe.recv()
        target, argument = pipe.recv()
    except EOFError:
        return  # the parent has ended already
    run_child(pipe, parent, target, argument)


def run_child(pipe: Connection, parent: int, target: Callable[[Connection, Any], None], argument: Any) -> None:
    """Runs the target of a `ChildProcess`. The process ignores Ctrl-C: the parent ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    target(pipe, argument)


def _end_with(parent: int) -> None:
    """Ends this process, whatever it is doing, soon after its parent has ended."""
    if sys.platform == "win32":
        import _winapi

        wait([_winapi.OpenProcess(_winapi.SYNCHRONIZE, False, parent)])
    else:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_INTERVAL)
    os._exit(1)


def start_worker(start: Callable[[], Work], number: int) -> ChildProcess:
    """Worker ``number``, which does the work that ``start()`` returns, task after task."""
    return ChildProcess(_begin_worker, (start, number))


def _begin_worker(pipe: Connection, argument: tuple[Callable[[], Work], int]) -> None:
    start, number = argument
    serve(pipe, numbered(number, start))


def serve(pipe: Connection, work: Work) -> None:
    """Does the tasks that come through a pipe, until it breaks.

    This is all of the protocol between a process and those that it works for. A task comes as (task, new contents by
    digest, digests of contents to drop); what goes back is (RESULT, value), any number of them, then one of (DONE,
    None), (FAILED, the error) and (STOPPED, None). `STOP` in place of a task ends the one that is under way, if its
    work looks at `worker_pipe` and raises `Stopped`; one that comes too late means nothing, since messages keep their
    order.
    """
    global _pipe
    _pipe = pipe
    with suppress(EOFError, OSError, EndOfTasks):
        while True:
            message = pipe.recv()
            if message != STOP:
                task, new, dropped = message
                receive(new, dropped)
                pipe.send_bytes(_done(pipe, work, task))


def _done(pipe: Connection, work: Work, task: Any) -> memoryview:
    """Does one task and sends its results; the message of its end."""
    try:
        for value in work(task):
            pipe.send_bytes(_pickled((RESULT, value)))
    except Stopped:
        return _pickled((STOPPED, None))
    except Exception as error:
        return _pickled_error(error)
    return _pickled((DONE, None))


def _pickled(message: tuple[str, Any]) -> memoryview:
    try:
        return ForkingPickler.dumps(message)
    except Exception as problem:
        raise RuntimeError(f"a result that pickle cannot carry: {problem}") from problem


def _pickled_error(error: Exception) -> memoryview:
    """The message of an error; if pickle cannot carry it, or not back, of one that repeats its words."""
    try:
        data = ForkingPickler.dumps((FAILED, error))
        pickle.loads(data)
    except Exception:
        data = ForkingPickler.dumps((FAILED, RuntimeError(f"{type(error).__name__}: {error}")))
    return data


class EndOfTasks(BaseException):
    """Raised by a work that is to do no more tasks."""


class Stopped(BaseException):
    """Nobody waits for the result of the task any longer; no part of a measurement handles it."""


_pipe: Connection | None = None


def send_result(value: Any) -> None:
    """Sends a result of the task that this process, a worker, is in the middle of; its work yields others later."""
    worker_pipe().send_bytes(_pickled((RESULT, value)))


def worker_pipe() -> Connection:
    """The pipe through which this process, a worker, gets its tasks, and is stopped in the middle of one."""
    assert _pipe is not None
    return _pipe


_number = 0


def numbered(number: int, start: Callable[[], Made]) -> Made:
    """The work that ``start()`` returns, in this process, which is worker ``number`` from now on."""
    global _number
    _number = number
    return start()


def worker_number() -> int:
    """The number of this process among the workers of its pool, from 0, by which it takes its GPU; else 0."""
    return _number
