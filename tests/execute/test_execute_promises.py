"""Every engine of this repository keeps the promises of the public suite, and has its examples."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from engine_examples import examples_of
from sqlverdict.execute.engine import ENGINES
from sqlverdict.testing import check_engine
from sqlverdict.testing.engine_data import NUMBERS


@pytest.mark.parametrize("engine", ENGINES.names())
def test_every_engine_has_examples(engine: str) -> None:
    assert examples_of(engine).different


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES.names())
def test_an_engine_keeps_every_promise(engine: str) -> None:
    examples = examples_of(engine)
    fraction, binary, content = examples.cells
    statements = (
        f"CREATE TABLE cells (i INTEGER, f {fraction}, t TEXT, n TEXT, b {binary})",
        f"INSERT INTO cells VALUES (7, 2.5, 'é''x', NULL, {content})",
        "CREATE TABLE numbers (i INTEGER, t TEXT)",
        "INSERT INTO numbers VALUES "
        + ", ".join(f"({number}, '{'x' * 100}')" for number in range(1, NUMBERS + 1)),
    )

    def change(database: str) -> None:
        examples.change(database, ["UPDATE numbers SET t = 'y' WHERE i = 7"])

    with ExitStack() as stack, examples.server() as server:
        check_engine(
            engine,
            lambda folder: stack.enter_context(examples.database(folder, statements)),
            change if server else None,
        )
