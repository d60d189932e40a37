"""One spelling for DuckDB's clock, and for intervals.

* CURRENT_DATE, ``current_date()`` and ``today()`` are ``today()``; CURRENT_TIMESTAMP, ``now()`` and
  their like are ``now()``. The words are read as columns: they mean the clock where no column, item
  of FROM or alias may have the name.
* ``INTERVAL 2 WEEK``, ``to_weeks(2)`` and ``INTERVAL '2 weeks'`` are ``CAST('14 day' AS
  INTERVAL)``: an interval has months, days and microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlverdict.execute.common_text import INTERVAL_UNITS, NoCommonText
from sqlverdict.execute.engines.duckdb.sources import FromScope
from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    arguments,
    call,
    constant_node,
    literal,
    put_node,
)
from sqlverdict.parse.tokens import fold

_WORDS: Final = {"current_date": "today", "current_timestamp": "now"}
_CALLS: Final = {
    "current_date": "today",
    "get_current_timestamp": "now",
    "transaction_timestamp": "now",
}
_INTERVAL: Final = re.compile(
    r"(?P<count>\d{1,6}) (?P<unit>second|minute|hour|day|week|month|year)s?",
    re.ASCII | re.IGNORECASE,
)
_MAKER: Final = re.compile(r"to_(?P<unit>second|minute|hour|day|week|month|year)s")
_COUNT: Final = re.compile(r"\d{1,6}", re.ASCII)
_WHOLE: Final = frozenset({"INTEGER", "BIGINT"})
_INTERVAL_TYPE: Final = frozenset({"INTERVAL"})
_COUNTS: Final = frozenset({"INTEGER", "STRING"})
_DOUBLE: Final = frozenset({"DOUBLE"})


def read_clock_word(node: Node, scope: FromScope, aliases: frozenset[str]) -> bool:
    """Write CURRENT_DATE and CURRENT_TIMESTAMP as calls, in place.

    Args:
        node: A name that stands for a value.
        scope: The items of FROM.
        aliases: The folded aliases before it.

    Returns:
        Whether it was one.

    Raises:
        NoCommonText: it may be something else.
    """
    name = fold(node["column_names"][0])
    if len(node["column_names"]) != 1 or name not in _WORDS or scope.has(name):
        return False
    around: FromScope | None = scope
    while around is not None:
        if around.has(name) or around.has("") or around.source(name) is not None:
            raise NoCommonText(f"{name} may be a column")
        around = around.outer
    if name in aliases:
        raise NoCommonText(f"{name} is an alias and the clock")
    put_node(node, call(_WORDS[name], []))
    return True


def refuse_clock_aliases(items: Sequence[Node]) -> None:
    """Refuse a SELECT list with an alias that is a word for the clock: DuckDB fails before it.

    Raises:
        NoCommonText: there is one.
    """
    if any(fold(item.get("alias") or "") in _WORDS for item in items):
        raise NoCommonText("an alias has the name of the clock")


def plain_time(node: Node) -> None:
    """Write a call of the clock, or an interval of constants, in its one form, in place."""
    if node["class"] == "CAST":
        _plain_interval(node)
        return
    name = node["function_name"]
    args = arguments(node)
    if name in _CALLS and not args:
        node["function_name"] = _CALLS[name]
    maker = _MAKER.fullmatch(name)
    if maker is None or len(args) != 1:
        return
    count = _count(args[0], maker["unit"])
    if count is not None:
        _put_interval(node, count, maker["unit"])


def _plain_interval(node: Node) -> None:
    value = literal(node["child"])
    if not _is_cast(node, _INTERVAL_TYPE) or value is None or value[0] != "STRING":
        return
    plain = _INTERVAL.fullmatch(value[1])
    if plain is not None:
        _put_interval(node, int(plain["count"]), plain["unit"].lower())


def _put_interval(node: Node, count: int, unit: str) -> None:
    factor, name = INTERVAL_UNITS[unit]
    put_node(
        node,
        {
            "class": "CAST",
            "type": "OPERATOR_CAST",
            "child": constant_node("STRING", f"{count * factor} {name}"),
            "type_expr": {"class": "TYPE", "type": "TYPE", "type_name": "INTERVAL"},
        },
    )


def _count(node: Node, unit: str) -> int | None:
    """The whole number of units, where it is a constant.

    DuckDB's parser writes 2 as ``CAST(trunc(CAST(2 AS DOUBLE)) AS INTEGER)``, and the seconds as
    ``CAST(2 AS DOUBLE)``.
    """
    kinds = frozenset({"INTEGER"})
    if _is_cast(node, _WHOLE) and node["child"].get("function_name") == "trunc":
        inner = arguments(node["child"])
        if len(inner) != 1 or not _is_cast(inner[0], _DOUBLE):
            return None
        node, kinds = inner[0]["child"], _COUNTS
    elif unit == "second" and _is_cast(node, _DOUBLE):
        node, kinds = node["child"], _COUNTS
    value = literal(node)
    is_count = value is not None and value[0] in kinds and _COUNT.fullmatch(value[1])
    return int(value[1]) if value is not None and is_count else None


def _is_cast(node: Node, types: frozenset[str]) -> bool:
    return (
        node["class"] == "CAST"
        and not node.get("try_cast")
        and set(node["type_expr"]) == {"class", "type", "type_name"}
        and node["type_expr"]["type_name"] in types
    )
