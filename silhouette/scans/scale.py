"""SCALE: how many millimetres one unit of the file is, how that is known, and what is asked where it is not sure."""

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
from silhouette.scans.identify import Surroundings
from silhouette.scans.keep import SCALE, Question
from silhouette.scans.level import Levelling
from silhouette.scans.models import KnownModel
from silhouette.scans.planes import moved
from silhouette.scans.read import Scan
from silhouette.scans.surface import edges_of
from silhouette.scans.votes import PIECES, ScaleMatch, drift, scale_by_models

# ---- what is known of units, tables and bases

TABLE_EDGES = (150.0, 4000.0)  # edges in mm that a table for games may have: from a dice tray to a club's longest
WIDTHS = (30.0, 2000.0)  # widths in mm of a thing scanned without a table: from one figure to a whole board of terrain
TALLEST_THING = 600.0  # height in mm of the tallest things on a table for games

ABSURD = (100.0, 10_000.0)
"""A table with edges beyond these, in mm, is refused even when the user says so: a slip of a unit."""

TABLES = (600, 610, 700, 762, 800, 900, 914, 1000, 1118, 1120, 1200, 1219, 1220, 1524, 1800, 1829)
"""Edges in mm that tables, boards and mats for games often have."""

ScaleSource = Literal["given", "length", "units", "known models", "bases", "guess"]

UNIT_MM = {"mm": 1.0, "cm": 10.0, "inch": INCH, "ft": 304.8, "m": 1000.0}  # of the units that programs write
DECLARED = {"millimeter": "mm", "centimeter": "cm", "foot": "ft", "meter": "m"}  # units as 3MF files call them
UNIT_WORDS = {"mm": "millimetres", "cm": "centimetres", "inch": "inches", "ft": "feet", "m": "metres"}

GUESSABLE = ("mm", "cm", "m")
"""The units that a file may have without saying so; feet and inches are taken only where the file or the user says."""

SCALE_EXACTNESS = 0.01 + 1e-9  # as a share: a scale that may be off by more is asked about
DRIFT = 2.0  # standard deviations: known models that fit so near to the units of the file confirm them
CLOUD_DRIFT = 0.05  # the same of a cloud of points, which lie on both sides of a surface: 3.1 % too large
PLAUSIBLE_DRIFT = 0.1  # as a share: figures that stand there at the file's units are not off by more
FEW_PIECES = 3  # pieces on which known models are tried where the file says its units

PLAINLY = 3.0  # difference of log-likelihoods from which on one answer is taken without asking: odds of 20 to 1
OTHER = "another size: give --length or --scale"  # the answer besides a single one, which settles nothing

BASES_AGREEMENT = 0.04
"""How far the scale by bases may lie from that of the file's units, as a share, to confirm it: phones are 2 % off."""


@dataclass(frozen=True)
class SizeHints:
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


# ---- what was scanned


