"""Whom a run asks, how, and what: the records that plans, workers and the judge stage exchange."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlverdict.account import Account
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.request import Answerer
from sqlverdict.situations import Situation

FLEX = "flex"
"""The judge of the metric ``flex`` where the user chose none."""
REPLAY = "replay"
"""The judge that reads recorded replies."""
RECORDED = "recorded"
"""The judge that repeats recorded verdicts."""
BY_CASE = (REPLAY, RECORDED)
"""Judges that know one answer per case, whatever the brief."""


@dataclass(frozen=True)
class Asking:
    """Which judges a run asks, by name, and for which metrics; without metrics nobody is asked.

    Attributes:
        pair_judges: For each metric that wants an opinion on every pair that runs, such as
            ``flex`` and ``judge[rubric]``, the judge that it listens to.
        open_judge: Asked what evidence leaves open.
        open_metrics: The metrics that listen to it, such as ``verdict``.
    """

    pair_judges: Mapping[str, str] = field(default_factory=dict)
    open_judge: str = ""
    open_metrics: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgeQuestion:
    """One brief for one judge, and the metrics that want to know.

    ``situation`` says what is open, where it is asked for the verdict; ``notes`` what could not
    be told, such as a file of descriptions that is broken.
    """

    metrics: tuple[str, ...]
    judge: str
    brief: Brief
    situation: Situation | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgeOptions:
    """How a run asks.

    Attributes:
        judge: The judge, by name.
        settings: The model and how it is asked.
        answerer: Who answers: a client, recorded replies, a gatherer.
        repeat: How often each question is asked; the first opinion decides, the others show how
            steady the judge is.
        concurrency: How many questions are asked at the same time.
        about: What else a manifest should say, such as a digest of the prompts.
        for_every_metric: Whether the judge is asked for every metric, as where the user named
            it. Otherwise it is asked for ``verdict``, and the judge ``flex`` for the metric
            ``flex``.
        by_system: Who answers the questions of each system, where their runs have accounts.
    """

    judge: str
    settings: Settings
    answerer: Answerer = field(repr=False)
    repeat: int = 1
    concurrency: int = 8
    about: str = ""
    for_every_metric: bool = True
    by_system: tuple[Answerer, ...] = field(default=(), repr=False)

    def for_accounts(self, accounts: Iterable[Account]) -> JudgeOptions:
        """The same, with the account that each system's calls are charged to."""
        for_account = getattr(self.answerer, "for_account", None)
        if for_account is None:
            return self
        return replace(self, by_system=tuple(map(for_account, accounts)))

    def describe(self, asking: Asking) -> str:
        """Who is asked, and how: what a manifest says."""
        # Judges are slow to load; runs without one need not wait.
        from sqlverdict.judge.judge import JUDGES

        judges = dict.fromkeys(asking.open_metrics, asking.open_judge)
        judges |= asking.pair_judges
        members = {metric: JUDGES.get(name) for metric, name in judges.items()}
        names = {metric: f"{judge.name}@{judge.version}" for metric, judge in members.items()}
        one = len(set(names.values())) == 1
        who = [name if one else f"{name} for {metric}" for metric, name in names.items()]
        parts = [*dict.fromkeys(who), *_changed(self.settings), self.about]
        parts += [f"asked {self.repeat} times"] if self.repeat > 1 else []
        return ", ".join(part for part in parts if part)


def _changed(settings: Settings) -> list[str]:
    """What is not as by default, in words."""
    usual, own = vars(Settings()), vars(settings)
    return [f"{name} {value}" for name, value in own.items() if value != usual[name]]
