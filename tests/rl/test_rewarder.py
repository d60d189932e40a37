"""Rewarder: a declared table, typed outcomes, and never a silent zero."""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.errors import DatabaseError, UsageError
from sqlverdict.records import Prediction, Reason
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.rl import Rewarder, RewardOutcome, RewardValues
from sqlverdict.rl.rewarder import Unscorable

GOLD = "SELECT name FROM t WHERE n > 1"
EMPTY = "SELECT name FROM t WHERE n > 5"
SEARCHED = RewardValues(refuted_match=0.3)

OUTCOMES = [
    (GOLD, "SELECT name FROM t WHERE n > 1 ORDER BY 1", "right"),
    (GOLD, "SELECT n FROM t", "wrong"),
    (GOLD, "SELECT name FROM t", "row_superset"),
    (GOLD, "SELECT name FROM t WHERE n = 2 AND name <> 'a'", "wrong"),
    ("SELECT name, n FROM t", "SELECT name, n FROM t WHERE n > 1", "row_subset"),
    ("SELECT name, n FROM t", "SELECT 'b', 2 UNION SELECT 'c', 3", "wrong"),
    ("SELECT name, n FROM t", "SELECT name FROM t", "missing_columns"),
    ("SELECT name FROM t ORDER BY n", "SELECT name FROM t ORDER BY n DESC", "order_only"),
    ("SELECT n / 7.0 FROM t", "SELECT round(n / 7.0, 2) FROM t", "rounding"),
    (GOLD, "SELECT name, n FROM t WHERE n > 1", "extra_columns"),
    (GOLD, "SELECT nope FROM t", "failed"),
    (GOLD, "SELECT name FROM t; SELECT 1", "failed"),
    (GOLD, "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT * FROM r LIMIT 1 OFFSET 99999999", "timed_out"),
    (GOLD, "DROP TABLE t", "blocked"),
    (GOLD, "It depends.", "no_sql"),
    (GOLD, "", "no_sql"),
    (GOLD, "I cannot answer this question with this schema.", "refusal"),
    (GOLD, None, "abstained_wrong"),
    (EMPTY, "SELECT name FROM t LIMIT 0", "empty_match"),
    ("SELECT nope FROM t", GOLD, "unscored"),
    (None, GOLD, "unscored"),
    ("", GOLD, "unscored"),
    ([], GOLD, "unscored"),
    (5, GOLD, "unscored"),
    ([GOLD, "SELECT 1"], "SELECT 1", "right"),
]  # fmt: skip
LIMITS = {"steps": 100_000, "seconds": 600.0, "rows": 1_000}


def make(db: Path, **options: Any) -> Rewarder:
    from sqlverdict import Limits

    return Rewarder(db=db, limits=Limits(**LIMITS), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("gold", "reply", "outcome"), OUTCOMES)
def test_every_reply_has_an_outcome(db: Path, gold: Any, reply: Any, outcome: str) -> None:
    reward = make(db).reward(gold, reply)
    assert reward.outcome == outcome
    rights = ("right", "empty_match")
    expected = None if outcome == "unscored" else 1.0 if outcome in rights else 0.0
    assert reward.score == expected


def test_every_outcome_of_an_answerable_question_without_a_search_is_reached_above() -> None:
    reached = {outcome for _, _, outcome in OUTCOMES}
    searched = {"proved", "refuted_match", "constant_match"}
    unanswerable = {"abstained_right", "answered_unanswerable"}
    assert reached | searched | unanswerable == set(RewardOutcome)


def test_a_reward_names_the_sql_and_nothing_else(db: Path) -> None:
    with make(db) as rewarder:
        fenced = rewarder.reward(GOLD, f"Sure:\n```sql\n{GOLD}\n```")
        assert (fenced.sql, rewarder.reward(GOLD, "It depends.").sql) == (GOLD, None)
        assert rewarder.reward(GOLD, None).sql is None


