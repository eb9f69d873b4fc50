"""SCAN: how many millimetres one unit of the file is, and how that is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from silhouette.errors import RequestError
from silhouette.geometry import Flags, Floats
from silhouette.scans.base_votes import BASES, Sizes
from silhouette.scans.discs import find_discs
from silhouette.scans.known import Known
from silhouette.scans.levelling import Level
from silhouette.scans.model_votes import scale_by_models
from silhouette.scans.questions import Question
from silhouette.scans.reading import Scan

__all__ = ["BASES", "Scale", "ScaleSource", "Wanted", "scale_of"]

ScaleSource = Literal["given", "length", "units", "known models", "bases", "guess"]

UNITS = {"mm": 1.0, "cm": 10.0, "inch": 25.4, "ft": 304.8, "m": 1000.0}
"""Millimetres in the units that programs write."""

DECLARED = {"millimeter": "mm", "centimeter": "cm", "foot": "ft", "meter": "m"}
"""Units as 3MF files call them."""

NAMES = {"mm": "millimetres", "cm": "centimetres", "inch": "inches", "ft": "feet", "m": "metres"}

EDGES = (150.0, 4000.0)
"""Edges in mm that a table for games may have: from a dice tray to a club's longest."""

WIDTHS = (30.0, 2000.0)
"""Widths in mm of a thing scanned without a table: from one figure to a whole board of terrain."""

TALLEST = 600.0
"""Height in mm of the tallest things on a table for games."""

ABSURD = (100.0, 10_000.0)
"""A table with edges beyond these, in mm, is refused even when the user says so: a slip of a unit."""

TABLES = (600, 610, 700, 762, 800, 900, 914, 1000, 1118, 1120, 1200, 1219, 1220, 1524, 1800, 1829)
"""Edges in mm that tables, boards and mats for games often have."""

PLAINLY = 3.0
"""Difference of log-likelihoods from which on one answer is taken without asking: odds of 20 to 1."""

OTHER = "another size: give --length or --scale"
"""The answer besides a single one, which settles nothing."""

AGREE = 0.04
"""How far the scale by bases may lie from that of the file's units, as a share, to confirm it: phones are 2 % off."""


@dataclass(frozen=True)
class Wanted:
    """What the user says about the scale.

    Attributes:
        scale: mm per unit of the file.
        length: mm between two points, and these, in the file's coordinates.
        bases: diameters in mm of the bases that stand on the table.
        answer: to the question asked earlier: one of its answers, or a number of mm per unit.
    """

    scale: float | None = None
    length: tuple[float, tuple[float, float, float], tuple[float, float, float]] | None = None
    bases: tuple[float, ...] | None = None
    answer: str | None = None


@dataclass(frozen=True)
class Scale:
    """The scale of a scan.

    Attributes:
        mm: per unit of the file.
        source: how it is known.
        error: its standard deviation as a share of it, as far as that can be told.
        question: what to ask where it is not sure; always there for a guess.
        warnings: a sentence for each thing that the user should know, such as that the file's units are not plausible.
    """

    mm: float
    source: ScaleSource
    error: float
    question: Question | None = None
    warnings: tuple[str, ...] = ()


def scale_of(scan: Scan, level: Level, wanted: Wanted = Wanted(), known: Sequence[Known] = ()) -> Scale:
    """The scale of a levelled scan.

    What the user gives wins: a length, a scale, an answer, the bases; then the file's units where sizes are plausible
    and bases do not speak against them; then known models, then bases, then a guess.

    Raises:
        RequestError: what the user gives cannot be: two points in one place, a table of 4 cm, no such bases.
    """
    there = _There.of(scan, level)
    if wanted.length is not None:
        return there.checked(_by_length(wanted.length, level), "--length")
    if wanted.scale is not None:
        return there.checked(Scale(wanted.scale, "given", 0.0), "--scale")
    number = _number(wanted.answer)
    if number is not None:
        return there.checked(Scale(number, "given", 0.0), "the answer")
    options = _by_given_bases(scan, level, there, wanted.bases) if wanted.bases else _judged(scan, level, there)
    if wanted.answer is not None:
        for option in options:
            if option.text == wanted.answer:
                return Scale(option.mm, "given", option.error)
    best = options[0]
    if known and not wanted.bases:
        options = _with_models(scan, level, there, options, known)
        best = options[0]
    question = None
    if best.ask:
        answers = tuple(dict.fromkeys(one.text for one in options[:5]))
        question = Question("scale", f"How large is it? {best.why}", answers if len(answers) > 1 else (*answers, OTHER))
    return Scale(best.mm, best.source, best.error, question, best.warnings)


