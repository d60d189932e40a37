"""The options that ask a judge, and what they build: a client, recorded replies, an estimate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sqlverdict.cli.options.common import FILE, FOLDER, print_json
from sqlverdict.errors import UsageError

if TYPE_CHECKING:
    from sqlverdict.judge.opinion import Settings
    from sqlverdict.llm.cache import ReplyCache
    from sqlverdict.llm.estimate import CallEstimate
    from sqlverdict.llm.http.endpoint import Endpoint
    from sqlverdict.llm.request import Answerer
    from sqlverdict.load.benchmark import Benchmark
    from sqlverdict.run.judging.stage import Judging

F = TypeVar("F", bound=Callable[..., Any])

REPLAY = "replay"
RECORDED = "recorded"
_AT_HAND = (REPLAY, RECORDED)
_USUAL_JUDGE = "evidence"
_USUAL_URL = "https://api.openai.com/v1"
_TRUTH = {"yes": True, "true": True, "on": True, "1": True} | dict.fromkeys(
    ("no", "false", "off", "0"), False
)

_OPTIONS = (
    click.option(
        "--policy",
        metavar="NAME",
        help="How evidence becomes a verdict: intent (the default of the metric verdict), strict "
        "or results (without that metric).",
    ),
    click.option(
        "--confidence",
        type=FILE,
        help="Counts of labels that 'sqlverdict calibrate' wrote. [default: the package's]",
    ),
    click.option("--judge", metavar="NAME", help="Ask a judge: evidence, flex, recorded ..."),
    click.option(
        "--model",
        metavar="NAME",
        help="The judge's model, as its server knows it; with --judge recorded: whose verdicts.",
    ),
    click.option(
        "--base-url", metavar="URL", help="The server. [default: $OPENAI_BASE_URL, else OpenAI]"
    ),
    click.option(
        "--key-variable", metavar="NAME", help="The environment variable that holds the key."
    ),
    click.option("--no-llm", is_flag=True, help="Ask nobody; say what would have been asked."),
    click.option("--replies", type=FILE, help="With --judge replay: recorded replies, as JSONL."),
    click.option("--reply-cache", type=FILE, help="The file of cached replies."),
    click.option(
        "--max-cost", type=click.FloatRange(0), metavar="USD", help="Stop asking at this cost."
    ),
    click.option("--dry-run", is_flag=True, help="Only estimate calls, tokens and cost."),
    click.option("--batch", is_flag=True, help="Ask by the Batch API; run again to collect."),
    click.option(
        "--judge-repeat",
        type=click.IntRange(1),
        default=1,
        metavar="K",
        help="Ask everything K times and report how often the judge changes its mind.",
    ),
    click.option(
        "--judge-set", multiple=True, metavar="NAME=VALUE", help="A setting of the judge."
    ),
    click.option("--prompts", type=FOLDER, help="Prompt templates that replace ours."),
    click.option("--prices", type=FILE, help="Prices of models, as JSON."),
    click.option(
        "--concurrency", type=click.IntRange(1), default=8, help="Calls at the same time."
    ),
    click.option("--call-timeout", type=click.FloatRange(1), default=120.0, help="Seconds a call."),
    click.option("--max-per-minute", type=click.FloatRange(1), help="Calls a minute at most."),
)


def judge_options(command: F) -> F:
    """Everything that has to do with judges."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class JudgeSession:
    """How a run asks, opened for as long as the run takes.

    Attributes:
        judging: What the pipeline is told.
        endpoint: The server.
        cache: The cached replies.
        answerer: Who answers.
    """

    judging: Judging | None = None
    endpoint: Endpoint | None = None
    cache: ReplyCache | None = None
    answerer: Answerer | None = None


def check(said: dict[str, Any]) -> None:
    """Refuse options that exclude each other, before anything is read.

    Raises:
        UsageError: they do.
    """
    asks = said["judge"] is not None or said["model"] is not None
    if said["no_llm"] and asks:
        raise UsageError("--no-llm and --judge or --model exclude each other")
    if not asks:
        for name in ("replies", "max_cost", "dry_run", "batch", "base_url", "prompts", "judge_set"):
            if said[name]:
                option = name.replace("_", "-")
                raise UsageError(f"--{option} goes with --judge NAME or --model NAME")
        return
    if said["judge"] in _AT_HAND and (said["dry_run"] or said["batch"]):
        raise UsageError("recorded replies are at hand: --dry-run and --batch ask for others")
    if said["judge"] == RECORDED and said["model"] is None:
        raise UsageError("--judge recorded needs --model NAME: whose recorded verdicts to take")
    if said["judge"] != REPLAY and said["model"] is None:
        raise UsageError(f"--judge {said['judge']} needs --model NAME: which model is to be asked")
    if said["batch"] and said["dry_run"]:
        raise UsageError("--batch and --dry-run exclude each other")


