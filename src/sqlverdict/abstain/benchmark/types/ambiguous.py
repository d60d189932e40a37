"""Questions with two readings that have different answers: which one is meant, nobody said.

A word that two columns share (the price of a property, asked for or agreed), a value that two
columns hold (flights for APG: from there, or to there), a rank without a measure (the best song: by
its sales, or by its position in the charts). Both readings are queries, run on the database, and
kept with the case; a question is used only where both give rows and the rows differ. The right
reply is to ask back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from sqlverdict.abstain.benchmark.chance import draw, shuffled
from sqlverdict.abstain.benchmark.columns.ideas import in_style
from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.abstain.benchmark.readings.rows import Ambiguity, SqlText
from sqlverdict.abstain.benchmark.readings.shared_values import shared_values
from sqlverdict.abstain.benchmark.readings.shared_words import shared_words
from sqlverdict.abstain.benchmark.readings.vague_ranks import vague_ranks
from sqlverdict.abstain.benchmark.unanswerable import TYPES, Idea
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.references import is_server
from sqlverdict.records import Answer


@TYPES.member
class Ambiguous:
    """Questions with two readings."""

    label = "ambiguous"
    version = 1
    prompt = ""

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database."""
        known, runner = sources.known.get(db_id), sources.runner
        cases = sources.by_database.get(db_id, ())
        database = next((case.database for case in cases if case.database), None)
        if known is None or runner is None or database is None or not _is_there(database):
            return
        sql = SqlText(runner.engine_for(database).dialect)

        def values(query: str) -> list[str]:
            outcome = runner.run(database, query)
            rows = outcome.rows if isinstance(outcome, Answer) else []
            return [row[0] for row in rows if isinstance(row[0], str)]

        kinds = [
            shuffled(each, sources.seed, self.label, db_id, key=lambda a: a.question + a.between)
            for each in (
                shared_values(known.schema, sql, values),
                shared_words(known.schema, sql),
                vague_ranks(known.schema, sql),
            )
        ]
        models = sorted(case.question for case in cases)
        for each in (one for turn in zip_longest(*kinds) for one in turn if one is not None):
            if _differ(each, database, runner):
                model = models[draw(sources.seed, db_id, each.question) % len(models)]
                yield Idea(
                    db_id,
                    in_style(each.question, model),
                    "form",
                    table=each.table,
                    readings=each.between,
                    queries=each.queries,
                )


def _is_there(database: str) -> bool:
    return is_server(database) or Path(database).is_file()


def _differ(each: Ambiguity, database: str, runner: QueryRunner) -> bool:
    """Whether both readings give something, and not the same."""
    rows = []
    for query in each.queries:
        outcome = runner.run(database, query)
        if not isinstance(outcome, Answer):
            return False
        if all(cell is None or cell == 0 for row in outcome.rows for cell in row):
            return False
        rows.append(outcome.rows)
    return Counter(map(repr, rows[0])) != Counter(map(repr, rows[1]))
