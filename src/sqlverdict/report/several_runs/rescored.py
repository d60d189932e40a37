"""What other golds change: which systems move, which ranks change, which questions flip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlverdict.files.text import count
from sqlverdict.records import Result
from sqlverdict.report.terminal.tables import TextTable, percent, points, short, table
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import counted_value

_QUESTION = 60
_KINDS = ("gained", "lost", "scored_now", "unscored_now")
"""How the value of a case may change, from one to another or from none."""


@dataclass(frozen=True)
class RescoredSystem:
    """One system under both sets of golds; ranks count from 1, and equal values share one."""

    system: str
    folder: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None
    gained: int
    lost: int
    scored_now: int
    """Cases without a value before, such as those that needed review."""
    unscored_now: int
    """Cases without a value now."""
    moves: Mapping[str, int]
    """How many cases went from one verdict to another, by ``before -> now``."""


@dataclass(frozen=True)
class RescoredQuestion:
    """A question whose value changed for some system."""

    id: str
    db_id: str
    question: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    reason: str
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    scored_now: tuple[str, ...]
    unscored_now: tuple[str, ...]
    moves: tuple[str, ...]
    """From which verdict to which it went, for some system."""


@dataclass(frozen=True)
class Rescored:
    """All systems, best after the change first, and the questions in the order of the cases."""

    metric: str
    systems: tuple[RescoredSystem, ...]
    questions: tuple[RescoredQuestion, ...]


def compare_golds(
    pairs: Sequence[tuple[Run, Run]], metric: str, reasons: Mapping[str, str]
) -> Rescored:
    """Hold runs against the same predictions under other golds.

    Args:
        pairs: Each run, and the one with other golds.
        metric: A metric of all of them.
        reasons: Why a gold was replaced, by case id.
    """
    before = [run.estimate(metric).value for run, _ in pairs]
    after = [run.estimate(metric).value for _, run in pairs]
    questions: dict[str, tuple[Result, Result, dict[str, list[str]], dict[str, None]]] = {}
    systems = []
    for index, (old, new) in enumerate(pairs):
        changes = dict.fromkeys(_KINDS, 0)
        moves: Counter[str] = Counter()
        name = new.manifest.system
        for was, now in zip(old.results(), new.results(), strict=True):
            kind = _kind(_value(old, was, metric), _value(new, now, metric))
            if not kind:
                continue
            changes[kind] += 1
            move = f"{_word(old, was, metric)} -> {_word(new, now, metric)}"
            moves[move] += 1
            entry = questions.setdefault(was.id, (was, now, {key: [] for key in changes}, {}))
            entry[2][kind].append(name)
            entry[3][move] = None
        systems.append(
            RescoredSystem(
                name,
                str(new.folder),
                before[index],
                after[index],
                _rank(before[index], before),
                _rank(after[index], after),
                **changes,
                moves=dict(sorted(moves.items())),
            )
        )
    systems.sort(key=lambda each: (each.rank_after or len(pairs) + 1, each.system))
    ordered = sorted(questions.values(), key=lambda entry: entry[0].index)
    return Rescored(metric, tuple(systems), tuple(_question(*entry, reasons) for entry in ordered))


def _kind(before: float | None, after: float | None) -> str:
    if before == after:
        return ""
    if before is None or after is None:
        return "scored_now" if before is None else "unscored_now"
    return "gained" if after > before else "lost"


def _word(run: Run, result: Result, metric: str) -> str:
    """What a case is under a metric: its verdict, or the value of a metric that decides nothing."""
    if metric == run.deciding:
        return str(run.verdict(result))
    value = _value(run, result, metric)
    return "unscored" if value is None else f"{value:g}"


def _value(run: Run, result: Result, metric: str) -> float | None:
    return counted_value(result, metric, binary=metric in run.manifest.binary)


def _rank(value: float | None, values: Sequence[float | None]) -> int | None:
    if value is None:
        return None
    return 1 + sum(other is not None and other > value for other in values)


def _question(
    was: Result,
    now: Result,
    systems: Mapping[str, Sequence[str]],
    moves: Iterable[str],
    reasons: Mapping[str, str],
) -> RescoredQuestion:
    return RescoredQuestion(
        was.id,
        was.db_id,
        was.question_line,
        was.gold,
        now.gold,
        reasons.get(was.id, ""),
        **{kind: tuple(names) for kind, names in systems.items()},
        moves=tuple(sorted(moves)),
    )


def rescored_table(rescored: Rescored) -> TextTable:
    """The systems, with both values and ranks."""
    rows = [
        (
            each.system,
            percent(each.before),
            percent(each.after),
            points(_change(each)),
            f"{each.gained:,}",
            f"{each.lost:,}",
            f"{each.scored_now:,}",
            f"{each.unscored_now:,}",
            _ranks(each),
        )
        for each in rescored.systems
    ]
    kinds = ("gained", "lost", "scored now", "unscored now")
    return table(("system", "before", "after", "points", *kinds, "rank"), rows, rescored.metric)


def _change(system: RescoredSystem) -> float | None:
    if system.before is None or system.after is None:
        return None
    return system.after - system.before


def _ranks(system: RescoredSystem) -> str:
    before, after = system.rank_before or "-", system.rank_after or "-"
    return f"{after}" if before == after else f"{before} -> {after}"


def flipped_table(rescored: Rescored, most: int) -> TextTable:
    """The questions that flip, and for how many systems."""
    rows = [
        (
            each.id,
            each.db_id,
            short(each.question, _QUESTION),
            f"{len(each.gained):,}",
            f"{len(each.lost):,}",
            ", ".join(each.moves),
            short(each.reason, _QUESTION),
        )
        for each in rescored.questions[:most]
    ]
    headers = ("id", "database", "question", "gained", "lost", "change", "reason")
    return table(headers, rows, "questions that flip", left=(0, 1, 2, 5, 6))


def rescored_sentences(rescored: Rescored) -> list[str]:
    """What changed, in words."""
    systems = rescored.systems
    changes = sum(each.before != each.after for each in systems)
    ranks = sum(each.rank_before != each.rank_after for each in systems)
    kinds = {kind: sum(getattr(each, kind) for each in systems) for kind in _KINDS}
    lines = [
        f"{rescored.metric} changed for {changes:,} of {count(len(systems), 'system')}; "
        f"{count(ranks, 'rank')} changed",
        f"{count(len(rescored.questions), 'question')} flipped, "
        f"{count(sum(kinds.values()), 'answer')} in all: "
        + ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in kinds.items()),
    ]
    moves = sum((Counter(each.moves) for each in systems), Counter[str]())
    if kinds["scored_now"] or kinds["unscored_now"]:
        # A gain and a loss say what they are; a value that came or went does not.
        lines.append("; ".join(f"{move}: {number:,}" for move, number in sorted(moves.items())))
    best = {each.system for each in systems if each.rank_before == 1}
    now = [each.system for each in systems if each.rank_after == 1]
    if len(systems) > 1 and best.isdisjoint(now):
        lines.append(f"{', '.join(now)} is first now; {', '.join(sorted(best))} was")
    return lines
