"""Pairs that rules join, changed on both sides alike: what they still join must still be equal.

A pair of a rule, or one of ``shape_pairs.tsv``, reaches what random queries do not. The same change
on both sides (another constant, column, operator, aggregate, kind of join, one more condition, a
query around it) keeps the shape and moves its conditions; a change on one side makes a near pair.

A list of them: ``python tests/prove/pair_maker.py 20``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import sqlglot
from sqlglot import exp
from sqlglot.expressions import Expr

sys.path.insert(0, str(Path(__file__).parent))
from query_mutations import mutate

from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.profile import rules_of

FOLDER = Path(__file__).parent
_OPERATORS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_AGGREGATES = (exp.Max, exp.Min, exp.Sum, exp.Avg, exp.Count)
_CONSTANTS = ("0", "1", "2", "3", "1.5", "'a'", "''", "'1'", "NULL")


@dataclass(frozen=True)
class KnownPair:
    """Two queries over a schema, and the facts that they need."""

    left: str
    right: str
    ddl: str
    facts: tuple[Fact, ...] = ()


@cache
def known_pairs() -> tuple[KnownPair, ...]:
    """The pairs of all sound rules, equal and different, and the common shapes."""
    pairs = [
        KnownPair(pair.left, pair.right, rule.schema, pair.facts)
        for rule in rules_of("sound").rules
        for pair in (*rule.equal, *rule.different)
    ]
    ddl = (FOLDER / "shape_pairs.sql").read_text(encoding="utf-8")
    facts = tuple(sorted(facts_of(read_ddl(ddl, "shapes")), key=str))
    lines = (FOLDER / "shape_pairs.tsv").read_text(encoding="utf-8").splitlines()
    shapes = [line.split("\t")[2:] for line in lines if not line.startswith("#")]
    return (*pairs, *(KnownPair(left, right, ddl, facts) for left, right in shapes))


def make_pair(rng: Random) -> tuple[str, str, KnownPair] | None:
    """Two changed queries, and the pair that they were made of."""
    known = rng.choice(known_pairs())
    schema = read_ddl(known.ddl, "pairs")
    trees = [sqlglot.parse_one(sql, read="sqlite") for sql in (known.left, known.right)]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3))):
        changed = rng.choice(_CHANGES)(trees, schema, rng)
        trees = changed if changed is not None else trees
    texts = [tree.sql("sqlite") for tree in trees]
    if rng.randrange(3) == 0:
        side = rng.randrange(2)
        texts[side] = mutate(trees[side], rng, rng.choice((1, 1, 2)))
    return (texts[0], texts[1], known) if texts[0] != texts[1] else None


def _each(trees: list[Expr], change: Callable[[Expr], Expr | None]) -> list[Expr]:
    """Both trees with some of their nodes replaced."""

    def replaced(node: Expr) -> Expr:
        other = change(node)
        return node if other is None else other

    return [tree.copy().transform(replaced) for tree in trees]


def _other_constant(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    del schema
    literals = [node for tree in trees for node in tree.find_all(exp.Literal)]
    if not literals:
        return None
    old = rng.choice(literals).sql()
    new = sqlglot.parse_one(rng.choice(_CONSTANTS))

    def other(node: Expr) -> Expr | None:
        # Only a text may stand behind ESCAPE.
        is_old = isinstance(node, exp.Literal) and not isinstance(node.parent, exp.Escape)
        return new.copy() if is_old and node.sql() == old else None

    return _each(trees, other)


def _other_column(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    names = [column.name for table in schema.tables for column in table.columns]
    columns = [node for tree in trees for node in tree.find_all(exp.Column)]
    if not columns:
        return None
    old, new = rng.choice(columns).name, rng.choice(names)

    def renamed(node: Expr) -> Expr | None:
        if not isinstance(node, exp.Column) or node.name != old:
            return None
        return exp.column(new, table=node.table or None)

    return _each(trees, renamed)


def _of_kind(
    trees: list[Expr], kinds: tuple[type[Expr], ...], rng: Random
) -> tuple[type[Expr], type[Expr]] | None:
    own = [type(node) for tree in trees for node in tree.find_all(*kinds)]
    return (rng.choice(own), rng.choice(kinds)) if own else None


def _other_operator(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    del schema
    kinds = _of_kind(trees, _OPERATORS, rng)
    if kinds is None:
        return None
    old, new = kinds
    return _each(
        trees,
        lambda node: new(this=node.this, expression=node.expression) if type(node) is old else None,
    )


def _other_aggregate(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    del schema
    kinds = _of_kind(trees, _AGGREGATES, rng)
    if kinds is None:
        return None
    old, new = kinds

    def changed(node: Expr) -> Expr | None:
        if type(node) is not old or isinstance(node.this, exp.Star):
            return None
        return new(this=node.this)

    return _each(trees, changed)


def _other_connector(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    del schema
    old, new = rng.choice(((exp.And, exp.Or), (exp.Or, exp.And)))
    return _each(
        trees,
        lambda node: (
            exp.Paren(this=new(this=node.this, expression=node.expression))
            if type(node) is old
            else None
        ),
    )


def _other_join(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    del schema
    side = rng.choice(("LEFT", "RIGHT", "FULL", None))
    copies = [tree.copy() for tree in trees]
    for tree in copies:
        for join in tree.find_all(exp.Join):
            if join.args.get("on") is not None:
                join.set("side", side)
                join.set("kind", None)
    return copies


def _selects(tree: Expr) -> list[exp.Select]:
    """The outermost SELECTs of a query."""
    if isinstance(tree, exp.SetOperation):
        return [*_selects(tree.this), *_selects(tree.expression)]
    return [tree] if isinstance(tree, exp.Select) else []


def _one_more_condition(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    columns = [column.name for table in schema.tables for column in table.columns]
    text = rng.choice(
        ("{} > 1", "{} IS NULL", "{} IS NOT NULL", "{} = 1", "{} <> 'a'", "{} IN (1, 2)")
    )
    condition = text.format(rng.choice(columns))
    copies = [tree.copy() for tree in trees]
    for tree in copies:
        for select in _selects(tree):
            select.where(condition, copy=False)
    return copies


def _fold_rows(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    del schema, rng
    copies = [tree.copy() for tree in trees]
    for tree in copies:
        for select in _selects(tree):
            select.set("distinct", None if select.args.get("distinct") else exp.Distinct())
    return copies


_AROUND = (
    "SELECT * FROM ({}) AS w",
    "SELECT COUNT(*) FROM ({}) AS w",
    "SELECT 1 WHERE EXISTS ({})",
    "SELECT 1 WHERE NOT EXISTS ({})",
    "SELECT * FROM ({}) AS w UNION ALL SELECT * FROM ({}) AS w",
    "SELECT * FROM ({}) AS w UNION SELECT * FROM ({}) AS w",
    "SELECT DISTINCT * FROM ({}) AS w",
    "SELECT w.* FROM ({}) AS w LEFT JOIN (SELECT 1 AS one) AS o ON o.one = 2",
)
_AROUND_ONE = (
    "SELECT ({}) + 1",
    "SELECT ({}) / 2",
    "SELECT COALESCE(({}), 0)",
    "SELECT ({}) IS NULL",
    "SELECT 1 WHERE 1 IN ({})",
    "SELECT 1 WHERE 1 NOT IN ({})",
)


def _outputs(tree: Expr) -> list[tuple[exp.Select, int]]:
    """The outputs of a query's outermost SELECTs that can have a name of their own."""
    return [
        (select, index)
        for select in _selects(tree)
        for index, output in enumerate(select.expressions)
        if not output.is_star
    ]


