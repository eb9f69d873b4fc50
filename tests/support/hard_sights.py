"""Random cases of sight by kind, each with exact shares; and what is wrong with counts of one.

    python -m tests.support.hard_sights "dots in rows" 7

prints a case: what is there, the exact shares, what is counted, and what is untrue in that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from zlib import crc32

import numpy as np

from silhouette.common.geometry import Pose
from silhouette.measure.observation import OcclusionCounts
from silhouette.measure.observe import observe
from silhouette.meshes.mesh import Mesh
from silhouette.renderers import choose
from tests.support import fine_things, shapes, small_gaps, touching_things
from tests.support.exact_shares import ExactShares
from tests.support.sight_cases import Case, tidy

Maker = Callable[[np.random.Generator], Case]

FINE: dict[str, Maker] = {
    "dots": fine_things.dots,
    "dots along the rim": fine_things.dots_along_the_rim,
    "dots in rows": fine_things.dots_in_rows,
    "many dots": fine_things.many_dots,
    "dust": fine_things.dust,
    "holes": fine_things.holes,
    "wires": fine_things.wires,
    "rods": fine_things.rods,
    "foils": fine_things.foils,
    "combs": fine_things.combs,
    "gratings": fine_things.gratings,
    "pinholes": small_gaps.pinholes,
    "drilled": small_gaps.drilled,
    "double walls": small_gaps.double_walls,
    "slits": small_gaps.slits,
    "bits": small_gaps.bits,
    "sieves": small_gaps.sieves,
    "interleaved": small_gaps.interleaved,
    "thin targets": small_gaps.thin_targets,
    "tiny targets": small_gaps.tiny_targets,
    "needles": small_gaps.needles,
    "slivers": small_gaps.slivers,
    "shadows": small_gaps.shadows,
}
TOUCHING: dict[str, Maker] = {
    "seams": small_gaps.seams,
    "coplanar": touching_things.coplanar,
    "shells": touching_things.shells,
    "ground": touching_things.ground,
    "standing": touching_things.standing,
    "piercing": touching_things.piercing,
    "soups": touching_things.soups,
    "eyes on blocks": touching_things.eyes_on_blocks,
    "eyes on targets": touching_things.eyes_on_targets,
    "eyes inside": touching_things.eyes_inside,
    "from above": touching_things.from_above,
    "close vehicles": touching_things.close_vehicles,
    "arcs across": touching_things.arcs_across,
    "arc slivers": touching_things.arc_slivers,
    "one behind another": touching_things.one_behind_another,
    "turned pieces": touching_things.turned_pieces,
}


def turned_scenes(random: np.random.Generator) -> Case:
    """A case of another kind, in which all pieces stand turned: their own frames are not the world's."""
    made = _any_case(random)
    pose = Pose.standing(random.uniform(-100, 100, 3), float(random.uniform(0, 360)))
    target, *blockers = (
        shapes.mesh(pose.localise(mesh.vertices), mesh.faces) for mesh in (made.target, *made.blockers)
    )
    return replace(made, target=target, blockers=tuple(blockers), pose=pose)


def flipped_faces(random: np.random.Generator) -> Case:
    """A case of another kind, in whose meshes some faces look the other way, or are there twice; as in scans."""
    made = _any_case(random)
    target, *blockers = (_untidy(random, tidy(mesh)) for mesh in (made.target, *made.blockers))
    return replace(made, target=target, blockers=tuple(blockers))


def _untidy(random: np.random.Generator, mesh: Mesh) -> Mesh:
    """Some faces flipped, or repeated, or cut in two at the middle of an edge, which their neighbours are not."""
    faces = np.where(random.random((len(mesh.faces), 1)) < random.choice([0.1, 0.5]), mesh.faces[:, ::-1], mesh.faces)
    twice = faces[random.random(len(faces)) < 0.1]
    cut = random.random(len(faces)) < 0.1
    a, b, c = faces[cut].T
    middles = (mesh.vertices[a] + mesh.vertices[b]) / 2
    number = len(mesh.vertices) + np.arange(len(middles))
    halves = [np.column_stack([a, number, c]), np.column_stack([number, b, c])]
    return shapes.mesh(np.vstack([mesh.vertices, middles]), np.vstack([faces[~cut], twice, *halves]))


