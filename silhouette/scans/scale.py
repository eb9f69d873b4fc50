"""SCALE: how many millimetres one unit of the file is, and how that is known.

How large what was scanned is, and at which scales that is plausible for games.

How many millimetres one unit of the file is, and how that is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH, Flags, Floats, Integers
from silhouette.common.lazy import cached_property
from silhouette.common.text import in_a_row
from silhouette.scans.bases import Sizes, find_discs
from silhouette.scans.keep import SCALE, Question
from silhouette.scans.level import Level
from silhouette.scans.models import Known
from silhouette.scans.read import Scan
from silhouette.scans.surface import edges_of
from silhouette.scans.votes import PIECES, ScaleMatch, StandingModel, drift, scale_by_models

# ---- plausible

EDGES = (150.0, 4000.0)  # edges in mm that a table for games may have: from a dice tray to a club's longest
WIDTHS = (30.0, 2000.0)  # widths in mm of a thing scanned without a table: from one figure to a whole board of terrain
TALLEST = 600.0  # height in mm of the tallest things on a table for games

ABSURD = (100.0, 10_000.0)
"""A table with edges beyond these, in mm, is refused even when the user says so: a slip of a unit."""

TABLES = (600, 610, 700, 762, 800, 900, 914, 1000, 1118, 1120, 1200, 1219, 1220, 1524, 1800, 1829)
"""Edges in mm that tables, boards and mats for games often have."""


@dataclass(frozen=True)
class There:
    """How large what was scanned is in the file's units: edges along x and y, and the height of the tallest on it."""

    edges: tuple[float, float]
    height: float
    spacing: float
    table: bool

    @classmethod
    def of(cls, scan: Scan, level: Level) -> There:
        """As a levelled scan shows it."""
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
        """Whether it has a size for games at a scale."""
        least, most = self.limits()
        return least <= mm <= most

    def checked(self, mm: float, by: str) -> tuple[str, ...]:
        """What to warn of at a scale that the user gave by an option.

        Raises:
            RequestError: for no positive number, a table smaller than 10 cm, or anything below 1 mm or above 10 m.
        """
        if not (math.isfinite(mm) and mm > 0):
            raise RequestError(f"{by} gives {mm:g} mm per unit of the file; a scale is a number above 0")
        if not (ABSURD[0] if self.table else 1.0) <= max(self.edges) * mm <= ABSURD[1]:
            x, y = (edge * mm / 10 for edge in self.edges)
            what = "the table" if self.table else "what was scanned"
            raise RequestError(
                f"by {by} {what} would be {x:.3g} x {y:.3g} cm; a scale is how many mm one unit of the file is"
            )
        return () if self.plausible(mm) else (f"By {by} {self.words(mm)}, which is unusual.",)

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


def levelled(scan: Scan, level: Level) -> Floats:
    """The vertices (n, 3) of a scan in its levelled frame, in the file's unit."""
    return np.asarray(scan.vertices @ level.to_level[:3, :3].T + level.to_level[:3, 3])


# ---- scale

ScaleSource = Literal["given", "length", "units", "known models", "bases", "guess"]

UNITS = {"mm": 1.0, "cm": 10.0, "inch": INCH, "ft": 304.8, "m": 1000.0}  # millimetres in the units that programs write
DECLARED = {"millimeter": "mm", "centimeter": "cm", "foot": "ft", "meter": "m"}  # units as 3MF files call them

GUESSABLE = ("mm", "cm", "m")
"""The units that a file may have without saying so; feet and inches are taken only where the file or the user says."""

NAMES = {"mm": "millimetres", "cm": "centimetres", "inch": "inches", "ft": "feet", "m": "metres"}

SCALE_EXACTNESS = 0.01 + 1e-9  # as a share: a scale that may be off by more is asked about
DRIFT = 2.0  # standard deviations: known models that fit so near to the units of the file confirm them
CLOUD_DRIFT = 0.05  # the same of a cloud of points, which lie on both sides of a surface: 3.1 % too large
PLAUSIBLE_DRIFT = 0.1  # as a share: figures that stand there at the file's units are not off by more
FEW = 3  # pieces on which known models are tried where the file says its units

PLAINLY = 3.0  # difference of log-likelihoods from which on one answer is taken without asking: odds of 20 to 1
OTHER = "another size: give --length or --scale"  # the answer besides a single one, which settles nothing

