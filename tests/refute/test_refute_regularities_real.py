"""What is mined from the real databases: true of all their rows, and of samples of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from real_parts import REAL, file_of

from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.refute.data.mine.sample import read_samples, reading
from sqlverdict.refute.data.mutate import real_instances
from sqlverdict.refute.data.regularities import Regularities, mine
from sqlverdict.refute.witness import Instance
from timeouts import cpu_limit


def sentences(result: Regularities) -> set[str]:
    return {str(member) for member in result}


def _whole(path: Path) -> Instance:
    schema = read_sqlite(path)
    with reading(path) as connection:
        samples = read_samples(connection, schema.tables, 50_000)
    return Instance(schema, {name: tuple(sample.rows) for name, sample in samples.items()})


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
def test_real_databases_keep_what_they_show(data_root: Path, name: str) -> None:
    path = file_of(data_root, name)
    with cpu_limit(120):  # 0.6 s on a usual machine
        regularities = mine(path)
    assert len(regularities) > 20
    whole = _whole(path)
    assert [str(member) for member in regularities if not member.holds(whole)] == []
    with reading(path) as connection:
        for member in regularities:
            assert not connection.execute(member.counterexample()).fetchall(), str(member)


@pytest.mark.data
def test_known_regularities_of_real_databases(data_root: Path) -> None:
    club = sentences(mine(data_root / "bird/databases/student_club/student_club.sqlite"))
    assert club >= {
        "zip_code.state and zip_code.short_state determine each other",
        "major.department determines major.college",
        "expense.approved is always 'true'",
        "budget.event_status equals event.status wherever budget.link_to_event = event.event_id",
        "budget.remaining is at most budget.amount in every row",
        "every member.zip is among zip_code.zip_code",
        "member.t_shirt_size is one of 'Large', 'Medium', 'Small', 'X-Large'",
        "event.event_date is written as a date and time",
        "expense.cost is always positive",
    }
    assert "income.link_to_member is never NULL" not in club
    toxicology = sentences(mine(data_root / "bird/databases/toxicology/toxicology.sqlite"))
    assert toxicology >= {
        "molecule.label is one of '+', '-'",
        "every connected.atom_id is among atom.atom_id",
        "every molecule.molecule_id is among atom.molecule_id",
        "atom.element is written in lower case",
    }
    # 78 molecules of atom are missing from molecule, and 4 bonds have no type.
    assert "every atom.molecule_id is among molecule.molecule_id" not in toxicology
    assert "bond.bond_type is never NULL" not in toxicology


@pytest.mark.data
@pytest.mark.parametrize("name", ["bird/databases/student_club", "spider/database/world_1"])
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10_000))
def test_samples_keep_what_survives_sampling(data_root: Path, name: str, seed: int) -> None:
    """All kinds but inclusions and tables that are never empty."""
    path = file_of(data_root, name)
    schema = read_sqlite(path)
    tables = [table.name for table in schema.tables]
    (first, *_) = real_instances(path, schema, tables, {}, seed=seed, count=1)
    for member in mine(path, schema):
        if member.survives_sampling:
            assert member.holds(first), str(member)
