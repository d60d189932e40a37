"""Days and times for the columns that hold them, in the form in which they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta

from sqlverdict.parse.schema import Column
from sqlverdict.records import Cell

DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(.*)", re.DOTALL)
_MONTH = re.compile(r"\d{4}-\d{2}")
DAYS = ("2020-01-01", "2020-01-02", "2021-06-15", "2020-06-14")
"""Two days of a month, two months of a year, two years; the last is a Sunday."""
_ASIDE = (-1, -40, 1, 40)
"""The next day, and one in another month, before and after."""
_FIRST_YEAR, _LAST_YEAR = 1000, 2999
"""Four digits between them may be a year, with one more on either side that has four digits too."""
SHORTEST_MONTH = 28
"""Every month has so many days."""
FAR_DAYS, _FAR_YEARS = 100_000, 200
"""Larger differences between dates leave the calendar that SQLite knows."""
ODD_DAYS = ("2019-12-31", "2020-06-14 10:00:00", "2020-02-29", "")
CALENDAR = (
    *("2020-06-13", "2020-06-14", "2020-06-15", "2021-01-01", "2018-12-31"),
    *("2020-01-31", "2020-02-29", "2020-12-31"),
    *("2020-06-15 00:30:00", "2020-06-14 23:45:30", "2020-03-31 13:00:00"),
)
"""From a Saturday to a Monday, days whose week belongs to another year, the ends of months and of a
year; moments of the first and of the last hour of a day, and one in the afternoon."""
CLOCK_CHANGES = ("2024-03-09 20:00:00", "2024-03-30 20:00:00", "2024-07-01 12:00:00")
"""A day before clocks are put forward, in America and in Europe, and a moment in summer."""
_PARTS = "Y2021,y21,m03,d04,H05,I05,M06,S07,BMarch,bMar,pAM,j063,i06,s07,c3,e4"
_FORMAT = {part[0]: part[1:] for part in _PARTS.split(",")}
"""What stands for a part of a format: the 4th of March 2021, shortly after five."""
_LATER = {"Y": "2020", "d": "15", "H": "17"}
_PART = re.compile(r"%-?([A-Za-z])")
CLOCKS = ("08:00:00", "09:30:00", "10:15:30", "23:59:00")
"""Times of a day: on the hour and not, in the morning and late."""
ODD_CLOCKS = ("00:00:00", "08:00", "12:00:00.5", "")
_CLOCK = re.compile(r"\d\d:\d\d:\d\d")
_CLOCK_OF_DAY = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")
_LAST_SECOND = re.compile(r"[ T]\d\d:\d\d:59")
_HALF_AN_HOUR = 30
_LAST_NUMBER = re.compile(r"\d+$")
_MINUTES = 60
_OTHER_FORM = re.compile(r"\d[\d:/.,-]*[:/][\d:/.,-]*\d")
"""Digits with signs of a time or a day between them, in no form that we know: 1:54.455."""


def is_dated(column: Column) -> bool:
    """Whether a column holds days or times, by its name or its type."""
    text = f"{column.name} {column.type}".lower()
    return any(word in text for word in ("date", "time", "birthday", "dob"))


def written_like(value: Cell) -> Iterator[str]:
    """Texts in the form of a time or a day that is none of ours; none where it is no such text."""
    text = value.strip("%_") if isinstance(value, str) else ""
    if not _OTHER_FORM.fullmatch(text):
        return
    last = _LAST_NUMBER.search(text)
    assert last is not None, "the text ends with a digit"
    digits = last[0]
    limit = min(10 ** len(digits), _MINUTES) if len(digits) < 3 else 10 ** len(digits)
    for step in range(4):
        yield f"{text[: last.start()]}{(int(digits) + step) % limit:0{len(digits)}}"


def simple_times(value: Cell) -> tuple[Cell, ...] | None:
    """Simple values that may stand for a day or a time; ``None``: it is neither."""
    if not isinstance(value, str):
        return None
    if DATE.fullmatch(value):
        return DAYS[:3]
    if _CLOCK.fullmatch(value):
        return CLOCKS[:3]
    return () if _OTHER_FORM.fullmatch(value) else None


def dates_around(text: str, direct: bool) -> tuple[list[str], list[str], list[str]] | None:
    """Days within what a text names, a day, a month or a year, and days before and after it."""
    whole = DATE.fullmatch(text)
    if whole:
        try:
            day = date(int(whole[1]), int(whole[2]), int(whole[3]))
            days = [f"{day + timedelta(days=step)}{whole[4]}" for step in _ASIDE]
        except (ValueError, OverflowError):
            return None
        if _LAST_SECOND.fullmatch(whole[4]):
            # Behind it the second goes on.
            days.append(f"{text}.5")
        return [text], days[:2], days[2:] if whole[4] else [*days[2:], f"{text} 10:00:00"]
    if _MONTH.fullmatch(text):
        other = f"{text[:3]}{(int(text[3]) + 1) % 10}-01-15"
        return [f"{text}-{day}" for day in ("15", "01", "28")], [], [other]
    if not direct and _CLOCK_OF_DAY.fullmatch(text):
        moment = datetime.fromisoformat(f"{DAYS[0]} {text}")
        aside = [str(moment + timedelta(minutes=n)) for n in (-_HALF_AN_HOUR, _HALF_AN_HOUR)]
        return [str(moment)], aside[:1], aside[1:]
    if direct or not text.isdecimal():
        return None
    if len(text) == 4 and _FIRST_YEAR <= int(text) < _LAST_YEAR:
        year = int(text)
        days = [f"{year}-{day}" for day in ("06-15", "01-01", "12-31", "03-20")]
        return days, [f"{year - 1}-12-31"], [f"{year + 1}-01-01"]
    if len(text) <= 2 and 1 <= int(text) <= 12:
        month = int(text)
        days = [f"2020-{month:02}-15", f"2021-{month:02}-01"]
        return days, [], [f"2020-{month % 12 + 1:02}-15"]
    return None


def anniversaries(text: str) -> list[str]:
    """Days that are whole years or months before a day, and the next day; none where it is none."""
    whole = DATE.fullmatch(text)
    if whole is None or whole[3] > str(SHORTEST_MONTH):
        return []
    year, month, day = (int(part) for part in whole.groups()[:3])
    before = (year - 1, 12) if month == 1 else (year, month - 1)
    days = []
    for years, months in ((year - 1, month), (year - 2, month), before):
        with suppress(ValueError):
            then = date(years, months, day)
            days += [str(then), str(then + timedelta(days=1))]
    return days


def in_format(text: str) -> list[str]:
    """Texts of days in a format such as ``%d/%m/%Y``; none where it is no format."""
    parts = set(_PART.findall(text))
    if not parts or not parts <= _FORMAT.keys():
        return []
    first = _PART.sub(lambda part: _FORMAT[part[1]], text)
    return [first, _PART.sub(lambda part: _LATER.get(part[1], _FORMAT[part[1]]), text)]


def days_apart(number: int) -> list[str]:
    """Days that are so many days or years, or one more, from the first of the ordinary ones."""
    first = date.fromisoformat(DAYS[0])
    days = [str(first + timedelta(days=n)) for n in (number, number + 1)]
    # With less than a day more or less: so many days begin, and are not over.
    days += [f"{first} 12:00:00", f"{days[0]} 18:00:00"]
    return days + [
        f"{first.year + n:04}-01-01" for n in (number, number + 1) if abs(n) < _FAR_YEARS
    ]


def is_moment(text: str) -> bool:
    """Whether a text is a day, or a day and a time, in ISO form."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
