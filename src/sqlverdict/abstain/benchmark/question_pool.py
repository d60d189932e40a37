"""A pool: questions from elsewhere, for out-of-domain ones, and talk.

It is a text file with one question a line; JSON or JSONL records with a ``question``; TriageSQL's
file, of which small talk is taken unless other types are named; or any benchmark that we read.

Somebody who says "Do you like soccer?" or "I did not know that." asks for no fact at all, and
"was he injured in the war?" asks nothing that a reader could look up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlverdict.abstain.benchmark.words import question_words, same_wording
from sqlverdict.errors import BenchmarkError
from sqlverdict.files.text import count, read_text, split_lines
from sqlverdict.load.benchmark import BENCHMARKS, SourceFile
from sqlverdict.load.system_records import Records
from sqlverdict.parse.tokens import word_set

_SMALL_TALK = "small talk"
_ASKING = word_set(
    "what which who whom whose when where why how is are was were do does did can could will would "
    "should has have list show give find tell name count return display calculate compute report "
    "describe explain identify please"
)
_PREPOSITIONS = word_set("in at on of for from by to with among")
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


@dataclass(frozen=True)
class PoolQuestion:
    """A question from elsewhere, where it came from, and whether it is mere talk."""

    text: str
    origin: str
    chat: bool = False


@dataclass(frozen=True)
class QuestionPool:
    """Questions, each wording once, and where they came from."""

    questions: tuple[PoolQuestion, ...]
    sources: tuple[SourceFile, ...]
    note: str = ""


def read_pool(path: Path, *, benchmark: str = "", types: Sequence[str] = ()) -> QuestionPool:
    """Read a pool.

    Args:
        path: The file, or a benchmark's folder.
        benchmark: The format, where it is a benchmark of ours.
        types: The types to take, of TriageSQL; small talk where not given.

    Raises:
        BenchmarkError: it cannot be read, or holds no question.
        UnknownMember: there is no such format.
    """
    note = ""
    typed = False
    if benchmark:
        source = BENCHMARKS.get(benchmark).read(path)
        texts = [(case.question, f"{source.name} {case.id}") for case in source.cases]
        sources = source.sources
    elif path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        selected = tuple(types) or (_SMALL_TALK,)
        records = list(_records(path))
        typed = any(kind for _, kind, _ in records)
        texts = [(text, where) for text, kind, where in records if not typed or kind in selected]
        sources = (SourceFile.of(path),)
        if typed:
            used = count(len(texts), "question")
            note = f"used of the pool: {used} of the types {', '.join(selected)}"
    else:
        lines = split_lines(read_text(path, BenchmarkError))
        texts = [(line, f"{path.name} {number}") for number, line in enumerate(lines, 1)]
        sources = (SourceFile.of(path),)
    questions: dict[str, PoolQuestion] = {}
    others = 0
    for text, origin in texts:
        asks = bool(benchmark) or is_question(text)
        chat = not benchmark and is_chat(text, asks=asks)
        # Types are those of TriageSQL, whose small talk was taken out of conversations.
        if chat or (asks and not (typed and needs_context(text))):
            questions.setdefault(same_wording(text), PoolQuestion(text.strip(), origin, chat))
        else:
            others += bool(text.strip())
    if others:
        entries = count(others, "entry", "entries")
        passed_over = f"{entries} of the pool passed over: not a question that stands alone"
        note = f"{note}; {passed_over}" if note else passed_over
    if not questions:
        kinds = f" of the types {', '.join(types)}" if types else ""
        raise BenchmarkError(
            f"{path} holds no question{kinds}. Expected one per line, or records with 'question'.",
            reason="empty",
        )
    return QuestionPool(tuple(questions.values()), sources, note)


def is_question(text: str) -> bool:
    """Whether a text asks for something: small talk and statements do not.

    >>> is_question("who wrote it"), is_question("List the dogs."), is_question("I am fine.")
    (True, True, False)
    """
    spoken = [word for word, _, _ in question_words(text)]
    if not spoken:
        return False
    asking = _ASKING.intersection(spoken)
    return (
        text.rstrip().endswith("?")
        or spoken[0] in _ASKING
        or (spoken[0] in _PREPOSITIONS and bool(asking))
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


def _records(path: Path) -> Iterator[tuple[str, str, str]]:
    """Each record's question, type and place."""
    for number, (record, where) in enumerate(Records(path)):
        text = record.get("question")
        if not isinstance(text, str):
            raise BenchmarkError(
                f"{where}: found no 'question' that is text; expected one.", reason="missing_field"
            )
        kind = record.get("type")
        yield text, kind.strip().lower() if isinstance(kind, str) else "", f"{path.name} {number}"
