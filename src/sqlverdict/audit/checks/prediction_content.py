"""Is every prediction one query, and are abstentions written as such?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlverdict.audit.check import CHECKS, AuditFinding, Check, Severity
from sqlverdict.audit.data import AuditData
from sqlverdict.audit.recover_predictions import RecoveredPredictions
from sqlverdict.dialects import dialect_of
from sqlverdict.execute.common_text import grammar_error
from sqlverdict.files.text import count, few_of
from sqlverdict.parse.grammar import sqlite_complaint
from sqlverdict.parse.tokens import leading_keyword, statement_count
from sqlverdict.records import Prediction

NAME = "prediction_content"
_QUERIES = ("SELECT", "WITH", "VALUES")
_NULLS = ("null", "none", "nan", "n/a")


@CHECKS.member
class PredictionContent(Check):
    """Blank ones, prose, fences, statements that are no query, abstentions."""

    title = "predictions that are not one plain query"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """What each prediction holds."""
        recovered = data.recovered
        if recovered is None:
            return
        answerable = {case.id: case.answerable for case in data.cases}
        abstained = [entry.case_id for entry in recovered.entries if entry.prediction.abstained]
        data.figures["abstentions"] = len(abstained)
        for entry in recovered.entries:
            for severity, message, hint in _look(entry.prediction, data.runner.engine.dialect):
                yield AuditFinding(
                    NAME, severity, f"case {entry.case_id}", f"{entry.where}: {message}", hint
                )
        yield from _replies(data, recovered)
        if abstained:
            right = sum(not answerable.get(case_id, True) for case_id in abstained)
            message = (
                f"{len(abstained)} of {len(recovered.entries)} predictions abstain, {right} of "
                f"them on questions without an answer"
            )
            yield AuditFinding(NAME, "info", recovered.path.name, message)


def _replies(data: AuditData, recovered: RecoveredPredictions) -> Iterator[AuditFinding]:
    """Queries that stand in a longer reply: one finding, for models do it throughout."""
    longer = [
        entry.prediction
        for entry in recovered.entries
        if entry.prediction.sql is not None and entry.prediction.raw is not None
    ]
    fenced = sum("```" in str(one.raw) or "~~~" in str(one.raw) for one in longer)
    data.figures["predictions_in_replies"] = len(longer)
    if longer:
        ids = few_of(one.case_id for one in longer)
        message = (
            f"{count(len(longer), 'query is', 'queries are')} inside a longer "
            f"reply, {fenced} fenced (id {ids})"
        )
        hint = "the query inside is used; to be sure, write it alone"
        yield AuditFinding(NAME, "info", recovered.path.name, message, hint)


def _look(prediction: Prediction, dialect: str) -> Iterator[tuple[Severity, str, str]]:
    if prediction.abstained or prediction.answer is not None:
        return
    raw = (prediction.raw or "").strip()
    if prediction.sql is None:
        if not raw:
            yield "warning", "blank", "scored as no SQL produced; write null to abstain"
        elif raw.lower().strip("\"'.") in _NULLS:
            yield "warning", f"the word {raw!r}", "an abstention is a JSON null or abstained: true"
        else:
            hint = "scored as no SQL produced; check whether the query was lost on the way"
            yield "warning", f"text without SQL: {_short(raw)}", hint
        return
    yield from _statement(prediction.sql, dialect)


def _statement(sql: str, dialect: str) -> Iterator[tuple[Severity, str, str]]:
    keyword = leading_keyword(sql)
    if statement_count(sql) > 1:
        hint = "several statements are refused by strict engines; keep the one that answers"
        yield "warning", f"{statement_count(sql)} statements: {_short(sql)}", hint
    elif keyword not in {*_QUERIES, *dialect_of(dialect).query_words}:
        hint = "only SELECT, WITH and VALUES are run; it will be scored as blocked or failed"
        yield "warning", f"no query but {keyword or 'other text'}: {_short(sql)}", hint
    elif (complaint := _complaint(sql, dialect)) is not None:
        hint = "the model's mistake, unless the query was cut off on the way"
        yield "info", f"a syntax error ({complaint}): {_short(sql)}", hint


def _complaint(sql: str, dialect: str) -> str | None:
    """What the grammar of a dialect holds against a query, where it is at hand."""
    if not dialect_of(dialect).in_python:
        return grammar_error(sql, dialect)
    complaint = sqlite_complaint(sql)
    return complaint.message if complaint is not None else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:57]}...")
