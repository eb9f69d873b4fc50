"""RENDER: the one list of renderers, and the choice among them. A new renderer is one file and one entry here."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from silhouette.errors import RendererUnavailable, RequestError

if TYPE_CHECKING:
    from silhouette.renderers.protocol import Renderer


@dataclass(frozen=True)
class Trial:
    """One way in which `silhouette doctor` tries a renderer.

    Attributes:
        label: the device that it would run on, in words, for a renderer that does not start.
        platform: the value for PYOPENGL_PLATFORM, "egl" or "osmesa"; empty for a renderer without OpenGL.
        device: the number of the device; None where the renderer has one only.
    """

    label: str
    platform: str = ""
    device: int | None = None


@dataclass(frozen=True)
class RendererEntry:
    """The facts about a renderer that are known before it is started.

    Attributes:
        name: as the option ``--renderer`` spells it.
        start: starts it, on the device of that number or, for None, on the one that it chooses itself; raises
            `RendererUnavailable` where it cannot run here.
        trials: the ways in which it is to be tried, one for each of its devices.
        driver: the module that loads its graphics driver; empty for a renderer that has none. A process in which a
            driver is loaded cannot be forked: the driver's threads and its connection to the device do not survive it.
        has_devices: whether ``--device`` has a meaning for it.
        has_gpu: whether it would run on a GPU of this machine; nothing is started to find out.
        device_for_worker: the number of the device for worker n, from 0, of a pool; None leaves it to the renderer.
    """

    name: str
    start: Callable[[int | None], Renderer]
    trials: Callable[[], Sequence[Trial]]
    driver: str = ""
    has_devices: bool = False
    has_gpu: Callable[[], bool] = lambda: False
    device_for_worker: Callable[[int], int | None] = lambda worker: None

    @property
    def survives_fork(self) -> bool:
        """Whether a process in which it was started can be forked, and the fork go on with it."""
        return not self.driver


def _start_embree(device: int | None) -> Renderer:
    from silhouette.renderers.embree import EmbreeRenderer

    return EmbreeRenderer()


def _start_gl(device: int | None) -> Renderer:
    from silhouette.renderers.gl.renderer import GLRenderer

    return GLRenderer.create(device=device)


def _start_reference(device: int | None) -> Renderer:
    from silhouette.renderers.reference import ReferenceRenderer

    return ReferenceRenderer()


def _gl_trials() -> list[Trial]:
    """EGL on each of its devices, and OSMesa."""
    from silhouette.renderers.gl.devices import listed_devices

    numbers: list[int | None] = [None]
    with suppress(RendererUnavailable):
        numbers = [device.index for device in listed_devices()]
    return [*(Trial("EGL", "egl", number) for number in numbers), Trial("OSMesa", "osmesa")]


def _gl_has_gpu() -> bool:
    from silhouette.renderers.gl.devices import has_gpu

    return os.environ.get("PYOPENGL_PLATFORM", "egl") == "egl" and has_gpu()


def _gl_device_for_worker(worker: int) -> int | None:
    from silhouette.renderers.gl.devices import shared_out

    return shared_out(worker)


RENDERERS: tuple[RendererEntry, ...] = (
    RendererEntry("embree", _start_embree, lambda: [Trial("CPU")]),
    RendererEntry(
        "gl",
        _start_gl,
        _gl_trials,
        driver="OpenGL",
        has_devices=True,
        has_gpu=_gl_has_gpu,
        device_for_worker=_gl_device_for_worker,
    ),
    RendererEntry("reference", _start_reference, lambda: [Trial("numpy")]),
)
"""Every renderer, in the order in which "auto" tries them where none runs on a GPU."""


def choose(name: str = "auto", device: int | None = None) -> Renderer:
    """The renderer of that name, started; on the device of that number, as ``silhouette doctor`` counts them.

    "auto" takes the first of `RENDERERS` that would run on a GPU here, else the first that starts; which one it was
    stands in the renderer's ``name`` and ``device``. Any other name is that renderer or an error. Where a device is
    given, "auto" takes the renderer that has devices.

    Raises:
        RequestError: where there is no renderer of that name, or a device is given and it has none.
        RendererUnavailable: where the one named cannot run on this machine, or there is no such device.

    >>> choose("reference").device
    'numpy'
    >>> choose("refrence")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: no renderer 'refrence'; did you mean 'reference'? ...
    """
    check_name(name, device)
    if name != "auto":
        return _entry(name).start(device)
    if device is not None:
        return next(entry for entry in RENDERERS if entry.has_devices).start(device)
    return _start_best()


def check_name(name: str, device: int | None = None) -> None:
    """Refuses a renderer that does not exist, and a device for one that has none; nothing is started to find out.

    Raises:
        RequestError: where the name or the device is refused.

    >>> check_name("embree", device=1)
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: device 1 is asked for, but embree has no devices; gl has
    """
    names = ["auto", *(entry.name for entry in RENDERERS)]
    if name not in names:
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean '{close[0]}'? " if close else ""
        raise RequestError(f"no renderer '{name}'; {hint}there are {', '.join(names)}")
    with_devices = [entry.name for entry in RENDERERS if entry.has_devices]
    if device is not None and name not in ("auto", *with_devices):
        raise RequestError(f"device {device} is asked for, but {name} has no devices; {', '.join(with_devices)} has")


def survives_fork(name: str) -> bool:
    """Whether processes that are forked may go on with the renderer of that name; "auto" may choose one that does.

    >>> [survives_fork(name) for name in ("auto", "embree", "gl")]
    [True, True, False]
    """
    return all(entry.survives_fork for entry in RENDERERS if entry.name == name)


def drivers_are_loaded() -> bool:
    """Whether this process has loaded a graphics driver, and so must not be forked."""
    return any(entry.driver in sys.modules for entry in RENDERERS if entry.driver)


def device_for_worker(name: str, worker: int) -> int | None:
    """The device on which worker n, from 0, of a pool starts the renderer; None leaves it to the renderer."""
    entries = [entry for entry in RENDERERS if name in ("auto", entry.name)]
    return next((entry.device_for_worker(worker) for entry in entries if entry.has_devices), None)


def _entry(name: str) -> RendererEntry:
    return next(entry for entry in RENDERERS if entry.name == name)


def _start_best() -> Renderer:
    for entry in RENDERERS:
        if entry.has_gpu():
            with suppress(RendererUnavailable):
                renderer = entry.start(None)
                if getattr(renderer, "hardware", False):
                    return renderer
    for entry in RENDERERS:
        with suppress(RendererUnavailable):
            return entry.start(None)
    raise RendererUnavailable("no renderer runs here, not even the one in numpy")


@cache
def looking_between_pixels() -> Renderer:
    """A renderer that looks at any place of a picture, for what one that draws whole pictures cannot answer."""
    try:
        return choose("embree")
    except RendererUnavailable:
        return choose("reference")
