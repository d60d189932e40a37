"""Does every case have exactly one prediction, for its own database?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from sqlverdict.audit.check import CHECKS, Check
from sqlverdict.audit.data import AuditData
from sqlverdict.audit.finding import AuditFinding
from sqlverdict.audit.recover_predictions import RecoveredPredictions
from sqlverdict.files.text import listed

NAME = "prediction_pairing"


@CHECKS.member
class PredictionPairing(Check):
    """Missing, extra and repeated ids, a wrong count, another database, unreadable records."""

    title = "predictions that do not pair with the cases"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Every problem of the file."""
        found = data.salvaged
        if found is None:
            return
        data.figures["predictions"] = len(found.entries)
        for where, problem in found.problems:
            yield AuditFinding(NAME, "error", where, problem, "mend the record; none is skipped")
        if not found.entries:
            return
        yield from _count(data, found)
        yield from _ids(data, found)
        yield from _databases(data, found)


def _count(data: AuditData, found: RecoveredPredictions) -> Iterator[AuditFinding]:
    expected = len(data.cases)
    if found.records is None or found.records == expected:
        return
    fits = found.blank and found.records - len(found.blank) == expected
    blank = f"; {len(found.blank)} are blank ({listed(found.blank)})" if found.blank else ""
    hint = (
        "remove the blank lines, after checking that they stand for no prediction"
        if fits
        else "write one prediction a line, in the order of the cases"
    )
    message = f"{found.records} lines for {expected} cases{blank}"
    yield AuditFinding(NAME, "error", found.path.name, message, hint, {"lines": found.records})


def _ids(data: AuditData, found: RecoveredPredictions) -> Iterator[AuditFinding]:
    places: dict[str, list[str]] = {}
    for entry in found.entries:
        places.setdefault(entry.case_id, []).append(entry.where)
    known = {case.id for case in data.cases}
    # By position, a wrong count says it all.
    by_position = found.records is not None
    for case_id, where in places.items():
        if len(where) > 1 and not by_position:
            message = f"predicted {len(where)} times, at {', '.join(where[:4])}"
            yield AuditFinding(NAME, "error", f"case {case_id}", message, "remove all but one")
        if case_id not in known and not by_position:
            message = f"the id {case_id!r} at {where[0]} is no case's"
            hint = "correct the id, or pass --allow-missing to leave it out"
            yield AuditFinding(NAME, "error", f"case {case_id}", message, hint)
    for case in data.cases:
        if case.id not in places and case.id not in found.unread and not by_position:
            message = "no prediction"
            hint = "write one; null is an abstention, a missing one is never taken for that"
            yield AuditFinding(NAME, "error", f"case {case.id}", message, hint)


def _databases(data: AuditData, found: RecoveredPredictions) -> Iterator[AuditFinding]:
    databases = {case.id: case.db_id for case in data.cases}
    wrong = [
        entry
        for entry in found.entries
        if entry.db_id is not None and databases.get(entry.case_id, entry.db_id) != entry.db_id
    ]
    for entry in wrong:
        message = f"says database {entry.db_id!r}, the case is on {databases[entry.case_id]!r}"
        hint = "the file is shifted, sorted otherwise or of another split: write it anew"
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
        names = listed(name for name, _ in unknown.most_common())
        message = f"{unknown.total()} predictions name databases that no case uses: {names}"
        yield AuditFinding(
            NAME, "warning", found.path.name, message, "is it another benchmark's file?"
        )
