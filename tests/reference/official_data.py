"""Reference verdicts of official scorers, as cases, predictions and the scores that they must get.

Read by the tests beside this file and by ``bench/official_scorers.py``. The data are described in
their own ``official_scorers.md``.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from sqlverdict import Options, evaluate
from sqlverdict.compare.defog_rules import frames, is_contained, is_exact
from sqlverdict.compare.preset import QueryPair
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.defog import alternatives
from sqlverdict.load.databases import DatabaseLocation
from sqlverdict.load.predictions import load_predictions
from sqlverdict.records import Answer, Case, Prediction, Result

CLOCK = datetime(2025, 6, 18, 12, tzinfo=UTC)
"""What the clock showed when the verdicts of defog were made."""

EX, SOFT_F1 = "ex[bird_mini_dev]", "soft_f1_bird[bird_mini_dev]"
EXACT, CORRECT = "ex[defog_exact]", "ex[defog]"


@dataclass
class Reference:
    """What one official scorer said on one engine.

    Attributes:
        name: The scorer.
        engine: The engine that runs the queries; ``sqlite`` where nothing is run.
        cases: A case for each verdict; its id is the item and what was predicted.
        predictions: The prediction of each case.
        expected: The scores by metric; a score that cannot be asked for is left out.
        excuses: Why a verdict cannot be the same, by case id and metric.
    """

    name: str
    engine: str
    cases: list[Case] = field(default_factory=list)
    predictions: dict[str, Prediction] = field(default_factory=dict)
    expected: dict[str, dict[str, float]] = field(default_factory=dict)
    excuses: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, case: Case, prediction: Prediction, expected: Mapping[str, float]) -> None:
        """Add one verdict."""
        self.cases.append(case)
        self.predictions[case.id] = replace(prediction, case_id=case.id)
        self.expected[case.id] = dict(expected)

    def every(self, step: int, start: int = 0) -> Reference:
        """Each ``step``-th verdict, from the one at ``start``."""
        cases = self.cases[start::step]
        ids = {case.id for case in cases}
        return Reference(
            self.name,
            self.engine,
            cases,
            {each: self.predictions[each] for each in ids},
            {each: self.expected[each] for each in ids},
            self.excuses,
        )


@dataclass(frozen=True)
class Difference:
    """A verdict of ours that is not the official one."""

    case_id: str
    metric: str
    official: float
    ours: float | None
    excuse: str
    result: Result


class Agreement(NamedTuple):
    """How many verdicts were compared for each metric, the differences, and all results."""

    checked: dict[str, int]
    differences: list[Difference]
    results: list[Result]


def compare_with(reference: Reference, *more: str) -> Agreement:
    """Our verdicts beside the official ones; ``more`` are metrics that are scored besides."""
    metrics = sorted({metric for scores in reference.expected.values() for metric in scores})
    options = Options(
        metrics=[*metrics, *more], engine=reference.engine, now=CLOCK, workers=0, cache=None
    )
    run = evaluate(reference.cases, reference.predictions, options=options)
    checked = dict.fromkeys(metrics, 0)
    differences, results = [], list(run.results())
    for result in results:
        for metric, official in reference.expected[result.id].items():
            checked[metric] += 1
            ours = result.scores[metric]
            if ours != official:
                excuse = reference.excuses.get((result.id, metric), "")
                differences.append(Difference(result.id, metric, official, ours, excuse, result))
    return Agreement(checked, differences, results)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def spider2(data: Path) -> Reference:
    """Spider 2.0's comparison of results, in two versions."""
    root, reference = data / "spider2_csv", Reference("Spider 2.0", "sqlite")
    cases = {case.id: case for case in BENCHMARKS.get("spider2").read(root).cases}
    submissions = {
        folder.name: load_predictions(folder, list(cases), strict_ids=False)
        for folder in sorted((root / "predictions").iterdir())
    }
    for item in lines(root / "verdicts.jsonl"):
        name, change = item["instance_id"], item["perturbation"]
        case = replace(cases[name], id=f"{name}/{change}")
        scores = {"ex[spider2]": item["score"], "ex[spider2_2024]": item["score_2024"]}
        reference.add(case, submissions[change][name], scores)
    return reference


def bird_mini_dev(data: Path, engine: str, databases: str) -> Reference:
    """BIRD mini-dev's EX and Soft-F1; ``databases`` is a folder, or the URL of one database."""
    root, reference = data / "bird_mini_dev", Reference("BIRD mini-dev", engine)
    dialect = "postgresql" if engine == "postgres" else engine
    reader, location = BENCHMARKS.get("bird_mini_dev"), DatabaseLocation(databases)
    cases = list(reader.read(root, databases=location, options={"dialect": dialect}).cases)
    ids = [case.id for case in cases]
    by_question = {
        item["question_id"]: case
        for case, item in zip(cases, lines(root / "items.jsonl"), strict=True)
    }
    files: dict[str, Any] = {}
    for item in lines(root / f"verdicts_{dialect}.jsonl"):
        file = item["file"]
        if file not in files:
            files[file] = load_predictions(root / "predictions" / file, ids, format="bird_order")
        own = by_question[item["question_id"]]
        case = replace(own, id=f"{item['question_id']}/{item['system']}")
        # Where the newer driver has another verdict, ours is the newer driver.
        verdict = {**item, **(item.get("psycopg3") or {})}
        reference.add(case, files[file][own.id], {EX: verdict["ex"], SOFT_F1: verdict["soft_f1"]})
        if item.get("soft_f1_depends_on_row_order"):
            reference.excuses[case.id, SOFT_F1] = "rows without an order are paired by position"
        if ";" in item["sql"].strip().rstrip(";"):
            reference.excuses[case.id, SOFT_F1] = "several statements are not run here"
        if item["outcome"] == "timeout":
            reference.excuses[case.id, SOFT_F1] = "it may end in time on a faster machine"
    return reference