@pytest.mark.parametrize(
    ("gold", "reply", "outcome", "reasons"),
    [
        (GOLD, "SELECT name FROM t WHERE n <> 1", "refuted_match", ()),
        ("SELECT count(*) FROM t", "SELECT 3", "constant_match", ()),
        (GOLD, "SELECT name, n FROM t WHERE n > 1", "extra_columns", ("RESULT_EXTRA_COLUMNS",)),
        ("SELECT DISTINCT n > 1 FROM t", "SELECT n > 1 FROM t", "wrong", ("DUPLICATES_MISMATCH",)),
        (GOLD, "SELECT n FROM t WHERE n > 1", "wrong", ("VALUE_MISMATCH",)),
        (GOLD, "SELECT nope FROM t", "failed", ("EXECUTION_ERROR",)),
    ],
)
def test_reasons_are_about_the_answer_and_not_about_a_witness(
    db: Path, gold: str, reply: str, outcome: str, reasons: tuple[str, ...]
) -> None:
    reward = make(db, values=SEARCHED).reward(gold, reply)
    assert (reward.outcome, reward.reasons) == (outcome, reasons)


def test_a_missing_database_is_no_matter_of_another_class(db: Path) -> None:
    with pytest.raises(UsageError, match="no database") as without:
        Rewarder().reward(GOLD, GOLD)
    with pytest.raises(UsageError, match="db_id='shop'") as by_id:
        Rewarder(db=db).reward(GOLD, GOLD, db_id="shop")
    assert "Scorer" not in f"{without.value} {by_id.value}"


def test_a_value_that_is_not_stated_is_that_of_the_more_general_outcome() -> None:
    values = RewardValues(failed=-0.5, no_sql=-1, refuted_match=0.3)
    assert values.value(RewardOutcome.TIMED_OUT) == -0.5
    assert values.value(RewardOutcome.REFUSAL) == -1.0
    assert values.value(RewardOutcome.CONSTANT_MATCH) == 0.3
    assert values.value(RewardOutcome.EXTRA_COLUMNS) == 0.0
    assert values.value(RewardOutcome.UNSCORED) is None
    assert values.value(RewardOutcome.ABSTAINED_RIGHT) == 1.0
    assert values.value(RewardOutcome.ANSWERED_UNANSWERABLE) == 0.0


@pytest.mark.parametrize(
    "values", [{"rigth": 1.0}, {"right": None}, {"right": True}, {"failed": float("nan")}]
)
def test_a_wrong_table_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Rewarder(values=values)


@pytest.mark.parametrize("unscored", ["zero", True, float("inf"), None])
def test_a_policy_for_unscored_replies_is_stated_in_known_words(unscored: Any) -> None:
    with pytest.raises(UsageError, match="unscored is"):
        Rewarder(unscored=unscored)


def test_an_unscored_reply_follows_the_policy(db: Path) -> None:
    gold = "SELECT nope FROM t"
    assert make(db)(gold, GOLD) is None
    reward = make(db, unscored=0).reward(gold, GOLD)
    assert (reward.score, reward.scored) == (0.0, False)
    with pytest.raises(Unscorable, match="no such column"):
        make(db, unscored="raise")(gold, GOLD)


def test_a_metric_that_is_not_of_0_and_1_is_refused(db: Path) -> None:
    with pytest.raises(UsageError, match="soft_f1_bird"):
        Rewarder(db=db, metric="soft_f1_bird")


def test_a_witness_lowers_a_match_by_luck(db: Path) -> None:
    rewarder = Rewarder(db=db, values=SEARCHED)
    lucky = rewarder.reward(GOLD, "SELECT name FROM t WHERE n <> 1")
    assert (lucky.outcome, lucky.score, lucky.witnessed) == ("refuted_match", 0.3, True)
    hidden = rewarder.reward(EMPTY, "SELECT name FROM t LIMIT 0")
    assert (hidden.outcome, hidden.score) == ("refuted_match", 0.3)
    constant = rewarder.reward(GOLD, "SELECT 'b' UNION ALL SELECT 'c'")
    assert (constant.outcome, constant.score) == ("constant_match", 0.3)
    same = rewarder.reward(GOLD, "SELECT name FROM t WHERE 1 < n")
    assert (same.outcome, same.score, same.proved) == ("proved", 1.0, True)