AGREE = 0.04
"""How far the scale by bases may lie from that of the file's units, as a share, to confirm it: phones are 2 % off."""


@dataclass(frozen=True)
class Wanted:
    """What the user says about the scale."""

    scale: float | None = None  # mm per unit of the file
    # mm: between two points, and these, in the file's coordinates
    length: tuple[float, tuple[float, float, float], tuple[float, float, float]] | None = None
    bases: tuple[float, ...] | None = None  # diameters in mm of the bases that stand on the table
    answer: str | None = None  # to the question asked earlier: one of its answers, or a number of mm per unit


@dataclass(frozen=True)
class Scale:
    """The scale of a scan."""

    mm: float  # per unit of the file
    source: ScaleSource  # how it is known
    error: float  # its standard deviation as a share of it, as far as that can be told
    question: Question | None = None  # what to ask where it is not sure; always there for a guess
    # A sentence for each thing that the user should know, such as that the file's units are not plausible
    warnings: tuple[str, ...] = ()


def scale_of(
    scan: Scan,
    level: Level,
    wanted: Wanted = Wanted(),
    known: Sequence[Known] = (),
    edges: Integers | None = None,
    standing: Callable[[float], Sequence[StandingModel]] | None = None,
) -> Scale:
    """The scale of a levelled scan.

    What the user gives wins: a length, a scale, an answer, the bases; then the file's units where sizes are plausible
    and bases do not speak against them; then known models, then bases, then a guess.

    Args:
        scan: of which it is.
        level: how that lies.
        wanted: what the user says.
        known: models that may stand there.
        edges: those of `edges_over_table`, if the caller has them.
        standing: the known figures that stand there at a scale, if the caller can tell.

    Raises:
        RequestError: what the user gives cannot be: two points in one place, a table of 4 cm, no such bases.
    """
    there = There.of(scan, level)
    if wanted.length is not None:
        return _checked(there, _by_length(wanted.length, level), "--length")
    if wanted.scale is not None:
        return _checked(there, Scale(wanted.scale, "given", 0.0), "--scale")
    number = _number(wanted.answer)
    if number is not None:
        return _checked(there, Scale(number, "given", 0.0), "the answer")
    rims = _Rims(scan, level, edges)
    options = _by_given_bases(rims, there, wanted.bases) if wanted.bases else _judged(rims, there)
    answered = _answered(options, wanted.answer)
    if answered is None and known and not wanted.bases:
        options = _with_models(scan, level, there, options, known, standing)
        answered = _answered(options, wanted.answer)
    if answered is not None:
        return answered
    best = options[0]
    question = None
    if best.ask:
        answers = tuple(dict.fromkeys(one.text for one in options[:5]))
        question = Question(SCALE, f"How large is it? {best.why}", answers if len(answers) > 1 else (*answers, OTHER))
    return Scale(best.mm, best.source, best.error, question, best.warnings)


def _answered(options: Sequence[_Option], answer: str | None) -> Scale | None:
    """The scale that an answer to an earlier question gives; None where it is none of these."""
    return next((Scale(option.mm, "given", option.error) for option in options if option.text == answer), None)


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


