"""As whom untrusted queries log in: a role that may only read, made and dropped, or none at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from postgres_parts import PATIENT, POSTGRES, TRUSTED, execute, role, session

import sqlverdict as sv
from servers import fresh_postgres
from sqlverdict.cli.main import sqlverdict as command_line
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits, ServerEngine, WorkspaceEngine
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Answer, Case, Failure, Outcome, Prediction
from sqlverdict.rl.rewarder import Rewarder
from sqlverdict.testing.hostile.postgres import TABLES
from timeouts import wait_until

WHO = "SELECT session_user::text, current_user::text"
READER = "sqlverdict_reader_"
GRANT = "format('GRANT %I TO {role}', current_user)"
HOLDS = (
    "import sys, time; from sqlverdict.execute.engine import ENGINES, Limits\n"
    "opened = ENGINES.get('postgres').open(sys.argv[1], Limits(seconds=600))\n"
    "print(opened.run('SELECT current_user::text').rows[0][0], flush=True)\n"
    "sys.stdin.readline()\n"
)
"""A process that has a session until it is told to end."""


@pytest.fixture(scope="module")
def people(postgres: str) -> Iterator[str]:
    """A database for tests that must leave it as it is."""
    with fresh_postgres(postgres) as url:
        execute(url, *TABLES)
        yield url


def rows(outcome: Outcome) -> list[Any]:
    assert isinstance(outcome, Answer), outcome
    return outcome.rows


def readers(url: str) -> set[str]:
    """The roles of ours on the server."""
    names = execute(url, f"SELECT rolname FROM pg_roles WHERE rolname ^@ '{READER}'")
    return {name for (name,) in names}


def start(url: str) -> tuple[subprocess.Popen[str], str]:
    """A process with a session, and its role."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> None:
    process.communicate("\n")


def test_a_superuser_makes_a_role_that_reads_and_drops_it(people: str) -> None:
    from sqlverdict.execute.postgres.reader import drop_readers

    acl = "SELECT relname, relacl FROM pg_class WHERE relnamespace = 2200 ORDER BY 1"
    before = execute(people, acl)
    with session(people) as opened, session(people) as other:
        ((name, current),) = rows(opened.run(WHO))
        assert name == current
        assert name.startswith(READER)
        assert rows(other.run(WHO)) == [(name, name)]
        assert execute(people, acl) == before
        ((super_, creates, bypasses, limit),) = execute(
            people,
            "SELECT rolsuper, rolcreaterole OR rolcreatedb OR rolreplication, rolbypassrls,"
            f" rolconfig FROM pg_roles WHERE rolname = '{name}'",
        )
        assert (super_, creates, bypasses) == (False, False, False)
        assert limit == ["temp_file_limit=4194304kB"]
    drop_readers()
    assert name not in readers(people)
    with session(people) as opened:
        ((fresh, _),) = rows(opened.run(WHO))
    assert fresh.startswith(READER)
    assert fresh != name


def test_a_role_that_only_reads_is_used_as_it_is(people: str) -> None:
    grants = ("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",)
    with role(people, "", *grants) as url, session(url) as opened:
        assert isinstance(POSTGRES, ServerEngine)
        assert POSTGRES.excess_rights(url) == ("may fill the disk with temporary files",)
        assert rows(opened.run(WHO)) == [(_name(url), _name(url))]
        assert rows(opened.run("SELECT count(*) FROM person")) == [(400,)]


@pytest.mark.parametrize(
    ("options", "grant", "right"),
    [
        ("", "GRANT INSERT ON person TO {role}", "may write to 1 table"),
        ("", "GRANT CREATE ON SCHEMA public TO {role}", "may create tables in the schema public"),
        ("", "GRANT USAGE ON SEQUENCE numbers_seq TO {role}", "may move 1 sequence"),
        ("", "GRANT pg_read_server_files TO {role}", "is a member of pg_read_server_files"),
        ("NOINHERIT", "GRANT pg_write_all_data TO {role}", "is a member of pg_write_all_data"),
        ("CREATEDB", "SELECT 1", "may create databases"),
        ("REPLICATION", "SELECT 1", "may replicate the server"),
        ("", f"DO $$ BEGIN EXECUTE {GRANT}; END $$", "is a superuser"),
    ],
)
def test_a_role_that_may_do_more_is_refused_unless_it_is_trusted(
    people: str, options: str, grant: str, right: str
) -> None:
    select = "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"
    with role(people, options, select, grant) as url:
        with pytest.raises(DatabaseError, match=right) as refusal:
            POSTGRES.open(url, PATIENT)
        assert "--trust-role" in str(refusal.value)
        assert "GRANT SELECT ON ALL TABLES" in str(refusal.value)
        with session(url, TRUSTED) as opened:
            assert rows(opened.run("SELECT count(*) FROM person")) == [(400,)]


