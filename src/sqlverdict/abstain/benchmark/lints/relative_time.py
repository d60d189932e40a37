"""Questions that say "today" or "last year" where nothing says when they are asked.

A gold that reads the clock answers differently every day. A gold with a date that the question
does not name assumes a present; if all golds assume the same one, it should be said, and if they
do not, the same words mean different times.
"""

from __future__ import annotations

import re
from collections import Counter

from sqlverdict.abstain.benchmark.lint import LINTS, LintData, LintFinding, LintResult
from sqlverdict.files.text import count
from sqlverdict.parse.tokens import Kind, fold, tokens
from sqlverdict.records import Case

RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|nowadays|currently|recently|ago|"
    r"(?:this|last|next|past|previous|current|coming)\s+(?:\d+\s+|few\s+|couple\s+of\s+)?"
    r"(?:hour|day|week|month|quarter|year|decade|night|morning|afternoon|evening|semester|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?)\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?")
_CLOCK = frozenset(("current_date", "current_time", "current_timestamp"))
_HINT = "name the date in the question, or state the present once for all (setting now=TIME)"


@LINTS.member
class RelativeTime:
    """Looks for words of relative time, and for what the gold makes of them."""

    title = "relative time without a clock"

    def look(self, data: LintData) -> LintResult:
        """Questions with relative time whose gold assumes a present."""
        figures: Counter[str] = Counter()
        assumed: dict[str, list[Case]] = {}
        findings = []
        for case in data.cases:
            hit = RELATIVE.search(case.question)
            if hit is None:
                continue
            figures["questions"] += 1
            if data.clock or _DATE.search(case.knowledge):
                figures["with_a_clock"] += 1
                continue
            reads, dates = assumed_times(case)
            if reads:
                figures["golds_that_read_the_clock"] += 1
                message = f"{hit[0]!r}: the gold's answer changes with the day it is run"
                findings.append(LintFinding("error", (case.id,), message))
            for date in dates[:1]:
                assumed.setdefault(date, []).append(case)
        figures["golds_that_assume_a_date"] = sum(map(len, assumed.values()))
        figures["dates_assumed"] = len(assumed)
        if len(assumed) == 1:
            ((date, cases),) = assumed.items()
            golds = count(len(cases), "gold")
            message = f"{date} stands for the present in {golds}, and no question says so"
            findings.append(LintFinding("warning", tuple(case.id for case in cases), message))
        else:
            findings += [
                LintFinding("warning", (case.id,), f"its gold assumes {date}, others another date")
                for date, cases in assumed.items()
                for case in cases
            ]
        names = (
            "questions",
            "with_a_clock",
            "golds_that_read_the_clock",
            "golds_that_assume_a_date",
            "dates_assumed",
        )
        ordered_figures = {name: figures[name] for name in names}
        return LintResult("relative_time", self.title, ordered_figures, findings, hint=_HINT)


def assumed_times(case: Case) -> tuple[bool, list[str]]:
    """Whether a gold reads the clock, and the dates in golds that the question does not name."""
    reads = False
    dates: dict[str, None] = {}
    for sql in case.golds:
        for token in tokens(sql):
            word = fold(token.text)
            if word in _CLOCK or word in ("'now'", '"now"'):
                reads = True
            elif token.kind in (Kind.STRING, Kind.QUOTED):
                dates |= dict.fromkeys(_DATE.findall(token.text))
    return reads, [date for date in dates if date not in case.question]
