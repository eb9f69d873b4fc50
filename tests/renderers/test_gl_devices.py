"""Which device gl draws on: the one asked for, what the environment says, or one of several shared out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from silhouette.common.errors import RendererUnavailable, RequestError
from silhouette.renderers import choose
from silhouette.renderers.gl import context
from silhouette.renderers.gl.context import EGLDevice, chosen_device, shared_out
from tests.conftest import started
from tests.support.commands import run

FIRST, SECOND = EGLDevice(0, False, "/dev/dri/card0", 0), EGLDevice(1, False, "/dev/dri/card1", 1)
SOFTWARE = EGLDevice(2, True)
H200 = "0x2335"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Makes a machine of these EGL devices, each card with such a chip; those numbers do not start."""
    for name in ("EGL_DEVICE_ID", "CUDA_VISIBLE_DEVICES", "PYOPENGL_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(context, "SYSTEM_ROOT", tmp_path)

    def make(*listed: EGLDevice, chips: tuple[str, ...] = (H200, H200), broken: tuple[int, ...] = ()) -> None:
        for number, chip in enumerate(chips):
            card = tmp_path / "sys/class/drm" / f"card{number}" / "device"
            card.mkdir(parents=True)
            (card / "vendor").write_text("0x10de\n")
            (card / "device").write_text(f"{chip}\n")
        if chips:
            (tmp_path / "dev").mkdir()
            (tmp_path / "dev" / "nvidia0").touch()
        monkeypatch.setattr(context, "listed_devices", lambda: list(listed))
        monkeypatch.setattr(context, "starts", lambda device: device.index not in broken)

    return make


def test_a_gpu_is_taken_before_software_wherever_it_stands(machine: Callable[..., None]) -> None:
    machine(EGLDevice(0, True), EGLDevice(1, False))
    assert chosen_device().index == 1


def test_what_does_not_start_is_passed_over_unless_it_is_asked_for(machine: Callable[..., None]) -> None:
    machine(FIRST, SECOND, SOFTWARE, broken=(0, 1))
    assert chosen_device().index == 2
    with pytest.raises(RendererUnavailable, match="EGL's device 1 does not start"):
        chosen_device(1)


def test_where_nothing_starts_it_says_so(machine: Callable[..., None]) -> None:
    machine(FIRST, SOFTWARE, broken=(0, 2))
    with pytest.raises(RendererUnavailable, match="no device that starts, not even in software"):
        chosen_device()


@pytest.mark.parametrize("number", [3, 99, -1])
def test_a_number_that_is_not_there_says_which_are(machine: Callable[..., None], number: int) -> None:
    machine(FIRST, SECOND, SOFTWARE)
    with pytest.raises(RendererUnavailable, match=rf"there is no device {number} \(--device\); EGL lists 0 to 2"):
        chosen_device(number)


def test_the_environment_chooses_unless_a_number_is_asked_for(
    machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(FIRST, SECOND, SOFTWARE)
    monkeypatch.setenv("EGL_DEVICE_ID", "1")
    assert chosen_device().index == 1
    assert chosen_device(0).index == 0
    monkeypatch.setenv("EGL_DEVICE_ID", "7")
    with pytest.raises(RendererUnavailable, match=r"there is no device 7 \(EGL_DEVICE_ID\)"):
        chosen_device()
    monkeypatch.setenv("EGL_DEVICE_ID", "first")
    with pytest.raises(RequestError, match="EGL_DEVICE_ID is 'first'; it must be a number"):
        chosen_device()


def test_a_wrong_number_in_the_environment_does_not_fall_back_to_osmesa(
    machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from silhouette.renderers.gl import context as gl_context

    machine(FIRST)
    monkeypatch.setattr(gl_context, "_bound_platform", lambda: None)
    monkeypatch.setattr(gl_context, "require_osmesa", lambda: None)
    monkeypatch.setenv("EGL_DEVICE_ID", "98")
    with pytest.raises(RendererUnavailable, match=r"there is no device 98 \(EGL_DEVICE_ID\); EGL lists 0, see"):
        choose("gl")


@pytest.mark.parametrize(
    ("visible", "taken"), [("1", 1), ("0,1", 0), (" 1, 0", 1), ("", 0), ("GPU-5ebe9fa3", 0), ("6", 0)]
)
def test_a_gpu_handed_out_for_cuda_is_the_one_that_is_drawn_on(
    machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch, visible: str, taken: int
) -> None:
    machine(FIRST, SECOND, SOFTWARE)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert chosen_device().index == taken


def test_workers_share_the_gpus_in_turn(machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    machine(FIRST, SECOND, SOFTWARE)
    assert [shared_out(worker) for worker in range(5)] == [0, 1, 0, 1, 0]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert shared_out(0) is None
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    assert [shared_out(worker) for worker in range(2)] == [1, 0]
    monkeypatch.setenv("EGL_DEVICE_ID", "0")
    assert shared_out(1) is None


def test_a_gpu_that_does_not_start_gets_no_worker(
    machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a job scheduler lets a job open some of the machine's GPUs only."""
    machine(FIRST, SECOND, SOFTWARE, broken=(1,))
    assert [shared_out(worker) for worker in range(4)] == [0, 0, 0, 0]
    monkeypatch.setattr(context, "starts", lambda device: False)
    assert shared_out(0) is None


def test_on_osmesa_nothing_is_shared_out(machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    machine(FIRST, SECOND)
    monkeypatch.setenv("PYOPENGL_PLATFORM", "osmesa")
    assert shared_out(1) is None


def test_gpus_of_different_kinds_are_not_mixed(machine: Callable[..., None]) -> None:
    """Their pictures could differ in pixels on a rim, and a row would depend on who judged it."""
    machine(FIRST, SECOND, SOFTWARE, chips=(H200, "0x20b0"))
    assert shared_out(0) is shared_out(1) is None


def test_a_card_that_mesa_lists_again_is_no_other_gpu(machine: Callable[..., None]) -> None:
    again = EGLDevice(2, False, "/dev/dri/card0"), EGLDevice(3, False, "/dev/dri/card1"), EGLDevice(4, True)
    machine(FIRST, SECOND, *again)
    assert [shared_out(worker) for worker in range(4)] == [0, 1, 0, 1]


def test_a_gpu_handed_out_for_cuda_that_does_not_start_leaves_software(
    machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not another GPU, which is somebody else's."""
    machine(FIRST, SECOND, SOFTWARE, broken=(1,))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert chosen_device().index == 2


@pytest.mark.parametrize("listed", [(FIRST, SOFTWARE), (SOFTWARE,), (EGLDevice(0, True), EGLDevice(1, True))])
def test_one_gpu_or_none_is_not_shared_out(machine: Callable[..., None], listed: tuple[EGLDevice, ...]) -> None:
    machine(*listed)
    assert shared_out(1) is None


def test_where_no_gpu_shows_nothing_is_loaded_to_share_it_out(
    machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(FIRST, SECOND, chips=())
    monkeypatch.setattr(context, "listed_devices", lambda: pytest.fail("EGL was asked"))
    assert shared_out(1) is None


@pytest.mark.parametrize("name", ["embree", "reference"])
def test_a_device_for_a_renderer_without_devices_is_refused(name: str) -> None:
    with pytest.raises(RequestError, match=f"device 0 is asked for, but {name} has no devices; cuda and gl have"):
        choose(name, device="0")


def test_a_device_asked_for_is_drawn_on_and_auto_then_means_gl() -> None:
    gl = started("gl")
    if gl.number is None:  # type: ignore[attr-defined]
        pytest.skip("OSMesa has no devices")
    number = gl.number  # type: ignore[attr-defined]
    for name in ("gl", "auto"):
        chosen = choose(name, device=str(number)).underlying
        assert (chosen.name, chosen.number, chosen.device) == ("gl", number, gl.device)  # type: ignore[attr-defined]
        chosen.close()
    gl.close()


def test_osmesa_has_no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    from silhouette.renderers.gl import context as gl_context

    monkeypatch.setattr(gl_context, "_bound_platform", lambda: None)
    monkeypatch.setenv("PYOPENGL_PLATFORM", "osmesa")
    with pytest.raises(RequestError, match="device 1 is asked for, but OpenGL is on OSMesa, which has no devices"):
        choose("gl", device="1")


def test_each_worker_takes_its_share(machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch's workers by their seats, a cluster's by a number that they are given; what is asked for is kept to."""
    from silhouette.batches.chunks import ChunkJudge
    from silhouette.batches.settings import BatchSettings
    from silhouette.workers.process import numbered, worker_number

    machine(FIRST, SECOND, SOFTWARE)
    monkeypatch.setattr("silhouette.workers.process._number", 0)
    monkeypatch.setattr("silhouette.batches.chunks.choose", lambda name, device: device)
    assert ChunkJudge(BatchSettings(renderer="gl")).start() == "0"
    assert numbered(3, worker_number) == 3
    assert ChunkJudge(BatchSettings(renderer="gl")).start() == "1"
    assert ChunkJudge(BatchSettings(), None, 2).start() == "0"
    assert ChunkJudge(BatchSettings(device="1"), None, 2).start() == "1"
    assert ChunkJudge(BatchSettings(renderer="embree")).start() is None


def tell_number() -> Callable[[int], Iterator[int]]:
    from silhouette.workers import worker_number

    return lambda task: iter([worker_number()])


@pytest.mark.slow
def test_the_workers_of_a_pool_have_numbers() -> None:
    from silhouette.workers import WorkerPool

    tasks = [1, 2, 3]
    with WorkerPool(tell_number, workers=3) as pool:
        told = [event.value for event in pool.events(lambda last: tasks.pop() if tasks else None) if event.value]
    assert {0, *told} == {0, 1, 2}


DUEL = """
rules = "necromunda"
fighter = [
  { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
  { name = "Vex", at = [0, 200], facing = 270, parts = [{ box = [12, 12, 30] }], eye = [0, 6, 26] },
]
terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 10] }] }]
check = [{ attacker = "Kal", target = "Vex" }]
"""
COMMANDS = {
    "check": ["--json"],
    "matrix": ["--json"],
    "batch": ["--out", "rows.jsonl", "--workers", "1"],
    "draw": ["--out", "figures"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["--renderer", "embree", "--device", "0"],
            "error: device 0 is asked for, but embree has no devices; cuda and gl have",
        ),
        (["--renderer", "gl", "--device", "31"], "error: there is no device 31 (--device); EGL lists 0"),
    ],
)
def test_a_device_that_cannot_be_had_is_one_error(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
    options: list[str],
    complaint: str,
) -> None:
    if "gl" in options and started("gl").number is None:  # type: ignore[attr-defined]
        pytest.skip("OSMesa has no devices")
    monkeypatch.chdir(tmp_path)
    Path("duel.toml").write_text(DUEL)
    ran = run(capsys, command, "duel.toml", *COMMANDS[command], *options)
    assert (ran.status, ran.out) == (2, "")
    assert len(ran.complaints) == 1
    assert ran.complaints[0].startswith(complaint)
    assert [file.name for file in tmp_path.iterdir() if file.suffix in (".jsonl", ".svg")] == []


@pytest.mark.long
def test_a_batch_on_a_device_has_the_rows_of_a_batch_without(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    number = started("gl").number  # type: ignore[attr-defined]
    if number is None:
        pytest.skip("OSMesa has no devices")
    monkeypatch.chdir(tmp_path)
    Path("duel.toml").write_text(DUEL)
    fast = ("--workers", "1", "--pixel", "1")
    for name, options in {"one": [], "other": ["--device", str(number)]}.items():
        ran = run(
            capsys, "batch", "duel.toml", "--everyone", "--out", f"{name}.jsonl", "--renderer", "gl", *fast, *options
        )
        assert ran.status == 0
    assert Path("one.jsonl").read_bytes() == Path("other.jsonl").read_bytes()
    assert b'"renderer": "gl"' in Path("one.jsonl").read_bytes().replace(b'":"', b'": "')


@pytest.mark.parametrize(
    ("resources", "shares"),
    [({}, [0, 0, 0]), ({"GPU": 1.0}, [0, 0, 0]), ({"GPU": 2.0}, [0, 1, 0]), ({"GPU": 0}, [0] * 3)],
)
def test_threads_of_a_cluster_s_worker_share_as_many_gpus_as_it_announces(
    monkeypatch: pytest.MonkeyPatch, resources: dict[str, float], shares: list[int]
) -> None:
    from silhouette.batches import dask as cluster

    worker = SimpleNamespace(state=SimpleNamespace(total_resources=resources))
    monkeypatch.setattr(cluster, "import_module", lambda name: SimpleNamespace(get_worker=lambda: worker))
    monkeypatch.setattr(cluster, "_threads", count())
    assert [cluster._gpu_number() for _ in shares] == shares
