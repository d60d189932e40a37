"""The page, and the JSON endpoints behind it.

The page is that of ``report.html``. Its data come from the server: the document of the runs that
the reader chose, the log lines of the cases that are shown, and what became of changed queries.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from sqlverdict.errors import UsageError
from sqlverdict.report.html.build import make_document
from sqlverdict.report.html.document import PageDocument
from sqlverdict.report.html.page import SCRIPTS, page_style
from sqlverdict.runlog.run import Run
from sqlverdict.view.playground import Playground
from sqlverdict.web.assets import KINDS
from sqlverdict.web.endpoints import pages_with_api, read_body
from sqlverdict.web.work_pool import WorkPool

_REPORT = "sqlverdict.report.html"
_OWN = "sqlverdict.view"
_BLOCK = re.compile(r"block-([0-9]{1,9})")
_LONGEST_NAME = 40
_DOCUMENTS = 4
"""How many choices of runs are kept."""

T = TypeVar("T")


class DocumentRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a document: ``index``, or ``block-N``."""

    runs: tuple[int, ...]
    name: str


class CheckRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two queries for a case of a run."""

    run: int
    id: str
    gold: str
    prediction: str


class ExportRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cases of a run whose log lines are asked for.

    Attributes:
        runs: The runs of the document that is shown.
        run: The run among them.
        ranges: Positions of cases in the document: the first, and how many. Ids would make a
            request of many cases too large.
    """

    runs: tuple[int, ...]
    run: int
    ranges: tuple[tuple[int, int], ...]


class ViewApp:
    """Answers the page's requests.

    Args:
        runs: The runs that can be shown.
        open_playground: Opens what examines changed queries, for one thread.
    """

    def __init__(self, runs: Sequence[Run], open_playground: Callable[[], Playground]) -> None:
        self.runs = tuple(runs)
        self._queries = WorkPool(open_playground, Playground.close)
        self._reading = ThreadPoolExecutor(1, "documents")
        self._document = lru_cache(maxsize=_DOCUMENTS)(self._make_document)

    def routes(self) -> Starlette:
        """The application."""
        endpoints = {
            "runs": self._runs,
            "document": self._part,
            "check": self._check,
            "export": self._export,
        }
        return pages_with_api(endpoints, _asset)

    def close(self) -> None:
        """End what is being read, and close the databases."""
        self._reading.shutdown()
        self._queries.close()

    async def _runs(self, request: Request) -> object:
        del request
        return [
            {"system": run.manifest.system, "on": run.manifest.benchmark, "folder": str(run.folder)}
            for run in self.runs
        ]

    async def _part(self, request: Request) -> object:
        body = await read_body(request, DocumentRequest)
        document = await self._in(self._reading, self._document, body.runs)
        if body.name == "index":
            return document.index
        match = _BLOCK.fullmatch(body.name)
        if match is None or int(match[1]) >= len(document.blocks):
            raise UsageError(f"the document has no part {body.name[:_LONGEST_NAME]!r}")
        return document.blocks[int(match[1])]

    async def _check(self, request: Request) -> object:
        body = await read_body(request, CheckRequest)
        run = self._run(body.run)
        reader: str = request.scope["identity"]
        pair = (body.id, body.gold, body.prediction)
        return await self._queries.run(reader, Playground.check, run, *pair)

    async def _export(self, request: Request) -> object:
        body = await read_body(request, ExportRequest)
        return await self._in(self._reading, self._lines, body)

    def _lines(self, body: ExportRequest) -> str:
        run, all_ids = self._run(body.run), self._document(body.runs).index.cases.id
        spans = (all_ids[max(0, first) : max(0, first + many)] for first, many in body.ranges)
        ids = {case_id for span in spans for case_id in span}
        results = (result for result in run.results() if result.id in ids)
        return "".join(f"{msgspec.json.encode(result).decode()}\n" for result in results)

    def _make_document(self, numbers: tuple[int, ...]) -> PageDocument:
        return make_document([self._run(number) for number in dict.fromkeys(numbers)])

    def _run(self, number: int) -> Run:
        if not 0 <= number < len(self.runs):
            raise UsageError(f"there is no run {number}")
        return self.runs[number]

    async def _in(self, pool: ThreadPoolExecutor, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(pool, work, *arguments)


async def _asset(request: Request) -> Response:
    """A file of the page."""
    makers = {"index.html": _page, "page.css": _style, "page.js": _script}
    name = request.path_params.get("name", "index.html")
    if name == "favicon.ico":
        return Response(status_code=204)
    if name not in makers:
        return Response("no such page\n", 404, media_type="text/plain")
    return Response(makers[name](), headers={"content-type": KINDS[name[name.rindex(".") :]]})


def _page() -> str:
    """The page of a report; style, script and data are requests of their own."""
    return (
        _text(_REPORT, "assets", "page.html")
        .replace('<meta http-equiv="Content-Security-Policy" content="@@policy@@">\n', "")
        .replace("<style>@@style@@</style>", '<link rel="stylesheet" href="page.css">')
        .replace("<script>@@script@@</script>", '<script src="page.js" defer></script>')
        .replace("@@title@@ · sqlverdict", "sqlverdict")
        .replace("@@data@@", "")
    )


def _style() -> str:
    return page_style() + _text(_OWN, "page", "view.css")


def _script() -> str:
    scripts = [_text(_REPORT, "assets", f"{name}.js") for name in SCRIPTS if name != "main"]
    own = [_text(_OWN, "page", name) for name in ("server.js", "playground.js")]
    # The last script starts the page.
    parts = [*scripts, *own, _text(_REPORT, "assets", "main.js")]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();\n"


def _text(package: str, folder: str, name: str) -> str:
    return (files(package) / folder / name).read_text(encoding="utf-8")
