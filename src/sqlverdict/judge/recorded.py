"""Recorded replies that answer requests, without a network.

A recording is found by the request's digest (any judge's recorded run), or, for the judge
``replay``, by the case's id. Several texts for one case are its samples. What was recorded about
kinds of error or of difference is kept apart from the verdicts, under the case's id too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.regular import why_unread
from sqlverdict.files.text import need_file
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.request import Message, NoReply, Reply, Request

PURPOSE = "replay@1"
CATEGORIES = "replay_categories@1"


def recorded_request(case_id: str, settings: Settings, purpose: str = PURPOSE) -> Request:
    """The request for what was recorded for a case: a verdict, or kinds of error."""
    return Request(
        model=settings.model,
        messages=(Message("user", case_id),),
        purpose=purpose,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        seed=settings.seed,
        sample=settings.sample,
    )


class RecordedReplies:
    """Answers with recorded texts.

    Args:
        replies: Texts by case id or by request digest; a sequence holds samples in order.
        categories: Texts about kinds of error or of difference, by case id.
    """

    def __init__(
        self,
        replies: Mapping[str, str | Sequence[str]],
        categories: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._categories = categories
        self._replies = {
            key: (texts,) if isinstance(texts, str) else tuple(texts)
            for key, texts in replies.items()
        }

    def __len__(self) -> int:
        return len(self._replies)

    @classmethod
    def of_verdicts(cls, verdicts: Mapping[str, bool]) -> RecordedReplies:
        """Verdicts by case id, for the judge ``recorded``."""
        texts = {True: '{"correct": true}', False: '{"correct": false}'}
        return cls({case_id: texts[verdict] for case_id, verdict in verdicts.items()})

    @classmethod
    def from_jsonl(cls, path: Path) -> RecordedReplies:
        """Read one JSON object a line, with an ``id`` and a ``reply``: a string, or a list of them.

        Raises:
            DataError: the file cannot be read, a line is no object, or a field is missing.
        """
        replies: dict[str, str | Sequence[str]] = {}
        need_file(path, DataError)
        try:
            lines = path.read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as failed:
            why = getattr(failed, "strerror", None) or failed
            raise DataError(
                f"{path} cannot be read: {why}. Expected UTF-8 text, one JSON object per line with "
                f"an id and a reply",
                reason=why_unread(failed),
            ) from failed
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            where = f"{path}:{number}"
            record = _object(line, where)
            try:
                name, value = str(record["id"]), record["reply"]
            except KeyError as missing:
                keys = ", ".join(sorted(map(str, record)))
                raise DataError(
                    f"{where} has no field {missing.args[0]!r}; it has: {keys}",
                    reason="missing_field",
                ) from missing
            if name in replies:
                raise DataError(
                    f"{where} repeats the id {name!r}; give several replies as a list",
                    reason="repeated",
                )
            replies[name] = _texts(value, f"{where}, field 'reply'")
        return cls(replies)

    def ask(self, request: Request) -> Reply | NoReply:
        """The recorded reply, or that there is none."""
        if request.purpose == CATEGORIES:
            text = self._categories.get(request.messages[-1].content)
            if text is None:
                return NoReply("no kinds of error are recorded for this case", attempts=0)
            return Reply(text, "stop", 0, 0, 0.0)
        texts = self._replies.get(request.digest())
        if texts is None and request.purpose == PURPOSE:
            texts = self._replies.get(request.messages[-1].content)
        if texts is None or request.sample >= len(texts):
            return NoReply(self._missing(request, texts), attempts=0)
        return Reply(texts[request.sample], "stop", 0, 0, 0.0)

    def _missing(self, request: Request, texts: tuple[str, ...] | None) -> str:
        if request.purpose != PURPOSE:
            return (
                f"no reply is recorded for this request of {request.purpose!r}; record a run with "
                "the same prompts, model and settings, or use the judge replay"
            )
        case = request.messages[-1].content
        if texts is None:
            return f"no reply is recorded for case {case!r}; cases that have one: {len(self)}"
        return (
            f"recorded replies of case {case!r}: {len(texts)}; sample {request.sample} is not one"
        )


def _object(line: str, where: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as failed:
        raise DataError(f"{where} is not JSON: {failed}", reason="unreadable") from failed
    if not isinstance(record, dict):
        raise DataError(
            f"{where} is not a JSON object; expected one with an id and a reply",
            reason="wrong_kind",
        )
    return record


def _texts(value: object, where: str) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise DataError(
        f"{where} holds {type(value).__name__}; expected text or a list of texts",
        reason="wrong_value",
    )
