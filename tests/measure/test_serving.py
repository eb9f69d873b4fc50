"""A device serves several processes, each with a renderer of its own: rows are those of one process."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.batches import chunks
from silhouette.batches.rows import _in_order
from silhouette.batches.run import make_pool
from silhouette.batches.settings import BatchSettings
from silhouette.common.geometry import Pose
from silhouette.common.text import Row
from silhouette.renderers import Body
from silhouette.renderers.cuda.devices import Device, chosen_device
from silhouette.renderers.cuda.renderer import DEVICE_BYTES_PER_FACE, CudaRenderer
from silhouette.scenes.finding import scenes_of
from silhouette.workers import CAN_FORK
from tests.conftest import cuda_device
from tests.support import shapes
from tests.support.batching import folder_of_scenes_with_meshes, force_forking

pytest.importorskip("warp")

SETTINGS = BatchSettings("cuda", 2.0, everyone=True, cached=False, device=cuda_device())


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return folder_of_scenes_with_meshes(tmp_path / "pack", scenes=3, models=4)


def rows(pack: Path, workers: int) -> list[Row]:
    return list(_in_order(scenes_of([pack]), make_pool(SETTINGS, workers)))


@pytest.mark.slow
def test_rows_are_the_same_by_several_processes(pack: Path) -> None:
    expected = rows(pack, 1)
    assert sum("verdict" in row for row in expected) == 36
    assert rows(pack, 3) == expected


@pytest.mark.long
@pytest.mark.skipif(not CAN_FORK, reason="processes are not forked on this system")
@pytest.mark.skipif(SETTINGS.device is None, reason="a process that has used a GPU cannot be forked")
def test_so_they_are_if_one_is_killed(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch)
    expected = rows(pack, 1)
    right, killed = chunks.judge_all, tmp_path / "killed"

    def judge_all(requests: Any, options: Any) -> Any:
        if not killed.exists() and any(check.attacker == "M1" for _, check in requests):
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return right(requests, options)

    monkeypatch.setattr(chunks, "judge_all", judge_all)
    assert rows(pack, 3) == expected
    assert killed.exists()


class SmallGPU(Device):
    """The CPU, given out as a GPU in whose memory 80 faces have room, and a sixteenth of these for each process."""

    is_gpu = True  # type: ignore[assignment]
    memory = free = 80 * DEVICE_BYTES_PER_FACE  # type: ignore[assignment]


def test_of_meshes_that_are_not_in_use_a_process_keeps_its_share_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The meshes of a table, though they take more than that, are measured all the same."""
    renderer = CudaRenderer(SmallGPU("cuda:0", "small", "", chosen_device("cpu").handle))
    uploads, indexed = list[int](), renderer._indexed
    monkeypatch.setattr(renderer, "_indexed", lambda chunk: (uploads.append(1), indexed(chunk))[1])
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.001)
    for count, uploaded in ((2, [2, 2]), (3, [3, 6])):  # squares of two faces; five faces have room
        bodies = [Body(1 + number, shapes.square(3.0 - number), Pose.standing()) for number in range(count)]
        for total in uploaded:
            assert np.unique(renderer.render(view, bodies).ids).tolist() == [0, 1]
            assert len(uploads) == total
