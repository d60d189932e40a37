"""``evaluate`` with proofs, policies and judges, as users call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from sqlverdict.records import Query
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion

Invoke = Callable[..., Result]

DDL = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);"
RIGHT = 'It does.\n```json\n{"correct": true}\n```'
WRONG = 'It does not.\n```json\n{"correct": false}\n```'
PEN = "| pen |\nshape=(1, 1)"
PAIRS: dict[str, dict[str, Any]] = {
    "EQ-0": {
        "gold_sql": "SELECT name FROM item WHERE price > 2",
        "pred_sql": "select name from item where price > 2;",
        "gold_exec_text": PEN,
        "pred_exec_text": PEN,
        "ex": 1,
        "gpt4o_text": RIGHT,
    },
    "EQ-1": {
        "gold_sql": "SELECT count(*) FROM item",
        "pred_sql": "SELECT count(name) FROM item",
        "gold_exec_text": "| 3 |\nshape=(1, 1)",
        "pred_exec_text": "| 3 |\nshape=(1, 1)",
        "ex": 1,
        "gpt4o_text": RIGHT,
    },
    "EQ-2": {
        "gold_sql": "SELECT name FROM item WHERE price > 2",
        "pred_sql": "SELECT name FROM item WHERE price >= 2",
        "gold_exec_text": PEN,
        "pred_exec_text": PEN,
        "ex": 1,
        "gpt4o_text": WRONG,
    },
    "NEQ-0": {
        "gold_sql": "SELECT name FROM item",
        "pred_sql": "SELECT id, name FROM item",
        "gold_exec_text": PEN,
        "pred_exec_text": "| 1 | pen |\nshape=(1, 2)",
        "ex": 0,
        "gpt4o_text": WRONG,
    },
    "NEQ-1": {
        "gold_sql": "SELECT name FROM item",
        "pred_sql": "SELECT name FROM item WHERE id = 4",
        "gold_exec_text": PEN,
        "pred_exec_text": "No execution result",
        "ex": 0,
        "gpt4o_text": WRONG,
    },
}


@pytest.fixture
def recorded(tmp_path: Path) -> list[object]:
    """An agreement file and its schema, as arguments."""
    lines = []
    for name, pair in PAIRS.items():
        half, number = name.split("-")
        start = {"set": half, "i": int(number), "db_id": "shop", "question": "Which?"}
        lines.append(json.dumps({**start, **pair}))
    root = tmp_path / "agreement.jsonl"
    root.write_text("\n".join(lines) + "\n")
    schema = tmp_path / "ddl.json"
    schema.write_text(json.dumps({"shop": [DDL]}))
    options = ["--workers", 0, "--policy", "strict"]
    return ["evaluate", "--benchmark", "flex", "--root", root, "--schema", schema, *options]


def judge_counts(folder: Path) -> dict[str, int]:
    counts: dict[str, int] = json.loads((folder / "summary.json").read_text())["judge"]
    return counts


def scores(folder: Path) -> dict[str, dict[str, float | None]]:
    lines = (folder / "results.jsonl").read_text().splitlines()
    return {line["id"]: line["scores"] for line in map(json.loads, lines)}


def test_recorded_results_and_replies_give_scores(
    invoke: Invoke, recorded: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    metrics = ("--metrics", "ex,flex,verdict", "--out", out)
    result = invoke(*recorded, "--judge", "replay", *metrics)
    assert result.exit_code == 0, result.output
    assert (judge_counts(out)["questions"], judge_counts(out)["calls"]) == (5, 5)
    assert scores(out) == {
        "EQ-0": {"ex": 1.0, "flex": 1.0, "verdict": 1.0},
        # The reply overlooks the NULL; the witness does not.
        "EQ-1": {"ex": 1.0, "flex": 1.0, "verdict": 0.0},
        "EQ-2": {"ex": 1.0, "flex": 0.0, "verdict": 0.0},
        # The reply overlooks that all is there.
        "NEQ-0": {"ex": 0.0, "flex": 0.0, "verdict": 1.0},
        "NEQ-1": {"ex": 0.0, "flex": 0.0, "verdict": 0.0},
    }
    requests = [
        line["id"]
        for line in map(json.loads, (out / "results.jsonl").read_text().splitlines())
        for evidence in line["evidence"]
        if evidence["type"] == "judged" and "verdict" in evidence.get("metrics", ["verdict"])
    ]
    assert requests == ["EQ-2", "NEQ-1"]
    (file,) = (out / "witnesses").glob("EQ-1-*.sql")
    view = invoke("show", out, "EQ-1")
    assert f"replay it: sqlverdict refute --replay {file}" in view.output
    assert invoke("refute", "--replay", file).exit_code in (0, 1)


def test_without_an_llm_everything_is_decided_and_open_questions_listed(
    invoke: Invoke, recorded: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    result = invoke(*recorded, "--no-llm", "--out", out)
    assert result.exit_code == 0, result.output
    assert judge_counts(out)["would_ask"] == 2
    assert [each["verdict"] for each in scores(out).values()] == [1, 0, 0, 1, 0]
    view = invoke("show", out, "EQ-2")
    assert "would ask a judge: the results match, but not on a witness" in view.output
    assert "### What would have been asked (2 of 2)" in (out / "report.md").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--no-llm", "--model", "m"], "cannot be combined"),
        (["--judge", "flex"], "needs --model"),
        (["--dry-run"], "--dry-run goes with --judge"),
        (["--max-cost", "1"], "--max-cost goes with --judge"),
        (["--judge", "replay", "--dry-run"], "leave out --dry-run"),
        (["--judge", "flx", "--model", "m"], "Did you mean 'flex'"),
        (["--model", "m", "--judge-set", "colour=red"], "--judge-set 'colour=red'"),
        (["--model", "m", "--judge-set", "samples=few"], "does not fit"),
        (["--model", "m", "--max-cost", "1"], "no price for the model 'm'"),
        (["--model", "m", "--max-cost", "1"], "--set prices=FILE"),
    ],
)
def test_options_that_do_not_go_together(
    invoke: Invoke, recorded: list[object], tmp_path: Path, options: list[str], message: str
) -> None:
    cache = ("--set", f"reply-cache={tmp_path / 'replies.sqlite'}")
    result = invoke(*recorded, *options, *cache, "--base-url", "http://127.0.0.1:9/v1")
    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_replay_needs_something_to_replay(invoke: Invoke, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"id": "a", "db_id": "d", "gold": "SELECT 1", "prediction": "SELECT 2"}\n')
    result = invoke("evaluate", "--cases", cases, "--judge", "replay")
    assert result.exit_code == 2
    assert "has no recorded replies" in result.output


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nofile.jsonl", "there is no such file. Did you mean 'no_file.jsonl'"),
        ("binary.jsonl", "Expected UTF-8 text, one JSON object per line with an id and a reply"),
    ],
)
def test_replies_that_cannot_be_read_are_said_in_words(
    invoke: Invoke, recorded: list[object], tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "no_file.jsonl").touch()
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    result = invoke(*recorded, "--judge", "replay", "--replies", tmp_path / name)
    assert result.exit_code == 2
    assert " ".join(message.split()) in " ".join(result.output.split())
    assert "Errno" not in result.output


def verdict(call: FakeCall) -> FakeAnswer:
    del call
    return FakeAnswer(completion(RIGHT))


def live(server: FakeLlm, tmp_path: Path, *more: object) -> list[object]:
    out, cache = tmp_path / "run", tmp_path / "replies.sqlite"
    where = ["--base-url", server.base_url, "--set", f"reply-cache={cache}", "--out", out]
    return ["--model", "m", *where, *more]


def test_a_live_server_is_asked_once(
    invoke: Invoke, recorded: list[object], tmp_path: Path
) -> None:
    with FakeLlm(verdict) as server:
        result = invoke(*recorded, *live(server, tmp_path))
        assert result.exit_code == 0, result.output
        # The judge of verdicts is a cascade: a second call where the first accepts.
        assert len(server.calls) == 4
        manifest = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))
        assert manifest["stages"]["judge"].startswith("cascade@2, model m")
        assert "judge: 2 questions, 4 replies; 40 tokens read and 20 written" in result.output
        assert invoke(*recorded, *live(server, tmp_path), "--overwrite").exit_code == 0
        assert len(server.calls) == 4, "the second time all replies are at hand"
        counts = judge_counts(tmp_path / "run")
        assert (counts["calls"], counts["cached"]) == (4, 4)


def test_a_panel_of_prompts_votes(invoke: Invoke, recorded: list[object], tmp_path: Path) -> None:
    with FakeLlm(verdict) as server:
        result = invoke(*recorded, *live(server, tmp_path), "--judge", "panel")
        assert result.exit_code == 0, result.output
        # Three judges, one of which makes two calls.
        assert len(server.calls) == 2 * 4
    counts = judge_counts(tmp_path / "run")
    assert (counts["panels"], counts["unanimous"]) == (2, 2)
    (line, *_) = [
        line
        for line in (tmp_path / "run" / "results.jsonl").read_text("utf-8").splitlines()
        if '"unanimous"' in line
    ]
    view = invoke("show", tmp_path / "run", json.loads(line)["id"])
    assert "votes: right, right, right; all agree" in view.output


def test_a_dry_run_asks_nobody_and_leaves_nothing(
    invoke: Invoke, recorded: list[object], tmp_path: Path
) -> None:
    with FakeLlm(verdict) as server:
        result = invoke(*recorded, *live(server, tmp_path), "--dry-run", "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.output)["estimate"]["calls"] == 4, "both steps of two cascades"
        assert not server.calls
        assert not (tmp_path / "run").exists()
        output = invoke(*recorded, *live(server, tmp_path), "--dry-run", "--metrics", "flex")
        assert "calls: 5 (0 more replies cached)" in output.output
        assert "no price for the model 'm'; give one with --set prices=FILE" in output.output
        assert "asked for again (at most 10 more calls)" in output.output
        assert json.loads(result.output)["possible_reasks"] == 8


def test_a_dry_run_keeps_the_files_of_a_contradiction(
    invoke: Invoke, recorded: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.prove.proof import Proof, Step

    def wishful(
        gold: Query, prediction: Query, *_: Any, profile: str = "sound", **__: Any
    ) -> Proof:
        steps = (Step("gold", "wishful_thinking", ()),)
        return Proof(gold.sql, prediction.sql, profile, steps, form=gold.sql)

    monkeypatch.setattr("sqlverdict.prove.prover.prove_queries", wishful)
    with FakeLlm(verdict) as server:
        result = invoke(*recorded, *live(server, tmp_path), "--dry-run", "--prove", "--refute", 200)
        assert not server.calls
    assert result.exit_code == 5, result.output
    assert "calls: 0" in result.output, "the estimate comes all the same"
    folder = tmp_path / "run" / "contradictions"
    assert f"saved in {folder}. Please report" in result.output
    # EQ-1 and EQ-2 are refuted by witnesses; every one of them was met.
    assert {file.stem[:4] for file in folder.glob("*.txt")} == {"EQ-1", "EQ-2"}
    assert not (tmp_path / "run" / "results.jsonl").exists()


def test_a_server_that_fails_leaves_cases_unscored(
    invoke: Invoke, recorded: list[object], tmp_path: Path
) -> None:
    with FakeLlm(lambda _: FakeAnswer({"error": {"message": "no"}}, status=401)) as server:
        result = invoke(*recorded, *live(server, tmp_path))
    assert result.exit_code == 4, result.output
    assert "2 questions got no reply; unscored, not counted as wrong" in result.output
    flat = " ".join(result.output.split())
    assert "1 question: no reply after 1 attempt" in flat or "2 questions: no reply after" in flat
    assert "401" in flat
    by_case = scores(tmp_path / "run")
    assert [by_case[name]["verdict"] for name in ("EQ-2", "NEQ-1")] == [None, None]
    assert "next: run the same command again when the judge answers" in flat


def test_a_key_that_is_not_set_is_said_before_calls(
    invoke: Invoke, recorded: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with FakeLlm(verdict) as server:
        options = [*recorded, *live(server, tmp_path), "--set", "key-variable=MY_KEY"]
        output = invoke(*options).stderr
        monkeypatch.setenv("MY_KEY", "secret")
        silent = invoke(*options, "--overwrite").stderr
    assert "note: MY_KEY is not set: calls to http://127.0.0.1:" in output
    assert "MY_KEY" not in silent


@pytest.mark.slow
@pytest.mark.parametrize("status", [401, 400])
def test_a_judge_that_comes_back_is_asked_by_the_same_command(
    status: int, invoke: Invoke, recorded: list[object], tmp_path: Path
) -> None:
    """The message said "run the same command again"; that printed the old failure."""
    dead = True

    def answer(call: FakeCall) -> FakeAnswer:
        return FakeAnswer({"error": {"message": "no"}}, status=status) if dead else verdict(call)

    def lines(folder: Path) -> list[dict[str, Any]]:
        result = map(json.loads, (folder / "results.jsonl").read_text().splitlines())
        return [{name: line[name] for name in line if name != "timings"} for line in result]

    with FakeLlm(answer) as server:
        common = (*recorded, *live(server, tmp_path))
        assert invoke(*common).exit_code == 4
        dead = False
        again = invoke(*common)
        assert again.exit_code == 0, again.output
        assert "2 cases are done again" in " ".join(again.output.split())
        requests = len(server.calls)
        assert invoke(*common).exit_code == 0
        assert len(server.calls) == requests, "a finished run asks nobody"
        fresh = tmp_path / "fresh"
        fresh.mkdir()
        assert invoke(*recorded, *live(server, fresh)).exit_code == 0
    assert lines(tmp_path / "run") == lines(fresh / "run")
    summaries = {(folder / "run" / "summary.json").read_bytes() for folder in (tmp_path, fresh)}
    assert len(summaries) == 1


def test_a_cost_limit_stops_and_a_higher_one_goes_on(
    invoke: Invoke, recorded: list[object], tmp_path: Path
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"models": {"m": {"input": 0, "output": 1}}}')
    tokens = (
        "--judge-set",
        "max_tokens=100",
        "--set",
        f"prices={prices}",
        "--set",
        "concurrency=1",
    )
    with FakeLlm(verdict) as server:
        requests = live(server, tmp_path, *tokens, "--metrics", "flex", "--judge", "flex")
        stopped = invoke(*recorded, *requests, "--max-cost", 0.00011)
        assert stopped.exit_code == 130, stopped.output
        assert "the cost limit is reached" in stopped.output
        before = len(server.calls)
        assert 0 < before < 5
        done = invoke(*recorded, *requests, "--max-cost", 1)
        assert done.exit_code == 0, done.output
        assert len(server.calls) == 5
    bodies = [call.body for call in server.calls]
    assert len(set(bodies)) == 5, "no reply is paid for twice"


@pytest.mark.parametrize("form", ["two words", "one word"])
def test_a_secret_of_the_base_url_is_sent_and_written_nowhere(
    invoke: Invoke, recorded: list[object], tmp_path: Path, form: str
) -> None:
    secret = "s3cret-c0de"
    with FakeLlm(verdict) as server:
        url = f"{server.base_url}?code={secret}"
        where = ["--base-url", url] if form == "two words" else [f"--base-url={url}"]
        cache = ["--set", f"reply-cache={tmp_path / 'replies.sqlite'}", "--out", tmp_path / "run"]
        result = invoke(*recorded, "--model", "m", *where, *cache)
        assert result.exit_code == 0, result.output
        assert {call.query["code"] for call in server.calls} == {secret}
        failure = invoke(*recorded, "--model", "m", "--base-url", url, *cache, "--metrics", "flex")
        assert failure.exit_code == 2
    assert secret not in result.output + failure.output
    assert "code=[redacted]" in (tmp_path / "run" / "report.md").read_text()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if secret.encode() in path.read_bytes()]


def test_the_manifest_names_the_server(
    invoke: Invoke, recorded: list[object], tmp_path: Path
) -> None:
    with FakeLlm(verdict) as server:
        assert invoke(*recorded, *live(server, tmp_path)).exit_code == 0
        manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
        assert server.base_url in manifest["stages"]["judge"]
    with FakeLlm(verdict) as other:
        result = invoke(*recorded, *live(other, tmp_path))
        assert result.exit_code == 2, "another server's opinions are another run"
        assert "holds another run" in result.output
