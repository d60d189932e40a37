"""FLEX's tables from files in its published layout: small ones of our own, and those at hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.errors import DataError
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Figure
from sqlverdict.papers.flex.examples import example_evidence
from sqlverdict.papers.flex.flex_files import GPT_4O, recorded_judges
from sqlverdict.papers.flex.judges import agreement_by_model, cost_of
from sqlverdict.papers.flex.kinds import difference_kinds, error_kinds
from sqlverdict.papers.flex.paper import PAPER
from sqlverdict.papers.flex.people import PAIRS, agreement_with_experts, context_agreement
from sqlverdict.papers.flex.systems import (
    TABLE_8,
    TABLE_9,
    bird_shift,
    bird_systems,
    errors_by_difficulty,
    gains_by_type,
    ranks,
    spider_shift,
    system_type,
)
from sqlverdict.papers.output import paper_json
from sqlverdict.papers.paper_data import MissingFile, PaperData
from sqlverdict.papers.reproduce import choose_exhibits, reproduce_exhibits

FACTS = Path(__file__).resolve().parents[2] / "docs" / "papers"
SCHEMA = "CREATE TABLE fish (\n    id INTEGER\n);"


def pair(equal: bool, right: bool, **more: Any) -> dict[str, Any]:
    """A line in FLEX's format."""
    return {
        "index": 1,
        "schema": SCHEMA,
        "question": "Which fish?",
        "hint": "",
        "pred_sql": "SELECT id FROM fish",
        "pred_exec": "| 1 |\nshape=(1, 1)",
        "gt_sql": "SELECT id FROM fish",
        "gt_exec": "| 1 |\nshape=(1, 1)",
        "hardness": "simple",
        "ex": int(equal),
        "judge_text": f'Looked.\n```json\n{{"correct": {json.dumps(right)}}}\n```',
        "judge_result": right,
        **more,
    }


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def write_experts(path: Path, rows: list[tuple[str, str]]) -> None:
    """Consensus of a match and of a mismatch a row; all experts vote as it says, 0.5 is split."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        halves = [f"{half}_{end}" for half in ("FN", "FP") for end in ("consensus", "avg", *"ABC")]
        writer.writerow(["Index", *halves])
        for index, (match, mismatch) in enumerate(rows):
            votes = [
                [one, one, *("1", "0", "0.5")] if one == "0.5" else [one] * 5
                for one in (mismatch, match)
            ]
            writer.writerow([2 * index, *votes[0], *votes[1]])


@pytest.fixture
def clone(tmp_path: Path) -> PaperData:
    """Four matches and four mismatches; people call one match wrong and one mismatch right."""
    agreement = tmp_path / "data" / "flex" / "results" / "agreement"
    # The judge overlooks the lucky match, and sees the unfair mismatch.
    write_lines(agreement / f"fp_{GPT_4O}.jsonl", [pair(True, True) for _ in range(4)])
    write_lines(agreement / f"fn_{GPT_4O}.jsonl", [pair(False, number == 0) for number in range(4)])
    rows = [("1", "1"), ("1", "0"), ("1", "0"), ("0", "0.5")]
    write_experts(agreement / "experts_agreement_200.csv", rows)
    return PaperData(tmp_path / "data", tmp_path / "out")


def values(cells: Iterable[PaperCell | Figure]) -> dict[tuple[str, str], Any]:
    only = [cell for cell in cells if isinstance(cell, PaperCell)]
    return {
        (cell.row, cell.column): round(cell.ours, 2) if isinstance(cell.ours, float) else cell.ours
        for cell in only
    }


def drawings(cells: Iterable[PaperCell | Figure]) -> dict[str, str]:
    return {each.name: each.svg for each in cells if isinstance(each, Figure)}


def test_agreement_counts_a_half_as_wrong(clone: PaperData) -> None:
    ours = values(agreement_with_experts(clone))
    # Of 8 pairs EX is right on 6, the judge on 7; the label of 0.5 is among the wrong ones.
    assert ours["EX", "kappa"] == 50.0
    assert (ours["EX", "accuracy"], ours["EX", "EQ"], ours["EX", "NEQ"]) == (75.0, 75.0, 75.0)
    assert (ours["EX", "false positives"], ours["EX", "false negatives"]) == (1, 1)
    assert ours["FLEX (GPT-4o)", "kappa"] == 75.0
    assert (ours["FLEX (GPT-4o)", "EQ"], ours["FLEX (GPT-4o)", "NEQ"]) == (75.0, 100.0)
    cells = [*agreement_with_experts(clone)]
    assert {cell.n for cell in cells} == {8, 4}
    assert all("of the 200 pairs are at hand" in cell.reason for cell in cells)


def test_experts_are_compared_with_one_another(clone: PaperData) -> None:
    (cell,) = [each for each in agreement_with_experts(clone) if each.row == "three experts"]
    assert (cell.column, cell.n) == ("Fleiss' kappa", 8)
    # Seven rows of one voice, and one with three: 1 - (1 - 7/8) / (1 - chance).
    shares = [13 / 24, 10 / 24, 1 / 24]
    chance = sum(share * share for share in shares)
    assert cell.ours == pytest.approx(100 * (7 / 8 - chance) / (1 - chance))


def test_pairs_and_labels_of_other_parts_are_refused(clone: PaperData) -> None:
    assert clone.root is not None
    path = clone.root / "flex/results/agreement" / f"fp_{GPT_4O}.jsonl"
    write_lines(path, [pair(True, True)])
    with refuses_data(DataError, "mismatch", "5 pairs and 8 labels"):
        list(agreement_with_experts(clone))


def test_other_contexts_are_compared_where_their_replies_are(clone: PaperData) -> None:
    assert clone.root is not None
    agreement = clone.root / "flex/results/agreement"
    assert {row for row, _ in values(context_agreement(clone))} == {"results where they differ"}
    write_lines(agreement / f"fp_{GPT_4O}-no-result.jsonl", [pair(True, False) for _ in range(4)])
    write_lines(agreement / f"fn_{GPT_4O}-no-result.jsonl", [pair(False, False) for _ in range(4)])
    ours = values(context_agreement(clone))
    assert (ours["no results", "EQ"], ours["no results", "NEQ"]) == (25.0, 75.0)
    assert recorded_judges(clone) == [GPT_4O, f"{GPT_4O}-no-result"]


def test_a_reply_that_cannot_be_read_has_the_recorded_verdict(clone: PaperData) -> None:
    assert clone.root is not None
    path = clone.root / "flex/results/agreement" / f"fp_{GPT_4O}.jsonl"
    write_lines(path, [pair(True, number < 3, judge_text="No object.") for number in range(4)])
    assert values(agreement_with_experts(clone))["FLEX (GPT-4o)", "EQ"] == 100.0


@pytest.mark.parametrize("folder", ["results", "published", "flex/published"])
def test_the_folder_may_be_the_clone_itself(clone: PaperData, folder: str) -> None:
    assert clone.root is not None
    other = clone.root.parent / "other" / folder
    other.parent.mkdir(parents=True)
    (clone.root / "flex/results").rename(other)
    data = PaperData(clone.root.parent / "other", clone.folder)
    assert values(agreement_with_experts(data))["EX", "kappa"] == 50.0


def test_ranks_rise_and_fall_and_equals_share_a_place() -> None:
    scores = {"a": (60.0, 50.0), "b": (60.0, 55.0), "c": (50.0, 57.0)}
    assert ranks(scores) == {"a": (1, 2), "b": (1, 1), "c": (3, -2)}


def test_what_follows_from_printed_scores(tmp_path: Path) -> None:
    data = PaperData(None, tmp_path)
    assert values(bird_shift(data)) == {
        ("mean gain", "BIRD"): 2.6,
        ("mean change of rank", "BIRD"): 1.7,
        ("largest change of rank", "BIRD"): 5,
    }
    assert values(spider_shift(data))["mean gain", "Spider"] == 2.63
    table = values(bird_systems(data))
    assert {column for _, column in table} == {"rank"}
    assert all(table[row, "rank"] == TABLE_9[row, "rank"] for row, _ in table)
    assert len({row for row, _ in TABLE_8}) == 30
    assert values(gains_by_type(data))["open SFT", "BIRD"] < 0
    assert "figure1.svg" in drawings(spider_shift(data))
    assert system_type("SFT_CodeS_1B") == "open SFT"
    assert system_type("pretrained_llama2_7b") == "open PLM"
    assert (system_type("SuperSQL"), system_type("Llama2-7B")) == ("proprietary", "")


def test_judged_answers_of_systems_are_scored(clone: PaperData) -> None:
    assert clone.root is not None
    folder = clone.root / "flex/results/bird"
    hard = {"hardness": "challenging"}
    answers = [pair(True, True), pair(False, True), pair(True, False, **hard), pair(True, True)]
    write_lines(folder / "SuperSQL_ex_judge.jsonl", [pair(False, False)])
    # With categories it is the same file, and the later one.
    write_lines(folder / "SuperSQL_ex_judge_cat.jsonl", answers)
    failed = pair(False, False, judge_result="error")
    write_lines(folder / "C3_SQL_ex_judge.jsonl", [pair(True, True), failed])
    table = values(bird_systems(clone))
    assert (table["SuperSQL", "FLEX"], table["SuperSQL", "EX"]) == (75.0, 75.0)
    assert (table["C3_SQL", "FLEX"], table["C3_SQL", "gain"]) == (50.0, 0.0)
    assert table["SuperSQL", "rank"] == "1 (-)"
    errors = values(errors_by_difficulty(clone))
    assert errors["BIRD, challenging", "FP"] == 100.0
    assert errors["BIRD, simple", "FN"] == pytest.approx(100 / 6, abs=0.01)
    write_lines(folder / "DAIL_SQL_ex_judge.jsonl", [{"question": "no verdict"}])
    with refuses_data(DataError, "wrong_value", "line 1", "ex and judge_result"):
        list(bird_systems(clone))


def test_kinds_by_the_model_and_by_most_experts(clone: PaperData) -> None:
    assert clone.root is not None
    folder = clone.root / "flex/results/categorization_agreement"
    gold = {"incorrect_ground_truth_query": {"issued": True, "explanation": "no join"}}
    both = {**gold, "different_output_structure": {"issued": True, "explanation": "a column"}}
    lines = [pair(False, True, judge_result_category=kinds) for kinds in (gold, both, both, gold)]
    write_lines(folder / "categorized_fn100.jsonl", lines)
    fault = {"abused_clauses": {"issued": True, "explanation": "a LIMIT"}}
    write_lines(
        folder / "categorized_fp100.jsonl", [pair(True, False, judge_result_category=fault)]
    )
    columns = (
        "Schema Link,Filtering Cond,Nullable Col,Multi Rows,Clause Abusing,Incorrect GT (FP),"
        "Other FP,FLEX is incorrect (FP),Structure,Value Repr.,Incorrect GT (FN),"
        "Multiple Ans FN,Other FN,FLEX is incorrect (FN)"
    )
    votes = "0,0,0,0,2,0,0,0,3,0,2,0,0,1\n0,0,0,0,1,0,0,3,1,0,0,0,0,0\n"
    (folder / "experts_categorization.csv").write_text(f"{columns}\n{votes}", "utf-8")
    ours = values(difference_kinds(clone))
    assert ours["wrong_gold", "by GPT-4o"] == 100.0
    assert ours["output_structure", "by GPT-4o"] == 50.0
    assert ours["output_structure", "by most experts"] == 50.0
    assert ours["no such case", "by most experts"] == 0.0
    faults = values(error_kinds(clone))
    assert faults["abused_clauses", "by GPT-4o"] == 100.0
    assert faults["no such case", "by most experts"] == 50.0
    assert [*drawings(error_kinds(clone))] == ["figure9.svg"]
    (folder / "experts_categorization.csv").write_text("Structure\nmany\n", "utf-8")
    with refuses_data(DataError, "wrong_value", "experts_categorization.csv", "Structure"):
        list(difference_kinds(clone))


def test_models_by_size_and_price(clone: PaperData) -> None:
    assert clone.root is not None
    verdicts = {"decisive/EX": 1.0, "deepseek-r1/FLEX": 0.0, "o3/ROSE": 1.0, "o3/llmsolver": 1.0}
    records = [
        {"id": f"bird-{n}", "set": "bird", "label": bool(n % 2), "verdicts": verdicts}
        for n in range(2)
    ]
    records[1]["verdicts"] = {**verdicts, "deepseek-r1/FLEX": 1.0}
    write_lines(clone.root / "labels/rose_vec.jsonl", records)
    cells = [*agreement_by_model(clone)]
    ours = values(cells)
    assert ours["deepseek-r1", "kappa, BIRD pairs of ROSE, prompt of FLEX"] == 100.0
    assert ours["o3", "kappa, BIRD pairs of ROSE, prompt of ROSE"] == 0.0
    assert ours[GPT_4O, "kappa, FLEX's pairs"] == 75.0
    assert ours["deepseek-r1", "weights, 10^9"] == 671
    assert "o3" in drawings(cells)["kappa-price.svg"]
    assert "o3" not in drawings(cells)["kappa-size.svg"]
    assert cost_of("gpt-4o-2024-08-06") == pytest.approx(3.7 * 2.5 + 0.4 * 10)
    assert cost_of("unknown") is None
    (clone.root / "labels/rose_vec.jsonl").unlink()
    assert values(agreement_by_model(clone))[GPT_4O, "kappa, FLEX's pairs"] == 75.0
    write_lines(clone.root / "labels/rose_vec.jsonl", [{"id": "x"}])
    with refuses_data(DataError, "wrong_value", "line 1", "set, label and verdicts"):
        list(agreement_by_model(clone))


def test_ex_misjudges_the_papers_three_examples(tmp_path: Path) -> None:
    ours = values(example_evidence(PaperData(None, tmp_path)))
    assert [ours[f"example {n}", "EX is"] for n in (1, 2, 3)] == [
        "a false positive",
        "a false negative",
        "a false negative",
    ]


def test_without_files_each_exhibit_says_what_is_missing(tmp_path: Path) -> None:
    data = PaperData(tmp_path, tmp_path / "out")
    with pytest.raises(MissingFile, match="flex/results/agreement/experts_agreement_200"):
        list(agreement_with_experts(data))
    expected = choose_exhibits(PAPER, ("3", "4", "figure 6", "figure 7", "figure 8", "figure 9"))
    for result in reproduce_exhibits(PAPER, expected, data):
        assert "is not in the data folder. Put there:" in result.note
        assert all(cell.ours is None for cell in result.cells)


def test_every_exhibit_has_a_command_and_a_reason_for_what_is_not_there() -> None:
    for exhibit in PAPER.exhibits:
        assert exhibit.command.startswith(("sqlverdict ", "cat "))
        assert exhibit.compute is not None or exhibit.absent
    names = [name for exhibit in PAPER.exhibits for name in exhibit.names]
    expected = [f"table {n}" for n in range(1, 19)] + [f"figure {n}" for n in range(1, 17)]
    assert sorted(names) == sorted(expected)


def fact_exhibits() -> dict[str, Any]:
    facts = json.loads((FACTS / "flex.json").read_text("utf-8"))
    return {exhibit["names"][0]: exhibit for exhibit in facts["exhibits"]}


def computed(data: PaperData, names: tuple[str, ...] = ()) -> dict[str, Any]:
    results = list(reproduce_exhibits(PAPER, choose_exhibits(PAPER, names), data))
    exhibits = paper_json(PAPER, results)["exhibits"]
    return {exhibit["names"][0]: exhibit for exhibit in json.loads(json.dumps(exhibits))}


def test_what_needs_no_data_is_as_the_docs_say(tmp_path: Path) -> None:
    names = ("1", "2", "6", "8", "10", "figure 1", "figure 2", "figure 4", "figure 5", "figure 10")
    now, before = computed(PaperData(None, tmp_path), names), fact_exhibits()
    assert len(now) == len(names)
    assert {name: before[name] for name in now} == now, "write docs/papers/flex.json anew"


@pytest.mark.data
def test_all_of_it_is_as_the_docs_say(data_root: Path, tmp_path: Path) -> None:
    now = computed(PaperData(data_root, tmp_path))
    if {cell["n"] for cell in now["table 3"]["cells"]} & {PAIRS}:
        pytest.skip("the docs have half of the pairs")
    assert now == fact_exhibits(), "write docs/papers/flex.json anew"


def kappa_by_hand(pairs: list[tuple[bool, bool]]) -> float:
    """Cohen's, of what people say and what a metric says."""
    n = len(pairs)
    same = sum(one == other for one, other in pairs) / n
    yes = [sum(pair[side] for pair in pairs) / n for side in (0, 1)]
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    return 100 * (same - chance) / (1 - chance)


