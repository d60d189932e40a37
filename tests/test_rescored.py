"""The page of published systems: its figures follow from its facts, and its facts from the data."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.records import Result, Verdict
from sqlverdict.situations import Situation

ROOT = Path(__file__).resolve().parent.parent
FACTS = json.loads((ROOT / "docs" / "rescored.json").read_text("utf-8"))
NAMES = {board["name"]: board for board in FACTS["boards"]}
SAMPLE = {"spider": (162, 486), "bird": (252,), "mini_dev": (56,)}
"""The questions that are evaluated again; that of mini-dev has another gold and code fences."""
SYSTEMS = ("DAIL", "RESDSQL", "gpt-4-o_cot_SQLite", "gpt-4-turbo_sqlite")
"""Whose answers to them are evaluated."""


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets a test import the modules of docs and bench, and forgets them again."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("rescored"):
            del sys.modules[name]


def figures(**systems: str) -> Any:
    """A board of systems on as many questions as each has letters, all of one metric."""
    from rescored_figures import BoardFigures

    letters = {
        "p": "proved",
        "l": "ordinary_witness",
        "h": "harmless_difference",
        "d": "difference",
    }
    right = str.maketrans("plhd-", "11000")
    size = len(next(iter(systems.values())))
    facts = {
        "name": "own",
        "metrics": ["ex"],
        "golds": {"first": [], "second": ["0"]},
        "questions": [str(number) for number in range(size)],
        "parts": {},
        "systems": [
            {
                "name": name,
                "outcomes": {
                    "first": {"ex": text.translate(right), "verdict": text},
                    "second": {"ex": f"0{text.translate(right)[1:]}", "verdict": f"d{text[1:]}"},
                },
            }
            for name, text in systems.items()
        ],
    }
    return BoardFigures(facts, letters)


@pytest.mark.usefixtures("modules")
def test_the_page_is_what_the_facts_say() -> None:
    from rescored_page import rescored_page

    assert (ROOT / "docs" / "rescored.md").read_text("utf-8") == rescored_page(), (
        "run python docs/generate.py"
    )


def test_every_question_has_a_letter_and_every_letter_a_situation() -> None:
    assert set(FACTS["situations"].values()) == {situation.value for situation in Situation}
    for board in FACTS["boards"]:
        assert board["cases"] == len(board["questions"]) + sum(board["left_out"].values())
        for system in board["systems"]:
            assert list(system["outcomes"]) == list(board["golds"])
            for texts in system["outcomes"].values():
                assert list(texts) == [*board["metrics"], "verdict"]
                assert {len(text) for text in texts.values()} == {len(board["questions"])}
                assert set(texts["verdict"]) <= {*FACTS["situations"], "-"}


def test_our_ex_is_that_of_the_official_scripts_and_nothing_was_cut_by_time() -> None:
    """The page says so."""
    for board in FACTS["boards"]:
        assert not board["cut_by_time"]
        for counts in board["reference"].values():
            assert counts["answers"] == counts["same"] > 0


@pytest.mark.usefixtures("modules")
def test_what_the_page_says_in_words_is_so() -> None:
    """The sentences of "What moved, and why" that are no figures."""
    from rescored_figures import BoardFigures

    spider, bird, mini_dev = (BoardFigures(board, FACTS["situations"]) for board in FACTS["boards"])
    script, with_distinct, *verdicts = (spider.rank("published", each) for each in spider.measures)
    assert script.places[0].system != with_distinct.places[0].system
    for ranking in (with_distinct, *verdicts):
        assert ranking.places[0].system == with_distinct.places[0].system
        assert {script.places[0].system, with_distinct.places[0].system} <= set(ranking.first)
        last = ranking.places[-1]
        assert last.system == script.places[-1].system
        assert last.rank == len(ranking.places)

    for system in spider.systems:
        for situation, *letters in zip(
            spider.situations_of(system, "published"),
            *(spider.letters(system, "published", metric) for metric in spider.metrics),
            strict=True,
        ):
            assert situation is not Situation.DIFFERENCE or letters in (["0", "0"], ["1", "0"])

    before, after = (bird.rank(golds, "ex[bird]") for golds in bird.golds)
    last = before.places[-1]
    assert last.system in before.first
    assert last.system not in after.first
    assert all(
        abs(after.by_system[each.system].share - each.share) < 0.01 for each in before.places
    )
    known, untouched = (
        bird.rank(bird.golds[0], "intent", bird.facts["parts"][part])
        for part in ("known", "untouched")
    )
    assert known.places[0].system != untouched.places[0].system
    assert len(known.first) == len(untouched.first) == len(bird.systems)

    as_written, of_sql = (mini_dev.rank("published", metric) for metric in mini_dev.metrics)
    corrected = mini_dev.rank("corrected", "ex[bird]")
    steps = [corrected.by_system[each.system].right - each.right for each in of_sql.places]
    readings = [each.right - as_written.by_system[each.system].right for each in of_sql.places]
    assert max(readings) > max(steps) > 0


@pytest.mark.usefixtures("modules")
def test_a_policy_decides_and_review_is_not_right() -> None:
    board = figures(one="plhd-", two="ppppp")
    counts = {
        measure: (entry.right, entry.review)
        for measure in board.measures
        for entry in [board.rank("first", measure).by_system["one"]]
    }
    assert counts == {"ex": (2, 0), "results": (2, 0), "intent": (2, 1), "strict": (2, 0)}


@pytest.mark.usefixtures("modules")
def test_a_difference_that_may_be_chance_shares_a_rank() -> None:
    board = figures(best="p" * 40, near="p" * 38 + "dd", far="p" * 20 + "d" * 20)
    ranking = board.rank("first", "intent")
    assert [(entry.system, entry.rank) for entry in ranking.places] == [
        ("best", 1),
        ("near", 1),
        ("far", 3),
    ]
    assert ranking.first == ["best", "near"]
    assert ranking.pairs_apart == 2
    assert board.difference("first", "intent", "best", "far").difference == 0.5


@pytest.mark.usefixtures("modules")
def test_a_part_counts_its_questions_alone() -> None:
    board = figures(one="pddd", two="pppp")
    entry = board.rank("first", "ex", ["0", "1"]).by_system["one"]
    assert (entry.right, entry.n) == (1, 2)


@pytest.mark.usefixtures("modules")
def test_other_golds_change_what_they_change() -> None:
    board = figures(one="pppp", two="dddd")
    assert board.gold_change("one", "intent", "second").difference == -0.25
    assert board.gold_change("two", "intent", "second").difference == 0


@pytest.mark.usefixtures("modules")
def test_evidence_adds_up_and_disagreements_are_of_some_policy() -> None:
    board = figures(one="plhd-", two="ppppp")
    counts = board.evidence("one", "first")
    assert dict(counts) == {"proved": 1, "witness": 1, "form": 1, "differs": 1, "fails": 1}
    situations = {situation.value for situation, _ in board.disagreements("first", "ex")}
    assert situations == {"ordinary_witness", "harmless_difference"}


@pytest.mark.parametrize("name", SAMPLE)
@pytest.mark.usefixtures("modules")
def test_the_facts_are_what_an_evaluation_of_some_questions_says(
    name: str, data_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQLVERDICT_DATA", str(data_root))
    from rescored import outcomes
    from rescored_boards import boards, evaluate_board

    facts = NAMES[name]
    board = next(each for each in boards(tmp_path) if each.name == name)
    systems = [each for each in facts["systems"] if each["name"] in SYSTEMS]
    files = {each["name"]: board.predictions[each["name"]] for each in systems}
    board = replace(board, predictions=files)
    numbers = SAMPLE[name]
    ids = [facts["questions"][number] for number in numbers]
    results = evaluate_board(board, tmp_path, only=ids)
    for system in systems:
        for golds, texts in system["outcomes"].items():
            assert outcomes(board, results[golds][system["name"]], ids) == {
                metric: "".join(text[number] for number in numbers)
                for metric, text in texts.items()
            }, (system["name"], golds, ids)


@pytest.mark.usefixtures("modules")
def test_a_system_of_one_s_own_joins_a_board_on_the_questions_that_it_could_score() -> None:
    from rescored import add_system, outcomes
    from rescored_boards import Board, GoldSet

    facts = NAMES["bird"]
    first, second = facts["golds"]
    board = Board(
        "bird", (), tuple(facts["metrics"]), (GoldSet(first), GoldSet(second)), {"mine": Path("x")}
    )
    lost = facts["questions"][0]

    def result(case_id: str) -> Result:
        unscored = case_id == lost
        verdict = Verdict.UNSCORED if unscored else Verdict.CORRECT
        return Result(
            0, case_id, "club", "", ("SELECT 1",), "SELECT 1", False, verdict,
            scores={"ex[bird]": None if unscored else 1.0},
            situation=None if unscored else Situation.PROVED.value,
        )  # fmt: skip

    own = {each: result(each) for each in facts["questions"]}
    joined = add_system(facts, board, {first: {"mine": own}, second: {"mine": own}})
    ids = facts["questions"][1:]
    assert joined["questions"] == ids
    assert joined["left_out"] == {**facts["left_out"], "club": 1}
    assert all(lost not in members for members in joined["parts"].values())
    for before, after in zip(facts["systems"], joined["systems"], strict=False):
        for golds, texts in before["outcomes"].items():
            assert after["outcomes"][golds] == {key: text[1:] for key, text in texts.items()}
    assert joined["systems"][-1]["outcomes"][second] == outcomes(board, own, ids)
    assert len(joined["systems"]) == len(facts["systems"]) + 1


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nope:X={}", "there is no board 'nope'"),
        ("bird:DAIL={}", "DAIL is a published system"),
        ("bird:a/b={}", "names no system"),
        ("bird={}", "names no system"),
        ("bird:X={}.gone", "there is no file"),
    ],
)
def test_what_names_no_system_of_one_s_own(text: str, complaint: str, tmp_path: Path) -> None:
    from rescored import _read_system
    from rescored_boards import Board

    file = tmp_path / "own.txt"
    file.write_text("SELECT 1\n")
    every = {"bird": Board("bird", (), (), (), {"DAIL": file})}
    with pytest.raises(ValueError, match=complaint):
        _read_system(text.format(file), every)


@pytest.mark.usefixtures("modules")
def test_replies_count_as_they_are_written(tmp_path: Path) -> None:
    from rescored_boards import AS_WRITTEN, BIRD_MARK, Board, single_board

    file = tmp_path / "own.jsonl"
    fenced = "```sql\nSELECT 1\n```"
    file.write_text(json.dumps({"id": "7", "prediction": fenced}) + "\n")
    published = {"other": {"7": f"SELECT 2{BIRD_MARK}club"}}
    board = Board("mini_dev", (), (AS_WRITTEN,), (), {}, {"other": 1.0}, replies=published)
    own = single_board(board, "mine", file)
    assert own.replies == {"mine": {"7": f"{fenced}{BIRD_MARK}club"}}
    assert (own.predictions, own.printed) == ({"mine": file}, {})
