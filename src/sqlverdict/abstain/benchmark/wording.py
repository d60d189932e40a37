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
from sqlverdict.abstain.prompting.prompt import PROMPTS, ask_all, reply_text, request
from sqlverdict.abstain.prompting.schema_text import column_lists
from sqlverdict.llm.request import NoReply, Request

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
        ideas: The questions, in the same order, some in other words.
        requests: How many were asked about.
        used: How many got new words.
        unchanged: Why others kept theirs, and how many for each reason.
        purposes: The prompts, with their versions.
    """

    ideas: tuple[ChosenIdea, ...]
    requests: int = 0
    used: int = 0
    unchanged: Mapping[str, int] = field(default_factory=dict)
    purposes: tuple[str, ...] = ()


def reword(
    ideas: Sequence[ChosenIdea], sources: QuestionSources, tools: Tools
) -> RewordedQuestions:
    """Say questions in natural words.

    Args:
        ideas: The questions; types without a prompt keep theirs.
        sources: What they were made from.
        tools: The model, and how it is asked.

    Raises:
        Interrupted: the cost limit is reached; the replies so far are cached.
        UsageError: no model is named.
    """
    positions = [number for number, each in enumerate(ideas) if each.kind.prompt]
    requests = [_request(ideas[number], sources, tools) for number in positions]
    replies = ask_all(requests, tools, "the wording of unanswerable questions")
    reworded = list(ideas)
    wordings = {*sources.wordings, *((c.idea.db_id, same_wording(c.idea.question)) for c in ideas)}
    unchanged: Counter[str] = Counter()
    for number, reply in zip(positions, replies, strict=True):
        each = ideas[number]
        text = read_question(reply_text(reply))
        key = (each.idea.db_id, same_wording(text or ""))
        problem = (
            "no reply" if isinstance(reply, NoReply) else _problem(text, each, key in wordings)
        )
        if problem or text is None:
            unchanged[problem] += 1
            continue
        wordings.add(key)
        reworded[number] = replace(each, idea=replace(each.idea, question=text, wording="model"))
    names = dict.fromkeys(ideas[number].kind.prompt for number in positions)
    purposes = tuple(PROMPTS.load(name, tools.prompts).purpose for name in names)
    used = len(positions) - unchanged.total()
    return RewordedQuestions(tuple(reworded), len(positions), used, dict(unchanged), purposes)


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


def _problem(text: str | None, choice: ChosenIdea, is_there: bool) -> str:
    """Why a wording cannot be used; empty: it can."""
    if text is None:
        return "not one plain question"
    column_words = content(choice.idea.column)
    if column_words and not column_words & {singular(word) for word, _, _ in question_words(text)}:
        # Without the column's name it may have become a question that has an answer.
        return "the column is not named any more"
    return "a question that is there already" if is_there else ""


def _request(choice: ChosenIdea, sources: QuestionSources, tools: Tools) -> Request:
    idea = choice.idea
    known = sources.known.get(idea.db_id)
    questions = shuffled(
        sources.by_database.get(idea.db_id, ()),
        sources.seed,
        "examples",
        idea.question,
        key=lambda case: case.id,
    )
    values = {
        "schema": column_lists(known.schema if known is not None else None),
        "examples": "\n".join(f"- {case.question}" for case in questions[:_EXAMPLES]),
        "question": idea.question,
        "column": idea.column,
        "table": idea.table,
        "task": idea.task,
    }
    return request(choice.kind.prompt, tools, max_tokens=128, values=values)
