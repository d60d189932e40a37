"""TrustSQL's published figures and EHRSQL's published answers, reproduced to the digit."""

from __future__ import annotations

import json
from ast import literal_eval
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.compare.answers import compare_answers
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.ehrsql2024 import Ehrsql2024
from sqlverdict.load.benchmarks.trustsql import Trustsql
from sqlverdict.load.ehrsql import UNSCORABLE
from sqlverdict.parse.hardness import trustsql_hardness
from sqlverdict.records import Answer, Result
from sqlverdict.report.reliability.figures import ReliabilityRequest, reliability_of
from sqlverdict.runlog.run import Run
from sqlverdict.score.reliability.outcomes import (
    FailurePolicy,
    OutcomeTable,
    item_outcome,
    label_by,
)
from sqlverdict.score.reliability.reliability_score import (
    abstain_all,
    parse_penalty,
    partly,
    rs,
)
from tiers import sampled

pytestmark = pytest.mark.data

WORTH = {
    "correct": 1,
    "abstained_answerable": 0,
    "wrong": -1,
    "answered_unanswerable": -1,
    "abstained_unanswerable": 1,
    None: None,
}


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def table(row: dict) -> OutcomeTable:
    return OutcomeTable(
        correct=row["ans_correct"],
        abstained_answerable=row["ans_abstain"],
        wrong=row["ans_wrong"],
        answered_unanswerable=row["un_answered"],
        abstained_unanswerable=row["un_abstain"],
    )


def paper_rows(data_root: Path) -> list[dict]:
    return json.loads((data_root / "trustsql" / "paper_table_counts.json").read_text())


def test_the_weighted_view_is_the_expected_value_of_the_papers_subset(data_root: Path) -> None:
    for row in paper_rows(data_root):
        assert round(100 * rs(table(row), 0.0, partly(0.25)), 1) == row["u25_expected_phi0"]


