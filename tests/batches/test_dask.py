"""The same batch on a Dask scheduler: a real one, with two real workers, of which some do not live to its end."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import silhouette
from silhouette import RequestError, SilhouetteError
from silhouette.batches.chunks import Chunk
from silhouette.batches.dask import Cluster
from silhouette.batches.run import make_pool
from silhouette.batches.settings import BatchSettings
from silhouette.common.installation import extra_command
from silhouette.workers import CAN_FORK
from tests.support.batching import FAST, finished, folder_of_scenes, journaled, rows_of, running, wait_until
from tests.support.commands import run

needs_distributed = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None or not CAN_FORK,
    reason="Dask's distributed, the extra 'cluster', is not installed",
)

WATCHED = """
import os, time
from silhouette.batches import chunks
from silhouette.common.installation import extra_command
if not hasattr(chunks, "unwatched"):  # a file that is preloaded is run more than once
    chunks.unwatched = chunks.judge_all
    def judge_all(requests, options):
        for _, check in requests:
            time.sleep({seconds})
            with open({log!r}, "a") as log:
                log.write(f"{{os.getpid()}}\\n")
            if (check.attacker, check.target) == {killer!r}:
                os.kill(os.getpid(), 9)
        return chunks.unwatched(requests, options)
    chunks.judge_all = judge_all
