"""Queries written without understanding the question score nothing beyond what is right."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from gaming_evasions import PADDINGS
from gaming_strategies import BLIND, DISGUISES, target_of
from sqlverdict.execute.engine import Limits
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks import demo
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Case, Result
from tiers import sampled

METRICS = "ex,text_match,esm,proved,verdict"
pytestmark = pytest.mark.slow
EVERY = sampled(15, 3)
LONG = {"everything", "figures", "long_list"}
"""Strategies whose queries are long, or read every table: they take as long as all the others."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Result]]:
    databases = demo.build_databases(tmp_path_factory.mktemp("demo"))
    here: list[Case] = [
        case
        for case in BENCHMARKS.get("demo").read(Path(), databases=databases).cases
        if case.answerable and case.database and Path(case.database).is_file()
    ][:: sampled(20, 3)]
    targets = {case.database: target_of(Path(str(case.database))) for case in here}
    strategies = {**BLIND, **DISGUISES}
    parts = {
        frozenset(strategies) - LONG: here,
        frozenset(LONG): here[:: sampled(4, 1)],
    }
    # Probes behind the LIMIT of a product of all tables would read half a million rows.
    limits = Limits(rows=sampled(20_000, 500_000))
    options = Options(metrics=METRICS, workers=0, cache=None, limits=limits)
    results = {}
    for names, cases in parts.items():
        systems = [
            System(
                name, {case.id: strategies[name](targets[case.database], case) for case in cases}
            )
            for name in sorted(names)
        ]
        for system, run in zip(
            systems, evaluate_systems(cases, systems, options=options), strict=True
        ):
            results[system.name] = list(run.results())
    return results


def gained(results: list[Result]) -> list[str]:
    """The cases that are correct although the answers differ."""
    return [r.id for r in results if r.scores["verdict"] == 1 and r.scores["ex"] != 1]


@pytest.mark.sampled
def test_strategies_gain_about_nothing(results: dict[str, list[Result]]) -> None:
    cases = [(name, case) for name, each in results.items() for case in gained(each)]
    assert len(cases) <= 1, cases


@pytest.mark.sampled
@pytest.mark.parametrize(
    "strategy", ["numbers", "everything", "counts", "times_100", "by_100", "capitals", "less"]
)
def test_known_strategies_gain_nothing(strategy: str, results: dict[str, list[Result]]) -> None:
    assert gained(results[strategy]) == []


@pytest.mark.parametrize("padded", ["deep", "long_list", "shuffled_names", "open_comment"])
def test_padding_leaves_nothing_unscored(padded: str, results: dict[str, list[Result]]) -> None:
    plain_scores = {plain.id: plain.scores for plain in results["name"]}
    assert results[padded]
    for result in results[padded]:
        for metric, score in result.scores.items():
            # What has the gold's columns and more is for a person: it is not simply wrong.
            review = metric == "verdict" and result.situation == "harmless_difference"
            plain = plain_scores[result.id][metric]
            assert score is not None or plain is None or review, (result.id, metric)


POLICIES = ("intent", "strict")


@pytest.fixture(scope="module", params=POLICIES)
def padded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Result]]:
    """The gold of the next question on the same database, plain and padded.

    By default each padding is tried under one of the policies.
    """
    databases = demo.build_databases(tmp_path_factory.mktemp("padded"))
    every = [
        case
        for case in BENCHMARKS.get("demo").read(Path(), databases=databases).cases
        if case.answerable and case.golds and case.database and Path(case.database).is_file()
    ]
    wrong = {
        case.id: after.golds[0]
        for case, after in pairwise(every)
        if case.db_id == after.db_id and case.golds != after.golds
    }
    here = [case for case in every if case.id in wrong][::EVERY]
    targets = {case.database: target_of(Path(str(case.database))) for case in here}
    step = sampled(len(POLICIES), 1)
    systems = [System("plain", {case.id: wrong[case.id] for case in here})] + [
        System(name, {case.id: write(targets[case.database], wrong[case.id]) for case in here})
        for name, write in list(PADDINGS.items())[POLICIES.index(request.param) % step :: step]
    ]
    options = Options(metrics="ex,verdict", workers=0, cache=None, policy=request.param)
    runs = evaluate_systems(here, systems, options=options)
    return {system.name: list(run.results()) for system, run in zip(systems, runs, strict=True)}


@pytest.mark.sampled
def test_padding_a_wrong_answer_neither_forgives_it_nor_takes_it_out(
    padded: dict[str, list[Result]],
) -> None:
    changes = [
        (name, result.id, result.situation)
        for name, results in padded.items()
        for plain, result in zip(padded["plain"], results, strict=True)
        if plain.scores["verdict"] == 0
        and result.scores["ex"] != 1
        and result.scores["verdict"] != 0
    ]
    assert len([plain for plain in padded["plain"] if plain.scores["verdict"] == 0]) > 3
    assert changes == []
