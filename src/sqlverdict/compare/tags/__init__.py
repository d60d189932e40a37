"""What differs between a prediction and its gold, named without a language model.

A tag is a fact about the two queries' trees (:mod:`~sqlverdict.compare.query.parts`), about how
the two results relate, or about why there is none. It says where they differ, never who is right
or whether it matters. ``tag_labels.py`` maps tags to FLEX's categories.

``kinds``       what a tag is, and the table of all tags, which the files below fill
``names``       tags of a prediction that SQLite refuses, or that cannot be parsed
``sources``     tags of tables, joins and queries inside the query
``conditions``  tags of conditions
``rows``        tags of groups, order, limits, DISTINCT and set operations, and of the two results
``outputs``     tags of output columns
``computed``    tags of aggregates, functions and divisions
``words``       what the prediction does otherwise, in a sentence
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlverdict.compare.query.columns import is_nullable
from sqlverdict.compare.query.parts import QueryParts, parts_of_both
from sqlverdict.compare.tags.computed import computed_tags
from sqlverdict.compare.tags.conditions import condition_tags
from sqlverdict.compare.tags.kinds import EXAMPLES_SCHEMA, TAGS, Clause, TagKind
from sqlverdict.compare.tags.names import name_tags, unread_tag
from sqlverdict.compare.tags.outputs import output_tags
from sqlverdict.compare.tags.rows import result_tags, row_tags
from sqlverdict.compare.tags.sources import source_tags
from sqlverdict.compare.tags.words import query_words, refusal_words
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.evidence_parts import Tag
from sqlverdict.parse.schema import Schema
from sqlverdict.records import ParseFailure, Query

__all__ = [
    "EXAMPLES_SCHEMA",
    "TAGS",
    "Clause",
    "Tag",
    "TagKind",
    "clauses_of",
    "find_difference",
    "find_tags",
    "is_nullable",
]


def find_tags(
    gold: str,
    prediction: str,
    schema: Schema | None = None,
    *,
    relations: Iterable[str] = (),
    reasons: Iterable[str] = (),
    dialect: str = DEFAULT_DIALECT,
) -> tuple[Tag, ...]:
    """The differences between a prediction and its gold, each tag once.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: Their schema; without it a column counts as nullable, and no name as unknown.
        relations: How the two results relate, by name.
        reasons: Reason codes of the comparison.
        dialect: Whose SQL it is.
    """
    return find_difference(
        gold, prediction, schema, relations=relations, reasons=reasons, dialect=dialect
    )[0]


def find_difference(
    gold: str,
    prediction: str,
    schema: Schema | None = None,
    *,
    relations: Iterable[str] = (),
    reasons: Iterable[str] = (),
    dialect: str = DEFAULT_DIALECT,
) -> tuple[tuple[Tag, ...], str]:
    """As :func:`find_tags`, and what the prediction does otherwise, in words.

    The words are a predicate of the prediction, such as ``selects name instead of city``; they
    are empty where nothing can be said for sure.
    """
    of_results = list(result_tags(relations, reasons))
    fails = any(tag.name == "fails" for tag in of_results)
    of_queries, words = _compare(gold, prediction, schema, dialect, fails=fails)
    tags = [*of_results, *of_queries]
    return tuple({tag.name: tag for tag in reversed(tags)}.values())[::-1], words


def _compare(
    gold_sql: str, prediction_sql: str, schema: Schema | None, dialect: str, *, fails: bool
) -> tuple[list[Tag], str]:
    # The parser is slow to load; who has no queries to compare need not wait.
    from sqlverdict.parse.qualified import with_plain_names
    from sqlverdict.parse.query import parse

    gold, prediction = parse(gold_sql, dialect), parse(prediction_sql, dialect)
    if isinstance(gold, ParseFailure):
        return [unread_tag(gold, gold=True)], ""
    if isinstance(prediction, ParseFailure):
        return [unread_tag(prediction, gold=False)], ""
    # Tables of one name in two schemas are two.
    plain_gold, plain_prediction = (
        each if schema is None else with_plain_names(each, schema) for each in (gold, prediction)
    )
    is_plain = isinstance(plain_gold, Query) and isinstance(plain_prediction, Query)
    gold = plain_gold if isinstance(plain_gold, Query) else gold
    prediction = plain_prediction if isinstance(plain_prediction, Query) else prediction
    try:
        ours, theirs = parts_of_both(gold, prediction, schema)
        names = list(name_tags(prediction, schema)) if gold.sql != prediction.sql else []
        tags = [*names, *_differences(ours, theirs, schema)]
        words = refusal_words(names) if fails else query_words(ours, theirs, schema)
    except RecursionError:
        return [Tag("not_read", "a query is nested too deep")], ""
    return tags or ([Tag("same_trees")] if is_plain else []), words


def _differences(ours: QueryParts, theirs: QueryParts, schema: Schema | None) -> Iterator[Tag]:
    if theirs.as_text - ours.as_text:
        yield Tag("name_as_text", ", ".join(sorted(theirs.as_text)))
    yield from source_tags(ours, theirs, schema)
    yield from condition_tags(ours, theirs, schema)
    yield from row_tags(ours, theirs)
    yield from output_tags(ours, theirs, schema)
    yield from computed_tags(ours.computed, theirs.computed, schema)


def clauses_of(tags: Sequence[Tag]) -> tuple[Clause, ...]:
    """The clauses that differ, in the order of the tags."""
    clauses = (TAGS[tag.name].clause for tag in tags)
    return tuple(dict.fromkeys(each for each in clauses if each not in ("result", "query")))
