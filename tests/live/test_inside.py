"""The files that a page may name: those of the scene's folder, and those that the scene has already."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.live.live_table import LiveTable
from silhouette.live.server.running import check_inside

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
