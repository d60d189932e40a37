"""Features from tokens: by hand, against sqlglot's trees, and on hostile text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from sqlverdict.parse.features import AGGREGATES, FEATURES, features
from sqlverdict.parse.query import parse_as
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Query
from tiers import sampled
from timeouts import cpu_limit

DATES = ("date", "datetime", "julianday", "strftime", "time", "unixepoch")
DATE_NODES = (
    exp.CurrentDate,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.Date,
    exp.Time,
    exp.TimeToStr,
)

EXAMPLES: dict[str, tuple[list[str], list[str]]] = {
    "aggregate": (
        [
            "SELECT count(*) FROM t",
            "SELECT SUM ( a ) FROM t",
            "SELECT max(a) FROM t",
            "SELECT sum(a) FILTER (WHERE b) FROM t",
            "SELECT max(coalesce(a, b)) FROM t",
        ],
        [
            "SELECT max(a, b) FROM t",
            "SELECT count FROM t",
            "SELECT sum(a) OVER () FROM t",
            "SELECT 'count(' FROM t",
            "SELECT sum(a) FILTER (WHERE b) OVER () FROM t",
        ],
    ),
    "arithmetic": (
        [
            "SELECT a * 2 FROM t",
            "SELECT (a)-1",
            "SELECT 1/2",
            "SELECT a %b",
            "SELECT 'a' + 1",
            "SELECT CASE WHEN a THEN 1 END - 1",
            'SELECT "a"+1',
        ],
        [
            "SELECT -1",
            "SELECT a, -b",
            "SELECT * FROM t",
            "SELECT t.* FROM t",
            "SELECT a IN (-1)",
            "SELECT count(*)",
            "SELECT a = -1",
            "SELECT a BETWEEN -1 AND -2",
            "SELECT a OR -1",
        ],
    ),
    "between": (["SELECT a BETWEEN 1 AND 2"], ["SELECT 'between'"]),
    "case": (["SELECT CASE a WHEN 1 THEN 2 END"], ['SELECT "case"']),
    "cast": (["SELECT CAST(a AS REAL)"], ["SELECT cast FROM t"]),
    "comma_join": (
        [
            "SELECT 1 FROM a, b",
            "SELECT 1 FROM a JOIN b ON a.x = b.x, c",
            "SELECT 1 FROM (a, b)",
            "SELECT 1 FROM (SELECT 1), b",
            "SELECT (SELECT 1 FROM a, b)",
        ],
        [
            "SELECT a, b FROM t",
            "SELECT 1 FROM t WHERE a IN (1, 2)",
            "SELECT 1 FROM f(1, 2)",
            "SELECT 1 FROM a JOIN b USING (x, y)",
            "SELECT 1 FROM t GROUP BY a, b",
            "SELECT 1 FROM (SELECT a, b FROM t)",
            "SELECT 1 FROM a ORDER BY x, y",
            "SELECT a IS DISTINCT FROM b, c FROM t",
            "SELECT 1 FROM t JOIN u ON max(a, b) = 1",
        ],
    ),
    "concatenation": (["SELECT a || b"], ["SELECT '||'"]),
    "cte": (["WITH a AS (SELECT 1) SELECT * FROM a"], ["SELECT 1"]),
    "date_function": (["SELECT date('now')", "SELECT current_date"], ["SELECT date FROM t"]),
    "distinct": (
        ["SELECT DISTINCT a FROM t", "SELECT (SELECT DISTINCT a)"],
        ["SELECT count(DISTINCT a)", "SELECT a IS NOT DISTINCT FROM b", 'SELECT "distinct"'],
    ),
    "distinct_aggregate": (["SELECT count(DISTINCT a)"], ["SELECT DISTINCT a"]),
    "exists": (["SELECT EXISTS (SELECT 1)"], ["SELECT 1"]),
    "group_by": (["SELECT 1 FROM t GROUP BY a"], ["SELECT 1 -- group by\n"]),
    "having": (["SELECT 1 FROM t GROUP BY a HAVING b"], ["SELECT 1"]),
    "in": (["SELECT a IN (1)"], ["SELECT 'in'"]),
    "is_null": (
        ["SELECT a IS NULL", "SELECT a IS NOT NULL", "SELECT a NOTNULL", "SELECT a NOT NULL"],
        ["SELECT a IS 1", "SELECT NULL", "SELECT NOT a"],
    ),
    "join": (["SELECT 1 FROM a JOIN b", "SELECT 1 FROM a CROSS JOIN b"], ["SELECT 1 FROM a, b"]),
    "left_join": (
        ["SELECT 1 FROM a LEFT JOIN b", "SELECT 1 FROM a LEFT OUTER JOIN b"],
        ["SELECT 1 FROM a INNER JOIN b", "SELECT left FROM a JOIN b"],
    ),
    "like": (
        ["SELECT a LIKE 'x'", "SELECT a NOT LIKE ('x')", "SELECT a GLOB 'x'"],
        ["SELECT like('a', b)", "SELECT 'like'"],
    ),
    "limit": (["SELECT 1 LIMIT 1"], ["SELECT 'limit'"]),
    "multiple_tables": (["SELECT 1 FROM a, b", "SELECT 1 FROM a JOIN b"], ["SELECT 1 FROM a"]),
    "not": (
        ["SELECT NOT a", "SELECT a NOT IN (1)", "SELECT NOT EXISTS (SELECT 1)"],
        ["SELECT a IS NOT NULL", "SELECT a IS NOT 1", "SELECT a NOT NULL", "SELECT a != 1"],
    ),
    "or": (["SELECT a OR b"], ["SELECT a || b"]),
    "order_by": (
        [
            "SELECT 1 ORDER BY 1",
            "SELECT (SELECT 1 ORDER BY 1)",
            "WITH a AS (SELECT 1 ORDER BY 1) SELECT * FROM a",
        ],
        [
            "SELECT rank() OVER (PARTITION BY a ORDER BY b) FROM t",
            "SELECT 1 GROUP BY 1",
            "SELECT rank() OVER w FROM t WINDOW w AS (ORDER BY a)",
            "SELECT group_concat(a ORDER BY b) FROM t",
        ],
    ),
    "recursive_cte": (
        ["WITH RECURSIVE a AS (SELECT 1) SELECT 1"],
        ["WITH a AS (SELECT 1) SELECT 1"],
    ),
    "set_operation": (["SELECT 1 UNION SELECT 2", "SELECT 1 EXCEPT SELECT 2"], ["SELECT 1"]),
    "star": (
        ["SELECT * FROM t", "SELECT t.* FROM t", "SELECT a, * FROM t", "SELECT DISTINCT * FROM t"],
        ["SELECT count(*) FROM t", "SELECT 2 * 3", "SELECT (a) * 3"],
    ),
    "subquery": (
        ["SELECT (SELECT 1)", "SELECT a IN (SELECT 1)", "SELECT 1 FROM (SELECT 1)"],
        [
            "WITH a AS (SELECT 1) SELECT 1",
            "SELECT 1 UNION SELECT 2",
            "WITH a AS NOT MATERIALIZED (SELECT 1) SELECT 1",
        ],
    ),
    "window": (
        [
            "SELECT rank() OVER (ORDER BY a) FROM t",
            "SELECT rank() OVER w FROM t WINDOW w AS (ORDER BY a)",
        ],
        ["SELECT over FROM t"],
    ),
}


def test_every_feature_has_examples() -> None:
    assert EXAMPLES.keys() == FEATURES.keys()


@pytest.mark.parametrize("name", FEATURES)
def test_feature_is_found_where_it_is_and_only_there(name: str) -> None:
    with_it, without_it = EXAMPLES[name]
    assert [sql for sql in with_it if name not in features(sql)] == []
    assert [sql for sql in without_it if name in features(sql)] == []


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_gives_known_features(text: str) -> None:
    assert features(text) <= FEATURES.keys()


SALAD = sorted(word_set("select from where ( ) , * + sum over join not is as distinct by"))


@settings(deadline=None)
@given(st.lists(st.sampled_from(SALAD)))
def test_any_word_salad_gives_known_features(words: list[str]) -> None:
    assert features(" ".join(words)) <= FEATURES.keys()


def test_time_is_linear_in_nested_aggregates() -> None:
    with cpu_limit(60):
        features("SELECT " + "sum(" * 200_000)


def tree_features(query: Query) -> set[str]:
    """The same features, read off sqlglot's tree."""
    tree = query.tree
    values = set()
    kinds: dict[str, tuple[type[exp.Expr], ...]] = {
        "between": (exp.Between,),
        "case": (exp.Case,),
        "cast": (exp.Cast,),
        "concatenation": (exp.DPipe,),
        "exists": (exp.Exists,),
        "group_by": (exp.Group,),
        "having": (exp.Having,),
        "in": (exp.In,),
        "join": (),
        "like": (exp.Like, exp.Glob),
        "limit": (exp.Limit,),
        "or": (exp.Or,),
        "set_operation": (exp.SetOperation,),
        "window": (exp.Window,),
        "arithmetic": (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod),
    }
    for name, types in kinds.items():
        if types and tree.find(*types):
            values.add(name)
    for node in tree.walk():
        parent = node.parent
        if isinstance(node, exp.Join):
            bare = not any(node.args.get(key) for key in ("on", "using", "kind", "side", "method"))
            values.add("comma_join" if bare else "join")
            values.add("multiple_tables")
            if node.side == "LEFT":
                values.add("left_join")
        elif isinstance(node, exp.Query) and parent is not None:
            if not isinstance(parent, exp.CTE | exp.SetOperation | exp.Subquery):
                values.add("subquery")
        elif isinstance(node, exp.Distinct):
            inner = isinstance(parent, exp.AggFunc)
            values.add("distinct_aggregate" if inner else "distinct")
        elif isinstance(node, exp.Order) and isinstance(parent, exp.Query):
            values.add("order_by")
        elif isinstance(node, exp.AggFunc) and not isinstance(parent, exp.Window):
            if node.sql_name().lower() in AGGREGATES or isinstance(node, exp.GroupConcat):
                values.add("aggregate")
        elif isinstance(node, exp.Not):
            if not isinstance(node.this, exp.Is):
                values.add("not")
        elif isinstance(node, exp.Like) and node.args.get("negate"):
            values.add("not")
        elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            values.add("is_null")
        elif isinstance(node, exp.Star):
            if isinstance(parent, exp.Query | exp.Column):
                values.add("star")
        elif isinstance(node, exp.With):
            values.add("cte")
            if node.recursive:
                values.add("recursive_cte")
        elif isinstance(node, DATE_NODES) or (
            isinstance(node, exp.Anonymous) and node.name.lower() in DATES
        ):
            values.add("date_function")
    return values


@pytest.mark.sampled
@pytest.mark.slow
def test_features_agree_with_the_trees_of_golds(data_root: Path) -> None:
    golds = {case["SQL"] for case in json.loads((data_root / "bird" / "dev.json").read_text())}
    ehrsql = (data_root / "trustsql" / "trustsql_ehrsql_test.jsonl").read_text().splitlines()
    golds |= {case["gold_sql"] for case in map(json.loads, ehrsql) if case["gold_sql"]}
    for name in ("dev_gold.sql", "train_gold.sql"):
        lines = (data_root / "spider" / name).read_text().splitlines()
        golds |= {line.rsplit("\t", 1)[0] for line in lines if line.strip()}
    differences = []
    parsed = 0
    every = sampled(8, 1)
    for sql in sorted(golds)[::every]:
        query = parse_as.__wrapped__(sql, "sqlite")
        if isinstance(query, Query):
            parsed += 1
            if query.features != tree_features(query):
                differences.append((sql, query.features ^ tree_features(query)))
    assert parsed >= 6_000 // every
    assert differences == []
