"""How long do odds, maps and matrices of games by data take?

Whole processes, warm, on the example scene of each game; maps and matrices of one that looks for beams and one that
looks for patches. Scenes with hardly a line, or none, take several times as long.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.processes import as_table, in_turn, places, row
from tests.benchmarks.tables import Options, Table, options_of, show

GAMES = ("bolt_action_3", "dnd_5e", "infinity_n5", "kill_team_2024", "legion", "pathfinder_2e", "the_old_world",
         "trench_crusade", "warhammer_40000_10")  # fmt: skip

MAPPED = ("infinity_n5", "kill_team_2024")
RUNS = 3


def tables(options: Options) -> Iterator[Table]:
    """Odds; maps and matrices."""
    checkouts, runs = places(options), options.laps(RUNS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenes = [f"{game}/example" for game in GAMES]
        odds = [row(scene, in_turn(_command("check", scene, "--odds"), checkouts, folder, runs)) for scene in scenes]
        yield as_table("`silhouette check SCENE --odds`, CPU seconds", odds, checkouts)
        rows = []
        for game in MAPPED:
            scene = f"{game}/example"
            mapped = _command(
                "map", scene, "--move", "Vex", "--from", "Kal", "--grid", "50", "--out", f"{name}/map.json"
            )
            rows.append(row(f"map of {scene}", in_turn(mapped, checkouts, folder, runs)))
            rows.append(row(f"matrix of {scene}", in_turn(_command("matrix", scene), checkouts, folder, runs)))
        yield as_table("`silhouette map` and `silhouette matrix`, CPU seconds", rows, checkouts)


def _command(command: str, scene: str, *options: str) -> list[str]:
    return ["-m", "silhouette", command, f"scenes/{scene}.toml", *options]


if __name__ == "__main__":
    show(tables(options_of()))
