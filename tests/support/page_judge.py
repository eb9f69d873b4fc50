"""The judge of a page, in a browser, beside the command's: the same tables, the same poses, both answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from silhouette.drawing.in_3d.shapes import DisplayShape
from silhouette.drawing.in_3d.stage import judged_in_page, packed, stage_of_table
from silhouette.files.cache import Cache
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.mesh import merge_equal
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.playing import arc_entry
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import NecromundaScene
from silhouette.scenes.places import Move, moved
from silhouette.scenes.scene import Check
from tests.support.browsing import Browser
from tests.support.exact_shares import ExactShares
from tests.support.hard_sights import ROUNDING
from tests.support.rulings import ruled
from tests.support.sight_cases import Case

ASK, TOO_CLOSE = "ask the desk", "too close to call"


def playable(scene: NecromundaScene) -> dict[str, Any]:
    """What a page carries for its judge."""
    stage = judged_in_page(stage_of_table(scene, [], Cache.default()), scene)
    return {**stage.document({}, []), "play": NECROMUNDA.play(scene)}


@dataclass(frozen=True)
class Posed:
    """A check of pieces that have been moved."""

    moves: Mapping[str, Move]
    check: Check

    def places(self, scene: NecromundaScene) -> list[Any]:
        """Where each piece of a scene then stands, for the page: [x, y, z], and by how much it is turned."""
        places = list[Any]()
        for piece in scene.pieces:
            move = self.moves.get(piece.name, Move())
            places.append([(piece.pose.translation + move.by).tolist(), move.turn])
        return places

    def ruling(self, scene: NecromundaScene) -> NecromundaVerdict:
        """The command's verdict."""
        verdict: NecromundaVerdict = ruled(NECROMUNDA, moved(scene, self.moves), self.check)
        return verdict


def random_poses(scene: NecromundaScene, count: int, seed: int) -> list[Posed]:
    """Checks with all models somewhere on the table; of five attackers four look about where the target is."""
    random = np.random.default_rng(seed)
    models = [piece for piece in scene.pieces if piece.kind != "terrain"]
    (left, front), (right, back) = scene.table_top
    posed = list[Posed]()
    for _ in range(count):
        there = {piece.name: random.uniform([left, front], [right, back]) for piece in models}
        turns = {piece.name: float(random.uniform(0.0, 360.0)) for piece in models}
        first, second = (models[number] for number in random.choice(len(models), 2, replace=False))
        if random.random() < 0.8:
            x, y = there[second.name] - there[first.name]
            towards = float(np.degrees(np.arctan2(y, x))) + random.uniform(-55.0, 55.0)
            turns[first.name] = towards - first.ahead
        moves = {}
        for piece in models:
            x, y = there[piece.name] - piece.pose.translation[:2]
            moves[piece.name] = Move(by=(float(x), float(y), 0.0), turn=turns[piece.name])
        posed.append(Posed(moves, Check(first.name, second.name)))
    return posed


