"""Our presets against the verdicts of official scorers: agreement by scorer and engine.

Run: ``python bench/official_scorers.py [--only ENGINE] [--list]``; needs SQLVERDICT_DATA. Engines
whose server is not reachable are left out, with a line that says so. ``SQLVERDICT_TEST_POSTGRES``
and ``SQLVERDICT_MYSQL`` are the servers; databases are made there from dumps and dropped
again. All of it takes about five minutes: one question of mini-dev runs into the limit of time on
PostgreSQL with most systems.

The tables of docs/presets.md are what this prints. The last two columns count the verdicts
that are 1 for the official scorer and 0 for our default preset, and the other way round: what a
scorer overlooks, and what it holds against an answer. Only mini-dev has predictions of systems.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlverdict.execute.engine import ENGINES
from sqlverdict.files.markdown import markdown_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "reference"))
from official_data import (
    Reference,
    bird_mini_dev,
    compare_with,
    defog,
    defog_functions,
    defog_sqlite,
    mysql_databases,
    postgres_databases,
    spider2,
)

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
POSTGRES = os.environ.get("SQLVERDICT_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")
MYSQL = os.environ.get("SQLVERDICT_MYSQL", "mysql://root@127.0.0.1:3306/test")
STRICT = "ex"
HEADER = ("scorer", "engine", "metric", "equal", "explained", "1 → strict 0", "0 → strict 1")

References = Callable[[Path], Iterator[Reference]]


def _files(folder: Path) -> Iterator[Reference]:
    yield spider2(DATA)
    yield bird_mini_dev(DATA, "sqlite", str(DATA / "bird/databases"))
    yield defog(DATA, "sqlite", defog_sqlite(DATA, folder))


def _postgres(folder: Path) -> Iterator[Reference]:
    del folder
    dumps = {dump.stem: dump for dump in (DATA / "defog/databases_frozen/postgres").glob("*.sql")}
    dumps["bird"] = DATA / "bird_mini_dev/bird_postgres.sql"
    with postgres_databases(POSTGRES, dumps) as databases:
        yield defog(DATA, "postgres", databases)
        yield bird_mini_dev(DATA, "postgres", databases["bird"])


def _mysql(folder: Path) -> Iterator[Reference]:
    del folder
    dumps = {dump.stem: dump for dump in (DATA / "defog/databases_frozen/mysql").glob("*.sql")}
    with mysql_databases(MYSQL, dumps) as databases:
        yield defog(DATA, "mysql", databases)


ENGINE_REFERENCES: dict[str, References] = {
    "sqlite": _files,
    "postgres": _postgres,
    "mysql": _mysql,
}


def rows_of(reference: Reference, show: bool) -> Iterator[tuple[str, ...]]:
    """The rows of one scorer on one engine."""
    checked, differences, results = compare_with(reference, STRICT)
    for metric, number in checked.items():
        own = [each for each in differences if each.metric == metric]
        explained = Counter(each.excuse for each in own if each.excuse)
        why = "; ".join(f"{count} {excuse}" for excuse, count in explained.most_common())
        official = {result.id: reference.expected[result.id][metric] for result in results}
        ours = {result.id: result.scores[STRICT] for result in results}
        pairs = Counter((official[each], ours[each]) for each in official)
        yield (
            reference.name,
            reference.engine,
            f"`{metric}`",
            f"{number - len(own):,} / {number:,}",
            why or "-",
            str(pairs[1, 0]),
            str(pairs[0, 1]),
        )
        for each in own:
            if show or not each.excuse:
                text = f"{each.metric} official {each.official:g}, ours {each.ours}"
                print(f"{reference.engine} {each.case_id}: {text}. {each.excuse}", file=sys.stderr)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only these engines, such as sqlite")
    parser.add_argument("--list", action="store_true", help="list explained differences too")
    args = parser.parse_args()
    if not (DATA / "defog").is_dir():
        parser.error(f"no data at {DATA}: set SQLVERDICT_DATA")
    rows: list[tuple[str, ...]] = []
    for engine, references in ENGINE_REFERENCES.items():
        if args.only and args.only != engine:
            continue
        if not ENGINES.has(engine):
            print(f"there is no engine {engine}: left out", file=sys.stderr)
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                for reference in references(Path(folder)):
                    rows += rows_of(reference, args.list)
        except Exception as error:  # noqa: BLE001 - drivers have errors of their own
            print(f"{engine} is left out: {type(error).__name__}: {error}", file=sys.stderr)
    print(markdown_table(HEADER, rows))
    print("\ndefog's two functions on stored rows, each alternative by itself:\n")
    calls = []
    for engine in ENGINE_REFERENCES:
        number, different = defog_functions(DATA, engine)
        calls.append((engine, f"{number - len(different):,} / {number:,}", ", ".join(different)))
    print(markdown_table(("engine", "equal", "different"), calls))


if __name__ == "__main__":
    main()