def with_judged_metric(said: dict[str, Any]) -> str:
    """The metrics; with ``verdict`` where a judge or a policy is named and none listens."""
    metrics: str = said["metrics"]
    asked = said["judge"] is not None or said["model"] is not None or said["policy"] is not None
    if not asked and not said["no_llm"]:
        return metrics
    named = {part.strip().partition("[")[0] for part in metrics.split(",")}
    return metrics if named & {"flex", "verdict"} else f"{metrics},verdict"


@contextmanager
def hearing(said: dict[str, Any], benchmark: Benchmark) -> Iterator[JudgeSession]:
    """Whom the run asks, and how; closed when the run is over.

    Raises:
        UsageError: an option is wrong.
        MissingExtra: the packages for HTTP are not installed.
    """
    if said["judge"] is None and said["model"] is None:
        yield JudgeSession()
        return
    from sqlverdict.judge.judge import JUDGES
    from sqlverdict.run.judging.stage import Judging

    judge = said["judge"] or _USUAL_JUDGE
    JUDGES.get(judge)
    settings = settings_of(said)
    if judge in _AT_HAND:
        answerer: Answerer = _recorded(said, benchmark)
        yield JudgeSession(Judging(judge, settings, answerer, said["judge_repeat"], 1))
        return
    with _server(said) as opened:
        assert opened.answerer is not None, "a server answers"
        repeat, many = said["judge_repeat"], said["concurrency"]
        assert opened.endpoint is not None, "a server has an address"
        about = ", ".join(part for part in (opened.endpoint.server, _about(said)) if part)
        chosen = said["judge"] is not None
        judging = Judging(judge, settings, opened.answerer, repeat, many, about, chosen)
        yield replace(opened, judging=judging)


def settings_of(said: dict[str, Any]) -> Settings:
    """The judge's settings.

    Raises:
        UsageError: there is no such setting, or it cannot have that value.
    """
    from sqlverdict.judge.opinion import Settings

    usual = Settings()
    known = {each.name: getattr(usual, each.name) for each in fields(Settings)}
    given: dict[str, Any] = {}
    for text in said["judge_set"]:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or name not in known or name in ("model", "prompts", "sample"):
            settable = ", ".join(n for n in known if n not in ("model", "prompts", "sample"))
            raise UsageError(f"--judge-set {text!r}: expected NAME=VALUE, with one of {settable}")
        given[name] = _value(name, value, known[name])
    model = said["model"] or ("recorded" if said["judge"] == REPLAY else "")
    return Settings(**{**given, "model": model, "prompts": said["prompts"]})


def _value(name: str, text: str, usual: Any) -> Any:
    try:
        if isinstance(usual, bool):
            return _TRUTH[text.lower()]
        if isinstance(usual, tuple):
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if isinstance(usual, float):
            return float(text)
        if isinstance(usual, int) or name == "seed":
            return int(text)
    except (KeyError, ValueError):
        raise UsageError(f"--judge-set {name}={text}: this value does not fit") from None
    return text


def _recorded(said: dict[str, Any], benchmark: Benchmark) -> Answerer:
    from sqlverdict.judge.recorded import RecordedReplies

    if said["replies"] is not None:
        if said["judge"] == RECORDED:
            raise UsageError("--replies goes with --judge replay: recorded has verdicts only")
        return RecordedReplies.from_jsonl(said["replies"])
    if said.get("predictions") or said.get("system"):
        raise UsageError(
            f"--judge {said['judge']}: the records are about the predictions that stand beside "
            f"them; leave out --predictions and --system"
        )
    if said["judge"] == RECORDED:
        return RecordedReplies.of_verdicts(_verdicts(said["model"], benchmark))
    replies = {
        case.id: case.recorded.replies
        for case in benchmark.cases
        if case.recorded is not None and case.recorded.replies
    }
    if not replies:
        raise UsageError(
            f"the benchmark {benchmark.name} holds no recorded replies; give them with --replies "
            'FILE, one {"id": ..., "reply": ...} a line'
        )
    return RecordedReplies(replies)


def _verdicts(name: str, benchmark: Benchmark) -> dict[str, bool]:
    """The recorded verdicts of one judge, by case.

    Raises:
        UsageError: there are none of that name.
    """
    from sqlverdict.files.text import listed, near

    found: dict[str, bool] = {}
    names: dict[str, None] = {}
    for case in benchmark.cases:
        verdicts = case.recorded.verdicts if case.recorded is not None else {}
        names |= dict.fromkeys(verdicts)
        if verdicts.get(name) in (0.0, 1.0):
            found[case.id] = bool(verdicts[name])
    if not found:
        there = f"it holds those of {listed(names, 30)}" if names else "it holds none at all"
        raise UsageError(
            f"the benchmark {benchmark.name} holds no recorded verdicts of {name!r}; "
            f"{there}.{near(name, names)}"
        )
    return found


