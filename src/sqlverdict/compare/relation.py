"""What a relation between two unequal answers is, and how relation files register.

A relation is one file in ``compare/relations``: a docstring that is its document, and one class
that finds the relation, checks its proof, says it in words and knows when it does not matter.
``sqlverdict.testing.check_relation`` holds each to its promises; the machinery is in
``compare/related``.

A relation is evidence, never a verdict: that the prediction has gold's columns and one more
does not say whether the question allows for it.

Proofs are JSON. Fields that several relations share:

* ``columns``: the prediction's column for each gold column, from 0; null where none
  stands for it. ``extra`` and ``missing`` list the columns left over.
* ``order``: ``free`` where gold does not order its rows, else ``same`` or ``other``.
* ``changed``: the columns that are equal only after a transformation, and which.
* ``weak``: true where the proof may be chance: it rests on one row of tiny values (NULL,
  one character, one significant digit) or on several rows of one value. Absent otherwise.
* ``constant``: the prediction's columns that stand for gold's and read no row of the
  database, or all of its columns where there is no map; null where its text could not be
  followed. Absent where every one of them reads.
* ``alternatives``: in answers of one row, the further columns that hold numbers beside a gold
  that does: each could be the answer as well. Absent where there are none.
"""

from __future__ import annotations

import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast, get_args, is_typeddict

import msgspec

from sqlverdict.records import Case, Row
from sqlverdict.registry import Registry, sections_of

if TYPE_CHECKING:
    from sqlverdict.compare.related.proofs import ColumnsProof, RelationProof
    from sqlverdict.compare.related.table_pair import TablePair
    from sqlverdict.records import Relation

SECTIONS = ("Statement", "Holds when", "Proof", "Why", "Limits")
"""The headings of a relation's document. *Why* says why it is harmless, or why it is not."""

Proof = TypeVar("Proof", bound="RelationProof")
"""The type of a relation's proof: one of ``compare/related/proofs.py``, or one in its file."""


@dataclass(frozen=True)
class AnswerPair:
    """Two answers that a relation joins, or that it keeps apart.

    Attributes:
        gold: The gold answer.
        prediction: The prediction's answer.
        gold_sql: The gold query, where its text counts.
        prediction_sql: The predicted query, where its text counts.
        data: Statements that make the database, where the relation runs a query; both queries
            give the two answers there.
        question: The question, where the relation is harmless for some questions only.
        harmless: Whether the relation does not matter here; ``None``: not part of the example.
        because: Why a pair is kept apart.
    """

    gold: tuple[Row, ...]
    prediction: tuple[Row, ...]
    gold_sql: str = ""
    prediction_sql: str = ""
    data: str = ""
    question: str = ""
    harmless: bool | None = None
    because: str = ""


@dataclass(frozen=True)
class RelationContext:
    """What the condition of a harmless relation may look at besides the proof.

    Attributes:
        case: The case: its question, its knowledge, its golds.
        order_matters: Whether the order of rows matters.
    """

    case: Case
    order_matters: bool = False

    def mentions(self, words: re.Pattern[str]) -> bool:
        """Whether the question or the knowledge that comes with it has one of the words."""
        return any(words.search(text) for text in (self.case.question, self.case.known))

    def allows_order(self, detail: RelationProof) -> bool:
        """Whether the rows stand in gold's order, or in any where order does not matter."""
        return not self.order_matters or detail.get("order") != "other"


