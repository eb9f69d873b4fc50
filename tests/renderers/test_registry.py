"""Which renderer is chosen, and what the doctor says of those that cannot run: nothing falls back in silence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import silhouette
from silhouette.common.errors import RendererUnavailable, RequestError
from silhouette.common.geometry import Pose
from silhouette.renderers import RENDERERS, Body, Capabilities, Layer, Renderer, choose, probe, registry
from silhouette.renderers.probe import probe_renderers
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View
from tests.conftest import started
from tests.support.commands import scene

PROJECT = Path(__file__).resolve().parents[2]
HERE = Pose.standing()
REFERENCE = ReferenceRenderer()


# One that cannot run says why, and nothing falls back in silence.


def test_an_unknown_renderer_is_an_error_that_names_the_near_one() -> None:
    with pytest.raises(RequestError, match="did you mean 'embree'"):
        choose("embre")
    with pytest.raises(RequestError, match="there are auto, embree, cuda, gl, reference"):
        choose("povray")


@pytest.mark.parametrize("name", [entry.name for entry in RENDERERS])
def test_a_renderer_asked_for_by_name_is_that_one(name: str) -> None:
    """One that counts by layers itself says so."""
    assert started(name).underlying.name == name
    assert started(name).name == ("layers (cuda)" if name == "cuda" else name)


def test_embree_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "embreex", None)
    with pytest.raises(RendererUnavailable, match="install embreex"):
        choose("embree")


def replace_renderers(monkeypatch: pytest.MonkeyPatch, **starts: Callable[[str | None], Any]) -> None:
    """Renderers of these names are started by these functions instead, wherever the list is read."""
    entries = tuple(replace(entry, start=starts.get(entry.name, entry.start)) for entry in RENDERERS)
    for module in (registry, probe):
        monkeypatch.setattr(module, "RENDERERS", entries)


class Named(ReferenceRenderer):
    """A renderer of another name, on another device."""

    def __init__(self, name: str, device: str, *, hardware: bool) -> None:
        self.name, self.device, self.capabilities = name, device, Capabilities(hardware=hardware)


def test_auto_takes_embree_also_if_a_gpu_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """On an H100 beside 16 cores a batch was 6 % faster with it at most: `feeding` of tests/benchmarks."""
    pytest.importorskip("embreex")
    on_gpu = Named("cuda", "cuda:0", hardware=True)
    replace_renderers(monkeypatch, cuda=lambda device: on_gpu)
    assert choose("auto").name == "layers (embree)"
    assert choose("auto").underlying is choose("embree")
    assert choose("auto", "cuda:0").underlying is on_gpu
    assert choose("auto") is choose("auto")


def test_auto_goes_on_to_what_is_left_and_its_result_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(device: str | None) -> Renderer:
        raise RendererUnavailable("not here")

    replace_renderers(monkeypatch, embree=broken, cuda=broken, gl=broken)
    assert (choose("auto").name, choose("auto").device) == ("layers (reference)", "numpy")
    with pytest.raises(RendererUnavailable, match="not here"):
        choose("gl")


class OnlyRenders(Renderer):
    """A renderer with nothing but what each must have; it looks at the middle of the nearest pixel."""

    name, device = "mine", "numpy"

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        return REFERENCE.render(view, bodies, None if pixels is None else np.round(pixels))


def test_a_renderer_of_one_method_is_all_that_python_must_give(tmp_path: Path) -> None:
    walled = silhouette.load_scene(scene(tmp_path))
    rows = silhouette.matrix(walled, renderer=OnlyRenders(), pixel=0.5, workers=2)
    expected = silhouette.matrix(walled, renderer="reference", pixel=0.5, workers=1)
    assert {row["renderer"] for row in rows} == {"mine"}
    assert [row["verdict"] for row in rows] == [row["verdict"] for row in expected]
    for ours, theirs in zip(rows, expected, strict=True):
        assert ours["occluded"] == pytest.approx(theirs["occluded"], abs=ours["error"] + theirs["error"])
    with pytest.raises(TypeError, match="render"):
        Renderer()  # type: ignore[abstract]


@pytest.mark.parametrize("given", [None, 3, SimpleNamespace(name="mine", device="numpy", sparse=True)])
def test_what_is_neither_a_renderer_nor_a_name_is_refused_in_one_line(given: Any, tmp_path: Path) -> None:
    line = r"renderer is of the type \w+; it must be a name, or a silhouette\.Renderer"
    with pytest.raises(RequestError, match=line):
        silhouette.matrix(scene(tmp_path), renderer=given)


def test_choosing_imports_no_opengl() -> None:
    script = (
        "import sys\nfrom silhouette.renderers import choose\n"
        "choose('auto')\n"
        "assert not {'pyrender', 'OpenGL', 'trimesh'} & set(sys.modules), set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=False)
    if "pyrender" in done.stderr and choose("auto").name == "gl":
        pytest.skip("there is no embree here")
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_the_doctor_tries_each_renderer_and_says_why_not() -> None:
    found = probe_renderers()
    assert list(dict.fromkeys(one.name for one in found)) == ["embree", "cuda", "gl", "reference"]
    assert found[-1].available
    for one in found:
        assert one.available == (one.reason == "")
        assert one.device


@pytest.mark.slow
def test_the_doctor_names_a_renderer_that_draws_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    liar = Named("embree", "CPU", hardware=False)
    monkeypatch.setattr(liar, "render", lambda view, bodies: Layer.empty((8, 8)))
    replace_renderers(monkeypatch, embree=lambda device: liar)
    monkeypatch.setattr(probe, "RENDERERS", probe.RENDERERS[:1])
    (first,) = probe_renderers()
    assert not first.available
    assert "wrongly" in first.reason
