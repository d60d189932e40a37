"""promptfoo: a Python assertion.

The variables of a test hold ``gold`` and ``db`` or ``db_id``; so may the assertion's ``config``,
which also holds options of the scorer under ``scorer``. promptfoo passes or fails a test, and has
no third way, not even for an assertion that raises. An unscored output therefore fails the test
with ``graderError``, promptfoo's mark for a fault of the grader, and adds nothing to
``sql_correct``, whose mean is the score to read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlverdict.integrations.common import NAME, PairGrader


def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """What promptfoo calls for every output."""
    config = dict(context.get("config") or {})
    options = config.pop("scorer", None) or {}
    grader = _grader(json.dumps(options, sort_keys=True))
    grade = grader.grade(output, context.get("vars"), config)
    reason = f"{grade.label}: {grade.reason}"
    if grade.score is None:
        metadata = {"graderError": True}
        return {"pass": False, "score": 0, "reason": reason, "metadata": metadata}
    return {
        "pass": grade.score == 1,
        "score": grade.score,
        "reason": reason,
        "namedScores": {NAME: grade.score},
    }


@lru_cache(maxsize=8)
def _grader(options: str) -> PairGrader:
    return PairGrader(**json.loads(options))
