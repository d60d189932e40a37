"""A query's text placed into contexts, and expressions of it into others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.query import parse
from sqlverdict.prove.reasoning.shape import is_aggregate, own_nodes
from sqlverdict.records import ParseFailure

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.expressions import Expr

    Texts: TypeAlias = "list[str] | tuple[str, ...] | OtherClauses"

VALUES = (
    "{e}",
    "{e} = 1",
    "{e} = '1'",
    "1 < {e}",
    "{e} <> '01'",
    "{e} >= 2.5",
    "{e} > 'A'",
    "{e} IN (1, '2', 2.5)",
    "{e} NOT IN (1, 'a')",
    "{e} BETWEEN 0 AND '1'",
    "{e} IS NULL",
    "{e} IS 1",
    "NOT ({e})",
    "({e}) AND 1",
    "({e}) IS TRUE",
    "{e} || ''",
    "{e} + 0",
    "{e} * 2",
    "{e} / 2",
    "-({e})",
    "CAST({e} AS TEXT)",
    "CAST({e} AS INTEGER)",
    "typeof({e})",
    "ROUND({e}, 1)",
    "({e}) LIKE '1%'",
    "CASE {e} WHEN 1 THEN 'x' WHEN '1' THEN 'y' ELSE 'z' END",
    "CASE WHEN {e} THEN 1 ELSE 0 END",
    "CASE WHEN {e} > '0' THEN 1 END",
    "COALESCE({e}, 'n')",
    "({e}, 1) = (1, 1)",
    "{e} = {c}",
    "{c} < {e}",
    "{e} IN (SELECT '1' UNION SELECT 2)",
    "{e} = (SELECT '1')",
)
"""What is made of a value ``{e}``, beside a column ``{c}``."""

_ROWS = (
    "SELECT {v} {rest}",
    "SELECT DISTINCT {v} {rest}",
    "SELECT {v} {rest} ORDER BY {v} LIMIT 1",
    "SELECT {v} {rest} ORDER BY 1 DESC LIMIT 2",
    "SELECT d.c FROM (SELECT {v} AS c {rest}) AS d WHERE d.c > '0'",
    "SELECT COUNT(*) FROM (SELECT {v} AS c {rest}) AS d GROUP BY d.c",
    "SELECT (SELECT {v} {rest} LIMIT 1)",
    "SELECT 1 IN (SELECT {v} {rest})",
    "SELECT '1' NOT IN (SELECT {v} {rest})",
    "SELECT {v} {rest} UNION SELECT 1",
    "SELECT {v} {rest} EXCEPT SELECT '1'",
)
"""Queries that show a value of every row, or of every group."""

_PLAIN = (
    "SELECT {c} {start} WHERE {v}",
    "SELECT COUNT(*) {start} WHERE NOT ({v})",
    "SELECT COUNT(*), MAX({v}), SUM({v}) {rest}",
    "SELECT COUNT(DISTINCT {v}), MIN({v}), AVG({v}) {rest}",
    "SELECT COUNT(*) {rest} GROUP BY {v}",
    "SELECT {c}, COUNT(*) {rest} GROUP BY {c} HAVING MAX({v}) > '0'",
    "SELECT COUNT(*) FILTER (WHERE {v}) {rest}",
    "SELECT COUNT(*) OVER (PARTITION BY {v}) {rest}",
)
"""Queries that compute with a value of every row."""

_FOLDED = (
    "SELECT {c} {start} GROUP BY {c} HAVING {v}",
    "SELECT {v} {start} GROUP BY {c}",
    "SELECT {v}, COUNT(*) {start} GROUP BY {c} ORDER BY {v} LIMIT 1",
)
"""Queries that show a value of every group, where it aggregates."""

_CALLS = (
    "SELECT {e} FILTER (WHERE {c} > 1) {start}",
    "SELECT {c}, {e} FILTER (WHERE {c} > 1) {start} GROUP BY {c}",
    "SELECT {e} OVER () {start}",
    "SELECT {e} FILTER (WHERE {c} > 1) OVER () {start} LIMIT 1",
)
"""What only a call of an aggregate may be put into."""

_TABLES = (
    "WITH q({names}) AS ({sql}) SELECT {v} FROM q",
    "WITH q({names}) AS ({sql}) SELECT DISTINCT {v} FROM q",
    "WITH q({names}) AS ({sql}) SELECT COUNT(*) FROM q WHERE {v}",
    "WITH q({names}) AS ({sql}) SELECT COUNT(*) FROM q GROUP BY {v}",
    "WITH q({names}) AS ({sql}) SELECT MAX({v}), SUM({v}), COUNT(DISTINCT {v}) FROM q",
    "WITH q({names}) AS ({sql}) SELECT {v} FROM q ORDER BY {v} LIMIT 1",
)
"""A query as a table, of which ``{v}`` is computed."""

_WHOLE = (
    "{sql}",
    "SELECT * FROM ({sql}) AS d",
    "SELECT COUNT(*) FROM ({sql}) AS d",
    "SELECT DISTINCT * FROM ({sql}) AS d",
    "SELECT 1 WHERE EXISTS ({sql})",
    "SELECT 1 WHERE NOT EXISTS ({sql})",
    "SELECT * FROM ({sql}) AS d UNION ALL SELECT * FROM ({sql}) AS e",
    "SELECT * FROM ({sql}) AS d EXCEPT SELECT * FROM ({sql}) AS e",
)

_FIRST = (
    "WITH q({names}) AS ({sql}) SELECT {names} FROM q LIMIT 1",
    "WITH q({names}) AS ({sql}) SELECT {names} FROM q LIMIT 2",
    "WITH q({names}) AS ({sql}) SELECT {names} FROM (SELECT * FROM q) AS d LIMIT 1",
    "WITH q({names}) AS ({sql}) SELECT {names} FROM q UNION ALL SELECT {names} FROM q LIMIT 1",
    "WITH q({names}) AS ({sql}) SELECT (SELECT c0 FROM q)",
)
"""A query of which the first rows are taken."""

_OF_ONE_COLUMN = (
    "SELECT ({sql})",
    "SELECT ({sql}) = '1'",
    "SELECT 1 IN ({sql})",
    "SELECT '1' IN ({sql})",
    "SELECT '1' NOT IN ({sql})",
    "SELECT ({sql}) || ''",
    "SELECT ({sql}) / 2",
)

_CLAUSES = ("distinct", "limit", "offset", "order", "window", "count", "group", "bare")


@lru_cache(maxsize=64)  # A rule's queries are placed again for each engine.
def placements(sql: str, matches: tuple[type, ...]) -> tuple[Texts, ...]:
    """A query as it is, in contexts, with other clauses, and its expressions in contexts.

    Args:
        sql: A query of a rule's pairs.
        matches: The nodes that the rule looks at.

    Returns:
        Texts that belong together in one sequence, so that each context has its share.
    """
    from sqlglot import exp

    parsed = parse(sql)
    if isinstance(parsed, ParseFailure):
        return ((sql,),)
    groups = list(_of_query(sql, parsed.tree, matches))
    for inner in parsed.tree.find_all(exp.Select, exp.SetOperation):
        if inner is not parsed.tree and isinstance(inner, matches):
            groups += _of_query(str(inner.sql(DEFAULT_DIALECT)), inner, matches)
    return tuple(groups)


def _of_query(sql: str, tree: Expr, matches: tuple[type, ...]) -> Iterator[Texts]:
    from sqlglot import exp

    width = _width(tree)
    names = ", ".join(f"c{number}" for number in range(width))
    yield [template.format(sql=sql) for template in _WHOLE]
    yield [template.format(names=names, sql=sql) for template in _FIRST]
    if width == 1:
        yield [template.format(sql=sql) for template in _OF_ONE_COLUMN]
    values = [value.format(e="q.c0", c=f"q.c{width - 1}") for value in VALUES]
    for shapes in (_TABLES[:3], _TABLES[3:]):
        texts = [shape.format(names=names, sql=sql, v=v) for shape in shapes for v in values]
        yield texts
    if isinstance(tree, exp.Select):
        yield OtherClauses(tree)
        for node in tree.walk():
            if isinstance(node, matches) and _is_value(node, tree):
                yield from _of_value(node, tree)


def _width(tree: Expr) -> int:
    from sqlglot import exp

    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this
    return len(tree.expressions)


@dataclass(frozen=True)
class OtherClauses:
    """The query with another clause: DISTINCT, LIMIT, ORDER BY, a window, a further column.

    A text is made when it is drawn: most never are, and to change and write a tree takes long.
    """

    tree: exp.Select

    def __len__(self) -> int:
        return len(_CLAUSES)

    def __getitem__(self, number: int) -> str:
        query, column = self.tree.copy(), _column(self.tree)
        match _CLAUSES[number]:
            case "distinct":
                query = query.distinct()
            case "limit":
                query = query.limit(1)
            case "offset":
                query = query.limit(9).offset(1)
            case "order":
                query = query.order_by("1 DESC", append=False).limit(2)
            case "window":
                query = query.select(f"RANK() OVER (ORDER BY {column})", dialect=DEFAULT_DIALECT)
            case "count":
                query = query.select("COUNT(*)", append=False)
            case "group":
                query = query.group_by(column)
            case "bare":
                query = query.select(column)
        return str(query.sql(DEFAULT_DIALECT))


def _is_value(node: Expr, tree: Expr) -> bool:
    """Whether a node is an expression of the outermost SELECT, and no query or clause."""
    from sqlglot import exp

    if isinstance(node, exp.Query | exp.Join | exp.From | exp.Where):
        return False
    if isinstance(node, exp.If) and isinstance(node.parent, exp.Case):
        return False
    if node.find_ancestor(exp.Query) is not tree or isinstance(node.parent, exp.Escape):
        return False
    return node.find_ancestor(exp.From, exp.Limit, exp.Offset) is None


def _column(tree: exp.Select) -> str:
    """A column of the outermost FROM clause, as the query writes it."""
    from sqlglot import exp

    for column in tree.find_all(exp.Column):
        if column.find_ancestor(exp.Query) is tree and not isinstance(column.this, exp.Star):
            return str(column.sql(DEFAULT_DIALECT))
    return "1"


def _of_value(node: Expr, tree: exp.Select) -> Iterator[list[str]]:
    from sqlglot import exp

    e, c = f"({node.sql(DEFAULT_DIALECT)})", _column(tree)
    start = " ".join(
        part.sql(DEFAULT_DIALECT)
        for part in (tree.args.get("from_"), *(tree.args.get("joins") or ()))
        if part
    )
    tail = [tree.args.get("group")]
    if node.find_ancestor(exp.Where) is None:
        tail.insert(0, tree.args.get("where"))
    rest = " ".join(
        [start, *(clause.sql(DEFAULT_DIALECT) for clause in tail if clause is not None)]
    )
    folds = any(is_aggregate(part) for part in own_nodes(node))
    grouped = tree.args.get("group") is not None
    shapes = [*_ROWS, *(_FOLDED if folds else ())]
    shapes += [] if folds or grouped else _PLAIN
    values = [value.format(e=e, c=c if not folds else "1") for value in VALUES]
    for shape in shapes:
        yield [shape.format(v=value, e=e, c=c, start=start, rest=rest) for value in values]
    if is_aggregate(node):
        yield [shape.format(e=node.sql(DEFAULT_DIALECT), c=c, start=start) for shape in _CALLS]
