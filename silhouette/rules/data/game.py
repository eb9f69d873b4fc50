"""JUDGE, games by data: a game file becomes a Game: every condition parsed and checked, every clause reached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from silhouette.common.errors import FileError
from silhouette.common.text import did_you_mean
from silhouette.files.documents import document_of, read_text
from silhouette.files.schema import Location, validated
from silhouette.rules.base import Level
from silhouette.rules.data.checking import Scope, check_condition
from silhouette.rules.data.entries import KIND_OF_TYPE, MOST_CLAUSES, MOST_VERDICTS, GameEntry, ReadingEntry
from silhouette.rules.data.kinds import BUILTIN_NAMES, HIDDEN_BY, HIDING, Kind
from silhouette.rules.data.nodes import Call, Literal, Name, Node, Quantified
from silhouette.rules.data.parsing import ConditionError, parsed
from silhouette.rules.data.reach import can_be_true, inner_conditions, reached


@dataclass(frozen=True, eq=False)
class Clause:
    """Something that holds or not. Its texts have names in braces; ``number`` is that in the game's specification."""

    name: str
    number: str
    when: Node
    text: str
    otherwise: str
    source: str
    roll: str | None = None  # what it does to a roll, whatever the verdict is, unless that is blocked


@dataclass(frozen=True, eq=False)
class Ruling:
    """A verdict that can be given."""

    name: str
    level: Level
    when: Node | None  # its condition, of clauses; None of the last one, which is given where no other is
    chooses: str | None  # "attacker" or "target", whose player chooses between the verdicts of ``between``; else None
    between: tuple[str, ...]
    roll: str | None = None  # what it does to a roll, as the rules say; None where nothing


@dataclass(frozen=True, eq=False)
class Game:
    """A game by data, of a file; clauses and verdicts are in its order."""

    path: Path
    title: str
    about: str
    source: str
    unit: str  # "mm" or "inch", of lengths in reasons
    line_of_sight: str  # the name of the clause that says whether there is one
    # terrain, model: what pieces say in its scenes, by key
    terrain: Mapping[str, ReadingEntry]
    model: Mapping[str, ReadingEntry]
    readings: Mapping[str, ReadingEntry]
    tables: Mapping[str, Mapping[str, float]]  # with lengths in mm
    clauses: Mapping[str, Clause]
    rulings: tuple[Ruling, ...]


def read_game(path: Path) -> Game:
    """The game of a file. FileError where it is none; one line, with line and column where a condition is wrong."""
    text = read_text(path)
    entry = validated(GameEntry, document_of(path, text), Location(path))
    reader = _Reader(path, text, entry)
    clauses, rulings = reader.clauses(), reader.rulings()
    reader.check_reach(clauses, rulings)
    return Game(
        path=path,
        title=entry.title,
        about=entry.about,
        source=entry.source,
        unit=entry.unit,
        line_of_sight=reader.line_of_sight(clauses),
        terrain=entry.keys.terrain,
        model=entry.keys.model,
        readings=entry.readings,
        tables={
            name: {key: reader.in_mm(name, value) for key, value in rows.items()} for name, rows in entry.tables.items()
        },
        clauses=clauses,
        rulings=rulings,
    )


