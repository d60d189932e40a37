"""What a SELECT puts out: stars, the order of columns, names of outputs."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.prove.etm_paper.shapes import column_node, nodes_below, sort_key, table_name
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("11",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT * FROM t", "SELECT k, v FROM t"),
        Pair("SELECT u.* FROM t JOIN u ON t.k = u.w", "SELECT u.k, u.w FROM t JOIN u ON t.k = u.w"),
    ],
    different=[Pair("SELECT * FROM t", "SELECT v FROM t", because="t has k too")],
    corners=[
        Pair(
            "SELECT * FROM t NATURAL JOIN u",
            "SELECT t.k, t.v, u.k, u.w FROM t NATURAL JOIN u",
            because="the star shows the shared k once",
        ),
    ],
)
def paper_star_is_all_columns(node: exp.Select, facts: Facts) -> Expr | None:
    """A star is all columns.

    Statement
        SELECT * FROM t   ==   SELECT c1, c2, ... FROM t

    Holds when
        c1, c2, ... are the columns of t, and t is no derived table.

    Why
        This is what the star means.

    Limits
        In a NATURAL join and with USING the star shows a shared column once, here twice. After a
        column is added to t the two differ, as every fact of a schema does.

    Source
        ETM (Ascoli et al.), table 2, rule 11.
    """
    outputs: list[Expr] = []
    changed = False
    for item in node.expressions:
        columns = _columns(item, node, facts)
        changed = changed or columns is not None
        outputs += [item] if columns is None else columns
    if not changed:
        return None
    node.set("expressions", outputs)
    return node


def _columns(item: Expr, select: Expr, facts: Facts) -> list[Expr] | None:
    """The columns that a star stands for; ``None`` where it is none, or cannot be told."""
    if not isinstance(item, exp.Column) or not isinstance(item.this, exp.Star):
        return None
    qualifier = item.args.get("table")
    names = [qualifier.name] if qualifier is not None else list(map(table_name, items(select)))
    tables = [(name, facts.schema.table(name)) for name in names]
    return (
        [
            column_node(name, fold(column.name))
            for name, table in tables
            if table is not None
            for column in table.columns
        ]
        if all(table is not None for _, table in tables)
        else None
    )


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P2",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[Pair("SELECT k, v FROM t", "SELECT v, k FROM t")],
    different=[
        Pair("SELECT k, v FROM t", "SELECT k, k FROM t", because="v need not be k"),
        Pair("SELECT k FROM t", "SELECT k, k FROM t", because="a column is written twice"),
    ],
    corners=[
        Pair(
            "SELECT k, v FROM t UNION SELECT k, w FROM u",
            "SELECT v, k FROM t UNION SELECT k, w FROM u",
            because="the row (1, 2) of t is that of u only in one order",
        ),
    ],
)
def paper_column_order_is_free(node: exp.Select, facts: Facts) -> Expr | None:
    """The columns of a result may stand in any order.

    Statement
        SELECT c1, c2 FROM t   ==   SELECT c2, c1 FROM t

    Holds when
        Always; for the inner queries of a set operation, each side by itself.

    Why
        A person who reads the answer sees the same values.

    Limits
        Each side of a set operation is ordered by itself: ``SELECT a, b FROM t UNION SELECT a, b
        FROM u`` matches ``SELECT b, a FROM t UNION SELECT a, b FROM u``. With t = (1, 2) and
        u = (1, 2) the first has one row, the second two.

    Source
        ETM (Ascoli et al.), table 1, P2.
    """
    del facts
    ordered = sorted(node.expressions, key=sort_key)
    if all(before is after for before, after in zip(node.expressions, ordered, strict=True)):
        return None
    node.set("expressions", ordered)
    return node


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P6",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k + v AS n FROM t", "SELECT k + v FROM t"),
        Pair("SELECT COUNT(*) AS n FROM t", "SELECT COUNT(*) AS rows FROM t"),
        Pair(
            "SELECT v, COUNT(*) AS n FROM t GROUP BY v ORDER BY n",
            "SELECT v, COUNT(*) AS m FROM t GROUP BY v ORDER BY m",
        ),
    ],
    different=[
        Pair("SELECT k AS n FROM t", "SELECT v AS n FROM t", because="two columns, one name"),
    ],
    corners=[
        Pair(
            "SELECT v AS k FROM t WHERE k = 1",
            "SELECT v AS w FROM t WHERE w = 1",
            because="WHERE takes k for the column of t, and w for v",
        ),
    ],
)
def paper_output_names_do_not_count(node: exp.Select, facts: Facts) -> Expr | None:
    """A name given to an output column says nothing.

    Statement
        SELECT c AS n FROM t   ==   SELECT c FROM t

    Holds when
        Always.

    Why
        The rows of an answer have no names.

    Limits
        Every column that is spelt like the name is taken for the named expression, also where
        SQLite means a column: ``SELECT v AS k FROM t WHERE k = 1`` matches ``SELECT v AS w FROM t
        WHERE w = 1``, if t has a column k and none called w; SQLite asks k = 1 in the first and
        v = 1 in the second. A reference by name and the expression itself stay two things.

    Source
        ETM (Ascoli et al.), table 1, P6.
    """
    del facts
    aliases = [item for item in node.expressions if isinstance(item, exp.Alias)]
    if not aliases:
        return None
    for alias in aliases:
        word = alias.args["alias"]
        for column in nodes_below(node, exp.Column):
            if _same_word(column.this, word) and column.find_ancestor(exp.Alias) is None:
                column.set("this", counted_copy(alias.this))
    for alias in aliases:
        alias.replace(alias.this)
    return node


def _same_word(one: object, other: object) -> bool:
    if not isinstance(one, exp.Identifier) or not isinstance(other, exp.Identifier):
        return False
    quotes = bool(one.args.get("quoted")), bool(other.args.get("quoted"))
    return one.name == other.name and quotes[0] == quotes[1]
