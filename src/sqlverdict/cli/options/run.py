"""From the words of ``evaluate`` to the options of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlverdict.cli.options.judge import check, with_judged_metric
from sqlverdict.confidence import read_models
from sqlverdict.errors import UsageError
from sqlverdict.execute.cache import default_path
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.pipeline import Options
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.run.contradictions import CONTRADICTIONS
from sqlverdict.run.prove_stage import Proving
from sqlverdict.run.recorded import RUN
from sqlverdict.run.refute_stage import Refuting
from sqlverdict.runlog.folder import WITNESSES
from sqlverdict.score.metric import parse_metrics


def run_options(said: dict[str, Any], progress: Any) -> Options:
    """The options of a run, as ``evaluate`` was given them.

    Raises:
        UsageError: options exclude each other, or name something unknown.
    """
    # Checked first: a typing mistake should not cost the reading of a benchmark.
    check(said)
    metrics = with_judged_metric(said)
    needs = {need for spec in parse_metrics(metrics) for need in spec.metric.needs}
    ENGINES.get(said["engine"])
    if said["cache"] is not None and said["no_cache"]:
        raise UsageError("--cache and --no-cache exclude each other")
    asked = {"seconds": said["timeout"], "rows": said["max_rows"], "steps": said["max_steps"]}
    schemas = load_schemas(said["schema"]) if said["schema"] is not None else {}
    return Options(
        metrics=metrics,
        engine=said["engine"],
        limits=Limits(**{name: most for name, most in asked.items() if most is not None}),
        workers=said["workers"],
        cache=None if said["no_cache"] else said["cache"] or default_path(),
        overwrite=said["overwrite"],
        progress=progress,
        refuting=_refuting(said, schemas, needed="witness" in needs),
        proving=_proving(said, schemas, needed="proof" in needs),
        schemas=schemas,
        policy=said["policy"],
        confidence=read_models(said["confidence"]) if said["confidence"] is not None else None,
        null_keys=said["null_keys"],
        no_sql=said.get("no_sql", "wrong"),
        answers=said.get("answers", RUN),
    )


def _refuting(
    said: dict[str, Any], schemas: Mapping[str, Schema], *, needed: bool
) -> Refuting | None:
    if said["bank"] is not None and said["refute"] is None:
        raise UsageError("--bank goes with --refute N")
    if said["refute"] is None and not needed:
        return None
    budget = SearchBudget() if said["refute"] is None else SearchBudget(instances=said["refute"])
    return Refuting(budget, said["bank"], schemas, Path(WITNESSES))


def _proving(
    said: dict[str, Any], schemas: Mapping[str, Schema], *, needed: bool
) -> Proving | None:
    if not said["prove"] and not needed:
        return None
    # Whoever asks for both wants the prover tested as well.
    both = said["prove"] and said["refute"] is not None
    return Proving(schemas, _folder(said, CONTRADICTIONS), tests_proofs=both)


def _folder(said: dict[str, Any], name: str) -> Path:
    return (said["out"] or Path("runs")) / name
