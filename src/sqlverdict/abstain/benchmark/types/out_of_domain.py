"""Questions about anything else, drawn from a given pool and from other databases.

A question that shares a specific word with the database's schema is passed over: it might be
answerable after all. Questions on other databases stand beside the pool's, as many of either, by
the same rule: their words are those of answerable questions, and so tell nothing. The first
letter's case and the mark at the end are made those of an answerable question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from sqlverdict.abstain.benchmark.chance import draw, shuffled
from sqlverdict.abstain.benchmark.columns.ideas import in_style
from sqlverdict.abstain.benchmark.question_pool import PoolQuestion
from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.abstain.benchmark.unanswerable import TYPES, Idea
from sqlverdict.abstain.benchmark.words import GENERIC, meaning, question_words

_SHORTEST, _LONGEST = 4, 30


@TYPES.member
class OutOfDomain:
    """Questions that have nothing to do with the database."""

    label = "out-of-domain"
    version = 2
    prompt = ""

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database."""
        if db_id not in sources.known:
            return iter(())
        pool = [question for question in sources.pool if not question.chat]
        elsewhere = [
            PoolQuestion(case.question, f"{case.db_id} {case.id}")
            for case in sources.cases
            if case.db_id != db_id and case.question.strip()
        ]
        same_rule = pool_ideas(sources, db_id, elsewhere, self.label)
        others = (replace(idea, wording="elsewhere") for idea in same_rule)
        both = zip_longest(pool_ideas(sources, db_id, pool, self.label), others)
        return (idea for pair in both for idea in pair if idea is not None)


def pool_ideas(
    sources: QuestionSources, db_id: str, pool: Sequence[PoolQuestion], purpose: str
) -> Iterator[Idea]:
    """Texts of a pool that share no specific word with a database's schema.

    Args:
        sources: What questions are made from.
        db_id: The database.
        pool: The texts.
        purpose: What the draws depend on, beside the seed.
    """
    known = sources.known.get(db_id)
    specific = known.vocabulary - GENERIC if known is not None else frozenset[str]()
    models = sorted(case.question for case in sources.by_database.get(db_id, ()))
    for question in shuffled(pool, sources.seed, purpose, db_id, key=lambda q: q.text):
        spoken = [meaning(word) for word, _, _ in question_words(question.text)]
        if _SHORTEST <= len(spoken) <= _LONGEST and not specific.intersection(spoken):
            text = " ".join(question.text.split())
            model = models[draw(sources.seed, db_id, text) % len(models)] if models else text
            yield Idea(db_id, in_style(text, model), "pool", question.origin)
