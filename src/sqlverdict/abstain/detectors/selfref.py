"""The language model looks at the query again and says whether it is sure of it.

Position:
    after f
Learns from:
    nothing
Confidence:
    1 for "correct", 0 for "incorrect" and for a reply that says neither; with ``graded=true``
    the model's probability, where the server tells it
Source:
    TrustSQL, section 4.2 and appendix I (SELFREF)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.method import ABSTAINERS, Ask, Detection, Draft, Need, Position, Tools
from sqlverdict.abstain.prompting.prompt import ask_all, request
from sqlverdict.abstain.prompting.replies import graded, label_of
from sqlverdict.abstain.prompting.schema_text import column_lists
from sqlverdict.llm.request import NoReply

_YES, _NO = "correct", "incorrect"


@ABSTAINERS.member
@dataclass(kw_only=True)
class Selfref(Gate):
    """The error detector by the model itself; option: graded."""

    name: ClassVar[str] = "selfref"
    version: ClassVar[int] = 1
    position: ClassVar[Position] = "after"
    needs: ClassVar[frozenset[Need]] = frozenset({"answerer"})

    graded: bool = False

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """What the model says about each query."""
        requests = [
            request(
                "selfref",
                tools,
                max_tokens=16,
                logprobs=5 if self.graded else 0,
                values={
                    "schema": column_lists(ask.schema, primary_keys=True),
                    "question": ask.question,
                    "sql": (draft.sql or "") if draft is not None else "",
                },
            )
            for ask, draft in drafts
        ]
        findings = []
        for reply in ask_all(requests, tools, self.name):
            if isinstance(reply, NoReply):
                findings.append(Detection(None, problem=reply))
                continue
            correct = label_of(reply.text, _YES, _NO)
            sure = graded(reply, _YES, _NO) if self.graded else None
            note = "unreadable reply" if correct is None else _YES if correct else _NO
            findings.append(Detection(float(bool(correct)) if sure is None else sure, note=note))
        return findings
