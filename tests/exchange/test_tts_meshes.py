"""Meshes of Tabletop Simulator are found by their address, in one folder alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.common.errors import FileError
from silhouette.exchange.tts import KeptMeshes

OLD = "httpcloud3steamusercontentcomugc77312ABCDEF0123456789ABCDEF0123456789ABCDEF01.obj"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("http://cloud-3.steamusercontent.com/ugc/77312/ABCDEF0123456789ABCDEF0123456789ABCDEF01/", OLD),
        ("https://steamusercontent-a.akamaihd.net/ugc/77312/ABCDEF0123456789ABCDEF0123456789ABCDEF01/", OLD),
        ("{verifycache}http://cloud-3.steamusercontent.com/ugc/77312/ABCDEF0123456789ABCDEF0123456789ABCDEF01/", OLD),
        ("https://steamusercontent-a.akamaihd.net/ugc/77313/ABCDEF0123456789ABCDEF0123456789ABCDEF01/", None),
        ("https://example.com/minis/kal.obj", "httpsexamplecomminiskalobj.obj"),
        ("https://example.com/minis/secret.obj", None),
        ("file:///C:/minis/secret.obj", "secret.obj"),
        ("file:///../outside.obj", None),
        ("..\\outside.obj", None),
        ("\\\\server\\share\\outside.obj", None),
        ("/etc/passwd", None),
        ("", None),
        ("\0", None),
    ],
)
def test_an_address_is_only_ever_a_file_of_the_folder(tmp_path: Path, address: str, name: str | None) -> None:
    folder = tmp_path / "Models"
    folder.mkdir()
    for there in (OLD, "httpsexamplecomminiskalobj.obj", "secret.obj", "notes.txt"):
        (folder / there).write_text("v 0 0 0")
    (tmp_path / "outside.obj").write_text("v 0 0 0")
    assert KeptMeshes(folder).find(address) == (None if name is None else folder / name)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "Models"
    folder.mkdir()
    (tmp_path / "outside.obj").write_text("v 0 0 0")
    (folder / "outside.obj").symlink_to(tmp_path / "outside.obj")
    with pytest.raises(FileError, match="leads out of the folder"):
        KeptMeshes(folder).find("file:///outside.obj")


def test_a_folder_that_is_none_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is no folder of meshes"):
        KeptMeshes(tmp_path / "nowhere")
    assert KeptMeshes(None).find("file:///kal.obj") is None
