"""The language model that a command calls, and the one way to open it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import click

from sqlverdict.account import Account
from sqlverdict.cli.options.fields import Heading, option, setting
from sqlverdict.cli.options.shared import FILE, FOLDER, NumberRange
from sqlverdict.files.lock import writing_file

if TYPE_CHECKING:
    from sqlverdict.llm.cache import ReplyCache
    from sqlverdict.llm.costs import Prices
    from sqlverdict.llm.http.endpoint import Endpoint
    from sqlverdict.llm.request import Answerer

_DEFAULT_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, kw_only=True)
class LlmArgs:
    """A language model and how to call it."""

    HEADING: ClassVar[Heading] = Heading.MODEL

    model: str | None = option(
        "--model", metavar="NAME", help="The language model, as its server names it."
    )
    base_url: str | None = option(
        "--base-url",
        metavar="URL",
        help="The model's server. [default: $OPENAI_BASE_URL, else OpenAI]",
    )
    key_variable: str | None = setting(
        "key-variable", metavar="NAME", help="The environment variable that holds the key."
    )
    reply_cache: Path | None = setting("reply-cache", type=FILE, help="The file of cached replies.")
    max_cost: float | None = option(
        "--max-cost",
        type=NumberRange(0),
        metavar="USD",
        help="Make no call beyond this cost, over all commands of one --out.",
    )
    prompts: Path | None = setting(
        "prompts",
        type=FOLDER,
        help="A folder of prompts to use instead of ours: templates, or a clone of FLEX or "
        "TrustSQL.",
    )
    prices: Path | None = setting("prices", type=FILE, help="A JSON file of prices of models.")
    concurrency: int = setting(
        "concurrency", type=click.IntRange(1), default=8, help="Calls at the same time."
    )
    call_timeout: float = setting(
        "call-timeout",
        type=NumberRange(1),
        default=120.0,
        metavar="SECONDS",
        help="Timeout per call.",
    )
    max_per_minute: float | None = setting(
        "max-per-minute", type=NumberRange(1), metavar="N", help="The most calls per minute."
    )


@dataclass(frozen=True)
class OpenedLlm:
    """A language model that is ready to be called.

    Attributes:
        endpoint: Its server.
        cache: The cached replies.
        prices: What tokens cost.
        answerer: What takes requests: a client, or a collector that sends nothing.
    """

    endpoint: Endpoint
    cache: ReplyCache
    prices: Prices
    answerer: Answerer


@contextmanager
def open_llm(
    args: LlmArgs,
    *,
    collect: bool = False,
    assumed: Mapping[str, str] = MappingProxyType({}),
    spending: Path | None = None,
) -> Iterator[OpenedLlm]:
    """Open the language model, and close it after the block.

    Args:
        args: The options; they name a model.
        collect: Collect requests instead of sending them, for a dry run or a batch.
        assumed: The replies that a dry run assumes, by the name of a prompt.
        spending: The account that calls are charged to; ``None``: the runs have their own.

    Raises:
        UsageError: an option is wrong.
        MissingExtra: the packages for HTTP are not installed.
    """
    # Loaded late: commands that call no model need not wait for it.
    from sqlverdict.llm.cache import ReplyCache, reply_cache_path
    from sqlverdict.llm.client import Client
    from sqlverdict.llm.collect import RequestCollector
    from sqlverdict.llm.costs import load_prices
    from sqlverdict.llm.http.endpoint import Endpoint

    assert args.model is not None, "the caller checks that a model is named"
    endpoint = Endpoint(
        args.base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL,
        args.model,
        key_variable=args.key_variable or "",
        timeout=args.call_timeout,
        concurrency=args.concurrency,
        max_per_minute=args.max_per_minute,
    )
    prices = load_prices(args.prices)
    cache = ReplyCache(args.reply_cache or reply_cache_path())
    try:
        if collect:
            collector = RequestCollector(endpoint, cache, prices, assumed)
            yield OpenedLlm(endpoint, cache, prices, collector)
        else:
            if endpoint.key_variable and not endpoint.key():
                note = f"note: {endpoint.key_variable} is not set: calls to {endpoint.server}"
                click.echo(f"{note} carry no key", err=True)
            with Client(endpoint, cache, args.max_cost, prices) as client:
                if spending is None:
                    yield OpenedLlm(endpoint, cache, prices, client)
                    return
                with writing_file(spending), closing(Account(spending)) as account:
                    yield OpenedLlm(endpoint, cache, prices, client.for_account(account))
    finally:
        cache.close()
        if cache.problem is not None:
            click.echo(f"note: {cache.problem}", err=True)