def test_rows_that_a_metric_does_not_count_do_not_hide_a_match_by_luck(db: Path) -> None:
    lucky = "SELECT name FROM t WHERE name <> 'a'"
    rewarder = make(db, values=SEARCHED, metric="ex[bird]")
    rewards = rewarder.batch([(GOLD, lucky), (GOLD, f"{lucky} UNION ALL {lucky}")])
    assert [(each.score, each.witnessed) for each in rewards] == [(0.3, True)] * 2


@pytest.mark.parametrize("question", [None, "List the names, the smallest n first."])
def test_another_order_of_rows_does_not_hide_a_match_by_luck(db: Path, question: str) -> None:
    gold = f"{GOLD} ORDER BY n"
    rewarder = make(db, values=SEARCHED, metric="ex[bird]")
    lucky = rewarder.reward(
        gold, "SELECT name FROM t WHERE name <> 'a' ORDER BY n DESC", question=question
    )
    assert (lucky.outcome, lucky.score, lucky.witnessed) == ("refuted_match", 0.3, True)
    barred = f"{GOLD} AND random() IS NOT NULL ORDER BY n DESC"
    assert rewarder.reward(gold, barred, question=question).outcome == "refuted_match"
    other = rewarder.reward(gold, f"{GOLD} ORDER BY n DESC", question=question)
    assert (other.outcome, other.score) == ("right", 1.0)
    strict = make(db, values=SEARCHED).reward(gold, f"{GOLD} ORDER BY n DESC")
    assert (strict.outcome, strict.score) == ("order_only", 0.0)


def _fails(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a bug")


def _is_gone(*_: Any, **__: Any) -> Any:
    raise DatabaseError("no such server", reason="unreachable")


def _is_late(*_: Any, **__: Any) -> NotRefuted:
    return NotRefuted(3, 0, Reason.BUDGET_EXHAUSTED, "cut by time", cut_by_time=True)


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("sqlverdict.refute.search.refute_queries", _fails),
        ("sqlverdict.refute.search.refute_queries", _is_late),
        ("sqlverdict.execute.query_runner.QueryRunner.schema", _is_gone),
    ],
)
@pytest.mark.parametrize("metric", ["ex", "ex[bird]"])
def test_a_match_whose_search_fails_is_not_paid(
    db: Path, monkeypatch: pytest.MonkeyPatch, what: str, instead: Any, metric: str
) -> None:
    monkeypatch.setattr(what, instead)
    lucky = "SELECT name FROM t WHERE name <> 'a'"
    replies = [lucky, f"{lucky} UNION ALL {lucky}"][: 1 if metric == "ex" else 2]
    rewarder = make(db, values=SEARCHED, metric=metric)
    for reward in rewarder.batch([(GOLD, reply) for reply in replies]):
        assert (reward.score, reward.outcome) == (None, RewardOutcome.UNSCORED), reward
        assert reward.message or reward.reasons
    # No search could change what does not match.
    assert rewarder(GOLD, "SELECT name FROM t") == 0.0


def test_a_match_whose_gold_cannot_be_searched_is_right(db: Path) -> None:
    gold = f"{GOLD} AND date('now') > '2000-01-01'"
    reward = make(db, values=SEARCHED).reward(gold, "SELECT name FROM t WHERE name <> 'a'")
    assert (reward.score, reward.outcome) == (1.0, RewardOutcome.RIGHT)


def test_without_a_value_for_it_no_search_is_made(db: Path) -> None:
    reward = Rewarder(db=db).reward(GOLD, "SELECT name FROM t WHERE n <> 1")
    assert (reward.outcome, reward.score, reward.witnessed) == ("right", 1.0, False)


def test_an_abstention_is_paid_only_where_the_table_says_so(db: Path) -> None:
    assert make(db).reward(None, None).outcome == "unscored"
    rewarder = make(db, values={"abstained_right": 0.5, "abstained_wrong": -0.1, "wrong": -1.0})
    assert rewarder(None, None) == 0.5
    assert rewarder(None, GOLD) == -1.0
    assert rewarder(GOLD, None) == -0.1


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (f"<think>hm</think><answer>{GOLD}</answer>", 1.0),
        (f"<answer>SELECT 1</answer> no: <answer>```sql\n{GOLD}\n```</answer>", 1.0),
        (f"<answer>{GOLD}", 0.0),
        (GOLD, 0.0),
        ([{"role": "user", "content": "?"}, {"role": "assistant", "content": f"<answer>{GOLD}</answer>"}], 1.0),
    ],
)  # fmt: skip
def test_the_answer_stands_in_the_tag(db: Path, reply: Any, value: float) -> None:
    assert make(db, tag="answer")(GOLD, reply) == value


