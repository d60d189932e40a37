"""Runs of two revisions are not mixed: three commands refuse them, and say which questions differ."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

Invoke = Callable[..., Result]
SIZE = 12
"""Cases of a run."""
DOORS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", "old", "new"),
    "leaderboard": ("leaderboard", "old", "new"),
    "check": ("check", "new", "--baseline", "old", "--no-regressions"),
}
NAMES = ("BIRD dev 2024-06-27", "BIRD dev 2024-06-27, 41 golds mended")


def write_run(invoke: Invoke, cases: list[dict[str, object]], name: str) -> None:
    """A run in which every answer is the gold."""
    lines = [{**case, "prediction": case["gold"]} for case in cases]
    Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("databases").mkdir(exist_ok=True)
    with closing(sqlite3.connect("databases/shop.sqlite")) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS item (price REAL)")
    call = ("--databases", "databases", "--workers", 0, "--no-cache", "--quiet")
    done = invoke("evaluate", "--cases", f"{name}.jsonl", *call, "--out", name)
    assert done.exit_code in (0, 3, 4), done.output


def bird_revisions(data: Path) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """The same questions of BIRD with the golds of two revisions, some of which differ."""
    items = json.loads((data / "bird" / "dev.json").read_text("utf-8"))
    lines = (data / "bird" / "etm_gold.txt").read_text("utf-8").splitlines()
    golds = [line.rpartition("\t")[0].strip() for line in lines]
    differ = [n for n, item in enumerate(items) if item["SQL"].strip("; ") != golds[n].strip("; ")]
    numbers = sorted({*differ[:3], *range(SIZE)})
    fields = [
        {"id": str(n), "db_id": items[n]["db_id"], "question": items[n]["question"]}
        for n in numbers
    ]
    old = [{**each, "gold": golds[n]} for each, n in zip(fields, numbers, strict=True)]
    new = [{**each, "gold": items[n]["SQL"]} for each, n in zip(fields, numbers, strict=True)]
    return old, new


def refusal(invoke: Invoke, door: str) -> tuple[str, dict[str, object]]:
    """What a command says, in words and as JSON."""
    words = invoke(*DOORS[door])
    assert (words.exit_code, words.stdout) == (2, "")
    answer = invoke(*DOORS[door], "--json")
    assert answer.exit_code == 2
    content = json.loads(answer.stdout)
    assert content["error"] in words.stderr
    return words.stderr, content


@pytest.mark.parametrize("door", DOORS)
def test_runs_of_two_published_revisions_are_refused(
    door: str, invoke: Invoke, data_root: Path
) -> None:
    old, new = bird_revisions(data_root)
    write_run(invoke, old, "old")
    write_run(invoke, new, "new")
    text, content = refusal(invoke, door)
    for name in NAMES:
        assert f"questions of {name}" in text
    cases = content["different_cases"]
    assert isinstance(cases, list)
    others = [one for one, two in zip(old, new, strict=True) if one["gold"] != two["gold"]]
    assert len(others) >= 3
    assert [case["id"] for case in cases] == [each["id"] for each in others]
    assert all(case["differs"] == ["gold"] for case in cases)
    assert cases[0]["golds"][0] == [others[0]["gold"]]
    assert f"other golds of {others[0]['id']!r}, {others[1]['id']!r}" in text


def test_every_report_of_a_run_names_its_revision(invoke: Invoke, data_root: Path) -> None:
    """An altered copy is named with how many of its golds differ."""
    old, _ = bird_revisions(data_root)
    altered = [{**old[0], "db_id": "shop", "gold": "SELECT 'altered'"}, *old[1:]]
    for name, cases, words in (
        ("published", old, f"{len(old)} questions of {NAMES[0]}"),
        ("altered", altered, "1 gold differs"),
    ):
        write_run(invoke, cases, name)
        revision = json.loads(Path(name, "manifest.json").read_text())["revision"]
        assert words in revision
        title, *rest = Path(name, "report.md").read_text().splitlines()
        assert f"({revision})" in title
        assert f"| revision | {revision} |" in rest
    board = invoke("leaderboard", "altered")
    assert f"revision of the cases: {revision}" in " ".join(board.stdout.split())
    call = ("--cases", "altered.jsonl", "--databases", "databases", "--workers", 0, "--quiet")
    done = invoke("evaluate", *call, "--out", "again")
    assert f"({revision})" in " ".join(done.stdout.split())


def test_a_run_that_goes_on_names_the_revision_of_all_its_cases(
    invoke: Invoke, data_root: Path
) -> None:
    old, _ = bird_revisions(data_root)
    write_run(invoke, old, "old")
    log = Path("old", "results.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-3]))
    Path("old", "summary.json").unlink()
    write_run(invoke, old, "old")
    assert log.read_bytes().count(b"\n") == len(old)
    revision = json.loads(Path("old", "manifest.json").read_text())["revision"]
    assert revision == f"{len(old)} questions of {NAMES[0]}"


CASES: list[dict[str, object]] = [
    {"id": str(n), "db_id": "shop", "question": f"How many cost {n}?", "gold": f"SELECT {n}"}
    for n in range(SIZE)
]


@pytest.mark.parametrize("door", DOORS)
def test_an_altered_copy_is_refused_with_every_case_that_differs(door: str, invoke: Invoke) -> None:
    altered = [
        {**case, "gold": "SELECT 'altered'"}
        if n in (2, 5)
        else {**case, "question": "Why?"}
        if n == 7
        else case
        for n, case in enumerate(CASES)
    ]
    write_run(invoke, CASES, "old")
    write_run(invoke, altered, "new")
    text, content = refusal(invoke, door)
    assert "3 of 12 common ids" in text
    assert "other golds of '2', '5'; other questions of '7'" in text
    cases = content["different_cases"]
    assert isinstance(cases, list)
    assert [(case["id"], case["differs"]) for case in cases] == [
        ("2", ["gold"]),
        ("5", ["gold"]),
        ("7", ["question"]),
    ]
    assert cases[2]["questions"] == ["How many cost 7?", "Why?"]


@pytest.mark.parametrize("door", DOORS)
def test_what_is_forced_lists_the_same_cases(door: str, invoke: Invoke) -> None:
    write_run(invoke, CASES, "old")
    write_run(invoke, [{**CASES[0], "gold": "SELECT 7"}, *CASES[1:]], "new")
    forced = invoke(*DOORS[door], "--force", "--json")
    assert forced.exit_code in (0, 1), forced.output
    content = json.loads(forced.stdout)
    assert [case["id"] for case in content["different_cases"]] == ["0"]


@pytest.mark.parametrize("door", DOORS)
def test_the_same_cases_are_compared(door: str, invoke: Invoke) -> None:
    for name in ("old", "new"):
        write_run(invoke, CASES, name)
    same = invoke(*DOORS[door], "--json")
    assert same.exit_code == 0, same.output
    content = json.loads(same.stdout)
    assert isinstance(content, list) or content["different_cases"] == []
