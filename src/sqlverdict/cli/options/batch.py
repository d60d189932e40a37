"""Requests that are not sent at once: the Batch API, and the estimate of a dry run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from sqlverdict.cli.options.llm import OpenedLlm
from sqlverdict.cli.options.shared import print_json
from sqlverdict.files.text import count

if TYPE_CHECKING:
    from sqlverdict.llm.collect import CallEstimate

# Each function loads what it needs of llm/: commands that call no model need not wait for it.


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
