"""Labelled cases of one or several runs, and who says something of them.

Runs of different cases are pooled: a metric of two runs is one metric. Runs of the same cases (the
same predictions under other judges or options) stand side by side, and what differs between them
is named after its run. A label is about one prediction, so that one id with two predictions is an
error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.text import few_of, near
from sqlverdict.load.people.label_index import LabelIndex
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.records import Result
from sqlverdict.report.agreement.opinions import (
    JUDGE,
    VERDICT,
    calls_of,
    is_judge,
    metric_uses_opinions,
    opinion,
    opinion_names,
)
from sqlverdict.runlog.missing_metric import missing_metric
from sqlverdict.runlog.run import Run
from sqlverdict.score.agreement.combined import EACH, Combined, combine_judges, parse_combined
from sqlverdict.score.metric import label_by_alias

DIFFICULTY = "difficulty"
USUAL_GROUPS = (DIFFICULTY, "set")
_DATABASE = "db_id"


@dataclass(frozen=True)
class LabelledCase:
    """A case with its label, and its result in each run that has it, by the run's index."""

    label: Label
    results: Mapping[int, Result]

    @property
    def first(self) -> Result:
        """Its result in the first run that has it."""
        return next(iter(self.results.values()))

    def group(self, by: str) -> str | None:
        """The value of a tag, or of the difficulty or the database."""
        result = self.first
        if by == DIFFICULTY:
            return result.difficulty
        return result.db_id if by == _DATABASE else result.tags.get(by)


@dataclass(frozen=True)
class Rater:
    """A metric or judge: ``name`` is what reports call it, ``inner`` its name in these runs."""

    name: str
    inner: str
    runs: tuple[int, ...]

    def says(self, case: LabelledCase, threshold: float) -> bool | None:
        """What it says of a case; ``None``: nothing."""
        for run in self.runs:
            if run in case.results:
                return opinion(case.results[run], self.inner, threshold)
        return None

    def calls(self, case: LabelledCase) -> int:
        """Calls of a language model for a case."""
        return sum(
            calls_of(case.results[run], self.inner) for run in self.runs if run in case.results
        )


def label_cases(runs: Sequence[Run], labels: Labels) -> tuple[list[LabelledCase], list[str]]:
    """The labelled cases in the runs' order, and the ids of those without a label.

    Cases whose votes settle no label are in neither: the labels count them.

    Raises:
        UsageError: no case is labelled, or one id has two predictions.
    """
    index = LabelIndex(labels)
    label_of_case: dict[str, Label] = {}
    results_by_id: dict[str, dict[int, Result]] = {}
    unlabelled: dict[str, None] = {}
    unsettled: dict[str, None] = {}
    for number, run in enumerate(runs):
        for result in run.results():
            label = index.of(result)
            if label is None:
                (unsettled if index.is_unsettled(result) else unlabelled)[result.id] = None
                continue
            label_of_case[result.id] = label
            before = results_by_id.setdefault(result.id, {})
            for other in before.values():
                if (other.prediction, other.gold) != (result.prediction, result.gold):
                    raise UsageError(
                        f"case {result.id!r} has another prediction or gold in {run.folder} than "
                        f"in a run before it. A label is about one pair: give such runs one by one."
                    )
            before[number] = result
    if not results_by_id:
        which, have = ("the run", "has") if len(runs) == 1 else ("the runs", "have")
        folders = ", ".join(str(run.folder) for run in runs)
        raise UsageError(
            f"no case of {folders} has a label with a majority in {labels.path}: {which} {have} "
            f"{few_of(unlabelled | unsettled, 3)}, the labels {few_of(index.ids(), 3)}. Name the "
            "field of the id with ",
            OptionName("id_field"),
            ".",
        )
    return [
        LabelledCase(label_of_case[name], results) for name, results in results_by_id.items()
    ], list(unlabelled)


def raters_of(
    runs: Sequence[Run], cases: Sequence[LabelledCase], metrics: Sequence[str] = ()
) -> list[Rater]:
    """Everybody who says something, or those that were asked for.

    Raises:
        UsageError: there is no such metric.
    """
    every = _every(runs, cases)
    known = {rater.name: rater for rater in every}
    metrics = [label_by_alias(name, list(known))[0] for name in metrics]
    unknown = [name for name in metrics if name not in known]
    if unknown:
        manifests = [(run.folder, run.manifest) for run in runs]
        raise UsageError(missing_metric(unknown[0], manifests, known))
    return [known[name] for name in metrics] or every


