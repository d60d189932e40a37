"""The pages for annotators and for the adjudicator, and the JSON endpoints behind them.

Votes are saved by one thread, and queries run in others: a slow query holds up no vote, and no
other reader. Pairs have other ids for each reader, and no reply to an annotator depends on the
votes of others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from sqlverdict.errors import UsageError
from sqlverdict.label.ballot import LONGEST_TEXT, Ballot
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.display import display_result
from sqlverdict.label.item import ItemContent, show_item
from sqlverdict.label.progress import agreement_of
from sqlverdict.label.session import ADJUDICATOR, ANNOTATOR, LabelSession
from sqlverdict.label.without_sql import item_without_sql
from sqlverdict.load.people.votes import Side
from sqlverdict.web.assets import KINDS, read_asset
from sqlverdict.web.endpoints import RepeatedRequests, pages_with_api, read_body
from sqlverdict.web.work_pool import WorkPool

PAGES = "sqlverdict.label.page"
T = TypeVar("T")


class PairRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request about one pair, with a query to run where it is about one."""

    pair: str
    sql: str = ""


class LabelApp:
    """Answers the pages' requests.

    Args:
        session: The annotators' work.
        open_databases: Opens what runs queries, for one thread.
        adjudicator: The adjudicator's name.
    """

    def __init__(
        self,
        session: LabelSession,
        open_databases: Callable[[], CaseDatabases],
        adjudicator: str,
    ) -> None:
        self.session = session
        self.adjudicator = adjudicator
        self._votes = ThreadPoolExecutor(1, "votes")
        readers = len(session.assignment) + 1
        self._queries = WorkPool(open_databases, lambda one: one.runner.close(), readers)
        self._repeated = RepeatedRequests()

    def routes(self) -> Starlette:
        """The application."""
        endpoints = {
            "state": self._state,
            "item": self._item,
            "vote": self._vote,
            "undo": self._undo,
            "reveal": self._reveal,
            "run": self._run,
            "disputes": self._disputes,
            "dispute": self._dispute,
            "adjudicate": self._adjudicate,
        }
        return pages_with_api(endpoints, _asset, self._repeated)

    def close(self) -> None:
        """Wait for what is being saved, and close the databases."""
        self._votes.shutdown()
        self._queries.close()

    async def _state(self, request: Request) -> object:
        return await self._saved(self.session.state, _annotator(request))

    async def _item(self, request: Request) -> object:
        name, pair = _annotator(request), await self._pair(request)
        vote = await self._saved(self.session.own_vote, name, pair)
        content = await self._content(request, pair, self.session.first(name, pair))
        if self.session.mode(name) == "results":
            content = item_without_sql(content)
        hidden = self.session.blind
        evidence = None if hidden else await self._saved(self.session.reveal, name, pair)
        return {"item": content, "vote": vote, "evidence": evidence}

    async def _vote(self, request: Request) -> object:
        name, ballot = _annotator(request), await self._ballot(request)
        at = await self._saved(self.session.vote, name, ballot)
        return {"at": at, "progress": await self._saved(self.session.progress, name)}

    async def _undo(self, request: Request) -> object:
        name = _annotator(request)
        pair, vote = await self._saved(self.session.undo, name)
        state = await self._saved(self.session.state, name)
        item_id = self.session.key.pair_id(_reader(request), pair)
        return {"pair": item_id, "vote": vote, "state": state}

    async def _reveal(self, request: Request) -> object:
        name, pair = _annotator(request), await self._pair(request)
        return await self._saved(self.session.reveal, name, pair)

    async def _run(self, request: Request) -> object:
        query = await read_body(request, PairRequest)
        if len(query.sql) > LONGEST_TEXT:
            raise UsageError(f"the query is longer than {LONGEST_TEXT:,} characters")
        result = self.session.item(await self._pair(request)).result
        reader = _reader(request)
        outcome = await self._queries.run(reader, lambda each: each.run(result, query.sql))
        return display_result(outcome)

    async def _disputes(self, request: Request) -> object:
        _need_adjudicator(request)
        content = self.session.log.content
        agreement = await self._saved(agreement_of, content, self.session.log.path)
        disputes = await self._saved(self.session.disputes)
        return {"adjudicator": self.adjudicator, "disputes": disputes, "agreement": agreement}

    async def _dispute(self, request: Request) -> object:
        _need_adjudicator(request)
        pair = await self._pair(request)
        content = await self._content(request, pair, "gold")
        known = await self._saved(self.session.reveal_dispute, self.adjudicator, pair)
        return {"item": content, "evidence": known}

    async def _adjudicate(self, request: Request) -> object:
        _need_adjudicator(request)
        ballot = await self._ballot(request)
        return {"at": await self._saved(self.session.adjudicate, self.adjudicator, ballot)}

    async def _pair(self, request: Request) -> str:
        """The pair that a request is about, by the id that its reader has for it."""
        item_id = (await read_body(request, PairRequest)).pair
        return self.session.pair_of(_reader(request), item_id)

    async def _ballot(self, request: Request) -> Ballot:
        ballot = await read_body(request, Ballot)
        pair = self.session.pair_of(_reader(request), ballot.pair)
        return msgspec.structs.replace(ballot, pair=pair)

    async def _content(self, request: Request, pair: str, first: Side) -> ItemContent:
        reader = _reader(request)
        item_id = self.session.key.pair_id(reader, pair)
        item = replace(self.session.item(pair), pair=item_id)
        return await self._queries.run(reader, lambda databases: show_item(item, databases, first))

    async def _saved(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._votes, work, *arguments)


def _reader(request: Request) -> str:
    identity: str = request.scope["identity"]
    return identity


def _annotator(request: Request) -> str:
    reader = _reader(request)
    if not reader.startswith(ANNOTATOR):
        raise UsageError("this address is the adjudicator's; each annotator has one of their own")
    return reader.removeprefix(ANNOTATOR)


def _need_adjudicator(request: Request) -> None:
    if _reader(request) != ADJUDICATOR:
        raise UsageError("only the adjudicator sees the votes of others")


async def _asset(request: Request) -> Response:
    """A file of the pages."""
    name = request.path_params.get("name", "label.html")
    name = "adjudicate.html" if name == "adjudicate" else name
    text = read_asset(PAGES, name)
    if text is None:
        return Response("no such page\n", 404, media_type="text/plain")
    kind = KINDS[name[name.rindex(".") :]]
    return Response(text, headers={"content-type": kind})
