"""What several test files share: where the real meshes and the worked cases lie, if they are there."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from silhouette.common import lazy
from silhouette.common.errors import RendererUnavailable
from silhouette.files.cache import DIRECTORY_VARIABLE
from silhouette.renderers import choose, embree, registry
from silhouette.renderers.cuda.devices import CPU, has_gpu, warp
from silhouette.renderers.protocol import Renderer
from silhouette.workers import starting
from tests.support.browsing import browser

settings.register_profile("suite", deadline=None)  # on a busy machine an example takes as long as it takes
settings.load_profile("suite")

__all__ = ["browser"]

PROJECT = Path(__file__).resolve().parents[1]

REQUIRE_GL = "SILHOUETTE_REQUIRE_GL"
"""The environment variable by which CI says that OpenGL, and every other renderer, must run."""

REQUIRE_CUDA = "SILHOUETTE_REQUIRE_CUDA"
"""The environment variable by which a GPU runner says that ``cuda`` must run, and on a GPU."""

collect_ignore = [f"mutation/{name}.py" for name in ("mutants", "run", "everywhere")]  # cosmic-ray, a system that forks

_KEPT = pytest.StashKey[str]()

TOOLS = ("support", "benchmarks", "fuzz", "mutation", "gold")
"""The folders of what the tests use: helpers and oracles, benchmarks, fuzzing, mutants, accepted figures."""

_MAY_BE_SLOW = re.compile(r"mark\.slow|mark\.thinned|browser|[(, ]renderer[,:]")
"""What stands in every file with a slow test: a mark, or a fixture that brings one."""

LARGE = 600 * 1024**2
"""Bytes of a process from which on it gives up after a file what was worked out once, for later files too."""

_large = [LARGE]
"""The same, but beyond what it took when it last did so."""

_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--long`` runs the tests with that mark, and no others: they would take CI past its quarter of an hour."""
    parser.addoption("--long", action="store_true", help="run the tests marked long, and no others")


@pytest.hookimpl(tryfirst=True)  # before -m is applied, and before pytest-randomly changes the order
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the cases of thinned tests for their steps; leaves out what is marked long, or with ``--long`` all else."""
    _thin(items)
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")  # a page is drawn in software
        if _tests_the_tests(item.path) and item.get_closest_marker("long") is None:
            item.add_marker("slow")
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    silent = [str(path) for path in sorted(slow) if not _may_be_slow(path, path.read_text(encoding="utf-8"))]
    assert not silent, f"-m slow would leave these files alone, since they name no mark of a slow test: {silent}"
    is_wanted = bool(config.getoption("--long"))
    kept, left_out = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        is_long = item.get_closest_marker("long") is not None
        (kept if is_long == is_wanted else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


@functools.cache
def _tests_the_tests(path: Path) -> bool:
    """Whether a file is no test of the package, but of what the tests use; CI's second step is early enough for it."""
    return path.is_relative_to(PROJECT / "tests") and path.relative_to(PROJECT / "tests").parts[0] in TOOLS


def _may_be_slow(path: Path, text: str) -> bool:
    return _tests_the_tests(path) or _MAY_BE_SLOW.search(text) is not None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Leaves files alone that have nothing to run: without doctests, and of ``-m slow`` those without slow tests."""
    collectors = yield
    if file_path.suffix != ".py":
        return collectors
    text = file_path.read_text(encoding="utf-8")
    is_quick = parent.config.option.markexpr == "slow" and not _tests_the_tests(file_path)
    if is_quick and not _may_be_slow(file_path, text):
        return []
    if is_quick or ">>>" not in text:
        return [collector for collector in collectors if not isinstance(collector, DoctestModule)]
    return collectors


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Exempts what is there by now from garbage collection.

    Ten thousand collected tests and all libraries would be looked through again each time, and copied into each
    forked process.
    """
    gc.collect()
    gc.freeze()


def _thin(items: list[pytest.Item]) -> None:
    """Of a test marked ``thinned`` marks the cases slow or long that README's command, or all of CI, leaves out.

    Of the cases of one test, in the order of their names, ``quick`` in a hundred stay as they are, evenly spread, and
    ``ci`` in a hundred run in CI at all: the others of these are slow, and the rest long. ``ci`` is 100 by default.
    """
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("thinned") is not None:
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        cases.sort(key=lambda item: item.nodeid)
        shares = cases[0].get_closest_marker("thinned").kwargs  # type: ignore[union-attr]
        quick, ci = shares["quick"], shares.get("ci", 100)
        assert 0 <= quick <= ci <= 100
        for number, item in enumerate(cases):
            place = _spread(number)
            if place >= ci:
                item.add_marker("long")
            elif place >= quick:
                item.add_marker("slow")


def _spread(number: int) -> float:
    """A place from 0 up to 100 for each case, so that the cases below any limit lie far apart; case 0 has the first.

    The golden ratio's multiples are spread over a circle as evenly as can be, and fall in with no period of parameters.
    """
    return 100.0 * (number * 0.6180339887498949 % 1.0)