def test_an_owner_that_may_create_roles_lends_the_right_to_read(postgres_database: str) -> None:
    from sqlverdict.execute.postgres.reader import drop_readers

    execute(postgres_database, *TABLES)
    owners = (
        "ALTER TABLE city OWNER TO {role}",
        "ALTER TABLE person OWNER TO {role}",
        "ALTER SEQUENCE numbers_seq OWNER TO {role}",
    )
    acl = "SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 2200 ORDER BY 1"
    with role(postgres_database, "CREATEROLE", *owners) as url:
        with session(url) as opened:
            ((name, _),) = rows(opened.run(WHO))
            assert name.startswith(READER)
            assert rows(opened.run("SELECT count(*) FROM person")) == [(400,)]
            assert isinstance(opened.run("SELECT pg_sleep(1)"), Failure)
        drop_readers()
        assert name not in readers(postgres_database)
        assert not any(name in str(row) for row in execute(postgres_database, acl))
        execute(postgres_database, "ALTER TABLE city OWNER TO CURRENT_USER")
        execute(postgres_database, f"GRANT SELECT ON city TO {_name(url)}")
        # It may read that table, and may not let others.
        with pytest.raises(DatabaseError, match="may create roles"):
            POSTGRES.open(url, PATIENT)
        assert name not in readers(postgres_database)


def _name(url: str) -> str:
    return url.partition("://")[2].partition("@")[0]


def test_the_role_sees_what_the_role_of_the_url_sees(postgres_database: str) -> None:
    """The search path that a role has set for itself, and rows that policies hide from others."""
    execute(
        postgres_database,
        "CREATE SCHEMA other",
        "CREATE TABLE other.t (a int)",
        "INSERT INTO other.t VALUES (1), (2)",
        "ALTER TABLE other.t ENABLE ROW LEVEL SECURITY",
    )
    settings = "ALTER ROLE {role} SET search_path = other, public"
    with role(postgres_database, "SUPERUSER", settings) as url, session(url) as opened:
        assert rows(opened.run(WHO))[0][0].startswith(READER)
        assert rows(opened.run("SELECT count(*) FROM t")) == [(2,)]


