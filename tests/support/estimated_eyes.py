"""How often is an estimated eye on the right head, and is it called doubtful where it is not?

``python -m tests.support.estimated_eyes`` judges 88 figures of 22 poses, whose seeds the weights of
`silhouette.models.heads` were not fitted to. With ``--fit`` it fits the weights again, and prints them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from silhouette.geometry import Floats
from silhouette.models.eyes import SURE, eye_estimate, thick_parts
from silhouette.models.heads import FEATURES, balls_in
from tests.support.figures_with_eyes import figure_with_eye

FITTED = range(440)
OTHERS = range(1012, 1100)
FAR = 3.0  # mm
RIDGE = 1.0


def tried(seeds: Sequence[int]) -> list[tuple[str, float, float]]:
    """For each figure its pose, how far the estimate lies off its eye, mm, and how likely it was said to be right."""
    rows = []
    for seed in seeds:
        mesh, eye, pose = figure_with_eye(seed)
        estimate = eye_estimate(mesh, 90.0, thick_parts(mesh), balls_in(mesh, 90.0))
        rows.append((pose, float(np.linalg.norm(estimate.eye - eye)), estimate.places[0].likelihood))
    return rows


def table(rows: Sequence[tuple[str, float, float]]) -> str:
    """Pose by pose: figures, how many are off by more than `FAR`, how many of these and of the others in doubt."""
    lines = [f"{'pose':18} figures  off by > {FAR:g} mm  doubtful of these  of the others"]
    for pose in [*dict.fromkeys(pose for pose, _, _ in rows), "all"]:
        of_pose = [(off > FAR, likelihood < SURE) for name, off, likelihood in rows if pose in (name, "all")]
        far = [doubtful for is_far, doubtful in of_pose if is_far]
        near = [doubtful for is_far, doubtful in of_pose if not is_far]
        lines.append(f"{pose:18} {len(of_pose):7} {len(far):14} {sum(far):18} {sum(near):14}")
    return "\n".join(lines)


def fitted(seeds: Sequence[int]) -> Floats:
    """(f,) the weights of the features under which the heads of figures are likeliest, with a ridge."""
    from scipy.optimize import minimize

    choices = []
    for seed in seeds:
        mesh, eye, _ = figure_with_eye(seed)
        balls = balls_in(mesh, 90.0)
        if balls is None:
            continue
        off = np.linalg.norm(balls.centres + np.outer(balls.radii, [0.0, 1.0, 0.0]) - eye, axis=1)
        if off.min() < FAR:
            choices.append((balls.features, int(off.argmin())))
    spread = np.concatenate([features for features, _ in choices]).std(axis=0) + 1e-9

    def lost(weights: Floats) -> tuple[float, Floats]:
        loss, slope = RIDGE * float(weights @ weights) / 2.0, RIDGE * weights
        for features, head in choices:
            scores = features / spread @ weights
            likelihoods = np.exp(scores - scores.max())
            likelihoods /= likelihoods.sum()
            loss -= float(np.log(likelihoods[head]))
            slope = slope - (features[head] - likelihoods @ features) / spread
        return loss, slope

    best: Floats = minimize(lost, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B").x / spread
    return best


if __name__ == "__main__":
    if "--fit" in sys.argv:
        for name, weight in zip(FEATURES, fitted(FITTED), strict=True):
            print(f"    {weight:.2f},  # {name}")
    else:
        print(table(tried(OTHERS)))
