"""Finds what a reply concludes, however it is written, and nothing that it merely quotes.

A reply reasons in prose and ends in one small object, such as ``{"correct": true}``. Models
bend that form in many ways, and a hostile prediction may try to make them repeat a verdict of
its own. The rules, in order:

1. What is quoted is not read: thoughts before ``</think>``, fences of SQL, lines that begin
   with ``>`` or ``|``, SQL comments, objects inside quotation marks.
2. An object stands alone if its lines, or its fence, hold nothing else but a label such as
   *Final verdict:*. The last complete verdict that stands alone wins. One that is introduced
   as a quotation ("the comment says:") does not count.
3. Else a verdict inside the reply's last sentence counts, if that sentence concludes, and one
   behind the last sentence.
4. Else a last line such as ``Correct: true`` counts, its end (``Good. [RESULT] 4``, or the sentence
   that LLM-SQL-Solver asks for, in capitals), or an object whose strings are broken.
5. Else the reply holds no verdict. That is not "incorrect": it is asked for again.

A verdict that comes before any reasoning is flagged, so is one that revises another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sqlverdict.judge.opinion import REPAIRED, REVISED, VERDICT_FIRST
from sqlverdict.judge.replies.loose_json import Object, Value, Word, key_word, object_at, objects
from sqlverdict.judge.replies.zones import ObjectSpan, Zones

T = TypeVar("T")

LONGEST = 200_000
"""Of a longer reply only the end is read; long stretches without a visible character go first."""
_BLANK = re.compile("[\\s\\x00-\\x1f\\x7f\\u00ad\\u200b-\\u200f\\u2060\\ufeff]++")
_LONGEST_BLANK = 100
_MOST_CANDIDATES = 100
"""Of so many objects that could be the verdict, the last ones are looked at."""
_ENDING = 2_000
"""So much of a reply's end may hold a broken object."""

_END_TOKEN = re.compile(r"(?:<\|\w{1,30}\|>|</s>|<eos>|<end_of_turn>)\Z")
"""What some servers leave of a chat template."""
_LONGEST_TOKEN = 34
_EXPLAINING = frozenset({"reasoning", "reason", "explanation", "analysis", "thoughts", "feedback"})
_TRUE = frozenset({"true", "yes", "correct", "right", "1", "equivalent"})
_FALSE = frozenset({"false", "no", "incorrect", "wrong", "0", "notequivalent", "inequivalent"})

VERDICT_KEYS = frozenset(
    {"correct", "iscorrect", "verdict", "correctness", "predictioncorrect", "predictioniscorrect"}
)
EQUIVALENT_KEYS = frozenset({"equivalent", "isequivalent", "equivalence", "areequivalent"})
SCORE_KEYS = frozenset({"score", "rating", "result", "grade", "finalscore"})


@dataclass(frozen=True)
class ReplyReading(Generic[T]):
    """What a reply concludes.

    Attributes:
        value: The conclusion; ``None``: there is none that can be read.
        flags: What is odd about it: ``verdict_first``, ``revised``, ``repaired``.
        explanation: The reply without its concluding object.
        fields: The pairs beside the conclusion, by :func:`~.loose_json.key_word`.
        message: Why there is no value.
    """

    value: T | None
    flags: tuple[str, ...] = ()
    explanation: str = ""
    fields: Mapping[str, Value] = field(default_factory=dict)
    message: str = ""


@dataclass(frozen=True)
class ReplyForm(Generic[T]):
    """What to look for: the keys that hold the conclusion, and how its value is read."""

    name: str
    keys: frozenset[str]
    decode: Callable[[Value], T | None]


def yes_or_no(value: Value) -> bool | None:
    """A yes or no, in any spelling; ``None`` for everything else."""
    if isinstance(value, Word):
        word = key_word(value.text)
    elif isinstance(value, str):
        word = key_word(value) if len(value) < 40 else ""
    else:
        return None
    return True if word in _TRUE else False if word in _FALSE else None


def whole(value: Value) -> int | None:
    """A whole number, quoted or not: ``4``, ``"4"``, ``4.0``, ``"4/5"``."""
    text = value.text if isinstance(value, Word) else value
    if not isinstance(text, str):
        return None
    match = re.fullmatch(r"\s*([0-9]{1,3})(?:\.0+)?(?:\s*/\s*[0-9]+)?\s*", text)
    return int(match[1]) if match else None


VERDICT: ReplyForm[bool] = ReplyForm("verdict", VERDICT_KEYS, yes_or_no)
EQUIVALENT: ReplyForm[bool] = ReplyForm("equivalence", EQUIVALENT_KEYS, yes_or_no)


