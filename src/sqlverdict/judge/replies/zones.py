"""What is where in a reply: thoughts, fences, quotations, and the reply's own words."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum

from sqlverdict.parse.tokens import word_set

SQL_FENCES = ("sql", "sqlite", "postgres", "mysql", "tsql", "plsql", "duckdb", "mariadb")
"""What models write behind a fence of SQL: their habit, with engines that we do not have."""


class ObjectSpan(Enum):
    """Where an object stands."""

    ALONE = "alone"
    CONCLUDING = "concluding"
    PROSE = "prose"
    QUOTED = "quoted"


@dataclass(frozen=True)
class Fence:
    """A fenced stretch of text, from the end of its opening line's mark to its closing mark."""

    start: int
    end: int
    language: str
    outer_start: int
    outer_end: int


_MARK = re.compile(r"(?:`{3,}|~{3,})(?P<language>[A-Za-z][\w+-]*)?")
_THOUGHTS = re.compile(r"(?s:.*)</think(?:ing)?>", re.IGNORECASE)
_THINKING = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_LABEL_WORDS = word_set(
    "a answer assessment conclusion correct decision evaluation final here hence in is it json "
    "judgement judgment my object output overall response result score so summary task the "
    "therefore this thus to verdict"
)
_CONCLUDING = re.compile(
    r"\b(?:therefore|thus|hence|final|finally|verdict|conclu\w*|overall|judge?ment|my answer|"
    r"answer is|score is|in summary)\b",
    re.IGNORECASE,
)
_QUOTING = re.compile(
    r"\b(?:comments?|literals?|cells?|strings?|inject\w*|embed\w*|claims?|says?|said|reads?|"
    r"quot\w+|instruct\w*|ignor\w*|pretend\w*|hidden|payload|attack\w*|manipulat\w*|"
    r"attempts?|tries|contain\w*|includ\w*)\b",
    re.IGNORECASE,
)
# A full stop ends what a sentence introduces: fewer words make the next object a quotation.
_PLANTED = re.compile(
    r"\b(?:comments?|literals?|cells?|strings?|inject\w*|embed\w*|claims?|says?|said|quot\w+|"
    r"instruct\w*|pretend\w*|hidden|payload|attack\w*|manipulat\w*)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_OWN_WORDS = re.compile(r"\b(?:my|final|finally|verdict|conclu\w*|score)\b", re.IGNORECASE)
# Possessive: what a stretch of spaces was given to is not tried again.
_OPENING = re.compile(r"^[ \t`*]*+(?:json[ \t]*+)?(\{)", re.MULTILINE)
_WORDS = re.compile(r"[^\W\d_]+")
_TRIVIAL = re.compile(r"[\s`~*_.,;:!#()\[\]{}>\-]*")
_REASON = re.compile(r"\s*(?:[-\u2013\u2014:.,;]\s|because\b|since\b|as\b)", re.IGNORECASE)
_PAIRS = {"'": "'", '"': '"', "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}


class Zones:
    """A reply's text and what its parts are."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.thoughts = self._thoughts()
        self.fences = self._fences()
        self._starts = [fence.start for fence in self.fences]

    def _thoughts(self) -> int:
        """Where the thoughts end; thoughts that never end leave nothing."""
        match = _THOUGHTS.match(self.text)
        if match:
            return match.end()
        return len(self.text) if _THINKING.match(self.text) else 0

    def _fences(self) -> list[Fence]:
        fences: list[Fence] = []
        opening: re.Match[str] | None = None
        for mark in _MARK.finditer(self.text, self.thoughts):
            if opening is None:
                opening = mark
                continue
            fences.append(self._fence(opening, mark.start(), mark.end()))
            # A closing mark names no language: this one opens the next fence, and the mark
            # that should have closed the one before is missing.
            opening = mark if mark["language"] else None
        if opening is not None:
            fences.append(self._fence(opening, len(self.text), len(self.text)))
        return fences

    def _fence(self, opening: re.Match[str], end: int, outer_end: int) -> Fence:
        language = (opening["language"] or "").lower()
        return Fence(opening.end(), end, language, opening.start(), outer_end)

    def fence_at(self, at: int) -> Fence | None:
        """The fence around a position."""
        number = bisect_right(self._starts, at) - 1
        if number < 0:
            return None
        fence = self.fences[number]
        return fence if at < fence.end else None

    def line(self, at: int) -> tuple[int, int]:
        """Where the line around a position begins and ends; behind thoughts begins a line."""
        start = self.text.rfind("\n", 0, at) + 1
        if at >= self.thoughts:
            start = max(start, self.thoughts)
        end = self.text.find("\n", at)
        return start, len(self.text) if end < 0 else end

    def zone(self, start: int, end: int) -> ObjectSpan:
        """Where an object stands."""
        if start < self.thoughts:
            return ObjectSpan.QUOTED
        fence = self.fence_at(start)
        if fence is not None and fence.language.startswith(SQL_FENCES):
            return ObjectSpan.QUOTED
        first, _ = self.line(start)
        _, last = self.line(end - 1)
        before = self.text[first:start]
        after = self.text[end:last]
        if before.lstrip().startswith((">", "|")) or self._in_comment(before, start, end):
            return ObjectSpan.QUOTED
        if fence is not None:
            # A fence may hold nothing but the object; a mark on the object's own line is no text.
            before = self.text[fence.start : start]
            after = self.text[end : fence.end]
        if _is_label(before) and _is_trailer(after):
            return (
                ObjectSpan.QUOTED
                if self._introduced_as_quotation(start, fence)
                else ObjectSpan.ALONE
            )
        if fence is not None or _in_quotation_marks(before, after):
            return ObjectSpan.QUOTED if fence is None else ObjectSpan.PROSE
        return ObjectSpan.CONCLUDING if self._concludes(start, end) else ObjectSpan.PROSE

    def _in_comment(self, before: str, start: int, end: int) -> bool:
        if "--" in before or "/*" in before:
            return True
        opened = self.text.rfind("/*", self.thoughts, start)
        closed = self.text.rfind("*/", self.thoughts, start)
        return opened > closed and self.text.find("*/", end) >= 0

    def _introduced_as_quotation(self, start: int, fence: Fence | None) -> bool:
        at = fence.outer_start if fence is not None else self.line(start)[0]
        lines = self.text[self.thoughts : at].rstrip().rsplit("\n", 1)
        intro = lines[-1].rstrip(" *_`")
        if not intro.endswith((":", "\u2014", "-")):
            return False
        sentence = _SENTENCE_END.split(intro)[-1]
        return bool(_QUOTING.search(sentence)) and not _OWN_WORDS.search(sentence)

    def _concludes(self, start: int, end: int) -> bool:
        """Whether an object inside prose ends the reply, in a sentence that draws a conclusion.

        One that follows a full sentence does, unless that sentence speaks of a planted text.
        """
        if not _TRIVIAL.fullmatch(self.text, end):
            return False
        first, _ = self.line(start)
        *before, sentence = _SENTENCE_END.split(self.text[first:start])
        if before and not sentence.strip():
            return not _PLANTED.search(before[-1])
        return bool(_CONCLUDING.search(sentence)) and not _QUOTING.search(sentence)

    def ends_with(self, start: int, end: int) -> bool:
        """Whether a stretch at the end of a line ends the reply, in words of its own."""
        if self.zone(start, end) not in (ObjectSpan.PROSE, ObjectSpan.CONCLUDING):
            return False
        if self.fence_at(start) is not None or not _TRIVIAL.fullmatch(self.text, end):
            return False
        *before, sentence = _SENTENCE_END.split(self.text[self.line(start)[0] : start])
        introduction = sentence if sentence.strip() or not before else before[-1]
        return not _PLANTED.search(introduction)

    def reasoned_before(self, at: int) -> bool:
        """Whether anything but labels and marks comes before a position."""
        if _WORDS.search(self.text, 0, self.thoughts):
            return True
        words = _WORDS.findall(self.text, self.thoughts, at)
        return any(word.lower() not in _LABEL_WORDS for word in words)

    def without(self, start: int, end: int) -> str:
        """The reply's own words without a stretch and the fence around it."""
        fence = self.fence_at(start)
        if fence is not None:
            start, end = fence.outer_start, max(end, fence.outer_end)
        parts = (self.text[self.thoughts : start].rstrip(), self.text[end:].strip())
        return "\n".join(part for part in parts if part).strip()

    def last_line(self) -> tuple[str, int]:
        """The last line with words of the reply's own, and where it begins; empty if quoted."""
        end = len(self.text)
        while end > self.thoughts:
            start, _ = self.line(end - 1)
            line = self.text[start:end]
            if _WORDS.search(line) or any(map(str.isdigit, line)):
                own = not line.lstrip().startswith((">", "|", "--", "/*"))
                alone = self.zone(start, end) is ObjectSpan.ALONE
                return (line, start) if own and alone else ("", start)
            end = start - 1
        return "", self.thoughts

    def last_opening(self) -> tuple[int, int] | None:
        """Where the reply's last brace that begins a line stands, and where the reply ends.

        ``None`` where there is none, or where it is quoted. Closing marks and spaces at the
        reply's end do not count.
        """
        end = len(self.text.rstrip("`~ \n\t*."))
        openings = list(_OPENING.finditer(self.text, self.thoughts, end))
        if not openings:
            return None
        start = openings[-1].start(1)
        return (start, end) if self.zone(start, end) is ObjectSpan.ALONE else None


def _is_label(text: str) -> bool:
    """Whether what comes before an object is nothing but marks and a label."""
    rest = _MARK.sub(" ", text)
    if any(mark in rest for mark in "\"'\u201c\u2018\u00ab=<"):
        return False
    return all(word.lower() in _LABEL_WORDS for word in _WORDS.findall(rest))


def _is_trailer(text: str) -> bool:
    """Whether what follows an object is nothing but marks, or its reason on the same line."""
    rest = _MARK.sub(" ", text)
    if _TRIVIAL.fullmatch(rest) or rest.lstrip().startswith("//"):
        return True
    return bool(_REASON.match(rest)) and "\n" not in rest.strip() and not _QUOTING.search(rest)


def _in_quotation_marks(before: str, after: str) -> bool:
    opening, closing = before.rstrip()[-1:], after.lstrip()[:1]
    return opening in ("`", *_PAIRS) or closing in ("`", *_PAIRS.values())
