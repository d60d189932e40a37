from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from abstain_parts import QUESTIONS, SCHEMA, ask, known, make_database, strange

from error_parts import asks_for, refuses_data, refuses_database
from sqlverdict.abstain.compose import MethodPart, make_method
from sqlverdict.abstain.detectors.rf import Rf
from sqlverdict.abstain.learn.forest import Forest
from sqlverdict.abstain.learn.states import Gaussian
from sqlverdict.abstain.method import Ask, Detection, Draft, Tools, TrainingData, TrainingExample
from sqlverdict.errors import DataError, PredictionError, UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner

NOTHING = Tools()


@pytest.fixture
def runner() -> Iterator[QueryRunner]:
    result = QueryRunner("sqlite", Limits())
    yield result
    result.close()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_database(tmp_path / "shop.sqlite")


def confidences(
    detector: object, drafts: list[Draft | None], tools: Tools = NOTHING
) -> list[float]:
    questions = [(ask(QUESTIONS[n % 6][0], n), draft) for n, draft in enumerate(drafts)]
    return [f.confidence for f in detector.score(questions, tools)]  # type: ignore[attr-defined]


# Random forests.


@pytest.mark.slow
def test_the_forest_votes_as_scikit_learn_does() -> None:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [e.ask.question for e in (*known(), *strange())] * 3
    labels = [e.answerable for e in (*known(), *strange())] * 3
    labels[0] = not labels[0]
    new = ["how many items cost more than two", "who was born in paris", "zzz", ""]
    vectorizer = TfidfVectorizer(ngram_range=(1, 2))
    forest = RandomForestClassifier(n_estimators=7, random_state=3)
    forest.fit(vectorizer.fit_transform(texts), labels)
    theirs = forest.predict_proba(vectorizer.transform([*texts, *new]))[:, 1]
    ours = Forest.grow(texts, labels, Rf(trees=7), 3).positive([*texts, *new])
    assert ours == pytest.approx(list(theirs), abs=1e-12)
    assert len(set(ours)) > 2


@pytest.mark.slow
def test_a_forest_is_kept_without_a_pickle(tmp_path: Path) -> None:
    texts = [e.ask.question for e in (*known(), *strange())]
    grown = Forest.grow(texts, [e.answerable for e in (*known(), *strange())], Rf(trees=5), 0)
    grown.save(tmp_path)
    assert Forest.load(tmp_path).positive(texts) == grown.positive(texts)
    assert b"pickle" not in (tmp_path / "forest.npz").read_bytes()
    (tmp_path / "forest.npz").write_bytes(b"no arrays")
    with refuses_data(DataError, "unreadable", "forest.npz", "Fit the method again"):
        Forest.load(tmp_path)


@pytest.mark.slow
def test_rf_tells_answerable_questions_apart(tmp_path: Path) -> None:
    rf = make_method(MethodPart("rf", {"trees": "20"}))
    rf.fit(TrainingData(train=known(), background=strange()), NOTHING)
    questions = [(e.ask, None) for e in (*known(), *strange())]
    answers = [rf.decide(finding) for finding in rf.score(questions, NOTHING)]
    assert answers == [True] * 6 + [False] * 4
    rf.save(tmp_path)
    again = make_method(MethodPart("rf"))
    again.load(tmp_path)
    assert again.score(questions, NOTHING) == rf.score(questions, NOTHING)


def test_rf_needs_both_kinds_and_says_so() -> None:
    with refuses_data(DataError, "empty", "6 positive and 0 negative"):
        make_method(MethodPart("rf")).fit(TrainingData(train=known()), NOTHING)
    with pytest.raises(UsageError, match="was not fitted"):
        make_method(MethodPart("rf")).score([(ask("x"), None)], NOTHING)