def _any_case(random: np.random.Generator) -> Case:
    """Of one of the other kinds; eyes that must lie exactly in a plane, and arcs, are left out."""
    others = [*FINE.values(), *(TOUCHING[kind] for kind in ("piercing", "soups", "ground", "one behind another"))]
    return others[int(random.integers(len(others)))](random)


TOUCHING |= {"turned scenes": turned_scenes, "flipped faces": flipped_faces}
ORDINARY: dict[str, Maker] = {"ordinary": touching_things.ordinary}
KINDS = FINE | TOUCHING | ORDINARY
"""How to make a case of each kind at random."""

ROUNDING = 1e-9
"""Shares may differ by so much from what is exact without a word: float64 in the counts, and in the oracle."""


def case(kind: str, number: int) -> Case:
    """One of the cases of a kind; the same, whatever other kinds there are. Its meshes are as files give them."""
    made = KINDS[kind](np.random.default_rng([crc32(kind.encode()), number]))
    return replace(made, target=tidy(made.target), blockers=tuple(tidy(mesh) for mesh in made.blockers))


def faults(counts: OcclusionCounts, exact: ExactShares) -> list[str]:
    """What is untrue in counts: each a sentence; none where all that is stated is true.

    A verdict is taken from the counts as games do it, with no tolerance but the stated error.
    """
    found = []
    if (counts.total == 0) != (exact.total == 0.0):
        return [f"{counts.total} pixels of a target of area {exact.total:.2g}"]
    if counts.total:
        stated = {
            "obscured": (counts.occluded / counts.total, exact.occluded, counts.error),
            "seen": (counts.seen / counts.total, exact.seen, counts.error_seen),
        }
        if counts.in_arc and exact.in_arc > ROUNDING:
            in_arc = counts.occluded_in_arc / counts.in_arc
            stated["obscured in the arc"] = (in_arc, exact.occluded_in_arc, counts.error_in_arc)
        for name, (share, truth, error) in stated.items():
            if not abs(share - truth) <= error + ROUNDING:
                found.append(f"{name}: {share:.6f} ± {error:.6f}, in truth {truth:.6f}")
    if counts.seen == 0 and counts.error_seen == 0.0 and not exact.nothing_seen:
        found.append(f"said to be hidden, and {exact.seen:.2g} is seen")
    if counts.occluded == 0 and counts.error == 0.0 and not exact.nothing_occluded:
        found.append(f"said to be in the open, and {exact.occluded:.2g} is obscured")
    possible, right = could_be(counts), verdicts(exact)
    if not possible & right:
        found.append(f"could be {' or '.join(sorted(possible))}, and is {' or '.join(sorted(right))}")
    return found


def could_be(counts: OcclusionCounts) -> set[str]:
    """The verdicts that hold within the stated error: hidden, open, less than half obscured, or more."""
    if counts.total == 0:
        return {"hidden"}
    possible = set()
    seen, share = counts.seen / counts.total, counts.occluded / counts.total
    if seen <= counts.error_seen:
        possible.add("hidden")
    if seen + counts.error_seen > 0.0:
        possible.update({"open"} if share <= counts.error else set())
        possible.update({"less"} if share + counts.error > 0.0 and share - counts.error < 0.5 else set())
        possible.update({"more"} if share + counts.error >= 0.5 else set())
    return possible


def verdicts(exact: ExactShares) -> set[str]:
    """The verdict that is right; two at exactly half."""
    if exact.total == 0.0 or exact.nothing_seen:
        return {"hidden"}
    if exact.nothing_occluded:
        return {"open"}
    return {name for name, way in (("less", 1), ("more", -1)) if way * (0.5 - exact.occluded) > -ROUNDING}


def main(kind: str, number: str) -> None:
    """Prints a case."""
    one = case(kind, int(number))
    for name, mesh in (("target", one.target), *((f"blocker {n}", mesh) for n, mesh in enumerate(one.blockers, 1))):
        low, high = mesh.bounds.round(3).tolist()
        print(f"{name}: {len(mesh.faces)} triangles, {low} to {high}")
    print(f"eye {one.eye.round(4).tolist()}, pixel {one.pixel}, arcs {one.arcs}")
    exact, counts = one.exact(each=True), observe(one.sight, choose(), one.pixel).counts
    print(exact, counts, *(faults(counts, exact) or ["all is true"]), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