def defog(data: Path, engine: str, databases: Mapping[str, str]) -> Reference:
    """defog's exact and correct; ``databases`` are references by name, and others are left out."""
    root, reference = data / "defog", Reference("defog sql-eval", engine)
    items = {item["key"]: item for item in lines(root / "items.jsonl")}
    for verdict in lines(root / f"verdicts_{engine}.jsonl"):
        item = items[verdict["key"]]
        own, name = item["engines"][engine], item["db_name"]
        if name not in databases:
            continue
        case = Case(
            f"{verdict['key']}/{verdict['mutation']}",
            name,
            own["question"],
            alternatives(own["query"]),
            databases[name],
            tags={"category": item["query_category"]},
        )
        scores = {EXACT: float(verdict["exact"]), CORRECT: float(verdict["correct"])}
        reference.add(case, Prediction(case.id, verdict["sql"]), scores)
        for metric in scores:
            if verdict["error"] and verdict["pred"] is not None:
                why = "the script fails where any alternative of the gold fails"
                reference.excuses[case.id, metric] = why
            elif not verdict["stable"] or not verdict["row_order_stable"]:
                reference.excuses[case.id, metric] = "ties: rows come in another order"
    return reference


def defog_functions(data: Path, engine: str) -> tuple[int, list[str]]:
    """The script's two functions on the stored rows of an engine: how many calls, and which differ.

    No engine is needed, and each alternative of a gold is looked at by itself.
    """
    root, calls, different = data / "defog", 0, []
    items = {item["key"]: item for item in lines(root / "items.jsonl")}
    golds = {
        item["key"]: item["alternatives"] for item in lines(root / f"gold_results_{engine}.jsonl")
    }
    for verdict in lines(root / f"verdicts_{engine}.jsonl"):
        if verdict["pred"] is None:
            continue
        key, item = verdict["key"], items[verdict["key"]]
        own = item["engines"][engine]
        for index, gold in enumerate(golds[key]):
            if gold.get("error"):
                continue
            pair = QueryPair(
                gold["sql"],
                verdict["sql"],
                engine,
                question=own["question"],
                category=item["query_category"],
                golds=alternatives(own["query"]),
                gold_index=index,
            )
            both = frames(_answer(gold), _answer(verdict["pred"]), engine)
            official = verdict["per_alternative"][index]
            for name, function in (("compare_df", is_exact), ("subset_df", is_contained)):
                calls += 1
                if function(*both, pair) != official[name]:
                    different.append(f"{key}/{verdict['mutation']} {name} {index}")
    return calls, different


def _answer(frame: Mapping[str, Any]) -> Answer:
    return Answer(tuple(frame["columns"]), [tuple(map(_cell, row)) for row in frame["rows"]])


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "seconds": lambda value: timedelta(seconds=value),
}


def _cell(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    return _READERS[kind](content)


def defog_sqlite(data: Path, folder: Path) -> dict[str, str]:
    """The SQLite databases of defog, made from their dumps."""
    databases = {}
    for dump in sorted((data / "defog/databases_frozen/sqlite").glob("*.sql")):
        file = folder / f"{dump.stem}.sqlite"
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(dump.read_text("utf-8"))
        databases[dump.stem] = str(file)
    return databases


class DatabaseExists(Exception):
    """A server has a database under a name that the golds use."""


@contextmanager
def mysql_databases(server: str, dumps: Mapping[str, Path]) -> Iterator[dict[str, str]]:
    """Databases on a server under the names that the golds use, gone afterwards; their URLs.

    Raises:
        DatabaseExists: a database of such a name exists already.
    """
    import pymysql
    from pymysql.constants import CLIENT

    parts = urlsplit(server)
    with pymysql.connect(
        host=parts.hostname,
        port=parts.port or 3306,
        user=parts.username or "root",
        client_flag=CLIENT.MULTI_STATEMENTS,
        autocommit=True,
    ) as connection:
        cursor = connection.cursor()
        cursor.execute("SHOW DATABASES")
        present = {name for (name,) in cursor.fetchall()} & set(dumps)
        if present:
            raise DatabaseExists(f"{server} has {sorted(present)} already: drop them first")
        try:
            urls = {}
            for name, dump in dumps.items():
                cursor.execute(f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4")
                cursor.execute(f"USE `{name}`")
                cursor.execute(dump.read_text("utf-8"))
                while cursor.nextset():
                    pass
                urls[name] = urlunsplit(parts._replace(path=f"/{name}"))
            yield urls
        finally:
            for name in dumps:
                cursor.execute(f"DROP DATABASE IF EXISTS `{name}`")


@contextmanager
def postgres_databases(server: str, dumps: Mapping[str, Path]) -> Iterator[dict[str, str]]:
    """Databases on a server, made from dumps and gone afterwards; their URLs by name."""
    import psycopg

    names = {name: f"sqlverdict_{os.getpid()}_{token_hex(4)}_{name}" for name in dumps}
    with psycopg.connect(server, autocommit=True) as connection:
        try:
            urls = {}
            for name, dump in dumps.items():
                connection.execute(f'CREATE DATABASE "{names[name]}" TEMPLATE template0')
                urls[name] = urlunsplit(urlsplit(server)._replace(path=f"/{names[name]}"))
                with psycopg.connect(urls[name], autocommit=True) as loader:
                    loader.execute(dump.read_text("utf-8"))
            yield urls
        finally:
            for name in names.values():
                connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
