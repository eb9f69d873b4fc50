"""What is kept on disk survives damage, other processes and folders that cannot be written to."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.files import cache as cache_module
from silhouette.files.cache import Cache, MemoryCache


class Counting:
    """A builder that counts how often it was asked."""

    def __init__(self, **arrays: Any) -> None:
        self.arrays = {name: np.asarray(array) for name, array in arrays.items()}
        self.times = 0

    def __call__(self) -> dict[str, Any]:
        self.times += 1
        return self.arrays


def entry(folder: Path) -> Path:
    (path,) = folder.glob("*.npz")
    return path


def test_what_was_built_once_is_not_built_again(tmp_path):
    build = Counting(file=np.arange(12).reshape(4, 3), empty=np.empty((0, 3), np.int32))
    first = Cache(tmp_path / "new" / "folder").fetch("key", build)
    second = Cache(tmp_path / "new" / "folder").fetch("key", build)
    assert build.times == 1
    for name, array in build.arrays.items():
        for arrays in (first, second):
            assert arrays[name].dtype == array.dtype
            assert np.array_equal(arrays[name], array)


def test_another_key_is_another_entry(tmp_path):
    cache = Cache(tmp_path)
    assert cache.fetch("one", Counting(n=1))["n"] == 1
    assert cache.fetch("two", Counting(n=2))["n"] == 2
    assert cache.fetch("one", Counting(n=3))["n"] == 1


def test_a_new_format_version_is_another_entry(tmp_path, monkeypatch):
    Cache(tmp_path).fetch("key", Counting(n=1))
    monkeypatch.setattr(cache_module, "FORMAT_VERSION", cache_module.FORMAT_VERSION + 1)
    assert Cache(tmp_path).fetch("key", Counting(n=2))["n"] == 2


def test_no_folder_keeps_nothing():
    build = Counting(n=1)
    Cache(None).fetch("key", build)
    Cache(None).fetch("key", build)
    assert build.times == 2


@pytest.mark.parametrize("damage", ["half", "empty", "flipped", "garbage"])
def test_a_damaged_entry_is_built_anew_and_mended(tmp_path, damage):
    build = Counting(values=np.arange(1000.0))
    Cache(tmp_path).fetch("key", build)
    path = entry(tmp_path)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 0xFF
    path.write_bytes({"half": content[: len(content) // 2], "empty": b"", "garbage": b"x" * 99}.get(damage, content))
    assert np.array_equal(Cache(tmp_path).fetch("key", build)["values"], np.arange(1000.0))
    assert np.array_equal(Cache(tmp_path).fetch("key", build)["values"], np.arange(1000.0))
    assert build.times == 2


def test_a_folder_that_cannot_be_made_is_not_fatal(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    build = Counting(n=7)
    assert Cache(blocked).fetch("key", build)["n"] == 7
    assert Cache(blocked / "below").fetch("key", build)["n"] == 7
    assert build.times == 2


def test_what_the_builder_raises_passes_through_and_nothing_is_kept(tmp_path):
    def fail() -> dict[str, Any]:
        raise LookupError("no mesh")

    with pytest.raises(LookupError, match="no mesh"):
        Cache(tmp_path).fetch("key", fail)
    assert list(tmp_path.iterdir()) == []


def test_arrays_of_objects_are_refused_and_leave_nothing_behind(tmp_path):
    with pytest.raises(ValueError, match=r"[Oo]bject"):
        Cache(tmp_path).fetch("key", Counting(values=np.array([object()])))
    assert list(tmp_path.iterdir()) == []


def test_two_processes_may_write_the_same_entry_at_once(tmp_path):
    program = (
        "import sys, numpy as np; from pathlib import Path; from silhouette.files.cache import Cache\n"
        "for n in range(30):\n"
        "    got = Cache(Path(sys.argv[1])).fetch(f'key {n % 3}', lambda: {'values': np.full(50_000, n % 3)})\n"
        "    assert (got['values'] == n % 3).all()\n"
        "    for path in Path(sys.argv[1]).glob('*.npz'):\n"
        "        path.unlink(missing_ok=True)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    assert not list(tmp_path.glob("*.part"))


def test_what_was_used_longest_ago_goes_when_the_folder_grows_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_module, "MAX_CACHE_BYTES", 25_000)
    cache = Cache(tmp_path)
    long_ago = time.time() - 1000.0
    for number, name in enumerate(("used", "old", "other")):
        cache.fetch(name, Counting(values=np.zeros(1000)))
        for path in tmp_path.glob("*.npz"):
            if path.stat().st_mtime > long_ago + 500.0:
                os.utime(path, (long_ago + number, long_ago + number))
    cache.fetch("used", Counting())
    cache.fetch("new", Counting(values=np.zeros(1000)))
    kept = {name: Counting(values=np.zeros(1)) for name in ("used", "new", "old")}
    for name, build in kept.items():
        cache.fetch(name, build)
    assert [build.times for build in kept.values()] == [0, 0, 1]


def test_an_entry_larger_than_all_the_room_is_still_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_module, "MAX_CACHE_BYTES", 10)
    build = Counting(values=np.zeros(1000))
    Cache(tmp_path).fetch("key", build)
    Cache(tmp_path).fetch("key", build)
    assert build.times == 1


def test_what_a_killed_process_left_half_written_goes(tmp_path):
    (tmp_path / "stale.part").write_bytes(b"half")
    os.utime(tmp_path / "stale.part", (0, 0))
    (tmp_path / "fresh.part").write_bytes(b"half")
    Cache(tmp_path).fetch("key", Counting(n=1))
    assert [path.name for path in tmp_path.glob("*.part")] == ["fresh.part"]


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache_module.DIRECTORY_VARIABLE, str(tmp_path / "named"))
    assert Cache.default().directory == tmp_path / "named"
    monkeypatch.delenv(cache_module.DIRECTORY_VARIABLE)
    directory = Cache.default().directory
    assert directory is not None
    assert directory.name == "silhouette"


class Content:
    """A fingerprint that is a file's text, and a maker that counts; what is made is as large as the text is long."""

    def __init__(self, most: int) -> None:
        self.memory = MemoryCache(lambda path: path.read_text(), most)
        self.made: list[str] = []

    def of(self, path: Path, key: str = "") -> str:
        def make() -> str:
            self.made.append(path.name)
            return path.read_text() + key

        return Cache(None, self.memory).in_memory(path, key, make, len)


