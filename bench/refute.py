"""How many real pairs a witness separates, how fast, and what is left.

Seven prediction files of published systems: Spider dev with the schemas of its databases, BIRD
dev with ``ddl.json``. Pairs whose two sides run are searched; beside the verdicts of the public
ETM script, pairs that it rejects should be refuted or listed, and pairs that it accepts and a
witness refutes are its errors. One core; times are of this machine.

Run: ``python bench/refute.py [--instances N] [--list FILE] [spider|bird|equivalence|flex ...]``;
needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlverdict.parse.features import features
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.refute.explain.sentence import sentence
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import SearchBudget, Witness

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
FILES = {
    "spider": ("DAIL", "C3", "RESDSQL", "RASAT+PICARD"),
    "bird": ("DAIL", "C3", "RESDSQL"),
}
TARGETS = {
    ("spider", "DAIL"): 35,
    ("spider", "C3"): 85,
    ("spider", "RESDSQL"): 9,
    ("spider", "RASAT+PICARD"): 12,
    ("bird", "DAIL"): 70,
    ("bird", "C3"): 75,
    ("bird", "RESDSQL"): 40,
}


@dataclass
class Tally:
    """What came out for one file."""

    refuted: int = 0
    not_refuted: int = 0
    cannot_run: int = 0
    left: list[dict[str, Any]] = field(default_factory=list)
    wrongly_accepted: list[dict[str, Any]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    to_witness: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    instances: int = 0
    searching: float = 0.0


@cache
def spider_schema(db_id: str) -> Schema:
    file = DATA / "spider" / "database" / db_id / f"{db_id}.sqlite"
    return load_schemas(file if file.is_file() else DATA / "spider" / "tables.json", db_id)[db_id]


@cache
def bird_schemas() -> dict[str, Schema]:
    return load_schemas(DATA / "bird" / "ddl.json")


def pairs(bench: str, system: str) -> Iterator[tuple[str, str, Schema, dict[str, Any]]]:
    """Gold, prediction, schema and the ETM script's verdict."""
    golds = "spider/dev_gold.sql" if bench == "spider" else "bird/etm_gold.txt"
    verdicts = (DATA / "etm_reference" / f"{bench}_dev_{system}.jsonl").read_text().splitlines()
    lines = (DATA / bench / "predictions" / "dev" / f"{system}.txt").read_text().splitlines()
    for line, sql, verdict in zip(
        (DATA / golds).read_text().splitlines(), lines, verdicts, strict=True
    ):
        gold, db_id = line.rsplit("\t", 1)
        schema = spider_schema(db_id) if bench == "spider" else bird_schemas()[db_id]
        yield gold, sql, schema, json.loads(verdict)


def measure(bench: str, system: str, instances: int) -> Tally:
    tally = Tally()
    for number, (gold, sql, schema, official) in enumerate(pairs(bench, system)):
        began = perf_counter()
        witness = find_witness(gold, sql, schema, budget=SearchBudget(instances=instances))
        spent = perf_counter() - began
        tally.seconds.append(spent)
        record = {"index": number, "db_id": schema.db_id, "gold": gold, "prediction": sql}
        if isinstance(witness, Witness):
            tally.refuted += 1
            tally.to_witness.append(spent)
            tally.sizes.append(witness.instance.size)
            if official["etm"]:
                rules = {"rules": official["rules_gold"] + official["rules_pred"]}
                tally.wrongly_accepted.append(record | rules | {"when": sentence(witness)})
            continue
        tally.instances += witness.instances
        tally.searching += spent
        if witness.reason is not None and not witness.instances:
            tally.cannot_run += 1
            continue
        tally.not_refuted += 1
        if not official["etm"]:
            tally.left.append(record | {"undetermined": witness.undetermined})
    return tally


def cause(record: dict[str, Any]) -> str:
    """Why a pair is left, as far as its text and the search tell."""
    if record["undetermined"]:
        return "every difference found rests on an undetermined answer"
    gold, prediction = features(record["gold"]), features(record["prediction"])
    both = f"{record['gold']} {record['prediction']}".lower()
    numbers = re.findall(r"limit\s+(\d+)|count\([^)]*\)\s*>=?\s*(\d+)", both)
    if any(int(number) > 30 for result in numbers for number in result if number):
        return "a LIMIT or HAVING asks for more rows than are tried"
    if gold == prediction:
        return "same features: order, aliases, spelling, or a column equal by a key"
    changed = ", ".join(sorted(gold ^ prediction))
    return f"one side only: {changed}"


def is_proved(bench: str, record: dict[str, Any]) -> bool:
    """Whether no legal database can tell the two queries of a pair apart."""
    db_id = record["db_id"]
    schema = spider_schema(db_id) if bench == "spider" else bird_schemas()[db_id]
    return isinstance(prove(record["gold"], record["prediction"], schema), Proof)


