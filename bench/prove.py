"""How many real pairs are decided by proof or by witness, how fast, and what the rules do.

Seven prediction files of published systems, with the schemas of their databases.

* ``decided``: pairs whose two sides run, proved by the profile ``sound`` or refuted by a witness;
  the rest by cause. Every pair is searched, the proved ones too: a pair that is both is a
  contradiction, is saved, and makes the exit code 5.
* ``reference``: pairs proved beside pairs that the public ETM script matches, less the refuted.
* ``time``: CPU time a pair as a multiple of sqlglot's parsing both queries, nothing remembered;
  and with the gold's form remembered, as in a run.
* ``equivalence``: labelled pairs: probes, Calcite's equal and LLM-SQL-Solver's different ones.
* ``fired``: in how many pairs of each file a rule fires; ``ablation``: proofs lost without it.

Run: ``python bench/prove.py [--cache FILE] [--list FILE] [--svg FOLDER] [--every N]
[--files spider/DAIL ...] [PART ...]``; the first four parts by default; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any

import sqlglot

from etm_paper import DATA, PUBLISHED, Item, items, schema_of
from sqlverdict.parse.grammar import complaint
from sqlverdict.parse.query import parse_as
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.tokens import normalised
from sqlverdict.prove.derive import forget_forms
from sqlverdict.prove.differing_clauses import differing_clauses
from sqlverdict.prove.evidence import derivation_evidence
from sqlverdict.prove.proof import Derivation, NotProved, Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Case
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import SearchBudget, Witness
from sqlverdict.report.charts.chart import bar_chart
from sqlverdict.run.contradictions import contradiction

CONTRADICTION = 5
PARTS = ("decided", "reference", "time", "equivalence", "fired", "ablation")
MOST_BARS = 24
WRITTEN_WITH = {
    "a subquery": r"\(\s*SELECT\b",
    "a set operation": r"\b(UNION|INTERSECT|EXCEPT)\b",
    "a date or time": r"\b(STRFTIME|DATE|DATETIME|TIME|JULIANDAY|CURRENT_\w+)\b",
    "CAST": r"\bCAST\b",
    "a division": r"(?<!')/(?!')",
    "CASE": r"\bCASE\b",
    "LIKE": r"\bLIKE\b",
    "SUBSTR": r"\bSUBSTR(ING)?\b",
    "a window": r"\bOVER\b",
    "DISTINCT": r"\bDISTINCT\b",
}


@dataclass
class Tally:
    """What came out for one file."""

    cannot_run: int = 0
    proved: int = 0
    refuted: int = 0
    matched: int = 0
    matched_refuted: int = 0
    open: list[dict[str, Any]] = field(default_factory=list)
    contradictions: list[dict[str, Any]] = field(default_factory=list)
    fired: Counter[str] = field(default_factory=Counter)
    used: list[tuple[Item, tuple[str, ...]]] = field(default_factory=list)

    @property
    def running(self) -> int:
        """Pairs whose two sides run."""
        return self.proved + self.refuted + len(self.open)


class Witnesses:
    """Whether a pair is refuted, from the search or from a file that remembers it."""

    def __init__(self, file: Path | None, instances: int, folder: Path) -> None:
        self.file = file
        self.budget = SearchBudget(instances=instances)
        self.folder = folder
        known = file is not None and file.is_file()
        self.known: dict[str, bool] = json.loads(file.read_text()) if known and file else {}

    def refuted(self, gold: str, prediction: str, schema: Schema) -> bool:
        """Whether a witness is known or found."""
        digest = sha256(repr((schema.db_id, gold, prediction)).encode()).hexdigest()
        if digest not in self.known:
            witness = find_witness(gold, prediction, schema, budget=self.budget)
            self.known[digest] = witness.refuted
        return self.known[digest]

    def save(self) -> None:
        """Remember for the next time."""
        if self.file is not None:
            self.file.write_text(json.dumps(self.known))

    def contradict(self, item: Item, proof: Proof) -> dict[str, Any]:
        """Save a pair that is both proved and refuted."""
        search = find_witness(item.gold, item.prediction, item.schema, budget=self.budget)
        witness = search if isinstance(search, Witness) else None
        case = Case(str(item.number), item.schema.db_id, golds=(item.gold,))
        text = derivation_evidence(proof)
        contradiction(case, item.prediction, text, witness, item.schema, self.folder)
        return record(item) | {"rules": proof.rules}


def record(item: Item) -> dict[str, Any]:
    return {
        "index": item.number,
        "db_id": item.schema.db_id,
        "gold": item.gold,
        "prediction": item.prediction,
    }


def runs(sql: str, schema: Schema) -> bool:
    return complaint(sql, schema) is None


@cache
def derivation(gold: str, prediction: str, bench: str, db_id: str) -> Derivation:
    return prove(gold, prediction, schema_of(bench, db_id))


def measure(file: str, every: int, witnesses: Witnesses) -> Tally:
    tally = Tally()
    bench = file.split("/")[0]
    for item in items(file, every):
        gold, sql, schema = item.gold, item.prediction, item.schema
        if not runs(gold, schema) or not runs(sql, schema):
            tally.cannot_run += 1
            continue
        result = derivation(gold, sql, bench, schema.db_id)
        refuted = gold != sql and witnesses.refuted(gold, sql, schema)
        tally.matched += bool(item.official["etm"])
        tally.matched_refuted += bool(item.official["etm"]) and refuted
        tally.fired.update(result.rules)
        if isinstance(result, Proof) and refuted:
            tally.contradictions.append(witnesses.contradict(item, result))
        if refuted:
            tally.refuted += 1
        elif isinstance(result, Proof):
            tally.proved += 1
            tally.used.append((item, result.rules))
        else:
            tally.open.append(record(item) | {"cause": cause(result)})
    witnesses.save()
    return tally


def cause(result: Derivation) -> str:
    """What keeps two normal forms apart: the clauses, and what these are written with."""
    if not isinstance(result, NotProved) or result.forms is None:
        return result.message if isinstance(result, NotProved) else ""
    apart = differing_clauses(result.gold_form, result.prediction_form)
    parts = [part for side in apart.values() for part in side]
    if not parts:
        return "the same parts: copies of a table, their order, or the row of a bare column"
    clauses = {clause(part) for part in parts}
    text = " ".join(parts)
    constructs = [name for name, pattern in WRITTEN_WITH.items() if re.search(pattern, text)]
    return ", ".join(sorted(clauses)) + (f" with {', '.join(constructs)}" if constructs else "")


def clause(part: str) -> str:
    word = part.split(" ", 1)[0].upper()
    return {"LEFT": "FROM", "RIGHT": "FROM", "FULL": "FROM", "JOIN": "FROM", "INNER": "FROM"}.get(
        word, word
    )


def decided(tallies: dict[str, Tally]) -> None:
    print("\n| file | run | proved | refuted | open | decided | cannot run | contradictions |")
    print("| --- " * 8 + "|")
    for file, tally in tallies.items():
        share = (tally.proved + tally.refuted) / max(1, tally.running)
        print(
            f"| {file} | {tally.running} | {tally.proved} | {tally.refuted} | {len(tally.open)} | "
            f"{share:.2%} | {tally.cannot_run} | {len(tally.contradictions)} |"
        )
    causes = Counter(pair["cause"] for tally in tallies.values() for pair in tally.open)
    print("\n| open pairs: what differs between the two normal forms | pairs |\n| --- | --- |")
    for text, times in causes.most_common():
        print(f"| {text} | {times} |")


def reference(tallies: dict[str, Tally]) -> None:
    print("\n| file | matched by the script | of these refuted | rest | proved | at least |")
    print("| --- " * 6 + "|")
    for file, tally in tallies.items():
        rest = tally.matched - tally.matched_refuted
        enough = "yes" if tally.proved >= rest else "NO"
        print(
            f"| {file} | {tally.matched} | {tally.matched_refuted} | {rest} | {tally.proved} | "
            f"{enough} |"
        )


def clock(work: Callable[[], object], prepare: Callable[[], object], times: int = 3) -> float:
    """CPU seconds, the best of some runs."""
    spent = []
    for _ in range(times):
        prepare()
        began = process_time()
        work()
        spent.append(process_time() - began)
    return min(spent)


def timing(files: Sequence[str], every: int) -> None:
    print(
        "\n| file | pairs | parsing both, ms | prove, ms | multiple: median | p90 | p99 | most | "
        "gold remembered: median | p99 | prove, s in all | gold remembered, s |"
    )
    print("| --- " * 12 + "|")
    for file in files:
        parsing: list[float] = []
        cold: list[float] = []
        warm: list[float] = []
        for item in items(file, every):
            if runs(item.gold, item.schema) and runs(item.prediction, item.schema):
                spent = time_pair(item)
                for column, seconds in zip((parsing, cold, warm), spent, strict=True):
                    column.append(seconds)
        multiples = sorted(a / b for a, b in zip(cold, parsing, strict=True))
        warmed = sorted(a / b for a, b in zip(warm, parsing, strict=True))
        print(
            f"| {file} | {len(cold)} | {statistics.median(parsing) * 1e3:.2f} | "
            f"{statistics.median(cold) * 1e3:.2f} | {statistics.median(multiples):.1f} | "
            f"{at(multiples, 0.9):.1f} | {at(multiples, 0.99):.1f} | {multiples[-1]:.1f} | "
            f"{statistics.median(warmed):.1f} | {at(warmed, 0.99):.1f} | {sum(cold):.1f} | "
            f"{sum(warm):.1f} |",
            flush=True,
        )


def time_pair(item: Item) -> tuple[float, float, float]:
    """Seconds to parse both queries, to prove from nothing, and with the gold's form at hand."""
    gold, sql, schema = item.gold, item.prediction, item.schema

    def both() -> None:
        sqlglot.parse_one(gold, read="sqlite")
        sqlglot.parse_one(sql, read="sqlite")

    def forget() -> None:
        parse_as.cache_clear()
        forget_forms()

    def meet_gold() -> None:
        forget()
        prove(gold, "SELECT 1", schema)

    def work() -> None:
        prove(gold, sql, schema)

    return clock(both, lambda: None), clock(work, forget), clock(work, meet_gold)


