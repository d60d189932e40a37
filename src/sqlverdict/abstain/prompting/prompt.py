"""Prompts from ``prompts/*.md``, and how they are put to a language model.

A prompt file has a line ``version: N``, then a part under ``# system`` and one under ``# user``.
``{{name}}`` is filled in; everything else, single braces included, is text. The version rises
with every change of the words, and stands in each request's purpose (``clsprompt@1``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlverdict.abstain.method import Detection, Draft, Shot, Tools
from sqlverdict.errors import UsageError
from sqlverdict.llm.request import Message, NoReply, Reply, Request

if TYPE_CHECKING:
    from sqlverdict.llm.request import Answerer

FOLDER = Path(__file__).parent / "prompts"
_FILE = re.compile(
    r"version: (?P<version>\d+)\n+# system\n(?P<system>.*?)\n# user\n(?P<user>.*)", re.S
)
_PLACE = re.compile(r"\{\{(\w+)\}\}")

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class MethodPrompt:
    """A prompt's words."""

    name: str
    version: int
    system: str
    user: str

    @property
    def purpose(self) -> str:
        """Name and version, as requests carry them."""
        return f"{self.name}@{self.version}"

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The prompt with its places filled in."""

        def fill(text: str) -> str:
            for name, value in values.items():
                if not value:
                    text = text.replace(f"{{{{{name}}}}}\n\n", "")
            # One pass: a question that says {{schema}} stays as it is.
            return _PLACE.sub(lambda place: values[place[1]], text).strip()

        parts = (Message("system", fill(self.system)), Message("user", fill(self.user)))
        return tuple(part for part in parts if part.content)


@lru_cache(maxsize=64)
def prompt(name: str) -> MethodPrompt:
    """The prompt of that name."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    found = _FILE.fullmatch(text)
    if found is None:
        raise UsageError(
            f"the prompt {name}.md has no version, or no parts '# system' and '# user'"
        )
    return MethodPrompt(name, int(found["version"]), found["system"], found["user"])


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
        raise UsageError(f"{name} asks a language model: name one with --model (and --base-url)")
    words = prompt(name)
    return Request(
        tools.model,
        words.messages(values),
        words.purpose,
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
        raise UsageError(f"{name} asks a language model; give --model and --base-url")
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


def no_draft(problem: NoReply) -> Draft:
    """The draft where the model could not be asked."""
    return Draft(problem=problem)


def no_finding(problem: NoReply) -> Detection:
    """The finding where the model could not be asked."""
    return Detection(None, problem=problem)


def dialogue(groups: Sequence[tuple[str, Sequence[Shot]]]) -> str:
    """Demonstrations as text: below each schema (empty: none) its questions and answers."""
    parts = []
    for schema, shots in groups:
        lines = [schema] if schema and shots else []
        lines += [f"Question: {shot.ask.question}\nSQL: {shot.answer}" for shot in shots]
        parts.append("\n\n".join(lines))
    return "\n\n".join(part for part in parts if part)