@dataclass(frozen=True)
class _Option:
    """One answer to how large the scan is: its scale, what speaks for it, and whether to ask."""

    mm: float
    source: ScaleSource
    error: float
    text: str
    ask: bool = False
    why: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _There:
    """How large what was scanned is in the file's units: edges along x and y, and the height of the tallest on it."""

    edges: tuple[float, float]
    height: float
    spacing: float
    table: bool

    @classmethod
    def of(cls, scan: Scan, level: Level) -> _There:
        points = levelled(scan, level)[scan.usable]
        low, high = np.percentile(points, [0.1, 99.9], axis=0)
        edges = level.size or (float(high[0] - low[0]), float(high[1] - low[1]))
        return cls(edges, max(float(high[2]), 0.0), level.spacing, level.size is not None)

    def words(self, mm: float) -> str:
        """What it is at a scale."""
        x, y = (edge * mm for edge in self.edges)
        if self.table:
            return f"the table is {x:.0f} x {y:.0f} mm"
        return f"it is {x:.0f} x {y:.0f} mm wide and {self.height * mm:.0f} mm tall"

    def limits(self) -> tuple[float, float]:
        """The least and the largest scale at which it has a size for games."""
        least, most = EDGES if self.table else WIDTHS
        tallest = TALLEST / self.height if self.height > 0 else math.inf
        return least / max(min(self.edges), 1e-300), min(most / max(*self.edges, 1e-300), tallest)

    def plausible(self, mm: float) -> bool:
        least, most = self.limits()
        return least <= mm <= most

    def checked(self, scale: Scale, by: str) -> Scale:
        """A scale that the user gave: refused where it is absurd, with a warning where it is unusual.

        Raises:
            RequestError: for no positive number, or a table smaller than 10 cm or larger than 10 m.
        """
        if not (math.isfinite(scale.mm) and scale.mm > 0):
            raise RequestError(f"{by} gives {scale.mm:g} mm per unit of the file; a scale is a number above 0")
        if self.table and not ABSURD[0] <= max(self.edges) * scale.mm <= ABSURD[1]:
            x, y = (edge * scale.mm / 10 for edge in self.edges)
            raise RequestError(
                f"by {by} the table would be {x:.3g} x {y:.3g} cm; a scale is how many mm one unit of the file is"
            )
        if self.plausible(scale.mm):
            return scale
        return replace(scale, warnings=(f"By {by} {self.words(scale.mm)}, which is unusual.",))

    def likeness(self, mm: float) -> float:
        """The logarithm of how usual it is at a scale: of a table's edges, and of how close a phone's points lie."""
        usual = -0.5 * (math.log(max(self.edges) * mm / (850 if self.table else 150)) / 0.6) ** 2
        close = -0.5 * math.log(max(self.spacing * mm, 1e-9) / 1.7) ** 2
        if not self.table:
            return usual + close
        off = np.abs(np.log(np.multiply.outer(np.array(self.edges) * mm, 1 / np.array(TABLES)))).min(axis=1)
        return usual + close + float(np.log1p(4 * np.exp(-0.5 * (off / 0.006) ** 2)).sum())

    def common(self, mm: float) -> bool:
        """Whether both edges are among those that tables often have, within 1 %."""
        edges = np.array(self.edges) * mm
        return self.table and bool((np.abs(np.log(edges[:, None] / TABLES)).min(axis=1) < 0.01).all())


def _with_models(
    scan: Scan, level: Level, there: _There, options: list[_Option], known: Sequence[Known]
) -> list[_Option]:
    """The answers where models are known: theirs first where they are sure, unless the file's units stand."""
    if options[0].source == "units" and not options[0].ask:
        return options
    points, usable = levelled(scan, level), _on_table(scan, level)
    scales = [option.mm for option in options]
    found = scale_by_models(points, usable, level.spacing, level.noise, known, scales)
    if found is None or not found.sure:
        return options
    text = f"{there.words(found.mm)}, by {' and '.join(found.models[:3])}"
    return [_Option(found.mm, "known models", found.error, text, warnings=(_unlike(scan, there, found.mm),)), *options]


