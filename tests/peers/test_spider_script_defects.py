"""Each known defect of Spider's test-suite script, and that it is not ours."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

from sqlverdict import Options, evaluate
from sqlverdict.compare.answers import compare_answers
from sqlverdict.parse.hardness import spider_hardness
from sqlverdict.parse.query import parse
from sqlverdict.records import Case, ParseFailure, Reason, Verdict

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_its_time_out_never_fires(judge) -> None:
    result = judge("SELECT count(*) FROM item", ENDLESS)
    assert result.reasons == (Reason.EXECUTION_TIMEOUT,)
    assert result.scores["ex"] == 0.0


def test_a_predicted_drop_table_destroys_the_database(judge, shop: Path) -> None:
    before = hashlib.sha256(shop.read_bytes()).hexdigest()
    result = judge("SELECT count(*) FROM item", "DROP TABLE item")
    assert result.verdict is Verdict.INCORRECT
    assert result.reasons == (Reason.WRITE_BLOCKED,)
    assert hashlib.sha256(shop.read_bytes()).hexdigest() == before


def test_distinct_is_stripped_by_default(judge) -> None:
    pair = ("SELECT DISTINCT name FROM item", "SELECT name FROM item")
    assert judge(*pair).scores["ex"] == 0.0
    assert judge(*pair, metrics="ex[spider]").scores["ex[spider]"] == 1.0


def test_order_by_is_found_by_text_search(judge) -> None:
    gold = "SELECT name FROM item WHERE id IN (SELECT id FROM item ORDER BY id LIMIT 2)"
    assert judge(gold, f"{gold} ORDER BY name").scores["ex"] == 1.0


def test_a_failing_gold_aborts_the_run(shop: Path) -> None:
    cases = [
        Case("bad", "shop", golds=("SELECT nothing FROM item",), database=str(shop)),
        Case("good", "shop", golds=("SELECT 1",), database=str(shop)),
    ]
    run = evaluate(cases, {"bad": "SELECT 1", "good": "SELECT 1"}, options=Options(cache=None))
    bad, good = run.results()
    assert (bad.verdict, bad.fault) == (Verdict.UNSCORED, "gold")
    assert good.scores["ex"] == 1.0
    assert run.estimate("ex").value == 1.0
    assert run.estimate("ex").unscored == 1


def test_column_permutations_explode_at_26_columns() -> None:
    rng = random.Random(3)
    rows = [tuple(rng.randint(0, 1) for _ in range(26)) for _ in range(30)]
    order = rng.sample(range(26), 26)
    shuffled = [tuple(row[i] for i in order) for row in rows]
    for preset in ("spider", "strict"):
        assert compare_answers(rows, shuffled, preset).equal is True


def test_its_parser_rejects_what_llms_write() -> None:
    queries = [
        "SELECT COUNT(*) AS n FROM item WHERE price BETWEEN 1 AND 2;",
        "WITH c AS (SELECT kind, COUNT(*) AS n FROM item GROUP BY kind) SELECT MAX(n) FROM c",
        "SELECT name, ROW_NUMBER() OVER (ORDER BY price DESC) FROM item",
        "SELECT CASE WHEN price IS NULL THEN 'no' ELSE 'yes' END FROM item",
        "SELECT i.name FROM item AS i LEFT OUTER JOIN item j ON i.id <> j.id",
        "SELECT CAST(SUM(price) AS REAL) / COUNT(*) FROM item",
    ]
    for sql in queries:
        assert not isinstance(parse(sql), ParseFailure), sql
        assert spider_hardness(sql) is not None, sql
