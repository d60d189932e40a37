"""The manifest: what was run, on what, with which versions and limits.

Its ``fingerprint`` covers everything that can change a result. A run folder is resumed only
by a command with the same fingerprint; anything else is refused with the difference named. Its
``checksum`` covers all of it: a manifest that was changed afterwards is refused.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.errors import OptionName, RunLogError
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.sealed import seal_fits, write_sealed_json
from sqlverdict.files.text import few_of

MANIFEST = "manifest.json"
_MOST_READ = 50
"""So many runs are looked at for a note."""
SCHEMA = 2
_VERSION = re.compile(r"""^__version__ = .*?["']([^"']+)["']$""", re.MULTILINE)


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
    libraries: Mapping[str, str] = field(default_factory=dict)
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
    revision: str = ""
    """Which published revision of the benchmark the cases are, in words; empty: of none that is
    known, or the run is not finished."""
    trial_of: str = ""
    """The system, where the run is one of several trials of it."""
    command: tuple[str, ...] = ()
    """The words of the ``evaluate`` command that made the run; empty: another program did."""

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
            "libraries",
        )
        everything = asdict(self)
        return {name: everything[name] for name in names} | {"seed": self.seed}

    @property
    def policy(self) -> str:
        """The policy that makes the run's verdicts; a run that names none goes by results."""
        return self.stages.get("policy", "results")

    @property
    def fingerprint(self) -> str:
        """A digest of what can change a result."""
        return hashlib.sha256(msgspec.json.encode(self.deciding(), order="sorted")).hexdigest()


def library_versions() -> dict[str, str]:
    """The versions of the libraries that results rest on besides the engine: the parser's."""
    return {"sqlglot": _version_of("sqlglot")}


def _version_of(package: str) -> str:
    """A package's version, read from its own file: to import it, or its records, is slow."""
    spec = find_spec(package)
    file = Path(spec.origin).with_name("_version.py") if spec and spec.origin else None
    text = file.read_text() if file is not None and file.is_file() else ""
    if version_line := _VERSION.search(text):
        return version_line[1]
    from importlib.metadata import version

    return version(package)


def write_json_at_once(path: Path, content: Any) -> None:
    """Write a JSON file at once: a reader sees the old or the new one, never a half."""
    text = msgspec.json.format(msgspec.json.encode(content), indent=2)
    write_at_once(path, text + b"\n")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``manifest.json``."""
    content = asdict(manifest) | {"fingerprint": manifest.fingerprint}
    write_sealed_json(folder / MANIFEST, content)


def no_run(folder: Path, name: str, error: OSError) -> RunLogError:
    """The error where a folder is no run; it names the runs that lie in it."""
    children = sorted(folder.iterdir()) if folder.is_dir() else []
    runs = [str(child) for child in children if (child / MANIFEST).is_file()]
    why = (
        f"{name} cannot be read ({error.strerror})"
        if folder.exists()
        else "there is no such folder"
    )
    problem = f"no run at {folder}: {why}."
    if runs:
        return RunLogError(f"{problem} Runs in it: {few_of(runs)}.", reason="missing")
    return RunLogError(
        f"{problem} Give the folder that evaluate wrote with ",
        OptionName("out"),
        ".",
        reason="missing",
    )


def read_manifest(folder: Path) -> Manifest:
    """Read ``manifest.json``.

    Raises:
        RunLogError: it is missing, cannot be read, was changed, or has another schema.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
        schema = msgspec.json.decode(content, type=dict[str, Any]).get("schema")
        if isinstance(schema, int):
            require_schema(path, schema, SCHEMA)
        manifest = msgspec.json.decode(content, type=Manifest)
        is_intact = seal_fits(content)
    except OSError as error:
        raise no_run(folder, MANIFEST, error) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunLogError(
            f"{path} is not a manifest of this version: {error}", reason="damaged"
        ) from error
    if not is_intact:
        raise RunLogError(
            f"{path} was changed after it was written: its checksum does not match. Restore it, or "
            "evaluate again with ",
            OptionName("overwrite", True),
            ".",
            reason="damaged",
        )
    return manifest


