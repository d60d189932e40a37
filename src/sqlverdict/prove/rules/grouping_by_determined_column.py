"""A grouping column that the others determine makes no new groups.

Statement
    GROUP BY k, x      ==   GROUP BY k          k determines x
    GROUP BY name      ==   GROUP BY k          each determines the other

Holds when
    x follows from the other grouping columns by keys (UNIQUE and NOT NULL) and by the equalities
    of WHERE; constants always do. Of several keys of one table the first by name is used.

Why
    Rows that agree on the others agree on x too, so the groups are the same.

Limits
    Expressions other than columns are left alone.

Source
    ETM (Ascoli et al.), rule 4, with NOT NULL and joins in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.dependencies import (
    chosen_columns,
    closure,
    equal_columns,
    filters,
    item_keys,
    plain_columns,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import ColumnName, column_name, items
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key

KEY = (Unique("t", ("k",)), NotNull("t", "k"))
NAME = (Unique("t", ("v",)), NotNull("t", "v"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Group,),
    paper=("4",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k, v, COUNT(*) FROM t JOIN u ON k = f GROUP BY k, v",
            "SELECT k, v, COUNT(*) FROM t JOIN u ON k = f GROUP BY k",
            KEY[:1],
        ),
        Pair(
            "SELECT COUNT(*) FROM t, u GROUP BY k",
            "SELECT COUNT(*) FROM t, u GROUP BY v",
            (*KEY, *NAME),
        ),
    ],
    different=[
        Pair(
            "SELECT w, COUNT(*) FROM t JOIN u ON k = f GROUP BY k, w",
            "SELECT w, COUNT(*) FROM t JOIN u ON k = f GROUP BY k",
            KEY,
            because="rows of u with one f may differ in w",
        ),
    ],
)
def grouping_by_determined_column(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop it, or group by the table's first key instead."""
    group = node.args.get("group")
    if group is None:
        return None
    terms = list(group.expressions)
    columns = [term for term in terms if isinstance(term, exp.Column)]
    for term in sorted(columns, key=lambda c: _rank(column_name(c), facts), reverse=True):
        rest = [other for other in terms if other is not term]
        if any(expression_key(other) == expression_key(term) for other in rest) or (
            rest and column_name(term) in closure(node, facts, plain_columns(rest))
        ):
            group.set("expressions", rest)
            return node
    facts.cited.clear()
    return _by_first_key(node, group, columns, facts)


def _by_first_key(
    node: exp.Select, group: Expr, columns: list[exp.Column], facts: Facts
) -> Expr | None:
    grouped = plain_columns(columns)
    representatives = chosen_columns(node, facts, equal_columns(node, facts))
    for label in sorted({name for name, _ in grouped}):
        item = next((source for source in items(node) if source.alias == label), None)
        source_keys = item_keys(item, facts, list(filters(node))) if item is not None else []
        keys = sorted(source_keys, key=lambda entry: (len(entry[0]), sorted(entry[0])))
        own = {column for owner, column in grouped if owner == label}
        if not keys or own == keys[0][0]:
            continue
        constant = closure(node, facts, ())
        key_names = {(label, column) for column in keys[0][0]} - constant
        key_names = {representatives.get(name, name) for name in key_names}
        if not key_names or key_names <= grouped or not key_names <= closure(node, facts, grouped):
            continue
        key_names = _reduced(key_names, node, facts)
        other_terms = [
            term
            for term in group.expressions
            if not isinstance(term, exp.Column) or term.text("table") != label
        ]
        if (
            key_names <= grouped
            or _reduced(key_names | plain_columns(other_terms), node, facts) == grouped
        ):
            continue
        facts.cite(*keys[0][1])
        key_terms = [resolved(*name) for name in sorted(key_names)]
        group.set("expressions", [*other_terms, *key_terms])
        return node
    return None


def _reduced(names: set[ColumnName], node: exp.Select, facts: Facts) -> set[ColumnName]:
    """Without those that the others determine: these would be dropped again."""
    reduced = set(names)
    for name in sorted(names, key=lambda each: _rank(each, facts), reverse=True):
        if name in closure(node, facts, reduced - {name}):
            reduced.discard(name)
    return reduced


def _rank(name: ColumnName, facts: Facts) -> tuple[bool, str, str]:
    """Columns of keys first, so that they are the last to be dropped."""
    label, column = name
    is_key = any(column in columns for columns, _ in facts.keys(label))
    return not is_key, facts.bases.get(label, "").lower(), column
