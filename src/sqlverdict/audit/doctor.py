"""examine_data(): what is wrong with the data, where, and what to do, before anything is scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from sqlverdict.audit.check import CHECKS, SEVERITIES, AuditFinding, Diagnosis
from sqlverdict.audit.data import AuditData, DoctorOptions
from sqlverdict.errors import SqlverdictError
from sqlverdict.load.benchmark import Benchmark


def examine_data(
    benchmark: Benchmark,
    predictions: Path | None = None,
    *,
    options: DoctorOptions | None = None,
) -> Diagnosis:
    """Run every check on a benchmark and, if given, a prediction file.

    Args:
        benchmark: The benchmark, as its reader gave it.
        predictions: A prediction file for it.
        options: Limits, cache, how many cases, progress.

    Returns:
        The findings, most severe first, and figures about the data.

    Raises:
        BenchmarkError: a case cannot be read.
    """
    data = AuditData(benchmark, predictions, options or DoctorOptions())
    try:
        return _examine(data)
    finally:
        data.close()


def _findings(
    name: str, subject: str, ask: Callable[[], Iterable[AuditFinding]]
) -> list[AuditFinding]:
    """What a check finds; a query that is too much for it is a finding and ends nothing."""
    try:
        return list(ask())
    except SqlverdictError:
        raise
    except Exception as error:  # noqa: BLE001 - named and shown
        message = f"this check failed on it ({type(error).__name__}): a bug of ours, please report"
        return [AuditFinding(name, "warning", subject, message)]


def _examine(data: AuditData) -> Diagnosis:
    checks = dict(CHECKS.items())
    findings: list[AuditFinding] = []
    for index, (name, check) in enumerate(checks.items()):
        data.tell(name, index, len(checks))
        findings += _findings(name, "the data", partial(check.whole, data))
    total = sum(len(case.golds) for case in data.cases if case.database is not None)
    runnable = 0
    for done, gold in enumerate(data.golds()):
        data.tell("golds", done, total)
        runnable += gold.answer is not None
        for name, check in checks.items():
            findings += _findings(name, gold.subject, partial(check.gold, data, gold))
    data.tell("golds", total, total)
    order = {name: index for index, name in enumerate(checks)}
    # Sorting is stable, so within a check the order of the data remains.
    findings.sort(key=lambda finding: (SEVERITIES.index(finding.severity), order[finding.check]))
    data.figures["cases"] = len(data.cases)
    data.figures["golds"] = sum(len(case.golds) for case in data.cases)
    data.figures["golds_answered"] = runnable
    return Diagnosis(
        benchmark=f"{data.benchmark.name}, {data.benchmark.version}",
        cases=len(data.cases),
        runnable=runnable,
        findings=tuple(findings),
        figures=dict(sorted(data.figures.items())),
    )
