"""RENDER: the one list of renderers, and the choice among them. A new renderer is one file and one entry here.

A process has one started renderer of each name and device, which all who choose it share.
"""

from __future__ import annotations

import atexit
import difflib
import os
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from silhouette.common.errors import RendererUnavailable, RequestError
from silhouette.renderers.cuda import devices as cuda
from silhouette.renderers.embree import EmbreeRenderer
from silhouette.renderers.gl import context as gl
from silhouette.renderers.protocol import LayersRenderer, Renderer
from silhouette.renderers.reference import ReferenceRenderer


@dataclass(frozen=True)
class RendererTrial:
    """One way in which `silhouette doctor` tries a renderer."""

    label: str  # the device that it would run on, in words, for a renderer that does not start
    platform: str = ""  # the value for PYOPENGL_PLATFORM, "egl" or "osmesa"; empty for a renderer without OpenGL
    device: str = ""  # the name of the device, as ``--device`` spells it; empty where the renderer has one only


@dataclass(frozen=True)
class RendererEntry:
    """The facts about a renderer that are known before it is started."""

    name: str  # as the option ``--renderer`` spells it
    # Starts it, on the device of that name or, for None, on the one that it chooses itself; raises
    # `RendererUnavailable` where it cannot run here
    start: Callable[[str | None], Renderer]
    trials: Callable[[], Sequence[RendererTrial]]  # the ways in which it is to be tried, one for each of its devices
    # The module that loads its graphics driver; empty for a renderer that has none. A process in which a driver is
    # loaded cannot be forked: the driver's threads and its connection to the device do not survive it.
    driver: str = ""
    # The names of its devices, as ``--device`` takes them: a regular expression; empty where it has one device only
    devices: str = ""
    # The name of the device for worker n, from 0, of a pool; None leaves it to the renderer
    device_for_worker: Callable[[int], str | None] = lambda worker: None

    @property
    def survives_fork(self) -> bool:
        """Whether a process in which it was started can be forked, and the fork go on with it."""
        return not self.driver

    def takes(self, device: str) -> bool:
        """Whether a device of that name can be one of its devices, on some machine."""
        return bool(self.devices) and re.fullmatch(self.devices, device) is not None


def _start_cuda(device: str | None) -> Renderer:
    from silhouette.renderers.cuda.renderer import CudaRenderer  # not before it is chosen

    return CudaRenderer.create(device)


def _start_gl(device: str | None) -> Renderer:
    from silhouette.renderers.gl.renderer import GLRenderer  # not before it is chosen

    return GLRenderer.create(device=None if device is None else int(device))


def _gl_trials() -> list[RendererTrial]:
    """EGL on each of its devices, and OSMesa."""
    names = [""]
    with suppress(RendererUnavailable):
        names = [str(device.index) for device in gl.listed_devices()]
    return [*(RendererTrial("EGL", "egl", name) for name in names), RendererTrial("OSMesa", "osmesa")]


def _cuda_trials() -> list[RendererTrial]:
    """Each CUDA device, or why there is none, and the CPU; where the extra is missing, that alone."""
    if not cuda.is_installed():
        return [RendererTrial("CUDA")]
    names = list[str]()
    with suppress(RendererUnavailable):
        names = [device.name for device in cuda.listed_devices() if device.is_gpu]
    return [*(RendererTrial("CUDA", device=name) for name in names or [""]), RendererTrial("CPU", device=cuda.CPU)]


def _gl_device_for_worker(worker: int) -> str | None:
    number = gl.shared_out(worker)
    return None if number is None else str(number)


RENDERERS: tuple[RendererEntry, ...] = (
    RendererEntry("embree", lambda device: EmbreeRenderer(), lambda: [RendererTrial("CPU")]),
    RendererEntry(
        "cuda",
        _start_cuda,
        _cuda_trials,
        driver="warp",
        devices=r"cpu|cuda:\d+",
        device_for_worker=lambda worker: cuda.shared_out(worker),
    ),
    RendererEntry(
        "gl",
        _start_gl,
        _gl_trials,
        driver="OpenGL",
        devices=r"\d+",
        device_for_worker=_gl_device_for_worker,
    ),
    RendererEntry("reference", lambda device: ReferenceRenderer(), lambda: [RendererTrial("numpy")]),
)
"""Every renderer, in the order in which "auto" tries them. Embree is first: on an H100 beside 16 cores a batch was 6 %
faster with cuda at most, and a map took twice as long (tests/benchmarks)."""

CHOOSING = ("PYOPENGL_PLATFORM", "EGL_DEVICE_ID")
"""The variables of the environment by which a renderer chooses its device; where they change, another is started."""

_started: dict[tuple[object, ...], Renderer] = {}
"""The renderers of this process, by those among which was chosen, the device that was asked for, and `CHOOSING`."""

_by_layers: WeakKeyDictionary[Renderer, LayersRenderer] = WeakKeyDictionary()
"""Those that count by layers, by the renderers whose rays they use."""

_starting = threading.RLock()  # two threads that choose one renderer at once start one


