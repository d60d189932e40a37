"""Recorded replies: as an answerer, as a judge, and the published ones."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import DataError
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.judge import JUDGES, Settings, ask_judge
from sqlverdict.judge.recorded import RecordedReplies
from sqlverdict.llm.request import NoReply, Reply, Request
from sqlverdict.records import Reason
from sqlverdict.testing.judges import RIGHT, WRONG

REPLAY = JUDGES.get("replay")


def test_a_recorded_reply_is_judged() -> None:
    recorded = RecordedReplies({"a": RIGHT, "b": WRONG, "c": "no idea"})
    settings = Settings(model="gpt")
    assert ask_judge(REPLAY, Brief("a"), settings, recorded).correct is True
    opinion = ask_judge(REPLAY, Brief("b"), settings, recorded)
    assert (opinion.correct, opinion.calls, opinion.judge, opinion.model) == (
        False,
        1,
        "replay@2",
        "gpt",
    )
    unread = ask_judge(REPLAY, Brief("c"), settings, recorded)
    assert (unread.correct, unread.reason, unread.calls) == (None, Reason.JUDGE_UNPARSEABLE, 1)


def test_what_was_not_recorded_is_unavailable() -> None:
    opinion = ask_judge(REPLAY, Brief("x"), Settings(), RecordedReplies({"a": RIGHT}))
    assert (opinion.correct, opinion.reason) == (None, Reason.JUDGE_UNAVAILABLE)
    assert "'x'" in opinion.explanation


def test_several_recordings_are_samples() -> None:
    recorded = RecordedReplies({"a": [RIGHT, WRONG, WRONG]})
    settings = Settings(members=("replay",), samples=3)
    opinion = ask_judge(JUDGES.get("panel"), Brief("a"), settings, recorded)
    assert (opinion.correct, opinion.votes) == (False, (True, False, False))
    more = Settings(sample=7)
    assert ask_judge(REPLAY, Brief("a"), more, recorded).reason is Reason.JUDGE_UNAVAILABLE


def test_both_calls_of_a_cascade_and_every_vote_of_a_panel_can_be_replayed() -> None:
    brief = Brief("a", question="Who?", gold="SELECT 1", prediction="SELECT 2", equal=False)
    requests: list[Request] = []

    class Answers:
        def ask(self, request: Request) -> Reply:
            requests.append(request)
            text = WRONG if request.purpose.startswith("evidence") else RIGHT
            return Reply(text, "stop", 1, 1, 0.0, cost=0.0)

    settings = Settings(model="m")
    live = ask_judge(JUDGES.get("panel"), brief, settings, Answers())
    assert (live.correct, live.votes) == (True, (True, False, True))
    texts = {
        request.digest(): WRONG if request.purpose.startswith("evidence") else RIGHT
        for request in requests
    }
    assert len(texts) == 4
    recorded = RecordedReplies(texts)
    for judge, calls in (("panel", 4), ("cascade", 2), ("evidence", 1)):
        opinion = ask_judge(JUDGES.get(judge), brief, settings, recorded)
        assert opinion.calls == calls
        assert opinion.correct is (judge != "evidence")
    other = replace(brief, question="Which?")
    assert ask_judge(JUDGES.get("cascade"), other, settings, recorded).correct is None


def test_any_judge_can_be_replayed_by_digest() -> None:
    brief = Brief("a", question="Who?", gold="SELECT 1", prediction="SELECT 2", equal=False)
    request = next(JUDGES.get("flex").conduct(brief, Settings(model="m")))
    recorded = RecordedReplies({request.digest(): WRONG})
    assert ask_judge(JUDGES.get("flex"), brief, Settings(model="m"), recorded).correct is False
    other = ask_judge(JUDGES.get("flex"), brief, Settings(model="other"), recorded)
    assert other.reason is Reason.JUDGE_UNAVAILABLE


def test_a_case_id_is_no_digest_of_another_judge() -> None:
    brief = Brief("a", question="a", prediction="SELECT 1")
    request = next(JUDGES.get("flex").conduct(brief, Settings(model="m")))
    assert isinstance(RecordedReplies({request.messages[-1].content: RIGHT}).ask(request), NoReply)


def test_recordings_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    lines = [{"id": 1, "reply": RIGHT}, {"id": "b", "reply": [WRONG, RIGHT]}]
    path.write_text("\n\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    recorded = RecordedReplies.from_jsonl(path)
    assert len(recorded) == 2
    assert ask_judge(REPLAY, Brief("1"), Settings(), recorded).correct is True
    assert ask_judge(REPLAY, Brief("b"), Settings(), recorded).correct is False


@pytest.mark.parametrize(
    ("text", "reason", "says"),
    [
        ("{", "unreadable", "replies.jsonl:1"),
        ("[1]", "wrong_kind", "replies.jsonl:1"),
        ('{"reply": "x"}', "missing_field", "replies.jsonl:1 has no field 'id'"),
        ('{"id": 1}', "missing_field", "replies.jsonl:1 has no field 'reply'"),
        ('{"id": 1, "reply": 5}', "wrong_value", "replies.jsonl:1, field 'reply'"),
        (
            '{"id": 1, "reply": "x"}\n{"id": "1", "reply": "y"}',
            "repeated",
            "replies.jsonl:2 repeats the id '1'",
        ),
    ],
)
def test_a_broken_recording_is_named(
    tmp_path: Path, text: str, reason: DataReason, says: str
) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(text, "utf-8")
    with refuses_data(DataError, reason, says):
        RecordedReplies.from_jsonl(path)


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    with refuses_data(DataError, "missing", "none.jsonl"):
        RecordedReplies.from_jsonl(tmp_path / "none.jsonl")


def test_a_recording_is_a_reply_without_a_price() -> None:
    request = next(REPLAY.conduct(Brief("a"), Settings()))
    assert RecordedReplies({"a": RIGHT}).ask(request) == Reply(RIGHT, "stop", 0, 0, 0.0)


def kappa(pairs: list[tuple[bool, bool]]) -> float:
    n = len(pairs)
    agree = sum(one == other for one, other in pairs) / n
    yes = sum(one for one, _ in pairs) * sum(other for _, other in pairs) / n**2
    no = sum(not one for one, _ in pairs) * sum(not other for _, other in pairs) / n**2
    return (agree - yes - no) / (1 - yes - no)


@pytest.mark.data
def test_all_published_replies_give_the_published_verdict(data_root: Path) -> None:
    path = data_root / "flex" / "agreement_half.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    recorded = RecordedReplies({f"{r['set']}-{r['i']}": r["gpt4o_text"] for r in records})
    opinions = {
        f"{r['set']}-{r['i']}": ask_judge(
            REPLAY, Brief(f"{r['set']}-{r['i']}"), Settings(), recorded
        )
        for r in records
    }
    verdicts = [opinions[f"{r['set']}-{r['i']}"].correct for r in records]
    assert verdicts == [record["gpt4o"] for record in records]
    assert len(verdicts) == 100
    pairs = [
        (bool(verdict), bool(r["human"])) for verdict, r in zip(verdicts, records, strict=True)
    ]
    assert round(100 * kappa(pairs), 2) == 86.02
    # Published replies often say the verdict before, or without, any reasoning.
    flags = Counter(flag for opinion in opinions.values() for flag in opinion.flags)
    assert flags == {"verdict_first": 14}