@dataclass(frozen=True, eq=False)
class _There:
    """What was scanned, in the file's units: how large it is, and what its round bases say."""

    scan: Scan
    level: Levelling

    @cached_property
    def points(self) -> Floats:
        """(n, 3) the vertices, levelled."""
        return levelled(self.scan, self.level)

    @cached_property
    def usable(self) -> Flags:
        """(n,) bool, the usable vertices on and over the table; all of them without one."""
        level = self.level
        if level.size is None:
            return self.scan.usable
        inside = (np.abs(self.points[:, :2]) < 0.51 * np.array(level.size)).all(axis=1)
        return np.asarray(self.scan.usable & inside & (self.points[:, 2] > -10 * max(level.noise, level.spacing)))

    @cached_property
    def extent(self) -> tuple[float, float, float]:
        """The edges along x and y, and the height of the tallest on it."""
        low, high = np.percentile(self.points[self.scan.usable], [0.1, 99.9], axis=0)
        x, y = self.level.size or (high - low)[:2]
        return float(x), float(y), max(float(high[2]), 0.0)

    @property
    def unit(self) -> str | None:
        """The unit that the file declares, among `UNIT_MM`."""
        unit = DECLARED.get(self.scan.units or "", self.scan.units)
        return unit if unit in UNIT_MM else None

    @property
    def own(self) -> float:
        """The mm of that; 1 where it declares none."""
        return UNIT_MM[self.unit or "mm"]

    def words(self, mm: float, named: Sequence[float] = ()) -> str:
        """What it is at a scale, with the sizes of its bases."""
        x, y, height = (length * mm for length in self.extent)
        size = f"it is {x:.0f} x {y:.0f} mm wide and {height:.0f} mm tall"
        if self.level.size is not None:
            size = f"the table is {x:.0f} x {y:.0f} mm"
        return f"bases of {in_a_row([f'{base:g}' for base in named])} mm: {size}" if named else size

    def limits(self) -> tuple[float, float]:
        """The least and the largest scale at which it has a size for games."""
        *edges, height = self.extent
        least, most = WIDTHS if self.level.size is None else TABLE_EDGES
        tallest = TALLEST_THING / height if height > 0 else math.inf
        return least / max(min(edges), 1e-300), min(most / max(*edges, 1e-300), tallest)

    def plausible(self, mm: float) -> bool:
        """Whether it has a size for games at a scale."""
        least, most = self.limits()
        return least <= mm <= most

    def checked(self, scale: Scale, by: str) -> Scale:
        """A scale that the user gave by an option, with a warning where it is unusual.

        Raises:
            RequestError: for no positive number, a table smaller than 10 cm, or anything below 1 mm or above 10 m.
        """
        mm, table = scale.mm, self.level.size is not None
        if not (math.isfinite(mm) and mm > 0):
            raise RequestError(f"{by} gives {mm:g} mm per unit of the file; a scale is a number above 0")
        x, y = (edge * mm / 10 for edge in self.extent[:2])
        if not (ABSURD[0] if table else 1.0) <= max(self.extent[:2]) * mm <= ABSURD[1]:
            what = "the table" if table else "what was scanned"
            raise RequestError(
                f"by {by} {what} would be {x:.3g} x {y:.3g} cm; a scale is how many mm one unit of the file is"
            )
        warnings = () if self.plausible(mm) else (f"By {by} {self.words(mm)}, which is unusual.",)
        return replace(scale, warnings=warnings)

    def off_tables(self, mm: float) -> Floats:
        """How far each edge is off the nearest that tables often have, as a logarithm; infinite without a table."""
        if self.level.size is None:
            return np.full(2, np.inf)
        return np.asarray(np.abs(np.log(np.multiply.outer(self.extent[:2], mm / np.array(TABLES)))).min(axis=1))

    def likeness(self, mm: float) -> float:
        """The logarithm of how usual it is at a scale: of a table's edges, and of how close a phone's points lie."""
        usual = 150 if self.level.size is None else 850
        size = -0.5 * (math.log(max(self.extent[:2]) * mm / usual) / 0.6) ** 2
        close = -0.5 * math.log(max(self.level.spacing * mm, 1e-9) / 1.7) ** 2
        return size + close + float(np.log1p(4 * np.exp(-0.5 * (self.off_tables(mm) / 0.006) ** 2)).sum())

    def sizes(self, neighbours: Integers, least: float, most: float) -> Sizes:
        """The sizes of the round bases between two diameters, by the pairs of neighbours that may show their rims."""
        spacing, noise = self.level.spacing, self.level.noise
        # A base of fewer than eight points across shows no circle.
        least = max(least, 8 * spacing)
        if most <= least:
            return Sizes.of([], spacing)
        # Those on the table tell the scale as well as those on terrain, where round towers and holes mislead.
        discs = find_discs(
            np.nan_to_num(self.points),
            self.scan.faces,
            spacing=spacing,
            noise=noise,
            least=least,
            most=most,
            usable=self.usable,
            surfaces=[],
            edges=neighbours,
        )
        return Sizes.of(discs, spacing)

    def any_size(self, neighbours: Integers) -> Sizes:
        """The sizes of the bases whatever the scale: from 25 mm on the largest table to 100 mm on the smallest."""
        (low, high), widest = self.limits(), max(self.extent[:2])
        return self.sizes(neighbours, max(20 / high, 0.01 * widest), min(110 / low, 0.25 * widest))


def levelled(scan: Scan, level: Levelling) -> Floats:
    """The vertices (n, 3) of a scan in its levelled frame, in the file's unit."""
    return moved(level.to_level, scan.vertices)


def edges_over_table(scan: Scan, level: Levelling) -> Integers:
    """(k, 2) pairs of neighbouring vertices on and over the table, as `edges_of` tells them in the file's unit."""
    there = _There(scan, level)
    return edges_of(np.nan_to_num(there.points), scan.faces, there.usable, level.spacing)


