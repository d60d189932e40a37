"""Records that a model server or its batch wrote: the replies in them, and the id of the question.

===================================================  ==========================
record                                               written by
===================================================  ==========================
``{"outputs": [{"text": ...}]}``                     vLLM, as it dumps outputs
``{"choices": [{"message": {"content": ...}}]}``     an OpenAI-compatible server
``{"custom_id": ..., "response": {"body": {...}}}``  its batch
===================================================  ==========================

The id is ``custom_id``, where it is the id of a case; that of the server's record is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlverdict.load.fields import ANSWER_KEYS

_BATCH_ID = "custom_id"


def with_completion(record: Mapping[str, Any], case_ids: Collection[str]) -> Mapping[str, Any]:
    """The record, with the server's replies as ``raw`` where it has no answer of another kind."""
    if any(key in record for key in ANSWER_KEYS):
        return record
    texts = _texts(record)
    if not texts or None in texts:
        return record
    fields = {**record, "raw": texts[0] if len(texts) == 1 else texts}
    if str(record.get(_BATCH_ID)) in case_ids:
        return {**fields, "id": str(record[_BATCH_ID])}
    if str(record.get("id")) not in case_ids:
        fields.pop("id", None)
    return fields


def _texts(record: Mapping[str, Any]) -> list[str | None]:
    for name in ("response", "body"):
        inner = record.get(name)
        if isinstance(inner, Mapping):
            return _texts(inner)
    for name in ("outputs", "choices"):
        items = record.get(name)
        if isinstance(items, list) and all(isinstance(item, Mapping) for item in items):
            return [_text(item) for item in items]
    return []


def _text(item: Mapping[str, Any]) -> str | None:
    message = item.get("message")
    text = message.get("content") if isinstance(message, Mapping) else item.get("text")
    return text if isinstance(text, str) else None
