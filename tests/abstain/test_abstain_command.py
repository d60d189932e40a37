from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from abstain_parts import QUESTIONS, STRANGE, make_database
from click.testing import CliRunner, Result

from tiny_llm import make_tiny_gguf, serve_gguf

Invoke = Callable[..., Result]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    from sqlverdict.cli.main import sqlverdict

    monkeypatch.chdir(tmp_path)

    def run(*args: object) -> Result:
        result = CliRunner().invoke(sqlverdict, [str(arg) for arg in args])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A file of cases beside their database: six answerable, four not."""
    (tmp_path / "databases" / "shop").mkdir(parents=True)
    make_database(tmp_path / "databases" / "shop" / "shop.sqlite")
    lines: list[dict[str, Any]] = [
        {"id": f"q{n}", "db_id": "shop", "question": q, "gold": sql}
        for n, (q, sql) in enumerate(QUESTIONS)
    ]
    lines += [
        {"id": f"s{n}", "db_id": "shop", "question": q, "gold": None} for n, q in enumerate(STRANGE)
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def predictions(path: Path, **more: Any) -> Path:
    """Right answers to answerable questions, a wrong one to each other, with confidences."""
    lines = [
        {"id": f"q{n}", "sql": sql, "confidence": 0.9 - n / 100}
        for n, (_, sql) in enumerate(QUESTIONS)
    ]
    lines += [{"id": f"s{n}", "sql": "SELECT 1", "confidence": 0.2} for n in range(len(STRANGE))]
    path.write_text("".join(json.dumps(line | more) + "\n" for line in lines))
    return path


def read(path: Path) -> dict[str, dict[str, Any]]:
    return {line["id"]: line for line in map(json.loads, path.read_text().splitlines())}


def test_the_methods_are_listed_and_explained(invoke: Invoke) -> None:
    every = json.loads(invoke("explain", "methods", "--json").output)
    assert {"t5", "voting", "rf", "abstain_all"} <= {row["name"] for row in every}
    assert all(row["what"] for row in every)
    one = invoke("explain", "method", "voting").output
    assert "equality=string" in one
    assert "Several sampled answers vote" in one
    assert "clsprompt" in invoke("explain", "methods").output


def test_a_run_is_scored_by_reliability(invoke: Invoke, shop: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    result = invoke("abstain", "run", "abstain_all", "--cases", shop, "--out", out)
    assert result.exit_code == 0, result.output
    assert "0 answered, 10 abstained (10 by abstain_all)" in result.output
    run = tmp_path / "run"
    invoke("evaluate", "--cases", shop, "--predictions", out, "--out", run, "--workers", 0)
    scored = json.loads(invoke("reliability", run, "--penalty", "0,10,N", "--json").output)
    # ABSTAIN-ALL scores the unanswerable share, whatever the penalty.
    assert "0.4" in json.dumps(scored)


def test_a_detector_is_applied_to_any_predictions(
    invoke: Invoke, shop: Path, tmp_path: Path
) -> None:
    mine, out = predictions(tmp_path / "mine.jsonl"), tmp_path / "q.jsonl"
    args = ("--cases", shop, "--predictions", mine, "--out", out)
    result = invoke("abstain", "run", "confidence(threshold=0.5)", *args)
    assert result.exit_code == 0, result.output
    assert "6 answered, 4 abstained (4 by confidence)" in result.output
    assert read(out)["s0"]["abstain"]["draft"] == "SELECT 1"
    again = invoke("abstain", "run", "error_gate", *args)
    assert again.exit_code == 2
    assert "--overwrite" in again.stderr
    missing = invoke("abstain", "run", "voting", *args, "--overwrite")
    assert missing.exit_code == 2
    assert "carries 0 samples" in missing.stderr


def test_a_threshold_is_found_on_known_predictions(
    invoke: Invoke, shop: Path, tmp_path: Path
) -> None:
    mine, out = predictions(tmp_path / "mine.jsonl"), tmp_path / "q.jsonl"
    result = invoke(
        "abstain", "run", "confidence", "--cases", shop, "--predictions", mine, "--out", out,
        "--known-predictions", mine, "--validation", f"jsonl={shop}", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    (calibration,) = report["calibrations"]
    assert calibration["threshold"] == pytest.approx(0.85)
    assert (calibration["items"], calibration["wrong"]) == (6, 0)
    assert (report["answered"], report["abstained"]) == (6, {"confidence": 4})


@pytest.mark.slow
def test_what_is_fitted_is_used_again(invoke: Invoke, shop: Path, tmp_path: Path) -> None:
    mine, models = predictions(tmp_path / "mine.jsonl"), tmp_path / "kept"
    line = f"rf(trees=50) > recorded(path={mine})[confidence]"
    result = invoke("abstain", "fit", line, "--train", shop, "--validation", shop, "--out", models)
    assert result.exit_code == 0, result.output
    assert "confidence: threshold 0.85" in result.output
    about = json.loads((models / "composition.json").read_text())
    assert set(about["learned_from"]) == {"train cases.jsonl", "validation cases.jsonl"}
    out = tmp_path / "p.jsonl"
    result = invoke("abstain", "run", "--fitted", models, "--cases", shop, "--out", out)
    assert result.exit_code == 0, result.output
    assert "6 answered, 4 abstained (4 by rf)" in result.output
    manifest = json.loads((tmp_path / "p.manifest.json").read_text())
    assert manifest["learned_from"] == about["learned_from"]
    assert manifest["methods"]["confidence"]["options"]["threshold"] == pytest.approx(0.85)
    applied = invoke(
        "abstain", "run", "--fitted", models, "--cases", shop, "--predictions", mine,
        "--out", tmp_path / "q.jsonl",
    )  # fmt: skip
    assert "6 answered, 4 abstained" in applied.output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("run", "t5[maxent"), "expected ']'"),
        (("run", "t5 > rf"), "write it before the generator"),
        (("run",), "give either LINE"),
        (("run", "sqlprompt"), "name it with --model"),
        (("run", "rf > abstain_all"), "unanswerable questions (--train)"),
        (("run", "t5", "--predictions", "mine.jsonl"), "is not a detector"),
        (("run", "voting", "--known-predictions", "mine.jsonl"), "goes with --predictions"),
    ],
)
def test_wrong_calls_are_explained(
    invoke: Invoke, shop: Path, tmp_path: Path, args: tuple[str, ...], message: str
) -> None:
    predictions(tmp_path / "mine.jsonl")
    result = invoke("abstain", *args, "--cases", shop, "--out", tmp_path / "p.jsonl")
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.slow
def test_prompts_against_a_real_server(invoke: Invoke, shop: Path, tmp_path: Path) -> None:
    """A random model of half a megabyte: the whole way works, and nonsense is no abstention."""
    out = tmp_path / "p.jsonl"
    with serve_gguf(make_tiny_gguf(tmp_path / "tiny.gguf")) as server:
        arguments = ("--cases", shop, "--train", shop, "--model", server.model, "--limit", 2)
        arguments += ("--base-url", server.base_url, "--set", "max-tokens=12", "--out", out)
        arguments += ("--set", f"reply-cache={tmp_path / 'replies.sqlite'}")
        for line in (
            "clsprompt(threshold=0) > sqlprompt(shots=2) > selfref",
            "sqlprompt(shots=2)[demo]",
            "sqlprompt(shots=2)[verbal]",
            "sqlprompt(shots=2)[voting(n=2)]",
            "sqlprompt(shots=2)[maxprob(threshold=0.99)]",
            "din_sql(shots=1)",
        ):
            result = invoke("abstain", "run", line, *arguments, "--overwrite", "--json")
            assert result.exit_code == 0, result.output
            report = json.loads(result.stdout)
            assert (report["cases"], report["open"]) == (2, 0), line
            lines = read(out)
            assert set(lines) == {"q0", "q1"}
            assert all(one["raw"] for one in lines.values()), line
    manifest = json.loads((tmp_path / "p.manifest.json").read_text())
    assert manifest["composition"] == "din_sql(shots=1)"
    # The server is gone; what it said is kept, so the same call needs no server.
    outage = invoke("abstain", "run", "din_sql(shots=1)", *arguments, "--overwrite", "--json")
    assert json.loads(outage.stdout)["open"] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_a_case_that_cannot_be_answered_is_left_out_and_said(
    invoke: Invoke, shop: Path, tmp_path: Path
) -> None:
    lines = shop.read_text().splitlines()
    lost = json.loads(lines[0]) | {"question": ""}
    shop.write_text("\n".join([json.dumps(lost), *lines[1:]]) + "\n")
    args = ("--cases", shop, "--train", shop, "--out", tmp_path / "p.jsonl", "--set", "only=q0,q1")
    line = "t5(width=16, layers=1, heads=1, vocabulary=300, epochs=1, target=4)"
    result = invoke("abstain", "run", line, *args, "--set", "device=cpu")
    assert result.exit_code == 4
    assert "no answer, and no line in the file, for 1 case" in result.stderr
    assert set(read(tmp_path / "p.jsonl")) == {"q1"}


def test_predictions_cut_anywhere_are_completed_by_the_same_command(
    invoke: Invoke, shop: Path, tmp_path: Path
) -> None:
    # U+2028 and U+0085 end a line for Python, and not in JSONL.
    mine = predictions(tmp_path / "mine.jsonl", sql="SELECT '\u2028\u0085'")
    out = tmp_path / "q.jsonl"
    args = ("abstain", "run", "confidence(threshold=0.5)", "--cases", shop)
    args = (*args, "--predictions", mine, "--out", out)
    assert invoke(*args).exit_code == 0
    whole = out.read_bytes()
    first = whole.index(b"\n")
    for cut in (len(whole), len(whole) - 1, len(whole) - 9, first + 2, first + 1, first, first - 1):
        out.write_bytes(whole[:cut])
        result = invoke(*args)
        assert result.exit_code == 0, result.output
        assert out.read_bytes() == whole, cut
    out.write_bytes(whole[: first + 1] + b"7\n")
    assert invoke(*args).exit_code == 0
    assert out.read_bytes() == whole
