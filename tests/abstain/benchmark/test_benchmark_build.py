"""A benchmark built from the demo: its files, its promises, and that evaluate reads it."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from error_parts import refuses_data
from sqlverdict.abstain.benchmark.build import Material, Recipe, build_benchmark
from sqlverdict.abstain.benchmark.lint import LINTS
from sqlverdict.abstain.benchmark.question_pool import read_pool
from sqlverdict.abstain.benchmark.splits import SplitPlan
from sqlverdict.abstain.benchmark.write import case_record
from sqlverdict.errors import BenchmarkError
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.demo import DATA
from sqlverdict.load.fields import case_from
from sqlverdict.records import Case, Contract
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(databases: Path) -> list[Case]:
    return list(BENCHMARKS.get("demo").read(DATA, databases=databases).cases)


def run(*args: object) -> Result:
    from sqlverdict.cli.main import sqlverdict

    result = CliRunner().invoke(sqlverdict, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ok(*args: object) -> str:
    outcome = run(*args)
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_a_built_benchmark_is_evaluated_and_scored(tmp_path, databases) -> None:
    """End to end: build, answer every question rightly, evaluate, and RS is 100 everywhere."""
    out = tmp_path / "built"
    output = ok("build", "--benchmark", "demo", "--databases", databases, "--out", out, "--quiet")
    assert "column-surface" in output
    records = lines(out / "test.jsonl")
    assert {record["answerable"] for record in records} == {True, False}
    predictions = tmp_path / "mine.jsonl"
    with predictions.open("w") as stream:
        for record in records:
            gold = record["gold"]
            sql = gold[0] if isinstance(gold, list) else gold
            stream.write(json.dumps({"id": record["id"], "sql": sql}) + "\n")
    ok("evaluate", "--cases", out / "test.jsonl", "--predictions", predictions,
       "--out", tmp_path / "run", "--workers", 0, "--no-cache")  # fmt: skip
    report = json.loads(ok("reliability", tmp_path / "run", "--json"))
    text = json.dumps(report)
    views = report["rs"]
    assert "abstained_unanswerable" in text
    scores = [value for view in views.values() for value in _numbers(view)]
    assert scores
    assert set(scores) == {1.0}


def _numbers(view: object) -> list[float]:
    """The scores of a view, whatever stands around them."""
    if isinstance(view, dict):
        if isinstance(view.get("rs"), int | float):
            return [float(view["rs"])]
        return [number for inner in view.values() for number in _numbers(inner)]
    return [float(view)] if isinstance(view, int | float) else []


def test_the_files_keep_their_promises(tmp_path, databases) -> None:
    out = tmp_path / "built"
    ok("build", "--benchmark", "demo", "--databases", databases, "--out", out, "--set", "seed=3")
    manifest = json.loads((out / "manifest.json").read_text())
    parts = {part: lines(out / f"{part}.jsonl") for part in ("train", "validation", "test")}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    everything = [record for result in parts.values() for record in result]
    ids = [record["id"] for record in everything]
    assert len(ids) == len(set(ids))
    for part, result in parts.items():
        assert manifest["parts"][part]["cases"] == len(result)
        assert {record["tags"]["split"] for record in result} == {part}
        assert part == "test" or all(record["answerable"] for record in result)
    answerable = [record for record in parts["test"] if record["answerable"]]
    assert len(parts["test"]) == 2 * len(answerable)
    kinds = Counter(r["unanswerable_type"] for r in parts["test"] if not r["answerable"])
    assert max(kinds.values()) - min(kinds.values()) <= 1
    known = {record["tags"]["template"] for record in parts["train"]}
    for record in everything:
        if record["answerable"]:
            assert record["difficulty"] in ("easy", "medium", "hard")
            assert (record["tags"]["seen"] == "seen") == (record["tags"]["template"] in known)
    templates = lines(out / "templates.jsonl")
    assert {record["meaning"] for record in templates} >= known
    for record in templates:
        if record["kept_for"] != "train":
            assert set(record["parts"]) <= {record["kept_for"]}
    assert manifest["recipe"]["seed"] == 3
    assert "## Lints" in (out / "report.md").read_text()
    linted = json.loads((out / "lints.json").read_text())
    assert [one["lint"] for one in linted] == list(LINTS.names())


def test_the_same_recipe_gives_the_same_bytes_anywhere(tmp_path, databases) -> None:
    digests = []
    for name in ("one", "elsewhere/deep/two"):
        folder = tmp_path / name / "databases"
        shutil.copytree(databases, folder)
        out = tmp_path / name / "out"
        ok(
            "build",
            "--benchmark",
            "demo",
            "--databases",
            folder,
            "--out",
            out,
            "--set",
            "lints=null_golds",
        )
        digests.append(json.loads((out / "manifest.json").read_text())["files"])
    assert digests[0] == digests[1]


@pytest.mark.slow
def test_the_order_of_the_cases_does_not_matter(demo) -> None:
    recipe = Recipe(SplitPlan(seed=5))
    one, other = (
        build_benchmark(Material(demo), recipe),
        build_benchmark(Material(demo[::-1]), recipe),
    )
    assert one.parts == other.parts
    assert one.parts != build_benchmark(Material(demo), Recipe(SplitPlan(seed=6))).parts


def test_every_answerable_case_is_somewhere_and_unchanged(demo) -> None:
    built = build_benchmark(Material(demo))
    before = {case.id: case for case in demo if case.answerable}
    after = {case.id: case for case in built.cases if case.answerable}
    assert set(after) == set(before)
    for case_id, case in after.items():
        assert case.golds == before[case_id].golds
        assert case.question == before[case_id].question
        assert case.tags["source_difficulty"] == before[case_id].difficulty
    unanswerable = {case.id for case in demo if not case.answerable}
    assert unanswerable <= {case.id for case in built.parts["test"]}


def test_dropping_leaves_cases_out_and_counts_them(demo) -> None:
    more = [case for case in demo if case.answerable]
    more += [
        Case(f"{case.id}-{n}", case.db_id, f"{case.question} ({n})", case.golds, case.database)
        for case in more
        for n in range(4)
    ]
    built = build_benchmark(Material(more), Recipe(SplitPlan(leftover="drop"), unanswerable=0))
    assert built.left_out > 0
    assert len(built.cases) == len(more) - built.left_out
    counts = [len(built.parts[part]) / len(more) for part in ("train", "validation", "test")]
    assert counts == pytest.approx([0.36, 0.16, 0.16], abs=0.02), "as TrustSQL's ATIS, Advising"


@pytest.mark.slow
def test_a_share_of_unanswerable_questions(demo) -> None:
    answerable = [case for case in demo if case.answerable]
    for share, expected in ((0.0, 0), (0.2, 3), (2.0, 30)):
        built = build_benchmark(Material(answerable), Recipe(unanswerable=share))
        others = [case for case in built.cases if not case.answerable]
        assert len(others) == expected
        assert all(case.tags["split"] == "test" for case in others)


@pytest.mark.slow
def test_across_databases_everything_is_unseen(demo) -> None:
    train = [case for case in demo if case.db_id == "observatory"]
    rest = [case for case in demo if case.db_id != "observatory"]
    built = build_benchmark(Material(rest, train), Recipe(cross_database=True))
    assert [case.id for case in built.parts["train"]] == [case.id for case in train]
    databases = {
        part: {case.db_id for case in built.parts[part]} for part in ("validation", "test")
    }
    assert len(databases["validation"]) == len(databases["test"]) == 1
    assert databases["validation"] != databases["test"]
    answerable = [case for part in databases for case in built.parts[part] if case.answerable]
    assert {case.tags["seen"] for case in answerable} == {"unseen"}
    assert any("5 unanswerable questions" in note for note in built.notes)
    with refuses_data(BenchmarkError, "conflict", "food_market", "--train-split none"):
        build_benchmark(Material(rest[1:], rest[:1]), Recipe(cross_database=True))


def test_a_case_with_two_golds_ties_their_templates(demo) -> None:
    first, second = demo[0].golds[0], demo[4].golds[0]
    cases = [
        Case("both", "observatory", "Which?", (first, second), demo[0].database),
        *(Case(f"a{n}", "observatory", f"A{n}?", (first,), demo[0].database) for n in range(5)),
        *(Case(f"b{n}", "observatory", f"B{n}?", (second,), demo[0].database) for n in range(5)),
    ]
    for seed in range(4):
        built = build_benchmark(
            Material(cases), Recipe(SplitPlan(seed=seed, unseen=0.4), unanswerable=0)
        )
        assert len(built.template_parts) == 2
        assert len(set(built.template_parts.values())) == 1
        assert {case.tags["seen"] for case in built.cases} == {"seen"}


def test_unusable_material_is_refused(demo) -> None:
    with refuses_data(BenchmarkError, "missing_field", "1 answerable case", "no question"):
        build_benchmark(Material([Case("1", "d", "", ("SELECT 1",))]))
    with refuses_data(BenchmarkError, "repeated", "'observatory-01'"):
        build_benchmark(Material([*demo, demo[0]]))


def test_records_are_read_back_as_they_were() -> None:
    case = Case(
        "1",
        "d",
        "Q?",
        ("SELECT 1", "SELECT 2"),
        None,
        difficulty="easy",
        knowledge="k",
        contract=Contract(order="ignore", float_rel=0.1),
        tags={"split": "test"},
    )
    assert case_from(json.loads(json.dumps(case_record(case))), "here", None, Path()) == case
    other = Case("2", "d", "Q?", answerable=False, tags={"unanswerable_type": "non-sql"})
    assert case_from(case_record(other), "here", None, Path()) == other


def test_a_path_that_leads_nowhere_on_purpose_is_kept(tmp_path, databases, demo) -> None:
    """EHRSQL's reader marks cases that cannot be scored that way."""
    file = demo[0].database
    source = tmp_path / "cases.jsonl"
    with source.open("w") as stream:
        for n in range(6):
            where = file if n else f"{file} without rows of x"
            record = {"id": n, "db_id": "observatory", "question": f"Q{n} of observers?"}
            record |= {"gold": f"SELECT observer_id + {n} FROM observer", "database": where}
            stream.write(json.dumps(record) + "\n")
    out = tmp_path / "out"
    ok("build", "--cases", source, "--out", out, "--unanswerable", 0, "--set", "lints=null_golds")
    records = [r for part in ("train", "validation", "test") if (out / f"{part}.jsonl").exists()
               for r in lines(out / f"{part}.jsonl")]  # fmt: skip
    odd = [record["database"] for record in records if "database" in record]
    assert odd == ["databases/observatory/observatory.sqlite without rows of x"]