def test_what_was_made_of_a_file_is_remembered_until_the_file_is_another(tmp_path):
    path = tmp_path / "a"
    path.write_text("one")
    (tmp_path / "x").mkdir()
    content = Content(most=100)
    assert [content.of(path), content.of(tmp_path / "x" / ".." / "a"), content.of(path, "!")] == ["one", "one", "one!"]
    path.write_text("two")
    assert [content.of(path), content.of(path)] == ["two", "two"]
    assert len(content.made) == 3


def test_the_memory_keeps_what_was_used_last_up_to_its_size(tmp_path):
    content = Content(most=6)
    for name in "abcadaa":
        (tmp_path / name).write_text("12")
        content.of(tmp_path / name)
        assert content.memory.size <= 6
    assert content.made == ["a", "b", "c", "d"]
    (tmp_path / "large").write_text("1" * 9)
    content.of(tmp_path / "large")
    content.of(tmp_path / "large")
    assert content.memory.size == 9
    content.of(tmp_path / "a")
    assert content.memory.size == 2
    assert content.made[4:] == ["large", "a"]


def test_a_file_that_changes_while_it_is_read_is_not_remembered(tmp_path):
    path = tmp_path / "a"
    path.write_text("one")
    memory = MemoryCache(lambda file: file.read_text(), 100)
    assert memory.get(path, "", lambda: path.write_text("other"), lambda _: 1) == 5
    path.write_text("one")
    assert memory.get(path, "", lambda: "anew", len) == "anew"


def test_without_a_memory_everything_is_made_each_time(tmp_path):
    made = [Cache(None).in_memory(tmp_path / "a", "", lambda: object(), lambda _: 1) for _ in range(2)]
    assert made[0] is not made[1]


class Slow(str):
    """A key whose comparing and hashing are Python's, so that other threads come in between."""

    def __hash__(self) -> int:
        return sum(map(ord, self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slow) and list(self) == list(other)


def test_threads_share_a_memory_that_is_too_small(tmp_path):
    """Each gets what it asks for, and no more stays than has room, but for the latest."""
    path = tmp_path / "a.txt"
    path.write_text("same")
    memory, wrong = MemoryCache(lambda file: "same", 6), list[object]()

    def ask(start: int) -> None:
        try:
            for number in range(start, start + 1500):
                key = Slow(chr(97 + number * 7 % 5) * 3)
                if memory.get(path, key, lambda key=key: f"{key}!", len) != f"{key}!":
                    wrong.append(key)
        except Exception as error:
            wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=ask, args=(start,)) for start in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []
    assert memory.size <= 12


def test_a_pickled_cache_leaves_its_memory_behind(tmp_path):
    cache = Cache(tmp_path).remembering()
    assert cache.in_memory(Path(__file__), "", lambda: "made", len) == "made"
    copy = pickle.loads(pickle.dumps(cache))
    assert (copy, copy.memory) == (Cache(tmp_path), None)
