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
def call(agreement: Path, server: FakeLlm, tmp_path: Path) -> list[object]:
    return [
        "ablate", "--benchmark", "flex", "--root", agreement, "--labels", agreement,
        "--model", "fake-1", "--base-url", server.base_url, "--workers", 0,
        "--out", tmp_path / "ablation", "--set", f"reply-cache={tmp_path / 'replies.sqlite'}",
    ]  # fmt: skip


@pytest.mark.slow
def test_every_context_is_a_run_and_is_asked_once(
    call: list[object], server: FakeLlm, invoke: Invoke, tmp_path: Path
) -> None:
    result = invoke(*call, "--json")
    assert result.exit_code == 0
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
    again = invoke(*call, "--published")
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
        cache, out = tmp_path / f"{context}.sqlite", tmp_path / context
        invoke(*call, "--context", context, "--set", f"reply-cache={cache}", "--out", out)
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


def test_a_dry_run_asks_nobody(
    call: list[object], server: FakeLlm, invoke: Invoke, tmp_path: Path
) -> None:
    result = invoke(*call, "--dry-run", "--json")
    assert json.loads(result.output)["estimate"]["calls"] == DISTINCT
    assert server.calls == []
    assert not (tmp_path / "ablation").exists()
    output = invoke(*call, "--dry-run")
    assert f"calls: {DISTINCT} (0 more replies cached)" in output.output
    assert f"at most {2 * DISTINCT} more calls" in output.output


def test_what_is_wrong_with_the_call_is_said(
    call: list[object], invoke: Invoke, agreement: Path
) -> None:
    wrong = invoke(*call, "--context", "no_schema")
    assert (wrong.exit_code, "no context 'no_schema'" in wrong.output) == (2, True)
    replay = invoke(*call, "--judge", "replay")
    assert (replay.exit_code, "know one context only" in replay.output) == (2, True)
    elsewhere = invoke(*call, "--id-field", "gold_sql")
    assert (elsewhere.exit_code, "has a decided label" in elsewhere.output) == (2, True)
    modelless = invoke("ablate", "--benchmark", "flex", "--root", agreement, "--labels", agreement)
    assert (modelless.exit_code, "no --model" in modelless.output) == (2, True)


def test_the_full_context_comes_first_and_all_are_published() -> None:
    assert choose_contexts(()) == tuple(CONTEXTS)
    assert choose_contexts(["no_gold", "no_gold"]) == (FULL, "no_gold")
    assert set(PUBLISHED) == set(CONTEXTS)
    with pytest.raises(UsageError, match="Did you mean 'no_gold'"):
        choose_contexts(["no_golds"])
