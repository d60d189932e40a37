"""The ids of a sheet of labels: by the field's name, or by the ids of the cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlverdict.errors import OptionName, UnclearFields
from sqlverdict.load.people.labels import Labels, read_labels

IDS = ("q1", "q2", "q3", "q4")


def values(labels: Labels) -> dict[str, float | None]:
    return {item.id: item.value for item in labels.items}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Fall;Prüfer;Urteil\nq1;Anna;richtig\nq1;Bernd;korrekt\nq2;Anna;stimmt nicht\n"
            "q2;Bernd;falsch\nq3;Anna;richtig\nq3;Bernd;unklar\n",
            {"q1": 1, "q2": 0, "q3": 1},
        ),
        ("Fallnummer;Anna;Bernd;Carla\nq1;ja;ja;ja\nq2;nein;j;n\n", {"q1": 1, "q2": 0}),
        (
            "Frage-ID;Urteil;Kommentar\nq1;korrekt;\nq2;nicht korrekt;Preis fehlt\nq3;teilweise;\n",
            {"q1": 1, "q2": 0, "q3": None},
        ),
        ("case;Reviewer name;verdict\nq1;Anna;correct\nq2;Anna;not correct\n", {"q1": 1, "q2": 0}),
    ],
    ids=["votes by row", "votes by column", "a label", "English"],
)
def test_a_sheet_without_names_of_ours_takes_one_attempt(
    tmp_path: Path, text: str, expected: dict[str, float | None]
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text, encoding="utf-8")
    assert values(read_labels(path, case_ids=IDS)) == expected


def test_the_only_field_whose_cells_are_ids_of_cases_is_the_id_and_a_note_says_so(
    tmp_path: Path,
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("what,annotator,label\nq1,ann,1\nq1,bob,1\nq2,ann,0\n", encoding="utf-8")
    labels = read_labels(path, case_ids=IDS)
    assert values(labels) == {"q1": 1, "q2": 0}
    assert "votes.csv: read 'what' as the id, by the cells" in labels.notes


@pytest.mark.parametrize(
    ("text", "case_ids", "names"),
    [
        # Without the cases, ids that repeat cannot be told from other words.
        ("what,annotator,label\nq1,ann,1\nq1,bob,1\n", (), ["NAME"]),
        ("what,annotator,label\nx1,ann,1\nx1,bob,1\n", IDS, ["NAME"]),
        # Minutes may be ids by chance: the message names the field, and nothing is paired.
        ("minutes,annotator,label\n1,ann,1\n2,ann,0\n", ("1", "2", "3"), ["minutes"]),
        ("one,two,label\nq1,q2,1\nq2,q1,0\n", IDS, ["one", "two"]),
        ("what,annotator,label\nq1,ann,1\n,bob,1\n", IDS, ["NAME"]),
    ],
)
def test_where_the_cells_do_not_tell_the_message_names_the_fields_that_may_be_ids(
    tmp_path: Path, text: str, case_ids: tuple[str, ...], names: list[str]
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnclearFields) as error:
        read_labels(path, case_ids=case_ids)
    assert [options[0] for options in error.value.options] == [
        OptionName("id_field", name) for name in names
    ]


def test_a_number_of_the_row_is_no_id_where_another_field_holds_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("Nr,what,label\n1,q2,1\n2,q1,0\n", encoding="utf-8")
    assert values(read_labels(path, case_ids=IDS)) == {"q2": 1, "q1": 0}
    assert values(read_labels(path, case_ids=("1", "2"))) == {"1": 1, "2": 0}
    assert values(read_labels(path)) == {"1": 1, "2": 0}
