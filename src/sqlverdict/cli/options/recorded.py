"""``evaluate --system``: systems whose answers the benchmark's own file records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sqlverdict.cli.options.inputs import DataInputs, run_folder
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.system_records import RecordsSystems
from sqlverdict.pipeline import System
from sqlverdict.records import Prediction


def read_recorded(
    given: DataInputs,
    names: Sequence[str],
    benchmark: Benchmark,
    *,
    out: Path | None,
    name: str | None,
    allow_missing: bool,
    recorded_only: bool,
) -> tuple[Benchmark, list[System]]:
    """The recorded systems of ``--system``, and the cases that they are evaluated on.

    Args:
        given: What the user said about the data.
        names: The systems.
        benchmark: The benchmark, whole.
        out: Where the runs go.
        name: Another name for a single system.
        allow_missing: A case without a record counts as no SQL, never as an abstention.
        recorded_only: Only the cases that every one of the systems has a record of.

    Raises:
        UsageError: the benchmark records no systems, or not this one.
        PredictionError: a case has no record, and neither choice was made.
    """
    reader: object = BENCHMARKS.get(given.benchmark) if given.benchmark else None
    if given.root is None or not isinstance(reader, RecordsSystems):
        raise UsageError(
            "--system takes a system that the benchmark's file records, as with --benchmark "
            "trustsql or ehrsql2024; for predictions of your own give --predictions FILE"
        )
    if name is not None and len(names) > 1:
        raise UsageError("--name names one system; leave it out where there are several")
    ids = [case.id for case in benchmark.cases]
    found = [reader.predictions(given.root, one, split=given.split) for one in names]
    kept = ids
    if recorded_only:
        kept = [case_id for case_id in ids if all(case_id in said for said in found)]
    systems = []
    for one, said in zip(names, found, strict=True):
        lacking = [case_id for case_id in kept if case_id not in said]
        if lacking and not allow_missing:
            raise PredictionError(
                f"{said.notes[0]}. A missing answer is never an abstention: give --recorded-only "
                f"to evaluate the cases that are recorded, or --allow-missing to count the others "
                f"as no SQL."
            )
        answers = {**said.by_id, **{case_id: Prediction(case_id) for case_id in lacking}}
        called = name or one
        folder = run_folder(called, out, len(names))
        systems.append(System(called, answers, folder, f"{said.sha256} {one}", said.notes))
    if len(kept) == len(ids):
        return benchmark, systems
    wanted = set(kept)
    cases = [case for case in benchmark.cases if case.id in wanted]
    every = count(len(ids), "case")
    note = f"only {len(kept):,} of {every}: those recorded for {' and '.join(names)}"
    notes = (*benchmark.notes, note)
    return replace(benchmark, cases=cases, count=len(cases), notes=notes), systems
