"""ACCOUNT: which of the figures that were looked for stand there, and whether the scan is fine enough for figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from silhouette.common.text import in_a_row
from silhouette.scans.asking import UNLIKE
from silhouette.scans.known import Known
from silhouette.scans.matching import Match

Grade = Literal["good", "usable", "terrain only"]

GOOD_SPACING, POOR_SPACING = 2.3, 4.0
"""mm between points: up to the first nearly all figures are beyond doubt; up to the second they are found, some with a
question; beyond it figures are lost, as of one scan at 4.1 mm one of five, at 5.9 mm two."""

GOOD_NOISE, POOR_NOISE = 0.7, 2.0  # mm, standard deviation of a table's surface: the same two steps for rough scans
NEEDED = 2.0  # mm between points that figures need
MOST_LISTED = 12  # names of figures in a sentence


@dataclass(frozen=True)
class Account:
    """What became of the figures that were looked for."""

    total: int = 0  # how many were looked for
    missing: tuple[str, ...] = ()  # the names of those that were not found
    unknown: int = 0  # how many things look like figures and like none of them
    spacing: float = 1.0  # mm between points, of what stands on the table
    noise: float = 0.0  # mm, standard deviation of the table's surface

    @property
    def grade(self) -> Grade:
        """What the scan is good for.

        >>> Account(spacing=1.3).grade, Account(spacing=1.3, noise=1.1).grade, Account(spacing=5.0).grade
        ('good', 'usable', 'terrain only')
        """
        if self.spacing > POOR_SPACING or self.noise > POOR_NOISE:
            return "terrain only"
        return "good" if self.spacing <= GOOD_SPACING and self.noise <= GOOD_NOISE else "usable"

    def counts(self) -> str:
        """How many were found, in a sentence; empty where none were looked for.

        >>> Account(6, ("oswald",), 2).counts()
        '5 of your 6 figures found; not found: oswald. Looked like figures but unlike any of yours: 2.'
        >>> Account(1).counts(), Account().counts()
        ('your figure was found.', '')
        """
        if not self.total:
            return ""
        if self.total == 1:
            text = f"your figure {self.missing[0]} was not found" if self.missing else "your figure was found"
        elif not self.missing:
            text = f"all of your {self.total} figures found"
        else:
            text = f"{self.total - len(self.missing)} of your {self.total} figures found; not found: "
            text += in_a_row(self.missing, MOST_LISTED)
        alien = f" Looked like figures but unlike any of yours: {self.unknown}." if self.unknown else ""
        return f"{text}.{alien}"

    def warnings(self) -> tuple[str, ...]:
        """What to warn of: a scan that is too coarse or too rough for figures.

        >>> Account(spacing=5.04).warnings()
        ('points are 5 mm apart, figures need 2: scan closer, or place figures on the live table',)
        """
        if self.grade != "terrain only":
            return ()
        fault = f"points are {self.spacing:.2g} mm apart, figures need {NEEDED:.0f}"
        if self.spacing <= POOR_SPACING:
            fault = f"its surface is rough by {self.noise:.2g} mm, figures need {GOOD_NOISE:g}"
        return (f"{fault}: scan closer, or place figures on the live table",)


def account_of(figures: Sequence[Known], matches: Iterable[Match | None], spacing: float, noise: float) -> Account:
    """What became of the figures that were looked for.

    Args:
        figures: those.
        matches: for each figure on the table the one that it looks most like, sure or not; None for one like none.
        spacing: mm between points, of what stands on the table.
        noise: mm, standard deviation of the table's surface.
    """
    standing = [match for match in matches if figures]
    recognised = {
        match.known.path for match in standing if match is not None and (match.sure or match.residual <= UNLIKE)
    }
    missing = tuple(Path(figure.path).stem for figure in figures if figure.path not in recognised)
    unknown = sum(match is None or match.known.path not in recognised for match in standing)
    return Account(len(figures), missing, unknown, spacing, noise)
