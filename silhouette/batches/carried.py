"""MANY: scenes on their way from the processes that read them to those that judge on a device.

scene, checks -> `CarriedScene`, in pieces that pickle carries -> `Load`: chunks of several scenes, judged at once
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from silhouette.batches.chunks import CHECKS_PER_CHUNK, Chunk


@dataclass(frozen=True, eq=False)
class CarriedScene:
    """A scene as it is carried.

    Attributes:
        scene, digest: as in `silhouette.batches.chunks.Chunk`.
        content: the scene without its models and checks.
        models: the names of its models.
        new: those models that its reader has not sent before, by their names.
        checks: its checks, `CHECKS_PER_CHUNK` in each of these.
    """

    scene: str
    digest: str
    content: bytes
    models: frozenset[str]
    new: Mapping[str, bytes]
    checks: Sequence[bytes]

    @staticmethod
    def packed_checks(checks: Sequence[Any]) -> list[bytes]:
        """The checks as they are carried."""
        starts = range(0, len(checks), CHECKS_PER_CHUNK)
        return [pickle.dumps(tuple(checks[start : start + CHECKS_PER_CHUNK])) for start in starts]


@dataclass(frozen=True, eq=False)
class Parcel:
    """A chunk with all that is needed to judge it but models.

    Attributes:
        chunk: which checks.
        content: as of `CarriedScene`; empty where the scene could not be carried, and must be read.
        blocks: the checks, with some before and after them that are packed with them.
        skip: the number of checks in ``blocks`` before those of the chunk.
    """

    chunk: Chunk
    content: bytes = b""
    blocks: Sequence[bytes] = ()
    skip: int = 0

    @classmethod
    def of(cls, chunk: Chunk, carried: CarriedScene | None) -> Parcel:
        """The chunk with what is carried of its scene, if anything is."""
        if carried is None or carried.digest != chunk.digest:
            return cls(chunk)
        assert chunk.stop is not None
        first, last = chunk.start // CHECKS_PER_CHUNK, (chunk.stop - 1) // CHECKS_PER_CHUNK
        return cls(chunk, carried.content, carried.checks[first : last + 1], chunk.start - first * CHECKS_PER_CHUNK)

    def checks(self) -> list[Any]:
        """The checks of the chunk."""
        assert self.chunk.stop is not None
        packed = [check for block in self.blocks for check in pickle.loads(block)]
        return packed[self.skip : self.skip + self.chunk.stop - self.chunk.start]


@dataclass(frozen=True, eq=False)
class Load:
    """What a process judges at once.

    Attributes:
        judge: the number of the process that it is for, which has some models already.
        parcels: chunks, of several scenes.
        models: those that the process lacks, by their names.
    """

    judge: int
    parcels: Sequence[Parcel]
    models: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Told:
    """What a process that judges says of itself.

    Attributes:
        together: the number of checks that it judges best at once.
        lacking: the names of models that it does not have, or not any more.
    """

    together: int
    lacking: frozenset[str]
