"""3MF: what is read by numpy, and what by expat: the same meshes, however vertices and triangles are written."""

from __future__ import annotations

import re

import numpy as np
import pytest

from silhouette.meshes.formats import threemf as reader
from silhouette.meshes.formats.base import MeshRefused
from silhouette.meshes.formats.plain_xml import MeshFeed
from tests.support.mesh_files import model, threemf

PAIRS = 40


def strip(like: str = "plain") -> str:
    """An object: a strip of triangles over ``PAIRS`` pairs of vertices, some of its elements written otherwise."""
    points = [(step / 3, side * 1e1, -7.25e-3 * step) for step in range(PAIRS) for side in (0, 1)]
    corners = [(first, first + 1, first + 2) for first in range(2 * PAIRS - 2)]
    vertices = [f'<vertex x="{x!r}" y="{y!r}" z="{z!r}"/>\n' for x, y, z in points]
    triangles = [f'<triangle v1="{a}" v2="{b}" v3="{c}" />\r\n' for a, b, c in corners]
    vertices[7], triangles[9] = OTHERWISE_WRITTEN[like](vertices[7]), OTHERWISE_WRITTEN[like](triangles[9])
    inside = f"<vertices>{''.join(vertices)}</vertices><triangles>{''.join(triangles)}</triangles>"
    return f'<object id="1" type="model"><mesh>{inside}</mesh></object>'


OTHERWISE_WRITTEN = {
    "plain": lambda text: text,
    "colours": lambda text: text.replace("/>", ' pid="3" p1="0" slic3rpe:paint="4"/>' if "v1" in text else "/>"),
    "single quotes": lambda text: text.replace('"', "'"),
    "an end tag": lambda text: re.sub(r"<(\w+)(.*?)/>", r"<\1\2></\1>", text),
    "another order": lambda text: re.sub(r'(\w+="\S+") (\w+="\S+")', r"\2 \1", text, count=1),
    "a comment before": lambda text: '<!-- <vertices> <vertex x="1" y="1" z="1"/> -->' + text,
    "a list of others before": lambda text: (
        '<o:vertices xmlns:o="urn:o"><o:vertex x="1" y="1" z="1"/></o:vertices>'
        '<vertices xmlns="urn:o"><vertex x="1" y="1" z="1"/></vertices>' + text
    ),
    "another namespace in an element": lambda text: (
        text + ('<triangle v1="0" v2="1" v3="2" xmlns="urn:o"/>' if "v1" in text else "")
    ),
    "blanks": lambda text: text.replace(" ", " \n\t ").replace('="', '="'),
    "an entity": lambda text: text.replace('="', '="&#x20;', 1),
}


def archive(body: str) -> bytes:
    text = model(body, '<item objectid="1"/>').replace("<model ", '<model xmlns:slic3rpe="urn:s" ', 1)
    return threemf(text.encode())


def mesh(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    (surface,) = reader.read(data).surfaces
    return surface.vertices, surface.faces


@pytest.mark.parametrize("chunk", [200, 977, 1 << 18])
@pytest.mark.parametrize("like", OTHERWISE_WRITTEN)
def test_however_it_is_written_it_is_the_same_mesh(monkeypatch: pytest.MonkeyPatch, like: str, chunk: int) -> None:
    expected = mesh(archive(strip()))
    monkeypatch.setattr(reader, "_STREAM_CHUNK_BYTES", chunk)
    monkeypatch.setattr("silhouette.meshes.formats.plain_xml._MAX_ELEMENT_BYTES", 150)
    result = mesh(archive(strip(like)))
    assert [part.tolist() for part in result] == [part.tolist() for part in expected]
    assert len(result[0]) == 2 * PAIRS
    assert result[0][-1].tolist() == [(PAIRS - 1) / 3, 10.0, -7.25e-3 * (PAIRS - 1)]


def test_a_prefix_of_the_namespace_is_read_plainly_too(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = mesh(archive(strip()))
    text = re.sub(r"<(/?)(?=\w)", r"<\1m:", model(strip(), '<item objectid="1"/>')).replace("xmlns=", "xmlns:m=", 1)
    monkeypatch.setattr(reader, "_MAX_ODD", 60)  # what comes element by element
    result = mesh(threemf(text.encode()))
    assert [part.tolist() for part in result] == [part.tolist() for part in expected]


def test_what_is_written_oddly_is_refused_where_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_MAX_ODD", 60)
    mesh(archive(strip()))
    mesh(archive(strip("colours")))
    with pytest.raises(MeshRefused, match="more than 60 XML elements that are neither vertices nor triangles as most"):
        mesh(archive(strip().replace('v1="', "v1='").replace('" v2', "' v2")))


@pytest.mark.parametrize(
    ("number", "words"), [("1,5", "decimal comma"), ("nan(1)", "without a number"), ("0x1", "without a number")]
)
def test_what_is_no_number_is_refused_as_before(number: str, words: str) -> None:
    with pytest.raises(MeshRefused, match=words):
        mesh(archive(strip().replace('x="0.0"', f'x="{number}"', 1)))


def test_the_line_of_an_error_is_that_of_the_file() -> None:
    text = model(strip(), '<item objectid="1"/>').replace("</triangles>", "</wrong>")
    line = text[: text.index("</wrong>")].count("\n") + 1
    with pytest.raises(MeshRefused, match=f"at line {line}, column"):
        mesh(threemf(text.encode()))


def test_most_of_a_mesh_does_not_go_through_expat(monkeypatch: pytest.MonkeyPatch) -> None:
    fed = list[int]()
    end = MeshFeed.end
    monkeypatch.setattr(MeshFeed, "end", lambda feed: (fed.append(feed.fed), end(feed))[1])
    data = archive(strip())
    mesh(data)
    assert 0 < max(fed) < len(strip()) / 4
