"""What a composition says to one question, and how each method moves it on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlverdict.abstain.method import Ask, Detection, Detector, Draft, Tools
from sqlverdict.llm.request import NoReply
from sqlverdict.records import Prediction


@dataclass(frozen=True)
class Decision:
    """What a composition says to one question.

    Attributes:
        ask: The question.
        draft: What the generator wrote; ``None`` where it was not asked.
        sql: The query that is given; ``None``: none.
        abstained: Nothing is given, on purpose.
        by: Who held back, where somebody did.
        confidence: That of the last detector that looked at the draft.
        findings: What each detector found that was asked.
        problem: A model could not be asked; the question is still open.
    """

    ask: Ask
    draft: Draft | None = None
    sql: str | None = None
    abstained: bool = False
    by: str = ""
    confidence: float | None = None
    findings: Mapping[str, Detection] = field(default_factory=dict)
    problem: NoReply | None = None

    def prediction(self) -> Prediction:
        """As ``evaluate`` reads it. Text without SQL is no abstention."""
        raw = self.draft.raw if self.draft is not None else None
        return Prediction(
            self.ask.id,
            None if self.abstained else self.sql,
            self.abstained,
            self.confidence,
            self.draft.samples if self.draft is not None else (),
            raw if raw != self.sql or self.abstained else None,
        )

    def about(self) -> dict[str, Any]:
        """What is kept beside the prediction."""
        record: dict[str, Any] = {
            "findings": {
                name: {"confidence": one.confidence, "note": one.note}
                for name, one in self.findings.items()
            }
        }
        if self.by:
            record["by"] = self.by
        if self.abstained and self.sql is not None:
            record["draft"] = self.sql
        return record


def is_open(decision: Decision) -> bool:
    """Whether nobody has decided yet."""
    return not decision.abstained and decision.problem is None


def drafted(decision: Decision, draft: Draft, name: str) -> Decision:
    """The decision after the generator has spoken."""
    if draft.problem is not None:
        return replace(decision, problem=draft.problem)
    abstained = draft.abstained
    return replace(
        decision,
        draft=draft,
        sql=draft.sql,
        abstained=abstained,
        by=name if abstained else "",
        confidence=draft.confidence,
    )


def after_detector(
    detector: Detector, decisions: list[Decision], tools: Tools, *, with_sql: bool = False
) -> list[Decision]:
    """The decisions after one more detector; those that are made already stay."""
    going = [
        position
        for position, one in enumerate(decisions)
        if is_open(one) and (one.sql is not None or not with_sql)
    ]
    drafts = []
    for position in going:
        one = decisions[position]
        # An earlier detector may have chosen another query among the samples.
        draft = replace(one.draft, sql=one.sql) if one.draft is not None else None
        drafts.append((one.ask, draft))
    findings = detector.score(drafts, tools) if drafts else []
    after = list(decisions)
    for position, finding in zip(going, findings, strict=True):
        after[position] = _with_finding(after[position], detector, finding)
    return after


def _with_finding(decision: Decision, detector: Detector, finding: Detection) -> Decision:
    if finding.problem is not None:
        return replace(decision, problem=finding.problem)
    findings = {**decision.findings, detector.name: finding}
    answers = detector.decide(finding)
    return replace(
        decision,
        sql=finding.sql if finding.sql is not None else decision.sql,
        abstained=not answers,
        by="" if answers else detector.name,
        confidence=finding.confidence if decision.draft is not None else decision.confidence,
        findings=findings,
    )
