"""The reliability report in its order: what a terminal prints and what the Markdown page holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlverdict.report.reliability import tables
from sqlverdict.report.reliability.comparison import ReliabilityComparison, comparison_table
from sqlverdict.report.reliability.figures import Reliability
from sqlverdict.report.reliability.kinds import hardness_table, type_table
from sqlverdict.report.terminal.tables import TextTable, markdown, md_cell

_CAPTIONS = {
    "outcomes.svg": "What became of the items",
    "rs_by_penalty.svg": "RS over the penalty",
    "rs_by_share.svg": "RS over the share of unanswerable questions",
    "risk_coverage.svg": "Risk over coverage",
    "threshold.svg": "The threshold heuristic",
    "calibration.svg": "Reliability diagram",
}


@dataclass(frozen=True)
class Section:
    """Some lines and perhaps a table; the first line may be a heading."""

    text: tuple[str, ...] = ()
    table: TextTable | None = None
    heading: bool = False


def sections(
    found: Reliability,
    compared: ReliabilityComparison | None = None,
    other: Reliability | None = None,
) -> Iterator[Section]:
    """The report, part by part; empty tables are left out.

    Args:
        found: The run's reliability.
        compared: The run against another.
        other: That other run's reliability, for the tables that hold several systems.
    """
    systems = [found] if other is None else [found, other]
    yield Section((tables.header_line(found),), tables.scores_table(found), heading=True)
    yield Section(("Break-even penalty", *map(tables.break_even_sentence, found.views)))
    yield Section((), tables.outcome_rows(found))
    if mishaps := tables.mishap_sentences(found):
        yield Section(tuple(mishaps))
    for shown in (
        tables.rates_table(found),
        tables.slices_table(found),
        hardness_table(systems),
        type_table(systems),
        tables.beside_table(found),
    ):
        if shown.rows:
            yield Section((), shown)
    if found.selective is not None:
        yield Section((), tables.selective_table(found.selective))
        yield Section(tuple(tables.threshold_sentences(found.selective)))
    if compared is not None:
        yield Section((), comparison_table(compared))


def page(
    found: Reliability,
    compared: ReliabilityComparison | None,
    charts: Sequence[str],
    other: Reliability | None = None,
) -> str:
    """The report as Markdown, with its charts beside it."""
    parts = [f"# Reliability of {md_cell(found.system)} on {md_cell(found.benchmark)}"]
    for section in sections(found, compared, other):
        if section.heading or len(section.text) == 1:
            parts += [md_cell(line) for line in section.text]
        elif section.text:
            parts.append("\n".join(f"- {md_cell(line)}" for line in section.text))
        if section.table is not None:
            if section.table.title:
                parts.append(f"## {md_cell(section.table.title)}")
            parts.append(markdown(section.table))
    parts += [f"![{_CAPTIONS.get(name, name)}]({name})" for name in charts]
    return "\n\n".join(parts) + "\n"
