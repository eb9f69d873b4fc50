"""How long do figures, reports, animations and the tutorial take?

A figure is drawn and written as SVG, its check judged before. The others are whole processes with as many workers as
cores. Wanted: 4 s for the report, 6 s for the animation, 20 s for the tutorial.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from statistics import median

from silhouette.drawing.figures import figures_of
from silhouette.drawing.saving import FigureDescription, save
from silhouette.drawing.sheet import COLUMN, Sheet, settings
from silhouette.files.documents import read_document
from silhouette.judging import Judged, JudgingOptions, Selection, judge_all, load_scene
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules import RULES, rule_called
from silhouette.scenes.scene import Scene
from tests.benchmarks.processes import PROJECT, as_table, in_turn, places, row
from tests.benchmarks.tables import Options, Table, options_of, progress, show

EXAMPLE = PROJECT / "scenes" / "necromunda" / "example_2_partial_cover.toml"
WALK = "60,100"
"""Out from behind the barricade of the example."""

SKIRMISH = PROJECT / "scenes" / "necromunda" / "skirmish.toml"
CHECKS = 10
RUNS = 2


def time_figures(example: Path, folder: Path, runs: int) -> list[float]:
    """Seconds for each figure of every check of a scene, the median of some runs; what a check's figures share falls to
    the first of them."""
    scene, renderer, taken = load_scene(example), choose(), []
    for check in Selection().checks(scene):
        (found,) = judge_all([(scene, check)], JudgingOptions(renderer, keep=True))
        laps = [figure_by_figure(scene, found, renderer, folder) for _ in range(runs)]
        taken += [median(each) for each in zip(*laps, strict=True)]
    return taken


def figure_by_figure(scene: Scene, found: Judged, renderer: Renderer, folder: Path) -> list[float]:
    """Seconds for each figure of one check, drawn and written."""
    taken = []
    with settings():
        for figure in figures_of(scene, found.check, found.verdict, renderer):
            start = time.perf_counter()
            sheet = Sheet(COLUMN)
            figure.draw(sheet)
            save(sheet.finish(), folder / "figure.svg", FigureDescription(figure.name, sheet.about, found.row()))
            taken.append(time.perf_counter() - start)
    return taken


def ten_checks(folder: Path) -> Path:
    """The skirmish with four more checks."""
    scene = read_document(SKIRMISH)
    asked = [(one["attacker"], one["target"]) for one in scene["check"]]
    for piece in scene["terrain"] + scene["fighter"]:
        piece["model"] = str((SKIRMISH.parent / piece["model"]).resolve())
    names = [piece["name"] for piece in scene["fighter"]]
    more = [pair for pair in permutations(names, 2) if pair not in asked][:: len(names)][: CHECKS - len(asked)]
    scene["check"] += [{"attacker": one, "target": other} for one, other in more]
    path = folder / "ten_checks.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    return path


def tables(options: Options) -> Iterator[Table]:
    """Figures of each game, then whole processes."""
    checkouts, rows = places(options), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        examples = {system: PROJECT / rule_called(system).example for system in sorted(RULES)}
        for what, example in {**examples, "necromunda, skirmish": SKIRMISH}.items():
            taken = time_figures(example, folder, options.laps(RUNS))
            rows.append(progress((what, f"{sum(taken) / len(taken):.2f}", f"{max(taken):.2f}")))
        yield Table("Seconds for a figure", ("example of", "mean", "longest"), tuple(rows), compared=("mean",))
        page, film, pages = (str(folder / made) for made in ("report.html", "film.gif", "tutorial"))
        report = ["report", str(ten_checks(folder)), "--out", page]
        animation = ["draw", str(EXAMPLE), "--animate", film, "--walk", WALK]
        commands = {
            f"report of {CHECKS} checks on the skirmish": (report, RUNS),
            "animation of 48 frames": (animation, RUNS),
            "the whole tutorial": (["tutorial", "--out", pages], 1),
        }
        rows = []
        for what, (command, runs) in commands.items():
            words = ["-m", "silhouette", *command, "--quiet"]
            rows.append(row(what, in_turn(words, checkouts, folder, options.laps(runs))))
        yield as_table("CPU seconds of whole processes, warm cache", rows, checkouts)


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
