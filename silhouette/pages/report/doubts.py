"""TELL: what to know before trusting a verdict, the weightiest first: what it rests on, then the rest, no trifles."""

from __future__ import annotations

import re
from collections.abc import Iterable

from silhouette.meshes.health import TRIFLES

FIRST = re.compile(
    r"\beye\b|\bfac(es|ing)\b|overlap|sink|hang|float|inside|stand|unknown|front|2 m from|mm tall|probably a mistake"
)
"""What a verdict rests on: eyes, facings, and mistakes in where pieces stand."""


def weighed(warnings: Iterable[str]) -> list[str]:
    """The warnings, each once, without trifles; what a verdict rests on comes first.

    >>> weighed([
    ...     "rock.stl: more than two faces meet at 46 edges",
    ...     "rock.stl: the mesh has 2 holes; sight passes through",
    ...     "the eye of Oswald is estimated",
    ... ])
    ['the eye of Oswald is estimated', 'rock.stl: the mesh has 2 holes; sight passes through']
    """
    kept = [warning for warning in dict.fromkeys(warnings) if not TRIFLES.search(warning)]
    return sorted(kept, key=lambda warning: FIRST.search(warning) is None)


def told_once(warnings: Iterable[str]) -> list[str]:
    """The warnings without those that another one repeats with the name of a piece before it.

    >>> told_once(["Vex: leader.glb: units are guessed", "leader.glb: units are guessed"])
    ['Vex: leader.glb: units are guessed']
    """
    every = list(dict.fromkeys(warnings))
    return [one for one in every if not any(other != one and other.endswith(one) for other in every)]
