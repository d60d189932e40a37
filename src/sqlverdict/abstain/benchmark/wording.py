"""Unanswerable questions in natural words, by a language model.

The rules decide what cannot be answered; the model only says it in other words, in the manner of
the database's answerable questions. A reply is used where it is one plain question that still
names the column that does not exist; otherwise the rule's own words stay, and are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlverdict.abstain.benchmark.chance import shuffled
from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.abstain.benchmark.unanswerable import ChosenIdea
from sqlverdict.abstain.benchmark.words import (
    content,
    question_words,
    same_wording,
    singular,
)
from sqlverdict.abstain.method import Tools
from sqlverdict.abstain.prompting.prompt import PROMPTS, ask_all, request
from sqlverdict.abstain.prompting.schema_text import column_lists
from sqlverdict.errors import Interrupted
from sqlverdict.llm.request import NoReply, Reply, Request

_EXAMPLES = 3
_FEWEST, _MOST = 3, 60
_LABEL = re.compile(r"^(?:rewritten|question|answer|output|q)\s*:\s*", re.IGNORECASE)
_SQL = re.compile(r"```|\bselect\b.+\bfrom\b", re.IGNORECASE | re.DOTALL)
_REFUSAL = re.compile(
    r"^(?:i'?m sorry|sorry|i can(?:not|'t)|as an ai|unfortunately)", re.IGNORECASE
)


@dataclass(frozen=True)
class RewordedQuestions:
    """What a model made of the questions.

    Attributes:
        chosen: The questions, in the same order, some in other words.
        asked: How many were asked about.
        used: How many got new words.
        kept: Why others kept theirs, and how many for each reason.
        purposes: The prompts, with their versions.
    """

    chosen: tuple[ChosenIdea, ...]
    asked: int = 0
    used: int = 0
    kept: Mapping[str, int] = field(default_factory=dict)
    purposes: tuple[str, ...] = ()


def reword(
    chosen: Sequence[ChosenIdea], sources: QuestionSources, tools: Tools
) -> RewordedQuestions:
    """Say questions in natural words.

    Args:
        chosen: The questions; types without a prompt keep theirs.
        sources: What they were made from.
        tools: The model, and how it is asked.

    Raises:
        Interrupted: the cost limit is reached; the replies so far are cached.
        UsageError: no model is named.
    """
    places = [number for number, each in enumerate(chosen) if each.kind.prompt]
    requests = [_request(chosen[number], sources, tools) for number in places]
    replies = ask_all(requests, tools, "the wording of unanswerable questions")
    found = list(chosen)
    taken = {*sources.wordings, *((c.idea.db_id, same_wording(c.idea.question)) for c in chosen)}
    kept: Counter[str] = Counter()
    for number, reply in zip(places, replies, strict=True):
        each = chosen[number]
        said = _said(reply, each)
        if said.text is not None:
            place = (each.idea.db_id, same_wording(said.text))
            if place not in taken:
                taken.add(place)
                found[number] = replace(
                    each, idea=replace(each.idea, question=said.text, written="model")
                )
                continue
            said = _Said(None, "a question that is there already")
        kept[said.problem] += 1
    names = dict.fromkeys(chosen[number].kind.prompt for number in places)
    purposes = tuple(PROMPTS.load(name).purpose for name in names)
    used = len(places) - kept.total()
    return RewordedQuestions(tuple(found), len(places), used, dict(kept), purposes)


def read_question(text: str) -> str | None:
    """The one question in a reply; ``None`` where there is none, or more than that."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if len(lines) != 1 or _SQL.search(text):
        return None
    line = _LABEL.sub("", lines[0]).strip()
    if len(line) > 1 and line[0] == line[-1] and line[0] in "\"'":
        line = line[1:-1].strip()
    if _REFUSAL.match(line) or not _FEWEST <= len(line.split()) <= _MOST:
        return None
    return line


@dataclass(frozen=True)
class _Said:
    text: str | None
    problem: str = ""


def _said(reply: Reply | NoReply, chosen: ChosenIdea) -> _Said:
    if isinstance(reply, NoReply):
        if reply.budget:
            raise Interrupted(
                f"{reply.message} Replies so far are cached: the same command goes on from there."
            )
        return _Said(None, "no reply")
    line = read_question(reply.text)
    if line is None:
        return _Said(None, "not one plain question")
    wanted = content(chosen.idea.column)
    if wanted and not wanted & {singular(word) for word, _, _ in question_words(line)}:
        # Without the column's name it may have become a question that has an answer.
        return _Said(None, "the column is not named any more")
    return _Said(line)


def _request(chosen: ChosenIdea, sources: QuestionSources, tools: Tools) -> Request:
    idea = chosen.idea
    known = sources.known.get(idea.db_id)
    asked = shuffled(
        sources.by_database.get(idea.db_id, ()),
        sources.seed,
        "examples",
        idea.question,
        key=lambda case: case.id,
    )
    values = {
        "schema": column_lists(known.schema if known is not None else None),
        "examples": "\n".join(f"- {case.question}" for case in asked[:_EXAMPLES]),
        "question": idea.question,
        "column": idea.column,
        "table": idea.table,
        "task": idea.task,
    }
    return request(chosen.kind.prompt, tools, max_tokens=128, values=values)
