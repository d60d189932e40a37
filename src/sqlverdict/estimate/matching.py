"""Which labels of a file hold for the answers of a run, and what is said of the others.

Whether an answer is right depends on what the query returns, not on how it is written. So a label
of one prediction holds for another of the same question that returns the same on every database.

A proof has a direction: a prediction may sort rows that its gold leaves in any order, so that a
proof against an unsorted query does not say that the sorted one may lose its ORDER BY. Two
predictions are equal where each is proved to answer as the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType

from sqlverdict.errors import UsageError
from sqlverdict.estimate.population import Population
from sqlverdict.files.text import count, few_of
from sqlverdict.load.people.combine import UNDECIDED
from sqlverdict.load.people.label_index import LabelIndex
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.records import Result

_MOST_IDS = 5


def label_values(
    population: Population, labels: Labels, carried: Mapping[str, Label] = MappingProxyType({})
) -> dict[str, tuple[float, Label]]:
    """The label of each pair that has one, by case: 1 right, 0 wrong, 0.5 cannot tell.

    An answer to a question that people call unanswerable is wrong.
    """
    index = LabelIndex(labels)
    unsettled = {
        (item.id, item.pair): item
        for item in labels.items
        if item.original == UNDECIDED or item.unanswerable
    }
    values = {}
    for result in population.pairs:
        pair = vote_digest(result.id, result.gold, result.prediction)
        own = (index.of(result), unsettled.get((result.id, pair)), unsettled.get((result.id, "")))
        about = [label for label in own if label is not None and is_about(label, result)]
        label = about[0] if about else carried.get(result.id)
        if label is not None and (label.original is not None or label.unanswerable):
            values[result.id] = (label.original or 0.0, label)
    return values


def labels_without_case(labels: Labels, cases: Collection[str]) -> tuple[str, ...]:
    """A note that counts and names the cases of a file that a run does not have; or none.

    Args:
        labels: What people said.
        cases: The ids of all cases of the run, or of the runs.
    """
    others = [case for case in dict.fromkeys(each.id for each in labels.items) if case not in cases]
    if not others:
        return ()
    which = few_of(others, _MOST_IDS)
    return (f"{labels.path.name}: {count(len(others), 'case')} not in the run, left out: {which}",)


def labels_of_known(population: Population, labels: Labels) -> tuple[str, ...]:
    """A note that counts the labels of a sheet whose cases need none; or none."""
    others = [
        each.id
        for each in labels.items
        if each.id in population.known or each.id in population.without_gold
    ]
    if not others:
        return ()
    which = few_of(others, _MOST_IDS)
    return (
        f"{labels.path.name}: {count(len(others), 'case')} without two queries, for which no label "
        f"counts: {which}",
    )


def no_label_fits(population: Population, labels: Labels) -> UsageError:
    """The error that no label of a file is about an answer of the run: why, and what to do."""
    ours = [result.id for result in population.pairs]
    cases = population.ids
    theirs = [*dict.fromkeys(each.id for each in labels.items)]
    own = [each for each in labels.items if each.id in cases]
    problem = f"{labels.path}: no label is about a prediction of this run. "
    step = "Label its pairs: sqlverdict label RUN --queue estimate"
    if theirs and not own:
        return UsageError(
            f"{problem}The file has ids such as {theirs[0]!r}, the run such as "
            f"{next(iter(cases), '')!r}. Expected labels with the ids of the run. {step}"
        )
    if not {*ours} & {*theirs}:
        return UsageError(
            f"{problem}The file has ids such as {theirs[0] if theirs else ''!r}, whose cases have "
            f"no two queries in this run. {step}"
        )
    if all(is_blank(each) for each in own):
        return UsageError(
            f"{problem}None of its {count(len(own), 'row')} about this run has a label, such as "
            f"that of {own[0].id!r}. Expected 1 (right) or 0 (wrong). {step}"
        )
    which = next(each.id for each in labels.items if each.id in {*ours})
    return UsageError(
        f"{problem}The votes on {which!r} and the others are about other predictions, and a vote "
        "log does not keep these. Export them from the run that they are about, and give that "
        "file: sqlverdict label EARLIER_RUN --export-votes panel.jsonl"
    )


def is_blank(label: Label) -> bool:
    """Whether nobody said anything of the case: an empty cell, or a skip."""
    return label.original is None and not label.unanswerable


AskProof = Callable[[str, str, str], bool]
"""Whether a query is proved to answer as another: the case's id, the other as gold, the query."""


def are_proved_equal(ask_proof: AskProof, case_id: str, one: str, other: str) -> bool:
    """Whether each of two queries of a case is proved to answer as the other."""
    return ask_proof(case_id, one, other) and ask_proof(case_id, other, one)


def carried_labels(
    results: Iterable[Result], labels: Labels, ask_proof: AskProof
) -> dict[str, Label]:
    """The labels of other predictions that hold for the predictions of a run, by case.

    Args:
        results: The results of the run.
        labels: What people said; only labels that name their prediction can be carried over.
        ask_proof: Asks for a proof; it is asked in both directions.
    """
    index = LabelIndex(labels)
    by_case: dict[str, list[Label]] = {}
    for item in labels.items:
        if item.prediction is not None and (item.original is not None or item.unanswerable):
            by_case.setdefault(item.id, []).append(item)
    carried = {}
    for result in results:
        query = result.prediction
        own = index.of(result)
        if query is None or (own is not None and is_about(own, result)):
            continue
        for item in by_case.get(result.id, ()):
            other = item.prediction or ""
            if query == other or are_proved_equal(ask_proof, result.id, other, query):
                carried[result.id] = item
                break
    return carried


def is_about(label: Label, result: Result) -> bool:
    """Whether a label was given for a result's own prediction, as far as the file says."""
    if label.pair == vote_digest(result.id, result.gold, result.prediction):
        return True
    query = label.prediction
    return query == result.prediction or (query is None and not label.pair)
