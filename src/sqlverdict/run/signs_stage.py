"""Signs of the gold and of the prediction, as evidence that no verdict rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sqlverdict.compare.related.constants import constant_columns
from sqlverdict.evidence import Evidence, Signs
from sqlverdict.evidence_parts import LoggedSign
from sqlverdict.records import Answer, Outcome, Query
from sqlverdict.run.attempt import Attempt
from sqlverdict.run.inputs import StageInputs
from sqlverdict.signs.look import LONGEST, notices, select_signs
from sqlverdict.signs.sign import Subject

SIGNS = "signs"
"""The name of this stage in evidence (``by``)."""


def look_for_signs(inputs: StageInputs, errors: list[Evidence]) -> list[Evidence]:
    """One piece of evidence where a query has signs; none where neither has.

    ``says_nothing`` says why the prediction's want of signs is none of its merit: it was not
    read, or is a constant.

    Queries that fail are left out: that they fail is evidence already. A sign that fails by a
    bug of ours is named in ``errors`` and takes no other with it.
    """
    border = Attempt(SIGNS, errors)
    golds = zip(inputs.case.golds, inputs.golds(), strict=True)
    gold = next(((sql, outcome) for sql, outcome in golds if isinstance(outcome, Answer)), None)
    of_gold = _signs_of(inputs, *gold, border) if gold is not None else None
    sql, answer = inputs.prediction.sql or "", inputs.answer()
    if gold is not None and sql == gold[0] and _is_same(answer, gold[1]):
        of_prediction = of_gold
    else:
        of_prediction = _signs_of(inputs, sql, answer, border)
    if not of_gold and not of_prediction:
        return []
    says_nothing: Literal["", "not_read", "constant"] = ""
    agrees = False
    if of_prediction is None:
        says_nothing = "not_read"
    else:
        with border:
            says_nothing = "constant" if _is_constant(inputs) else ""
        if gold is not None and of_gold:
            with border:
                agrees = _agrees_with_mend(inputs, gold[0], of_gold)
    return [
        Signs(
            SIGNS,
            gold=of_gold or (),
            prediction=of_prediction or (),
            agrees_with_mend=agrees,
            says_nothing=says_nothing,
        )
    ]


def _agrees_with_mend(inputs: StageInputs, sql: str, signs: Sequence[LoggedSign]) -> bool:
    """Whether the prediction gives the rows of the gold with its errors mended, some at least."""
    from sqlverdict.parse.qualified import with_real_names
    from sqlverdict.signs.mend import mend

    query, schema, answer = inputs.plain_query(sql), inputs.schema(), inputs.answer()
    if not isinstance(query, Query) or schema is None or not isinstance(answer, Answer):
        return False
    text = mend(query, schema, signs)
    outcome = inputs.run(with_real_names(text, schema)) if text is not None else None
    if not isinstance(outcome, Answer) or not answer.rows or answer.volatile:
        return False
    # Its order and repetitions are what a comparison asks about; here the question is which rows.
    return set(outcome.rows) == set(answer.rows) and not _is_nothing(answer)


def _is_same(one: Outcome, other: Outcome) -> bool:
    """Whether two answers are the same to signs."""
    if not isinstance(one, Answer) or not isinstance(other, Answer):
        return False
    return one is other or (one.columns, one.rows, one.volatile) == (
        other.columns,
        other.rows,
        other.volatile,
    )


def _is_nothing(answer: Answer) -> bool:
    return all(cell is None for row in answer.rows for cell in row)


def _is_constant(inputs: StageInputs) -> bool:
    """Whether no column of the prediction reads a row."""
    outcome = inputs.answer()
    width = len(outcome.columns) if isinstance(outcome, Answer) else 0
    constant = constant_columns(inputs.prediction.sql or "", inputs.pair().dialect, width)
    return width > 0 and constant == tuple(range(width))


def _signs_of(
    inputs: StageInputs, sql: str, outcome: Outcome, border: Attempt
) -> tuple[LoggedSign, ...] | None:
    """The signs of one query; ``None`` where it fails or cannot be read."""
    if not isinstance(outcome, Answer):
        return None
    subject = None
    with border:
        subject = _subject(inputs, sql, outcome)
    if subject is None:
        return None

    signs: list[LoggedSign] = []
    for sign in select_signs():
        with border:
            signs += [
                LoggedSign(notice.name, sign.strength, notice.message, dict(notice.detail))
                for notice in notices(sign, subject)
            ]
    return tuple(signs)


def _subject(inputs: StageInputs, sql: str, outcome: Outcome) -> Subject | None:
    schema = inputs.schema() if len(sql) <= LONGEST else None
    query = inputs.plain_query(sql) if schema is not None else None
    if schema is None or not isinstance(query, Query):
        return None
    case = inputs.case
    return Subject(query, schema, inputs.run, case.question, case.known, outcome)