def was_noted(folder: Path, note: str) -> bool:
    """Whether a run in a folder, or in one inside it, has a note already.

    Args:
        folder: A run's folder, or one of several runs; it need not be there.
        note: The note.
    """
    folders = [folder, *islice((path.parent for path in folder.glob(f"*/{MANIFEST}")), _MOST_READ)]
    for each in folders:
        try:
            if note in read_manifest(each).notes:
                return True
        except RunLogError:
            # No run, or one of another version.
            continue
    return False


def require_schema(path: Path, schema: int, own: int) -> None:
    """Refuse a file of a run that has another schema.

    Args:
        path: The file.
        schema: The schema that it names.
        own: The schema that this version reads.

    Raises:
        RunLogError: they are not the same.
    """
    if schema != own:
        problem = (
            f"{path} has schema {schema}, of another version of sqlverdict; this version reads "
            f"schema {own}."
        )
        if schema > own:
            raise RunLogError(f"{problem} Update sqlverdict.", reason="another_version")
        raise RunLogError(
            f"{problem} Evaluate again with ",
            OptionName("overwrite", True),
            ".",
            reason="another_version",
        )


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
    changes = "; ".join(changes_between(earlier, manifest))
    raise RunLogError(
        f"{folder} holds another run: {changes}. Give another ",
        OptionName("out"),
        ", or start over with ",
        OptionName("overwrite", True),
        ".",
        reason="another_run",
    )


def changes_between(earlier: Manifest, manifest: Manifest) -> list[str]:
    """What differs between two runs and can change a result, in words."""
    before, now = earlier.deciding(), manifest.deciding()
    had, has = before.pop("inputs"), now.pop("inputs")
    files = [name for name in {**had, **has} if had.get(name) != has.get(name)]
    metrics = _changed_metrics(before.pop("metrics"), now.pop("metrics"))
    return [
        *(_changed_input(name, had.get(name), has.get(name)) for name in files),
        *metrics,
        *(text for name in now for text in _changed_part(name, before[name], now[name])),
    ]


def _changed_metrics(before: Mapping[str, int], now: Mapping[str, int]) -> list[str]:
    """Which metrics the two runs have; where they are the same, whose version is another one."""
    if list(before) != list(now):
        return [f"its metrics are {','.join(before)}, this one has {','.join(now)}"]
    return [
        f"the metric {name} was of version {version}, is of version {now[name]}"
        for name, version in before.items()
        if version != now[name]
    ]


def _changed_part(name: str, before: Any, now: Any) -> Iterator[str]:
    """What differs in a part of both manifests; of a mapping each key in words of its own."""
    if not isinstance(before, Mapping):
        if before != now:
            yield f"{name.replace('_', ' ')} was {_short(before)}, is {_short(now)}"
        return
    for owner, own, other in (("it", before, now), ("this one", now, before)):
        alone = [key for key in own if key not in other]
        if alone:
            yield f"{owner} alone has {', '.join(alone)}"
    what = "the limit " if name == "limits" else ""
    for key in before:
        if key in now and before[key] != now[key]:
            yield f"{what}{key} was {_short(before[key])}, is {_short(now[key])}"


def _changed_input(name: str, before: str | None, now: str | None) -> str:
    if before is None:
        what = "a selection of cases" if name == "selection" else name
        return f"{what} is given now, and was not for that run"
    if now is None:
        what = "a selection of cases" if name == "selection" else name
        return f"{what} was given for that run, and is not now"
    if name == "selection":
        return f"the selection of cases was {before!r}, is {now!r}"
    what = "the predictions" if name == "predictions" else name
    return f"{what} changed since that run"


def _short(value: Any) -> str:
    """A value, short enough for a message."""
    text = f"{value:,g}" if isinstance(value, float) and value.is_integer() else str(value)
    return text if len(text) <= 120 else text[:117] + "..."
