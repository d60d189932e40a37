"""What a metric is: a number for one case, and how numbers are read.

A metric is one file in ``score/metrics``. Its module docstring has the headings *Definition*,
*Range*, *Direction*, *Unscored cases* and *Source*, each on a line of its own with a colon and
its text indented below; ``sqlverdict.testing.check_metric`` reads them. *Range* begins with the
bounds, ``[0, 1]`` or ``{0, 1}`` or ``[0, inf)``; *Direction* says higher or lower.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from math import isfinite
from textwrap import dedent
from typing import TYPE_CHECKING, Literal, Protocol

from sqlverdict.errors import UsageError
from sqlverdict.records import (
    Case,
    Comparison,
    Evidence,
    Judgement,
    Outcome,
    ParseFailure,
    Prediction,
    Query,
    Reason,
    Score,
)
from sqlverdict.registry import Registry

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Schema
    from sqlverdict.prove.proof import Derivation


Need = Literal["answers", "timing", "databases", "witness", "proof", "opinion", "opinion_on_all"]
"""What a metric may ask an item for: answers on the real database, warm timings, the whole test
suite, a search for a database on which gold and prediction differ, a proof that they agree on
every one, all evidence with a judge's opinion on what it leaves open, a judge's opinion on every
pair of queries that run."""

OPINIONS: frozenset[Need] = frozenset({"opinion", "opinion_on_all"})
"""The needs that a judge meets: a metric with one of them listens to a judge."""

SECTIONS = ("Definition", "Range", "Direction", "Unscored cases", "Source")


class SearchResult(Protocol):
    """What a search for a witness gives; ``refute/witness.py`` has all of it."""

    @property
    def refuted(self) -> bool:
        """Whether a database was found on which the queries differ."""
        ...

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """How the answers differ there; else why the search could not be made, or was cut."""
        ...

    @property
    def instances_tried(self) -> int:
        """How many databases were tried."""
        ...


class Item(Protocol):
    """One case with its prediction, as a metric sees it. Nothing is run before it is asked for.

    The metric is asked only about answerable cases whose prediction is not an abstention;
    see :func:`score_case` for the others.
    """

    @property
    def case(self) -> Case:
        """The case."""
        ...

    @property
    def prediction(self) -> Prediction:
        """The prediction; it has SQL here, or an answer."""
        ...

    def golds(self) -> Sequence[Outcome]:
        """What each gold query gave on the case's database."""
        ...

    def answer(self) -> Outcome:
        """What the predicted query gave on the case's database."""
        ...

    def compare(self, preset: str, database: str | None = None) -> Comparison:
        """The prediction against the golds under a preset: equal if any gold is.

        A failed prediction is ``equal=False`` with its reason; golds that all fail are
        ``equal=None`` with ``GOLD_EXECUTION_ERROR`` or ``GOLD_EXECUTION_TIMEOUT``; a missing
        database is ``equal=None`` with ``DATABASE_UNAVAILABLE``.
        """
        ...

    def databases(self) -> Sequence[str]:
        """Every database file of the case's test suite, its own first."""
        ...

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """Seconds of the matching gold and of the prediction, interleaved and warm."""
        ...

    def query(self, sql: str) -> Query | ParseFailure:
        """The parsed query."""
        ...

    def schema(self) -> Schema | None:
        """The schema given to the run, else that of the case's database file; None: unknown."""
        ...

    def refute(self) -> SearchResult:
        """A database on which the prediction differs from the gold, or that none was found.

        With several golds the prediction is refuted where every gold refutes it. A search that
        could not be made is a ``NotRefuted`` with its reason and no instance.
        """
        ...

    def prove(self, profile: str = "sound") -> Derivation:
        """A proof that the prediction answers as a gold does, or that none was found.

        With several golds one proof suffices. Without a schema there is none, with
        ``DATABASE_UNAVAILABLE`` as its reason.
        """
        ...

    def evidence(self) -> Sequence[Evidence]:
        """All that was found out, the judge's opinion included; for metrics of opinion only."""
        ...

    def judgement(self) -> Judgement:
        """What the evidence amounts to under the run's policy; for metrics of opinion only."""
        ...