@pytest.mark.slow
def test_rf_star_learns_from_the_generators_mistakes() -> None:
    marked = [replace(e, draft=Draft(e.sql), correct="item" in e.ask.question) for e in known()] + [
        replace(known()[0], draft=Draft("SELECT 1"), correct=None)
    ]
    star = make_method(MethodPart("rf_star", {"trees": "20"}))
    star.fit(TrainingData(validation=marked), NOTHING)
    result = star.score([(e.ask, e.draft) for e in marked[:6]], NOTHING)
    assert [star.decide(one) for one in result] == [bool(e.correct) for e in marked[:6]]


@pytest.mark.slow
def test_rf_star_may_read_the_query_too() -> None:
    question = known()[0]
    right, wrong = Draft("SELECT count(*) FROM item"), Draft("SELECT nothing FROM nowhere")
    marked = [replace(question, draft=d, correct=d is right) for d in (right, wrong)] * 5
    star = make_method(MethodPart("rf_star", {"trees": "20", "sql": "true"}))
    star.fit(TrainingData(validation=marked), NOTHING)
    result = star.score([(question.ask, right), (question.ask, wrong)], NOTHING)
    assert [star.decide(one) for one in result] == [True, False]


# What the tokens and states say.


def test_maxent_takes_the_largest_entropy_and_maxprob_the_smallest_top() -> None:
    draft = Draft("SELECT 1", probabilities=(0.9, 0.4, 0.99), entropies=(0.1, 1.2, 0.3))
    assert confidences(make_method(MethodPart("maxent")), [draft]) == [-1.2]
    assert confidences(make_method(MethodPart("maxprob")), [draft]) == [0.4]
    for name in ("maxent", "maxprob"):
        with refuses_data(PredictionError, "missing_field", "'q0'", "carries no token"):
            confidences(make_method(MethodPart(name)), [Draft("SELECT 1")])


def test_a_threshold_is_inclusive_and_must_be_known() -> None:
    gate = make_method(MethodPart("maxprob", {"threshold": "0.4"}))
    assert gate.decide(Detection(0.4))
    assert not gate.decide(Detection(math.nextafter(0.4, 0)))
    never = make_method(MethodPart("maxprob", {"threshold": "inf"}))
    assert not never.decide(Detection(math.inf))
    with pytest.raises(UsageError, match="maxprob"):
        make_method(MethodPart("maxprob")).decide(Detection(1.0))


def _states(count: int, seed: int, shift: float = 0.0) -> list[tuple[float, ...]]:
    import numpy as np

    random = np.random.default_rng(seed)
    mixing = np.array([[2.0, 0.3, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 0.2]])
    return [tuple(row) for row in random.normal(shift, 1.0, (count, 3)) @ mixing]


@pytest.mark.slow
def test_the_distance_is_mahalanobis() -> None:
    import numpy as np
    from scipy.spatial.distance import mahalanobis

    states = _states(500, 1)
    result = Gaussian.of(states, shrink=0.0)
    array = np.array(states)
    precision = np.linalg.inv(np.cov(array.T, bias=True))
    for point in _states(5, 2):
        theirs = mahalanobis(point, array.mean(axis=0), precision) ** 2
        assert result.distance([point]) == pytest.approx([theirs])


def test_a_gaussian_stands_fewer_states_than_dimensions() -> None:
    result = Gaussian.of([(1.0, 2.0, 3.0, 0.0), (1.5, 2.0, 3.5, 0.0)])
    near, far = result.distance([(1.2, 2.0, 3.2, 0.0), (9.0, 2.0, 3.2, 4.0)])
    assert 0 <= near < far < math.inf
    with refuses_data(DataError, "mismatch", "another model"):
        result.distance([(1.0, 2.0)])
    with refuses_data(DataError, "empty", "1 encoder state", "at least"):
        Gaussian.of([(1.0, 2.0)])


