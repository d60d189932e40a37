"""Whether drafts are right: by running them beside the gold, with a named comparison preset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlverdict.abstain.method import Draft, TrainingExample
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Answer, Failure, Outcome


def mark(
    examples: Sequence[TrainingExample], runner: QueryRunner, preset: str = "strict"
) -> list[TrainingExample]:
    """The examples with ``correct`` filled in, where a draft can be marked.

    A draft without SQL is wrong, and so is any answer to an unanswerable question. Where the
    gold fails or the database is missing, all stay open (``None``), even a draft that reads as
    the gold does: who learned from those alone would think that the generator is always right.
    """
    return [replace(example, correct=_right(example, runner, preset)) for example in examples]


def _right(example: TrainingExample, runner: QueryRunner, preset: str) -> bool | None:
    draft = example.draft
    if draft is None or draft.problem is not None or draft.abstained:
        return None
    if not example.answerable:
        return False
    return None if example.sql is None else _same(example, draft, runner, preset)


def _same(example: TrainingExample, draft: Draft, runner: QueryRunner, name: str) -> bool | None:
    from sqlverdict.compare.preset import PRESETS, QueryPair

    ask = example.ask
    database = example.marked_on or ask.database or ask.db_id
    preset = PRESETS.get(name)
    gold_sql, sql = preset.prepare(example.sql or "", draft.sql or "")

    def run(text: str) -> Outcome:
        return runner.run(database, text)

    gold = run(gold_sql)
    if not isinstance(gold, Answer):
        return None
    if draft.sql is None:
        return False
    if normalised(draft.sql) == normalised(example.sql or ""):
        return True
    outcome = run(sql)
    if isinstance(outcome, Failure):
        return None if outcome.fault is not None else False
    pair = QueryPair(gold_sql, sql, runner.engine_for(database).dialect, probe=run)
    return preset.compare(gold, outcome, pair).equal
