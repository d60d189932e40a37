"""FLEX's table 2: three answers to one question that EX misjudges.

The rows are those that the paper speaks of: two students have the highest score, and none is older
than 18.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlverdict.api.calls import check
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Printed
from sqlverdict.papers.pair_evidence import pair_evidence
from sqlverdict.papers.paper_data import PaperData

GOLD = "SELECT fname, lname FROM student ORDER BY score DESC LIMIT 1"
_POSITIVE, _NEGATIVE, _RIGHT = "a false positive", "a false negative", "right"
PAIRS: Mapping[str, tuple[str, str]] = {
    "example 1": (
        "SELECT fname, lname FROM student WHERE age < 19 ORDER BY score DESC LIMIT 1",
        _POSITIVE,
    ),
    "example 2": ("SELECT lname, fname FROM student ORDER BY score DESC LIMIT 1", _NEGATIVE),
    "example 3": (
        "SELECT fname, lname FROM student WHERE score == (SELECT MAX(score) FROM student)",
        _NEGATIVE,
    ),
}
_EX, _SHOWN_BY = "EX is", "the two queries"
_METRIC = "ex[bird]"
TABLE_2: Printed = {(row, _EX): printed for row, (_, printed) in PAIRS.items()}
_ROWS = """
CREATE TABLE student (student_id INTEGER PRIMARY KEY, fname TEXT, lname TEXT, age INTEGER,
    score INTEGER);
INSERT INTO student VALUES (1, 'Emily', 'Carter', 17, 95), (2, 'Liam', 'Thompson', 18, 95),
    (3, 'Ada', 'Brook', 16, 70);
"""


def example_evidence(data: PaperData) -> Iterator[PaperCell]:
    """Table 2: EX beside the verdict of the policy that calls a lucky match wrong."""
    del data
    with TemporaryDirectory() as folder:
        path = Path(folder) / "school.sqlite"
        with closing(sqlite3.connect(path)) as database:
            database.executescript(_ROWS)
        for row, (prediction, _) in PAIRS.items():
            yield PaperCell(row, _EX, _judgement_of_ex(prediction, path))
            yield PaperCell(row, _SHOWN_BY, ": ".join(pair_evidence(GOLD, prediction)))


def _judgement_of_ex(prediction: str, path: Path) -> str:
    result = check(
        GOLD, prediction, db=path, metrics=_METRIC, prove=True, refute=100, policy="strict"
    )
    ex, right = result.scores[_METRIC] == 1, bool(result.correct)
    if ex == right:
        return _RIGHT
    return _POSITIVE if ex else _NEGATIVE
