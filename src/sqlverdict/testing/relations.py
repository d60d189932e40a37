"""The conformance suite for relations between answers, built-in or plug-in.

In a plug-in's tests::

    from sqlverdict.testing import check_relation

    def test_my_relation():
        check_relation("my_relation")

Everything is read from the relation's one file: its document, its pairs of answers, its class.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from random import Random
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.relate import relate, verify_relation
from sqlverdict.compare.relation import (
    RELATIONS,
    SECTIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.compare.tags import TAGS
from sqlverdict.evidence import Related, Relation
from sqlverdict.evidence_parts import AnswerShapes
from sqlverdict.harmless import find_harmless
from sqlverdict.records import (
    Answer,
    Case,
    Failure,
    Outcome,
    Reason,
    Row,
)
from sqlverdict.testing.members import member_of

Rows = tuple[Row, ...]

SHUFFLES = 4
FOREIGN = "no cell of any example"
QUESTIONS = ("", "How many are there in all?", "List the distinct names in descending order.")
"""Questions under which no condition may fail."""


def check_relation(name: str) -> None:
    """Hold a relation to what every relation promises.

    Its document is complete. It is found between the answers that it joins, with a proof that the
    checker accepts, a sentence and the right word on whether it matters; between those it keeps
    apart it is not. Whatever is claimed on hostile variants (NULLs, repeated rows, other types,
    rows in another order, swapped sides) stands, and no other proof is accepted.

    Args:
        name: Its name in the registry.

    Raises:
        AssertionError: a promise is broken; the message says which, with the answers.
    """
    relation = member_of(RELATIONS, name, "kind")
    for check in RELATION_CHECKS.values():
        check(relation)


def check_relation_document(relation: RelationKind[Any]) -> None:
    """The document is complete, and the declarations fit the file."""
    file = type(relation).__module__.rpartition(".")[2]
    _expect(relation.kind == file, relation, f"is declared in {file}.py; name both alike")
    title = relation.title
    _expect(title.endswith("."), relation, f"has the title {title!r}; end it with a stop")
    sections = tuple(relation.sections)
    _expect(
        sections == SECTIONS,
        relation,
        f"has the sections {sections}; expected {SECTIONS}, in order",
    )
    for section, text in relation.sections.items():
        _expect(bool(text.strip()), relation, f"has nothing under {section!r}")
    _expect(bool(relation.joins), relation, "has no pair that it joins; give one")
    _expect(bool(relation.keeps_apart), relation, "has no pair that it keeps apart; give one")
    for pair in relation.keeps_apart:
        _expect(bool(pair.because), relation, f"does not say why {pair.gold} differs: `because`")
    _expect(relation.tag in TAGS, relation, f"has the tag {relation.tag!r}; expected one of {TAGS}")
    others = [name for name, other in RELATIONS.items() if other.rank == relation.rank]
    _expect(len(others) <= 1, relation, f"shares the rank {relation.rank}: {others}")


def check_joins(relation: RelationKind[Any]) -> None:
    """Joined pairs are related, and the proof survives JSON and the checker."""
    for pair in relation.joins:
        claim = _claim(relation, pair)
        _expect(claim is not None, relation, f"does not join {pair.gold} and {pair.prediction}")


def check_keeps_apart(relation: RelationKind[Any]) -> None:
    """The relation does not hold between the pairs that it keeps apart."""
    for pair in relation.keeps_apart:
        claim = _claim(relation, pair)
        _expect(
            claim is None,
            relation,
            f"joins {pair.gold} and {pair.prediction}, though {pair.because}",
        )


def check_words(relation: RelationKind[Any]) -> None:
    """The proof of every joined pair has a sentence of one line without a full stop."""
    for pair in relation.joins:
        claim = _claim(relation, pair)
        assert claim is not None
        words = relation.words(claim.detail)
        good = bool(words) and "\n" not in words and not words.endswith(".")
        _expect(good, relation, f"says {words!r} about {pair.gold} and {pair.prediction}")


def check_harmless(relation: RelationKind[Any]) -> None:
    """It matters where the pairs say so, and no question makes the condition fail."""
    verdicts = set()
    for pair in relation.joins:
        claim = _claim(relation, pair)
        assert claim is not None
        if pair.harmless is not None:
            verdicts.add(pair.harmless)
            _expect(
                _is_harmless(claim, pair) is pair.harmless,
                relation,
                f"is {'not ' if pair.harmless else ''}harmless between {pair.gold} and "
                f"{pair.prediction} for {pair.question!r}; its file says otherwise",
            )
        for question in QUESTIONS:
            for order_matters in (False, True):
                case = Case("1", "db", question, (pair.gold_sql,))
                relation.harmless(claim.detail, RelationContext(case, order_matters))
    _expect(
        (True in verdicts) == bool(relation.harmless_when),
        relation,
        "needs a pair that is harmless, and the condition in words, or neither",
    )


def check_hostile_variants(relation: RelationKind[Any]) -> None:
    """Whatever is claimed on variants of its pairs stands and can be said in words.

    Where only the rows change places, the relation itself is found again, unless it is about
    their order.
    """
    for pair in (*relation.joins, *relation.keeps_apart):
        if pair.data:
            continue  # its answers belong to its queries
        for gold, prediction in _variants(pair):
            _claims(pair, gold, prediction)
    for pair in relation.joins:
        if pair.data or relation.any_order:
            continue
        for seed in range(SHUFFLES):
            gold, prediction = _shuffled(pair.gold, seed), _shuffled(pair.prediction, seed + 99)
            kinds = {claim.kind for claim in _claims(pair, gold, prediction)}
            _expect(
                relation.kind in kinds,
                relation,
                f"is not found between {gold} and {prediction}: only the rows changed places",
            )


def check_rejects_other_proofs(relation: RelationKind[Any]) -> None:
    """A proof proves nothing about other answers, and one that was changed proves nothing."""
    for pair in relation.joins:
        claim = _claim(relation, pair)
        assert claim is not None
        with closing(_Database(pair.data)) as database:
            queries = _queries(pair, database)
            gold, prediction = _answer(pair.gold), _answer(pair.prediction)
            foreign = _answer(_mapped(pair.prediction, lambda _: FOREIGN))
            for left, right in ((gold, foreign), (gold, _answer(())), (_answer(()), prediction)):
                _expect(
                    not verify_relation(claim, left, right, queries),
                    relation,
                    f"accepts its proof for {left.rows} and {right.rows}",
                )
            for detail in _changed_proofs(claim.detail):
                _expect(
                    not verify_relation(Relation(claim.kind, detail), gold, prediction, queries),
                    relation,
                    f"accepts the proof {detail} instead of {dict(claim.detail)}",
                )


RELATION_CHECKS: Mapping[str, Callable[[RelationKind[Any]], None]] = {
    "document": check_relation_document,
    "joins": check_joins,
    "keeps_apart": check_keeps_apart,
    "words": check_words,
    "harmless": check_harmless,
    "hostile_variants": check_hostile_variants,
    "rejects_other_proofs": check_rejects_other_proofs,
}
"""Each check by its name, so that a test can run and name them one by one."""


class _Database:
    """The database of a pair, in memory; without statements nothing can be run."""

    def __init__(self, statements: str) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.executescript(statements)
        self.probe = self._run if statements else None

    def _run(self, sql: str) -> Outcome:
        try:
            cursor = self._connection.execute(sql)
        except sqlite3.Error as error:
            return Failure(Reason.EXECUTION_ERROR, str(error))
        return Answer(tuple(column[0] for column in cursor.description), cursor.fetchall())

    def close(self) -> None:
        self._connection.close()


def _queries(pair: AnswerPair, database: _Database) -> QueryPair:
    return QueryPair(pair.gold_sql, pair.prediction_sql, probe=database.probe)


def _claim(relation: RelationKind[Any], pair: AnswerPair) -> Relation | None:
    """The relation of that kind between a pair's own answers, if it is claimed."""
    claims = _claims(pair, pair.gold, pair.prediction)
    return next((claim for claim in claims if claim.kind == relation.kind), None)