def test_abstain_all_scores_the_unanswerable_share(data_root: Path) -> None:
    """The paper's ABSTAIN-ALL row: 49.9 on Spider, 50.0 elsewhere; about 20 with a quarter."""
    printed = {"spider": ("49.9", "19.9")}
    for row in paper_rows(data_root):
        nothing = OutcomeTable(
            abstained_answerable=row["n_ans"], abstained_unanswerable=row["n_unans"]
        )
        whole, quarter = printed.get(row["dataset"], ("50.0", "20.0"))
        for penalty in ("0", "10", "N"):
            cost = parse_penalty(penalty)
            assert f"{100 * rs(nothing, cost):.1f}" == whole
            assert f"{100 * rs(nothing, cost, partly()):.1f}" == quarter
        assert abstain_all(table(row)) == rs(nothing, 10.0)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold answers, kept from one system to the next."""
    return tmp_path_factory.mktemp("answers") / "answers.sqlite"


def trustsql_run(data_root: Path, system: str, answers: Path) -> Run:
    reader = BENCHMARKS.get("trustsql")
    assert isinstance(reader, Trustsql)
    root = data_root / "trustsql" / "trustsql_spider_test.jsonl"
    benchmark = reader.read(root, databases=data_root / "spider" / "database")
    predictions = reader.predictions(root, system)
    options = Options(metrics="ex[trustsql_spider]", workers=0, cache=answers)
    return evaluate(benchmark, predictions, name=system, options=options)


@pytest.fixture(scope="module")
def spider_records(data_root: Path) -> list[dict]:
    return lines(data_root / "trustsql" / "trustsql_spider_test.jsonl")


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("pipeline", (72.6, 12.8, -6227.4)),
        ("demo", (67.1, -262.1, -34632.9)),
        ("voting", (58.3, 7.1, -5341.7)),
    ],
)
def test_recorded_systems_executed_on_spider(
    data_root: Path,
    answers: Path,
    spider_records: list[dict],
    system: str,
    expected: tuple[float, ...],
) -> None:
    """RS(0), RS(10) and RS(N) on all 1,054 items, and every single item as recorded.

    The figures of ``voting`` are not published; they follow from the recorded item scores.
    """
    run = trustsql_run(data_root, system, answers)
    result = reliability_of(run)
    assert result.source == "ex[trustsql_spider]"
    assert result.table.total == 1054
    assert result.table.unscored == 0
    scores = result.view("ANS+UnANS").scores
    assert tuple(round(100 * score, 1) for score in scores.values()) == expected
    assert result.view("ANS").scores["0"] == result.rates["accuracy"].value
    recorded = {record["id"]: record["score"][system] for record in spider_records}
    assert item_worths(run, result.source) == recorded


def item_worths(
    run: Run, source: str, policy: FailurePolicy | None = None
) -> dict[str, int | None]:
    label = label_by(source)

    def worth(result: Result) -> int | None:
        return WORTH[item_outcome(result, label, policy or FailurePolicy()).cell]

    return {result.id: worth(result) for result in run.results()}


def test_rs_0_is_the_metric_and_on_ans_accuracy(data_root: Path, answers: Path) -> None:
    run = trustsql_run(data_root, "cls_sqlprompt", answers)
    result = reliability_of(run, ReliabilityRequest(penalties=(0.0,)))
    assert result.view("ANS+UnANS").scores["0"] == run.estimate("ex[trustsql_spider]").value
    (answerable,) = (each for each in run.summary.slices if each.key == "answerable")
    assert result.view("ANS").scores["0"] == answerable.estimates[0].value


def test_the_published_unanswerable_types_are_all_there(
    spider_records: list[dict], data_root: Path
) -> None:
    reader = BENCHMARKS.get("trustsql")
    cases = list(reader.read(data_root / "trustsql" / "trustsql_spider_test.jsonl").cases)
    kinds = Counter(case.tags.get("unanswerable_type") for case in cases if not case.answerable)
    assert kinds == Counter(
        record["unans_type_inferred"] for record in spider_records if not record["answerable"]
    )
    assert sum(kinds.values()) == 527


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("trustsql_spider_test.jsonl", {"easy": 280, "medium": 156, "hard": 91}),
        ("trustsql_ehrsql_test.jsonl", {"easy": 122, "hard": 812}),
    ],
)
def test_recorded_levels_count_as_in_table_5(
    data_root: Path, file: str, expected: dict[str, int]
) -> None:
    """That ours are the recorded ones, ``tests/parse/test_parse_hardness.py`` shows item by item."""
    records = lines(data_root / "trustsql" / file)
    assert Counter(record["hardness"] for record in records if record["answerable"]) == expected


@pytest.mark.sampled
def test_levels_of_the_validation_part_count_as_in_table_5(data_root: Path) -> None:
    records = lines(data_root / "trustsql" / "ehrsql2024_valid_v1.0.jsonl")
    golds = [record["gold_sql"] for record in records if record["answerable"]]
    levels = Counter(map(trustsql_hardness, golds[:: sampled(20, 1)]))
    assert levels == {"easy": sampled(8, 114), "hard": sampled(39, 817)}


@pytest.fixture(scope="module")
def mimic(data_root: Path) -> Iterator[tuple[QueryRunner, str]]:
    runner = QueryRunner("sqlite", Limits(), None)
    yield runner, str(data_root / "trustsql" / "mimic_iv_demo_partial.sqlite")
    runner.close()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("file", "avoiding"),
    [
        ("ehrsql2024_test_v1.0_systems.jsonl", sampled(141, 563)),
        ("ehrsql2024_valid_v1.0.jsonl", 596),
    ][: sampled(1, 2)],
)
def test_ehrsql_golds_give_the_published_answers(
    data_root: Path, mimic: tuple[QueryRunner, str], file: str, avoiding: int
) -> None:
    """Those that avoid the tables without rows, compared as text by ``trustsql_single``."""
    runner, database = mimic
    path = data_root / "trustsql" / file
    published = {record["id"]: record["gold_answer"] for record in lines(path)}
    reader = BENCHMARKS.get("ehrsql2024")
    cases = [
        case
        for case in reader.read(path, databases=Path(database)).cases
        if case.answerable and UNSCORABLE not in case.tags
    ]
    checked = 0
    for case in cases[:: sampled(4, 1)]:
        answer = runner.run(database, case.golds[0])
        assert isinstance(answer, Answer), (case.id, answer)
        stored = [tuple(row) for row in literal_eval(published[case.id])]
        assert compare_answers(stored, answer.rows, "trustsql_single").equal, case.id
        checked += 1
    assert checked == avoiding


EHRSQL_SYSTEMS = (
    "airi_t5_3b_raw",
    "airi_final",
    "ltrc_codellama_raw",
    "ltrc_final_0.4",
    "probgate_final",
)


@pytest.mark.sampled
@pytest.mark.parametrize("system", EHRSQL_SYSTEMS[:: sampled(4, 1)])
def test_ehrsql_2024_participants_score_as_recorded(
    data_root: Path, answers: Path, system: str
) -> None:
    """Item by item, wherever the public part of the database can decide."""
    path = data_root / "trustsql" / "ehrsql2024_test_v1.0_systems.jsonl"
    reader = BENCHMARKS.get("ehrsql2024")
    assert isinstance(reader, Ehrsql2024)
    database = data_root / "trustsql" / "mimic_iv_demo_partial.sqlite"
    predictions = reader.predictions(path, system)
    cases = [case for case in reader.read(path, databases=database).cases if case.id in predictions]
    cases = cases[:: sampled(4, 1)]
    ids = {case.id for case in cases}
    predictions = {case.id: predictions[case.id] for case in cases}
    options = Options(metrics="ex[trustsql_single]", workers=0, cache=answers)
    run = evaluate(cases, predictions, name=system, options=options)
    recorded = {
        record["id"]: record["systems"][system]["score"]
        for record in lines(path)
        if record["id"] in ids
    }
    ours = item_worths(run, "ex[trustsql_single]")
    assert set(ours) == set(recorded)
    decided = [one for one in ours if ours[one] is not None and recorded[one] != "unknown"]
    assert [one for one in decided if ours[one] != recorded[one]] == []
    assert len(decided) >= sampled(168, 675)
    if system in ("airi_t5_3b_raw", "ltrc_codellama_raw", "probgate_final"):
        result = reliability_of(run)
        assert result.selective is not None
        assert result.selective.calibration is not None
        assert result.selective.calibration.scale == "logarithm"
        assert result.selective.without == 0


@pytest.mark.sampled
@pytest.mark.parametrize("system", ["voting", "demo"][: sampled(1, 2)])
def test_trustsql_systems_on_ehrsql_score_as_recorded(
    data_root: Path, answers: Path, system: str
) -> None:
    """Of 934 answerable items 371 read tables without rows: unscored, abstentions too."""
    path = data_root / "trustsql" / "trustsql_ehrsql_test.jsonl"
    reader = BENCHMARKS.get("trustsql")
    assert isinstance(reader, Trustsql)
    database = data_root / "trustsql" / "mimic_iv_demo_partial.sqlite"
    cases = list(reader.read(path, databases=database).cases)[:: sampled(4, 1)]
    recorded_predictions = reader.predictions(path, system)
    predictions = {case.id: recorded_predictions[case.id] for case in cases}
    options = Options(metrics="ex[trustsql_single]", workers=0, cache=answers)
    run = evaluate(cases, predictions, name=system, options=options)
    ours = item_worths(run, "ex[trustsql_single]")
    recorded = {record["id"]: record["score"][system] for record in lines(path)}
    decided = [one for one in ours if ours[one] is not None]
    assert len(decided) == sampled(363, 934 + 563)
    assert [one for one in decided if recorded[one] not in (ours[one], "unknown")] == []
