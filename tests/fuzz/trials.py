"""One trial: a file is made from a number, a command is run on it under limits, and what it answered is judged."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

import silhouette
from silhouette.cli import main
from silhouette.common.lazy import cached_property
from silhouette.files.reading import examples_folder
from tests.fuzz import shapes, tables
from tests.fuzz.damage import damaged, varied
from tests.fuzz.limits import limited

PYTHONS_WORDS = re.compile(
    r"internal:|Traceback|\b\w+Error\b|codec can't|NoneType|subscriptable|invalid literal|could not convert|"
    r"object has no|index out of range|unpack requires|validation error|Input should|BadZip|_ArrayMemory"
)
SCENE = """rules = "necromunda"
pixel = 1.0
error = 0.05
[[fighter]]
name = "Kal"
at = [0, -200]
parts = [{{ box = [12, 12, 30] }}]
eye = [0, 6, 25]
[[{kind}]]
name = "it"
at = [0, 0]
mesh = "{mesh}"
{more}
[[fighter]]
name = "Vex"
at = [0, 200]
parts = [{{ box = [12, 12, 30] }}]
[[check]]
attacker = "Kal"
target = "{target}"
"""


@dataclass
class Tally:
    """What came of the trials of a kind.

    Attributes:
        tried, loaded: how many there were, and how many ended in a verdict or a description.
        refused: how often each refusal was given, by its first words.
        failures: a line for each trial that failed.
    """

    tried: Counter[str] = field(default_factory=Counter)
    loaded: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Adds another tally to this one."""
        self.tried += other.tried
        self.loaded += other.loaded
        self.refused += other.refused
        self.failures += other.failures


GAMES = sorted((Path(silhouette.__file__).parent / "rules" / "data").glob("*.toml"))

KINDS = {
    "mesh": 8,
    "bytes": 3,
    "scene": 3,
    "model": 1,
    "report": 0.3,
    "scan": 1,
    "save": 1,
    "gltf": 1,
    "bundle": 1,
    "game": 1,
}
"""What is tried, and how often."""


