"""What a mutation run changes: modules of each game and of COUNT; and the tests that are to notice it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Subject:
    """What a mutation run changes, and the tests that are to notice it.

    Attributes:
        folder: of the package.
        modules: of that folder, without those that only draw, place in 3D or put in words.
        tests: files and folders, the fastest first, since a run ends with the first test that fails.
        words: further arguments of pytest, such as tests to leave out.
    """

    folder: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    words: tuple[str, ...] = ()

    def whole(self) -> Subject:
        """The same modules against all that tests them, nothing left out: asked of what survives ``tests``."""
        doctests = [test for test in self.tests if test.startswith("silhouette/")]
        folders = {str(PurePosixPath(test).parent) for test in self.tests if test not in doctests}
        return replace(self, tests=(*sorted(folders), *doctests), words=())


LEFT_OUT = ("-k", "not brute_force and not of_rays and not of_points and not reference and not opengl")
"""Leaves out, at first, what takes most of the time and notices little more.

These are the comparisons with second implementations, and the same cases once more on another renderer.
"""

NO_OTHER_RENDERER = ("-k", "not reference and not opengl")
"""Leaves out, at first, the same cases once more on another renderer."""


def _of(folder: str, modules: tuple[str, ...], tests: tuple[str, ...], words: tuple[str, ...] = LEFT_OUT) -> Subject:
    doctests = tuple(f"silhouette/{folder}/{module}.py" for module in modules)
    # The tests come first: they import every module under its name, and the doctests then find the same modules.
    return Subject(folder, modules, (*(f"tests/{folder}/{test}.py" for test in tests), *doctests), words)


def _of_game(game: str, modules: tuple[str, ...], tests: tuple[str, ...]) -> Subject:
    return _of(f"rules/{game}", modules, tests)


SUBJECTS = {
    "tide_of_iron": _of_game(
        "tide_of_iron",
        ("hexes", "judge"),
        ("test_thresholds", "test_hexes", "test_tide_of_iron", "test_tide_of_iron_laws"),
    ),
    "ikosa": _of_game(
        "ikosa",
        ("cell_lines", "judge"),
        ("test_thresholds", "test_ikosa", "test_ikosa_input", "test_ikosa_laws"),
    ),
    "crisis_protocol": _of_game(
        "crisis_protocol",
        ("judge",),
        ("test_thresholds", "test_exact_epsilons", "test_crisis_protocol", "test_crisis_protocol_laws"),
    ),
    "free_lines": _of(
        "relations",
        ("plane_geometry", "free_lines"),
        tuple(
            f"../rules/crisis_protocol/{test}"
            for test in (
                "test_thresholds",
                "test_exact_epsilons",
                "test_plan_geometry",
                "test_crisis_protocol",
                "test_crisis_protocol_laws",
            )
        ),
    ),
    "skirmishcorps": _of_game(
        "skirmishcorps",
        ("classes", "judge", "contact", "shooting"),
        ("test_exact_touches", "test_contact", "test_thresholds", "test_skirmishcorps", "test_skirmishcorps_laws"),
    ),
    "necromunda": _of_game(
        "necromunda",
        ("judge",),
        ("test_thresholds", "test_necromunda", "test_arcs", "test_cases"),
    ),
    "measure": _of(
        "measure",
        (
            *("silhouettes", "occlusion", "counting", "framing", "culling", "observe", "sampling", "error", "estimate"),
            *("in_shadow", "filling", "witness", "tiles", "triangles"),
        ),
        (
            *("test_culling", "test_framing", "test_samples", "test_projection", "test_silhouette", "test_silhouettes"),
            *("test_occlusion", "test_nothing_slips_through", "test_estimate", "test_filling", "test_witness"),
        ),
        NO_OTHER_RENDERER,
    ),
    "solids": Subject(
        "meshes",
        ("solids",),
        (
            *("tests/meshes/test_solids.py", "tests/meshes/test_how_many_boxes.py", "tests/measure/test_proven.py"),
            "silhouette/meshes/solids.py",
        ),
    ),
}
