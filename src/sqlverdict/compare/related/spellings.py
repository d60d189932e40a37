"""One spelling for values that are written in several ways.

Each step of :data:`STEPS` can be taken by itself, so a proof can name the steps it needs.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date

from sqlverdict.records import Cell

STEPS = (
    "blob",
    "trim",
    "case",
    "number",
    "thousands",
    "percent",
    "date",
    "month_first",
    "day_first",
)
"""What may be done to a cell: decode bytes as UTF-8; drop spaces at both ends; ignore case;
read text as a number; drop commas between thousands; drop a percent sign; write a date as
ISO 8601; read 1/2/2020 as 2 January; read it as 1 February."""

# A leading zero is part of a code ('007'), not of a number.
_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,30})?(?:(?<=[0-9])|(?=\.))(?:\.[0-9]{1,30})?\Z")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3}){1,9}(?:\.[0-9]{1,30})?\Z")
_DIGIT = re.compile("[0-9]")
_ISO = re.compile(
    r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?Z?)?\Z"
)
_COMPACT = re.compile(r"([12][0-9]{3})([0-9]{2})([0-9]{2})\Z")
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})\Z")
_DAY_NAME = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -]([0-9]{4})\Z")
_NAME_DAY = re.compile(r"([A-Za-z]{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})\Z")
_MONTHS = (
    *("", "january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH = {name: number for number, name in enumerate(_MONTHS) if name}
_MONTH |= {name[:3]: number for name, number in _MONTH.items()} | {"sept": 9}
_LONGEST_DATE = 40


def normalise_cell(cell: Cell, steps: Collection[str]) -> Cell:
    """The cell in the one spelling that the steps lead to."""
    if cell is None or isinstance(cell, float):
        return cell
    if isinstance(cell, int):
        iso = _compact(str(cell)) if "date" in steps and 10**7 <= cell < 10**8 else None
        return cell if iso is None else iso
    if isinstance(cell, bytes):
        if "blob" not in steps:
            return cell
        try:
            cell = cell.decode("utf-8")
        except UnicodeDecodeError:
            return cell
    text = cell.strip() if "trim" in steps else cell
    if _DIGIT.search(text):
        value = _value(text, steps)
        if value is not None:
            return value
    return text.casefold() if "case" in steps else text


def has_year_last(cell: Cell) -> bool:
    """Whether the cell is a date such as 1/2/2020, which can be read in two ways."""
    return isinstance(cell, str) and _YEAR_LAST.match(cell.strip()) is not None


def _value(text: str, steps: Collection[str]) -> Cell:
    if "date" in steps or "month_first" in steps or "day_first" in steps:
        iso = _iso(text, steps)
        if iso is not None:
            return iso
    body, is_number = text, "number" in steps
    if "percent" in steps and body.endswith("%"):
        body, is_number = body[:-1].rstrip(), True
    if "thousands" in steps and _THOUSANDS.match(body):
        body, is_number = body.replace(",", ""), True
    if not is_number or not _NUMBER.match(body):
        return None
    return float(body) if "." in body else int(body)


def _iso(text: str, steps: Collection[str]) -> str | None:
    if len(text) > _LONGEST_DATE:
        return None
    if "date" in steps:
        match = _ISO.match(text)
        if match:
            year, _, month, day, *time = match.groups()
            iso = _day(year, month, day)
            return None if iso is None else iso + _time(*time)
        match = _DAY_NAME.match(text)
        if match:
            return _day(match[3], _MONTH.get(match[2].lower()), match[1])
        match = _NAME_DAY.match(text)
        if match:
            return _day(match[3], _MONTH.get(match[1].lower()), match[2])
        iso = _compact(text)
        if iso is not None:
            return iso
    match = _YEAR_LAST.match(text)
    if match and "month_first" in steps:
        return _day(match[4], match[1], match[3])
    if match and "day_first" in steps:
        return _day(match[4], match[3], match[1])
    return None


def _compact(text: str) -> str | None:
    match = _COMPACT.match(text)
    return _day(match[1], match[2], match[3]) if match else None


def _day(year: str, month: str | int | None, day: str) -> str | None:
    if month is None:
        return None
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _time(hour: str | None, minute: str | None, second: str | None, part: str | None) -> str:
    """The time of day; midnight is left out: engines write a bare date that way."""
    if hour is None or minute is None:
        return ""
    rest = (part or "").rstrip("0")
    time = f"{int(hour):02}:{minute}:{second or '00'}" + (f".{rest}" if rest else "")
    return "" if time == "00:00:00" else f" {time}"
