"""Does the judge of a page say what the command says, and how long does it take?

Models at random places, turned at random, four attackers of five about towards their target; the judge of a playable
report in Chromium and the command both judge who sees whom. The tables: the skirmish, of ten figures, and twenty of
real meshes of 50,000 to 209,000 triangles. A phone is Chromium slowed to a quarter. Wanted: no two different words; at
most 16 ms a check on a desktop, 50 on a phone, and 5 on a desktop for a brief answer, its word alone; 3 MB of meshes
for the skirmish.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import NecromundaScene
from tests.benchmarks.crowded_table import MESHES, crowded_document
from tests.benchmarks.tables import CannotRunError, Options, Table, options_of, progress, show
from tests.support.page_judge import ASK, disagreement, judged, judging, playable, random_poses

SKIRMISH = Path(__file__).resolve().parents[2] / "scenes" / "necromunda" / "skirmish.toml"
REAL_TABLES, POSES = 20, 50
SLOWED = 4


def real_table(number: int) -> NecromundaScene:
    """One of the tables of real meshes, two to six figures of two gangs among two to eight pieces of terrain."""
    document = crowded_document(2 + number % 5, 2 + number % 7)
    for place, table in enumerate(document["fighter"]):
        table["gang"] = "one" if place % 2 else "two"
    return NECROMUNDA.read(MESHES / "crowded.toml", document, Cache(None))


def slowed(page: Any, rate: int) -> None:
    """Slows a page down by a factor, in Chromium."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})


def measured(name: str, scenes: Iterator[NecromundaScene], poses: int) -> tuple[str, ...]:
    """The row of some tables."""
    from tests.support.browsing import launched

    desktop, brief, phone, words = list[float](), list[float](), list[float](), Counter[str]()
    with launched() as browser:
        for number, scene in enumerate(scenes):
            posed = random_poses(scene, poses, number)
            with judging(browser, [playable(scene)]) as page:
                judged(page, 0, scene, posed[:10])  # until it is compiled
                answers = judged(page, 0, scene, posed)
                slowed(page, SLOWED)
                phone += [answer["ms"] for answer in judged(page, 0, scene, posed)]
            desktop += [answer["ms"] for answer in answers]
            brief += [answer["brief"]["ms"] for answer in answers]
            for answer, each in zip(answers, posed, strict=True):
                fault = disagreement(answer, each.ruling(scene))
                words["desk" if answer["word"] == ASK else "other" if fault else "same"] += 1
    times = [f"{np.median(some):.1f}, {np.quantile(some, 0.95):.0f}" for some in (desktop, brief, phone)]
    return progress((name, str(len(desktop)), str(words["same"]), str(words["desk"]), str(words["other"]), *times))


def tables(options: Options) -> Iterator[Table]:
    """Words and times, then sizes."""
    try:
        from tests.support.browsing import chromium
    except ImportError as error:
        raise CannotRunError(f"{error.name} is not installed") from None
    if chromium() is None:
        raise CannotRunError("there is no Chromium")
    scene = load_scene(SKIRMISH)
    assert isinstance(scene, NecromundaScene)
    poses = POSES if options.rounds is None else options.laps(POSES)
    rows = [measured("the skirmish that ships", iter([scene]), 4 * poses)]
    if MESHES.is_dir():
        rows.append(measured("20 tables of real meshes", map(real_table, range(REAL_TABLES)), poses))
    columns = (
        "tables",
        "checks",
        "the same word",
        "left to the desk",
        "another word",
        "ms: median, 95 %",
        "of a brief answer",
        "on a phone",
    )
    yield Table("Words and times", columns, tuple(rows))
    script = files("silhouette.pages.html").joinpath("assets", "judge.min.js").read_bytes()
    sizes = (
        ("the meshes of the skirmish, MB", f"{len(playable(scene)['packed']) / 1e6:.2f}"),
        ("the judge, kB", f"{len(script) / 1e3:.0f}"),
    )
    yield Table("What a page carries", ("", "size"), tuple(map(progress, sizes)))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
