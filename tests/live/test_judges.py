"""Tests of the worker processes: killed, busy, closed."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import SilhouetteError
from silhouette.files.cache import Cache
from silhouette.live.judges import TABLE_CLOSED_REASON, CheckQuestion, Desk, Judges, Start
from silhouette.renderers.views import View
from silhouette.scenes.scene import Check
from silhouette.workers import PATIENT, WORKER_LOST
from tests.support.live_clients import PATIENCE, client_of, processes_of
from tests.support.live_edits import table_of, written

KAL = CheckQuestion((Check("Kal", "Vex"),))


class Deadly:
    """A question that ends the process that is asked it."""

    def answered(self, _: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Slow:
    """A question that takes long."""

    def answered(self, _: object) -> None:
        import time

        time.sleep(600)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_fresh_process_is_started_with_what_the_others_judge_with() -> None:
    start = Start(Cache(None), "gl", "1", error=0.01, pixel=0.5)
    again = pickle.loads(pickle.dumps(start))
    assert (again.renderer, again.device, again.error, again.pixel) == ("gl", "1", 0.01, 0.5)


@pytest.mark.long
def test_a_process_that_is_killed_is_replaced_and_its_question_answered(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path), workers=1) as client:
            first = await client.done("check", pairs=[["Kal", "Vex"]])
            (before,) = processes_of(client.judges)
            os.kill(before, signal.SIGKILL)
            assert await client.done("check", pairs=[["Kal", "Vex"]]) == first
            asked = asyncio.create_task(client.done("check", pairs=[["Kal", "Vex"], ["Vex", "Kal"]] * 20))
            await asyncio.sleep(0.05)
            os.kill(processes_of(client.judges)[0], signal.SIGKILL)
            assert (await asked)["results"][0] == first["results"][0]
            assert before not in processes_of(client.judges)

    asyncio.run(main())


@pytest.mark.slow
def test_a_fork_server_that_is_killed_is_done_without(tmp_path: Path) -> None:
    """The next process is a fresh Python, which is sent the scene and its models; it answers alike."""
    table = table_of(written(tmp_path))

    async def main() -> None:
        async with Judges(table.scene, table.cache, workers=1) as judges:
            expected = await judges.ask(table.now, KAL)
            killed = [*processes_of(judges), *(server.pid for server in judges._pool._servers)]
            for process in killed:
                os.kill(process, signal.SIGKILL)
            for _ in range(2):
                assert await asyncio.wait_for(judges.ask(table.now, KAL), PATIENCE) == expected
            table.edit([{"piece": "Vex", "at": [0, 200.5]}])
            (answer,) = await asyncio.wait_for(judges.ask(table.now, KAL), PATIENCE)
            assert answer.row["target"] == "Vex"
            assert not set(killed) & set(processes_of(judges))

    asyncio.run(main())


@pytest.mark.slow
def test_a_question_that_ends_every_process_is_an_error_and_the_next_one_answered(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))

    async def main() -> None:
        async with Judges(table.scene, table.cache, workers=1) as judges:
            deadly = judges.ask(table.now, Deadly())
            with pytest.raises(SilhouetteError, match=WORKER_LOST):
                await asyncio.wait_for(deadly, PATIENCE)
            (answer,) = await asyncio.wait_for(judges.ask(table.now, KAL), PATIENCE)
            assert answer.row["target"] == "Vex"

    asyncio.run(main())


@pytest.mark.long
def test_after_an_error_the_same_pose_is_judged_again(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    wrong = CheckQuestion((Check("Kal", "nobody"),))

    async def main() -> None:
        async with Judges(table.scene, table.cache, workers=1) as judges:
            for _ in range(3):
                for question in (KAL, wrong, wrong, KAL):
                    asked = judges.ask(table.now, question)
                    if question is wrong:
                        with pytest.raises(SilhouetteError, match="nothing is called 'nobody'"):
                            await asked
                    else:
                        assert (await asked)[0].row["attacker"] == "Kal"
                for _ in range(6):  # more poses than a process keeps
                    table.edit([{"piece": "Vex", "at": [table.pose, 200.5]}])
                    await judges.ask(table.now, KAL)
                tried = judges.tried({"rules": "necromunda", "fighter": 3}, table.path)
                with pytest.raises(SilhouetteError, match="fighter is 3"):
                    await judges.ask(tried, KAL)
                await judges.ask(table.now, KAL)

    asyncio.run(main())


@pytest.mark.slow
def test_the_more_urgent_come_first_and_the_cancelled_not_at_all(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    order = list[str]()

    async def main() -> None:
        async with Judges(table.scene, table.cache, workers=1) as judges:
            asked = {
                name: judges.ask(table.now, KAL, urgency) for name, urgency in (("c", 5), ("a", 0), ("b", 1), ("x", 0))
            }
            for name, one in asked.items():
                one.add_done_callback(lambda _, name=name: order.append(name))
            asked["x"].cancel()
            await asyncio.gather(*(one for name, one in asked.items() if name != "x"))
            await asyncio.sleep(0)

    asyncio.run(main())
    assert order == ["x", "a", "b", "c"]


def test_closing_while_questions_are_under_way_leaves_no_process_and_no_question(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path)) as client:
            many = asyncio.create_task(client.ask("check", pairs=[["Kal", "Vex"]] * 10_000))
            slow = [client.judges.ask(client.table.now, Slow(), urgency=-1) for _ in range(2)]
            await asyncio.sleep(0.1)
            pids = processes_of(client.judges)
            assert all(map(_runs, pids))
        assert (await many)["error"] == TABLE_CLOSED_REASON
        for one in [*slow, client.judges.ask(client.table.now, KAL)]:
            with pytest.raises(SilhouetteError, match=TABLE_CLOSED_REASON):
                await one
        async with asyncio.timeout(PATIENCE):
            while any(map(_runs, pids)):
                await asyncio.sleep(0.01)

    asyncio.run(main())


@pytest.mark.slow
def test_a_long_request_does_not_keep_an_urgent_one_waiting(tmp_path: Path) -> None:
    async def main() -> None:
        async with client_of(written(tmp_path), workers=1) as client:
            many = asyncio.create_task(client.ask("check", pairs=[["Kal", "Vex"]] * 3000))
            await asyncio.sleep(0.2)
            await client.done("sight", attacker="Vex", target="Kal")
            assert not many.done()
            many.cancel()

    asyncio.run(main())


@dataclass(frozen=True)
class Counted:
    """A question that writes down that it was begun, and then looks for a while, so that it can be stopped."""

    name: str
    log: Path

    def answered(self, desk: Desk) -> str:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(self.name)
        view = View(np.zeros(3), np.eye(3)[[0, 2, 1]], -0.5, 0.5, 0.5, 2, 2)
        for _ in range(40):
            desk.renderer.render(view, [])
            time.sleep(0.01)
        return self.name


@pytest.mark.thinned(quick=0, ci=40)
@pytest.mark.parametrize("urgency, begun", [(PATIENT, "ab"), (PATIENT + 1, "ab"), (PATIENT - 1, "aba")])
def test_a_patient_question_gives_way_to_a_more_urgent_one_and_to_no_other(
    tmp_path: Path, urgency: int, begun: str
) -> None:
    table, log = table_of(written(tmp_path)), tmp_path / "log"

    async def main() -> None:
        async with Judges(table.scene, table.cache, workers=1) as judges:
            first = judges.ask(table.now, Counted("a", log), PATIENT)
            while not log.exists():
                await asyncio.sleep(0.01)
            second = judges.ask(table.now, Counted("b", log), urgency)
            assert await asyncio.wait_for(asyncio.gather(first, second), PATIENCE) == ["a", "b"]

    asyncio.run(main())
    assert log.read_text(encoding="utf-8") == begun
