"""What a judge asks and what comes back: the seam between judges and language models.

Judges make :class:`Request` records and read :class:`Reply` records; they never see a
network. Anything with the one method of :class:`Answerer` can stand between them: the HTTP
client, recorded replies, a gatherer for batches and dry runs, a script in a test.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from sqlverdict.account import Account
from sqlverdict.records import Reason

MessageRole = Literal["system", "user", "assistant"]

DIGEST_VERSION = 1
"""Part of every digest: a change of what a digest covers makes all addresses new."""


@dataclass(frozen=True)
class Message:
    """One turn of the conversation that a model is shown."""

    role: MessageRole
    content: str


@dataclass(frozen=True)
class Request:
    """One question to one model, complete: equal requests may share one reply.

    Attributes:
        model: The model's name, as its server knows it.
        messages: What the model is shown.
        purpose: The prompt's name and version, such as ``flex_eq@1``.
        temperature: How freely the model may choose; 0 takes the likeliest token.
        max_tokens: The most tokens the reply may have.
        seed: A seed for the server. What is sent is ``seed + sample``, so that repeated
            askings may differ and yet are repeatable.
        schema: A JSON schema that the reply is to fit. Servers may ignore it, so the client
            checks and says so in :attr:`Reply.fits`.
        logprobs: How many likely alternatives to ask for at each token (0: none at all).
            Servers may ignore it.
        sample: Tells repeated askings of the same thing apart.
        stop: Texts at which the reply ends.
    """

    model: str
    messages: tuple[Message, ...]
    purpose: str
    temperature: float = 0.0
    max_tokens: int = 2048
    seed: int | None = None
    # A mapping has no hash; equal requests still have equal hashes without it.
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    logprobs: int = 0
    sample: int = 0
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.messages:
            raise ValueError(f"the request {self.purpose!r} has no message; expected at least one")

    def digest(self) -> str:
        """The content address: the hex SHA-256 of every field."""
        # Escaping everything beyond ASCII keeps half surrogates, which no encoding accepts.
        # A temperature given as 0 is the same request as one given as 0.0.
        text = json.dumps(
            {
                "digest": DIGEST_VERSION,
                **asdict(self),
                "temperature": float(self.temperature),
            },
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=True,
        )
        return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True)
class TokenChoice:
    """One token of a reply, its log probability, and what else was likely there."""

    token: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class ReceivedReply:
    """What a model said, as it came in and as the cache keeps it: without prices, which change.

    Attributes:
        text: The reply. Empty where the server sent a message without content.
        finish: Why it ended, in the server's word: ``stop``, ``length``, ``content_filter`` ...
        prompt_tokens: Tokens read, as the server counted them (0: it did not say).
        completion_tokens: Tokens written.
        seconds: From sending to the last byte, without waiting for a turn.
        discounted_tokens: Those of the prompt that the server had in its own cache.
        tokens_known: Whether the server said how many tokens it took.
        logprobs: The tokens with their probabilities, where asked for and delivered.
        served: The model that answered, in the server's words; empty where it did not say.
        batch: Whether it was a request of a batch.
    """

    text: str
    finish: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    discounted_tokens: int = 0
    tokens_known: bool = False
    logprobs: tuple[TokenChoice, ...] = ()
    served: str = ""
    batch: bool = False


@dataclass(frozen=True)
class Reply(ReceivedReply):
    """What a model said to a request, and what that cost.

    Attributes:
        cached: It was in the cache; nothing was paid for it now.
        cost: What it cost when it was paid for, in US dollars; ``None``: no price is known.
        fits: Whether the text is JSON of the request's schema; ``None``: there was no schema.
    """

    cached: bool = False
    cost: float | None = None
    fits: bool | None = None


@dataclass(frozen=True)
class NoReply:
    """Why a request got no reply; a value, never an exception.

    Attributes:
        message: What was found, what was expected, what to do.
        attempts: How many calls were made for it (0: it was not sent).
        reason: The code for run logs.
        budget: The cost limit forbids the call. Stop cleanly; the same command resumes.
        pending: It waits to be sent, or to be answered, as part of a batch.
    """

    message: str
    attempts: int
    reason: Reason = Reason.JUDGE_UNAVAILABLE
    budget: bool = False
    pending: bool = False


class Answerer(Protocol):
    """Something that answers requests. Several threads may ask at the same time."""

    def ask(self, request: Request) -> Reply | NoReply:
        """The reply, or why there is none. Never raises for what a server does."""
        ...


class AccountAnswerer:
    """An answerer that charges what another is asked to one account. Threads may share it."""

    def __init__(
        self, ask: Callable[[Request, Account], Reply | NoReply], account: Account
    ) -> None:
        self._ask = ask
        self._account = account

    def ask(self, request: Request) -> Reply | NoReply:
        """What the other says."""
        return self._ask(request, self._account)
