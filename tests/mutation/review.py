"""Mutants that people thought of: each a change of a few words that tests once missed, with the tests that notice it.

They lie off the beaten thresholds: an error beside a share, the order of names, a queue, a state two steps back. What a
mutant of `tests.mutation.mutants` changes, an operator finds; what these change, somebody who read the code.

    python -m tests.mutation.run review
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Patch:
    """One change of one file.

    Attributes:
        file: from the root of the checkout.
        old: the text that is changed, which stands in the file once.
        new: what stands there instead.
        tests: that notice it, as arguments of pytest.
    """

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file."""
        return ROOT / self.file

    def source(self) -> str:
        """The file's content with the change made.

        Raises:
            ValueError: where the text that is changed is not there, or more than once.
        """
        text = self.path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has {self.old!r} {text.count(self.old)} times; once would be right")
        return text.replace(self.old, self.new)

    def difference(self) -> list[str]:
        """The lines that change, with ``-`` and ``+`` before them."""
        return [f"-{line}" for line in self.old.splitlines()] + [f"+{line}" for line in self.new.splitlines()]


OF_VERSION_0_2 = (
    Patch(
        "silhouette/measure/proven.py",
        "error = 0.0 if counts.in_arc == counts.total else counts.error",
        "error = 0.0",
        ("tests/measure/test_proven.py",),
    ),
    Patch(
        "silhouette/measure/survey.py",
        "np.where(self.is_parted, unseen, np.minimum(unseen, alike))",
        "np.minimum(unseen, alike)",
        ("tests/measure/test_proven.py",),
    ),
    Patch(
        "silhouette/relations/lines.py",
        "error = 0.0 if search.is_found else max(0.0, search.most - search.width)",
        "error = 0.0 if search.is_found else max(0.0, search.most)",
        ("tests/relations/test_lines.py::test_the_error_is_what_the_search_left_beyond_the_width_that_it_found",),
    ),
    Patch(
        "silhouette/relations/obstacles.py",
        "key=lambda number: -met[number]",
        "key=lambda number: met[number]",
        ("tests/relations/test_lines.py::test_the_piece_that_meets_most_lines_is_named_first",),
    ),
    Patch(
        "silhouette/scans/matching.py",
        "own.unseen > (0.24 if large else 0.085)",
        "own.unseen > 0.24",
        ("tests/scans/test_matching.py",),
    ),
    Patch(
        "silhouette/exchange/tts.py",
        "base / 4.0 < height <= MAX_LENGTH",
        "base < height <= MAX_LENGTH",
        ("tests/exchange/test_tts.py",),
    ),
    Patch(
        "silhouette/workers/pool.py",
        "return urgency >= PATIENT",
        "return urgency > PATIENT",
        ("tests/live/test_judges.py::test_a_patient_question_gives_way_to_a_more_urgent_one_and_to_no_other",),
    ),
    Patch(
        "silhouette/bundles/comparing.py",
        "        for share in shares\n",
        "        for share in shares[:1]\n",
        ("tests/bundles/test_comparing.py",),
    ),
    Patch(
        "silhouette/bundles/replaying.py",
        "(then.renderer, device or then.device), (then.renderer, device)",
        "(then.renderer, device)",
        ("tests/bundles/test_bundles.py::test_it_is_judged_again_on_its_device",),
    ),
    Patch(
        "silhouette/live/live_table.py",
        "states[:] = [replace(other, models=laid_over(was, other.models)) for other in states]",
        "states[:] = [replace(other) for other in states]",
        ("tests/live/test_tags.py",),
    ),
)
"""The ten of the review of version 0.2 that no test noticed."""

SECOND_FACTS = (
    Patch(
        "silhouette/live/live_table.py",
        "(saved.document, saved.models) == (self._now.document, self._now.models)",
        "saved.document == self._now.document",
        ("tests/live/test_tags.py", "tests/live/test_live_table.py"),
    ),
    Patch(
        "silhouette/bundles/comparing.py",
        "return _error(self.then) + _error(self.now)",
        "return max(_error(self.then), _error(self.now))",
        ("tests/bundles/test_comparing.py",),
    ),
    Patch(
        "silhouette/bundles/replaying.py",
        "error = then.error if settings.error is None else settings.error",
        "error = settings.error",
        ("tests/bundles/test_bundles.py",),
    ),
    Patch(
        "silhouette/exchange/imported.py",
        "gap = np.linalg.norm(placed - moved(matrix, eight), axis=1).max()",
        "gap = np.linalg.norm(placed - moved(matrix, eight), axis=1).mean()",
        ("tests/exchange/test_tts_poses.py", "tests/exchange/test_gltf.py"),
    ),
    Patch(
        "silhouette/exchange/tts.py",
        'self._leave(part.name, f"is part of {name}, for which a stand-in stands")',
        "pass",
        ("tests/exchange/test_tts.py",),
    ),
    Patch(
        "silhouette/measure/estimate.py",
        "    errors[blind, 2] = 0.0\n",
        "",
        ("tests/measure/test_estimate.py", "tests/measure/test_proven.py"),
    ),
    Patch(
        "silhouette/measure/proven.py",
        "    if counts.in_arc < counts.total:\n        return counts\n    return replace(counts, occluded_in_arc",
        "    return replace(counts, occluded_in_arc",
        ("tests/measure/test_proven.py",),
    ),
    Patch(
        "silhouette/scenes/warnings.py",
        " and pieces[other].name not in named",
        "",
        ("tests/scenes/test_placement_warnings.py",),
    ),
    Patch(
        "silhouette/scenes/table.py",
        "CONTACT + radius + other_radius + ROUNDING",
        "CONTACT + radius + other_radius",
        ("tests/scenes/test_table.py",),
    ),
)
"""More of the kind, in the rooms where people save, keep, import and measure."""

PATCHES = (*OF_VERSION_0_2, *SECOND_FACTS)
