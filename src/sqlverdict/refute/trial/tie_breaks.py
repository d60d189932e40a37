"""The same query with its ties broken one way and the other.

Rows that tie under ORDER BY ... LIMIT are picked as the engine likes, and so is the row of a
subquery that stands for one value. Putting rows in another order does not always show it:
groups, for one, come in the order of their keys whatever the order of the rows. So each LIMIT of
a query is given further sort keys, its output columns, rising in one text and falling in the
other; a subquery for one value gets a LIMIT of its own, and its second and third row are tried
too. A LIMIT without ORDER BY around an ordered source takes the first rows in that order, so the
source gets the further keys instead. Whatever these texts give, the query itself might have given;
where they differ, its answer is not determined.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sqlverdict.parse.tokens import Kind, kind, pieces, word_set

_ENDS = word_set("from where group having order limit union intersect except window")
_BEFORE_VALUE = word_set("where and or not on when then else having case between like is")
_WAYS = {"rising": ("ASC", 0), "falling": ("DESC", 0), "second": ("ASC", 1), "third": ("ASC", 2)}
_BEFORE_SOURCE = word_set("from join , as materialized")
_OPERATORS = frozenset("=<>+-/|%")
_BEFORE_NO_ARGUMENTS = word_set(
    "all any as by distinct except exists filter from in intersect join limit materialized offset "
    "on over select some union using"
)
"""Words before parentheses that hold no arguments: a query in double ones is no single value."""
_BEFORE_STAR = word_set(", . select distinct all")


@dataclass
class _Level:
    """What is known of the innermost query around a word.

    ``start`` is its parenthesis where it stands for one value; ``counting`` among its outputs;
    ``source``: it is read by a FROM clause; ``inner_order``: a source of it is ordered; ``call``:
    these are the arguments of a function, of which each is one value.
    """

    start: int | None = None
    columns: int = 0
    counting: bool = False
    ordered: bool = False
    limited: bool = False
    source: bool = False
    inner_order: bool = False
    call: bool = False


@dataclass(frozen=True)
class _Cut:
    """A word before which a query picks rows, and what is known of the query.

    ``start`` is where the query begins if it stands for one value and has no LIMIT.
    """

    index: int
    columns: int
    ordered: bool
    start: int | None = None

    def text(self, parts: list[str], way: str) -> str:
        """The word at this index with sort keys before it, and a LIMIT where there is none."""
        order = _WAYS[way][0]
        keys = ", ".join(f"{n} {order}" for n in range(1, self.columns + 1))
        text = f"{',' if self.ordered else ' ORDER BY'} {keys} "
        if self.start is None:
            return text + parts[self.index]
        inner = "".join(parts[self.start + 1 : self.index])
        last = f"(SELECT count(*) FROM ({inner})) - 1"
        return f"{text}LIMIT 1 OFFSET max(0, min({_WAYS[way][1]}, {last})){parts[self.index]}"


@lru_cache(maxsize=2_048)
def broken_ties(sql: str) -> tuple[str, ...]:
    """The query with ties broken upwards and downwards; nothing where it picks no rows."""
    if sql.lower().count("select") < 2 and "limit" not in sql.lower():
        return ()
    parts = pieces(sql)
    cuts = _cuts(parts)
    if not cuts:
        return ()
    # A LIMIT takes the first rows; of a query for one value each row may be it.
    ways = tuple(_WAYS) if any(cut.start is not None for cut in cuts) else ("rising", "falling")
    return tuple(_with_keys(parts, cuts, way) for way in ways)


def _with_keys(parts: list[str], cuts: list[_Cut], way: str) -> str:
    changed = list(parts)
    for cut in cuts:
        changed[cut.index] = cut.text(parts, way)
    return "".join(changed)


def _cuts(parts: list[str]) -> list[_Cut]:
    cuts: list[_Cut] = []
    levels = [_Level()]
    solid = [n for n, part in enumerate(parts) if kind(part) not in (Kind.SPACE, Kind.COMMENT)]
    for before, index in pairwise([-1, *solid]):
        level, part = levels[-1], parts[index]
        word, last = part.lower(), parts[before].lower() if before >= 0 else ""
        if part == "(":
            value = last in _BEFORE_VALUE or last[-1:] in _OPERATORS or level.counting
            value = value or (level.call and last in ("(", ","))
            levels.append(
                _Level(
                    index if value else None,
                    source=not value and last in _BEFORE_SOURCE,
                    call=last.isidentifier() and last not in _BEFORE_NO_ARGUMENTS,
                )
            )
        elif part == ")":
            if level.start is not None and level.columns and not level.limited:
                cuts.append(_Cut(index, level.columns, level.ordered, level.start))
            elif level.source and level.ordered and level.columns and not level.limited:
                cuts.append(_Cut(index, level.columns, ordered=True))
            if len(levels) > 1:
                levels.pop()
                levels[-1].inner_order |= level.source and (level.ordered or level.inner_order)
        elif word == "select":
            level.columns, level.counting, level.ordered = 1, True, False
        elif level.counting and part == ",":
            level.columns += 1
        elif level.counting and part == "*" and last in _BEFORE_STAR:
            # What it stands for is not known here; the first column is one of them.
            level.columns, level.counting = 1, False
        elif word in _ENDS:
            level.counting = False
            level.ordered = level.ordered or word == "order"
            if word == "limit" and level.columns:
                level.limited = True
                if level.ordered or not level.inner_order:
                    cuts.append(_Cut(index, level.columns, level.ordered))
    return cuts
