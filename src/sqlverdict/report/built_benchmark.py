"""What a built benchmark holds and what its lints found, as tables and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlverdict.files.text import count
from sqlverdict.report.terminal.tables import TextTable, markdown, md_cell, percent, table

if TYPE_CHECKING:
    from sqlverdict.abstain.benchmark.lint import LintResult

_SHARES = ("accuracy", "balanced_accuracy", "low", "high", "majority", "caught ")
_LEVELS = ("easy", "medium", "hard")
_MOST = 20
"""Findings of a lint on the page."""


def parts_table(manifest: Mapping[str, Any]) -> TextTable:
    """The parts of a benchmark side by side, as in TrustSQL's tables 1 and 5."""
    rows = []
    for part, counts in manifest["parts"].items():
        seen, levels = counts["seen"], counts["hardness"]
        rows.append(
            (
                part,
                f"{counts['answerable']:,}",
                *(f"{levels.get(level, 0):,}" for level in _LEVELS),
                f"{seen['seen']:,}" if "seen" in seen else "",
                f"{seen['unseen']:,}" if "unseen" in seen else "",
                f"{counts['templates']:,}" if counts["templates"] else "",
                f"{counts['databases']:,}",
                f"{counts['unanswerable']:,}",
            )
        )
    heads = ("part", "answerable", *_LEVELS, "seen", "unseen", "templates", "databases")
    return table((*heads, "unanswerable"), rows)


def types_table(manifest: Mapping[str, Any]) -> TextTable:
    """The unanswerable questions of test by type."""
    test = manifest["parts"].get("test", {"unanswerable_types": {}})
    rows = [(kind or "no type", f"{n:,}") for kind, n in test["unanswerable_types"].items()]
    return table(("unanswerable type", "questions"), rows)


def databases_table(manifest: Mapping[str, Any]) -> TextTable:
    """The questions of test by database and type."""
    counts: Mapping[str, Mapping[str, int]] = manifest["by_database"]
    kinds = sorted({kind for own in counts.values() for kind in own}, key=_answerable_first)
    rows = [(db_id, *(f"{own.get(kind, 0):,}" for kind in kinds)) for db_id, own in counts.items()]
    return table(("database of test", *(kind or "no type" for kind in kinds)), rows)


def _answerable_first(kind: str) -> tuple[bool, str]:
    return kind != "answerable", kind


def lints_table(lints: Sequence[LintResult]) -> TextTable:
    """What each lint found, a line each."""
    rows = []
    for linted in lints:
        problems = ", ".join(
            count(number, severity)
            for severity in ("error", "warning")
            if (number := linted.count(severity))
        )
        skipped = linted.skipped and f"not looked: {linted.skipped}"
        rows.append((linted.lint, skipped or problems or "nothing", figures(linted)))
    return table(("lint", "found", "figures"), rows, left=(0, 1, 2))


def figures(linted: LintResult) -> str:
    """The figures of a lint on one line."""
    parts = []
    for name, value in linted.figures.items():
        share = name.removeprefix("type_").startswith(_SHARES)
        text = percent(value) if share else f"{value:,}"
        parts.append(f"{name.replace('_', ' ')} {text}")
    return ", ".join(parts)


def findings_lines(linted: LintResult, most: int) -> list[str]:
    """The first findings of a lint, one a line."""
    findings = [finding for finding in linted.findings if finding.severity != "info"][:most]
    lines = []
    for finding in findings:
        cases = ", ".join(finding.cases[:3]) + (" ..." if len(finding.cases) > 3 else "")
        lines.append(f"{finding.severity}: {cases + ': ' if cases else ''}{finding.message}")
    left = linted.count("error") + linted.count("warning") - len(findings)
    return lines + ([f"... and {left:,} more"] if left > 0 else [])


def building_page(
    manifest: Mapping[str, Any] | None, lints: Sequence[LintResult], title: str
) -> str:
    """The page ``report.md``."""
    parts = [f"# {md_cell(title)}"]
    if manifest is not None:
        tables = (parts_table(manifest), types_table(manifest), databases_table(manifest))
        parts += ["## Parts", *map(markdown, tables)]
        parts += [f"- {md_cell(note)}" for note in manifest["notes"]]
    parts += ["## Lints", markdown(lints_table(lints))]
    for linted in lints:
        if not linted.findings:
            continue
        parts.append(f"### {linted.lint}: {linted.title}")
        remarks = [f"- {md_cell(f.message)}" for f in linted.findings if f.severity == "info"]
        lines = [f"- {md_cell(line)}" for line in findings_lines(linted, _MOST)]
        parts.append("\n".join([*lines, *remarks[:_MOST]]))
        if linted.hint and lines:
            parts.append(f"What to do: {linted.hint}.")
    return "\n\n".join(parts) + "\n"
