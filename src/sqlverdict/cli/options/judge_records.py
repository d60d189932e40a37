"""Judges that call no model: replies and verdicts that a file records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.errors import UsageError
from sqlverdict.files.text import few_of, near
from sqlverdict.load.benchmark import Benchmark

if TYPE_CHECKING:
    from sqlverdict.judge.recorded import RecordedReplies

REPLAY = "replay"
RECORDED = "recorded"


def recorded_replies(
    judge: str,
    benchmark: Benchmark,
    *,
    name: str,
    replies: Path | None,
    other_predictions: bool,
) -> RecordedReplies:
    """The recorded replies of ``--judge replay``, or the verdicts of ``--judge recorded``.

    Args:
        judge: One of the two.
        benchmark: The benchmark, which may have records.
        name: Whose verdicts, for ``recorded``.
        replies: A file of replies, for ``replay``.
        other_predictions: Whether other predictions are judged than those the benchmark records.

    Raises:
        UsageError: there are no such records.
    """
    # Loaded late: runs without a judge need not wait for it.
    from sqlverdict.judge.recorded import RecordedReplies

    if replies is not None:
        if judge == RECORDED:
            raise UsageError("--replies goes with --judge replay: recorded has verdicts only")
        return RecordedReplies.from_jsonl(replies)
    if other_predictions:
        raise UsageError(
            f"--judge {judge}: the benchmark's records are about its own predictions; leave out "
            f"--predictions and --system"
        )
    if judge == RECORDED:
        return RecordedReplies.of_verdicts(_verdicts(name, benchmark))
    recorded = {
        case.id: case.recorded.replies
        for case in benchmark.cases
        if case.recorded is not None and case.recorded.replies
    }
    if not recorded:
        raise UsageError(
            f"the benchmark {benchmark.name} has no recorded replies; give them with --replies "
            'FILE, one {"id": ..., "reply": ...} per line'
        )
    categories = {
        case.id: case.recorded.categories
        for case in benchmark.cases
        if case.recorded is not None and case.recorded.categories
    }
    return RecordedReplies(recorded, categories)


def _verdicts(name: str, benchmark: Benchmark) -> dict[str, bool]:
    """The recorded verdicts of one judge, by case.

    Raises:
        UsageError: there are none of that name.
    """
    by_case: dict[str, bool] = {}
    names: dict[str, None] = {}
    for case in benchmark.cases:
        verdicts = case.recorded.verdicts if case.recorded is not None else {}
        names |= dict.fromkeys(verdicts)
        if verdicts.get(name) in (0.0, 1.0):
            by_case[case.id] = bool(verdicts[name])
    if not by_case:
        known = f"it has those of {few_of(names, 30)}" if names else "it has none at all"
        raise UsageError(
            f"the benchmark {benchmark.name} has no recorded verdicts of {name!r}; "
            f"{known}.{near(name, names)}"
        )
    return by_case
