"""sqlverdict: whether a text-to-SQL system's answers are right, with evidence.

Records and decisions, each one file:

``records``         the nouns: cases, predictions, answers, results
``exact_number``    numbers of an answer with more digits than a float keeps
``reasons``         reason codes and faults
``evidence``        the types of evidence, a tagged union
``case_parts``      parts of cases and predictions
``evidence_parts``  small structs that types of evidence share; answers in a line of the run log
``harmless``        which differences do not change the answer
``situations``      the table of situations: what evidence may amount to, and what follows
``find_situation``  which situation the evidence about a case amounts to; whether a search was made
``account``         what language models cost a run folder
``verdicts``        how evidence becomes a judgement, by policy
``dialects``        what differs from one SQL dialect to the next, one record each
``dialect_words``   words by which a text is told to be none of a dialect
``patterns``        regular expressions that are compiled when they are first used
``errors``          the tree of errors
``error_reasons``   why an error was raised, for programs: a closed set for each kind
``registry``        how members register
``pipeline``        ``evaluate()``: the stages in order

Stages, in the order of the data:

``files/``          files, digests, locks and stores
``load/``           benchmarks, predictions, labels and databases
``parse/``          text to queries; schemas, names, facts
``execute/``        engines, limits, the sandbox and the cache of answers
``compare/``        presets, relations between answers, differences between queries
``prove/``          proofs by rules
``refute/``         the search for a witness
``signs/``          signs of mistakes in one query
``llm/``            the client of language models
``judge/``          judges, briefs and replies
``abstain/``        systems that may abstain
``confidence/``     how probable it is that people call a prediction right
``estimate/``       the share of answers that people would call right, from a few labels
``score/``          metrics, summaries and statistics
``runlog/``         what a run leaves on disk
``run/``            how a run works on its cases
``api/``            the Python calls about single pairs: check, Scorer
``rl/``             rewards for training, and adapters to trainers
``report/``         reports of one run and of several
``papers/``         published papers: our values beside the printed ones
``audit/``          checks of data and gold queries
``label/``          people's votes: queues, pages, the vote log
``view/``           runs in a browser: the report on a local server
``web/``            what pages with a local server share
``integrations/``   scorers for other frameworks, one file each
``testing/``        public conformance suites
``cli/``            the command line
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from sqlverdict.api.batches import BatchEvaluator
    from sqlverdict.api.calls import check, load_schema, prove_pair, refute_pair
    from sqlverdict.api.golds import EvaluatedGolds, evaluate_golds
    from sqlverdict.api.pair_result import PairResult
    from sqlverdict.api.scorer import Scorer
    from sqlverdict.api.whole_run import (
        EvaluatedRun,
        EvaluatedTrials,
        evaluate,
        evaluate_pairs,
        evaluate_systems,
        evaluate_trials,
        load_predictions,
        read_run,
    )
    from sqlverdict.compare.answers import compare_answers
    from sqlverdict.compare.related.relate import relate
    from sqlverdict.errors import SqlverdictError
    from sqlverdict.execute.engine import Limits
    from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
    from sqlverdict.load.replies.fenced import extract_sql
    from sqlverdict.pipeline import Options, System
    from sqlverdict.records import (
        Answer,
        Case,
        Comparison,
        Contract,
        Evidence,
        Failure,
        Prediction,
        PredictionUsage,
        Reason,
        Relation,
        Result,
        Verdict,
    )
    from sqlverdict.runlog.run import Run
    from sqlverdict.score.estimates import Estimate
    from sqlverdict.score.summary import Summary

_MODULES = {
    "BENCHMARKS": "load.benchmark",
    "Answer": "records",
    "BatchEvaluator": "api.batches",
    "Benchmark": "load.benchmark",
    "Case": "records",
    "Comparison": "records",
    "Contract": "records",
    "Estimate": "score.estimates",
    "EvaluatedGolds": "api.golds",
    "EvaluatedRun": "api.whole_run",
    "EvaluatedTrials": "api.whole_run",
    "Evidence": "records",
    "Failure": "records",
    "Limits": "execute.engine",
    "Options": "pipeline",
    "PairResult": "api.pair_result",
    "Prediction": "records",
    "PredictionUsage": "records",
    "Reason": "records",
    "Relation": "records",
    "Result": "records",
    "Run": "runlog.run",
    "Scorer": "api.scorer",
    "SqlverdictError": "errors",
    "Summary": "score.summary",
    "System": "pipeline",
    "Verdict": "records",
    "check": "api.calls",
    "compare_answers": "compare.answers",
    "evaluate": "api.whole_run",
    "evaluate_golds": "api.golds",
    "evaluate_pairs": "api.whole_run",
    "evaluate_systems": "api.whole_run",
    "evaluate_trials": "api.whole_run",
    "extract_sql": "load.replies.fenced",
    "load_predictions": "api.whole_run",
    "load_schema": "api.calls",
    "prove_pair": "api.calls",
    "read_run": "api.whole_run",
    "refute_pair": "api.calls",
    "relate": "compare.related.relate",
}

__all__ = [
    "BENCHMARKS",
    "Answer",
    "BatchEvaluator",
    "Benchmark",
    "Case",
    "Comparison",
    "Contract",
    "Estimate",
    "EvaluatedGolds",
    "EvaluatedRun",
    "EvaluatedTrials",
    "Evidence",
    "Failure",
    "Limits",
    "Options",
    "PairResult",
    "Prediction",
    "PredictionUsage",
    "Reason",
    "Relation",
    "Result",
    "Run",
    "Scorer",
    "SqlverdictError",
    "Summary",
    "System",
    "Verdict",
    "check",
    "compare_answers",
    "evaluate",
    "evaluate_golds",
    "evaluate_pairs",
    "evaluate_systems",
    "evaluate_trials",
    "extract_sql",
    "load_predictions",
    "load_schema",
    "prove_pair",
    "read_run",
    "refute_pair",
    "relate",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that ``import sqlverdict`` is quick."""
    home = _MODULES.get(name)
    if home is None:
        raise AttributeError(f"module 'sqlverdict' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sqlverdict.{home}"), name)


def __dir__() -> list[str]:
    dunder = [name for name in globals() if name.startswith("__")]
    return sorted([*dunder, *__all__])