def _with_models(
    scan: Scan,
    level: Level,
    there: There,
    options: list[_Option],
    models: Sequence[Known],
    standing: Callable[[float], Sequence[StandingModel]] | None,
) -> list[_Option]:
    """The answers where models are known, which vote wherever they fit beyond doubt.

    Models that fit in the file's units settle them. Where they fit elsewhere, that is a question.
    """
    points, usable = levelled(scan, level), _on_table(scan, level)

    def by_models(scales: Sequence[float], pieces: int) -> ScaleMatch | None:
        match = scale_by_models(points, usable, level.spacing, level.noise, models, scales, pieces)
        return match if match is not None and match.sure else None

    own = options[0] if options[0].source == "units" else None
    fitting = None
    least = CLOUD_DRIFT if standing is not None and len(scan.faces) == 0 else SCALE_EXACTNESS
    if own is not None and standing is not None:
        figures = standing(own.mm)
        ratio = drift(figures, level.noise * own.mm)
        # What stands there at a scale is not off by more than a tenth: then the measure is.
        if figures and (ratio is None or abs(ratio.mm - 1.0) > PLAUSIBLE_DRIFT):
            return [replace(own, ask=False), *options[1:]]
        fitting = None if ratio is None else replace(ratio, mm=ratio.mm * own.mm)
        if not figures and any(model.model.kind == "fighter" for model in models):
            own = replace(own, ask=True, why="At the size that the file's units give, no known figure stands there.")
            options = [own, *options[1:]]
    elif own is not None:
        fitting = by_models([own.mm], FEW)
    if own is not None and fitting is not None and abs(fitting.mm / own.mm - 1.0) <= max(least, DRIFT * fitting.error):
        return [replace(own, ask=False), *options[1:]]
    others = [option.mm for option in options if option is not own]
    fitting = fitting or by_models(others, PIECES) or (by_models([], FEW) if own is None or own.ask else None)
    if fitting is None:
        return options
    mm, error = _with_bases(fitting.mm, fitting.error, options)
    names = [Path(path).name for path in fitting.models[:3]]
    text = f"{there.words(mm)}, by {' and '.join(names)}"
    if own is None:
        ask, why = 2.0 * error > SCALE_EXACTNESS, f"Known models tell it to {2.0 * error:.1%}."
        return [_Option(mm, "known models", error, text, ask, why, (_unlike(scan, there, mm),)), *options]
    off = mm / own.mm - 1.0
    size = "small" if off > 0 else "large"
    warning = f"By the scan's units known models are {abs(off):.1%} too {size}: {', '.join(names)}."
    why = "The file's units and the known models do not agree."
    if abs(off) < 0.1:
        own = replace(own, ask=True, why=why, warnings=(*own.warnings, warning))
        return [own, _Option(mm, "known models", error, text), *options[1:]]
    return [_Option(mm, "known models", error, text, True, why, (warning,)), replace(own, ask=False), *options[1:]]


def _with_bases(mm: float, error: float, options: Sequence[_Option]) -> tuple[float, float]:
    """The scale by known models with that by the round bases which agrees with it, each by its error, and its error.

    They are wrong independently: the tops of models are rounded off, and the rims of bases.

    >>> _with_bases(100.0, 0.01, [_Option(101.0, "bases", 0.01, ""), _Option(200.0, "bases", 0.01, "")])[0]
    100.5
    """
    weight, total = 1.0 / error**2, mm / error**2
    for option in options:
        if option.source == "bases" and abs(option.mm / mm - 1.0) < 2.0 * np.hypot(error, option.error):
            weight, total = weight + 1.0 / option.error**2, total + option.mm / option.error**2
            break
    return total / weight, weight**-0.5


def _checked(there: There, scale: Scale, by: str) -> Scale:
    """A scale that the user gave, with a warning where it is unusual; refused where it is absurd."""
    return replace(scale, warnings=there.checked(scale.mm, by))


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


def edges_over_table(scan: Scan, level: Level) -> Integers:
    """(k, 2) pairs of neighbouring vertices on and over the table, as `edges_of` tells them in the file's unit."""
    points, usable = np.nan_to_num(levelled(scan, level)), _on_table(scan, level)
    return edges_of(points, scan.faces, usable, level.spacing)


@dataclass(frozen=True, eq=False)
class _Rims:
    """A levelled scan in which round bases are looked for, with the edges that may show their rims."""

    scan: Scan
    level: Level
    given: Integers | None

    @cached_property
    def edges(self) -> Integers:
        """The edges over the table."""
        return edges_over_table(self.scan, self.level) if self.given is None else self.given

    def sizes(self, least: float, most: float) -> Sizes:
        """The sizes of the round bases between two diameters in the file's unit."""
        level = self.level
        points, usable = levelled(self.scan, level), _on_table(self.scan, level)
        # A base of fewer than eight points across shows no circle.
        least = max(least, 8 * level.spacing)
        if most <= least:
            return Sizes.of([], level.spacing)
        # Those on the table tell the scale as well as those on terrain, where round towers and holes mislead.
        found = find_discs(
            np.nan_to_num(points),
            self.scan.faces,
            spacing=level.spacing,
            noise=level.noise,
            least=least,
            most=most,
            usable=usable,
            surfaces=[],
            edges=self.edges,
        )
        return Sizes.of(found, level.spacing)

    def any_size(self, there: There) -> Sizes:
        """The sizes of the bases whatever the scale: from 25 mm on the largest table to 100 mm on the smallest."""
        low, high = there.limits()
        return self.sizes(max(20 / high, 0.01 * max(there.edges)), min(110 / low, 0.25 * max(there.edges)))


