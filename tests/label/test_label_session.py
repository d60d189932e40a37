"""Votes: what a choice means, what counts, what is hidden, and what a log keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from error_parts import asks_for, refuses_data
from label_runs import SECRET_SYSTEM, OpenSession
from sqlverdict.errors import DataError, OptionName, UsageError
from sqlverdict.label.ballot import Ballot, categories_for, label_of_choice
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.item import show_item
from sqlverdict.label.progress import agreement_of
from sqlverdict.label.session import ADJUDICATOR
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.people.votes import VoteLogContent, read_events


@pytest.mark.parametrize(
    ("choice", "first", "label"),
    [
        ("only_a", "gold", "wrong"),
        ("only_b", "gold", "gold_wrong"),
        ("only_a", "prediction", "gold_wrong"),
        ("only_b", "prediction", "wrong"),
        ("both", "prediction", "right"),
        ("undecided", "prediction", "undecided"),
        ("neither", "gold", "both_wrong"),
        ("skip", "gold", "skip"),
    ],
)
def test_a_choice_is_a_label_by_the_order_of_the_queries(choice, first, label) -> None:
    assert label_of_choice(choice, first) == label


def test_both_orders_occur_and_follow_from_the_seed(open_session: OpenSession) -> None:
    session = open_session()
    orders = [session.first("ann", pair) for pair in session.queue.order]
    assert {*orders} == {"gold", "prediction"}
    assert orders == [session.first("ann", pair) for pair in session.queue.order]
    assert orders != [session.first("bob", pair) for pair in session.queue.order]


def test_nothing_in_a_blind_item_says_what_is_hidden(
    open_session: OpenSession, databases: CaseDatabases
) -> None:
    session = open_session()
    for pair, item in session.queue.items.items():
        for side in ("gold", "prediction"):
            text = msgspec.json.encode(show_item(item, databases, side)).decode()
            for word in (SECRET_SYSTEM, "gold", "prediction", "incorrect", "esm", "ordinary"):
                assert word not in text, (pair, word)


def test_a_vote_can_be_changed_and_taken_back_and_the_log_keeps_all(
    open_session: OpenSession,
) -> None:
    session = open_session()
    pair = session.queue.order[0]
    session.vote("ann", Ballot(pair, "both", note="first"))
    session.vote("ann", Ballot(pair, "neither"))
    assert session.own_vote("ann", pair).choice == "neither"
    vote = session.undo("ann")
    assert (vote[0], vote[1].choice) == (pair, "neither")
    # Each edit on the page is a vote: none of them may count once the vote is taken back.
    assert session.own_vote("ann", pair) is None
    with pytest.raises(UsageError, match="no vote"):
        session.undo("ann")
    session.vote("ann", Ballot(pair, "undecided"))
    assert session.own_vote("ann", pair).choice == "undecided"
    kinds = [event.kind for event in read_events(session.log.path)]
    assert kinds == ["vote", "vote", "undo", "vote"]


def test_votes_are_taken_back_the_last_one_first(open_session: OpenSession) -> None:
    session = open_session()
    first, second = session.queue.order[:2]
    for pair in (first, second, first):
        session.vote("ann", Ballot(pair, "both"))
    assert [session.undo("ann")[0], session.undo("ann")[0]] == [first, second]
    assert session.log.content.annotators == ()


def test_a_vote_on_another_queue_is_not_taken_back(open_session: OpenSession) -> None:
    session = open_session()
    elsewhere, *rest = session.queue.order
    session.vote("ann", Ballot(elsewhere, "both"))
    later = replace(session, assignment={"ann": tuple(rest)})
    with pytest.raises(UsageError, match="no vote"):
        later.undo("ann")
    later.vote("ann", Ballot(rest[0], "neither"))
    assert later.undo("ann")[0] == rest[0]
    assert later.own_vote("ann", elsewhere).choice == "both"


def test_evidence_is_hidden_until_the_vote_and_a_look_is_recorded(
    open_session: OpenSession,
) -> None:
    session = open_session()
    pair = session.queue.order[0]
    session.vote("bob", Ballot(pair, "both"))
    with pytest.raises(UsageError, match="vote first"):
        session.reveal("ann", pair)
    session.vote("ann", Ballot(pair, "both"))
    known = session.reveal("ann", pair)
    assert known.systems == (SECRET_SYSTEM,)
    assert "bob" not in msgspec.json.encode(known).decode()
    session.vote("ann", Ballot(pair, "neither"))
    votes = session.log.content.pairs[pair].votes
    assert votes["ann"].display.revealed
    assert not votes["bob"].display.revealed
    labels = read_labels(session.log.path)
    assert labels.notes == ("1 vote cast with the evidence in sight: not blind",)


def test_a_look_in_a_session_that_is_not_blind_marks_later_votes(
    open_session: OpenSession,
) -> None:
    seen = open_session(blind=False)
    first, second = seen.queue.order[:2]
    seen.reveal("bob", first)
    seen.reveal_dispute("ann", second)
    with pytest.raises(UsageError, match="nobody voted"):
        seen.adjudicate("cai", Ballot(first, "both", reason="why not"))
    seen.log.close()
    session = open_session(blind=True)
    revealed = {}
    for name in ("ann", "bob"):
        for pair in (first, second):
            session.vote(name, Ballot(pair, "both"))
            revealed[name, pair] = session.log.content.pairs[pair].votes[name].display.revealed
    assert {key for key, has_look in revealed.items() if has_look} == {
        ("bob", first),
        ("ann", second),
    }
    assert read_labels(session.log.path).notes == (
        "2 votes cast with the evidence in sight: not blind",
    )


def test_adjudication_needs_a_dispute_and_a_reason_and_settles_the_label(
    open_session: OpenSession,
) -> None:
    session = open_session()
    first, second = session.queue.order[:2]
    session.vote("ann", Ballot(first, "both"))
    session.vote("bob", Ballot(first, "neither"))
    for name in ("ann", "bob"):
        session.vote(name, Ballot(second, "both"))
    assert [session.pair_of(ADJUDICATOR, each.pair) for each in session.disputes()] == [first]
    with pytest.raises(UsageError, match="reason"):
        session.adjudicate("cai", Ballot(first, "only_a"))
    session.adjudicate("cai", Ballot(first, "only_a", reason="B counts names"))
    assert session.disputes()[0].decision == "wrong"
    values = {item.pair: item.value for item in read_labels(session.log.path).items}
    assert values == {first: 0, second: 1}


def test_the_live_kappa_is_that_of_the_label_file(open_session: OpenSession) -> None:
    from sqlverdict.score.agreement.annotators import annotator_agreement

    session = open_session()
    for number, pair in enumerate(session.queue.order):
        session.vote("ann", Ballot(pair, "both" if number % 2 else "neither"))
        session.vote("bob", Ballot(pair, "both" if number % 3 else "undecided"))
    live = agreement_of(session.log.content, session.log.path)
    labels = read_labels(session.log.path)
    rows = [(item.votes, item.equal) for item in labels.items]
    assert live == annotator_agreement(labels.annotators, rows)
    assert live.fleiss is not None
    assert live.pairs[0].n == len(session.queue.order)


def test_what_was_saved_is_there_after_the_process_is_gone(open_session: OpenSession) -> None:
    session = open_session()
    pair = session.queue.order[0]
    session.vote("ann", Ballot(pair, "both"))
    path = session.log.path
    session.log.close()
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])  # the next line, cut by kill -9
    again = open_session()
    assert again.own_vote("ann", pair).choice == "both"
    again.vote("ann", Ballot(again.queue.order[1], "both"))
    assert len([*read_events(path)]) == 2


def test_a_line_that_was_changed_is_refused(open_session: OpenSession, tmp_path: Path) -> None:
    session = open_session()
    session.vote("ann", Ballot(session.queue.order[0], "both"))
    session.log.close()
    path = session.log.path
    path.write_bytes(path.read_bytes().replace(b'"label":"right"', b'"label":"wrong"'))
    with refuses_data(DataError, "changed", "line 1", "checksum"):
        VoteLogContent(read_events(path))
    with refuses_data(DataError, "changed", "line 1", "checksum"):
        VoteLog(path.parent)


def test_a_full_disk_is_no_saved_vote(open_session: OpenSession, monkeypatch) -> None:
    import os

    session = open_session()
    pair = session.queue.order[0]

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            session.vote("ann", Ballot(pair, "both"))
    assert session.own_vote("ann", pair) is None
    session.vote("ann", Ballot(pair, "neither"))
    assert [event.label for event in read_events(session.log.path)] == ["both_wrong"]


def test_two_servers_do_not_write_one_log(open_session: OpenSession) -> None:
    session = open_session()
    with asks_for(OptionName("annotators", "ann,bob")):
        VoteLog(session.log.path.parent)


def test_a_vote_about_another_prediction_does_not_count(
    open_session: OpenSession, tmp_path: Path
) -> None:
    from msgspec.structs import replace

    from label_runs import results, write_run
    from sqlverdict.report.agreement.agreement import compare_with_labels

    session = open_session()
    for pair in session.queue.order:
        session.vote("ann", Ballot(pair, "both"))
    every = results()
    every[0] = replace(every[0], prediction="SELECT 3")
    report = compare_with_labels(
        write_run(tmp_path / "later", every), read_labels(session.log.path)
    )
    assert report.matched == 5
    assert "1 label without a case with these queries in the run: 'q0'" in report.notes


def test_who_is_not_blind_sees_the_gold_first_and_the_log_says_so(
    open_session: OpenSession,
) -> None:
    session = open_session(blind=False)
    pair = session.queue.order[0]
    assert {session.first("ann", each) for each in session.queue.order} == {"gold"}
    assert session.reveal("ann", pair).systems == (SECRET_SYSTEM,)
    assert "wrong_gold" in session.state("ann").categories
    session.vote("ann", Ballot(pair, "only_b"))
    look, event = read_events(session.log.path)
    assert (look.kind, event.label) == ("reveal", "gold_wrong")
    assert not event.display.blind
    assert "wrong_gold" not in categories_for(blind=True, mode="queries")
    assert categories_for(blind=False, mode="results") == {}
