"""Checks of databases, questions, cases and versions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.audit.data import wording_key
from sqlverdict.execute.reversed_copy import reverse_copy
from sqlverdict.records import Case


def on(database: Path, *golds: str) -> list[Case]:
    db_id = database.parent.name
    return [
        Case(str(n), db_id, f"q {n}", (sql,), str(database))
        for n, sql in enumerate(golds or ("SELECT 1",))
    ]


def build(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        connection.commit()
    return path


def errors(diagnosis, check):
    return [f.message for f in diagnosis.of(check) if f.severity == "error"]


def test_missing_database_names_its_cases_and_a_name_that_is_alike(examine, database):
    lost = database.parent.parent / "shops" / "shops.sqlite"
    diagnosis = examine(cases=on(lost, "SELECT 1", "SELECT 2"))
    (message,) = errors(diagnosis, "database_files")
    assert "'shop'" in message
    assert diagnosis.figures["cases_without_database"] == 2
    assert not diagnosis.of("gold_runs"), "the golds are not to blame"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\n", "not a SQLite database"),
    ],
)
def test_file_that_is_no_database(examine, tmp_path, content, words):
    path = tmp_path / "odd" / "odd.sqlite"
    path.parent.mkdir()
    path.write_bytes(content)
    (message,) = errors(examine(cases=on(path)), "database_files")
    assert words in message


def test_database_without_tables(examine, tmp_path):
    path = build(tmp_path / "bare" / "bare.sqlite", "PRAGMA user_version = 3")
    (message,) = errors(examine(cases=on(path)), "database_files")
    assert "holds no tables" in message


def test_corrupt_database(examine, tmp_path):
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
    path = build(
        tmp_path / "hurt" / "hurt.sqlite",
        f"CREATE TABLE t (a TEXT); INSERT INTO t {rows} SELECT 'text ' || i FROM n;",
    )
    data = bytearray(path.read_bytes())
    data[8192 : 8192 + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    before = path.read_bytes()
    assert errors(examine(cases=on(path)), "database_files")
    assert path.read_bytes() == before


def test_whole_database_is_silent_and_untouched(examine, database):
    before, beside = database.read_bytes(), sorted(database.parent.iterdir())
    diagnosis = examine("SELECT 1")
    assert not diagnosis.of("database_files")
    assert not diagnosis.of("database_content")
    assert database.read_bytes() == before
    assert sorted(database.parent.iterdir()) == beside


def test_a_closed_write_ahead_log_leaves_no_new_files(examine, tmp_path):
    path = build(tmp_path / "w" / "w.sqlite", "PRAGMA journal_mode=WAL; CREATE TABLE t AS SELECT 1")
    assert examine(cases=on(path, "SELECT * FROM t")).runnable == 1
    assert [child.name for child in path.parent.iterdir()] == ["w.sqlite"]


def test_leftovers_of_a_writer(examine, database):
    left = database.with_name(database.name + "-journal")
    left.write_bytes(b"\0" * 512)
    (finding,) = examine("SELECT 1").of("database_files")
    assert finding.severity == "warning"
    assert left.name in finding.message


def test_write_ahead_log(examine, tmp_path):
    path = tmp_path / "logged" / "logged.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE t (a)")
        writer.execute("INSERT INTO t VALUES (1)")
        writer.commit()
        diagnosis = examine(cases=on(path, "SELECT a FROM t"))
    (finding,) = diagnosis.of("database_files")
    assert "write-ahead log" in finding.message
    assert diagnosis.runnable == 1


def test_test_suite_is_counted(examine, database):
    (database.parent / "more.sqlite").write_bytes(database.read_bytes())
    (finding,) = examine("SELECT 1").of("database_files")
    assert finding.severity == "info"
    assert finding.detail["files"] == 2


def test_rows_that_break_a_foreign_key(examine, tmp_path):
    path = build(
        tmp_path / "fk" / "fk.sqlite",
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p INTEGER REFERENCES p(id));"
        "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1), (2), (3), (NULL);",
    )
    diagnosis = examine(cases=on(path))
    (finding,) = diagnosis.of("database_content")
    assert finding.detail["violations"] == {"c -> p": 2}
    assert diagnosis.figures["foreign_key_violations"] == 2


def test_foreign_key_that_fits_no_key_is_told_apart(examine, tmp_path):
    path = build(
        tmp_path / "fk" / "fk.sqlite",
        "CREATE TABLE p (id INTEGER); CREATE TABLE c (p INTEGER REFERENCES p(id));"
        "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1);",
    )
    (finding,) = examine(cases=on(path)).of("database_content")
    assert finding.severity == "info"
    assert "not name a key of the parent table" in finding.message


def test_text_that_is_not_utf8_and_tables_without_rows(examine, tmp_path):
    path = build(
        tmp_path / "odd" / "odd.sqlite",
        "CREATE TABLE t (a TEXT); CREATE TABLE e (a TEXT);"
        "INSERT INTO t VALUES ('fine'), (CAST(x'4dfc6c6c6572' AS TEXT));",
    )
    diagnosis = examine(cases=on(path, "SELECT a FROM t"))
    details = [finding.detail["tables"] for finding in diagnosis.of("database_content")]
    assert details == [{"t": 1}, ["e"]]
    assert diagnosis.figures["cells_not_utf8"] == 1
    assert diagnosis.runnable == 1


def test_repeated_questions(examine, database):
    path = str(database)

    def case(name: str, question: str, sql: str, answerable: bool = True) -> Case:
        return Case(name, "shop", question, (sql,) if sql else (), path, answerable=answerable)

    cases = [
        case("first", "How many cities?", "SELECT count(*) FROM city"),
        case("same", "how many cities", "SELECT COUNT(*) FROM city"),
        case("alike", "How many  cities ?", "SELECT count(id) FROM city"),
        case("other", "How many cities?", "SELECT count(*) FROM shop"),
        case("none", "How many cities?", "", answerable=False),
        case("else", "How many shops?", "SELECT count(*) FROM shop"),
    ]
    findings = examine(cases=cases).of("questions_repeated")
    assert {f.subject: f.severity for f in findings} == {
        "case same": "info",
        "case alike": "info",
        "case other": "warning",
        "case none": "warning",
    }


def test_the_same_question_with_other_knowledge_or_database_is_another(examine, database):
    cases = [
        Case("a", "shop", "How many?", ("SELECT 1",), str(database), knowledge="cities"),
        Case("b", "shop", "How many?", ("SELECT 2",), str(database), knowledge="shops"),
        Case("c", "store", "How many?", ("SELECT 3",), str(database), knowledge="shops"),
    ]
    assert not examine(cases=cases).of("questions_repeated")


def test_cases_that_are_not_whole(examine, database):
    path = str(database)
    cases = [
        Case("a", "shop", "q", ("SELECT 1",), path),
        Case("a", "shop", "r", ("SELECT 1",), path),
        Case("b", "shop", " ", ("SELECT 1",), path),
        Case("c", "shop", "s", (), path),
        Case("d", "shop", "t", ("SELECT 1",), path, answerable=False),
        Case("e", "shop", "u", (), path, answerable=False),
    ]
    findings = examine(cases=cases).of("cases_whole")
    assert [(f.severity, f.subject) for f in findings] == [
        ("error", "case a"),
        ("error", "case c"),
        ("warning", "case b"),
        ("warning", "case d"),
    ]


def test_no_questions_at_all_is_one_note(examine, database):
    cases = [Case(name, "shop", "", ("SELECT 1",), str(database)) for name in "ab"]
    (finding,) = examine(cases=cases).of("cases_whole")
    assert finding.severity == "info"


def test_versions_and_digests(examine, database):
    findings = examine("SELECT 1", predictions="SELECT 1\n").of("versions")
    assert [f.subject for f in findings] == ["programs", "preds.txt", "shop"]
    assert findings[0].detail["sqlite"] == sqlite3.sqlite_version
    assert len(findings[2].detail["sha256"]) == 64
    assert f"SQLite {sqlite3.sqlite_version}" in findings[2].message


def test_the_reverse_copy_has_the_same_rows_in_reverse(tmp_path):
    source = build(
        tmp_path / "s.sqlite",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b VARCHAR(5), c);"
        "CREATE TABLE u (k TEXT PRIMARY KEY, v) WITHOUT ROWID;"
        'CREATE TABLE "odd ""name" (n NUMERIC, g INT AS (n * 2));'
        "CREATE VIEW w AS SELECT v FROM u;"
        "INSERT INTO t VALUES (1, 'x', '01', 1.0), (2, 'X', '2', NULL), (3, 'y', NULL, x'ff');"
        "INSERT INTO u VALUES ('a', 1), ('b', 2);"
        "INSERT INTO \"odd \"\"name\" (n) VALUES ('07'), ('x');",
    )
    copy = tmp_path / "c.sqlite"
    reverse_copy(source, copy)
    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(copy)) as there:
        for table in ("u", '"odd ""name"', "w"):
            rows = here.execute(f"SELECT * FROM {table}").fetchall()
            assert there.execute(f"SELECT * FROM {table}").fetchall() == rows[::-1]
        same = "SELECT a, typeof(b), typeof(c) FROM t ORDER BY id"
        assert here.execute(same).fetchall() == there.execute(same).fetchall()
        assert there.execute("SELECT count(*) FROM t WHERE a = 'X'").fetchone() == (2,)


def test_large_databases_are_not_copied(examine):
    diagnosis = examine("SELECT group_concat(name) FROM city", copy_bytes=0)
    assert not diagnosis.of("gold_undetermined")
    assert "self_backwards[strict]" not in diagnosis.figures


def test_limit_looks_at_the_first_cases_only(examine):
    diagnosis = examine("SELECT 1", "SELECT absent", predictions="SELECT 1\nnope\n", limit=1)
    assert diagnosis.cases == 1
    assert not diagnosis.counts["error"]


def test_progress_is_told(examine):
    messages = []
    examine("SELECT 1", "SELECT 2", progress=lambda *progress: messages.append(progress))
    assert ("golds", 2, 2) in messages


def test_wording():
    assert wording_key("  How  MANY Cities ?") == wording_key("how many cities")
    assert wording_key("How many cities") != wording_key("How many shops")
