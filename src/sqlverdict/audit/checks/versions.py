"""What are these data, and what reads them? Versions and digests, for the record."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sqlverdict import __version__
from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.references import attached_files, file_of
from sqlverdict.load.revisions import RevisionMatch, match_revision

NAME = "versions"
_VERSION_AT = 96
"""Where a SQLite file's header names the version that wrote it last."""


@CHECKS.member
class Versions(Check):
    """Versions of the programs, digests of the files, the reader's notes."""

    title = "versions, digests and notes"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Everything that can change a score."""
        programs = {
            "sqlverdict": __version__,
            "python": platform.python_version(),
            data.runner.engine.name: data.runner.engine.version,
            "sqlglot": _installed("sqlglot"),
        }
        text = ", ".join(f"{name} {number}" for name, number in programs.items())
        yield AuditFinding(NAME, "info", "programs", text, detail=programs)
        match = match_revision(data.cases)
        if match.nearest:
            yield _revision(data.benchmark.name, match)
        for note in data.benchmark.notes:
            yield AuditFinding(NAME, "info", data.benchmark.name, f"the reader notes: {note}")
        for source in data.benchmark.sources:
            yield _file(Path(source.path).name, source.path, source.sha256)
        own = {Path(source.path).resolve() for source in data.benchmark.sources}
        file = data.predictions
        if file is not None and file.is_file() and file.resolve() not in own:
            path = str(file)
            read_as = data.recovered.format if data.recovered is not None else "unknown"
            digest = sha256_file(file)
            yield _file(file.name, path, digest, f", read as {read_as}")
        for position, (database, cases) in enumerate(data.databases.items()):
            data.tell(NAME, position, len(data.databases))
            path_of = file_of(database)
            if path_of is None or not path_of.exists():
                continue
            if path_of.is_file() and not attached_files(database):
                more = f", {path_of.stat().st_size:,} bytes{_writer(path_of)}"
                yield _file(cases[0].db_id, database, sha256_file(path_of), more)
            else:
                yield _content(cases[0].db_id, database, data.runner.digest(database))


def _revision(subject: str, match: RevisionMatch) -> AuditFinding:
    """The published revision; a warning where golds or questions are others."""
    message = f"the revision: {match}"
    if match.names:
        return AuditFinding(NAME, "info", subject, message)
    hint = "scores of two revisions cannot be compared; the record of this finding lists the cases"
    detail = {"other_golds": match.other_golds, "other_questions": match.other_questions}
    return AuditFinding(NAME, "warning", subject, message, hint, detail)


def _file(subject: str, path: str, digest: str, more: str = "") -> AuditFinding:
    detail = {"path": path, "sha256": digest}
    return AuditFinding(NAME, "info", subject, f"sha256 {digest[:16]}{more}", detail=detail)


def _content(subject: str, path: str, digest: str) -> AuditFinding:
    """The engine's digest of a database of several files."""
    detail = {"path": path, "digest": digest}
    return AuditFinding(NAME, "info", subject, f"digest of all files {digest}", detail=detail)


def _writer(path: Path) -> str:
    """The SQLite version that wrote a file last, from its header."""
    with path.open("rb") as stream:
        header = stream.read(_VERSION_AT + 4)
    number = int.from_bytes(header[_VERSION_AT:], "big") if len(header) == _VERSION_AT + 4 else 0
    if not number or not header.startswith(b"SQLite format 3\0"):
        return ""
    return f", written by SQLite {number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
