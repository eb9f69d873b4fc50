"""Tables in doubt are tables of their games, and so is what they may be in truth."""

import numpy as np
import pytest

from silhouette.renderers import choose
from silhouette.rules.base import Settings
from tests.support.doubtful_tables import KINDS, doubtful


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_in_doubt_and_its_truths_are_judged(kind: str) -> None:
    table = doubtful(kind, 0)
    tables = [table.scene(), *table.truths(np.random.default_rng(0), 2)]
    verdicts = table.rule.judge([(scene, table.check) for scene in tables], Settings(choose(), 0.1))
    assert all(verdict.verdict in table.rule.levels for verdict in verdicts)
