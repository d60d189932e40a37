"""Every sign on every engine: its own examples speak there, or the engine refuses them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from small_databases import EVERY_ENGINE, database_of
from sqlverdict.dialects import dialect_of, parser_dialect
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.query import parse
from sqlverdict.records import Answer, Query
from sqlverdict.signs.lint import LintEntry, lint
from sqlverdict.signs.look import notices
from sqlverdict.signs.mend import mend
from sqlverdict.signs.sign import SIGNS, Sign, SignExample, Subject

BY_TYPE = "type_confusion"
"""The one sign about values without a type: see its Limits."""
NO_EXAMPLE = {"postgres": {"bare_column"}, "duckdb": {"bare_column"}}
"""Signs whose every example is an error there, by dialect: no answer, no sign."""
TEXTS = " VARCHAR(40)"
"""MySQL's TEXT has no length and so no key; other engines take this too."""


class Examples:
    """The examples of one sign on one engine."""

    def __init__(self, sign: Sign, engine: str, database: str) -> None:
        self.sign, self.engine, self.database = sign, ENGINES.get(engine), database
        self.runner = QueryRunner(engine, Limits(trust_role=True))
        self.schema = read_engine_schema(self.engine, database)

    def look(self, example: SignExample) -> list[str] | None:
        """What the sign says; ``None``: the engine refuses the query."""
        run = partial(self.runner.run, self.database)
        query, outcome = parse(example.sql, self.engine.dialect), run(example.sql)
        if not isinstance(outcome, Answer) or not isinstance(query, Query):
            return None
        about = (example.question, example.knowledge, outcome)
        subject = Subject(query, self.schema, run, *about)
        return [notice.message for notice in notices(self.sign, subject)]


def speaks(sign: Sign, example: SignExample, dialect: str) -> bool:
    """Whether an example of SQLite is one of this dialect, as the sign's Limits say."""
    if sign.name == BY_TYPE:
        return not dialect_of(dialect).typed
    if sign.name == "integer_division":
        return bool(parser_dialect(dialect).TYPED_DIVISION)
    if sign.name == "null_sort_key":
        return dialect_of(dialect).nulls_first(falls="DESC" in example.sql)
    # A text compared with a number.
    by_value = sign.name == "numbers_as_text" and "score > 5" in example.sql
    # Letter case does not count under the usual collations of MySQL.
    same_letter = "'oslo'" in example.sql and not dialect_of(dialect).exact_texts
    return not same_letter and not (by_value and dialect_of(dialect).typed)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize("sign", [sign for _, sign in SIGNS.items()], ids=lambda sign: sign.name)
def test_the_examples_of_a_sign(sign: Sign, engine: str, tmp_path: Path) -> None:
    statements = [each for each in sign.data.replace(" TEXT", TEXTS).split(";") if each.strip()]
    if not ENGINES.get(engine).in_python:
        # A row without its parent is no_example.
        statements = [each for each in statements if "INTO visit VALUES" not in each]
    with database_of(engine, tmp_path, *statements) as database:
        examples = Examples(sign, engine, database)
        dialect = examples.engine.dialect
        try:
            run = 0
            for example in sign.fires:
                messages = examples.look(example)
                run += messages is not None
                if messages is not None:
                    assert bool(messages) == speaks(sign, example, dialect), (example.sql, messages)
            for example in sign.silent:
                # What comes first among the examples of this sign is the engine's own rule.
                own_order = sign.name == "null_sort_key" and "people DESC" in example.sql
                expected = own_order and speaks(sign, example, dialect)
                assert bool(examples.look(example)) == expected, example.sql
        finally:
            examples.runner.close()
    no_example = sign.name in NO_EXAMPLE.get(dialect, set())
    assert bool(run) != no_example, "no example runs" if not no_example else "an example runs"


