"""What a start does not do: compile patterns and load stages that the run may not need."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys

import pytest

from sqlverdict.patterns import late_pattern

NOT_NEEDED = (
    "sqlverdict.compare.tags",
    "sqlverdict.load.descriptions",
    "sqlverdict.prove.proof",
    "sqlverdict.signs.sign",
)


def test_a_late_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_ = re.compile

    def compile_and_note(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(text)
        return compile_(text, flags)

    monkeypatch.setattr(re, "compile", compile_and_note)
    pattern = late_pattern(r"b+", re.IGNORECASE)
    assert compiled == []
    assert [pattern.search(text) is not None for text in ("aBb", "", "a")] == [True, False, False]
    assert compiled == [r"b+"]


def test_a_late_pattern_does_what_the_compiled_one_does() -> None:
    pattern = late_pattern(r"(?P<letter>[a-c])\d", re.ASCII)
    for each in (pattern, copy.deepcopy(pattern), pickle.loads(pickle.dumps(pattern))):
        assert each.findall("a1 b2 d3") == ["a", "b"]
        assert each.sub("x", "a1 b2 d3") == "x x d3"
        assert each.pattern == r"(?P<letter>[a-c])\d"
        match = each.fullmatch("c4")
        assert match is not None
        assert match["letter"] == "c"


def test_an_error_in_a_late_pattern_shows_when_it_is_used() -> None:
    with pytest.raises(re.error):
        late_pattern("(").match("")


def test_an_evaluation_loads_no_stage_that_its_metrics_may_not_need() -> None:
    """Proofs, signs, tags and descriptions of columns are loaded where a run has them."""
    script = (
        "import sys, sqlverdict.cli.evaluate_runs, sqlverdict.report.files\n"
        f"sys.exit(', '.join(set({NOT_NEEDED}) & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_proof_on_sqlite_loads_no_engine() -> None:
    script = (
        "import sys; from sqlverdict.prove.prover import prove\n"
        "from sqlverdict.parse.schemas.ddl import read_ddl\n"
        "schema = read_ddl('CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER)', 'd')\n"
        "assert not prove('SELECT v FROM t', 'SELECT id FROM t', schema).proved\n"
        "assert prove('SELECT id FROM t', 'SELECT DISTINCT id FROM t', schema).proved\n"
        "loaded = [name for name in sys.modules if name.startswith('sqlverdict.execute.engines')]\n"
        "sys.exit(', '.join(loaded) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
