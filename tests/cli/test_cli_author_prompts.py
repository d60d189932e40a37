"""``--set prompts=DIR`` with a clone of a paper's repository: the authors' words are asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from author_files import flex_clone
from sqlverdict.judge.asking import PROMPTS
from sqlverdict.testing.fake_llm import FakeAnswer, FakeLlm, completion

Invoke = Callable[..., Any]


def test_a_run_asks_in_their_words_and_its_manifest_has_their_digest(
    invoke: Invoke, tmp_path: Path
) -> None:
    clone = flex_clone(tmp_path / "clone")
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(
        '{"set": "NEQ", "i": 1, "db_id": "sea", "question": "Which?", "evidence": "", '
        '"gold_sql": "SELECT 1", "pred_sql": "SELECT 2", "gold_exec_text": "| 1 |", '
        '"pred_exec_text": "| 2 |", "ex": 0, "human": 1, "schema_text": "CREATE TABLE t (a)"}\n',
        "utf-8",
    )
    with FakeLlm(lambda call: FakeAnswer(completion('Fine.\n{"correct": true}'))) as server:
        command = (
            "evaluate", "--benchmark", "flex", "--root", pairs, "--judge", "flex", "--metrics",
            "ex,flex", "--model", "fake", "--base-url", server.base_url, "--workers", 0,
            "--out", tmp_path / "run", "--set", f"prompts={clone}",
        )  # fmt: skip
        assert invoke(*command).exit_code == 0
        (call,) = server.calls
        assert call.json()["messages"][0]["content"].startswith("Unlike on today's rows.")
        manifest = (tmp_path / "run" / "manifest.json").read_text("utf-8")
        assert f"prompts {PROMPTS.digest(clone)}" in manifest
        base = clone / "utils/judge/base.py"
        base.write_text(base.read_text("utf-8").replace("unfair", "unjust"), "utf-8")
        again = invoke(*command)
        assert again.exit_code != 0
        assert "prompts" in again.output
