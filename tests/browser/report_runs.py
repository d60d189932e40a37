"""Runs with every kind of evidence, and hostile ones, for the tests of the report's page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browser_parts import OpenPage
from msgspec.structs import replace

from sqlverdict.evidence import (
    Failed,
    Judged,
    Proved,
    Refuted,
    Related,
    Relation,
    Signs,
    Tested,
)
from sqlverdict.evidence_parts import (
    AnswerExcerpt,
    AnswerShapes,
    LoggedSign,
    StepChange,
    TableExcerpt,
    Tag,
)
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.report.html.build import make_document
from sqlverdict.report.html.document import PageSuspect
from sqlverdict.report.html.page import save_page
from sqlverdict.report.reliability.figures import ReliabilityRequest
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.log import encode_result
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.runlog.run import Run


def manifest(system: str, **fields: Any) -> Manifest:
    usual: dict[str, Any] = {
        "system": system,
        "benchmark": "tiny",
        "inputs": {"cases.jsonl": "aa"},
        "metrics": {"verdict": 1, "ex": 1},
        "binary": ("verdict", "ex"),
        "engine": "sqlite",
        "engine_version": "3.40.1",
        "limits": {"seconds": 30.0},
        "sqlverdict": "0.1.0",
        "preset": "strict",
        "stages": {"policy": "strict", "refute": "small"},
        "started": "2026-01-01T00:00:00",
    }
    return Manifest(**(usual | fields))


def write_run(folder: Path, results: Sequence[Result], system: str, **fields: Any) -> Run:
    """A finished run of these results."""
    run = RunFolder(folder, manifest(system, **fields), overwrite=True)
    run.append((result.index, encode_result(result)) for result in results)
    return run.finish(cases=len(results))


def result(index: int, verdict: Verdict = Verdict.CORRECT, **fields: Any) -> Result:
    value = {
        Verdict.CORRECT: 1.0,
        Verdict.INCORRECT: 0.0,
        Verdict.ABSTAINED_WRONG: 0.0,
    }.get(verdict)
    usual: dict[str, Any] = {
        "id": f"q{index}",
        "db_id": "shop" if index % 2 else "school",
        "question": f"How many items has shop {index}?",
        "gold": (f"SELECT count(*) FROM item WHERE shop = {index}",),
        "prediction": f"SELECT count(*) FROM item WHERE shop = {index}",
        "abstained": False,
        "verdict": verdict,
        "difficulty": "easy" if index % 3 else "hard",
        "scores": {"verdict": value, "ex": value},
        "situation": "match",
        "evidence": (Tested("compare"),),
        "confidence": (index % 10) / 10,
    }
    return Result(index=index, **(usual | fields))


def witness(**fields: Any) -> Refuted:
    usual: dict[str, Any] = {
        "grade": "ordinary",
        "sentence": "they differ when an item is sold",
        "size": 2,
        "rows": {
            "item": TableExcerpt(("id", "name"), ((1, "lamp"), (2, None))),
            "owner": TableExcerpt(("id",), ((1,),)),
        },
        "deciding_rows": {"item": (1,)},
        "gold": AnswerExcerpt(("name",), (("lamp",),), 1),
        "prediction": AnswerExcerpt(("name",), (("lamp",), (None,)), 2),
        "tags": (Tag("condition_missing", "sold = 1"),),
    }
    return Refuted("refute", (Reason.RESULT_EXTRA_ROWS,), **(usual | fields))


def every_kind() -> list[Result]:
    """One case for each part of the bar, and some more of the usual kinds."""
    wrong = Verdict.INCORRECT
    proof = Proved(
        "prove",
        profile="sound",
        trust="proved",
        rules=("count_of_never_null",),
        steps=("prediction: equal by count_of_never_null because item.id is never NULL",),
        changes=(StepChange("COUNT(item.id)", "COUNT(*)"),),
        form='SELECT COUNT(*) FROM "item"',
    )
    relation = Relation("row_subset", {"columns": [0], "missing": 1, "examples": [["lamp"]]})
    related = Related(
        "compare",
        (Reason.RESULT_MISSING_ROWS,),
        shape=AnswerShapes((2, 1), (1, 1)),
        relations=(relation,),
        tags=(Tag("rows_missing"),),
    )
    judged = Judged("flex", correct=True, judge="flex 1", model="m", explanation="It is fine.")
    no_sql = (Reason.NO_SQL_PRODUCED,)
    blocked = Failed("execute", (Reason.WRITE_BLOCKED,), "not authorized", query="prediction")
    failure = Failed("execute", (Reason.EXECUTION_ERROR,), "no such column", query="prediction")
    kinds: list[dict[str, Any]] = [
        {
            "evidence": (proof,),
            "situation": "proved",
            "prediction": "SELECT count(id) FROM item WHERE shop = 0",
        },
        {"evidence": (Tested("compare"),)},
        {
            "verdict": wrong,
            "evidence": (Tested("compare"), witness()),
            "situation": "ordinary_witness",
            "gold": ("SELECT t.name FROM item AS t WHERE t.sold = 1",),
            "prediction": "SELECT item.name FROM item",
            "scores": {"verdict": 0.0, "ex": 1.0},
            "knowledge": "sold means sold = 1",
        },
        {"evidence": (related,), "situation": "harmless_difference"},
        {"verdict": wrong, "evidence": (related,), "situation": "difference"},
        {"evidence": (related, judged), "situation": "difference"},
        {"verdict": wrong, "evidence": (failure,), "situation": "failed"},
        {"verdict": wrong, "evidence": (blocked,), "situation": "failed"},
        {"verdict": wrong, "reasons": no_sql, "evidence": (), "situation": ""},
        {
            "verdict": Verdict.ABSTAINED_RIGHT,
            "abstained": True,
            "answerable": False,
            "gold": (),
            "prediction": None,
        },
        {"verdict": Verdict.ABSTAINED_WRONG, "abstained": True, "prediction": None},
        {"verdict": Verdict.UNSCORED, "fault": "gold", "message": "no such table", "evidence": ()},
        {
            "verdict": wrong,
            "evidence": (
                related,
                Signs("signs", gold=(LoggedSign("dead_literal", "strong", "no row has it"),)),
            ),
            "situation": "gold_suspect",
        },
    ]
    return [
        result(index, **{"verdict": Verdict.CORRECT, **kind}) for index, kind in enumerate(kinds)
    ]


PAYLOADS = (
    "<script>alert('script')</script>",
    "</script><script>alert('closed')</script>",
    "<img src=x onerror=alert('image')>",
    "<svg onload=alert('svg')><script>alert(1)</script></svg>",
    "\"><iframe srcdoc='<script>alert(2)</script>'></iframe>",
    "javascript:alert('link')",
    "<!-- --><style>*{display:none}</style>",
    "\u202eturned\u2066 \u200fright\u0007\u001b[31m\u0000",
    "{{7*7}} ${alert('template')} @@style@@",
)


def hostile() -> list[Result]:
    """Each payload in every place that a page shows: questions, SQL, data, names, replies."""
    results = []
    for index, text in enumerate(PAYLOADS):
        pieces = (
            witness(
                sentence=text,
                rows={text: TableExcerpt((text, "b"), ((text, 2**53 + 1),))},
                gold=AnswerExcerpt((text,), ((text,),), 1),
                prediction=AnswerExcerpt((), failed=Reason.EXECUTION_ERROR, message=text),
                file=f"{text}.sql",
                tags=(Tag(text, text),),
            ),
            Judged(text, correct=False, judge=text, model=text, explanation=text, flags=(text,)),
            Proved(
                "prove",
                rules=(text,),
                steps=(f"gold: equal by {text}", text),
                changes=(StepChange(text, f"{text} {text}"),),
                form=text,
            ),
            Signs("signs", prediction=(LoggedSign(text, "weak", text),)),
        )
        results.append(
            result(
                index,
                Verdict.INCORRECT,
                id=f"{text}{index}",
                db_id=text,
                question=text,
                gold=(text, f"SELECT '{text}'"),
                prediction=f'SELECT "{text}" -- {text}',
                evidence=pieces,
                situation="ordinary_witness",
                reasons=(text,),
                difficulty=text,
                message=text,
                knowledge=text,
            )
        )
    return results


def write_report(folder: Path) -> Path:
    """A page of two systems with every kind of evidence, and enough cases to scroll."""
    kinds = every_kind()
    more = [result(index) for index in range(len(kinds), 300)]
    other = [
        replace(
            each,
            verdict=Verdict.INCORRECT,
            scores={"verdict": 0.0, "ex": 0.0},
            situation="difference",
        )
        if each.index in (1, 20)
        else each
        for each in [*kinds, *more]
    ]
    mine = write_run(folder / "mine", [*kinds, *more], "mine")
    runs = [mine, write_run(folder / "other", other, "other")]
    answers = (("mine", "SELECT 1", False),)
    suspect = PageSuspect("q12", 0.8, ("no row has it",), ("odds x2",), answers)
    page = make_document(runs, suspects=[suspect], request=ReliabilityRequest())
    return save_page(folder / "report.html", page)


def opened(open_file: OpenPage, file: Path, address: str = "", **options: Any) -> Any:
    """The page of a report, once it can be used."""
    page = open_file(file.as_uri() + address, **options)
    page.wait_for_selector("body[data-ready]")
    return page
