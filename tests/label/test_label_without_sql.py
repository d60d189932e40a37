"""Without SQL: what people see who do not read queries, and what their votes are worth."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from label_runs import PAIRS, OpenSession, results, witness, write_database, write_run
from sqlverdict.cli.main import sqlverdict
from sqlverdict.evidence_parts import TableExcerpt
from sqlverdict.label.ballot import Ballot
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.display import TableDisplay
from sqlverdict.label.item import ItemContent, show_item
from sqlverdict.label.queue import build_queue
from sqlverdict.label.session import LabelSession
from sqlverdict.label.without_sql import (
    head_in_words,
    item_without_sql,
    pairs_with_results,
    witness_in_words,
)
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.people.votes import read_events
from sqlverdict.report.agreement.agreement import compare_with_labels
from sqlverdict.report.agreement.tables import mode_sentence
from sqlverdict.runlog.run import Run

SQL_WORDS = re.compile(r"SELECT|COUNT\(|\bFROM\b|\bWHERE\b|\bnme\b|LIMIT|ORDER BY")


def items(session: LabelSession, databases: CaseDatabases) -> dict[str, ItemContent]:
    return {
        item.result.id: item_without_sql(show_item(item, databases, session.first("ann", pair)))
        for pair, item in session.queue.items.items()
    }


def test_no_sql_is_in_an_item_without_sql(
    open_session: OpenSession, databases: CaseDatabases
) -> None:
    for case, content in items(open_session(without_sql=("ann",)), databases).items():
        text = msgspec.json.encode(content).decode()
        assert SQL_WORDS.search(text.replace(content.question, "")) is None, case
        assert content.a.pieces == content.b.pieces == []
        assert content.digest


def test_an_item_without_sql_is_the_same_but_for_the_order(
    open_session: OpenSession, databases: CaseDatabases
) -> None:
    """Nothing but which result stands first tells the gold from the prediction."""
    for item in open_session().queue.items.values():
        one, other = (
            item_without_sql(show_item(item, databases, side)) for side in ("gold", "prediction")
        )
        swapped = replace(other, a=other.b, b=other.a, digest=one.digest)
        assert one == swapped


def test_a_failure_says_nothing_of_the_query(
    open_session: OpenSession, databases: CaseDatabases
) -> None:
    content = items(open_session(), databases)["q4"]
    assert {content.a.result.failure, content.b.result.failure} == {"", "no result"}


def test_a_witness_is_told_in_words() -> None:
    tables = (
        TableDisplay("item", ("id", "name"), ((1, None),), 1),
        TableDisplay("shop", ("city",), (("",), ("Bern",)), 2),
        TableDisplay("sale", ("id",)),
        TableDisplay("land", ("id",), ((7,),), 1, only_for_keys=True),
        TableDisplay("wide", tuple("abcdefghi"), (tuple(range(9)),), 1),
    )
    assert witness_in_words(tables) == (
        "The table item has one row: id is 1, name has no value.",
        "The table shop has 2 rows.",
        "shop, row 1: city is empty.",
        "shop, row 2: city is Bern.",
        "The table sale is empty.",
        "The table wide has one row.",
    )


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("name", "name"),
        ("item.name", "name"),
        ("COUNT(*)", "number of rows"),
        ("count(1)", "number of rows"),
        ("COUNT(DISTINCT item.name)", "number of different name"),
        ("avg(price)", "average of price"),
        ("MAX(item.price)", "highest price"),
        ('SUM("Free Meals (K-12)")', "sum of Free Meals (K-12)"),
        ("schools.Free Meals (K-12)", "Free Meals (K-12)"),
        ("price * 2", "value"),
        ("1.5", "value"),
        ("42", "value"),
        ("sum(a) / count(b)", "value"),
        ("count(a + b)", "value"),
        ("", "value"),
    ],
)
def test_the_head_of_a_result_is_in_words(head: str, words: str) -> None:
    assert head_in_words(head, ("Free Meals (K-12)",)) == words


def test_an_item_without_any_result_is_left_out(
    tmp_path: Path, run: Run, databases: CaseDatabases
) -> None:
    queue = build_queue([run], "random", 100, 0)
    assert len(pairs_with_results(queue, queue.order, databases)) == 6
    nowhere = CaseDatabases(databases.runner)
    (only,) = pairs_with_results(queue, queue.order, nowhere)
    assert queue.items[only].result.id == "q0", "it has a witness"


def test_the_command_says_how_many_items_are_left_out(tmp_path: Path) -> None:
    run, page = write_run(tmp_path / "run").folder, tmp_path / "eve.html"
    line = ["label", str(run), "--without-sql", "eve", "--offline", str(page)]
    output = CliRunner().invoke(sqlverdict, line).output
    assert "left out for eve: 5 items without a result to show" in output
    assert "(1 item)" in output


def test_an_offline_page_without_sql_holds_none_and_its_votes_keep_the_mode(
    tmp_path: Path,
) -> None:
    run, page = write_run(tmp_path / "run").folder, tmp_path / "eve.html"
    databases = str(write_database(tmp_path / "databases"))
    start = ["label", str(run), "--databases", databases]
    CliRunner().invoke(sqlverdict, [*start, "--without-sql", "eve", "--offline", str(page)])
    (text,) = re.findall(r'id="page-data">(.*?)</script>', page.read_text(), re.DOTALL)
    data = json.loads(text)
    assert (data["mode"], data["categories"], len(data["items"])) == ("results", {}, 6)
    for _, gold, prediction in PAIRS:
        assert gold not in text
        assert prediction not in text
    votes = [
        {
            "vote_schema": 1, "kind": "vote", "id": item["id"], "pair": item["pair"],
            "annotator": "eve", "at": "2026-01-01T12:00:00Z", "source": "offline",
            "choice": "both",
            "shown": {"first": "", "blind": True, "queue": data["queue"], "mode": data["mode"]},
        }
        for item in data["items"]
    ]  # fmt: skip
    file = tmp_path / "votes.jsonl"
    file.write_text("".join(json.dumps(vote) + "\n" for vote in votes))
    assert "6 added" in CliRunner().invoke(sqlverdict, [*start, "--import", str(file)]).output
    events = list(read_events(run / "labels" / "votes.jsonl"))
    assert {event.mode for event in events} == {"results"}
    assert all(event.stratum for event in events)


def test_agree_compares_both_modes_on_the_same_items(
    open_session: OpenSession, run: Run, tmp_path: Path
) -> None:
    session = open_session(without_sql=("bob",))
    assert (session.state("ann").mode, session.state("bob").mode) == ("queries", "results")
    first, second, third, *rest = session.queue.order
    for pair in (first, second, third):
        session.vote("ann", Ballot(pair, "both"))
    session.vote("bob", Ballot(first, "both"))
    session.vote("bob", Ballot(second, "neither"))
    session.vote("bob", Ballot(rest[0], "both"))
    assert [event.mode for event in read_events(session.log.path)] == ["queries"] * 3 + [
        "results"
    ] * 3
    labels = read_labels(session.log.path)
    assert "3 votes cast on results alone, without SQL" in labels.notes
    modes = compare_with_labels(run, labels).modes
    assert modes is not None
    assert (modes.n, modes.same, modes.kappa) == (2, 0.5, 0.0)
    assert (modes.right_by_queries, modes.right_by_results) == (1.0, 0.5)
    assert mode_sentence(modes) == (
        "with SQL and without it, on the same 2 cases: 50.0% have the same label, kappa 0.00; "
        "100.0% are right with SQL, 50.0% without"
    )
    line = ["agree", str(run.folder), "--labels", str(session.log.path)]
    assert "on the same 2 cases" in " ".join(CliRunner().invoke(sqlverdict, line).output.split())
    assert json.loads(CliRunner().invoke(sqlverdict, [*line, "--json"]).output)["modes"]["n"] == 2


def test_labels_of_one_mode_are_compared_with_none(open_session: OpenSession, run: Run) -> None:
    session = open_session()
    session.vote("ann", Ballot(session.queue.order[0], "both"))
    assert compare_with_labels(run, read_labels(session.log.path)).modes is None


def test_the_adjudicator_sees_the_mode_of_each_vote(open_session: OpenSession) -> None:
    session = open_session(without_sql=("bob",))
    pair = session.queue.order[0]
    session.vote("ann", Ballot(pair, "both"))
    session.vote("bob", Ballot(pair, "neither"))
    (dispute,) = session.disputes()
    assert {vote.annotator: vote.mode for vote in dispute.votes} == {
        "ann": "queries",
        "bob": "results",
    }


def test_a_table_that_only_a_foreign_key_needs_is_marked(
    tmp_path: Path, databases: CaseDatabases
) -> None:
    rows = {
        "item": TableExcerpt(("id", "name"), ((1, None),)),
        "land": TableExcerpt(("id",), ((1,),)),
        "city": TableExcerpt(("id",), ((1,),)),
    }
    evidence = replace(witness(), rows=rows, deciding_rows={"city": (0,)})
    result = replace(results()[0], evidence=(evidence,))
    unreadable = replace(result, id="q1", index=1, prediction="SELEC nothing")
    elsewhere = replace(result, id="q2", index=2, prediction="SELECT COUNT(*) FROM a_view")
    queue = build_queue(
        [write_run(tmp_path / "keys", [result, unreadable, elsewhere])], "random", 9, 0
    )
    folded = {}
    for item in queue.items.values():
        content = show_item(item, databases, "gold")
        folded[item.result.id] = [table.name for table in content.witness if table.only_for_keys]
    assert folded == {"q0": ["land"], "q1": [], "q2": []}