class RelationKind(ABC, Generic[Proof]):
    """One relation between two unequal answers, with the type of its proof.

    Attributes:
        kind: Its name: that of its file.
        rank: Relations are tried by rank, the more precise first. Ranks are ten apart, so that a
            new relation fits between two others.
        tag: The error tag that it stands for; one of ``compare/tags``.
        needs: The fields of its proof, or of each changed column, that :meth:`words` reads.
        harmless_when: The condition of :meth:`harmless` in words; empty: it always matters.
        trivial: The answers differ in what public benchmarks do not compare.
        final: No relation of a later rank is looked for: it would say less precisely the same.
        cheap: It is also tried on answers that are too large for a search.
        any_order: It says nothing about the order of rows.
        fewer_columns: Columns of the gold may be missing from the prediction.
        same_values: Both answers hold the same values; one may hold more of them than the other.
        joins: Pairs of answers between which it holds.
        keeps_apart: Pairs between which it does not, each with ``because``.
    """

    kind: ClassVar[str]
    rank: ClassVar[int]
    tag: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    joins: ClassVar[tuple[AnswerPair, ...]]
    keeps_apart: ClassVar[tuple[AnswerPair, ...]]
    harmless_when: ClassVar[str] = ""
    trivial: ClassVar[bool] = False
    final: ClassVar[bool] = True
    cheap: ClassVar[bool] = True
    any_order: ClassVar[bool] = False
    fewer_columns: ClassVar[bool] = False
    same_values: ClassVar[bool] = False

    @classmethod
    def read(cls, detail: Mapping[str, object]) -> Proof | None:
        """A logged proof as one of this relation; ``None`` where it is of another form.

        A log may be of another version, or of another version of a plug-in.
        """
        types = [each for base in getattr(cls, "__orig_bases__", ()) for each in get_args(base)]
        for kind in filter(is_typeddict, types):
            try:
                msgspec.convert(detail, kind)
            except msgspec.ValidationError:
                return None
            known = detail.keys() <= kind.__annotations__.keys()
            return cast("Proof", detail) if known else None
        return None

    @abstractmethod
    def find(self, tables: TablePair) -> Relation | None:
        """The relation with its proof, where it holds; both answers have rows and differ."""

    @abstractmethod
    def holds(self, detail: Proof, tables: TablePair) -> bool:
        """Whether the proof is one, checked on the rows without a search."""

    @abstractmethod
    def words(self, detail: Proof) -> str:
        """The proof as a sentence for a reader, without a full stop."""

    def harmless(self, detail: Proof, context: RelationContext) -> bool:
        """Whether the relation does not change the answer to the question.

        The conditions that all relations have in common are in :mod:`sqlverdict.harmless`.
        """
        del detail, context
        return False

    def allows_empty_gold(self, prediction: tuple[Row, ...]) -> bool:
        """Whether it holds between a gold answer without rows and this prediction."""
        del prediction
        return False

    @property
    def document(self) -> str:
        """The docstring of its file."""
        return sys.modules[type(self).__module__].__doc__ or ""

    @property
    def title(self) -> str:
        """The first line of its document."""
        return self.document.split("\n", 1)[0].strip()

    @property
    def sections(self) -> dict[str, str]:
        """The document's text by heading; a missing heading is absent."""
        return sections_of(self.document, SECTIONS)


RELATIONS: Registry[RelationKind[Any]] = Registry(
    "relation", "sqlverdict.compare.relations", "sqlverdict.relations"
)


def read_proof(relation: Relation) -> RelationProof | None:
    """The proof of a relation, typed as its own file says.

    A relation holds what a log does, JSON. Here it becomes a proof; whoever says, weighs or checks
    one gets it from here.

    Returns:
        The proof; ``None`` where there is no relation of that kind (of a plug-in that is not
        installed, say), or its proof is of another form.
    """
    if not RELATIONS.has(relation.kind):
        return None
    proof: RelationProof | None = RELATIONS.get(relation.kind).read(relation.detail)
    return proof


def relation_sentence(relation: Relation) -> str | None:
    """What a relation says; ``None`` where its proof is not known, or lacks what would be said."""
    proof = read_proof(relation)
    if proof is None:
        return None
    member = RELATIONS.get(relation.kind)
    changed = cast("ColumnsProof", proof).get("changed") or ()
    has_all = all(
        name in proof or (changed and all(name in each for each in changed))
        for name in member.needs
    )
    return member.words(proof) if has_all else None


def relation_words(relation: Relation) -> str:
    """What a relation says."""
    words = relation_sentence(relation)
    if words is not None:
        return words
    # It may be of another version, or of a plug-in that is not installed.
    return json.dumps(relation.detail, ensure_ascii=False, default=str)


def relation_text(relation: Relation, *, with_kind: bool = True) -> str:
    """A relation in words, with its name and what makes it worth less.

    Args:
        relation: The relation.
        with_kind: Whether its name stands behind it.
    """
    proof = relation.proof
    doubts = {
        "weak: may be chance": proof.weak,
        "it reads no data for this": bool(proof.constant),
        "with other numbers beside it": bool(proof.alternatives),
        "it does not hold on another legal database": relation.broken is not None,
    }
    notes = [relation.kind] if with_kind else []
    notes += [words for words, holds in doubts.items() if holds]
    return relation_words(relation) + (f" ({'; '.join(notes)})" if notes else "")
