"""One test over every door: a plug-in's engine gets no proof by rules that nobody checked on it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from error_parts import refuses_data
from label_runs import write_run
from small_databases import sqlite_file
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import SchemaError
from sqlverdict.evidence import Proved
from sqlverdict.execute.engine import ENGINES, Enforced, Engine, Limits, Session
from sqlverdict.integrations.common import PairGrader
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.prove.proof import NotProved
from sqlverdict.records import Case, Reason
from sqlverdict.rl import Rewarder
from sqlverdict.view.playground import Playground

ROWS = "INSERT INTO emp VALUES (1, 'Ann', 100), (2, 'Bob', 200), (3, 'Cid', 300)"
TABLE = "CREATE TABLE emp (id INTEGER, name TEXT, pay INTEGER)"
GOLD = "SELECT name FROM emp WHERE pay > 250"
SAME = "SELECT name FROM emp WHERE 250 < pay"
PARTS: dict[str, Any] = {"prove": True, "refute": 0}


@dataclass
class Lookalike(Engine):
    """SQLite that says that it speaks DuckDB's dialect, and that ``id`` is a key."""

    rules_checked: bool = False
    enforces: frozenset[Enforced] = frozenset({"types"})
    problem: Exception | None = None

    name = "lookalike"
    dialect = "duckdb"
    suffixes = (".look",)
    repeats_names = True
    counts_steps = True
    version = "1"

    def open(self, database: Any, limits: Limits, **how: Any) -> Session:
        return ENGINES.get("sqlite").open(database, limits, **how)

    def digest(self, database: Any) -> str | None:
        return ENGINES.get("sqlite").digest(database)

    def schema(self, database: Any, db_id: str | None = None) -> Schema:
        del database
        if self.problem is not None:
            raise self.problem
        columns = Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("pay", "INTEGER")
        return Schema(db_id or "staff", (Table("emp", columns, primary_key=("id",)),), "ddl")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Lookalike:
    member = Lookalike()
    monkeypatch.setitem(ENGINES._members, member.name, member)
    monkeypatch.setitem(ENGINES._modules, member.name, "a_plugin")
    return member


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(sqlite_file(tmp_path / "staff.look", TABLE, ROWS))


def by_call(prediction: str, db: str, _folder: Path) -> bool:
    return sv.prove_pair(GOLD, prediction, db=db).proved


def by_command(prediction: str, db: str, _folder: Path) -> bool:
    return CliRunner().invoke(sqlverdict, ["prove", GOLD, prediction, "--db", db]).exit_code == 0


def by_check(prediction: str, db: str, _folder: Path) -> bool:
    return sv.check(GOLD, prediction, db=db, **PARTS).proof is not None


def by_scorer(prediction: str, db: str, _folder: Path) -> bool:
    with sv.Scorer(**PARTS) as scorer:
        return scorer.check(GOLD, prediction, db).proof is not None


def by_batch(prediction: str, db: str, _folder: Path) -> bool:
    with sv.Scorer(**PARTS) as scorer:
        (result,) = scorer.batch([(GOLD, prediction, db)])
    return result.proof is not None


def by_metric(prediction: str, db: str, _folder: Path) -> bool:
    with sv.Scorer("proved") as scorer:
        return scorer(GOLD, prediction, db) == 1.0


def by_reward(prediction: str, db: str, _folder: Path) -> bool:
    with Rewarder(values={"right": 0.5, "proved": 1.0}) as rewarder:
        return rewarder(GOLD, prediction, db) == 1.0


def by_grader(prediction: str, db: str, _folder: Path) -> bool:
    grader = PairGrader(metrics="proved")
    with closing(grader.scorer):
        return grader.grade(prediction, {"gold": GOLD, "db": db}).score == 1.0


def by_evaluate(prediction: str, db: str, folder: Path) -> bool:
    cases = [Case("q1", "staff", "Who?", (GOLD,), db)]
    options = sv.Options("proved,verdict", workers=0)
    run = sv.evaluate(cases, {"q1": prediction}, options=options, out=folder / "run")
    proved = any(isinstance(piece, Proved) for piece in run["q1"].evidence)
    assert run["q1"].scores["proved"] == float(proved)
    return proved


def by_playground(prediction: str, db: str, folder: Path) -> bool:
    run = write_run(folder / "view")
    case = Case("q1", "staff", "Who?", (GOLD,), db)
    with closing(Playground(lambda _: {"q1": case})) as playground:
        check = playground.check(run, "q1", GOLD, prediction)
    return any(piece.kind == "proved" for piece in check.detail.evidence)


DOORS = (
    *(by_call, by_command, by_check, by_scorer, by_batch, by_metric, by_reward, by_grader),
    *(by_evaluate, by_playground),
)


@pytest.mark.parametrize("door", DOORS)
def test_rules_count_only_on_an_engine_they_were_checked_on(
    door: Callable[[str, str, Path], bool], engine: Lookalike, db: str, tmp_path: Path
) -> None:
    assert not door(SAME, db, tmp_path / "unchecked")
    assert door(GOLD, db, tmp_path / "text")
    engine.rules_checked = True
    assert door(SAME, db, tmp_path / "checked")


def test_a_refusal_names_the_engine_and_what_to_do(engine: Lookalike, db: str) -> None:
    refusal = sv.prove_pair(GOLD, SAME, db=db)
    assert isinstance(refusal, NotProved)
    assert refusal.reason is Reason.UNSUPPORTED_FEATURE
    assert engine.name in refusal.message
    assert "check_rule" in refusal.message
    assert "rules_checked" in refusal.message
    unread = sv.prove_pair(GOLD, "SELECT FROM WHERE (", db=db)
    assert isinstance(unread, NotProved)
    assert unread.reason is Reason.PARSE_ERROR


