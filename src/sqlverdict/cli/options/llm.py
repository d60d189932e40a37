"""The language model that a command calls, the one way to open it, and calls not made at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import click

from sqlverdict.account import Account
from sqlverdict.cli.options.fields import Heading, option, setting
from sqlverdict.cli.options.shared import FILE, FOLDER, NumberRange, print_json
from sqlverdict.files.lock import writing_file
from sqlverdict.files.text import count

if TYPE_CHECKING:
    from sqlverdict.llm.cache import ReplyCache
    from sqlverdict.llm.collect import CallEstimate
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


def collect_replies(llm: OpenedLlm) -> None:
    """Collect the replies of batches that were sent earlier."""
    from sqlverdict.llm.batch.batches import collect

    collected = collect(llm.endpoint, llm.cache)
    for message in collected.messages:
        click.echo(f"batch: {message}", err=True)
    if collected.replies or collected.running:
        click.echo(
            f"batch: {count(collected.replies, 'reply', 'replies')} collected, "
            f"{count(collected.running, 'batch', 'batches')} still running",
            err=True,
        )


def submit_batch(llm: OpenedLlm, max_cost: float | None) -> None:
    """Send the requests that a run collected as a batch."""
    from sqlverdict.llm.batch.batches import submit
    from sqlverdict.llm.collect import RequestCollector

    collector = llm.answerer
    if not isinstance(collector, RequestCollector) or not collector.requests:
        return
    accounts = collector.accounts
    try:
        batch = submit(
            llm.endpoint,
            llm.cache,
            collector.requests,
            max_cost=max_cost,
            prices=llm.prices,
            accounts=accounts,
        )
    finally:
        for account in accounts.values():
            account.close()
    click.echo(
        f"batch: {count(batch.sent, 'request')} sent, {batch.left_out:,} left out by the cost "
        f"limit",
        err=True,
    )


def show_estimate(llm: OpenedLlm, retries: int, *, as_json: bool) -> None:
    """Print what the requests that a dry run collected would cost.

    Args:
        llm: The language model.
        retries: How often a reply that cannot be read is asked for again.
        as_json: Whether to print JSON.
    """
    from sqlverdict.llm.collect import RequestCollector, estimate_calls

    collector = llm.answerer
    assert isinstance(collector, RequestCollector), "a dry run collects"
    estimate = estimate_calls(collector.requests, llm.cache, llm.prices)
    repeats = estimate.calls * retries
    if as_json:
        print_json({"estimate": estimate, "cached": collector.cached, "possible_reasks": repeats})
        return
    for line in _estimate_lines(estimate, collector.cached, repeats):
        click.echo(line)


def _estimate_lines(estimate: CallEstimate, cached: int, repeats: int) -> Sequence[str]:
    """An estimate in words.

    Args:
        estimate: The estimate.
        cached: How many replies are cached.
        repeats: How many calls could be added by replies that cannot be read.
    """
    from sqlverdict.llm.costs import PRICE_FORM

    unpriced = ", ".join(map(repr, estimate.unpriced))
    cost = (
        f"unknown: no price for the model {unpriced}; give one with --set prices=FILE: {PRICE_FORM}"
        if estimate.cost is None
        else f"${estimate.cost:.4f}"
    )
    worst = "" if estimate.cost_limit is None else f", at most ${estimate.cost_limit:.4f}"
    lines = [
        f"calls: {estimate.calls:,} ({count(cached, 'more reply', 'more replies')} cached)",
        f"tokens: about {estimate.prompt_tokens:,} read and {estimate.completion_tokens:,} written",
        f"cost: {cost}{worst}",
    ]
    if estimate.calls:
        lines.append(
            f"not counted: replies that cannot be read are asked for again (at most "
            f"{count(repeats, 'more call')}). A judge of two steps is counted with both; it saves "
            f"the second where its first settles the question"
        )
    return lines
