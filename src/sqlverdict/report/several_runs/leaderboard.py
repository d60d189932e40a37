"""Several systems on the cases they share: values, intervals, and who can be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.records import PredictionUsage
from sqlverdict.report.reliability.figures import ReliabilityRequest
from sqlverdict.report.reliability.systems import (
    HARM_PENALTY,
    harmful_first,
    rank_reliability,
    read_rs_name,
)
from sqlverdict.report.several_runs.comparison import choose_metric, differences_from_first
from sqlverdict.report.several_runs.system_names import system_names
from sqlverdict.report.terminal.tables import TextTable, amount, interval, percent, table
from sqlverdict.runlog.run import Run
from sqlverdict.score.reliability.reliability_score import Penalty, penalty_text
from sqlverdict.score.statistics.intervals import mean_interval, wilson
from sqlverdict.score.statistics.significance import Group, indistinguishable_groups
from sqlverdict.score.usage import UsageCounts, UsageFigures


@dataclass(frozen=True)
class RankedSystem:
    """One system's place. Systems that cannot be told apart from their group's best share it.

    Attributes:
        rank: 1 + the number of systems in better groups.
        system: The system's name.
        folder: Its run.
        value: The mean over the compared cases.
        low: Lower end of the interval.
        high: Upper end.
        right: Sum of the values: for a binary metric, how many cases are right.
        answered: Common cases with an answer in SQL.
        abstained: Common cases on which it held back.
        usage: What it spent on the compared cases.
    """

    rank: int
    system: str
    folder: Path
    value: float
    low: float
    high: float
    right: float
    answered: int
    abstained: int
    usage: tuple[UsageFigures, ...] = ()


@dataclass(frozen=True)
class Leaderboard:
    """The places, best first.

    Attributes:
        metric: What they are ranked by.
        binary: Whether its values are 0 or 1.
        common: Cases that all runs have.
        compared: Those of them that every run could score; the values are over these.
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
    score: float | None
    answerable: bool
    answered: bool
    abstained: bool
    usage: PredictionUsage | None


