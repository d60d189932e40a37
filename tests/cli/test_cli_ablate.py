"""Ablations of a judge's context, against a scripted server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.report.agreement.ablation import CONTEXTS, FULL, PUBLISHED, choose_contexts
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion

Invoke = Callable[..., Any]

QUESTION = "Which sturgeons are ripe?"
KNOWLEDGE = "ripe refers to roe = 1"
DISTINCT = 7 * 4 - 2 - 2 - 2
"""Prompts: matches look the same with and without results for mismatches, mismatches with and
without results for matches, and without the gold two of each half are one."""


@pytest.fixture
def agreement(tmp_path: Path) -> Path:
    """Four pairs: two matches and two mismatches, one of each right; and one without a label."""
    path = tmp_path / "agreement.jsonl"
    records = []
    for number, (which, human) in enumerate(
        [("EQ", 1), ("EQ", 0), ("NEQ", 1), ("NEQ", 0), ("NEQ", None)]
    ):
        records.append(
            {
                "set": which,
                "i": number,
                "db_id": "sea",
                "question": QUESTION,
                "evidence": KNOWLEDGE,
                "gold_sql": f"SELECT name FROM fish WHERE roe = 1 AND id <> {number}",
                "pred_sql": "SELECT name FROM fish WHERE roe = 1",
                "gold_exec_text": "| beluga |\nshape=(1, 1)",
                "pred_exec_text": "| beluga |\nshape=(1, 1)"
                if which == "EQ"
                else "| osetra |\nshape=(1, 1)",
                "ex": int(which == "EQ"),
                "human": human,
                "schema_text": "CREATE TABLE fish (id INTEGER, name TEXT, roe INTEGER)",
            }
        )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def verdict(call: FakeCall) -> FakeAnswer:
    """Right as people are where the prompt shows all; always right without the gold."""
    prompt = " ".join(message["content"] for message in call.json()["messages"])
    right = "id <> 0" in prompt or "id <> 2" in prompt or "id <>" not in prompt
    text = f'Looked at both queries.\n```json\n{{"correct": {json.dumps(right)}}}\n```'
    return FakeAnswer(completion(text))


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm(verdict) as running:
        yield running


@pytest.fixture
def base(agreement: Path, server: FakeLlm, tmp_path: Path, invoke: Invoke) -> Path:
    """A run with the judge flex, whose replies are forgotten."""
    replies = tmp_path / "replies.sqlite"
    command = (
        "evaluate", "--benchmark", "flex", "--root", agreement, "--judge", "flex", "--metrics",
        "ex,flex", "--model", "fake-1", "--base-url", server.base_url, "--workers", 0, "--quiet",
        "--out", tmp_path / "base", "--set", f"reply-cache={replies}",
    )  # fmt: skip
    assert invoke(*command).exit_code == 0
    replies.unlink()
    server.calls.clear()
    return tmp_path / "base"


@pytest.fixture
def call(base: Path, agreement: Path, server: FakeLlm, tmp_path: Path) -> list[object]:
    return [
        "agree", base, "--labels", agreement, "--out", tmp_path / "ablation", "--model", "fake-1",
        "--base-url", server.base_url, "--set", f"reply-cache={tmp_path / 'replies.sqlite'}",
    ]  # fmt: skip


@pytest.mark.slow
def test_every_context_is_a_run_and_is_asked_once(
    call: list[object], server: FakeLlm, invoke: Invoke, tmp_path: Path
) -> None:
    result = invoke(*call, "--context", "all", "--json")
    assert result.exit_code == 0, result.output
    ablated = {one["context"]: one for one in json.loads(result.output)}
    assert list(ablated) == list(CONTEXTS)
    assert len(server.calls) == DISTINCT
    full, blind = ablated[FULL]["agreement"], ablated["no_gold"]["agreement"]
    assert (full["kappa"], full["accuracy"], full["n"], full["calls"]) == (1.0, 1.0, 4, 4)
    assert (blind["kappa"], blind["fp"], blind["eq_accuracy"], blind["neq_accuracy"]) == (
        0.0,
        2,
        0.5,
        0.5,
    )
    assert ablated[FULL]["against_full"] is None
    assert ablated["no_gold"]["against_full"]["kappa_difference"] == -1.0
    assert ablated["no_gold"]["tokens"] == [40, 20]
    assert {folder.name for folder in (tmp_path / "ablation").iterdir()} == set(CONTEXTS)
    again = invoke(*call, "--context", "all", "--published")
    assert len(server.calls) == DISTINCT, "nothing is asked twice"
    assert "87.04" in again.output
    assert "fake-1 in 7 contexts on 4 cases" in again.output


def _without(texts: list[str], others: list[str]) -> list[str]:
    return [text for text in texts if text not in others]


@pytest.mark.slow
def test_contexts_change_what_is_shown(
    call: list[object], server: FakeLlm, invoke: Invoke, tmp_path: Path
) -> None:
    prompts: dict[str, list[str]] = {}
    for context in CONTEXTS:
        before = len(server.calls)
        (tmp_path / "replies.sqlite").unlink(missing_ok=True)
        invoke(*call, "--context", context, "--out", tmp_path / context)
        texts = [
            " ".join(message["content"] for message in one.json()["messages"])
            for one in server.calls[before:]
        ]
        # The full context is always tried first, to compare with.
        prompts[context] = texts if context == FULL else _without(texts, prompts[FULL])
    full = prompts[FULL]
    assert len(full) == 4
    assert all(prompts.values())
    assert all(QUESTION in text and KNOWLEDGE in text for text in full)
    assert sum("beluga" in text for text in full) == 2  # the mismatches only
    assert not any("beluga" in text for text in prompts["no_results"])
    assert sum("beluga" in text for text in prompts["results_in_both"]) == 2  # the matches
    assert not any(QUESTION in text for text in prompts["no_question"])
    assert not any(KNOWLEDGE in text for text in prompts["no_knowledge"])
    assert max(map(len, prompts["no_criteria"])) < max(map(len, full))
    assert not any("id <>" in text for text in prompts["no_gold"])


@pytest.mark.slow
def test_a_dry_run_asks_nobody(
    call: list[object], server: FakeLlm, invoke: Invoke, tmp_path: Path
) -> None:
    result = invoke(*call, "--context", "all", "--dry-run", "--json")
    assert json.loads(result.output)["estimate"]["calls"] == DISTINCT
    assert server.calls == []
    assert not (tmp_path / "ablation").exists()
    output = invoke(*call, "--context", "all", "--dry-run")
    assert f"calls: {DISTINCT} (0 more replies cached)" in output.output
    assert f"at most {2 * DISTINCT} more calls" in output.output


def test_what_is_wrong_with_the_call_is_said(
    call: list[object], invoke: Invoke, agreement: Path, base: Path, server: FakeLlm
) -> None:
    def refusal(*args: object) -> str:
        result = invoke(*args)
        assert result.exit_code == 2
        return str(result.stderr)

    assert "no context 'no_schema'" in refusal(*call, "--context", "no_schema")
    named_otherwise = (*call, "--context", "all", "--id-field", "gold_sql")
    assert "has a decided label" in refusal(*named_otherwise)
    assert "--model goes with --context NAME" in refusal(*call)
    assert "--out goes with --calibrate or --context" in refusal(*call[:6])
    assert "name it with --model" in refusal(*call[:6], "--context", "all")
    assert "--by cannot be combined" in refusal(*call, "--context", "all", "--by", "set")
    assert "takes one run" in refusal(*call[:2], *call[1:], "--context", "all")
    again = ("evaluate", "--benchmark", "flex", "--root", agreement, "--workers", 0, "--out")
    for options, message in (
        (
            ("--judge", "rubric", "--model", "fake-1", "--base-url", server.base_url),
            "know one context only",
        ),
    ):
        other = base.with_name(f"other{len(options)}")
        invoke(*again, other, *options)
        line = ("agree", other, "--labels", agreement, *call[6:], "--context", "all")
        assert message in refusal(*line)


def test_the_full_context_comes_first_and_all_are_published() -> None:
    assert choose_contexts(()) == tuple(CONTEXTS)
    assert choose_contexts(["no_gold", "no_gold"]) == (FULL, "no_gold")
    assert set(PUBLISHED) == set(CONTEXTS)
    with pytest.raises(UsageError, match="'no_gold'"):
        choose_contexts(["no_golds"])
