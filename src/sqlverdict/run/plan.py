"""Which stages a run has: what was asked for, and what its metrics need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.confidence import NO_LABELS, Model, Models, built_in, write_models
from sqlverdict.errors import UsageError
from sqlverdict.parse.schema import Schema
from sqlverdict.policies import INTENT, POLICIES, RESULTS
from sqlverdict.run.examine import ExaminePlan
from sqlverdict.run.prove_stage import SOUND, Proving
from sqlverdict.run.refute_stage import Refuting
from sqlverdict.score.metric import MetricSpec

if TYPE_CHECKING:
    from sqlverdict.run.judging.briefs import Asking
    from sqlverdict.run.judging.stage import Judging


@dataclass(frozen=True)
class Wishes:
    """What was asked for besides the metrics; see :class:`sqlverdict.pipeline.Options`.

    ``chosen`` says that the user named the judge: it is asked for every metric then. ``preset``
    tells matches from differences where the run has no ``ex``. ``contradictions`` is where a pair
    that is both proved and refuted is saved, unless ``proving`` names a folder.
    """

    refuting: Refuting | None = None
    proving: Proving | None = None
    judge: str | None = None
    chosen: bool = True
    preset: str = ""
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    policy: str | None = None
    contradictions: Path | None = None
    null_keys: bool = False
    confidence: Models | None = field(default=None, repr=False)


def plan_of(specs: Sequence[MetricSpec], wishes: Wishes) -> ExaminePlan:
    """The stages of a run.

    Raises:
        UsageError: there is no such policy.
    """
    names = {spec.metric.name for spec in specs}
    policy = _policy(names, wishes)
    gated = policy != RESULTS.name
    # By results alone a verdict needs neither proofs nor witnesses.
    needy = [spec.metric for spec in specs if gated or spec.metric.name != "verdict"]
    needs = {need for metric in needy for need in metric.needs}
    model = _model(policy, wishes)
    asking = _asking(names, wishes, model)
    refuting, proving = wishes.refuting, wishes.proving
    if refuting is None and ("witness" in needs or gated):
        refuting = Refuting(schemas=wishes.schemas)
    if refuting is not None:
        refuting = replace(
            refuting,
            careful=refuting.careful or gated,
            null_keys=refuting.null_keys or wishes.null_keys,
        )
    if proving is None and ("proof" in needs or gated):
        proving = Proving(schemas=wishes.schemas)
    if proving is not None and proving.folder is None:
        proving = replace(proving, folder=wishes.contradictions)
    known = (wishes.schemas, wishes.null_keys)
    return ExaminePlan(
        refuting,
        proving,
        policy,
        asking,
        *known,
        preset=_preset(specs, wishes),
        model=model,
    )


def _model(policy: str, wishes: Wishes) -> Model:
    """The counts of labels for a policy.

    Raises:
        UsageError: counts were given, and have none for the policy.
    """
    given = wishes.confidence
    if given is not None and policy != RESULTS.name and policy not in given:
        raise UsageError(
            f"the counts of labels are for {', '.join(given) or 'no policy'}, and the run has the "
            f"policy {policy}. Calibrate a run of this policy, or choose the other with --policy"
        )
    return (given or built_in()).get(policy, NO_LABELS)


def _asking(names: set[str], wishes: Wishes, model: Model) -> Asking | None:
    if wishes.judge is None or names.isdisjoint({"flex", "verdict"}):
        return None
    from sqlverdict.run.judging.briefs import FLEX, Asking

    return Asking(
        flex=(wishes.judge if wishes.chosen else FLEX) if "flex" in names else None,
        verdict=wishes.judge if "verdict" in names else None,
        priors=model.priors(),
    )


def _preset(specs: Sequence[MetricSpec], wishes: Wishes) -> str:
    """The comparison by which results match: that of the run's first ``ex``."""
    first = next((spec.parameter for spec in specs if spec.metric.name == "ex"), "")
    return first or wishes.preset or DEFAULT_PRESET


def _policy(names: set[str], wishes: Wishes) -> str:
    if wishes.policy is None:
        return INTENT.name if "verdict" in names else RESULTS.name
    if wishes.policy not in POLICIES:
        known = ", ".join(POLICIES)
        raise UsageError(f"there is no policy {wishes.policy!r}. Known: {known}")
    return wishes.policy


def stages_of(plan: ExaminePlan, judging: Judging | None) -> dict[str, str]:
    """The optional stages and what they may spend, as a manifest names them."""
    stages: dict[str, str] = {}
    refuting = plan.refuting
    if refuting is not None:
        bank = "" if refuting.bank is None else f", bank {refuting.bank}"
        stages["refute"] = f"{refuting.budget}{bank}"
    if plan.proving is not None:
        tested = ", proofs are tested" if plan.proving.tests_proofs else ""
        stages["prove"] = f"{SOUND}{tested}"
    if plan.null_keys:
        stages["keys"] = "a primary key may hold NULL where SQLite allows it"
    if plan.policy != RESULTS.name:
        stages["policy"] = plan.policy
        text = write_models({plan.policy: plan.model})
        stages["confidence"] = f"counts of labels {sha256(text).hexdigest()[:12]}"
    if plan.asking is not None and judging is not None:
        stages["judge"] = judging.describe(plan.asking)
        if plan.asking.flex is not None and plan.preset != DEFAULT_PRESET:
            stages["flex"] = f"results match by the preset {plan.preset}"
    return stages