def fleiss_by_hand(rows: list[list[str]]) -> float:
    """Of three votes a row."""
    agree = sum((sum(row.count(v) ** 2 for v in set(row)) - 3) / 6 for row in rows) / len(rows)
    votes = [vote for row in rows for vote in row]
    chance = sum((votes.count(vote) / len(votes)) ** 2 for vote in set(votes))
    return 100 * (agree - chance) / (1 - chance)


@pytest.mark.data
def test_files_of_the_full_size_are_counted_as_the_paper_does(
    data_root: Path, tmp_path: Path
) -> None:
    """Every published line twice, as 200 pairs: labels of 0.5 count as 0, the votes are columns."""
    published = data_root / "flex/published/agreement"
    folder = tmp_path / "data/flex/results/agreement"
    folder.mkdir(parents=True)
    for half in ("fn", "fp"):
        name = f"{half}_{GPT_4O}.jsonl"
        lines = (published / name).read_text("utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(line * (PAIRS // 2 // len(lines)) for line in lines))
    table = (published / "experts_agreement_200.csv").read_text("utf-8").splitlines()
    rows = list(csv.DictReader(table))
    rows = [dict(row) for row in rows for _ in range(PAIRS // 2 // len(rows))]
    with (folder / "experts_agreement_200.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "Index": str(index)} for index, row in enumerate(rows))

    matches, others = ([row[f"{half}_consensus"] for row in rows] for half in ("FP", "FN"))
    assert [*matches, *others].count("0.5") == 2, "one of the 100 pairs, twice; the paper has two"
    says = [label == "1" for label in (*matches, *others)]
    ex = [True] * len(matches) + [False] * len(others)
    votes = [[row[f"{half}_{name}"] for name in "ABC"] for row in rows for half in ("FN", "FP")]

    cells = list(agreement_with_experts(PaperData(tmp_path / "data", tmp_path / "out")))
    ours = {(cell.row, cell.column): cell.ours for cell in cells}
    assert {cell.n for cell in cells} == {PAIRS, PAIRS // 2}
    assert all(cell.reason == "" for cell in cells), "all pairs are at hand"
    assert ours["EX", "kappa"] == pytest.approx(kappa_by_hand(list(zip(says, ex, strict=True))))
    assert ours["three experts", "Fleiss' kappa"] == pytest.approx(fleiss_by_hand(votes))
    assert ours["EX", "false positives"] == sum(label != "1" for label in matches)
    assert ours["EX", "false negatives"] == others.count("1")
    recorded = [
        json.loads(line)["judge_result"]
        for half in ("fp", "fn")
        for line in (folder / f"{half}_{GPT_4O}.jsonl").read_text("utf-8").splitlines()
    ]
    judged = list(zip(says, recorded, strict=True))
    assert ours["FLEX (GPT-4o)", "kappa"] == pytest.approx(kappa_by_hand(judged))


@pytest.mark.data
def test_the_published_half(data_root: Path, tmp_path: Path) -> None:
    data = PaperData(data_root, tmp_path)
    cells = {(cell.row, cell.column): cell for cell in agreement_with_experts(data)}
    kappas = {
        row: round(cells[row, column].ours, 2)  # type: ignore[arg-type]
        for row, column in (
            ("EX", "kappa"),
            ("FLEX (GPT-4o)", "kappa"),
            ("three experts", "Fleiss' kappa"),
        )
    }
    n = cells["EX", "kappa"].n
    full = {"EX": 62.0, "FLEX (GPT-4o)": 87.04, "three experts": 79.32}
    half = {"EX": 58.0, "FLEX (GPT-4o)": 86.02, "three experts": 81.33}
    assert (n, kappas) in ((100, half), (200, full))
    if n == 100:
        assert values(difference_kinds(data))["wrong_gold", "by GPT-4o"] == 58.0
        assert values(error_kinds(data))["filtering", "by GPT-4o"] == 34.0
