"""Some processes read, others judge on devices: the same rows by any number of either, whoever dies."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from silhouette.batches import chunks, feeding
from silhouette.batches.chunks import ChunkJudge
from silhouette.batches.feeding import FeedingPool
from silhouette.batches.journal import SceneProgress
from silhouette.batches.rows import _in_order, _MemoryRowStore
from silhouette.batches.run import judge_scenes, make_pool
from silhouette.batches.settings import BatchSettings
from silhouette.files.fingerprints import Fingerprints
from silhouette.scenes.finding import scenes_of
from silhouette.text import Row
from silhouette.workers import CAN_FORK, WorkerPool
from tests.conftest import cuda_device, unavailable
from tests.support.batching import folder_of_scenes_with_meshes, force_forking
from tests.support.commands import CHECK, scene

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="processes are not forked on this system")

REFERENCE = BatchSettings("reference", 2.0, everyone=True, cached=False)
EXAMPLES = Path(__file__).resolve().parents[2] / "scenes"


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch)


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("rows") / "pack")


@pytest.fixture(scope="module")
def expected(pack: Path) -> list[Row]:
    """The rows of one process that reads and judges."""
    with pytest.MonkeyPatch.context() as patch:
        force_forking(patch)
        return rows_without(pack)


def packed(folder: Path) -> Path:
    """Scenes with meshes, one without, one of another game, and one that is none."""
    folder_of_scenes_with_meshes(folder, scenes=3, models=4)
    scene(folder, CHECK)
    (folder / "plan.toml").write_text((EXAMPLES / "crisis_protocol" / "in_cover.toml").read_text())
    (folder / "bad.toml").write_text("rules = ")
    return folder


def ordinary(settings: BatchSettings) -> WorkerPool:
    return WorkerPool(partial(ChunkJudge, settings, together=16), 1)


def rows_with(
    pack: Path,
    settings: BatchSettings = REFERENCE,
    workers: int = 2,
    devices: int = 1,
    timeout: float | None = None,
    device: str | None = None,
) -> list[Row]:
    """The rows by so many processes, on so many devices."""
    pool = FeedingPool(settings, workers, timeout, lambda: pytest.fail("no need"), (device,) * devices)
    return list(_in_order(scenes_of([pack]), pool))


def rows_without(pack: Path, settings: BatchSettings = REFERENCE) -> list[Row]:
    return list(_in_order(scenes_of([pack]), ordinary(settings)))


@pytest.mark.slow
def test_the_rows_are_the_same_by_any_number_of_processes_that_read_and_that_judge(
    pack: Path, expected: list[Row]
) -> None:
    assert sum("verdict" in row for row in expected) == 3 * 12 + 2 + 6
    assert sum(isinstance(row.get("error"), str) for row in expected) == 1
    for workers, devices in ((1, 1), (2, 1), (4, 1), (3, 2), (6, 3)):
        assert rows_with(pack, workers=workers, devices=devices) == expected
    assert rows_with(pack, timeout=60.0) == expected


@pytest.mark.slow
@pytest.mark.parametrize("renderer", ["embree", "cuda"])
def test_so_they_are_with_a_renderer_that_judges_many_at_once(
    pack: Path, renderer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = {"embree": "embreex", "cuda": "warp"}[renderer]
    if importlib.util.find_spec(package) is None:
        unavailable(renderer, f"{package} is not installed")
    settings = BatchSettings(renderer, 2.0, everyone=True, cached=False)
    device = cuda_device() if renderer == "cuda" else None
    if renderer == "cuda":
        monkeypatch.undo()  # processes start as they would: another test may have loaded the driver in this one
    chosen = BatchSettings(renderer, 2.0, everyone=True, cached=False, device=device)
    expected = rows_without(pack, chosen)
    assert sum("verdict" in row for row in expected) == 44
    for workers, devices in ((2, 1), (4, 2)):
        assert rows_with(pack, settings, workers, devices, device=device) == expected
    pool = make_pool(chosen, 2)
    assert isinstance(pool, FeedingPool if renderer == "cuda" else WorkerPool)
    assert list(_in_order(scenes_of([pack]), pool)) == expected


@pytest.mark.slow
def test_who_judges_reads_no_file_and_who_reads_starts_no_renderer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = packed(tmp_path / "pack")
    (pack / "bad.toml").unlink()
    expected = rows_without(pack)
    monkeypatch.setattr(ChunkJudge, "__call__", lambda *given: os._exit(3))
    monkeypatch.setattr("silhouette.batches.chunks.choose", lambda *given: os._exit(3))
    started = ChunkJudge.start

    def start(judge: ChunkJudge) -> Any:
        monkeypatch.undo()
        force_forking(monkeypatch)
        monkeypatch.setattr("silhouette.batches.chunks.load_scene", lambda *given, **named: os._exit(3))
        return started(judge)

    monkeypatch.setattr(ChunkJudge, "start", start)
    assert rows_with(pack, workers=3) == expected


def dying(folder: Path, times: int) -> Callable[[str], None]:
    """Ends the process that calls it with a word, the first so many times."""
    folder.mkdir()

    def die(word: str) -> None:
        for number in range(times):
            with suppress(FileExistsError):
                (folder / f"{word} {number}").touch(exist_ok=False)
                os.kill(os.getpid(), 9)

    return die


@pytest.mark.thinned(quick=50)
@pytest.mark.parametrize("times", [1, 9])
def test_a_reader_that_is_killed_costs_its_scene_at_most(
    tmp_path: Path, pack: Path, expected: list[Row], monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    die = dying(tmp_path / "killed", times)
    read = feeding.SceneReader.__call__

    def reading(reader: Any, chunk: Any) -> Any:
        if "crowd 1" in chunk.scene:
            die("crowd 1")
        return read(reader, chunk)

    monkeypatch.setattr(feeding.SceneReader, "__call__", reading)
    found = rows_with(pack, workers=3)
    if times == 1:
        assert found == expected
        return
    (lost,) = (row for row in found if "crowd 1" in row["scene"])
    assert lost["error"].endswith("the process that was at it ended (killed by SIGKILL)")
    assert [row for row in found if row is not lost] == [row for row in expected if "crowd 1" not in row["scene"]]


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 99])
def test_a_process_that_judges_and_is_killed_costs_its_check_at_most(
    tmp_path: Path, pack: Path, expected: list[Row], monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    die = dying(tmp_path / "killed", times)
    right = chunks.judge_all

    def judge_all(requests: Any, options: Any) -> Any:
        for table, check in requests:
            if (table.path.stem, check.attacker, check.target) == ("crowd 2", "M1", "M2"):
                die("M1 M2")
        return right(requests, options)

    monkeypatch.setattr(chunks, "judge_all", judge_all)
    found = rows_with(pack, workers=2)
    kills = 1 if times == 1 else 4  # in its load, in its chunk, and twice by itself
    assert len(list((tmp_path / "killed").iterdir())) == kills
    if times == 1:
        assert found == expected
        return
    differing = [(row, other) for row, other in zip(found, expected, strict=True) if row != other]
    ((row, other),) = differing
    assert (row["attacker"], row["target"]) == (other["attacker"], other["target"]) == ("M1", "M2")
    assert row["error"].endswith("crowd 2.toml: M1 to M2: the process that was at it ended (killed by SIGKILL)")


@pytest.mark.slow
def test_what_cannot_be_carried_is_read_by_who_judges_it(
    pack: Path, expected: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:

    def refuse(*given: Any) -> Any:
        raise TypeError("cannot pickle it")

    monkeypatch.setattr(feeding, "packed_scene", refuse)
    assert rows_with(pack, workers=3) == expected


@pytest.mark.slow
def test_models_for_which_there_is_no_room_are_read_again(
    pack: Path, expected: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("silhouette.workers.slots.CONTENT_ROOM", 0)
    monkeypatch.setattr(feeding, "CONTENT_ROOM", 0)
    assert rows_with(pack, workers=4, devices=2) == expected


@pytest.mark.slow
def test_only_the_checks_that_are_left_are_judged_of_scenes_that_were_opened_before(
    pack: Path, expected: list[Row]
) -> None:
    scenes = scenes_of([pack])
    half, whole = (next(one for one in scenes if name in one) for name in ("crowd 1", "crowd 2"))
    store = _MemoryRowStore()
    for one, done in ((half, [0, 1, 5, 6, 7]), (whole, range(12))):
        store.scenes[one] = SceneProgress(Fingerprints().of(Path(one)), 12, dict.fromkeys(done, 0))
    pool = FeedingPool(REFERENCE, 3, None, lambda: pytest.fail("no need"), (None,))
    for _ in judge_scenes(scenes, pool, store):
        pass
    of_half = {check: row for (one, check), row in store.rows.items() if one == half}
    expected = [row for row in expected if row["scene"] == half]
    assert {check: {"scene": half, **row} for check, row in of_half.items()} == {
        check: expected[check] for check in (2, 3, 4, 8, 9, 10, 11)
    }
    assert not any(one == whole for one, _ in store.rows)


def test_without_gpus_auto_is_left_to_ordinary_workers(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "gpus_of", lambda name: [])
    with FeedingPool(BatchSettings(), 2, None, partial(ordinary, REFERENCE)) as pool:
        assert isinstance(pool, WorkerPool)
    monkeypatch.setattr(feeding, "gpus_of", lambda name: ["cuda:0", "cuda:1"])
    with FeedingPool(BatchSettings(), 4, None, lambda: pytest.fail("no need")) as pool:
        assert isinstance(pool, FeedingPool)
        assert pool._judging == 2


def test_auto_on_a_device_that_is_named_has_it_held_for_all_that_judge() -> None:
    pytest.importorskip("warp")
    with FeedingPool(BatchSettings(device="cpu"), 4, None, lambda: pytest.fail("no need")) as pool:
        assert isinstance(pool, FeedingPool)
        assert pool._judging == 3