def at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def labelled() -> Iterator[tuple[str, bool, list[tuple[str, str, Schema]]]]:
    """The labelled sets: their name, whether the pairs are equal, and the pairs."""
    root = DATA / "equivalence"

    def lines(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (root / name).read_text().splitlines()]

    probes = lines("probes.jsonl")
    for equal in (True, False):
        selection = [p for p in probes if p["equivalent"] is equal]
        rows = [(p["left"], p["right"], read_ddl(p["schema"], "probe")) for p in selection]
        yield "probes", equal, rows
    calcite = lines("semantic_equivalent.jsonl")
    yield "Calcite", True, [(p["sql1"], p["sql2"], read_ddl(p["schema"], "c")) for p in calcite]
    solver = lines("semantic_inequivalent.jsonl")
    solver_tables = [(p, next(iter(json.loads(p["schema"])))) for p in solver]
    rows = [(p["sql1"], p["sql2"], schema_of("spider", db_id)) for p, db_id in solver_tables]
    yield "LLM-SQL-Solver", False, rows


def equivalence() -> dict[str, list[dict[str, str]]]:
    print("\n| labelled pairs | label | pairs | both run | proved | of these the same text |")
    print("| --- " * 6 + "|")
    lists: dict[str, list[dict[str, str]]] = {}
    for name, equal, rows in labelled():
        label = "equal" if equal else "different"
        running = [row for row in rows if runs(row[0], row[2]) and runs(row[1], row[2])]
        proved = alike = 0
        for one, other, schema in running:
            proof = prove(one, other, schema)
            proved += proof.proved
            alike += proof.proved and normalised(one) == normalised(other)
            if proof.proved is not equal:
                pair = {"left": one, "right": other, "cause": cause(proof)}
                lists.setdefault(f"{name}/{label}", []).append(pair)
        print(
            f"| {name} | {label} | {len(rows)} | {len(running)} | {proved} | {alike} |", flush=True
        )
    return lists