def score_form(low: int, high: int) -> ReplyForm[int]:
    """A score between two bounds, both allowed."""

    def decode(value: Value) -> int | None:
        number = whole(value)
        return number if number is not None and low <= number <= high else None

    return ReplyForm("score", SCORE_KEYS, decode)


def read_verdict(text: str) -> ReplyReading[bool]:
    """Whether the reply concludes that the prediction is correct."""
    return read_conclusion(text, VERDICT)


def read_conclusion(text: str, form: ReplyForm[T]) -> ReplyReading[T]:
    """What the reply concludes, in the form asked for; see the rules above."""
    size = len(text)
    text = _without_end_tokens(_last_part(text)).replace("\r\n", "\n").replace("\r", "\n")
    zones = Zones(text)
    candidates = _candidates(zones, form)
    standing = [each for each in candidates if each.zone is ObjectSpan.ALONE]
    for group in (standing, [each for each in candidates if each.zone is ObjectSpan.CONCLUDING]):
        if group:
            return _conclude(zones, group)
    return (
        _last_line(zones, form)
        or _tagged(zones, form)
        or _broken(zones, form)
        or _nothing(text, form, size)
    )


@dataclass(frozen=True)
class _Candidate(Generic[T]):
    value: T
    source: Object
    pairs: tuple[tuple[str, Value], ...]
    zone: ObjectSpan
    revised: bool
    explained: bool


def _last_part(text: str) -> str:
    """What is read of a long reply: filler must not take the place of its words."""
    if len(text) > LONGEST:
        text = _BLANK.sub(lambda blank: blank[0][:_LONGEST_BLANK], text)
    return text[-LONGEST:]


def _without_end_tokens(text: str) -> str:
    """The text without the tokens that end a turn; each character is looked at a few times."""
    end = last = len(text)
    while True:
        while last and text[last - 1].isspace():
            last -= 1
        token = _END_TOKEN.search(text, max(0, last - _LONGEST_TOKEN), last)
        if token is None:
            return text[:end]
        end = last = token.start()


def _candidates(zones: Zones, form: ReplyForm[T]) -> list[_Candidate[T]]:
    # Where an object stands takes a look at its whole line: only those are asked that count.
    holding = [
        (each, *conclusion)
        for each in objects(zones.text)
        if (conclusion := _conclusion(each, form))
    ]
    candidates: list[_Candidate[T]] = []
    for each, pairs, (value, revised, explained) in holding[-_MOST_CANDIDATES:]:
        zone = zones.zone(each.start, each.end)
        if zone is not ObjectSpan.QUOTED:
            candidates.append(_Candidate(value, each, pairs, zone, revised, explained))
    return candidates


def _conclusion(
    each: Object, form: ReplyForm[T]
) -> tuple[tuple[tuple[str, Value], ...], tuple[T, bool, bool]] | None:
    """The outermost pairs of an object that hold a conclusion, and the conclusion."""
    for pairs in each.levels():
        conclusion = _conclusion_in(pairs, form)
        if conclusion:
            return pairs, conclusion
    return None


def _conclusion_in(
    pairs: tuple[tuple[str, Value], ...], form: ReplyForm[T]
) -> tuple[T, bool, bool] | None:
    """The conclusion that some pairs hold, if it revises another, and if reasons come first."""
    values: list[T] = []
    explained = False
    for key, value in pairs:
        word = key_word(key)
        read = form.decode(value) if word in form.keys else None
        if read is not None:
            values.append(read)
        elif not values and isinstance(value, str):
            explained = explained or (word in _EXPLAINING and bool(value.strip()))
    if not values:
        return None
    return values[-1], any(value != values[-1] for value in values), explained


def _conclude(zones: Zones, candidates: list[_Candidate[T]]) -> ReplyReading[T]:
    last, first = candidates[-1], candidates[0]
    flags = []
    if not (first.explained or zones.reasoned_before(first.source.start)):
        flags.append(VERDICT_FIRST)
    if last.revised or any(each.value != last.value for each in candidates):
        flags.append(REVISED)
    if not last.source.strict:
        flags.append(REPAIRED)
    fields = {key_word(key): value for key, value in last.pairs}
    prose = zones.without(last.source.start, last.source.end)
    inside = [value for key, value in fields.items() if key in _EXPLAINING]
    explanation = "\n".join([prose, *(value for value in inside if isinstance(value, str))])
    return ReplyReading(last.value, tuple(flags), explanation.strip(), fields)