class _Reader:
    """The conditions of a game file while they are read: its text, and the same checked against the schema."""

    def __init__(self, path: Path, text: str, entry: GameEntry) -> None:
        self._path, self._text, self._entry = path, text, entry
        names = [clause.name for clause in entry.clause]
        self._scope = Scope(
            clauses=frozenset(names),
            readings=_kinds(entry.readings),
            terrain=_kinds(entry.keys.terrain),
            model=_kinds(entry.keys.model),
            tables={name: self._kind_of_table(name, rows) for name, rows in entry.tables.items()},
            rows={name: frozenset(rows) for name, rows in entry.tables.items()},
            words={
                (kind, name): key.choices
                for kind, table in (
                    ("reading", entry.readings),
                    ("terrain", entry.keys.terrain),
                    ("model", entry.keys.model),
                )
                for name, key in table.items()
                if key.choices
            },
        )
        self._check_names(names)

    def _check_names(self, names: list[str]) -> None:
        entry = self._entry
        if len(names) > MOST_CLAUSES or len(entry.verdict) > MOST_VERDICTS:
            most = f"{MOST_CLAUSES} clauses and {MOST_VERDICTS} verdicts"
            raise FileError(
                self._path, f"has {len(names)} clauses and {len(entry.verdict)} verdicts; {most} are the most"
            )
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            second = len(names) - 1 - names[::-1].index(twice)
            raise self._error_at("clause", second, "another is called so as well; give each a different name")
        levels = dict[str, str]()
        for index, verdict in enumerate(entry.verdict):
            if levels.setdefault(verdict.name, verdict.level) != verdict.level:
                wrong = (
                    f"is {verdict.level}, and {levels[verdict.name]} before; give them one level, or different names"
                )
                raise self._error_at("verdict", index, wrong)
        for index, name in enumerate(names):
            if name in BUILTIN_NAMES or name in entry.readings:
                raise self._error_at("clause", index, "the name means something already; take another one")

    def line_of_sight(self, clauses: Mapping[str, Clause]) -> str:
        """The clause of line of sight."""
        name = self._entry.line_of_sight
        if name not in clauses:
            near = did_you_mean(name, clauses)
            raise FileError(self._path, f"line_of_sight is '{name}', but no clause is called that; {near}")
        return name

    def clauses(self) -> dict[str, Clause]:
        """The clauses, by their names."""
        clauses = {}
        for index, entry in enumerate(self._entry.clause):
            node = self._condition("clause", index, entry.when)
            for text in (entry.text, entry.otherwise):
                self._check_text(index, text, node)
            texts = entry.text, entry.otherwise, entry.source, entry.roll
            clauses[entry.name] = Clause(entry.name, entry.number, node, *texts)
        self._check_circles(clauses)
        return clauses

    def rulings(self) -> tuple[Ruling, ...]:
        """The verdicts, in their order."""
        rulings, entries = [], self._entry.verdict
        names = [entry.name for entry in entries]
        for index, entry in enumerate(entries):
            is_last = index == len(entries) - 1
            if (entry.when is None) != is_last:
                wrong = (
                    "is the last and has a condition; leave when out" if is_last else "lacks when: only the last may"
                )
                raise self._error_at("verdict", index, f"{wrong}, so that one always holds")
            for other in entry.between or ():
                if other not in names or other == entry.name:
                    near = did_you_mean(other, [name for name in names if name != entry.name])
                    raise self._error_at("verdict", index, f"between names '{other}'; {near}")
            node = None if entry.when is None else self._condition("verdict", index, entry.when, of_clauses=True)
            rulings.append(Ruling(entry.name, Level(entry.level), node, entry.chooses, entry.between or (), entry.roll))
        return tuple(rulings)

    def _condition(self, kind: str, index: int, text: str, *, of_clauses: bool = False) -> Node:
        """The checked tree of the "clause" or "verdict" with this index; ``of_clauses`` if it may name these alone."""
        try:
            node = parsed(text)
            check_condition(node, self._scope)
            outside = next((part for part in node.everything() if isinstance(part, Call | Quantified)), None)
            if of_clauses and outside is not None:
                raise ConditionError(
                    outside.start, "a verdict names clauses; make this one of its own, with its source"
                )
        except ConditionError as wrong:
            raise self._error(kind, index, text, wrong) from None
        return node

    def _error(self, kind: str, index: int, text: str, wrong: ConditionError) -> FileError:
        """A mistake in a condition, with its line and column in the file where these can be told."""
        key = re.compile(r"^[ \t]*when[ \t]*=", re.MULTILINE).search(self._text, self._begin(kind, index))
        begins = -1 if key is None else self._text.find(text, key.end())
        if begins < 0:
            return self._error_at(kind, index, f"letter {wrong.at + 1} of when: {wrong.problem}")
        at = begins + wrong.at
        line, column = self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at)
        return FileError(self._path, f"line {line}, column {column}: {self._called(kind, index)}: {wrong.problem}")

    def _error_at(self, kind: str, index: int, wrong: str) -> FileError:
        """A mistake in a clause or a verdict, with the line in which that begins where it can be told."""
        begins = self._begin(kind, index)
        line = f"line {self._text.count(chr(10), 0, begins) + 1}: " if begins else ""
        return FileError(self._path, f"{line}{self._called(kind, index)}: {wrong}")

    def _called(self, kind: str, index: int) -> str:
        return f"{kind} '{(self._entry.clause if kind == 'clause' else self._entry.verdict)[index].name}'"

    def _begin(self, kind: str, index: int) -> int:
        """Where the header of a clause or a verdict ends in the text; 0 where it has none."""
        header = list(re.finditer(rf"^[ \t]*\[\[[ \t]*{kind}[ \t]*\]\]", self._text, re.MULTILINE))
        return header[index].end() if index < len(header) else 0

    def _check_text(self, index: int, text: str, node: Node) -> None:
        """Refuses a text with names in braces that stand for nothing."""
        stand = {"attacker", "target", *(part.variable for part in node.everything() if isinstance(part, Quantified))}
        primitives = {part.name for part in node.everything() if isinstance(part, Call)}
        stand |= primitives | ({HIDDEN_BY} if primitives & HIDING else set())
        stand |= {
            part.name for part in node.everything() if isinstance(part, Name) and part.name in self._scope.readings
        }
        try:
            names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
        except ValueError as wrong:
            raise self._error_at("clause", index, f"its text has a brace that is not closed ({wrong})") from None
        for name in names:
            if name not in stand:
                near = did_you_mean(name, sorted(stand))
                raise self._error_at("clause", index, f"its text names {{{name}}}, which stands for nothing; {near}")

    def _check_circles(self, clauses: Mapping[str, Clause]) -> None:
        uses = {
            name: [part.name for part in clause.when.everything() if isinstance(part, Name) and part.name in clauses]
            for name, clause in clauses.items()
        }
        done: set[str] = set()
        places = {name: index for index, name in enumerate(clauses)}

        def follow(name: str, way: tuple[str, ...]) -> None:
            if name in way:
                circle = " -> ".join((*way[way.index(name) :], name))
                raise self._error_at("clause", places[name], f"rests on itself: {circle}")
            if name not in done:
                for other in uses[name]:
                    follow(other, (*way, name))
                done.add(name)

        for name in clauses:
            follow(name, ())

    def check_reach(self, clauses: Mapping[str, Clause], rulings: tuple[Ruling, ...]) -> None:
        """Refuses what cannot be true, and what is never reached."""
        conditions = {name: clause.when for name, clause in clauses.items()}
        for index, clause in enumerate(clauses.values()):
            for node in (clause.when, *inner_conditions(clause.when)):
                if not can_be_true(node, conditions):
                    wrong = ConditionError(node.start, "cannot be true, whatever stands on the table")
                    raise self._error("clause", index, self._entry.clause[index].when, wrong)
        always = Literal(0, 0, value=True)
        for index, is_reached in enumerate(reached([ruling.when or always for ruling in rulings], conditions)):
            if not is_reached:
                raise self._error_at("verdict", index, "is never reached: those before it leave nothing for it")
        self._check_use(clauses, [ruling.when for ruling in rulings if ruling.when is not None])

    def _check_use(self, clauses: Mapping[str, Clause], todo: list[Node]) -> None:
        """Refuses clauses that no verdict names, nor another clause that one names."""
        used = {self._entry.line_of_sight, *(name for name, clause in clauses.items() if clause.roll)}
        todo += [clauses[name].when for name in used & clauses.keys()]
        while todo:
            named = {node.name for node in todo.pop().everything() if isinstance(node, Name)} & clauses.keys() - used
            used |= named
            todo += [clauses[name].when for name in named]
        for index, name in enumerate(clauses):
            if name not in used:
                raise self._error_at("clause", index, "is never reached: no verdict names it; use it, or delete it")

    def _kind_of_table(self, name: str, rows: Mapping[str, str | float]) -> Kind:
        kinds = {Kind.LENGTH if isinstance(value, str) else Kind.NUMBER for value in rows.values()}
        if len(kinds) != 1:
            raise FileError(self._path, f'tables: {name} must have numbers alone, or lengths alone, such as "20 mm"')
        return kinds.pop()

    def in_mm(self, name: str, value: str | float) -> float:
        """A value of a table: a number as it is, a length in mm."""
        if not isinstance(value, str):
            return float(value)
        try:
            node = parsed(value)
        except ConditionError:
            node = None
        if not isinstance(node, Literal) or node.unit not in ("mm", "cm", "inch", "inches"):
            raise FileError(self._path, f"tables: {name} has '{value}'; it must be a length, such as \"20 mm\"")
        return float(node.value)


def _kinds(entries: Mapping[str, ReadingEntry]) -> dict[str, Kind]:
    return {name: KIND_OF_TYPE[entry.type] for name, entry in entries.items()}