def usual_raters(raters: Sequence[Rater], runs: Sequence[Run]) -> list[Rater]:
    """Those to look at where none are asked for.

    Verdicts that are no metric of a run are left out where nobody was asked: they repeat a metric.
    """
    if any(VERDICT in run.manifest.metrics for run in runs) or any(
        is_judge(rater.inner) for rater in raters
    ):
        return list(raters)
    return [rater for rater in raters if rater.inner != VERDICT] or list(raters)


def _every(runs: Sequence[Run], cases: Sequence[LabelledCase]) -> list[Rater]:
    names = [
        opinion_names(run.manifest.metrics, (c.results[index] for c in cases if index in c.results))
        for index, run in enumerate(runs)
    ]
    everywhere = tuple(range(len(runs)))
    if all(len(case.results) == 1 for case in cases):
        pooled = dict.fromkeys(name for each in names for name in each)
        return [Rater(name, name, everywhere) for name in pooled]
    titles = _titles(runs)
    raters = []
    for name in dict.fromkeys(name for each in names for name in each):
        having = tuple(index for index in everywhere if name in names[index])
        if _is_the_same(name, cases):
            raters.append(Rater(name, name, having))
        else:
            raters += [Rater(f"{titles[index]}: {name}", name, (index,)) for index in having]
    return raters


def _is_the_same(name: str, cases: Iterable[LabelledCase]) -> bool:
    """Whether all runs say the same by right: what was asked anew is told apart in any case."""
    if name.startswith(JUDGE) or metric_uses_opinions(name):
        return False
    return all(len({opinion(r, name) for r in case.results.values()}) == 1 for case in cases)


def _titles(runs: Sequence[Run]) -> list[str]:
    for titles in (
        [run.manifest.system for run in runs],
        [run.folder.name for run in runs],
        [str(run.folder) for run in runs],
    ):
        if max(Counter(titles).values()) == 1:
            return titles
    return [f"run {number}" for number in range(1, len(runs) + 1)]


def combinations_of(texts: Sequence[str], raters: Sequence[Rater]) -> list[Combined]:
    """The combinations that were asked for; ``*`` stands for every judge in turn.

    Raises:
        UsageError: one cannot be read, or names somebody who is not there.
    """
    names = [rater.name for rater in raters]
    combinations: dict[str, Combined] = {}
    for text in texts:
        combination = parse_combined(text)
        members = [
            name if name == EACH else label_by_alias(name, names)[0] for name in combination.members
        ]
        combination = Combined(combination.rule, tuple(members))
        others = [name for name in combination.members if name != EACH]
        for name in others:
            if name not in names:
                raise UsageError(
                    f"{text!r}: there is no metric {name!r}.{near(name, names)} There are "
                    f"{', '.join(names)}."
                )
        each = [name for name in names if is_judge(name.rpartition(": ")[2]) and name not in others]
        if EACH in combination.members and not each:
            raise UsageError(f"{text!r}: there is no judge to stand for *")
        for judge in each if EACH in combination.members else [""]:
            members_of_one = tuple(judge if name == EACH else name for name in combination.members)
            combinations[str(Combined(combination.rule, members_of_one))] = Combined(
                combination.rule, members_of_one
            )
    return list(combinations.values())


def combined_opinions(
    combined: Combined,
    opinions: Mapping[str, Sequence[bool | None]],
    cases: Sequence[LabelledCase],
) -> list[bool | None]:
    """What a combination says, case by case."""
    votes = list(zip(*(opinions[name] for name in combined.members), strict=True))
    labels = [bool(case.label.value) for case in cases]
    groups = [case.first.db_id for case in cases]
    weights = [case.label.weight for case in cases]
    return combine_judges(combined.rule, votes, labels, groups, weights)


def groups_of(
    cases: Sequence[LabelledCase], by: Sequence[str] = ()
) -> dict[str, dict[str, list[int]]]:
    """For each tag the indices of the cases of each value; usual tags where there are two values.

    Raises:
        UsageError: no case has a tag that was asked for.
    """
    groups: dict[str, dict[str, list[int]]] = {}
    for tag in by or USUAL_GROUPS:
        values: dict[str, list[int]] = {}
        for index, case in enumerate(cases):
            value = case.group(tag)
            if value is not None:
                values.setdefault(value, []).append(index)
        if by and not values:
            tags = dict.fromkeys(name for case in cases for name in case.first.tags)
            raise UsageError(
                f"no labelled case has the tag {tag!r}.{near(tag, tags)} There are "
                f"{few_of((DIFFICULTY, _DATABASE, *tags), 12)}."
            )
        if values and (by or len(values) > 1):
            groups[tag] = values
    return groups
