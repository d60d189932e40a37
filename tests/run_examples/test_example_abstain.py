"""The example in ``examples/abstain``: from the demo's data to TrustSQL's tables 2 and 3."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "abstain" / "tables.py"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example, whose commands run in this process."""
    pytest.importorskip("sklearn", reason="the detectors of the example need the extra abstain")
    spec = importlib.util.spec_from_file_location("abstain_tables", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(*args: str) -> None:
        done = CliRunner().invoke(sqlverdict, args, catch_exceptions=False)
        assert done.exit_code == 0, done.output

    monkeypatch.setattr(module, "run", run)
    return module


@pytest.mark.slow
def test_the_example_ends_in_tables_2_and_3(example: ModuleType, tmp_path: Path) -> None:
    example.main(str(tmp_path))
    board = json.loads((tmp_path / "report" / "systems.json").read_text(encoding="utf-8"))
    scores = {one["system"]: one["rs"]["ANS+UnANS"] for one in board["systems"]}
    assert set(scores) == {"bold", *example.LINES.values()}
    # Abstaining where it is unsure is worth more than answering everything, where harm costs.
    assert scores["bold[confidence]"]["10"] > board["abstain_all"] > scores["bold"]["10"]
    assert "RS(10) ANS" in (tmp_path / "report" / "systems.md").read_text(encoding="utf-8")
    # The parts are a third each, and none of their questions is in two of them.
    parts = [(tmp_path / f"{part}.jsonl").read_text().splitlines() for part in example.PARTS]
    assert [len(part) for part in parts] == [30, 30, 30]
    assert len({line for part in parts for line in part}) == 90
