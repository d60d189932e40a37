"""What a judge is: it says what it wants to ask, reads the replies, and gives an opinion.

A judge is one file in ``judge/judges/``. It never sees a network, a clock or a file: its
``conduct`` is a generator that yields a :class:`~sqlverdict.llm.request.Request`, is sent
the :class:`~sqlverdict.llm.request.Reply` (or why there is none), and returns an
:class:`Opinion`. Whoever drives it decides how calls are made: one by one with :func:`ask_judge`,
many at a time, from a cache, from recorded replies.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Protocol

from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.categories import ask_categories
from sqlverdict.judge.opinion import Opinion, Settings
from sqlverdict.llm.request import Answerer, NoReply, Reply, Request
from sqlverdict.registry import Registry

__all__ = [
    "DEFAULT_JUDGE",
    "FIRST_STEPS",
    "JUDGES",
    "Brief",
    "Conduct",
    "Judge",
    "Opinion",
    "Settings",
    "ask_judge",
    "conduct",
]

Conduct = Generator[Request, Reply | NoReply, Opinion]
"""What a judge's work looks like: requests out, replies in, an opinion at the end."""


class Judge(Protocol):
    """An opinion about one case; plain class attributes satisfy the properties.

    A judge that shows its model nothing but the question, the knowledge, the schema, the queries
    and their results may say so with ``sees_evidence = False``: it is then asked once where two
    metrics want to know. One that gives kinds of error by itself has ``gives_categories = True``.
    """

    @property
    def name(self) -> str:
        """The judge's name, which is its file's name."""
        ...

    @property
    def version(self) -> int:
        """Rises whenever the same replies can give another opinion; prompts have their own."""
        ...

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """Ask what is to be asked about a brief, and return the opinion.

        Never raises for what a brief or a reply holds. A reply that cannot be read is asked
        for again at most ``settings.retries_unparseable`` times, and is then
        ``JUDGE_UNPARSEABLE``: unscored, never incorrect.
        """
        ...


DEFAULT_JUDGE = "cascade"
"""The judge of the metric ``verdict`` where nobody names another."""

FIRST_STEPS: Mapping[str, str] = {"cascade_alone": 'Assumed.\n{"correct": true}'}
"""For each prompt that another call may follow, the reply that makes it follow; for estimates."""

JUDGES: Registry[Judge] = Registry("judge", "sqlverdict.judge.judges", "sqlverdict.judges", Judge)


def conduct(judge: Judge, brief: Brief, settings: Settings) -> Conduct:
    """All that is to be asked about a brief: the verdict and, if set so, its categories."""
    opinion = yield from judge.conduct(brief, settings)
    if settings.categories and not getattr(judge, "gives_categories", False):
        opinion = yield from ask_categories(brief, opinion, settings)
    return opinion


def ask_judge(judge: Judge, brief: Brief, settings: Settings, answerer: Answerer) -> Opinion:
    """The judge's opinion, with every request put to the answerer in turn."""
    work = conduct(judge, brief, settings)
    try:
        request = next(work)
        while True:
            request = work.send(answerer.ask(request))
    except StopIteration as done:
        opinion: Opinion = done.value
        return opinion
