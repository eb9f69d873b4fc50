"""How often is an estimated eye on the right head, and is it called doubtful where it is not?

``python -m tests.support.estimated_eyes`` judges three families of figures: simple (`figures_with_eyes`), sculpted
(`sculpted_figures`) and varied (`varied_figures`), each by weights that were fitted to the other two; and figures of
the first family by the weights that ship, which were fitted to others of the same poses. With ``--fit`` the weights
are fitted to all three families, and written to ``silhouette/models/heads.json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.common.lazy import cached_property
from silhouette.meshes.mesh import Mesh
from silhouette.models import eyes as heads
from silhouette.models.eyes import SURE_LIKELIHOOD, BodyBalls, balls_in, eye_estimate, faces_of_heads, thick_parts
from tests.support.figures_with_eyes import figure_with_eye
from tests.support.sculpted_figures import sculpted_figure
from tests.support.varied_figures import varied_figure

Maker = Callable[[int], tuple[Mesh, Floats, str]]

FAMILIES: dict[str, tuple[Maker, Sequence[int]]] = {
    "simple": (figure_with_eye, range(440)),
    "sculpted": (sculpted_figure, range(200)),
    "varied": (varied_figure, range(600)),
}
OTHERS = range(1012, 1100)
FAR = 3.0  # mm
RIDGE = 2.0
GRADED = 0.9  # how much less right a ball is whose eye is off by nearly `FAR`
STEPS = 150

Row = tuple[str, float, float]


@dataclass(frozen=True, eq=False)
class Known:
    """A figure whose eye is known, with what its eye is estimated from.

    Attributes:
        eye: (3,) mm.
        balls: its `balls_in`.
    """

    mesh: Mesh
    eye: Floats
    pose: str
    balls: BodyBalls | None

    @classmethod
    def of(cls, figure: tuple[Mesh, Floats, str]) -> Known:
        """With its front towards +y."""
        mesh, eye, pose = figure
        return cls(mesh, eye, pose, balls_in(mesh, 90.0))

    @cached_property
    def thick(self) -> Floats:
        """Its `thick_parts`."""
        return thick_parts(self.mesh)

    def tried(self) -> Row:
        """Its pose, how far the estimate lies off its eye, mm, and how likely it was said to be right."""
        estimate = eye_estimate(self.mesh, 90.0, self.thick, self.balls)
        return self.pose, float(np.linalg.norm(estimate.eye - self.eye)), estimate.places[0].likelihood

    def choice(self) -> tuple[Floats, Floats]:
        """(k, f) the features of its balls, and (k + 1,) how right each is; the last, that none is.

        A ball whose eye is more than `FAR` off is not right at all; the nearer the eye of another, the more it is.
        """
        if self.balls is None:
            return np.empty((0, len(heads.EYE_WEIGHTS[0]))), np.ones(1)
        eyes = faces_of_heads(self.mesh, self.balls.centres, self.balls.radii, np.array([0.0, 1.0]))
        off = np.linalg.norm(eyes - self.eye, axis=1) / FAR
        rights = np.where(off < 1.0, 1.0 - GRADED * off**2, 0.0)
        return self.balls.features, np.append(rights, float(not rights.any()))


def tried(seeds: Sequence[int], figure: Maker = figure_with_eye) -> list[Row]:
    """What `Known.tried` says of figures with these seeds."""
    return [Known.of(figure(seed)).tried() for seed in seeds]


def tried_without_own_family(families: Mapping[str, Sequence[Known]], judged: str) -> list[Row]:
    """What `Known.tried` says of one family of figures where the weights were fitted to all others."""
    weights = fitted([known for name, others in families.items() if name != judged for known in others])
    with patch.object(heads, "EYE_WEIGHTS", weights):
        return [known.tried() for known in families[judged]]


def table(rows: Sequence[Row]) -> str:
    """Pose by pose: figures, how many are off by more than `FAR`, how many of these and of the others in doubt."""
    lines = [f"{'pose':20} figures  off by > {FAR:g} mm  doubtful of these  of the others"]
    for pose in [*dict.fromkeys(pose for pose, _, _ in rows), "all"]:
        of_pose = [(off > FAR, likelihood < SURE_LIKELIHOOD) for name, off, likelihood in rows if pose in (name, "all")]
        far = [doubtful for is_far, doubtful in of_pose if is_far]
        near = [doubtful for is_far, doubtful in of_pose if not is_far]
        lines.append(f"{pose:20} {len(of_pose):7} {len(far):14} {sum(far):18} {sum(near):14}")
    return "\n".join(lines)


def fitted(figures: Sequence[Known]) -> tuple[Floats, float]:
    """(f,) the weights under which the right balls, or none, are likeliest, with a ridge; and what "none" weighs."""
    from scipy.optimize import minimize

    choices = [known.choice() for known in figures]
    every = np.concatenate([features for features, _ in choices])
    middle, spread = every.mean(axis=0), every.std(axis=0) + 1e-6
    balls = (every - middle) / spread
    owner = np.repeat(np.arange(len(choices)), [len(features) for features, _ in choices])
    right = np.concatenate([right[:-1] for _, right in choices])
    none_right = np.array([right[-1] for _, right in choices])
    ridge = np.append(np.full(balls.shape[1], RIDGE), 0.01)

    def lost(weights: Floats) -> tuple[float, Floats]:
        scores, none = balls @ weights[:-1], weights[-1]
        most = np.full(len(choices), none)
        np.maximum.at(most, owner, scores)
        of_ball, of_none = np.exp(scores - most[owner]), np.exp(none - most)
        every_sum = np.bincount(owner, of_ball, len(choices)) + of_none
        right_sum = np.maximum(np.bincount(owner, of_ball * right, len(choices)) + of_none * none_right, 1e-12)
        loss = float(np.log(every_sum / right_sum).sum() + ridge @ weights**2 / 2.0)
        slope = of_ball * (1.0 / every_sum[owner] - right / right_sum[owner])
        of_none = of_none * (1.0 / every_sum - none_right / right_sum)
        return loss, np.append(slope @ balls, of_none.sum()) + ridge * weights

    best: Floats = minimize(lost, np.zeros(len(ridge)), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    weights = best[:-1] / spread
    return weights, float(best[-1] + middle @ weights)


def main() -> None:
    """Prints the tables, or fits the weights and writes them where `silhouette.models.eyes` reads them."""
    families = {name: [Known.of(figure(seed)) for seed in seeds] for name, (figure, seeds) in FAMILIES.items()}
    if "--fit" in sys.argv:
        weights, none = fitted([known for figures in families.values() for known in figures])
        numbers = {"weights": [float(f"{weight:.3g}") for weight in weights], "none": float(f"{none:.4g}")}
        file = Path(heads.__file__).with_name("heads.json")
        file.write_text(json.dumps(numbers) + "\n", encoding="utf-8")
        return
    for name in families:
        print(f"{name}, by weights fitted to the other families")
        print(table(tried_without_own_family(families, name)))
    print("simple, others than those that the weights were fitted to")
    print(table(tried(OTHERS)))


if __name__ == "__main__":
    main()