@contextmanager
def judging(browser: Browser, pages: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """A page of the browser in which the tables of some documents stand as ``window.tables``."""
    script = files("silhouette.pages.html").joinpath("assets", "judge.min.js").read_text(encoding="utf-8")
    with browser.visit("data:text/html,<title>judge</title>") as visit:
        visit.page.add_script_tag(content=script)
        visit.page.evaluate("window.tables = []")
        for page in pages:
            visit.page.evaluate("async (page) => tables.push(await silhouetteJudge.tableOf(page))", page)
        yield visit.page


def judged(page: Any, number: int, scene: NecromundaScene, posed: Sequence[Posed]) -> list[dict[str, Any]]:
    """What the judge of a page says of checks on its table of a number, with ``ms`` that it took, and ``brief``."""
    requests = [[each.places(scene), each.check.attacker, each.check.target] for each in posed]
    answers: list[dict[str, Any]] = page.evaluate(
        """([number, requests]) => requests.map(([places, attacker, target]) => {
            const table = tables[number];
            places.forEach(([at, turn], index) => table.pieces[index].place(at, turn));
            const timed = (isBrief) => {
                const start = performance.now();
                const answer = table.judge(attacker, target, isBrief);
                return { ...answer, ms: performance.now() - start };
            };
            return { ...timed(false), brief: timed(true) };
        })""",
        [number, requests],
    )
    return answers


ASKED = """async (request) => {
    const bytes = await silhouetteJudge.unpacked(request.packed);
    const meshes = request.shapes.map((shape) => {
        const { points, corners, moved, hull } = silhouetteJudge.judgedMesh(bytes, shape);
        return new silhouetteJudge.Faces(points, corners, moved, hull);
    });
    const [target, ...blockers] = meshes.map((mesh) => ({ mesh, pose: request.pose, aim: request.aim }));
    try {
        return silhouetteJudge.occlusionOf({ ...request, target, blockers });
    } catch (error) {
        if (!(error instanceof silhouetteJudge.Doubt)) throw error;
        return null;
    }
}"""


def areas(page: Any, case: Case) -> dict[str, Any] | None:
    """What the judge of a page counts of a case of sight; None where it asks the desk."""
    sight, shapes = case.sight, list[DisplayShape]()
    for mesh in (case.target, *case.blockers):
        vertices, merged = merge_equal(mesh.vertices)
        shapes.append(DisplayShape(vertices, merged[mesh.faces].astype(np.int64), hull=bounding_points(mesh)))
    entries, text = packed(shapes)
    arcs = None if sight.arcs is None else [arc_entry(arc) for arc in sight.arcs]
    pose = np.column_stack([case.pose.rotation, case.pose.translation]).ravel().tolist()
    request = {"packed": text, "shapes": entries, "pose": pose, "aim": sight.target.body_middle.tolist(), "arcs": arcs}
    request |= {"eye": sight.eye.tolist(), "facing": sight.facing}
    counted: dict[str, Any] | None = page.evaluate(ASKED, request)
    return counted


def untruths(counted: Mapping[str, Any] | None, exact: ExactShares) -> list[str]:
    """What is untrue in areas that a page counted; nothing is where it asks the desk."""
    if counted is None or not counted["whole"]:
        return [] if counted is None or not exact.total else ["no area"]
    whole, found = counted["whole"], []
    off = counted["band"] / whole + ROUNDING
    seen = counted["within"] - counted["withinObscured"]
    for name, least, most, truth in (
        ("obscured", counted["obscured"], counted["obscured"] + counted["perhaps"], exact.occluded),
        ("seen", seen - counted["withinPerhaps"], seen, exact.seen),
    ):
        if not least / whole - off <= truth <= most / whole + off:
            found.append(f"{name}: {least / whole} to {most / whole}, ± {off}, in truth {truth}")
    if counted["obscured"] + counted["perhaps"] <= ROUNDING * whole and not counted["touches"]:
        found += [] if exact.nothing_occluded else [f"open, and {exact.occluded} is obscured"]
    if seen <= ROUNDING * whole and not exact.nothing_seen:
        found.append(f"hidden, and {exact.seen} is seen")
    return found


def disagreement(answer: Mapping[str, Any], verdict: NecromundaVerdict) -> str | None:
    """How a page's answer, or its brief one, and the command's verdict contradict each other; None if they do not."""
    if "brief" in answer:
        brief = disagreement(answer["brief"], verdict)
        if brief or (answer["brief"]["word"] == ASK != answer["word"]):
            return f"briefly {brief or ASK}"
    if answer["word"] == ASK:
        return None
    word = TOO_CLOSE if verdict.marginal else verdict.verdict
    if answer["word"] != word:
        return f"{answer['word']}, where the command says {word}"
    share, error = verdict.share
    if share is not None and abs(answer["share"] - share) > answer["bound"] + error + 1e-9:
        return f"{answer['share']} ± {answer['bound']}, where the command says {share} ± {error}"
    return None
