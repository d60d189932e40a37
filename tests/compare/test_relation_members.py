"""Every relation keeps the promises of its file, and the suite notices one that does not."""

from __future__ import annotations

from typing import Any, get_type_hints

import msgspec
import pytest

from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import RELATIONS, Detail, RelationContext
from sqlverdict.compare.relations.extra_columns import ExtraColumns
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


def test_check_relation_takes_a_name() -> None:
    check_relation("scale")


class Credulous(ExtraColumns):
    def holds(self, detail: Detail, tables: TablePair) -> bool:
        return True


class Silent(ExtraColumns):
    def words(self, detail: Detail) -> str:
        return ""


class Forgiving(ExtraColumns):
    def harmless(self, detail: Detail, context: RelationContext) -> bool:
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
