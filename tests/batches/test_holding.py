"""A device that one process holds for all that judge: the same rows, also where that process is killed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.batches import chunks
from silhouette.batches.feeding import FeedingPool, HeldDevice
from silhouette.batches.rows import _in_order
from silhouette.batches.settings import BatchSettings
from silhouette.errors import DeviceLost, RendererUnavailable
from silhouette.geometry import Pose
from silhouette.renderers.cuda.served import ServedRenderer
from silhouette.renderers.protocol import Body, Cast
from silhouette.scenes.finding import scenes_of
from silhouette.text import Row
from silhouette.workers import CAN_FORK
from tests.batches.test_feeding import ordinary
from tests.conftest import cuda_device
from tests.support import shapes
from tests.support.batching import children_of, folder_of_scenes_with_meshes, force_forking, wait_until

pytest.importorskip("warp")
pytestmark = pytest.mark.skipif(not CAN_FORK, reason="processes are not forked on this system")

DEVICE = cuda_device()
SETTINGS = BatchSettings("cuda", 2.0, everyone=True, cached=False, device=DEVICE)


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch)


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of_scenes_with_meshes(tmp_path_factory.mktemp("rows") / "pack", scenes=3, models=4)


@pytest.fixture(scope="module")
def expected(pack: Path) -> list[Row]:
    """The rows of a process that holds its device itself."""
    with pytest.MonkeyPatch.context() as patch:
        force_forking(patch)
        return list(_in_order(scenes_of([pack]), ordinary(SETTINGS)))


def rows_with(pack: Path, workers: int, devices: int) -> list[Row]:
    pool = FeedingPool(SETTINGS, workers, None, lambda: pytest.fail("no need"), (DEVICE,) * devices)
    return list(_in_order(scenes_of([pack]), pool))


def holders(parent: int) -> list[int]:
    """The processes that hold devices for this one."""
    grandchildren = [one for child in children_of(parent) for one in children_of(child)]
    return [one for one in grandchildren if "silhouette.workers.process" in Path(f"/proc/{one}/cmdline").read_text()]


@pytest.mark.slow
def test_the_rows_are_the_same_and_no_process_is_left(pack: Path, expected: list[Row]) -> None:
    before = children_of(os.getpid())
    assert sum("verdict" in row for row in expected) == 36
    for workers, devices in ((3, 1), (6, 2)):
        assert rows_with(pack, workers, devices) == expected
        assert children_of(os.getpid()) == before


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, pytest.param(99, marks=pytest.mark.slow)])
def test_a_check_at_which_that_process_ends_costs_itself_at_most(
    tmp_path: Path, pack: Path, expected: list[Row], monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    guilty = list[bool]()
    (killed := tmp_path / "killed").mkdir()
    right, ask = chunks.judge_all, ServedRenderer.ask_with

    def judge_all(requests: Any, options: Any) -> Any:
        pairs = [(scene.path.stem, check.attacker, check.target) for scene, check in requests]
        guilty[:] = [("crowd 2", "M1", "M2") in pairs]
        return right(requests, options)

    def ask_with(renderer: ServedRenderer, meshes: Any, name: str, *given: Any) -> Any:
        if name == "describe" and guilty[-1:] == [True] and len(list(killed.iterdir())) < times:
            (killed / str(time.monotonic_ns())).touch()
            renderer.ask("facts")
            (holder,) = holders(os.getppid())
            os.kill(holder, signal.SIGKILL)
        return ask(renderer, meshes, name, *given)

    monkeypatch.setattr(chunks, "judge_all", judge_all)
    monkeypatch.setattr(ServedRenderer, "ask_with", ask_with)
    found = rows_with(pack, 3, 1)
    assert list(killed.iterdir())
    if times == 1:
        assert found == expected
        return
    ((row, other),) = ((row, other) for row, other in zip(found, expected, strict=True) if row != other)
    assert (row["attacker"], row["target"]) == (other["attacker"], other["target"]) == ("M1", "M2")
    assert row["error"] == "cuda: the process that launches has ended in the middle of it"


def is_alive(process: int) -> bool:
    """Whether it has not ended; one that nobody waits for stays as a name."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_another_takes_the_place_of_one_that_was_killed() -> None:
    before = children_of(os.getpid())
    with HeldDevice(DEVICE, 1) as held:
        renderer = ServedRenderer(held.address, held.key)
        view = shapes.looking((40, -200, 70), (0, 0, 0), 0.002)
        cast = Cast(view, Body(1, shapes.cube(20), Pose.standing()), np.argwhere(np.ones((64, 64))).astype(np.float64))
        expected = renderer.depths([cast])
        assert np.isfinite(expected).any()
        (holder,) = holders(os.getpid())
        os.kill(holder, signal.SIGKILL)
        with pytest.raises(DeviceLost, match="has ended in the middle of it"):
            renderer.depths([cast])
        assert np.array_equal(renderer.depths([cast]), expected)
        assert holders(os.getpid()) != [holder]
    assert children_of(os.getpid()) == before


@pytest.mark.slow
def test_it_ends_with_the_process_that_started_it() -> None:
    reader, writer = os.pipe()
    if not (child := os.fork()):
        with HeldDevice(DEVICE, 1) as held:
            ServedRenderer(held.address, held.key)
            os.write(writer, f"{holders(os.getpid())[0]} {held.address}".encode())
            time.sleep(60)
    holder, address = os.read(reader, 200).decode().split()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    wait_until(lambda: not is_alive(int(holder)) and not Path(address).parent.exists())
    os.close(reader)
    os.close(writer)


@pytest.mark.slow
def test_whoever_does_not_know_the_key_is_not_answered() -> None:
    with HeldDevice(DEVICE, 1) as held:
        for _ in range(2):
            ServedRenderer(held.address, held.key)
            with pytest.raises(RendererUnavailable, match="does not take the key"):
                ServedRenderer(held.address, b"another")


@pytest.mark.slow
def test_a_device_that_does_not_start_says_why() -> None:
    with HeldDevice("cuda:99", 1) as held:
        for _ in range(2):
            with pytest.raises(RendererUnavailable, match="cuda"):
                ServedRenderer(held.address, held.key)
