"""Fixtures that every stage's tests share."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from servers import fresh_postgres, postgres_server
from tiers import QUICK

# Machines are slow and busy: no example fails for its time. The examples are the same every
# time and on every machine; `make thorough` tries new ones, and more of them.
settings.register_profile("fixed", deadline=None, derandomize=True, database=None)
settings.register_profile("quick", deadline=None, derandomize=True, database=None)
settings.register_profile("thorough", deadline=None, derandomize=False, print_blob=True)
PROFILE = os.environ.get("SQLVERDICT_TESTS", "fixed")
settings.load_profile(PROFILE)
if PROFILE != "thorough":
    # Hypothesis mixes constants of our source into its examples: of the modules that happen to be
    # loaded. Examples would depend on what ran before, and each worker would parse the package.
    providers._get_local_constants = lambda: providers._local_constants

# A shell that starts the tests in the background ignores Ctrl-C, and what they start would too:
# a test that interrupts a process would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

EXAMPLES = {"fixed": 1.0, "quick": 0.1, "thorough": 10.0}[PROFILE]
"""How many times the examples of its own settings a property tries."""
FEWEST_EXAMPLES = 5
MOST_ITEMS = 8
"""Of a test with more items ``make quick`` runs so many."""
SERVERS = {"llm", "mysql_url", "postgres"}
"""Fixtures that need a server: a test that uses one is slow."""

REPOSITORY = Path(__file__).resolve().parent.parent


def find_data() -> Path:
    """Where the real data should be: SQLVERDICT_DATA, else ../shared/data beside the repo."""
    return Path(os.environ.get("SQLVERDICT_DATA", REPOSITORY.parent / "shared" / "data"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests that need data or a server, choose and order tests, scale their examples."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if "data_root" in fixtures:
            item.add_marker(pytest.mark.data)
        if fixtures & SERVERS:
            item.add_marker(pytest.mark.slow)
    if QUICK:
        chosen = set(sample(items))
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]
    items[:] = deal(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    if EXAMPLES == 1:
        return
    for test in {getattr(item, "obj", None) for item in items}:
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None:
            number = max(min(own.max_examples, FEWEST_EXAMPLES), int(own.max_examples * EXAMPLES))
            scaled = settings(own, max_examples=number)
            getattr(test, "__func__", test)._hypothesis_internal_use_settings = scaled


def sample(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """A few items of each test, the same ones every time; all those that ``-m`` leaves out."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow") or item.get_closest_marker("data"):
            yield item
        else:
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, each in tests.items():
        # By chance: every n-th would leave out the same value of an inner parameter each time.
        yield from each if len(each) <= MOST_ITEMS else Random(name).sample(each, MOST_ITEMS)


def deal(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The tests in the order in which workers get them: each some folders, slow files first.

    Tests of a folder share what is slow to load or start: packages, servers, a browser, the syntax
    trees of the lints. A worker that is done takes tests from the end of another's part. Quick ones
    are there, so that no worker is left alone with a test that takes long.
    """
    if workers == 1:
        return items
    folders: dict[Path, list[pytest.Item]] = {}
    for item in items:
        folders.setdefault(item.path.parent, []).append(item)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for folder in sorted(folders.values(), key=len, reverse=True):
        min(parts, key=len).extend(folder)
    return [item for part in parts for item in sorted(part, key=lambda i: i.path not in slow)]


def pytest_sessionstart() -> None:
    """Nearly all that collection makes stays: the garbage collector would look in vain."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Tests and modules stay to the end: the garbage collector need not look at them again."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Extension modules complain about what nobody collects at the end."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The real data's folder; skips where it is absent."""
    root = find_data()
    if not (root / "spider" / "dev.json").is_file():
        pytest.skip(f"real data not found at {root}; set SQLVERDICT_DATA to run this test")
    return root


@pytest.fixture(scope="session")
def _caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A new path for a cache each time; its folder is made where a test uses it."""
    folder = tmp_path_factory.mktemp("caches")
    return (folder / str(number) / "answers.sqlite" for number in count())


@pytest.fixture(autouse=True)
def _own_cache(_caches: Iterator[Path]) -> None:
    """No test reads or writes the user's cache of answers, nor that of another test."""
    os.environ["SQLVERDICT_CACHE"] = str(next(_caches))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server on which databases may be made; skips where there is none."""
    with postgres_server() as url:
        yield url


@pytest.fixture
def postgres_database(postgres: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database, for one test."""
    with fresh_postgres(postgres) as url:
        yield url
