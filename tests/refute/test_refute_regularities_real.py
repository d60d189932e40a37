"""What is mined from the real databases: true of all their rows, and of samples of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from real_parts import REAL, file_of

from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.refute.data.mine.across import CopiedOver, Inclusion
from sqlverdict.refute.data.mine.columns import FewValues, NeverNull, NumberSign, TextForm
from sqlverdict.refute.data.mine.pairs import Determines, OrderInRow
from sqlverdict.refute.data.mine.sample import read_samples, reading
from sqlverdict.refute.data.mutate import real_instances
from sqlverdict.refute.data.regularities import mine
from sqlverdict.refute.witness import Instance
from timeouts import cpu_limit


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
    club = set(mine(data_root / "bird/databases/student_club/student_club.sqlite"))
    event = (("budget", "link_to_event"), ("event", "event_id"))
    assert club >= {
        Determines("zip_code", "state", "short_state", both=True),
        Determines("major", "department", "college", both=False),
        FewValues("expense", "approved", ("true",)),
        CopiedOver(event, (("budget", "event_status"), ("event", "status"))),
        OrderInRow("budget", "remaining", "amount"),
        Inclusion("member", "zip", "zip_code", "zip_code"),
        FewValues("member", "t_shirt_size", ("Large", "Medium", "Small", "X-Large")),
        TextForm("event", "event_date", "date and time"),
        NumberSign("expense", "cost", strict=True),
    }
    assert NeverNull("income", "link_to_member") not in club
    toxicology = set(mine(data_root / "bird/databases/toxicology/toxicology.sqlite"))
    assert toxicology >= {
        FewValues("molecule", "label", ("+", "-")),
        Inclusion("connected", "atom_id", "atom", "atom_id"),
        Inclusion("molecule", "molecule_id", "atom", "molecule_id"),
        TextForm("atom", "element", "lower case"),
        NeverNull("bond", "bond_id"),
    }
    # 78 molecules of atom are missing from molecule, and 4 bonds have no type.
    assert Inclusion("atom", "molecule_id", "molecule", "molecule_id") not in toxicology
    assert NeverNull("bond", "bond_type") not in toxicology


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
