"""Does every case have exactly one prediction, for its own database?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData
from sqlverdict.audit.recover_predictions import RecoveredPredictions
from sqlverdict.files.text import count, few_of

NAME = "prediction_pairing"


@CHECKS.member
class PredictionPairing(Check):
    """Missing, extra and repeated ids, a wrong count, another database, unreadable records."""

    title = "predictions that do not pair with the cases"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Every problem of the file."""
        recovered = data.recovered
        if recovered is None:
            return
        data.figures["predictions"] = len(recovered.entries)
        for where, problem in recovered.problems:
            yield AuditFinding(NAME, "error", where, problem, "repair the record; none is skipped")
        if not recovered.entries:
            return
        yield from _count(data, recovered)
        yield from _ids(data, recovered)
        yield from _databases(data, recovered)


def _count(data: AuditData, recovered: RecoveredPredictions) -> Iterator[AuditFinding]:
    expected = len(data.cases)
    if recovered.records is None or recovered.records == expected:
        return
    fits = recovered.blank and recovered.records - len(recovered.blank) == expected
    blank = (
        f"; {len(recovered.blank)} are blank ({few_of(recovered.blank)})" if recovered.blank else ""
    )
    hint = (
        "remove the blank lines, after checking that they stand for no prediction"
        if fits
        else "write one prediction per line, in the order of the cases"
    )
    message = f"{count(recovered.records, 'line')} for {count(expected, 'case')}{blank}"
    yield AuditFinding(
        NAME, "error", recovered.path.name, message, hint, {"lines": recovered.records}
    )


def _ids(data: AuditData, recovered: RecoveredPredictions) -> Iterator[AuditFinding]:
    locations: dict[str, list[str]] = {}
    for entry in recovered.entries:
        locations.setdefault(entry.case_id, []).append(entry.where)
    known = {case.id for case in data.cases}
    # By position, a wrong count says it all.
    by_position = recovered.records is not None
    for case_id, where in locations.items():
        if len(where) > 1 and not by_position:
            message = f"predicted {len(where)} times, at {', '.join(where[:4])}"
            yield AuditFinding(NAME, "error", f"case {case_id}", message, "remove all but one")
        if case_id not in known and not by_position:
            message = f"the id {case_id!r} at {where[0]} belongs to no case"
            hint = "correct the id, or leave it out (option allow_missing)"
            yield AuditFinding(NAME, "error", f"case {case_id}", message, hint)
    for case in data.cases:
        if case.id not in locations and case.id not in recovered.unread and not by_position:
            message = "no prediction"
            hint = "write one; null is an abstention, a missing one is never taken for that"
            yield AuditFinding(NAME, "error", f"case {case.id}", message, hint)


def _databases(data: AuditData, recovered: RecoveredPredictions) -> Iterator[AuditFinding]:
    databases = {case.id: case.db_id for case in data.cases}
    wrong = [
        entry
        for entry in recovered.entries
        if entry.db_id is not None and databases.get(entry.case_id, entry.db_id) != entry.db_id
    ]
    for entry in wrong:
        message = f"says database {entry.db_id!r}, the case is on {databases[entry.case_id]!r}"
        hint = "the file is shifted, sorted differently or from another split: write it again"
        yield AuditFinding(
            NAME,
            "error",
            f"case {entry.case_id}",
            f"{entry.where} {message}",
            hint,
            {"found": entry.db_id, "expected": databases[entry.case_id]},
        )
    unknown = Counter(entry.db_id for entry in wrong if entry.db_id not in databases.values())
    if unknown:
        names = few_of(name for name, _ in unknown.most_common())
        which = count(unknown.total(), "prediction names a database", "predictions name databases")
        message = f"{which} that no case uses: {names}"
        yield AuditFinding(
            NAME, "warning", recovered.path.name, message, "is it another benchmark's file?"
        )