def choose(name: str = "auto", device: str | None = None) -> Renderer:
    """The renderer of that name, started; on the device of that name, as ``silhouette doctor`` lists them.

    It is started once in each process, and then shared by all who ask for it, in any thread; it is closed when the
    process ends. A process that is forked starts its own. One that was closed is started anew.

    "auto" counts by layers, and takes for the few rays that this needs the first of `RENDERERS` that starts here; which
    one it was stands in the renderer's ``name`` and ``device``. Where a device is given, it takes the renderer whose
    devices have such names. Any other name is that renderer, or an error; it counts by its rays, but for one that
    counts by layers itself.

    Raises:
        RequestError: where there is no renderer of that name, or a device is given and it has none.
        RendererUnavailable: where the one named cannot run on this machine, or there is no such device.

    >>> choose("reference").device
    'numpy'
    >>> choose("refrence")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: no renderer 'refrence'; did you mean 'reference'? ...
    """
    check_name(name, device)
    entries = _called(name)
    rays = _shared(entries if device is None else [entry for entry in entries if entry.takes(device)][:1], device)
    if name != "auto" and not rays.capabilities.counts_areas:
        return rays
    with _starting:
        if rays not in _by_layers:
            _by_layers[rays] = LayersRenderer(rays)
        return _by_layers[rays]


def started(renderer: str | Renderer) -> Renderer:
    """A renderer as Python gives it: by its name, for `choose`, or started already.

    Raises:
        RequestError: if it is neither; and as `choose` does.
        RendererUnavailable: if the one named cannot run on this machine.

    >>> started(started("reference")).name
    'reference'
    >>> started(3)
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: renderer is of the type int; it must be a name, or a silhouette.Renderer
    """
    if isinstance(renderer, str):
        return choose(renderer)
    if not isinstance(renderer, Renderer):
        raise RequestError(
            f"renderer is of the type {type(renderer).__name__}; it must be a name, or a silhouette.Renderer"
        )
    return renderer


def close_all() -> None:
    """Closes the renderers that this process has started; whoever chooses one again starts it anew."""
    with _starting:
        while _started:
            _, renderer = _started.popitem()
            renderer.close()


atexit.register(close_all)


def _after_fork() -> None:
    """Lets go of the renderers of the process from which this one was forked, without a call to any of them."""
    global _starting
    _starting = threading.RLock()  # another thread may have held it
    _started.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def check_name(name: str, device: str | None = None) -> None:
    """Refuses a renderer that does not exist, and a device for one that has none such; nothing is started to find out.

    Raises:
        RequestError: where the name or the device is refused.

    >>> check_name("embree", device="1")
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: device 1 is asked for, but embree has no devices; cuda and gl have
    >>> check_name("cuda", device="1")
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: cuda has no device named '1'; silhouette doctor lists those that there are
    """
    entries = _called(name)
    if not entries:
        names = ["auto", *(entry.name for entry in RENDERERS)]
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean '{close[0]}'? " if close else ""
        raise RequestError(f"no renderer '{name}'; {hint}there are {', '.join(names)}")
    if device is None or any(entry.takes(device) for entry in entries):
        return
    if any(entry.devices for entry in entries):
        of_none = "no renderer has a" if name == "auto" else f"{name} has no"
        raise RequestError(f"{of_none} device named '{device}'; silhouette doctor lists those that there are")
    with_devices = " and ".join(entry.name for entry in RENDERERS if entry.devices)
    raise RequestError(f"device {device} is asked for, but {name} has no devices; {with_devices} have")


def survives_fork(name: str) -> bool:
    """Whether processes that are forked may go on with the renderer of that name; "auto" may choose one that does.

    >>> [survives_fork(name) for name in ("auto", "embree", "cuda", "gl")]
    [True, True, False, False]
    """
    return all(entry.survives_fork for entry in RENDERERS if entry.name == name)


def device_for_worker(name: str, worker: int) -> str | None:
    """The device on which worker n, from 0, of a pool starts the renderer; None leaves it to the renderer."""
    return next((device for entry in _called(name) if (device := entry.device_for_worker(worker)) is not None), None)


def may_take_gpu(name: str, device: str | None = None) -> bool:
    """Whether the renderer of that name, on that device, may look for a GPU on some machine.

    >>> [may_take_gpu(name) for name in ("auto", "embree", "cuda", "gl", "reference")], may_take_gpu("cuda", "cpu")
    ([False, False, True, True, False], False)
    >>> may_take_gpu("auto", "cuda:0")
    True
    """
    return device != "cpu" and (name != "auto" or device is not None) and any(entry.devices for entry in _called(name))


def _called(name: str) -> list[RendererEntry]:
    """The renderers of that name: all for "auto", none for a name that none has."""
    return [entry for entry in RENDERERS if name in ("auto", entry.name)]


def _shared(entries: Sequence[RendererEntry], device: str | None) -> Renderer:
    """The renderer of this process that is the best of some, started where it is not there yet.

    Raises:
        RendererUnavailable: where none of them starts.
    """
    key = tuple(entries), device, *map(os.environ.get, CHOOSING)
    with _starting:
        renderer = _started.get(key)
        if renderer is None or renderer.is_closed:
            renderer = entries[0].start(device) if len(entries) == 1 else _best(entries)
            _started[key] = renderer
        return renderer


def _best(entries: Sequence[RendererEntry]) -> Renderer:
    """The first of several renderers that starts."""
    for entry in entries:
        with suppress(RendererUnavailable):
            return _shared([entry], None)
    raise RendererUnavailable("no renderer runs here, not even the one in numpy")


def looking_between_pixels() -> Renderer:
    """A renderer that looks at any place of a picture, for what one that draws whole pictures cannot answer."""
    try:
        return choose("embree")
    except RendererUnavailable:
        return choose("reference")
