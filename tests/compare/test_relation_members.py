"""Every relation keeps the promises of its file, and the suite notices one that does not."""

from __future__ import annotations

from typing import Any, get_type_hints

import msgspec
import pytest

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.proofs import ColumnsProof
from sqlverdict.compare.related.relate import is_related, relate, verify_relation
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import (
    RELATIONS,
    RelationContext,
    RelationKind,
    read_proof,
    relation_sentence,
    relation_words,
)
from sqlverdict.compare.relations.extra_columns import ExtraColumns
from sqlverdict.evidence import Related, Relation
from sqlverdict.evidence_parts import AnswerShapes
from sqlverdict.harmless import find_harmless
from sqlverdict.records import Answer, Case
from sqlverdict.testing import check_relation
from sqlverdict.testing.relations import RELATION_CHECKS, _claim


@pytest.mark.parametrize("name", RELATIONS.names())
@pytest.mark.parametrize("check", RELATION_CHECKS)
def test_a_relation_keeps_its_promises(name: str, check: str) -> None:
    RELATION_CHECKS[check](RELATIONS.get(name))


@pytest.mark.parametrize("name", RELATIONS.names())
def test_a_proof_has_the_type_that_its_relation_states(name: str) -> None:
    relation = RELATIONS.get(name)
    proof_type = get_type_hints(relation.words)["detail"]
    for pair in relation.joins:
        claim = _claim(relation, pair)
        assert claim is not None
        # A field that the type does not have is dropped; one of another form raises.
        assert msgspec.convert(claim.detail, proof_type) == claim.detail
        assert relation.read(claim.detail) == claim.detail
        assert relation.read({**claim.detail, "field_of_another_version": 1}) is None
        assert relation.read({**claim.detail, "order": 3}) is None


def test_a_logged_relation_of_another_form_is_shown_as_it_is_and_harms() -> None:
    relation = Relation("extra_columns", {"columns": "of another version"})
    assert relation_words(relation) == '{"columns": "of another version"}'
    answers = (Answer(("a",), [("a",)]), Answer(("a", "b"), [("a", 1)]))
    assert not verify_relation(relation, *answers, QueryPair("SELECT a", "SELECT a, 1"))
    case = Case("1", "db", "?", ("SELECT a",))
    shapes = AnswerShapes((1, 1), (1, 2))
    assert find_harmless(case, Related(by="compare", shape=shapes, relations=(relation,))) is None


@pytest.mark.parametrize("name", RELATIONS.names())
def test_a_proof_that_is_read_can_be_said_and_weighed(name: str) -> None:
    """Whatever field another version left out: nothing trips over it."""
    member = RELATIONS.get(name)
    claims = [_claim(member, pair) for pair in member.joins]
    shorter = [
        {field: value for field, value in claim.detail.items() if field not in left_out}
        for claim in claims
        if claim is not None
        for left_out in ({field} for field in claim.detail)
    ]
    whole = [claim.detail for claim in claims if claim is not None]
    changed = [
        {**detail, "changed": [{**change, "steps": []} if "steps" in change else {}]}
        for detail in whole
        for change in detail.get("changed", ())  # type: ignore[attr-defined]
    ]
    read = 0
    for detail in (*whole, {}, *shorter, *changed, *({"columns": [], **d} for d in shorter)):
        relation = Relation(name, detail)
        proof = read_proof(relation)
        read += proof is not None
        words = relation_words(relation)
        assert words.startswith("{") == (relation_sentence(relation) is None)
        if proof is None:
            continue
        for question in ("", "What is each one's total in ascending order, in percent?"):
            for order_matters in (False, True):
                case = Case("1", "db", question, ("SELECT a * 100 FROM t ORDER BY a",))
                member.harmless(proof, RelationContext(case, order_matters))
    assert read >= len(whole)
    assert all(
        relation_sentence(Relation(name, detail)) == member.words(detail) for detail in whole
    )
    assert relation_sentence(Relation(name)) is None


def test_a_relation_that_states_no_type_has_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    class Untyped(RelationKind):  # type: ignore[type-arg]
        kind = "untyped"

        def find(self, tables: TablePair) -> Relation | None:
            return None

        def holds(self, detail: Any, tables: TablePair) -> bool:
            return True

        def words(self, detail: Any) -> str:
            raise AssertionError("never asked")

    monkeypatch.setitem(RELATIONS._members, "untyped", Untyped())
    relation = Relation("untyped", {"a": 1})
    assert read_proof(relation) is None
    assert relation_words(relation) == '{"a": 1}'


def test_check_relation_takes_a_name() -> None:
    check_relation("scale")


class Credulous(ExtraColumns):
    def holds(self, detail: ColumnsProof, tables: TablePair) -> bool:
        return True


class Silent(ExtraColumns):
    def words(self, detail: ColumnsProof) -> str:
        return ""


class Forgiving(ExtraColumns):
    def harmless(self, detail: ColumnsProof, context: RelationContext) -> bool:
        return True


class WithoutExamples(ExtraColumns):
    joins = ()


@pytest.mark.parametrize(
    ("relation", "check", "complaint"),
    [
        (Credulous(), "rejects_other_proofs", "accepts"),
        (Silent(), "words", "has no words"),
        (Forgiving(), "harmless", "harmless"),
        (WithoutExamples(), "document", "test_relation_members.py"),
    ],
)
def test_the_suite_notices_a_broken_promise(
    relation: Any, check: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RELATIONS._members, relation.kind, relation)
    with pytest.raises(AssertionError, match=complaint):
        RELATION_CHECKS[check](relation)


_EXAMPLES = [
    (kind, pair)
    for name in RELATIONS.names()
    for pair in (*RELATIONS.get(name).joins, *RELATIONS.get(name).keeps_apart)
    if not pair.data
    for kind in RELATIONS.names()
]


def test_a_kind_is_related_just_where_all_relations_name_it() -> None:
    names = 0
    for kind, pair in _EXAMPLES:
        answers = [
            Answer(tuple(f"c{n}" for n in range(len(rows[0]) if rows else 0)), list(rows))
            for rows in (pair.gold, pair.prediction)
        ]
        queries = QueryPair(pair.gold_sql, pair.prediction_sql)
        kinds = {relation.kind for relation in relate(*answers, queries)}
        assert is_related(kind, *answers, queries) == (kind in kinds), (kind, pair)
        names += kind in kinds
    assert names >= len(RELATIONS.names()) - 2