NAMES = (
    "CREATE TABLE <order> (id INTEGER PRIMARY KEY, <group> VARCHAR(20), <select> VARCHAR(20), "
    "<from> INTEGER)",
    "INSERT INTO <order> VALUES (1, 'North', '9', 4), (2, 'South', '10', 5), (3, 'South', '8', 6)",
    "CREATE TABLE <user> (id INTEGER PRIMARY KEY, <order> INTEGER, <key> INTEGER)",
    "INSERT INTO <user> VALUES (11, 1, 7), (12, 1, 8), (13, 2, 9)",
)
QUERIES = {
    "dead_literal": "SELECT id FROM <order> WHERE <group> = 'East'",
    "constant_condition": "SELECT id FROM <order> WHERE <from> > 3",
    "numbers_as_text": "SELECT MAX(<select>) FROM <order>",
    "unrelated_join": "SELECT o.id FROM <order> o JOIN <user> u ON u.id = o.id",
    "multiplied_rows": "SELECT SUM(o.<from>) FROM <order> o JOIN <user> u ON u.<order> = o.id",
    "tie_at_limit": "SELECT <select> FROM <order> ORDER BY <group> DESC LIMIT 1",
}
"""Names in angle brackets are keywords, in quotes."""


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_names_that_need_quotes(engine: str, tmp_path: Path) -> None:
    quote = dialect_of(ENGINES.get(engine).dialect).quote

    def engine_text(sql: str) -> str:
        for name in ("order", "group", "select", "from", "user", "key"):
            sql = sql.replace(f"<{name}>", f"{quote}{name}{quote}")
        return sql

    with database_of(engine, tmp_path, *map(engine_text, NAMES)) as database:
        runner = QueryRunner(engine, Limits(trust_role=True))
        try:
            entries = [LintEntry(name, engine_text(sql), database) for name, sql in QUERIES.items()]
            report = lint(entries, runner, [*QUERIES])
        finally:
            runner.close()
    assert report.unexamined == {}
    names = {each.query.id: {notice.name for notice in each.notices} for each in report.flagged}
    assert {name for name in QUERIES if name not in names.get(name, ())} == set()


@pytest.mark.parametrize("engine", [name for name in EVERY_ENGINE if name != "sqlite"])
def test_a_column_of_rollup_is_grouped_by(engine: str, tmp_path: Path) -> None:
    texts = ["ROLLUP (a)", "CUBE (a, b)", "GROUPING SETS ((a), (b), ())"]
    if ENGINES.get(engine).dialect == "mysql":
        texts = ["a WITH ROLLUP"]
    rows = ("CREATE TABLE t (a INT, b INT)", "INSERT INTO t VALUES (1, 1), (1, 2), (2, 2)")
    with database_of(engine, tmp_path, *rows) as database:
        examples = Examples(SIGNS.get("bare_column"), engine, database)
        try:
            for text in texts:
                sql = f"SELECT a, COUNT(*) FROM t GROUP BY {text}"
                assert examples.look(SignExample(sql)) == [], sql
        finally:
            examples.runner.close()


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_numbers_as_text_are_mended(engine: str, tmp_path: Path) -> None:
    """A number of four bytes would take the two large ones for one."""
    rows = "(1, '9'), (2, '16777216'), (3, '16777217')"
    tables = ("CREATE TABLE run (id INTEGER PRIMARY KEY, score VARCHAR(20))",)
    sql = "SELECT id FROM run ORDER BY score DESC, id LIMIT 1"
    with database_of(engine, tmp_path, *tables, f"INSERT INTO run VALUES {rows}") as database:
        examples = Examples(SIGNS.get("numbers_as_text"), engine, database)
        try:
            run = partial(examples.runner.run, database)
            query = parse(sql, examples.engine.dialect)
            assert isinstance(query, Query)
            subject = Subject(query, examples.schema, run)
            text = mend(query, examples.schema, notices(examples.sign, subject))
            assert text is not None
            before, after = run(sql), run(text)
        finally:
            examples.runner.close()
    assert isinstance(before, Answer)
    assert isinstance(after, Answer)
    assert (before.rows, after.rows) == ([(1,)], [(3,)])
