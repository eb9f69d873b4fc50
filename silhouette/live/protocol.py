"""TELL: the protocol of live tables: requests in, answers and events out; for the page and for other programs alike."""

from __future__ import annotations

import asyncio
import json
import math
import threading
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from inspect import isawaitable
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH
from silhouette.common.text import as_written, did_you_mean, json_text, problem, strict
from silhouette.drawing.in_3d.shapes import DisplayShape
from silhouette.drawing.in_3d.stage import models_of, packed
from silhouette.drawing.styles import verdict_colours
from silhouette.drawing.words.words import Words, assumed_in_words
from silhouette.files.schema import MAX_LENGTH_MM
from silhouette.judging.counterfactuals import check_changes
from silhouette.judging.loading import Selection
from silhouette.judging.maps import MapRequest
from silhouette.judging.monte_carlo import check_odds
from silhouette.live.by_hand import is_scanned
from silhouette.live.corrections import join_answer, split_answer
from silhouette.live.edits import in_units
from silhouette.live.judges import Answer, CheckQuestion, Judges, PageQuestion, PictureQuestion
from silhouette.live.live_table import LiveTable
from silhouette.live.playing import play_of_table, whole_shapes
from silhouette.live.scanning import Length, length_of, questions_of, scan_again, scan_first, to_its_end
from silhouette.live.shelf import shelf_of
from silhouette.live.watching import Watching, mapped
from silhouette.models.model import Model
from silhouette.rules import rule_called
from silhouette.scenes.pieces import MESSAGE_DECIMALS, Piece
from silhouette.scenes.places import Trial, with_trials
from silhouette.scenes.scene import Check
from silhouette.scenes.table import unit_in

# ---- the table as JSON


def state_of(table: LiveTable) -> dict[str, Any]:
    """All that a client needs to show a table, but for the shapes."""
    scene = table.scene
    levels = rule_called(scene.rules).levels
    return {
        "scene": str(table.path),
        "title": scene.title,
        "rules": scene.rules_as_written,
        "unit": unit_in(table.document),
        "verdicts": {word: str(level) for word, level in levels.items()},
        "colours": verdict_colours(levels),
        **edited_state_of(table),
    }


def edited_state_of(table: LiveTable) -> dict[str, Any]:
    """What an edit may have changed."""
    scene = table.scene
    return {
        "pose": table.pose,
        "can_undo": table.can_undo,
        "can_redo": table.can_redo,
        "saved": table.is_saved,
        "table": scene.table_top.round(MESSAGE_DECIMALS).tolist(),
        "warnings": [*table.notices, *scene.warnings],
        "questions": questions_of(table.document),
        "scanned": is_scanned(table.document),
        "pieces": [_piece(piece) for piece in scene.pieces],
    }


def _piece(piece: Piece) -> dict[str, Any]:
    matrix = np.column_stack([piece.pose.rotation, piece.pose.translation])
    pose = [round(float(value), 6) for value in matrix.ravel()]
    return {**piece.row(), "shape": shape_name(piece.model), "pose": pose}


def shape_name(model: Model) -> str:
    """A name for what is shown of a model: the same for models that look the same."""
    return f"{model.significant.digest[:12]}-{model.ignored.digest[:12]}"


