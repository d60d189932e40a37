"""Levels of difficulty: by hand, and against the published levels of every gold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from sqlverdict.parse.hardness import spider_hardness, trustsql_hardness
from tiers import sampled


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t", "easy"),
        ("SELECT a FROM t WHERE b = 1", "easy"),
        ("SELECT a, b FROM t", "medium"),
        ("SELECT a FROM t JOIN u ON t.x = u.x WHERE b = 1", "medium"),
        ("SELECT a FROM t WHERE b LIKE 'x'", "medium"),
        ("SELECT a FROM t WHERE b = 1 AND c = 2", "medium"),
        ("SELECT a FROM t WHERE b = 1 OR c = 2", "medium"),
        ("SELECT count(*), max(a) FROM t WHERE b = 1 AND c = 2", "hard"),
        ("SELECT a FROM t GROUP BY a ORDER BY count(*) LIMIT 1", "hard"),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM u)", "hard"),
        ("SELECT a FROM t WHERE b NOT IN (SELECT b FROM u)", "hard"),
        ("SELECT a FROM t EXCEPT SELECT b FROM u", "hard"),
        # The ORDER BY and LIMIT belong to the right SELECT of the text.
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 LIMIT 1", "hard"),
        ("SELECT a, b FROM t EXCEPT SELECT a, b FROM u", "extra"),
        ("SELECT a FROM t WHERE b > (SELECT avg(b) FROM t) AND c = 1", "extra"),
        # A subquery in FROM is a table like others.
        ("SELECT a FROM (SELECT a FROM t)", "easy"),
        # Quirks: NOT counts as an aggregate, HAVING's own aggregate does not, its AND does.
        ("SELECT a FROM t WHERE b NOT LIKE 'x' AND c = 1 GROUP BY d", "hard"),
        ("SELECT count(*), a FROM t GROUP BY a HAVING count(*) > 2", "medium"),
        ("SELECT count(*) FROM t GROUP BY a HAVING count(*) > 2", "easy"),
        ("SELECT count(*) FROM t GROUP BY a HAVING count(*) > 2 AND sum(b) > 1", "medium"),
        ("VALUES (1)", None),
        ("SELECT a FROM", None),
    ],
)
def test_spider_hardness(sql: str, expected: str | None) -> None:
    assert spider_hardness(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t WHERE b = 'select'", "easy"),
        ("SELECT a FROM t JOIN u ON t.x = u.x", "medium"),
        ("SELECT a FROM t, u WHERE t.x = u.x", "medium"),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM u)", "hard"),
        ("SELECT a FROM t UNION SELECT a FROM u", "hard"),
        ("SELECT a FROM", None),
    ],
)
def test_trustsql_hardness(sql: str, expected: str | None) -> None:
    assert trustsql_hardness(sql) == expected


@pytest.mark.data
def test_spider_hardness_is_the_official_one_on_every_dev_gold(data_root: Path) -> None:
    lines = (data_root / "spider" / "dev_gold.sql").read_text().splitlines()
    golds = [line.rsplit("\t", 1)[0] for line in lines if line.strip()]
    levels = [spider_hardness(gold) for gold in golds]
    # The published distribution, which covers the golds whose database is missing.
    assert Counter(levels) == {"easy": 248, "medium": 446, "hard": 174, "extra": 166}
    checked = 0
    for file in sorted((data_root / "spider_reference").glob("dev_*.jsonl")):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        official = {row["idx"]: row["hardness"] for row in rows if "hardness" in row}
        assert {at: levels[at] for at in official} == official
        checked += len(official)
    assert checked == 4 * 972


@pytest.mark.data
@pytest.mark.sampled
@pytest.mark.parametrize(("part", "count"), [("spider", 527), ("ehrsql", 934)])
def test_trustsql_hardness_is_the_published_one(data_root: Path, part: str, count: int) -> None:
    lines = (data_root / "trustsql" / f"trustsql_{part}_test.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row["gold_sql"] and row["hardness"]]
    assert len(rows) == count
    # EHRSQL's golds are long and alike.
    step = sampled(4, 1) if part == "ehrsql" else 1
    wrong = [
        row["gold_sql"]
        for row in rows[::step]
        if trustsql_hardness(row["gold_sql"]) != row["hardness"]
    ]
    assert wrong == []
