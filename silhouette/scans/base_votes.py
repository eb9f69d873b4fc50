"""SCAN: which scale the diameters of round bases speak for, and how plainly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.scans.discs import Disc

BASES = (25.0, 28.5, 32.0, 40.0, 50.0, 60.0, 80.0, 100.0)  # the diameters in mm of the round bases that are sold
ALIKE = dict.fromkeys(BASES, 1.0)  # the bases, each as likely as the others

COMMON = {25.0: 0.30, 28.5: 0.10, 32.0: 0.25, 40.0: 0.14, 50.0: 0.08, 60.0: 0.06, 80.0: 0.04, 100.0: 0.03}
"""How common each of them is on a table, roughly: most figures are men. It orders answers, it settles nothing."""

BIAS = 0.01  # standard deviation of what all bases of a size are off together: rims slope, and makers differ by 1 %

GAP = 0.04
"""Diameters closer than this share are of one size: the sizes that exist are 12 % apart, scans measure within 2 %."""

STRAY = 1 / np.log(10.0)
"""Density, over the logarithm of diameters, of round things that are no bases: anywhere within a factor of ten."""

LOOKS = 0.5  # quality from which on a disc counts; below it is a guess


@dataclass(frozen=True, eq=False)
class Sizes:
    """The sizes of the round bases that were measured, in the file's unit."""

    diameter: Floats  # (k,) float64, ascending, each the mean of bases of one size
    error: Floats  # (k,) float64, standard deviation of its logarithm, what all are off together included
    count: Floats  # (k,) how many bases have it
    chance: Floats  # (k,) float64, from 0 to 1: that these are bases at all

    @classmethod
    def of(cls, discs: Sequence[Disc], spacing: float) -> Sizes:
        """The sizes among some discs; `spacing` is the scan's.

        >>> discs = [Disc((0, 0), 0, 3, 24.9, 0.1, 1), Disc((0, 0), 0, 3, 25.1, 0.1, 1), Disc((0, 0), 0, 3, 40, 0.1, 1)]
        >>> Sizes.of(discs, 1.0).diameter.round(2).tolist()
        [25.0, 40.0]
        >>> len(Sizes.of([], 1.0).diameter)
        0
        """
        chosen = sorted((disc for disc in discs if disc.quality >= LOOKS), key=lambda disc: disc.diameter)
        if not chosen:
            return cls(*np.zeros((4, 0)))
        logs = np.log([disc.diameter for disc in chosen])
        errors = np.array([disc.error / disc.diameter for disc in chosen])
        chances = 0.8 * np.clip([2 * disc.quality - 1 for disc in chosen], 0.1, 1.0)
        groups = np.concatenate([[0], np.cumsum(np.diff(logs) > GAP)])
        weights = chances / (errors**2 + 0.01**2)
        total = np.bincount(groups, weights)
        means = np.bincount(groups, weights * logs) / total
        counts = np.bincount(groups).astype(np.float64)
        own = np.bincount(groups, errors**2 + (logs - means[groups]) ** 2) / counts**2
        off = BIAS**2 + (0.1 * spacing / np.exp(means)) ** 2
        chance = 1 - np.exp(np.bincount(groups, np.log1p(-chances)))
        return cls(np.exp(means), np.sqrt(own + off), counts, np.minimum(chance, 0.98))

    def likelihood(self, mm: Floats, shares: Mapping[float, float] = ALIKE) -> Floats:
        """The logarithm of the likelihood of what was measured, for each scale of `mm` (n,) per unit.

        Each size is one of those that exist, by their `shares`, or no base at all.
        """
        bases = np.array(list(shares))
        off = np.log(np.multiply.outer(np.asarray(mm), self.diameter))[..., None] - np.log(bases)
        width = self.error[:, None]
        weights = np.array(list(shares.values())) / sum(shares.values())
        fits = (weights * np.exp(-0.5 * (off / width) ** 2) / (np.sqrt(2 * np.pi) * width)).sum(axis=-1)
        return np.asarray(np.log(self.chance * fits + (1 - self.chance) * STRAY).sum(axis=-1))

    def rarity(self, mm: Floats) -> Floats:
        """The logarithm of how common the sizes are at each scale, the more bases the more: it orders answers only."""
        likelier = self.likelihood(mm, COMMON) - self.likelihood(mm)
        main = Sizes(self.diameter, self.error, self.count, self.chance * (self.count == self.count.max(initial=0)))
        many = np.sqrt(self.count.max(initial=1.0)) - 1
        return np.asarray(likelier + many * (main.likelihood(mm, COMMON) - main.likelihood(mm)))

    def refined(self, mm: float, bases: Iterable[float] = BASES) -> tuple[float, float]:
        """A scale moved to where the sizes near one that exists fit best, and its standard deviation as a share."""
        _, off, mine = self._nearest(mm, bases)
        if not mine.any():
            return mm, GAP
        weights = self.chance[mine] / self.error[mine] ** 2
        shift = float((weights * off[mine]).sum() / weights.sum())
        return mm * float(np.exp(-shift)), float(1 / np.sqrt((1 / self.error[mine] ** 2).sum()))

    def named(self, mm: float, bases: Iterable[float] = BASES) -> tuple[float, ...]:
        """The sizes that exist which are there at a scale: of those that are likely to be bases at all."""
        near, _, mine = self._nearest(mm, bases)
        return tuple(sorted(set(near[mine & (self.chance > 0.3)].tolist())))

    def explained(self, mm: float) -> float:
        """From 0 to 1, how much of what is likely to be bases has sizes that exist at a scale."""
        mine = self._nearest(mm, BASES)[2]
        return float(self.chance[mine].sum() / self.chance.sum()) if self.chance.sum() > 0 else 0.0

    def scales(self, least: float, most: float, bases: Iterable[float] = BASES) -> list[float]:
        """Every scale between two at which a measured size is one that exists, each refined, those alike once."""
        bases = tuple(bases)
        tried = np.divide.outer(np.array(bases), self.diameter).ravel()
        refined = sorted(self.refined(mm, bases)[0] for mm in tried.tolist() if least <= mm <= most)
        found: list[float] = []
        for mm in refined:
            if least <= mm <= most and (not found or mm > 1.01 * found[-1]):
                found.append(mm)
        return found

    def _nearest(self, mm: float, bases: Iterable[float]) -> tuple[Floats, Floats, Flags]:
        """For each size the nearest of some bases, how far it is off (a logarithm), and whether it may be that one."""
        there = np.array(list(bases))
        off = np.log(mm * self.diameter)[:, None] - np.log(there)
        best = np.abs(off).argmin(axis=1)
        off = off[np.arange(len(best)), best]
        return there[best], off, np.abs(off) < np.maximum(3 * self.error, GAP)
