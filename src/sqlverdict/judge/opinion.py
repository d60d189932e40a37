"""What a judge is set to do, and what it says in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sqlverdict.errors import UsageError
from sqlverdict.records import Reason

PanelRule = Literal["majority", "unanimity"]

VERDICT_FIRST = "verdict_first"
"""The reply gave a verdict before any reasoning."""
REVISED = "revised"
"""The reply gave several verdicts that differ; its last one counts."""
REPAIRED = "repaired"
"""The verdict was readable but not JSON."""
SHORTENED = "shortened"
"""The prompt was too long, and a part of the evidence was left out."""
UNCATEGORISED = "uncategorised"
"""Kinds of error or of difference were asked for, and could not be read."""
CUT_OFF = "cut_off"
"""The reply ended at the token limit."""
ASKED_AGAIN = "asked_again"
"""At least one reply could not be read, and another was asked for."""
BUDGET = "budget"
"""The cost limit forbade a call: stop cleanly, the same command resumes."""
PENDING = "pending"
"""A call waits in a batch: collect it and run the same command again."""
UNANIMOUS = "unanimous"
"""A panel of several votes, every one of which could be read, and all agree."""


@dataclass(frozen=True)
class Settings:
    """How a judge asks. The defaults are FLEX's.

    Attributes:
        model: The model's name, as its server knows it.
        temperature: 0 takes the likeliest token.
        max_tokens: The most tokens a reply may have.
        max_prompt: The most tokens, by the rule of thumb of ``llm/costs.py``, of a prompt that
            shows evidence; ``fit.py`` says what is left out first.
        seed: A seed for the server, if it takes one.
        retries_unparseable: How often a reply that cannot be read is asked for again.
        prompts: A folder of templates that replace ours of the same file name.
        structured: Ask the server for a JSON object with the reasoning first, by a JSON schema.
        sample: Tells repeated askings of the same thing apart.
        categories: Also ask which kinds of error or of difference there are.
        results_eq: Show the results where they match (FLEX does not).
        results_neq: Show the results where they differ (FLEX does).
        question: Show the question.
        knowledge: Show the knowledge that comes with the question.
        criteria: State the criteria.
        gold: Show the gold query and its result.
        threshold: The lowest score that a rubric judge counts as correct.
        members: The judges that sit on a panel.
        models: The panel's models; none: the one ``model``.
        samples: How often a panel puts each judge to each model.
        rule: How a panel decides.
    """

    model: str = ""
    temperature: float = 0.0
    max_tokens: int = 2048
    max_prompt: int = 6_000
    seed: int | None = None
    retries_unparseable: int = 2
    prompts: Path | None = None
    structured: bool = False
    sample: int = 0
    categories: bool = False
    results_eq: bool = False
    results_neq: bool = True
    question: bool = True
    knowledge: bool = True
    criteria: bool = True
    gold: bool = True
    threshold: int = 4
    members: tuple[str, ...] = ("cascade", "evidence", "flex")
    models: tuple[str, ...] = ()
    samples: int = 1
    rule: PanelRule = "majority"

    def __post_init__(self) -> None:
        for name, low in (
            ("retries_unparseable", 0),
            ("max_tokens", 1),
            ("max_prompt", 1),
            ("samples", 1),
        ):
            value = getattr(self, name)
            if value < low:
                raise UsageError(f"judge setting {name} is {value}; it must be at least {low}")
        if not self.members:
            raise UsageError("judge setting members is empty; name one judge or several")
        if self.rule not in ("majority", "unanimity"):
            raise UsageError(f"panel rule {self.rule!r} is unknown; say majority or unanimity")


@dataclass(frozen=True)
class Opinion:
    """What a judge says about one case.

    Attributes:
        correct: Whether the prediction answers the question; ``None``: no verdict was had.
        reason: Why there is no verdict: ``JUDGE_UNPARSEABLE`` or ``JUDGE_UNAVAILABLE``.
        explanation: The judge's own words, or why there is no verdict.
        categories: FLEX's labels, where they were asked for.
        category_notes: The judge's explanation of each label.
        flags: What is odd about the verdict; the constants above and those of single judges.
        votes: A panel's votes, in the order they were asked for.
        calls: How many replies were read.
        cached: How many of them were at hand already.
        tokens: Tokens read and written by the model, in all calls.
        cost: What the calls cost, in US dollars; ``None``: some price is unknown.
        judge: The judge's name and version, ``flex@1``.
        model: The model that was asked.
    """

    correct: bool | None
    reason: Reason | None = None
    explanation: str = ""
    categories: tuple[str, ...] = ()
    category_notes: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    votes: tuple[bool | None, ...] = ()
    calls: int = 0
    cached: int = 0
    tokens: tuple[int, int] = (0, 0)
    cost: float | None = None
    judge: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        if (self.correct is None) != (self.reason is not None):
            raise ValueError(
                f"an opinion has a verdict or a reason, never both or neither: "
                f"correct={self.correct}, reason={self.reason}"
            )
