"""Fixtures that every stage's tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are slow and busy: no example fails for its time. The examples are the same every
# time and on every machine; `make thorough` tries new ones, and more of them.
settings.register_profile("fixed", deadline=None, derandomize=True, database=None)
settings.register_profile("thorough", deadline=None, derandomize=False, print_blob=True)
PROFILE = os.environ.get("SQLVERDICT_TESTS", "fixed")
settings.load_profile(PROFILE)

# A shell that starts the tests in the background ignores Ctrl-C, and what they start would too:
# a test that interrupts a process would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

MORE = 10
"""How many times the examples of a property are tried in the thorough profile."""

REPOSITORY = Path(__file__).resolve().parent.parent


def find_data() -> Path:
    """Where the real data should be: SQLVERDICT_DATA, else ../shared/data beside the repo."""
    return Path(os.environ.get("SQLVERDICT_DATA", REPOSITORY.parent / "shared" / "data"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In the thorough profile every property tries more examples than its own settings ask for."""
    if PROFILE != "thorough":
        return
    for test in {getattr(item, "obj", None) for item in items}:
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None:
            more = settings(own, max_examples=own.max_examples * MORE)
            getattr(test, "__func__", test)._hypothesis_internal_use_settings = more


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
