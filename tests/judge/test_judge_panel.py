"""A panel: several judges, models or samples, and a rule for their votes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from test_judge_judges import BRIEF, SETTINGS, Script, opinion

from sqlverdict.errors import UsageError
from sqlverdict.judge.judge import JUDGES, Opinion, Settings, ask_judge
from sqlverdict.judge.opinion import BUDGET, PENDING
from sqlverdict.llm.request import NoReply
from sqlverdict.records import Reason
from sqlverdict.testing.judges import RIGHT, WRONG

sys.path.append(str(Path(__file__).parents[2] / "bench"))
from judge_stability import stability


def votes(texts: Sequence[str | NoReply], **changes: object) -> Opinion:
    changes = {"samples": len(texts), "retries_unparseable": 0, "members": ("flex",), **changes}
    return opinion("panel", *texts, **changes)


def test_a_panel_decides_by_majority() -> None:
    votes_now = votes([RIGHT, WRONG, RIGHT])
    assert (votes_now.correct, votes_now.votes, votes_now.calls) == (True, (True, False, True), 3)
    assert votes_now.tokens == (30, 15)
    assert votes_now.cost == 1.5
    assert "unstable" in votes_now.flags
    assert "2 of 3 votes" in votes_now.explanation
    assert votes([WRONG, WRONG, RIGHT]).correct is False
    assert "unstable" not in votes([RIGHT, RIGHT]).flags


def test_a_tie_is_no_verdict() -> None:
    votes_now = votes([RIGHT, WRONG])
    assert (votes_now.correct, votes_now.reason) == (None, Reason.JUDGE_UNPARSEABLE)
    assert "tie" in votes_now.flags


def test_votes_that_cannot_be_read_do_not_count() -> None:
    assert votes([RIGHT, "no idea", "no idea"]).correct is True
    assert votes([RIGHT, WRONG, "no idea"]).correct is None
    votes_now = votes(["no idea", "no idea"])
    assert (votes_now.correct, votes_now.reason) == (None, Reason.JUDGE_UNPARSEABLE)
    no_reply = NoReply("gone", 1)
    assert votes([no_reply, no_reply]).reason is Reason.JUDGE_UNAVAILABLE


def test_unanimity_needs_every_vote() -> None:
    assert votes([RIGHT, RIGHT], rule="unanimity").correct is True
    assert votes([WRONG, WRONG], rule="unanimity").correct is False
    for texts in ([RIGHT, WRONG], [RIGHT, "no idea"]):
        votes_now = votes(texts, rule="unanimity")
        assert votes_now.correct is None
        assert "split" in votes_now.flags


def test_a_panel_of_models_asks_each() -> None:
    script = Script(RIGHT)
    settings = replace(SETTINGS, models=("a", "b"), samples=2, members=("rubric",))
    result = ask_judge(JUDGES.get("panel"), BRIEF, settings, script)
    asks = [(request.model, request.sample) for request in script.requests]
    assert asks == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert {request.purpose for request in script.requests} == {"rubric@1"}
    assert result.model == "a,b"


def test_a_panel_stops_at_the_cost_limit() -> None:
    script = Script(RIGHT, NoReply("spent", 0, budget=True))
    result = ask_judge(JUDGES.get("panel"), BRIEF, SETTINGS, script)
    assert (result.correct, result.reason) == (None, Reason.JUDGE_UNAVAILABLE)
    assert BUDGET in result.flags
    assert len(script.requests) == 2


def test_a_panel_of_panels_is_refused() -> None:
    with pytest.raises(UsageError, match="own member"):
        opinion("panel", RIGHT, members=("flex", "panel"))
    with pytest.raises(UsageError, match="members is empty"):
        Settings(members=())


def test_a_panel_is_three_prompts_by_default() -> None:
    script = Script(RIGHT)
    result = ask_judge(JUDGES.get("panel"), BRIEF, SETTINGS, script)
    assert [request.purpose.partition("@")[0] for request in script.requests] == [
        "cascade_alone",
        "cascade_challenge",
        "evidence",
        "flex_neq",
    ]
    assert (result.correct, result.votes, result.calls) == (True, (True,) * 3, 4)
    assert "unanimous" in result.flags


def test_unanimity_is_said_whatever_the_rule() -> None:
    assert "unanimous" in votes([WRONG, WRONG, WRONG]).flags
    assert "unanimous" in votes([WRONG, WRONG, WRONG], rule="unanimity").flags
    for texts in ([RIGHT], [RIGHT, RIGHT, WRONG], [RIGHT, RIGHT, "no idea"]):
        assert "unanimous" not in votes(texts).flags


def test_stability_counts_flips() -> None:
    flips = stability([(True, True, True), (True, False, True), (None, True), (False, None, False)])
    assert (flips.cases, flips.flipped, flips.flip_rate) == (3, 1, 1 / 3)
    assert (flips.pairs, flips.disagreeing) == (7, 2)
    assert stability([]).flip_rate is None
    assert stability([(True,)]).disagreement is None


def test_a_panel_asks_for_all_votes_that_a_batch_can_take() -> None:
    script = Script(NoReply("noted", 0, pending=True))
    result = ask_judge(JUDGES.get("panel"), BRIEF, SETTINGS, script)
    assert (result.correct, result.reason) == (None, Reason.JUDGE_UNAVAILABLE)
    assert PENDING in result.flags
    assert [request.purpose.partition("@")[0] for request in script.requests] == [
        "cascade_alone",
        "evidence",
        "flex_neq",
    ]