# ---- scale


@dataclass(frozen=True)
class _Hypothesis:
    """One answer to how large the scan is."""

    mm: float
    source: ScaleSource
    error: float
    text: str


@dataclass(frozen=True)
class _Hypotheses:
    """All of them, the likeliest first."""

    every: tuple[_Hypothesis, ...]
    why: str = ""  # why it is asked which is right; empty where the first one is taken
    warnings: tuple[str, ...] = ()

    def answered(self, answer: str | None) -> Scale | None:
        """The scale that an answer to an earlier question gives; None where it is none of these."""
        return next((Scale(each.mm, "given", each.error) for each in self.every if each.text == answer), None)

    def scale(self) -> Scale:
        """The likeliest, with the question which it is."""
        best, question = self.every[0], None
        if self.why:
            answers = tuple(dict.fromkeys(each.text for each in self.every[:5]))
            text = f"How large is it? {self.why}"
            question = Question(SCALE, text, answers if len(answers) > 1 else (*answers, OTHER))
        return Scale(best.mm, best.source, best.error, question, self.warnings)


def scale_of(
    scan: Scan,
    level: Levelling,
    hints: SizeHints = SizeHints(),
    models: Sequence[KnownModel] = (),
    edges: Integers | None = None,
    standing: Callable[[float], Surroundings] | None = None,
) -> Scale:
    """The scale of a levelled scan.

    What the user gives wins: a length, a scale, an answer, the bases; then the file's units where sizes are plausible
    and bases do not speak against them; then known models, then bases, then a guess.

    Args:
        scan: of which it is.
        level: how that lies.
        hints: what the user says.
        models: those that may stand there.
        edges: those of `edges_over_table`, if the caller has them.
        standing: what stands upright there at a scale, if the caller can tell.

    Raises:
        RequestError: what the user gives cannot be: two points in one place, a table of 4 cm, no such bases.
    """
    there = _There(scan, level)
    given = _given(there, hints)
    if given is not None:
        return given
    edges = edges_over_table(scan, level) if edges is None else edges
    options = _by_given_bases(there, edges, hints.bases) if hints.bases else _by_units_and_bases(there, edges)
    answered = options.answered(hints.answer)
    if answered is None and models and not hints.bases:
        options = _with_models(there, options, models, standing)
        answered = options.answered(hints.answer)
    return options.scale() if answered is None else answered


def _given(there: _There, hints: SizeHints) -> Scale | None:
    """The scale by a length, a number, or a number as an answer; None where nobody has given any."""
    if hints.length is not None:
        # Each of the two points was picked within half the spacing of points.
        mm, first, second = hints.length
        apart = math.dist(first, second)
        if not (math.isfinite(apart) and apart > 0 and math.isfinite(mm) and mm > 0):
            raise RequestError(
                "--length needs two points that lie apart, in the file's coordinates, and a length above 0 mm"
            )
        return there.checked(Scale(mm / apart, "length", min(0.7 * there.level.spacing / apart, 1.0)), "--length")
    if hints.scale is not None:
        return there.checked(Scale(hints.scale, "given", 0.0), "--scale")
    try:
        return there.checked(Scale(float(hints.answer or ""), "given", 0.0), "the answer")
    except ValueError:
        return None


def _by_given_bases(there: _There, edges: Integers, bases: tuple[float, ...]) -> _Hypotheses:
    """The scale by the bases of which the user gave the sizes."""
    if not all(math.isfinite(base) and 10 <= base <= 300 for base in bases):
        raise RequestError("--bases needs diameters in mm from 10 to 300, such as 25,32")
    sizes = there.any_size(edges)
    scales = sizes.scales(*there.limits(), bases=bases)
    if not scales or sizes.chance.max() < 0.5:
        raise RequestError(
            f"--bases {','.join(f'{base:g}' for base in bases)}: no such round bases were found in the scan"
        )
    votes = sizes.likelihood(np.array(scales), dict.fromkeys(bases, 1.0))
    ranked = sorted(zip(votes, scales, strict=True), key=lambda pair: -pair[0] - 0.1 * there.likeness(pair[1]))
    asks = len(ranked) > 1 and ranked[0][0] - ranked[1][0] < PLAINLY
    every = (
        _Hypothesis(mm, "bases", sizes.refined(mm, bases)[1], there.words(mm, sizes.named(mm, bases)))
        for _, mm in ranked
    )
    return _Hypotheses(tuple(every), "The bases given fit in more than one way." if asks else "")


