"""What a check of one pair gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

from msgspec import structs

from sqlverdict.compare.difference import AnswerDifference, answer_difference
from sqlverdict.compare.log_answers import log_pair
from sqlverdict.evidence import Evidence, Proved, Refuted, Related, Relation, relations_of
from sqlverdict.evidence_parts import LoggedAnswers
from sqlverdict.records import Answer, Outcome, Result, Row, Verdict
from sqlverdict.score.deciding import verdict_by
from sqlverdict.situations import Situation

MOST_ROWS = 20
"""How many rows of an answer, and of a difference, a result holds."""
_RIGHT = {
    Verdict.CORRECT: True,
    Verdict.ABSTAINED_RIGHT: True,
    Verdict.INCORRECT: False,
    Verdict.ABSTAINED_WRONG: False,
}

_COLOURS = {True: "#1a7f37", False: "#cf222e", None: "#9a6700"}
_STYLE = "border-left:4px solid {colour};padding:4px 12px;margin:4px 0"


@dataclass(frozen=True)
class PairResult:
    """The result of one check.

    Attributes:
        result: The same as a line of a run log would have it, but for the answers: they are here.
        gold_outcome: What the first gold gave, with its first rows; ``None``: nothing was run.
        prediction_outcome: What the prediction gave, with its first rows.
        gold_count: How many rows the gold gave.
        prediction_count: How many rows the prediction gave.
        sql: The SQL that was taken from the prediction; ``None`` where there is none.
        difference_of_long: The difference of answers that have more rows than a result holds.
        deciding: The metric that decides where the evidence says nothing, as ``esm`` does.
        notes: What to know about how the reply was read: it has several complete queries.

    Examples:
        >>> result = sv.check("SELECT name FROM item", "SELECT nome FROM item", db="shop.sqlite")
        >>> result.correct, result.verdict.value, result.reasons
        (False, 'incorrect', (<Reason.EXECUTION_ERROR: 'EXECUTION_ERROR'>,))
    """

    result: Result
    gold_outcome: Outcome | None = None
    prediction_outcome: Outcome | None = None
    gold_count: int | None = None
    prediction_count: int | None = None
    sql: str | None = None
    difference_of_long: AnswerDifference | None = field(default=None, repr=False)
    deciding: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def correct(self) -> bool | None:
        """True, False, or ``None``: unscored, or for a person to decide."""
        return _RIGHT.get(self.verdict)

    @property
    def verdict(self) -> Verdict:
        """What the evidence amounts to; where nothing was run or proved, what the metric says."""
        if self._is_open:
            return verdict_by(self.result, self.deciding)
        return self.result.verdict

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, as reason codes; ``docs/words.md`` lists them."""
        return self.result.reasons

    @property
    def scores(self) -> Mapping[str, float | None]:
        """The value of each metric; ``None`` is unscored, never zero."""
        return self.result.scores

    @property
    def message(self) -> str:
        """What went wrong, in words; empty where nothing did."""
        return self.result.message

    @property
    def evidence(self) -> Sequence[Evidence]:
        """All that was found out."""
        return self.result.evidence

    @property
    def gold_rows(self) -> Sequence[Row] | None:
        """The first rows of the gold's answer; ``None`` where it has none."""
        return _rows(self.gold_outcome)

    @property
    def prediction_rows(self) -> Sequence[Row] | None:
        """The first rows of the prediction's answer; ``None`` where it has none."""
        return _rows(self.prediction_outcome)

    @cached_property
    def difference(self) -> AnswerDifference | None:
        """The rows that the two do not share.

        ``None`` where the rows are the same, or one of the two has none.
        """
        if self.difference_of_long is not None:
            return self.difference_of_long
        return difference_of(self.gold_outcome, self.prediction_outcome)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """How two different answers relate."""
        return tuple(relations_of(self.evidence))

    @cached_property
    def proof(self) -> Proved | None:
        """The proof that both queries give the same on every database, where there is one."""
        return next((piece for piece in self.evidence if isinstance(piece, Proved)), None)

    @cached_property
    def witness(self) -> Refuted | None:
        """A small database on which the queries differ, where one was found."""
        return next((piece for piece in self.evidence if isinstance(piece, Refuted)), None)

    def explain(self) -> str:
        """The verdict and its evidence, for people: rows of a witness, and rows that differ."""
        from sqlverdict.report.one_run.answers import answer_lines
        from sqlverdict.report.one_run.case import because, piece_lines, shown_evidence
        from sqlverdict.report.one_run.witness import witness_lines

        verdict, why = self.verdict.replace("_", " "), because(self.result)
        if self._is_open and self.correct is not None:
            why = f"by {self.deciding}, the text alone"
        lines = [f"{verdict}: {why}" if why else verdict]
        for piece in shown_evidence(self.result):
            lines += [f"  {line}" for line in piece_lines(piece)]
            if isinstance(piece, Refuted):
                lines += [f"    {line}" for line in witness_lines(piece)]
        if any(isinstance(piece, Related) for piece in self.evidence):
            lines += [f"    {line}" for line in answer_lines(self._answers())]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _answers(self) -> LoggedAnswers | None:
        """Both answers as a run log has them; ``None``: one is missing, or golds are several."""
        gold, prediction = self.gold_outcome, self.prediction_outcome
        if not isinstance(gold, Answer) or not isinstance(prediction, Answer):
            return None
        if len(self.result.gold) > 1 or self.gold_count is None or self.prediction_count is None:
            return None
        return structs.replace(
            log_pair(gold, prediction, self.difference),
            gold_shape=(self.gold_count, len(gold.columns)),
            prediction_shape=(self.prediction_count, len(prediction.columns)),
        )

    @property
    def _is_open(self) -> bool:
        return self.result.situation == Situation.OPEN

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        """The result as a card, for notebooks."""
        return _card(self)