def pytest_configure(config: pytest.Config) -> None:
    """Gives the run a cache folder of its own, which pytest-xdist's workers share; the user's is not touched.

    Workers share it because what is kept there takes seconds to make and is named by its content; many processes may
    write to it at once.
    """
    apart = ["renderers/gl/depth_pass"]  # imported without a context, it binds OpenGL to the platform of a display
    if find_spec("warp") is None:  # an extra, without which kernels cannot be imported for their doctests
        apart += [f"renderers/cuda/{name}" for name in ("areas", "cells", "kernels", "outlining", "sweeping")]
    ignored = [str(PROJECT / f"silhouette/{name}.py") for name in apart]
    config.option.ignore = [*(config.option.ignore or []), *ignored]
    if not hasattr(config, "workerinput"):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # workers and commands: no more threads than there are cores
        config.stash[_KEPT] = os.environ[DIRECTORY_VARIABLE] = tempfile.mkdtemp(prefix="silhouette-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Takes the run's cache folder away."""
    if _KEPT in config.stash:
        shutil.rmtree(config.stash[_KEPT], ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """After each file gives back what it has left: cycles, and what glibc's allocator holds free between what lives.

    A command raises the number of objects after which Python looks for cycles, and figures and meshes lie in them. What
    is left is exempt from the next look, as in `pytest_collection_finish`. Renderers with a graphics driver are closed,
    so that the next file's workers are forked again: started as a fresh Python each takes a second or two.
    """
    yield
    if nextitem is None or nextitem.path != item.path:
        _close_drivers()
        _forget_scenes(item)
        if is_large := _resident() > _large[0]:
            lazy.forget()
            embree._chunks.clear()  # up to 250 MB of meshes that are gone
            gc.unfreeze()  # what was exempt may be unreachable by now
        gc.collect()
        gc.freeze()
        if _TRIM is not None:
            _TRIM(0)
        if is_large:
            _large[0] = max(LARGE, _resident() + LARGE // 4)


def _close_drivers() -> None:
    """Closes the renderers that do not survive a fork; who chooses one again starts it anew."""
    for key, renderer in list(registry._started.items()):
        if not registry.survives_fork(renderer.name):
            del registry._started[key]
            renderer.close()


def _forget_scenes(item: pytest.Item) -> None:
    """Empties the caches that a file of tests has of its own: scenes, verdicts and models, for its tests alone."""
    if isinstance(item, pytest.Function):
        for value in vars(item.module).values():
            if isinstance(value, functools._lru_cache_wrapper) and value.__module__ == item.module.__name__:
                value.cache_clear()


def _resident() -> int:
    """The bytes of memory that this process takes; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


@pytest.fixture(autouse=True)
def _no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest-xdist gives its workers a width of terminal, at which tables would be folded."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session", autouse=True)
def _forks() -> Iterator[None]:
    """Workers are forked as in a process of the user's own, in a tenth of a second less than a fresh Python takes.

    pytest-xdist has threads, and the tests of all renderers have been imported: neither stands in the way of a fork as
    long as no renderer with a graphics driver was started here. Nor does Embree's second thread, which waits for work
    whenever a test starts processes; pytest-xdist's keep it from being ended before.
    """
    threads = starting.python_threads

    def waiting() -> int:
        return sum(thread.name.startswith("embree") for thread in threading.enumerate())

    def drivers() -> bool:
        if has_gpu() and warp.cache_info().currsize:  # CUDA is not left when its renderer is closed
            return True
        return any(not registry.survives_fork(renderer.name) for renderer in registry._started.values())

    with pytest.MonkeyPatch.context() as patch:
        own = threads() - 1
        patch.setattr(starting, "python_threads", lambda: threads() - own - waiting())
        patch.setattr(starting, "drivers_are_loaded", drivers)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real meshes, rules and worked cases beside the project."""
    folder = PROJECT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared (real meshes and worked cases), which is not here")
    return folder


FURTHER = ("cuda", "gl", "reference")
"""The renderers beside Embree. All of them hold one contract, with all its cases: `tests/renderers`."""

_IN_PART = pytest.mark.thinned(quick=0, ci=10)
_WHOLE = "cuda" if os.environ.get(REQUIRE_CUDA) else None
"""The renderer for whose sake a GPU runner tests: with it all cases run."""


@pytest.fixture(
    scope="module",
    params=[
        "embree",
        *(
            pytest.param(name, id="opengl" if name == "gl" else name, marks=_IN_PART if name != _WHOLE else ())
            for name in FURTHER
        ),
    ],
)
def renderer(request: pytest.FixtureRequest) -> Renderer:
    """Embree, and for some of the cases each of the others, as `started` starts it."""
    return started(request.param)


def started(name: str) -> Renderer:
    """The renderer, ``cuda`` on `cuda_device`; where it does not run, the test is skipped or fails: `unavailable`."""
    try:
        return choose(name, cuda_device() if name == "cuda" else None)
    except RendererUnavailable as reason:
        unavailable(name, reason)


def cuda_device() -> str | None:
    """The device on which ``cuda`` is tested: None for the first GPU where there is one, or must be; else the CPU."""
    return None if has_gpu() or os.environ.get(REQUIRE_CUDA) else CPU


def unavailable(name: str, reason: object) -> NoReturn:
    """Skips the test, or fails it where a variable says that the renderer of that name must run here."""
    if os.environ.get(REQUIRE_GL):
        pytest.fail(f"every renderer must run here, but {reason}")
    if name == "cuda" and os.environ.get(REQUIRE_CUDA):
        pytest.fail(f"{REQUIRE_CUDA} is set, and cuda does not run on a GPU: {reason}")
    pytest.skip(str(reason))