"""


@contextmanager
def process(*words: object) -> Iterator[int]:
    """A Dask process and whatever it starts, which is gone afterwards."""
    command = [sys.executable, "-m", "dask", *map(str, words)]
    quiet = subprocess.DEVNULL
    running = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        yield running.pid
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


@contextmanager
def cluster(
    folder: Path, *options: object, seconds: float = 0.0, killer: tuple[str, str] | None = None
) -> Iterator[tuple[str, list[int], Path]]:
    """A scheduler and two workers: its address, their processes, and a file into which each check writes which one."""
    place, log, preload = folder / "scheduler.json", folder / "judged by", folder / "watched.py"
    preload.write_text(WATCHED.format(seconds=seconds, log=str(log), killer=killer))
    with ExitStack() as running:
        scheduler = ("scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", place)
        running.enter_context(process(*scheduler))
        wait_until(lambda: place.exists() and place.read_text().rstrip().endswith("}"))
        worker = ("worker", "--scheduler-file", place, "--nthreads", 1, "--no-dashboard", "--preload", preload)
        workers = [
            running.enter_context(process(*worker, "--local-directory", folder / name, *options)) for name in "ab"
        ]
        yield json.loads(place.read_text())["address"], workers, log


def assert_tasks_can_ask(address: str, path: Path, expected: list[dict[str, Any]]) -> None:
    """A task of a cluster, which runs in a thread, asks for a matrix and a batch, and these start processes."""
    from distributed import Client

    options = f"{str(path)!r}, renderer='reference', pixel=2.0, workers=2"
    with Client(address, set_as_default=False) as client:
        for call in (f"matrix({options}).rows()", f"batch({options}, everyone=True, cached=False)"):
            task = client.submit(eval, f"list(__import__('silhouette').{call})", pure=False)
            assert task.result(timeout=60) == expected


@needs_distributed
@pytest.mark.long
def test_a_batch_is_the_same_file_though_a_worker_is_killed(tmp_path: Path) -> None:
    folder = folder_of_scenes(tmp_path / "pack")
    words = ("batch", folder, "--everyone", *FAST)
    assert finished(*words, "--out", tmp_path / "here.jsonl").returncode == 0
    out = tmp_path / "there.jsonl"
    with cluster(tmp_path, "--no-nanny", "--resources", "GPU=1", seconds=0.03) as (address, workers, log):
        with running(*words, "--out", out, "--cluster", address) as batch:
            wait_until(lambda: len(journaled(out)) > 0)
            wait_until(lambda: {*map(int, log.read_text().split())} == set(workers))
            os.killpg(workers[0], signal.SIGKILL)
            _, complained = batch.communicate(timeout=60)
        assert (batch.returncode, complained) == (0, "")
        assert int(log.read_text().split()[-1]) == workers[1]
        assert_tasks_can_ask(address, folder / "crowd 0.toml", rows_of(out)[:30])
    assert out.read_bytes() == (tmp_path / "here.jsonl").read_bytes()


@pytest.mark.slow
@needs_distributed
def test_a_check_that_kills_its_workers_is_a_row_and_a_kill_of_the_batch_is_survived(tmp_path: Path) -> None:
    folder = folder_of_scenes(tmp_path / "pack", scenes=1)  # each process that is killed is a start of Dask
    (folder / "bad.toml").write_text("rules = ")
    words = ("batch", "pack", "--everyone", *FAST)
    with chdir(tmp_path):
        assert finished(*words, "--out", "here.jsonl").returncode == 2
        with cluster(tmp_path, seconds=0.01, killer=("M2", "M4")) as (address, _, _log):
            with running(*words, "--out", "there.jsonl", "--cluster", address):
                wait_until(lambda: len(journaled(Path("there.jsonl"))) > 2)
            kept = sum(scene != "pack/bad.toml" for scene, _ in journaled(Path("there.jsonl")))
            once = "import silhouette.batches.dask; silhouette.batches.dask.WORKERS_RISKED = 1\n"
            ran = finished(*words, "--out", "there.jsonl", "--cluster", address, "--resume", before=once)
        assert ran.returncode == 2
        assert f"{kept} judged before" in ran.stdout
        for row, other in zip(rows_of(Path("there.jsonl")), rows_of(Path("here.jsonl")), strict=True):
            if (row.get("attacker"), row.get("target")) == ("M2", "M4"):
                assert (
                    row["error"] == f"{row['scene']}: M2 to M4: the workers that were at it ended, one after the other"
                )
            else:
                assert row == other


@pytest.mark.parametrize(
    ("settings", "offered", "slots"),
    [
        (BatchSettings("cuda"), 1, {"a": 1}),
        (BatchSettings("gl"), 2, {"a": 2}),
        (BatchSettings(), 1, {"a": 4, "b": 3}),
        (BatchSettings(device="cuda:0"), 1, {"a": 1}),
        (BatchSettings("cuda"), 0, {"a": 4, "b": 3}),
        (BatchSettings("cuda", device="cpu"), 1, {"a": 4, "b": 3}),
        (BatchSettings("embree"), 1, {"a": 4, "b": 3}),
    ],
)
def test_a_gpu_is_asked_for_where_the_renderer_may_take_one_and_a_worker_offers_one(
    settings: BatchSettings, offered: int, slots: dict[str, int]
) -> None:
    class Client:
        status = "running"

        def __init__(self) -> None:
            self.asked: list[tuple[str, Any]] = []

        def scheduler_info(self, n_workers: int) -> Any:
            workers = {"a": {"GPU": float(offered)} if offered else {}, "b": {}}
            return {"workers": {one: {"resources": has, "nthreads": 4 - (one == "b")} for one, has in workers.items()}}

        def submit(self, *given: Any, resources: Any, workers: list[str], **named: Any) -> Any:
            self.asked.append((workers[0], resources))
            return Mock()

    pool = Cluster("tcp://127.0.0.1:1", settings)
    client = Client()
    pool._client, pool._sound = client, {"a", "b"}
    assert list(pool._look_for_workers()) == []
    chunks = [Chunk(f"{number}.toml") for number in range(9)]
    pool._submit_next(lambda last: chunks.pop())
    wanted = {"GPU": 1} if "b" not in slots else None
    assert client.asked == [(name, wanted) for name, count in slots.items() for _ in range(count)]


@pytest.mark.slow
@needs_distributed
def test_nobody_at_the_address_is_a_line(tmp_path: Path) -> None:
    ran = finished(
        "batch",
        folder_of_scenes(tmp_path / "pack"),
        "--out",
        tmp_path / "out.csv",
        "--cluster",
        "tcp://127.0.0.1:9",
        before="import silhouette.batches.dask; silhouette.batches.dask.CONNECTED_WITHIN = 1.0\n",
    )
    assert ran.returncode == 2
    (line,) = ran.stderr.splitlines()
    assert line.startswith("error: no Dask scheduler answers at tcp://127.0.0.1:9 (")
    assert [path.name for path in tmp_path.iterdir()] == ["pack"]


@pytest.mark.parametrize(
    "address",
    [
        "nonsense",
        "",
        "8786",
        "http://10.0.0.5:8786",
        "tcp://10.0.0.5",
        "tcp://:8786",
        "tcp://10.0.0.5:87860",
        "a b:\n1",
    ],
)
def test_what_is_no_address_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    folder = folder_of_scenes(tmp_path / "pack", scenes=1)
    ran = run(capsys, "batch", folder, "--out", tmp_path / "out.csv", "--cluster", address)
    (line,) = ran.complaints
    assert ran.status == 2
    assert line.endswith("is no address of a Dask scheduler; give one like tcp://10.0.0.5:8786")
    with pytest.raises(RequestError, match="is no address"):
        silhouette.batch(folder, cluster=address)


@needs_distributed
@pytest.mark.parametrize(
    "says",
    [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n" + bytes(64)],
    ids=["nothing", "ssh", "http"],
)
def test_something_else_that_listens_there_is_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, says: bytes
) -> None:
    monkeypatch.setattr("silhouette.batches.dask.CONNECTED_WITHIN", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = "tcp://{}:{}".format(*server.getsockname())

        def answer() -> None:
            with suppress(OSError):
                while True:
                    clients.append(server.accept()[0])
                    clients[-1].sendall(says)

        clients: list[socket.socket] = []
        answering = threading.Thread(target=answer, daemon=True)
        answering.start()
        folder = folder_of_scenes(tmp_path / "pack", scenes=1)
        begun = time.monotonic()
        ran = run(capsys, "batch", folder, "--out", tmp_path / "out.csv", "--cluster", address)
        assert ran.complaints == [
            f"error: something else listens at {address}, and no Dask scheduler; give the address of the scheduler"
        ]
        assert time.monotonic() - begun < 20.0
        server.shutdown(socket.SHUT_RDWR)  # ends `accept`
        answering.join()
        for client in clients:
            client.close()
    unknown = run(capsys, "batch", folder, "--out", tmp_path / "out.csv", "--cluster", "tcp://no.such.host.invalid:1")
    assert unknown.complaints == ["error: no host is called no.such.host.invalid; give the address of a Dask scheduler"]


WITHOUT_SILHOUETTE = """
import sys
sys.modules["silhouette"] = None
"""


@pytest.mark.long
@needs_distributed
@pytest.mark.parametrize("who", ["worker", pytest.param("scheduler", marks=pytest.mark.long)])
def test_where_silhouette_is_not_installed_it_is_said(tmp_path: Path, who: str) -> None:
    """On a worker, and on the scheduler, which reads what is sent to workers as well. And a worker is no scheduler."""
    place, preload = tmp_path / "scheduler.json", tmp_path / "without.py"
    preload.write_text(WITHOUT_SILHOUETTE)
    blocked = ("--no-dashboard", "--preload", preload)
    scheduler = ("scheduler", "--host", "127.0.0.1", "--port", 0, "--scheduler-file", place)
    worker = ("worker", "--scheduler-file", place, "--nthreads", 1, "--no-nanny", "--host", "127.0.0.1")
    with process(*scheduler, *(blocked if who == "scheduler" else ["--no-dashboard"])):
        wait_until(lambda: place.exists() and place.read_text().rstrip().endswith("}"))
        with process(*worker, *(blocked if who == "worker" else ["--no-dashboard"])):
            address = json.loads(place.read_text())["address"]
            words = ("batch", folder_of_scenes(tmp_path / "pack"), "--everyone", *FAST, "--out", tmp_path / "out.csv")
            ran = finished(*words, "--cluster", address)
    assert (ran.returncode, ran.stdout) == (2, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"error: the {who} ")
    assert " cannot import silhouette; install silhouette-los " in line


def test_without_distributed_it_is_said_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = run(
        capsys,
        "batch",
        folder_of_scenes(tmp_path / "pack"),
        "--out",
        tmp_path / "out.csv",
        "--cluster",
        "tcp://127.0.0.1:9",
    )
    assert ran.status == 2
    command = extra_command("cluster")
    assert ran.complaints == [
        f"error: --cluster needs Dask's distributed, which is not installed; install it with: {command}"
    ]


def test_workers_are_of_this_machine_or_of_a_cluster() -> None:
    with pytest.raises(SilhouetteError, match="a cluster has the workers that were started for it"):
        make_pool(BatchSettings(), workers=2, cluster="tcp://127.0.0.1:9")
