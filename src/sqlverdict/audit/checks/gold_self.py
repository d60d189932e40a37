"""Does gold against gold score 100 %, under our preset and the benchmark's own?

Twice: against its own answer, and against its answer on a copy of the database with its rows
in reverse order. The second tells how many right predictions a preset could mark as wrong,
because the gold leaves the order of tied rows, or the rows themselves, open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, GoldQuery
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.records import Answer, Comparison
from sqlverdict.signs.open_limits import reads_clock_or_chance

NAME = "gold_self"


@CHECKS.member
class GoldSelfCheck(Check):
    """Golds that do not score 100 % against themselves."""

    title = "golds that do not score 100 % against themselves"

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:
        """The gold as its own prediction, preset by preset."""
        if gold.answer is None or reads_clock_or_chance(gold.sql):
            return
        probe = partial(data.runner.run, str(gold.case.database))
        determined = True
        for name in data.presets:
            preset = PRESETS.get(name)
            sql, _ = preset.prepare(gold.sql, gold.sql)
            pair = QueryPair(sql, sql, contract=gold.case.contract, probe=probe)
            outcome = probe(sql)
            data.figures[f"self[{name}]_of"] += 1
            if not isinstance(outcome, Answer):
                message = f"under {name} it is run as {sql!r}, which gives {outcome.reason.value}"
                hint = f"its case is left unscored under {name}"
                yield AuditFinding(NAME, "error", gold.subject, message, hint, {"preset": name})
                continue
            same = preset.compare(outcome, outcome, pair)
            data.figures[f"self[{name}]"] += same.equal is True
            if same.equal is not True:
                message = f"against itself under {name}: {_outcome_text(same)}"
                hint = "please report this query: the comparison is at fault, not the gold"
                yield AuditFinding(NAME, "error", gold.subject, message, hint, {"preset": name})
            other = gold.run_reversed(sql)
            if other is None:
                continue
            data.figures[f"self_backwards[{name}]_of"] += 1
            reversed_comparison = preset.compare(outcome, other, pair)
            data.figures[f"self_backwards[{name}]"] += reversed_comparison.equal is True
            if name == DEFAULT_PRESET:
                determined = reversed_comparison.equal is True
            elif determined and reversed_comparison.equal is not True:
                kind, what = _formality(outcome, other)
                data.figures[f"self_backwards[{name}]_{kind}"] += 1
                text = _outcome_text(reversed_comparison)
                message = f"{name} wants {what} (with rows stored in reverse: {text})"
                hint = f"a right prediction may be marked wrong under {name}, not under strict"
                detail = {"preset": name, "kind": kind}
                yield AuditFinding(NAME, "info", gold.subject, message, hint, detail)


def _formality(answer: Answer, other: Answer) -> tuple[str, str]:
    """What a preset holds against an answer that strict calls the same."""
    if Counter(answer.rows) == Counter(other.rows):
        return "order", "one order of rows that the gold leaves open"
    return "digits", "the last digits of floats, which depend on the order of adding"


def _outcome_text(comparison: Comparison) -> str:
    reasons = ", ".join(reason.value for reason in comparison.reasons)
    return reasons or ("open" if comparison.equal is None else "different")
