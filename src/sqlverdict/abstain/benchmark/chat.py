"""Talk in a pool of questions: what is said to a partner, and what only a conversation explains.

Somebody who says "Do you like soccer?" or "I did not know that." asks for no fact at all, and
"was he injured in the war?" asks nothing that a reader could look up.
"""

from __future__ import annotations

import re

_TO_PARTNER = re.compile(
    r"\b(?:do|did|are|have|would|can|could|will|were|had)(?:n['’]?t)? you\b(?! (?:find|get|make))"  # noqa: RUF001
    r"|\b(?:you know|about you|about yourself|your thoughts)\b"
    r"|^\W*(?:hi|hello|hey|thanks|haha|lol|yeah|yup|yep|yes|okay|ok|wow|hmm|sure|exactly|agreed)\b",
    re.IGNORECASE,
)
_OF_ANYBODY = re.compile(
    r"^\W*(?:how|when|why|where|what|which)\s+(?:do|does|can|should|would|could)\s+(?:you|i|we)\b",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"\b(?:i|i['’]m|im|i['’]ve|i['’]d|i['’]ll|me|my|mine|you|you['’]re|your)\b",  # noqa: RUF001
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:he|him|his|she|her|hers|they|them|their|it|its|this|that|these|those|there|else|other|"
    r"afterwards|then|one|according)\b",
    re.IGNORECASE,
)


def is_chat(text: str, *, asks: bool) -> bool:
    """Whether something is said to a partner and asks for no fact.

    Args:
        text: The words.
        asks: Whether they are a question.

    >>> is_chat("Do you like soccer?", asks=True), is_chat("how do you get a licence", asks=True)
    (True, False)
    """
    if _OF_ANYBODY.search(text):
        return False
    statement = not asks and text.rstrip().endswith((".", "!")) and _SPEAKER.search(text)
    return bool(_TO_PARTNER.search(text) or statement)


def needs_context(text: str) -> bool:
    """Whether a question points to something that was said before.

    >>> needs_context("was he injured in the war?"), needs_context("who wrote Emma?")
    (True, False)
    """
    return bool(_POINTING.search(text))
