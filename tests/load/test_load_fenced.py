"""SQL out of models' replies: what is taken, what is left alone, what is no SQL at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.load.fields import prediction_from
from sqlverdict.load.replies.fenced import (
    extract_sql,
    is_plain_sql,
    read_prediction,
    text_prediction,
)
from sqlverdict.records import Prediction
from timeouts import cpu_limit

PLAIN = [
    "SELECT 1",
    "  select a\nfrom t ;  ",
    "(SELECT 1) UNION (SELECT 2)",
    "-- all of them\nSELECT * FROM t",
    "/* a */ /* b */ WITH x AS (SELECT 1) SELECT * FROM x",
    "WITH/**/x (a, b) AS (SELECT 1, 2) SELECT * FROM x",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n",
    "VALUES (1)",
    "FROM t SELECT a",
    "FROM an.orders SELECT id",
    "TABLE t",
    "PIVOT t ON a USING sum(b)",
    'pivot main."t" AS x ON a',
    "PIVOT_WIDER t ON a USING sum(b)",
    "UNPIVOT (SELECT a, b FROM t) ON b INTO NAME n VALUE v",
    "-- wide\nUNPIVOT t\nON COLUMNS(* EXCLUDE (a)) INTO NAME n VALUE v;",
    "SELECT '```' FROM t",
    "SELECT '; I cannot' FROM t; -- done",
    "SELECT a\n\nFROM t",
    'SELECT `a`, [b], "c" FROM t',
    "SELECT 1;;",
    "SELECT 1\n\nNote FROM t",
    "SELECT a,\n\n  the FROM t",
    "SELECT a FROM\n\n  notes n",
    "SELECT a FROM t WHERE\n\n    here = 1\n\n    AND i = 2",
]
HOSTILE = [
    "DROP TABLE singer",
    "; DROP TABLE singer",
    "SELECT 1; DROP TABLE singer",
    "DELETE FROM a",
    "UPDATE a SET b = 1",
    "INSERT INTO t VALUES (1)",
    "ATTACH DATABASE '/tmp/x' AS x",
    "PRAGMA writable_schema = 1",
    "VACUUM INTO '/tmp/x'",
    "CREATE TABLE a (b)",
    "REPLACE INTO t VALUES (1)",
    "EXPLAIN SELECT 1",
    "BEGIN; DELETE FROM t; COMMIT",
    "SHOW TABLES",
]


@pytest.mark.parametrize("sql", PLAIN + HOSTILE)
def test_statements_pass_through_verbatim(sql: str) -> None:
    assert extract_sql(sql) == sql


@pytest.mark.parametrize(
    ("reply", "sql"),
    [
        ("```sql\nSELECT 1\n```", "SELECT 1"),
        ("```sql\nPIVOT t ON a USING sum(b)\n```", "PIVOT t ON a USING sum(b)"),
        ("Pivot tables show it:\n\nSELECT a FROM t", "SELECT a FROM t"),
        ("Unpivot: SELECT a FROM t", "SELECT a FROM t"),
        ("```SQL\r\nSELECT 1\r\n```\r\n", "SELECT 1"),
        ("```sqlite\nSELECT 1\n```", "SELECT 1"),
        ("```\nSELECT 1\n```", "SELECT 1"),
        ("```SELECT 1```", "SELECT 1"),
        ("```sql SELECT 1;``` That's it.", "SELECT 1;"),
        ("~~~sql\nSELECT 1\n~~~", "SELECT 1"),
        ("Sure, it's this:\n\n```sql\nSELECT 'it''s'\n```\nIt doesn't fail.", "SELECT 'it''s'"),
        ("```sql\nSELECT '```'\n```", "SELECT '```'"),
        ("```sql\nSELECT 1\n```\nBetter:\n```sql\nSELECT 2\n```", "SELECT 2"),
        ("```sql\nSELECT 1\n```\nIt prints\n```\n1\n```", "SELECT 1"),
        ("```sql\nSELECT 1\n```\nor\n```sql\nSELECT 2 FROM", "SELECT 1"),
        ("```sql\nSELECT 1", "SELECT 1"),
        (r"```sql SELECT 'it\'s' FROM t; ```", r"SELECT 'it\'s' FROM t;"),
        ("```sql\nDROP TABLE t;\n```", "DROP TABLE t;"),
        ("```sql\nSELECT 1\n```\n```sql\nDROP TABLE t\n```", "SELECT 1"),
        ("SELECT 1\n```\nThis selects one.", "SELECT 1"),
        ("SELECT a FROM t ``` This lists every a.", "SELECT a FROM t"),
        ("SELECT ```sql SELECT a FROM t; ```", "SELECT a FROM t;"),
        ("SELECT ```sql a FROM t; ```", "SELECT a FROM t;"),
        ("SELECT I'll write it: ```sql SELECT a FROM t; ```", "SELECT a FROM t;"),
        ("SQL: SELECT a FROM t", "SELECT a FROM t"),
        ("sql\nSELECT a FROM t", "SELECT a FROM t"),
        ("**Answer:** `SELECT a FROM t`.", "SELECT a FROM t"),
        ("The query is: select a from t; it lists a.", "select a from t;"),
        ("The query is SELECT a FROM t WHERE b = 1.", "SELECT a FROM t WHERE b = 1"),
        (
            "Here you go:\nWITH x AS (SELECT 1) SELECT * FROM x",
            "WITH x AS (SELECT 1) SELECT * FROM x",
        ),
        ("SELECT a FROM t; This returns every a.", "SELECT a FROM t;"),
        ("SELECT a FROM t\n\nExplanation: every a.", "SELECT a FROM t"),
        ("Use this query:\n```sql\nSELECT 1\n```", "SELECT 1"),
        ("Sure!\nDROP TABLE singer;", "DROP TABLE singer;"),
        ("<think>SELECT 9 FROM x?</think>\nSELECT 1", "SELECT 1"),
    ],
)
def test_sql_is_found_in_replies(reply: str, sql: str) -> None:
    assert extract_sql(reply) == sql


def documented_forms() -> list[tuple[str, str]]:
    """The replies and their SQL in the table of docs/inputs.md."""
    page = (Path(__file__).parents[2] / "docs" / "inputs.md").read_text()
    rows = page.partition("| form | reply | SQL |\n")[2].partition("\n\n")[0].splitlines()[1:]
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
    return [
        (reply.strip("`").replace("\\n", "\n").replace("\\|", "|"), sql.strip("`"))
        for _, reply, sql in cells
    ]


@pytest.mark.parametrize(("reply", "sql"), documented_forms())
def test_every_form_of_the_page_is_read_at_every_door(reply: str, sql: str) -> None:
    assert extract_sql(reply) == sql
    assert text_prediction("1", reply).sql == sql
    assert read_prediction("1", Prediction("1", raw=reply)).sql == sql
    assert prediction_from({"sql": reply}, "1", "line 1").sql == sql
    assert not is_plain_sql(reply)


@pytest.mark.parametrize(
    ("reply", "sql"),
    [
        ("<sql>SELECT 1</sql> or better <sql>SELECT 2</sql>", "SELECT 2"),
        ("<sql>SELECT 1</sql> or <sql>SELECT 2 FR", "SELECT 1"),
        ("<think>x</think><answer>\n```sql\nSELECT 1\n```\n</answer><|im_end|>", "SELECT 1"),
        ("<answer><sql>SELECT 1</sql></answer>", "SELECT 1"),
        ('<answer>{"sql": "SELECT 1"}</answer>', "SELECT 1"),
        ("<answer>SELECT a FROM t WHERE b =", "SELECT a FROM t WHERE b ="),
        ("SELECT count(*) FROM item</answer>", "SELECT count(*) FROM item"),
        ("SELECT 1 is what I try</think>SELECT 2", "SELECT 2"),
        ("<|im_start|>assistant\nSELECT 1<|im_end|>\n<|im_start|>user", "SELECT 1"),
        ("SELECT 'x'<|endoftext|>", "SELECT 'x'"),
        ("SELECT 1</s>", "SELECT 1"),
        (r"Thus $\boxed{\text{SELECT a FROM t}}$.", "SELECT a FROM t"),
        (r"\boxed{SELECT '{' || '}' FROM t}", "SELECT '{' || '}' FROM t"),
        (r"\boxed{SELECT 1} or better \boxed{SELECT 2}", "SELECT 2"),
        (r"\boxed{SELECT 1} or better \boxed{SELECT 2 FR", "SELECT 1"),
        (r"\boxed{\boxed{SELECT 1}}", "SELECT 1"),
        ('```json\n{"query": "SELECT a\\nFROM t"}\n```', "SELECT a\nFROM t"),
        ('{"SQL": "SELECT a\nFROM t"}', "SELECT a\nFROM t"),
        ("Write it in <sql> tags: SELECT a FROM t", "SELECT a FROM t"),
        ("SELECT a FROM t -- the <answer>\n", "SELECT a FROM t -- the <answer>\n"),
    ],
)
def test_wrapped_replies(reply: str, sql: str) -> None:
    assert extract_sql(reply) == sql


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT '<|im_end|>' FROM t",
        "SELECT '</answer>' FROM t",
        'SELECT "a</b>" FROM t',
        "SELECT a FROM t WHERE a</* less */b",
        "SELECT a FROM t WHERE a<b AND c>d",
        "SELECT a <> b, a << 2, a <= b FROM t",
        "SELECT [a/b], [x] FROM t",
        "SELECT\n  Explanation: a FROM t",
        "SELECT b,\nReasoning: a FROM t",
        "SELECT '\nExplanation: x' FROM t",
        """SELECT '{"sql": "SELECT 1"}' FROM t""",
        r"SELECT '\boxed{a}' FROM t",
    ],
)
def test_signs_in_plain_sql_are_sql(sql: str) -> None:
    assert extract_sql(sql) == sql
    assert is_plain_sql(sql)


@pytest.mark.parametrize(
    "reply",
    [
        "<think>I could use SELECT a FROM t",
        "I thought of SELECT 1 FROM t.\n<answer>There is no such column.</answer>",
        "```sql\nSELECT 1\n```\n<answer></answer>",
        '{"sql": null, "reason": "SELECT a FROM t would need b"}',
        r"\boxed{42}",
    ],
)
def test_a_form_without_sql_has_none(reply: str) -> None:
    assert extract_sql(reply) is None


def test_a_tag_of_ones_own() -> None:
    reply = "<answer>SELECT 1</answer> <final>SELECT 2</final> <final>SELECT"
    assert extract_sql(reply, tag="final") == "SELECT 2"
    assert extract_sql("SELECT 1", tag="final") is None
    with pytest.raises(UsageError, match="tag is"):
        extract_sql(reply, tag="<final>")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n ",
        "null",
        "sql placeholder",
        "I cannot select the names from the table, because there are none.",
        "I cannot SELECT that.",
        "With the given schema, this cannot be answered.",
        "Show me the schema first.",
        "Update: there is no such column.",
        "Sorry:\nselect the right table from the list first.",
        "```\nno rows\n```",
        "```json\n{}\n```",
        "/* SELECT 1 */",
        "/* SELECT a FROM t",
        "-- SELECT a FROM t",
        "-- Answer: SELECT a FROM t\n",
        "```sql\n-- SELECT a FROM t\n```",
        "```sql\n/* SELECT a FROM t */\n```",
    ],
)
def test_prose_about_sql_is_no_sql(reply: str) -> None:
    assert extract_sql(reply) is None
    assert not is_plain_sql(reply)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "[" * 300_000,
        "/*" * 200_000,
        "'" * 300_001,
        "`" * 300_000,
        "x:" * 200_000,
        "SELECT " + ";" * 300_000,
        "SELECT 1 " + "\n\n" * 200_000,
        "x\n" + "select a\n" * 50_000,
        "x " + "SELECT " * 50_000,
        "x\n" + "with/*\n" * 50_000,
        "x\n" + "with/*\n" * 50_000 + "*/",
        "SELECT a" + ",\n\nI " * 50_000,
        "x\n" + "with [\n" * 50_000,
        "x" + "```'a\n" * 50_000,
        "(" * 300_000,
        "x" + " " * 300_000,
        "<answer>" * 50_000,
        "</answer>" * 50_000,
        "<answer></sql>" * 30_000 + "</answer>",
        "SELECT 1 " + "<" * 300_000,
        "SELECT 1 " + "</a" * 100_000,
        "SELECT 1 " + "<|a" * 100_000,
        "\\boxed{" * 50_000,
        "\\boxed{" + "{" * 300_000,
        "\\boxed{" * 50_000 + "}" * 50_000,
        '{"a":' * 50_000 + "}",
        '{"sql": "' + "\\\\" * 100_000,
        "SELECT 1" + "\nExplanation " * 50_000,
        "SELECT a," + "\nExplanation: b," * 30_000,
        "</think>" * 50_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_time_is_linear_in_hostile_text(text: str) -> None:
    # A quadratic pattern needs minutes here; linear ones a tenth of a second.
    with cpu_limit(30):
        extract_sql(text)
        is_plain_sql(text)


@pytest.mark.parametrize(
    ("reply", "sql"),
    [
        ("Sure:\n/* SELECT 1 FROM t */\nSELECT 2 FROM t", "SELECT 2 FROM t"),
        ("Sure:\n-- SELECT 1 FROM t\nSELECT 2 FROM t", "SELECT 2 FROM t"),
        ("**SELECT count(*) FROM t**", "SELECT count(*) FROM t"),
        ("SELECT a FROM t\n\nThis query lists a.", "SELECT a FROM t"),
        ("SELECT a FROM\n\nnotes n;\nThis lists a.", "SELECT a FROM\n\nnotes n;"),
        ("SELECT a FROM t\n\nNote /* that", "SELECT a FROM t"),
    ],
)
def test_comments_and_marks_around_a_query_go(reply: str, sql: str) -> None:
    assert extract_sql(reply) == sql


@given(st.text(), st.text())
def test_any_literal_survives(first: str, second: str) -> None:
    quoted = [text.replace("'", "''") for text in (first, second)]
    sql = f"SELECT '{quoted[0]}' FROM t WHERE a = '{quoted[1]}'"
    assert extract_sql(sql) == sql


@given(st.text())
def test_nothing_raises(text: str) -> None:
    sql = extract_sql(text)
    assert sql is None or sql.strip()