class Metric(Protocol):
    """A number for one case; plain class attributes satisfy the properties."""

    @property
    def name(self) -> str:
        """The metric's name, which is its file's name."""
        ...

    @property
    def version(self) -> int:
        """Rises whenever a value can change."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """What the metric asks the item for; empty: it runs without any database."""
        ...

    @property
    def parameters(self) -> tuple[str, ...]:
        """What may stand in brackets (``ex[bird]``): the first is the default; empty: none."""
        ...

    @property
    def binary(self) -> bool:
        """True where every value is 0 or 1, so that Wilson intervals and McNemar's test apply."""
        ...

    def score(self, item: Item, parameter: str) -> Score:
        """The value for one answered, answerable case."""
        ...


def uses_opinions(metric: Metric) -> bool:
    """Whether opinions of a judge can change the metric's values."""
    return not metric.needs.isdisjoint(OPINIONS)


METRICS: Registry[Metric] = Registry(
    "metric", "sqlverdict.score.metrics", "sqlverdict.metrics", Metric
)


@dataclass(frozen=True)
class MetricSpec:
    """A metric with its parameter, as a user writes it: ``ex``, ``ex[bird]``."""

    label: str
    metric: Metric
    parameter: str
    note: str = ""
    """What a user should know about the name, where it is another one than the metric's."""


def parse_metrics(text: str | Sequence[str]) -> tuple[MetricSpec, ...]:
    """Read ``"ex,esm"``, ``"ex[bird]"`` or a list of such names.

    Raises:
        UsageError: a name is malformed, unknown, repeated or takes no such parameter.

    Names are read in any case, and those of :mod:`sqlverdict.score.metric` too; labels are the
    metrics' own names.
    """
    names: list[object] = [text]
    if isinstance(text, str):
        names = [*text.split(",")]
    elif isinstance(text, Iterable):
        names = list(text)
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"a metric is {name!r}; expected a name, such as 'ex', or several")
    words = [name.strip() for name in names if isinstance(name, str)]
    specs = [parse_metric(word) for word in words if word]
    if not specs:
        raise UsageError(f"no metric in {text!r}. Known: {', '.join(METRICS.names())}")
    labels = [spec.label for spec in specs]
    repeated = sorted({label for label in labels if labels.count(label) > 1})
    if repeated:
        raise UsageError(f"metric {repeated[0]!r} is given twice; name each metric once")
    return tuple(specs)


def parse_metric(name: str) -> MetricSpec:
    """Read one metric name; see :func:`parse_metrics`."""
    match = re.fullmatch(r"([\w-]+)(?:\[(\w+)\])?", name)
    if not match:
        raise UsageError(f"{name!r} is not a metric name; write it like ex or ex[bird]")
    own, note = (match[1], "") if METRICS.has(match[1]) else metric_by_alias(match[1])
    metric = METRICS.get(own)
    parameter = match[2] if match[2] in metric.parameters else (match[2] or "").lower()
    if parameter and parameter not in metric.parameters:
        allowed = ", ".join(metric.parameters) or "none"
        raise UsageError(f"metric {own} takes no parameter {match[2]!r}. Allowed: {allowed}")
    default = metric.parameters[0] if metric.parameters else ""
    label = f"{own}[{parameter}]" if parameter else own
    return MetricSpec(label, metric, parameter or default, note)


def score_case(spec: MetricSpec, item: Item) -> Score:
    """The score of any case; abstentions and unanswerable cases are decided here, not by metrics.

    An unanswerable case has no right SQL, so every metric leaves it unscored (the verdict and
    the reliability score speak about it). An abstention or text without SQL on an answerable
    case is worth 0 to a metric of correctness; but where a case has no test
    suite, a metric of suites says nothing about any prediction. A metric that looks at more than
    answers says nothing where the gold or the prediction is a result file. Where nothing can be
    timed or searched, right answers have no value, and so wrong ones have none either. A run also
    leaves out what the metric would leave out for any prediction, because the gold fails.
    """
    if not item.case.answerable:
        return Score(None)
    if item.case.gold_answers and _reads_queries(spec.metric):
        return Score(None, (Reason.RESULT_ALONE,))
    if _never_has_value(spec.metric, item.case):
        return Score(None, (Reason.UNSUPPORTED_FEATURE,))
    if not item.prediction.responds:
        if "databases" in spec.metric.needs and len(item.databases()) == 1:
            return Score(None, (Reason.NO_TEST_SUITE,))
        return Score(0.0, (Reason.NO_SQL_PRODUCED,))
    if item.prediction.answer is not None and _reads_queries(spec.metric):
        return Score(None, (Reason.RESULT_ALONE,))
    return _checked_score(spec, item)


