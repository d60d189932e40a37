"""Questions that cannot be answered: declared, never by accident; all adapters mean the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.rl import Rewarder
from sqlverdict.rl.nemo_gym import verify
from sqlverdict.rl.rewarder import Unscorable
from sqlverdict.rl.skyrl import compute_score_single
from sqlverdict.rl.slime import sample_reward
from sqlverdict.rl.trl import SqlReward
from sqlverdict.rl.verifiers import rubric_reward, trace_reward
from sqlverdict.rl.verl import compute_score, compute_score_batch

GOLD = "SELECT name FROM t WHERE n > 1"
REFUSAL = "I cannot answer this question with this database."
DECLARED = {"abstained_right": 0.5, "no_sql": -0.5, "wrong": -1.0}


@pytest.mark.parametrize(
    ("reply", "outcome", "score"),
    [
        (None, "abstained_right", 0.5),
        (REFUSAL, "abstained_right", 0.5),
        (f"<think>{GOLD}? {'hm ' * 2_000}</think>{REFUSAL}", "abstained_right", 0.5),
        (GOLD, "answered_unanswerable", -1.0),
        ("SELECT nope FROM t", "answered_unanswerable", -1.0),
        (f"Sorry, I cannot.\n```sql\n{GOLD}\n```", "answered_unanswerable", -1.0),
        ("It depends.", "no_sql", -0.5),
        ("", "no_sql", -0.5),
    ],
)
def test_an_abstention_is_right_and_sql_is_wrong(
    db: Path, reply: Any, outcome: str, score: float
) -> None:
    """A refusal in words was worth less than SQL out of thin air."""
    with Rewarder(db=db, values=DECLARED) as rewarder:
        for gold, more in ((None, {}), (None, {"answerable": False}), ("", {"answerable": False})):
            reward = rewarder.reward(gold, reply, **more)  # type: ignore[arg-type]
            assert (reward.outcome, reward.score) == (outcome, score)


def test_a_refusal_of_a_question_that_can_be_answered_is_none_the_less_wrong(db: Path) -> None:
    reward = Rewarder(db=db, values=DECLARED).reward(GOLD, REFUSAL)
    assert (reward.outcome, reward.score) == ("refusal", -0.5)


def test_declared_by_the_call_it_needs_no_value_of_its_own(db: Path) -> None:
    rewarder = Rewarder(db=db)
    assert rewarder(None, REFUSAL, answerable=False) == 1.0
    assert rewarder(None, GOLD, answerable=False) == 0.0
    assert rewarder(GOLD, GOLD, answerable=True) == 1.0
    # What a column of numbers has beside an empty cell.
    assert rewarder(None, REFUSAL, answerable=0.0) == rewarder(GOLD, GOLD, answerable=1.0) == 1.0


@pytest.mark.parametrize(
    ("gold", "values", "answerable"),
    [
        (None, {}, None),
        (float("nan"), DECLARED, None),
        ("", DECLARED, None),
        ([], DECLARED, None),
        (None, DECLARED, True),
    ],
)
def test_a_gold_that_is_missing_stays_unscored_and_the_message_says_how_to_declare(
    db: Path, gold: Any, values: Mapping[str, float], answerable: bool | None
) -> None:
    with Rewarder(db=db, values=values) as rewarder:
        reward = rewarder.reward(gold, REFUSAL, answerable=answerable)
    assert (reward.outcome, reward.score) == ("unscored", None)
    assert "answerable=False" in reward.message
    assert "abstained_right" in reward.message


def test_a_gold_of_a_question_without_an_answer_is_a_contradiction(db: Path) -> None:
    reward = Rewarder(db=db).reward(GOLD, REFUSAL, answerable=False)
    assert reward.outcome == "unscored"
    assert "no answer" in reward.message


def test_what_is_neither_true_nor_false_is_refused(db: Path) -> None:
    numpy = pytest.importorskip("numpy")
    rewarder = Rewarder(db=db)
    assert rewarder(None, REFUSAL, answerable=numpy.bool_(False)) == 1.0
    with pytest.raises(UsageError, match="answerable is 'perhaps'"):
        rewarder(None, REFUSAL, answerable="perhaps")


def test_text_without_sql_abstains_where_the_policy_says_so(db: Path) -> None:
    with Rewarder(db=db, values=DECLARED, no_sql="abstain", tag="answer") as rewarder:
        for reply in ("<answer></answer>", "<answer>none</answer>", "<answer>```sql\n```</answer>"):
            assert rewarder.reward(None, reply).outcome == "abstained_right"
            assert rewarder.reward(GOLD, reply).outcome == "abstained_wrong"
        for reply in ("", "<answer>", "none"):
            assert rewarder.reward(None, reply).outcome == "no_sql"
    with Rewarder(db=db, values=DECLARED, tag="answer") as rewarder:
        assert rewarder.reward(None, "<answer></answer>").outcome == "no_sql"
    with pytest.raises(UsageError, match="no_sql is 'maybe'"):
        Rewarder(db=db, no_sql="maybe")


def by_verl(db: Path, row: dict[str, Any], reply: str) -> float:
    options: Any = {"values": DECLARED}
    one = compute_score("x", reply, row, {"db": db}, **options)
    (other,) = compute_score_batch(["x"], [reply], [row], [{"db": db}], **options)
    assert one["score"] == other["score"]
    return float(one["score"] or 0.0)


def by_trl(db: Path, row: dict[str, Any], reply: str) -> float | None:
    columns = {name: [value] for name, value in {"gold": "", "db": db, **row}.items()}
    return SqlReward(Rewarder(values=DECLARED, unscored="raise"))(["?"], [reply], **columns)[0]


def by_trace(db: Path, row: dict[str, Any], reply: str) -> float:
    method = trace_reward(Rewarder(db=db, values=DECLARED, unscored="raise"))
    task = SimpleNamespace(data=SimpleNamespace(**row))
    return asyncio.run(method(task, SimpleNamespace(last_reply=reply)))  # type: ignore[arg-type]


def by_rubric(db: Path, row: dict[str, Any], reply: str) -> float:
    function = rubric_reward(Rewarder(db=db, values=DECLARED, unscored="raise"))
    return asyncio.run(function(completion=reply, answer="", info=row))  # type: ignore[arg-type]


def by_skyrl(db: Path, row: dict[str, Any], reply: str) -> float:
    gold, answerable = row.get("gold", ""), row.get("answerable")
    completion = f"<solution>{reply}</solution>"
    options: Any = {"answerable": answerable, "values": DECLARED}
    return compute_score_single(completion, gold, db, **options)


def by_slime(db: Path, row: dict[str, Any], reply: str) -> float:
    function = sample_reward(Rewarder(db=db, values=DECLARED, unscored="raise"))
    gold = row.get("gold", "")
    metadata = {name: value for name, value in row.items() if name != "gold"}
    sample = SimpleNamespace(response=reply, label=gold, metadata=metadata)
    return float(asyncio.run(function(None, sample)))  # type: ignore[arg-type]


def by_nemo_gym(db: Path, row: dict[str, Any], reply: str) -> float:
    rewarder = Rewarder(db=db, values=DECLARED, unscored="raise")
    request = {"gt_sql" if name == "gold" else name: value for name, value in row.items()}
    return float(verify(rewarder, {**request, "response": reply})["reward"])


@pytest.mark.parametrize(
    "ask", [by_verl, by_trl, by_trace, by_rubric, by_skyrl, by_slime, by_nemo_gym]
)
def test_every_trainer_gets_the_same(db: Path, ask: Callable[..., float | None]) -> None:
    for row in ({"gold": None}, {"gold": None, "answerable": False}, {"answerable": False}):
        assert ask(db, row, REFUSAL) == 0.5
        assert ask(db, row, GOLD) == -1.0
    assert ask(db, {"gold": GOLD, "answerable": None}, GOLD) == 1.0
    # A row without a field for its gold has lost it, and says nothing of an answer.
    with pytest.raises(Unscorable, match="answerable=False"):
        ask(db, {}, REFUSAL)