@pytest.mark.parametrize("name", ["featmd", "featrmd"])
def test_states_far_from_the_training_are_less_sure(name: str, tmp_path: Path) -> None:
    train = [
        TrainingExample(ask("x", n), draft=Draft(state=s)) for n, s in enumerate(_states(200, 1))
    ]
    background = [
        TrainingExample(ask("y", n), False, draft=Draft(state=s))
        for n, s in enumerate(_states(200, 2, shift=6.0))
    ]
    detector = make_method(MethodPart(name))
    detector.fit(TrainingData(train=train, background=background), NOTHING)
    inside = [Draft("s", state=s) for s in _states(30, 3)]
    outside = [Draft("s", state=s) for s in _states(30, 4, shift=6.0)]
    assert min(confidences(detector, inside)) > max(confidences(detector, outside))
    detector.save(tmp_path)
    again = make_method(MethodPart(name))
    again.load(tmp_path)
    assert confidences(again, inside) == confidences(detector, inside)
    with refuses_data(PredictionError, "missing_field", "'q0'", "encoder state"):
        confidences(detector, [Draft("SELECT 1")])


def test_featrmd_is_the_difference_of_two_distances() -> None:
    train, background = _states(50, 1), _states(50, 2, shift=2.0)
    detector = make_method(MethodPart("featrmd"))
    detector.fit(
        TrainingData(
            train=[TrainingExample(ask("x", n), draft=Draft(state=s)) for n, s in enumerate(train)],
            background=[
                TrainingExample(ask("y", n), False, draft=Draft(state=s))
                for n, s in enumerate(background)
            ],
        ),
        NOTHING,
    )
    point = (0.5, 0.5, 0.5)
    near = Gaussian.of(train).distance([point])[0]
    far = Gaussian.of(background).distance([point])[0]
    assert confidences(detector, [Draft("s", state=point)]) == pytest.approx([far - near])


def test_the_systems_own_confidence() -> None:
    drafts: list[Draft | None] = [Draft("SELECT 1", confidence=c) for c in (0.2, 0.9)]
    assert confidences(make_method(MethodPart("confidence")), drafts) == [0.2, 0.9]
    assert confidences(make_method(MethodPart("confidence", {"lower": "true"})), drafts) == [
        -0.2,
        -0.9,
    ]
    with refuses_data(PredictionError, "missing_field", "'q0'", "'confidence'"):
        confidences(make_method(MethodPart("confidence")), [Draft("SELECT 1")])


# What the engine says.


def test_the_error_gate_runs_the_query(runner: QueryRunner, database: Path) -> None:
    gate = make_method(MethodPart("error_gate"))
    queries = ["SELECT name FROM item", "SELECT colour FROM item", "SELECT name FROM item LIMIT 0"]
    questions = [(ask("x", n, database), Draft(sql)) for n, sql in enumerate(queries)]
    result = gate.score(questions, Tools(runner=runner))
    assert [gate.decide(one) for one in result] == [True, False, True]
    assert "EXECUTION_ERROR" in result[1].note
    strict = make_method(MethodPart("error_gate", {"empty": "true"}))
    null = (ask("x", 9, database), Draft("SELECT max(price) FROM item WHERE price > 99"))
    assert [
        strict.decide(one) for one in strict.score([*questions, null], Tools(runner=runner))
    ] == [
        True,
        False,
        False,
        False,
    ]


def test_a_missing_database_is_not_the_querys_fault(runner: QueryRunner, tmp_path: Path) -> None:
    gate = make_method(MethodPart("error_gate"))
    with refuses_database("failed", "'q0'"):
        gate.score([(ask("x", 0, tmp_path / "no.sqlite"), Draft("SELECT 1"))], Tools(runner=runner))
    with asks_for("databases"):
        gate.score([(ask("x"), Draft("SELECT 1"))], NOTHING)


# Votes.

SAMPLES = (
    "SELECT name FROM item WHERE price > 2",
    "select name from item where price > 2;",
    "SELECT name FROM item WHERE 2 < price",
    "SELECT i.name FROM item AS i WHERE i.price >= 2.5",
    "I am not sure",
)


