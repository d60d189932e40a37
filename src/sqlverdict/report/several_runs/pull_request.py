"""The result of a gate as a comment on a pull request, in GitHub's Markdown.

Questions, ids and queries are not ours. They stand in code spans on one line: nothing inside one is
markup, a link, a mention of a person or a reference to an issue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlverdict.files.text import count
from sqlverdict.report.several_runs.flips import FlippedCase, Flips
from sqlverdict.report.several_runs.gate import GateReport
from sqlverdict.report.terminal.tables import percent, points, short
from sqlverdict.runlog.run import Run

MARKER = "<!-- sqlverdict check -->"
"""The first line, by which a workflow finds its earlier comment."""

_LONGEST = 60_000
"""GitHub takes comments of up to 65,536 characters."""

_SQL = 300
_QUESTION = 160
_NAME = 100


def pull_request_comment(report: GateReport, run: Run, *, show: int = 20) -> str:
    """The comment.

    Args:
        report: What the gate says.
        run: The run that was checked.
        show: How many questions of each kind to list.
    """
    failed = sum(not condition.passed for condition in report.conditions)
    every = count(len(report.conditions), "condition")
    result = f"{failed} of {every} failed" if failed else f"{every} met"
    name = f"{run.manifest.system} on {run.manifest.benchmark}"
    lines = [MARKER, f"### sqlverdict: {result}", "", code_span(short(name, _NAME)), ""]
    for condition in report.conditions:
        sign = "✅" if condition.passed else "❌"
        lines.append(
            f"- {sign} {code_span(short(condition.name, _NAME))}: {condition.actual} "
            f"(required {condition.required})"
        )
    lines += ["", *(f"{code_span(short(each, _SQL))}\n" for each in report.decided_by)]
    text = "\n".join(lines) + "\n"
    for flips in report.flips:
        text += _flips(flips, show, _LONGEST - len(text))
    if report.notes:
        text += "\n" + "".join(f"- note: {code_span(short(each, _SQL))}\n" for each in report.notes)
    return text if len(text) <= _LONGEST else text[: text.rindex("\n", 0, _LONGEST) + 1]


def code_span(text: str) -> str:
    """Any text as code on one line."""
    flat = " ".join(text.split())
    longest = max((len(ticks) for ticks in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    # Where both ends have a space, Markdown takes one off each.
    if flat.startswith("`") or flat.endswith("`"):
        return f"{fence} {flat} {fence}"
    return f"{fence}{flat or ' '}{fence}"


def _flips(flips: Flips, show: int, budget: int) -> str:
    """One metric against the baseline, within so many characters."""
    band = ""
    if flips.noise_drop is not None:
        runs = count(flips.baselines, "run")
        band = f"; noise of the baseline's {runs}: ±{flips.noise_drop * 100:.1f} points"
    drop = None if flips.drop is None else -flips.drop
    text = (
        f"\n{code_span(short(flips.label, _NAME))}: {percent(flips.before)} → "
        f"{percent(flips.after)} ({points(drop)} points over "
        f"{count(flips.pairs, 'question')}{band})\n"
    )
    groups = (
        ("Were right, are not right now", flips.lost),
        ("Were wrong, are right now", flips.gained),
        ("Not right now, and the runs of the baseline disagree", flips.unsteady),
    )
    for title, cases in groups:
        text += _group(title, cases, show, budget - len(text))
    return text


def _group(title: str, cases: Sequence[FlippedCase], show: int, budget: int) -> str:
    if not cases:
        return ""
    text = f"\n#### {title}: {len(cases):,}\n\n"
    entries = 0
    for entry in map(_entry, cases[:show]):
        if len(text) + len(entry) > budget:
            break
        text += entry
        entries += 1
    more = len(cases) - entries
    return f"{text}- and {more:,} more\n" if more else text


def _entry(case: FlippedCase) -> str:
    return "\n".join([*_lines(case), ""])


def _lines(case: FlippedCase) -> Iterator[str]:
    why = f" {code_span(short(case.why, _QUESTION))}:" if case.why else ""
    names = f"{code_span(short(case.id, _NAME))} ({code_span(short(case.db_id, _NAME))})"
    yield f"- {names}{why} {code_span(short(case.question, _QUESTION))}"
    gold = case.gold[0] if case.gold else "(none)"
    for title, sql in (("gold", gold), ("before", case.before), ("now", case.after)):
        if sql:
            yield f"  - {title}: {code_span(short(sql, _SQL))}"
