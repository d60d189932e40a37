"""``junit.xml``: a run as CI systems read it.

One test suite per database, one test per case, by the run's deciding metric. What the headline
counts as right passes, a right abstention included. A wrong answer is a failure; a case that could
not be evaluated is an error; a wrong abstention and a case that needs review are skipped, with a
message that says which. The log is read twice and never held: between the readings only the offset
of each line is kept.

Of a run with more than :data:`MOST_CASES` cases only failures and errors are written, and at most
as many; the counts of the suites are those of all cases.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec

from sqlverdict.errors import RunLogError
from sqlverdict.evidence import Contradicted, Refuted
from sqlverdict.files.atomic import replacing_path
from sqlverdict.files.escapes import escaped
from sqlverdict.files.text import count
from sqlverdict.records import Result, Verdict
from sqlverdict.report.one_run.answers import answer_lines
from sqlverdict.report.one_run.case import evidence_lines, prediction_text, separated_text
from sqlverdict.report.one_run.first_sentence import first_sentence
from sqlverdict.report.one_run.witness import witness_lines
from sqlverdict.runlog.log import RESULTS
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import VERDICT, reasons_by, verdict_by

if TYPE_CHECKING:
    from sqlverdict.report.several_runs.gate import GateCondition

JUNIT = "junit.xml"

MOST_CASES = 20_000
"""A run with more cases has files of tens of megabytes: they are cut, or left out."""

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# The standard library has both tables as functions, in a module that loads a network client.
_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTE = _IN_TEXT | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})
_LONGEST = 20_000
_TAGS = {
    Verdict.INCORRECT: "failure",
    Verdict.UNSCORED: "error",
    Verdict.ABSTAINED_WRONG: "skipped",
    Verdict.NEEDS_REVIEW: "skipped",
}
_BAD = ("failure", "error")
"""What is written of a long run."""


_decode = msgspec.json.Decoder(Result).decode


@dataclass
class _Suite:
    """The offsets of one database's lines, and what they amount to."""

    offsets: array[int] = field(default_factory=lambda: array("Q"))
    tests: int = 0
    failure: int = 0
    error: int = 0
    skipped: int = 0
    seconds: float = 0.0


def write_junit(run: Run) -> Path:
    """Write the cases of a run as ``junit.xml`` in its folder."""
    target = run.folder / JUNIT
    log = run.folder / RESULTS
    deciding = run.deciding
    suites = _index(log, deciding, brief=run.summary.cases > MOST_CASES)
    note = junit_note(run)
    name = f"{run.manifest.system} on {run.manifest.benchmark}"
    with (
        log.open("rb") as lines,
        replacing_path(target) as part,
        part.open("w", encoding="utf-8") as out,
    ):
        _open_suites(out, name, suites.values())
        for db_id, suite in suites.items():
            _open_suite(out, db_id, suite)
            if note:
                out.write(
                    f'<properties><property name="note" value={_attribute(note)}/></properties>\n'
                )
                note = ""
            for offset in suite.offsets:
                lines.seek(offset)
                _write_case(out, lines.readline(), run, deciding)
            out.write("</testsuite>\n")
        out.write("</testsuites>\n")
    return target


def junit_note(run: Run) -> str:
    """What of a long run stands in ``junit.xml``; empty where all of it does."""
    if run.summary.cases <= MOST_CASES:
        return ""
    verdicts = run.summary.verdicts
    bad = sum(verdicts.get(verdict, 0) for verdict, tag in _TAGS.items() if tag in _BAD)
    which = f"the first {MOST_CASES:,} of the" if bad > MOST_CASES else "the"
    return (
        f"{JUNIT} has {which} {count(bad, 'case')} that failed or could not be evaluated, and no "
        f"other of the {run.summary.cases:,}; its counts are of all"
    )


def write_checks(path: Path, name: str, conditions: Sequence[GateCondition]) -> None:
    """Write the conditions of a gate as tests."""
    suite = _Suite(tests=len(conditions), failure=sum(not each.passed for each in conditions))
    with replacing_path(path) as part, part.open("w", encoding="utf-8") as out:
        _open_suites(out, name, [suite])
        _open_suite(out, "gate", suite)
        for each in conditions:
            out.write(f'<testcase classname="gate" name={_attribute(each.name)}')
            if each.passed:
                out.write("/>\n")
            else:
                message = _attribute(f"found {each.actual}, expected {each.required}")
                detail = _text("\n".join(each.detail))
                out.write(f"><failure message={message}>{detail}</failure>")
                out.write("</testcase>\n")
        out.write("</testsuite>\n</testsuites>\n")


