"""Fixtures that every stage's tests share."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from demo_runs import DemoRun, shared_demo
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

MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30
"""A folder in memory that Linux has, and the bytes that must be free there."""


def keeps_temporary_files(folder: Path) -> bool:
    """Whether tests can write and start programs there, and find room."""
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return False
    return not os.statvfs(folder).f_flag & os.ST_NOEXEC and shutil.disk_usage(folder).free > ROOM


# Tests make thousands of small databases. On a disk every transaction waits until it is written:
# as long as all the computing takes. TMPDIR=/tmp puts them on the disk again.
if "TMPDIR" not in os.environ and keeps_temporary_files(MEMORY):
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None

EXAMPLES = {"fixed": 0.5, "quick": 0.1, "thorough": 10.0}[PROFILE]
"""How many times the examples of its own settings a property tries."""
FEWEST_EXAMPLES = 5
MOST_ITEMS = 2
"""Of a test with more items ``make quick`` runs so many."""
SHUFFLE = os.environ.get("SQLVERDICT_SHUFFLE", "")
"""Where it is not empty, the seed of the order in which tests run."""
SLOW = {"demo_run", "llm", "mysql_url", "postgres"}
"""Fixtures that need a server, or a run of the demo: a test that uses one is slow."""

REPOSITORY = Path(__file__).resolve().parent.parent


def find_data() -> Path:
    """Where the real data should be: SQLVERDICT_DATA, else ../shared/data beside the repo."""
    return Path(os.environ.get("SQLVERDICT_DATA", REPOSITORY.parent / "shared" / "data"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that need data or a server, order tests, scale their examples."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if "data_root" in fixtures:
            item.add_marker(pytest.mark.data)
        if fixtures & SLOW:
            item.add_marker(pytest.mark.slow)
    items[:] = deal(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    for test in {getattr(item, "obj", None) for item in items}:
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None:
            number = max(min(own.max_examples, FEWEST_EXAMPLES), int(own.max_examples * EXAMPLES))
            # A machine that stalls while examples are made is no fault of theirs.
            checks = (*own.suppress_health_check, HealthCheck.too_slow)
            scaled = settings(own, max_examples=number, suppress_health_check=checks)
            getattr(test, "__func__", test)._hypothesis_internal_use_settings = scaled


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """``make quick`` makes only the items that it runs: to make the others takes longer."""
    yield
    if QUICK:
        metafunc._calls = few(metafunc)


def few(metafunc: pytest.Metafunc) -> list[Any]:
    """A few items of a test, the same ones every time; of one that ``-m`` leaves out, one."""
    test, every = metafunc.definition, metafunc._calls
    if test.get_closest_marker("slow") or {"data_root", *SLOW} & set(metafunc.fixturenames):
        return every[:1]
    each = [call for call in every if all(mark.name not in {"slow", "data"} for mark in call.marks)]
    if len(each) > MOST_ITEMS:
        # By chance: every n-th would leave out the same value of an inner parameter each time.
        sample = Random(test.nodeid).sample(range(len(each)), MOST_ITEMS)
        return [each[number] for number in sorted(sample)]
    return each or every[:1]


def deal(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The tests in the order in which workers get them: each some folders, slow files first.

    Tests of a folder share what is slow to load or start: packages, servers, a browser. A worker
    that is done takes tests from the end of another's part. Quick ones are there, so that no worker
    is left alone with a test that takes long. The lints are at the top of the tests: they share the
    syntax trees of the package, and no other worker takes one of them.

    The folders of a part, and the files of a folder, are in an order of chance, which is the same
    every time: no file may count on the one before it.
    """
    if SHUFFLE:
        return shuffled(items, SHUFFLE)
    if workers == 1:
        return items
    folders: dict[Path, list[pytest.Item]] = {}
    for item in items:
        folders.setdefault(item.path.parent, []).append(item)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    slow |= {item.path for item in items if item.path.parent == REPOSITORY / "tests"}
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for folder in sorted(folders.values(), key=len, reverse=True):
        min(parts, key=len).extend(folder)

    def turn(item: pytest.Item) -> tuple[bool, float, float]:
        return item.path not in slow, chance_of(item.path.parent), chance_of(item.path)

    return [item for part in parts for item in sorted(part, key=turn)]


@cache
def chance_of(path: Path) -> float:
    """A number by chance, the same every time: a new file leaves the others in their order."""
    return Random(f"{path.parent.name}/{path.name}").random()


def shuffled(items: list[pytest.Item], seed: str) -> list[pytest.Item]:
    """The files in an order of chance, and the tests of each; a file's tests stay together.

    What a file shares is made once, as long as its tests follow each other.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    chance = Random(seed)
    order = sorted(files)
    chance.shuffle(order)
    for tests in files.values():
        tests.sort(key=lambda item: item.nodeid)
        chance.shuffle(tests)
    return [item for file in order for item in files[file]]


def pytest_report_header() -> str:
    """How to repeat an order of chance."""
    return f"order of the tests: SQLVERDICT_SHUFFLE={SHUFFLE}" if SHUFFLE else ""


def pytest_configure(config: pytest.Config) -> None:
    """Load the package as users do.

    pytest rewrites the assertions of packages that have a plugin for it, and loads their modules in
    a way of its own: collection takes a third longer.
    """
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("sqlverdict")


def pytest_sessionstart() -> None:
    """Nearly all that collection makes stays: the garbage collector would look in vain."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Tests and modules stay to the end: the garbage collector need not look at them again."""
    gc.enable()
    gc.collect()
    gc.freeze()
    # Extension modules complain about what nobody collects at the end; pytest collects five times
    # before.
    atexit.register(gc.unfreeze)


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


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> DemoRun:
    """The demo, as the first command of ``docs/papers.md`` runs it."""
    return shared_demo(tmp_path_factory)


@pytest.fixture
def postgres_database(postgres: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database, for one test."""
    with fresh_postgres(postgres) as url:
        yield url
