"""A metric over cases in words and in columns: every case is in one part, and the parts add up."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlverdict.files.text import count
from sqlverdict.records import Result, Verdict
from sqlverdict.report.terminal.tables import interval_text, percent
from sqlverdict.score.deciding import VERDICT, WORTH, counted_value, counted_verdict
from sqlverdict.score.estimates import Estimate
from sqlverdict.score.summary import Summary

_PARTS = {
    "right": "right",
    "wrong": "wrong",
    "abstained": "wrongly abstained",
    "review": "to review",
}
"""The parts of the denominator of a metric of 0 and 1, in their order."""
_ALWAYS = ("right", "wrong")


def case_score(result: Result, label: str, binary: Collection[str]) -> float | str | None:
    """What a case counts as, or the words for one that is neither right nor wrong."""
    if label not in binary:
        return counted_value(result, label, binary=False)
    verdict = counted_verdict(result, label)
    return _IN_WORDS.get(verdict, WORTH[verdict])


_IN_WORDS = {
    Verdict.ABSTAINED_WRONG: _PARTS["abstained"],
    Verdict.NEEDS_REVIEW: _PARTS["review"],
}


def deciding_estimate(summary: Summary) -> Estimate:
    """The metric that decides over the run; the first one where evidence decides."""
    decides = (each for each in summary.estimates if each.metric == summary.deciding)
    return next(decides, summary.estimates[0])


def deciding_first(summary: Summary, estimates: Sequence[Estimate]) -> list[Estimate]:
    """The estimates of a run or of a slice, the metric that decides first."""
    return sorted(estimates, key=lambda each: each.metric != summary.deciding)


def score_sentence(summary: Summary) -> str:
    """The result of a run, every case counted: ``49 of 90 right, 36 wrong, 5 to review: ...``."""
    estimate = deciding_estimate(summary)
    left_out = f"{estimate.unscored:,} of {count(summary.cases, 'case')} unscored"
    if estimate.value is None:
        return f"{estimate.metric} has no value, {left_out}"
    rest = f"; {left_out}" if estimate.unscored else ""
    between = f"95% interval {interval_text(estimate.low, estimate.high)}"
    if estimate.metric != summary.deciding:
        cases = count(estimate.scored, "case")
        return f"{estimate.metric} {percent(estimate.value)} over {cases}, {between}{rest}"
    by = "" if estimate.metric == VERDICT else f" by {estimate.metric}"
    abstentions = summary.verdicts.get(Verdict.ABSTAINED_RIGHT, 0)
    of_them = f" ({abstentions:,} by abstaining)" if abstentions else ""
    parts = [
        f"{number:,} {words}"
        for name, words in _PARTS.items()
        if name != "right" and ((number := getattr(estimate, name)) or name in _ALWAYS)
    ]
    return (
        f"{estimate.right:,} of {estimate.scored:,} right{by}{of_them}, {', '.join(parts)}{rest}: "
        f"{percent(estimate.value)} right, {between}"
    )


def part_headers(every: Sequence[Estimate], *, has_parts: bool = True) -> list[str]:
    """The headers of :func:`part_cells`."""
    columns = _columns(every) if has_parts else []
    return ["n", *(_PARTS[name] for name in columns), "unscored"]


def part_cells(
    one: Estimate, every: Sequence[Estimate], *, has_parts: bool, empty: bool = False
) -> list[str]:
    """The denominator, its parts as far as there are any in a table, and what is not in it.

    Args:
        one: This row.
        every: All rows.
        has_parts: Whether the table has columns for the parts: some metric is of 0 and 1.
        empty: Whether this row has none.
    """
    columns = _columns(every) if has_parts else []
    parts = ["" if empty else f"{round(getattr(one, name)):,}" for name in columns]
    return [f"{one.scored:,}", *parts, f"{one.unscored:,}"]


def _columns(every: Sequence[Estimate]) -> list[str]:
    return [name for name in _PARTS if name in _ALWAYS or any(getattr(one, name) for one in every)]
