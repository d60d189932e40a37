"""Whether a question names a column of the gold; what cannot be read counts as named."""

from __future__ import annotations

import pytest

from sqlverdict.compare.related.question_columns import names_columns
from sqlverdict.records import Case

QUESTIONS = [
    ("What are the names and ages?", "SELECT name, age FROM t", 1, True, "a plural"),
    ("What are the names?", "SELECT name, age FROM t", 1, False, "not a word of it"),
    ("Who has a passport?", "SELECT name, passport_no FROM t", 1, True, "one word of two"),
    ("What is the e-mail of Ann?", "SELECT name, AdmEmail1 FROM t", 1, True, "written apart"),
    ("List the ids.", "SELECT name, T1.id FROM t AS T1", 1, True, "a short word"),
    ("Did Ann pay?", "SELECT name, id FROM t", 1, False, "a short word within another"),
    ("How many boats has each?", "SELECT name, count(*) FROM t", 1, True, "how many"),
    ("Who has most boats?", "SELECT name, count(*) FROM t", 1, False, "nobody asks for a count"),
    ("Who has most boats?", "SELECT name, count(boat) FROM t", 1, True, "what is counted"),
    ("Who is oldest?", "SELECT name, max(age) FROM t", 1, True, "the greatest"),
    ("Who is it?", "SELECT name, group_concat(age) FROM t", 1, True, "an unknown aggregate"),
    ("Who is it?", "SELECT name, 'x' FROM t", 1, True, "no column at all"),
    ("Who is it?", "SELECT name, age AS seniority FROM t", 1, False, "neither name nor alias"),
    ("Of which seniority?", "SELECT name, age AS seniority FROM t", 1, True, "an alias"),
    ("Who is it?", "SELECT * FROM t", 0, True, "a star"),
    ("Who is it?", "SELECT name FROM t", 3, True, "no such column"),
    ("Who is it?", "SELEC name, age FRM t", 1, True, "no query"),
    (" ", "SELECT name, age FROM t", 1, True, "no question"),
    ("Who is it?", "SELECT name, age FROM t UNION SELECT a, b FROM u", 1, False, "a union"),
]


@pytest.mark.parametrize(
    ("question", "gold", "position", "expected", "because"),
    QUESTIONS,
    ids=[row[4] for row in QUESTIONS],
)
def test_a_column_is_named(
    question: str, gold: str, position: int, expected: bool, because: str
) -> None:
    assert names_columns(Case("1", "db", question, (gold,)), [position]) is expected, because


def test_knowledge_counts_as_the_question_does() -> None:
    case = Case("1", "db", "Who is it?", ("SELECT name, age FROM t",), knowledge="old: age > 60")
    assert names_columns(case, [1])
