"""What the document says of one run as a whole: the sentences and tables of its other reports."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.report.html.bar import luck_sentence
from sqlverdict.report.html.columns import RunTable
from sqlverdict.report.html.document import (
    PageMetric,
    PageReliability,
    PageSlice,
    PageSystem,
    PageTable,
)
from sqlverdict.report.one_run.judge_section import contradiction_lines, judge_sentences
from sqlverdict.report.one_run.markdown import manifest_table
from sqlverdict.report.one_run.score_parts import deciding_first, score_sentence
from sqlverdict.report.one_run.sections import (
    decided_by,
    expected_sentences,
    header,
    interactions_table,
    outcome,
    reason_table,
    refusal_sentences,
    search_sentences,
    verdict_table,
    warning_sentences,
)
from sqlverdict.report.terminal.tables import TextTable
from sqlverdict.runlog.run import Run
from sqlverdict.score.estimates import Estimate
from sqlverdict.score.summary import Summary


def page_table(table: TextTable) -> PageTable:
    """A table of the terminal as one of the page."""
    return PageTable(table.headers, table.rows, table.title, tuple(sorted(table.left)))


def page_system(
    run: Run,
    name: str,
    table: RunTable,
    *,
    command: str = "",
    reliability: PageReliability | None = None,
) -> PageSystem:
    """What the page says of one run.

    Args:
        run: The run.
        name: The system's name on the page.
        table: The run's cases.
        command: How the run can be repeated.
        reliability: Abstentions and confidences.
    """
    summary = run.summary
    remarks = [
        *(f"{line[0].upper()}{line[1:]}." for line in search_sentences(run)),
        *(f"{line[0].upper()}{line[1:]}." for line in expected_sentences(summary)),
        *(f"{line[0].upper()}{line[1:]}." for line in judge_sentences(summary)),
        *warning_sentences(summary),
        *refusal_sentences(run),
        *run.manifest.notes,
    ]
    tables = [verdict_table(run), reason_table(summary, most=None)]
    return PageSystem(
        name=name,
        title=f"{header(run)}. {outcome([summary]).message}.",
        sentence=f"{score_sentence(summary)}.",
        luck=luck_sentence(table.parts["lucky"], table.lucky_right),
        searched="refute" in run.manifest.stages and "search" not in run.manifest.stages,
        deciding=decided_by(run),
        metric=run.deciding or "",
        policy=run.manifest.policy,
        metrics=_metrics(summary, summary.estimates, run.manifest.binary),
        interactions=page_table(interactions_table(summary)) if summary.interactions else None,
        slices=tuple(
            PageSlice(
                each.by,
                each.key,
                each.cases,
                _metrics(summary, each.estimates, run.manifest.binary),
            )
            for each in summary.slices
        ),
        tables=tuple(page_table(each) for each in tables if each.rows),
        remarks=tuple(remarks),
        alarms=tuple(contradiction_lines(run)),
        manifest=page_table(manifest_table(run)),
        command=command,
        reliability=reliability,
    )


def _metrics(
    summary: Summary, estimates: Sequence[Estimate], binary: Sequence[str]
) -> tuple[PageMetric, ...]:
    """The metric that decides first, as in every other report."""
    return tuple(
        PageMetric(
            each.metric,
            each.metric in binary,
            each.value,
            each.low,
            each.high,
            each.scored,
            each.unscored,
            *(
                (each.right, each.wrong, each.abstained, each.review)
                if each.metric in binary
                else ()
            ),
        )
        for each in deciding_first(summary, estimates)
    )
