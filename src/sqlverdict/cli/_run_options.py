"""From the words of ``evaluate`` to the options of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlverdict.errors import UsageError
from sqlverdict.execute.cache import default_path
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.parse.schemas import load_schemas
from sqlverdict.pipeline import Options
from sqlverdict.refute.witness import Budget
from sqlverdict.run.refuter import Refuting
from sqlverdict.score.metric import parse_metrics


def run_options(said: dict[str, Any], progress: Any) -> Options:
    """The options of a run, as ``evaluate`` was given them.

    Raises:
        UsageError: options exclude each other, or name something unknown.
    """
    # Checked first: a typing mistake should not cost the reading of a benchmark.
    parse_metrics(said["metrics"])
    ENGINES.get(said["engine"])
    if said["cache"] is not None and said["no_cache"]:
        raise UsageError("--cache and --no-cache exclude each other")
    asked = {"seconds": said["timeout"], "rows": said["max_rows"], "steps": said["max_steps"]}
    return Options(
        metrics=said["metrics"],
        engine=said["engine"],
        limits=Limits(**{name: most for name, most in asked.items() if most is not None}),
        workers=said["workers"],
        cache=None if said["no_cache"] else said["cache"] or default_path(),
        overwrite=said["overwrite"],
        progress=progress,
        refuting=_refuting(said),
    )


def _refuting(said: dict[str, Any]) -> Refuting | None:

    if said["bank"] is not None and said["refute"] is None:
        raise UsageError("--bank goes with --refute N")
    if said["refute"] is None:
        return None
    schemas = load_schemas(said["schema"]) if said["schema"] is not None else {}
    folder = (said["out"] or Path("runs")) / "witnesses"
    return Refuting(Budget(instances=said["refute"]), said["bank"], schemas, folder)
