"""Two runs compared, several ranked: over the cases they share, with what is chance told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner

from error_parts import asks_for
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.records import Result
from sqlverdict.report.several_runs.comparison import compare_runs
from sqlverdict.report.several_runs.gate import check_run
from sqlverdict.report.several_runs.gate_rules import Allowance, Rules
from sqlverdict.report.several_runs.leaderboard import (
    group_sentences,
    leaderboard_table,
    rank_runs,
)
from sqlverdict.report.several_runs.same_cases import check_same_cases
from sqlverdict.runlog.run import Run

Scored = Callable[..., Run]
MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]


def test_changes_come_with_both_predictions(make_run: MakeRun, make_result: MakeResult) -> None:
    a = make_run("a", [make_result(0, prediction="SELECT old", scores={"ex": 1.0}), make_result(1)])
    b = make_run(
        "b",
        [
            make_result(0, prediction=None, abstained=True, scores={"ex": 0.0}, reasons=("WHY",)),
            make_result(1),
        ],
    )
    comparison = compare_runs(a, b)
    (lost,) = comparison.lost
    record = lost.as_record()
    assert [record[name] for name in ("id", "before", "after", "reasons")] == [
        "q0",
        "SELECT old",
        "(abstained)",
        ("WHY",),
    ]
    assert (comparison.before, comparison.after, comparison.gained) == (1.0, 0.5, ())
    assert (comparison.a, comparison.b) == ("a", "b")


def test_the_test_is_mcnemars_over_the_changed_cases(scored_run: Scored) -> None:
    a = scored_run("a", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    b = scored_run("b", [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    comparison = compare_runs(a, b)
    assert comparison.outcome.p_value == pytest.approx(0.21875)
    assert (len(comparison.outcome.gained), len(comparison.outcome.lost)) == (5, 1)


def test_only_so_many_changes_are_returned_with_texts(scored_run: Scored) -> None:
    comparison = compare_runs(scored_run("a", [0.0] * 9), scored_run("b", [1.0] * 9), limit=2)
    assert [change.after.id for change in comparison.gained] == ["q0", "q1"]
    assert len(comparison.outcome.gained) == 9


def test_levels_stand_in_their_natural_order(make_run: MakeRun, make_result: MakeResult) -> None:
    levels = ["hard", "easy", "extra", "medium"]
    a = make_run("a", [make_result(i, difficulty=level) for i, level in enumerate(levels)])
    b = make_run(
        "b",
        [
            make_result(i, difficulty=level, scores={"ex": float(level == "easy")})
            for i, level in enumerate(levels)
        ],
    )
    comparison = compare_runs(a, b)
    assert [level.key for level in comparison.levels] == ["easy", "medium", "hard", "extra"]
    assert [(level.before, level.after, level.lost) for level in comparison.levels][:2] == [
        (1.0, 1.0, 0),
        (1.0, 0.0, 1),
    ]


def test_what_weakens_a_comparison_is_noted(scored_run: Scored) -> None:
    a = scored_run("a", [1.0, None, 1.0])
    b = scored_run(
        "b",
        [1.0, 1.0],
        manifest={"engine_version": "3.54.0", "inputs": {"cases.jsonl": "zz", "predictions": "b"}},
    )
    notes = " / ".join(compare_runs(a, b).notes)
    assert "different benchmark files" in notes
    assert "3.40.1 and 3.54.0" in notes
    assert "1 case only in" in notes
    assert "1 case unscored" in notes


def test_runs_of_another_policy_are_not_compared_in_silence(scored_run: Scored) -> None:
    """The same answers are worth more by one policy than by another."""
    strict = scored_run("a", [1.0], manifest={"stages": {"policy": "strict"}})
    stages = {"policy": "intent", "no_sql": "abstain"}
    intent = scored_run("b", [1.0], manifest={"stages": stages})
    policy = "the policy of the verdict (policy) differs: strict and intent"
    silence = "what a reply without SQL counts as (no_sql) differs: wrong and abstain"
    assert [policy, silence] == list(compare_runs(strict, intent).notes)
    assert policy in rank_runs([strict, intent], "ex").notes
    assert policy in check_run(intent, Rules(max_regressions=Allowance(0)), [strict]).notes
    folders = [str(strict.folder), str(intent.folder)]
    assert f"note: {policy}\n" in CliRunner().invoke(sqlverdict, ["table", *folders]).stderr
    unnamed = scored_run("c", [1.0])
    words = "the policy of the verdict (policy) differs: results and strict"
    assert words in compare_runs(unnamed, strict).notes


def test_other_predictions_are_no_difference_worth_a_note(scored_run: Scored) -> None:
    a = scored_run("a", [1.0])
    b = scored_run("b", [1.0], manifest={"inputs": {"cases.jsonl": "aa", "predictions": "other"}})
    assert compare_runs(a, b).notes == ()


def test_runs_of_one_name_are_told_by_their_folders(scored_run: Scored) -> None:
    a = scored_run("a", [1.0], manifest={"system": "same"})
    b = scored_run("b", [1.0], manifest={"system": "same"})
    comparison = compare_runs(a, b)
    assert comparison.a.endswith("a")
    assert comparison.b.endswith("b")
    assert [rank.system for rank in rank_runs([a, b]).places] == [
        f"same ({a.folder})",
        f"same ({b.folder})",
    ]


def test_a_metric_or_case_that_is_not_shared_is_an_error(
    scored_run: Scored, make_run: MakeRun, make_result: MakeResult
) -> None:
    a = scored_run("a", [1.0])
    with pytest.raises(UsageError, match="'em'"):
        compare_runs(a, a, "em")
    other = make_run("c", [make_result(0, id="elsewhere")])
    with pytest.raises(UsageError, match="no case in common"):
        compare_runs(a, other)
    with pytest.raises(UsageError, match="no case in common"):
        rank_runs([a, other])
    with pytest.raises(UsageError, match="given twice"):
        rank_runs([a, a])
    with pytest.raises(UsageError, match="nothing to rank"):
        rank_runs([scored_run("none", [None])])


def test_the_leaderboard_ranks_by_value_and_ties_what_chance_could_make(scored_run: Scored) -> None:
    best = scored_run("best", [1.0] * 40)
    near = scored_run("near", [1.0] * 38 + [0.0] * 2)
    far = scored_run("far", [0.0] * 30 + [1.0] * 10)
    board = rank_runs([far, near, best])
    assert [(rank.rank, rank.system) for rank in board.places] == [
        (1, "best"),
        (1, "near"),
        (3, "far"),
    ]
    assert "near" in group_sentences(board)[0]
    assert "far" not in group_sentences(board)[0]
    assert leaderboard_table(board).rows[0][1:5] == ("best", "100.0%", "91.2 to 100.0", "40")


def test_a_value_is_over_the_common_cases_and_systems_are_told_apart_on_pairs(
    scored_run: Scored,
) -> None:
    a = scored_run("a", [1.0, None, 0.0, 1.0])
    b = scored_run("b", [1.0, 1.0, 0.0])
    board = rank_runs([a, b])
    assert (board.common, board.compared) == (3, 2)
    places = {one.system: (one.value, one.scored, one.unscored) for one in board.places}
    assert places == {"b": (2 / 3, 3, 0), "a": (0.5, 2, 1)}
    assert any("1 case of a not in every run" in note for note in board.notes)


def test_answers_and_abstentions_are_counted(make_run: MakeRun, make_result: MakeResult) -> None:
    run = make_run(
        "r",
        [
            make_result(0),
            make_result(1, prediction=None, abstained=True, scores={"ex": 0.0}),
            make_result(2, prediction="  ", scores={"ex": 0.0}),
        ],
    )
    (ranked,) = rank_runs([run]).places
    assert (ranked.scored, ranked.right, ranked.wrong, ranked.abstained) == (3, 1, 1, 1)


def test_runs_of_different_benchmarks_are_not_paired_by_id(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    """Spider and BIRD share positions as ids: 143 "common cases", p < 0.001."""
    a = make_run("a", [make_result(n) for n in range(3)])
    for name, fields in (("b", {"question": "Another?"}), ("c", {"gold": ("SELECT 2",)})):
        other = make_run(name, [make_result(n, **(fields if n else {})) for n in range(3)])
        with asks_for(OptionName("force", True)) as error:
            compare_runs(a, other)
        assert "2 of 3" in str(error.value)
        with asks_for("force"):
            check_run(other, Rules(max_regressions=Allowance(number=0)), [a])
        forced = compare_runs(a, other, force=True)
        assert "values of different cases are compared" in forced.notes[0]
        checked = check_run(other, Rules(max_regressions=Allowance(number=0)), [a], force=True)
        assert "values of different cases are compared" in checked.notes[0]
    other = make_run("d", [make_result(n, id=f"x{n}") for n in range(2)])
    (note,) = check_same_cases([a, other]).notes
    assert note.endswith("have no case in common")
