"""The SQL in a language model's reply.

Replies come as plain SQL, in Markdown fences, tags, JSON or a box, after "Here is the query:", with
prose or a chat template's mark behind it, or without any SQL at all. Two rules keep this honest:
plain SQL passes through verbatim, character for character; and a statement of any kind stays what
it is. A reply that drops a table is a prediction that drops a table, for the engine to block, not
"no SQL".

Every pattern here is linear in the length of the text: alternatives are atomic, and an
unterminated quote or comment runs to the end instead of being tried again. A reply may have many
megabytes: a pattern that is searched for starts with a letter or sign of its own, which Python
looks for quickly, and one match reads as much text as it can.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace

from sqlverdict.errors import UsageError
from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.load.replies.wrapped import (
    END_MARK,
    HAS_END_MARK,
    answer_in_tag,
    behind_thoughts,
    box_contents,
    ends_thought,
    object_value,
    tag_content,
)
from sqlverdict.patterns import late_pattern
from sqlverdict.records import Prediction

_GAP = r"(?>[\s\ufeff]+|--[^\n]{0,200}+\n|/\*.{0,200}?\*/){0,20}+"
_LEAD = r"(?>[\s\ufeff(;]+|--[^\n]*+(?:\n|\Z)|/\*.*?(?:\*/|\Z))*+"
_NAME = r"(?:\"[^\"]{0,200}+\"|`[^`]{0,200}+`|\[[^\]]{0,200}+\]|\w++)"
_CTE = rf"with\b{_GAP}(?:recursive\b{_GAP})?{_NAME}{_GAP}(?:\([^()]{{0,2000}}+\){_GAP})?as\b"
# A query of DuckDB; what stands behind the word tells it from "Pivot tables are ...".
_PIVOT = (
    rf"(?:un)?pivot(?:_wider|_longer)?\b{_GAP}"
    rf"(?:\(|{_NAME}(?:\.{_NAME}){{0,2}}{_GAP}(?:as\b{_GAP}{_NAME}{_GAP})?on\b)"
)

# English that starts with a word of SQL: "With the given schema ...", "Show me ...", "Update: ".
_ENGLISH = (
    r"(?:\s*+[:,.!?]|\s++`(?:select|with)\b|\s++(?:the|this|that|these|those|an?|your|our|my|me|i|it|you|we|is|are|was|"
    r"not|to|of|on|in|following|given|below|only|no|all|respect|regards?|reference)\b"
    r"(?!\s++(?:set|from|as)\b|\s*+[;(]|\s*+\Z|\.\w))"
)
_READS = r"select\b(?!\s++i(?:'(?:ll|m|ve|d)|\s++(?:will|can|cannot|am))\b)|values"
_OTHERS = (
    r"insert|update|delete|replace|create|drop|alter|attach|detach|pragma|vacuum|explain|analy[sz]e|"
    r"reindex|begin|commit|end|rollback|savepoint|release|truncate|grant|revoke|merge|call|"
    r"exec(?:ute)?|show|desc(?:ribe)?|use|set|copy|declare|load|install|import|export|from|table"
)
_QUERY = late_pattern(rf"(?is){_LEAD}(?:(?:{_READS})\b|{_CTE}|{_PIVOT}|with\b(?!{_ENGLISH}))")
_STATEMENT = re.compile(
    rf"{_LEAD}(?:(?:{_READS})\b|{_CTE}|{_PIVOT}|rollback\s++to\b|(?:with|{_OTHERS})\b(?!{_ENGLISH}))",
    re.I | re.S,
)

_COMMENTED = r"/\*(?:[^*]++|\*(?!/))*+"
_PROSE_BEHIND = r"\n[ \t]{0,8}+(?:Explanation|SQLResult|Reasoning)[ \t]{0,2}+:"
# SQL up to where it may end: a semicolon, a fence, an end mark, prose, a blank line. Quotes and
# comments hide them.
_SQL_PART = late_pattern(
    r"(?>[^'\"`~\[<>/;\n-]++|'(?:[^']++|'')*+'?|\"(?:[^\"]++|\"\")*+\"?|(?!```)`[^`]*+`?|(?!~~~)~"
    rf"|(?!{END_MARK})[<>]|(?!{END_MARK})\[[^\]]*+\]?|--[^\n`]*+|-"
    rf"|{_COMMENTED}(?:\*/|(?P<unclosed>\Z))|/|(?!{_PROSE_BEHIND})\n(?![ \t\r]*+\n))*+"
)
_BLANK_LINES = late_pattern(r"\n\s*+")
# The same inside Markdown, where an apostrophe is mostly an apostrophe: quotes end with the line.
_BLOCK_PART = (
    r"(?>[^'\"`~-]++|'(?:[^'\n]++|'')*+'?|\"(?:[^\"\n]++|\"\")*+\"?|--[^\n`]*+|-"
    r"|(?!(?P=fence))(?:```++|`[^`\n]*+`?|~++))*+"
)
_BLOCK = late_pattern(
    r"(?P<fence>```++|~~~++)[ \t]*+"
    r"(?i:(?=[\w+.#-])(?:"
    r"(?:sqlite3?|sql|postgres(?:ql)?|mysql|t-?sql|plsql|duckdb|text|txt|code|query)\b:?"
    rf"|(?!(?:with|{_READS}|{_OTHERS})\b)[\w+.#-]++[ \t\r]*+(?=\n)))?"
    rf"(?P<body>{_BLOCK_PART})(?P<close>(?P=fence)(?:(?<=`)`*+|~*+))?"
)
_BETWEEN = late_pattern(_LEAD, re.S)
_PROSE_LINE = late_pattern(
    r"\s*+(?:explanation|sqlresult|reasoning|note|this\s+(?:sql\s+)?(?:query|statement)|here|the\s|i\s|in\s+this|"
    r"let\s|if\s+you|please|\*\*|#)",
    re.I,
)
# No prose stands behind it; DuckDB has names with a colon there ("SELECT Note: 1").
_UNFINISHED = late_pattern(r"(?:,|\b(?:select|distinct|all))[ \t\r]{0,40}+\Z", re.I)
_UNFINISHED_LENGTH = 50
# Words that start a statement, to be looked for in prose; _IN_PROSE says what follows.
_FIRST_WORD = late_pattern(
    r"[sSwWvViIrRdDuUcCaApPtT](?<![^\s:`*>(].)(?<![^\s:`*>(] .)"
    r"(?i:elect|ith|alues|nsert|eplace|elete|pdate|rop|reate|lter|ttach|ragma|acuum|runcate)\b"
)
_IN_PROSE = late_pattern(
    r"select\b(?!\s++(?:the|this|that|these|those|an?|your|any|is|are|statements?|quer(?:y|ies))\s"
    r"(?!\s*+(?:from|as)\b))(?:\s*+(?P<sure>[\d'(*\"`\[+-]|\w++\()|\s)"
    rf"|(?P<other>{_CTE}|values\s*+\(|insert\s++(?:or\s++\w++\s++)?into\b|replace\s++into\b"
    r"|delete\s++from\b|update\s++\S++\s++set\b"
    r"|drop\s++(?:table|view|index|trigger|database|schema)\b"
    r"|create\s++(?:or\s++replace\s++)?(?:temp(?:orary)?\s++)?(?:unique\s++)?"
    r"(?:virtual\s++)?(?:table|view|index|trigger|database)\b|alter\s++table\b"
    r"|attach\s++(?:database\b|')|pragma\s++\w|vacuum\s*+(?:into\b|;|$)|truncate\s++table\b)",
    re.I | re.M | re.S,
)
_MARK = late_pattern(r"(?:[:`]|(?<!/)\*)[ \t`*]{0,4}\Z")
_MARK_LENGTH = 6
_MOST_PARENTHESES = 9
_SHOUTED = late_pattern(r"[SW](?<!\w[SW])(?:(?<=S)ELECT\s|(?<=W)ITH\s++\w++\s++AS\s*+\()")
_COMMENT = late_pattern(rf"^[ \t]*+--[^\n]*+|{_COMMENTED}\*/", re.M)
_LINE_COMMENT = late_pattern(r"^[ \t]*+--[^\n]*+", re.M)
_FROM = late_pattern(r".*\bfrom\b", re.I | re.S)
_STOP = "\x01"


def text_prediction(case_id: str, text: str) -> Prediction:
    """The prediction in a text that should be SQL but may be a model's whole reply."""
    sql = extract_sql(text)
    return Prediction(case_id, sql=sql, raw=None if sql == text else text)