def _index(log: Path, deciding: str | None, *, brief: bool) -> dict[str, _Suite]:
    """The lines by database.

    Args:
        log: The run log.
        deciding: The run's deciding metric.
        brief: Whether only failures and errors are to be written, and not all of many.
    """
    suites: dict[str, _Suite] = {}
    offset, cases_out = 0, 0
    with log.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                case = _decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise RunLogError(f"{log}, line {number}: {error}", reason="damaged") from error
            suite = suites.setdefault(case.db_id, _Suite())
            suite.tests += 1
            suite.seconds += sum(case.timings.values())
            tag = _TAGS.get(verdict_by(case, deciding))
            if tag is not None:
                setattr(suite, tag, getattr(suite, tag) + 1)
            if not brief or (tag in _BAD and cases_out < MOST_CASES):
                suite.offsets.append(offset)
                cases_out += 1
            offset += len(line)
    return suites


def _open_suites(out: TextIO, name: str, suites: Iterable[_Suite]) -> None:
    every = list(suites)
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(
        f'<testsuites name={_attribute(name)} tests="{sum(s.tests for s in every)}" '
        f'failures="{sum(s.failure for s in every)}" errors="{sum(s.error for s in every)}" '
        f'skipped="{sum(s.skipped for s in every)}" '
        f'time="{sum(s.seconds for s in every):.6f}">\n'
    )


def _open_suite(out: TextIO, name: str, suite: _Suite) -> None:
    out.write(
        f'<testsuite name={_attribute(name)} tests="{suite.tests}" '
        f'failures="{suite.failure}" errors="{suite.error}" skipped="{suite.skipped}" '
        f'time="{suite.seconds:.6f}">\n'
    )


def _write_case(out: TextIO, line: bytes, run: Run, deciding: str | None) -> None:
    result = _decode(line)
    seconds = sum(result.timings.values())
    group = f"{run.manifest.benchmark}.{result.db_id}"
    verdict = verdict_by(result, deciding)
    out.write(
        f'<testcase classname={_attribute(group)} name={_attribute(result.id)} time="{seconds:.6f}"'
    )
    tag = _TAGS.get(verdict)
    if tag is None:
        out.write("/>\n")
        return
    fault = result.fault if verdict is Verdict.UNSCORED else None
    why = ", ".join(reasons_by(result, deciding)) or fault or ""
    if deciding in (None, VERDICT) and verdict is not Verdict.UNSCORED:
        why = separated_text(result) or why
    if any(isinstance(piece, Contradicted) for piece in result.evidence):
        why = f"CONTRADICTION, {why}"
    by = f" by {deciding}" if verdict is not result.verdict else ""
    message = _attribute(f"{verdict}{by}: {why}" if why else f"{verdict}{by}")
    if tag == "skipped":
        out.write(f"><skipped message={message}/></testcase>\n")
        return
    out.write(
        f"><{tag} message={message}>{_text(_explain(result, run.folder))}</{tag}></testcase>\n"
    )


def _explain(result: Result, folder: Path) -> str:
    golds = [f"gold: {gold}" for gold in result.gold]
    first = first_sentence(result)
    lines = [
        first,
        f"question: {result.full_question}",
        *golds,
        f"prediction: {prediction_text(result)}",
    ]
    lines += evidence_lines(result, folder)
    for piece in result.evidence:
        lines += witness_lines(piece) if isinstance(piece, Refuted) else ()
    text = "\n".join([*lines, *answer_lines(result.answers)])
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _allowed(text: str) -> str:
    """XML has no way to write most control characters: show their code, and that of the others."""
    if text.isprintable():
        return text
    known = _FORBIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return "\r".join(map(escaped, known.split("\r")))


def _attribute(text: str) -> str:
    return f'"{_allowed(text).translate(_IN_ATTRIBUTE)}"'


def _text(text: str) -> str:
    return _allowed(text).translate(_IN_TEXT)
