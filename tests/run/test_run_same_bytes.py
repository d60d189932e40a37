"""The same bytes under any hash seed, with any number of workers, on a busy machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tiers import THOROUGH, sampled

SCRIPT = Path(__file__).with_name("same_bytes.py")
EVERY = sampled(6, 1)
WAYS = (("0", 1), ("20261", 4), ("1", 4))[: sampled(2, 3)]
"""Hash seeds and numbers of workers. The first seed turns the shuffling of sets off."""

BUSY = ["while True: pass"] if THOROUGH else []
"""By default the runs are in one another's way alone."""


@pytest.mark.slow
@pytest.mark.sampled
def test_hash_seed_workers_and_load_change_no_byte(tmp_path: Path) -> None:
    busy = [subprocess.Popen([sys.executable, "-c", script]) for script in BUSY]
    try:
        # All at once, each in the others' way: nobody gets the machine for itself.
        runs = [
            subprocess.Popen(
                [sys.executable, str(SCRIPT), str(tmp_path / seed), str(workers), str(EVERY)],
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONHASHSEED": seed},
            )
            for seed, workers in WAYS
        ]
        outputs = [run.communicate()[0].decode("utf-8") for run in runs]
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert [run.returncode for run in runs] == [0] * len(WAYS)
    folders = [str(tmp_path / seed) for seed, _ in WAYS]
    first, *others = [
        text.replace(folder, "FOLDER") for text, folder in zip(outputs, folders, strict=True)
    ]
    for other in others:
        for ours, theirs in zip(first.splitlines(), other.splitlines(), strict=True):
            assert ours == theirs
    assert_all_kinds(first)


def assert_all_kinds(text: str) -> None:
    """The part of the demo holds every kind of evidence, and nothing that the clock cut."""
    results = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    evidence = [outcome for result in results for outcome in result["evidence"]]
    types = {"proved", "refuted", "tested", "related", "failed", "open_question"}
    assert {piece["type"] for piece in evidence} >= types
    assert any(piece.get("relations") for piece in evidence)
    assert any(piece.get("tags") for piece in evidence)
    assert any("EXECUTION_TIMEOUT" in piece.get("reasons", ()) for piece in evidence)
    assert not any(piece.get("cut_by_time") for piece in evidence)
