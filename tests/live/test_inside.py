"""The files that a page may name: those of the scene's folder, and those that the scene has already."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.server.running import PageSession, check_inside

EXAMPLE = Path(__file__).resolve().parents[2] / "scenes/necromunda/example_2_partial_cover.toml"


@pytest.fixture(scope="module")
def table() -> LiveTable:
    return LiveTable.opened(EXAMPLE, Cache.default())


@pytest.mark.parametrize("path", ["rock.stl", "./rock.stl", "minis/kal.toml", "minis/../rock.stl"])
def test_files_of_the_folder_may_be_named(table: LiveTable, path: str) -> None:
    check_inside(table, path)


def test_files_that_the_scene_has_may_be_named_again(table: LiveTable) -> None:
    check_inside(table, "../../models/ganger_rifle.toml")


@pytest.mark.parametrize(
    "path", ["../rock.stl", "/etc/passwd", "minis/../../rock.stl", "../../models/leader.toml", "\0"]
)
def test_files_elsewhere_may_not(table: LiveTable, path: str) -> None:
    with pytest.raises(RequestError, match="lies outside the scene's folder; copy the file into it"):
        check_inside(table, path)


def test_a_link_out_of_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "game").mkdir()
    (tmp_path / "game/link").symlink_to(tmp_path / "elsewhere")
    scene = tmp_path / "game/scene.toml"
    scene.write_text(
        'rules = "necromunda"\n[[fighter]]\nname = "Kal"\nat = [0, 0]\nfigure = { base = 32, height = 38 }\n'
    )
    opened = LiveTable.opened(scene, Cache(None))
    check_inside(opened, "rock.stl")
    with pytest.raises(RequestError):
        check_inside(opened, "link/rock.stl")


def test_a_page_is_told_of_files_without_their_folders(tmp_path: Path) -> None:
    folder = tmp_path / "my games"
    folder.mkdir()
    (folder / "scene.toml").write_text(
        'rules = "necromunda"\n[[fighter]]\nname = "Kal"\nat = [0, 0]\nfigure = { base = 32, height = 38 }\n'
    )
    table, events = LiveTable.opened(folder / "scene.toml", Cache(None)), list[dict[str, Any]]()
    table.notices = (f"changes lie in {folder}/old.json: {tmp_path}/kal.stl is no mesh",)
    session, other = (PageSession(table, cast(Judges, None), events.append) for _ in range(2))

    async def errors() -> list[str]:
        requests: list[dict[str, Any]] = [
            {"do": "edit", "edits": [{"piece": "Nobody", "at": [0, 0]}]},
            {"do": "edit", "edits": [{"add": "terrain", "name": "rock", "at": [0, 0], "mesh": "rock.stl"}]},
            {"do": "scan", "file": 5},
        ]
        return [(await session.answer({"id": 1, **request}))["error"] for request in requests]

    async def warnings() -> list[str]:
        state = await session.answer({"id": 1, "do": "edit", "edits": [{"piece": "Kal", "at": [5, 0]}]})
        told = [event["warnings"] for event in events if event["event"] == "edited"]
        assert told == [state["warnings"]]
        return list(state["warnings"])

    told = asyncio.run(errors())
    assert told[0].startswith("scene.toml: nothing is called 'Nobody'")
    assert "rock.stl" in told[1]
    told += asyncio.run(warnings())
    assert told[-1 - len(table.scene.warnings)] == "changes lie in old.json: kal.stl is no mesh"
    assert not any(str(tmp_path) in text for text in told)
    other.close()
