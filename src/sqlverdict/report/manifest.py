"""The manifest: what was run, on what, with which versions and limits.

Its ``fingerprint`` covers everything that can change a result. A run folder is resumed only
by a command with the same fingerprint; anything else is refused with the difference named.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.errors import RunLogError

MANIFEST = "manifest.json"
SCHEMA = 1


@dataclass(frozen=True)
class Manifest:
    """What a run folder's ``manifest.json`` holds."""

    system: str
    benchmark: str
    inputs: Mapping[str, str]
    metrics: Mapping[str, int]
    binary: tuple[str, ...]
    engine: str
    engine_version: str
    limits: Mapping[str, float]
    sqlverdict: str
    preset: str
    stages: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    schema: int = SCHEMA
    python: str = field(default_factory=platform.python_version)
    platform: str = field(default_factory=platform.platform)
    workers: int = 0
    started: str = ""
    finished: str = ""
    seconds: float = 0.0
    cases: int | None = None
    killed_workers: int = 0
    databases: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def deciding(self) -> dict[str, Any]:
        """The parts that can change a result."""
        names = (
            "inputs",
            "metrics",
            "engine",
            "engine_version",
            "limits",
            "sqlverdict",
            "preset",
            "stages",
        )
        everything = asdict(self)
        return {name: everything[name] for name in names} | {"seed": self.seed}

    @property
    def fingerprint(self) -> str:
        """A digest of what can change a result."""
        return hashlib.sha256(msgspec.json.encode(self.deciding(), order="sorted")).hexdigest()


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file at once: a reader sees the old or the new one, never a half."""
    text = msgspec.json.format(msgspec.json.encode(content), indent=2)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_bytes(text + b"\n")
    partial.replace(path)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``manifest.json``."""
    content = asdict(manifest) | {"fingerprint": manifest.fingerprint}
    write_json(folder / MANIFEST, content)


def read_manifest(folder: Path) -> Manifest:
    """Read ``manifest.json``.

    Raises:
        RunLogError: it is missing or cannot be read.
    """
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except OSError as error:
        raise RunLogError(
            f"no run at {folder}: {MANIFEST} cannot be read ({error.strerror}). "
            f"Give the folder that evaluate wrote with --out."
        ) from error
    except msgspec.DecodeError as error:
        raise RunLogError(f"{path} is not a manifest of this version: {error}") from error


def check_same_run(folder: Path, manifest: Manifest) -> Manifest | None:
    """The manifest of an earlier, equal run in that folder; ``None`` where there is none.

    Raises:
        RunLogError: the folder holds another run.
    """
    if not (folder / MANIFEST).exists():
        return None
    earlier = read_manifest(folder)
    if earlier.fingerprint == manifest.fingerprint:
        return earlier
    before, now = earlier.deciding(), manifest.deciding()
    changed = [
        f"{name} was {_short(before[name], now[name])}, is {_short(now[name], before[name])}"
        for name in now
        if before[name] != now[name]
    ]
    raise RunLogError(
        f"{folder} holds another run: {'; '.join(changed)}. Give another --out, or start anew "
        f"with --overwrite."
    )


def _short(value: Any, other: Any) -> str:
    """What differs, short enough for a message."""
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        value = {key: value[key] for key in value if other.get(key) != value[key]}
    text = str(value)
    return text if len(text) <= 120 else text[:117] + "..."