def _claims(pair: AnswerPair, gold: Rows, prediction: Rows) -> list[Relation]:
    """All relations between two answers; each is accepted after a trip through JSON."""
    with closing(_Database(pair.data)) as database:
        queries = _queries(pair, database)
        if pair.data:
            assert database.probe is not None
            for sql, rows in ((pair.gold_sql, gold), (pair.prediction_sql, prediction)):
                outcome = database.probe(sql)
                assert isinstance(outcome, Answer), outcome
                assert tuple(outcome.rows) == rows, f"{sql!r} gives {outcome.rows}, not {rows}"
        left, right = _answer(gold), _answer(prediction)
        claims = []
        for relation in relate(left, right, queries):
            text = json.dumps(relation.detail, allow_nan=False)
            claim = Relation(relation.kind, json.loads(text))
            member = RELATIONS.get(claim.kind)
            stands = claim.detail == relation.detail and verify_relation(
                claim, left, right, queries
            )
            _expect(stands, member, f"claims {text} about {gold} and {prediction}: no proof")
            _expect(member.read(claim.detail) is not None, member, f"states no type for {text}")
            _expect(bool(member.words(claim.detail)), member, f"has no words for {text}")
            claims.append(claim)
        return claims


def _is_harmless(claim: Relation, pair: AnswerPair) -> bool:
    sides = ((len(rows), len(rows[0])) for rows in (pair.gold, pair.prediction))
    evidence = Related("compare", shape=AnswerShapes(*sides), relations=(claim,))
    case = Case("1", "db", pair.question or "Which?", (pair.gold_sql or "SELECT a FROM t",))
    return find_harmless(case, evidence) is not None


