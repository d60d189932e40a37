"""What a prediction does otherwise than its gold, in words: ``selects name instead of city``.

Each phrase is a predicate of the prediction, and is true of the two texts whatever the data are.
Where a part cannot be written in one short line, or a name cannot be resolved, nothing is said
about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlverdict.compare.query.columns import UNKNOWN
from sqlverdict.compare.query.parts import QueryParts
from sqlverdict.compare.tags.conditions import condition_words
from sqlverdict.compare.tags.kinds import enumeration
from sqlverdict.compare.tags.sources import joins_between
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.schema import Schema

MOST_PHRASES = 2
_MORE = ", among other differences"

_REFUSALS: Mapping[str, str] = {
    "unknown_table": "reads the table {}, which does not exist",
    "unknown_column": "reads the column {}, which does not exist",
    "misplaced_column": "reads the column {}, which its FROM does not provide",
    "unread_table": "reads the column {}, but its FROM does not have that table",
    "unused_alias": "writes {} though the table has an alias",
    "ambiguous_column": "does not say which table the column {} is from",
    "unknown_function": "calls the function {}, which SQLite does not have",
    "aggregate_misplaced": "uses the aggregate {} where SQLite allows none",
}
"""Why SQLite refuses a prediction, by tag."""


def refusal_words(tags: Iterable[Tag]) -> str:
    """Why SQLite refuses a prediction; empty where no tag says so."""
    for tag in tags:
        if tag.name in _REFUSALS and tag.detail:
            return _REFUSALS[tag.name].format(tag.detail.removesuffix("()"))
    return ""


def query_words(gold: QueryParts, prediction: QueryParts, schema: Schema | None) -> str:
    """What a prediction does otherwise, what matters most first; empty where nothing is known."""
    if gold.joins_itself or prediction.joins_itself:
        # Which of the two copies a column is of cannot be said in these words.
        return ""
    differences = list(_outputs(gold, prediction))
    differences += _tables(gold, prediction, before=" ".join(differences))
    differences += condition_words(gold, prediction, schema)
    differences += _groups(gold, prediction)
    differences += _set_operations(gold, prediction)
    differences += _rows(gold, prediction)
    differences += _joins(gold, prediction)
    order = list(_order(gold, prediction))
    differences += _aggregates(gold, prediction, before=" ".join(differences + order))
    differences += _distinct(gold, prediction, before=" ".join(differences + order))
    differences += order
    takes_extreme = _cuts_otherwise(gold, prediction) or _cuts_otherwise(prediction, gold)
    if gold.nested != prediction.nested and not takes_extreme:
        differences.append("")
    # An empty phrase is a difference that has no words.
    phrases = list(dict.fromkeys(filter(None, differences)))
    is_all = all(differences) and len(phrases) <= MOST_PHRASES
    return " and ".join(phrases[:MOST_PHRASES]) + ("" if is_all or not phrases else _MORE)


def _outputs(gold: QueryParts, prediction: QueryParts) -> Iterator[str]:
    ours, theirs = Counter(gold.outputs), Counter(prediction.outputs)
    if ours == theirs:
        if gold.outputs != prediction.outputs:
            yield "selects the columns in another order"
        return
    if gold.set_operations or prediction.set_operations:
        # The outputs are those of one side alone.
        yield ""
        return
    only_gold = _texts(gold, [key for key in ours if key not in theirs])
    only_prediction = _texts(prediction, [key for key in theirs if key not in ours])
    if only_gold is not None and only_gold == only_prediction:
        # The same text, and a count of rows for one of them alone, by its joins.
        return
    if only_gold is None or only_prediction is None or set(only_gold) & set(only_prediction):
        yield ""
        return
    if any(ours[key] != theirs[key] for key in ours.keys() & theirs.keys()):
        # A column that stands twice may be one of two that are joined.
        yield ""
        return
    yield from _instead("selects", "does not select", only_gold, only_prediction)


def _tables(gold: QueryParts, prediction: QueryParts, before: str) -> Iterator[str]:
    only_gold = [gold.names[name] for name in sorted(gold.tables - prediction.tables)]
    only_prediction = [prediction.names[one] for one in sorted(prediction.tables - gold.tables)]
    if all(f"{name}." in before for name in (*only_gold, *only_prediction)):
        return
    yield from _instead("reads", "does not read", only_gold, only_prediction)


def _aggregates(gold: QueryParts, prediction: QueryParts, before: str) -> Iterator[str]:
    """MIN, MAX and the like, also those of queries inside."""
    only_gold, only_prediction = (
        [name for name in sorted(names) if not re.search(rf"\b{name}\b", before.upper())]
        for names in (
            gold.aggregates - prediction.aggregates,
            prediction.aggregates - gold.aggregates,
        )
    )
    yield from _only(only_gold, only_prediction)


def _groups(gold: QueryParts, prediction: QueryParts) -> Iterator[str]:
    only_gold = _texts(gold, sorted(gold.groups - prediction.groups))
    only_prediction = _texts(prediction, sorted(prediction.groups - gold.groups))
    if only_gold is None or only_prediction is None or set(only_gold) & set(only_prediction):
        yield ""
        return
    if any(map(str.isdigit, [*only_gold, *only_prediction])):
        # A number stands for an output column.
        yield ""
        return
    if {"group"} <= gold.clauses & prediction.clauses and not (gold.groups and prediction.groups):
        # GROUP BY ALL has keys that it does not name.
        if only_gold or only_prediction:
            yield ""
        return
    if gold.groups and prediction.groups:
        yield from _instead("groups by", "does not group by", only_gold, only_prediction)
    elif only_gold or only_prediction:
        yield from _only(
            [f"GROUP BY {', '.join(only_gold)}"] if only_gold else [],
            [f"GROUP BY {', '.join(only_prediction)}"] if only_prediction else [],
        )


def _set_operations(gold: QueryParts, prediction: QueryParts) -> Iterator[str]:
    ours, theirs = (Counter(one.set_operations) for one in (gold, prediction))
    yield from _only(
        [name.upper() for name in ours if name not in theirs],
        [name.upper() for name in theirs if name not in ours],
    )


def _rows(gold: QueryParts, prediction: QueryParts) -> Iterator[str]:
    """LIMIT, or what stands in its place."""
    extreme = "all rows that have the MIN or MAX"
    if _cuts_otherwise(gold, prediction):
        yield f"takes the first rows by LIMIT where the gold takes {extreme}"
    elif _cuts_otherwise(prediction, gold):
        yield f"takes {extreme} where the gold takes the first rows by LIMIT"
    elif gold.limit and prediction.limit and gold.limit != prediction.limit:
        ours, theirs = (_limit(one.limit) for one in (gold, prediction))
        if ours and theirs:
            yield f"has {theirs} instead of {ours}"
    elif gold.limit != prediction.limit and not {"limit"} <= gold.clauses & prediction.clauses:
        ours, theirs = (_limit(one.limit) for one in (gold, prediction))
        yield from _only([ours] if ours else [], [theirs] if theirs else [])


def _cuts_otherwise(one: QueryParts, other: QueryParts) -> bool:
    """Whether one compares with a MIN or MAX where the other cuts sorted rows."""
    return one.extreme and other.cut and not (one.cut or other.extreme or other.first_row)


def _limit(text: str) -> str:
    """LIMIT as the query has it; empty where it is none, or not a plain number."""
    number, _, offset = text.partition(" ")
    if not number.isdigit() or (offset and not offset.isdigit()):
        return ""
    return f"LIMIT {number}" + (f" OFFSET {offset}" if offset else "")


def _joins(gold: QueryParts, prediction: QueryParts) -> Iterator[str]:
    common = gold.tables & prediction.tables
    ours, theirs = (joins_between(one, common) for one in (gold, prediction))
    pairs = [sorted(ours - theirs), sorted(theirs - ours)]
    # Over another table, or by a query inside, rows may be connected all the same.
    is_plain = not (gold.nested or prediction.nested)
    if any(UNKNOWN in ref for each in pairs for pair in each for ref in pair):
        yield ""
    elif (is_plain and (pairs[1] or gold.tables == prediction.tables)) or all(pairs):
        texts = [
            [one.readable.get(" = ".join(pair), " = ".join(pair)) for pair in each]
            for one, each in zip((gold, prediction), pairs, strict=True)
        ]
        yield from _instead("connects rows by", "does not connect rows by", *texts)
    elif pairs[0] or pairs[1]:
        yield ""
    only = [
        [_outer(one, text) for text in sorted(one.outer - other.outer)]
        for one, other in ((gold, prediction), (prediction, gold))
    ]
    yield from _only(*only)


def _outer(parts: QueryParts, text: str) -> str:
    side, _, name = text.partition(" ")
    return f"{side.upper()} JOIN {parts.names.get(name, name)}"


def _distinct(gold: QueryParts, prediction: QueryParts, before: str) -> Iterator[str]:
    ours, theirs = (
        one.distinct or bool(one.computed.distinct_counts) or "distinct" in one.clauses
        for one in (gold, prediction)
    )
    if ours != theirs and "DISTINCT" not in before:
        yield from _only(*([["DISTINCT"], []] if ours else [[], ["DISTINCT"]]))


def _order(gold: QueryParts, prediction: QueryParts) -> Iterator[str]:
    ours, theirs = _sort_keys(gold), _sort_keys(prediction)
    if gold.order == prediction.order or ours is None or theirs is None or ours == theirs:
        return
    if _cuts_otherwise(gold, prediction) or _cuts_otherwise(prediction, gold):
        return
    if ours and theirs:
        yield f"sorts by {', '.join(theirs)} instead of {', '.join(ours)}"
    elif ours and "order" not in prediction.clauses:
        yield f"lacks ORDER BY {', '.join(ours)}"
    elif theirs and "order" not in gold.clauses:
        yield f"adds ORDER BY {', '.join(theirs)}"


def _sort_keys(parts: QueryParts) -> list[str] | None:
    """The sort keys with their direction; ``None`` where one of them cannot be written."""
    texts = _texts(parts, [key.removesuffix(" desc") for key in parts.order])
    if texts is None or any(map(str.isdigit, texts)):
        return None
    return [
        text + (" DESC" if key.endswith(" desc") else "")
        for text, key in zip(texts, parts.order, strict=True)
    ]


def _texts(parts: QueryParts, keys: Sequence[str]) -> list[str] | None:
    """Keys as the query writes them; ``None`` where one of them cannot be written."""
    texts = [parts.readable.get(key, "") for key in keys]
    return texts if all(texts) else None


def _instead(
    does: str, does_not: str, only_gold: Sequence[str], only_prediction: Sequence[str]
) -> Iterator[str]:
    if only_gold and only_prediction:
        yield f"{does} {enumeration(only_prediction)} instead of {enumeration(only_gold)}"
    elif only_prediction:
        yield f"also {does} {enumeration(only_prediction)}"
    elif only_gold:
        yield f"{does_not} {enumeration(only_gold)}"


def _only(gold: Sequence[str], prediction: Sequence[str]) -> Iterator[str]:
    """What only one of the two has."""
    if gold and prediction:
        yield f"has {enumeration(prediction)} instead of {enumeration(gold)}"
    elif prediction:
        yield f"adds {enumeration(prediction)}"
    elif gold:
        yield f"lacks {enumeration(gold)}"