def _by_units_and_bases(there: _There, edges: Integers) -> _Hypotheses:
    """The answers by the file's units and the bases."""
    own = there.own
    if there.plausible(own):
        # Most files are what they say: then bases of sizes that exist are quickly found among diameters near them.
        sizes = there.sizes(edges, 20 / own, 110 / own)
        options = _ordered(there, sizes)
        if options.every[0].mm == own and not options.why and min(sizes.named(own), default=100) <= 40:
            return options
    return _ordered(there, there.any_size(edges))


def _ordered(there: _There, sizes: Sizes) -> _Hypotheses:
    """The answers by some sizes.

    A scale is some unit's, or any number. The numbers of one unit are one scale, those of any are spread over a range
    of which what was measured singles out a hundredth: so a unit may fit a hundred times (4.6 in the logarithm) worse.
    Besides, the file's own unit is by far the likeliest, and the others are less likely than any number. A unit that
    the file declares comes first wherever it is plausible.
    """
    own = there.own
    bonus = {UNIT_MM[name]: 4.0 for name in GUESSABLE if there.plausible(UNIT_MM[name])}
    if there.plausible(own):
        bonus[own] = 7.5 if there.unit else 6.0
    others = [mm for mm in sizes.scales(*there.limits()) if all(_is_apart(mm, unit) for unit in bonus)]
    scales = [*bonus, *others] or [850 / max(there.extent[:2])]
    # The bases of a scan in the right units are off a little as the phone was.
    at = np.array([mm if _is_apart(sizes.refined(mm)[0], mm) else sizes.refined(mm)[0] for mm in scales])
    votes = sizes.likelihood(at) + [bonus.get(mm, 0.0) for mm in scales]
    score = votes + sizes.rarity(at) + [there.likeness(mm) for mm in scales]
    if there.unit is not None and own in bonus:
        score[scales.index(own)] = np.inf  # what a file says of itself holds where it may; others may be asked about
    first, *rest = np.argsort(-score, kind="stable").tolist()
    best = scales[first]
    rivals = [scales[k] for k in rest if _is_apart(scales[k], best) and votes[k] > votes[first] - PLAINLY]
    options = _judged(there, sizes, best, bool(rivals), best in bonus)
    source, error = options.every[0].source, options.every[0].error
    choices = [best]
    for mm in rivals or [scales[k] for k in rest]:
        if all(_is_apart(mm, other) for other in choices):
            choices.append(mm)
    every = (_Hypothesis(mm, source, error, there.words(mm, sizes.named(mm))) for mm in choices)
    return replace(options, every=tuple(every))


def _is_apart(mm: float, other: float) -> bool:
    return abs(math.log(mm / other)) > BASES_AGREEMENT


def _judged(there: _There, sizes: Sizes, best: float, has_rivals: bool, is_unit: bool) -> _Hypotheses:
    """The likeliest answer, with how it is known, whether to ask, and what to warn of."""
    seen = bool(sizes.chance.sum() >= 0.7 and sizes.explained(best) > 0)
    mm, spread = sizes.refined(best)
    off, warnings = math.log(mm / best), []
    source: ScaleSource = "units" if is_unit else "bases" if seen else "guess"
    if is_unit:
        is_sure = seen or (best == there.own and (there.unit is not None or (there.off_tables(best) < 0.01).all()))
        error = max(abs(off) if abs(off) < BASES_AGREEMENT else 0.0, 0.005)
        if 0.02 < abs(off) < BASES_AGREEMENT:
            size = "small" if off > 0 else "large"
            warnings.append(f"By the scan's units its round bases are {abs(off):.1%} too {size}.")
    else:
        is_sure, error = seen, spread if seen else 0.25
    if best != there.own:
        warnings.append(_unlike(there, best))
    why = "Round bases of sizes that exist fit in more than one way." if seen else "No round bases tell it."
    option = _Hypothesis(best, source, error, "")
    return _Hypotheses((option,), why if has_rivals or not is_sure else "", tuple(warnings))


