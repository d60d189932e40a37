"""A rule dropped into a plug-in package is listed, documented, checked and used, by one file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RULE = '''"""Adding nothing to an integer leaves it as it is.

Statement
    SELECT x + 0 FROM t   ==   SELECT x FROM t

Holds when
    x is an integer, and the sum is a column of the outermost query.

Why
    The sum of an integer and 0 is the integer, and NULL + 0 is NULL.

Limits
    In a comparison the sum has no affinity and the column has one: left alone there.

Source
    A test.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="tested",
    schema="CREATE TABLE t (k INTEGER, v TEXT)",
    equal=[Pair("SELECT k + 0 FROM t", "SELECT k FROM t")],
    different=[Pair("SELECT v + 0 FROM t", "SELECT v FROM t", because="v is a text")],
)
def plus_nothing_is_idle(node: exp.Add, facts: Facts) -> Expr | None:
    """Drop the zero."""
    root = node.parent
    if not isinstance(root, exp.Select) or root.parent is not None:
        return None
    zero = isinstance(node.expression, exp.Literal) and node.expression.this == "0"
    if not zero or not isinstance(node.this, exp.Column) or facts.kind(node.this) != "integer":
        return None
    return node.this
'''
USE = """
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.rule import RULES
from sqlverdict.testing.rule_suite.pages import rule_page
from sqlverdict.testing.rules import check_rule

name = "plus_nothing_is_idle"
assert name in RULES.names(), "not listed"
assert RULES.home(name) == "extra_rules.plus_nothing_is_idle", RULES.home(name)
assert rule_page(RULES.get(name)).startswith("# plus_nothing_is_idle"), "not documented"
check_rule(name)
schema = read_ddl("CREATE TABLE item (price INTEGER)", "shop")
proof = prove("SELECT price FROM item", "SELECT price + 0 FROM item", schema)
assert proof.proved and proof.rules == (name,), proof
assert check_proof(proof, schema).holds
assert not prove(
    "SELECT price FROM item",
    "SELECT price + 0 FROM item",
    schema,
    without=frozenset([name, "unit_operand_is_idle"]),
).proved
"""


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """A folder as an installer leaves it: a package, and its entry point."""
    package = tmp_path / "extra_rules"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "plus_nothing_is_idle.py").write_text(RULE)
    info = tmp_path / "extra_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[sqlverdict.rules]\nplus_nothing_is_idle = extra_rules.plus_nothing_is_idle\n"
    )
    return tmp_path


def python(plugins: Path, *args: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(plugins), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        cwd=plugins,
        check=False,
    )


@pytest.mark.slow
def test_a_rule_of_a_plugin_is_listed_documented_checked_and_used(plugins: Path) -> None:
    done = python(plugins, "-W", "error", "-c", USE)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_command_line_knows_it(plugins: Path) -> None:
    run = "import sys; from sqlverdict.cli.main import main; main()"
    listing = python(plugins, "-c", run, "explain", "rules", "--profile", "sound")
    assert "plus_nothing_is_idle" in listing.stdout, listing.stderr
    explained = python(plugins, "-c", run, "explain", "rule", "plus_nothing_is_idle")
    assert "Adding nothing to an integer leaves it as it is." in explained.stdout
    (plugins / "schema.sql").write_text("CREATE TABLE item (price INTEGER);")
    queries = ("SELECT price + 0 FROM item", "SELECT price FROM item")
    proved = python(plugins, "-c", run, "prove", *queries, "--schema", "schema.sql")
    assert "equal by plus_nothing_is_idle because item.price has INTEGER affinity" in proved.stdout


@pytest.mark.slow
def test_an_unsound_rule_of_a_plugin_is_caught(plugins: Path) -> None:
    path = plugins / "extra_rules" / "plus_nothing_is_idle.py"
    path.write_text(
        RULE.replace('or facts.kind(node.this) != "integer"', "").replace(
            '[Pair("SELECT v + 0 FROM t", "SELECT v FROM t", because="v is a text")]',
            '[Pair("SELECT v + 0 FROM t", "SELECT k FROM t", because="another column")]',
        )
    )
    code = "from sqlverdict.testing.rules import check_rule; check_rule('plus_nothing_is_idle')"
    done = python(plugins, "-c", code)
    assert done.returncode != 0
    assert "changes an answer" in done.stderr
