"""Corrected golds: sets that take the place of golds, and runs scored again with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.sealed_json import write_sealed_json
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.load.overlays import read_overlay, with_overlays
from sqlverdict.records import Answer, Case, Contract, Failure, Reason, Recording
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.manifest import read_manifest

Invoke = Callable[..., Result]
RIGHT = "SELECT count(*) FROM item WHERE price > 1"
FIXED = "SELECT count(*) FROM item WHERE price > 2"


@pytest.fixture
def overlay(tmp_path: Path) -> Callable[..., Path]:
    def write(*records: object, name: str = "fixed.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


def lines(folder: Path) -> list[bytes]:
    """The log without timings."""
    text = (folder / "results.jsonl").read_bytes()
    return [line.rpartition(b',"timings"')[0] for line in text.splitlines()]


def evaluate(invoke: Invoke, tiny, *more: object) -> Result:  # type: ignore[no-untyped-def]
    a, b = tiny.predictions(RIGHT, name="a.txt"), tiny.predictions(FIXED, name="b.txt")
    return invoke("evaluate", "--cases", tiny.gold, "--databases", tiny.databases, "--predictions", a,
                  "--predictions", b, "--workers", 0, "--no-cache", "--quiet", *more)  # fmt: skip


def test_rescore_gives_the_run_that_evaluate_would_give(
    tiny,
    invoke: Invoke,
    overlay: Callable[..., Path],  # type: ignore[no-untyped-def]
) -> None:
    fixed = overlay({"id": "0", "db_id": "shop", "gold": [FIXED], "reason": "too many", "by": "ann"},
                    {"id": 1, "gold": "SELECT name FROM item"})  # fmt: skip
    assert evaluate(invoke, tiny, "--out", "runs").exit_code == 0
    whole = evaluate(invoke, tiny, "--out", "whole", "--gold-overlay", f"experts={fixed}")
    assert "b on gold.txt + gold overlay experts: 4 of 4 right by ex" in whole.output

    again = invoke("rescore", "runs/a", "runs/b", "--gold-overlay", f"experts={fixed}", "--json")
    report = json.loads(again.stdout)
    systems = {each["system"]: each for each in report["systems"]}
    assert (systems["a"]["rank_before"], systems["a"]["rank_after"]) == (1, 2)
    assert (systems["b"]["gained"], systems["a"]["lost"]) == (1, 1)
    (question,) = report["questions"]
    assert (question["id"], question["reason"], question["gained"], question["lost"]) == (
        "0",
        "too many",
        ["b"],
        ["a"],
    )
    for name in ("a", "b"):
        renewed = Path(f"runs/{name}+experts")
        assert lines(renewed) == lines(Path("whole") / name)
        manifest = read_manifest(renewed)
        assert manifest.benchmark == "gold.txt + gold overlay experts"
        assert "gold overlay experts" in manifest.inputs
        assert manifest.fingerprint == read_manifest(Path("whole") / name).fingerprint
    result = invoke("rescore", "runs/a", "runs/b", "--gold-overlay", f"experts={fixed}", "--quiet")
    assert "1 -> 2" in result.output
    assert "1 gold replaced, 1 as before" in result.output


def test_only_cases_with_other_golds_are_evaluated_again(
    tiny,
    invoke: Invoke,
    overlay: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,  # type: ignore[no-untyped-def]
) -> None:
    from sqlverdict.run.examine import Examiner

    cases = tiny.cases()
    invoke("evaluate", "--cases", cases, "--databases", tiny.databases, "--out", "runs/mine",
           "--workers", 0, "--quiet")  # fmt: skip
    seen: list[str] = []
    examine = Examiner.__call__

    def spy(self, task, runner):  # type: ignore[no-untyped-def]
        seen.append(task.case.id)
        return examine(self, task, runner)

    monkeypatch.setattr(Examiner, "__call__", spy)
    fixed = overlay({"id": "0-1", "gold": "SELECT name FROM item WHERE price > 2"})
    assert "0 gained, 1 lost" in invoke("rescore", "runs/mine", "--gold-overlay", fixed).output
    assert seen == ["0-1"]
    assert [result.scores["ex"] for result in read_results(Path("runs/mine+fixed"))] == [1, 0, 1, 1]


def test_a_run_is_not_rescored_where_more_than_golds_changed(
    tiny,
    invoke: Invoke,
    overlay: Callable[..., Path],  # type: ignore[no-untyped-def]
) -> None:
    evaluate(invoke, tiny, "--out", "runs")
    fixed = overlay({"id": "0", "gold": FIXED})
    tiny.predictions("SELECT 1", name="a.txt")
    refusal = invoke("rescore", "runs/a", "--gold-overlay", fixed)
    assert refusal.exit_code == 2
    assert "the predictions changed since that run" in refusal.output
    manifest = Path("runs/b/manifest.json")
    fields = json.loads(manifest.read_text())
    write_sealed_json(manifest, {**fields, "command": ["other", *fields["command"][1:]]})
    assert (
        "does not say which evaluate command"
        in invoke("rescore", "runs/b", "--gold-overlay", fixed).output
    )


def test_a_set_is_named_by_its_digest_when_a_run_is_resumed(
    tiny,
    invoke: Invoke,
    overlay: Callable[..., Path],  # type: ignore[no-untyped-def]
) -> None:
    fixed = overlay({"id": "0", "gold": FIXED})
    evaluate(invoke, tiny, "--out", "runs", "--gold-overlay", fixed)
    overlay({"id": "0", "gold": RIGHT})
    again = evaluate(invoke, tiny, "--out", "runs", "--gold-overlay", fixed)
    assert "gold overlay fixed changed since that run" in again.output


BENCHMARK = Benchmark(
    "x",
    "",
    [
        Case("1", "shop", "How  many?", ("SELECT 1",)),
        Case("2", "shop", "Who?", answerable=False),
    ],
)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "11", "gold": "SELECT 2"}, "no case '11'.*Did you mean '1'"),
        ({"id": "1", "gold": "SELECT 2", "db_id": "club"}, "the db_id of case '1' is 'club'"),
        ({"id": "1", "gold": "SELECT 2", "question": "Which?"}, "the question of case '1'"),
        ({"id": "1", "gold": []}, "Expected a query, or a list"),
        ({"id": "1", "gold": ["SELECT 1", " "]}, "Expected a query, or a list"),
        ({"id": "1"}, "Expected a query, or a list"),
        ({"gold": "SELECT 1"}, "found no id"),
        ({"id": "1", "gold": "SELECT 1", "reason": 3}, "the reason is 3"),
        ([1], "Expected an object"),
    ],
)
def test_what_does_not_fit_is_an_error(
    record: object, message: str, overlay: Callable[..., Path]
) -> None:
    path = overlay(record)
    with pytest.raises(DataError, match=message) as error:
        with_overlays(BENCHMARK, [read_overlay("fixed", path)])
    assert "line 1" in str(error.value)


def test_ids_and_sets_may_not_disagree(overlay: Callable[..., Path]) -> None:
    twice = overlay({"id": "1", "gold": "SELECT 2"}, {"id": 1, "gold": "SELECT 3"})
    with pytest.raises(DataError, match=r"line 2: the id '1' already occurs at .*line 1"):
        read_overlay("fixed", twice)
    sets = [read_overlay(name, overlay({"id": "1", "gold": gold}, name=f"{name}.jsonl"))
            for name, gold in (("a", "SELECT 2"), ("b", "SELECT 3"))]  # fmt: skip
    with pytest.raises(DataError, match="correct the case '1' in different ways"):
        with_overlays(BENCHMARK, sets)
    with pytest.raises(UsageError, match="cannot be called 'a/b'"):
        read_overlay("a/b", twice)


def test_a_csv_file_may_hold_lists(tmp_path: Path) -> None:
    path = tmp_path / "fixed.csv"
    path.write_text('id,gold,reason,by\n1,"[""SELECT 2"", ""SELECT 3""]",why,ann\n2,SELECT 4,,\n')
    corrected = with_overlays(BENCHMARK, [read_overlay("fixed", path)])
    assert [case.golds for case in corrected.cases] == [("SELECT 2", "SELECT 3"), ("SELECT 4",)]
    # A second look is the same; what was unanswerable has an answer now.
    assert [case.answerable for case in corrected.cases] == [True, True]


def test_what_is_about_the_old_gold_goes_with_it(overlay: Callable[..., Path]) -> None:
    failed = Failure(Reason.GOLD_SUSPECT, "")
    case = Case(
        "1",
        "shop",
        golds=("SELECT 1",),
        gold_answers=(Answer(("a",), [(1,)]),),
        contract=Contract(float_rel=0.1, key_columns=((0,),)),
        recorded=Recording((failed,), failed, True),
    )
    path = overlay({"id": "1", "gold": "SELECT 2"})
    (new,) = with_overlays(Benchmark("x", "", [case]), [read_overlay("fixed", path)]).cases
    assert (new.gold_answers, new.recorded, new.contract) == ((), None, Contract(float_rel=0.1))