def shapes_of(
    table: LiveTable, present: Collection[str] = (), triangles: int | None = None, most_shapes: int | None = None
) -> dict[str, Any]:
    """The shapes of a table, simplified for display, but for the ``present`` names; the first ``most_shapes`` of them.

    ``triangles``: about so many that all pieces together may have; None for those of a report.
    """
    models, most = models_of(table.scene)
    if triangles is not None:
        most = min(most, max(triangles // max(len(table.scene.pieces), 1), 1))
    shapes = {shape_name(model): model for model in models}
    new = dict([(name, model) for name, model in shapes.items() if name not in present][:most_shapes])
    entries, text = packed([DisplayShape.of(model, table.cache, most) for model in new.values()])
    for entry, (name, model) in zip(entries, new.items(), strict=True):
        low, high = model.mesh.bounds
        entry |= {"id": name, "height": round(float(high[2] - low[2]), MESSAGE_DECIMALS), "base": None}
        if model.kind != "terrain":
            entry["base"] = model.base_outline.round(MESSAGE_DECIMALS).tolist()
    return {"shapes": entries, "packed": text}


# ---- the session

Request = Mapping[str, Any]
Tell = Callable[[dict[str, Any]], None]
_T = TypeVar("_T")

SLOW_URGENCY = 5  # the urgency of what takes seconds
MAX_PAIRS, MAX_EDITS = 10_000, 500  # checks and edits of one request
MAX_WORD_LENGTH = 200  # letters of an unknown word that known ones are compared with


class Session:
    """What one client asks of a table, and is told, each event by a call of ``tell``; many may share a table."""

    def __init__(self, table: LiveTable, judges: Judges, tell: Tell) -> None:
        self._table, self._judges, self._tell = table, judges, tell
        self._watching = Watching(table, judges, tell)
        self._is_own, self._shown = False, table.path
        self._maps: dict[Any, asyncio.Task[dict[str, Any]]] = {}
        self._checks: dict[Any, asyncio.Task[list[Answer]]] = {}
        self._verbs: dict[str, Callable[[Request], dict[str, Any] | Awaitable[dict[str, Any]]]] = {
            "state": lambda _: state_of(table),
            "edit": self._edit,
            "undo": lambda _: self._changing(table.undo),
            "redo": lambda _: self._changing(table.redo),
            "check": self._check,
            "watch": self._watch,
            "sight": self._sight,
            "shapes": self._shapes,
            "play": self._play,
            "map": self._map,
            "stop": self._stop,
            "report": self._report,
            "figure": self._figure,
            "scan": self._scan,
            "answer": self._answer,
            "shelf": self._shelf,
            "tags": self._tags,
            "picture": self._picture,
            "save": self._save,
            "text": lambda _: {"text": table.text, "pose": table.pose},
        }
        table.listeners.append(self._changed)

    def close(self) -> None:
        """Ends the session: nothing is told any longer."""
        self._watching.stop()
        for task in self._maps.values():
            task.cancel()
        self._table.listeners.remove(self._changed)

    async def settled(self) -> None:
        """Waits until all that is watched is told."""
        await self._watching.settled()

    async def answer(self, request: object) -> dict[str, Any]:
        """The answer to a request; one that cannot be met is answered with ``error``, one line."""
        if not isinstance(request, Mapping):
            return {"id": None, "error": 'a request is an object with "id" and "do"'}
        number = request.get("id")
        if not (number is None or isinstance(number, str) or _is_number(number)):
            return {"id": None, "error": f"id is {as_written(number)}; it must be a number or a text"}
        try:
            verb = request.get("do")
            if not isinstance(verb, str) or verb not in self._verbs:
                advice = did_you_mean(str(verb)[:MAX_WORD_LENGTH], list(self._verbs), "it must be one of")
                raise RequestError(f"do is {as_written(verb)}; {advice}")
            answer = self._verbs[verb](request)
            answer = await answer if isawaitable(answer) else answer
        except Exception as error:
            return {"id": number, "error": problem(error, self._table.path)}
        return {"id": number, **answer}

    def _changed(self) -> None:
        """Tells what another client has changed, and judges again what is watched."""
        table = self._table
        if table.path != self._shown:
            self._shown = table.path
            self._tell({"event": "edited", **state_of(table)})
        elif not self._is_own:
            self._tell({"event": "edited", **edited_state_of(table)})
        self._watching.begin()

    async def _edit(self, request: Request) -> dict[str, Any]:
        edits, drag = request.get("edits"), request.get("drag")
        if not isinstance(edits, list) or not (drag is None or isinstance(drag, str)):
            raise RequestError('edit takes "edits", a list, and perhaps "drag", a text')
        if len(edits) > MAX_EDITS:
            raise RequestError(f"{len(edits)} edits in one request; {MAX_EDITS} are the most")
        own = None if drag is None else f"{id(self)} {drag}"  # another client may call a drag of its own the same
        return self._changing(lambda: self._table.edit(edits, own))

    def _changing(self, change: Callable[[], object]) -> dict[str, Any]:
        self._watching.stop()  # the processes that judge it would keep the change waiting
        self._is_own = True
        try:
            change()
        finally:
            self._is_own = False
            self._watching.go_on()
        return edited_state_of(self._table)

    async def _watch(self, request: Request) -> dict[str, Any]:
        selected, chosen = _word(request.get("selected")), request.get("chosen")
        if selected is not None:
            self._table.scene.piece(selected)
        pair = None
        if chosen is not None:
            (check,) = self._pairs([chosen], None)
            pair = check.attacker, check.target
        self._watching.watch(selected, pair)
        return {"pose": self._table.pose}

    def _pairs(self, pairs: object, arc: object) -> list[Check]:
        if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
            raise RequestError("pairs must be a list of [attacker, target], two names")
        if len(pairs) > MAX_PAIRS:
            raise RequestError(f"{len(pairs)} pairs in one request; {MAX_PAIRS} are the most")
        selections = [Selection(attacker, target, _word(arc)) for attacker, target in pairs]
        return [check for selection in selections for check in selection.checks(self._table.scene)]

    async def _check(self, request: Request) -> dict[str, Any]:
        table = self._table
        if "pairs" in request:
            checks = self._pairs(request["pairs"], request.get("arc"))
        else:
            attacker, target, arc = (_word(request.get(key)) for key in ("from", "to", "arc"))
            everyone = _flag(request, "everyone")
            selection = Selection(attacker, target, arc, everyone, instead='give "pairs", "from" or "everyone"')
            checks = list(selection.checks(table.scene))
        now, number, at = table.now, table.pose, request.get("at")
        if at is not None:
            now = self._judges.tried(self._tried(at), table.path)
            checks = [replace(check, expect=None) for check in checks]
        question = CheckQuestion(
            tuple(checks), seed=0 if _flag(request, "odds") else None, what_if=_flag(request, "what_if")
        )
        if question.seed is not None:
            check_odds(table.scene, checks)
        if question.what_if:
            check_changes(table.scene, checks)

        def send_progress(share: float) -> None:
            self._tell({"event": "progress", "ask": request.get("id"), "pose": number, "share": round(share, 3)})

        task = asyncio.create_task(self._judges.ask_all(now, question, send_progress))
        answers = await _unless_stopped(self._checks, request.get("id"), task)
        if answers is None:
            return {"pose": number, "stopped": True}
        assumed = {} if question.seed is None else {"assumed": assumed_in_words(Words(), table.scene)}
        return {"pose": number, "results": [strict(answer.row) for answer in answers], **assumed}

    def _tried(self, at: object) -> dict[str, Any]:
        """The document with pieces elsewhere, at places in mm."""
        table = self._table
        if not isinstance(at, Mapping) or not all(_is_place(place) for place in at.values()):
            raise RequestError("at must be places by the names of pieces, [x, y] or [x, y, facing]")
        unit = unit_in(table.document)
        trials = [
            Trial.placed(name, [in_units(number, unit) for number in place[:2]] + list(place[2:]))
            for name, place in at.items()
        ]
        return with_trials(table.path, table.now.document, trials, rule_called(table.scene.rules).scene_entry)

    async def _sight(self, request: Request) -> dict[str, Any]:
        now = self._table.now
        checks = self._pairs([[request.get("attacker"), request.get("target")]], request.get("arc"))
        (answer,) = await self._judges.ask(now, CheckQuestion(tuple(checks), views=True))
        return {"pose": now.number, "result": strict(answer.row), "view": answer.view}

    async def _shapes(self, request: Request) -> dict[str, Any]:
        present, pose = request.get("known", []), self._table.pose
        if not isinstance(present, list):
            raise RequestError("known must be a list of names of shapes")
        triangles, most = _count(request, "triangles"), _count(request, "most")
        if _flag(request, "whole"):
            named = {shape_name(model): model for model in models_of(self._table.scene)[0]}
            shapes = await asyncio.to_thread(whole_shapes, named, present, most)
        else:
            shapes = await asyncio.to_thread(shapes_of, self._table, present, triangles, most)  # others need not wait
        return {"pose": pose, **shapes}

    def _play(self, _: Request) -> dict[str, Any]:
        return {"pose": self._table.pose, "play": play_of_table(self._table)}

    async def _map(self, request: Request) -> dict[str, Any]:
        """Asked again, the map before is stopped; the table may change meanwhile, the map is of what it was."""
        now, number = self._table.now, request.get("id")
        attackers, grid = request.get("from", []), request.get("grid", INCH)
        if not isinstance(attackers, list) or not _is_number(grid):
            raise RequestError('map takes "name", and perhaps "from", a list of names, and "grid", mm')
        map_request = MapRequest(str(request.get("name")), tuple(map(str, attackers)), (), float(grid))

        def tell(part: dict[str, Any]) -> None:
            self._tell({"event": "map", "ask": number, "pose": now.number, **part})

        for task in self._maps.values():
            task.cancel()
        task = asyncio.create_task(mapped(self._table.scene, now, map_request, self._judges, tell))
        answer = await _unless_stopped(self._maps, number, task)
        return {"pose": now.number, **({"stopped": True} if answer is None else answer)}

    async def _stop(self, request: Request) -> dict[str, Any]:
        ask = request.get("ask")
        is_id = isinstance(ask, str) or _is_number(ask)
        task = self._maps.get(ask) or self._checks.get(ask) if is_id else None
        if task is not None:
            task.cancel()
        return {"stopped": task is not None}

    async def _report(self, request: Request) -> dict[str, Any]:
        now = self._table.now
        question = PageQuestion(_word(request.get("attacker")), _word(request.get("target")), self._table.text)
        page = await self._judges.ask(now, question, SLOW_URGENCY)
        return {"pose": now.number, **_file(f"{self._table.path.stem}.html", "text/html", page)}

    async def _figure(self, request: Request) -> dict[str, Any]:
        now = self._table.now
        (check,) = self._pairs([[request.get("attacker"), request.get("target")]], request.get("arc"))
        picture = await self._judges.ask(now, PictureQuestion(check), SLOW_URGENCY)
        return {"pose": now.number, **_file(f"{self._table.path.stem}.png", "image/png", picture)}

    async def _scan(self, request: Request) -> dict[str, Any]:
        """Reads a scan of the scene's folder; the table is then that of the scan."""
        name = str(_word(request.get("file")))
        folder = self._table.path.parent
        if Path(name).name != name or not (folder / name).is_file():
            raise RequestError(f"no file '{name}' lies in the scene's folder")
        await to_its_end(scan_first(self._table, folder / name))
        return state_of(self._table)

    async def _shelf(self, request: Request) -> dict[str, Any]:
        return {"pose": self._table.pose, **await asyncio.to_thread(shelf_of, self._table)}  # others need not wait

    async def _answer(self, request: Request) -> dict[str, Any]:
        """Reads the scan of the table again, with an answer to one of its questions, a length, or a piece that is two
        or one with another.
        """
        document, folder = self._table.document, self._table.path.parent
        correction: tuple[str, str] | Length | dict[str, Any]
        if "length" in request:
            correction = length_of(request["length"])
        elif "split" in request:
            correction = split_answer(folder, document, str(_word(request["split"])), request.get("along"))
        elif "join" in request:
            correction = join_answer(folder, document, str(_word(request["join"])), str(_word(request.get("with"))))
        else:
            correction = str(request.get("question")), str(request.get("answer"))
        await to_its_end(scan_again(self._table, correction))
        return state_of(self._table)

    async def _tags(self, request: Request) -> dict[str, Any]:
        return {"pose": self._table.pose, **strict(self._table.tags(str(_word(request.get("piece")))))}

    async def _picture(self, request: Request) -> dict[str, Any]:
        place = self._table.picture(str(_word(request.get("piece"))), request.get("data"))
        return {"pose": self._table.pose, "picture": None if place is None else place.name}

    async def _save(self, request: Request) -> dict[str, Any]:
        name = _word(request.get("as"))
        self._changing(lambda: self._table.save(name))
        return {"saved": str(self._table.path), "pose": self._table.pose}


async def _unless_stopped(tasks: dict[Any, asyncio.Task[_T]], number: Any, task: asyncio.Task[_T]) -> _T | None:
    """What a task answers, which can be stopped by its number meanwhile: then None."""
    tasks[number] = task
    try:
        await asyncio.wait([task])
        return None if task.cancelled() else task.result()
    finally:
        task.cancel()
        if tasks.get(number) is task:
            del tasks[number]


def _file(name: str, type_: str, content: bytes) -> dict[str, str]:
    return {"name": name, "type": type_, "data": b64encode(content).decode()}


def _word(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise RequestError(f"{as_written(value)} stands where a name must stand")
    return value


def _flag(request: Request, key: str) -> bool:
    value = request.get(key, False)
    if not isinstance(value, bool):
        raise RequestError(f"{key} is {as_written(value)}; it must be true or false")
    return value


def _count(request: Request, key: str) -> int | None:
    value = request.get(key)
    if value is None:
        return None
    if not (_is_number(value) and value >= 1):
        raise RequestError(f"{key} is {as_written(value)}; it must be a number above 0")
    return int(value)


def _is_number(value: object) -> bool:
    """Whether it is a number that JSON has, and no true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair)


def _is_place(place: object) -> bool:
    if not isinstance(place, list) or len(place) not in (2, 3):
        return False
    return all(_is_number(number) and abs(number) <= MAX_LENGTH_MM for number in place)


# ---- through standard input and output

MAX_LINE_BYTES = 1 << 24  # bytes of a line


def serve_lines(table: LiveTable, judges: Judges, lines: BinaryIO, out: TextIO) -> None:
    """Answers the requests of a stream, each as soon as it can be, until the stream ends and all are answered.

    The lines are JSON objects in UTF-8; a thread reads them, which may still wait for one at the end. Answers and
    events go out in ASCII, one a line; OSError if one cannot be written. The judges end with this.
    """
    try:
        asyncio.run(_serve(table, judges, lines, out))
    except* OSError as errors:
        raise errors.exceptions[0] from None


async def _serve(table: LiveTable, judges: Judges, lines: BinaryIO, out: TextIO) -> None:
    broken = asyncio.get_running_loop().create_future()

    def tell(message: dict[str, Any]) -> None:
        try:
            out.write(json_text(message) + "\n")
            out.flush()
        except OSError as error:
            if not broken.done():
                broken.set_exception(error)

    async with judges:
        session = Session(table, judges, tell)
        answering = asyncio.create_task(_answer_all(session, lines, tell))
        try:
            await asyncio.wait([answering, broken], return_when=asyncio.FIRST_COMPLETED)
            if broken.done():
                broken.result()
            answering.result()
        finally:
            session.close()
            answering.cancel()
            broken.cancel()
            with suppress(asyncio.CancelledError):
                await answering


async def _answer_all(session: Session, lines: BinaryIO, tell: Callable[[dict[str, Any]], None]) -> None:
    """Answers all lines, and waits until what is watched is judged too."""
    async with asyncio.TaskGroup() as running:
        async for line in _lines(lines):
            running.create_task(_answer(session, line, tell))
            await asyncio.sleep(0)  # begins: an edit is made before what follows it is read
    await session.settled()


async def _lines(stream: BinaryIO) -> AsyncIterator[bytes]:
    """The lines of a stream that are not empty; of one that is too long, its beginning."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        is_inside = False
        with suppress(RuntimeError, OSError, ValueError):  # the loop, or the stream, is closed
            while line := stream.readline(MAX_LINE_BYTES):
                if not is_inside and line.strip():
                    loop.call_soon_threadsafe(queue.put_nowait, line)
                is_inside = not line.endswith(b"\n")
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(queue.put_nowait, b"")

    threading.Thread(target=read, daemon=True).start()
    while line := await queue.get():
        yield line


async def _answer(session: Session, line: bytes, tell: Callable[[dict[str, Any]], None]) -> None:
    if len(line) >= MAX_LINE_BYTES:
        tell({"id": None, "error": f"a line of more than {MAX_LINE_BYTES} bytes; send less at once"})
        return
    try:
        request = json.loads(line.strip())
    except (ValueError, RecursionError) as error:
        what = str(error) if isinstance(error, ValueError) else "its values lie too deep in each other"
        tell({"id": None, "error": f"not JSON: {what}"})
        return
    tell(await session.answer(request))