def rule_table(title: str, counts: dict[str, Counter[str]]) -> list[str]:
    """A line for each rule and a column for each file; returns the rules, most frequent first."""
    total: Counter[str] = Counter()
    for result in counts.values():
        total.update(result)
    print(f"\n| {title} | {' | '.join(counts)} | all |")
    print("| --- " * (len(counts) + 2) + "|")
    for rule, times in total.most_common():
        cells = " | ".join(str(result[rule]) for result in counts.values())
        print(f"| {rule} | {cells} | {times} |")
    return [rule for rule, _ in total.most_common()]


def ablation(tallies: dict[str, Tally], folder: Path | None) -> None:
    """Proofs that are lost when one rule is switched off: a rule that never fires loses none."""
    lost: dict[str, Counter[str]] = defaultdict(Counter)
    for file, tally in tallies.items():
        for item, rules in tally.used:
            for rule in rules:
                off = frozenset({rule})
                proof = prove(item.gold, item.prediction, item.schema, without=off)
                lost[file][rule] += not proof.proved
    order = rule_table("proofs lost without the rule", lost)
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for bench in sorted({file.split("/")[0] for file in lost}):
        bars = {
            file.split("/")[1]: [float(proof[rule]) for rule in order[:MOST_BARS]]
            for file, proof in lost.items()
            if file.startswith(f"{bench}/")
        }
        title = f"Proofs lost when one rule is switched off: {bench.title()} dev"
        chart = bar_chart(title, "pairs", order[:MOST_BARS], bars, stacked=True)
        (folder / f"prove_ablation_{bench}.svg").write_text(chart)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, help="remember in this file what is refuted")
    parser.add_argument("--list", type=Path, help="write the open and the wrongly labelled pairs")
    parser.add_argument("--svg", type=Path, metavar="FOLDER", help="draw the ablation")
    parser.add_argument("--save", type=Path, default=Path("contradictions"), metavar="FOLDER")
    parser.add_argument("--instances", type=int, default=SearchBudget().instances)
    parser.add_argument("--every", type=int, default=1, help="take every N-th pair")
    parser.add_argument("--files", nargs="+", default=list(PUBLISHED), choices=list(PUBLISHED))
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    arguments = parser.parse_args()
    if not (DATA / "etm_reference").is_dir():
        parser.error(f"no data at {DATA}: set SQLVERDICT_DATA")
    lists: dict[str, Any] = {}
    tallies: dict[str, Tally] = {}
    if set(arguments.parts) - set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    arguments.parts = arguments.parts or list(PARTS[:4])
    if set(arguments.parts) - {"time", "equivalence"}:
        witnesses = Witnesses(arguments.cache, arguments.instances, arguments.save)
        tallies = {file: measure(file, arguments.every, witnesses) for file in arguments.files}
        lists |= {file: tally.open for file, tally in tallies.items()}
    work: dict[str, Callable[[], object]] = {
        "decided": lambda: decided(tallies),
        "reference": lambda: reference(tallies),
        "time": lambda: timing(arguments.files, arguments.every),
        "equivalence": lambda: lists.update(equivalence()),
        "fired": lambda: rule_table(
            "pairs in which the rule fires", {file: t.fired for file, t in tallies.items()}
        ),
        "ablation": lambda: ablation(tallies, arguments.svg),
    }
    for part in arguments.parts:
        work[part]()
    if arguments.list is not None:
        arguments.list.write_text(json.dumps(lists, indent=1))
    results = [pair for tally in tallies.values() for pair in tally.contradictions]
    for pair in results:
        print(f"CONTRADICTION, saved under {arguments.save}: {json.dumps(pair)}", file=sys.stderr)
    return CONTRADICTION if results else 0


if __name__ == "__main__":
    sys.exit(main())
