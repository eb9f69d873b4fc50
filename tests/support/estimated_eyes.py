"""How often is an estimated eye on the right head, and is it called doubtful where it is not?

``python -m tests.support.estimated_eyes`` judges two families of figures, pose by pose. Of the simple ones
(`figures_with_eyes`) no figure that is judged was fitted to, but others of its pose were. Of the sculpted ones
(`sculpted_figures`) none of the judged pose was: for each the weights are fitted anew without it. With ``--fit``
the weights of `silhouette.models.heads` are fitted to both families, and printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.mesh import Mesh
from silhouette.models import heads
from silhouette.models.eyes import SURE, eye_estimate, thick_parts
from silhouette.models.heads import FEATURES, NO_BALL, WEIGHTS, Balls, balls_in
from tests.support.figures_with_eyes import figure_with_eye
from tests.support.sculpted_figures import sculpted_figure

FITTED = range(132)
SCULPTED = (*range(40), *range(60, 100), *range(1000, 1040))
OTHERS = range(1012, 1100)
FAR = 3.0  # mm
RIDGE = 1.0
FIRST = np.array([
    -3.38, -3.28, 5.71, 2.27, -1.40, -13.29, -3.90, 8.95, -6.96, -2.26, 1.94, -7.13, -3.62, -3.38, -1.58, 0.64,
])  # fmt: skip
"""The weights that 440 simple figures gave alone; the ridge draws towards these."""

Row = tuple[str, float, float]


@dataclass(frozen=True, eq=False)
class Known:
    """A figure whose eye is known, with what its eye is estimated from.

    Attributes:
        eye: (3,) mm.
        thick, balls: its `thick_parts` and `balls_in`.
    """

    mesh: Mesh
    eye: Floats
    pose: str
    thick: Floats
    balls: Balls | None

    @classmethod
    def of(cls, figure: tuple[Mesh, Floats, str]) -> Known:
        """With its front towards +y."""
        mesh, eye, pose = figure
        return cls(mesh, eye, pose, thick_parts(mesh), balls_in(mesh, 90.0))

    def tried(self) -> Row:
        """Its pose, how far the estimate lies off its eye, mm, and how likely it was said to be right."""
        estimate = eye_estimate(self.mesh, 90.0, self.thick, self.balls)
        return self.pose, float(np.linalg.norm(estimate.eye - self.eye)), estimate.places[0].likelihood

    def choice(self) -> tuple[Floats, Floats]:
        """(k, f) the features of its balls, and (k + 1,) which of them give its eye; the last, that none does."""
        if self.balls is None:
            return np.empty((0, len(FEATURES))), np.ones(1)
        rights = []
        for ball in range(len(self.balls.radii)):
            alone = Balls(*(values[[ball]] for values in vars(self.balls).values()))
            eye = eye_estimate(self.mesh, 90.0, self.thick, alone).eye
            rights.append(float(np.linalg.norm(eye - self.eye)) < FAR)
        return self.balls.features, np.array([*rights, not any(rights)], float)


def tried(seeds: Sequence[int], figure: Callable[[int], tuple[Mesh, Floats, str]] = figure_with_eye) -> list[Row]:
    """What `Known.tried` says of figures with these seeds."""
    return [Known.of(figure(seed)).tried() for seed in seeds]


def tried_without_own_pose(simple: Sequence[Known], sculpted: Sequence[Known]) -> list[Row]:
    """What `Known.tried` says of the sculpted figures where the weights were fitted to all but those of the pose."""
    rows = []
    for pose in dict.fromkeys(known.pose for known in sculpted):
        weights, none = fitted([*simple, *(known for known in sculpted if known.pose != pose)])
        with patch.object(heads, "WEIGHTS", weights), patch.object(heads, "NO_BALL", none):
            rows += [known.tried() for known in sculpted if known.pose == pose]
    return rows


def table(rows: Sequence[Row]) -> str:
    """Pose by pose: figures, how many are off by more than `FAR`, how many of these and of the others in doubt."""
    lines = [f"{'pose':20} figures  off by > {FAR:g} mm  doubtful of these  of the others"]
    for pose in [*dict.fromkeys(pose for pose, _, _ in rows), "all"]:
        of_pose = [(off > FAR, likelihood < SURE) for name, off, likelihood in rows if pose in (name, "all")]
        far = [doubtful for is_far, doubtful in of_pose if is_far]
        near = [doubtful for is_far, doubtful in of_pose if not is_far]
        lines.append(f"{pose:20} {len(of_pose):7} {len(far):14} {sum(far):18} {sum(near):14}")
    return "\n".join(lines)


def fitted(figures: Sequence[Known]) -> tuple[Floats, float]:
    """(f,) the weights under which the right balls, or none, are likeliest, with a ridge; and what "none" weighs."""
    from scipy.optimize import minimize

    choices = [known.choice() for known in figures]
    every = np.concatenate([features for features, _ in choices])
    spread = every.std(axis=0) + 1e-9
    first = np.append(FIRST * spread, every.mean(axis=0) @ FIRST - 3.0)
    ridge = np.append(np.full(len(FEATURES), RIDGE), 0.01)
    last = np.append(np.zeros(len(FEATURES)), 1.0)
    columns = [np.vstack([np.column_stack([of / spread, np.zeros(len(of))]), last]) for of, _ in choices]

    def lost(weights: Floats) -> tuple[float, Floats]:
        loss, slope = float(ridge @ (weights - first) ** 2) / 2.0, ridge * (weights - first)
        for column, (_, right) in zip(columns, choices, strict=True):
            scores = column @ weights
            likelihoods = np.exp(scores - scores.max())
            likelihoods /= likelihoods.sum()
            of_right = likelihoods * right / max(float(likelihoods @ right), 1e-12)
            loss -= float(np.log(max(float(likelihoods @ right), 1e-12)))
            slope = slope - (of_right - likelihoods) @ column
        return loss, slope

    best: Floats = minimize(lost, first, jac=True, method="L-BFGS-B").x
    return best[:-1] / spread, float(best[-1])


if __name__ == "__main__":
    simple = [Known.of(figure_with_eye(seed)) for seed in FITTED]
    sculpted = [Known.of(sculpted_figure(seed)) for seed in SCULPTED]
    if "--fit" in sys.argv:
        weights, none = fitted([*simple, *sculpted])
        for name, weight, now in zip([*FEATURES, "none"], [*weights, none], [*WEIGHTS, NO_BALL], strict=True):
            print(f"    {weight:.2f},  # {name}, now {now:.2f}")
    else:
        print(table(tried(OTHERS)))
        print(table(tried_without_own_pose(simple, sculpted)))
