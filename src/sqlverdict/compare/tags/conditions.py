"""Tags of conditions: on rows, on groups, on NULL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator

from sqlverdict.compare.query.columns import is_nullable, split_ref
from sqlverdict.compare.query.conditions import QueryCondition
from sqlverdict.compare.query.parts import QueryParts
from sqlverdict.compare.tags.kinds import HEAVY, TAGS, TagKind, enumeration
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.schema import Schema

TAGS.update(
    {
        "null_condition": TagKind(
            "where",
            "only one leaves out, or asks for, NULL in a nullable column",
            "SELECT name FROM player ORDER BY weight LIMIT 1",
            "SELECT name FROM player WHERE weight IS NOT NULL ORDER BY weight LIMIT 1",
        ),
        "null_output": TagKind(
            "where",
            "only one leaves out, or asks for, NULL in a nullable column that it outputs",
            "SELECT city FROM team WHERE city IS NOT NULL",
            "SELECT city FROM team",
        ),
        "condition_missing": TagKind(
            "where", "a condition of the gold is missing", HEAVY, "SELECT name FROM player"
        ),
        "condition_extra": TagKind(
            "where",
            "there is a condition that the gold does not have",
            "SELECT name FROM player",
            HEAVY,
        ),
        "condition_moved": TagKind(
            "where",
            "a condition on rows in one is a condition inside CASE or on groups in the other",
            "SELECT SUM(CASE WHEN weight > 80 THEN 1 ELSE 0 END) FROM player",
            "SELECT COUNT(*) FROM player WHERE weight > 80",
        ),
        "condition_changed": TagKind(
            "where",
            "a condition on the same columns is different",
            "SELECT name FROM player WHERE goals > games",
            "SELECT name FROM player WHERE goals > 2 * games",
        ),
        "operator_changed": TagKind(
            "where",
            "the same columns and values are compared by another operator",
            HEAVY,
            "SELECT name FROM player WHERE weight >= 80",
        ),
        "connective_changed": TagKind(
            "where",
            "conditions that AND connects in one are connected by OR in the other",
            "SELECT name FROM player WHERE weight > 80 AND goals < 3",
            "SELECT name FROM player WHERE weight > 80 OR goals < 3",
        ),
        "column_changed": TagKind(
            "where",
            "the same value is asked of another column",
            "SELECT name FROM team WHERE city = 'X'",
            "SELECT name FROM team WHERE code = 'X'",
        ),
        "value_changed": TagKind(
            "where",
            "the same condition with another value",
            HEAVY,
            "SELECT name FROM player WHERE weight > 90",
        ),
        "value_spelling": TagKind(
            "where",
            "the same value, spelled differently: case, blanks, signs, wildcards, or more "
            "of a date",
            "SELECT name FROM team WHERE city = 'New York'",
            "SELECT name FROM team WHERE city = 'new-york'",
        ),
        "scalar_subquery": TagKind(
            "where",
            "one compares with a single value where the other takes all that fit: = in place of IN",
            "SELECT name FROM player WHERE team_id IN (SELECT id FROM team WHERE city = 'X')",
            "SELECT name FROM player WHERE team_id = (SELECT id FROM team WHERE city = 'X')",
        ),
        "first_row_subquery": TagKind(
            "where",
            "only one compares with the first row of a subquery, by LIMIT 1",
            "SELECT name FROM player ORDER BY born LIMIT 1",
            "SELECT name FROM player WHERE id = (SELECT id FROM player ORDER BY born LIMIT 1)",
        ),
        "having_differs": TagKind(
            "having",
            "the conditions on groups differ",
            "SELECT team_id FROM game GROUP BY team_id HAVING COUNT(*) > 2",
            "SELECT team_id FROM game GROUP BY team_id HAVING COUNT(*) > 3",
        ),
    }
)

_SHORTEST_PREFIX = 4
"""A value of so many letters is the beginning of a longer one, and not by chance."""


def condition_tags(
    gold: QueryParts, prediction: QueryParts, schema: Schema | None
) -> Iterator[Tag]:
    """How the conditions of two queries differ."""
    ours, theirs = _lone(gold, prediction), _lone(prediction, gold)
    for lone, query in ((ours, gold), (theirs, prediction)):
        yield from _null_tags(lone, query, schema)
        yield from _condition_moves(lone, prediction if query is gold else gold)
    yield from _connected(ours, theirs)
    yield from _connected(theirs, ours)
    for name, alike in _ALIKE:
        for one, other in _pairs(ours, theirs, alike):
            kind = "value_spelling" if name == "value_changed" and _spelled(one, other) else name
            if name == "operator_changed" and one.shape == other.shape:
                kind = "value_spelling"
            yield Tag(kind, f"{one.text} became {other.text}")
            if kind == "column_changed" and _is_same_name(one, other):
                yield Tag("same_name_column", f"{one.text} became {other.text}")
    if ours:
        yield Tag("condition_missing", "; ".join(one.text for one in ours[:5]))
    if theirs:
        yield Tag("condition_extra", "; ".join(one.text for one in theirs[:5]))
    if gold.having.keys() != prediction.having.keys():
        yield Tag("having_differs")
    if gold.scalar != prediction.scalar:
        yield Tag("scalar_subquery", f"in the {'gold' if gold.scalar else 'prediction'}")
    if gold.first_row != prediction.first_row:
        yield Tag("first_row_subquery", f"in the {'gold' if gold.first_row else 'prediction'}")


def condition_words(
    gold: QueryParts, prediction: QueryParts, schema: Schema | None
) -> Iterator[str]:
    """How the conditions of two queries differ, as predicates of the prediction."""
    ours, theirs = _lone(gold, prediction), _lone(prediction, gold)
    nulls = [
        [one for one in lone if one.null and _any_matters(one, query, schema)]
        for lone, query in ((ours, gold), (theirs, prediction))
    ]
    for lone, other in ((ours, prediction), (theirs, gold)):
        # ON TRUE says nothing.
        lone[:] = [one for one in lone if not one.null and one.columns]
        if list(_condition_moves(lone, other)):
            yield ""
    options = [{key for one in lone for key in one.options} for lone in (theirs, ours)]
    # Where one has more queries in it, the other may say the same in other words.
    is_alike = (gold.nested, gold.set_operations) == (prediction.nested, prediction.set_operations)
    if list(_connected(ours, theirs)):
        yield "connects conditions by AND where the gold has OR" if is_alike else ""
    if list(_connected(theirs, ours)):
        yield "connects conditions by OR where the gold has AND" if is_alike else ""
    changed = [pair for _, alike in _ALIKE for pair in _pairs(ours, theirs, alike)]
    missing, extra = ours + nulls[0], theirs + nulls[1]
    if len(missing) == len(extra) == 1:
        changed.append((missing.pop(), extra.pop()))
    instead: dict[str, list[str]] = {}
    for ours_, theirs_ in changed:
        before, after = ours_.readable, theirs_.readable
        if before and after and before != after:
            instead.setdefault(after, []).append(before)
        else:
            yield ""
    for after, texts in instead.items():
        yield f"has the condition {after} instead of {enumeration(list(dict.fromkeys(texts)))}"
    # BETWEEN is two conditions of one text.
    mentions = {*instead, *(text for texts in instead.values() for text in texts)}
    for does, lone, by_or in (("lacks", missing, options[0]), ("adds", extra, options[1])):
        others = [one for one in lone if one.readable not in mentions]
        texts = [
            one.readable
            for one in others
            if one.readable and one.key not in by_or and (is_alike or not one.inside)
        ]
        if texts:
            yield f"{does} the condition{'s' if len(texts) > 1 else ''} {enumeration(texts)}"
        if len(texts) < len(others):
            yield ""
    yield from _having_words(gold, prediction)


def _having_words(gold: QueryParts, prediction: QueryParts) -> Iterator[str]:
    ours = [one.readable for key, one in gold.having.items() if key not in prediction.having]
    theirs = [one.readable for key, one in prediction.having.items() if key not in gold.having]
    if not all(ours) or not all(theirs) or set(ours) & set(theirs):
        yield ""
        return
    if ours and theirs:
        yield f"has HAVING {' AND '.join(theirs)} instead of HAVING {' AND '.join(ours)}"
    elif ours:
        yield f"lacks HAVING {' AND '.join(ours)}"
    elif theirs:
        yield f"adds HAVING {' AND '.join(theirs)}"


def _lone(query: QueryParts, other: QueryParts) -> list[QueryCondition]:
    return [query.conditions[key] for key in query.conditions if key not in other.conditions]


def _null_tags(
    lone: list[QueryCondition], query: QueryParts, schema: Schema | None
) -> Iterator[Tag]:
    outputs = {ref for refs in query.columns.values() for ref in refs}
    for condition in [one for one in lone if one.null]:
        lone.remove(condition)
        if _any_matters(condition, query, schema):
            name = "null_output" if condition.columns & outputs else "null_condition"
            yield Tag(name, condition.text)


def _any_matters(condition: QueryCondition, query: QueryParts, schema: Schema | None) -> bool:
    return any(_matters(column, query, condition, schema) for column in condition.columns)


def _matters(
    column: str, query: QueryParts, condition: QueryCondition, schema: Schema | None
) -> bool:
    """Whether ``IS [NOT] NULL`` says something: nothing else passes NULL over."""
    others = [c for c in query.conditions.values() if c.key != condition.key and not c.null]
    implied = any(column in other.columns for other in others)
    computed = query.computed
    aggregated = (
        computed.count_arguments | computed.distinct_counts | computed.summed | computed.averaged
    )
    return not implied and column not in aggregated and is_nullable(column, schema)


def _condition_moves(lone: list[QueryCondition], other: QueryParts) -> Iterator[Tag]:
    """Conditions on rows that the other has elsewhere."""
    elsewhere = other.branches | other.having.keys()
    for condition in [one for one in lone if one.key in elsewhere]:
        lone.remove(condition)
        yield Tag("condition_moved", condition.text)


def _connected(lone: list[QueryCondition], others: list[QueryCondition]) -> Iterator[Tag]:
    """A condition of one made with OR of what AND connects in the other."""
    for condition in [one for one in lone if one.options]:
        parts = [one for one in others if one.key in condition.options]
        if len(parts) > 1:
            lone.remove(condition)
            for part in parts:
                others.remove(part)
            yield Tag("connective_changed", condition.text)


def _pairs(
    ours: list[QueryCondition],
    theirs: list[QueryCondition],
    alike: Callable[[QueryCondition], Hashable | None],
) -> Iterator[tuple[QueryCondition, QueryCondition]]:
    """Conditions that are alike, each in one pair; they leave the lists."""
    waiting: dict[Hashable, list[QueryCondition]] = defaultdict(list)
    for condition in reversed(theirs):
        waiting[alike(condition)].append(condition)
    waiting.pop(None, None)
    for condition in list(ours):
        partners = waiting.get(alike(condition))
        if partners:
            other = partners.pop()
            ours.remove(condition)
            theirs.remove(other)
            yield condition, other


def _plain(value: str) -> str:
    """A value without case, blanks, signs and wildcards."""
    return "".join(letter for letter in value.casefold() if letter.isalnum())


def _spelled(one: QueryCondition, other: QueryCondition) -> bool:
    """Whether the values of two conditions differ in spelling only."""
    ours, theirs = (sorted(map(_plain, c.values)) for c in (one, other))
    if len(ours) != len(theirs):
        return False
    return all(
        a == b or (min(len(a), len(b)) >= _SHORTEST_PREFIX and (a.startswith(b) or b.startswith(a)))
        for a, b in zip(ours, theirs, strict=True)
    )


def _names(condition: QueryCondition) -> frozenset[str] | None:
    return frozenset(split_ref(column)[1] for column in condition.columns) or None


def _is_same_name(one: QueryCondition, other: QueryCondition) -> bool:
    return one.columns != other.columns and _names(one) == _names(other)


_ALIKE: tuple[tuple[str, Callable[[QueryCondition], Hashable | None]], ...] = (
    ("value_changed", lambda one: one.shape),
    (
        "operator_changed",
        lambda one: (one.columns, frozenset(map(_plain, one.values))) if one.values else None,
    ),
    ("condition_changed", lambda one: one.columns or None),
    ("column_changed", lambda one: one.values or None),
    ("condition_changed", _names),
)
"""How a condition of the gold may come back in the prediction, the closest first."""
