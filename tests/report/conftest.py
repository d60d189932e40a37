"""Small results and runs for the tests of reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.records import Result, Verdict
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.log import encode_result
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.runlog.run import Run

MakeResult = Callable[..., Result]
MakeRun = Callable[..., Run]


def build_result(index: int = 0, **fields: Any) -> Result:
    """A result; a right one unless the fields say otherwise."""
    usual: dict[str, Any] = {
        "id": f"q{index}",
        "db_id": "shop",
        "question": f"Question {index}?",
        "gold": ("SELECT 1",),
        "prediction": "SELECT 1",
        "abstained": False,
        "verdict": Verdict.CORRECT,
        "inputs": f"{index + 1:016x}",
    }
    verdict = fields.get("verdict", Verdict.CORRECT)
    values = {Verdict.CORRECT: 1.0, Verdict.INCORRECT: 0.0, Verdict.ABSTAINED_WRONG: 0.0}
    usual["scores"] = {"ex": values.get(verdict)}
    usual["answerable"] = verdict is not Verdict.ABSTAINED_RIGHT
    return Result(index=index, **(usual | fields))


def build_manifest(**fields: Any) -> Manifest:
    usual: dict[str, Any] = {
        "system": "mine",
        "benchmark": "tiny",
        "inputs": {"cases.jsonl": "aa", "predictions": "bb"},
        "metrics": {"ex": 1},
        "binary": ("ex",),
        "engine": "sqlite",
        "engine_version": "3.40.1",
        "limits": {"seconds": 30.0, "rows": 5.0},
        "sqlverdict": "0.1.0",
        "preset": "strict",
    }
    return Manifest(**(usual | fields))


@pytest.fixture(scope="session")
def make_result() -> MakeResult:
    return build_result


@pytest.fixture(scope="session")
def make_manifest() -> Callable[..., Manifest]:
    return build_manifest


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Writes a run of given results into a folder below ``tmp_path``."""

    def make(name: str, results: Sequence[Result], **manifest: Any) -> Run:
        folder = RunFolder(
            tmp_path / name, build_manifest(**({"system": name} | manifest)), overwrite=True
        )
        folder.append((result.index, encode_result(result)) for result in results)
        return folder.finish(cases=len(results))

    return make


@pytest.fixture
def scored_run(make_run: MakeRun) -> MakeRun:
    """As ``make_run``, from values of ex: 1.0 right, 0.0 wrong, None unscored."""

    def make(name: str, values: Sequence[float | None], **fields: Any) -> Run:
        verdicts = {1.0: Verdict.CORRECT, 0.0: Verdict.INCORRECT, None: Verdict.UNSCORED}
        manifest = fields.pop("manifest", {})
        results = [
            build_result(index, scores={"ex": value}, verdict=verdicts[value], **fields)
            for index, value in enumerate(values)
        ]
        return make_run(name, results, **manifest)

    return make
