"""From where a process cannot be forked safely: threads, daemonic processes, other systems; the same rows."""

from __future__ import annotations

import _thread
import json
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import silhouette
from silhouette.renderers import RENDERERS
from silhouette.workers import CAN_FORK, WorkerPool, cores, parallel_map, start_method, starting
from silhouette.workers.starting import drivers_are_loaded
from tests.support.batching import children_of, folder_of_scenes_with_meshes, scene_of_blocks, wait_until

FROM_EVERYWHERE = """
import json, multiprocessing, sys, threading
import silhouette
from silhouette.workers import start_method

OPTIONS = dict(renderer="reference", pixel=2.0, workers=2)


def matrix(path):
    return start_method(), silhouette.matrix(path, **OPTIONS).rows()


def batch(path):
    return start_method(), list(silhouette.batch(path, everyone=True, cached=False, **OPTIONS))


def in_threads(function, path):
    results = []
    threads = [threading.Thread(target=lambda: results.append(function(path))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


path = sys.argv[1]
found = {
    "here": [matrix(path), batch(path)],
    "threads": [*in_threads(matrix, path), *in_threads(batch, path)],
}
with multiprocessing.get_context("fork").Pool(1) as pool:
    found["daemonic"] = [pool.apply(matrix, [path]), pool.apply(batch, [path])]
print(json.dumps(found))
"""
"""A script without a guard for its main module; two functions, each called in the main thread, threads and a daemon."""