def levelled(scan: Scan, level: Level) -> Floats:
    """The vertices (n, 3) of a scan in its levelled frame, in the file's unit."""
    return np.asarray(scan.vertices @ level.to_level[:3, :3].T + level.to_level[:3, 3])


def _unit(scan: Scan) -> str | None:
    """The unit that the file declares, among `UNITS`."""
    unit = DECLARED.get(scan.units or "", scan.units)
    return unit if unit in UNITS else None


def _number(answer: str | None) -> float | None:
    try:
        return None if answer is None else float(answer)
    except ValueError:
        return None


def _by_length(length: tuple[float, tuple[float, float, float], tuple[float, float, float]], level: Level) -> Scale:
    """The scale by the distance of two points, each picked within half the spacing of points."""
    mm, first, second = length
    apart = math.dist(first, second)
    if not (math.isfinite(apart) and apart > 0 and math.isfinite(mm) and mm > 0):
        raise RequestError(
            "--length needs two points that lie apart, in the file's coordinates, and a length above 0 mm"
        )
    return Scale(mm / apart, "length", min(0.7 * level.spacing / apart, 1.0))


def _sizes(scan: Scan, level: Level, there: _There, least: float, most: float) -> Sizes:
    """The sizes of the round bases between two diameters in the file's unit."""
    points, usable = levelled(scan, level), _on_table(scan, level)
    # A base of fewer than eight points across shows no circle.
    least = max(least, 8 * level.spacing)
    if most <= least:
        return Sizes.of([], level.spacing)
    # Those on the table tell the scale as well as those on terrain, where round towers and holes mislead.
    found = find_discs(
        np.nan_to_num(points),
        scan.faces,
        spacing=level.spacing,
        noise=level.noise,
        least=least,
        most=most,
        usable=usable,
        surfaces=[],
    )
    return Sizes.of(found, level.spacing)


def _on_table(scan: Scan, level: Level) -> Flags:
    """The usable vertices on and over the table; all of them without one."""
    if level.size is None:
        return scan.usable
    points = levelled(scan, level)
    inside = (np.abs(points[:, :2]) < 0.51 * np.array(level.size)).all(axis=1)
    return np.asarray(scan.usable & inside & (points[:, 2] > -10 * max(level.noise, level.spacing)))


def _any_size(scan: Scan, level: Level, there: _There) -> Sizes:
    """The sizes of the round bases whatever the scale: from 25 mm on the largest table to 100 mm on the smallest."""
    low, high = there.limits()
    return _sizes(scan, level, there, max(20 / high, 0.01 * max(there.edges)), min(110 / low, 0.25 * max(there.edges)))


def _by_given_bases(scan: Scan, level: Level, there: _There, bases: tuple[float, ...]) -> list[_Option]:
    """The scale by the bases of which the user gave the sizes."""
    if not all(math.isfinite(base) and 10 <= base <= 300 for base in bases):
        raise RequestError("--bases needs diameters in mm from 10 to 300, such as 25,32")
    sizes = _any_size(scan, level, there)
    shares = dict.fromkeys(bases, 1.0)
    found = sizes.scales(*there.limits(), bases=bases)
    if not found or sizes.chance.max() < 0.5:
        raise RequestError(
            f"--bases {','.join(f'{base:g}' for base in bases)}: no such round bases were found in the scan"
        )
    votes = sizes.likelihood(np.array(found), shares)
    order = sorted(range(len(found)), key=lambda k: -votes[k] - 0.1 * there.likeness(found[k]))
    ask = len(found) > 1 and votes[order[0]] - votes[order[1]] < PLAINLY
    why = "The bases given fit in more than one way."
    return [
        _Option(
            found[k],
            "bases",
            sizes.refined(found[k], bases)[1],
            _text(sizes.named(found[k], bases), there, found[k]),
            ask,
            why,
        )
        for k in order
    ]


def _text(named: tuple[float, ...], there: _There, mm: float) -> str:
    """An answer: the bases that stand there at a scale, and how large the table is."""
    if not named:
        return there.words(mm)
    numbers = [f"{base:g}" for base in named]
    listed = " and ".join([", ".join(numbers[:-1]), numbers[-1]]) if len(numbers) > 1 else numbers[0]
    return f"bases of {listed} mm: {there.words(mm)}"


