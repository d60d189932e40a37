"""FLEX's table 2: three answers to one question, and what evidence says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Printed
from sqlverdict.papers.pair_evidence import pair_evidence
from sqlverdict.papers.paper_data import PaperData

GOLD = "SELECT fname, lname FROM student ORDER BY score DESC LIMIT 1"
PAIRS: Mapping[str, tuple[str, str]] = {
    "example 1": (
        "SELECT fname, lname FROM student WHERE age < 19 ORDER BY score DESC LIMIT 1",
        "a false positive of EX",
    ),
    "example 2": (
        "SELECT lname, fname FROM student ORDER BY score DESC LIMIT 1",
        "a false negative of EX",
    ),
    "example 3": (
        "SELECT fname, lname FROM student WHERE score == (SELECT MAX(score) FROM student)",
        "a false negative of EX",
    ),
}
_QUERIES, _SHOWN_BY = "the two queries are", "shown by"
TABLE_2: Printed = {(row, _QUERIES): printed for row, (_, printed) in PAIRS.items()}


def example_evidence(data: PaperData) -> Iterator[PaperCell]:
    """Table 2: proof or witness for each pair."""
    del data
    for row, (prediction, _) in PAIRS.items():
        relation, shown_by = pair_evidence(GOLD, prediction)
        yield PaperCell(row, _QUERIES, relation)
        yield PaperCell(row, _SHOWN_BY, shown_by)
