"""Clients that ask for too much or make no sense are refused, and a good client beside them notices nothing."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import AsyncExitStack, suppress

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from silhouette.live.server.connections import Limits
from tests.support.live_server import PATIENCE, Guest, serving


def test_a_message_of_10_mb_ends_its_client_alone() -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as good, here.good() as bad:
            with suppress(ConnectionClosed):
                await bad.say({"id": 1, "do": "state", "more": "x" * 10_000_000})
            assert await bad.closed() == 1009
            await good.still_answers()
            assert (await good.ask("state", more="x" * 900_000))["done"] == "state"

    asyncio.run(scenario())


def test_who_has_no_token_may_not_even_send_much() -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as good, here.knocking() as connection:
            with suppress(ConnectionClosed):
                await connection.send(json.dumps({"token": "x" * 100_000}))
            assert await Guest(connection).closed() == 1006
            assert await here.asked(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000) == b""
            await good.still_answers()

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_thousand_connections_that_say_nothing_keep_nobody_out() -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        async with serving() as here, here.good() as good:
            silent = []
            for number in range(1000):
                one = socket.socket()
                one.setblocking(False)
                silent.append(one)
                await loop.sock_connect(one, ("127.0.0.1", here.port))
                if number % 200 == 0:
                    await good.still_answers()
            await good.still_answers()
            async with here.good() as another:
                await another.still_answers()
            assert sum(map(has_ended, silent)) >= 1000 - Limits().newcomers
            for one in silent:
                one.close()
            await good.still_answers()

    asyncio.run(scenario())


def test_a_thousand_sockets_without_a_token_keep_nobody_out() -> None:
    async def scenario() -> None:
        async with serving(Limits(newcomers=20)) as here, here.good() as good:

            async def knock() -> None:
                with suppress(WebSocketException, OSError):
                    async with here.knocking() as connection:
                        await connection.wait_closed()

            knocking = [asyncio.create_task(knock()) for _ in range(200)]
            await asyncio.sleep(0.5)
            await good.still_answers()
            async with here.good() as another:
                await another.still_answers()
            for task in knocking:
                task.cancel()
            await asyncio.gather(*knocking, return_exceptions=True)

    asyncio.run(scenario())


def test_clients_above_their_number_are_refused_until_one_goes() -> None:
    async def scenario() -> None:
        async with serving(Limits(clients=3)) as here, AsyncExitStack() as others:
            good = await others.enter_async_context(here.good())
            await others.enter_async_context(here.good())
            async with here.good():
                with pytest.raises(InvalidStatus) as refused:
                    async with here.good():
                        pass
                assert refused.value.response.status_code == 503
                await good.still_answers()
            async with here.good() as another:
                await another.still_answers()

    asyncio.run(scenario())


def test_who_comes_in_when_the_last_place_goes_is_told_to_try_again() -> None:
    async def scenario() -> None:
        async with serving(Limits(clients=1)) as here, here.knocking() as late, here.good() as good:
            await Guest(late).say({"token": here.token})
            assert await Guest(late).closed() == 1013
            await good.still_answers()

    asyncio.run(scenario())


def test_a_client_that_never_reads_is_dropped_and_delays_nobody() -> None:
    async def scenario() -> None:
        async with serving(Limits(unsent=4_000_000)) as here, here.good() as good, here.good() as bad:
            bad.stops_reading()
            for number in range(40):
                with suppress(ConnectionClosed):
                    await bad.say({"id": number, "do": "state", "fill": 500_000})
                await good.still_answers()
            for _ in range(100):
                if here.sessions[1].closed:
                    break
                await good.still_answers()
                await asyncio.sleep(0.02)
            assert here.sessions[1].closed
            assert not here.sessions[0].closed

    asyncio.run(scenario())


def test_a_client_that_reads_nothing_of_little_is_dropped_after_a_while() -> None:
    async def scenario() -> None:
        async with serving(Limits(stalled=0.3)) as here, here.good() as good, here.good() as bad:
            bad.stops_reading()
            for number in range(20):
                await bad.say({"id": number, "do": "state", "fill": 500_000})
            await asyncio.sleep(0.8)
            assert here.sessions[1].closed
            await good.still_answers()

    asyncio.run(scenario())


def test_a_client_that_reads_slowly_is_waited_for() -> None:
    async def scenario() -> None:
        async with serving(Limits(stalled=0.3)) as here, here.good() as good, here.good() as slow:
            transport = slow.connection.transport
            asking = asyncio.create_task(slow.ask("state", fill=8_000_000))
            started = asyncio.get_running_loop().time()
            while not asking.done():
                transport.pause_reading()
                await asyncio.sleep(0.05)
                transport.resume_reading()
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            assert asyncio.get_running_loop().time() - started > 0.4
            assert len((await asking)["filled"]) == 8_000_000
            await good.still_answers()

    asyncio.run(scenario())


GARBAGE = ["", "{", "[]", "1", "null", '"state"', '{"id": NaN}', "[" * 100_000, "\x00\x01", b"\xff\x00", "9" * 5000]


@pytest.mark.parametrize("garbage", GARBAGE, ids=[repr(one[:12]) for one in GARBAGE])
def test_garbage_is_answered_by_an_error_and_then_by_the_end(garbage: str | bytes) -> None:
    async def scenario() -> None:
        async with serving(Limits(nonsense=3)) as here, here.good() as good, here.good() as bad:
            for _ in range(3):
                await bad.connection.send(garbage)
                answer = await bad.hear()
                assert answer.keys() == {"id", "error"}
                assert answer["id"] is None
                assert "internal" not in answer["error"]
                assert "\n" not in answer["error"]
            await bad.still_answers()
            await bad.connection.send(garbage)
            assert await bad.closed() == 1008
            await good.still_answers()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "frame",
    [
        b"\x81\x05hello",
        b"\xff\x80\0\0\0\0",
        b"\x81\xff" + b"\xff" * 12,
        b"\x81\x82\0\0\0\0\xff\xfe",
        b"\x80\x80\0\0\0\0",
    ],
    ids=["no mask", "reserved bits", "a length of 2^64 - 1", "no UTF-8", "the middle of nothing"],
)
def test_frames_that_are_none_end_their_client_alone(frame: bytes) -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as good, here.good() as bad:
            bad.connection.transport.write(frame)
            assert await bad.closed() in (1002, 1007, 1009)
            await good.still_answers()

    asyncio.run(scenario())


def test_half_open_handshakes_end_and_hold_up_nobody() -> None:
    async def scenario() -> None:
        async with serving(Limits(handshake=0.3)) as here, here.good() as good:
            reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
            writer.write(b"GET /socket HTTP/1.1\r\nHost: ")
            await good.still_answers()
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
            writer.close()
            await good.still_answers()

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_client_in_a_hurry_is_slowed_down_and_then_closed() -> None:
    async def scenario() -> None:
        async with (
            serving(Limits(rate=100.0, burst=20.0, overrun=0.5)) as here,
            here.good() as good,
            here.good() as bad,
        ):
            started = asyncio.get_running_loop().time()
            await asyncio.gather(*(bad.say({"id": number, "do": "state"}) for number in range(50)))
            for number in range(50):
                assert (await bad.hear())["id"] == number
            assert asyncio.get_running_loop().time() - started > 0.25  # 30 at 100 a second
            await good.still_answers()
            with suppress(ConnectionClosed):
                for number in range(100_000):
                    await bad.say({"id": number, "do": "state"})
                    if number % 1000 == 0:
                        await good.still_answers()
            assert await bad.closed() in (1006, 1008)
            await good.still_answers()

    asyncio.run(scenario())


def test_a_short_message_does_not_wait_for_the_one_before() -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as good:
            await good.still_answers()
            connections = list(here.server._connections._all)
            sockets = [one.transport.get_extra_info("socket") for one in connections]
            assert [one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0 for one in sockets] == [True]

    asyncio.run(scenario())


def test_requests_beyond_those_in_flight_wait_and_are_answered() -> None:
    async def scenario() -> None:
        async with serving(Limits(in_flight=4)) as here, here.good() as good:
            for number in range(4):
                await good.say({"id": number, "do": "long", "seconds": 0.2})
            await good.say({"id": "after", "do": "state"})
            heard = [(await good.hear())["id"] for _ in range(5)]
            assert heard == [0, 1, 2, 3, "after"]

    asyncio.run(scenario())


def test_a_short_request_overtakes_a_long_one_and_a_bug_is_one_answer() -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as good:
            await good.say({"id": "long", "do": "long", "seconds": 0.2})
            answer = await good.ask("fail")
            assert answer["id"] == "fail"
            assert answer["error"].startswith("internal: ZeroDivisionError: a bug")
            assert (await good.hear())["id"] == "long"

    asyncio.run(scenario())


def test_sessions_are_closed_with_their_clients() -> None:
    async def scenario() -> None:
        async with serving() as here:
            async with here.good() as guest:
                await guest.say({"id": 1, "do": "long", "seconds": 60.0})
                await guest.still_answers()
            for _ in range(100):
                if here.sessions[0].closed:
                    break
                await asyncio.sleep(0.01)
            assert here.sessions[0].closed

    asyncio.run(scenario())


def test_the_end_of_the_server_is_told_and_does_not_wait() -> None:
    async def scenario() -> float:
        loop = asyncio.get_running_loop()
        async with AsyncExitStack() as stack:
            async with serving() as here:
                good = await stack.enter_async_context(here.good())
                stuck = await stack.enter_async_context(here.good())
                stuck.stops_reading()
                await stuck.say({"id": 1, "do": "state", "fill": 8_000_000})
                await stuck.say({"id": 2, "do": "long", "seconds": 60.0})
                await good.still_answers()
                _, writer = await asyncio.open_connection("127.0.0.1", here.port)
                writer.write(b"GET / HT")
                port, ending = here.port, loop.time()
            took = loop.time() - ending
            assert await good.closed() == 1001
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", port)
            assert all(session.closed for session in here.sessions)
            writer.close()
        return took

    assert asyncio.run(scenario()) < 1.0


def has_ended(connection: socket.socket) -> bool:
    """Whether the other side has ended it."""
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
