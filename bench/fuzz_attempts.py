"""The attempts of the fuzzer: what is mutated, and which command or metric gets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fuzz_inputs import (
    demo_root,
    demo_sources,
    mutated_bytes,
    mutated_text,
    mutated_value,
    sources,
    write_odd_database,
)
from sqlverdict import Options, evaluate
from sqlverdict.errors import Contradiction
from sqlverdict.evidence import Failed, Undecided
from sqlverdict.load.benchmarks import demo
from sqlverdict.records import Case, Fault
from sqlverdict.score.metric import METRICS

FINE = {0, 1, 2, 3, 4, 6}
"""Documented exit codes, without those that tell of a bug of ours (5, 70) or of Ctrl-C (130)."""

EXPECTED = ("RecursionError", "MemoryError")
"""Errors that a text beyond our tools may cause; the case counts them against the prediction."""


@dataclass(frozen=True)
class Attempt:
    """One thing to try: ``work`` returns what is wrong, if anything."""

    kind: str
    command: list[str]
    work: Callable[[], str | None]


def metrics() -> str:
    """All that need neither a judge nor a clock nor a test suite."""
    odd = {"opinion", "timing", "databases"}
    names = [name for name in METRICS.names() if not odd & METRICS.get(name).needs]
    return ",".join([*names, "ex[spider]", "ex[bird]", "esm[values]", "verdict"])


def queries(rng: Random) -> tuple[str, str, Path]:
    """A gold and a prediction, mostly mutated, and their database."""
    source, other = rng.choice(sources()), rng.choice(sources())
    base = rng.choice((source.gold, source.prediction))
    mutant = mutated_text(base, other.gold, rng)
    gold = source.gold if rng.randrange(4) else mutated_text(base, other.prediction, rng)
    return (
        (mutant, gold, source.database)
        if rng.randrange(6) == 0
        else (gold, mutant, source.database)
    )


def pair_through_metrics(rng: Random, folder: Path) -> Attempt:
    """A pair through every metric, with proofs, searches and the verdict."""
    gold, prediction, database = queries(rng)
    return through_metrics(gold, prediction, database, folder)


def through_metrics(gold: str, prediction: str, database: Path, folder: Path) -> Attempt:
    def work() -> str | None:
        case = Case("1", database.stem, "Which ones?", (gold,), str(database))
        options = Options(metrics=metrics(), workers=0, cache=None)
        try:
            run = evaluate([case], {"1": prediction}, out=folder / "run", options=options)
        except Contradiction as contradiction:
            return f"contradiction: {contradiction}"
        (result,) = run.results()
        pieces = [piece for piece in result.evidence if isinstance(piece, Undecided | Failed)]
        errors = [piece.failure.error for piece in pieces if piece.failure and piece.failure.error]
        if result.fault is Fault.TOOLKIT:
            errors.append(result.message)
        bad = [error for error in errors if not error.startswith(EXPECTED)]
        return f"error of ours: {bad[0]}" if bad else None

    return Attempt("pair", [gold, prediction, str(database)], work)


def commands_about_queries(rng: Random, folder: Path) -> Attempt:
    """``prove``, ``refute`` and ``pair`` with mutated queries; ``pair`` with one alone, too."""
    gold, prediction, database = queries(rng)
    files = {"gold.sql": gold, "prediction.sql": prediction}
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8", errors="surrogatepass")
    name = rng.choice(("", "prove", "refute", "pair"))
    more = rng.choice(([], ["--json"]))
    if not name:
        return command("pair", *more, "--", prediction.replace("\0", ""))
    sides = ["@gold.sql", "@prediction.sql"]
    where = ["--db", str(database)]
    if rng.randrange(4) == 0:
        (folder / "schema.sql").write_bytes(mutated_bytes(_ddl(rng), rng))
        where = ["--schema", "schema.sql"]
    return command(name, *sides, *where, *more)


def _ddl(rng: Random) -> bytes:
    name = rng.choice(("ferry_line", "food_market", "observatory"))
    return (demo.DATA / f"{name}.sql").read_bytes()


def commands_about_files(rng: Random, folder: Path) -> Attempt:
    """``evaluate`` and ``doctor`` with mutated input files of every format."""
    some = rng.sample(demo_sources(), 5)
    ids = [str(number) for number in range(len(some))]
    forms = {
        "predictions.json": json.dumps({i: s.prediction for i, s in zip(ids, some, strict=True)}),
        "predictions.txt": "\n".join(s.prediction.replace("\n", " ") for s in some),
        "predictions.csv": "id,sql\n"
        + "\n".join(f'{i},"{s.prediction}"' for i, s in zip(ids, some, strict=True)),
        "predictions.jsonl": "\n".join(
            json.dumps({"id": i, "sql": s.prediction}) for i, s in zip(ids, some, strict=True)
        ),
    }
    cases = [
        {"id": i, "db_id": s.db_id, "question": "Which?", "gold": s.gold}
        for i, s in zip(ids, some, strict=True)
    ]
    inputs = {
        "cases.jsonl": "\n".join(map(json.dumps, cases)),
        "gold.txt": "\n".join(f"{s.gold}\t{s.db_id}".replace("\n", " ") for s in some),
        "cases.csv": "id,db_id,question,gold\n"
        + "\n".join(f'{c["id"]},{c["db_id"]},Which?,"{c["gold"]}"' for c in cases),
    }
    form, option = rng.choice(list(forms)), rng.choice(list(inputs))
    for name, text in ((form, forms[form]), (option, inputs[option])):
        data = text.encode()
        hit = rng.randrange(3)
        (folder / name).write_bytes(mutated_bytes(data, rng) if hit or name == form else data)
    words = [
        "--cases",
        option,
        "--predictions",
        form,
        "--databases",
        str(demo_root()),
        "--no-cache",
    ]
    if rng.randrange(3) == 0:
        return command("doctor", *words)
    names = rng.choice(("ex", "ex,esm", "ex,verdict"))
    more = rng.choice(([], ["--json"], ["--allow-missing"], ["--prove", "--refute", "20"]))
    return command("evaluate", *words, "--metrics", names, "--out", "run", "--workers", "0", *more)


BENCHMARKS = {
    "spider": "dev.json",
    "bird": "dev.json",
    "trustsql": "cases.jsonl",
    "ehrsql2024": "cases.jsonl",
    "flex": "cases.jsonl",
    "triagesql": "cases.jsonl",
    "jsonl": "cases.jsonl",
}


def commands_about_benchmarks(rng: Random, folder: Path) -> Attempt:
    """``evaluate`` and ``doctor`` on benchmarks of every format, some values replaced."""
    records: list[Any] = []
    for number, source in enumerate(rng.sample(demo_sources(), 4)):
        sql = {"query": source.gold, "SQL": source.gold, "gold_sql": source.gold}
        records.append(
            {
                **sql,
                "id": str(number),
                "question_id": number,
                "i": number,
                "set": "EQ",
                "ex": 1,
                "db_id": source.db_id,
                "question": "Which?",
                "evidence": "",
                "gold": source.gold,
                "difficulty": "easy",
                "hardness": "easy",
                "answerable": True,
                "type": "answerable",
                "pred_sql": source.prediction,
                "prediction": source.prediction,
                "gold_exec_text": "| 1 |\nshape=(1, 1)",
                "pred_exec_text": "| 1 |\nshape=(1, 1)",
                "decision": {"a": source.prediction},
                "systems": {"a": {"sql": source.prediction}},
            }
        )
    predictions: Any = {record["id"]: record["prediction"] for record in records}
    for _ in range(rng.choice((1, 1, 2, 4))):
        if rng.randrange(4):
            records = mutated_value(records, rng)
        else:
            predictions = mutated_value(predictions, rng)
    name = rng.choice(list(BENCHMARKS))
    file = folder / BENCHMARKS[name]
    if file.suffix == ".jsonl" and isinstance(records, list):
        file.write_text("\n".join(map(json.dumps, records)))
    else:
        file.write_text(json.dumps(records))
    (folder / "predictions.json").write_text(json.dumps(predictions))
    root = "." if file.suffix == ".json" else file.name
    words = ["--benchmark", name, "--root", root, "--databases", str(demo_root()), "--no-cache"]
    words += rng.choice((["--predictions", "predictions.json"], ["--system", "a"], []))
    if rng.randrange(3) == 0:
        return command("doctor", *[word for word in words if word not in ("--system", "a")])
    names = rng.choice(("ex", "ex,esm,etm", "ex,verdict"))
    return command("evaluate", *words, "--metrics", names, "--out", "run", "--workers", "0")


def commands_about_databases(rng: Random, folder: Path) -> Attempt:
    """Databases that are cut, damaged or of an odd schema."""
    target = folder / "odd.sqlite"
    if rng.randrange(2):
        texts = write_odd_database(target, rng)
    else:
        source = rng.choice(demo_sources())
        texts = [source.gold, source.prediction]
        target.write_bytes(source.database.read_bytes())
    if rng.randrange(3) == 0:
        target.write_bytes(mutated_bytes(target.read_bytes(), rng))
    gold, prediction = rng.choice(texts), rng.choice(texts)
    if rng.randrange(4) == 0:
        prediction = mutated_text(prediction, gold, rng)
    name = rng.choice(("pair", "refute", "prove", "evaluate", "doctor", "metrics"))
    if name == "metrics":
        return through_metrics(gold, prediction, target, folder)
    if name in ("evaluate", "doctor"):
        case = {"id": "1", "db_id": "odd", "question": "?", "gold": gold, "prediction": prediction}
        (folder / "cases.jsonl").write_text(json.dumps(case))
        words = ["--cases", "cases.jsonl", "--databases", "odd.sqlite", "--no-cache"]
        if name == "evaluate":
            words += ["--out", "run", "--workers", "0", "--metrics", "ex,verdict"]
        return command(name, *words)
    (folder / "gold.sql").write_text(gold, errors="surrogatepass")
    (folder / "prediction.sql").write_text(prediction, errors="surrogatepass")
    return command(name, "@gold.sql", "@prediction.sql", "--db", "odd.sqlite")


def commands_about_runs(rng: Random, folder: Path) -> Attempt:
    """``show``, ``check``, ``compare``, ``audit``, ``evaluate`` and more on mutated run folders."""
    some = rng.sample(demo_sources(), 4)
    cases = [
        Case(str(n), s.db_id, "Which?", (s.gold,), str(s.database)) for n, s in enumerate(some)
    ]
    for name in ("a", "b"):
        predictions = {str(n): rng.choice((s.gold, s.prediction)) for n, s in enumerate(some)}
        options = Options(metrics="ex,verdict", workers=0, cache=None)
        evaluate(cases, predictions, out=folder / name, options=options)
    files = sorted(path for path in (folder / "b").rglob("*") if path.is_file())
    for path in rng.sample(files, min(len(files), rng.choice((1, 1, 2)))):
        path.write_bytes(mutated_bytes(path.read_bytes(), rng))
    outcome = rng.randrange(8)
    if outcome == 0:
        witnesses = [str(p.relative_to(folder)) for p in files if p.suffix in (".sql", ".sqlite")]
        return command("refute", "--replay", *(witnesses or ["b"]))
    words: dict[int, list[str]] = {
        1: ["show", "b", str(rng.randrange(4))],
        2: ["check", "b", "--min", "ex=0.5", "--baseline", "a"],
        3: ["compare", "a", "b"],
        4: ["audit", "b", "a"],
        5: ["leaderboard", "a", "b"],
        6: ["table", "b", "--of", "categories"],
        7: ["reliability", "b"],
    }
    return command(*words[outcome])


def commands_about_proofs(rng: Random, folder: Path) -> Attempt:
    """``refute --replay`` and ``prove --check`` on mutated witnesses and proofs."""
    from click.testing import CliRunner

    from sqlverdict.cli.main import sqlverdict

    source = rng.choice(demo_sources())
    proof = rng.randrange(2)
    words = ["prove" if proof else "refute", source.gold, source.prediction]
    words += ["--db", str(source.database)]
    more = (
        ["--out", str(folder / "proof.json")]
        if proof
        else ["--out", str(folder), "--set", "no-bank=true"]
    )
    words += more
    CliRunner().invoke(sqlverdict, words)
    files = [path for path in folder.iterdir() if path.suffix in (".json", ".sql", ".sqlite")]
    for path in files:
        path.write_bytes(mutated_bytes(path.read_bytes(), rng))
    if proof:
        return command("prove", "--check", "proof.json")
    return command("refute", "--replay", *(path.name for path in files))


KINDS: dict[str, tuple[int, Callable[[Random, Path], Attempt]]] = {
    "pair": (8, pair_through_metrics),
    "queries": (4, commands_about_queries),
    "files": (4, commands_about_files),
    "benchmarks": (4, commands_about_benchmarks),
    "databases": (4, commands_about_databases),
    "runs": (2, commands_about_runs),
    "proofs": (1, commands_about_proofs),
}


def command(*words: str) -> Attempt:
    """A command of the command line, run in this process as its users run it."""

    def work() -> str | None:
        from sqlverdict.cli.main import sqlverdict

        try:
            sqlverdict.main(list(words), prog_name="sqlverdict")
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0 if left.code is None else 1
            return None if code in FINE else f"exit code {code}"
        return "did not exit"

    return Attempt(words[0], list(words), work)