def files(bench: str, instances: int) -> dict[str, Any]:
    print(
        f"\n| {bench} | refuted | not refuted | cannot run | rejected by ETM, not refuted "
        f"(asked) | accepted by ETM, refuted | ms a pair: median, p95 | ms to a witness | rows |"
    )
    print("| --- " * 9 + "|")
    lists = {}
    for system in FILES[bench]:
        tally = measure(bench, system, instances)
        spent = sorted(tally.seconds)
        print(
            f"| {system} | {tally.refuted} | {tally.not_refuted} | {tally.cannot_run} | "
            f"{len(tally.left)} ({TARGETS[bench, system]}) | {len(tally.wrongly_accepted)} | "
            f"{statistics.median(spent) * 1e3:.1f}, {spent[int(len(spent) * 0.95)] * 1e3:.0f} | "
            f"{statistics.median(tally.to_witness) * 1e3:.1f} | "
            f"{statistics.median(tally.sizes):g} |",
            flush=True,
        )
        print(f"<!-- {tally.instances / max(tally.searching, 1e-9):,.0f} instances a second -->")
        print(f"<!-- left: {sum(is_proved(bench, r) for r in tally.left)} are proved equal -->")
        for text, times in Counter(map(cause, tally.left)).most_common(6):
            print(f"<!-- left: {times} x {text} -->")
        lists[f"{bench}/{system}"] = {"left": tally.left, "accepted": tally.wrongly_accepted}
    return lists


def equivalence(instances: int) -> dict[str, Any]:
    """The labelled pairs: probes, LLM-SQL-Solver's inequivalent and equivalent ones."""
    budget = SearchBudget(instances=instances)
    lists: dict[str, Any] = {}
    print("\n| labelled pairs | label | pairs | refuted | not refuted | cannot run |")
    print("| --- " * 6 + "|")

    def table(name: str, label: str, rows: list[tuple[str, str, Schema]]) -> None:
        counts: Counter[str] = Counter()
        for one, two, schema in rows:
            witness = find_witness(one, two, schema, budget=budget)
            kind = "refuted" if witness.refuted else "open"
            if not witness.refuted and witness.reasons and not witness.instances_tried:
                kind = "cannot run"
            counts[kind] += 1
            if (kind == "refuted") != (label == "different"):
                lists.setdefault(f"{name}/{label}", []).append([kind, one, two])
        print(
            f"| {name} | {label} | {len(rows)} | {counts['refuted']} | {counts['open']} | "
            f"{counts['cannot run']} |",
            flush=True,
        )

    root = DATA / "equivalence"
    probes = [json.loads(line) for line in (root / "probes.jsonl").read_text().splitlines()]
    for equal in (False, True):
        rows = [
            (p["left"], p["right"], read_ddl(p["schema"], "probe"))
            for p in probes
            if p["equivalent"] is equal
        ]
        table("probes", "equal" if equal else "different", rows)
    lines = (root / "semantic_inequivalent.jsonl").read_text().splitlines()
    solver = [json.loads(line) for line in lines]
    rows = [
        (p["sql1"], p["sql2"], spider_schema(next(iter(json.loads(p["schema"]))))) for p in solver
    ]
    table("LLM-SQL-Solver", "different", rows)
    lines = (root / "semantic_equivalent.jsonl").read_text().splitlines()
    calcite = [json.loads(line) for line in lines]
    table("Calcite", "equal", [(p["sql1"], p["sql2"], read_ddl(p["schema"], "c")) for p in calcite])
    return lists


def flex(instances: int) -> dict[str, Any]:
    """Matches that experts judged: refuted or not, by grade, against their consensus."""
    counts: Counter[tuple[str, int]] = Counter()
    missed = []
    lines = (DATA / "flex" / "agreement_half.jsonl").read_text().splitlines()
    for item in (json.loads(line) for line in lines):
        if item["set"] != "EQ":
            continue
        db_id = item["db_id"]
        file = DATA / "bird" / "databases" / db_id / f"{db_id}.sqlite"
        witness = find_witness(
            item["gold_sql"],
            item["pred_sql"],
            bird_schemas()[db_id],
            budget=SearchBudget(instances=instances),
            database=file if file.is_file() else None,
        )
        kind = f"refuted, {witness.grade}" if isinstance(witness, Witness) else "not refuted"
        counts[kind, item["human"]] += 1
        if (kind == "not refuted") != bool(item["human"]):
            missed.append([kind, item["human"], item["gold_sql"], item["pred_sql"]])
    print("\n| FLEX, answers match (half) | experts: right | experts: wrong |")
    print("| --- | --- | --- |")
    for kind in sorted({kind for kind, _ in counts}):
        print(f"| {kind} | {counts[kind, 1]} | {counts[kind, 0]} |")
    return {"flex": missed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=SearchBudget().instances)
    parser.add_argument("--list", type=Path, help="write what is left, and what ETM gets wrong")
    parser.add_argument("parts", nargs="*", default=["spider", "bird", "equivalence", "flex"])
    arguments = parser.parse_args()
    if not (DATA / "etm_reference").is_dir():
        parser.error(f"no data at {DATA}: set SQLVERDICT_DATA")
    work: dict[str, Callable[[int], dict[str, Any]]] = {
        "spider": lambda n: files("spider", n),
        "bird": lambda n: files("bird", n),
        "equivalence": equivalence,
        "flex": flex,
    }
    lists: dict[str, Any] = {}
    for part in arguments.parts:
        lists |= work[part](arguments.instances)
    if arguments.list is not None:
        arguments.list.write_text(json.dumps(lists, indent=1))


if __name__ == "__main__":
    main()