_LAST_LINE = re.compile(
    r"[\s*_#\"'`\[]*(?:(?:the|my|final|overall)\s+)*"
    r"(?P<key>[A-Za-z][A-Za-z_ ]{1,30}?)[\s*_\"'`\]]*(?:[:=]|\bis\b|(?<=\]))[\s*_\"'`\[(]*"
    r"(?P<value>(?:not\s+)?[A-Za-z]{2,14}|[0-9](?:\s*/\s*[0-9]+)?)[\s*_\"'`\])]*[.!]?[\s*_]*",
    re.IGNORECASE,
)
_LABELS = frozenset({"verdict", "answer", "judgement", "judgment", "decision"})


def _last_line(zones: Zones, form: ReplyForm[T]) -> ReplyReading[T] | None:
    """``Correct: true`` as the reply's last line; ``[RESULT] 4`` likewise."""
    line, start = zones.last_line()
    match = _LAST_LINE.fullmatch(line) if len(line) < 200 else None
    if match is None or key_word(match["key"]) not in form.keys | _LABELS:
        return None
    value = form.decode(Word(match["value"]))
    if value is None:
        return None
    first = () if zones.reasoned_before(start) else (VERDICT_FIRST,)
    return ReplyReading(value, (*first, REPAIRED), zones.without(start, start + len(line)))


_TAGGED = re.compile(
    r"\[\s*(?P<key>[A-Za-z][A-Za-z_ ]{1,30}?)\s*\][\s:*_(]*"
    r"(?P<value>[A-Za-z]{2,14}|[0-9](?:\s*/\s*[0-9]+)?)(?!\w)"
)


_STATED_ANSWER = re.compile(r"\bTHE ANSWER IS[\s:*_]*(?P<value>(?:NOT\s+)?[A-Z]{2,14})(?!\w)")


def _tagged(zones: Zones, form: ReplyForm[T]) -> ReplyReading[T] | None:
    """``[RESULT] 4``, or the answer in capitals, behind the reply's last words."""
    tags = [
        match
        for match in _TAGGED.finditer(zones.text, zones.thoughts)
        if key_word(match["key"]) in form.keys
    ] or [*_STATED_ANSWER.finditer(zones.text, zones.thoughts)]
    if not tags or not zones.ends_with(tags[-1].start(), tags[-1].end()):
        return None
    last = tags[-1]
    value = form.decode(Word(last["value"]))
    if value is None:
        return None
    first = () if zones.reasoned_before(tags[0].start()) else (VERDICT_FIRST,)
    revised = (REVISED,) if len({tag["value"] for tag in tags}) > 1 else ()
    return ReplyReading(
        value, (*first, *revised, REPAIRED), zones.without(last.start(), last.end())
    )


def _broken(zones: Zones, form: ReplyForm[T]) -> ReplyReading[T] | None:
    """An object at the reply's end whose strings are broken, or that was never closed."""
    keys = "|".join(sorted(form.keys))
    pair = rf"[\"'\\]*(?P<key>(?:is_?)?(?:{keys}))[\"'\\]*\s*[:=]\s*[\"'\\]*(?P<value>\w+)[\"'\\]*"
    opening = zones.last_opening()
    if opening is None or object_at(zones.text, opening[0]) is not None:
        return None
    start, end = opening
    text = zones.text[start:end]
    last = text[-_ENDING:]
    # Possessive: no key begins with a space, so a stretch of spaces is tried once.
    ends = [re.search(rf"[{{,\n]\s*+{pair}\s*,?\s*\}}*\Z", last, re.IGNORECASE)]
    if text.endswith("}"):
        ends.append(re.match(rf"\{{\s*{pair}\s*,", text, re.IGNORECASE))
    for match in ends:
        value = form.decode(Word(match["value"])) if match else None
        if match and value is not None:
            at_start = match.start() == len(match.string) - len(text)
            first = at_start and not zones.reasoned_before(start)
            flags = (*((VERDICT_FIRST,) if first else ()), REPAIRED)
            return ReplyReading(value, flags, zones.text[zones.thoughts : end].strip())
    return None


def _nothing(text: str, form: ReplyForm[T], size: int) -> ReplyReading[T]:
    """Why there is no conclusion; ``size`` is the length of the whole reply."""
    key = min(form.keys, key=lambda key: (len(key), key))
    if not text.strip():
        blank = f": {size:,} characters, none of them visible" if size else ""
        return ReplyReading(None, message=f"the reply is empty{blank}")
    part = "" if size <= LONGEST else f", of which the last {LONGEST:,} are read,"
    return ReplyReading(
        None,
        explanation=text.strip(),
        message=f"the reply of {size} characters{part} ends in no {form.name}; expected an "
        f'object such as {{"{key}": ...}} at its end',
    )
