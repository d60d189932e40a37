"""What each rule of the verdict's policies contributes, held against people's labels.

FLEX's agreement format (``flex/agreement_half.jsonl``: 100 BIRD pairs with three experts' consensus
and GPT-4o's recorded replies). No database exists for these pairs: schemas come from
``bird/ddl.json``, results are the recorded text, replies are replayed. Evidence is gathered once;
then every line of a policy is taken away in turn and the verdicts are made anew. For each variant:
Cohen's kappa with its bootstrap interval, false positives and negatives, calls.

Run: ``python bench/policy.py [AGREEMENT.jsonl] [SCHEMAS]``; needs SQLVERDICT_DATA or both files.
Then the same for other seeds of the search: how far the verdicts hang on its luck.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from sqlverdict import harmless, verdicts
from sqlverdict.harmless import HARMLESS
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.recorded import Recorded
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.labels import Label, read_labels
from sqlverdict.parse.schemas import load_schemas
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Case, Prediction, Result, Rung, Verdict
from sqlverdict.refute.witness import Budget
from sqlverdict.report.tables import plain, table
from sqlverdict.run.court import Judging
from sqlverdict.run.refuter import Refuting
from sqlverdict.score.agreement import Rated, agreement
from sqlverdict.verdicts import (
    DETERMINISTIC,
    JUDGED,
    RESULTS,
    Decision,
    Policy,
    Situation,
)

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
WITNESSES = (
    Situation.ORDINARY_WITNESS,
    Situation.UNGRADED_WITNESS,
    Situation.NULL_IN_AGGREGATE,
    Situation.TIED_ROWS_LOST,
    Situation.UNUSUAL_WITNESS,
)
SEEDS = (1, 2, 3)


def gather(benchmark: Benchmark, schemas: Path, seed: int = 0) -> list[Result]:
    """Every pair with all its evidence and the recorded opinion."""
    known = load_schemas(schemas)
    replies = {c.id: c.recorded.replies for c in benchmark.cases if c.recorded is not None}
    options = Options(
        metrics="ex,flex,verdict",
        workers=0,
        cache=None,
        schemas=known,
        refuting=Refuting(Budget(seed=seed), schemas=known),
        judging=Judging("replay", Settings(model="recorded"), Recorded(replies)),
    )
    with TemporaryDirectory() as folder:
        system = System("recorded", benchmark.predictions or {}, Path(folder) / "run")
        (run,) = evaluate_systems(benchmark, [system], options=options)
        return list(run.results())


def blind(result: Result) -> Result:
    """The result with its opinion open to every policy."""
    evidence = tuple(
        replace(found, detail={**found.detail, "metrics": ["flex", "verdict"]})
        if found.rung is Rung.JUDGED
        else found
        for found in result.evidence
    )
    return replace(result, evidence=evidence)


def changed(policy: Policy, **decisions: Decision) -> Policy:
    """The policy with other decisions for some situations."""
    table_ = {**policy.table, **{Situation(name): said for name, said in decisions.items()}}
    return replace(policy, table=table_)


def variants() -> Iterator[tuple[str, Policy, tuple[str, ...]]]:
    """A name, a policy, and the relations that are not harmless in it."""
    yield "results alone", RESULTS, ()
    yield "deterministic", DETERMINISTIC, ()
    any_witness: dict[str, Decision] = {str(name): "incorrect" for name in WITNESSES}
    no_witness: dict[str, Decision] = {str(name): "correct" for name in WITNESSES}
    yield "  any witness is wrong", changed(DETERMINISTIC, **any_witness), ()
    yield "  no witness counts", changed(DETERMINISTIC, **no_witness), ()
    yield "  ungraded witness is right", changed(DETERMINISTIC, ungraded_witness="correct"), ()
    yield "  NULL in aggregate is right", changed(DETERMINISTIC, null_in_aggregate="correct"), ()
    yield "  no difference is harmless", DETERMINISTIC, tuple(HARMLESS)
    for kind in HARMLESS:
        yield f"  {kind} is not harmless", DETERMINISTIC, (kind,)
    yield "judged", JUDGED, ()
    asked: dict[str, Decision] = {str(name): "ask" for name in WITNESSES}
    yield "  NULL in aggregate is asked", changed(JUDGED, null_in_aggregate="ask"), ()
    ordinary = changed(JUDGED, ungraded_witness="incorrect", ordinary_witness="incorrect")
    yield "  ordinary data decide", ordinary, ()
    yield "  unusual data do not matter", changed(JUDGED, unusual_witness="correct"), ()
    yield "  no difference is harmless", changed(JUDGED, harmless_difference="ask"), ()
    everything: dict[str, Decision] = {
        **asked,
        "match": "ask",
        "proved": "ask",
        "harmless_difference": "ask",
    }
    yield "  everything is asked (FLEX)", changed(JUDGED, **everything), ()


def judged(
    results: list[Result], policy: Policy, harmful: tuple[str, ...]
) -> tuple[Mapping[str, bool | None], int]:
    """Each case's verdict under a policy, and how many calls it takes."""
    values = {Verdict.CORRECT: True, Verdict.INCORRECT: False}
    said: dict[str, bool | None] = {}
    calls = 0
    kept = {kind: rule for kind, rule in HARMLESS.items() if kind not in harmful}
    with patch.object(harmless, "HARMLESS", kept):
        for result in results:
            case = Case(result.id, result.db_id, result.question, result.gold)
            prediction = Prediction(result.id, result.prediction)
            found, _ = verdicts.situation(case, result.evidence)
            calls += policy.table[found] == "ask"
            judgement = verdicts.judge(case, prediction, result.evidence, policy)
            said[result.id] = values.get(judgement.verdict)
    return said, calls


def main() -> None:
    """Print the tables."""
    labels_path = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "flex/agreement_half.jsonl"
    schemas = Path(sys.argv[2]) if len(sys.argv) > 2 else DATA / "bird/ddl.json"
    benchmark = BENCHMARKS.get("flex").read(labels_path)
    labels = {item.id: item for item in read_labels(labels_path, label_field="human").items}
    results = [blind(result) for result in gather(benchmark, schemas)]
    rows = [row(name, results, labels, policy, harmful) for name, policy, harmful in variants()]
    headers = ("variant", "kappa", "95% interval", "FP", "FN", "unscored", "calls")
    print(plain(table(headers, rows, f"{len(results)} pairs, {labels_path.name}", left=(0,))))
    rows = []
    for seed in SEEDS:
        again = [blind(result) for result in gather(benchmark, schemas, seed)]
        for name, policy in (("deterministic", DETERMINISTIC), ("judged", JUDGED)):
            rows.append(row(f"{name}, seed {seed}", again, labels, policy, ()))
    print()
    print(plain(table(headers, rows, "Other seeds of the search", left=(0,))))


def row(
    name: str,
    results: list[Result],
    labels: Mapping[str, Label],
    policy: Policy,
    harmful: tuple[str, ...],
) -> list[str]:
    """One line of the table."""
    said, calls = judged(results, policy, harmful)
    rated = [
        Rated(case_id, bool(label.value), said[case_id], label.equal)
        for case_id, label in labels.items()
        if case_id in said and label.value is not None
    ]
    found = agreement(name.strip(), rated, calls=calls)
    low, high = found.intervals["kappa"]
    kappa = "–" if found.kappa is None else f"{found.kappa * 100:.2f}"  # noqa: RUF001
    interval = f"{low * 100:.1f} to {high * 100:.1f}"
    return [name, kappa, interval, *map(str, (found.fp, found.fn, found.unscored, calls))]


if __name__ == "__main__":
    main()
