"""What every sign promises: it speaks and is silent as its own file says, and stays in bounds."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from sqlverdict.execute.engine import DEFAULT_ENGINE, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Failure, Outcome, Query, Reason
from sqlverdict.signs.look import notices
from sqlverdict.signs.sign import PROBES, SECTIONS, SIGNS, Notice, Sign, SignExample, Subject
from sqlverdict.testing.members import member_of


def check_sign(sign: str | Sign) -> None:
    """Hold one sign, given by its name or itself, to its promises.

    Raises:
        AssertionError: it breaks one; the message names the query.
    """
    sign = member_of(SIGNS, sign)
    assert sign.title.endswith("."), f"{sign.name}: the document starts with a sentence"
    missing = [name for name in SECTIONS if not sign.sections.get(name)]
    assert not missing, f"{sign.name}: the document lacks {', '.join(missing)}"
    assert sign.fires, f"{sign.name}: it has no query on which it speaks"
    assert sign.silent, f"{sign.name}: it has no query on which it is silent"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(sign.data)
            connection.commit()
        runner = QueryRunner(DEFAULT_ENGINE, Limits())
        try:
            for example in sign.fires:
                _check_fires(sign, example, path, runner)
            for example in sign.silent:
                shown_notices = _look(sign, example, path, runner)
                assert not shown_notices, (
                    f"{sign.name} speaks on {example.sql}: {shown_notices[0].message}"
                )
        finally:
            runner.close()


def _check_fires(sign: Sign, example: SignExample, path: Path, runner: QueryRunner) -> None:
    shown_notices = _look(sign, example, path, runner)
    assert shown_notices, f"{sign.name} is silent on {example.sql}"
    assert all(notice.name == sign.name for notice in shown_notices), (
        f"{sign.name} uses another name"
    )
    messages = [notice.message for notice in shown_notices]
    assert any(example.part in message for message in messages), f"{example.sql}: {messages}"
    again = _look(sign, example, path, runner)
    assert again == shown_notices, (
        f"{sign.name} says something else the second time on {example.sql}"
    )


def _look(sign: Sign, example: SignExample, path: Path, runner: QueryRunner) -> list[Notice]:
    """What a sign finds; it must not fail where the database refuses every probe."""
    query = parse(example.sql)
    assert isinstance(query, Query), f"{sign.name}: {example.sql} cannot be parsed"
    probes: list[str] = []

    def run(sql: str) -> Outcome:
        probes.append(sql)
        return runner.run(str(path), sql)

    schema = read_sqlite(path)
    outcome = runner.run(str(path), example.sql)
    about = (example.question, example.knowledge, outcome)
    shown_notices = notices(sign, Subject(query, schema, run, *about))
    assert len(probes) <= PROBES, f"{sign.name} runs {len(probes)} queries for {example.sql}"
    notices(sign, Subject(query, schema, _refuse, *about))
    return shown_notices


def _refuse(_sql: str) -> Outcome:
    return Failure(Reason.EXECUTION_TIMEOUT, "no query is run here")
