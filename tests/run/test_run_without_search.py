"""A run on an engine that cannot search for witnesses: results decide, and it is said once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.cli.show_run import show_run
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Session
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Verdict
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.run import Run

SENTENCE = "the engine plain cannot search for witnesses"


class Plain(Engine):
    """SQLite without its search."""

    name = "plain"
    dialect = "sqlite"
    suffixes = (".plain",)
    version = "1"

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Open it as SQLite does."""
        return ENGINES.get("sqlite").open(database, limits, now=now, driver_values=driver_values)

    def digest(self, database: Reference) -> str | None:
        """SQLite's."""
        return ENGINES.get("sqlite").digest(database)

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """SQLite's."""
        return ENGINES.get("sqlite").schema(database, db_id)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(ENGINES._members, "plain", Plain())
    monkeypatch.setitem(ENGINES._modules, "plain", "test")
    file = tmp_path / "shop.plain"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE shop (id INTEGER PRIMARY KEY, city TEXT)")
        connection.execute("INSERT INTO shop VALUES (1, 'Rome'), (2, 'Oslo')")
    return str(file)


def run_on(shop: str, folder: Path, metrics: str, policy: str | None = None) -> Run:
    case = Case("1", "shop", "Which cities?", ("SELECT city FROM shop",), shop)
    options = Options(metrics, engine="plain", workers=0, cache=None, policy=policy)
    lucky = {"1": "SELECT DISTINCT city FROM shop"}
    return evaluate([case], lucky, out=folder / "run", options=options)


def test_the_verdict_follows_the_results_by_name(shop: str, tmp_path: Path) -> None:
    run = run_on(shop, tmp_path, "ex,verdict")
    assert run.manifest.policy == "results"
    (result,) = run.results()
    assert result.verdict is Verdict.CORRECT
    assert result.p_right is None
    assert run.summary.expected is None


def test_it_is_said_once_beside_the_headline(
    shop: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_on(shop, tmp_path, "ex,verdict")
    show_run(Screen(), run)
    lines = capsys.readouterr().out.splitlines()
    places = [at for at, line in enumerate(lines) if SENTENCE in line]
    assert len(places) == 1
    assert places[0] < 4


@pytest.mark.parametrize("policy", ["intent", "strict"])
def test_a_policy_that_is_asked_for_claims_no_probability(
    shop: str, tmp_path: Path, policy: str
) -> None:
    run = run_on(shop, tmp_path, "ex,verdict", policy)
    assert run.manifest.policy == policy
    (result,) = run.results()
    assert result.p_right is None
    assert f"policy {policy}" in run.manifest.stages["search"]


def test_nothing_is_said_where_only_results_are_asked_for(shop: str, tmp_path: Path) -> None:
    assert "search" not in run_on(shop, tmp_path, "ex").manifest.stages
