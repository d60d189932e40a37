"""Proposed golds of ``audit --propose``: found for each suspect, and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from sqlverdict.audit.gold import Audit, Suspect
from sqlverdict.audit.proposal import Proposal
from sqlverdict.audit.propose import Proposer, metric_of
from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.errors import SqlverdictError
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.atomic import replacing
from sqlverdict.files.text import count
from sqlverdict.label.databases import CaseDatabases, CaseFacts
from sqlverdict.label.review import review_page
from sqlverdict.report.one_run.markdown import fence
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import md_cell, short
from sqlverdict.runlog.run import Run

Proposals = Mapping[str, Sequence[Proposal]]
"""What is proposed for each suspect, by case; a case without a database is absent."""
DatabaseOf = Callable[[str], str | None]
"""The database of a ``db_id``; ``None``: it is not at hand."""


def find_proposals(
    runs: Sequence[Run],
    audit: Audit,
    runner: QueryRunner,
    database_of: DatabaseOf,
    tell: Callable[[int, int], None] | None = None,
) -> Proposals:
    """Proposals for each suspect whose database is at hand.

    Args:
        runs: The runs; the first says how answers are compared. There may be none.
        audit: Its suspects.
        runner: Runs queries.
        database_of: Where the databases are.
        tell: Told how many suspects of how many were examined.
    """
    proposals: dict[str, Sequence[Proposal]] = {}
    metric = metric_of(runs[0]) if runs else f"ex[{DEFAULT_PRESET}]"
    with closing(Proposer(runner, metric)) as proposer:
        for number, suspect in enumerate(audit.suspects):
            if tell is not None:
                tell(number, len(audit.suspects))
            database = database_of(suspect.case.db_id)
            if database is None:
                continue
            systems = [(each.system, each.prediction) for each in suspect.answers]
            try:
                proposals[suspect.case.id] = proposer.propose(
                    suspect.case, database, systems, suspect.knowledge or ""
                )
            except SqlverdictError:
                # The audit's own notes say what could not be run.
                continue
    return proposals


def proposal_notes(audit: Audit, proposals: Proposals) -> list[str]:
    """How many golds have no proposal, and why."""
    away = sum(each.case.id not in proposals for each in audit.suspects)
    none = sum(not each for each in proposals.values())
    notes = [
        f"no proposal for {count(none, 'suspect gold')}: nothing was found that differs"
    ] * bool(none)
    if away:
        notes.append(f"no proposal for {count(away, 'suspect gold')}: the database cannot be read")
    return notes


def show_proposals(screen: Screen, proposals: Sequence[Proposal]) -> None:
    """Print the proposals for one gold."""
    for number, proposal in enumerate(proposals, 1):
        own = proposal.candidate
        screen.line(f"  proposal {number}, {own.source}: {short(own.reason, 140)}")
        screen.line(f"    {short(own.sql, 160)}", "quiet")
        for line in proposal.lines():
            screen.line(f"    {short(line, 160)}")


def proposals_text(suspects: Sequence[Suspect], proposals: Proposals) -> Iterator[str]:
    """The proposals as Markdown, piece by piece."""
    yield "\n# Proposed golds\n"
    for suspect in suspects:
        for number, proposal in enumerate(proposals.get(suspect.case.id, ()), 1):
            own = proposal.candidate
            yield f"\n## {md_cell(suspect.case.id)}, proposal {number}: {md_cell(own.reason)}\n\n"
            yield f"{fence(own.sql, 'sql')}\n\n"
            yield "".join(f"- {md_cell(line)}\n" for line in proposal.lines())


def write_review(
    path: Path,
    benchmark: str,
    audit: Audit,
    proposals: Proposals,
    runner: QueryRunner,
    database_of: DatabaseOf,
) -> None:
    """Write the page on which proposals are accepted, edited or rejected."""
    facts = {
        each.case.id: CaseFacts(each.knowledge or "", database_of(each.case.db_id))
        for each in audit.suspects
    }
    page = review_page(benchmark, audit.suspects, proposals, CaseDatabases(runner, facts))
    with replacing(path, lasting=False) as file:
        file.write(page)
