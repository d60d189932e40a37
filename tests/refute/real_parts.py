"""The real databases on which mining and sampling are tried."""

from __future__ import annotations

from pathlib import Path

REAL = (
    "bird/databases/student_club",
    "bird/databases/toxicology",
    "spider/database/world_1",
    "spider/database/car_1",
    "spider/database/flight_2",
    "spider/database/dog_kennels",
    "spider/database/student_transcripts_tracking",
)


def file_of(data_root: Path, name: str) -> Path:
    """The file of a database, given its folder."""
    return data_root / name / f"{Path(name).name}.sqlite"
