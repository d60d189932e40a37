"""Golds that return no row, or nothing but NULL: any wrong query that finds nothing is right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sqlverdict.abstain.benchmark.lint import LINTS, LintData, LintFinding, LintResult
from sqlverdict.records import Answer, Fault

_HINT = "choose values that exist together, or leave the case out"


@LINTS.member
class NullGolds:
    """Runs every gold query on its database."""

    title = "golds that return nothing"

    def look(self, data: LintData) -> LintResult:
        """Golds without a row, with nothing but NULL, and those that fail."""
        golds = [(case, sql) for case in data.cases for sql in case.golds]
        there = {
            case.database
            for case, _ in golds
            if case.database is not None and Path(case.database).is_file()
        }
        if data.runner is None or not there:
            why = "there are no databases to run the golds on"
            return LintResult("null_golds", self.title, skipped=why)
        figures: Counter[str] = Counter()
        findings = []
        for done, (case, sql) in enumerate(golds):
            data.tell("running golds", done, len(golds))
            if case.database not in there:
                figures["unavailable"] += 1
                continue
            outcome = data.runner.run(case.database or "", sql)
            if not isinstance(outcome, Answer):
                away = outcome.fault is Fault.ENGINE
                figures["unavailable" if away else "failing"] += 1
                if not away:
                    message = f"the gold fails: {outcome.message}"
                    findings.append(LintFinding("error", (case.id,), message, {"sql": sql}))
                continue
            figures["run"] += 1
            problem = ""
            if not outcome.rows:
                figures["empty"] += 1
                problem = "no rows"
            elif all(cell is None for row in outcome.rows for cell in row):
                figures["only_null"] += 1
                problem = "nothing but NULL"
            if problem:
                findings.append(LintFinding("warning", (case.id,), problem, {"sql": sql}))
        names = ("run", "empty", "only_null", "failing", "unavailable")
        ordered_figures = {name: figures[name] for name in names}
        return LintResult("null_golds", self.title, ordered_figures, findings, hint=_HINT)
