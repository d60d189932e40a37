"""Readers of foreign text take time linear in its length, whatever it is made of.

Each reader gets long stretches of one character in a process of its own, under a limit of CPU
time far above what a linear reader takes. A quadratic one would take many minutes.
"""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from tiers import sampled

CPU_SECONDS = 60
START = """
import sys, tempfile
from pathlib import Path
from sqlverdict.errors import DataError, SqlverdictError
from sqlverdict.llm.http.wire import Malformed, decode

UNITS = [" ", "[", "(", "{", "}", "{}", "'", '"', "1", "\\\\", "`", "\\n", ","]
folder = Path(tempfile.mkdtemp())

def file(name, text):
    path = folder / name
    path.write_text(text)
    return path

def feed(size, *readers):
    size = min(size, int(sys.argv[1]))
    for unit in UNITS:
        text = (unit * (size // len(unit) + 1))[:size]
        for reader in readers:
            try:
                reader(text)
            except (SqlverdictError, Malformed):
                pass
"""
READERS = {
    "replies of a judge": """
from sqlverdict.judge.replies.conclusion import read_conclusion, read_verdict, score_form
feed(1_000_000, read_verdict)
feed(30_000, lambda text: read_conclusion(text, score_form(1, 5)), lambda text: read_verdict('{"correct": true, "x": "' + text),
     lambda text: read_verdict("{" + text + "x"))
""",
    "SQL in replies": """
from sqlverdict.abstain.prompting.replies import label_of, refuses, split_remark, sql_of
from sqlverdict.load.replies.fenced import extract_sql
UNITS += ["~", "<", "*", ";", "\\r\\n", "```sql", "```\\n", "~~~ ", "```'", "</think>", "select ", "with ", "pivot ", "/*", "--"]
feed(1_000_000, extract_sql, lambda text: extract_sql("Here it is: " + text))
feed(100_000, refuses, lambda text: label_of(text, "correct", "incorrect"))
feed(60_000, sql_of, split_remark, lambda text: extract_sql("SELECT " + text))
""",
    "bodies of a server": """
from sqlverdict.llm.reply_schema import text_fits
feed(1_000_000, lambda text: decode(text.encode()),
     lambda text: text_fits(text, {"type": "object"}))
""",
    "tokens": """
from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.execute.clock import may_read_clock, reads_clock
from sqlverdict.parse.measure import unfolds_beyond
from sqlverdict.parse.query import parse
from sqlverdict.parse.tokens import leading_keyword, normalised, statements
feed(1_000_000, parse, fold_sql, leading_keyword)
feed(50_000, normalised, statements, may_read_clock, reads_clock,
     lambda text: unfolds_beyond("WITH " + text), lambda text: parse("SELECT " + text))
""",
    "files of predictions and labels": """
from sqlverdict.audit.recover_predictions import recover_predictions
from sqlverdict.judge.recorded import RecordedReplies
from sqlverdict.load.tables.open_table import open_table
from sqlverdict.load.own_files.goldfile import gold_lines
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.predictions import load_predictions
from sqlverdict.records import Case
cases = [Case("0", "d", "?", ("SELECT 1",))]
for kind in ("txt", "json", "jsonl", "csv"):
    feed(200_000, lambda text: load_predictions(file(f"p.{kind}", text), ["0"]))
    feed(50_000, lambda text: recover_predictions(file(f"p.{kind}", text), cases, None))
feed(1_000_000, lambda text: list(open_table(file("t.csv", text), DataError).rows),
     lambda text: gold_lines(file("g.txt", text)), lambda text: read_labels(file("l.csv", text)),
     lambda text: read_labels(file("l.jsonl", text)),
     lambda text: RecordedReplies.from_jsonl(file("r.jsonl", text)))
""",
    "logs and reports": """
from sqlverdict.files.escapes import escaped
from sqlverdict.files.secrets import without_secrets
from sqlverdict.report.one_run.markdown import fence
from sqlverdict.runlog.log import read_results
from sqlverdict.report.terminal.tables import md_cell, short
feed(1_000_000, lambda text: list(read_results(file("results.jsonl", text).parent)), escaped,
     without_secrets, lambda text: without_secrets("http://" + text), fence, short)
feed(200_000, md_cell)
""",
}


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("name", READERS)
def test_a_reader_is_linear(name: str) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))

    done = subprocess.run(
        [sys.executable, "-c", START + READERS[name], str(sampled(300_000, 1_000_000))],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )
    assert done.returncode == 0, done.stderr[-2_000:] or "it took too long"
