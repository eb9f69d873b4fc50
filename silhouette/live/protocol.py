"""TELL: the protocol of live tables: requests in, answers and events out; for the page and for other programs alike.

request -> Session -> LiveTable, Judges -> answer; a change -> events: who has edited, and the verdicts that are watched
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from silhouette.errors import RequestError
from silhouette.judging.selection import Selection
from silhouette.live.edits import in_units
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.questions import CheckQuestion
from silhouette.live.told import edited_state_of, shapes_of, state_of
from silhouette.live.watching import Watching
from silhouette.rules import rule_called
from silhouette.scenes.scene import Check
from silhouette.scenes.trying import Trial, with_trials
from silhouette.text import did_you_mean, problem, strict

Request = Mapping[str, Any]
Tell = Callable[[dict[str, Any]], None]

MOST_PAIRS = 10_000
"""Checks of one request."""


class Session:
    """What one client asks of a table, and is told; many may share a table.

    Args:
        table: the table.
        judges: judge its poses.
        tell: is called with each event.
    """

    def __init__(self, table: LiveTable, judges: Judges, tell: Tell) -> None:
        self._table, self._judges, self._tell = table, judges, tell
        self._watching = Watching(table, judges, tell)
        self._is_own = False
        self._verbs: dict[str, Callable[[Request], Awaitable[dict[str, Any]]]] = {
            "state": self._state,
            "edit": self._edit,
            "undo": self._undo,
            "redo": self._redo,
            "check": self._check,
            "watch": self._watch,
            "sight": self._sight,
            "shapes": self._shapes,
            "save": self._save,
            "text": self._text,
        }
        table.listeners.append(self._changed)

    def close(self) -> None:
        """Ends the session: nothing is told any longer."""
        self._watching.stop()
        self._table.listeners.remove(self._changed)

    async def answer(self, request: object) -> dict[str, Any]:
        """The answer to a request; one that cannot be met is answered with ``error``, one line."""
        if not isinstance(request, Mapping):
            return {"id": None, "error": 'a request is an object with "id" and "do"'}
        number = request.get("id")
        try:
            verb = request.get("do")
            if verb not in self._verbs:
                known = did_you_mean(str(verb), list(self._verbs), "it must be one of")
                raise RequestError(f"do is {verb!r}; {known}")
            answer = await self._verbs[verb](request)
        except Exception as error:
            return {"id": number, "error": problem(error, self._table.path)}
        return {"id": number, **answer}

    def _changed(self) -> None:
        """Tells what another client has changed, and judges again what is watched."""
        if not self._is_own:
            self._tell({"event": "edited", **edited_state_of(self._table)})
        self._watching.begin()

    async def _state(self, _: Request) -> dict[str, Any]:
        return state_of(self._table)

    async def _edit(self, request: Request) -> dict[str, Any]:
        edits, drag = request.get("edits"), request.get("drag")
        if not isinstance(edits, list) or not (drag is None or isinstance(drag, str)):
            raise RequestError('edit takes "edits", a list, and perhaps "drag", a text')
        return self._changing(lambda: self._table.edit(edits, drag))

    async def _undo(self, _: Request) -> dict[str, Any]:
        return self._changing(self._table.undo)

    async def _redo(self, _: Request) -> dict[str, Any]:
        return self._changing(self._table.redo)

    def _changing(self, change: Callable[[], None]) -> dict[str, Any]:
        self._is_own = True
        try:
            change()
        finally:
            self._is_own = False
        return edited_state_of(self._table)

    async def _watch(self, request: Request) -> dict[str, Any]:
        scene, selected, chosen = self._table.scene, request.get("selected"), request.get("chosen")
        if selected is not None:
            scene.piece(str(selected))
        pair = None
        if chosen is not None:
            (check,) = self._pairs([chosen], None)
            pair = check.attacker, check.target
        self._watching.watch(selected, pair)
        return {"pose": self._table.pose}

    def _pairs(self, pairs: object, arc: object) -> list[Check]:
        """The checks of pairs of names."""
        if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise RequestError("pairs must be a list of [attacker, target]")
        if len(pairs) > MOST_PAIRS:
            raise RequestError(f"{len(pairs)} pairs in one request; {MOST_PAIRS} are the most")
        wanted = [Selection(str(attacker), str(target), _word(arc)) for attacker, target in pairs]
        return [check for one in wanted for check in one.checks(self._table.scene)]

    async def _check(self, request: Request) -> dict[str, Any]:
        table = self._table
        if "pairs" in request:
            checks = self._pairs(request["pairs"], request.get("arc"))
        else:
            attacker, target, arc = (_word(request.get(key)) for key in ("from", "to", "arc"))
            everyone = request.get("everyone") is True
            wanted = Selection(attacker, target, arc, everyone, instead='give "pairs", "from" or "everyone"')
            checks = list(wanted.checks(table.scene))
        now, number = table.now, table.pose
        if request.get("at"):
            now = self._judges.tried(self._tried(request["at"]))
        seed = 0 if request.get("odds") is True else None
        question = CheckQuestion(tuple(checks), seed=seed, what_if=request.get("what_if") is True)
        answers = await self._judges.ask_all(now, question)
        return {"pose": number, "results": [strict(answer.row) for answer in answers]}

    def _tried(self, at: object) -> dict[str, Any]:
        """The document with pieces elsewhere, at places in mm."""
        table = self._table
        if not isinstance(at, Mapping) or not all(_is_place(place) for place in at.values()):
            raise RequestError("at must be places by the names of pieces, [x, y] or [x, y, facing]")
        units = table.document.get("units", "mm")
        trials = [
            Trial.placed(name, [in_units(number, units) for number in place[:2]] + list(place[2:]))
            for name, place in at.items()
        ]
        return with_trials(table.path, table.document, trials, rule_called(table.scene.rules).scene_entry)

    async def _sight(self, request: Request) -> dict[str, Any]:
        now = self._table.now
        checks = self._pairs([[request.get("attacker"), request.get("target")]], request.get("arc"))
        (answer,) = await self._judges.ask(now, CheckQuestion(tuple(checks), views=True))
        return {"pose": now.number, "result": strict(answer.row), "view": answer.view}

    async def _shapes(self, request: Request) -> dict[str, Any]:
        known = request.get("known", [])
        if not isinstance(known, list):
            raise RequestError("known must be a list of names of shapes")
        return {"pose": self._table.pose, **shapes_of(self._table, known)}

    async def _save(self, request: Request) -> dict[str, Any]:
        name = _word(request.get("as"))
        return {"saved": str(self._table.save(name)), "pose": self._table.pose}

    async def _text(self, _: Request) -> dict[str, Any]:
        return {"text": self._table.text, "pose": self._table.pose}


def _word(value: object) -> str | None:
    """A text or nothing.

    Raises:
        RequestError: for anything else.
    """
    if value is not None and not isinstance(value, str):
        raise RequestError(f"{value!r} stands where a name must stand")
    return value


def _is_place(place: object) -> bool:
    if not isinstance(place, list) or len(place) not in (2, 3):
        return False
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in place)