_READERS = (
    "SUM({}) OVER (ORDER BY {}, 1)",
    "RANK() OVER (ORDER BY {})",
    "MAX({}) OVER (PARTITION BY {})",
    "{} + 1",
)


def _alias_of_a_column(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    """An output under the name of another column, and at times one more that reads the name.

    Dialects decide what a bare name means then; a name with its table is the column.
    """
    name = rng.choice([column.name for table in schema.tables for column in table.columns])
    reader = rng.choice((*_READERS, "", ""))
    copies = [tree.copy() for tree in trees]
    turn = rng.random()
    for tree in copies:
        outputs = _outputs(tree)
        if not outputs:
            return None
        select, index = outputs[int(turn * len(outputs))]
        output = select.expressions[index]
        select.expressions[index].replace(exp.alias_(output.unalias().copy(), name))
        if reader:
            select.select(reader.replace("{}", _column_name(name, select, rng)), copy=False)
    return copies


def _column_name(name: str, select: exp.Select, rng: Random) -> str:
    """The name alone, or behind a table of the query."""
    source = select.find(exp.Table)
    return f"{source.alias_or_name}.{name}" if source is not None and rng.randrange(2) else name


def _bare_names(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    """One side without the tables before its columns."""
    del schema
    side = rng.randrange(2)
    copies = [tree.copy() for tree in trees]
    for column in copies[side].find_all(exp.Column):
        column.set("table", None)
    return copies


_WINDOWS = (
    "ROW_NUMBER() OVER (ORDER BY {a}, {b})",
    "RANK() OVER (ORDER BY {a})",
    "DENSE_RANK() OVER (PARTITION BY {b} ORDER BY {a} DESC)",
    "SUM({a}) OVER (PARTITION BY {b})",
    "COUNT(*) OVER (PARTITION BY {a})",
    "MAX({a}) OVER ()",
    "SUM({a}) OVER (ORDER BY {b})",
)


def _one_more_window(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    """The same window on both sides, with the table before its columns or without."""
    names = [column.name for table in schema.tables for column in table.columns]
    window, (one, two) = rng.choice(_WINDOWS), (rng.choice(names), rng.choice(names))
    copies = [tree.copy() for tree in trees]
    for tree in copies:
        for select in _selects(tree):
            columns = {"a": _column_name(one, select, rng), "b": _column_name(two, select, rng)}
            select.select(window.format(**columns), copy=False)
    return copies


_QUOTIENTS = ("({}) / 2", "({}) / 2.0", "1 / ({})", "({}) % 2", "-({})", "({}) * 1.0", "({}) || ''")


def _computed_output(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    """The same arithmetic around an output of each side."""
    del schema
    text, turn = rng.choice(_QUOTIENTS), rng.random()
    copies = [tree.copy() for tree in trees]
    for tree in copies:
        outputs = _outputs(tree)
        if not outputs:
            return None
        select, index = outputs[int(turn * len(outputs))]
        output = select.expressions[index]
        computed = sqlglot.parse_one(text.replace("{}", output.unalias().sql("sqlite")))
        output.replace(exp.alias_(computed, output.alias) if output.alias else computed)
    return copies


_AROUND_NAMED = (
    "SELECT w.q * 2 FROM ({}) AS w",
    "SELECT w.q / 2, COUNT(*) FROM ({}) AS w GROUP BY w.q",
    "SELECT w.q, ROW_NUMBER() OVER (ORDER BY w.q) FROM ({}) AS w",
    "SELECT w.q, RANK() OVER (ORDER BY w.q DESC) FROM ({}) AS w",
    "SELECT SUM(w.q) / COUNT(*) FROM ({}) AS w",
    "SELECT DISTINCT w.q FROM ({}) AS w WHERE w.q > 1",
    "SELECT w.q FROM ({}) AS w ORDER BY w.q LIMIT 2",
    "SELECT q AS z, -q AS q FROM ({}) AS w ORDER BY q",
)


def _around_named(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    """A query around both that reads their first output by a name."""
    del schema
    text = rng.choice(_AROUND_NAMED)
    copies = [tree.copy() for tree in trees]
    for tree in copies:
        selects = _selects(tree)
        if not selects or any(select.expressions[0].is_star for select in selects):
            return None
        for select in selects:
            output = select.expressions[0]
            output.replace(exp.alias_(output.unalias().copy(), "q"))
    return [
        sqlglot.parse_one(text.replace("{}", tree.sql("sqlite")), read="sqlite") for tree in copies
    ]


def _around(trees: list[Expr], schema: Schema, rng: Random) -> list[Expr] | None:
    del schema
    widths = [len(tree.selects) for tree in trees if isinstance(tree, exp.Query)]
    texts = _AROUND_ONE if set(widths) == {1} and rng.randrange(2) else _AROUND
    text = rng.choice(texts)
    return [
        sqlglot.parse_one(text.replace("{}", tree.sql("sqlite")), read="sqlite") for tree in trees
    ]


_CHANGES: tuple[Callable[[list[Expr], Schema, Random], list[Expr] | None], ...] = (
    *(_other_constant, _other_column, _other_column, _other_operator, _other_aggregate),
    *(_other_connector, _other_join, _one_more_condition, _fold_rows, _around),
    *(_alias_of_a_column, _bare_names, _one_more_window, _computed_output, _around_named),
)


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        pair = make_pair(Random(number))
        if pair is not None:
            sys.stdout.write(f"{pair[0]}\n{pair[1]}\n\n")
