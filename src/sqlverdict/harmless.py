"""Which differences between two answers do not change the answer.

A relation is harmless only where it could not have been reached without understanding the
question. So every relation has to fulfil these conditions first:

* it is not chance (``weak``);
* every column of the gold has a column of its own in the prediction, unless the relation is that
  columns are missing;
* there are at most as many further columns as the gold has, or :data:`FURTHER_COLUMNS`, which
  is more: a query that returns whole tables contains many answers;
* an answer of one row has one further column at most, and no number beside the gold's number:
  of several figures nobody knows which is the answer;
* the columns that stand for the gold's read rows of the database: a list of numbers contains
  every count;
* it was not refuted: no ordinary database was found on which it does not hold (``broken``). A
  lucky match with one more column would stay hidden otherwise.

Then comes the condition of its own, in its file in ``compare/relations``.
"""

from __future__ import annotations

import re

from sqlverdict.compare.relation import RELATIONS, RelationContext, read_proof
from sqlverdict.evidence import Related, Relation
from sqlverdict.patterns import late_pattern
from sqlverdict.records import Case

TIED = "tie_superset"

FURTHER_COLUMNS = 2
"""How many columns an answer may have beyond those of a gold with one or two."""


_ORDER = late_pattern(
    r"\b(order|ordered|ordering|sort|sorted|sorting|rank|ranked|ranking|ranks|ascending|"
    r"descending|alphabetical|alphabetically|chronological|chronologically|top|first|last|"
    r"highest|lowest|largest|smallest|latest|earliest|oldest|youngest)\b",
    re.IGNORECASE,
)


def find_harmless(case: Case, difference: Related) -> Relation | None:
    """The relation that makes a difference harmless; ``None`` where there is none.

    Order matters where the gold orders, the question asks for an order, and the order is known.
    """
    gold = difference.shape.gold if difference.shape is not None else None
    one_row = gold is not None and gold[0] == 1
    order_matters = difference.ordered and asks_for_order(case)
    for relation in difference.relations:
        if not RELATIONS.has(relation.kind):
            continue
        member = RELATIONS.get(relation.kind)
        if not may_be_harmless(
            relation, one_row=one_row, trivial=member.trivial, fewer=member.fewer_columns
        ):
            continue
        proof = read_proof(relation)
        if proof is not None and member.harmless(proof, RelationContext(case, order_matters)):
            return relation
    return None


def may_be_harmless(
    relation: Relation, *, one_row: bool = False, trivial: bool = False, fewer: bool = False
) -> bool:
    """Whether a relation fulfils the conditions that all have in common.

    Answers that differ in what benchmarks do not compare are a match: that a search tells them
    apart elsewhere, or that they are short, says as much against them as against any match.
    """
    proof = relation.proof
    if not trivial and (proof.weak or relation.broken is not None):
        return False
    if proof.alternatives or proof.constant != ():
        return False
    if proof.columns is None or fewer:
        return fewer or not proof.missing
    most = 1 if one_row else max(FURTHER_COLUMNS, len(proof.columns))
    return None not in proof.columns and len(proof.extra) <= most


def asks_for_order(case: Case) -> bool:
    """Whether the question may ask for an order; one that is not known may."""
    if case.contract is not None and case.contract.order is not None:
        return case.contract.order != "ignore"
    # An order that an earlier turn asked for may still be meant.
    return not case.question or _ORDER.search(case.full_question) is not None
