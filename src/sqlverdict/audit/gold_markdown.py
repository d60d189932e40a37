"""Suspect golds as Markdown, ready to paste into an issue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlverdict.audit.gold import Audit, Suspect
from sqlverdict.audit.suspicion import SUSPICIONS
from sqlverdict.files.text import count
from sqlverdict.report.one_run.markdown import fence
from sqlverdict.report.terminal.tables import markdown, md_cell, table

_ROWS = 10


def audit_text(audit: Audit) -> Iterator[str]:
    """The whole audit, piece by piece: a table of findings, then one section a gold."""
    for number, block in enumerate(_blocks(audit)):
        yield f"\n\n{block}" if number else block
    yield "\n"


def _blocks(audit: Audit) -> Iterator[str]:
    systems = ", ".join(md_cell(name) for name in audit.systems)
    source = f"from the answers of {systems}" if systems else "from what they show themselves"
    yield "# Golds under suspicion"
    yield (
        f"{count(len(audit.suspects), 'gold')} of {audit.golds:,}, {source}. "
        f"Probabilities come from a model fitted to people's labels; each gold may be right."
    )
    rows = [(SUSPICIONS.get(name).title, f"{number:,}") for name, number in audit.counts.items()]
    if rows:
        yield markdown(table(("suspicion", "golds"), rows))
    if audit.notes:
        yield "\n".join(f"- {md_cell(note)}" for note in audit.notes)
    for suspect in audit.suspects:
        yield suspect_markdown(suspect)


def suspect_markdown(suspect: Suspect) -> str:
    """One gold with all that speaks against it: an issue's text."""
    return "\n\n".join(_suspect(suspect))


def _suspect(suspect: Suspect) -> Iterator[str]:
    level = f", {md_cell(suspect.case.difficulty)}" if suspect.case.difficulty else ""
    title = f"{md_cell(suspect.case.id)} ({md_cell(suspect.case.db_id)}{level})"
    yield f"## {title}: wrong with probability {suspect.rank:.2f}"
    if suspect.case.question:
        yield "  \n".join(f"> {md_cell(line)}" for line in suspect.case.question_lines)
    if suspect.knowledge:
        yield f"Knowledge: {md_cell(suspect.knowledge)}"
    raising = [f"- odds x{one.odds:.1f}: {md_cell(one.words)}" for one in suspect.raised_by]
    if raising:
        yield "\n".join(raising)
    if suspect.suspicions:
        yield "\n".join(f"- **{one.name}**: {md_cell(one.message)}" for one in suspect.suspicions)
    yield fence("\n".join(f"-- gold\n{gold}" for gold in suspect.case.gold), "sql")
    for suspicion in suspect.suspicions:
        yield from _witness(suspicion.detail.get("witness"))
    if suspect.answers:
        yield "<details><summary>What the systems said</summary>"
        for answer in suspect.answers:
            matches = {True: "matches the gold", False: "another result", None: "not compared"}
            yield f"{md_cell(answer.system)} ({matches[answer.matches]}):"
            yield fence(answer.prediction, "sql")
            if answer.evidence:
                yield "\n".join(f"- {md_cell(line)}" for line in answer.evidence)
        yield "</details>"


def _witness(witness: Mapping[str, Any] | None) -> Iterator[str]:
    if not witness:
        return
    yield "A database on which the gold and these systems differ:"
    for name, excerpt_rows in (witness.get("rows") or {}).items():
        columns, rows = excerpt_rows.get("columns") or (), excerpt_rows.get("rows") or ()
        excerpt = table(
            [f"{name}.{column}" for column in columns],
            [[_cell(cell) for cell in row] for row in rows[:_ROWS]],
            left=range(len(columns)),
        )
        yield markdown(excerpt) if rows else f"{md_cell(str(name))} is empty"
    sides = [
        f"{side} returns {_answer(witness[side])}"
        for side in ("gold", "prediction")
        if isinstance(witness.get(side), Mapping)
    ]
    if sides:
        yield md_cell("; ".join(f"the {side}" for side in sides)) + "."


def _answer(side: Mapping[str, Any]) -> str:
    if "failed" in side:
        return f"an error ({side.get('message', side['failed'])})"
    rows = side.get("rows") or []
    text = ", ".join("(" + ", ".join(map(_cell, row)) + ")" for row in rows[:_ROWS])
    return text or "nothing"


def _cell(cell: object) -> str:
    return "NULL" if cell is None else repr(cell) if isinstance(cell, str) else str(cell)
