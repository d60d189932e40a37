"""The methods' prompts, ``prompts/*.md``, and how they are put to a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from sqlverdict.abstain.method import Shot, Tools
from sqlverdict.abstain.prompting.trustsql_prompts import FILES, trustsql_prompt
from sqlverdict.errors import Interrupted, OptionName, SameCall, UsageError
from sqlverdict.llm.prompt import Prompt, PromptFolder, fill
from sqlverdict.llm.request import NoReply, Reply, Request
from sqlverdict.parse.tokens import word_set

if TYPE_CHECKING:
    from sqlverdict.llm.request import Answerer

FIELDS = word_set(
    "schema question knowledge demonstrations near links sql examples column table task answer"
)
"""What a method's template may name."""

PROMPTS = PromptFolder("sqlverdict.abstain.prompting", FIELDS, FILES, trustsql_prompt)

SHOT = "Question: {{question}}\nSQL: {{answer}}"
"""A question and its query, as our own prompts show them."""

T = TypeVar("T")
R = TypeVar("R")


def request(
    name: str,
    tools: Tools,
    *,
    temperature: float = 0.0,
    sample: int = 0,
    max_tokens: int | None = None,
    logprobs: int = 0,
    stop: tuple[str, ...] = (),
    values: Mapping[str, str],
) -> Request:
    """A request with the prompt of that name.

    Raises:
        UsageError: no model is named.
    """
    if not tools.model:
        raise UsageError(
            f"{name} asks a language model: name one with ",
            OptionName("model"),
            " (and ",
            OptionName("base_url"),
            ")",
        )
    prompt = PROMPTS.load(name, tools.prompts)
    return Request(
        tools.model,
        prompt.messages(values),
        prompt.purpose,
        temperature=temperature,
        max_tokens=max_tokens or tools.max_tokens,
        seed=tools.seed,
        logprobs=logprobs,
        sample=sample,
        stop=stop,
    )


def answerer(tools: Tools, name: str) -> Answerer:
    """The language model.

    Raises:
        UsageError: there is none.
    """
    if tools.answerer is None:
        raise UsageError(
            f"{name} asks a language model; give ",
            OptionName("model"),
            " and ",
            OptionName("base_url"),
        )
    return tools.answerer


def side_by_side(work: Callable[[T], R], things: Iterable[T], tools: Tools) -> list[R]:
    """Do the same for each thing, several at a time, in order; for work that waits."""
    every = list(things)
    if len(every) < 2 or tools.concurrency < 2:
        return [work(thing) for thing in every]
    with ThreadPoolExecutor(max_workers=min(tools.concurrency, len(every))) as pool:
        return list(pool.map(work, every))


def ask_all(requests: Sequence[Request], tools: Tools, name: str) -> list[Reply | NoReply]:
    """The replies to requests, in order."""
    model = answerer(tools, name)
    return side_by_side(model.ask, requests, tools)


def reply_text(reply: Reply | NoReply) -> str:
    """The text of a reply; empty where there is none.

    Raises:
        Interrupted: the cost limit is reached.
    """
    if isinstance(reply, Reply):
        return reply.text
    if reply.budget:
        raise Interrupted(
            f"{reply.message} Replies so far are cached: ", SameCall.AGAIN, " to continue."
        )
    return ""


def dialogue(groups: Sequence[tuple[str, Sequence[Shot]]], prompt: Prompt) -> str:
    """Demonstrations as text: below each schema (empty: none) its questions and answers."""
    parts = []
    for schema, shots in groups:
        lines = [schema, *([prompt.task] if prompt.task else [])] if schema and shots else []
        lines += [
            fill(prompt.shot or SHOT, {"question": shot.ask.question, "answer": shot.answer})
            for shot in shots
        ]
        parts.append("\n\n".join(lines))
    return "\n\n".join(part for part in parts if part)
