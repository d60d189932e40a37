"""The text of a completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def completion_text(completion: Any) -> str:
    """The text of a completion: a text, or messages of which the model's last one counts.

    Tool calls and images hold no text; a completion of another kind is an empty reply, never an
    error, because a trainer must not stop for what a model said.
    """
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return _content_text(completion.get("content"))
    if isinstance(completion, Sequence):
        messages = [each for each in completion if isinstance(each, Mapping)]
        own = [each for each in messages if each.get("role", "assistant") == "assistant"]
        return _content_text(own[-1].get("content")) if own else ""
    content = getattr(completion, "content", None)
    return _content_text(content)


def _content_text(content: Any) -> str:
    """The text of a message's content: a text, or parts of which some are texts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    texts = [part if isinstance(part, str) else _part_text(part) for part in content]
    return "".join(texts)


def _part_text(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else getattr(part, "text", None)
    return text if isinstance(text, str) else ""
