"""How many one-step changes of real queries a witness shows, or a proof excuses.

Published predictions differ from their golds in the ways of a few systems. Here every gold of
Spider (dev and train, over 160 databases) and of BIRD dev is changed in one place at random: a
comparison, an aggregate, a column, a constant, a condition, DISTINCT, a join, a set operation, an
ordering, a LIMIT. A change is refuted, proved harmless, or left open; what is left open is either
equal and beyond the rules, or different and missed, and is worth reading. A change that is both
proved and refuted is a bug of ours: the exit code is 1.

Run: ``python bench/mutants.py [--every N] [--each N] [--seed N] [--minutes M] [--list FILE]``;
needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from time import perf_counter

from sqlglot import exp
from sqlglot.expressions import Expr

from refute import DATA, bird_schemas, spider_schema
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Query
from sqlverdict.refute.search import find_witness

COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ)
AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count)
SETS = (exp.Union, exp.Except, exp.Intersect)
CLAUSES = ("where", "group", "having", "order", "limit")
Change = tuple[str, Callable[[Expr], Expr | None]]
"""What is changed, and how: the node's successor, or ``None`` where it was changed in place."""


def golds() -> Iterator[tuple[str, Schema]]:
    """Every gold query with its schema."""
    for name in ("spider/dev_gold.sql", "spider/train_gold.sql", "bird/etm_gold.txt"):
        for line in (DATA / name).read_text().splitlines():
            if line.strip():
                sql, db_id = line.rsplit("\t", 1)
                is_spider = name.startswith("spider")
                yield sql, spider_schema(db_id) if is_spider else bird_schemas()[db_id]


def other(rng: Random, kinds: tuple[type[Expr], ...], node: Expr) -> type[Expr]:
    return rng.choice([kind for kind in kinds if kind is not type(node)])


def without(name: str) -> Callable[[Expr], None]:
    return lambda node: node.set(name, None)


def changes(node: Expr, rng: Random, schema: Schema) -> Iterator[Change]:
    """The ways in which one node may be changed."""
    if type(node) in COMPARISONS:
        kind = other(rng, COMPARISONS, node)
        yield "comparison", lambda n: kind(this=n.this.copy(), expression=n.expression.copy())
    elif isinstance(node, exp.And | exp.Or):
        yield "condition left out", lambda n: n.this.copy()
        yield "condition left out", lambda n: n.expression.copy()
        swapped = exp.Or if isinstance(node, exp.And) else exp.And
        yield "and, or", lambda n: swapped(this=n.this.copy(), expression=n.expression.copy())
    elif isinstance(node, AGGREGATES) and isinstance(node.this, exp.Column):
        kind = other(rng, AGGREGATES, node)
        yield "aggregate", lambda n: kind(this=n.this.copy())
        if isinstance(node, exp.Count):
            yield "count of all", lambda _: exp.Count(this=exp.Star())
            distinct = exp.Distinct(expressions=[node.this.copy()])
            yield "count of distinct", lambda _: exp.Count(this=distinct)
    elif isinstance(node, exp.Select):
        distinct_part = node.args.get("distinct")
        yield "DISTINCT", lambda n: n.set("distinct", None if distinct_part else exp.Distinct())
        for name in CLAUSES:
            if node.args.get(name) is not None:
                yield f"{name} left out", without(name)
    elif isinstance(node, exp.Ordered):
        yield "direction", lambda n: n.set("desc", not n.args.get("desc"))
    elif isinstance(node, exp.Join) and not node.args.get("side") and node.args.get("on"):
        yield "LEFT JOIN", lambda n: n.set("side", "LEFT")
    elif isinstance(node, exp.Literal) and node.is_string:
        yield "constant", lambda n: exp.Literal.string(f"{n.this}x")
    elif isinstance(node, exp.Literal) and node.this.isdecimal():
        yield "constant", lambda n: exp.Literal.number(int(n.this) + 1)
    elif isinstance(node, SETS):
        kind = other(rng, SETS, node)
        parts = {"this": node.this.copy(), "expression": node.expression.copy()}
        yield "set operation", lambda _: kind(**parts, distinct=True)
    elif isinstance(node, exp.Column):
        tables = {t.alias_or_name: t.name for t in node.root().find_all(exp.Table)}
        source = tables.get(node.table) or (next(iter(tables.values())) if len(tables) == 1 else "")
        table = schema.table(source)
        if table is not None:
            name = exp.to_identifier(rng.choice(table.columns).name, quoted=True)
            yield "column", lambda n: exp.Column(this=name, table=n.args.get("table"))


def mutants(tree: Expr, rng: Random, schema: Schema) -> list[tuple[str, str]]:
    """Every change of a query, in random order."""
    mutants = []
    for position, node in enumerate(tree.walk()):
        for name, change in changes(node, rng, schema):
            copy = tree.copy()
            target = next(n for at, n in enumerate(copy.walk()) if at == position)
            successor = change(target)
            if successor is not None:
                target.replace(successor)
                copy = successor if target is copy else copy
            mutants.append((name, copy.sql("sqlite")))
    rng.shuffle(mutants)
    return mutants


def outcome(gold: str, sql: str, schema: Schema) -> str:
    """What can be shown about a change: refuted, proved, both (a bug of ours), or left open."""
    witness = find_witness(gold, sql, schema)
    proved = isinstance(prove(gold, sql, schema), Proof)
    if witness.refuted:
        return "both" if proved else "refuted"
    if witness.reason is not None and not witness.instances:
        return "cannot run"
    if proved:
        return "proved"
    return "open, in ties only" if witness.undetermined else "open"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=5, help="take every N-th gold")
    parser.add_argument("--each", type=int, default=2, help="so many changes of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--list", type=Path, help="write what is left open, or is a contradiction")
    arguments = parser.parse_args()
    if not (DATA / "spider").is_dir():
        parser.error(f"no data at {DATA}: set SQLVERDICT_DATA")
    rng = Random(arguments.seed)
    counts: dict[str, Counter[str]] = {}
    left = []
    began = perf_counter()
    for number, (gold, schema) in enumerate(golds()):
        query = parse(gold)
        if arguments.minutes is not None and perf_counter() - began > 60 * arguments.minutes:
            break
        if number % arguments.every or not isinstance(query, Query):
            continue
        for name, sql in mutants(query.tree, rng, schema)[: arguments.each]:
            kind = outcome(gold, sql, schema)
            counts.setdefault(name, Counter())[kind] += 1
            if kind.startswith("open") or kind == "both":
                left.append([name, schema.db_id, kind, gold, sql])
    kinds = ("refuted", "proved", "both", "open, in ties only", "open", "cannot run")
    print(f"| changed | {' | '.join(kinds)} |\n{'| --- ' * (len(kinds) + 1)}|")
    for name, result in sorted(counts.items(), key=lambda item: -item[1].total()):
        print(f"| {name} | {' | '.join(str(result[kind]) for kind in kinds)} |")
    total = sum(counts.values(), Counter[str]())
    print(f"| all | {' | '.join(str(total[kind]) for kind in kinds)} |")
    print(f"<!-- {perf_counter() - began:.0f} seconds -->")
    if arguments.list is not None:
        arguments.list.write_text(json.dumps(left, indent=1))
    return 1 if total["both"] else 0


if __name__ == "__main__":
    sys.exit(main())
