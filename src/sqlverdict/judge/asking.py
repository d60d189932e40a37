"""Asks until a reply can be read, a bounded number of times, and keeps the accounts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from sqlverdict.judge.flex_prompts import FILES, flex_prompt
from sqlverdict.judge.opinion import ASKED_AGAIN, BUDGET, CUT_OFF, PENDING, Opinion, Settings
from sqlverdict.judge.replies.conclusion import ReplyReading
from sqlverdict.llm.prompt import Prompt, PromptFolder
from sqlverdict.llm.request import Message, NoReply, Reply, Request
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Reason

FIELDS = word_set(
    "schema question knowledge gold prediction gold_table prediction_table witness relations notes "
    "facts unmatched sizes columns asked left_out "
    "equal differ open criteria structured plain_tokens dialect attempt attempts earlier"
)
"""What a judge's template may name."""

PROMPTS = PromptFolder("sqlverdict.judge", FIELDS, FILES, flex_prompt)


T = TypeVar("T")


@dataclass
class CallCounts:
    """What a judge's calls for one brief took, and what was odd about them."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    flags: list[str] = field(default_factory=list)

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        self.calls += 1
        self.cached += reply.cached
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        known = self.cost is not None and reply.cost is not None
        self.cost = (self.cost or 0.0) + (reply.cost or 0.0) if known else None

    def flag(self, *flags: str) -> None:
        """Note what is odd, each thing once."""
        self.flags += [flag for flag in dict.fromkeys(flags) if flag not in self.flags]


@dataclass(frozen=True)
class NoReading:
    """Why nothing was read in the end."""

    reason: Reason
    message: str


Asking = Generator[Request, Reply | NoReply, ReplyReading[T] | NoReading]


def make_request(
    prompt: Prompt,
    values: Mapping[str, str],
    settings: Settings,
    schema: Mapping[str, Any] | None = None,
) -> Request:
    """The request that a prompt makes with these values and settings."""
    return Request(
        model=settings.model,
        messages=prompt.messages(values),
        purpose=prompt.purpose,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        seed=settings.seed,
        schema=schema if settings.structured else None,
        sample=settings.sample,
    )


def ask(
    request: Request, read: Callable[[str], ReplyReading[T]], settings: Settings, tally: CallCounts
) -> Asking[T]:
    """Put a request; where the reply cannot be read, say so and ask again, within bounds.

    Asking again appends a reminder to the prompt and says which attempt it is: the request
    is another one, so that a cache does not give back the reply that could not be read.
    """
    attempts = settings.retries_unparseable + 1
    message = ""
    for attempt in range(1, attempts + 1):
        attempted = request if attempt == 1 else _again(request, attempt, attempts, settings)
        reply = yield attempted
        if isinstance(reply, NoReply):
            if reply.budget:
                tally.flag(BUDGET)
            if reply.pending:
                tally.flag(PENDING)
            return NoReading(reply.reason, reply.message)
        tally.add(reply)
        reading = read(reply.text)
        if reading.value is not None:
            tally.flag(*reading.flags)
            if reply.finish == "length":
                tally.flag(CUT_OFF)
            return reading
        cut = ", and was cut off at its token limit" if reply.finish == "length" else ""
        message = f"{reading.message}{cut}"
        if attempt < attempts:
            tally.flag(ASKED_AGAIN)
    tries = "1 attempt" if attempts == 1 else f"{attempts} attempts"
    return NoReading(Reason.JUDGE_UNPARSEABLE, f"after {tries}: {message}")


def _again(request: Request, attempt: int, attempts: int, settings: Settings) -> Request:
    reminder = PROMPTS.load("again", settings.prompts)
    values = {"attempt": str(attempt), "attempts": str(attempts)}
    (added,) = reminder.messages(values)
    *before, last = request.messages
    longer = Message(last.role, f"{last.content}\n\n{added.content}")
    return replace(request, messages=(*before, longer))


def writable(text: str) -> str:
    """The text with half surrogates as escapes: servers send them, files cannot hold them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def opinion_of(
    judge: str,
    settings: Settings,
    tally: CallCounts,
    read: ReplyReading[bool] | NoReading,
) -> Opinion:
    """The opinion that a reading, or its absence, amounts to."""
    if isinstance(read, NoReading):
        correct, reason, explanation = None, read.reason, read.message
    else:
        correct, reason, explanation = read.value, None, read.explanation
    return Opinion(
        correct=correct,
        reason=reason,
        explanation=writable(explanation),
        flags=tuple(tally.flags),
        calls=tally.calls,
        cached=tally.cached,
        tokens=(tally.prompt_tokens, tally.completion_tokens),
        cost=tally.cost,
        judge=judge,
        model=settings.model,
    )
