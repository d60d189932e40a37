"""What a lint is: one file in ``lints/``, one question to a benchmark's cases.

A lint looks at all cases together and answers with figures and findings. It says why where it
cannot look: no databases, no unanswerable questions, an extra that is not installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, get_args

from sqlverdict.abstain.benchmark.meaning import Meanings, Tell, find_meanings
from sqlverdict.abstain.benchmark.templates import Template, template_of
from sqlverdict.errors import MissingExtra
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case
from sqlverdict.registry import Registry

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Most severe first."""

SPLIT_TAG = "split"


@dataclass(frozen=True)
class LintFinding:
    """One thing that a lint found.

    Attributes:
        severity: ``error``: a score on this benchmark means something else than it says;
            ``warning``: it may; ``info``: worth knowing.
        cases: The cases it is about.
        message: What was found.
        detail: What shows it, for programs.
    """

    severity: Severity
    cases: tuple[str, ...]
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LintResult:
    """What a lint says.

    Attributes:
        lint: The lint's name.
        title: What it asks, in a few words.
        figures: Numbers that sum it up.
        findings: Put in order, most severe first.
        skipped: Why it did not look; empty: it did.
        hint: What to do about findings.
    """

    lint: str
    title: str
    figures: Mapping[str, int | float] = field(default_factory=dict)
    findings: Sequence[LintFinding] = ()
    skipped: str = ""
    hint: str = ""

    def __post_init__(self) -> None:
        ordered = sorted(self.findings, key=lambda each: SEVERITIES.index(each.severity))
        object.__setattr__(self, "findings", tuple(ordered))

    def count(self, severity: Severity) -> int:
        """How many findings there are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)


class LintData:
    """What lints look at.

    Args:
        cases: Every case of every part; the tag ``split`` says which.
        schemas: The tables of each database.
        runner: Runs gold queries; ``None``: nothing is run.
        seed: Decides folds and draws.
        clock: The present time that the questions are asked at, where the benchmark says it.
        templates: The template of each case, by its id, where they are known already.
        meanings: Which templates mean the same, where that is known already.
        tell: Told how far it is.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        schemas: Mapping[str, Schema] | None = None,
        *,
        runner: QueryRunner | None = None,
        seed: int = 0,
        clock: str = "",
        templates: Mapping[str, Template] | None = None,
        meanings: Meanings | None = None,
        tell: Tell | None = None,
    ) -> None:
        self.cases = cases
        self.schemas = schemas or {}
        self.runner = runner
        self.seed = seed
        self.clock = clock
        self._templates = templates
        self._meanings = meanings
        self._tell = tell

    @cached_property
    def templates(self) -> Mapping[str, Template]:
        """The template of each answerable case's first query, by the case's id."""
        if self._templates is not None:
            return self._templates
        by_sql: dict[tuple[str, str], Template] = {}
        by_case = {}
        for done, case in enumerate(self.cases):
            self.tell("masking values", done, len(self.cases))
            for sql in case.golds[:1]:
                key = (case.db_id, sql)
                if key not in by_sql:
                    by_sql[key] = template_of(sql, case.db_id, self.schemas.get(case.db_id))
                by_case[case.id] = by_sql[key]
        return by_case

    @cached_property
    def meanings(self) -> Meanings:
        """Which templates mean the same."""
        if self._meanings is not None:
            return self._meanings
        return find_meanings(self.templates.values(), self.schemas, tell=self._tell)

    def tell(self, what: str, done: int, total: int) -> None:
        """Report progress."""
        if self._tell is not None:
            self._tell(what, done, total)


class BenchmarkLint(Protocol):
    """A lint. A plain class attribute satisfies the property."""

    @property
    def title(self) -> str:
        """What it asks, in a few words."""
        ...

    def look(self, data: LintData) -> LintResult:
        """The findings about the cases.

        Raises:
            MissingExtra: it needs a package that is not installed.
        """
        ...


LINTS: Registry[BenchmarkLint] = Registry(
    "lint", "sqlverdict.abstain.benchmark.lints", "sqlverdict.lints"
)


def run_lints(data: LintData, names: Sequence[str] = ()) -> list[LintResult]:
    """Run lints, by name or all.

    A lint whose packages are not installed is skipped, and says so; asked for by name it raises.

    Raises:
        UnknownMember: there is no such lint.
        MissingExtra: a lint that was asked for by name needs a package.
    """
    results = []
    for name in names or LINTS.names():
        lint = LINTS.get(name)
        try:
            linted = lint.look(data)
        except MissingExtra as missing:
            if names:
                raise
            linted = LintResult(name, lint.title, skipped=str(missing))
        results.append(linted)
    return results
