"""The column that holds a literal where the gold compares another one.

Candidate: the comparison names the column that holds the value.

Applies where the sign ``dead_literal`` names another column, of a table that the query reads once.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject
from sqlverdict.parse.tokens import fold
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.signs.literals import compared_nodes

NAME = "literal_column"


@REPAIRS.member
class LiteralColumn:
    """Golds that look for a value in the wrong column."""

    title = "the column that holds the literal"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with another column, one literal at a time."""
        for notice in gold.notices("dead_literal"):
            other = str(notice.detail.get("other") or "")
            tree = gold.query.tree.copy()
            sources = [
                node for node in tree.find_all(exp.Table) if fold(node.name) == _table(other)
            ]
            if len(sources) != 1:
                continue
            name = exp.column(
                exp.to_identifier(other.partition(".")[2], quoted=True),
                table=sources[0].args["alias"].this.copy()
                if sources[0].alias
                else sources[0].this.copy(),
            )
            resolver = Resolver(tree, gold.subject.schema)
            wrong = (notice.detail["table"], notice.detail["column"])
            nodes = [
                value.parent
                for value, column, text in compared_nodes(tree, resolver)
                if (column, text) == (wrong, notice.detail["text"])
            ]
            for node in nodes:
                for column in list(node.find_all(exp.Column)) if node is not None else ():
                    if resolver.column(column) == wrong:
                        column.replace(name.copy())
            text = notice.detail["text"]
            yield CandidateGold(gold.text(tree), NAME, f"looks for {text!r} in {other}")


def _table(other: str) -> str:
    return fold(other.partition(".")[0])
