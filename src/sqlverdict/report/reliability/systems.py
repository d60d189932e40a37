"""Several systems by RS(c): one table, and which systems cannot be told apart."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.report.reliability.comparison import read_cells
from sqlverdict.report.reliability.figures import ReliabilityRequest, ViewScores, score_view
from sqlverdict.report.reliability.tables import points_text
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import VERDICT, deciding_metric
from sqlverdict.score.reliability.intervals import resampled_tables, worth
from sqlverdict.score.reliability.outcomes import (
    PROVED,
    Cell,
    OutcomeTable,
    from_counts,
)
from sqlverdict.score.reliability.reliability_score import (
    EVERYTHING,
    Penalty,
    parse_penalty,
    penalty_text,
    penalty_value,
    views,
)
from sqlverdict.score.statistics.significance import (
    Group,
    group_ranks,
    indistinguishable_groups,
)

HARM_PENALTY: Penalty = 10.0
"""The penalty by which :func:`harmful_first` calls a system harmful: the paper's middle one."""
_RS = re.compile(r"rs\(\s*(?P<penalty>[^,()]+?)\s*(?:,\s*(?P<source>[^()]+?)\s*)?\)", re.IGNORECASE)


@dataclass(frozen=True)
class SystemScores:
    """One system on its scored items among those that all systems have.

    Attributes:
        system: Its name.
        table: Its outcomes.
        views: RS by view and penalty, with intervals.
    """

    system: str
    table: OutcomeTable
    views: tuple[ViewScores, ...]

    def score(self, penalty: str, view: str = EVERYTHING.name) -> float:
        """RS of a view; minus infinity where the view is empty."""
        scores = next(one for one in self.views if one.name == view).scores
        value = scores[penalty]
        return -math.inf if value is None else value


@dataclass(frozen=True)
class ReliabilityBoard:
    """Several systems by RS(c).

    Attributes:
        benchmark: What they answered.
        source: What says that an answer is right.
        common: Items that all runs have.
        compared: Those of them that were scored in every run; systems are told apart on these.
        abstain_all: What never answering scores on these.
        systems: One a system, best first by the first penalty above 0.
        groups: By penalty, which systems cannot be told apart.
    """

    benchmark: str
    source: str
    common: int
    compared: int
    abstain_all: float
    systems: tuple[SystemScores, ...]
    groups: Mapping[str, tuple[Group, ...]]

    @property
    def penalties(self) -> list[str]:
        """The penalties, in the order in which they were asked for."""
        return list(self.groups)

    @property
    def by(self) -> str:
        """The penalty that the systems are ordered by."""
        return _first_above_zero(self.penalties)

    @property
    def ranks(self) -> dict[str, int]:
        """Each system's rank by that penalty; a group shares it."""
        return group_ranks(self.groups[self.by])


def rank_reliability(
    runs: Mapping[str, Run], request: ReliabilityRequest | None = None
) -> ReliabilityBoard:
    """Rank systems by their RS(c), and tell them apart on the items that all runs have scored.

    Args:
        runs: The systems' runs by name.
        request: Penalties, what says right, how failures count, seed.

    Raises:
        UsageError: there is no common label or item.
    """
    settings = request or ReliabilityRequest()
    source = common_source(list(runs.values()), settings.source)
    settings = replace(settings, source=source)
    cells = {name: read_cells(run, settings)[0] for name, run in runs.items()}
    first = next(iter(cells.values()))
    common = [case_id for case_id in first if all(case_id in other for other in cells.values())]
    compared = [
        case_id for case_id in common if all(each[case_id] is not None for each in cells.values())
    ]
    if not compared:
        raise UsageError(
            f"no item was scored by {source} in every run; name runs of one benchmark, or another "
            "label with ",
            OptionName("metric"),
        )
    scored = {
        name: [cell for case_id in compared if (cell := each[case_id]) is not None]
        for name, each in cells.items()
    }
    systems = [
        _system(name, [cell for case_id in common if (cell := each[case_id])], settings)
        for name, each in cells.items()
    ]
    names = [penalty_text(penalty) for penalty in settings.penalties]
    by = _first_above_zero(names)
    unanswerable = from_counts(Counter(next(iter(scored.values()))), {}).unanswerable
    return ReliabilityBoard(
        benchmark=next(iter(runs.values())).manifest.benchmark,
        source=source,
        common=len(common),
        compared=len(compared),
        abstain_all=unanswerable / len(compared),
        systems=tuple(sorted(systems, key=lambda one: (-one.score(by), one.system))),
        groups={name: _groups(systems, scored, name, settings.seed) for name in names},
    )


