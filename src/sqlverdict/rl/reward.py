"""One reward with its outcome and evidence."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlverdict.api.pair_result import PairResult
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.evidence import Related
from sqlverdict.find_situation import has_failed, is_barred
from sqlverdict.harmless import may_be_harmless
from sqlverdict.records import Reason, Verdict
from sqlverdict.rl.values import RewardOutcome
from sqlverdict.situations import Situation

_BY_VERDICT = {
    Verdict.UNSCORED: RewardOutcome.UNSCORED,
    Verdict.ABSTAINED_RIGHT: RewardOutcome.ABSTAINED_RIGHT,
    Verdict.ABSTAINED_WRONG: RewardOutcome.ABSTAINED_WRONG,
}
_BY_REASON = {
    Reason.NO_SQL_PRODUCED: RewardOutcome.NO_SQL,
    Reason.REFUSED_IN_WORDS: RewardOutcome.REFUSAL,
    Reason.WRITE_BLOCKED: RewardOutcome.BLOCKED,
    Reason.EXECUTION_TIMEOUT: RewardOutcome.TIMED_OUT,
}

_MATCHES = (
    RewardOutcome.RIGHT,
    RewardOutcome.PROVED,
    RewardOutcome.REFUTED_MATCH,
    RewardOutcome.CONSTANT_MATCH,
    RewardOutcome.EMPTY_MATCH,
)
_NEAR_MISSES = (
    RewardOutcome.ORDER_ONLY,
    RewardOutcome.MISSING_COLUMNS,
    RewardOutcome.ROW_SUBSET,
    RewardOutcome.ROW_SUPERSET,
    RewardOutcome.ROUNDING,
)
"""Outcomes that have the names of relations."""
_COMPARE = "compare"
"""The stage that compares answers on the real data."""


@dataclass(frozen=True)
class Reward:
    """The reward of one reply.

    Attributes:
        score: The value for the trainer; ``None``: unscored.
        outcome: What happened.
        reasons: What happened to the answer on the database, as reason codes; ``docs/words.md``
            lists them. Where answers match there are none, whatever a witness shows.
        relation: How two different answers relate; empty where nothing is known.
        witnessed: Whether a witness shows that the queries differ.
        proved: Whether a proof shows that they do not.
        sql: The SQL that was taken from the reply; ``None`` where there is none.
        message: What went wrong, in words.
        ms: Milliseconds that it took. Two rewards are equal whatever their times are.

    Examples:
        >>> from sqlverdict.rl import Rewarder
        >>> reward = Rewarder(db="shop.sqlite").reward("SELECT 1", "I cannot say.")
        >>> reward.score, reward.outcome.value
        (0.0, 'refusal')
    """

    score: float | None
    outcome: RewardOutcome
    reasons: tuple[str, ...] = ()
    relation: str = ""
    witnessed: bool = False
    proved: bool = False
    sql: str | None = None
    message: str = ""
    ms: float = field(default=0.0, compare=False)

    @property
    def scored(self) -> bool:
        """Whether the outcome says anything about the reply."""
        return self.outcome is not RewardOutcome.UNSCORED

    def as_row(self, *, timed: bool = False) -> dict[str, float | str | bool | None]:
        """The reward as flat columns, the same ones for every reward, for a trainer's log.

        Args:
            timed: Add ``ms``, which differs from run to run.
        """
        row: dict[str, float | str | bool | None] = {
            "score": self.score,
            "outcome": self.outcome.value,
            "reasons": ",".join(self.reasons),
            "relation": self.relation,
            "witnessed": self.witnessed,
            "proved": self.proved,
            "scored": self.scored,
        }
        if timed:
            row["ms"] = self.ms
        return row


def outcome_of(result: PairResult, value: float | None) -> RewardOutcome:
    """What a result is in the table of rewards; ``value`` is that of the metric."""
    by_verdict = _BY_VERDICT.get(result.verdict)
    if by_verdict is not None:
        return by_verdict
    if not result.result.answerable:
        by_reason = _by_reason(result) or RewardOutcome.ANSWERED_UNANSWERABLE
        # A model can abstain in words alone, and here the words are right.
        is_refusal = by_reason is RewardOutcome.REFUSAL
        return RewardOutcome.ABSTAINED_RIGHT if is_refusal else by_reason
    if value is None:
        return RewardOutcome.UNSCORED
    return _of_match(result) if value >= 1.0 else _of_difference(result)


def is_witnessed(result: PairResult) -> bool:
    """Whether a witness shows that the queries differ, be it in more than a relation forgives."""
    return result.witness is not None or any(each.broken is not None for each in result.relations)


def reasons_of(result: PairResult, outcome: RewardOutcome) -> tuple[str, ...]:
    """What happened to the answer; what happens on a witness is no part of it."""
    compared = next((piece for piece in result.evidence if piece.by == _COMPARE), None)
    if compared is None or outcome is RewardOutcome.UNSCORED:
        return tuple(map(str, result.reasons))
    if outcome in _MATCHES and isinstance(compared, Related):
        # The metric calls right what the comparison does not.
        return ()
    return tuple(map(str, compared.reasons))


def _of_match(result: PairResult) -> RewardOutcome:
    if result.proof is not None:
        return RewardOutcome.PROVED
    if result.result.situation == Situation.CONSTANT_MATCH:
        return RewardOutcome.CONSTANT_MATCH
    differences = [piece for piece in result.evidence if isinstance(piece, Related)]
    if result.result.situation == Situation.BARRED_MATCH or any(map(is_barred, differences)):
        # What keeps a search away is worth no more than what a search refutes.
        return RewardOutcome.REFUTED_MATCH
    # A witness on unusual data, or one of repeated rows alone, refutes nothing: the policy says.
    if is_witnessed(result) and result.verdict is not Verdict.CORRECT:
        return RewardOutcome.REFUTED_MATCH
    if any(map(has_failed, result.evidence)):
        # Whether a witness refutes the match is not known: it is paid neither in full nor less.
        return RewardOutcome.UNSCORED
    if result.gold_count == 0 and result.prediction_count == 0:
        return RewardOutcome.EMPTY_MATCH
    return RewardOutcome.RIGHT


def _of_difference(result: PairResult) -> RewardOutcome:
    by_reason = _by_reason(result)
    if by_reason is not None:
        return by_reason
    if result.result.situation == Situation.FAILED:
        return RewardOutcome.FAILED
    if not result.relations:
        return RewardOutcome.WRONG
    nearest = result.relations[0]
    if nearest.kind == "extra_columns":
        harmless = result.result.situation == Situation.HARMLESS_DIFFERENCE
        return RewardOutcome.EXTRA_COLUMNS if harmless else RewardOutcome.WRONG
    if nearest.kind in _NEAR_MISSES and may_be_harmless(
        nearest, fewer=RELATIONS.get(nearest.kind).fewer_columns
    ):
        return RewardOutcome(nearest.kind)
    return RewardOutcome.WRONG


def _by_reason(result: PairResult) -> RewardOutcome | None:
    outcomes = (_BY_REASON.get(Reason(reason)) for reason in result.reasons)
    return next((outcome for outcome in outcomes if outcome is not None), None)
