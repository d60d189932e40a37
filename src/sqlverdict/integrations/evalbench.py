"""Google evalbench: a ``python_scorer`` script.

The script reads a pair as JSON from standard input and writes ``{"score": ..., "reason": ...}``:
100 right, 0 wrong. Unscored is NaN, which evalbench's means leave out, with a reason that starts
with ``UNSCORED``. Databases are found below ``sqlite_db_dir``, or by ``databases`` in the
scorer's configuration.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from sqlverdict.errors import SqlverdictError
from sqlverdict.integrations.common import PairGrader


def score(pair: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """The score of one pair, as evalbench hands it over.

    Args:
        pair: What stands on standard input.
        options: Those of :class:`~sqlverdict.integrations.common.PairGrader`.
    """
    gold = _query(pair.get("golden_query"))
    if not gold:
        # None would mean that the question cannot be answered, which evalbench does not know.
        return {"score": float("nan"), "reason": "UNSCORED: the pair has no golden_query"}
    folder = (pair.get("config") or {}).get("databases") or pair.get("sqlite_db_dir")
    if folder and not {"db", "databases", "scorer"} & options.keys():
        options["databases"] = folder
    fields = {
        "gold": gold,
        "question": pair.get("nl_prompt") or "",
        "db_id": None if "db" in options else pair.get("database"),
    }
    try:
        grade = PairGrader(**options).grade(_query(pair.get("generated_query")) or "", fields)
    except SqlverdictError as error:
        # A script that fails is a score of 0 there.
        return {"score": float("nan"), "reason": f"UNSCORED: {error}"}
    if grade.score is None:
        return {"score": float("nan"), "reason": f"UNSCORED: {grade.reason}"}
    return {"score": 100.0 * grade.score, "reason": f"{grade.label}: {grade.reason}"}


def main(**options: Any) -> None:
    """Read a pair from standard input, and write its score."""
    sys.stdout.write(json.dumps(score(json.load(sys.stdin), **options)) + "\n")


def _query(value: Any) -> Any:
    """The first query: evalbench keeps a text, or a list."""
    return (value[0] if value else None) if isinstance(value, list) else value
