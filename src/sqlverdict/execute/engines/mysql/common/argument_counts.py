"""How many arguments functions take: MySQL refuses a call with another number of them.

Its parser is not at hand. So these calls are counted, and what stands behind LIMIT is looked at:
the types of values are no error there, as everything becomes what is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from sqlverdict.execute.lexemes import Lex, Lexeme, solid_lexemes
from sqlverdict.parse.tokens import word_set

_MANY: Final = 10**6
_COUNTS: Final = {
    **dict.fromkeys(
        word_set(
            "dayofmonth dayofweek dayofyear weekday weekofyear to_days to_seconds time_to_sec "
            "octet_length bit_length ascii ord floor ceil ceiling sign sqrt ln log2 log10 ltrim "
            "rtrim reverse dayname monthname md5 sha1 hex last_day from_days sec_to_time lower "
            "upper lcase ucase length char_length character_length abs isnull year month day hour "
            "minute second microsecond quarter date time trim"
        ),
        (1, 1),
    ),
    **dict.fromkeys(word_set("week yearweek round log from_unixtime crc32 timestamp mod"), (1, 2)),
    **dict.fromkeys(
        word_set(
            "datediff instr find_in_set strcmp truncate time_format makedate str_to_date timediff "
            "ifnull nullif sha2 left right adddate subdate date_add date_sub extract"
        ),
        (2, 2),
    ),
    **dict.fromkeys(word_set("locate format lpad rpad date_format substr substring mid"), (2, 3)),
    **dict.fromkeys(word_set("field concat_ws greatest least"), (2, _MANY)),
    **dict.fromkeys(word_set("replace substring_index if timestampadd timestampdiff"), (3, 3)),
    **dict.fromkeys(word_set("concat coalesce"), (1, _MANY)),
    **dict.fromkeys(
        word_set("unix_timestamp now current_timestamp localtime localtimestamp"), (0, 1)
    ),
    **dict.fromkeys(word_set("curdate current_date"), (0, 0)),
}
"""The least and the most, on MySQL or MariaDB; ``a MOD (b)`` looks like a call with one."""
_CLOCK: Final = word_set("now current_timestamp localtime localtimestamp")
_DIGITS: Final = re.compile("0*[0-6]")
_SEPARATORS: Final = word_set(", from for")
_BEFORE_NAME: Final = word_set("as . ) into")
"""What stands before a name with columns in parentheses, which is no call."""


def call_error(sql: str) -> str | None:
    """What is wrong with a call or a LIMIT; ``None`` where nothing is found."""
    if "\\" in sql or "/*" in sql:
        return None
    parts = solid_lexemes(sql, "mysql")
    words = [part.text.lower() if part.kind in (Lex.WORD, Lex.SYMBOL) else "" for part in parts]
    return next(_wrong_limits(parts, words), None) or next(_wrong_calls(parts, words), None)


def _wrong_limits(parts: Sequence[Lexeme], words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words[:-1]):
        behind = parts[at + 1]
        is_other = behind.kind in (Lex.STRING, Lex.NAME, Lex.WORD) or words[at + 1] in ("(", "-")
        is_other = is_other or (behind.kind is Lex.NUMBER and not behind.text.isdecimal())
        if word == "limit" and is_other and words[at + 1] != "rows":
            yield f"LIMIT {behind.text}"


def _wrong_calls(parts: Sequence[Lexeme], words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words[:-1]):
        counts = _COUNTS.get(word) if words[at + 1] == "(" else None
        if counts is None or (at and words[at - 1] in _BEFORE_NAME):
            continue
        count = _count(words, at + 1, {","} if word == "trim" else _SEPARATORS)
        if count is not None and not counts[0] <= count <= counts[1]:
            yield f"{count} arguments of {word.upper()}"
        elif word in _CLOCK and count and not _DIGITS.fullmatch(parts[at + 2].text):
            yield f"{word.upper()} of something other than a number of digits"


def _count(words: Sequence[str], start: int, separators: AbstractSet[str]) -> int | None:
    """The number of arguments in parentheses; ``None`` where they do not end, or a name follows."""
    depth, commas = 0, 0
    for at in range(start, len(words)):
        depth += (words[at] == "(") - (words[at] == ")")
        commas += words[at] in separators and depth == 1
        if not depth:
            is_name = words[at + 1 : at + 3] == ["as", "("]
            return None if is_name else commas + (at > start + 1)
    return None
