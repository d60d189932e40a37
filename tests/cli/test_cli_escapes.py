"""No text of a benchmark, a database, a query or a file steers the terminal or a report."""

from __future__ import annotations

import io
import json
import logging
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from sqlverdict.files.escapes import EscapingStream, escaped, escaping, json_escaped
from sqlverdict.parse.query import parse
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import plain_table, table

Invoke = Callable[..., Result]

EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\u202e\u2066\x08\r\u200f\x7f"
FORBIDDEN = [chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))]
FORBIDDEN += ["\u202e", "\u2066", "\u200f", "\u2028"]


def has_escapes(text: str) -> bool:
    return any(character in text for character in FORBIDDEN)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A benchmark whose every name wants to steer the terminal."""
    name = EVIL.replace("\r", "").replace("\x08", "")
    path = tmp_path / "databases" / "d" / "d.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f'CREATE TABLE "t{name}" (id INTEGER PRIMARY KEY, "c{name}" TEXT)')
        connection.execute(f'INSERT INTO "t{name}" VALUES (1, ?), (2, NULL)', (EVIL,))
        connection.commit()
    column, source = f'"c{name}"', f'"t{name}"'
    records = [
        {"gold": f"SELECT {column} FROM {source}", "prediction": f"SELECT id FROM {source}"},
        {
            "gold": f"SELECT count(*) FROM {source}",
            "prediction": f"SELECT count({column}) FROM {source}",
        },
        {"gold": f'SELECT {column} AS "{name}" FROM {source}', "prediction": f"SELECT '{EVIL}'"},
        {"gold": f"SELECT nothing FROM {source} -- {name}", "prediction": f"SELECT {name}"},
        {"gold": f'SELECT id FROM "{name}"', "prediction": f"{name} no"},
    ]
    cases = tmp_path / "cases.jsonl"
    with cases.open("w") as out:
        for number, record in enumerate(records):
            start = {"id": f"{number}{name}", "db_id": "d", "question": f"What? {EVIL}"}
            out.write(json.dumps(start | record) + "\n")
    return tmp_path


def test_no_command_lets_names_steer_the_terminal(
    hostile: Path, invoke: Invoke, tmp_path: Path
) -> None:
    run, cases = tmp_path / "run", hostile / "cases.jsonl"
    base = ["--cases", cases, "--databases", hostile / "databases"]
    results = [invoke("evaluate", *base, "--refute", 20, "--prove", "--out", run, "--workers", 0)]
    first = json.loads(cases.read_text().splitlines()[0])
    second = json.loads(cases.read_text().splitlines()[1])
    database = ["--db", hostile / "databases" / "d" / "d.sqlite"]
    for pair in (first, second):
        both = [pair["gold"], pair["prediction"]]
        results += [
            invoke(
                "refute", *both, *database, "--set", "no-bank=true", "--out", tmp_path / "witnesses"
            ),
            invoke("pair", *both, *database, "--set", "no-bank=true"),
            invoke("pair", *both, *database, "--set", "no-bank=true", "--json"),
            invoke("prove", *both, *database, "--facts"),
            invoke("pair", pair["gold"]),
        ]
    results += [
        invoke("pair", f"SELECT {EVIL}"),
        invoke("refute", "--replay", tmp_path / "witnesses"),
        invoke("doctor", *base, "--no-cache"),
        invoke("doctor", *base, "--no-cache", "--json"),
        invoke("audit", run, *base),
        invoke("show", run, first["id"]),
        invoke("show", run),
        invoke("check", run, "--min", f"{EVIL}=1"),
        invoke(EVIL),
        invoke("show", tmp_path / f"missing{EVIL}"),
        invoke("evaluate", "--cases", tmp_path / f"missing{EVIL}"),
    ]
    for result in results:
        assert result.output, result
        assert not has_escapes(result.output), ascii(result.output)
    assert results[0].exit_code in (0, 4), results[0].output
    for report in ("report.md", "report.html", "junit.xml"):
        if (run / report).exists():
            assert not has_escapes((run / report).read_text()), report


def test_json_keeps_its_meaning(hostile: Path, invoke: Invoke) -> None:
    cases = hostile / "cases.jsonl"
    first = json.loads(cases.read_text().splitlines()[0])
    result = invoke("pair", first["gold"], "--json")
    assert not has_escapes(result.output)
    (column,) = json.loads(result.output)["columns"]
    assert column == "c" + EVIL.replace("\r", "").replace("\x08", "")


def test_titles_and_headers_of_tables_are_spelt_out() -> None:
    output = table([f"a{EVIL}"], [[EVIL]], title=EVIL)
    assert not has_escapes(plain_table(output))
    for colour in (False, True):
        stream = io.StringIO()
        Screen(stream, colour=colour).table(output)
        text = stream.getvalue()
        assert "\x1b]0" not in text
        assert "\x9b" not in text
        assert "\u202e" not in text


def test_whatever_is_written_passes_the_border(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with escaping():
        print(f"one{EVIL}", file=sys.stderr)  # noqa: T201
        logging.getLogger("anything").warning("two%s", EVIL)
        sys.stderr.writelines([f"three{EVIL}\n", "four\tfive\n"])
        assert isinstance(sys.stderr, EscapingStream)
        with pytest.raises(TypeError):
            sys.stderr.write(b"bytes")  # type: ignore[arg-type]
    assert sys.stderr is stream
    text = stream.getvalue()
    assert not has_escapes(text)
    assert "four\tfive\n" in text


def test_the_parsers_own_warnings_are_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    for sql in (f"SELECT a FROM t ORDER BY a /* {EVIL} */ LIMIT 1", f"PRAGMA {EVIL}", "WITH x"):
        parse(sql)
        parse(sql, "postgres")
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_spelling_out_is_complete_and_exact() -> None:
    assert escaped("plain ä 漢字 \n\t") == "plain ä 漢字 \n\t"
    assert escaped("\x1b[0m\u202e\U000e0041") == "\\x1b[0m\\u202e\\U000e0041"
    assert json.loads(json_escaped(json.dumps("\x9b\u202e\U000e0041", ensure_ascii=False))) == (
        "\x9b\u202e\U000e0041"
    )
