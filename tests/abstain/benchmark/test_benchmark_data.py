"""Building from, and linting, the real data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sqlverdict.abstain.benchmark.build import Material, Recipe, build_benchmark
from sqlverdict.abstain.benchmark.lint import LintData, run_lints
from sqlverdict.abstain.benchmark.meaning import find_meanings
from sqlverdict.abstain.benchmark.question_sources import SchemaWords, schemas_of
from sqlverdict.abstain.benchmark.templates import template_of
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.records import Case

pytestmark = pytest.mark.data


def read(name: str, root: Path, **where: Path) -> list[Case]:
    options = {"difficulty": "off"} if name == "spider" else {}
    return list(BENCHMARKS.get(name).read(root, options=options, **where).cases)


def test_spider_dev_is_halved_by_database(data_root) -> None:
    dev = read("spider", data_root / "spider")
    built = build_benchmark(Material(dev), Recipe(cross_database=True, proofs=False))
    halves = [
        [case for case in built.parts[part] if case.answerable] for part in ("validation", "test")
    ]
    assert abs(len(halves[0]) - len(halves[1])) <= 10, "the paper's are 507 and 527"
    assert not {c.db_id for c in halves[0]} & {c.db_id for c in halves[1]}
    levels = Counter(case.difficulty for half in halves for case in half)
    # Validation and test of the paper's Table 5: 264 + 280, 175 + 156, 68 + 91.
    assert levels == {"easy": 544, "medium": 331, "hard": 159}
    others = [case for case in built.parts["test"] if not case.answerable]
    assert len(others) == len(halves[1])
    known = {db_id: SchemaWords.of(schema) for db_id, schema in built.schemas.items()}
    for case in others:
        if case.tags["unanswerable_type"] in ("column-related", "column-unrelated"):
            column = case.tags["no_such_column"].partition(".")[2]
            assert not known[case.db_id].holds(column)


def test_lints_of_the_rebuilt_trustsql_part(data_root) -> None:
    """527 golds run; 11 give no row and 2 nothing but NULL, and words tell far too much."""
    file = data_root / "trustsql" / "trustsql_spider_test.jsonl"
    cases = read("trustsql", file, databases=data_root / "spider" / "database")
    runner = QueryRunner("sqlite", Limits(), None)
    try:
        names = ["null_golds", "leakage_words", "leakage_case"]
        nulls, words, letters = run_lints(LintData(cases, runner=runner), names)
    finally:
        runner.close()
    assert nulls.figures == {
        "run": 527,
        "empty": 11,
        "only_null": 2,
        "failing": 0,
        "unavailable": 0,
    }
    assert 0.84 < words.figures["balanced_accuracy"] < 0.92
    assert words.findings[0].severity == "error"
    assert letters.findings[0].severity == "info"


def test_ehrsql_asks_for_the_first_and_the_last_by_one_and_the_same_query(
    data_root: Path, tmp_path: Path
) -> None:
    """The order of one row, a count, says nothing: "first" and "last" mean the same there."""
    folder = data_root / "trustsql"
    database = folder / "mimic_iv_demo_partial.sqlite"
    expected = ("a2cad7bd6649d8cc2f3b637d", "97d2fe4c7a06a3344798570f")
    lines = (folder / "ehrsql2024_train_v1.0.jsonl").read_text("utf-8").splitlines(keepends=True)
    few = tmp_path / "train.jsonl"
    few.write_text("".join(line for line in lines if any(one in line for one in expected)), "utf-8")
    pair = read("ehrsql2024", few, databases=database)
    assert len(pair) == 2
    schemas = schemas_of(pair)
    templates = [template_of(c.golds[0], c.db_id, schemas[c.db_id]) for c in pair]
    assert "ASC LIMIT 1" in "".join(t.text for t in templates)
    assert "DESC LIMIT 1" in "".join(t.text for t in templates)
    result = find_meanings(templates, schemas)
    assert len(set(result.classes.values())) == 1
