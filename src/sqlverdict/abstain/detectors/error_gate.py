"""The query is run: where the engine refuses it, no answer is given.

Position:
    after f
Learns from:
    nothing; needs the databases
Confidence:
    1 where the query answers, 0 where it fails; with ``empty=true`` 0 also where it returns no
    row or nothing but NULL. A query that reaches a limit of time or size fails too; a database
    that is missing is nobody's failure, and is an error
Source:
    TrustSQL's baselines drop queries that cannot be executed; EHRSQL-2024's participants do too
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.method import ABSTAINERS, Ask, Detection, Draft, Need, Position, Tools
from sqlverdict.errors import DatabaseError, OptionName, UsageError
from sqlverdict.records import Answer, Failure


@ABSTAINERS.member
@dataclass(kw_only=True)
class ErrorGate(Gate):
    """The gate of execution errors; option: empty."""

    name: ClassVar[str] = "error_gate"
    version: ClassVar[int] = 1
    position: ClassVar[Position] = "after"
    needs: ClassVar[frozenset[Need]] = frozenset({"runner"})

    empty: bool = False

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """Run each query."""
        if tools.runner is None:
            raise UsageError(
                "error_gate runs queries; say where the databases lie (",
                OptionName("databases"),
                ")",
            )
        findings = []
        for ask, draft in drafts:
            sql = (draft.sql or "") if draft is not None else ""
            outcome = tools.runner.run(ask.database or ask.db_id, sql)
            if isinstance(outcome, Failure):
                if outcome.fault is not None:
                    raise DatabaseError(
                        f"{self.name}, {ask.id!r}: {outcome.message}", reason="failed"
                    )
                findings.append(Detection(0.0, note=f"{outcome.reason}: {outcome.message}"))
            elif self.empty and _says_nothing(outcome):
                findings.append(Detection(0.0, note="an empty answer"))
            else:
                findings.append(Detection(1.0))
        return findings


def _says_nothing(answer: Answer) -> bool:
    return all(cell is None for row in answer.rows for cell in row)
