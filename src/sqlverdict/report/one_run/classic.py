"""The difficulty tables of Spider's and BIRD's own scripts, in their layout, to be diffed.

SParC and CoSQL share Spider's, with a column of whole conversations and a table by turn.

The figures follow our rules: a case that could not be scored is left out of its column, where
the scripts would stop or count it as wrong. All rows are about the cases that the first row
counts. Notes below the table say so where it matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlverdict.files.text import count
from sqlverdict.records import Result
from sqlverdict.report.terminal.tables import percent
from sqlverdict.score.deciding import counted_value
from sqlverdict.score.estimates import LAST_TURN, UNLABELLED, Estimate
from sqlverdict.score.summary import Summary

_WIDTH = 20
_SCRIPT = "esm[script]"


@dataclass(frozen=True)
class _Layout:
    levels: tuple[str, ...]
    total: str
    rule: str
    row: str
    metric: str
    scale: int
    decimals: int
    joint: str = ""
    """The column of whole conversations; empty: there is none, and no table by turn."""


_SPIDER = _Layout(
    ("easy", "medium", "hard", "extra"),
    "all",
    f"{'=' * 21}   {{}}EXECUTION ACCURACY     {'=' * 21}",
    "execution",
    "ex[spider]",
    1,
    3,
)
_TALK = replace(_SPIDER, joint="joint_all")
_LAYOUTS: Mapping[str, _Layout] = {
    "spider": _SPIDER,
    "sparc": _TALK,
    "cosql": _TALK,
    "bird": _Layout(
        ("simple", "moderate", "challenging"),
        "total",
        f"{'=' * 38}    ACCURACY    {'=' * 37}",
        "accuracy",
        "ex[bird]",
        100,
        2,
    ),
}
_TURNS = (*map(str, range(1, LAST_TURN + 1)), f"> {LAST_TURN}")


@dataclass(frozen=True)
class Classic:
    """A table in a script's own layout, and what differs from that script."""

    text: str
    notes: tuple[str, ...]


def classic(benchmark: str, summary: Summary, results: Iterable[Result] = ()) -> Classic | None:
    """The table of the benchmark's own script; ``None`` without one, without levels or EX.

    Args:
        benchmark: Whose script.
        summary: The run.
        results: Its cases; they are read where the run has an exact match.
    """
    layout = _LAYOUTS.get(benchmark)
    labels = [estimate.metric for estimate in summary.estimates]
    ex = [label for label in labels if label == "ex" or label.startswith("ex[")]
    if layout is None or not ex:
        return None
    metric = layout.metric if layout.metric in ex else ex[0]
    levels = {
        part.key: _of(metric, part.estimates) for part in summary.slices if part.by == "difficulty"
    }
    if not any(level in levels for level in layout.levels):
        return None
    empty = Estimate(metric, None, 0, 0)
    whole = _of(metric, summary.estimates)
    columns = {level: levels.get(level, empty) for level in layout.levels} | {layout.total: whole}
    turns: dict[str, Estimate] = {}
    if layout.joint:
        matches = {each.metric: each for each in summary.interactions}
        columns[layout.joint] = matches.get(metric, empty)
        parts = {part.key: part.estimates for part in summary.slices if part.by == "turn"}
        turns = {f"turn {n}": _of(metric, parts[n]) if n in parts else empty for n in _TURNS}
    label = _exact_metric(summary) if layout.row == "execution" else None
    right, unread = (None, 0) if label is None else _exact(results, label, metric, layout)
    lines = _block(columns, right, layout)
    if turns:
        lines += ["", "", *_block(turns, right, layout, "TURN ")]
    unlabelled = levels.get(UNLABELLED, empty).scored
    notes = list(_notes(layout, metric, whole, unlabelled))
    if label is not None:
        notes += _exact_notes(unread, _of(label, summary.estimates), whole)
    return Classic("\n".join(lines), tuple(notes))