def _checked_score(spec: MetricSpec, item: Item) -> Score:
    """What a metric says of a case: a plug-in may say anything.

    Raises:
        TypeError: it is no score of this metric.
    """
    try:
        score = spec.metric.score(item, spec.parameter)
    except SystemExit as error:
        raise TypeError(f"the metric {spec.label} ends the process") from error
    value = score.value if isinstance(score, Score) else score
    if isinstance(score, Score) and (value is None or _is_value(value, spec.metric.binary)):
        return score
    kind = "0 or 1" if spec.metric.binary else "a number"
    raise TypeError(f"the metric {spec.label} gives {value!r}; expected a Score of {kind} or None")


def _is_value(value: object, binary: bool) -> bool:
    if not isinstance(value, int | float):
        return False
    return value in (0, 1) if binary else isfinite(value)


def _never_has_value(metric: Metric, case: Case) -> bool:
    """Whether a right answer to the case would be unscored by the metric.

    Statements that write, and queries of two engines, do not run side by side on one database;
    recorded answers are not run.
    """
    apart = case.script is not None or case.gold_database is not None
    untimed = "timing" in metric.needs and (apart or case.recorded_answers is not None)
    unsearched = "witness" in metric.needs and apart and not uses_opinions(metric)
    return untimed or unsearched


def _reads_queries(metric: Metric) -> bool:
    """Whether a metric cannot do with two answers alone; a judge and a verdict can."""
    if uses_opinions(metric):
        return False
    return metric.needs != {"answers"}


def metric_document(metric: Metric) -> dict[str, str]:
    """The text under each of :data:`SECTIONS` in the metric's module docstring.

    A section that is missing is absent from the answer; the summary line is under ``""``.
    """
    module = sys.modules.get(type(metric).__module__)
    lines_by_section: dict[str, list[str]] = {"": []}
    section = ""
    for line in cleandoc(getattr(module, "__doc__", None) or "").splitlines():
        heading = line.rstrip().removesuffix(":")
        if line.rstrip().endswith(":") and heading in SECTIONS:
            section = heading
            lines_by_section[section] = []
        else:
            lines_by_section[section].append(line)
    return {name: dedent("\n".join(lines)).strip() for name, lines in lines_by_section.items()}


ALIASES: Mapping[str, tuple[str, str]] = {
    "acc": ("ex", ""),
    "em": ("esm", "EM is exact set match, as in papers on Spider; text_match compares texts"),
    "exact_match": ("esm", "exact match compares clauses, as Spider's does; text_match texts"),
    "exact_matching": ("esm", ""),
    "exact_set_match": ("esm", ""),
    "exec": ("ex", ""),
    "exec_acc": ("ex", ""),
    "execution": ("ex", ""),
    "execution_accuracy": ("ex", ""),
    "f1": ("soft_f1", ""),
    "logical_form": ("text_match", ""),
    "lf": ("text_match", ""),
    "string_match": ("text_match", ""),
    "test_suite": ("ts", ""),
    "test_suite_accuracy": ("ts", ""),
}
"""The metric that a name stands for, and what should be said about it where it may mislead."""


def metric_by_alias(name: str) -> tuple[str, str]:
    """The metric of a name in any case, and a note where it is not its own name.

    A name that is no alias is returned as it is, in small letters.
    """
    plain = name.lower().replace("-", "_")
    if plain not in ALIASES:
        return plain, ""
    metric, more = ALIASES[plain]
    return metric, f"metric {name!r} is read as {metric!r}" + (f": {more}" if more else "")


def label_by_alias(label_name: str, labels: Collection[str]) -> tuple[str, str]:
    """The one of a run's labels that a user means, and a note where it has another name.

    ``em`` means ``esm``, and ``EX[Bird]`` means ``ex[bird]``. A name that means none of the
    labels is returned as it is.
    """
    if label_name in labels:
        return label_name, ""
    name, bracket, parameter = label_name.strip().partition("[")
    metric, note = metric_by_alias(name)
    label = f"{metric}{bracket}{parameter.lower()}"
    return (label, note) if label in labels else (label_name, "")
