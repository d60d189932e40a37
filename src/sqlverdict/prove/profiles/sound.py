"""Only rules that hold on every legal database; bags of rows, in order where the gold orders."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.derive import derive_by_normal_forms, shared_facts
from sqlverdict.prove.profile import PROFILES, ProofQuestion
from sqlverdict.prove.proof import Derivation
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.inner_order import ORDER_SHOWS, lost_order, visible_order
from sqlverdict.prove.resolve.fidelity import loss
from sqlverdict.prove.resolve.own_words import foreign, unknown_types
from sqlverdict.prove.resolve.query import resolve_query
from sqlverdict.prove.resolve.refusals import refusal
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.tree_key import column_keys, tree_key
from sqlverdict.records import Query


@PROFILES.member
class Sound:
    """The default: a proof is a proof."""

    name = "sound"
    about = "the two queries give the same rows on every legal database, up to what both leave open"
    drops_order = True

    def derive(self, question: ProofQuestion) -> Derivation:
        """Rewrite both queries to normal forms and compare these."""
        return derive_by_normal_forms(question, "sound")

    def read(
        self, query: Query, schema: Schema, facts: frozenset[Fact], reading: int = 0
    ) -> tuple[Expr, Facts]:
        """The tree with every name resolved.

        Raises:
            Unsupported: a name, a table or a clause is beyond the prover.
        """
        start = resolve_query(query, schema, facts, reading)
        return start.tree, shared_facts(schema, facts, query.dialect).over(start.bases)

    def objection(self, sql: str, tree: Expr, facts: Facts) -> str | None:
        """What the tree may have lost of the text, or what no rule may touch."""
        record = facts.record
        lost = loss(sql, facts.schema) if record.in_python else foreign(sql, record.name)
        if lost is None and not record.in_python and tree.find(exp.Anonymous) is not None:
            # The kinds of all other expressions were looked at when the query was read.
            lost = unknown_types(sql, record.name, facts.schema)
        return lost or refusal(tree, facts) or lost_order(tree, facts.record)

    def difference(
        self, gold: Expr, prediction: Expr, columns: tuple[int, ...], fixed_columns: bool
    ) -> str | None:
        """Compare the normal forms, and the pairs of columns that the proof claims."""
        if visible_order(gold) or visible_order(prediction):
            return f"the last two trees are beyond the prover: {ORDER_SHOWS}"
        if tree_key(gold, column_order=fixed_columns) != tree_key(
            prediction, column_order=fixed_columns
        ):
            return f"the last two trees differ: {resolved_sql(gold)} and {resolved_sql(prediction)}"
        ours = column_keys(gold)
        if not columns:
            return None
        if sorted(columns) != list(range(len(ours))):
            return f"the columns {columns} do not pair {len(ours)} columns with each other"
        if list(columns) == sorted(columns) and tree_key(gold) == tree_key(prediction):
            return None
        theirs = column_keys(prediction)
        if any(theirs[index] != key for index, key in zip(columns, ours, strict=True)):
            return f"the columns {columns} pair columns that are not the same"
        return None

    def text(self, tree: Expr) -> str:
        """The tree as SQL that runs."""
        return resolved_sql(tree)
