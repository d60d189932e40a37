"""As whom untrusted queries log in: a role that may only read, made and dropped, or none at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile_postgres import TABLES
from postgres_parts import PATIENT, POSTGRES, TRUSTED, execute, role, rows, session

from error_parts import refuses_database
from sqlverdict.execute.engine import ServerEngine, WorkspaceEngine
from sqlverdict.execute.servers.patience import is_passing
from sqlverdict.records import Failure
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
    from sqlverdict.execute.engines.postgres.reader import drop_readers

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


def test_the_role_is_given_no_right_to_make_temporary_tables(people: str) -> None:
    name = people.rpartition("/")[2]
    execute(people, f'REVOKE TEMPORARY ON DATABASE "{name}" FROM PUBLIC')
    with session(people) as opened:
        ((reader, _),) = rows(opened.run(WHO))
        may = f"SELECT has_database_privilege('{reader}', '{name}', 'TEMPORARY')"
        assert execute(people, may) == [(False,)]


def test_a_role_outlives_its_day_where_a_run_does(people: str) -> None:
    from sqlverdict.execute.engines.postgres import reader

    with session(people) as opened:
        ((name, _),) = rows(opened.run(WHO))
        (ours,) = (each for each in reader._readers.values() if each.name == name)
        execute(people, f"ALTER ROLE {name} VALID UNTIL '2001-01-01'")
        ours.renewed -= 23 * 3600
        with session(people) as later:
            assert rows(later.run(WHO)) == [(name, name)]
        valid = f"SELECT rolvaliduntil > now() + interval '23 hours' FROM pg_roles WHERE rolname = '{name}'"
        assert execute(people, valid) == [(True,)]
        assert rows(opened.run(WHO)) == [(name, name)], "its session was not ended"


def test_a_role_that_only_reads_is_used_as_it_is(people: str) -> None:
    grants = ("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",)
    with role(people, "", *grants) as url, session(url) as opened:
        assert isinstance(POSTGRES, ServerEngine)
        assert POSTGRES.excess_rights(url) == (
            "may fill the disk with temporary files of sorts (no temp_file_limit)",
        )
        assert rows(opened.run(WHO)) == [(_name(url), _name(url))]
        assert rows(opened.run("SELECT count(*) FROM person")) == [(400,)]


@pytest.mark.parametrize(
    ("options", "grant", "right"),
    [
        ("", "GRANT INSERT ON person TO {role}", "may write to 1 table"),
        ("", "GRANT UPDATE (name) ON person TO {role}", "may write to 1 table"),
        ("", "GRANT INSERT (id, name) ON person TO {role}", "may write to 1 table"),
        ("", "GRANT CREATE ON SCHEMA public TO {role}", "may create tables in the schema public"),
        ("", "GRANT USAGE ON SEQUENCE numbers_seq TO {role}", "may move 1 sequence"),
        ("", "GRANT pg_read_server_files TO {role}", "is a member of pg_read_server_files"),
        *(
            ("", f"GRANT {name} TO {{role}}", f"is a member of {name}")
            for name in ("pg_monitor", "pg_read_all_settings", "pg_read_all_stats")
        ),
        ("", "GRANT pg_stat_scan_tables TO {role}", "is a member of pg_stat_scan_tables"),
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
        with refuses_database("refused", right) as refusal:
            POSTGRES.open(url, PATIENT)
        assert "--set trust-role=true" in str(refusal.value)
        assert "GRANT SELECT ON ALL TABLES" in str(refusal.value)
        with session(url, TRUSTED) as opened:
            assert rows(opened.run("SELECT count(*) FROM person")) == [(400,)]


def test_an_owner_that_may_create_roles_lends_the_right_to_read(postgres_database: str) -> None:
    from sqlverdict.execute.engines.postgres.reader import drop_readers

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
        with refuses_database("refused", "may create roles"):
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
    from sqlverdict.execute.engines.postgres import reader

    reader.drop_readers()
    before = readers(people)
    usual = reader.let_read

    def shut(admin: Any, role: Any, *args: Any, **options: Any) -> bool:
        admin.execute(f'ALTER ROLE "{role.name}" NOLOGIN')
        return usual(admin, role, *args, **options)

    monkeypatch.setattr(reader, "let_read", shut)
    with refuses_database("refused", r"pg_hba\.conf"):
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


def test_a_full_server_is_no_reason_to_drop_a_role(people: str) -> None:
    """Other sessions use it."""
    with session(people) as opened:
        ((name, _),) = rows(opened.run(WHO))
        execute(people, f"ALTER ROLE {name} CONNECTION LIMIT 1")
        with refuses_database("unreachable") as refusal:
            POSTGRES.open(people, PATIENT)
        assert is_passing(refusal.value)
        assert name in readers(people)
        assert rows(opened.run(WHO)) == [(name, name)]
    execute(people, f"ALTER ROLE {name} CONNECTION LIMIT -1")
    with session(people) as opened:
        assert rows(opened.run(WHO)) == [(name, name)]


def test_a_full_server_is_no_reason_to_drop_a_role_that_reads_another_database(
    people: str, postgres_database: str
) -> None:
    with session(people) as opened:
        ((name, _),) = rows(opened.run(WHO))
        execute(people, f"ALTER ROLE {name} CONNECTION LIMIT 1")
        with refuses_database("unreachable") as refusal:
            POSTGRES.open(postgres_database, PATIENT)
        assert is_passing(refusal.value)
        assert rows(opened.run(WHO)) == [(name, name)]
    execute(people, f"ALTER ROLE {name} CONNECTION LIMIT -1")


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
    with refuses_database("refused", "is a superuser"):
        POSTGRES.workspace(people, PATIENT)
    POSTGRES.workspace(people, TRUSTED).close()
    with role(people, "CREATEDB") as url:
        POSTGRES.workspace(url, PATIENT).close()