class Trials:
    """Makes and runs trials by their number.

    Args:
        seed: the same seed and number make the same trial.
        folder: for the files of the trial that runs now, of which those that fail are kept.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self._seed = seed
        self._folder = folder
        self._scenes = sorted(examples_folder().glob("scenes/*/*.toml"))
        self._models = sorted(examples_folder().glob("models/*.toml"))

    def warm(self) -> None:
        """Runs each command once in this process, so that its forks need not load the libraries again."""
        self._folder.mkdir(parents=True, exist_ok=True)
        page, options = self._folder / "page.html", ["--quiet", "--pixel", "2"]
        scene = next(path for path in self._scenes if path.parent.name == "necromunda")
        for command in (["check"], ["report", "--workers", "1", "--out", str(page)]):
            answer([*command, *options, str(scene)])
        answer(["inspect", "--quiet", str(self._models[0])])
        tables.bundle(scene)
        (cloud := self._folder / "cloud.ply").write_bytes(shapes.table_cloud())
        answer(["scan", "--out", str(self._folder / "game"), "--yes", "--quiet", str(cloud)])
        cloud.unlink()
        shutil.rmtree(self._folder / "game", ignore_errors=True)
        page.unlink(missing_ok=True)

    @cached_property
    def _shapes(self) -> list[shapes.Shape]:
        return shapes.seeds(examples_folder() / "models")

    @cached_property
    def _whole_bundle(self) -> bytes:
        return tables.bundle(next(path for path in self._scenes if path.parent.name == "necromunda"))

    def run(self, number: int) -> Tally:
        """Runs a trial."""
        random = Random(f"{self._seed} {number}")
        kind = random.choices(list(KINDS), list(KINDS.values()))[0]
        place = self._folder / f"{self._seed}-{number}"
        place.mkdir(parents=True)
        files, arguments = getattr(self, f"_{kind}")(random, place)
        outcome = limited(lambda: answer(arguments), wall=60.0)
        tally = Tally(tried=Counter([kind]))
        problem = ""
        if outcome.kind != "done":
            problem = f"{outcome.kind}: {outcome.text.strip().splitlines()[-1][:200]}"
        else:
            status, _, said = outcome.text.partition("\n")
            problem = unfit(status, said, [str(file) for file in files])
            if not problem and status == "2":
                tally.refused[in_short(said, files)] += 1
            elif not problem:
                tally.loaded[kind] += 1
        if problem:
            tally.failures.append(f"{place.name} ({kind}; {' '.join(arguments[:-3])}): {problem}")
        else:
            for path in sorted(place.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            place.rmdir()
        return tally

    def _mesh(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A mesh that is changed as a mesh; its scene, or its description."""
        ending, write = random.choice(shapes.WRITERS)
        return self._with_mesh(write(shapes.changed(random.choice(self._shapes), random)), ending, random, place)

    def _bytes(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A mesh of which bytes are damaged."""
        ending, write = random.choice(shapes.WRITERS)
        return self._with_mesh(damaged(write(random.choice(self._shapes)), random), ending, random, place)

    def _with_mesh(self, content: bytes, ending: str, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        mesh, scene = place / f"it{ending}", place / "scene.toml"
        mesh.write_bytes(content)
        if random.random() < 0.3:
            return [mesh], ["inspect", "--json", "--no-cache", "--quiet", str(mesh)]
        kind = random.choice(["fighter", "terrain", "vehicle"])
        target = "Vex" if kind == "terrain" else random.choice(["it", "Vex"])
        more = random.choice(["", "", "units = 'mm'", "solid = true", "base = { height = 3 }", "origin = 'keep'"])
        if kind != "terrain" and more == "solid = true":
            more = "insignificant = [{ part = '*a*' }]"
        scene.write_text(SCENE.format(kind=kind, mesh=mesh.name, more=more, target=target))
        return [scene, mesh], ["check", "--json", "--no-cache", "--quiet", str(scene)]

    def _scene(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A scene of a game, damaged or with other numbers."""
        scene = place / "scene.toml"
        change = random.choice([damaged, varied])
        text = change(random.choice(self._scenes).read_bytes(), random)
        scene.write_bytes(text.replace(b"../../models", (examples_folder() / "models").as_posix().encode()))
        command = random.choice([["check"], ["check"], ["matrix", "--workers", "1"]])
        return [scene], [*command, "--json", "--no-cache", "--quiet", "--pixel", "2", str(scene)]

    def _model(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A model file, damaged."""
        model = place / "model.toml"
        seed = random.choice(self._models)
        text = damaged(seed.read_bytes(), random)
        model.write_bytes(text.replace(b'mesh = "', f'mesh = "{seed.parent.as_posix()}/'.encode()))
        return [model], ["inspect", "--json", "--no-cache", "--quiet", str(model)]

    def _scan(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A scan of which bytes are damaged: an archive, a cloud of points, a mesh with a picture."""
        name, write = random.choice(shapes.SCANS)
        scan = place / name
        scan.write_bytes(damaged(write(), random))
        return [scan], ["scan", "--out", str(place / "game"), "--yes", "--json", "--quiet", str(scan)]

    def _save(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A save of Tabletop Simulator, damaged or with other numbers."""
        file = place / "save.json"
        file.write_bytes(random.choice([damaged, varied])(tables.save(), random))
        options = ["--meshes", str(tables.with_meshes(place / "Models")), "--json", "--no-cache", "--quiet"]
        stand_ins = ["--stand-ins"] if random.random() < 0.3 else []
        return [file], ["import", "--out", str(place / "game"), *options, *stand_ins, str(file)]

    def _gltf(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A glTF scene of which bytes are damaged, or numbers in its text are others."""
        file = place / "table.glb"
        file.write_bytes(random.choice([damaged, varied])(tables.gltf_scene(), random))
        units = ["--units", random.choice(["mm", "inch"])] if random.random() < 0.3 else []
        return [file], ["import", "--out", str(place / "game"), "--json", "--no-cache", "--quiet", *units, str(file)]

    def _bundle(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A bundle, damaged as an archive, or inside."""
        file = place / "duel.zip"
        file.write_bytes(random.choice([damaged, tables.with_damage_inside])(self._whole_bundle, random))
        return [file], ["check", "--json", "--no-cache", "--quiet", str(file)]

    def _game(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """A game file that ships, damaged or with other numbers."""
        file = place / "game.toml"
        file.write_bytes(random.choice([damaged, varied])(random.choice(GAMES).read_bytes(), random))
        return [file], ["rules", "--json", str(file)]

    def _report(self, random: Random, place: Path) -> tuple[list[Path], list[str]]:
        """The report of a damaged scene."""
        files, _ = self._scene(random, place)
        options = ["--no-cache", "--quiet", "--pixel", "2", "--workers", "1"]
        return files, ["report", "--out", str(place / "page.html"), *options, str(files[0])]


def answer(arguments: list[str]) -> str:
    """The status of a command, and below it what it wrote to standard error."""
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        status = main(arguments)
    return f"{int(status)}\n{told.getvalue()}"


def unfit(status: str, said: str, files: list[str]) -> str:
    """Why an answer will not do; empty where it will."""
    lines = said.splitlines()
    if status not in ("0", "1", "2"):
        return f"status {status}: {said[:200]}"
    if PYTHONS_WORDS.search(said):
        return f"Python's words: {said[:300]}"
    if status == "2" and len(lines) != 1:
        return f"{len(lines)} lines: {said[:300]}"
    if status == "2" and not any(Path(file).name in said for file in files):
        return f"names no file: {said[:300]}"
    return "" if status == "2" or not lines else f"lines without an error: {said[:200]}"


def in_short(said: str, files: list[Path]) -> str:
    """The first words of a refusal, without names and numbers."""
    text = said.removeprefix("error: ")
    for file in files:
        text = text.replace(f"{file}: ", "")
    text = re.sub(r"'[^']*'|\"[^\"]*\"|\[[^]]*\]", "...", text)
    return " ".join(re.sub(r"-?\d[\d.e+-]*", "N", text).split()[:6])


def share_of(seed: int, folder: Path, first: int, step: int, until: float) -> Tally:
    """The trials of one process, until a time of the clock that all processes share."""
    trials, tally = Trials(seed, folder), Tally()
    trials.warm()
    for number in count(first, step):
        if time.monotonic() >= until:
            break
        tally.add(trials.run(number))
    return tally


def summary(tally: Tally) -> str:
    """What came of the trials, in lines."""
    lines = [f"{'kind':<10}{'tried':>8}{'loaded':>8}"]
    lines += [f"{kind:<10}{tried:>8}{tally.loaded[kind]:>8}" for kind, tried in sorted(tally.tried.items())]
    lines.append(f"{tally.refused.total()} refused:")
    lines += [f"{times:>8}  {words}" for words, times in tally.refused.most_common()]
    return "\n".join([*lines, f"{len(tally.failures)} failed", *(f"  {failure}" for failure in tally.failures)])
