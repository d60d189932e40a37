"""Requests that no query can do alone: draw, translate, forecast, write a letter.

Made from answerable questions: their opening words ("What are", "List") give way to a task on
the same data. The columns exist; what is asked for is not a set of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlverdict.abstain.benchmark.chance import draw, shuffled
from sqlverdict.abstain.benchmark.columns.ideas import in_style
from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.abstain.benchmark.unanswerable import TYPES, Idea
from sqlverdict.abstain.benchmark.words import sayable

_OPENINGS = re.compile(
    r"^\s*(?:please\s+)?(?:can you\s+|could you\s+)?(?:please\s+)?"
    r"(?:what(?:'s| is| are| was| were)|find(?: me)?(?: out)?|list(?: out)?|show(?: me)?|"
    r"give(?: me)?|return|tell me|display|report|compute|calculate|provide|specify|"
    r"i want to know|which are)\s+(?P<rest>(?:the|all|each|every|different|distinct)\s.+?)"
    r"[\s.?!]*$",
    re.IGNORECASE | re.DOTALL,
)
_COUNTS = re.compile(
    r"^\s*how many\s+(?P<rest>.+?)\s+(?:are there|do we have|exist|are listed)[\s.?!]*$",
    re.IGNORECASE | re.DOTALL,
)
_AMOUNTS = re.compile(
    r"the (?:\w+ )?(?:number|average|total|maximum|minimum|sum|count|percentage|amount|share)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"[?!;]|[.]\s")
_NO_PHRASE = re.compile(
    r"\b(?:(?:how|what|which|who) (?:many|much|\w+ (?:is|are|do|does|have|has)\b)"
    r"|order|ordered|sort|sorted|along|also|list)\b",
    re.IGNORECASE,
)
_TEXTS = re.compile(r"\b(?:titles?|descriptions?|details|comments?|notes)\b", re.IGNORECASE)
_NAMES = re.compile(r"\b(?:names?|titles?|descriptions?|details|comments?)\b", re.IGNORECASE)
_LABELS = re.compile(r"\b(?:codes?|ids?|years?|dates?)\b", re.IGNORECASE)
_OF = re.compile(
    r"\b(?:of|for|names?|titles?|ids?|codes?|years?|dates?|ages?|addresses)\b|,|\band\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
"""What is over has no forecast."""
_OF_NAMES = ("a correction", "a letter", "a poem")
"""Tasks that nobody wants done with numbers."""
_OF_ONE = re.compile(r"\{rest\} (?:be|not|good|changes)|\b(?:is|will) \{rest\}")
"""Forms whose verb is for one thing: not for the maximum and the minimum."""
FOR_AMOUNTS = (
    ("a chart", "Draw a chart of {rest}."),
    ("a chart", "Plot {rest} over time."),
    ("a chart", "Show {rest} as a pie chart."),
    ("a chart", "Show me a graph of {rest}."),
    ("a forecast", "Predict {rest} for the next five years."),
    ("a forecast", "Estimate {rest} for the year 2040."),
    ("a forecast", "What will {rest} be in ten years?"),
    ("a forecast", "How will {rest} change in the future?"),
    ("a cause", "Explain the reasons behind {rest}."),
    ("a cause", "Why is {rest} not higher?"),
    ("a cause", "What is the reason for {rest}?"),
    ("a judgement", "Is {rest} good or bad?"),
    ("advice", "Recommend what we should do about {rest}."),
    ("a cause", "What influences {rest}?"),
    ("an alarm", "Tell me as soon as {rest} changes."),
    ("a message", "Email {rest} to the whole team."),
    ("slides", "Make a slide that shows {rest}."),
    ("speech", "Read {rest} aloud."),
    ("a document", "Put {rest} into a Word file."),
)
FOR_VALUES = (
    ("a message", "Email {rest} to the whole team."),
    ("a message", "Send {rest} to my phone."),
    ("slides", "Make a slide that lists {rest}."),
    ("a letter", "Write a polite letter that mentions {rest}."),
    ("a poem", "Write a poem with {rest}."),
    ("speech", "Read {rest} aloud."),
    ("a document", "Create a PDF file with {rest}."),
    ("a print", "Print {rest} in large letters."),
    ("a poster", "Show {rest} on a poster."),
    ("a backup", "Save {rest} to a USB stick."),
    ("a document", "Put {rest} into an Excel file."),
    ("a website", "Upload {rest} to our website."),
    ("a correction", "Check {rest} for spelling mistakes."),
    ("a quiz", "Make a quiz about {rest}."),
)
FOR_THINGS = (
    ("a message", "Email all we know about {rest} to the whole team."),
    ("a summary", "Write a newspaper article about {rest}."),
    ("a story", "Tell me a story about {rest}."),
    ("a sentiment", "Find out what people on social media say about {rest}."),
    ("a sentiment", "What do people think of {rest}?"),
    ("a forecast", "Predict what will happen to {rest} next year."),
    ("slides", "Make a slide about {rest}."),
    ("a picture", "Show me photos of {rest}."),
    ("a film", "Find a good film about {rest}."),
    ("news", "Give me the latest news about {rest}."),
)
_TURNS = max(len(FOR_AMOUNTS), len(FOR_VALUES), len(FOR_THINGS))
_LONGEST = 16
"""A longer request, with a task before it, is one that nobody says."""


@TYPES.member
class NonSql:
    """Requests on existing columns that a query alone cannot do."""

    label = "non-sql"
    version = 4
    prompt = "unanswerable_task"

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database."""
        cases = shuffled(
            sources.by_database.get(db_id, ()), sources.seed, self.label, key=lambda case: case.id
        )
        for turn in range(_TURNS):
            for case in cases:
                rest = about(case.question)
                if rest is None:
                    continue
                task, form = _task(sources.seed, db_id, case.id, rest, turn)
                text = in_style(form.format(rest=rest), case.question)
                yield Idea(db_id, text, "changed", case.id, task=task)
        known = sources.known.get(db_id)
        for table in known.schema.tables if known is not None else ():
            table_words = sayable(table.name)
            for turn in range(_TURNS) if table_words else ():
                task, form = _task(sources.seed, db_id, table.name, f"all {table_words}", turn)
                yield Idea(db_id, form.format(rest=f"all {table_words}"), "form", task=task)


