"""The renderer in CUDA, on the CPU where there is no GPU: launches, memory, devices, a line for what is in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette import load_scene
from silhouette.batches.chunks import Chunk, ChunkJudge
from silhouette.batches.settings import BatchSettings
from silhouette.common.errors import RendererUnavailable, RequestError
from silhouette.common.geometry import Pose
from silhouette.files.cache import Cache
from silhouette.files.fingerprints import Fingerprints
from silhouette.live.judges import CheckQuestion, Desk
from silhouette.renderers import Body, choose
from silhouette.renderers.cuda.renderer import DEVICE_BYTES_PER_FACE, CudaRenderer
from silhouette.renderers.protocol import Cast
from silhouette.renderers.rays import MeshMemo
from silhouette.renderers.views import View
from silhouette.scenes.scene import Check
from tests.conftest import started
from tests.support import shapes
from tests.support.commands import run

HERE = Pose.standing()
AREAS = "silhouette.renderers.cuda.areas"
"""Is imported with its kernels, when a test needs it: warp is an extra."""

WALL = """
rules = "necromunda"
fighter = [
  { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
  { name = "Vex", at = [0, 200], parts = [{ box = [12, 12, 30] }] },
]
terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 20] }] }]
check = [{ attacker = "Kal", target = "Vex" }]
"""


@pytest.fixture
def cuda() -> Any:
    """What counts by layers forwards all else to it."""
    return started("cuda").underlying


@pytest.fixture
def device(cuda: Any) -> str:
    """The name of the device that is tested."""
    name: str = cuda._device.name
    return name


def many_casts() -> tuple[View, list[Cast]]:
    view = shapes.looking((40, -200, 70), (0, 5, 1), 0.002, 90, 70, roll=31.7)
    places = np.random.default_rng(5).uniform(-5, 90, (700, 2))
    meshes = [shapes.sphere(12, 60, 31), shapes.cube(20), shapes.sphere(5, 400, 201)]
    poses = [Pose.standing((8 * number, -10, number), 30 * number) for number in range(12)]
    return view, [Cast(view, Body(1, meshes[n % 3], pose), places[n:]) for n, pose in enumerate(poses)]


def test_depths_are_embree_s_to_the_bit_but_on_rims(cuda: Any) -> None:
    """In every ray but a few in ten thousand: where both meet a face in float32, the depth is worked out in float64."""
    _, casts = many_casts()
    ours, embree = cuda.depths(casts), choose("embree").depths(casts)
    assert np.isfinite(ours).mean() > 0.05
    assert np.count_nonzero(ours != embree) <= 2


def test_all_casts_of_a_call_are_one_launch(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, casts = many_casts()
    launches: list[int] = []
    launch = cuda.warp.launch
    monkeypatch.setattr(
        cuda.warp,
        "launch",
        lambda kernel, dim, *rest, **how: (launches.append(dim), launch(kernel, dim, *rest, **how)),
    )
    expected = cuda.depths(casts)
    assert launches == [len(expected)]
    monkeypatch.setattr("silhouette.renderers.cuda.renderer.RAYS_PER_LAUNCH", 3000)
    launches.clear()
    assert np.array_equal(cuda.depths(casts), expected)
    assert len(launches) == 3


@pytest.mark.long
def test_meshes_stay_on_the_device_up_to_a_bound(cuda: Any) -> None:
    """The latest used first; with a bound that holds one of three meshes all answers stay the same."""
    _, casts = many_casts()
    expected = cuda.depths(casts)
    uploads: list[int] = []

    def counted(mesh: Any) -> Any:
        uploads.append(len(mesh.faces))
        return cuda._upload(mesh)

    for most, how_many in ((cuda.room, 3), (1, 24)):
        small = type(cuda)(cuda._device)
        small._meshes = MeshMemo(counted, lambda mesh: mesh.size, most)
        uploads.clear()
        for cast in (*casts, *casts):
            small.depths([cast])
        assert len(uploads) == how_many
        for _ in range(2):  # a mesh that was dropped during a call is put there again in the next
            assert np.array_equal(small.depths(casts), expected)
            assert np.array_equal(small.depths(casts[:1]), expected[: len(casts[0].places)])
            assert set(small._listed) == set(small._meshes.made)


def test_a_mesh_larger_than_the_device_is_refused_by_name_before_anything_is_judged(
    cuda: Any, device: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ball, cube = shapes.sphere(12, 60, 31), shapes.cube(20)
    cuda.refuse_too_large({"the ball": ball, "a cube": cube, "another": cube})
    cuda.room = DEVICE_BYTES_PER_FACE * (len(ball.faces) + 2)
    together = f"the 2 meshes of this table take .*, the largest, the ball, .* {device} has room"
    with pytest.raises(RequestError, match=together):
        cuda.refuse_too_large({"the ball": ball, "a cube": cube})
    cuda.room = DEVICE_BYTES_PER_FACE * 13
    alone = rf"cuda: the ball takes 1\.1 MiB; {device} has room for 0\.0 MiB of meshes"
    with pytest.raises(RequestError, match=alone):
        cuda.refuse_too_large({"the ball": ball, "a cube": cube})
    monkeypatch.setattr("silhouette.renderers.cuda.renderer.BYTES_ON_CPU", 0)
    monkeypatch.setattr("silhouette.renderers.cuda.renderer.SHARE_OF_MEMORY", 0.0)
    monkeypatch.setattr(type(cuda), "depths", lambda *given: pytest.fail("it was looked at"))
    scene = tmp_path / "wall.toml"
    scene.write_text(WALL)
    out = tmp_path / "out"
    for command in (
        ["check", scene],
        ["check", scene, "--odds", "--what-if"],
        ["matrix", scene],
        ["map", scene, "--move", "Kal", "--out", f"{out}.png"],
        ["draw", scene, "--out", out],
    ):
        told = run(capsys, *map(str, command), "--renderer", "cuda", "--device", device)
        assert told.status == 2
        assert told.complaints
        assert all(f"{device} has room for 0.0 MiB of meshes" in line for line in told.complaints)
    judge = ChunkJudge(BatchSettings(renderer="cuda", device=device))
    (row,) = judge(Chunk(str(scene), Fingerprints().of(scene), 0, 1))
    assert f"{device} has room for 0.0 MiB of meshes" in row["error"]
    desk = Desk(load_scene(scene), choose("cuda", device), Cache(None), None)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="has room for"):
        CheckQuestion((Check("Kal", "Vex"),)).answered(desk)


@pytest.mark.parametrize(
    ("error", "complaint"),
    [
        (
            RuntimeError("Failed to allocate 20 bytes on device 'cpu'"),
            "cuda: the memory of {device} is full; fewer --workers",
        ),
        (MemoryError(), "cuda: the memory of {device} is full"),
        (RuntimeError("CUDA error 719:\nunspecified launch failure"), "cuda: {device} failed: CUDA error 719: unspec"),
    ],
)
def test_what_fails_on_the_device_is_one_line(
    cuda: Any, device: str, monkeypatch: pytest.MonkeyPatch, error: Exception, complaint: str
) -> None:
    def fail(*arguments: Any, **named: Any) -> Any:
        raise error

    monkeypatch.setattr(cuda.warp, "launch", fail)
    _, casts = many_casts()
    with pytest.raises(RendererUnavailable) as caught:
        cuda.depths(casts)
    assert str(caught.value).startswith(complaint.format(device=device))


TWO_WALLS = """
rules = "necromunda"
fighter = [
  { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
  { name = "Vex", at = [0, 200], parts = [{ box = [12, 12, 30] }] },
  { name = "Tisk", at = [200, 0], parts = [{ box = [12, 12, 90] }] },
]
terrain = [
  { name = "wall", at = [0, 185], parts = [{ box = [60, 5, 20] }] },
  { name = "post", at = [185, 0], parts = [{ box = [5, 5, 20] }] },
]
check = [{ attacker = "Kal", target = "Vex" }, { attacker = "Kal", target = "Tisk" }]
"""


@pytest.fixture
def _full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device's memory is full when something tall is uploaded, such as Tisk."""
    for owner, name in ((CudaRenderer, "_upload"), (import_module(AREAS).AreaSweep, "_uploaded")):
        upload = getattr(owner, name)

        def some(one: Any, mesh: Any, upload: Any = upload) -> Any:
            if np.ptp(mesh.vertices[:, 2]) < 80:
                return upload(one, mesh)
            raise RuntimeError("Failed to allocate 3840 bytes on device")

        monkeypatch.setattr(owner, name, some)


@pytest.mark.usefixtures("_full")
def test_when_memory_is_full_what_was_judged_stays(
    cuda: Any, device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = tmp_path / "two.toml", tmp_path / "wall.toml"
    path.write_text(TWO_WALLS)
    other.write_text(WALL)
    full = f"cuda: the memory of {device} is full; fewer --workers, or other programs on it, help"
    told = run(capsys, "check", path, other, "--renderer", "cuda", "--device", device, "--json")
    assert told.status == 2
    scenes = told.document["scenes"]
    assert [[one["target"] for one in of["results"]] for of in scenes] == [["Vex"], ["Vex"]]
    assert [of.get("error", "").endswith(full) for of in scenes] == [True, False]
    assert len(told.complaints) == 1
    rows = rows_of_all(path, device)
    assert [isinstance(row["error"], str) for row in rows] == [False, True]
    assert rows[1]["error"].endswith(full)


def rows_of_all(scene: Path, device: str) -> list[dict[str, Any]]:
    """The rows of the two checks of a scene, judged together."""
    judge = ChunkJudge(BatchSettings("cuda", device=device), together=2)
    return list(judge(Chunk(str(scene), Fingerprints().of(scene), 0, 2)))


def test_what_warp_s_library_writes_itself_when_memory_is_full_is_kept_off_standard_error(
    cuda: Any, device: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def full(*arguments: Any) -> Any:
        os.write(2, b"Warp CUDA error 2: out of memory\n")
        raise RuntimeError("Failed to allocate 20 bytes on device 'cuda:0'")

    monkeypatch.setattr(cuda.warp, "Mesh", full)
    cuda.capabilities = replace(cuda.capabilities, hardware=True)
    _, casts = many_casts()
    with pytest.raises(RendererUnavailable, match=f"the memory of {device} is full"):
        cuda.depths(casts)
    assert capfd.readouterr().err == ""


@pytest.mark.long
def test_a_check_in_a_process_of_its_own_says_nothing_but_its_result(device: str, tmp_path: Path) -> None:
    """Warp's library would complain that there is no driver."""
    (tmp_path / "wall.toml").write_text(WALL)
    command = [sys.executable, "-m", "silhouette", "check", "wall.toml", "--renderer", "cuda", "--device", device]
    path = os.pathsep.join([str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "cuda" in ran.stdout


def test_a_picture_of_one_body_is_that_of_embree(cuda: Any) -> None:
    view, casts = many_casts()
    ours, embree = (one.render(view, [casts[0].body, casts[1].body]) for one in (cuda, choose("embree")))
    assert np.count_nonzero(ours.ids != embree.ids) <= 1


@pytest.mark.thinned(quick=0, ci=15)
@pytest.mark.parametrize("chip", [75, 90, 100])
def test_the_kernels_compile_for_gpus_without_one(cuda: Any, tmp_path: Path, chip: int) -> None:
    """From Turing to Blackwell, by the compiler that warp brings along."""
    if cuda.warp.get_cuda_toolkit_version() is None:
        pytest.skip("warp has no CUDA here")
    for name, kernel in (
        ("kernels", b"cast_rays"),
        ("outlining", b"find_contours"),
        ("cells", b"put_in_cells"),
        ("sweeping", b"sweep_cells"),
        ("spans", b"settle_spans"),
    ):
        kernels, folder = import_module(f"silhouette.renderers.cuda.{name}"), tmp_path / name
        cuda.warp.compile_aot_module(kernels, arch=chip, module_dir=folder, use_ptx=True)
        (compiled,) = folder.glob("*.ptx")
        code = compiled.read_bytes()
        assert kernel in code
        if name != "kernels":  # ends of lines are put into cells by several kernels, which must agree to the bit
            assert b"fma.rn.f64" not in code
