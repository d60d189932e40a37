"""Every relation keeps the promises of its file, and the suite notices one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import RELATIONS, Detail, RelationContext
from sqlverdict.compare.relations.extra_columns import ExtraColumns
from sqlverdict.testing import check_relation
from sqlverdict.testing.relations import RELATION_CHECKS


@pytest.mark.parametrize("name", RELATIONS.names())
@pytest.mark.parametrize("check", RELATION_CHECKS)
def test_a_relation_keeps_its_promises(name: str, check: str) -> None:
    RELATION_CHECKS[check](RELATIONS.get(name))


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
