"""ETM's figures 1 to 6: its example pairs, by evidence and by the metrics that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from sqlverdict.compare.exact_set.match import exact_set_match
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Exhibit, Printed
from sqlverdict.papers.pair_evidence import EXAMPLES, pair_evidence
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.parse.query import parse
from sqlverdict.prove.prover import prove
from sqlverdict.records import Query

_QUERIES, _SHOWN_BY, _ESM, _ETM = "the two queries are", "shown by", "ESM", "ETM"
_EMPTY = "on an empty table MAX gives a row with NULL, the other query none"


@dataclass(frozen=True)
class ExamplePair:
    """A pair of a figure, with what the paper says of it.

    Attributes:
        row: How the figure calls it.
        gold: The one query.
        prediction: The other.
        printed: What the paper says, by column.
        reason: Why ours differs.
    """

    row: str
    gold: str
    prediction: str
    printed: tuple[tuple[str, str], ...]
    reason: str = ""


FIGURES: Mapping[str, tuple[str, tuple[ExamplePair, ...]]] = {
    "1": (
        "a false positive of EXE, and a false negative of ESM",
        (
            ExamplePair(
                "another condition",
                "SELECT name FROM dogs",
                "SELECT name FROM dogs WHERE age < 10",
                ((_QUERIES, "different"),),
            ),
            ExamplePair(
                "MAX, or the first row",
                "SELECT MAX(weight) FROM dogs",
                "SELECT weight FROM dogs ORDER BY weight DESC LIMIT 1",
                ((_QUERIES, "equal"), (_ESM, "no match")),
                reason=_EMPTY,
            ),
        ),
    ),
    "2": (
        "conditions of joins, which ESM does not compare",
        (
            ExamplePair(
                "another column in ON",
                "SELECT * FROM dogs AS t1 JOIN breeds AS t2 ON t1.breed_code = t2.breed_code",
                "SELECT * FROM dogs AS t1 JOIN breeds AS t2 ON t1.breed_code = t2.breed_name",
                ((_QUERIES, "different"), (_ESM, "match")),
            ),
        ),
    ),
    "3": (
        "DISTINCT, which ESM does not compare",
        (
            ExamplePair(
                "with and without DISTINCT",
                "SELECT DISTINCT name FROM dogs",
                "SELECT name FROM dogs",
                ((_QUERIES, "different"), (_ESM, "match")),
            ),
        ),
    ),
    "4": (
        "LIMIT, whose number ESM does not compare",
        (
            ExamplePair(
                "LIMIT 2 and LIMIT 1",
                "SELECT transcript_date FROM transcripts ORDER BY transcript_date DESC LIMIT 2",
                "SELECT transcript_date FROM transcripts ORDER BY transcript_date DESC LIMIT 1",
                ((_QUERIES, "different"), (_ESM, "match")),
            ),
        ),
    ),
    "5": (
        "a condition of an equivalence: the column is never NULL",
        (
            ExamplePair(
                "COUNT of a key and of rows",
                "SELECT count(dog_id) FROM dogs",
                "SELECT count(*) FROM dogs",
                ((_QUERIES, "equal"),),
            ),
        ),
    ),
    "6": (
        "an outline of the method: parse, rewrite by rules, compare trees",
        (
            ExamplePair(
                "with and without an alias",
                "SELECT d.name FROM dogs AS d",
                "SELECT name FROM dogs",
                ((_QUERIES, "equal"), (_ETM, "match")),
            ),
        ),
    ),
}
"""The title and the pairs of each figure."""


def example_exhibits() -> Iterator[Exhibit]:
    """The figures."""
    for number, (title, pairs) in FIGURES.items():
        printed: Printed = {
            (pair.row, column): text for pair in pairs for column, text in pair.printed
        }
        yield Exhibit(
            names=(f"figure {number}",),
            title=title,
            printed=printed,
            compute=partial(_cells, pairs),
            command="sqlverdict refute GOLD PRED --schema schema.sql",
        )


def _cells(pairs: tuple[ExamplePair, ...], data: PaperData) -> Iterator[PaperCell]:
    """What evidence says of each pair, and the metrics that the figure speaks of."""
    del data  # the pairs are all it takes
    for pair in pairs:
        verdict, evidence = pair_evidence(pair.gold, pair.prediction)
        columns = dict(pair.printed)
        yield PaperCell(pair.row, _QUERIES, verdict, reason=pair.reason)
        yield PaperCell(pair.row, _SHOWN_BY, evidence)
        if _ESM in columns:
            yield PaperCell(pair.row, _ESM, _match(_esm_matches(pair)))
        if _ETM in columns:
            proof = prove(pair.gold, pair.prediction, EXAMPLES, profile="etm_paper")
            yield PaperCell(pair.row, _ETM, _match(proof.proved))


def _esm_matches(pair: ExamplePair) -> bool:
    gold, prediction = parse(pair.gold), parse(pair.prediction)
    assert isinstance(gold, Query), "the examples can be parsed"
    assert isinstance(prediction, Query), "the examples can be parsed"
    return bool(exact_set_match(gold, prediction, EXAMPLES).equal)


def _match(matches: bool) -> str:
    return "match" if matches else "no match"
