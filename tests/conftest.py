"""Fixtures that every stage's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are slow and busy: no example fails for its time. In CI the examples are the same
# every time; elsewhere new ones are tried.
settings.register_profile("house", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("house")

REPOSITORY = Path(__file__).resolve().parent.parent


def find_data() -> Path:
    """Where the real data should be: SQLVERDICT_DATA, else ../shared/data beside the repo."""
    return Path(os.environ.get("SQLVERDICT_DATA", REPOSITORY.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The real data's folder; skips where it is absent."""
    root = find_data()
    if not (root / "spider" / "dev.json").is_file():
        pytest.skip(f"real data not found at {root}; set SQLVERDICT_DATA to run this test")
    return root


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's cache of answers."""
    monkeypatch.setenv("SQLVERDICT_CACHE", str(tmp_path_factory.mktemp("cache") / "answers.sqlite"))
