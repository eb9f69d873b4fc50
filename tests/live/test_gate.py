"""Who the server of the live table lets in, and what it gives to the others: nothing."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from silhouette.common.installation import VERSION
from silhouette.live.server.connections import Limits
from silhouette.live.server.gate import Role, page_files, security_headers
from tests.support.live_server import FILES, Guest, serving

ATTEMPTS = {
    "another page": {"Origin": "http://evil.example"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "the other name of this machine": {"Origin": "http://localhost"},
    "a page in a frame without an origin": {"Origin": "null"},
    "no origin": {"Origin": ""},
}


def test_the_page_is_welcome_with_its_token() -> None:
    async def scenario() -> None:
        async with serving() as here, here.knocking() as connection:
            guest = Guest(connection)
            await guest.say({"token": here.token})
            assert await guest.hear() == {"event": "welcome", "version": VERSION, "role": "player"}
            await guest.still_answers()

    asyncio.run(scenario())


def test_a_token_for_one_session_opens_no_second_one_but_tells_the_lasting_token() -> None:
    async def scenario() -> None:
        async with serving() as here:
            (door,) = here.doors
            token = door.address_once(Role.PLAYER).partition("#")[2]
            assert token != here.token
            async with here.knocking() as connection:
                guest = Guest(connection)
                await guest.say({"token": token})
                welcome = {"event": "welcome", "version": VERSION, "role": "player", "token": here.token}
                assert await guest.hear() == welcome
                await guest.still_answers()
            async with here.knocking() as connection:
                await Guest(connection).say({"token": token})
                assert await Guest(connection).closed() == 4401
            async with here.good() as good:
                await good.still_answers()

    asyncio.run(scenario())


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_foreign_origin_opens_no_socket(attempt: str) -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as good:
            with pytest.raises(InvalidStatus) as refused:
                async with here.knocking(**ATTEMPTS[attempt]):
                    pass
            assert refused.value.response.status_code == 403
            await good.still_answers()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "first", ['{"token": "%s"}', '{"token": null}', '{"token": []}', "{}", "[]", "not JSON", '{"id": 1, "do": "state"}']
)
def test_another_token_opens_no_session(first: str) -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as good, here.knocking() as connection:
            wrong = here.token[:-1] + ("A" if here.token[-1] != "A" else "Q")
            await connection.send(first.replace("%s", wrong))
            assert await Guest(connection).closed() == 4401
            assert len(here.sessions) == 1
            await good.still_answers()

    asyncio.run(scenario())


def test_a_token_in_bytes_and_text_that_is_no_ascii_open_no_session() -> None:
    async def scenario() -> None:
        async with serving() as here:
            async with here.knocking() as connection:
                await connection.send(json.dumps({"token": here.token}).encode())
                assert await Guest(connection).closed() == 4401
            async with here.knocking() as connection:
                await connection.send('{"token": "ü\\ud800"}')
                assert await Guest(connection).closed() == 4401

    asyncio.run(scenario())


def test_who_shows_no_token_in_time_is_closed() -> None:
    async def scenario() -> None:
        async with serving(Limits(token=0.2)) as here, here.good() as good, here.knocking() as connection:
            assert await Guest(connection).closed() == 4401
            await good.still_answers()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}", "0.0.0.0:{port}"]
)
def test_a_foreign_host_gets_nothing(host: str) -> None:
    """A name of somebody else's that DNS has come to give this machine's address."""

    async def scenario() -> None:
        async with serving() as here, here.good() as good:
            name = host.format(port=here.port)
            assert status(await here.got("/", host=name)) == 403
            upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            upgrade += f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://{name}\r\n"
            assert status(await here.got("/socket", host=name, more=upgrade)) == 403
            await good.still_answers()

    asyncio.run(scenario())


def test_a_host_that_is_missing_or_there_twice_gets_nothing() -> None:
    async def scenario() -> None:
        async with serving() as here:
            assert status(await here.asked(b"GET / HTTP/1.1\r\n\r\n")) == 403
            assert status(await here.got("/", more="Host: evil.example\r\n")) == 403

    asyncio.run(scenario())


def test_files_come_with_their_type_and_a_strict_policy() -> None:
    async def scenario() -> None:
        async with serving() as here:
            for host in (here.host, f"localhost:{here.port}"):
                head, _, body = (await here.got("/main.js", host=host)).partition(b"\r\n\r\n")
                lines = head.decode().split("\r\n")
                assert (lines[0], body) == ("HTTP/1.1 200 OK", FILES["/main.js"].content)
                headers = dict(line.split(": ", 1) for line in lines[1:])
                assert headers["Content-Type"] == "text/javascript; charset=utf-8"
                assert security_headers(host).items() <= headers.items()
                assert f"connect-src 'self' ws://{host};" in headers["Content-Security-Policy"]
                assert "Server" not in headers
            refused = (await here.got("/", host="evil.example")).decode()
            assert "default-src 'none'" in refused
            assert "evil" not in refused

    asyncio.run(scenario())


def test_the_page_names_all_its_modules_so_that_they_are_asked_for_at_once() -> None:
    found = page_files()
    links = found["/"].links
    scripts = {path for path in found if path.endswith(".js")} - {"/judge.min.js"}  # asked for when a model is chosen
    assert scripts == set(re.findall(r"<([^>]*)>; rel=", links))
    assert "as=script" in links.split(", ")[0]  # the viewer is no module
    assert not found["/main.js"].links

    async def scenario() -> None:
        async with serving(files=found) as here:
            head = (await here.got("/")).partition(b"\r\n\r\n")[0].decode()
            assert f"\r\nLink: {links}\r\n" in f"{head}\r\n"
            assert "Link:" not in (await here.got("/main.js")).partition(b"\r\n\r\n")[0].decode()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "path",
    [
        "/../main.js",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/....//....//etc/passwd",
        "//etc/passwd",
        "/..\\..\\windows\\win.ini",
        "/etc/passwd",
        "/main.js/",
        "/main.js%00.html",
        "/MAIN.JS",
        "/.",
        "file:///etc/passwd",
        "http://evil.example/",
        "main.js",
        "*",
    ],
)
def test_no_path_leads_out_of_the_page(path: str) -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as good:
            answer = await here.got(path)
            assert status(answer) == 404
            assert b"root:" not in answer
            await good.still_answers()

    asyncio.run(scenario())


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"])
def test_other_methods_are_refused(method: str) -> None:
    async def scenario() -> None:
        async with serving() as here:
            for more in ("", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n"):
                answer = await here.got("/", method=method, more=more)
                assert status(answer) == 405, answer
                assert b"\r\nAllow: GET\r\n" in answer
                assert answer.endswith(b"\r\n\r\n")

    asyncio.run(scenario())


def test_a_method_that_comes_in_two_pieces_is_refused_as_well() -> None:
    async def scenario() -> None:
        async with serving() as here:
            reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
            writer.write(b"G")
            await asyncio.sleep(0.1)
            writer.write(f"RAB / HTTP/1.1\r\nHost: {here.host}\r\n\r\n".encode())
            assert status(await reader.read()) == 405
            writer.close()

    asyncio.run(scenario())


def test_the_socket_is_no_file_and_files_are_no_socket() -> None:
    async def scenario() -> None:
        async with serving() as here:
            assert status(await here.got("/socket", more=f"Origin: http://{here.host}\r\n")) == 426
            upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            upgrade += f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://{here.host}\r\n"
            assert status(await here.got("/other", more=upgrade)) == 404

    asyncio.run(scenario())


def test_the_files_of_the_page_are_its_own_and_the_viewer() -> None:
    served = page_files()
    assert served["/viewer.min.js"].type == "text/javascript; charset=utf-8"
    assert served["/judge.min.js"].content
    assert served["/three.LICENSE.txt"].content
    assert not [path for path in served if path.endswith(".py") or ".." in path or not path.startswith("/")]


def test_each_server_has_tokens_of_its_own() -> None:
    async def scenario() -> None:
        async with serving() as here, serving() as there:
            assert len(here.token) >= 22
            assert here.token != there.token
            with pytest.raises((ConnectionClosed, AssertionError)):
                async with here.good(token=there.token):
                    pass

    asyncio.run(scenario())


def status(answer: bytes) -> int:
    """The status of an HTTP answer."""
    assert answer.startswith(b"HTTP/1.1 "), answer
    return int(answer[9:12])
