"""Joins: their order, equal columns, idle ones, rows without a partner."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, PrimaryKey, References, Unique
from sqlverdict.prove.etm_paper.constraints import is_not_null, key_columns, parent_and_child
from sqlverdict.prove.etm_paper.shapes import (
    column_node,
    has_side,
    node_text,
    nodes_below,
    on_conditions,
    own_columns,
    plain_name,
    set_sources,
    sort_key,
    table_name,
    true_condition,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, joins, parts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P4",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT w FROM t JOIN u ON t.k = u.k", "SELECT w FROM u JOIN t ON t.k = u.k"),
        Pair("SELECT w FROM t INNER JOIN u ON t.k > u.k", "SELECT w FROM t JOIN u ON t.k > u.k"),
    ],
    different=[
        Pair(
            "SELECT w FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT w FROM u LEFT JOIN t ON t.k = u.k",
            because="a left join keeps the rows of its left side",
        ),
    ],
    corners=[
        Pair(
            "SELECT t.v FROM t NATURAL JOIN u",
            "SELECT t.v FROM t JOIN u",
            because="a natural join asks that the k are equal",
        ),
        Pair(
            "SELECT v FROM t JOIN u USING (k)",
            "SELECT v FROM t JOIN u",
            because="USING asks that the k are equal",
        ),
    ],
)
def paper_joins_commute(node: exp.Select, facts: Facts) -> Expr | None:
    """Inner joins may be written in any order, with their conditions at any of them.

    Statement
        SELECT _ FROM t JOIN u ON d   ==   SELECT _ FROM u JOIN t ON d

    Holds when
        No join of the SELECT is an outer one.

    Why
        Inner joins commute and associate, and their ON conditions are a conjunction.

    Limits
        The word before JOIN, USING and NATURAL are dropped: ``SELECT t.v FROM t NATURAL JOIN u``
        matches ``SELECT t.v FROM t JOIN u``. With one row in t, and two in u of which none shares
        its k, the first is empty and the second has two rows.

    Source
        ETM (Ascoli et al.), table 1, P4.
    """
    del facts
    if not joins(node) or has_side(node):
        return None
    before = node_text([node.args["from_"], *joins(node)])
    on = [join.args["on"] for join in joins(node) if join.args.get("on") is not None]
    set_sources(node, sorted(items(node), key=sort_key), sorted(on, key=sort_key))
    return node if node_text([node.args["from_"], *joins(node)]) != before else None


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("19",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER, s TEXT)",
    equal=[
        Pair("SELECT t.k FROM t JOIN u ON t.k = u.k", "SELECT u.k FROM t JOIN u ON t.k = u.k"),
        Pair(
            "SELECT v FROM t JOIN u ON t.k = u.k WHERE u.k > 1",
            "SELECT v FROM t JOIN u ON t.k = u.k WHERE t.k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT t.k FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT u.k FROM t LEFT JOIN u ON t.k = u.k",
            because="u.k is NULL where t has no partner",
        ),
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k < u.k",
            "SELECT u.k FROM t JOIN u ON t.k < u.k",
            because="the join does not set them equal",
        ),
    ],
    corners=[
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k = u.s",
            "SELECT u.s FROM t JOIN u ON t.k = u.s",
            because="the number 1 and the text '1' are equal in the join, and are two values",
        ),
    ],
)
def paper_joined_columns_are_equal(node: exp.Select, facts: Facts) -> Expr | None:
    """Columns that a join sets equal may stand for one another.

    Statement
        SELECT t1.c1 FROM t1 JOIN t2 ON t1.c1 = t2.c2   ==   SELECT t2.c2 FROM (the same)

    Holds when
        The join is no outer one, and the equality is a conjunct of its ON.

    Why
        In every row that the join makes the two have the same value.

    Limits
        Equal is not the same: with a TEXT column '1.0' joined to a NUMERIC column 1, both sides of
        the join are equal and are shown as '1.0' and 1. Nor are the types of an INTEGER and a REAL.

    Source
        ETM (Ascoli et al.), table 3, rule 19.
    """
    equalities = [
        part
        for join in joins(node)
        if not join.args.get("side")
        for part in parts(join.args.get("on"))
        if isinstance(part, exp.EQ) and plain_name(part.this) and plain_name(part.expression)
    ]
    equality_keys = {node_text(part) for part in equalities}
    columns = [
        column
        for column in (own_columns(node) if equalities else ())
        if not isinstance(column.parent, exp.EQ) or node_text(column.parent) not in equality_keys
    ]
    changed = False
    for part in sorted(equalities, key=node_text, reverse=True):
        first, second = sorted((part.this, part.expression), key=node_text)
        for number, column in enumerate(columns):
            new = _better(column, first, second, facts)
            if new is not None:
                columns[number] = new.copy()
                column.replace(columns[number])
                changed = True
    return node if changed else None


def _better(
    column: exp.Column, first: exp.Column, second: exp.Column, facts: Facts
) -> exp.Column | None:
    """Which of two equal columns is written for one of them, where it is the other."""
    here = node_text(column)
    if here not in (node_text(first), node_text(second)) or node_text(first) == node_text(second):
        return None
    better = first
    if isinstance(column.parent, exp.Count | exp.Is):
        # Only whether it is NULL counts here, which the one that never is tells best.
        better = second if is_not_null(second, facts) and not is_not_null(first, facts) else first
    return better if node_text(better) != here else None


LINK = (
    PrimaryKey("t", ("k",)),
    Unique("t", ("k",)),
    NotNull("t", "k"),
    References("u", ("k",), "t", ("k",)),
)
KEY = (*LINK, NotNull("u", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("14",),
    schema=(
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER); "
        "CREATE TABLE u (k INTEGER REFERENCES t (k), w INTEGER)"
    ),
    equal=[
        Pair("SELECT u.w FROM t JOIN u ON t.k = u.k", "SELECT w FROM u", KEY),
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k = u.k WHERE u.w > 1",
            "SELECT k FROM u WHERE w > 1",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT t.v FROM t JOIN u ON t.k = u.k",
            "SELECT w FROM u",
            KEY,
            because="v is the parent's",
        ),
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k = u.k",
            "SELECT k FROM t",
            KEY,
            because="a parent may have no child, or several",
        ),
    ],
    corners=[
        Pair(
            "SELECT u.w FROM t JOIN u ON t.k = u.k",
            "SELECT w FROM u",
            LINK,
            because="a child whose k is NULL has no parent",
        ),
        Pair(
            "SELECT u.w FROM t JOIN u ON t.k = u.k AND u.w = 5",
            "SELECT w FROM u",
            KEY,
            because="the further condition is dropped with the join",
        ),
    ],
)
def paper_join_to_parent_is_idle(node: exp.Select, facts: Facts) -> Expr | None:
    """A join with the parent of a foreign key is idle where nothing else of the parent is used.

    Statement
        SELECT _ FROM t1 JOIN t2 ON t1.c1 = t2.c2   ==   SELECT _ FROM t2

    Holds when
        t2.c2 is a foreign key that references t1.c1, the whole primary key of t1; no other column
        of t1 is used; no join is an outer one.

    Why
        Each row of t2 has exactly one row of t1 that it points to: the join neither repeats nor
        drops a row. t1.c1 is written t2.c2.

    Limits
        A foreign key may be NULL: with one row in t2 whose c2 is NULL the join is empty, and
        without it there is one row. When a single table is left, further ON conditions are dropped
        with the join: ``ON t1.c1 = t2.c2 AND t2.x = 5`` keeps only rows with x = 5.

    Source
        ETM (Ascoli et al.), table 2, rule 14.
    """
    if not joins(node) or has_side(node):
        return None
    for condition in reversed(on_conditions(node)):
        reference = parent_and_child(condition, facts)
        if reference is None or len(key_columns(reference[0][0], facts)) != 1:
            continue
        parent, child, fact = reference
        sources = items(node)
        parents = [item for item in sources if table_name(item) == parent[0]]
        used = {plain_name(column) for column in own_columns(node)}
        if not parents or any(name and name[0] == parent[0] and name != parent for name in used):
            continue
        facts.cite(fact)
        left = [item for item in sources if item is not parents[0]]
        on = [part for part in on_conditions(node) if part is not condition]
        on = [part for part in on if isinstance(part, exp.EQ)] or [true_condition()]
        set_sources(node, left, on)
        for column in nodes_below(node, exp.Column):
            if plain_name(column) == parent:
                column.replace(column_node(*child))
        return node
    return None


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("25",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"), NotNull("u", "k")),
        ),
    ],
    different=[
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NOT NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"),),
            because="the first keeps the rows with a partner",
        ),
        Pair(
            "SELECT t.v FROM t JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"), NotNull("u", "k")),
            because="an inner join fills in no NULL",
        ),
    ],
    corners=[
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"),),
            because="NOT IN is unknown where u.k is NULL",
        ),
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("u", "k"),),
            because="the join keeps a row whose k is NULL",
        ),
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.w IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"), NotNull("u", "k")),
            because="w may be NULL in a row that is a partner",
        ),
    ],
)
def paper_left_join_null_is_not_in(node: exp.Select, facts: Facts) -> Expr | None:
    """A left join whose partner is missing is NOT IN.

    Statement
        SELECT _ FROM t1 LEFT JOIN t2 ON t1.c1 = t2.c2 WHERE t2._ IS NULL
        ==   SELECT _ FROM t1 WHERE t1.c1 NOT IN (SELECT c2 FROM t2)

    Holds when
        The left join is the only join, and IS NULL the only condition.

    Why
        The join fills t2 with NULLs exactly where no row of t2 fits.

    Limits
        A NULL in t2.c2 makes NOT IN unknown for every row; a NULL in t1.c1 is kept by the join and
        dropped by NOT IN. Where the tested column may be NULL in t2 itself, rows with a partner are
        kept too: with t1 = (1) and t2 = (c2, v) = (1, NULL), ``WHERE t2.v IS NULL`` keeps the row.

    Source
        ETM (Ascoli et al.), table 3, rule 25.
    """
    del facts
    where = node.args.get("where")
    if where is None or len(joins(node)) != 1 or not isinstance(where.this, exp.Is):
        return None
    join, test = joins(node)[0], where.this
    on = join.args.get("on")
    if (join.side or "").upper() != "LEFT" or not isinstance(test.expression, exp.Null):
        return None
    left_table, missing = table_name(items(node)[0]), plain_name(test.this)
    if not isinstance(on, exp.EQ) or missing is None or not left_table:
        return None
    for outer, inner in ((on.this, on.expression), (on.expression, on.this)):
        outside, inside = plain_name(outer), plain_name(inner)
        if outside is None or inside is None or outside[0] != left_table or inside[0] != missing[0]:
            continue
        table = exp.Table(this=exp.Identifier(this=missing[0]))
        query = exp.Select(expressions=[inner.copy()], from_=exp.From(this=table))
        condition = exp.In(this=outer.copy(), query=exp.Subquery(this=query))
        node.set("where", exp.Where(this=exp.Not(this=condition)))
        node.set("joins", None)
        return node
    return None