def common_source(runs: Sequence[Run], label: str | None) -> str:
    """What says right in all runs: what was asked for, else what decides of the common metrics.

    Raises:
        UsageError: a run does not have it.
    """
    common = [
        name
        for name in runs[0].manifest.metrics
        if all(name in run.manifest.metrics and name in run.manifest.binary for run in runs)
    ]
    if label is None:
        return deciding_metric(common, common) or VERDICT
    if label not in (*common, VERDICT, PROVED):
        known = ", ".join(dict.fromkeys((*common, VERDICT, PROVED)))
        raise UsageError(f"not every run has the metric {label!r}. All of them have {known}")
    return label


def read_rs_name(name: str) -> tuple[Penalty, str | None] | None:
    """``rs(10)`` as its penalty, ``rs(10, verdict)`` with what says right; ``None``: no RS.

    Raises:
        UsageError: the penalty is none.
    """
    match = _RS.fullmatch(name.strip())
    return None if match is None else (parse_penalty(match["penalty"]), match["source"])


def _system(name: str, cells: Sequence[Cell], request: ReliabilityRequest) -> SystemScores:
    outcomes = from_counts(Counter(cells), {})
    samples = resampled_tables(outcomes, request.seed) if request.intervals else []
    scores = tuple(
        score_view(outcomes, samples, view, request.penalties) for view in views(request.share)
    )
    return SystemScores(name, outcomes, scores)


def _groups(
    systems: Sequence[SystemScores],
    cells: Mapping[str, Sequence[Cell]],
    penalty: str,
    seed: int,
) -> tuple[Group, ...]:
    cost = penalty_value(parse_penalty(penalty), len(next(iter(cells.values()))))
    order = sorted(systems, key=lambda one: (-one.score(penalty), one.system))
    columns = [(one.system, [worth(cell, cost) for cell in cells[one.system]]) for one in order]
    return tuple(indistinguishable_groups(columns, binary=False, seed=seed))


def _first_above_zero(names: Sequence[str]) -> str:
    return next((name for name in names if name != "0"), names[0])


def harmful_first(board: ReliabilityBoard, first: Sequence[str], metric: str) -> list[str]:
    """Warnings about systems that a metric ranks first and that do harm.

    A system is meant where RS(10) puts it below never answering and outside of its first group.
    Where no question is unanswerable and no system abstains, RS only says again who is right,
    and there is no warning.

    Args:
        board: The systems by RS(c), with the penalty 10 among them.
        first: The systems that share the first rank by the metric.
        metric: The metric.
    """
    name = penalty_text(HARM_PENALTY)
    tables = [one.table for one in board.systems]
    if not any(one.unanswerable or one.abstained_answerable for one in tables):
        return []
    best = board.groups[name][0]
    ranked = "is first by" if len(first) == 1 else "shares the first rank by"
    notes = []
    for one in board.systems:
        score = one.score(name)
        if one.system in first and one.system not in best.members and score < board.abstain_all:
            notes.append(
                f"{one.system} {ranked} {metric} and does harm: RS({name}) is "
                f"{points_text(score)}, never answering gives {points_text(board.abstain_all)}; "
                f"{best.best} is first by RS({name}). See sqlverdict reliability"
            )
    return notes