def is_plain_sql(text: str) -> bool:
    """Whether a text is SQL as it stands: a statement, with nothing around it."""
    return _STATEMENT.match(text) is not None and extract_sql(text) == text


def extract_sql(text: str, *, tag: str | None = None) -> str | None:
    """The SQL in a model's reply, or None where there is none.

    Plain SQL comes back verbatim. Of several fenced blocks, the last complete one that is a
    query counts; without one, the last that is any statement. Of several answers in tags the last
    complete one counts. Prose around SQL goes; prose about SQL ("I cannot select that") is not SQL,
    and neither is a query in a comment or in a thought. docs/inputs.md has the forms of replies.

    Args:
        text: The reply.
        tag: The tag that holds the answer, such as ``"final"``; a reply without it has none. By
            default the usual tags are looked for, and none is needed.

    Raises:
        UsageError: the reply is no text, or the tag no name.

    Examples:
        >>> sv.extract_sql("There are three: SELECT count(*) FROM item;")
        'SELECT count(*) FROM item;'
        >>> sv.extract_sql("I cannot answer that.") is None
        True
    """
    if not isinstance(text, str):
        raise UsageError(f"a reply is {type(text).__name__}; expected text")
    if tag is not None:
        text = answer_in_tag(text, check_tag(tag)) or ""
    return _statement_at_start(text) or _from_reply(behind_thoughts(text))


