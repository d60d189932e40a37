"""The gate against several runs of a baseline, verdicts and reasons, and the pull-request comment."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from error_parts import asks_for
from sqlverdict.errors import OptionName
from sqlverdict.records import Verdict
from sqlverdict.report.several_runs.flips import find_flips
from sqlverdict.report.several_runs.gate import check_run
from sqlverdict.report.several_runs.gate_rules import (
    NOISE,
    Allowance,
    Rules,
    parse_drop,
    parse_maximum,
    parse_regressions,
)
from sqlverdict.report.several_runs.pull_request import MARKER, code_span, pull_request_comment
from sqlverdict.runlog.run import Run

Scored = Callable[..., Run]
NONE_LOST = Rules(max_regressions=Allowance(number=0))


def test_a_question_was_right_if_every_run_of_the_baseline_says_so(scored_run: Scored) -> None:
    baselines = [
        scored_run("b1", [1.0, 1.0, 1.0, 0.0, None]),
        scored_run("b2", [1.0, 0.0, None, 0.0, None]),
    ]
    flips = find_flips(scored_run("now", [0.0, 0.0, 0.0, 1.0, 1.0]), baselines, "ex")
    assert [case.id for case in flips.lost] == ["q0", "q2"]
    assert [case.id for case in flips.unsteady] == ["q1"]
    assert [case.id for case in flips.gained] == ["q3"]
    assert flips.right_before == 2


def test_a_question_that_the_baseline_flips_is_no_regression(scored_run: Scored) -> None:
    one, two = scored_run("b1", [1.0, 1.0]), scored_run("b2", [1.0, 0.0])
    now = scored_run("now", [1.0, 0.0])
    assert not check_run(now, NONE_LOST, [one]).passed
    report = check_run(now, NONE_LOST, [one, two])
    assert report.passed
    assert any("noise, not a regression" in note for note in report.notes)


def test_an_absent_question_is_lost_whichever_run_of_the_baseline_has_it(
    scored_run: Scored,
) -> None:
    baselines = [scored_run("b1", [1.0]), scored_run("b2", [1.0, 1.0])]
    (lost,) = find_flips(scored_run("now", [1.0]), baselines, "ex").lost
    assert (lost.id, lost.why, lost.before, lost.after) == (
        "q1",
        "not in this run",
        "SELECT 1",
        "",
    )


def test_the_allowed_noise_is_what_one_run_of_the_baseline_loses_against_its_others(
    scored_run: Scored,
) -> None:
    values = [[1.0] * 10 for _ in range(3)]
    values[0][1] = values[0][2] = 0.0  # loses two
    values[2][3] = 0.0  # loses one
    baselines = [scored_run(f"b{number}", each) for number, each in enumerate(values)]
    rules = Rules(max_regressions=NOISE)
    for wrong, passes in ((2, True), (3, False)):
        now = scored_run(f"now{wrong}", [1.0] * (10 - wrong) + [0.0] * wrong)
        report = check_run(now, rules, baselines)
        assert (report.passed, report.flips[0].noise_lost) == (passes, 2)


def test_the_band_of_noise_is_the_spread_of_each_question(scored_run: Scored) -> None:
    """Two of 100 questions flip: the variance of each is 1/2, that of the difference 3/4."""
    baselines = [
        scored_run("b1", [1.0] * 99 + [0.0]),
        scored_run("b2", [0.0] + [1.0] * 99),
    ]
    rules = Rules(max_drop=NOISE)
    at_mean = check_run(scored_run("same", [1.0] * 99 + [0.0]), rules, baselines)
    assert at_mean.passed
    assert at_mean.flips[0].noise_drop == pytest.approx(1.96 * 1.5**0.5 / 100)
    for wrong, passes in ((3, True), (4, False)):
        now = scored_run(f"now{wrong}", [0.0] * wrong + [1.0] * (100 - wrong))
        assert check_run(now, rules, baselines).passed is passes


def test_runs_without_noise_allow_nothing_and_say_so(scored_run: Scored) -> None:
    baselines = [scored_run(name, [1.0, 1.0]) for name in ("b1", "b2")]
    rules = Rules(max_regressions=NOISE, max_drop=NOISE)
    report = check_run(scored_run("now", [1.0, 0.0]), rules, baselines)
    assert [condition.passed for condition in report.conditions] == [False, False]
    assert any("they show no noise" in note for note in report.notes)


def test_a_drop_of_just_what_is_allowed_passes(scored_run: Scored) -> None:
    """0.73 - 0.72 is above 0.01 in floating point."""
    before = scored_run("before", [1.0] * 73 + [0.0] * 27)
    after = scored_run("after", [1.0] * 72 + [0.0] * 28)
    assert check_run(after, Rules(max_drop=0.01), [before]).passed
    assert not check_run(after, Rules(max_drop=0.0099), [before]).passed


def test_noise_needs_two_different_runs_of_the_baseline(scored_run: Scored) -> None:
    run = scored_run("r", [1.0])
    with asks_for(OptionName("baseline")):
        check_run(run, Rules(max_drop=NOISE), [run])
    with asks_for(OptionName("baseline", str(run.folder))):
        check_run(run, NONE_LOST, [run, run])


@pytest.mark.parametrize(
    ("verdict", "lost"),
    [
        (Verdict.ABSTAINED_RIGHT, 0),
        (Verdict.INCORRECT, 1),
        (Verdict.UNSCORED, 1),
    ],
)
def test_an_abstention_that_was_right_and_is_an_answer_now_is_a_regression(
    make_run: Any, make_result: Any, verdict: Verdict, lost: int
) -> None:
    fields = {"answerable": False, "gold": (), "scores": {"ex": None}}
    before = make_run(
        "before", [make_result(0, abstained=True, verdict=Verdict.ABSTAINED_RIGHT, **fields)]
    )
    abstained = verdict is Verdict.ABSTAINED_RIGHT
    after = make_run("after", [make_result(0, abstained=abstained, verdict=verdict, **fields)])
    assert len(check_run(after, NONE_LOST, [before]).flips[0].lost) == lost


@pytest.mark.parametrize(
    ("maximum", "passes"),
    [
        ("incorrect=2", True),
        ("incorrect=1", False),
        ("incorrect=50%", True),
        ("incorrect=49%", False),
        ("VALUE_MISMATCH=1", True),
        ("VALUE_MISMATCH=0", False),
        ("EXECUTION_ERROR=0", True),
        ("unscored=24%", False),
    ],
)
def test_verdicts_and_reasons_have_maximums(
    make_run: Any, make_result: Any, maximum: str, passes: bool
) -> None:
    run = make_run(
        "r",
        [
            make_result(0),
            make_result(1, verdict=Verdict.INCORRECT, reasons=("VALUE_MISMATCH",)),
            make_result(2, verdict=Verdict.INCORRECT, reasons=("EMPTY_RESULT",)),
            make_result(3, verdict=Verdict.UNSCORED),
        ],
    )
    word, allowed = parse_maximum(maximum)
    assert check_run(run, Rules(maximums={word: allowed})).passed is passes


@pytest.mark.parametrize("text", ["wrong=3", "incorrect", "incorrect=", "incorrect=-1", "=3"])
def test_what_is_no_maximum_is_refused(text: str) -> None:
    with asks_for("max"):
        parse_maximum(text)


def test_noise_is_a_word_of_both_options() -> None:
    assert parse_drop("noise") == parse_regressions("noise") == NOISE
    assert parse_regressions("1%") == Allowance(share=0.01)
    with asks_for("max_regressions"):
        parse_regressions("some")


HOSTILE = [
    "plain",
    "`",
    "a``b",
    "```\n# title\n```",
    "@everyone #1 https://evil.example <script>alert(1)</script>",
    "| cell | <!-- comment --> ~~x~~ :smile: $x$",
    "\\`",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_code_span_holds_any_text(text: str) -> None:
    """The fence occurs at both ends and nowhere between: CommonMark ends a span at its equal."""
    span = code_span(text)
    fence = re.match("`+", span)
    assert fence
    inner = span[len(fence[0]) : -len(fence[0])]
    assert span.endswith(fence[0])
    assert fence[0] not in re.findall("`+", inner)
    assert not inner.startswith("`")
    assert not inner.endswith("`")
    assert "\n" not in span
    assert inner.strip() == " ".join(text.split())


def test_the_comment_lists_the_flipped_questions_with_their_queries(
    make_run: Any, make_result: Any
) -> None:
    before = make_run(
        "before",
        [make_result(0), make_result(1, verdict=Verdict.INCORRECT, prediction="SELECT 3")],
    )
    wrong = {"verdict": Verdict.INCORRECT, "reasons": ("VALUE_MISMATCH",)}
    after = make_run("after", [make_result(0, prediction="SELECT 2", **wrong), make_result(1)])
    text = pull_request_comment(check_run(after, NONE_LOST, [before]), after)
    assert text.startswith(MARKER + "\n### sqlverdict: 1 of 1 condition failed\n")
    assert "❌ `no regressions in ex`: 1 case lost (required 0)" in text
    lost, gained = text.split("#### Were wrong, are right now: 1")
    assert "- `q0` (`shop`) `VALUE_MISMATCH`: `Question 0?`\n" in lost
    assert "  - before: `SELECT 1`\n  - now: `SELECT 2`\n" in lost
    assert "  - before: `SELECT 3`\n  - now: `SELECT 1`\n" in gained


@pytest.mark.parametrize("field", ["id", "db_id", "question", "gold", "prediction", "reasons"])
def test_nothing_of_a_run_leaves_its_code_span(make_run: Any, make_result: Any, field: str) -> None:
    evil = "x`` @team\n\n# Title <img src=x> [a](http://evil.example) `"
    content: Any = (evil,) if field in ("gold", "reasons") else evil
    before = make_run("before", [make_result(0, **{field: content})])
    wrong = make_result(0, **({"verdict": Verdict.INCORRECT} | {field: content}))
    after = make_run("after", [wrong], system=evil)
    text = pull_request_comment(check_run(after, NONE_LOST, [before]), after)
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "evil" in text
    for part in ("@", "evil", "Title", "img"):
        assert part not in outside


def test_a_comment_fits_into_what_github_takes(make_run: Any, make_result: Any) -> None:
    texts = {"question": "q" * 500, "prediction": "`" * 5_000, "gold": ("SELECT " + "x" * 5_000,)}
    before = make_run("before", [make_result(n, **texts) for n in range(400)])
    after = make_run(
        "after", [make_result(n, verdict=Verdict.INCORRECT, **texts) for n in range(400)]
    )
    text = pull_request_comment(check_run(after, NONE_LOST, [before]), after, show=400)
    assert 40_000 < len(text) <= 60_500
    assert re.search(r"- and \d+ more\n", text)
    few = pull_request_comment(check_run(after, NONE_LOST, [before]), after, show=3)
    assert "- and 397 more\n" in few