def _unlike(there: _There, mm: float) -> str:
    """The warning that a scan has not the units that its file says, or that its format usually has."""
    meant = f"In {UNIT_WORDS[there.unit]}, as the file says," if there.unit else "In millimetres"
    name = next((UNIT_WORDS[name] for name, unit in UNIT_MM.items() if unit == mm), f"{mm:.4g} mm per unit")
    return f"{meant} {there.words(there.own)}; the file's numbers are taken as {name}."


def _with_models(
    there: _There, options: _Hypotheses, models: Sequence[KnownModel], standing: Callable[[float], Surroundings] | None
) -> _Hypotheses:
    """The answers where models are known, which vote wherever they fit beyond doubt.

    Models that fit in the file's units settle them. Where they fit elsewhere, that is a question.
    """
    own = options.every[0] if options.every[0].source == "units" else None
    settled, rest = replace(options, why=""), options.every[0 if own is None else 1 :]
    level, fitting = there.level, None

    def by_models(scales: Sequence[float], most: int) -> ScaleMatch | None:
        args = there.points, there.usable, level.spacing, level.noise, models, scales, most
        return _unrounded(there, scale_by_models(*args))

    least = CLOUD_DRIFT if standing is not None and len(there.scan.faces) == 0 else SCALE_EXACTNESS
    if own is not None and standing is not None:
        around = standing(own.mm)
        ratio = _unrounded(there, drift(around))
        # What stands there at a scale is not off by more than a tenth: then the measure is.
        if around.figures and (ratio is None or abs(ratio.mm - 1.0) > PLAUSIBLE_DRIFT):
            return settled
        fitting = None if ratio is None else replace(ratio, mm=ratio.mm * own.mm)
        if not around.figures and any(model.model.kind == "fighter" for model in models):
            options = replace(options, why="At the size that the file's units give, no known figure stands there.")
    elif own is not None:
        fitting = by_models([own.mm], FEW_PIECES)
    if own is not None and fitting is not None and abs(fitting.mm / own.mm - 1.0) <= max(least, DRIFT * fitting.error):
        return settled
    if fitting is None:
        fitting = by_models([option.mm for option in rest], PIECES)
    if fitting is None and (own is None or options.why):
        fitting = by_models([], FEW_PIECES)
    return options if fitting is None else _with_fitting(there, options, fitting, own)


def _unrounded(there: _There, match: ScaleMatch | None) -> ScaleMatch | None:
    """The scale that known models tell: what has triangles was fused from pictures, a cloud was not."""
    return match if match is None or len(there.scan.faces) == 0 else match.unrounded()


def _with_fitting(there: _There, options: _Hypotheses, fitting: ScaleMatch, own: _Hypothesis | None) -> _Hypotheses:
    """The answers with the scale at which models fit, which is not that of the file's units, if it has them."""
    mm, error = _with_bases(fitting, options)
    names = [Path(path).name for path in fitting.models[:3]]
    option = _Hypothesis(mm, "known models", error, f"{there.words(mm)}, by {' and '.join(names)}")
    if own is None:
        why = f"Known models tell it to {2.0 * error:.1%}." if 2.0 * error > SCALE_EXACTNESS else ""
        return _Hypotheses((option, *options.every), why, (_unlike(there, mm),))
    off = mm / own.mm - 1.0
    warning = f"By the scan's units known models are {abs(off):.1%} too {'small' if off > 0 else 'large'}: "
    warning += f"{', '.join(names)}."
    why = "The file's units and the known models do not agree."
    if abs(off) < 0.1:
        return _Hypotheses((own, option, *options.every[1:]), why, (*options.warnings, warning))
    return _Hypotheses((option, *options.every), why, (warning,))


def _with_bases(fitting: ScaleMatch, options: _Hypotheses) -> tuple[float, float]:
    """The scale by known models with that by the round bases which agrees with it, each by its error, and its error.

    They are wrong independently: the tops of models are rounded off, and the rims of bases.

    >>> options = _Hypotheses((_Hypothesis(101.0, "bases", 0.01, ""), _Hypothesis(200.0, "bases", 0.01, "")))
    >>> _with_bases(ScaleMatch(100.0, 0.01, ()), options)[0]
    100.5
    """
    mm, error = fitting.mm, fitting.error
    weight, total = 1.0 / error**2, mm / error**2
    for option in options.every:
        if option.source == "bases" and abs(option.mm / mm - 1.0) < 2.0 * np.hypot(error, option.error):
            weight, total = weight + 1.0 / option.error**2, total + option.mm / option.error**2
            break
    return total / weight, weight**-0.5
