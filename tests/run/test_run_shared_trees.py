"""No stage changes a tree that others read, and none hides that it was refused."""

from __future__ import annotations

import traceback
from collections import Counter
from pathlib import Path

import pytest

import frozen_guard
import same_bytes
from sqlverdict.parse import frozen

pytestmark = pytest.mark.slow


def test_no_stage_changes_the_tree_of_a_query(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of ours may become an unscored case: count the refusals themselves."""
    refusals: Counter[str] = Counter()

    class Refusal(frozen.FrozenTreeError):
        def __init__(self, message: str) -> None:
            frame = [each for each in traceback.extract_stack() if "/sqlverdict/" in each.filename][
                -1
            ]
            refusals[f"{frame.filename}:{frame.lineno}: {message}"] += 1
            super().__init__(message)

    monkeypatch.setattr(frozen, "FrozenTreeError", Refusal)
    monkeypatch.setattr(frozen_guard, "FrozenTreeError", Refusal)
    with frozen_guard.refused_assignments():
        same_bytes.main(tmp_path, 0, 4)
    assert capsys.readouterr().out
    assert not refusals