def _variants(pair: AnswerPair) -> Iterator[tuple[Rows, Rows]]:
    """A pair's answers made hostile; both sides change in the same way."""
    gold, prediction = pair.gold, pair.prediction
    yield prediction, gold
    yield (), prediction
    yield gold, ()
    yield gold * 2, prediction * 2
    yield gold * 2, prediction
    yield gold[:1], prediction
    yield gold[::-1], prediction
    for change in (_as_text, _as_bytes, _as_float, _as_one, _as_null):
        yield _mapped(gold, change), _mapped(prediction, change)
        yield gold, _mapped(prediction, change)
    nulls = tuple((None,) * len(rows[0]) for rows in (gold, prediction))
    yield (*gold, nulls[0]), (*prediction, nulls[1])
    yield (*gold, nulls[0]), prediction
    yield tuple((*row, "x") for row in gold), tuple(("x", *row) for row in prediction)
    yield tuple((*row, None) for row in gold), prediction
    yield _mapped(gold[:1], _as_null) + gold[1:], _mapped(prediction[:1], _as_null) + prediction[1:]


def _changed_proofs(detail: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A proof with each field dropped, and with each replaced by something that it cannot be."""
    yield {}
    for field in detail:
        rest = {name: value for name, value in detail.items() if name != field}
        yield rest
        if field != "weak":
            yield {**rest, field: FOREIGN}
            yield {**rest, field: [FOREIGN]}
    yield {**detail, "weak": not detail.get("weak", False)}


def _shuffled(rows: Rows, seed: int) -> Rows:
    order = list(rows)
    Random(seed).shuffle(order)  # noqa: S311 - repeatable, not secret
    return tuple(order)


def _mapped(rows: Rows, change: Callable[[Any], Any]) -> Rows:
    return tuple(tuple(change(cell) for cell in row) for row in rows)


def _as_text(cell: Any) -> Any:
    return cell if cell is None else str(cell)


def _as_bytes(cell: Any) -> Any:
    return cell if cell is None else str(cell).encode()


def _as_float(cell: Any) -> Any:
    return float(cell) if isinstance(cell, int) else cell


def _as_one(cell: Any) -> Any:
    return cell if cell is None else 1


def _as_null(_cell: Any) -> None:
    return None


def _answer(rows: Rows) -> Answer:
    width = len(rows[0]) if rows else 0
    return Answer(tuple(f"c{index}" for index in range(width)), list(rows))


def _expect(holds: bool, relation: RelationKind[Any], complaint: str) -> None:
    """As assert, but also under ``python -O``."""
    if not holds:
        raise AssertionError(f"relation {relation.kind} {complaint}")
