"""The reliability report in its order: what a terminal prints and what the Markdown page holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlverdict.report.reliability import tables
from sqlverdict.report.reliability.comparison import ReliabilityComparison, comparison_table
from sqlverdict.report.reliability.figures import Reliability
from sqlverdict.report.reliability.kinds import hardness_table, type_table
from sqlverdict.report.terminal.tables import TextTable, markdown, md_cell

CAPTIONS = {
    "outcomes.svg": "What became of the items",
    "rs_by_penalty.svg": "RS over the penalty",
    "rs_by_share.svg": "RS over the share of unanswerable questions",
    "risk_coverage.svg": "Risk over coverage",
    "threshold.svg": "The threshold heuristic",
    "calibration.svg": "Reliability diagram",
}
"""What each chart shows, by its file."""


@dataclass(frozen=True)
class Section:
    """Some lines and perhaps a table; the first line may be a heading."""

    text: tuple[str, ...] = ()
    table: TextTable | None = None
    heading: bool = False


def sections(
    reliability: Reliability,
    compared: ReliabilityComparison | None = None,
    other: Reliability | None = None,
) -> Iterator[Section]:
    """The report, part by part; empty tables are left out.

    Args:
        reliability: The run's reliability.
        compared: The run against another.
        other: That other run's reliability, for the tables that hold several systems.
    """
    systems = [reliability] if other is None else [reliability, other]
    yield Section(
        (tables.header_line(reliability),), tables.scores_table(reliability), heading=True
    )
    sentences = map(tables.break_even_sentence, reliability.views_that_differ)
    yield Section(("Break-even penalty", *sentences))
    yield Section((), tables.outcome_rows(reliability))
    if mishaps := tables.mishap_sentences(reliability):
        yield Section(tuple(mishaps))
    for section_table in (
        tables.rates_table(reliability),
        tables.slices_table(reliability),
        hardness_table(systems),
        type_table(systems),
        tables.beside_table(reliability),
    ):
        if section_table.rows:
            yield Section((), section_table)
    if reliability.selective is not None:
        yield Section((), tables.selective_table(reliability.selective))
        yield Section(tuple(tables.threshold_sentences(reliability.selective)))
    if compared is not None:
        yield Section((), comparison_table(compared))


def page(
    reliability: Reliability,
    compared: ReliabilityComparison | None,
    charts: Sequence[str],
    other: Reliability | None = None,
) -> str:
    """The report as Markdown, with its charts beside it."""
    parts = [f"# Reliability of {md_cell(reliability.system)} on {md_cell(reliability.benchmark)}"]
    for section in sections(reliability, compared, other):
        if section.heading or len(section.text) == 1:
            parts += [md_cell(line) for line in section.text]
        elif section.text:
            parts.append("\n".join(f"- {md_cell(line)}" for line in section.text))
        if section.table is not None:
            if section.table.title:
                parts.append(f"## {md_cell(section.table.title)}")
            parts.append(markdown(section.table))
    parts += [f"![{CAPTIONS.get(name, name)}]({name})" for name in charts]
    return "\n\n".join(parts) + "\n"
