"""The pages for annotators and for the adjudicator, and the JSON endpoints behind them.

Votes are saved by one thread, and queries run in another: a slow query holds up no vote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sqlverdict.errors import UsageError
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.display import display_result
from sqlverdict.label.item import show_item
from sqlverdict.label.progress import agreement_of
from sqlverdict.label.session import LONGEST_TEXT, Ballot, LabelSession
from sqlverdict.web.assets import KINDS, read_asset
from sqlverdict.web.endpoints import json_endpoint, read_body

PAGES = "sqlverdict.label.page"
ADJUDICATOR = "adjudicator"
"""Who the adjudicator's token stands for; annotators are ``annotator:NAME``."""
ANNOTATOR = "annotator:"

T = TypeVar("T")


class PairRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request about one pair, with a query to run where it is about one."""

    pair: str
    sql: str = ""


class LabelApp:
    """Answers the pages' requests.

    Args:
        session: The annotators' work.
        databases: Runs queries.
        adjudicator: The adjudicator's name.
    """

    def __init__(self, session: LabelSession, databases: CaseDatabases, adjudicator: str) -> None:
        self.session = session
        self.databases = databases
        self.adjudicator = adjudicator
        self._votes = ThreadPoolExecutor(1, "votes")
        self._queries = ThreadPoolExecutor(1, "queries")

    def routes(self) -> Starlette:
        """The application."""
        endpoints: dict[str, Callable[[Request], Awaitable[object]]] = {
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
        api = [
            Route(f"/api/{name}", json_endpoint(each), methods=["POST"])
            for name, each in endpoints.items()
        ]
        return Starlette(routes=[*api, Route("/{name}", _asset), Route("/", _asset)])

    def close(self) -> None:
        """Wait for what is being saved, and close the databases."""
        self._votes.shutdown()
        # Databases are closed by the thread that opened them.
        self._queries.submit(self.databases.runner.close)
        self._queries.shutdown()

    async def _state(self, request: Request) -> object:
        return await self._saved(self.session.state, _annotator(request))

    async def _item(self, request: Request) -> object:
        pair = (await read_body(request, PairRequest)).pair
        name = _annotator(request)
        vote = await self._saved(self.session.own_vote, name, pair)
        first = self.session.first(name, pair)
        content = await self._queried(show_item, self.session.item(pair), self.databases, first)
        hidden = self.session.blind
        evidence = None if hidden else await self._saved(self.session.reveal, name, pair)
        return {"item": content, "vote": vote, "evidence": evidence}

    async def _vote(self, request: Request) -> object:
        ballot = await read_body(request, Ballot)
        name = _annotator(request)
        at = await self._saved(self.session.vote, name, ballot)
        progress, agreement = await self._saved(self.session.figures, name)
        return {"at": at, "progress": progress, "agreement": agreement}

    async def _undo(self, request: Request) -> object:
        name = _annotator(request)
        pair, vote = await self._saved(self.session.undo, name)
        state = await self._saved(self.session.state, name)
        return {"pair": pair, "vote": vote, "state": state}

    async def _reveal(self, request: Request) -> object:
        pair = (await read_body(request, PairRequest)).pair
        return await self._saved(self.session.reveal, _annotator(request), pair)

    async def _run(self, request: Request) -> object:
        query = await read_body(request, PairRequest)
        if len(query.sql) > LONGEST_TEXT:
            raise UsageError(f"the query is longer than {LONGEST_TEXT:,} characters")
        result = self.session.item(query.pair).result
        return display_result(await self._queried(self.databases.run, result, query.sql))

    async def _disputes(self, request: Request) -> object:
        _need_adjudicator(request)
        book = self.session.log.book
        agreement = await self._saved(agreement_of, book, self.session.log.path)
        disputes = await self._saved(self.session.disputes)
        return {"adjudicator": self.adjudicator, "disputes": disputes, "agreement": agreement}

    async def _dispute(self, request: Request) -> object:
        _need_adjudicator(request)
        pair = (await read_body(request, PairRequest)).pair
        item = self.session.item(pair)
        content = await self._queried(show_item, item, self.databases, "gold")
        known = await self._saved(self.session.reveal_dispute, self.adjudicator, pair)
        return {"item": content, "evidence": known}

    async def _adjudicate(self, request: Request) -> object:
        _need_adjudicator(request)
        ballot = await read_body(request, Ballot)
        return {"at": await self._saved(self.session.adjudicate, self.adjudicator, ballot)}

    async def _saved(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._votes, work, *arguments)

    async def _queried(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._queries, work, *arguments)


def _annotator(request: Request) -> str:
    identity: str = request.scope["identity"]
    if not identity.startswith(ANNOTATOR):
        raise UsageError("this address is the adjudicator's; each annotator has one of their own")
    return identity.removeprefix(ANNOTATOR)


def _need_adjudicator(request: Request) -> None:
    if request.scope["identity"] != ADJUDICATOR:
        raise UsageError("only the adjudicator sees the votes of others before the own vote")


async def _asset(request: Request) -> Response:
    """A file of the pages."""
    name = request.path_params.get("name", "label.html")
    name = "adjudicate.html" if name == "adjudicate" else name
    text = read_asset(PAGES, name)
    if text is None:
        return Response("no such page\n", 404, media_type="text/plain")
    kind = KINDS[name[name.rindex(".") :]]
    return Response(text, headers={"content-type": kind})
