"""What the decomposed prompts of ``din_sql`` demonstrate, read off a known query.

The links of a question, its class and the steps to its query need no hand-written examples:
the query itself tells them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sqlverdict.abstain.method import TrainingExample
from sqlverdict.compare.query.columns import UNKNOWN, Names, walk
from sqlverdict.parse.hardness import trustsql_hardness
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import ParseFailure

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

Class = Literal["easy", "joined", "nested"]
CLASSES: tuple[Class, ...] = ("easy", "joined", "nested")
_LEVELS: dict[str, Class] = {"easy": "easy", "medium": "joined", "hard": "nested"}


def class_of(sql: str) -> Class:
    """How complex a query is: one table, a join, or more than one SELECT."""
    level = trustsql_hardness(sql)
    return _LEVELS[level] if level is not None else "nested"


def links_of(sql: str, schema: Schema | None) -> str:
    """The columns, join conditions and values of a query: ``[t.a, t.b = u.c, 'x']``.

    A double-quoted word that names no column is a value, as SQLite has it.
    """
    from sqlglot import exp

    query = parse(sql)
    if isinstance(query, ParseFailure):
        return "[]"
    names = Names(query.tree, schema)
    columns: list[str] = []
    values: list[str] = []
    for node in walk(query.tree):
        if isinstance(node, exp.Literal):
            values.append(node.sql())
        elif isinstance(node, exp.Join) and node.args.get("on") is not None:
            columns.append(_with_tables(node.args["on"], names, schema).sql(dialect=query.dialect))
        elif isinstance(node, exp.Column) and not node.is_star:
            if isinstance(node.find_ancestor(exp.Join, exp.Select), exp.Join):
                continue  # its condition stands above
            is_value = not names.column_ref(node)
            (values if is_value else columns).append(
                _with_tables(node, names, schema).sql(dialect=query.dialect)
            )
    return f"[{', '.join(dict.fromkeys([*columns, *values]))}]"


def _with_tables(expression: Expr, names: Names, schema: Schema | None) -> Expr:
    """An expression with the tables of its columns for their aliases, and values as such."""
    from sqlglot import exp

    spelling = {fold(table.name): table.name for table in schema.tables} if schema else {}
    refs = [names.column_ref(node) for node in expression.find_all(exp.Column)]
    copy = expression.copy()
    for node, ref in zip(list(copy.find_all(exp.Column)), refs, strict=True):
        table = ref.rpartition(".")[0]
        new: Expr = exp.Literal.string(node.name)
        if ref:
            owner = None if table == UNKNOWN else exp.to_identifier(spelling.get(table, table))
            new = exp.Column(this=node.this.copy(), table=owner)
        if node is copy:
            return new
        node.replace(new)
    return copy


def steps_of(sql: str) -> str:
    """The parts of a query, then the whole: its joins, or its inner queries one by one."""
    from sqlglot import exp

    query = parse(sql)
    if isinstance(query, ParseFailure):
        return f"SQL: {sql}"
    lines = []
    if class_of(sql) == "joined":
        lines.append(f"Tables: {', '.join(query.tables)}")
    else:
        inner = [node for node in query.tree.find_all(exp.Select) if node is not query.tree]
        # The innermost comes first, as it would be worked out.
        parts = dict.fromkeys(node.sql(dialect=query.dialect) for node in reversed(inner))
        lines += [f"Part {number}: {part}" for number, part in enumerate(parts, 1)]
    return "\n".join([*lines, f"SQL: {sql}"])


def with_links(example: TrainingExample) -> str:
    """A demonstration of links."""
    links = links_of(example.sql or "", example.ask.schema)
    return f"Question: {example.ask.question}\nLinks: {links}"


def with_class(example: TrainingExample) -> str:
    """A demonstration of classes."""
    return f"{with_links(example)}\nClass: {class_of(example.sql or '')}"


def with_sql(example: TrainingExample) -> str:
    """A demonstration of a query without steps."""
    return f"{with_links(example)}\nSQL: {example.sql}"


def with_steps(example: TrainingExample) -> str:
    """A demonstration of a query in steps."""
    return f"{with_links(example)}\nSteps:\n{steps_of(example.sql or '')}"


def class_named(text: str) -> Class:
    """The class a reply names first; without any, nested: its steps suit the others too."""
    positions = {kind: text.lower().find(kind) for kind in CLASSES}
    classes = [kind for kind in CLASSES if positions[kind] >= 0]
    return min(classes, key=lambda kind: positions[kind]) if classes else "nested"
