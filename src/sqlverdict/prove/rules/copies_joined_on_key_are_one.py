"""Two copies of a table that are joined on a key are one copy.

Statement
    FROM t AS a, t AS b WHERE a.k = b.k   ==   FROM t AS a WHERE a.k IS NOT NULL, with a for b

Holds when
    k is UNIQUE in t.

Why
    The row of b with the value of a.k is the row of a.

Limits
    A key of several columns must be joined on all of them.

Source
    ETM (Ascoli et al.), rules 3 and 20, with the key added.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.dependencies import equal_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import drop_item, is_flat, split_items, substitute
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    paper=("20",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT b.v FROM t AS a JOIN t AS b ON a.k = b.k WHERE a.v > 1",
            "SELECT v FROM t WHERE v > 1 AND k IS NOT NULL",
            (Unique("t", ("k",)),),
        ),
    ],
    different=[
        Pair(
            "SELECT b.v FROM t AS a JOIN t AS b ON a.k = b.k",
            "SELECT v FROM t WHERE k IS NOT NULL",
            because="several rows may share k",
        ),
    ],
)
def copies_joined_on_key_are_one(node: exp.Select, facts: Facts) -> Expr | None:
    """Keep the first copy."""
    inner, _ = split_items(node)
    tables = [facts.bases.get(item.alias) for item in inner]
    if len(set(tables)) == len(tables) or not is_flat(node):
        return None
    classes = equal_columns(node, facts)
    for index, second in enumerate(inner):
        for first, base in zip(inner[:index], tables, strict=False):
            if base is None or base != tables[index]:
                continue
            a, b = first.alias, second.alias
            for columns, fact in facts.uniques(b):
                if all(any({(a, c), (b, c)} <= m for m in classes) for c in columns):
                    facts.cite(fact)
                    table = facts.table(b)
                    assert table is not None
                    names = [fold(column.name) for column in table.columns]
                    drop_item(node, b)
                    substitute(node, {(b, name): resolved(a, name) for name in names})
                    return node
    return None
