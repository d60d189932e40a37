"""The join that the schema declares where the gold's condition joins nothing.

Candidate: ON names the foreign key between the two tables.

Applies to joins whose condition the signs ``one_table_join``, ``unrelated_join`` or ``cross_join``
speak against, where the schema declares one foreign key between the table and one before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from sqlverdict.audit.edits import sources_of
from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold

NAME = "declared_join"
_SIGNS = ("one_table_join", "unrelated_join", "cross_join")


@REPAIRS.member
class DeclaredJoin:
    """Golds that join by something else than the key."""

    title = "joins by the declared key"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with another condition, one join at a time."""
        if not any(gold.notices(name) for name in _SIGNS):
            return
        for number, _ in enumerate(gold.query.find_all(exp.Join)):
            tree = gold.query.tree.copy()
            join = list(tree.find_all(exp.Join))[number]
            keys = list(_keys(join, gold.subject.schema))
            if len(keys) != 1 or _has(join.args.get("on"), keys[0]):
                continue
            join.set("on", keys[0])
            join.set("using", None)
            text = gold.text(keys[0])
            yield CandidateGold(gold.text(tree), NAME, f"joins {join.this.name} by {text}")


def _has(condition: exp.Expr | None, key: exp.EQ) -> bool:
    """Whether a condition holds the key's equality already."""
    sides = {_side(key.this), _side(key.expression)}
    return condition is not None and any(
        {_side(node.this), _side(node.expression)} == sides for node in condition.find_all(exp.EQ)
    )


def _side(node: exp.Expr) -> tuple[str, str]:
    return (fold(node.table), fold(node.name)) if isinstance(node, exp.Column) else ("", "")


def _keys(join: exp.Join, schema: Schema) -> Iterator[exp.EQ]:
    """The foreign keys of one column between a joined table and those before it."""
    select = join.parent
    if not isinstance(select, exp.Select) or not isinstance(join.this, exp.Table):
        return
    for source in sources_of(select):
        if source is join.this:
            return
        if isinstance(source, exp.Table):
            yield from _between(source, join.this, schema)
            yield from _between(join.this, source, schema)


def _between(child: exp.Table, parent: exp.Table, schema: Schema) -> Iterator[exp.EQ]:
    table = schema.table(child.name)
    for key in table.foreign_keys if table is not None else ():
        if fold(key.parent) == fold(parent.name) and len(key.columns) == 1 == len(
            key.parent_columns
        ):
            yield exp.EQ(
                this=_column(child, key.columns[0]),
                expression=_column(parent, key.parent_columns[0]),
            )


def _column(source: exp.Table, name: str) -> exp.Column:
    table = source.args["alias"].this if source.alias else source.this
    return exp.column(exp.to_identifier(name, quoted=True), table=table.copy())