@contextmanager
def _server(said: dict[str, Any]) -> Iterator[JudgeSession]:
    from sqlverdict.llm.cache import ReplyCache, default_path
    from sqlverdict.llm.client import Client
    from sqlverdict.llm.collect import RequestCollector
    from sqlverdict.llm.http.endpoint import Endpoint
    from sqlverdict.llm.prices import load_prices

    url = said["base_url"] or os.environ.get("OPENAI_BASE_URL") or _USUAL_URL
    endpoint = Endpoint(
        url,
        said["model"],
        key_variable=said["key_variable"] or "",
        timeout=said["call_timeout"],
        concurrency=said["concurrency"],
        max_per_minute=said["max_per_minute"],
    )
    prices = load_prices(said["prices"])
    cache = ReplyCache(said["reply_cache"] or default_path())
    try:
        if said["dry_run"] or said["batch"]:
            if said["batch"]:
                _collect(endpoint, cache)
            yield JudgeSession(None, endpoint, cache, RequestCollector(endpoint, cache, prices))
        else:
            with Client(endpoint, cache, said["max_cost"], prices) as client:
                yield JudgeSession(None, endpoint, cache, client)
    finally:
        cache.close()
        if cache.problem is not None:
            click.echo(f"note: {cache.problem}", err=True)


def _collect(endpoint: Endpoint, cache: ReplyCache) -> None:
    from sqlverdict.files.text import count
    from sqlverdict.llm.batch.batches import collect

    collected = collect(endpoint, cache)
    for message in collected.messages:
        click.echo(f"batch: {message}", err=True)
    if collected.replies or collected.running:
        click.echo(
            f"batch: {count(collected.replies, 'reply', 'replies')} collected, "
            f"{count(collected.running, 'batch', 'batches')} still running",
            err=True,
        )


def submit_batch(heard: JudgeSession, said: dict[str, Any]) -> None:
    """Send what a run has to ask as a batch."""
    from sqlverdict.files.text import count
    from sqlverdict.llm.batch.batches import submit
    from sqlverdict.llm.collect import RequestCollector
    from sqlverdict.llm.prices import load_prices

    if not isinstance(heard.answerer, RequestCollector) or not heard.answerer.wanted:
        return
    assert heard.endpoint is not None, "a gatherer has a server"
    assert heard.cache is not None, "a gatherer has a cache"
    sent = submit(
        heard.endpoint,
        heard.cache,
        heard.answerer.wanted,
        max_cost=said["max_cost"],
        prices=load_prices(said["prices"]),
    )
    click.echo(
        f"batch: {count(sent.sent, 'request')} sent, {sent.left_out:,} left out by the cost limit",
        err=True,
    )


def show_estimate(heard: JudgeSession, said: dict[str, Any]) -> None:
    """Say what the requests that were gathered in a dry run would take."""
    from sqlverdict.llm.collect import RequestCollector
    from sqlverdict.llm.estimate import estimate_calls
    from sqlverdict.llm.prices import load_prices

    gathered = heard.answerer
    assert isinstance(gathered, RequestCollector), "a dry run gathers"
    found = estimate_calls(gathered.wanted, heard.cache, load_prices(said["prices"]))
    reasks = found.calls * settings_of(said).retries_unparseable
    if said["as_json"]:
        print_json({"estimate": found, "cached": gathered.cached, "possible_reasks": reasks})
        return
    for line in _estimate_lines(found, gathered.cached, reasks):
        click.echo(line)


def _estimate_lines(found: CallEstimate, cached: int, reasks: int) -> Sequence[str]:
    """An estimate in words.

    Args:
        found: The estimate.
        cached: Replies at hand.
        reasks: How many calls asking again could add.
    """
    from sqlverdict.files.text import count
    from sqlverdict.llm.prices import PRICE_FORM

    unpriced = ", ".join(map(repr, found.unpriced))
    cost = (
        f"unknown: no price for the model {unpriced}; give one with --prices FILE: {PRICE_FORM}"
        if found.cost is None
        else f"${found.cost:.4f}"
    )
    worst = "" if found.cost_limit is None else f", at most ${found.cost_limit:.4f}"
    lines = [
        f"calls: {found.calls:,} ({count(cached, 'more reply', 'more replies')} at hand)",
        f"tokens: about {found.prompt_tokens:,} read and {found.completion_tokens:,} written",
        f"cost: {cost}{worst}",
    ]
    if found.calls:
        lines.append(
            f"not counted: replies that cannot be read are asked for again (at most "
            f"{count(reasks, 'more call')}), and a judge that asks in several steps is counted up "
            f"to its first"
        )
    return lines


def _about(said: dict[str, Any]) -> str:
    """A mark of the user's own prompts: other words, other replies."""
    if said["prompts"] is None:
        return ""
    from hashlib import sha256

    digest = sha256()
    for file in sorted(Path(said["prompts"]).glob("*.md")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return f"prompts {digest.hexdigest()[:12]}"
