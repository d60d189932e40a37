"""Every command and snippet of the README and the docs is run, or says why not and has real options."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from doc_blocks import ROOT, Block, blocks, check_options, check_text, run_commands, run_python
from sqlverdict.cli.main import sqlverdict

ELSEWHERE = {
    "docs/index.md": "test_tutorials.py",
    "docs/rewards.md": "rl/test_rl_docs.py",
    "docs/integrations.md": "integrations/examples.py",
}
"""Pages whose blocks are run by tests of their own."""
PAGES = [
    page
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if (page := str(path.relative_to(ROOT))) not in ELSEWHERE
]
RUN = ("sh", "python")
SHOP = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL);
INSERT INTO item VALUES (1, 'pen', 1.5), (2, 'pad', 2.5), (3, 'ink', 4.0);
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO city VALUES (1, 'Oslo'), (2, 'Rome');
"""
SINGER = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);"
CASES = {
    "17": ("SELECT count(*) FROM item", "SELECT count(id) FROM item"),
    "18": ("SELECT name FROM item WHERE price < 3", "SELECT name FROM item WHERE id < 3"),
    "19": ("SELECT max(price) FROM item", "SELECT min(price) FROM item"),
    "20": (None, None),
}
"""The gold and the prediction of each case; the last has no answer, and the system abstains."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages speak of: databases, questions, answers, runs."""
    folder = tmp_path_factory.mktemp("docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        _write_files()
    return folder


@pytest.fixture
def own_folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of that folder, to work in."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def _write_files() -> None:
    nested = "spider/database/concert_singer/concert_singer.sqlite"
    Path(nested).parent.mkdir(parents=True)
    for name, schema in {"shop": SHOP, "singer": SINGER, "concert_singer": SINGER}.items():
        with closing(sqlite3.connect(f"{name}.sqlite")) as connection:
            connection.executescript(schema)
    shutil.copy("concert_singer.sqlite", nested)
    Path("schema.sql").write_text(SINGER)
    Path("models.csv").write_text("id,gold,gpt,llama\n1,SELECT 1,SELECT 1,SELECT 2\n")
    records: list[dict[str, Any]] = [
        {
            "id": key,
            "db_id": "shop",
            "question": f"Question {key}?",
            "gold": gold,
            "prediction": sql,
        }
        for key, (gold, sql) in CASES.items()
    ]
    Path("cases.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    rows = [(key, gold or "", sql or "I cannot say.") for key, (gold, sql) in CASES.items()]
    Path("answers.csv").write_text(
        "id,gold,prediction\n" + "".join(f"{key},{gold},{sql}\n" for key, gold, sql in rows)
    )
    for name in ("questions", "cases"):
        Path(f"{name}.csv").write_text("id,gold\n" + "".join(f"{k},{g}\n" for k, g, _ in rows))
    Path("bot.csv").write_text("id,sql\n" + "".join(f"{k},{s}\n" for k, _, s in rows))
    answers = ({"id": record["id"], "sql": record["prediction"]} for record in records)
    Path("predictions.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in answers))
    args = ["evaluate", "--cases", "cases.jsonl", "--metrics", "ex", "--out", "runs/a"]
    done = CliRunner().invoke(sqlverdict, [*args, "--quiet"])
    assert done.exit_code == 0, done.output
    for name in ("b", "c", "now", "main-1", "main-2", "main-3"):
        shutil.copytree("runs/a", f"runs/{name}")


def python_names() -> dict[str, Any]:
    """What the snippets of a page take from the reader."""
    records = [{"id": key, "gold_sql": gold, "bot": sql} for key, (gold, sql) in CASES.items()]
    cases = [sv.Case("17", "shop", "How many?", "SELECT 1", "shop.sqlite")]  # type: ignore[arg-type]
    reply = "SELECT count(id) FROM singer"
    return {
        "__name__": "docs",
        "sv": sv,
        "gold": "SELECT count(*) FROM singer",
        "reply": reply,
        "frame": records,
        "cases": cases,
    }


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.usefixtures("own_folder")
def test_the_blocks_of_a_page_run(page: str) -> None:
    names, printed = python_names(), ""
    for block in blocks(page):
        before, printed = printed, ""
        if block.not_run:
            assert block.kind in RUN, f"{page}: only commands and Python need a reason"
            check_not_run(block)
        elif block.kind == "python":
            run_python(block, names)
        elif block.kind == "sh":
            printed = run_commands(block)
        elif block.kind == "text":
            if before:
                check_text(block, before)
        else:
            hidden = block.kind in ("", "bash", "shell") and block.body.startswith("sqlverdict ")
            assert not hidden, f"{page}: mark these commands as sh: {block.body[:80]}"


def check_not_run(block: Block) -> None:
    """What is not run is still Python, or a command with these options."""
    if block.kind == "python":
        compile(block.body, block.page, "exec")
        return
    for program, *args in block.commands():
        if program == "sqlverdict":
            check_options(args)


@pytest.mark.parametrize("page", ELSEWHERE)
def test_pages_with_a_test_of_their_own_have_one(page: str) -> None:
    assert (ROOT / "tests" / ELSEWHERE[page]).is_file()
    assert any(block.kind in ("sh", "bash", "python") for block in blocks(page))
