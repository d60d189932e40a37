"""How many equal pairs of common shapes are proved, in each dialect, and why the rest stay open.

``equivalence/shapes.jsonl`` has pairs that people and models write, each equal or different by
execution on random rows. A proof of a different pair is a wrong proof, and makes the exit code 5.

Run: ``python bench/shapes.py [--dialect NAME ...] [--open] [--file FILE] [--db URL]``; needs
SQLVERDICT_DATA. ``--db`` is a database that has the tables of one dialect's pairs: it tells the
collations of texts, on which MySQL's proofs rest; these pairs alone are measured.
``--open`` lists each open pair with its cause. ``--file tests/prove/duckdb_pairs.tsv`` measures
pairs in DuckDB's own syntax; DuckDB itself reads their tables.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from sqlverdict.errors import SchemaError
from sqlverdict.execute.engine import ENGINES, engine_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.derive import FORMS_DIFFER
from sqlverdict.prove.proof import NotProved
from sqlverdict.prove.prover import prove

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
WRONG_PROOF = 5


_COLLATION = re.compile(r"CHARACTER SET \w+ COLLATE \w+", re.IGNORECASE)
"""SQLite, which reads the tables, knows none; a text of MySQL has a collation all the same."""


@cache
def schema_of(ddl: str, dialect: str) -> Schema:
    try:
        return read_ddl(_COLLATION.sub("", ddl), "shapes")
    except SchemaError:
        engine = ENGINES.get(dialect)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"shapes{engine.suffixes[0]}"
            engine.write_file(file, [each for each in ddl.split(";") if each.strip()])
            return engine.schema(file)


def read_pairs(file: Path) -> list[dict[str, str]]:
    """The pairs of a file: JSON lines, or the lines of a test's file with its tables beside it."""
    lines = file.read_text().splitlines()
    if file.suffix != ".tsv":
        return [json.loads(line) for line in lines]
    rest = {"ddl": file.with_suffix(".sql").read_text(), "dialect": file.stem.partition("_")[0]}
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [{"truth": truth, "a": one, "b": other, **rest} for truth, one, other in rows]


def measure(file: Path, dialects: list[str], list_open: bool, db: str | None = None) -> int:
    """Print the shares and the open pairs; returns the number of wrong proofs."""
    pairs = read_pairs(file)
    engine = ENGINES.get(engine_of(db)) if db else None
    schema = engine.schema(db) if engine and db else None
    dialects = [engine.dialect] if engine else dialects
    equal: Counter[str] = Counter()
    proved: Counter[str] = Counter()
    causes: dict[str, list[str]] = defaultdict(list)
    wrong = 0
    for number, pair in enumerate(pairs):
        dialect = pair["dialect"]
        if dialects and dialect not in dialects:
            continue
        texts = (pair["a"], pair["b"])
        tables = schema or schema_of(pair["ddl"], dialect)
        derivation = prove(*texts, tables, dialect=dialect)
        if pair["truth"] == "different":
            if derivation.proved:
                wrong += 1
                print(f"WRONG PROOF {number} {dialect}\n  {texts[0]}\n  {texts[1]}")
            continue
        equal[dialect] += 1
        if not isinstance(derivation, NotProved):
            proved[dialect] += 1
            continue
        forms = [f"    {derivation.gold_form}", f"    {derivation.prediction_form}"]
        lines = [f"{number} {dialect}", *(f"  {text}" for text in texts)]
        cause = derivation.message
        if derivation.forms is not None:
            lines += [f"  {cause}", *forms]
            cause = FORMS_DIFFER
        causes[cause].append("\n".join(lines))
    print("| dialect | equal pairs | proved | share |\n| --- | --- | --- | --- |")
    for dialect, count in equal.items():
        print(f"| {dialect} | {count} | {proved[dialect]} | {proved[dialect] / count:.0%} |")
    print("\n| cause of an open pair | pairs |\n| --- | --- |")
    for cause, entries in sorted(causes.items(), key=lambda entry: -len(entry[1])):
        print(f"| {cause} | {len(entries)} |")
    if list_open:
        for cause, entries in causes.items():
            print(f"\n## {cause}", *entries, sep="\n")
    print(f"\nwrong proofs: {wrong}")
    return wrong


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=DATA / "equivalence" / "shapes.jsonl")
    parser.add_argument("--dialect", nargs="+", default=[], help="these dialects alone")
    parser.add_argument("--open", action="store_true", help="list the open pairs")
    parser.add_argument("--db", help="a database that has the tables of one dialect's pairs")
    arguments = parser.parse_args()
    if not arguments.file.is_file():
        parser.error(f"no file {arguments.file}: set SQLVERDICT_DATA")
    options = (arguments.dialect, arguments.open, arguments.db)
    return WRONG_PROOF if measure(arguments.file, *options) else 0


if __name__ == "__main__":
    sys.exit(main())
