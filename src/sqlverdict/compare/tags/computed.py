"""Tags of what is computed: aggregates, functions, divisions."""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.compare.query.columns import is_nullable
from sqlverdict.compare.query.computed import Computed
from sqlverdict.compare.tags.kinds import TAGS, TagKind, both_sides, is_column_ref
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.schema import Schema

TAGS.update(
    {
        "aggregate_missing": TagKind(
            "select",
            "the gold aggregates, the prediction lists rows",
            "SELECT SUM(goals) FROM player",
            "SELECT goals FROM player",
        ),
        "aggregate_extra": TagKind(
            "select",
            "the prediction aggregates, the gold lists rows",
            "SELECT goals FROM player",
            "SELECT SUM(goals) FROM player",
        ),
        "aggregate_changed": TagKind(
            "select",
            "the two use different aggregates",
            "SELECT AVG(goals) FROM player",
            "SELECT MAX(goals) FROM player",
        ),
        "aggregate_object": TagKind(
            "select",
            "the same aggregate sees another column",
            "SELECT SUM(goals) FROM player",
            "SELECT SUM(games) FROM player",
        ),
        "count_object": TagKind(
            "select",
            "the two count different things: rows, values of a column, or different values",
            "SELECT COUNT(*) FROM player",
            "SELECT COUNT(DISTINCT team_id) FROM player",
        ),
        "nullable_count": TagKind(
            "select",
            "a column that may be NULL is counted in only one of them",
            "SELECT COUNT(*) FROM player",
            "SELECT COUNT(weight) FROM player",
        ),
        "nullable_average": TagKind(
            "select",
            "an average in one divides by all rows in the other",
            "SELECT AVG(weight) FROM player",
            "SELECT SUM(weight) / COUNT(id) FROM player",
        ),
        "function_missing": TagKind(
            "select",
            "the prediction does without a function of the gold",
            "SELECT ABS(goals) FROM player",
            "SELECT goals FROM player",
        ),
        "function_extra": TagKind(
            "select",
            "the prediction calls a function that the gold does not",
            "SELECT goals FROM player",
            "SELECT ABS(goals) FROM player",
        ),
        "function_changed": TagKind(
            "select",
            "each calls a function that the other does not",
            "SELECT LOWER(name) FROM player",
            "SELECT TRIM(name) FROM player",
        ),
        "integer_division": TagKind(
            "select",
            "one divides whole numbers, the other makes a fraction of one of them first",
            "SELECT CAST(goals AS REAL) / games FROM player",
            "SELECT goals / games FROM player",
        ),
        "text_extreme": TagKind(
            "select",
            "only one takes the first or last of a column of text as it is sorted by its letters",
            "SELECT MAX(weight) FROM player",
            "SELECT MAX(born) FROM player",
        ),
    }
)

_LISTING = frozenset({"count", "sum", "avg", "groupconcat"})
_AVERAGE = frozenset({"count", "sum"})
"""What an average may be made of."""


def computed_tags(gold: Computed, prediction: Computed, schema: Schema | None) -> Iterator[Tag]:
    """How what two queries compute differs."""
    yield from _aggregate_tags(gold, prediction)
    yield from _null_tags(gold, prediction, schema)
    ours, theirs = gold.functions - prediction.functions, prediction.functions - gold.functions
    if ours or theirs:
        name = "function_changed" if ours and theirs else "function_missing"
        yield Tag(name if ours else "function_extra", both_sides(ours, theirs))
    for one, other in ((gold, prediction), (prediction, gold)):
        whole = one.whole_division and not one.real_division
        if whole and other.real_division and not other.whole_division:
            yield Tag("integer_division", f"in the {'gold' if one is gold else 'prediction'}")
    if bool(gold.text_extremes) != bool(prediction.text_extremes):
        yield Tag("text_extreme", ", ".join(sorted(gold.text_extremes | prediction.text_extremes)))


def _aggregate_tags(gold: Computed, prediction: Computed) -> Iterator[Tag]:
    listing = (gold.aggregates & _LISTING, prediction.aggregates & _LISTING)
    if bool(listing[0]) != bool(listing[1]):
        yield Tag("aggregate_missing" if listing[0] else "aggregate_extra")
    ours, theirs = gold.aggregates - prediction.aggregates, prediction.aggregates - gold.aggregates
    average = {frozenset(ours), frozenset(theirs)} <= {frozenset({"avg"}), _AVERAGE, frozenset()}
    if ours and theirs and not average:
        yield Tag("aggregate_changed", both_sides(ours, theirs))
    for name in sorted(gold.arguments.keys() & prediction.arguments.keys() - {"count"}):
        if gold.arguments[name] != prediction.arguments[name]:
            arguments = both_sides(gold.arguments[name], prediction.arguments[name])
            yield Tag("aggregate_object", f"{name}: {arguments}")
            break
    counts = [_count_arguments(one) for one in (gold, prediction)]
    if all(counts) and counts[0] != counts[1]:
        yield Tag("count_object", both_sides(*counts))


def _count_arguments(computed: Computed) -> set[str]:
    """What COUNT sees; what it sees by a condition is another matter."""
    return {text for text in computed.arguments.get("count", ()) if not text.startswith("if(")}


def _null_tags(gold: Computed, prediction: Computed, schema: Schema | None) -> Iterator[Tag]:
    changed = gold.count_arguments ^ prediction.count_arguments
    if gold.count_arguments and prediction.count_arguments:
        nullable = [ref for ref in changed if is_column_ref(ref) and is_nullable(ref, schema)]
        # Two columns that may both be NULL are another choice of column, not of NULLs.
        if nullable and len(nullable) < len(changed):
            yield Tag("nullable_count", ", ".join(sorted(nullable)))
    for one, other in ((gold, prediction), (prediction, gold)):
        divided = one.averaged & other.summed
        refs = [ref for ref in divided if is_column_ref(ref) and is_nullable(ref, schema)]
        if refs and other.count_arguments and not (set(refs) <= other.count_arguments):
            yield Tag("nullable_average", ", ".join(sorted(refs)))
