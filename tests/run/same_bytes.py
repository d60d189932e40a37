"""Evaluates a part of the demo and prints what was found, without timings.

Run: ``python same_bytes.py FOLDER WORKERS EVERY``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sqlverdict.execute.engine import Limits
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.demo import DATA, predictions_path, systems
from sqlverdict.load.predictions import load_predictions
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.run.options import SearchOptions


def main(folder: Path, workers: int, every: int) -> None:
    benchmark = BENCHMARKS.get("demo").read(DATA, databases=folder / "databases")
    whole = list(benchmark.cases)
    cases = whole[::every]
    selection = []
    for name in systems():
        predictions = load_predictions(predictions_path(name), [case.id for case in whole])
        selection.append(System(name, {c.id: predictions[c.id] for c in cases}, folder / name))
    options = Options(
        metrics="ex,etm,esm,verdict",
        limits=Limits(steps=5_000_000),
        workers=workers,
        cache=None,
        search=SearchOptions(SearchBudget(instances=60), folder=folder / "witnesses"),
    )
    evaluate_systems(cases, selection, options=options)
    for system in selection:
        lines = (folder / system.name / "results.jsonl").read_text("utf-8").splitlines()
        results = sorted(map(json.loads, lines), key=lambda result: int(result["index"]))
        for result in results:
            # The order of keys counts too: bytes are compared.
            result["timings"] = None
            sys.stdout.write(json.dumps(result) + "\n")
    for file in sorted((folder / "witnesses").rglob("*.sql")):
        sys.stdout.write(f"{file.name}\n{file.read_text('utf-8')}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
