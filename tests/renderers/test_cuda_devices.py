"""The devices of the renderer ``cuda``: which is taken, and one line, at every command, where there is none."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from silhouette.common.errors import RendererUnavailable
from silhouette.renderers import choose, probe
from silhouette.renderers.cuda import devices
from silhouette.workers import CAN_FORK
from tests.support.batching import force_forking
from tests.support.commands import CHECK, run, scene


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Makes a machine with GPUs of these names, a driver of that version, and warp made with CUDA 12.9."""

    def make(*names: str, served: tuple[int, int] | None = (13, 0), toolkit: tuple[int, int] | None = (12, 9)) -> None:
        found = [SimpleNamespace(alias=f"cuda:{number}", name=name) for number, name in enumerate(names)]
        fake = SimpleNamespace(
            get_cuda_driver_version=lambda: served,
            get_cuda_toolkit_version=lambda: toolkit,
            get_cuda_devices=lambda: found,
            get_device=lambda name: name,
        )
        monkeypatch.setattr(devices, "warp", lambda: fake)
        monkeypatch.setattr(devices, "served_by_driver", lambda: served)
        monkeypatch.setattr(devices, "is_installed", lambda: True)
        monkeypatch.setattr(devices, "DEVICE_ROOT", tmp_path)
        (tmp_path / "dev").mkdir()
        for number in range(len(names)):
            (tmp_path / "dev" / f"nvidia{number}").touch()

    return make


def test_the_first_gpu_is_taken_or_the_one_that_is_named(made: Callable[..., None]) -> None:
    made("NVIDIA H100", "NVIDIA L4")
    assert devices.chosen_device().name == "cuda:0"
    assert devices.chosen_device("cuda:1").title == "NVIDIA L4"
    assert devices.chosen_device("cpu").title == "CPU"
    assert devices.chosen_device().driver == "CUDA 13.0"
    with pytest.raises(RendererUnavailable, match=r"there is no device cuda:2; there are cuda:0, cuda:1, cpu"):
        devices.chosen_device("cuda:2")


NONE = [
    ({"served": None}, "no NVIDIA driver is found here"),
    ({"served": (11, 4)}, "the NVIDIA driver is too old: it serves CUDA 11.4, and 12.0 is needed"),
    ({}, "the NVIDIA driver lists no GPU (nvidia-smi says more)"),
    ({"toolkit": None}, f"warp has no CUDA on {sys.platform}"),
]
"""Machines without a CUDA device, and what is said of each."""

ELSEWHERE = "--device cpu runs the same kernels without a GPU"


@pytest.mark.parametrize(("machine", "why"), NONE)
def test_where_there_is_no_gpu_the_reason_is_given(
    made: Callable[..., None], machine: dict[str, Any], why: str
) -> None:
    made(**machine)
    with pytest.raises(RendererUnavailable) as caught:
        devices.chosen_device()
    assert str(caught.value) == f"cuda: {why}; {ELSEWHERE}"
    assert devices.chosen_device("cpu").name == "cpu"


@pytest.mark.thinned(quick=56)
@pytest.mark.parametrize(("machine", "why"), NONE)
def test_every_command_says_it_in_one_line_before_anything_is_judged(
    made: Callable[..., None],
    machine: dict[str, Any],
    why: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made(**machine)
    path, out = scene(tmp_path, CHECK), tmp_path / "out"
    commands: list[tuple[object, ...]] = [
        ("check", path),
        ("matrix", path),
        ("map", path, "--move", "Kal", "--out", f"{out}.png"),
        ("draw", path, "--out", out),
        ("report", path, "--out", f"{out}.html"),
        ("serve", path, "--stdio"),
    ]
    if CAN_FORK:  # the machine that is made is there in forked processes alone
        force_forking(monkeypatch)
        commands.append(("batch", path, "--workers", 2, "--out", f"{out}.jsonl"))
    for words in commands:
        told = run(capsys, *map(str, words), "--renderer", "cuda")
        assert (told.status, told.out) == (2, "")
        assert told.complaints == [f"error: cuda: {why}; {ELSEWHERE}"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["dev", "walled.toml"]


@pytest.mark.parametrize(("machine", "why"), NONE)
def test_the_doctor_says_it_too(
    made: Callable[..., None],
    machine: dict[str, Any],
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made(**machine)

    def here(work: Any, platform: str = "") -> Any:
        """In this process, where the machine is made, what the doctor asks of another."""
        if work.args != ("cuda", None):
            return {"reason": "is not asked"}
        try:
            return work()
        except RendererUnavailable as error:
            return {"reason": str(error)}

    monkeypatch.setattr(probe, "answer_apart", here)
    found = run(capsys, "doctor", "--quick", "--json").document["renderers"]
    reasons = {one["device"]: one["reason"] for one in found if one["name"] == "cuda"}
    assert reasons == {"CUDA": f"cuda: {why}; {ELSEWHERE}", "CPU": "is not asked"}
    assert f"cuda: {why}; {ELSEWHERE}" in run(capsys, "doctor", "--quick").out


def test_the_driver_itself_is_asked_what_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is not there, one that fails, and one of CUDA 11.4."""
    asked = list[str]()

    def loaded(name: str) -> Any:
        asked.append(name)
        if len(asked) == 1:
            raise OSError(f"{name}: cannot open shared object file")

        def version(place: Any) -> int:
            place._obj.value = 11040
            return 0 if len(asked) == 2 else 100

        return SimpleNamespace(cuDriverGetVersion=version)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", loaded)
    assert devices.served_by_driver() == (11, 4)
    assert asked == ["libcuda.so.1", "libcuda.so"]
    assert devices.served_by_driver() is None


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "warp", None)
    devices.warp.cache_clear()
    with pytest.raises(RendererUnavailable, match=r"warp-lang is not installed .*; install it with: .*\[cuda\]"):
        choose("cuda", "cpu")


def test_workers_share_the_gpus_of_the_first_s_kind(made: Callable[..., None]) -> None:
    made("NVIDIA H100", "NVIDIA L4", "NVIDIA H100")
    assert [devices.shared_out(worker) for worker in range(3)] == ["cuda:0", "cuda:2", "cuda:0"]


def test_one_gpu_is_not_shared_out_and_without_one_nothing_is_loaded(made: Callable[..., None]) -> None:
    made("NVIDIA H100")
    assert devices.shared_out(1) is None
    assert devices.has_gpu()


def test_a_system_that_shows_no_gpu_has_none(made: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    made()
    monkeypatch.setattr(devices, "listed_devices", lambda: pytest.fail("warp was asked"))
    if sys.platform != "win32":
        assert not devices.has_gpu()
        assert devices.shared_out(0) is None