def test_a_role_that_cannot_log_in_is_told(people: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where pg_hba.conf allows no passwords."""
    from sqlverdict.execute.postgres import reader

    reader.drop_readers()
    before = readers(people)
    usual = reader.let_read

    def shut(admin: Any, role: Any, *args: Any, **options: Any) -> bool:
        admin.execute(f'ALTER ROLE "{role.name}" NOLOGIN')
        return usual(admin, role, *args, **options)

    monkeypatch.setattr(reader, "let_read", shut)
    with pytest.raises(DatabaseError, match=r"pg_hba\.conf"):
        POSTGRES.open(people, PATIENT)
    own = {name for name in readers(people) if f"_{os.getpid():x}_" in name}
    assert own <= before


def test_a_role_that_was_dropped_is_made_anew(people: str) -> None:
    with session(people) as opened:
        ((name, _),) = rows(opened.run(WHO))
    execute(people, f"DROP ROLE {name}")
    with session(people) as opened:
        ((other, _),) = rows(opened.run(WHO))
    assert other != name


def test_what_a_killed_process_left_is_dropped_by_the_next(people: str) -> None:
    process, name = start(people)
    process.kill()
    process.communicate()
    query = f"SELECT 1 FROM pg_stat_activity WHERE usename = '{name}'"
    assert wait_until(lambda: execute(people, query) == [])
    other, _ = start(people)
    try:
        assert name not in readers(people)
    finally:
        end(other)


def test_processes_at_once_keep_their_roles_to_themselves(people: str) -> None:
    processes = [start(people) for _ in range(2)]
    names = {name for _, name in processes}
    assert len(names) == 2
    assert names <= readers(people)
    first, _ = processes.pop()
    end(first)
    left = {name for _, name in processes}
    assert readers(people) & names == left
    for process, _ in processes:
        end(process)
    assert readers(people).isdisjoint(names)


def test_no_way_to_score_leaves_a_role(people: str, tmp_path: Path) -> None:
    program = (
        "import sys; import sqlverdict as sv; from sqlverdict.records import Case, Prediction\n"
        "url, out = sys.argv[1:]\n"
        "text = 'SELECT count(*) FROM person'\n"
        "with sv.Scorer('ex', db=url) as scorer: print(scorer.check(text, text).result.verdict)\n"
        "case = Case('1', 'people', golds=(text,), database=url)\n"
        "options = sv.Options('ex', engine='postgres', workers=2, cache=None)\n"
        "pairs = [(case, Prediction('1', text))]\n"
        "run = sv.evaluate_pairs(pairs, out=f'{out}/run', options=options)\n"
        "print([result.verdict.value for result in run.results()])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, people, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    output, _ = process.communicate()
    assert output.split() == ["correct", "['correct']"]
    assert not any(f"_{process.pid:x}_" in name for name in readers(people))


def test_statements_that_write_run_as_an_owner_only(people: str) -> None:
    assert isinstance(POSTGRES, WorkspaceEngine)
    with pytest.raises(DatabaseError, match="is a superuser"):
        POSTGRES.workspace(people, PATIENT)
    POSTGRES.workspace(people, TRUSTED).close()
    with role(people, "CREATEDB") as url:
        POSTGRES.workspace(url, PATIENT).close()


def evaluated(url: str) -> str:
    case = Case("1", "people", golds=("SELECT 1",), database=url)
    options = sv.Options(metrics="ex", engine="postgres", workers=1)
    with TemporaryDirectory() as folder:
        run = sv.evaluate_pairs(
            [(case, Prediction("1", "SELECT 1"))], out=Path(folder) / "run", options=options
        )
        (result,) = run.results()
    return result.message or ""


def _pair(url: str, command: str) -> str:
    result = CliRunner().invoke(command_line, [command, "SELECT 1", "SELECT 1", "--db", url])
    return result.output + str(result.exception)


def _doctor(url: str) -> str:
    case = {"id": "1", "question": "q", "gold": "SELECT 1", "database": url}
    with TemporaryDirectory() as folder:
        cases = Path(folder) / "cases.jsonl"
        cases.write_text(json.dumps(case))
        arguments = ["doctor", "--cases", str(cases), "--engine", "postgres"]
        return CliRunner().invoke(command_line, arguments).output


DOORS: dict[str, Callable[[str], object]] = {
    "evaluate_pairs": evaluated,
    "check": lambda url: sv.check("SELECT 1", "SELECT 1", db=url),
    "Scorer": lambda url: sv.Scorer("ex", db=url).check("SELECT 1", "SELECT 1"),
    "Rewarder": lambda url: Rewarder(db=url, unscored="none")("SELECT 1", "SELECT 1"),
    "QueryRunner": lambda url: QueryRunner("postgres", Limits()).run(url, "SELECT 1"),
    "pair": lambda url: _pair(url, "pair"),
    "doctor": _doctor,
}


@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_a_prediction_act_as_an_owner(people: str, door: str) -> None:
    """None of them has a way of its own to a server."""
    opened: list[str] = []
    with role(people, "", "GRANT INSERT ON person TO {role}") as url:
        try:
            opened.append(repr(DOORS[door](url)))
        except DatabaseError as error:
            opened.append(str(error))
    assert (
        "may do more than read" in opened[0]
        or "may write to 1 table" in opened[0]
        or (door == "Rewarder" and opened == ["None"])
    )


def test_doctor_prints_what_makes_a_role_that_reads(people: str) -> None:
    assert isinstance(POSTGRES, ServerEngine)
    statements = POSTGRES.reader_statements(people)
    text = " ".join(_doctor(people).split())
    for statement in statements:
        assert statement in text
    # The name is the administrator's choice, and other tests use the same server.
    name = f"sv_test_{token_hex(4)}"
    try:
        execute(people, *(each.replace("reads_only", name) for each in statements))
        parts = people.partition("://")
        host = parts[2].rpartition("@")[2]
        url = f"{parts[0]}://{name}@{host}"
        assert POSTGRES.excess_rights(url) == ()
        with session(url) as opened:
            assert rows(opened.run("SELECT count(*) FROM person")) == [(400,)]
    finally:
        execute(people, f"DROP OWNED BY {name}", f"DROP ROLE {name}")
