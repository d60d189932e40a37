"""The chat-completions protocol, as data: from a request to a body, from a body to a reply.

Nothing here touches the network. Servers differ in what they leave out or send in addition, so
reading is tolerant of everything but a missing message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sqlverdict.llm.costs import Prices
from sqlverdict.llm.http.endpoint import Endpoint, TokensField
from sqlverdict.llm.reply_schema import strict, text_fits
from sqlverdict.llm.request import ReceivedReply, Reply, Request, TokenChoice

_MOST_TOKENS = 10**9
_LONGEST_NAME = 200


class Malformed(ValueError):
    """A body that is no chat completion; the message says what it is."""


def reply_cost(received: ReceivedReply, model: str, prices: Prices) -> float | None:
    """The dollars that a reply cost; ``None`` where the price or the tokens are not known."""
    if not received.tokens_known:
        return None
    return prices.cost(
        model,
        received.prompt_tokens,
        received.completion_tokens,
        discounted=received.discounted_tokens,
        batch=received.batch,
    )


def priced_reply(
    received: ReceivedReply, request: Request, prices: Prices, *, cached: bool
) -> Reply:
    """What was received as the reply to a request."""
    return Reply(
        **vars(received),
        cached=cached,
        cost=reply_cost(received, request.model, prices),
        fits=None if request.schema is None else text_fits(received.text, request.schema),
    )


def body_of(
    request: Request, endpoint: Endpoint, tokens_field: TokensField | None = None
) -> dict[str, Any]:
    """The body to post for a request."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [
            {"role": message.role, "content": message.content} for message in request.messages
        ],
        "temperature": request.temperature,
        tokens_field or endpoint.tokens_field: request.max_tokens,
        "stream": False,
    }
    if request.seed is not None:
        body["seed"] = request.seed + request.sample
    if request.stop:
        body["stop"] = list(request.stop)
    if request.logprobs:
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    if request.schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": re.sub(r"[^A-Za-z0-9_-]", "_", request.purpose)[:64] or "reply",
                "schema": request.schema,
                "strict": strict(request.schema),
            },
        }
    body |= endpoint.extra
    return {name: value for name, value in body.items() if name not in endpoint.omit}


def encode(body: Mapping[str, Any]) -> bytes:
    """The body as bytes; half surrogates, which no encoding accepts, become ``?``."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decode(data: bytes) -> Any:
    """The JSON in a reply's bytes.

    Raises:
        Malformed: there is none, or not all of it.
    """
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        start = data[:80].decode("utf-8", "replace")
        raise Malformed(f"{len(data)} bytes that are not complete JSON: {start!r}") from None


def read_completion(body: Any, seconds: float = 0.0, *, batch: bool = False) -> ReceivedReply:
    """The reply in a decoded body.

    Raises:
        Malformed: it is no chat completion.
    """
    if not isinstance(body, dict):
        raise Malformed(f"a JSON {type(body).__name__} instead of an object")
    choices = body.get("choices")
    if not isinstance(choices, list):
        raise Malformed(_instead_of_choices(body))
    if not choices:
        raise Malformed("an empty list of choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise Malformed("a choice without a message")
    counts = _token_counts(body.get("usage"))
    prompt, completion, discounted = counts or (0, 0, 0)
    return ReceivedReply(
        text=_sound(_content(message)),
        finish=_name(choice.get("finish_reason")),
        prompt_tokens=prompt,
        completion_tokens=completion,
        discounted_tokens=discounted,
        tokens_known=counts is not None,
        seconds=seconds,
        logprobs=_choices_of_tokens(choice.get("logprobs")),
        served=_name(body.get("model")),
        batch=batch,
    )


def _instead_of_choices(body: dict[str, Any]) -> str:
    if "error" in body:
        return f"an error under status 200: {_excerpt(body['error'])!r}"
    names = ", ".join(map(repr, list(body)[:5])) or "nothing"
    return f"an object with {names} and no choices"


def _content(message: dict[str, Any]) -> str:
    """The message's text. A refusal is one; a hidden chain of thought is not part of it."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [each.get("text") for each in content if isinstance(each, dict)]
        content = "".join(each for each in parts if isinstance(each, str))
    if not isinstance(content, str):
        content = message.get("refusal")
    return content if isinstance(content, str) else ""


def _choices_of_tokens(logprobs: Any) -> tuple[TokenChoice, ...]:
    """The tokens' probabilities; none where the server gave none, or sent another form."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    choices = []
    for each in content if isinstance(content, list) else ():
        choice = _token(each)
        if choice is None:
            return ()
        others = each.get("top_logprobs")
        tops = [_token(other) for other in others] if isinstance(others, list) else []
        choices.append(
            TokenChoice(*choice, tuple(top for top in tops if top is not None)),
        )
    return tuple(choices)


def _token(entry: Any) -> tuple[str, float] | None:
    if not isinstance(entry, dict):
        return None
    token, logprob = entry.get("token"), entry.get("logprob")
    if not isinstance(token, str) or isinstance(logprob, bool):
        return None
    if not isinstance(logprob, int | float):
        return None
    try:
        value = float(logprob)
    except OverflowError:
        return None
    return (_sound(token), value) if value == value else None


def _token_counts(usage: Any) -> tuple[int, int, int] | None:
    """Tokens read, tokens written, and how many of those read were cheaper.

    ``None`` where one of them is not known, or they contradict each other: the cost is taken at
    its worst then. No prompt has 0 tokens: servers that do not count say so.
    """
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    cheaper = details.get("cached_tokens") if isinstance(details, dict) else None
    prompt: Any = usage.get("prompt_tokens")
    completion: Any = usage.get("completion_tokens")
    discounted: Any = 0 if cheaper is None else cheaper
    total: Any = usage.get("total_tokens")
    if not (_is_count(prompt) and _is_count(completion) and _is_count(discounted)):
        return None
    if not prompt or discounted > prompt:
        return None
    if total is None:
        return prompt, completion, discounted
    if not _is_count(total) or total < prompt + completion:
        return None
    # Some servers leave hidden thoughts out of the tokens written, and have them in the total.
    return prompt, total - prompt, discounted


def _is_count(value: Any) -> bool:
    """Whether a value is a whole number of tokens that a call can have."""
    return type(value) is int and 0 <= value <= _MOST_TOKENS


def _name(value: Any) -> str:
    """A short text of the server's, such as a model's name."""
    return _sound(value[:_LONGEST_NAME]) if isinstance(value, str) else ""


def _excerpt(value: Any) -> str:
    try:
        return str(value)[:_LONGEST_NAME]
    except (RecursionError, ValueError):
        return type(value).__name__


def _sound(text: str) -> str:
    """The text without half surrogates, which can neither be stored nor printed."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
