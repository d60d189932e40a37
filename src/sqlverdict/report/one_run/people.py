"""How often people call answers right, in words: of one case, and of a run."""

from __future__ import annotations

from sqlverdict.evidence import Judged
from sqlverdict.files.text import count
from sqlverdict.records import Result
from sqlverdict.report.terminal.tables import percent
from sqlverdict.score.expected import ExpectedScore
from sqlverdict.situations import Situation

_SAY_ALL = 10
"""From so many labels on a share is given, and not each label."""


def labelled_words(result: Result) -> str:
    """What the probability of a case rests on; empty where nobody labelled such answers."""
    p, basis = result.p_right, result.p_basis
    if p is None or basis is None:
        return ""
    yours = ", yours included," if basis.own else ""
    such = "such answers"
    opinions = (e for e in result.evidence if isinstance(e, Judged) and "verdict" in e.metrics)
    if any(opinion.correct is not None for opinion in opinions):
        such += ", judged alike,"
    sets = count(basis.sets, "set")
    if basis.labels < _SAY_ALL:
        share = f"{basis.right} of {basis.labels} {such} were right ({sets})"
    else:
        share = (
            f"{percent(basis.right / basis.labels, 0)} of {such} were right "
            f"({count(basis.labels, 'label')}, {sets})"
        )
    if result.situation == Situation.PROVED:
        share += ", as right as their golds"
    bounds = f"{basis.low:.2f} to {basis.high:.2f}"
    return f"in labelled data{yours} {share}; p_right on other data {p:.2f} ({bounds})"


def people_words(expected: ExpectedScore) -> str:
    """What people would say of a run."""
    whose = "by your labels" if expected.calibrated else "on benchmarks like ROSE, BIRD and FLEX"
    sentence = (
        f"{whose} people would call between {percent(expected.low, 0)} and "
        f"{percent(expected.high, 0)} of {count(expected.cases, 'answer')} right (estimate "
        f"{percent(expected.value, 0)})"
    )
    if expected.undecided:
        sentence += f"; {expected.undecided:,} of them to review"
    if expected.unlabelled:
        sentence += f"; no labels for {count(expected.unlabelled, 'more answer')}"
    return sentence
