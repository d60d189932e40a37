"""Which texts in quotes are surely values of a type: PostgreSQL reads them with the query."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Final

from sqlverdict.execute.engines.postgres.types.constants import decimal_of, has_room
from sqlverdict.execute.engines.postgres.types.signatures import ENUM, category
from sqlverdict.parse.tokens import word_set

_NUMBER: Final = r"\s*[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d\d?)?\s*"
_ZONE: Final = r" ?(?:Z|UTC|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)"
_TIME: Final = r"(?:2[0-3]|[01]?\d):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?"
_DAY: Final = re.compile(rf"\s*(\d{{4}})-(\d{{1,2}})-(\d{{1,2}})(?:[ T]{_TIME}(?:{_ZONE})?)?\s*")
_WORDS: Final = "now|today|tomorrow|yesterday|epoch|infinity|-infinity"
_UNIT: Final = (
    r"(?:microsecond|millisecond|second|sec|minute|min|hour|day|week|month|mon|year|decade"
    r"|century|centurie)s?"
)
_SPAN: Final = rf"\s*(?:[+-]?\d{{1,6}}(?:\.\d{{1,6}})? ?{_UNIT}(?:\s+|$))*(?:[+-]?{_TIME}\s*)?"
_MEMBER: Final = r"\s*(?:\"(?:[^\"\\]|\\.)*\"|(?:[^\s\"{},\\]|\\.)(?:[^\"{},\\]|\\.)*)\s*"
"""One member of an array."""
_TRUTHS: Final = word_set("t tr tru true f fa fal fals false y ye yes n no on of off 0 1")
_POSSIBLE: Final = {
    **dict.fromkeys(
        ("int2", "int4", "int8", "oid", "numeric", "float4", "float8"),
        r"\s*[+-]?\s*(?:[\d_]*\.?[\d_]*(?:e[+-]?[\d_]+)?|0[xob][\da-f_]+|nan|inf|infinity)\s*",
    ),
    **dict.fromkeys(
        ("date", "time", "timestamp", "timetz", "timestamptz", "interval"),
        rf"(?=.*\d)[\w\s:.,/@+-]+|.*(?:{_WORDS}|allballs).*",
    ),
    "uuid": r"[\da-f{}-]+",
    "[]": rf"\s*(?:\[[\d:\[\]+-]*\]\s*=\s*)?\{{(?:\s*|.*\{{.*|{_MEMBER}(?:,{_MEMBER})*)\}}\s*",
    "range": r"\s*(?:empty|[\[(].*,.*[\])])\s*",
    "multirange": r"\s*\{.*\}\s*",
}
"""More than all texts that are values: what is not among these surely is none."""
_VALUES: Final = {
    **dict.fromkeys(("int2", "int4", "int8"), r"\s*[+-]?\d{1,30}\s*"),
    "oid": r"\s*\d{1,9}\s*",
    **dict.fromkeys(("numeric", "float4", "float8", "money"), _NUMBER),
    "bool": r"\s*(?:t|true|f|false|y|yes|n|no|on|off|0|1)\s*",
    "time": _TIME,
    "timetz": rf"{_TIME}(?:{_ZONE})?",
    "interval": rf"(?=.*\d){_SPAN}|[+-]?\d{{1,6}}",
    "uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "bytea": r"[^\\]*|\\x(?:[0-9a-f]{2})*",
    "bit": "[01]+",
    "varbit": "[01]*",
    "inet": r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}",
}
_SPANS: Final = "century decade year quarter month day"
_HOURS: Final = "hour minute second milliseconds microseconds"
_FIELDS: Final = {
    "date": word_set(f"{_SPANS} week dow doy isodow isoyear epoch millennium"),
    "time": word_set(f"{_HOURS} epoch"),
    "interval": word_set(f"{_SPANS} {_HOURS} epoch millennium"),
}
"""What can be taken out of a value; out of others it is an error, whatever the value is."""
_FLAGS: Final = re.ASCII | re.IGNORECASE | re.DOTALL


def is_literal_of(text: str, name: str) -> bool:
    """Whether a text is sure to be a value of a type."""
    if name.endswith("[]"):
        return _is_list(text, name.removesuffix("[]"))
    if category(name) == "S":
        return True
    if name.startswith(ENUM):
        return "'" not in text and f"'{text}'" in name
    if name in ("date", "timestamp", "timestamptz"):
        return _is_moment(text)
    if name in ("json", "jsonb"):
        return _is_json(text) is True
    pattern, number = _VALUES.get(name), decimal_of(text)
    if number is not None and not has_room(number, name):
        return False
    return pattern is not None and re.fullmatch(pattern, text, _FLAGS) is not None


def is_no_literal_of(text: str, name: str) -> bool:
    """Whether a text is sure to be no value of a type."""
    if name == "bool":
        return text.strip().lower() not in _TRUTHS
    if name in ("json", "jsonb"):
        return _is_json(text) is None
    if name.endswith("[]") and (members := _members(text)) is not None:
        return any(is_no_literal_of(each, name.removesuffix("[]")) for each in members)
    number = decimal_of(text)
    if number is not None and not has_room(number, name):
        return True
    possible = _POSSIBLE.get(_kind(name))
    return possible is not None and re.fullmatch(possible, text, _FLAGS) is None


def _is_moment(text: str) -> bool:
    if re.fullmatch(_WORDS, text.strip(), _FLAGS):
        return True
    day = _DAY.fullmatch(text) if text.isascii() else None
    try:
        return day is not None and date(*map(int, day.groups())) is not None
    except ValueError:
        return False


def _is_json(text: str) -> bool | None:
    """Whether a text is a document; ``False``: it may be none, ``None``: it is none."""
    try:
        json.loads(text)
    except RecursionError:
        return False
    except ValueError:
        return None
    return "\\" not in text and "NaN" not in text and "Infinity" not in text


def _is_list(text: str, element: str) -> bool:
    """Whether it is a plain list: no element is quoted or a list itself."""
    members = _members(text)
    return members is not None and all(each and is_literal_of(each, element) for each in members)


def _members(text: str) -> list[str] | None:
    """The members of a plain list but for NULLs; ``None`` where it is another text."""
    inner = re.fullmatch(r"\s*\{([^{}\"\\]*)\}\s*", text)
    members = inner[1].split(",") if inner and inner[1].strip() else []
    plain = [each.strip() for each in members if each.strip().lower() != "null"]
    return None if inner is None else plain


def _kind(name: str) -> str:
    """An array or a range of any type, or the type itself."""
    if name.endswith("[]"):
        return "[]"
    return name if category(name) != "R" else "multirange" if "multirange" in name else "range"


def has_field(field: str, name: str) -> bool:
    """Whether each value of a type has a field that EXTRACT and the like take out of it."""
    known = _FIELDS.get("time" if name == "timetz" else name)
    return field in (_FIELDS["date"] | _FIELDS["time"] if known is None else known)
