"""Folders that a command writes whole: what another program writes into them stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.common.errors import FileError
from silhouette.files.publishing import Publication


def write(publication: Publication, out: Path, *names: str) -> None:
    with publication.whole_folder(out) as folder:
        for name in names:
            (folder / name).write_text(name)
        publication.write_facts(folder, {})


def test_a_guest_stays_and_strangers_are_refused(tmp_path: Path) -> None:
    site, out = Publication("site", guests=("manual",)), tmp_path / "out"
    write(site, out, "index.html", "old.html")
    (out / "manual").mkdir()
    (out / "manual" / "index.html").write_text("how to")
    write(site, out, "index.html")
    assert (out / "manual" / "index.html").read_text() == "how to"
    assert not (out / "old.html").exists()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(FileError, match=r"holds notes\.txt, which is no part of the site there"):
        write(site, out, "index.html")
    with pytest.raises(FileError, match=r"and no tutorial"):
        write(Publication("tutorial"), out, "index.html")
