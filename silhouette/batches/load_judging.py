"""MANY: the work of a process that judges what others have read, checks of many scenes at once, on a device.

Load -> scenes and checks -> judged all at once -> rows, each with the number of its chunk
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from silhouette.batches.carried import Load, Parcel, Told
from silhouette.batches.chunks import ChunkJudge
from silhouette.batches.opening import Opener
from silhouette.batches.row_making import RowMaker
from silhouette.batches.settings import BatchSettings
from silhouette.errors import RendererUnavailable
from silhouette.files.cache import CACHED_TRIANGLES
from silhouette.groups import TOGETHER
from silhouette.judging import Request
from silhouette.models.model import Model
from silhouette.scenes.carrying import Name, unpacked_model, unpacked_scene
from silhouette.text import Row
from silhouette.workers import worker_number

KEPT_SCENES = 64
"""The number of scenes that stay in memory from load to load."""


class LoadJudge:
    """Judges loads in one process, on a device of its own, or on one that another process holds.

    Args:
        settings: how every scene is judged.
        devices: the names of the devices, one for each process; None leaves it to the renderer.
        held: where processes hold the devices, the address and the key of each; then several ask the same.
        apart: whether each check is judged by itself: where there is a timeout, it is that of one check.
    """

    def __init__(
        self,
        settings: BatchSettings,
        devices: Sequence[str | None],
        held: Sequence[tuple[str, bytes]] = (),
        *,
        apart: bool = False,
    ) -> None:
        settings = replace(settings, device=devices[worker_number() % len(devices)])
        self._settings = settings
        self._opener = Opener(settings)
        starts = partial(_served, *held[worker_number() % len(held)]) if held else None
        self._judge = ChunkJudge(settings, number=0, together=1 if apart else TOGETHER, starts=starts)
        self._apart = apart
        self._models: OrderedDict[str, Model] = OrderedDict()
        self._scenes: OrderedDict[tuple[str, str], Any] = OrderedDict()

    def __call__(self, load: Load) -> Iterator[Told | tuple[int, Row]]:
        """What the process says of itself, then the rows of the checks, each with the number of its parcel."""
        try:
            renderer = self._judge.start()
        except RendererUnavailable as error:
            yield 0, {"unavailable": str(error)}
            return
        lacking = self._keep(load.models)
        read = {number: self._unpacked(parcel, lacking) for number, parcel in enumerate(load.parcels)}
        together = 1 if self._apart else renderer.capabilities.checks_together or TOGETHER
        yield Told(together, frozenset(lacking))
        maker = RowMaker(self._settings, renderer, self._opener)
        at_once = [number for number, own in read.items() if own and not self._is_apart(load.parcels[number])]
        requests = [(number, request) for number in at_once for request in read[number] or ()]
        rows = maker.rows([request for _, request in requests], len(requests)) if requests else ()
        yield from zip((number for number, _ in requests), rows, strict=True)
        for number, own in read.items():
            if number in at_once:
                continue
            chunk = load.parcels[number].chunk
            rows_apart = self._judge(chunk) if own is None else maker.rows(own, 1, chunk.failure)
            yield from ((number, row) for row in rows_apart)

    def _is_apart(self, parcel: Parcel) -> bool:
        return self._apart or parcel.chunk.one_by_one or bool(parcel.chunk.failure)

    def _keep(self, models: Mapping[str, bytes]) -> set[str]:
        """Keeps models; the names of those that there is no more room for."""
        for name, content in models.items():
            self._models[name] = unpacked_model(content, self._opener.cache)
        size = sum(len(model.mesh.faces) for model in self._models.values())
        dropped = set[str]()
        while size > CACHED_TRIANGLES and len(self._models) > len(models):
            name, model = self._models.popitem(last=False)
            size -= len(model.mesh.faces)
            dropped.add(name)
        return dropped

    def _unpacked(self, parcel: Parcel, lacking: set[str]) -> list[Request] | None:
        """The checks of a parcel, with their scene; None if they must be read. Adds the names of models that lack."""
        key = parcel.chunk.scene, parcel.chunk.digest
        if not parcel.content:
            return None
        if key not in self._scenes:
            try:
                self._scenes[key] = unpacked_scene(parcel.content, lambda name: self._called(name, lacking))
            except KeyError:
                return None
            while len(self._scenes) > KEPT_SCENES:
                self._scenes.popitem(last=False)
        self._scenes.move_to_end(key)
        return [(self._scenes[key], check) for check in parcel.checks()]

    def _called(self, name: Name, lacking: set[str]) -> Model:
        if str(name) not in self._models:
            lacking.add(str(name))
        self._models.move_to_end(str(name))
        return self._models[str(name)]


def _served(address: str, key: bytes) -> Any:
    """The renderer whose device another process holds."""
    from silhouette.renderers.cuda.served import ServedRenderer

    return ServedRenderer(address, key)
