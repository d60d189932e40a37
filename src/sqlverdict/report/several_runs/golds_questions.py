"""The questions whose gold another set replaces: the evidence about both golds, and who moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlverdict.evidence import Failed, Proved, Refuted, Tested
from sqlverdict.files.text import count
from sqlverdict.records import Reason, Result
from sqlverdict.report.one_run.first_sentence import first_sentence
from sqlverdict.runlog.run import Run

GoldRelation = Literal[
    "proved equal",
    "same answer",
    "witness",
    "other answer",
    "does not run",
    "not compared",
    "several golds",
]
"""What is known of the golds of one question in two sets.

``several golds``: a set has more than one, any of which is right. What is known of the first new
one, such as a proof, then says nothing of the others.
"""


@dataclass(frozen=True)
class SystemMove:
    """A system whose value of a question changes.

    Attributes:
        system: The system.
        kinds: How it changes (gained, lost, scored_now, unscored_now), by measure.
        verdicts: The verdict under the first set, and under the other.
        before: What the evidence says under the first set.
        after: What it says under the other.
    """

    system: str
    kinds: Mapping[str, str]
    verdicts: tuple[str, str]
    before: str
    after: str


@dataclass(frozen=True)
class GoldsQuestion:
    """A question whose gold differs, or whose value changes.

    Attributes:
        golds: The other set.
        id: The case.
        db_id: Its database.
        question: Its text.
        before: Its golds in the first set.
        after: Its golds in the other.
        relation: What is known of the two golds.
        evidence: The same in words.
        reason: Why the gold was replaced, where the set says so.
        moves: The systems that it moves.
    """

    golds: str
    id: str
    db_id: str
    question: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    relation: GoldRelation
    evidence: str
    reason: str
    moves: tuple[SystemMove, ...]


def gold_questions(
    before: Sequence[Run],
    after: Sequence[Run],
    names: Sequence[str],
    golds: tuple[str, Mapping[str, str], Run | None],
    moves: Mapping[str, Mapping[int, Mapping[str, str]]],
) -> Iterator[GoldsQuestion]:
    """The questions whose golds differ between two sets, and any other that moves, in order.

    Args:
        before: The runs under the first set.
        after: Those under the other, in the same order.
        names: The systems.
        golds: The other set's name, why it replaces golds, and the run of its golds against those
            of the first.
        moves: The cases that both sets have, each with the systems that it moves, by number, and
            the kind of change by measure.
    """
    name, reasons, pairs = golds
    old = {result.id: result.gold for result in before[0].results()}
    new = {result.id: result.gold for result in after[0].results()}
    ids = {case_id for case_id in moves if moves[case_id] or old[case_id] != new[case_id]}
    pair_results = {} if pairs is None else {each.id: each for each in pairs.results()}
    texts_before, texts_after = ([_sentences(run, ids) for run in runs] for runs in (before, after))
    for result in before[0].results():
        if result.id not in ids:
            continue
        relation, evidence = gold_relation(pair_results.get(result.id))
        numbers = len(result.gold), len(new[result.id])
        if max(numbers) > 1:
            relation = "several golds"
            evidence = (
                f"{count(numbers[0], 'gold')}, then {numbers[1]:,}; the first of these against "
                f"those before: {evidence}"
            )
        yield GoldsQuestion(
            name,
            result.id,
            result.db_id,
            result.question_line,
            result.gold,
            new[result.id],
            relation,
            evidence,
            reasons.get(result.id, ""),
            tuple(
                SystemMove(
                    names[number],
                    kinds,
                    (texts_before[number][result.id][0], texts_after[number][result.id][0]),
                    texts_before[number][result.id][1],
                    texts_after[number][result.id][1],
                )
                for number, kinds in moves[result.id].items()
            ),
        )


def _sentences(run: Run, ids: set[str]) -> dict[str, tuple[str, str]]:
    """The verdict on each case, and what matters about it."""
    return {
        each.id: (str(run.verdict(each)), first_sentence(each))
        for each in run.results()
        if each.id in ids
    }


def gold_relation(pair: Result | None) -> tuple[GoldRelation, str]:
    """What is known of two golds: the first as the gold, the other as a prediction.

    Args:
        pair: The result of that; ``None``: the two were not held against each other.
    """
    if pair is None:
        return "not compared", "the two golds were not compared"
    for piece in pair.evidence:
        match piece:
            case Proved():
                return "proved equal", "proved: both golds agree on every legal database"
            case Failed():
                which = "first" if piece.query == "gold" else "other"
                return "does not run", f"the {which} gold does not run: {_one_line(piece.message)}"
    if Reason.NO_SQL_PRODUCED in pair.reasons:
        return "does not run", "the other gold does not run: it is no SQL"
    value = pair.scores.get("ex")
    if value is None:
        return "not compared", _one_line(pair.message) or first_sentence(pair)
    if value < 1:
        return "other answer", f"other answers on the real database{_shapes(pair)}"
    for piece in pair.evidence:
        if isinstance(piece, Refuted):
            more = f": {piece.sentence}" if piece.sentence else ""
            return "witness", f"the same answer here; a witness tells the golds apart{more}"
    tested = sum(piece.databases for piece in pair.evidence if isinstance(piece, Tested))
    more = f", and on {count(tested, 'other database')}" if tested else ""
    return "same answer", f"the same answer on the real database{more}; no proof"


def _shapes(pair: Result) -> str:
    if pair.answers is None or pair.answers.prediction_shape is None:
        return ""
    before, after = pair.answers.gold_shape[0], pair.answers.prediction_shape[0]
    if before == after:
        return f": {count(before, 'row')}, with other values"
    return f": {count(before, 'row')}, then {after:,}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
