"""sqlverdict: whether a text-to-SQL system's answers are right, with evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from sqlverdict.compare.answers import compare_answers
    from sqlverdict.compare.related.relate import relate
    from sqlverdict.errors import SqlverdictError
    from sqlverdict.execute.engine import Limits
    from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
    from sqlverdict.load.predictions import load_predictions
    from sqlverdict.pipeline import Options, System, evaluate, evaluate_pairs, evaluate_systems
    from sqlverdict.records import (
        Answer,
        Case,
        Comparison,
        Contract,
        Evidence,
        Failure,
        Prediction,
        Reason,
        Relation,
        Result,
        Verdict,
    )
    from sqlverdict.runlog.run import Run, read_run
    from sqlverdict.score.summary import Estimate, Summary

_HOMES = {
    "BENCHMARKS": "load.benchmark",
    "Answer": "records",
    "Benchmark": "load.benchmark",
    "Case": "records",
    "Comparison": "records",
    "Contract": "records",
    "Estimate": "score.summary",
    "Evidence": "records",
    "Failure": "records",
    "Limits": "execute.engine",
    "Options": "pipeline",
    "Prediction": "records",
    "Reason": "records",
    "Relation": "records",
    "Result": "records",
    "Run": "runlog.run",
    "SqlverdictError": "errors",
    "Summary": "score.summary",
    "System": "pipeline",
    "Verdict": "records",
    "compare_answers": "compare.answers",
    "evaluate": "pipeline",
    "evaluate_pairs": "pipeline",
    "evaluate_systems": "pipeline",
    "load_predictions": "load.predictions",
    "read_run": "runlog.run",
    "relate": "compare.related.relate",
}

__all__ = [
    "BENCHMARKS",
    "Answer",
    "Benchmark",
    "Case",
    "Comparison",
    "Contract",
    "Estimate",
    "Evidence",
    "Failure",
    "Limits",
    "Options",
    "Prediction",
    "Reason",
    "Relation",
    "Result",
    "Run",
    "SqlverdictError",
    "Summary",
    "System",
    "Verdict",
    "compare_answers",
    "evaluate",
    "evaluate_pairs",
    "evaluate_systems",
    "load_predictions",
    "read_run",
    "relate",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that ``import sqlverdict`` is quick."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sqlverdict' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sqlverdict.{home}"), name)
