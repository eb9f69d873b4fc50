"""How long do checks of this game take, with more and more terrain?

Characters and pieces stand at random; everyone looks at everyone, at most a thousand pairs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from silhouette.files.cache import Cache
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.crisis_protocol.rule import CRISIS_PROTOCOL
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.crisis_protocol_tables import table
from tests.support.rulings import ruled

COLUMNS = ("", "pairs", "of which seen", "loaded, ms", "judged, ms a pair")

CHARACTERS = 33
PAIRS = 1000


def tables(_: Options) -> Iterator[Table]:
    """One row for each number of pieces."""
    rows = [measured(pieces) for pieces in (0, 5, 10, 20, 40, 80)]
    yield Table("Pairs among terrain", COLUMNS, tuple(rows), compared=("judged, ms a pair",))


def measured(pieces: int) -> tuple[str, ...]:
    """A row: see `COLUMNS`."""
    renderer = ReferenceRenderer()
    document = table(7, CHARACTERS, pieces)
    begin = time.perf_counter()
    scene = CRISIS_PROTOCOL.load(Path("table.toml"), document, Cache(None))
    loaded = time.perf_counter()
    checks = CRISIS_PROTOCOL.everyone(scene)[:PAIRS]
    seen = sum(ruled(CRISIS_PROTOCOL, scene, check, renderer, 0.1).line_of_sight for check in checks)
    each = 1e3 * (time.perf_counter() - loaded) / len(checks)
    load = 1e3 * (loaded - begin)
    return progress((f"{pieces} pieces", str(len(checks)), str(seen), f"{load:.1f}", f"{each:.3f}"))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