def test_the_next_command_can_be_copied_into_a_shell(tmp_path, demo) -> None:
    source, out = tmp_path / "cases.jsonl", tmp_path / "my out"
    with source.open("w") as stream:
        for n in range(6):
            record = {"id": n, "db_id": "observatory", "question": f"Q{n} of observers?"}
            record |= {"gold": f"SELECT {n} FROM observer", "database": demo[0].database}
            stream.write(json.dumps(record) + "\n")
    words = ("--unanswerable", 0, "--set", "lints=null_golds")
    printed = ok("build", "--cases", source, "--out", out, *words)
    command = shlex.split(printed.rpartition("next: ")[2])
    assert command[:4] == ["sqlverdict", "evaluate", "--cases", str(out / "test.jsonl")]


def test_linting_builds_nothing_and_strict_fails(tmp_path, databases) -> None:
    outcome = run("build", "--benchmark", "demo", "--databases", databases, "--lint-only", "--json")
    content = json.loads(outcome.output)
    assert outcome.exit_code == 0
    assert content["manifest"] is None
    assert {linted["lint"] for linted in content["lints"]} >= {"null_golds", "leakage_case"}
    cases = tmp_path / "twice.jsonl"
    record = {"db_id": "d", "question": "Twice?"}
    with cases.open("w") as stream:
        stream.write(json.dumps(record | {"id": 1, "gold": "SELECT 1"}) + "\n")
        stream.write(json.dumps(record | {"id": 2, "gold": None}) + "\n")
    assert run("build", "--cases", cases, "--lint-only").exit_code == 0
    strict = run("build", "--cases", cases, "--lint-only", "--strict")
    assert strict.exit_code == 1
    assert "answerable and unanswerable" in strict.output
    assert list(tmp_path.iterdir()) == [cases]
    (tmp_path / "report.md").write_text("mine")
    run("build", "--cases", cases, "--lint-only", "--out", tmp_path)
    assert (tmp_path / "report.md").read_text() == "mine"
    assert "duplicate" in (tmp_path / "lints.md").read_text()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--benchmark", "demo"], "--out DIR"),
        (["--benchmark", "demo", "--out", "o", "--set", "parts=6:2"], "6:2:2"),
        (["--benchmark", "demo", "--out", "o", "--types", "nonsql"], "non_sql"),
        (["--benchmark", "demo", "--out", "o", "--lints", "x"], "give --set lints=VALUE"),
        (["--out", "o"], "--benchmark"),
        (["--benchmark", "demo", "--out", "o", "--max-cost", "1"], "--model"),
        (["--benchmark", "demo", "--out", "o", "--cross-database"], "--set train-split=none"),
        (["--benchmark", "demo", "--out", "o", "--pool", "nowhere.txt"], "no such file"),
    ],
)
def test_wrong_calls_say_what_to_do(args, message, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("build", *args)
    assert outcome.exit_code == 2
    assert message in outcome.output


def test_a_folder_is_not_overwritten_unasked(tmp_path, databases) -> None:
    out = tmp_path / "out"
    call = ("build", "--benchmark", "demo", "--databases", databases, "--out", out)
    quick = ("--set", "lints=relative_time", "--set", "no-proofs=true")
    ok(*call, *quick)
    assert "--overwrite" in run(*call, *quick).output
    ok(*call, *quick, "--overwrite")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    outcome = run("build", "--benchmark", "demo", "--out", tmp_path / "mine", "--overwrite")
    assert outcome.exit_code == 2
    assert "not a benchmark of ours" in outcome.output


@pytest.mark.parametrize(
    ("name", "text", "questions"),
    [
        ("a.txt", "Who wrote it?\n\nwho wrote it\nWhy?\n", ["Who wrote it?", "Why?"]),
        ("a.jsonl", '{"question": "Who?"}\n{"question": "Why?"}\n', ["Who?", "Why?"]),
        ("a.json", '[{"question": "Who?", "answerable": true}]', ["Who?"]),
        (
            "t.jsonl",
            '{"question": "how are you", "type": "small talk"}\n'
            '{"question": "I am fine.", "type": "small talk"}\n'
            '{"question": "what?", "type": "ambiguous"}',
            ["how are you", "I am fine."],
        ),
    ],
)
def test_pools_of_many_kinds(name, text, questions, tmp_path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert [question.text for question in read_pool(path).questions] == questions


def test_pools_by_type_and_by_benchmark(tmp_path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"question": "what?", "type": "ambiguous"}')
    assert len(read_pool(path, types=["ambiguous"]).questions) == 1
    with refuses_data(BenchmarkError, "empty", "t.jsonl", "no question"):
        read_pool(path)
    assert len(read_pool(DATA, benchmark="demo").questions) == 90


@pytest.mark.slow
def test_a_model_words_the_questions(tmp_path, databases) -> None:
    """The whole way over HTTP; the manifest says who did it, and a second build asks nobody."""

    def answer(call: FakeCall) -> FakeAnswer:
        text = call.json()["messages"][-1]["content"]
        requests = [
            line for line in text.splitlines() if line.startswith(("Question: ", "Request: "))
        ]
        return FakeAnswer(completion("Kindly tell: " + requests[-1].partition(": ")[2]))

    with FakeLlm(answer) as server:
        out = tmp_path / "out"
        call = (
            "build", "--benchmark", "demo", "--databases", databases, "--out", out, "--model", "fake",
            "--base-url", server.base_url, "--set", f"reply-cache={tmp_path / 'replies.sqlite'}",
            "--unanswerable", 2, "--set", "lints=relative_time", "--set", "no-proofs=true", "--overwrite",
        )  # fmt: skip
        ok(*call)
        requests = len(server.calls)
        first = json.loads((out / "manifest.json").read_text())
        ok(*call)
        assert len(server.calls) == requests > 0
    records = [r for r in lines(out / "test.jsonl") if r["tags"].get("written") == "model"]
    assert records
    assert all(record["question"].startswith("Kindly tell: ") for record in records)
    assert first["wording"]["model"] == "fake"
    assert first["wording"]["used"] == len(records)
    assert "unanswerable_column@1" in first["wording"]["prompts"]
    assert first["files"] == json.loads((out / "manifest.json").read_text())["files"]
