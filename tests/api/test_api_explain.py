"""``explain()`` shows rows: those of a witness, and those in which two answers differ."""

from __future__ import annotations

from pathlib import Path

import sqlverdict as sv

GOLD = "SELECT name FROM t WHERE n > 1"


def test_rows_that_differ_are_in_the_explanation(db: Path) -> None:
    result = sv.check(GOLD, "SELECT name FROM t WHERE n > 2", db=db)
    assert result.explain().endswith(
        "    gold (2 rows): name\n    prediction (1 row): name\n    - 'b'\n    1 row the same"
    )


def test_long_answers_keep_their_counts(db: Path) -> None:
    many = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 200) "
    result = sv.check(many + "SELECT i FROM r", many + "SELECT -i FROM r", db=db)
    lines = result.explain().splitlines()
    assert "    gold (200 rows): i" in lines
    assert len(lines) < 60


def test_a_witness_is_explained_with_its_rows(db: Path) -> None:
    result = sv.check(GOLD, "SELECT name FROM t WHERE n > 1 AND n < 9", db=db, refute=100)
    assert result.witness is not None
    assert "\n    table t: 1 row\n" in result.explain()
    assert "gold (" not in result.explain(), "the answers match on the real data"


def test_nothing_is_invented_where_an_answer_is_missing(db: Path) -> None:
    assert "gold (" not in sv.check(GOLD, "SELECT nome FROM t", db=db).explain()
    assert sv.check(GOLD, None, db=db).explain() == "abstained wrong"
