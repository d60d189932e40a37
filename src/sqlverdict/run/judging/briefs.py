"""What a judge is to be asked about a case, and with which brief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from msgspec import structs

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.compare.relation import relation_text
from sqlverdict.evidence import Contradicted, Evidence, Refuted, relations_of
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.briefs.result_tables import result_table, witness_text
from sqlverdict.judge.briefs.schema_text import schema_text
from sqlverdict.judge.judge import JUDGES
from sqlverdict.records import Answer, Outcome, Recording
from sqlverdict.run.compare_stage import compare_with_golds
from sqlverdict.run.inputs import StageInputs
from sqlverdict.run.judging.asking import BY_CASE, Asking, JudgeQuestion
from sqlverdict.run.judging.brief_parts import (
    UNMATCHED,
    brief_schema,
    database_text,
    facts,
    results_in_words,
    surroundings,
)
from sqlverdict.situations import Situation
from sqlverdict.verdicts import INTENT, Policy, situation_to_judge


def questions(
    inputs: StageInputs,
    evidence: Sequence[Evidence],
    asking: Asking,
    preset: str = DEFAULT_PRESET,
    policy: Policy = INTENT,
) -> tuple[JudgeQuestion, ...]:
    """What is to be asked about a case; nothing about a contradiction, which stops the run.

    Whether results match is told by ``preset`` for the metric ``flex``, which stands beside EX,
    and by the evidence for ``verdict``.
    """
    if any(isinstance(piece, Contradicted) for piece in evidence):
        return ()
    open_ = None
    if asking.open_metrics:
        open_ = situation_to_judge(inputs.case, inputs.prediction, evidence, policy)
    every_pair = bool(asking.pair_judges) and _runs(inputs)
    if not every_pair and open_ is None:
        return ()
    bare = _bare(inputs)
    pairs: list[JudgeQuestion] = []
    if every_pair:
        brief = replace(
            bare,
            equal=compare_with_golds(inputs, preset).equal,
            schema_text=_database_text(inputs, bare),
        )
        pairs = [JudgeQuestion(metrics, judge, brief) for judge, metrics in _by_judge(asking)]
    if open_ is None:
        return tuple(pairs)
    full, notes = _with_evidence(bare, inputs, evidence, open_)
    question = JudgeQuestion(asking.open_metrics, asking.open_judge, full, open_, notes)
    same = [pair for pair in pairs if _same(pair, question)]
    metrics = tuple(name for pair in same for name in pair.metrics) + asking.open_metrics
    others = [pair for pair in pairs if pair not in same]
    if same:
        full = replace(full, schema_text=same[0].brief.schema_text)
    return (*others, replace(question, metrics=metrics, brief=full))


def _by_judge(asking: Asking) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each judge of pairs, with the metrics that listen to it."""
    for judge in dict.fromkeys(asking.pair_judges.values()):
        yield judge, tuple(name for name, own in asking.pair_judges.items() if own == judge)


def _same(one: JudgeQuestion, other: JudgeQuestion) -> bool:
    """Whether two questions are one: the same judge would be asked the same."""
    if one.judge != other.judge:
        return False

    blind = not getattr(JUDGES.get(one.judge), "sees_evidence", True)
    return blind or one.judge in BY_CASE or one.brief == other.brief


def _runs(inputs: StageInputs) -> bool:
    """Whether both queries run: FLEX asks about no others."""
    case, prediction = inputs.case, inputs.prediction
    if not case.answerable or not prediction.responds:
        return False
    return isinstance(inputs.answer(), Answer) and any(
        isinstance(g, Answer) for g in inputs.golds()
    )


def _bare(inputs: StageInputs) -> Brief:
    """The brief that FLEX has: whether the results match and, where not, both of them."""
    case, record = inputs.case, inputs.case.recorded_answers
    sql, gold = _gold(inputs)
    return Brief(
        case_id=case.id,
        db_id=case.db_id,
        question=case.full_question,
        knowledge=case.knowledge,
        schema_text=_schema_text(inputs, record.schema_text if record is not None else ""),
        gold=sql,
        prediction=inputs.prediction_text,
        equal=compare_with_golds(inputs, DEFAULT_PRESET).equal,
        gold_table=_answer_text(record, record.gold_text if record else "", gold),
        prediction_table=_answer_text(
            record, record.prediction_text if record else "", inputs.answer()
        ),
        dialect=inputs.pair().dialect,
    )


def _gold(inputs: StageInputs) -> tuple[str, Outcome]:
    """The first gold that has an answer, and its answer."""
    both = zip(inputs.gold_texts, inputs.golds(), strict=False)
    return next((sql, outcome) for sql, outcome in both if isinstance(outcome, Answer))


def _schema_text(inputs: StageInputs, recorded: str) -> str:
    if recorded:
        return recorded
    schema = brief_schema(inputs)
    return schema_text(schema) if schema is not None else ""


def _database_text(inputs: StageInputs, bare: Brief) -> str:
    """The schema with row counts and what its columns mean; as it was recorded, where it was."""
    record = inputs.case.recorded_answers
    recorded = record is not None and record.schema_text
    return bare.schema_text if recorded else database_text(inputs)


def _answer_text(record: Recording | None, text: str, outcome: Outcome) -> str | None:
    """An answer as a judge sees it: as it was recorded, where it was."""
    if record is not None and not record.has_results:
        return None
    return text or _table(outcome)


def _table(outcome: Outcome) -> str | None:
    return result_table(outcome.columns, outcome.rows) if isinstance(outcome, Answer) else None


def _with_evidence(
    brief: Brief, inputs: StageInputs, evidence: Sequence[Evidence], open_: Situation
) -> tuple[Brief, tuple[str, ...]]:
    """The brief with all that was found out, and notes on what could not be told."""
    related = list(_relations(evidence))
    results = results_in_words(inputs, _gold(inputs)[1], bool(related))
    around = surroundings(inputs, brief.gold)
    witness = next((piece for piece in evidence if isinstance(piece, Refuted)), None)
    full = replace(
        brief,
        witness=witness_text(witness, around.tables) if witness is not None else None,
        relations=tuple(line for line in (results, *related) if line),
        open_question=open_.row.question,
        gold_facts=facts(evidence, "gold"),
        prediction_facts=facts(evidence, "prediction"),
        unmatched=facts(evidence, "prediction", UNMATCHED),
        sizes=around.sizes,
        columns=around.columns,
        schema_short=around.schema_short,
    )
    return full, around.notes


def _relations(evidence: Sequence[Evidence]) -> Iterator[str]:
    for relation in relations_of(evidence):
        # That a relation may be chance is no argument for or against the prediction, and is
        # taken for one.
        detail = {name: value for name, value in relation.detail.items() if name != "weak"}
        certain = structs.replace(relation, detail=detail)
        yield relation_text(certain, with_kind=False)
