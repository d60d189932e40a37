"""The reward of one reply, or of many: any thread, any process, any event loop.

Nothing that a model says raises. Queries end by steps inside the engine, the same on every
machine: no signal, no process and no thread that is left behind. The same replies give the
same rewards, in any order and under any load.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from numbers import Real
from time import perf_counter
from typing import Any

from sqlverdict.api.arguments import (
    Golds,
    Pair,
    Reference,
    Reply,
    check_limits,
    is_gap,
    read_arguments,
    read_count,
    read_timeout,
    read_truth,
)
from sqlverdict.api.closing import Closing
from sqlverdict.api.scorer import Scorer
from sqlverdict.errors import SqlverdictError, UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.load.replies.fenced import check_tag
from sqlverdict.load.replies.wrapped import answer_in_tag
from sqlverdict.records import Prediction
from sqlverdict.rl.reward import Reward, is_witnessed, outcome_of, reasons_of
from sqlverdict.rl.values import RewardOutcome, RewardValues, read_values
from sqlverdict.run.garbage import seldom_collecting

LIMITS = Limits(steps=100_000_000, seconds=30.0, rows=100_000, bytes=32 * 2**20, cell=2**20)
"""What a query may spend: one to three seconds of an idle machine, with the clock far behind it."""

INSTANCES = 40
"""How many databases are tried for a witness, where the table has a value that depends on it."""

_ARGUMENTS = frozenset(("gold", "prediction", "db", "db_id", "question", "answerable"))
"""The arguments of :meth:`Rewarder.reward`."""

Unscored = str | float
"""What an unscored reply gives: ``"none"``, ``"raise"``, or a value."""


class Unscorable(SqlverdictError):
    """A reply cannot be scored, by no fault of the model, and the policy is to say so."""


class Rewarder(Closing):
    """Rewards replies by a declared table of values.

    Args:
        databases: Where databases are found by ``db_id``: a folder, or a URL with ``{db_id}``. One
            database, such as a file, serves replies that name none; a ``db_id`` that is not its
            name is refused.
        db: The database of every reply that names none: a file, or a URL.
        metric: When answers match: ``"ex"``, ``"ex[bird]"``, or another metric of 0 and 1.
        values: What each outcome is worth; a table, or a mapping of outcomes to values.
        unscored: What an unscored reply gets: ``"none"`` (a score of ``None``), ``"raise"``
            (:class:`Unscorable`), or a number.
        no_sql: What a reply of text without SQL is: ``wrong``, or ``abstain``. With the second a
            tag with nothing in it abstains too; a reply of nothing at all never does. A refusal
            in words to a question that cannot be answered abstains with both.
        tag: The tag that holds the answer, such as ``"answer"``; by default SQL is taken from the
            whole reply.
        refute: Try so many databases for a witness, where answers match; by default 40 where the
            table has a value for it, else none.
        prove: Search for proofs; by default where the table has a value for them.
        timeout: Seconds that a query may take at most. Steps end most queries before that.
        limits: All limits of a query, instead of ``timeout``.
        threads: How many threads :meth:`batch` uses; 0: that of the caller.
        memo: How many results are remembered.

    Examples:
        >>> from sqlverdict.rl import Rewarder
        >>> rewarder = Rewarder(db="shop.sqlite", values={"right": 1.0, "failed": -0.5})
        >>> gold = "SELECT count(*) FROM item"
        >>> [rewarder(gold, reply) for reply in ("SELECT 3", "SELECT 4", "SELECT nothing")]
        [1.0, 0.0, -0.5]
        >>> rewarder.close()
    """

    def __init__(
        self,
        *,
        databases: Reference | None = None,
        db: Reference | None = None,
        metric: str = "ex",
        values: RewardValues | Mapping[str, float] = RewardValues(),  # noqa: B008 - frozen
        unscored: Unscored = "none",
        no_sql: str = "wrong",
        tag: str | None = None,
        refute: int | None = None,
        prove: bool | None = None,
        timeout: float | None = None,
        limits: Limits | None = None,
        threads: int = 0,
        memo: int = 100_000,
    ) -> None:
        if timeout is not None and limits is not None:
            raise UsageError("timeout is one of the limits; give one of the two")
        check_limits(limits)
        seconds = read_timeout(timeout)
        if seconds is not None:
            limits = Limits(LIMITS.steps, seconds, LIMITS.rows, LIMITS.bytes, cell=LIMITS.cell)
        self.values = read_values(values)
        self.unscored = _read_unscored(unscored)
        self.tag = None if tag is None else check_tag(tag)
        self.threads = read_count(threads, "threads")
        if refute is None:
            refute = INSTANCES if self.values.needs_search else 0
        self.scorer = Scorer(
            metric,
            databases=databases,
            db=db,
            limits=limits or LIMITS,
            prove=self.values.proved is not None if prove is None else prove,
            refute=refute,
            # Under it a match by luck is wrong: it says which witnesses refute a match, and
            # changes no metric. It needs proofs, so it is left out where nothing is searched.
            policy="strict" if refute else None,
            no_sql=no_sql,
            memo=memo,
        )
        if refute:
            # No reward shows them, and under this policy they decide nothing: with an error in
            # the gold mended, a difference is as wrong as without.
            self.scorer.plan = replace(self.scorer.plan, annotates=False)
        spec = self.scorer.plan.specs[0]
        if not spec.metric.binary:
            raise UsageError(
                f"{spec.label} is not a metric of 0 and 1; a reward needs one, such as ex"
            )
        self._label = spec.label

    def close(self) -> None:
        """Close all databases; the rewarder can be used again."""
        self.scorer.close()

    def __call__(
        self, gold: Golds, reply: Any, db: Reference | None = None, **more: Any
    ) -> float | None:
        """The score of a reply; the arguments are those of :meth:`reward`."""
        return self.reward(gold, reply, db, **more).score

    def reward(
        self,
        gold: Golds,
        prediction: Any,
        db: Reference | None = None,
        *,
        db_id: str | None = None,
        question: str | None = None,
        answerable: bool | None = None,
    ) -> Reward:
        """The reward of one reply.

        Args:
            gold: The gold query, or several of which any counts. ``None`` is a missing gold, and
                unscored; where the table has a value for ``abstained_right`` it says that the
                question cannot be answered.
            prediction: A reply, messages of which the last one counts, or a
                :class:`~sqlverdict.records.Prediction`; ``None``: an abstention.
            db: The database: a file or a URL. By default that of the rewarder.
            db_id: The name of a database below ``databases``, instead of ``db``.
            question: The question.
            answerable: ``False``: the question cannot be answered, and an abstention is right. By
                default it can, unless the gold says otherwise.

        Raises:
            UsageError: no database is known, or ``answerable`` is neither true nor false.
            Unscorable: it cannot be scored, and the policy is to raise.
        """
        start = perf_counter()
        answerable = read_truth(answerable, "answerable")
        to_list = getattr(gold, "tolist", None)
        if to_list is not None:
            # Several golds in one cell of a table are an array.
            gold = to_list()
        problem = self._problem(gold, answerable)
        if problem:
            value = self._value(RewardOutcome.UNSCORED, problem)
            return Reward(value, RewardOutcome.UNSCORED, message=problem)
        if answerable is False:
            gold = None
        reply = self._reply(prediction)
        result = self.scorer.check(gold, reply, db, db_id=db_id, question=question)
        outcome = outcome_of(result, result.scores[self._label])
        relations, reasons = result.relations, reasons_of(result, outcome)
        return Reward(
            self._value(outcome, result.message or ", ".join(reasons)),
            outcome,
            reasons,
            relations[0].kind if relations else "",
            is_witnessed(result),
            result.proof is not None,
            result.sql,
            result.message,
            (perf_counter() - start) * 1000,
        )

    @seldom_collecting()
    def batch(self, pairs: Iterable[Pair]) -> list[Reward]:
        """The rewards of many replies, in their order.

        Args:
            pairs: Tuples ``(gold, prediction, db)``, or mappings with the names of the arguments
                of :meth:`reward`.
        """
        calls = [partial(self.reward, **read_arguments(pair, _ARGUMENTS)) for pair in pairs]
        if not self.threads:
            return [call() for call in calls]
        with ThreadPoolExecutor(self.threads) as pool:
            return [future.result() for future in [pool.submit(call) for call in calls]]

    async def areward(
        self, gold: Golds, prediction: Any, db: Reference | None = None, **more: Any
    ) -> Reward:
        """As :meth:`reward`, from an event loop, which goes on meanwhile."""
        return await asyncio.to_thread(self.reward, gold, prediction, db, **more)

    async def abatch(self, pairs: Iterable[Pair]) -> list[Reward]:
        """As :meth:`batch`, from an event loop, which goes on meanwhile."""
        return await asyncio.to_thread(self.batch, list(pairs))

    def _reply(self, prediction: Any) -> Reply:
        """What the scorer reads: a text, an abstention, or a prediction that was read before."""
        if isinstance(prediction, Prediction):
            if prediction.responds or prediction.abstained or prediction.raw is None:
                return prediction
            prediction = prediction.raw
        if prediction is None:
            return None
        answer: str | None = completion_text(prediction)
        if self.tag is not None and answer is not None:
            answer = answer_in_tag(answer, self.tag)
        if answer == "" and self.tag is not None and self.scorer.plan.no_sql == "abstain":
            # The model kept to the form, and gave no SQL.
            return None
        return answer or ""

    def _problem(self, gold: Any, answerable: bool | None) -> str:
        """Why a gold cannot be used; empty where it can."""
        if answerable is False:
            if _is_blank(gold):
                return ""
            return f"the question is said to have no answer, and the gold is {gold!r:.80}"
        null_is_unanswerable = self.values.abstained_right is not None
        if gold is None and null_is_unanswerable and answerable is None:
            return ""
        golds = (gold,) if isinstance(gold, str) else gold
        is_list = isinstance(golds, list | tuple) and bool(golds)
        if is_list and all(isinstance(each, str) and each.strip() for each in golds):
            return ""
        return (
            f"the gold is {gold!r:.80}; expected SQL. A question that cannot be answered has "
            f"answerable=False, or a gold of None where the table has a value for abstained_right"
        )

    def _value(self, outcome: RewardOutcome, why: str) -> float | None:
        value = self.values.value(outcome)
        if value is not None or self.unscored == "none":
            return value
        if isinstance(self.unscored, str):
            raise Unscorable(
                f"a reply cannot be scored: {why}. Remove the row, or state what it is worth with "
                f"unscored="
            )
        return self.unscored


def _is_blank(gold: Any) -> bool:
    """Whether there is no gold, in any of the ways in which tables say so."""
    if isinstance(gold, str | list | tuple):
        return not (gold.strip() if isinstance(gold, str) else gold)
    return gold is None or is_gap(gold)


def _read_unscored(unscored: Any) -> Unscored:
    if isinstance(unscored, str) and unscored in ("none", "raise"):
        return unscored
    if not isinstance(unscored, bool) and isinstance(unscored, Real):
        number = float(unscored)
        if math.isfinite(number):
            return number
    raise UsageError(f"unscored is {unscored!r}; expected 'none', 'raise' or a number")


def completion_text(completion: Any) -> str:
    """The text of a completion: a text, or messages of which the model's last one counts.

    Tool calls and images hold no text; a completion of another kind is an empty reply, never an
    error, because a trainer must not stop for what a model said.
    """
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return _content_text(completion.get("content"))
    if isinstance(completion, Sequence):
        messages = [each for each in completion if isinstance(each, Mapping)]
        own = [each for each in messages if each.get("role", "assistant") == "assistant"]
        return _content_text(own[-1].get("content")) if own else ""
    content = getattr(completion, "content", None)
    return _content_text(content)


def _content_text(content: Any) -> str:
    """The text of a message's content: a text, or parts of which some are texts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    texts = [part if isinstance(part, str) else _part_text(part) for part in content]
    return "".join(texts)


def _part_text(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else getattr(part, "text", None)
    return text if isinstance(text, str) else ""