def check_tag(tag: str) -> str:
    """The name of a tag.

    Raises:
        UsageError: it is none. Such a tag stands in no reply, and every reply would be wrong.
    """
    if isinstance(tag, str) and tag.strip() and not set(tag) & set("<>/ "):
        return tag
    raise UsageError(f"tag is {tag!r}; expected its name alone, such as 'answer', or None")


def _statement_at_start(text: str) -> str | None:
    """The statement that a text starts with; ``None`` where that is part of a thought."""
    if not _STATEMENT.match(text):
        return None
    # Most texts have no bracket of a mark.
    has_mark = ("<" in text or "[" in text) and HAS_END_MARK.search(text) is not None
    if "\n" not in text and "``" not in text and "~~" not in text and not has_mark:
        first = text.find(";")
        if first < 0 or first == len(text) - 1:
            return text
    return _until_prose(text)


def _from_reply(text: str) -> str | None:
    """The SQL in a reply that may be wrapped: the first form that it has decides."""
    statement = _statement_at_start(text)
    if statement is not None:
        return statement
    content = tag_content(text)
    if content is not None:
        sql = _from_reply(content[0])
        if sql is not None or content[1]:
            return sql
    boxes = box_contents(text)
    if boxes:
        return _from_reply(boxes[-1])
    if "```" in text or "~~~" in text:
        sql = _from_blocks(text)
        if sql is not None:
            return sql
    value = object_value(text)
    if value is not None:
        return extract_sql(value[0]) if value[0] else None
    return _from_prose(text)


