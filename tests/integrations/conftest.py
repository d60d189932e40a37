"""What the tests of integrations share: a database in the current folder, and no network."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples import make_shop


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database in the current folder, which is empty otherwise."""
    monkeypatch.chdir(tmp_path)
    return make_shop(tmp_path / "shop.sqlite")
