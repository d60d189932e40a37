"""Proposals for a gold: what is proposed, in which order, and that each one differs from the gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest

from small_databases import EVERY_ENGINE, database_of
from sqlverdict.audit.edits import without_comments
from sqlverdict.audit.proposal import Proposal
from sqlverdict.audit.propose import MOST, Proposer, metric_of
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Result, Verdict
from sqlverdict.runlog.run import Run
from sqlverdict.testing import hostile_predictions

TABLES = (
    "CREATE TABLE city (id INTEGER PRIMARY KEY, name VARCHAR(20), people INTEGER)",
    "INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280), (3, 'Hamar', 30)",
    "INSERT INTO city VALUES (4, 'Larvik', 30)",
    "CREATE TABLE shop (id INTEGER PRIMARY KEY, city_id INTEGER, kind VARCHAR(20))",
    "INSERT INTO shop VALUES (1, 1, 'books'), (2, 1, 'tea'), (3, 2, 'tea'), (4, 2, 'tea')",
)
COUNT = "SELECT COUNT(kind) FROM shop"
KINDS = "SELECT COUNT(DISTINCT kind) FROM shop"
SMALLEST = "SELECT name FROM city ORDER BY people LIMIT 1"

Propose = Callable[..., tuple[Proposal, ...]]


@contextmanager
def proposer_of(engine: str, database: str) -> Iterator[Propose]:
    runner = QueryRunner(engine, Limits(trust_role=True), None)

    def propose(gold: str | tuple[str, ...], **systems: str) -> tuple[Proposal, ...]:
        golds = (gold,) if isinstance(gold, str) else gold
        case = Result(0, "1", "shop", "How many kinds?", golds, None, False, Verdict.INCORRECT)
        return proposer.propose(case, database, list(systems.items()))

    with closing(runner), closing(Proposer(runner, "ex")) as proposer:
        yield propose


@pytest.fixture
def propose(tmp_path: Path) -> Iterator[Propose]:
    with (
        database_of("sqlite", tmp_path, *TABLES) as database,
        proposer_of("sqlite", database) as call,
    ):
        yield call


def test_an_edit_with_its_difference_witness_and_moves(propose: Propose) -> None:
    (proposal,) = propose(COUNT, a=COUNT, b="SELECT no_column FROM shop")
    assert proposal.candidate.source == "distinct_count"
    assert proposal.changes_answer
    assert proposal.witness is not None
    assert proposal.witness.rows
    assert proposal.to_wrong == ("a",)
    record = msgspec.json.decode(msgspec.json.encode(proposal.as_record()))
    assert record["before"] == {"count": 1, "rows": [[4]]}
    assert record["after"] == {"count": 1, "rows": [[2]]}
    assert record["difference"] == {"gone": 1, "new": 1, "rows_gone": [[4]], "rows_new": [[2]]}
    assert record["witness"]["rows"]
    assert proposal.change_words() == "1 row before, 1 after: 1 changed"


def test_an_edit_stands_for_the_systems_that_answer_alike(propose: Propose) -> None:
    distinct = "SELECT COUNT(DISTINCT {}.kind) FROM shop AS {}"
    systems = {"a": distinct.format("x", "x"), "b": distinct.format("s", "s"), "c": COUNT}
    first = propose(COUNT, **systems)[0]
    assert first.candidate.source == "distinct_count"
    assert first.candidate.systems == ("a", "b")
    assert first.candidate.proved == ("a", "b")
    assert first.to_right == ("a", "b")
    assert first.to_wrong == ("c",)


@pytest.mark.parametrize("turn", [False, True])
def test_a_sorted_query_is_not_proved_equal_to_one_without_order(
    propose: Propose, turn: bool
) -> None:
    """A proof allows one ORDER BY too many: as gold the two say different things."""
    queries = [
        "SELECT name FROM city WHERE people > 100 ORDER BY id",
        "SELECT name FROM city WHERE 100 < people",
    ]
    first = propose(COUNT, **dict(zip("ab", queries[::-1] if turn else queries, strict=True)))[0]
    assert first.candidate.systems == ("a", "b")
    assert len(first.candidate.proved) == 1


def test_several_systems_come_first_then_signs_then_single_systems(propose: Propose) -> None:
    systems = {
        "a": "SELECT name FROM city WHERE people > 100",
        "b": "SELECT name FROM city WHERE people >= 101",
        "c": "SELECT name FROM city WHERE people = 700",
    }
    proposals = propose(SMALLEST, **systems)
    assert [each.candidate.systems for each in proposals] == [("a", "b"), (), ("c",)]
    assert proposals[1].candidate.source == "whole_tie"
    assert proposals[1].removes == proposals[2].removes == ("tie_at_limit",)
    assert proposals[2].adds == ("unmentioned_value",)
    assert proposals[0].candidate.reason == "the query of 2 systems with one answer"
    assert "2 systems answer so: a, b; proved equal: a, b" in proposals[0].lines()
    assert proposals[2].candidate.reason == "the query of 1 system"
    assert "1 system answers so: c" in proposals[2].lines()
    assert len(proposals) == MOST


def test_a_candidate_with_a_new_strong_sign_comes_last(propose: Propose) -> None:
    absent = "SELECT COUNT(DISTINCT kind) + 1 FROM shop WHERE kind = 'Tea'"
    proposals = propose(COUNT, a=absent, b=absent, c="SELECT 3 FROM shop LIMIT 1")
    assert "dead_literal" in proposals[-1].adds
    assert proposals[-1].candidate.systems == ("a", "b")


def test_an_edit_of_what_systems_agree_on(propose: Propose) -> None:
    gold = "SELECT name FROM city WHERE people < 10"
    proposals = propose(gold, a=SMALLEST, b=SMALLEST, c=SMALLEST)
    edited = next(each for each in proposals if each.candidate.source == "whole_tie")
    assert "MIN(people)" in edited.candidate.sql
    assert "3 systems" in edited.candidate.reason


def test_what_is_proved_equal_or_does_not_differ_is_not_proposed(propose: Propose) -> None:
    same = {
        "a": "SELECT COUNT(s.kind) FROM shop AS s",
        "b": "SELECT 4",
        "c": "SELECT no_column FROM shop",
    }
    assert all("b" in each.candidate.systems for each in propose(KINDS, **(same | {"a": KINDS})))
    assert propose("SELECT name FROM city", a="SELECT city.name FROM city") == ()
    # Another order of rows that no question asks for is no difference.
    assert propose("SELECT name FROM city", a="SELECT name FROM city ORDER BY name") == ()


def test_a_lucky_match_is_proposed_for_its_witness(propose: Propose) -> None:
    (proposal,) = propose("SELECT MAX(id) FROM city", a="SELECT COUNT(*) FROM city")
    assert not proposal.changes_answer
    assert proposal.witness is not None
    assert proposal.change_words() == "the real database gives the same answer to both"


def test_every_proposal_differs_somewhere(propose: Propose) -> None:
    queries = [COUNT, KINDS, SMALLEST, "SELECT name FROM city", "SELECT kind FROM shop", "SELECT 2"]
    for gold in queries:
        systems = {f"s{number}": sql for number, sql in enumerate(queries)}
        for proposal in propose(gold, **systems):
            assert proposal.changes_answer or proposal.witness is not None
            assert proposal.candidate.sql != gold


def test_a_gold_that_fails_or_cannot_be_read_has_the_systems_query(propose: Propose) -> None:
    for gold in ("SELECT no_column FROM shop", "SELEC kind FROM shop"):
        (proposal,) = propose(gold, a=KINDS)
        assert proposal.candidate.sql == KINDS
        assert proposal.change_words() == "the gold fails; 1 row after"
        assert proposal.to_right == ("a",)
        assert proposal.as_record()["before"] is None


def test_a_second_gold_that_a_system_matches_is_no_mistake(propose: Propose) -> None:
    sources = [each.candidate.sql for each in propose((COUNT, KINDS), a=KINDS)]
    assert KINDS not in sources


def test_hostile_predictions_change_nothing(propose: Propose) -> None:
    hostile = {f"h{number}": each.sql for number, each in enumerate(hostile_predictions()[:40])}
    before = propose(COUNT, a=KINDS)
    after = propose(COUNT, a=KINDS, **hostile)
    assert before[0].candidate.sql == after[0].candidate.sql
    assert propose(COUNT, a=KINDS) == before


def test_the_same_inputs_give_the_same_proposals(propose: Propose) -> None:
    systems = {"a": KINDS, "b": "SELECT 3", "c": "SELECT COUNT(*) FROM city"}
    texts = [
        msgspec.json.encode([each.as_record() for each in propose(COUNT, **systems)])
        for _ in range(2)
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_golds_of_every_engine(engine: str, tmp_path: Path) -> None:
    with database_of(engine, tmp_path, *TABLES) as database, proposer_of(engine, database) as call:
        count_first = call(COUNT, a=KINDS, b=KINDS)[0]
        assert count_first.candidate.systems == ("a", "b")
        assert count_first.changes_answer
        assert count_first.to_right == ("a", "b")
        tie = call(SMALLEST)[0]
        assert tie.candidate.source == "whole_tie"
        assert (tie.pair.gold_count, tie.pair.prediction_count) == (1, 2)


def test_a_system_s_comments_do_not_become_part_of_the_gold(propose: Propose) -> None:
    commented = (
        "-- I think\nSELECT/* here */COUNT(DISTINCT kind) -- kinds; of shops\nFROM shop; -- done"
    )
    first = propose(COUNT, a=commented, b=commented)[0]
    assert first.candidate.systems == ("a", "b")
    assert first.candidate.sql == "SELECT COUNT(DISTINCT kind) \nFROM shop"


@pytest.mark.parametrize(
    ("sql", "dialect", "bare"),
    [
        (
            "SELECT '-- no', \"/* no */\" FROM t -- yes",
            "sqlite",
            "SELECT '-- no', \"/* no */\" FROM t",
        ),
        ("SELECT 1 -- a\n-- b\n;", "sqlite", "SELECT 1"),
        ("SELECT 1 /* open", "sqlite", "SELECT 1"),
        ("SELECT 1/**/+/**/1", "sqlite", "SELECT 1 + 1"),
        ("SELECT 5--1", "mysql", "SELECT 5--1"),
        ("SELECT /*!40000 1 + */ 1", "mysql", "SELECT /*!40000 1 + */ 1"),
        ("SELECT `a -- b` FROM t -- c", "mysql", "SELECT `a -- b` FROM t"),
        ("SELECT $$ -- no $$ FROM t", "postgres", "SELECT $$ -- no $$ FROM t"),
        ("SELECT 1 /* a /* b */ c */ + 1", "postgres", "SELECT 1 /* a /* b */ c */ + 1"),
        ("DROP TABLE t; -- x", "sqlite", "DROP TABLE t; -- x"),
        ("-- nothing", "sqlite", "-- nothing"),
    ],
)
def test_what_is_a_comment(sql: str, dialect: str, bare: str) -> None:
    assert without_comments(sql, dialect) == bare


def test_the_comparison_is_that_of_the_run(make_run: Callable[..., Run]) -> None:
    assert metric_of(make_run("a")) == "ex[strict]"