def _judged(scan: Scan, level: Level, there: _There) -> list[_Option]:
    """The answers by the file's units and the bases, the likeliest first; the first says whether to ask."""
    own = UNITS[_unit(scan) or "mm"]
    if there.plausible(own):
        # Most files are what they say: then bases of sizes that exist are quickly found among diameters near them.
        sizes = _sizes(scan, level, there, 20 / own, 110 / own)
        options = _ordered(scan, there, sizes)
        if options[0].mm == own and not options[0].ask and min(sizes.named(own), default=100) <= 40:
            return options
    return _ordered(scan, there, _any_size(scan, level, there))


def _ordered(scan: Scan, there: _There, sizes: Sizes) -> list[_Option]:
    """The answers by some sizes, the likeliest first.

    A scale is some unit's, or any number. The numbers of one unit are one scale, those of any are spread over a range
    of which what was measured singles out a hundredth: so a unit may fit a hundred times (4.6 in the logarithm) worse.
    Besides, the file's own unit is by far the likeliest, and the others are less likely than any number.
    """
    own = UNITS[_unit(scan) or "mm"]
    bonus = {mm: 4.0 for mm in UNITS.values() if there.plausible(mm)}
    if own in bonus:
        bonus[own] = 7.5 if _unit(scan) else 6.0
    others = [mm for mm in sizes.scales(*there.limits()) if not any(abs(math.log(mm / unit)) < AGREE for unit in bonus)]
    found = [*bonus, *others] or [850 / max(there.edges)]
    # The bases of a scan in the right units are off a little as the phone was.
    at = [mm if abs(math.log(sizes.refined(mm)[0] / mm)) > AGREE else sizes.refined(mm)[0] for mm in found]
    votes = sizes.likelihood(np.array(at)) + [bonus.get(mm, 0.0) for mm in found]
    score = votes + sizes.rarity(np.array(at)) + [there.likeness(mm) for mm in found]
    order = np.argsort(-score, kind="stable").tolist()
    return _options(scan, there, sizes, [found[k] for k in order], {found[k]: float(votes[k]) for k in order})


def _unlike(scan: Scan, there: _There, mm: float) -> str:
    """The warning that a scan has not the units that its file says, or that its format usually has."""
    declared = _unit(scan)
    meant = f"In {NAMES[declared]}, as the file says," if declared else "In millimetres"
    name = next((name for name, unit in UNITS.items() if unit == mm), None)
    taken = NAMES[name] if name else f"{mm:.4g} mm per unit"
    return f"{meant} {there.words(UNITS[declared or 'mm'])}; the file's numbers are taken as {taken}."


def _options(scan: Scan, there: _There, sizes: Sizes, order: list[float], votes: dict[float, float]) -> list[_Option]:
    """The answers in their order; the first knows whether to ask, why, and what to warn of."""
    best = order[0]
    own = UNITS[_unit(scan) or "mm"]
    seen = sizes.chance.sum() >= 0.7 and sizes.explained(best) > 0
    rivals = [mm for mm in order[1:] if abs(math.log(mm / best)) > AGREE and votes[mm] > votes[best] - PLAINLY]
    name = next((name for name, mm in UNITS.items() if mm == best), None)
    warnings = []
    if name is not None:
        source: ScaleSource = "units"
        ask = bool(rivals) or not (seen or (best == own and (_unit(scan) is not None or there.common(own))))
        off = math.log(sizes.refined(best)[0] / best)
        error = max(abs(off) if abs(off) < AGREE else 0.0, 0.005)
        if 0.02 < abs(off) < AGREE:
            warnings.append(
                f"By the scan's units its round bases are {abs(off):.1%} too {'small' if off > 0 else 'large'}."
            )
    else:
        source = "bases" if seen else "guess"
        ask = bool(rivals) or not seen
        error = sizes.refined(best)[1] if seen else 0.25
    if best != own:
        warnings.append(_unlike(scan, there, best))
    why = "Round bases of sizes that exist fit in more than one way." if seen else "No round bases tell it."
    first = _Option(best, source, error, _text(sizes.named(best), there, best), ask, why, tuple(warnings))
    kept = [best]
    for mm in rivals or order[1:]:
        if all(abs(math.log(mm / other)) > AGREE for other in kept):
            kept.append(mm)
    return [first, *(_Option(mm, source, error, _text(sizes.named(mm), there, mm)) for mm in kept[1:])]
