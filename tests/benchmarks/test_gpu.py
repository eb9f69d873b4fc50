"""The benchmark of GPUs: what it takes for one, what its clock counts, and its arithmetic; no time is asserted."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from subprocess import run

import pytest

from silhouette.common.errors import RendererUnavailable
from silhouette.renderers import choose
from tests.benchmarks import crowded_table, gpu
from tests.benchmarks.crowded_table import crowded_document, with_own_models
from tests.benchmarks.gpu_runs import SETTINGS, Place
from tests.benchmarks.gpu_steps import Clock
from tests.benchmarks.page import FOLDER
from tests.benchmarks.scale import Layout, everyone
from tests.benchmarks.tables import CannotRunError, options_of
from tests.conftest import unavailable

CPU = Place("cuda", "cpu", "cuda on the CPU")
GPU = Place("cuda", "cuda:0", "cuda on a GPU", is_gpu=True)
SOFTWARE = Place("gl", "0", "gl in software")

WATCHED = """
import numpy as np
from silhouette.renderers import choose
from silhouette.renderers.protocol import Body, Cast
from silhouette.common.geometry import Pose
from tests.benchmarks.gpu_steps import Clock
from tests.support import shapes

cuda = choose("cuda", "cpu")
view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
places = np.random.default_rng(5).uniform(0, 30, (700, 2))
casts = [Cast(view, Body(1, shapes.square(30), Pose.standing()), places)] * 3
before, clock = cuda.depths(casts), Clock()
clock.watch(cuda)
assert np.array_equal(cuda.depths(casts), before)
spent = clock.spent
print(*(int(spent[name]) for name in ("launches", "threads", "bytes up", "bytes down")))
print(all(spent[name] > 0.0 for name in ("upload", "kernels", "download")))
"""


def test_a_step_within_another_counts_for_itself_alone() -> None:
    clock = Clock()
    inner = clock.step("inner", lambda: time.sleep(0.02))
    clock.step("outer", lambda: (inner(), inner()))()
    assert clock.spent["inner"] >= 0.04 > clock.spent["outer"]


def test_a_whole_step_counts_what_is_within_it_as_its_own() -> None:
    clock = Clock()
    inner = clock.step("inner", lambda: time.sleep(0.02))
    clock.step("outer", lambda: (inner(), inner()), whole=True)()
    inner()
    assert clock.spent["outer"] >= 0.04
    assert 0.02 <= clock.spent["inner"] < clock.spent["outer"]


@pytest.mark.slow
def test_launches_threads_and_bytes_are_counted_and_no_answer_changes() -> None:
    try:
        choose("cuda", "cpu")
    except RendererUnavailable as reason:
        unavailable("cuda", reason)
    told = run([sys.executable, "-c", WATCHED], cwd=FOLDER.parents[1], capture_output=True, text=True, check=True)
    counts, has_times = told.stdout.splitlines()
    launches, threads, up, down = map(int, counts.split())
    assert (launches, threads, down) == (1, 2100, 4 * 2100)
    assert up >= 2100 * 16
    assert has_times == "True"


def test_gpus_are_measured_and_the_cpu_where_cuda_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"cuda": [GPU, CPU], "gl": [SOFTWARE]}
    monkeypatch.setattr(gpu, "listed", lambda renderer: there[renderer])
    chosen, skipped = gpu.chosen_places()
    assert chosen == [GPU]
    assert [(one.title, one.reason) for one in skipped] == [("gl", gpu.NO_GPU)]
    there["cuda"] = [CPU]
    assert gpu.chosen_places()[0] == [CPU]
    assert gpu.chosen_places(device="0") == ([SOFTWARE], [])
    with pytest.raises(CannotRunError, match="there is no device cuda:3"):
        gpu.chosen_places(device="cuda:3")


def test_a_renderer_that_does_not_run_here_is_told_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(renderer: str) -> list[Place]:
        raise RendererUnavailable(f"{renderer}: not installed")

    monkeypatch.setattr(gpu, "listed", missing)
    chosen, skipped = gpu.chosen_places()
    assert chosen == []
    assert [one.text() for one in skipped] == [
        f"{name}: not measured, {name}: not installed" for name in ("cuda", "gl")
    ]
    assert list(gpu.tables_of(chosen, [1], 1.0, gpu.INCH)) == []


def test_the_title_of_the_cpu_says_that_there_is_no_gpu() -> None:
    from silhouette.renderers.cuda.devices import listed_devices
    from tests.benchmarks.gpu_runs import listed

    try:
        devices = listed_devices()
    except RendererUnavailable as reason:
        unavailable("cuda", reason)
    places = listed("cuda")
    assert [place.device for place in places] == [device.name for device in devices]
    assert "no GPU" in places[-1].title
    assert not places[-1].is_gpu


def test_shares_of_what_a_check_costs_are_of_all_of_it() -> None:
    times = {"upload": 1e-3, "kernels": 2e-3, "download": 1e-3, "launching": 2e-3, "Python": 4e-3}
    table = gpu.costs_table(CPU, [{**times, "threads": 9.0, "bytes up": 2000.0}] * len(SETTINGS))
    shares = ("1.000 (10 %)", "2.000 (20 %)", "1.000 (10 %)", "2.000 (20 %)", "4.000 (40 %)")
    told = (*shares, "9.00", "0.00", "2.00", "0.00")
    assert table.rows[0][1:] == told


def test_own_models_stand_where_large_meshes_would() -> None:
    document = crowded_document(figures=3, pieces=2)
    own = with_own_models(document)
    for kind in ("fighter", "terrain"):
        assert [piece["at"] for piece in own[kind]] == [piece["at"] for piece in document[kind]]
        assert all("mesh" not in piece for piece in own[kind])


def test_without_the_large_meshes_the_table_stands_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(crowded_table, "MESHES", tmp_path / "none")
    scene, words = crowded_table.loaded_anywhere(Layout(10, 10).document())
    assert len(everyone(scene)) == 90
    assert sum(piece.kind == "terrain" for piece in scene.pieces) == 10
    assert words == crowded_table.OWN


def test_a_renderer_that_there_is_not_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert options_of(["--renderer", "cuda", "--device", "cpu"], any_renderer=True).device == "cpu"
    for words, said in (
        (["--renderer", "cud"], "did you mean 'cuda'?"),
        (["--renderer", "embree", "--device", "cpu"], "embree has no devices"),
    ):
        with pytest.raises(SystemExit):
            options_of(words, any_renderer=True)
        assert said in capsys.readouterr().err.splitlines()[-1]
