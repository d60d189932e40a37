"""Pairs as a scorer was given them, and what it remembers of them.

Why a result that is remembered is never stale: :mod:`sqlverdict.run.memory`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple, TypeVar

from msgspec import structs

from sqlverdict.api.arguments import Reply, read_golds
from sqlverdict.api.pair_result import PairResult, size_of
from sqlverdict.load.replies.fenced import read_prediction, with_tag
from sqlverdict.load.replies.no_sql import without_sql
from sqlverdict.load.replies.notes import reply_notes
from sqlverdict.records import Case, Contract, Prediction
from sqlverdict.run.memory import Key, ResultMemory, is_of_any_spelling
from sqlverdict.run.outcome import MetricValue, logged_prediction
from sqlverdict.run.plan import RunPlan

T = TypeVar("T", PairResult, MetricValue)


class ScoredPair(NamedTuple):
    """What decides a pair's result: the arguments, and the content of its database.

    It is the key of a call; ``kind`` says of what.
    """

    kind: Literal["result"]
    digest: str
    golds: str | tuple[str, ...]
    reply: Reply
    database: str | None
    name: str
    question: str
    knowledge: str
    contract: Contract | None
    id: str

    def read(self, no_sql: str, tag: str | None) -> tuple[Case, Prediction]:
        """The case, and the prediction; ``no_sql`` says what a reply of text alone is."""
        prediction = read_prediction(self.id, self.reply)
        if tag is not None:
            prediction = with_tag(prediction, tag)
        if no_sql == "abstain":
            prediction = without_sql(prediction)
        about = self.name, self.question, self.knowledge, self.contract
        return _case_of(self.id, self.golds, self.database, *about), prediction


@lru_cache(maxsize=1_024)
def _case_of(
    id: str,  # noqa: A002 - as in Scorer.check
    golds: str | tuple[str, ...],
    database: str | None,
    name: str,
    question: str,
    knowledge: str,
    contract: Contract | None,
) -> Case:
    """The case of some arguments; many replies to one question are scored one after the other."""
    texts = read_golds(golds) if isinstance(golds, str) else golds
    return Case(
        id,
        name,
        question,
        texts,
        database=database,
        answerable=bool(texts),
        knowledge=knowledge,
        contract=contract,
    )


class PairMemory:
    """What a scorer remembers of pairs: by the arguments of a call, and by the query in a reply.

    Models repeat a query in other words: replies with the same SQL have the same result. The memory
    is that of the scorer, whose checkers remember proofs and searches in it.

    Args:
        plan: The plan of the scorer.
        most: How many entries there may be.
    """

    def __init__(self, plan: RunPlan, most: int) -> None:
        self.memory = ResultMemory(plan, most)
        self._label = plan.specs[0].label
        self._tag = plan.tag

    def get(self, key: Key, kind: type[T]) -> T | None:
        """What is remembered under a key: a result, or the value of the first metric."""
        known: object = self.memory.get(key)
        if kind is MetricValue and isinstance(known, PairResult):
            known = MetricValue(known.scores[self._label], known.result.final)
        return known if isinstance(known, kind) else None

    def of_query(self, key: Key | None, prediction: Prediction, kind: type[T]) -> T | None:
        """What is remembered of a query, with the spelling of a prediction."""
        known = None if key is None else self.get(key, kind)
        if not isinstance(known, PairResult):
            return known
        notes = reply_notes(prediction, self._tag)
        if (known.sql, known.notes) != (prediction.sql, notes):
            result = structs.replace(known.result, prediction=logged_prediction(prediction))
            known = replace(known, sql=prediction.sql, result=result, notes=notes)
        return known

    def put(self, pair: ScoredPair, key: Key | None, prediction: Prediction, known: T) -> None:
        """Remember what was found out about a pair, where it is final."""
        if isinstance(known, PairResult):
            final, size = known.result.final, size_of(known)
            shared = is_of_any_spelling(known.evidence)
        else:
            final, size = known.final, len(prediction.sql or "") + len(prediction.raw or "")
            shared = True
        if final:
            self.memory.put(pair, known, size)
            if shared and key is not None:
                self.memory.put(key, known, size)