def about(question: str) -> str | None:
    """What a question asks for, as a noun phrase; ``None`` where it opens in another way.

    >>> about("What are the names of all singers?"), about("How many dogs are there?")
    ('the names of all singers', 'the number of dogs')
    """
    amount = _COUNTS.match(question)
    opening = _OPENINGS.match(question)
    rest = f"the number of {amount['rest']}" if amount else opening["rest"] if opening else None
    if rest is None or _SEVERAL.search(rest) or len(rest.split()) > _LONGEST:
        return None
    return None if _NO_PHRASE.search(rest) else rest


def _task(seed: int, db_id: str, source: str, rest: str, turn: int) -> tuple[str, str]:
    if _TEXTS.search(rest) and draw(seed, "translate", db_id, source) % len(FOR_VALUES) == turn:
        return "a translation", "Translate {rest} into Portuguese."
    amounts = _AMOUNTS.match(rest) and not _LABELS.search(rest)
    tasks: tuple[tuple[str, str], ...]
    tasks = FOR_AMOUNTS if amounts else FOR_VALUES if _OF.search(rest) else FOR_THINGS
    if not _NAMES.search(rest):
        tasks = tuple(each for each in tasks if each[0] not in _OF_NAMES)
    if _YEAR.search(rest):
        tasks = tuple(each for each in tasks if each[0] != "a forecast")
    if re.search(r"\band\b|\beach\b", rest):
        tasks = tuple(
            each for each in tasks if each[0] != "a cause" and not _OF_ONE.search(each[1])
        )
    return tasks[(draw(seed, "task", db_id, source) + turn) % len(tasks)]
