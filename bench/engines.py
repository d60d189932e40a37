"""What is proved on DuckDB, PostgreSQL and MySQL beside SQLite, on real pairs.

Spider's dev databases are copied into each engine (``engine_copies.py``), golds and predictions of
published systems are translated. Of the pairs whose two sides run there, with the same answer: the
share that is proved, the facts of each proof checked on the copy; beside the share on SQLite. A
proof beside answers that differ is a contradiction: it is listed, and the exit code is 5.

Run: ``python bench/engines.py [--engines duckdb postgres] [--every N] [--files spider/DAIL ...]``;
needs SQLVERDICT_DATA, and servers for ``postgres`` and ``mysql``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

from engine_copies import as_reader, copy_database, drop_database, drop_reader, translated
from etm_paper import DATA, Item, items, schema_of
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, Limits, Session
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.on_data import prove_on_data
from sqlverdict.prove.proof import NotProved
from sqlverdict.records import Answer

CONTRADICTION = 5
FILES = ("spider/DAIL", "spider/C3")


@dataclass(frozen=True)
class Copy:
    """A database of an engine, open."""

    session: Session
    schema: Schema
    file: Path | None
    reference: str


@dataclass
class Tally:
    """What came out for one file on one engine."""

    pairs: int = 0
    running: int = 0
    same: int = 0
    proved: int = 0
    unchecked: int = 0
    seconds: float = 0.0
    open: Counter[str] = field(default_factory=Counter)
    contradictions: list[tuple[str, str]] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", nargs="+", default=["sqlite", "duckdb", "postgres", "mysql"])
    parser.add_argument("--every", type=int, default=1, help="take every N-th pair")
    parser.add_argument("--files", nargs="+", default=list(FILES))
    parser.add_argument("--open", action="store_true", help="list why matching pairs are open")
    arguments = parser.parse_args()
    print("| file | engine | pairs | run | same answer | proved | share | contradictions | ms |")
    print("| --- " * 9 + "|")
    wrong = []
    for engine in arguments.engines:
        if engine not in ENGINES.names():
            print(f"there is no engine {engine}", file=sys.stderr)
            continue
        with copies(
            engine, {i.schema.db_id for f in arguments.files for i in items(f, arguments.every)}
        ) as at:
            for file in arguments.files:
                tally = measure(file, engine, arguments.every, at)
                show(file, engine, tally, arguments.open)
                wrong += tally.contradictions
    for pair in wrong:
        print("CONTRADICTION", *pair, sep="\n  ", file=sys.stderr)
    return CONTRADICTION if wrong else 0


@contextmanager
def copies(engine: str, db_ids: set[str], *, reader: bool = False) -> Iterator[dict[str, Copy]]:
    """All databases, copied into an engine and open; ``reader``: for a role that may only read."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        member = ENGINES.get(engine)
        at: dict[str, Copy] = {}
        for db_id in sorted(db_ids):
            file = DATA / "spider" / "database" / db_id / f"{db_id}.sqlite"
            if not file.is_file():
                continue
            schema, reference = schema_of("spider", db_id), str(file)
            if engine != DEFAULT_ENGINE:
                reference = copy_database(engine, file, schema, folder)
                if reader:
                    reference = as_reader(engine, reference)
                    stack.callback(drop_reader, engine, reference)
                stack.callback(drop_database, engine, db_id)
                schema = member.schema(reference, db_id)
            session = stack.enter_context(closing(member.open(reference, Limits(seconds=20))))
            own = file if engine == DEFAULT_ENGINE else None
            at[db_id] = Copy(session, schema, own, reference)
        yield at


def measure(file: str, engine: str, every: int, at: dict[str, Copy]) -> Tally:
    tally = Tally()
    for item in items(file, every):
        if item.schema.db_id in at:
            tally.pairs += 1
            take(item, engine, at[item.schema.db_id], tally)
    return tally


def take(item: Item, engine: str, copy: Copy, tally: Tally) -> None:
    dialect = ENGINES.get(engine).dialect
    texts: list[str | None] = [item.gold, item.prediction]
    if engine != DEFAULT_ENGINE:
        texts = [translated(sql or "", item.schema, dialect) for sql in texts]
    gold, prediction = texts
    if gold is None or prediction is None:
        return
    answers = [copy.session.run(sql) for sql in (gold, prediction)]
    if not isinstance(answers[0], Answer) or not isinstance(answers[1], Answer):
        return
    tally.running += 1
    pair = QueryPair(gold, prediction, dialect, probe=copy.session.run)
    equal = PRESETS.get(DEFAULT_PRESET).compare(answers[0], answers[1], pair).equal
    tally.same += equal is True
    began = process_time()
    proof = prove_on_data(
        parse(gold, dialect),
        parse(prediction, dialect),
        copy.schema,
        ENGINES.get(engine),
        copy.file,
        run=copy.session.run,
    )
    tally.seconds += process_time() - began
    if not isinstance(proof, NotProved):
        tally.proved += equal is True
        tally.unchecked += bool(proof.unchecked)
        if equal is False:
            tally.contradictions.append((gold, prediction))
    elif equal:
        tally.open[proof.message] += 1


def show(file: str, engine: str, tally: Tally, opens: bool) -> None:
    share = tally.proved / max(1, tally.same)
    print(
        f"| {file} | {engine} | {tally.pairs} | {tally.running} | {tally.same} | {tally.proved} | "
        f"{share:.1%} | {len(tally.contradictions)} | "
        f"{1e3 * tally.seconds / max(1, tally.running):.1f} |",
        flush=True,
    )
    for message, times in tally.open.most_common(25) if opens else ():
        print(f"    {times:4} {message[:150]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