def leaderboard(runs: Sequence[Run], metric: str | None = None) -> Leaderboard:
    """Rank systems over the cases that all of them have and could score.

    Args:
        runs: Two or more; one is fine too.
        metric: A label that all have, or a reliability score such as ``rs(10)`` or
            ``rs(10, verdict)``; by default the first common label.

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
    read = {name: _read(run, label) for name, run in zip(names, runs, strict=True)}
    first = read[names[0]]
    common = [case_id for case_id in first if all(case_id in other for other in read.values())]
    if not common:
        raise UsageError("the runs have no case in common; compare runs of one benchmark")
    compared = [
        case_id
        for case_id in common
        if all(answers[case_id].score is not None for answers in read.values())
    ]
    if not compared:
        raise UsageError(f"no common case was scored under {label} in every run; nothing to rank")
    scores = {
        name: [answers[case_id].score for case_id in compared] for name, answers in read.items()
    }
    totals = {name: sum(score or 0.0 for score in values) for name, values in scores.items()}
    order = sorted(names, key=lambda name: (-totals[name], name))
    binary = all(label in run.manifest.binary for run in runs)
    groups = indistinguishable_groups([(name, scores[name]) for name in order], binary=binary)
    ranks = _ranks(groups)
    places = []
    for name in order:
        run = runs[names.index(name)]
        low, high = _interval(scores[name], binary)
        places.append(
            RankedSystem(
                rank=ranks[name],
                system=name,
                folder=run.folder,
                value=totals[name] / len(compared),
                low=low,
                high=high,
                right=totals[name],
                answered=sum(read[name][case_id].answered for case_id in common),
                abstained=sum(read[name][case_id].abstained for case_id in common),
                usage=_usage(read[name][case_id] for case_id in compared),
            )
        )
    return Leaderboard(
        metric=label,
        binary=binary,
        common=len(common),
        compared=len(compared),
        places=tuple(places),
        groups=tuple(groups),
        notes=(
            *_notes(runs, names, read, common, len(compared)),
            *(_harm_notes(runs, names, read, label, ranks) if binary else ()),
        ),
    )


def _by_reliability(runs: Mapping[str, Run], penalty: Penalty, source: str | None) -> Leaderboard:
    """The board by RS(c), over all items, the unanswerable ones among them."""
    board = rank_reliability(runs, ReliabilityRequest(penalties=(penalty,), source=source))
    places = []
    for one in board.systems:
        whole, outcomes = one.views[-1], one.table
        low, high = whole.intervals[board.by] or (one.score(board.by),) * 2
        places.append(
            RankedSystem(
                rank=board.ranks[one.system],
                system=one.system,
                folder=runs[one.system].folder,
                value=one.score(board.by),
                low=low,
                high=high,
                right=outcomes.correct,
                answered=outcomes.correct + outcomes.harm,
                abstained=outcomes.abstained_answerable + outcomes.abstained_unanswerable,
            )
        )
    notes = [
        f"correctness is decided by {board.source}; "
        f"never answering gives {percent(board.abstain_all)}"
    ]
    if board.compared < board.common:
        left_out = count(board.common - board.compared, "common case")
        notes.append(f"{left_out} unscored in some run: left out")
    return Leaderboard(
        metric=f"rs({penalty_text(penalty)})",
        binary=False,
        common=board.common,
        compared=board.compared,
        places=tuple(places),
        groups=board.groups[board.by],
        notes=tuple(notes),
    )


def _harm_notes(
    runs: Sequence[Run],
    names: Sequence[str],
    read: Mapping[str, Mapping[str, _ScoredCase]],
    label: str,
    ranks: Mapping[str, int],
) -> list[str]:
    """Warnings about harm, where there is anything to abstain from or anybody who does."""
    cases = (case for answers in read.values() for case in answers.values())
    if len(runs) < 2 or not any(case.abstained or not case.answerable for case in cases):
        return []
    request = ReliabilityRequest(penalties=(HARM_PENALTY,), source=label, intervals=False)
    board = rank_reliability(dict(zip(names, runs, strict=True)), request)
    return harmful_first(board, [name for name in names if ranks[name] == 1], label)


def _usage(cases: Iterable[_ScoredCase]) -> tuple[UsageFigures, ...]:
    counts = UsageCounts()
    for case in cases:
        counts.add(case.usage, case.score == 1.0)
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
    rows = [
        (
            str(ranked.rank),
            ranked.system,
            percent(ranked.value),
            interval(ranked.low, ranked.high),
            *([f"{round(ranked.right):,}"] if board.binary else []),
            f"{ranked.answered:,}",
            f"{ranked.abstained:,}",
            *(amount(getattr(figures.get(name), figure, None)) for _, name, figure in columns),
        )
        for ranked, figures in zip(board.places, spent, strict=True)
    ]
    right = ["right"] if board.binary else []
    headers = ["rank", "system", board.metric, "95% interval", *right, "answered", "abstained"]
    return table([*headers, *(title for title, _, _ in columns)], rows, left=(1,))


def group_sentences(board: Leaderboard) -> list[str]:
    """Which systems cannot be told apart, in words."""
    return [
        f"cannot be told apart from {group.best} on {count(board.compared, 'common case')} "
        f"(p ≥ 0.05): {', '.join(group.members[1:])}"
        for group in board.groups
        if len(group.members) > 1
    ]


def _read(run: Run, label: str) -> dict[str, _ScoredCase]:
    return {
        result.id: _ScoredCase(
            result.scores.get(label),
            result.answerable,
            not result.abstained and bool((result.prediction or "").strip()),
            result.abstained,
            result.usage,
        )
        for result in run.results()
    }


def _ranks(groups: Sequence[Group]) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for group in groups:
        rank = len(ranks) + 1
        ranks.update(dict.fromkeys(group.members, rank))
    return ranks


def _interval(scores: Sequence[float | None], binary: bool) -> tuple[float, float]:
    values = [score or 0.0 for score in scores]
    if binary:
        return wilson(round(sum(values)), len(values))
    low, high, _ = mean_interval(Counter(values))
    return low, high


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
        notes[f"{count(len(common) - compared, 'common case')} unscored in some run: left out"] = (
            None
        )
    return [*notes, *differences_from_first(runs)]
