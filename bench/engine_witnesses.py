"""How many real pairs a proof or a witness decides on DuckDB, PostgreSQL and MySQL; how fast.

Spider's dev databases are copied into each engine, golds and predictions are translated (as in
``engines.py``). Of the pairs whose two sides run: proved, refuted by a witness that the engine
itself confirmed, open. A pair that is both is a contradiction: exit code 5. Then the time to a
witness, and execute + compare against the driver alone on the same queries.

Run: ``python bench/engine_witnesses.py [--engines duckdb postgres] [--every N] [--files ...]
[--reader]``; needs SQLVERDICT_DATA, and servers for ``postgres`` and ``mysql``.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, process_time

from engine_copies import translated
from engines import CONTRADICTION, FILES, Copy, copies
from etm_paper import Item, items
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.query import parse
from sqlverdict.prove.on_data import prove_on_data
from sqlverdict.prove.proof import NotProved
from sqlverdict.records import Answer
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import NotRefuted, SearchBudget, Witness

BUDGET = SearchBudget(instances=160)


@dataclass
class Decided:
    """What came out for one file on one engine."""

    running: int = 0
    proved: int = 0
    refuted: int = 0
    open: list[tuple[str, str, str]] = field(default_factory=list)
    both: list[tuple[str, str]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    own_seconds: list[float] = field(default_factory=list)
    """The same, of this process alone: what a busy machine does not change."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", nargs="+", default=["duckdb", "postgres", "mysql"])
    parser.add_argument("--every", type=int, default=1, help="take every N-th pair")
    parser.add_argument("--files", nargs="+", default=list(FILES))
    parser.add_argument("--reader", action="store_true", help="as a role that may only SELECT")
    parser.add_argument("--open", action="store_true", help="list the open pairs")
    parser.add_argument("--test-proofs", action="store_true", help="search against proofs too")
    args = parser.parse_args()
    print(
        "| file | engine | run | proved | refuted | decided | contradictions | ms to a witness "
        "| CPU ms here |"
    )
    print("| --- " * 9 + "|")
    wrong = 0
    for engine in args.engines:
        names = {item.schema.db_id for file in args.files for item in items(file, args.every)}
        with copies(engine, names, reader=args.reader) as at:
            for file in args.files:
                decided = measure(engine, list(items(file, args.every)), at, args.test_proofs)
                show(file, engine, decided, args.open)
                wrong += len(decided.both)
    return CONTRADICTION if wrong else 0


def measure(engine: str, pairs: list[Item], at: dict[str, Copy], test_proofs: bool) -> Decided:
    decided = Decided()
    member = ENGINES.get(engine)
    searches: dict[str, EngineSearch] = {}
    for item in pairs:
        copy = at.get(item.schema.db_id)
        if copy is None:
            continue
        texts = [
            translated(sql or "", item.schema, member.dialect)
            for sql in (item.gold, item.prediction)
        ]
        gold, prediction = texts
        if gold is None or prediction is None:
            continue
        if not all(isinstance(copy.session.run(sql), Answer) for sql in (gold, prediction)):
            continue
        decided.running += 1
        queries = parse(gold, member.dialect), parse(prediction, member.dialect)
        proof = prove_on_data(*queries, copy.schema, member, copy.file, run=copy.session.run)
        proved = not isinstance(proof, NotProved)
        decided.proved += proved
        if proved and not test_proofs:
            continue
        db_id = item.schema.db_id
        if db_id not in searches:
            searches[db_id] = EngineSearch(member, copy.reference, copy.schema)
        began, own_began = perf_counter(), process_time()
        refutation = searches[db_id].refute(*queries, budget=BUDGET)
        if isinstance(refutation, Witness):
            decided.seconds.append(perf_counter() - began)
            decided.own_seconds.append(process_time() - own_began)
            decided.refuted += not proved
            if proved:
                decided.both.append((gold, prediction))
        elif not proved:
            assert isinstance(refutation, NotRefuted)
            decided.open.append((gold, prediction, refutation.message))
    for search in searches.values():
        search.close()
    return decided


def show(file: str, engine: str, decided: Decided, opens: bool) -> None:
    share = (decided.proved + decided.refuted) / max(1, decided.running)
    middle = 1e3 * median(decided.seconds) if decided.seconds else 0.0
    own = 1e3 * median(decided.own_seconds) if decided.own_seconds else 0.0
    print(
        f"| {file} | {engine} | {decided.running} | {decided.proved} | {decided.refuted} | "
        f"{share:.1%} | {len(decided.both)} | {middle:.0f} | {own:.0f} |",
        flush=True,
    )
    for gold, prediction, message in decided.open if opens else ():
        print(f"    {message}\n      {gold}\n      {prediction}")
    for gold, prediction in decided.both:
        print(f"CONTRADICTION\n  {gold}\n  {prediction}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
