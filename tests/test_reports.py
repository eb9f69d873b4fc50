"""The inputs of ``../shared/reports`` that went wrong once, each with what is right: one row of a table for each.

A row is a file, the options of ``silhouette check`` beside it, and what must hold: see `Right`. Where what is right
leaves two ways, ``either`` has them. Add a row for whatever is mended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import run


@dataclass(frozen=True)
class Right:
    """What must hold of the first result of a scene.

    Attributes:
        verdict: the verdict, or None where only the rest counts.
        occluded: the least and the greatest share, or None.
        could_be: verdicts that ``could_be`` must have among others.
        marginal: whether it is too close to call, or None.
        warning: texts that must stand together in one of its warnings; none where nothing is asked.
        other_readings: verdicts that ``other_readings`` must have among others.
        error: texts that must stand in the one line of an input that is refused.
        status: the exit status.
        row: further keys of the result, with their values.
        renderer: that it is judged with; "" for the default one.
    """

    verdict: str | None = None
    occluded: tuple[float, float] | None = None
    could_be: tuple[str, ...] = ()
    marginal: bool | None = None
    warning: tuple[str, ...] = ()
    other_readings: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    status: int = 0
    row: Mapping[str, Any] = field(default_factory=dict)
    renderer: str = ""

    def faults(self, row: Mapping[str, Any]) -> list[str]:
        """What does not hold of a result."""
        faults = []
        if self.verdict not in (None, row["verdict"]):
            faults.append(f"verdict is {row['verdict']}, not {self.verdict}")
        if self.occluded is not None and not self.occluded[0] <= row["occluded"] <= self.occluded[1]:
            faults.append(f"occluded is {row['occluded']}, not in {self.occluded}")
        if not set(self.could_be) <= set(row.get("could_be", ())):
            faults.append(f"could_be is {row.get('could_be')}, without {self.could_be}")
        if self.marginal not in (None, row.get("marginal")):
            faults.append(f"marginal is {row.get('marginal')}")
        if self.warning and not any(all(text in line for text in self.warning) for line in row["warnings"]):
            faults.append(f"no warning of {row['warnings']} has {self.warning}")
        readings = {reading["verdict"] for reading in row.get("other_readings", ())}
        if not set(self.other_readings) <= readings:
            faults.append(f"other readings give {readings}, without {self.other_readings}")
        faults += [f"{key} is {row.get(key)}, not {value}" for key, value in self.row.items() if row.get(key) != value]
        return faults


@dataclass(frozen=True)
class Report:
    """A row of the table.

    Attributes:
        file: seen from ``../shared/reports``.
        either: what is right; one of these must hold whole.
        options: of ``silhouette check``, beside ``--json``.
    """

    file: str
    either: tuple[Right, ...]
    options: tuple[str, ...] = ()


NOTHING_IN_THE_WAY = Right("open", (0.0, 0.0), row={"error": 0.0, "warnings": []})

REPORTS = [
    Report("scenes/61_gang_case.toml", (Right("hidden", warning=('the gangs "A" and "a" differ by case or blanks',)),)),
    Report(
        "scenes/21_box_inches.toml",
        (Right(warning=("wall: it is thinner than 3 mm", "[4.7, 0.3, 0.9]", "write [119.38, 7.62, 22.86]")),),
    ),
    Report(
        "scenes/28_eye_inches.toml",
        (Right(warning=("Kal: its eye [0, 0.1, 1.3] lies in or below its base", "write [0, 2.54, 33.02]")),),
    ),
    Report("scenes/29_eye_far.toml", (Right(warning=("Kal: its eye [0, 30, 330] lies 296.0 mm outside its body",)),)),
    Report("scenes/22_off_table.toml", (Right(warning=("the base of Vex lies beyond the table", "y = 355.6 mm")),)),
    Report(
        "scenes/16_facing_rad.toml",
        (Right("hidden", warning=("Kal: facing = 1.5708 is 90° in radians", "write facing = 90")),),
    ),
    Report("files/v_plain20.toml", (Right("full cover", (0.5492, 0.5511), row={"warnings": []}),)),
    Report(
        "files/v_prusa_mod20.toml",
        (Right("full cover", (0.5492, 0.5511), marginal=False, warning=("left out", "modifier 'box' (12 triangles)")),),
    ),
    Report("files/t24.toml", (Right("partial cover", (0.3543, 0.3573), row={"warnings": []}),)),
    Report("files/m24.toml", (Right("partial cover", (0.3543, 0.3573), row={"warnings": []}),)),
    Report("files/t.toml", (Right("hidden", (1.0, 1.0), row={"error": 0.0}),)),
    Report("files/gl.toml", (Right("partial cover", (0.4493, 0.4531)),)),
    Report("files/gl.toml", (Right("partial cover", (0.4493, 0.4531), renderer="gl"),)),
    Report("scenes/base_missed_peg_0.15mm_given.toml", (NOTHING_IN_THE_WAY,)),
    Report("scenes/base_missed_peg_0.15mm_auto.toml", (NOTHING_IN_THE_WAY,)),
    Report("scenes/contact_1.004mm.toml", (Right("hidden", (1.0, 1.0), row={"error": 0.0}),)),
    Report("scenes/eye_flip_given.toml", (Right("hidden", (1.0, 1.0), marginal=False),)),
    Report(
        "scenes/eye_flip_est.toml",
        (
            Right("hidden", (1.0, 1.0), warning=("the eye of A is estimated",)),
            Right(could_be=("hidden",), marginal=True, warning=("the eye of A is estimated",)),
        ),
    ),
    Report("scenes/gl_sheet_1um_before_target.toml", (Right("full cover", (0.7113, 0.7134)),)),
    Report("scenes/gl_sheet_1um_before_target.toml", (Right("full cover", (0.7113, 0.7137), renderer="gl"),)),
    Report(
        "scenes/ne_friend_in_front.json",
        (
            Right(
                "open",
                (0.0, 0.0),
                other_readings=("hidden",),
                row={
                    "reason": "nothing obscures B: in the open; E, a friend in base contact with A, is disregarded; "
                    "if friends in base contact blocked line of sight (friends_in_contact = block sight): hidden"
                },
            ),
        ),
    ),
    Report("scenes/ne_solid_window.toml", (Right("hidden", (1.0, 1.0), row={"expected": True, "error": 0.0}),)),
    Report(
        "scenes/sc_corner_peek.json",
        (Right("open", other_readings=("hidden",), row={"line_of_sight": True, "expected": True}),),
    ),
    Report(
        "scenes/sc_wall_far_from_target.json",
        (Right("open", other_readings=("high cover",), row={"modifier": 0, "expected": True}),),
    ),
    Report("files/sc_cylhuge.toml", (Right(error=("clause 'seen'", "a kilometre"), status=2),)),
    Report("scenes/k40_open_table_refused.json", (Right("in the open", row={"expected": True}),)),
    Report(
        "scenes/ik_low_wall_no_ground.json",
        (
            Right("cover"),
            Right(
                warning=(
                    "box 1 stands on nothing that is drawn",
                    "draw the ground, such as the solid cell [3, -1, -1]",
                ),
                status=1,
            ),
        ),
    ),
    Report("scenes/k40_towering.json", (Right("not visible"),)),
    Report("scenes/lg_vehicle_blocks.json", (Right("no line of sight"),)),
    Report("scenes/lg_steeply_down_over_a_kerb.json", (Right("no cover", other_readings=("heavy cover",)),)),
    Report("scenes/inf_prone_sx.json", (Right("open"),)),
    Report("scenes/tow_partial_cover.json", (Right("partial cover"),)),
    Report("scenes/ba_through_friends.json", (Right("no cover", other_readings=("friends in the way",)),)),
]


@pytest.fixture(scope="module")
def reports(shared: Path) -> Path:
    folder = shared / "reports"
    if not folder.is_dir():
        pytest.skip("needs ../shared/reports (inputs that went wrong), which is not here")
    return folder


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: " ".join([Path(report.file).name, *report.options]))
def test_what_went_wrong_is_right(report: Report, reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = reports / report.file
    assert path.is_file()
    faults = []
    for right in report.either:
        ran = run(capsys, "check", str(path), "--json", *report.options, *renderer_of(right))
        found = [] if ran.status == right.status else [f"status is {ran.status}, not {right.status}"]
        if right.error:
            found += [f"standard error has no {text!r}: {ran.err}" for text in right.error if text not in ran.err]
        else:
            (scene,) = ran.document["scenes"]
            row = scene["results"][0]
            found += right.faults({**row, "warnings": [*row.get("warnings", ()), *scene.get("warnings", ())]})
        faults.append(found)
    assert [] in faults, faults


def renderer_of(right: Right) -> tuple[str, ...]:
    return ("--renderer", right.renderer) if right.renderer else ()


def test_a_fault_is_found() -> None:
    """The table can fail: each thing that must hold is looked at."""
    row = {
        "verdict": "open",
        "occluded": 0.0,
        "could_be": ["open"],
        "marginal": False,
        "warnings": ["a b"],
        "error": 0.0,
    }
    assert (
        Right("open", (0.0, 0.1), ("open",), marginal=False, warning=("a", "b"), row={"error": 0.0}).faults(row) == []
    )
    wrong = Right("hidden", (0.1, 0.2), ("hidden",), True, ("c",), ("hidden",), row={"error": 1.0})
    assert len(wrong.faults(row)) == 7
