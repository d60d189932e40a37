"""Which published revision of a benchmark cases are: the published files, and altered copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.revisions import (
    MOST_CASES,
    golds_digest,
    match_revision,
    published_revisions,
    text_digest,
)
from sqlverdict.records import Case

FILES = {
    "BIRD dev 2024-06-27, 41 golds mended": ("bird", "bird"),
    "Spider dev 1.0": ("spider", "spider"),
    "TrustSQL Spider test": ("trustsql", "trustsql/trustsql_spider_test.jsonl"),
    "EHRSQL 2024 valid": ("ehrsql2024", "trustsql/ehrsql2024_valid_v1.0.jsonl"),
    "EHRSQL 2024 test": ("ehrsql2024", "trustsql/ehrsql2024_test_v1.0_systems.jsonl"),
}
"""Revisions, and the published files they were made from."""


def cases_of(data: Path, name: str) -> list[Case]:
    benchmark, path = FILES[name]
    return list(BENCHMARKS.get(benchmark).read(data / path).cases)


@pytest.mark.parametrize("name", FILES)
def test_the_published_file_has_its_name(name: str, data_root: Path) -> None:
    cases = cases_of(data_root, name)
    match = match_revision(cases)
    assert str(match) == name
    assert match.other_golds == match.other_questions == ()
    part = match_revision(cases[::7])
    assert str(part) == f"{len(cases[::7]):,} questions of {name}"


@pytest.mark.parametrize("name", FILES)
def test_an_altered_copy_says_which_cases_differ(name: str, data_root: Path) -> None:
    cases = cases_of(data_root, name)
    changed = [replace(case, golds=("SELECT 'altered'",)) for case in cases[:38]]
    match = match_revision([*changed, *cases[38:]])
    assert not match.names
    assert match.other_golds == tuple(case.id for case in changed)
    assert str(match) == f"unknown; nearest {name}: 38 golds differ"
    other = [replace(case, question=f"{case.question} Why?") for case in cases[:2]]
    assert match_revision([*other, *cases[2:]]).other_questions == tuple(c.id for c in other)


def test_the_golds_of_another_revision(data_root: Path) -> None:
    """The copy that circulates differs from BIRD's dev set of 2024-06-27 in 41 golds."""
    name = "BIRD dev 2024-06-27"
    lines = (data_root / "bird" / "etm_gold.txt").read_text("utf-8").splitlines()
    copies = cases_of(data_root, f"{name}, 41 golds mended")
    cases = [
        replace(case, golds=(line.partition("\t")[0],))
        for case, line in zip(copies, lines, strict=True)
    ]
    assert str(match_revision(cases)) == name
    gold_digests = {case.id: golds_digest(case.golds) for case in copies}
    assert sum(golds_digest(case.golds) != gold_digests[case.id] for case in cases) == 41


def test_own_questions_are_of_no_revision() -> None:
    cases = [Case(str(n), "shop", f"How many items cost {n}?", ("SELECT 1",), None) for n in (1, 2)]
    assert str(match_revision(cases)) == "of no published revision that is known"
    assert not match_revision([]).nearest


def test_too_many_cases_are_not_read() -> None:
    def endless() -> Iterator[Case]:
        number = 0
        while True:
            assert number <= MOST_CASES
            yield Case(str(number), "shop", "How many?", ("SELECT 1",), None)
            number += 1

    assert not match_revision(endless()).nearest


def test_a_question_without_its_text_is_not_known() -> None:
    cases = [Case(str(n), "shop", "", (f"SELECT {n}",), None) for n in range(50)]
    assert not match_revision(cases).nearest


def test_blanks_and_the_last_semicolon_do_not_count() -> None:
    assert text_digest("SELECT  1 ;\n") == text_digest("SELECT 1")
    assert golds_digest(["SELECT 1", "SELECT 2;"]) == golds_digest(["SELECT 2", "SELECT 1"])
    assert golds_digest(["SELECT 1"]) != golds_digest(["SELECT 'a  b'"])


def test_every_revision_has_a_source_and_a_reader() -> None:
    names = [each.name for each in published_revisions()]
    assert len({*names}) == len(names)
    for each in published_revisions():
        assert BENCHMARKS.has(each.benchmark)
        assert each.source


def test_the_docs_list_every_revision_with_its_source() -> None:
    page = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text("utf-8")
    for each in published_revisions():
        size = f"{each.size:,}" if each.size else "not at hand"
        assert f"| {each.name} | `{each.benchmark}` | {size} | {each.source} |" in page
