from __future__ import annotations

import math
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.abstain.prompting.replies import (
    NOT_ANSWERABLE,
    graded,
    label_of,
    refuses,
    split_remark,
    sql_of,
    token_figures,
)
from sqlverdict.llm.request import Reply, TokenChoice


@pytest.mark.parametrize(
    "text",
    [
        "I cannot select that from this schema.",
        "I cannot select the names because there is no such column.",
        "Sorry, the question asks to select something that is not in the database.",
        "not_answerable",
        "",
        "   \n",
    ],
)
def test_prose_is_not_sql(text: str) -> None:
    assert sql_of(text) is None


TWO_QUOTED = 'SELECT "name" FROM item WHERE name = "pen" AND day = "2024-01-01"'


@pytest.mark.parametrize(
    "reply",
    [
        TWO_QUOTED,
        f"SQL: {TWO_QUOTED}",
        f"Answer: SQL: {TWO_QUOTED}",
        f"```sql\n{TWO_QUOTED}\n```",
        f"Here is the query:\n```\n{TWO_QUOTED}\n```\nIt works.",
        f"{TWO_QUOTED}\n\nQuestion: and how many?\nSQL: SELECT 2",
        f"{TWO_QUOTED}\n\nTable item, columns = [a,b]\nQuestion: more",
    ],
)
def test_two_double_quoted_literals_stay_as_they_are(reply: str) -> None:
    assert sql_of(reply) == TWO_QUOTED


def test_a_break_inside_a_literal_is_not_the_next_question() -> None:
    sql = "SELECT 'one\nQuestion: two' AS a"
    assert sql_of(sql) == sql


_LITERAL = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), max_size=20)


@given(one=_LITERAL, other=_LITERAL, remark=st.sampled_from(["", " # correct", " # incorrect"]))
def test_a_remark_never_touches_a_literal(one: str, other: str, remark: str) -> None:
    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    sql = f"SELECT {quoted(one)}, {quoted(other)}"
    result, comment = split_remark(sql + remark)
    assert result is not None
    with closing(sqlite3.connect(":memory:")) as connection, connection:
        assert connection.execute(result).fetchone() == (one, other)
    connection.close()
    assert comment == (remark.removeprefix(" # ") or None)


@pytest.mark.parametrize(
    ("text", "sql", "remark"),
    [
        ("SELECT 1 # correct", "SELECT 1", "correct"),
        ("SELECT 1 # incorrect", "SELECT 1", "incorrect"),
        ("SELECT 1 -- incorrect", "SELECT 1", "incorrect"),
        ("SELECT 1\n# Incorrect", "SELECT 1", "incorrect"),
        ("```sql\nSELECT 1\n```\n# incorrect", "SELECT 1", "incorrect"),
        ("```sql\nSELECT 1 # correct\n```", "SELECT 1", "correct"),
        ("SELECT '# incorrect' AS a", "SELECT '# incorrect' AS a", None),
        ("SELECT '# incorrect' AS a # correct", "SELECT '# incorrect' AS a", "correct"),
        ("SELECT 1 # correct\n\nQuestion: x\nSQL: SELECT 2 # incorrect", "SELECT 1", "correct"),
        ("SELECT 1\n\nQuestion: x\nSQL: SELECT 2 # incorrect", "SELECT 1", None),
        ("I am not sure # incorrect", None, None),
    ],
)
def test_remarks(text: str, sql: str | None, remark: str | None) -> None:
    assert split_remark(text) == (sql, remark)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("answerable", True),
        ("Answer: answerable.", True),
        ("not_answerable", False),
        ("Not answerable", False),
        ("unanswerable", False),
        ("This is not really answerable.", False),
        ("answerable or not_answerable", None),
        ("yes", None),
        ("", None),
    ],
)
def test_answerability_labels(text: str, label: bool | None) -> None:
    assert label_of(text, "answerable", NOT_ANSWERABLE) is label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("correct", True),
        ("'Correct'", True),
        ("incorrect", False),
        ("It is not correct.", False),
        ("The SQL is incorrect, not correct.", False),
        ("It could be correct or incorrect.", None),
        ("correctly spelled", None),
    ],
)
def test_correctness_labels(text: str, label: bool | None) -> None:
    assert label_of(text, "correct", "incorrect") is label


@pytest.mark.parametrize(
    ("text", "is_refusal"),
    [
        ("not_answerable", True),
        (" 'not_answerable'", True),
        ("Answer: Not answerable, because ...", True),
        ("SELECT 'not_answerable'", False),
        ("SELECT 1 -- not_answerable", False),
    ],
)
def test_refusals(text: str, is_refusal: bool) -> None:
    assert refuses(text) is is_refusal


def _reply(*choices: TokenChoice) -> Reply:
    return Reply("x", "stop", 1, 1, 0.0, logprobs=choices)


def test_the_probability_of_a_label_is_read_off_its_first_token() -> None:
    choice = TokenChoice("not", math.log(0.6), (("answer", math.log(0.2)), ("the", math.log(0.2))))
    blank = TokenChoice(" ", 0.0)
    assert graded(_reply(blank, choice), "answerable", NOT_ANSWERABLE) == pytest.approx(0.25)
    assert graded(_reply(), "answerable", NOT_ANSWERABLE) is None
    odd = _reply(TokenChoice("the", 0.0))
    assert graded(odd, "answerable", NOT_ANSWERABLE) is None


def test_token_figures_of_a_reply() -> None:
    sure = TokenChoice("a", 0.0)
    half = TokenChoice("b", math.log(0.5), (("c", math.log(0.25)),))
    probabilities, entropies = token_figures(_reply(sure, half))
    assert probabilities == pytest.approx((1.0, 0.5))
    # The quarter that is left counts as one further token.
    assert entropies == pytest.approx((0.0, 0.5 * math.log(2) + 2 * 0.25 * math.log(4)))
    assert token_figures(_reply()) == ((), ())