@pytest.mark.parametrize(
    "reply",
    [5, 2.0, [], {}, [5], [{"role": "user", "content": GOLD}], [{"role": "assistant", "content": None}],
     [{"role": "assistant", "content": [{"type": "image"}]}], object(), "\ud800", "SELECT '\ud800'",
     "SELECT 1\x00", "SELECT " + "(" * 5000, b"SELECT 1"],
)  # fmt: skip
def test_nothing_that_a_model_says_raises(db: Path, reply: Any) -> None:
    assert make(db)(GOLD, reply) == 0.0


def test_parts_of_a_message_are_one_text(db: Path) -> None:
    parts = [{"type": "text", "text": "SELECT name "}, {"type": "text", "text": "FROM t WHERE n>1"}]
    assert make(db)(GOLD, [{"role": "assistant", "content": parts}]) == 1.0


def test_a_missing_database_is_unscored_and_a_forgotten_one_is_an_error(db: Path) -> None:
    assert Rewarder(databases=db.parent)(GOLD, GOLD, db_id="nowhere") is None
    with pytest.raises(UsageError, match="no database"):
        Rewarder()(GOLD, GOLD)


@pytest.mark.slow
def test_the_same_batch_gives_the_same_bytes_in_any_way(db: Path) -> None:
    pairs = [(gold, reply) for gold, reply, _ in OUTCOMES] * 3
    rewarder = make(db, values=SEARCHED, memo=5)
    expected = [reward.as_row() for reward in rewarder.batch(pairs)]
    threaded = pickle.loads(pickle.dumps(make(db, values=SEARCHED, threads=4)))
    assert [reward.as_row() for reward in threaded.batch(pairs)] == expected
    assert [reward.as_row() for reward in asyncio.run(threaded.abatch(pairs))] == expected
    assert threaded.batch(pairs) == rewarder.batch(pairs)


@pytest.mark.slow
def test_a_row_for_the_log_has_the_same_flat_columns_always(db: Path) -> None:
    rows = [make(db).reward(gold, reply).as_row() for gold, reply, _ in OUTCOMES]
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert all(isinstance(v, str | float | bool | None) for row in rows for v in row.values())
    assert "ms" in make(db).reward(GOLD, GOLD).as_row(timed=True)


def test_a_prediction_object_is_its_reply_and_not_an_empty_one(db: Path) -> None:
    """It was a reply without SQL, and so wrong."""
    rewarder = make(db)
    assert rewarder(GOLD, Prediction("1", sql=GOLD)) == 1.0
    assert rewarder(GOLD, Prediction("1", raw=f"Here:\n```sql\n{GOLD}\n```")) == 1.0
    assert rewarder.reward(GOLD, Prediction("1", abstained=True)).outcome == "abstained_wrong"
    assert rewarder.reward(GOLD, Prediction("1")).outcome == "no_sql"
    tagged = make(db, tag="answer")
    assert tagged(GOLD, Prediction("1", raw=f"<answer>{GOLD}</answer>")) == 1.0
    assert tagged.reward(GOLD, Prediction("1", raw=GOLD)).outcome == "no_sql"


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ex", "ex[bird]", "verdict"])
def test_a_reward_is_the_same_without_what_only_readers_need(db: Path, metric: str) -> None:
    pairs = [(gold, reply) for gold, reply, _ in OUTCOMES if isinstance(gold, str)]
    pairs += [(GOLD, "SELECT name FROM t WHERE n >= 2"), (GOLD, "SELECT DISTINCT name FROM t")]
    rewarder, annotated = (make(db, values=SEARCHED, metric=metric) for _ in range(2))
    assert not rewarder.scorer.plan.annotates
    annotated.scorer.plan = replace(annotated.scorer.plan, annotates=True)
    assert rewarder.batch(pairs) == annotated.batch(pairs)
