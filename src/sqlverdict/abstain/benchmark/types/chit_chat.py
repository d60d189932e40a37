"""Small talk: what people say to a partner, not to a database.

Drawn from the pool's entries that speak to somebody ("Do you like soccer?", "I did not know
that."); without a pool there are none. An entry that shares a specific word with the database's
schema is passed over. The first letter's case is that of an answerable question.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.abstain.benchmark.types.out_of_domain import pool_ideas
from sqlverdict.abstain.benchmark.unanswerable import TYPES, Idea


@TYPES.member
class ChitChat:
    """Talk that asks for no fact."""

    label = "chit-chat"
    version = 1
    prompt = ""

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Talk of the pool on a database."""
        talk = [question for question in sources.pool if question.chat]
        return pool_ideas(sources, db_id, talk, self.label)
