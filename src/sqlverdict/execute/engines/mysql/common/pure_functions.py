"""Functions whose value depends on their arguments, the session and the clock alone.

None of them fails in the mode of our sessions: what has no value is NULL. RAND(), UUID() and their
like are not here, nor what may fail: EXP(1000), PERIOD_DIFF of no period (in MySQL), JSON functions
and a CAST to JSON of a text that is none, REGEXP with a pattern that is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlverdict.parse.tokens import word_set

_NUMBERS: Final = word_set(
    "year month day dayofmonth dayofweek dayofyear weekday week weekofyear yearweek quarter hour "
    "minute second microsecond datediff timestampdiff to_days to_seconds extract unix_timestamp "
    "time_to_sec octet_length bit_length ascii ord locate instr field find_in_set strcmp floor "
    "ceil ceiling round truncate sign sqrt mod ln log log2 log10 crc32"
)
_TEXTS: Final = word_set(
    "concat concat_ws left right trim ltrim rtrim lpad rpad replace reverse substring_index "
    "date_format time_format dayname monthname md5 sha1 sha2 hex format"
)
_DATES: Final = word_set("date last_day curdate current_date from_days makedate")
_MOMENTS: Final = word_set("now current_timestamp")
_OTHERS: Final = word_set(
    "date_add date_sub adddate subdate timestampadd str_to_date greatest least cast time timediff "
    "sec_to_time from_unixtime timestamp"
)
KINDS: Final = {
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys(_TEXTS, "collated"),
    **dict.fromkeys(_DATES, "date"),
    **dict.fromkeys(_MOMENTS, "timestamp"),
    **dict.fromkeys(_OTHERS, "other"),
}
"""What each function gives; ``other`` where that depends on its arguments."""

COMMON_FUNCTIONS: Final = word_set(
    "coalesce ifnull if nullif lower upper lcase ucase length char_length character_length abs "
    "substring substr mid isnull"
)
"""Functions that the prover reads; they may stand inside the others."""
AGGREGATES: Final = word_set("count sum avg min max")
UNIT_FIRST: Final = word_set("timestampdiff timestampadd extract")
"""Functions whose first word is a unit of time."""
SYNTAX: Final = word_set(
    "and or not xor is null like in between div mod true false interval from for both leading "
    "trailing regexp rlike binary"
)
"""Reserved words inside calls and conditions: no column has such a name without quotes."""

_CASTS: Final = {
    **dict.fromkeys(word_set("signed unsigned decimal double float integer"), "number"),
    "char": "collated",
    "date": "date",
    "datetime": "timestamp",
    "time": "other",
    "binary": "other",
}
_DIGITS: Final = re.compile(r"'(?:%[YmdHisSTjyf]|[-/ :.,_0-9])*'")


def is_total_cast(declared: str) -> bool:
    """Whether a CAST to a type, in lower case, never fails."""
    return _first_word(declared) in _CASTS


def cast_kind(words: Sequence[str | int]) -> str:
    """What a CAST gives, by the words of its meaning, of which the last are AS and the type."""
    declared = str(words[-1]) if len(words) > 1 and words[-2] == "as" else ""
    return _CASTS.get(_first_word(declared), "other")


def _first_word(declared: str) -> str:
    return next(iter(declared.replace("(", " ").split()), "")


def kind_of_call(name: str, words: Sequence[str | int]) -> str:
    """What a call of a function gives, by its name and the words of its arguments.

    A date or timestamp in digits, each part of one length, is equal to no other one, whatever the
    collation.
    """
    if name == "cast":
        return cast_kind(words)
    format_ = words[-1] if len(words) > 1 and words[-2] == "," else ""
    if name == "date_format" and _DIGITS.fullmatch(str(format_)):
        return "digits"
    return KINDS[name]
