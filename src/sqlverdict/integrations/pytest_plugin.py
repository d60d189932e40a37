"""pytest: the fixture ``sql_verdict``, failures that say why, and a baseline.

pytest finds this plug-in by itself. Tests that do not use the fixture are as they were: nothing
else of the package is loaded.

An unscored pair (a gold that fails, a database that is missing) skips the test; with the setting
``sqlverdict_unscored = fail`` it fails. With ``--sqlverdict-baseline FILE`` a wrong answer that was
wrong before is an expected failure, and one that was right before fails as a regression.
``--sqlverdict-write-baseline FILE`` writes the verdicts of this run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sqlverdict.api.pair_result import PairResult
    from sqlverdict.api.scorer import Scorer

_PREFIX = "sqlverdict:"
"""Reports carry verdicts as properties; xdist hands those to the process that writes."""
_BASELINE = pytest.StashKey[Mapping[str, str]]()
_RIGHT = ("correct", "abstained_right")
_WRONG = ("incorrect", "abstained_wrong")


class SqlVerdict:
    """What the fixture gives: checks of pairs, in one test."""

    def __init__(self, scorer: Scorer, request: pytest.FixtureRequest) -> None:
        self.scorer = scorer
        self._node = request.node
        self._baseline = request.config.stash.get(_BASELINE, {})
        self._fails_unscored = request.config.getini("sqlverdict_unscored") == "fail"
        self._calls = 0

    def __call__(self, gold: Any, prediction: Any, db: Any = None, **more: Any) -> PairResult:
        """Check one pair; the arguments are those of :meth:`~sqlverdict.Scorer.check`."""
        return self.scorer.check(gold, prediction, db, **more)

    def assert_correct(
        self,
        gold: Any,
        prediction: Any,
        db: Any = None,
        *,
        id: str = "",
        **more: Any,
    ) -> PairResult:
        """Fail unless the prediction is right; the failure has the evidence.

        Args:
            gold: The gold query, or several.
            prediction: SQL, or a reply from which the SQL is taken.
            db: The database.
            id: The name of the pair in a baseline; by default the test and the number of the call.
            more: Further arguments of :meth:`~sqlverdict.Scorer.check`.
        """
        __tracebackhide__ = True
        from sqlverdict.integrations.common import PairGrade

        grade = PairGrade(self(gold, prediction, db, **more))
        self._calls += 1
        key = id or f"{self._node.nodeid}#{self._calls}"
        self._node.user_properties.append((_PREFIX + key, grade.label))
        if grade.score == 1:
            return grade.result
        text = f"{grade.explain()}\ngold:       {gold}\nprediction: {prediction}"
        if grade.score is None and not self._fails_unscored:
            pytest.skip(f"unscored: {grade.reason}")
        before = self._baseline.get(key, "")
        if before in _WRONG and grade.score == 0:
            pytest.xfail(f"wrong in the baseline too: {grade.reason}")
        was = "right in the baseline, now: " if before in _RIGHT else ""
        pytest.fail(was + text, pytrace=False)


@pytest.fixture(scope="session")
def sql_scorer() -> Iterator[Scorer]:
    """The scorer of ``sql_verdict``; define a fixture of this name to give it other options."""
    from sqlverdict.api.scorer import Scorer

    with Scorer() as scorer:
        yield scorer


@pytest.fixture
def sql_verdict(sql_scorer: Scorer, request: pytest.FixtureRequest) -> SqlVerdict:
    """Checks predicted SQL against a gold: ``assert_correct``, or a call for the whole result."""
    return SqlVerdict(sql_scorer, request)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and the setting."""
    group = parser.getgroup("sqlverdict")
    group.addoption("--sqlverdict-baseline", metavar="FILE", help="verdicts of an earlier run")
    group.addoption("--sqlverdict-write-baseline", metavar="FILE", help="write the verdicts")
    parser.addini("sqlverdict_unscored", "an unscored pair: skip (default) or fail", default="skip")


def pytest_configure(config: pytest.Config) -> None:
    """Read the baseline, and collect the verdicts of this run."""
    file = config.getoption("--sqlverdict-baseline")
    if file is not None:
        config.stash[_BASELINE] = _read_baseline(file)
    if not hasattr(config, "workerinput"):
        # Workers of xdist hand their reports over; one process writes.
        log = _VerdictLog(config.getoption("--sqlverdict-write-baseline"))
        config.pluginmanager.register(log, "sqlverdict-log")


def _read_baseline(file: str) -> Mapping[str, str]:
    try:
        baseline = json.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise pytest.UsageError(f"--sqlverdict-baseline {file} cannot be read: {error}") from error
    if not isinstance(baseline, dict):
        raise pytest.UsageError(f"--sqlverdict-baseline {file} holds no verdicts by name")
    return baseline


class _VerdictLog:
    """Collects the verdicts that reports carry; writes and counts them at the end."""

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._verdicts: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name.startswith(_PREFIX):
                self._verdicts[name.removeprefix(_PREFIX)] = str(value)

    def pytest_sessionfinish(self) -> None:
        if self._file is not None:
            text = json.dumps(self._verdicts, indent=1, sort_keys=True, ensure_ascii=False)
            from sqlverdict.files.atomic import write_text_at_once

            write_text_at_once(Path(self._file), f"{text}\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._verdicts:
            counts = Counter(self._verdicts.values())
            words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
            terminalreporter.write_line(f"sqlverdict: {words}")
