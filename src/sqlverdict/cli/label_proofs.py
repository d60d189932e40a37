"""Proofs that two predictions of a case are equal, on the databases of runs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.cli.run_cases import run_cases
from sqlverdict.errors import SqlverdictError
from sqlverdict.estimate.carry import AreEqual
from sqlverdict.records import Case
from sqlverdict.runlog.run import Run


def proofs_on(runs: Sequence[Run]) -> AreEqual:
    """Asks for proofs on the databases that the commands of the runs name.

    Where they are not at hand, only queries of the same text are equal.
    """
    cases: dict[str, Case] = {}
    read = False

    def are_equal(case_id: str, first: str, second: str) -> bool:
        nonlocal read
        if first == second:
            return True
        if not read:
            read = True
            for run in runs:
                cases.update(_cases(run))
        case = cases.get(case_id)
        return case is not None and case.database is not None and _proved(case, first, second)

    return are_equal


def _cases(run: Run) -> dict[str, Case]:
    try:
        return dict(run_cases(run))
    except SqlverdictError:
        return {}


def _proved(case: Case, first: str, second: str) -> bool:
    from sqlverdict.api.calls import prove_pair
    from sqlverdict.prove.proof import Proof

    try:
        return isinstance(prove_pair(first, second, db=case.database), Proof)
    except SqlverdictError:
        return False
