"""People's labels: fields, votes, halves, and errors that say where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from error_parts import options_of, refuses_data
from sqlverdict.errors import DataError, OptionName, UnclearFields, UsageError
from sqlverdict.load.people.combine import combined
from sqlverdict.load.people.labels import Labels, read_labels
from sqlverdict.load.people.votes import MEANINGS


def write(folder: Path, *records: Any, name: str = "labels.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def values(labels: Labels) -> dict[str, int | None]:
    return {item.id: item.value for item in labels.items}


def test_ids_come_from_id_else_from_set_and_i_else_from_the_named_field(tmp_path: Path) -> None:
    own = write(tmp_path, {"id": 7, "human": 1}, {"question_id": "q", "human": 0}, name="a.jsonl")
    assert values(read_labels(own)) == {"7": 1, "q": 0}
    flex = write(tmp_path, {"set": "EQ", "i": 0, "human": 1}, {"set": "NEQ", "i": 0, "human": 0})
    assert values(read_labels(flex)) == {"EQ-0": 1, "NEQ-0": 0}
    assert values(read_labels(flex, id_field="{i}/{set}")) == {"0/EQ": 1, "0/NEQ": 0}
    file = write(tmp_path, {"id": "no", "key": "k", "human": 1}, name="b.jsonl")
    assert values(read_labels(file, id_field="key")) == {"k": 1}


def test_a_value_that_looks_like_a_field_is_not_read_as_one(tmp_path: Path) -> None:
    path = write(tmp_path, {"set": "{i}", "i": 5, "human": 1})
    assert values(read_labels(path, id_field="{set}-{i}")) == {"{i}-5": 1}


def test_the_half_comes_from_the_set_else_from_ex(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"id": "a", "human": 1, "set": "EQ", "ex": 0},
        {"id": "b", "human": 1, "set": "neq"},
        {"id": "c", "human": 1, "set": "dev", "ex": 1},
        {"id": "d", "human": 1},
    )
    assert [item.equal for item in read_labels(path).items] == [True, False, True, None]


@pytest.mark.parametrize(
    ("half", "expected"), [("drop", None), ("0", 0), ("1", 1)], ids=["drop", "wrong", "right"]
)
def test_one_half_is_what_the_caller_says(tmp_path: Path, half: Any, expected: int | None) -> None:
    path = write(tmp_path, {"id": "a", "human": 0.5}, {"id": "b", "human": 1})
    labels = read_labels(path, half=half)
    assert values(labels) == {"a": expected, "b": 1}
    assert (labels.undecided, labels.dropped) == (1, int(expected is None))


def test_words_are_read_and_nothing_is_no_label(tmp_path: Path) -> None:
    words = ["yes", "Incorrect", True, "0.0", "", None, " right "]
    path = write(tmp_path, *({"id": n, "label": word} for n, word in enumerate(words)))
    assert list(values(read_labels(path)).values()) == [1, 0, 1, 0, None, None, 1]


def test_votes_beside_a_label_do_not_change_it(tmp_path: Path) -> None:
    path = write(tmp_path, {"id": "a", "human": 0, "votes": [1, 1, 0]})
    labels = read_labels(path)
    assert values(labels) == {"a": 0}
    assert labels.items[0].votes == (1.0, 1.0, 0.0)
    assert labels.annotators == ("annotator 1", "annotator 2", "annotator 3")


def test_votes_become_a_label_by_majority_or_consensus(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"id": "a", "votes": [1, 1, 0]},
        {"id": "b", "votes": [0, 0, 0]},
        {"id": "c", "votes": [1, 0, None]},
    )
    assert values(read_labels(path)) == {"a": 1, "b": 0, "c": None}
    labels = read_labels(path, label_field="votes", combine="consensus")
    assert values(labels) == {"a": None, "b": 0, "c": None}
    assert labels.field == "consensus of 3 votes"


def test_columns_of_annotators(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,ann,bob,cai\nx,1,1,0\ny,0,,0\n", encoding="utf-8")
    labels = read_labels(path, votes=("ann", "bob", "cai"))
    assert values(labels) == {"x": 1, "y": 0}
    assert labels.annotators == ("ann", "bob", "cai")
    assert labels.items[1].votes == (0.0, None, 0.0)


def test_a_list_in_a_cell_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text('id,votes\nx,"[1, 1, 0]"\n', encoding="utf-8")
    assert values(read_labels(path)) == {"x": 1}


def test_a_json_file_of_objects_or_of_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text('{"a": 1, "b": {"human": 0}}', encoding="utf-8")
    assert values(read_labels(path)) == {"a": 1, "b": 0}
    path.write_text('[{"id": "a", "correct": true}]', encoding="utf-8")
    assert values(read_labels(path)) == {"a": 1}


@pytest.mark.parametrize(
    ("votes", "combine", "expected"),
    [
        ([1, 1, 0], "majority", 1.0),
        ([1, 0], "majority", 0.5),
        ([0.5, 0.5, 1], "majority", 1.0),
        ([0, 0.5], "majority", 0.0),
        ([1, None, 1], "consensus", 1.0),
        ([1, 0.5], "consensus", None),
        ([None], "majority", None),
    ],
)
def test_combining(votes: list[float | None], combine: Any, expected: float | None) -> None:
    assert combined(votes, combine) == expected


def test_errors_say_what_and_where(tmp_path: Path) -> None:
    bad = write(tmp_path, {"id": "a", "human": 2}, name="bad.jsonl")
    with refuses_data(DataError, "wrong_value", "line 1: 'human' is 2", "1 (right)"):
        read_labels(bad)
    twice = write(tmp_path, {"id": "a", "human": 1}, {"id": "a", "human": 1}, name="twice.jsonl")
    with refuses_data(DataError, "repeated", "line 2: the id 'a'", "line 1"):
        read_labels(twice)
    nameless = write(tmp_path, {"human": 1}, name="nameless.jsonl")
    with pytest.raises(UnclearFields) as unclear:
        read_labels(nameless)
    assert unclear.value.options == ((OptionName("id_field", "NAME"),),)
    fields = write(tmp_path, {"id": "a", "gut": "hm"}, name="fields.jsonl")
    with pytest.raises(UnclearFields, match="'id', 'gut'") as unclear:
        read_labels(fields)
    assert unclear.value.options == ((OptionName("label_field", "NAME"),),)
    with pytest.raises(UsageError, match=r"'guts'.*'gut'"):
        read_labels(fields, label_field="guts")
    uneven = write(
        tmp_path, {"id": "a", "votes": [1]}, {"id": "b", "votes": [1, 0]}, name="u.jsonl"
    )
    with refuses_data(DataError, "incomplete", "1, 2 votes"):
        read_labels(uneven)
    empty = write(tmp_path, name="empty.jsonl")
    with refuses_data(DataError, "empty", "empty.jsonl"):
        read_labels(empty)
    with pytest.raises(UsageError) as error:
        read_labels(fields, label_field="gut", id_field="{id")
    assert options_of(error.value) == [OptionName("id_field", "{id")]


def test_the_table_of_flexs_experts_labels_both_halves(tmp_path: Path) -> None:
    path = tmp_path / "experts.csv"
    path.write_text("Index,FP_consensus,FN_consensus\n7,1,0\n8,0,0\n")
    labels = read_labels(path)
    assert [(item.id, item.value, item.equal) for item in labels.items] == [
        ("EQ-0", 1, True),
        ("EQ-1", 0, True),
        ("NEQ-0", 0, False),
        ("NEQ-1", 0, False),
    ]
    one = read_labels(path, label_field="FN_consensus", id_field="{Index}")
    assert [item.id for item in one.items] == ["7", "8"]


@pytest.mark.data
def test_flexs_published_table_has_the_votes_of_three_experts(data_root: Path) -> None:
    path = data_root / "flex" / "published" / "agreement" / "experts_agreement_200.csv"
    published = read_labels(path, half="0")
    half = read_labels(data_root / "flex" / "agreement_half.jsonl", half="0")
    assert len(published.items) == 100
    assert len(published.annotators) == 3
    # The half has the same pairs in the same order, with the votes in a list.
    by_set = sorted(half.items, key=lambda item: not item.equal)
    assert [item.value for item in published.items] == [item.value for item in by_set]
    assert [item.votes for item in published.items] == [item.votes for item in by_set]


LONG = "id,annotator,label\n1,ann,1\n1,bob,right\n2,ann,0\n2,bob,gold wrong\n3,ann,no\n3,bob,\n"


@pytest.mark.parametrize(
    "header", ["id,annotator,label", "ID,Rater,Correct", "qid,Annotator ID,human"]
)
def test_each_row_may_be_a_vote(tmp_path: Path, header: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(LONG.replace("id,annotator,label", header))
    labels = read_labels(path)
    assert values(labels) == {"1": 1, "2": None, "3": 0}
    assert labels.annotators == ("ann", "bob")
    assert [item.votes for item in labels.items] == [(1.0, 1.0), (0.0, 1.0), (0.0, None)]
    assert values(read_labels(path, votes=("ann",))) == {"1": 1, "2": 0, "3": 0}
    with pytest.raises(UsageError, match=r"'anne'.*'ann'"):
        read_labels(path, votes=("anne",))


def test_an_annotators_field_of_another_name_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(LONG.replace("annotator,label", "colleague,right"))
    for label in ("right", None):
        with refuses_data(DataError, "repeated", "line 3: the id '1'") as error:
            read_labels(path, label_field=label)
        assert options_of(error.value) == [OptionName("annotator_field"), OptionName("id_field")]
    labels = read_labels(path, label_field="right", annotator_field="colleague")
    assert values(labels) == {"1": 1, "2": None, "3": 0}
    with pytest.raises(UsageError, match=r"'colleagues'.*'colleague'"):
        read_labels(path, label_field="right", annotator_field="colleagues")


@pytest.mark.parametrize("name", ["who", "Wer"])
def test_an_annotators_field_of_a_usual_name_needs_no_option(tmp_path: Path, name: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(LONG.replace("annotator,label", f"{name},right"))
    assert values(read_labels(path)) == {"1": 1, "2": None, "3": 0}


def test_a_reviewer_of_some_cases_makes_no_votes_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("id,label,reviewer\n1,1,ann\n2,0,\n")
    labels = read_labels(path)
    assert (values(labels), labels.annotators) == ({"1": 1, "2": 0}, ())
    with refuses_data(DataError, "missing_field", "line 3", "'reviewer'"):
        read_labels(path, annotator_field="reviewer")


def test_columns_of_annotators_are_read_where_there_is_no_label(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("id,note,ann,bob j\nx,why,1,both wrong\ny,,0,\n")
    labels = read_labels(path)
    assert labels.annotators == ("ann", "bob j")
    assert labels.notes == ("wide.csv: read 'ann', 'bob j' as votes, by the cells",)


def test_a_lone_column_of_labels_is_the_label(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("id,Bewertung,difficulty,note\nx,richtig,1,why\ny,falsch,0,\n")
    labels = read_labels(path)
    assert values(labels) == {"x": 1, "y": 0}
    assert labels.notes == ("one.csv: read 'Bewertung' as the label, by the cells",)


def test_columns_of_annotators_are_named_where_the_id_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("case name,note,ann,bob j\nx,why,1,both wrong\ny,,0,\n")
    with pytest.raises(UnclearFields) as error:
        read_labels(path)
    assert error.value.options[0] == (OptionName("id_field", "case name"),)


def test_two_votes_of_one_annotator_on_a_case_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("id,annotator,label\n1,ann,1\n1,ann,0\n")
    with refuses_data(DataError, "repeated", "line 3: 'ann'", "'1' at", "line 2"):
        read_labels(path)
    path.write_text("id,annotator,label,prediction\n1,ann,1,SELECT 1\n1,ann,0,SELECT 2\n")
    with refuses_data(DataError, "conflict", "predictions of '1'", "--import"):
        read_labels(path)


def test_every_label_of_the_page_is_read_in_every_form(tmp_path: Path) -> None:
    expected = {str(n): meaning.value for n, meaning in enumerate(MEANINGS.values())}
    for header, row in (("id,label", "{},{}"), ("id,annotator,label", "{},ann,{}")):
        path = tmp_path / "sheet.csv"
        path.write_text("\n".join([header, *map(row.format, expected, MEANINGS)]) + "\n")
        assert {item.id: item.original for item in read_labels(path).items} == expected


def test_an_empty_id_does_not_become_the_number_of_another_case(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,nr,label\n7,1,right\n,2,wrong\n")
    with refuses_data(DataError, "missing_field", "line 3"):
        read_labels(path)
    path.write_text("nr,label\n1,right\n2,wrong\n")
    assert values(read_labels(path)) == {"1": 1, "2": 0}


def test_an_annotator_may_be_called_zero(tmp_path: Path) -> None:
    votes = [{"id": 1, "annotator": who, "label": who > 0} for who in range(3)]
    assert values(read_labels(write(tmp_path, *votes))) == {"1": 1}


def test_rows_without_a_vote_are_cases_without_a_label(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,annotator,label\n1,ann,1\n1,bob,\n2,ann,\n2,bob,\n3,ann,skip\n")
    labels = read_labels(path)
    assert [(item.id, item.value, item.pair) for item in labels.items] == [
        ("1", 1, ""), ("3", None, ""), ("2", None, ""),
    ]  # fmt: skip
    assert labels.dropped == 2


def test_an_exported_row_without_a_vote_keeps_its_pair(tmp_path: Path) -> None:
    path = tmp_path / "panel.csv"
    path.write_text(
        "id,annotator,label,pair,prediction,stratum,stratum_size,sampling_probability\n"
        "1,ann,1,aa,SELECT 1,all,4,0.5\n2,ann,,bb,SELECT 2,all,4,0.5\n"
    )
    item = read_labels(path).items[1]
    assert (item.id, item.pair, item.prediction, item.stratum) == ("2", "bb", "SELECT 2", "all")
    assert (item.value, item.stratum_size, item.sampling_probability) == (None, 4, 0.5)
