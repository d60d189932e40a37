"""Several systems on the cases they share: values, intervals, and who can be told apart.

A system's value is that of its run, over the cases that all runs have. Who can be told apart is
tested on the cases that every run could score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.records import PredictionUsage
from sqlverdict.report.one_run.score_parts import part_cells, part_headers
from sqlverdict.report.reliability.figures import ReliabilityRequest
from sqlverdict.report.reliability.systems import (
    HARM_PENALTY,
    harmful_first,
    rank_reliability,
    read_rs_name,
)
from sqlverdict.report.several_runs.comparison import choose_metric, differences_from_first
from sqlverdict.report.terminal.tables import TextTable, amount, interval_text, percent, table
from sqlverdict.runlog.run import Run, system_names
from sqlverdict.score.deciding import counted_value
from sqlverdict.score.estimates import Estimate
from sqlverdict.score.reliability.reliability_score import Penalty, penalty_text
from sqlverdict.score.sessions import estimate_of
from sqlverdict.score.statistics.significance import (
    Group,
    group_ranks,
    indistinguishable_groups,
)
from sqlverdict.score.usage import UsageCounts, UsageFigures

RANK_BY_VALUE = "rank by value"
"""The header of ranks that no test decides: where systems are ranked by several metrics or golds.

A table with the header ``rank`` has the ranks of this module.
"""


@dataclass(frozen=True, kw_only=True)
class RankedSystem(Estimate):
    """One system's place, and the metric over the common cases that its run could score.

    Systems that cannot be told apart from their group's best share its place.

    Attributes:
        rank: 1 + the number of systems in better groups.
        system: The system's name.
        folder: Its run.
        usage: What it spent on the compared cases.
        interaction: The share of conversations of which every turn is right; ``None``: there are
            none, or not all of the run's cases are common ones.
    """

    rank: int
    system: str
    folder: Path
    usage: tuple[UsageFigures, ...] = ()
    interaction: float | None = None


@dataclass(frozen=True)
class Leaderboard:
    """The places, best first.

    Attributes:
        metric: What they are ranked by.
        binary: Whether its values are 0 or 1.
        common: Cases that all runs have.
        compared: Those of them that every run could score; systems are told apart on these.
        places: One a system.
        groups: Which systems cannot be told apart.
        notes: What makes the comparison weaker.
    """

    metric: str
    binary: bool
    common: int
    compared: int
    places: tuple[RankedSystem, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _ScoredCase:
    value: float | None
    holds_back: bool
    usage: PredictionUsage | None


def rank_runs(runs: Sequence[Run], metric: str | None = None) -> Leaderboard:
    """Rank systems by their values over the cases that all runs have.

    Args:
        runs: Two or more; one is fine too.
        metric: A label that all have, or a reliability score such as ``rs(10)`` or
            ``rs(10, verdict)``; by default the one that decides.

    Raises:
        UsageError: there is no such metric, or no case in common.
    """
    if not runs:
        raise UsageError("no run is given; name the folders that evaluate wrote")
    names = system_names(runs)
    reliability = read_rs_name(metric or "")
    if reliability is not None:
        return _by_reliability(dict(zip(names, runs, strict=True)), *reliability)
    label = choose_metric(runs, metric)
    binary = all(label in run.manifest.binary for run in runs)
    read = {name: _read(run, label, binary) for name, run in zip(names, runs, strict=True)}
    first = read[names[0]]
    common = [case_id for case_id in first if all(case_id in other for other in read.values())]
    if not common:
        raise UsageError("the runs have no case in common; compare runs of one benchmark")
    compared = [
        case_id
        for case_id in common
        if all(answers[case_id].value is not None for answers in read.values())
    ]
    if not compared:
        raise UsageError(f"no common case was scored under {label} in every run; nothing to rank")
    shared = set(common)
    estimates = {
        name: _estimate(run, label, shared, binary=binary)
        for name, run in zip(names, runs, strict=True)
    }
    order = sorted(names, key=lambda name: (-(estimates[name].value or 0.0), name))
    columns = [(name, [read[name][case_id].value for case_id in compared]) for name in order]
    groups = indistinguishable_groups(columns, binary=binary)
    ranks = group_ranks(groups)
    places = [
        RankedSystem(
            **vars(estimates[name]),
            rank=ranks[name],
            system=name,
            folder=runs[names.index(name)].folder,
            usage=_usage(read[name][case_id] for case_id in compared),
            interaction=_interaction(runs[names.index(name)], label, len(common)),
        )
        for name in order
    ]
    # A harmful system is named once, where its board is the one that decides.
    warned = binary and label == choose_metric(runs, None)
    some_hold_back = any(case.holds_back for answers in read.values() for case in answers.values())
    return Leaderboard(
        metric=label,
        binary=binary,
        common=len(common),
        compared=len(compared),
        places=tuple(places),
        groups=tuple(groups),
        notes=(
            *_notes(runs, names, read, common, len(compared)),
            *(_harm_notes(runs, names, label, ranks) if warned and some_hold_back else ()),
        ),
    )


def _estimate(run: Run, label: str, common: set[str], *, binary: bool) -> Estimate:
    """The metric of a run: its own where all of its cases are common ones."""
    if run.summary.cases == len(common):
        return run.estimate(label)
    results = (result for result in run.results() if result.id in common)
    return estimate_of(results, label, binary=binary, seed=run.manifest.seed)


def _interaction(run: Run, label: str, common: int) -> float | None:
    """The share of a run's conversations that are right as a whole."""
    matches = run.summary.interactions if run.summary.cases == common else ()
    return next((each.value for each in matches if each.metric == label), None)


