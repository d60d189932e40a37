"""From runs to the document that a page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlverdict.compare.tag_labels import ERROR_LABELS, FATAL
from sqlverdict.compare.tags import TAGS
from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.parse.features import FEATURES
from sqlverdict.reasons import REASONS
from sqlverdict.report.html.bar import PARTS
from sqlverdict.report.html.columns import CaseTable, RunTable, blocks
from sqlverdict.report.html.document import (
    PageDocument,
    PageGolds,
    PageIndex,
    PageReliability,
    PageSuspect,
    PageTable,
)
from sqlverdict.report.html.systems import page_system, page_table
from sqlverdict.report.one_run.case import VERDICTS
from sqlverdict.report.one_run.sections import SLICE_TITLES
from sqlverdict.runlog.run import Run, system_names
from sqlverdict.situations import Situation
from sqlverdict.verdicts import POLICIES

if TYPE_CHECKING:
    from sqlverdict.report.reliability.figures import ReliabilityRequest

BLOCK = 50
"""Cases in a block of details: opening one reads a few kilobytes."""


def make_document(
    runs: Sequence[Run],
    *,
    command: str = "",
    suspects: Sequence[PageSuspect] | None = None,
    suspect_notes: Sequence[str] = (),
    remarks: Sequence[str] = (),
    request: ReliabilityRequest | None = None,
    golds: PageGolds | None = None,
) -> PageDocument:
    """The document of one or several runs of the same cases.

    Args:
        runs: The runs; the page shows the first one first.
        command: How the run, or the page, can be made again.
        suspects: Golds under suspicion, the most suspect first; ``None``: no audit was made.
        suspect_notes: What the audit could not look at.
        remarks: What else should be said about the comparison.
        request: How reliability is measured, in full. By default the page has what it needs to
            compute RS(c) itself, for runs that abstain, say how sure they are, or have questions
            without an answer.
        golds: The systems under other golds; the runs are those under the first set.

    Raises:
        UsageError: there is no run, or one is given twice.
    """
    names = system_names(runs)
    if not runs:
        raise UsageError("no run is given; name the folders that evaluate wrote")
    table_of_cases = CaseTable()
    tables = [RunTable(run, table_of_cases) for run in runs]
    cases = table_of_cases.columns()
    number = len(cases.id)
    # One system that abstains is compared with those that answer everything.
    measured = request is not None or any(table.holds_back for table in tables)
    systems = tuple(
        page_system(
            run,
            name,
            table,
            command=command,
            reliability=_reliability(run, cases.id, request) if measured else None,
        )
        for run, name, table in zip(runs, names, tables, strict=True)
    )
    comparison, weaker = _compare(runs)
    index = PageIndex(
        version=runs[0].manifest.sqlverdict,
        title=f"{', '.join(names)} on {runs[0].manifest.benchmark}",
        systems=systems,
        cases=cases,
        results=tuple(table.columns(number) for table in tables),
        words=_words(),
        policies=_policies(),
        comparison=comparison,
        remarks=(*remarks, *weaker),
        suspects=None if suspects is None else tuple(suspects),
        suspect_notes=tuple(suspect_notes),
        block=BLOCK,
        golds=golds,
    )
    return PageDocument(index, blocks(tables, number, BLOCK))


def _reliability(
    run: Run, case_ids: tuple[str, ...], request: ReliabilityRequest | None
) -> PageReliability:
    # Imported here: most runs neither abstain nor say how sure they are.
    from sqlverdict.report.html.reliability import page_reliability

    return page_reliability(run, case_ids, request)


def _compare(runs: Sequence[Run]) -> tuple[tuple[PageTable, ...], list[str]]:
    """A board for each metric that all runs have; what makes the comparison weaker."""
    if len(runs) < 2:
        return (), []
    # Imported here: most pages show one run.
    from sqlverdict.report.several_runs.leaderboard import (
        group_sentences,
        leaderboard_table,
        rank_runs,
    )

    tables: list[PageTable] = []
    remarks: dict[str, None] = {}
    for metric in runs[0].manifest.metrics:
        if not all(metric in run.manifest.metrics for run in runs):
            continue
        try:
            board = rank_runs(runs, metric)
        except UsageError as error:
            remarks[str(error)] = None
            continue
        title = f"By {metric}, on {count(board.common, 'common case')}"
        table = page_table(leaderboard_table(board))
        tables.append(PageTable(table.headers, table.rows, title, table.left))
        lines = (*group_sentences(board), *board.notes)
        remarks.update(dict.fromkeys(f"By {metric}: {line}" for line in lines))
    return tuple(tables), list(remarks)


def _words() -> Mapping[str, Mapping[str, str]]:
    """What the words on the page mean, by kind."""
    return {
        "part": {part: label for part, (label, _) in PARTS.items()},
        "part_meaning": {part: meaning for part, (_, meaning) in PARTS.items()},
        "verdict": {str(verdict): meaning for verdict, meaning in VERDICTS.items()},
        "reason": {str(reason): meaning for reason, meaning in REASONS.items()},
        "situation": {str(situation): situation.row.because for situation in Situation},
        "feature": FEATURES,
        "error": FATAL,
        "tag_error": ERROR_LABELS,
        "tag": {name: kind.meaning for name, kind in TAGS.items()},
        "slice": SLICE_TITLES,
        "policy": {policy.name: policy.about for policy in POLICIES.values()},
    }


def _policies() -> Mapping[str, Mapping[str, str]]:
    return {
        policy.name: {
            str(situation): f"{decision}, unless a judge says otherwise"
            if situation in policy.asks
            else decision
            for situation, decision in policy.table.items()
        }
        for policy in POLICIES.values()
    }
