"""Every rule is checked on every engine in whose dialect it says that it holds."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from sqlglot import exp
from sqlglot.expressions import Expr

sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import DIALECTS, engine_of, server_of

from sqlverdict.execute.engine import ENGINES
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import RULES, Rule
from sqlverdict.testing.rule_suite.on_engine import (
    attack_rule_on_engine,
    check_rule_on_engine,
    retyped_for,
    rows_for,
    sample_types,
)
from sqlverdict.testing.rules import check_rule
from tiers import sampled

CLAIMS = [
    (rule, dialect)
    for _, rule in RULES.items()
    for dialect in DIALECTS
    if dialect in rule.dialects and "sound" in rule.profiles
]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str | None]]:
    """The server of each dialect, started when it is asked for."""
    with ExitStack() as stack:

        class Servers(dict[str, str | None]):
            def __missing__(self, dialect: str) -> str | None:
                self[dialect] = stack.enter_context(server_of(dialect))
                return self[dialect]

        yield Servers()


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("rule", "dialect"), CLAIMS, ids=[f"{dialect}-{rule.name}" for rule, dialect in CLAIMS]
)
def test_a_rule_changes_no_answer_where_it_says_that_it_holds(
    rule: Rule, dialect: str, servers: dict[str, str | None]
) -> None:
    engine = ENGINES.get(engine_of(dialect))
    check_rule_on_engine(rule, engine, servers[dialect], queries=sampled(2, 24))


@pytest.mark.parametrize(
    "name", ["like_ignores_case", "literal_has_the_columns_type", "now_has_many_names"]
)
def test_a_rule_about_sqlite_is_used_there_alone(name: str) -> None:
    assert RULES.get(name).dialects == ("sqlite",)


def test_a_rule_that_does_not_claim_a_dialect_is_not_checked_there() -> None:
    with pytest.raises(AssertionError, match="in duckdb"):
        check_rule("like_ignores_case", engine_of("duckdb"))


def test_a_false_claim_comes_out() -> None:
    def drop_distinct(node: exp.Select, _: Facts) -> Expr | None:
        if not node.args.get("distinct"):
            return None
        node.set("distinct", None)
        return node

    rule = replace(RULES.get("distinct_over_key"), rewrite=drop_distinct)
    attack = attack_rule_on_engine(rule, ENGINES.get(engine_of("duckdb")))
    assert attack.difference is not None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_rows_for_a_rule_have_the_types_of_their_columns(dialect: str) -> None:
    # True and 1.0 are equal to 1 in Python; an engine takes one of them for a column.
    types = {"INTEGER": int, "BOOLEAN": bool, "DOUBLE": float, "DECIMAL": float, "NUMERIC": float}
    columns = ", ".join(f"c{number} INTEGER" for number in range(12))
    schema = retyped_for(f"CREATE TABLE t ({columns})", dialect, Random(1), *sample_types(dialect))
    (table,) = schema.tables
    for seed in range(20):
        for row in rows_for(schema, frozenset(), Random(seed), dialect)["t"]:
            for cell, column in zip(row, table.columns, strict=True):
                expected = types.get(re.split(r"\W", column.type)[0], str)
                assert cell is None or type(cell) is expected, (cell, column)