def difference_of(gold: Outcome | None, prediction: Outcome | None) -> AnswerDifference | None:
    """The difference of two answers; ``None`` where there are no two, or they are the same."""
    if not isinstance(gold, Answer) or not isinstance(prediction, Answer):
        return None
    if gold.rows == prediction.rows:
        return None
    return answer_difference(gold, prediction, most=MOST_ROWS)


def size_of(result: PairResult) -> int:
    """How many characters and bytes of the prediction a result holds, about.

    Those of the golds do not count: their number is that of the questions.
    """
    rows = [*(_rows(result.prediction_outcome) or ())]
    if result.difference_of_long is not None:
        rows += result.difference_of_long.extra
        rows += (change.prediction for change in result.difference_of_long.changed)
    cells = (cell for row in rows for cell in row)
    text = len(result.result.prediction or "") + len(result.sql or "")
    return text + sum(len(cell) for cell in cells if isinstance(cell, str | bytes))


def _rows(outcome: Outcome | None) -> Sequence[Row] | None:
    return outcome.rows if isinstance(outcome, Answer) else None


def _card(result: PairResult) -> str:
    """The verdict, both answers and the evidence as HTML; what is not ours is escaped."""
    colour = _COLOURS[result.correct]
    head = escape(result.verdict.replace("_", " "))
    reasons = escape(", ".join(result.reasons))
    parts = [
        f'<div style="{_STYLE.format(colour=colour)}">',
        f'<b style="color:{colour}">{head}</b> {reasons}',
        "<div style='display:flex;gap:24px;flex-wrap:wrap'>",
        _card_answer("gold", result.gold_outcome, result.gold_count),
        _card_answer("prediction", result.prediction_outcome, result.prediction_count),
        "</div>",
        f"<pre style='white-space:pre-wrap'>{escape(result.explain())}</pre>",
        "</div>",
    ]
    return "".join(parts)


def _card_answer(title: str, outcome: Outcome | None, count: int | None) -> str:
    if outcome is None:
        return ""
    if not isinstance(outcome, Answer):
        return f"<div><i>{title}</i><br>{escape(f'{outcome.reason}: {outcome.message}')}</div>"
    head = "".join(f"<th>{escape(name)}</th>" for name in outcome.columns)
    body = "".join(map(_card_row, outcome.rows))
    rows = "row" if count == 1 else "rows"
    return f"<div><i>{title}</i>: {count} {rows}<table><tr>{head}</tr>{body}</table></div>"


def _card_row(row: Row) -> str:
    cells = ("NULL" if cell is None else escape(str(cell)) for cell in row)
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
