"""How long pictures take: the figures of each game's example; a report, the tutorial and an animation.

    python -m tests.benchmarks.pictures [--against DIR]

A figure is drawn and written as SVG, its check judged before. The others are whole processes in CPU seconds, start
included, as many workers as cores, with a warm cache: a report of ten checks on a crowded skirmish, the whole tutorial
with its animations, and an animation of 48 frames.
"""

from __future__ import annotations

import json
import tempfile
import time
from itertools import permutations
from pathlib import Path
from statistics import median

from silhouette.drawing.figures import figures_of
from silhouette.drawing.saving import Told, save
from silhouette.drawing.sheet import COLUMN, Sheet, settings
from silhouette.files.documents import read_document
from silhouette.judging import Judged, Selection, judged, load_scene
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules import RULES, rule_called
from silhouette.scenes.scene import Scene
from tests.benchmarks.processes import PROJECT, checkouts, heading, in_turn

EXAMPLE = PROJECT / "scenes" / "necromunda" / "example_2_partial_cover.toml"
WALK = "60,100"
"""Out from behind the barricade of the example."""

SKIRMISH = PROJECT / "scenes" / "necromunda" / "skirmish.toml"
CHECKS = 10
RUNS = 3


def time_figures(example: Path, folder: Path) -> list[float]:
    """Seconds for each figure of every check of a scene, the median of some runs; what a check's figures share falls to
    the first of them."""
    scene, renderer, taken = load_scene(example), choose("embree"), []
    for check in Selection().checks(scene):
        found = judged(scene, check, renderer, keep=True)
        laps = [figure_by_figure(scene, found, renderer, folder) for _ in range(RUNS)]
        taken += [median(runs) for runs in zip(*laps, strict=True)]
    return taken


def figure_by_figure(scene: Scene, found: Judged, renderer: Renderer, folder: Path) -> list[float]:
    """Seconds for each figure of one check, drawn and written."""
    taken = []
    with settings():
        for figure in figures_of(scene, found.check, found.verdict, renderer):
            start = time.perf_counter()
            sheet = Sheet(COLUMN)
            figure.draw(sheet)
            save(sheet.finish(), folder / "figure.svg", Told(figure.name, sheet.about, found.row()))
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


def main() -> None:
    """Prints the tables."""
    places = checkouts("How long pictures take.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'seconds for a figure':40}{'mean':>8}{'longest':>10}")
        examples = {system: PROJECT / rule_called(system).example for system in sorted(RULES)}
        for what, example in {**examples, "necromunda, skirmish": SKIRMISH}.items():
            taken = time_figures(example, folder)
            print(f"{what:40}{sum(taken) / len(taken):8.2f}{max(taken):10.2f}", flush=True)
        heading("CPU seconds of whole processes", places)
        page, film, pages = (str(folder / made) for made in ("report.html", "film.gif", "tutorial"))
        report = ["report", str(ten_checks(folder)), "--out", page]
        animation = ["draw", str(EXAMPLE), "--animate", film, "--walk", WALK]
        commands = {
            f"report of {CHECKS} checks": (report, RUNS),
            "animation of 48 frames": (animation, RUNS),
            "tutorial": (["tutorial", "--out", pages], 1),
        }
        for what, (command, runs) in commands.items():
            in_turn(what, ["-m", "silhouette", *command, "--quiet"], places, folder, runs)


if __name__ == "__main__":
    main()
