"""A scan that becomes the table, and is read again with an answer; ``silhouette scan`` itself is stood in for."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.live import scanning
from silhouette.live.live_table import LiveTable
from silhouette.live.scanning import Length, questions_of, scan_again, scan_first, to_its_end

FIGURE = """
[[fighter]]
name = "{name}"
figure = {{ base = 32, height = 38 }}
at = [{x}, 0]
"""
QUESTION = """
[[question]]
key = "one 1"
text = "Is it one figure, or two?"
answers = ["one", "two"]
about = ["figure 1"]
"""


class Scanner:
    """Finds two figures, and asks whether one of them is two; may be held up, or fail."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()
        self.began = asyncio.Event()
        self.fails = False
        self.scale = 1.0
        self.lengths: list[Length | None] = []

    async def scanned(self, file: Path, folder: Path, length: Length | None = None) -> None:
        self.began.set()
        await self.may_go_on.wait()
        if self.fails:
            raise RequestError(f"{file.name}: no table in it")
        self.lengths.append(length)
        folder.mkdir(exist_ok=True)
        scene = folder / "scene.toml"
        told = read_document(scene).get("question", []) if scene.is_file() else []
        answer = next((one["answer"] for one in told if "answer" in one), None)
        places = {"figure 1": 0, "figure 2": 100, **({"figure 3": 30} if answer == "two" else {})}
        text = 'rules = "necromunda"\ntable = [400, 400]\n' + QUESTION
        if answer:
            text += f'answer = "{answer}"\n'
        scene.write_text(text + "".join(FIGURE.format(name=name, x=x) for name, x in places.items()), "utf-8")
        record = {
            "scan": str(file),
            "scale": self.scale,
            "pieces": [{"name": name, "at": [x, 0, 0]} for name, x in places.items()],
        }
        (folder / "scan.json").write_text(json.dumps(record), "utf-8")


def playing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: Callable[[LiveTable, Scanner], Any], *, scanned: bool = True
) -> LiveTable:
    """Plays on a table beside which a scan lies; by default on the table of that scan."""
    (tmp_path / "scene.toml").write_text('rules = "necromunda"\n' + FIGURE.format(name="Kal", x=0), "utf-8")
    (tmp_path / "garage.ply").write_bytes(b"a scan")
    table = LiveTable.opened(tmp_path / "scene.toml", Cache(None))

    async def scenario() -> None:
        scanner = Scanner()
        monkeypatch.setattr(scanning, "scanned", scanner.scanned)
        if scanned:
            scanner.may_go_on.set()
            await scan_first(table, tmp_path / "garage.ply")
            scanner.may_go_on.clear()
            scanner.began.clear()
        async with asyncio.timeout(60.0):
            await play(table, scanner)

    asyncio.run(scenario())
    return table


def names(table: LiveTable) -> list[str]:
    return [piece.name for piece in table.scene.pieces]


def test_a_scan_becomes_the_table_and_what_was_not_saved_before_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(table: LiveTable, scanner: Scanner) -> None:
        table.edit([{"piece": "Kal", "at": [50, 0]}])
        scanner.may_go_on.set()
        await scan_first(table, tmp_path / "garage.ply")

    table = playing(tmp_path, monkeypatch, play, scanned=False)
    assert table.path == tmp_path / "garage/scene.toml"
    assert names(table) == ["figure 1", "figure 2"]
    assert [one["key"] for one in questions_of(table.document)] == ["one 1"]
    assert LiveTable.opened(tmp_path / "scene.toml", Cache(None)).document["fighter"][0]["at"] == [50, 0]


def test_what_is_moved_while_an_answer_is_read_stays_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(table: LiveTable, scanner: Scanner) -> None:
        table.edit([{"piece": "figure 1", "at": [0, 80]}])
        reading = asyncio.create_task(scan_again(table, ("one 1", "two")))
        await scanner.began.wait()
        table.edit([{"piece": "figure 2", "at": [100, 90]}])
        table.edit([{"copy": "figure 2", "as": "another", "at": [150, 90]}])
        with pytest.raises(RequestError, match="a scan is being read"):
            await scan_again(table, ("one 1", "one"))
        scanner.may_go_on.set()
        await reading

    table = playing(tmp_path, monkeypatch, play)
    places = {piece.name: piece.pose.translation[:2].tolist() for piece in table.scene.pieces}
    assert places == {"figure 1": [0, 80], "figure 2": [100, 90], "figure 3": [30, 0], "another": [150, 90]}
    assert questions_of(table.document) == []


def test_what_was_moved_is_there_again_where_the_program_is_killed_while_an_answer_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(table: LiveTable, scanner: Scanner) -> None:
        table.edit([{"piece": "figure 1", "at": [0, 80]}])
        table.save()
        reading = asyncio.create_task(scan_again(table, ("one 1", "two")))
        await scanner.began.wait()
        for copy in (tmp_path / "killed meanwhile", tmp_path / "killed after it"):
            shutil.copytree(table.path.parent, copy)
            found = LiveTable.opened(copy / "scene.toml", Cache(None))
            assert found.scene.piece("figure 1").pose.translation[:2].tolist() == [0, 80]
            assert found.can_undo
            assert not found.notices
            scanner.may_go_on.set()
            await reading

    playing(tmp_path, monkeypatch, play)


def test_an_answer_that_fails_leaves_all_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(table: LiveTable, scanner: Scanner) -> None:
        before = table.path.read_text("utf-8")
        scanner.fails = True
        scanner.may_go_on.set()
        for said, words in (
            (("one 1", "two"), "no table in it"),
            (("one 1", "three"), "is no answer"),
            (("two 2", "two"), "nothing is asked"),
        ):
            with pytest.raises(RequestError, match=words):
                await scan_again(table, said)
        assert table.path.read_text("utf-8") == before
        scanner.fails = False
        await scan_again(table, ("one 1", "two"))

    assert "figure 3" in names(playing(tmp_path, monkeypatch, play))


def test_a_length_reads_the_scan_again_and_moves_of_another_scale_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    length = Length(32.0, (0.0, 0.0, 0.0), (16.0, 0.0, 0.0))

    async def play(table: LiveTable, scanner: Scanner) -> None:
        table.edit([{"piece": "figure 1", "at": [0, 80]}])
        scanner.scale = 2.0
        scanner.may_go_on.set()
        await scan_again(table, length)
        assert scanner.lengths[-1] == length

    table = playing(tmp_path, monkeypatch, play)
    assert table.scene.piece("figure 1").pose.translation[:2].tolist() == [0, 0]


def test_a_scan_is_read_to_its_end_though_nobody_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(table: LiveTable, scanner: Scanner) -> None:
        waiting = asyncio.create_task(to_its_end(scan_again(table, ("one 1", "two"))))
        await scanner.began.wait()
        waiting.cancel()
        await asyncio.wait([waiting])
        changed = asyncio.Event()
        table.listeners.append(changed.set)
        scanner.may_go_on.set()
        await changed.wait()

    assert "figure 3" in names(playing(tmp_path, monkeypatch, play))
