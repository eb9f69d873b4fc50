"""What the process that holds a device answers: see tests/measure/test_on_device.py for its counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from silhouette.errors import DeviceLost, RendererUnavailable
from silhouette.measure.on_device import serving
from silhouette.measure.on_device.sampled import SampledOnDevice
from silhouette.measure.on_device.serving import Client, DeviceService
from silhouette.renderers.cuda.served import ServedRenderer
from silhouette.renderers.protocol import Body, Cast
from silhouette.workers import content
from silhouette.workers.content import Lacking
from silhouette.workers.process import FAILED
from tests.conftest import started
from tests.measure.test_atlas import HERE, PICTURES
from tests.support import shapes
from tests.support.devices import served

pytest.importorskip("warp")

MESHES = [shapes.box((100, -5, -5 - number), (101, 5, 5)) for number in range(4)]
"""Four meshes of 12 faces."""


class Linked(ServedRenderer):
    """A renderer whose device this process holds: its questions are answered at once, and noted."""

    def __init__(self, service: DeviceService) -> None:
        self.service, self.client = service, Client()
        self.asked = list[tuple[str, int]]()

    def ask(self, *question: Any, sent: Mapping[str, bytes] = MappingProxyType({})) -> Any:
        self.asked.append((question[0], len(sent)))
        content.receive(sent, ())
        (answer,) = self.service.work(self.client, question)
        return answer


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> DeviceService:
    monkeypatch.setattr(content, "_packed", {})
    monkeypatch.setattr(content, "_unpacked", {})
    return DeviceService(lambda: started("cuda"), 2)  # type: ignore[arg-type, return-value]


def cast_at(*numbers: int) -> list[Cast]:
    places = np.argwhere(np.ones((60, 80))).astype(np.float64)
    return [Cast(PICTURES[0].view, Body(1, MESHES[number], HERE), places) for number in numbers]


def sampled(renderer: Any) -> SampledOnDevice:
    one = PICTURES[0]
    reached = np.ones((-(-one.view.height // 16), -(-one.view.width // 16)), dtype=np.bool_)
    return SampledOnDevice([one], [reached], 16, renderer, np.zeros(1, dtype=np.intp))


def test_meshes_are_sent_once_for_all_that_ask(service: DeviceService) -> None:
    first, second = Linked(service), Linked(service)
    expected = started("cuda").depths(cast_at(0, 1, 0))
    assert np.isfinite(expected).any()
    for renderer in (first, second, first):
        assert np.array_equal(renderer.depths(cast_at(0, 1, 0)), expected)
    assert first.asked == [("cast", 0), ("cast", 2), ("cast", 0)]
    assert second.asked == [("cast", 0)]


def test_meshes_for_which_there_is_no_room_are_sent_again(
    service: DeviceService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where those of one question have none: they are kept until it is answered."""
    monkeypatch.setattr(service._sent, "room", 12)
    renderer = Linked(service)
    for numbers in ((0, 1, 2), (3,), (2, 1), (3, 0)):
        assert np.array_equal(renderer.depths(cast_at(*numbers)), started("cuda").depths(cast_at(*numbers)))
    assert renderer.asked == [("cast", 0), ("cast", 3), ("cast", 0), ("cast", 1), *[("cast", 0), ("cast", 2)] * 2]
    with pytest.raises(Lacking):
        next(service.work(renderer.client, ("cast", *_rows(1))))


def _rows(number: int) -> tuple[Any, ...]:
    found = list[Any]()

    class Noting(Linked):
        def ask(self, *question: Any, sent: Mapping[str, bytes] = MappingProxyType({})) -> Any:
            found[:] = question[1:]
            return np.zeros(1)

    Noting(None).depths(cast_at(number))  # type: ignore[arg-type]
    return tuple(found)


def test_who_describes_anew_lets_go_of_what_was_described_before(service: DeviceService) -> None:
    renderer = Linked(service)
    before = sampled(renderer)
    counts = before.counts
    after = sampled(renderer)
    assert np.array_equal(after.counts, counts)
    assert counts.sum() > 0
    with pytest.raises(AssertionError, match="described before others"):
        before.blockers()
    other = sampled(Linked(service))
    assert np.array_equal(after.blockers()[0], other.blockers()[0])


def test_errors_come_back_and_the_process_goes_on() -> None:
    with served(1) as renderer:
        for _ in range(2):
            with pytest.raises(TypeError, match="missing 3 required"):
                renderer.ask("cells")
            with pytest.raises(AssertionError):
                renderer.ask("cells", 3, "blockers", ())
        assert renderer.ask("facts").device_name == renderer.device_name


def test_a_device_that_fails_is_started_anew_by_another_process(
    service: DeviceService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an error of CUDA nothing works in its process any longer; a memory that is full is no such error."""
    pipes = serving.Pipe()
    for problem, has_failed in (
        (serving.DeviceFull("cuda: the memory of cuda:0 is full"), False),
        (RendererUnavailable("cuda: cuda:0 failed: CUDA error 719"), True),
    ):

        def failing(*given: Any, problem: Exception = problem) -> Any:
            raise problem

        connected = {pipes[0]: Client()}
        monkeypatch.setattr(service, "_of_cells", failing)
        pipes[1].send((("cells", 1, "blockers", ()), {}, ()))
        serving.answer_next(pipes[0], connected, service)
        assert service.has_failed is has_failed
        kind, error = pipes[1].recv()
        assert kind == FAILED
        assert str(error) == str(problem)
    pipes[1].close()
    serving.answer_next(pipes[0], connected, service)
    assert not connected


def test_memory_is_shared_among_those_that_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer: Any = started("cuda")
    able = replace(started("cuda").capabilities, checks_together=2048, pixels_together=6_000_000)
    monkeypatch.setattr(renderer, "capabilities", able)
    services = [DeviceService(lambda: renderer, clients) for clients in (1, 4, 100)]
    facts = [next(service.work(Client(), ("facts",))) for service in services]
    shares = [(one.capabilities.checks_together, one.capabilities.pixels_together) for one in facts]
    assert shares == [(2048, 6_000_000), (512, 1_500_000), (256, 60_000)]


def test_an_answer_that_does_not_come_is_an_error() -> None:
    with served(1) as renderer:
        assert renderer._connection is not None
        renderer._connection.close()
        with pytest.raises(DeviceLost):
            renderer.ask("facts")
        assert renderer.ask("facts").device_name == renderer.device_name
