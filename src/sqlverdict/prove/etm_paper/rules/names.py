"""The names of tables and columns: case, quotes, aliases, and the table that a column names."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import derived_label, nodes_below, table_name
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, joins
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P0",),
    schema='CREATE TABLE t (k INTEGER, v INTEGER, "Ä" INTEGER, "ä" INTEGER)',
    equal=[
        Pair('SELECT "K" FROM t', 'SELECT "k" FROM t'),
        Pair("SELECT K FROM T WHERE V > 1 AND K = 2", "SELECT k FROM t WHERE k = 2 AND v > 1"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE 'A' = 'a'",
            "SELECT k FROM t WHERE 'a' = 'a'",
            because="letters of text keep their case",
        ),
    ],
    corners=[
        Pair(
            'SELECT "Ä" FROM t',
            'SELECT "ä" FROM t',
            because="SQLite folds ASCII letters alone",
        ),
    ],
)
def paper_names_ignore_case(node: exp.Select, facts: Facts) -> Expr | None:
    """Names are the same in upper and lower case.

    Statement
        SELECT Name FROM T   ==   SELECT name FROM t

    Holds when
        Always.

    Why
        SQLite folds the ASCII letters of the names of tables, columns and aliases.

    Limits
        Python's lower case is wider than SQLite's: names that differ in a letter beyond ASCII
        (two columns, ``Ä`` and ``ä``) are two for SQLite and one here.

    Source
        ETM (Ascoli et al.), table 1, P0.
    """
    del facts
    changed = False
    for name in nodes_below(node, exp.Identifier):
        lower = name.name.lower()
        if lower != name.this:
            name.set("this", lower)
            changed = True
    return node if changed else None


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P8",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair('SELECT "t"."k" FROM "t" WHERE `v` > 1', "SELECT t.k FROM t WHERE v > 1"),
        Pair("SELECT [k] FROM t", "SELECT k FROM t"),
    ],
    different=[
        Pair("SELECT k FROM t", "SELECT 'k' FROM t", because="single quotes make a string"),
    ],
)
def paper_quotes_do_not_count(node: exp.Select, facts: Facts) -> Expr | None:
    """A name in quotes is the name.

    Statement
        SELECT "t"."c" FROM "t"   ==   SELECT t.c FROM t

    Holds when
        Always, for names; quoted words that name nothing are strings before any rule.

    Why
        Quotes let a name have spaces or be a word of SQL; they are no part of it.

    Limits
        A quoted word that names a column of any table is never a string here. In SQLite it is one
        where no column in reach has the name: with a table u that has a column w,
        ``SELECT k FROM t WHERE 'w' = "w"`` keeps every row, and here reads ``'w' = t.w``.

    Source
        ETM (Ascoli et al.), table 1, P8.
    """
    del facts
    changed = False
    for name in nodes_below(node, exp.Identifier):
        if name.args.get("quoted"):
            name.set("quoted", False)
            changed = True
    return node if changed else None


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P3",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT a.v FROM t AS a WHERE a.k > 1", "SELECT t.v FROM t WHERE t.k > 1"),
        Pair(
            "SELECT a.w FROM u AS a WHERE EXISTS (SELECT b.v FROM t AS b WHERE b.k = a.k)",
            "SELECT u.w FROM u WHERE EXISTS (SELECT t.v FROM t WHERE t.k = u.k)",
        ),
        Pair("SELECT d.v FROM (SELECT v FROM t) AS d", "SELECT e.v FROM (SELECT v FROM t) AS e"),
    ],
    different=[
        Pair(
            "SELECT a.k FROM t AS a JOIN u AS b ON a.k < b.k",
            "SELECT b.k FROM t AS a JOIN u AS b ON a.k < b.k",
            because="the aliases stand for two tables",
        ),
    ],
    corners=[
        Pair(
            "SELECT a.k FROM t AS a JOIN t AS b ON a.v < b.v",
            "SELECT b.k FROM t AS a JOIN t AS b ON a.v < b.v",
            because="the aliases stand for two rows of t",
        ),
        Pair(
            "SELECT a.k FROM t AS a WHERE EXISTS (SELECT 1 FROM t AS b WHERE b.k = a.v)",
            "SELECT a.k FROM t AS a WHERE EXISTS (SELECT 1 FROM t AS b WHERE b.k = b.v)",
            because="the first asks about the row outside, the second does not",
        ),
    ],
)
def paper_aliases_mean_their_table(node: exp.Select, facts: Facts) -> Expr | None:
    """An alias of a table stands for the table.

    Statement
        SELECT a.c FROM t AS a   ==   SELECT t.c FROM t

    Holds when
        Always; a derived table is called by its text.

    Why
        An alias is a name and nothing else.

    Limits
        A table that is joined to itself has two aliases for two different rows; both become the
        table's name, so that ``a.v > b.v`` reads ``t.v > t.v``. ``SELECT a.k FROM t AS a JOIN t AS
        b ON a.v < b.v`` matches the same query with ``b.k``: on the rows (1, 1) and (2, 2) the
        first answers 1, the second 2.

    Source
        ETM (Ascoli et al.), table 1, P3.
    """
    del facts
    changed = False
    for item in items(node):
        alias = item.args.get("alias")
        if alias is None:
            continue
        label = table_name(item) or derived_label(item.this)
        word = alias.this
        item.set("alias", None)
        changed = True
        if not isinstance(word, exp.Identifier):
            continue
        for column in nodes_below(node, exp.Column):
            table = column.args.get("table")
            if isinstance(table, exp.Identifier) and table.name == word.name:
                column.set("table", exp.Identifier(this=label))
    return node if changed else None


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P1",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT v FROM t WHERE k > 1", "SELECT t.v FROM t WHERE t.k > 1"),
        Pair(
            "SELECT v, w FROM t JOIN u ON t.k = u.k", "SELECT t.v, u.w FROM t JOIN u ON t.k = u.k"
        ),
    ],
    different=[
        Pair(
            "SELECT w FROM t JOIN u ON t.k < u.k",
            "SELECT t.v FROM t JOIN u ON t.k < u.k",
            because="w is a column of u",
        ),
    ],
    corners=[
        Pair(
            "SELECT v AS k FROM t ORDER BY k",
            "SELECT v AS k FROM t ORDER BY t.k",
            because="a bare name in ORDER BY is that of an output column first",
        ),
    ],
)
def paper_columns_name_their_table(node: exp.Select, facts: Facts) -> Expr | None:
    """A column without a table is of the one table that has it.

    Statement
        SELECT c FROM t   ==   SELECT t.c FROM t

    Holds when
        t is the only source, or the only base table among the sources that has such a column.

    Why
        SQLite looks a bare name up among the sources; where one has it, that one is meant.

    Limits
        Where t is the only source every bare name is given to it, a name of a query around it too.
        In ``SELECT a FROM u WHERE 1 IN (SELECT a FROM t)``, where t has no column a, the inner a is
        that of u; here it becomes t.a, and with ``t.a`` in another query it would be the same.
        ORDER BY looks among the names of the output first: ``SELECT v AS k FROM t ORDER BY k`` is
        in the order of v, and here in that of t.k.

    Source
        ETM (Ascoli et al.), table 1, P1.
    """
    changed = False
    for star in [item for item in node.expressions if isinstance(item, exp.Star)]:
        star.replace(exp.Column(this=exp.Star()))
        changed = True
    for column in nodes_below(node, exp.Column):
        if column.args.get("table") is None:
            table = _owner(column, node, facts)
            if table:
                column.set("table", exp.Identifier(this=table))
                changed = True
    return node if changed else None


def _owner(column: exp.Column, select: Expr, facts: Facts) -> str:
    """The table that a bare column belongs to; empty where it is not known."""
    tables = [table_name(item) for item in items(select)]
    if not joins(select):
        return tables[0] if tables else ""
    name = column.this.name if isinstance(column.this, exp.Identifier) else ""
    if not name:
        return ""
    owners = [table for table in tables if table and _has(table, name, facts)]
    return owners[0] if len(owners) == 1 else ""


def _has(table: str, column: str, facts: Facts) -> bool:
    declared = facts.schema.table(table)
    return declared is not None and declared.column(column) is not None
