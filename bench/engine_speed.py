"""Execute and compare on DuckDB, PostgreSQL and MySQL against the driver alone.

Spider's dev databases are copied into each engine, golds and predictions are translated (as in
``engines.py``). The floor is the driver with a kept connection: both queries of a pair are executed
and all rows fetched, nothing is checked and nothing compared. Ours is a session that runs both, and
the default preset that compares the answers. Floor and ours take turns, pair by pair, so that other
work on the machine meets both alike. Figures are medians of the rounds' ratios, in seconds and in
processor time of this process, which does not hold the server's.

Run: ``python bench/engine_speed.py [--engines duckdb postgres] [--every N] [--rounds N]``; needs
SQLVERDICT_DATA, and servers for ``postgres`` and ``mysql``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from statistics import median
from time import perf_counter, process_time

from engine_copies import translated
from engines import Copy, copies
from etm_paper import items
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.execute.engine import ENGINES
from sqlverdict.records import Answer

Pair = tuple[str, str, str]
"""A database, a gold query and a prediction that both run there."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", nargs="+", default=["duckdb", "postgres", "mysql"])
    parser.add_argument("--every", type=int, default=10, help="take every N-th pair")
    parser.add_argument("--file", default="spider/C3")
    parser.add_argument("--rounds", type=int, default=6)
    args = parser.parse_args()
    print("| engine | pairs | ms a pair, driver | ms a pair, ours | ratio | ratio of CPU time |")
    print("| --- " * 6 + "|")
    for engine in args.engines:
        selection = list(items(args.file, args.every))
        with copies(engine, {item.schema.db_id for item in selection}) as at:
            pairs = []
            for item in selection:
                texts = [
                    translated(sql or "", item.schema, ENGINES.get(engine).dialect)
                    for sql in (item.gold, item.prediction)
                ]
                pairs += running(item.schema.db_id, texts, at)
            measure(engine, pairs, at, args.rounds)


def running(db_id: str, texts: list[str | None], at: dict[str, Copy]) -> Iterator[Pair]:
    gold, prediction = texts
    if gold is None or prediction is None or db_id not in at:
        return
    if all(isinstance(at[db_id].session.run(sql), Answer) for sql in (gold, prediction)):
        yield db_id, gold, prediction


def measure(engine: str, pairs: list[Pair], at: dict[str, Copy], rounds: int) -> None:
    dialect, preset = ENGINES.get(engine).dialect, PRESETS.get(DEFAULT_PRESET)
    ratios: list[tuple[float, float]] = []
    totals: list[tuple[float, float]] = []
    with ExitStack() as stack:
        # Kept through all rounds, as our sessions are: a new connection makes the server busy.
        names = sorted({pair[0] for pair in pairs})
        fetches = {name: stack.enter_context(driver(engine, at[name])) for name in names}
        for number in range(rounds):
            # Who comes first finds the pages of a table cold.
            turns = (False, True) if number % 2 else (True, False)
            spent = {False: [0.0, 0.0], True: [0.0, 0.0]}
            for db_id, gold, prediction in sorted(pairs):
                session, fetch = at[db_id].session, fetches[db_id]
                for ours in turns:
                    began, own = perf_counter(), process_time()
                    if ours:
                        answers = session.run(gold), session.run(prediction)
                        assert isinstance(answers[0], Answer)
                        assert isinstance(answers[1], Answer)
                        pair = QueryPair(gold, prediction, dialect, probe=session.run)
                        preset.compare(*answers, pair)
                    else:
                        fetch(gold), fetch(prediction)
                    spent[ours][0] += perf_counter() - began
                    spent[ours][1] += process_time() - own
            ratios.append((spent[True][0] / spent[False][0], spent[True][1] / spent[False][1]))
            totals.append((spent[False][0], spent[True][0]))
    floor, ours_ms = (1e3 * median(t[n] for t in totals) / len(pairs) for n in (0, 1))
    seconds, own_time = (median(r[n] for r in ratios) for n in (0, 1))
    print(
        f"| {engine} | {len(pairs)} | {floor:.2f} | {ours_ms:.2f} | {seconds:.2f} | "
        f"{own_time:.2f} |",
        flush=True,
    )


@contextmanager
def driver(engine: str, copy: Copy) -> Iterator[Callable[[str], object]]:
    """What the driver alone does with a query: execute, and fetch all rows."""
    if engine == "duckdb":
        import duckdb

        with closing(duckdb.connect(copy.reference, read_only=True)) as connection:
            yield lambda sql: connection.execute(sql).fetchall()
    elif engine == "postgres":
        import psycopg

        with psycopg.connect(copy.reference, autocommit=True) as postgres:
            yield lambda sql: postgres.execute(sql.encode()).fetchall()
    else:
        from engine_copies import mysql_connection

        with closing(mysql_connection()) as mysql:
            cursor = mysql.cursor()
            cursor.execute(f"USE `{copy.reference.rpartition('/')[2]}`")

            def fetch(sql: str) -> object:
                cursor.execute(sql)
                return cursor.fetchall()

            yield fetch


if __name__ == "__main__":
    main()
