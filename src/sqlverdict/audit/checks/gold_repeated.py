"""Do different questions share one gold query?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, wording_key
from sqlverdict.files.text import few_of
from sqlverdict.parse.tokens import normalised

NAME = "gold_repeated"


@CHECKS.member
class GoldRepeated(Check):
    """One query as the gold of several questions: paraphrases, or a copying mistake."""

    title = "different questions with the same gold"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Group the golds of each database."""
        groups: dict[tuple[str, str], dict[str, str]] = {}
        for case in data.cases:
            for sql in case.golds:
                group = groups.setdefault((case.db_id, normalised(sql)), {})
                group[case.id] = wording_key(case.full_question)
        for (db_id, sql), cases in groups.items():
            wordings = {wording for wording in cases.values() if wording}
            if len(wordings) < 2:
                continue
            data.figures["golds_shared"] += 1
            message = f"{len(cases)} cases, {len(wordings)} questions (id {few_of(cases)})"
            detail = {"cases": list(cases), "sql": sql, "db_id": db_id}
            hint = "fine for paraphrases; their outcomes are not independent"
            yield AuditFinding(NAME, "info", f"case {next(iter(cases))}", message, hint, detail)
