"""What a check is: one file in ``checks/``, one question to the data.

A check looks at the data as a whole, or at each gold query with its answer, or at both. It
holds no state of its own: what it counts goes to ``data.figures``. It reports nothing where it
cannot tell: a false alarm is a bug.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from sqlverdict.registry import Registry

if TYPE_CHECKING:
    from sqlverdict.audit.data import AuditData, GoldQuery


Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Most severe first."""

DIAGNOSIS_SCHEMA = 1
"""Version of the diagnosis as JSON."""


@dataclass(frozen=True)
class AuditFinding:
    """One thing that is wrong, or worth knowing.

    Attributes:
        check: The check that found it.
        severity: ``error``: scores will be wrong or missing; ``warning``: a score may mislead;
            ``info``: worth knowing.
        subject: What it is about: a case id, a file, a database.
        message: What was found.
        hint: What to do; findings of one kind share it.
        detail: What shows it, for programs.
    """

    check: str
    severity: Severity
    subject: str
    message: str
    hint: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Diagnosis:
    """All that was found.

    Attributes:
        benchmark: The benchmark's name and version.
        cases: How many cases were looked at.
        runnable: How many golds were answered.
        findings: Most severe first, then by check; within a check in the order of the data.
        figures: Numbers that sum up the data: how many golds are empty, and so on.
    """

    benchmark: str
    cases: int
    runnable: int
    findings: tuple[AuditFinding, ...]
    figures: Mapping[str, int | float] = field(default_factory=dict)

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity."""
        return {
            severity: sum(finding.severity == severity for finding in self.findings)
            for severity in SEVERITIES
        }

    @property
    def by_check(self) -> dict[str, dict[Severity, int]]:
        """How many findings each check has, by severity; checks without any are left out."""
        by_check: dict[str, dict[Severity, int]] = {}
        for finding in self.findings:
            counts = by_check.setdefault(finding.check, dict.fromkeys(SEVERITIES, 0))
            counts[finding.severity] += 1
        return by_check

    def of(self, check: str) -> list[AuditFinding]:
        """The findings of one check."""
        return [finding for finding in self.findings if finding.check == check]

    def as_record(self) -> dict[str, Any]:
        """The diagnosis as plain values, for JSON."""
        return {
            "schema": DIAGNOSIS_SCHEMA,
            "benchmark": self.benchmark,
            "cases": self.cases,
            "runnable": self.runnable,
            "counts": self.counts,
            "by_check": self.by_check,
            "figures": dict(self.figures),
            "findings": [
                {
                    "check": finding.check,
                    "severity": finding.severity,
                    "subject": finding.subject,
                    "message": finding.message,
                    "hint": finding.hint,
                    "detail": dict(finding.detail),
                }
                for finding in self.findings
            ],
        }


class Check:
    """The base of checks; both methods find nothing.

    ``title`` says what the check asks, in a few words, for the printed report.
    """

    title = ""

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:  # noqa: ARG002 (a default)
        """Findings about the data as a whole."""
        return ()

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:  # noqa: ARG002 (a default)
        """Findings about one gold query."""
        return ()


CHECKS: Registry[Check] = Registry("check", "sqlverdict.audit.checks", "sqlverdict.checks")
