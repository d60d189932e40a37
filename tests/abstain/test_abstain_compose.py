from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.abstain.compose import Composition, MethodPart, make_method, parse_composition
from sqlverdict.abstain.method import ABSTAINERS, is_generator
from sqlverdict.errors import UsageError

# Every row of the paper's tables 2 and 3, as the paper writes it and as we do.
ROWS = {
    "ABSTAIN-ALL": "abstain_all",
    "T5": "t5",
    "RF -> T5": "rf > t5",
    "T5 -> RF*": "t5 > rf_star",
    "RF -> T5 -> RF*": "rf > t5 > rf_star",
    "T5[MaxENT]": "t5[maxent]",
    "T5[MaxPROB]": "t5[maxprob]",
    "T5[FEATMD]": "t5[featmd]",
    "T5[FEATRMD]": "t5[featrmd]",
    "DIN-SQL": "din_sql",
    "SQLPROMPT": "sqlprompt",
    "CLSPROMPT → DIN-SQL": "clsprompt > din_sql",
    "CLSPROMPT → SQLPROMPT": "clsprompt > sqlprompt",
    "SQLPROMPT → SELFREF": "sqlprompt > selfref",
    "CLSPROMPT → SQLPROMPT → SELFREF": "clsprompt > sqlprompt > selfref",
    "SQLPROMPT[DEMO]": "sqlprompt[demo]",
    "SQLPROMPT[VERBAL]": "sqlprompt[verbal]",
    "SQLPROMPT[VOTING]": "sqlprompt[voting]",
}


@pytest.mark.parametrize(("paper", "ours"), ROWS.items())
def test_every_row_of_the_papers_tables_can_be_written(paper: str, ours: str) -> None:
    assert str(parse_composition(paper)) == ours
    assert str(parse_composition(ours)) == ours


def test_a_line_is_read_into_its_places() -> None:
    line = "rf(trees=10)>sqlprompt(shots=4)[voting(n=7, equality=proof)] > error_gate(empty=true)"
    result = parse_composition(line)
    assert result == Composition(
        MethodPart("sqlprompt", {"shots": "4"}),
        (MethodPart("rf", {"trees": "10"}),),
        (MethodPart("voting", {"n": "7", "equality": "proof"}),),
        (MethodPart("error_gate", {"empty": "true"}),),
    )
    voting = make_method(result.within[0])
    assert (voting.n, voting.equality, voting.threshold) == (7, "proof", 1.0)
    assert make_method(result.after[0]).empty is True
    assert [part.name for part in result.detectors] == ["rf", "voting", "error_gate"]


def test_values_are_typed_and_quoted_where_they_must_be() -> None:
    result = parse_composition('recorded(path="my file, (1).jsonl")[confidence(threshold=0.5)]')
    assert make_method(result.generator).path == Path("my file, (1).jsonl")
    assert make_method(result.within[0]).threshold == 0.5
    assert parse_composition(str(result)) == result
    assert make_method(MethodPart("t5", {"rate": "0.001"})).rate == 0.001
    assert make_method(MethodPart("t5")).rate is None
    assert make_method(MethodPart("maxent", {"threshold": "inf"})).threshold == float("inf")


def test_options_are_not_shared_between_two_of_a_kind() -> None:
    one, other = make_method(MethodPart("rf", {"trees": "3"})), make_method(MethodPart("rf"))
    assert (one.trees, other.trees) == (3, 100)
    one.threshold = 0.9
    assert other.threshold == 0.5
    assert ABSTAINERS.get("rf").threshold == 0.5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "expected the name of a method"),
        ("t5[", "expected the name of a method"),
        ("t5[maxent", "expected ']'"),
        ("t5 maxent", "expected '>' or the end"),
        ("t5(epochs", "expected '='"),
        ("t5(epochs=)", "expected a value for epochs"),
        ("t5(epochs=1, epochs=2)", "epochs is given twice"),
        ("sqlpromt", "Did you mean 'sqlprompt'"),
        ("t5(epoch=3)", "has no option 'epoch'. Options: model=scratch"),
        ("t5(epochs=many)", "t5(epochs=many)"),
        ("voting(n=5)", "exactly one generator"),
        ("t5 > sqlprompt", "found t5 and sqlprompt"),
        ("t5 > rf", "write it before the generator, rf > ..."),
        ("rf_star > t5", "write it behind the generator, ... > rf_star"),
        ("t5 > maxent", "write it in brackets, ...[maxent]"),
        ("t5[rf]", "write it before the generator"),
        ("t5[sqlprompt]", "is a generator and stands in brackets"),
        ("rf[maxent] > t5", "brackets follow a generator"),
        ("sqlprompt[voting(equality=looks)]", "looks"),
        ("rf > rf > t5", "names rf twice"),
    ],
)
def test_a_wrong_line_is_explained(line: str, message: str) -> None:
    with pytest.raises(UsageError) as result:
        parse_composition(line)
    assert message in str(result.value)


def test_the_place_of_a_mistake_is_marked() -> None:
    with pytest.raises(UsageError) as result:
        parse_composition("rf > t5[maxent")
    lines = str(result.value).splitlines()
    assert lines[1].strip() == "rf > t5[maxent"
    assert lines[2].index("^") == lines[1].index("maxent") + len("maxent")


_WORD = st.text(st.characters(codec="ascii", exclude_characters="\"'"), min_size=1, max_size=12)


@given(path=_WORD, shots=st.integers(0, 99), gate=st.booleans())
def test_a_line_comes_back_as_it_was_meant(path: str, shots: int, gate: bool) -> None:
    composition = Composition(
        MethodPart("sqlprompt", {"embedding": path.strip() or "x", "shots": str(shots)}),
        (MethodPart("rf"),) if gate else (),
        (MethodPart("voting", {"threshold": "0.6"}),),
        () if gate else (MethodPart("selfref"),),
    )
    assert parse_composition(str(composition)) == composition


def test_every_method_is_documented_and_has_a_place() -> None:
    names = ABSTAINERS.names()
    expected = {
        "rf",
        "rf_star",
        "clsprompt",
        "selfref",
        "error_gate",
        "maxent",
        "maxprob",
        "featmd",
    }
    expected |= {"featrmd", "demo", "verbal", "voting", "sqlprompt", "din_sql", "t5", "abstain_all"}
    assert expected <= set(names)
    import sys

    for name, member in ABSTAINERS.items():
        text = sys.modules[type(member).__module__].__doc__ or ""
        assert "Learns from:" in text, name
        assert member.name == name
        assert member.version >= 1
        if not is_generator(member):
            assert member.position in ("before", "with", "after")
            assert "Confidence:" in text, name
            assert f"{member.position} f" in text, name
