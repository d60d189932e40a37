"""The judge that a run asks: its options, their checks, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from sqlverdict.cli.options.fields import Heading, group, option, setting
from sqlverdict.cli.options.llm import LlmArgs, OpenedLlm, collect_replies, open_llm
from sqlverdict.cli.options.shared import FILE
from sqlverdict.errors import UsageError
from sqlverdict.files.text import few_of, near
from sqlverdict.load.benchmark import Benchmark

if TYPE_CHECKING:
    from sqlverdict.judge.opinion import Settings
    from sqlverdict.judge.recorded import RecordedReplies
    from sqlverdict.run.judging.asking import JudgeOptions

REPLAY = "replay"
RECORDED = "recorded"
_RECORDED_JUDGES = (REPLAY, RECORDED)


@dataclass(frozen=True, kw_only=True)
class JudgeArgs:
    """Which judge a run asks, and how."""

    HEADING: ClassVar[Heading] = Heading.JUDGE

    judge: str | None = option(
        "--judge", metavar="NAME", help="Ask this judge: cascade (default), panel, flex, replay ..."
    )
    no_llm: bool = option(
        "--no-llm",
        is_flag=True,
        help="Do not call a model; list what a judge would be asked.",
    )
    llm: LlmArgs = group(LlmArgs, Heading.JUDGE)
    replies: Path | None = option(
        "--replies",
        rare=True,
        type=FILE,
        help="With --judge replay: a JSONL file of recorded replies.",
    )
    dry_run: bool = option(
        "--dry-run", is_flag=True, help="Only estimate the calls, tokens and cost."
    )
    batch: bool = option(
        "--batch",
        rare=True,
        is_flag=True,
        help="Use the Batch API; run the command again to collect.",
    )
    judge_repeat: int = setting(
        "judge-repeat",
        type=click.IntRange(1),
        default=1,
        metavar="K",
        help="Ask everything K times and report how often the judge changes its mind.",
    )
    categories: bool = option(
        "--categories",
        rare=True,
        is_flag=True,
        help="Also ask the judge for FLEX's kinds of error and of difference; report.md and "
        "'sqlverdict table --of categories' count them.",
    )
    judge_set: tuple[str, ...] = option(
        "--judge-set",
        rare=True,
        multiple=True,
        metavar="NAME=VALUE",
        help="Change a setting of the judge. Repeatable.",
    )

    @property
    def asks(self) -> bool:
        """Whether a judge is asked."""
        return self.judge is not None or self.llm.model is not None

    @property
    def collects(self) -> bool:
        """Whether requests are collected instead of sent."""
        return self.dry_run or self.batch

    def settings(self) -> Settings:
        """The judge's settings.

        Raises:
            UsageError: there is no such setting, or it cannot have that value.
        """
        model = self.llm.model or ("recorded" if self.judge == REPLAY else "")
        categories = ("categories=true",) if self.categories else ()
        return judge_settings((*self.judge_set, *categories), model, self.llm.prompts)


@dataclass(frozen=True)
class JudgeSession:
    """A judge that is ready to be asked, for as long as a run takes.

    Attributes:
        judging: What the pipeline needs to know; ``None`` where nobody is asked.
        llm: The language model; ``None`` where replies are recorded.
    """

    judging: JudgeOptions | None = None
    llm: OpenedLlm | None = None


def check_judge_options(args: JudgeArgs) -> None:
    """Refuse options that cannot be combined, before anything is read.

    Raises:
        UsageError: they do.
    """
    if args.no_llm and args.asks:
        raise UsageError("--no-llm and --judge or --model cannot be combined")
    if not args.asks:
        alone = {
            "--replies": args.replies,
            "--max-cost": args.llm.max_cost,
            "--dry-run": args.dry_run,
            "--batch": args.batch,
            "--base-url": args.llm.base_url,
            "the setting prompts": args.llm.prompts,
            "--categories": args.categories,
            "--judge-set": args.judge_set,
        }
        for name, value in alone.items():
            if value:
                raise UsageError(f"{name} goes with --judge NAME or --model NAME")
        return
    if args.judge in _RECORDED_JUDGES and args.collects:
        raise UsageError(
            f"--judge {args.judge} uses recorded replies and calls no model: leave out --dry-run "
            f"and --batch"
        )
    if args.judge == RECORDED and args.llm.model is None:
        raise UsageError("--judge recorded needs --model NAME: the judge whose verdicts to use")
    if args.judge != REPLAY and args.llm.model is None:
        raise UsageError(f"--judge {args.judge} needs --model NAME: the model to ask")
    if args.batch and args.dry_run:
        raise UsageError("--batch and --dry-run cannot be combined")


@contextmanager
def open_judge(
    args: JudgeArgs, benchmark: Benchmark, *, other_predictions: bool = False
) -> Iterator[JudgeSession]:
    """Open the judge that the options name, and close it after the block.

    Args:
        args: The options.
        benchmark: The benchmark, which may have recorded replies.
        other_predictions: Whether other predictions are judged than those the benchmark records.

    Raises:
        UsageError: an option is wrong.
        MissingExtra: the packages for HTTP are not installed.
    """
    if not args.asks:
        yield JudgeSession()
        return
    from sqlverdict.judge.judge import DEFAULT_JUDGE, FIRST_STEPS, JUDGES
    from sqlverdict.run.judging.asking import JudgeOptions

    judge = args.judge or DEFAULT_JUDGE
    JUDGES.get(judge)
    settings = args.settings()
    if judge in _RECORDED_JUDGES:
        answerer = recorded_replies(
            judge,
            benchmark,
            name=args.llm.model or "",
            replies=args.replies,
            other_predictions=other_predictions,
        )
        yield JudgeSession(JudgeOptions(judge, settings, answerer, args.judge_repeat, 1))
        return
    assumed = FIRST_STEPS if args.dry_run else {}
    with open_llm(args.llm, collect=args.collects, assumed=assumed) as llm:
        if args.batch:
            collect_replies(llm)
        about = ", ".join(filter(None, (llm.endpoint.server, _prompts_digest(args.llm.prompts))))
        judging = JudgeOptions(
            judge,
            settings,
            llm.answerer,
            args.judge_repeat,
            args.llm.concurrency,
            about,
            args.judge is not None,
        )
        yield JudgeSession(judging, llm)


def _prompts_digest(folder: Path | None) -> str:
    """The user's own prompts in a few characters: other prompts, other replies."""
    if folder is None:
        return ""
    from sqlverdict.judge.asking import PROMPTS

    return f"prompts {PROMPTS.digest(folder)}"