@pytest.mark.parametrize(
    ("equality", "share"),
    [("string", 0.2), ("tree", 0.4), ("proof", 0.6), ("execution", 0.8)],
)
def test_what_counts_as_equal_decides_a_vote(
    equality: str, share: float, runner: QueryRunner, database: Path
) -> None:
    voting = make_method(MethodPart("voting", {"equality": equality}))
    questions = [(ask("x", 0, database), Draft(SAMPLES[0], samples=SAMPLES))]
    (result,) = voting.score(questions, Tools(runner=runner))
    assert result.confidence == pytest.approx(share)
    assert result.sql == SAMPLES[0]
    assert not voting.decide(result)


def test_sorted_and_unsorted_samples_are_not_proved_equal(database: Path) -> None:
    """A proof has a direction; which sample came first must not decide."""
    voting = make_method(MethodPart("voting", {"equality": "proof", "n": "2"}))
    samples = ("SELECT name FROM item ORDER BY name", "SELECT i.name FROM item AS i")
    for both in (samples, samples[::-1]):
        question = (ask("x", 0, database), Draft(both[0], samples=both))
        assert voting.score([question], NOTHING)[0].confidence == 0.5


def test_a_vote_must_be_unanimous_unless_a_share_is_given() -> None:
    same = ("SELECT 1",) * 5
    most = ("SELECT 2", *same[:4])
    voting = make_method(MethodPart("voting"))
    result = voting.score([(ask("x"), Draft("SELECT 1", samples=s)) for s in (same, most)], NOTHING)
    assert [one.confidence for one in result] == [1.0, 0.8]
    assert [voting.decide(one) for one in result] == [True, False]
    # The majority's query is given, not the first sample.
    assert result[1].sql == "SELECT 1"
    assert make_method(MethodPart("voting", {"threshold": "0.6"})).decide(result[1])


def test_the_first_n_recorded_samples_vote() -> None:
    samples = ("SELECT 1", "SELECT 1", "SELECT 1", "SELECT 2", "SELECT 2")
    questions = [(ask("x"), Draft("SELECT 1", samples=samples))]
    three = make_method(MethodPart("voting", {"n": "3"}))
    (result,) = three.score(questions, NOTHING)
    assert (result.confidence, three.decide(result)) == (1.0, True)
    (result,) = make_method(MethodPart("voting", {"n": "4"})).score(questions, NOTHING)
    assert result.confidence == 0.75
    with refuses_data(PredictionError, "incomplete", "5 samples", "Expected 7"):
        make_method(MethodPart("voting", {"n": "7"})).score(questions, NOTHING)


def test_samples_without_sql_never_win_a_vote() -> None:
    voting = make_method(MethodPart("voting"))
    (result,) = voting.score([(ask("x"), Draft(samples=("not_answerable",) * 5))], NOTHING)
    assert (result.confidence, result.sql) == (0.0, None)


def test_queries_that_fail_do_not_agree_by_execution(runner: QueryRunner, database: Path) -> None:
    voting = make_method(MethodPart("voting", {"equality": "execution", "n": "2"}))
    broken = ("SELECT a FROM item", "SELECT b FROM item")
    questions = [(ask("x", 0, database), Draft(broken[0], samples=broken))]
    assert voting.score(questions, Tools(runner=runner))[0].confidence == 0.5


def test_a_vote_says_what_it_lacks() -> None:
    voting = make_method(MethodPart("voting"))
    with refuses_data(PredictionError, "incomplete", "voting(n=5)", "1 sample.", "Expected 5"):
        voting.score([(ask("x"), Draft("SELECT 1", samples=("SELECT 1",)))], NOTHING)
    with pytest.raises(UsageError, match=r"voting\(n=1\)"):
        make_method(MethodPart("voting", {"n": "1"})).generator_needs()
    two = Draft("SELECT 1", samples=("SELECT 1", "SELECT 2"))
    for equality, missing in (("execution", "databases"), ("proof", "schema")):
        with pytest.raises(UsageError, match=missing):
            make_method(MethodPart("voting", {"equality": equality, "n": "2"})).score(
                [(Ask("a", "b", "c"), two)], NOTHING
            )
    assert SCHEMA.table("item") is not None