def _until_prose(text: str) -> str | None:
    """A text that starts with a statement, without the fence, mark or prose behind it.

    ``None`` where the mark says that it was a thought.
    """
    at = known = 0
    while (end := _end_of(_SQL_PART, text, at)) < len(text):
        if text[end] in "`~":
            return _before_fence(text, end)
        if text[end] in "<[":
            return None if ends_thought(text, end) else text[:end].strip()
        if text[end] == ";":
            at = _end_of(_BETWEEN, text, end + 1)
            if at < len(text) and not _STATEMENT.match(text, at):
                return text[: end + 1].strip()
            continue
        at = _end_of(_BLANK_LINES, text, end)
        unfinished = _UNFINISHED.search(text[max(0, end - _UNFINISHED_LENGTH) : end])
        if at > known and not unfinished and _PROSE_LINE.match(text, at):
            known = _end_of_statement(text, at)
            if not known:
                return text[:end].strip()
    return text


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a pattern that may match nothing ends."""
    match = pattern.match(text, at)
    return match.end() if match else at


def _end_of_statement(text: str, at: int) -> int:
    """Where a statement ends that goes on behind a blank line, however much that looks like prose.

    0 where it is prose. SQLite's grammar says so: it reads up to a character of ours that no
    SQL has. The statement is never whole, so nothing is compiled.
    """
    while part := _SQL_PART.match(text, at):
        stop = part.end()
        if part["unclosed"] is not None:
            return 0
        if stop == len(text) or text[stop] != "\n":
            break
        at = _end_of(_BLANK_LINES, text, stop)
    with closing(open_in_memory()) as connection:
        try:
            connection.execute(f"{text[:stop]}\n{_STOP}")
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            return stop if str(error) == f'unrecognized token: "{_STOP}"' else 0
    return 0


def _before_fence(text: str, at: int) -> str:
    """A text that starts with a statement and has a fence behind it.

    Mostly that fence closes a block which the prompt opened. But where the prompt ended in
    SELECT, the whole reply may stand behind it: "SELECT ```sql SELECT a FROM t```" or even
    "SELECT ```sql a FROM t```".
    """
    head = text[:at].strip()
    if "\n" in head or not text[at:].strip("`~ \n"):
        return head
    if head.lower() == "select":
        body = next(_blocks(text))[0]
        return body if _STATEMENT.match(body) else f"{head} {body}"
    return head


def _from_blocks(text: str) -> str | None:
    bodies = list(_statements_in_blocks(text))
    answers = _complete(bodies) or [body for body, _ in bodies]
    return answers[-1] if answers else None


def complete_blocks(text: str) -> list[str]:
    """The queries in closed fenced blocks, or statements; none where blocks do not decide."""
    rest = behind_thoughts(text)
    plain = _statement_at_start(text) or _statement_at_start(rest)
    return [] if plain else _complete(_statements_in_blocks(rest))


def _complete(bodies: Iterable[tuple[str, bool]]) -> list[str]:
    complete = [body for body, closed in bodies if closed]
    return [body for body in complete if _QUERY.match(body)] or complete


def _statements_in_blocks(text: str) -> Iterator[tuple[str, bool]]:
    """The blocks that hold a statement, and whether each is closed."""
    for body, closed in _blocks(text):
        if not _STATEMENT.match(body):
            value = object_value(body)
            body = value[0] or "" if value else ""
        if _STATEMENT.match(body):
            yield body, closed


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """The fenced blocks, and whether each is closed; a cut-off reply leaves the last open."""
    for block in _BLOCK.finditer(text):
        body, closed = block["body"], block["close"] is not None
        if not closed:
            # An odd quote hid the closing fence, as in 'it\\'s'; trust the fence then.
            body, fence, _ = body.partition(block["fence"])
            closed = bool(fence)
        yield body.strip(), closed


def _from_prose(text: str) -> str | None:
    lead = _BETWEEN.match(text)
    commented = lead is not None and lead.end() == len(text)
    start = None if commented else _first_query(_without_comments(text))
    if start is None:
        return None
    if text.endswith("**", 0, start):
        return text[start:].partition("**")[0].strip()
    if text[start - 1 : start] == "`":
        line_end = text.find("\n", start)
        close = text.rfind("`", start, line_end if line_end >= 0 else len(text))
        if close > start:
            return text[start:close].strip()
    sql = _until_prose(text[start:])
    return None if sql is None else sql.strip().removesuffix(".")


def _without_comments(text: str) -> str:
    """The text with blanks in place of comments; what opens one and never closes it is prose."""

    def blanks(comment: re.Match[str]) -> str:
        return " " * len(comment[0])

    if "--" not in text and "*/" not in text:
        return text
    last = text.rfind("*/") + 2 if "*/" in text else 0
    return _COMMENT.sub(blanks, text[:last]) + _LINE_COMMENT.sub(blanks, text[last:])


def _first_query(text: str) -> int | None:
    """Where a query starts in prose: on its own line, behind a colon, or in capitals."""
    last_from: int | None = None
    for word in _FIRST_WORD.finditer(text):
        start = _marked_start(text, word.start())
        match = None if start is None else _IN_PROSE.match(text, word.start())
        if match is None:
            continue
        if last_from is None and not match["sure"] and not match["other"]:
            last_from = _end_of(_FROM, text, 0) - len("from")
        if match["sure"] or match["other"] or word.start() < (last_from or 0):
            return start
    shouted = _SHOUTED.search(text)
    if shouted and text.find("FROM", shouted.end()) >= 0:
        return shouted.start()
    return None


def _marked_start(text: str, at: int) -> int | None:
    """Where a query with this first word starts, its parentheses included.

    ``None`` where neither a colon, backtick or asterisk nor the start of a line stands before it.
    """
    start = at
    while start > max(0, at - _MOST_PARENTHESES) and text[start - 1] == "(":
        start -= 1
    if _MARK.search(text[max(0, start - _MARK_LENGTH) : start]):
        return start
    size = 16
    while True:
        before = text[max(0, start - size) : start].rstrip(" \t>")
        if before or size >= start:
            return start if not before or before.endswith("\n") else None
        size *= 4


def read_prediction(case_id: str, prediction: Prediction | str | None) -> Prediction:
    """A prediction as a record: ``None`` abstains, a text is a reply from which SQL is taken."""
    if prediction is None:
        return Prediction(case_id, abstained=True)
    if isinstance(prediction, str):
        return text_prediction(case_id, prediction)
    nothing_read = prediction.sql is None and prediction.answer is None
    if nothing_read and not prediction.abstained and prediction.raw:
        return replace(prediction, sql=extract_sql(prediction.raw))
    return prediction


def with_tag(prediction: Prediction, tag: str) -> Prediction:
    """The prediction, with the SQL in its reply's ``<tag>``; none where the tag is missing."""
    reply = prediction.raw if prediction.raw is not None else prediction.sql
    if reply is None or prediction.abstained or prediction.answer is not None:
        return prediction
    return replace(prediction, sql=extract_sql(reply, tag=tag), raw=reply)