_BOOLEANS = {
    **dict.fromkeys(("yes", "true", "on", "1"), True),
    **dict.fromkeys(("no", "false", "off", "0"), False),
}
_FIXED = ("model", "prompts", "sample")
"""Settings that have options of their own, or that a run decides."""


def judge_settings(pairs: Sequence[str], model: str, prompts: Path | None) -> Settings:
    """The settings that ``--judge-set`` changed, the others as by default.

    Args:
        pairs: ``NAME=VALUE`` each.
        model: The model's name.
        prompts: The folder of the user's own prompts.

    Raises:
        UsageError: there is no such setting, or it cannot have that value.
    """
    from sqlverdict.judge.opinion import Settings

    usual = Settings()
    known = {each.name: getattr(usual, each.name) for each in fields(Settings)}
    changed: dict[str, Any] = {}
    for text in pairs:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or name not in known or name in _FIXED:
            settable = ", ".join(each for each in known if each not in _FIXED)
            raise UsageError(f"--judge-set {text!r}: expected NAME=VALUE, with one of {settable}")
        changed[name] = _converted(name, value, known[name])
    return Settings(**{**changed, "model": model, "prompts": prompts})


def _converted(name: str, text: str, usual: object) -> object:
    """A text as a value of the type that the setting has by default."""
    try:
        if isinstance(usual, bool):
            return _BOOLEANS[text.lower()]
        if isinstance(usual, tuple):
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if isinstance(usual, float):
            return float(text)
        if isinstance(usual, int) or name == "seed":
            return int(text)
    except (KeyError, ValueError):
        raise UsageError(f"--judge-set {name}={text}: this value does not fit") from None
    return text


def recorded_replies(
    judge: str,
    benchmark: Benchmark,
    *,
    name: str,
    replies: Path | None,
    other_predictions: bool,
) -> RecordedReplies:
    """The recorded replies of ``--judge replay``, or the verdicts of ``--judge recorded``.

    Args:
        judge: One of the two.
        benchmark: The benchmark, which may have records.
        name: Whose verdicts, for ``recorded``.
        replies: A file of replies, for ``replay``.
        other_predictions: Whether other predictions are judged than those the benchmark records.

    Raises:
        UsageError: there are no such records.
    """
    # Loaded late: runs without a judge need not wait for it.
    from sqlverdict.judge.recorded import RecordedReplies

    if replies is not None:
        if judge == RECORDED:
            raise UsageError("--replies goes with --judge replay: recorded has verdicts only")
        return RecordedReplies.from_jsonl(replies)
    if other_predictions:
        raise UsageError(
            f"--judge {judge}: the benchmark's records are about its own predictions; leave out "
            f"--predictions and --system"
        )
    if judge == RECORDED:
        return RecordedReplies.of_verdicts(_verdicts(name, benchmark))
    recorded = {
        case.id: case.recorded.replies
        for case in benchmark.cases
        if case.recorded is not None and case.recorded.replies
    }
    if not recorded:
        raise UsageError(
            f"the benchmark {benchmark.name} has no recorded replies; give them with --replies "
            'FILE, one {"id": ..., "reply": ...} per line'
        )
    categories = {
        case.id: case.recorded.categories
        for case in benchmark.cases
        if case.recorded is not None and case.recorded.categories
    }
    return RecordedReplies(recorded, categories)


def _verdicts(name: str, benchmark: Benchmark) -> dict[str, bool]:
    """The recorded verdicts of one judge, by case.

    Raises:
        UsageError: there are none of that name.
    """
    by_case: dict[str, bool] = {}
    names: dict[str, None] = {}
    for case in benchmark.cases:
        verdicts = case.recorded.verdicts if case.recorded is not None else {}
        names |= dict.fromkeys(verdicts)
        if verdicts.get(name) in (0.0, 1.0):
            by_case[case.id] = bool(verdicts[name])
    if not by_case:
        known = f"it has those of {few_of(names, 30)}" if names else "it has none at all"
        raise UsageError(
            f"the benchmark {benchmark.name} has no recorded verdicts of {name!r}; "
            f"{known}.{near(name, names)}"
        )
    return by_case
