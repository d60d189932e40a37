"""Tags of output columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlverdict.compare.query.columns import UNKNOWN, schema_index, split_ref
from sqlverdict.compare.query.parts import QueryParts
from sqlverdict.compare.tags.kinds import JOINED, TAGS, TagKind, both_sides, is_column_ref
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.schema import Schema

TAGS.update(
    {
        "other_columns": TagKind(
            "select",
            "the two output different columns",
            "SELECT name FROM team",
            "SELECT city FROM team",
        ),
        "same_name_column": TagKind(
            "select",
            "a column of the same name is read from another table",
            JOINED,
            "SELECT t.name FROM player p JOIN team t ON p.team_id = t.id",
        ),
        "key_for_name": TagKind(
            "select",
            "one outputs a key where the other outputs what the key stands for",
            "SELECT name FROM player",
            "SELECT id FROM player",
        ),
        "other_outputs": TagKind(
            "select",
            "the output columns are computed differently",
            "SELECT SUM(goals) FROM player",
            "SELECT SUM(goals * 2) FROM player",
        ),
        "more_outputs": TagKind(
            "select",
            "the prediction has more output columns",
            "SELECT name FROM player",
            "SELECT name, born FROM player",
        ),
        "fewer_outputs": TagKind(
            "select",
            "the prediction has fewer output columns",
            "SELECT name, born FROM player",
            "SELECT name FROM player",
        ),
        "output_order": TagKind(
            "select",
            "the same output columns in another order",
            "SELECT name, born FROM player",
            "SELECT born, name FROM player",
        ),
        "composed_output": TagKind(
            "select",
            "one joins columns into one text that the other outputs separately",
            "SELECT name, born FROM player",
            "SELECT name || ' ' || born FROM player",
        ),
    }
)


def output_tags(gold: QueryParts, prediction: QueryParts, schema: Schema | None) -> Iterator[Tag]:
    """How the outputs of two queries differ."""
    yield from _column_tags(gold, prediction, schema)
    ours, theirs = gold.any_count_outputs, prediction.any_count_outputs
    if len(ours) != len(theirs):
        yield Tag("more_outputs" if len(theirs) > len(ours) else "fewer_outputs")
    composed = _composed(gold, prediction) or _composed(prediction, gold)
    if composed:
        yield Tag("composed_output", ", ".join(sorted(composed)))
    bags = Counter(ours), Counter(theirs)
    if bags[0] == bags[1]:
        if ours != theirs:
            yield Tag("output_order")
        elif any("if(" in text for text in set(gold.outputs) ^ set(prediction.outputs)):
            # What else COUNT sees has a tag of its own.
            yield Tag("other_outputs", both_sides(gold.outputs, prediction.outputs))
    elif not (bags[0] <= bags[1] or bags[1] <= bags[0] or composed):
        lone = [*(bags[0] - bags[1]), *(bags[1] - bags[0])]
        # Columns as they are have a tag of their own.
        if not all(map(is_column_ref, lone)):
            yield Tag("other_outputs", both_sides(gold.outputs, prediction.outputs))


def _column_tags(gold: QueryParts, prediction: QueryParts, schema: Schema | None) -> Iterator[Tag]:
    # Outputs that both have say nothing; further ones alone are another tag.
    ours, theirs = (
        {column for output in one.columns for column in one.columns[output] if output not in other}
        for one, other in ((gold, prediction.columns), (prediction, gold.columns))
    )
    lone = _differing(ours, theirs)
    if not (ours and theirs and any(lone)):
        return
    names = [{split_ref(ref)[1] for ref in refs} for refs in lone]
    if names[0] & names[1]:
        yield Tag("same_name_column", both_sides(*lone))
    elif _is_key_for_name(lone[0], lone[1], schema) or _is_key_for_name(lone[1], lone[0], schema):
        yield Tag("key_for_name", both_sides(*lone))
    else:
        yield Tag("other_columns", both_sides(*lone))


def _is_key_for_name(ones: set[str], others: set[str], schema: Schema | None) -> bool:
    """Whether there is a key among some columns, and of the others none but one of its table."""
    if schema is None or not ones or not others:
        return False
    index = schema_index(schema)
    keys = {ref for ref in ones if index.is_key(ref)}
    tables = {split_ref(end)[0] for ref in keys for end in (ref, index.keys.get(ref, ref))}
    return not any(map(index.is_key, others)) and any(split_ref(ref)[0] in tables for ref in others)


def _composed(one: QueryParts, other: QueryParts) -> frozenset[str]:
    """The columns that one writes into one text and the other outputs."""
    outputs = set(other.outputs)
    return next(
        (refs for refs in one.composed if len(refs) > 1 and refs <= outputs),
        frozenset(),
    )


def _differing(ours: set[str], theirs: set[str]) -> tuple[set[str], set[str]]:
    """Columns that only one of them has; a column of an unknown table may be any of that name."""

    def alone(one: set[str], other: set[str]) -> set[str]:
        names = {split_ref(ref)[1] for ref in other if ref.startswith(UNKNOWN)}
        known = {split_ref(ref)[1] for ref in other}
        return {
            ref
            for ref in one - other
            if split_ref(ref)[1] not in (known if ref.startswith(UNKNOWN) else names)
        }

    return alone(ours, theirs), alone(theirs, ours)
