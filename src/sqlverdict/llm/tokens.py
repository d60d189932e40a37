"""How many tokens a request has, without the model's tokenizer.

Two answers, for two uses:

*About* (:func:`estimate_tokens`): a rule of thumb for estimates. ASCII text counts 3.5 characters a
token, between English prose (above 4) and SQL with its punctuation (about 3); every other
character counts one token; every message adds 4 for its frame.

*At most* (:func:`most_tokens`): a bound for the cost limit. A byte-level tokenizer makes at most
one token of a byte, so the bound is the number of UTF-8 bytes, with 16 a message and 64 a
request for what the server's chat template adds.
"""

from __future__ import annotations

import json
import math

from sqlverdict.llm.request import Request

CHARACTERS_A_TOKEN = 3.5
FRAME = 4
TYPICAL_REPLY = 400
"""Tokens of a typical reply of a judge that reasons first: GPT-4o's recorded FLEX replies have
1,524 characters on average."""


def estimate_tokens(request: Request) -> int:
    """The prompt's tokens by the rule of thumb."""
    ascii_count = others = 0
    for text in _texts(request):
        plain = len(text.encode("ascii", "ignore"))
        ascii_count += plain
        others += len(text) - plain
    return math.ceil(ascii_count / CHARACTERS_A_TOKEN) + others + FRAME * len(request.messages)


def most_tokens(request: Request) -> int:
    """No tokenizer of bytes makes more tokens of the prompt than this."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in _texts(request))
    return size + 16 * len(request.messages) + 64


def _texts(request: Request) -> list[str]:
    texts = [message.content for message in request.messages]
    if request.schema is not None:
        texts.append(json.dumps(request.schema))
    return texts
