"""``evaluate --batch``: the same command submits, and later collects and goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from judge_batches import BatchApi

from sqlverdict.cli.main import sqlverdict
from sqlverdict.testing.fake_llm import FakeLlm, completion

RIGHT = 'It does.\n```json\n{"correct": true}\n```'


def right(line: dict[str, Any]) -> dict[str, Any]:
    response = {"status_code": 200, "body": completion(RIGHT)}
    return {"custom_id": line["custom_id"], "response": response, "error": None}


def test_submit_wait_collect(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    table = {"gold_exec_text": "| 1 |\nshape=(1, 1)", "pred_exec_text": "| 7 |\nshape=(1, 1)"}
    queries = {"gold_sql": "SELECT 1", "pred_sql": "SELECT 7", "ex": 0, "db_id": "d"}
    lines = [{"set": "NEQ", "i": n, "question": f"{n}?", **queries, **table} for n in range(3)]
    pairs.write_text("\n".join(map(json.dumps, lines)) + "\n")
    api = BatchApi()
    api.outcome = right
    api.status = "in_progress"
    with FakeLlm(api) as server:
        command = ["evaluate", "--benchmark", "flex", "--root", pairs, "--metrics", "verdict"]
        command += ["--model", "m", "--base-url", server.base_url, "--batch", "--workers", 0]
        command += ["--set", f"reply-cache={tmp_path / 'r.sqlite'}", "--out", tmp_path / "run"]
        words = [str(word) for word in command]

        def run() -> Any:
            return CliRunner().invoke(sqlverdict, words)

        submitted = run()
        assert submitted.exit_code == 130, submitted.output
        assert "3 requests sent" in submitted.output
        assert "3 cases wait for replies in a batch" in submitted.output
        assert len(api.batches) == 1
        early = run()
        assert (early.exit_code, len(api.batches)) == (130, 1), "nothing is sent twice"
        api.status = "completed"
        first = run()
        assert (first.exit_code, len(api.batches)) == (130, 2), "a cascade takes two batches"
        assert "3 replies collected" in first.output
        done = run()
    assert done.exit_code == 0, done.output
    assert "3 replies collected" in done.output
    log = (tmp_path / "run" / "results.jsonl").read_text()
    scores = [json.loads(line)["scores"] for line in log.splitlines()]
    assert scores == [{"verdict": 1.0}] * 3
