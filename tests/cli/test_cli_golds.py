"""Sets of golds: corrections and whole revisions, and systems ranked under several of them."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.sealed import write_sealed_json
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.load.overlays import read_overlay, with_overlays
from sqlverdict.records import Answer, Case, Contract, Failure, Reason, Recording
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.manifest import read_manifest
from sqlverdict.verdicts import POLICIES

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


def test_a_run_under_other_golds_is_the_run_that_evaluate_would_give(
    tiny,
    invoke: Invoke,
    overlay: Callable[..., Path],  # type: ignore[no-untyped-def]
) -> None:
    fixed = overlay({"id": "0", "db_id": "shop", "gold": [FIXED], "reason": "too many", "by": "ann"},
                    {"id": 1, "gold": "SELECT name FROM item"})  # fmt: skip
    assert evaluate(invoke, tiny, "--out", "runs").exit_code == 0
    whole = evaluate(invoke, tiny, "--out", "whole", "--golds", f"experts={fixed}")
    assert "b on gold.txt + gold overlay experts: 4 of 4 right by ex" in whole.output

    again = invoke("leaderboard", "runs/a", "runs/b", "--golds", f"experts={fixed}", "--json")
    board = json.loads(again.stdout)
    ranks = {(each["golds"], each["system"]): each["rank"] for each in board["places"]}
    assert ranks == {("run", "a"): 1, ("run", "b"): 2, ("experts", "a"): 2, ("experts", "b"): 1}
    assert [(each["system"], each["gained"], each["lost"]) for each in board["changes"]] == [
        ("a", 0, 1),
        ("b", 1, 0),
    ]
    (swap,) = board["swaps"]
    assert (swap["first"], swap["second"]) == ("a", "b")
    assert (swap["before"]["difference"], swap["after"]["difference"]) == (0.25, -0.25)
    assert swap["before"]["pairs"] == swap["after"]["pairs"] == 4
    (question,) = board["questions"]
    assert (question["id"], question["reason"], question["relation"]) == (
        "0",
        "too many",
        "other answer",
    )
    assert [(move["system"], move["kinds"]) for move in question["moves"]] == [
        ("a", {"ex": "lost"}),
        ("b", {"ex": "gained"}),
    ]
    for name in ("a", "b"):
        renewed = Path(f"runs/{name}/golds/experts")
        assert lines(renewed) == lines(Path("whole") / name)
        manifest = read_manifest(renewed)
        assert manifest.benchmark == "gold.txt + gold overlay experts"
        assert "gold overlay experts" in manifest.inputs
        assert manifest.fingerprint == read_manifest(Path("whole") / name).fingerprint
    result = invoke("leaderboard", "runs/a", "runs/b", "--golds", f"experts={fixed}", "--quiet")
    assert "experts, by ex: ranks move: a 1 → 2, b 2 → 1" in result.output
    assert "a less b: +25.0 (" in result.output
    assert "1 gold replaced, 1 as before" in read_manifest(renewed).notes[-1]


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
    seen: list[tuple[str, str | None]] = []
    examine = Examiner.__call__

    def spy(self, task, runner):  # type: ignore[no-untyped-def]
        seen.append((task.case.id, task.prediction.sql))
        return examine(self, task, runner)

    monkeypatch.setattr(Examiner, "__call__", spy)
    gold = "SELECT name FROM item WHERE price > 2"
    fixed = overlay({"id": "0-1", "gold": gold})
    call = ("leaderboard", "runs/mine", "--golds", fixed, "--quiet")
    assert "cases is not right now by ex" in invoke(*call).output
    # The prediction by the other gold, and then this gold by the first one: nothing else.
    assert seen == [("0-1", "SELECT name FROM item"), ("0-1", gold)]
    renewed = Path("runs/mine/golds/fixed")
    assert [result.scores["ex"] for result in read_results(renewed)] == [1, 0, 1, 1]
    # A second time nothing is examined; where the file changed, its golds are.
    assert invoke(*call).exit_code == 0
    assert len(seen) == 2
    overlay({"id": "0-0", "gold": "SELECT 7"})
    assert "cases is not right now by ex" in invoke(*call).output
    assert seen[2:] == [("0-0", "SELECT count(*) FROM item"), ("0-0", "SELECT 7")]
    assert [result.scores["ex"] for result in read_results(renewed)] == [0, 1, 1, 1]


def test_golds_are_refused_where_more_than_golds_changed(
    tiny,
    invoke: Invoke,
    overlay: Callable[..., Path],  # type: ignore[no-untyped-def]
) -> None:
    evaluate(invoke, tiny, "--out", "runs")
    fixed = overlay({"id": "0", "gold": FIXED})
    tiny.predictions("SELECT 1", name="a.txt")
    refusal = invoke("leaderboard", "runs/a", "--golds", fixed)
    assert refusal.exit_code == 2
    assert "the predictions changed since that run" in refusal.output
    manifest = Path("runs/b/manifest.json")
    fields = json.loads(manifest.read_text())
    write_sealed_json(manifest, {**fields, "command": ["other", *fields["command"][1:]]})
    assert (
        "does not say which evaluate command"
        in invoke("leaderboard", "runs/b", "--golds", fixed).output
    )


def test_a_set_is_named_by_its_digest_when_a_run_is_resumed(
    tiny,
    invoke: Invoke,
    overlay: Callable[..., Path],  # type: ignore[no-untyped-def]
) -> None:
    fixed = overlay({"id": "0", "gold": FIXED})
    evaluate(invoke, tiny, "--out", "runs", "--golds", fixed)
    overlay({"id": "0", "gold": RIGHT})
    again = evaluate(invoke, tiny, "--out", "runs", "--golds", fixed)
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
    ("record", "reason", "says"),
    [
        ({"id": "11", "gold": "SELECT 2"}, "unknown_name", "no case '11'. Did you mean '1'"),
        ({"id": "1", "gold": "a", "db_id": "club"}, "mismatch", "the db_id of case '1' is 'club'"),
        ({"id": "1", "gold": "a", "question": "Who?"}, "mismatch", "the question of case '1'"),
        ({"id": "1", "gold": []}, "wrong_value", "the gold is []"),
        ({"id": "1", "gold": ["SELECT 1", " "]}, "wrong_value", "the gold is ['SELECT 1', ' ']"),
        ({"id": "1"}, "missing_field", "there is no gold"),
        ({"gold": "SELECT 1"}, "missing_field", "'id'"),
        ({"id": "1", "gold": "SELECT 1", "reason": 3}, "wrong_value", "the reason is 3"),
        ([1], "wrong_kind", "list"),
    ],
)
def test_what_does_not_fit_is_an_error(
    record: object, reason: DataReason, says: str, overlay: Callable[..., Path]
) -> None:
    with refuses_data(DataError, reason, says, "line 1"):
        with_overlays(BENCHMARK, [read_overlay("fixed", overlay(record))])


def test_ids_and_sets_may_not_disagree(overlay: Callable[..., Path]) -> None:
    twice = overlay({"id": "1", "gold": "SELECT 2"}, {"id": 1, "gold": "SELECT 3"})
    with refuses_data(DataError, "repeated", "line 2: the id '1'", "line 1"):
        read_overlay("fixed", twice)
    sets = [read_overlay(name, overlay({"id": "1", "gold": gold}, name=f"{name}.jsonl"))
            for name, gold in (("a", "SELECT 2"), ("b", "SELECT 3"))]  # fmt: skip
    with refuses_data(DataError, "conflict", "the case '1'"):
        with_overlays(BENCHMARK, sets)
    with pytest.raises(UsageError, match="'a/b'"):
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


REVISION = (
    ("How many items?", "SELECT count(*) FROM item WHERE price > 2", "shop"),
    ("List the names.", "SELECT name FROM item ;", "shop"),
    ("Which items cost more than 2?", "SELECT nothing FROM item", "shop"),
)
"""A revision of the benchmark: a question in other words and with another gold, the same gold with
a semicolon, a gold that does not run, and no fourth question."""


def write_revision(folder: Path) -> Path:
    path = folder / "dev.json"
    items = [
        {"question_id": n, "db_id": db_id, "question": question, "SQL": gold}
        for n, (question, gold, db_id) in enumerate(REVISION)
    ]
    items.append({"question_id": 3, "db_id": "club", "question": "Who?", "SQL": None})
    items.append({"question_id": 9, "db_id": "club", "question": "Why?", "SQL": "SELECT 1"})
    path.write_text(json.dumps(items))
    return path


def test_a_whole_revision_says_what_became_of_every_question(tiny, invoke: Invoke) -> None:  # type: ignore[no-untyped-def]
    """Nothing is silent: golds that do not run, that are missing, and questions in other words."""
    cases = tiny.cases()
    text = cases.read_text().replace('"0-', '"')
    cases.write_text(text)
    call = ("--databases", tiny.databases, "--workers", 0, "--quiet", "--metrics", "ex,verdict")
    assert invoke("evaluate", "--cases", cases, *call, "--out", "runs/mine").exit_code == 0
    revision = write_revision(tiny.root)
    board_text = invoke("leaderboard", "runs/mine", "--golds", revision, "--quiet")
    assert "dev: 1 case ('2') unscored, for the gold does not run" in board_text.output
    assert "dev: 1 case ('3') left out, for it has no gold for them" in board_text.output
    assert "dev: 1 case ('0') in other words there" in board_text.output
    board = json.loads(invoke("leaderboard", "runs/mine", "--golds", revision, "--json").stdout)
    own, dev = board["sets"]
    assert (own["name"], own["cases"], own["failed"]) == ("run", 4, [])
    assert (dev["cases"], dev["replaced"], dev["lacking"]) == (3, ["0", "2"], ["3"])
    assert (dev["failed"], dev["reworded"]) == (["2"], ["0"])
    assert board["measures"] == ["ex", *(f"verdict ({name})" for name in POLICIES)]
    values = {(each["golds"], each["metric"], each["policy"]): each for each in board["places"]}
    assert {key: (each["value"], each["scored"]) for key, each in values.items()} == {
        ("run", "ex", ""): (1.0, 4),
        ("dev", "ex", ""): (0.5, 2),
        **{("run", "verdict", name): (1.0, 4) for name in POLICIES},
        **{("dev", "verdict", name): (0.5, 2) for name in POLICIES},
    }
    assert {each["test"]["pairs"] for each in board["changes"]} == {2}
    relations = {each["id"]: each["relation"] for each in board["questions"]}
    assert relations == {"0": "other answer", "2": "does not run"}
    note = read_manifest(Path("runs/mine/golds/dev")).notes[-1]
    assert note == (
        "gold overlay dev: 2 golds replaced, 1 as before, 1 case has none there, and the "
        "benchmark's here, 1 gold is of no case here, 1 question is in other words there"
    )


def test_a_gold_file_of_the_runs_own_golds_is_their_column(tiny, invoke: Invoke) -> None:  # type: ignore[no-untyped-def]
    """Nothing is evaluated for it, and corrections are held against it."""
    evaluate(invoke, tiny, "--out", "runs")
    fixed = tiny.root / "fixed.csv"
    fixed.write_text('id,gold\n0,"SELECT count(name) FROM item"\n')
    sets = ("--golds", f"old={tiny.gold}", "--golds", fixed, "--json")
    board = json.loads(invoke("leaderboard", "runs/a", "runs/b", *sets).stdout)
    assert [(each["name"], each["replaced"]) for each in board["sets"]] == [
        ("old", []),
        ("fixed", ["0"]),
    ]
    assert board["sets"][0]["folders"] == {"a": "runs/a", "b": "runs/b"}
    assert not Path("runs/a/golds/old").exists()
    (question,) = board["questions"]
    assert (question["relation"], question["moves"]) == ("witness", [])
    assert "a witness tells the golds apart" in question["evidence"]


def test_runs_of_two_revisions_are_scored_by_the_same_golds(tiny, invoke: Invoke) -> None:  # type: ignore[no-untyped-def]
    evaluate(invoke, tiny, "--out", "runs")
    other = tiny.root / "other.txt"
    other.write_text(tiny.gold.read_text().replace("count(*) FROM item", "max(price) FROM item"))
    b = tiny.predictions("SELECT max(price) FROM item", name="c.txt")
    call = ("--databases", tiny.databases, "--workers", 0, "--no-cache", "--quiet")
    invoke("evaluate", "--cases", other, "--predictions", b, *call, "--out", "runs/c")
    assert "other golds of '0'" in invoke("leaderboard", "runs/a", "runs/c").output
    refusal = invoke("leaderboard", "runs/a", "runs/c", "--golds", write_correction(tiny.root))
    assert (refusal.exit_code, "other golds of '0'" in refusal.output) == (2, True)
    board = json.loads(
        invoke("leaderboard", "runs/a", "runs/c", "--golds", tiny.gold, "--golds", other, "--json").stdout
    )  # fmt: skip
    values = {(each["golds"], each["system"]): each["value"] for each in board["places"]}
    assert values == {
        ("gold", "a"): 1.0,
        ("gold", "c"): 0.75,
        ("other", "a"): 0.75,
        ("other", "c"): 1.0,
    }


def write_correction(folder: Path) -> Path:
    path = folder / "one.jsonl"
    path.write_text(json.dumps({"id": "0", "gold": RIGHT}) + "\n")
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]", "item 0: found int. Expected an object"),
        ('[{"question_id": 0, "SQL": 3}]', "Expected a query, or a list"),
        ('[{"question_id": 0, "SQL": "SELECT 1", "db_id": "club"}]', "the db_id of case '0'"),
        ('[{"question_id": "x", "SQL": "SELECT 1"}]', "no case 'x'"),
        ('[{"question_id": 0, "SQL": "SELECT 1"}', "broken JSON"),
        ("[]", "holds no golds"),
    ],
)
def test_a_revision_that_cannot_be_read_is_refused(
    tiny,
    invoke: Invoke,
    content: str,
    message: str,  # type: ignore[no-untyped-def]
) -> None:
    evaluate(invoke, tiny, "--out", "runs")
    file = tiny.root / "dev.json"
    file.write_text(content)
    refusal = invoke("leaderboard", "runs/a", "--golds", file)
    assert refusal.exit_code == 2
    assert re.search(message, refusal.output), refusal.output


def test_what_ranks_by_the_runs_own_golds_is_refused(tiny, invoke: Invoke) -> None:  # type: ignore[no-untyped-def]
    evaluate(invoke, tiny, "--out", "runs")
    golds = ("--golds", tiny.gold)
    for words in (("--force",), ("--baseline-metric", "ex"), ("--reference", "ex")):
        refusal = invoke("leaderboard", "runs/a", *golds, *words)
        assert (refusal.exit_code, f"{words[0]} and --golds" in refusal.output) == (2, True)
    alone = invoke("leaderboard", "runs/a", "--out", "x")
    assert (alone.exit_code, "--golds" in alone.output) == (2, True)
    twice = invoke("leaderboard", "runs/a", *golds, *golds)
    assert (twice.exit_code, "two sets of golds are called 'gold'" in twice.output) == (2, True)


def test_the_page_has_the_sets_and_the_evidence(tiny, invoke: Invoke) -> None:  # type: ignore[no-untyped-def]
    evaluate(invoke, tiny, "--out", "runs")
    fixed = tiny.root / "fixed.jsonl"
    fixed.write_text(json.dumps({"id": "0", "gold": FIXED, "reason": "too many"}) + "\n")
    call = ("leaderboard", "runs/a", "runs/b", "--golds", fixed, "--html", "page.html", "--quiet")
    assert invoke(*call).exit_code == 0
    packed = re.search(r'id="data-index">([^<]*)<', Path("page.html").read_text())
    assert packed is not None
    index = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    sets = index["golds"]
    (question,) = sets["questions"]
    assert (sets["first"], question["golds"], question["reason"]) == ("run", "fixed", "too many")
    assert [move[:2] for move in question["moves"]] == [
        ["a", "is not right now by ex"],
        ["b", "is right now by ex"],
    ]
    assert question["detail"]["answers"]["rows"][0]["state"] == "changed"
    assert [table["title"] for table in sets["tables"]] == [
        "Sets of golds",
        "Values with 95% intervals; a rank is by the value alone",
    ]