def _on_table(scan: Scan, level: Level) -> Flags:
    """The usable vertices on and over the table; all of them without one."""
    if level.size is None:
        return scan.usable
    points = levelled(scan, level)
    inside = (np.abs(points[:, :2]) < 0.51 * np.array(level.size)).all(axis=1)
    return np.asarray(scan.usable & inside & (points[:, 2] > -10 * max(level.noise, level.spacing)))


def _by_given_bases(rims: _Rims, there: There, bases: tuple[float, ...]) -> list[_Option]:
    """The scale by the bases of which the user gave the sizes."""
    if not all(math.isfinite(base) and 10 <= base <= 300 for base in bases):
        raise RequestError("--bases needs diameters in mm from 10 to 300, such as 25,32")
    sizes = rims.any_size(there)
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


def _text(named: tuple[float, ...], there: There, mm: float) -> str:
    """An answer: the bases that stand there at a scale, and how large the table is."""
    if not named:
        return there.words(mm)
    numbers = [f"{base:g}" for base in named]
    return f"bases of {in_a_row(numbers)} mm: {there.words(mm)}"


def _judged(rims: _Rims, there: There) -> list[_Option]:
    """The answers by the file's units and the bases, the likeliest first; the first says whether to ask."""
    own = UNITS[_unit(rims.scan) or "mm"]
    if there.plausible(own):
        # Most files are what they say: then bases of sizes that exist are quickly found among diameters near them.
        sizes = rims.sizes(20 / own, 110 / own)
        options = _ordered(rims.scan, there, sizes)
        if options[0].mm == own and not options[0].ask and min(sizes.named(own), default=100) <= 40:
            return options
    return _ordered(rims.scan, there, rims.any_size(there))


def _ordered(scan: Scan, there: There, sizes: Sizes) -> list[_Option]:
    """The answers by some sizes, the likeliest first.

    A scale is some unit's, or any number. The numbers of one unit are one scale, those of any are spread over a range
    of which what was measured singles out a hundredth: so a unit may fit a hundred times (4.6 in the logarithm) worse.
    Besides, the file's own unit is by far the likeliest, and the others are less likely than any number. A unit that
    the file declares comes first wherever it is plausible.
    """
    own = UNITS[_unit(scan) or "mm"]
    bonus = {UNITS[name]: 4.0 for name in GUESSABLE if there.plausible(UNITS[name])}
    if there.plausible(own):
        bonus[own] = 7.5 if _unit(scan) else 6.0
    others = [mm for mm in sizes.scales(*there.limits()) if not any(abs(math.log(mm / unit)) < AGREE for unit in bonus)]
    found = [*bonus, *others] or [850 / max(there.edges)]
    # The bases of a scan in the right units are off a little as the phone was.
    at = [mm if abs(math.log(sizes.refined(mm)[0] / mm)) > AGREE else sizes.refined(mm)[0] for mm in found]
    votes = sizes.likelihood(np.array(at)) + [bonus.get(mm, 0.0) for mm in found]
    score = votes + sizes.rarity(np.array(at)) + [there.likeness(mm) for mm in found]
    if _unit(scan) is not None and own in bonus:
        score[found.index(own)] = np.inf  # what a file says of itself holds where it may; others may be asked about
    order = np.argsort(-score, kind="stable").tolist()
    return _options(scan, there, sizes, [found[k] for k in order], {found[k]: float(votes[k]) for k in order})


def _unlike(scan: Scan, there: There, mm: float) -> str:
    """The warning that a scan has not the units that its file says, or that its format usually has."""
    declared = _unit(scan)
    meant = f"In {NAMES[declared]}, as the file says," if declared else "In millimetres"
    name = next((name for name, unit in UNITS.items() if unit == mm), None)
    taken = NAMES[name] if name else f"{mm:.4g} mm per unit"
    return f"{meant} {there.words(UNITS[declared or 'mm'])}; the file's numbers are taken as {taken}."


def _options(scan: Scan, there: There, sizes: Sizes, order: list[float], votes: dict[float, float]) -> list[_Option]:
    """The answers in their order; the first knows whether to ask, why, and what to warn of."""
    best = order[0]
    own = UNITS[_unit(scan) or "mm"]
    seen = sizes.chance.sum() >= 0.7 and sizes.explained(best) > 0
    rivals = [mm for mm in order[1:] if abs(math.log(mm / best)) > AGREE and votes[mm] > votes[best] - PLAINLY]
    name = next((name for name, mm in UNITS.items() if mm == best and (name in GUESSABLE or mm == own)), None)
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