def _by_reliability(runs: Mapping[str, Run], penalty: Penalty, source: str | None) -> Leaderboard:
    """The board by RS(c), over all items, the unanswerable ones among them."""
    board = rank_reliability(runs, ReliabilityRequest(penalties=(penalty,), source=source))
    name = f"rs({penalty_text(penalty)})"
    places = []
    for one in board.systems:
        whole, outcomes = one.views[-1], one.table
        low, high = whole.intervals[board.by] or (one.score(board.by),) * 2
        places.append(
            RankedSystem(
                metric=name,
                value=one.score(board.by),
                scored=outcomes.total,
                unscored=board.common - outcomes.total,
                low=low,
                high=high,
                total=outcomes.correct + outcomes.abstained_unanswerable,
                abstained=outcomes.abstained_answerable,
                review=outcomes.needs_review,
                rank=board.ranks[one.system],
                system=one.system,
                folder=runs[one.system].folder,
            )
        )
    notes = [
        f"correctness is decided by {board.source}; "
        f"never answering gives {percent(board.abstain_all)}"
    ]
    if board.compared < board.common:
        left_out = count(board.common - board.compared, "common case")
        notes.append(
            f"{left_out} unscored in at least one run: left out of the tests between systems"
        )
    return Leaderboard(
        metric=name,
        binary=False,
        common=board.common,
        compared=board.compared,
        places=tuple(places),
        groups=board.groups[board.by],
        notes=tuple(notes),
    )


def _harm_notes(
    runs: Sequence[Run], names: Sequence[str], label: str, ranks: Mapping[str, int]
) -> list[str]:
    """Warnings about harm, where there is anything to abstain from or anybody who does."""
    if len(runs) < 2:
        return []
    request = ReliabilityRequest(penalties=(HARM_PENALTY,), source=label, intervals=False)
    board = rank_reliability(dict(zip(names, runs, strict=True)), request)
    return harmful_first(board, [name for name in names if ranks[name] == 1], label)


def _usage(cases: Iterable[_ScoredCase]) -> tuple[UsageFigures, ...]:
    counts = UsageCounts()
    for case in cases:
        counts.add(case.usage, case.value == 1.0)
    return counts.figures()


_USAGE = {
    "cost": (("mean cost", "mean"), ("cost per right", "per_right")),
    "tokens": (("mean tokens", "mean"),),
    "latency": (("median latency (s)", "median"),),
}
"""The columns of a leaderboard for what systems spent: title and figure."""


def leaderboard_table(board: Leaderboard) -> TextTable:
    """The leaderboard as a table; what systems spent, where one of them says so."""
    spent = [{each.quantity: each for each in ranked.usage} for ranked in board.places]
    columns = [
        (title, quantity, figure)
        for quantity, titles in _USAGE.items()
        for title, figure in titles
        if any(quantity in figures for figures in spent)
    ]
    talks = any(ranked.interaction is not None for ranked in board.places)
    has_parts = board.binary or read_rs_name(board.metric) is not None
    rows = [
        (
            str(ranked.rank),
            ranked.system,
            percent(ranked.value),
            interval_text(ranked.low, ranked.high),
            *([percent(ranked.interaction)] if talks else []),
            *part_cells(ranked, board.places, has_parts=has_parts),
            *(amount(getattr(figures.get(name), figure, None)) for _, name, figure in columns),
        )
        for ranked, figures in zip(board.places, spent, strict=True)
    ]
    parts = part_headers(board.places, has_parts=has_parts)
    matches = ["interaction match"] if talks else []
    headers = ["rank", "system", board.metric, "95% interval", *matches, *parts]
    return table([*headers, *(title for title, _, _ in columns)], rows, left=(1,))


def group_sentences(board: Leaderboard) -> list[str]:
    """Which systems cannot be told apart, in words."""
    return [
        f"no significant difference from {group.best} on {count(board.compared, 'common case')} "
        f"(p ≥ 0.05): {', '.join(group.members[1:])}"
        for group in board.groups
        if len(group.members) > 1
    ]


def _read(run: Run, label: str, binary: bool) -> dict[str, _ScoredCase]:
    return {
        result.id: _ScoredCase(
            counted_value(result, label, binary=binary),
            result.abstained or not result.answerable,
            result.usage,
        )
        for result in run.results()
    }


def _notes(
    runs: Sequence[Run],
    names: Sequence[str],
    read: dict[str, dict[str, _ScoredCase]],
    common: Sequence[str],
    compared: int,
) -> list[str]:
    notes: dict[str, None] = {}
    for name in names:
        beyond = len(read[name]) - len(common)
        if beyond:
            notes[f"{count(beyond, 'case')} of {name} not in every run: left out"] = None
    if compared < len(common):
        left_out = count(len(common) - compared, "common case")
        notes[f"{left_out} unscored in at least one run: left out of the tests between systems"] = (
            None
        )
    return [*notes, *differences_from_first(runs)]