def _block(
    columns: Mapping[str, Estimate],
    right: Counter[str | None] | None,
    layout: _Layout,
    about: str = "",
) -> list[str]:
    """The columns with their counts, the execution accuracy, and the exact match behind it."""
    heads = "".join(f" {name:{_WIDTH}}" for name in columns)
    counts = "".join(f" {column.scored:<{_WIDTH}d}" for column in columns.values())
    values = [column.value for column in columns.values()]
    lines = [
        f"{'':{_WIDTH}}{heads}",
        f"{'count':{_WIDTH}}{counts}",
        layout.rule.format(about),
        f"{layout.row:{_WIDTH}}{_values(values, layout)}",
    ]
    if right is not None:
        shares = [
            right[name] / column.scored if column.scored else None
            for name, column in columns.items()
        ]
        rule = f"{'=' * 22} {about}EXACT MATCHING ACCURACY {'=' * 21}"
        lines += ["", rule, f"{'exact match':{_WIDTH}}{_values(shares, layout)}"]
    return lines


def _values(values: Sequence[float | None], layout: _Layout) -> str:
    return "".join(
        f" {(value or 0.0) * layout.scale:<{_WIDTH}.{layout.decimals}f}" for value in values
    )


def _exact_metric(summary: Summary) -> str | None:
    """The exact set match of a run, the script's own first."""
    labels = [estimate.metric for estimate in summary.estimates]
    known = [label for label in labels if label.partition("[")[0] == "esm"]
    return _SCRIPT if _SCRIPT in known else next(iter(known), None)


def _exact(
    results: Iterable[Result], metric: str, ex: str, layout: _Layout
) -> tuple[Counter[str | None], int]:
    """How many cases of each column match exactly, and how many the metric cannot read.

    This is Spider's second block: the cases are those that EX scores.
    """
    right: Counter[str | None] = Counter()
    sessions: dict[str, list[float | None]] = {}
    unread = 0
    for result in results:
        scored = counted_value(result, ex, binary=True) is not None
        value = counted_value(result, metric, binary=True)
        if result.session and result.turn is not None:
            turns = sessions.setdefault(result.session, [])
            turns += [None] * (result.turn - len(turns))
            turns[result.turn - 1] = (value or 0.0) if scored else None
        if not scored:
            continue
        unread += value is None
        turn = _TURNS[min(result.turn or 1, len(_TURNS)) - 1]
        names = (result.difficulty, layout.total, f"turn {turn}")
        right.update(dict.fromkeys(names, int(value or 0)))
    right[layout.joint] = sum(all(value == 1 for value in turns) for turns in sessions.values())
    return right, unread


def _exact_notes(unread: int, own: Estimate, whole: Estimate) -> list[str]:
    notes = []
    if own.scored != whole.scored:
        notes.append(
            f"exact match is over the same {count(whole.scored, 'case')} as {whole.metric}; over "
            f"the {own.scored:,} that it scores itself, {own.metric} is {percent(own.value)}"
        )
    if unread:
        notes.append(
            f"{count(unread, 'case counts', 'cases count')} as 0 in exact match, as in the "
            f"script: {own.metric} cannot read them"
        )
    if own.metric != _SCRIPT:
        notes.append(
            f"exact match is {own.metric}; the script counts what its parser does not read as 0: "
            f"metrics={_SCRIPT}"
        )
    return notes


def _notes(layout: _Layout, metric: str, whole: Estimate, unlabelled: int) -> tuple[str, ...]:
    notes = []
    if metric != layout.metric:
        notes.append(
            f"this is {metric}; the script's own comparison is {layout.metric}: "
            f"metrics={layout.metric}"
        )
    if whole.unscored:
        notes.append(f"{count(whole.unscored, 'unscored case')} left out of this table")
    if unlabelled:
        notes.append(f"{count(unlabelled, 'case')} without a level only in {layout.total!r}")
    return tuple(notes)


def _of(metric: str, estimates: tuple[Estimate, ...]) -> Estimate:
    return next(estimate for estimate in estimates if estimate.metric == metric)
