"""TS: test-suite accuracy, execution accuracy on every database of a suite.

Definition:
    value = 1 if the preset holds between gold and prediction on every database d of the case's
    suite, else 0: the product of EX over d. The suite is the case's own database and the other
    database files in its folder (Spider's layout: several ``.sqlite`` files beside
    ``<db>/<db>.sqlite`` are one suite). A single file is no suite: what it shows is EX. The
    preset is Spider's unless one stands in brackets. With several golds, one equal answer a
    database suffices.

    Hand calculation: a suite of three databases with answers equal, equal and different has
    1 * 1 * 0 = 0; with equal on all three, 1.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    No database of the suite tells the two apart and on at least one the gold fails, the file is
    missing or the preset leaves it open; or there is no suite (``NO_TEST_SUITE``: the case has
    one database alone). One database of a suite that tells them apart settles the case: 0. A
    prediction that fails is scored: 0.

Source:
    Zhong, Yu and Klein, "Semantic evaluation for text-to-SQL with distilled test suites",
    EMNLP 2020.
"""

from __future__ import annotations

from sqlverdict.records import Reason, Score
from sqlverdict.score.metric import METRICS, Item, Need
from sqlverdict.score.metric_kinds import preset_names


@METRICS.member
class Ts:
    """Test-suite accuracy."""

    name = "ts"
    version = 2
    needs: frozenset[Need] = frozenset({"answers", "databases"})
    binary = True

    @property
    def parameters(self) -> tuple[str, ...]:
        """The comparison presets, Spider's first."""
        return preset_names("spider")

    def score(self, item: Item, parameter: str) -> Score:
        """1 where every database agrees, 0 where one differs."""
        databases = item.databases()
        if not databases:
            return Score(None, (Reason.DATABASE_UNAVAILABLE,))
        if len(databases) == 1:
            return Score(None, (Reason.NO_TEST_SUITE,))
        open_reasons: dict[Reason, None] = {}
        undecided = False
        for database in databases:
            comparison = item.compare(parameter, database)
            if comparison.equal is False:
                return Score(0.0, comparison.reasons)
            if comparison.equal is None:
                undecided = True
                open_reasons.update(dict.fromkeys(comparison.reasons))
        return Score(None if undecided else 1.0, tuple(open_reasons))
