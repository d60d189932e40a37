"""Changed queries of a case are examined as its run was: by its policy, with rows of both answers."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from label_runs import PAIRS, write_database, write_run
from sqlverdict.cli.run_cases import run_cases
from sqlverdict.view.playground import Playground


@pytest.mark.parametrize(("policy", "verdict"), [("strict", "incorrect"), ("results", "correct")])
def test_the_policy_is_that_of_the_run(tmp_path: Path, policy: str, verdict: str) -> None:
    run = write_run(tmp_path / "run")
    run = replace(run, manifest=replace(run.manifest, stages={"policy": policy}))
    databases = str(write_database(tmp_path / "databases"))
    with closing(Playground(lambda run: run_cases(run, databases))) as playground:
        lucky = playground.check(run, "q1", PAIRS[1][1], f"{PAIRS[1][1]} WHERE price > 1")
        assert (lucky.policy, lucky.verdict) == (policy, verdict)
        answers = playground.check(run, "q1", *PAIRS[1][1:]).detail.answers
    assert answers is not None
    assert [row.state for row in answers.rows] == ["missing"]
