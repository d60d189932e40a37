"""What the page shows of a pair: laid out queries, marked rows, bounded cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_runs import KNOWLEDGE, OpenSession
from sqlverdict.evidence_parts import AnswerExcerpt, LoggedAnswers, TypedCell
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.display import (
    LONGEST_CELL,
    MOST_ROWS,
    display_result,
    excerpt_pair,
    relate_results,
    result_pair,
)
from sqlverdict.label.item import logged_result, show_item
from sqlverdict.label.layout_sql import layout, layout_pair
from sqlverdict.records import Answer, Failure, Reason


def text_of(sql: str) -> str:
    return "".join(piece.text for piece in layout(sql))


def test_a_query_stands_in_lines() -> None:
    sql = (
        "select a, count(*) from t join u on t.x=u.x where a in (select b from v where c=1) "
        "and d between 1 and 2 group by a order by 2 desc limit 3"
    )
    assert text_of(sql).splitlines() == [
        "SELECT a, count(*)",
        "FROM t",
        "JOIN u ON t.x=u.x",
        "WHERE a IN (",
        "  SELECT b",
        "  FROM v",
        "  WHERE c=1",
        ")",
        "  AND d BETWEEN 1 AND 2",
        "GROUP BY a",
        "ORDER BY 2 DESC",
        "LIMIT 3",
    ]


@given(st.text(alphabet="()'\"-ab 1,.;\nSELECT FROM WHERE AND /*", max_size=60))
def test_a_layout_changes_nothing_but_spaces_and_case(sql: str) -> None:
    squeezed = "".join(text_of(sql).split()).lower()
    assert squeezed == "".join(sql.rstrip().removesuffix(";").split()).lower()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 -- one\n, 2",
        "SELECT 'a  b', \"c  d\" FROM t",
        "SELECT left(a, 1) FROM t",
    ],
)
def test_a_layout_is_the_same_query(sql: str) -> None:
    assert fold_sql(text_of(sql)) == fold_sql(sql)


def test_what_the_other_query_lacks_is_marked() -> None:
    a, b = layout_pair("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE y = 2 AND z")
    assert [piece.text.strip() for piece in a if piece.differs] == ["1"]
    assert [piece.text.strip() for piece in b if piece.differs] == ["2", "AND", "z"]


def test_rows_that_the_other_result_lacks_are_marked_as_often() -> None:
    a, b = result_pair(Answer(("x",), [(1,), (1,), (2,)]), Answer(("x",), [(1,), (3,)]), "differ")
    assert (a.marks, a.marked) == ((1, 2), 2)
    assert (b.marks, b.marked) == ((1,), 1)


@pytest.mark.parametrize(
    ("rows", "relation"),
    [
        ([(1, "x"), (2, "y")], "same"),
        ([(2, "y"), (1, "x")], "row_order"),
        ([("x", 1.0), ("y", 2)], "column_order"),
        ([("y", 1), ("x", 2)], "differ"),
        ([(1, "x")], "differ"),
    ],
)
def test_results_in_another_order_are_not_marked(rows, relation) -> None:
    one, other = Answer(("a", "b"), [(1, "x"), (2, "y")]), Answer(("c", "d"), rows)
    assert relate_results(one, other) == relation
    marked = sum(display.marked for display in result_pair(one, other, relation))
    assert (marked > 0) == (relation == "differ")


def test_a_difference_far_down_is_shown() -> None:
    rows = [(number,) for number in range(1000)]
    a, b = result_pair(Answer(("x",), [*rows, (-1,)]), Answer(("x",), rows), "differ")
    assert a.rows == ((-1,),)
    assert len(b.rows) == MOST_ROWS
    assert (a.count, b.count) == (1001, 1000)


def test_cells_are_short_and_exact_in_a_browser() -> None:
    answer = Answer(("x",), [(2**60,), (float("inf"),), (b"\x00\xff",), ("y" * 1000,), (None,)])
    cells = [row[0] for row in display_result(answer).rows]
    assert cells[:3] == [str(2**60), "inf", "x'00ff'"]
    assert len(str(cells[3])) == LONGEST_CELL + 1
    assert cells[4] is None


def test_rows_of_one_answer_alone_are_marked_on_a_witness() -> None:
    once, twice = (AnswerExcerpt(("n",), (("c",),) * n, n) for n in (1, 2))
    assert [each.marks for each in excerpt_pair(once, twice)] == [(), (1,)]
    cut = AnswerExcerpt(("n",), (("c",),), 40)
    assert [each.marks for each in excerpt_pair(once, cut)] == [(), ()], "the rest is not known"
    failed = AnswerExcerpt((), failed=Reason.EXECUTION_ERROR, message="no")
    assert [each.marks for each in excerpt_pair(failed, twice)] == [(), ()]


def test_knowledge_comes_from_the_run_log(
    open_session: OpenSession, databases: CaseDatabases
) -> None:
    items = open_session().queue.items.values()
    (first,) = (item for item in items if item.result.id == "q1")
    assert show_item(first, databases, "gold").knowledge == KNOWLEDGE


def test_a_failure_is_words() -> None:
    failed = display_result(Failure(Reason.EXECUTION_ERROR, "no such table"))
    assert failed.failure == "EXECUTION_ERROR: no such table"


def test_an_item_has_results_witness_and_tables(
    open_session: OpenSession, databases: CaseDatabases
) -> None:
    session = open_session()
    by_id = {item.result.id: item for item in session.queue.items.values()}
    lucky = show_item(by_id["q0"], databases, "gold")
    assert lucky.relation == "same"
    assert lucky.a.result.rows == lucky.b.result.rows == ((3,),)
    assert lucky.witness[0].rows == ((1, None),)
    assert lucky.a.on_witness.rows == ((1,),)
    assert lucky.b.on_witness.rows == ((0,),)
    assert lucky.a.on_witness.marks == lucky.b.on_witness.marks == (0,)
    assert [column.name for column in lucky.tables[0].columns] == ["id", "name", "price"]
    assert lucky.tables[0].columns[0].key == "key"
    assert len(lucky.tables[0].rows) == 3
    other = show_item(by_id["q0"], databases, "prediction")
    assert other.a.pieces == lucky.b.pieces
    assert other.a.on_witness == lucky.b.on_witness
    assert other.digest != lucky.digest
    broken = show_item(by_id["q4"], databases, "gold")
    assert "no such column" in broken.b.result.failure
    assert broken.relation == ""


def test_without_a_database_results_come_from_the_run_log() -> None:
    answers = LoggedAnswers(
        (3, 1), (2, 1), ("name",), ("id",), missing=(("a",), (TypedCell("blob", "00ff"),)),
        extra=((1,),), missing_count=3, extra_count=2,
    )  # fmt: skip
    gold, prediction = (logged_result(answers, side) for side in ("gold", "prediction"))
    assert (gold.rows, gold.count, gold.marks, gold.marked) == (
        (("a",), ("x'00ff'",)),
        3,
        (0, 1),
        3,
    )
    assert (prediction.columns, prediction.rows, prediction.marked) == (("id",), ((1,),), 2)
    same = logged_result(LoggedAnswers((5, 1), (5, 1), ("n",), ("n",), same=((1,),)), "gold")
    assert (same.rows, same.count, same.marks) == (((1,),), 5, ())
    failed = logged_result(LoggedAnswers((1, 1), None, ("n",)), "prediction")
    assert failed.failure


def test_without_both_the_page_says_so(open_session: OpenSession) -> None:
    session = open_session()
    bare = CaseDatabases(QueryRunner("sqlite", Limits()))
    item = show_item(next(iter(session.queue.items.values())), bare, "gold")
    assert "option databases" in item.a.result.failure
    assert item.tables == ()


def test_spaces_and_a_last_semicolon_tell_nobody_apart() -> None:
    assert text_of("select a , b FROM t WHERE c IN ( 1 , 2 ) ;") == text_of(
        "SELECT a, b from t where c in (1, 2)"
    )