@pytest.mark.parametrize("enforces", [frozenset({"types"}), frozenset({"types", "keys"})])
def test_a_key_that_is_declared_counts_where_the_data_obey_it(
    enforces: frozenset[Enforced], engine: Lookalike, tmp_path: Path
) -> None:
    engine.rules_checked, engine.enforces = True, enforces
    pair = "SELECT DISTINCT id FROM emp", "SELECT id FROM emp"
    obeys = sqlite_file(tmp_path / "obeys.look", TABLE, ROWS)
    assert sv.prove_pair(*pair, db=obeys).proved
    breaks = sqlite_file(tmp_path / "breaks.look", TABLE, ROWS, ROWS)
    broken = sv.prove_pair(*pair, db=breaks)
    assert isinstance(broken, NotProved)
    assert broken.reason is Reason.FACT_BROKEN
    assert not sv.check(*pair, db=breaks, **PARTS).proof


@pytest.mark.parametrize("problem", [KeyError("emp"), OSError("no disk"), RecursionError("deep")])
@pytest.mark.parametrize(
    "door",
    [
        lambda db: sv.load_schema(db),
        lambda db: sv.prove_pair(GOLD, SAME, db=db),
        lambda db: sv.refute_pair(GOLD, SAME, db=db),
    ],
)
def test_what_an_engine_raises_for_a_schema_is_its_own_by_name(
    door: Callable[[str], object], problem: Exception, engine: Lookalike, db: str
) -> None:
    engine.problem = problem
    with refuses_data(SchemaError, "failed", "engine lookalike", type(problem).__name__):
        door(db)


def test_a_command_and_a_run_name_the_engine_that_raised(
    engine: Lookalike, db: str, tmp_path: Path
) -> None:
    engine.problem = KeyError("emp")
    done = CliRunner().invoke(sqlverdict, ["prove", GOLD, SAME, "--db", db])
    assert done.exit_code == 2
    assert "the engine lookalike" in done.output
    assert not by_evaluate_with_search(db, tmp_path)


def by_evaluate_with_search(db: str, folder: Path) -> bool:
    """Whether a run in which a schema is asked for ends in an error of ours."""
    cases = [Case("q1", "staff", "Who?", (GOLD,), db)]
    options = sv.Options("verdict", workers=0)
    run = sv.evaluate(cases, {"q1": SAME}, options=options, out=folder / "run")
    return Reason.TOOLKIT_ERROR in run["q1"].reasons


class FolderEngine(Lookalike):
    """The same over folders, each with a file of tables."""

    name = "folders"
    suffixes = (".part",)
    folders = True

    def open(self, database: Any, limits: Limits, **how: Any) -> Session:
        return super().open(Path(database) / "tables.part", limits, **how)

    def digest(self, database: Any) -> str | None:
        return super().digest(Path(database) / "tables.part")


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of two databases, one of them empty."""
    member = FolderEngine()
    monkeypatch.setitem(ENGINES._members, member.name, member)
    monkeypatch.setitem(ENGINES._modules, member.name, "a_plugin")
    for name in ("staff", "empty"):
        (tmp_path / "data" / name).mkdir(parents=True)
    sqlite_file(tmp_path / "data" / "staff" / "tables.part", TABLE, ROWS)
    return tmp_path / "data"


def test_a_database_that_is_a_folder_is_one_at_every_door(folders: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.csv"
    cases.write_text(f"id,db_id,gold,prediction\n1,staff,{GOLD},{SAME}\n")
    staff = folders / "staff"
    for names in ({"databases": folders}, {"databases": staff}, {"db": staff}):
        assert sv.evaluate(cases, **names).estimate("ex").value == 1.0  # type: ignore[arg-type]
    with sv.Scorer(databases=folders) as scorer:
        assert scorer(GOLD, SAME, db_id="staff") == 1.0
    for folder in (folders, staff):
        data = ("--cases", str(cases), "--databases", str(folder))
        out = str(tmp_path / f"run {folder.name}")
        done = CliRunner().invoke(sqlverdict, ["evaluate", *data, "--workers", "0", "--out", out])
        assert done.exit_code == 0, done.output
        done = CliRunner().invoke(sqlverdict, ["doctor", *data])
        assert done.exit_code == 0, done.output
        digest = ENGINES.get("folders").digest(str(staff))
        assert f"staff: digest of all files {digest}" in done.output


def test_init_finds_a_database_that_is_a_folder(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file with the ending of the files in such a folder is no database by itself."""
    monkeypatch.chdir(folders)
    Path("cases.csv").write_text(f"id,db_id,gold,prediction\n1,staff,{GOLD},{SAME}\n")
    Path("other.part").touch()
    done = CliRunner().invoke(sqlverdict, ["init"])
    assert done.output.splitlines()[1:3] == ["  cases = cases.csv", "  databases = staff"]
    done = CliRunner().invoke(sqlverdict, ["evaluate", "--workers", "0", "--out", "run"])
    assert done.exit_code == 0, done.output


def test_the_message_on_a_missing_folder_names_it(folders: Path) -> None:
    cases = [{"id": 1, "db_id": name, "gold": GOLD, "prediction": SAME} for name in ("empty",)]
    (result,) = sv.evaluate(cases, databases=folders).results()
    assert result.reasons == ("DATABASE_UNAVAILABLE",)
    cases = [{"id": 1, "db_id": "staf", "gold": GOLD, "prediction": SAME}]
    (result,) = sv.evaluate(cases, databases=folders).results()
    messages = [getattr(each, "message", "") for each in result.evidence]
    assert any(f"expected the folder {folders / 'staf'}. Did you mean" in each for each in messages)