@pytest.mark.long
@pytest.mark.skipif(not CAN_FORK, reason="multiprocessing is asked to fork")
def test_threads_and_daemonic_processes_give_the_rows_of_the_main_thread(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(FROM_EVERYWHERE)
    command = [sys.executable, str(script), str(scene_of_blocks(tmp_path / "crowd.toml", 6))]
    path = os.pathsep.join(filter(None, [str(Path(silhouette.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    found = json.loads(ran.stdout)
    expected = found["here"][0][1]
    assert len(expected) == 30
    for place, method, count in (("here", "fork", 2), ("threads", "execute", 4), ("daemonic", "execute", 2)):
        assert [name for name, _ in found[place]] == [method] * count
        assert all(rows == expected for _, rows in found[place])


def test_threads_that_the_module_threading_does_not_know_count_as_well() -> None:
    before, end = starting.python_threads(), threading.Event()
    _thread.start_new_thread(lambda: end.wait(), ())
    try:
        wait_until(lambda: starting.python_threads() > before)
        assert start_method() == "execute"
    finally:
        end.set()
    wait_until(lambda: starting.python_threads() == before)


MIXED = """
import sys, threading
import silhouette

path, folder = sys.argv[1:]
options = dict(renderer="reference", pixel=2.0)
scene = silhouette.load_scene(path)
ask = {
    "matrix": lambda: silhouette.matrix(path, workers=2, **options),
    "matrix of a scene that threads share": lambda: silhouette.matrix(scene, workers=2, **options),
    "batch": lambda: list(silhouette.batch(folder, everyone=True, workers=2, cached=False, **options)),
    "check": lambda: [silhouette.check(scene, "M0", f"M{number}", **options).row() for number in range(1, 6)],
}
expected = {name: function() for name, function in ask.items()}
wrong = []


def run(name):
    try:
        if ask[name]() != expected[name]:
            wrong.append(f"{name}: other rows")
    except BaseException as error:
        wrong.append(f"{name}: {error!r}")


threads = [threading.Thread(target=run, args=(name,)) for name in [*ask, "matrix", "check"]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong)
"""
"""Everything at once from six threads, after the same in the main thread alone, whose workers are forked."""


def in_python(script: str, *arguments: object) -> str:
    """The output of a script that is typed into Python, as into a notebook: its main module has no file."""
    path = os.pathsep.join(filter(None, [str(Path(silhouette.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    ran = subprocess.run(
        [sys.executable, "-", *map(str, arguments)],
        input=script,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


@pytest.mark.slow
def test_several_threads_ask_for_several_things_at_once(tmp_path: Path) -> None:
    folder = folder_of_scenes_with_meshes(tmp_path / "pack", scenes=2)
    assert in_python(MIXED, scene_of_blocks(tmp_path / "crowd.toml", 6), folder) == "[]\n"


FIRST_IN_THREADS = """
import sys, threading
import silhouette

path, renderer = sys.argv[1:]
rows, start = [], threading.Barrier(3)


def ask():
    start.wait()
    try:
        found = silhouette.matrix(path, renderer=renderer, pixel=2.0, workers=2).rows()
    except silhouette.RendererUnavailable as error:
        rows.append(str(error))
    else:
        rows.append([row["verdict"] for row in found])


threads = [threading.Thread(target=ask) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
expected = [row["verdict"] for row in silhouette.matrix(path, renderer="reference", pixel=2.0, workers=1).rows()]
print("unavailable" if isinstance(rows[0], str) else rows == [expected] * 3)
"""
"""Threads that start a renderer at the same time, in a process that has not started it before."""


@pytest.mark.long
@pytest.mark.parametrize("renderer", ["embree", "gl", "reference"])
def test_threads_start_a_renderer_at_the_same_time(tmp_path: Path, renderer: str) -> None:
    answer = in_python(FIRST_IN_THREADS, scene_of_blocks(tmp_path / "crowd.toml", 4), renderer).strip()
    if answer == "unavailable":
        pytest.skip(f"{renderer} cannot run here")
    assert answer == "True"


KILLED_IN_THREADS = """
import sys, threading
from silhouette import batch


def judge():
    for row in batch(sys.argv[1], everyone=True, workers=2, renderer="reference", pixel=0.1, cached=False):
        print("a row", flush=True)


for _ in range(2):
    threading.Thread(target=judge).start()
"""
"""Workers of batches in threads are forked from fork servers, which are themselves started anew."""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes by their environment")
def test_nobody_is_left_when_a_process_that_asks_from_threads_is_killed(tmp_path: Path) -> None:
    folder = folder_of_scenes_with_meshes(tmp_path / "pack", scenes=2, models=24)
    mark = {"SILHOUETTE_TEST_MARK": str(tmp_path)}
    command = [sys.executable, "-c", KILLED_IN_THREADS, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **mark}) as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "a row\n"
        # the one who asks, two workers and at least one fork server
        wait_until(lambda: len(marked(tmp_path)) >= 4)
        asker.kill()
    wait_until(lambda: not marked(tmp_path))


def marked(mark: Path) -> list[int]:
    """The processes that run with that mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(mark) in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.long
def test_where_no_process_can_be_started_the_rows_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rows() -> tuple[object, object]:
        options = {"renderer": "reference", "pixel": 2.0, "workers": 2}
        batch = silhouette.batch(path, everyone=True, cached=False, **options)  # type: ignore[arg-type]
        return silhouette.matrix(path, **options), list(batch)  # type: ignore[arg-type]

    path = scene_of_blocks(tmp_path / "crowd.toml", 6)
    expected = rows()
    before = children_of(os.getpid())
    monkeypatch.setattr(starting, "start_method", lambda: "none")
    assert rows() == expected
    assert children_of(os.getpid()) == before


def test_the_drivers_of_all_renderers_stand_against_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {entry.driver for entry in RENDERERS if entry.driver} == set(starting.DRIVERS)
    for driver in starting.DRIVERS:
        monkeypatch.delitem(sys.modules, driver, raising=False)
    assert not drivers_are_loaded()
    monkeypatch.setitem(sys.modules, starting.DRIVERS[0], ModuleType("driver"))
    assert drivers_are_loaded()


def test_a_process_is_not_forked_for_each_of_the_reasons_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "CAN_FORK", True)
    monkeypatch.setattr(starting, "drivers_are_loaded", lambda: False)
    monkeypatch.setattr(starting, "python_threads", lambda: 1)
    assert start_method() == "fork"
    reasons: list[tuple[object, str, object]] = [
        (multiprocessing, "current_process", lambda: SimpleNamespace(daemon=True)),
        (starting, "python_threads", lambda: 2),
        (starting, "drivers_are_loaded", lambda: True),
        (starting, "CAN_FORK", False),
    ]
    for owner, name, value in reasons:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            assert start_method() == "execute", name
    monkeypatch.setattr(sys, "executable", "")
    assert start_method() == "none"


def test_a_function_that_cannot_be_forked_is_applied_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "start_method", lambda: "execute")
    applied: list[int] = []
    lock = threading.Lock()  # which pickle cannot carry

    def square(number: int) -> int:
        with lock:
            applied.append(number)
        return number * number

    assert list(parallel_map(square, [0, 1, 2], 2)) == [0, 1, 4]
    assert applied == [0, 1, 2]


def process_and_seconds(seconds: float) -> Iterator[int]:
    import time

    yield os.getpid()
    time.sleep(seconds)


def working() -> partial[Iterator[int]]:
    return partial(process_and_seconds)


ABANDONED = """
import os
from silhouette.workers import WorkerPool, starting
from tests.workers.test_starting import working
starting.start_method = lambda: "execute"
with WorkerPool(working, workers=1) as pool:
    for event in pool.events(lambda last: 600.0):
        print(event.value, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="looks for a process by its number as POSIX does")
def test_an_executed_worker_ends_when_its_pool_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ABANDONED], stdout=subprocess.PIPE, text=True) as pool:
        assert pool.stdout is not None
        worker = int(pool.stdout.readline())
        os.kill(worker, 0)
        pool.kill()

    def is_gone() -> bool:
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return True
        status = Path(f"/proc/{worker}/stat")
        return status.exists() and ") Z" in status.read_text()

    wait_until(is_gone)


def test_what_cannot_be_sent_to_an_executed_worker_is_an_error_that_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(starting, "start_method", lambda: "execute")
    before = children_of(os.getpid())
    with pytest.raises((AttributeError, TypeError, ValueError)), WorkerPool(lambda: working(), workers=1) as pool:
        list(pool.events(lambda last: 0.0))
    assert children_of(os.getpid()) == before


AFTER_EMBREE = """
import threading
from silhouette.renderers import choose, embree
from silhouette.workers import start_method
renderer = choose()
embree._second_thread().submit(int).result()
print(start_method())
end = threading.Event()
other = threading.Thread(target=end.wait)
other.start()
renderer.share([])
print(threading.active_count())
end.set()
other.join()
renderer.share([])
print(start_method())
"""
"""Embree's second thread stays as long as another thread may be using it."""


@pytest.mark.skipif(not CAN_FORK, reason="processes are not forked on this system")
def test_a_renderer_s_own_thread_does_not_stand_in_the_way_of_a_fork() -> None:
    pytest.importorskip("embreex")
    ran = subprocess.run([sys.executable, "-c", AFTER_EMBREE], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.split() == ["execute", "3", "fork"]


def test_there_is_a_core_to_work_on() -> None:
    assert cores() >= 1
