"""On TrustSQL's recorded replies and samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.abstain.apply import detector_composition
from sqlverdict.abstain.calibrate import mark_drafts
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.method import Draft, Tools
from sqlverdict.abstain.predictions import draft_of
from sqlverdict.abstain.prompting.replies import refuses, sql_of
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.score.reliability.outcomes import OutcomeTable
from sqlverdict.score.reliability.reliability_score import rs

pytestmark = pytest.mark.data


def replies(path: Path) -> list[str]:
    results = []
    for line in path.read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)["raw"]
        every = [raw["sqlprompt"], raw["sqlprompt_demo"], *(raw["sqlprompt_voting5"] or ())]
        results += [text for text in every if text is not None]
    return results


def test_real_replies_become_sql_or_nothing(data_root: Path) -> None:
    texts = replies(data_root / "trustsql" / "trustsql_spider_test.jsonl")
    assert len(texts) > 7000
    for text in texts:
        sql = sql_of(text)
        if text.lstrip().lower().startswith(("select", "with", "insert", "update", "delete")):
            # A statement of any kind stays what it is; the engine blocks what writes.
            assert sql == text.strip()
        else:
            # "not_answerable", "This question cannot be answered ...": never SQL.
            assert sql is None, text
    assert sum(map(refuses, texts)) == 311


def test_equal_strings_vote_as_the_reference_does(data_root: Path) -> None:
    """RS(10) is about +24 where five raw strings must be the same."""
    reader: Any = BENCHMARKS.get("trustsql")
    path = data_root / "trustsql" / "trustsql_spider_test.jsonl"
    cases = list(reader.read(path, databases=data_root / "spider" / "database").cases)
    composition = detector_composition("voting(equality=string)")
    composition.generator.drafts = {  # type: ignore[attr-defined]
        case_id: draft_of(prediction)
        for case_id, prediction in reader.predictions(path, "vote_top").items()
    }
    databases = DatabaseIndex.of(cases)
    decisions = composition.answer([databases.ask(case) for case in cases], Tools())
    runner = QueryRunner("sqlite", Limits())
    cells = dict.fromkeys(OutcomeTable().cells(), 0)
    for case, decision in zip(cases, decisions, strict=True):
        if decision.abstained:
            cells["abstained_answerable" if case.answerable else "abstained_unanswerable"] += 1
            continue
        example = databases.example(case)
        (one,) = mark_drafts([_with(example, decision.sql)], runner, "trustsql_spider")
        right = "correct" if one.correct else "wrong"
        cells[right if case.answerable else "answered_unanswerable"] += 1
    runner.close()
    table = OutcomeTable(**cells)
    assert table.total == 1054
    assert round(100 * (rs(table, 10.0) or 0), 1) == 23.8


def _with(example: Any, sql: str | None) -> Any:
    from dataclasses import replace

    return replace(example, draft=Draft(sql))
