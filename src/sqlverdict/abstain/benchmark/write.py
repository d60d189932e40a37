"""A built benchmark as files: a JSONL file a part, the templates, a manifest, links to databases.

The JSONL files hold no path, so that the same material and recipe give the same bytes anywhere;
``databases/`` beside them links to the databases, and that is where ``evaluate`` looks.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.abstain.benchmark.build import BuiltBenchmark
from sqlverdict.abstain.benchmark.lint import SPLIT_TAG
from sqlverdict.abstain.benchmark.splits import PARTS
from sqlverdict.abstain.benchmark.unanswerable import TYPE_TAG
from sqlverdict.account import SPENDING
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.atomic import is_part, remove_parts, replacing, write_at_once
from sqlverdict.files.lock import LOCK
from sqlverdict.records import Case

MANIFEST = "manifest.json"
MANIFEST_SCHEMA = 1
DATABASES = "databases"
ANSWERABLE = "answerable"
UNFINISHED = "unfinished"
"""A file that lies in a benchmark's folder until its last file is written."""


def case_record(case: Case, database: str | None = None) -> dict[str, Any]:
    """A case as the JSONL reader reads it; empty fields are left out."""
    tags = dict(case.tags)
    kind = tags.pop(TYPE_TAG, None)
    golds = list(case.golds)
    fields = {
        "id": case.id,
        "db_id": case.db_id,
        "question": case.question,
        **case.turn_fields,
        "gold": golds[0] if len(golds) == 1 else golds or None,
        "answerable": case.answerable,
        "difficulty": case.difficulty,
        "knowledge": case.knowledge or None,
        "contract": _plain(case.contract) if case.contract is not None else None,
        "database": database,
        "unanswerable_type": kind,
        "tags": tags or None,
    }
    always = ("gold", "answerable")
    return {name: value for name, value in fields.items() if value is not None or name in always}


def _plain(contract: Any) -> dict[str, Any]:
    return {name: value for name, value in asdict(contract).items() if value is not None}


def counts_of(cases: Iterable[Case]) -> dict[str, Any]:
    """How many cases a part has, of which kinds."""
    every = list(cases)
    answerable = [case for case in every if case.answerable]
    others = [case for case in every if not case.answerable]
    return {
        "cases": len(every),
        "answerable": len(answerable),
        "unanswerable": len(others),
        "databases": len({case.db_id for case in every}),
        "templates": len({case.tags["template"] for case in every if "template" in case.tags}),
        "seen": dict(sorted(Counter(c.tags["seen"] for c in every if "seen" in c.tags).items())),
        "hardness": dict(sorted(Counter(case.difficulty or "" for case in answerable).items())),
        "unanswerable_types": dict(
            sorted(Counter(case.tags.get(TYPE_TAG, "") for case in others).items())
        ),
        "written": dict(sorted(Counter(c.tags.get("written", "given") for c in others).items())),
    }


def types_by_database(cases: Iterable[Case]) -> dict[str, dict[str, int]]:
    """How many answerable cases, and others of each type, each database has."""
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        kind = ANSWERABLE if case.answerable else case.tags.get(TYPE_TAG, "")
        counts.setdefault(case.db_id, Counter())[kind] += 1
    return {db_id: dict(sorted(own.items())) for db_id, own in sorted(counts.items())}


def prepare(folder: Path, *, overwrite: bool) -> None:
    """Make the folder, or refuse one that holds something else.

    What a process that was stopped left half-written is no benchmark, and is replaced.

    Raises:
        UsageError: it holds files already, and is not to be overwritten.
    """
    if _has_files(folder) and not (folder / UNFINISHED).is_file():
        if not (folder / MANIFEST).is_file():
            raise UsageError(
                f"{folder} holds files that are not a benchmark of ours; give another folder"
            )
        if not overwrite:
            raise UsageError(
                f"{folder} already holds a benchmark; add ",
                OptionName("overwrite", True),
                ", or give another",
            )
    folder.mkdir(parents=True, exist_ok=True)


def _has_files(folder: Path) -> bool:
    """Whether a folder holds more than a process that was stopped at its start leaves."""
    return folder.is_dir() and any(
        file.name != LOCK and not file.name.startswith(SPENDING) and not is_part(file)
        for file in folder.iterdir()
    )


def write_benchmark(
    built: BuiltBenchmark, folder: Path, about: Mapping[str, Any]
) -> dict[str, Any]:
    """Write a benchmark's files; returns the manifest. :func:`finish` has to follow.

    Args:
        built: The benchmark.
        folder: Where to; it exists.
        about: What the manifest says besides counts and digests: sources, recipe, seed.
    """
    write_text(folder / UNFINISHED, "build is writing here, or was stopped: run it again")
    (folder / MANIFEST).unlink(missing_ok=True)
    template_parts, problems = _link(built.cases, folder / DATABASES)
    digests = {}
    for part in PARTS:
        cases = built.parts[part]
        name = f"{part}.jsonl"
        if not cases:
            (folder / name).unlink(missing_ok=True)
            continue
        records = (case_record(case, _relative(case, template_parts)) for case in cases)
        digests[name] = _write_lines(folder / name, records)
    digests["templates.jsonl"] = _write_lines(folder / "templates.jsonl", _templates(built))
    manifest = {
        "schema": MANIFEST_SCHEMA,
        **about,
        "parts": {part: counts_of(built.parts[part]) for part in PARTS if built.parts[part]},
        "templates": {
            "texts": len(built.meanings.templates),
            "meanings": len(set(built.meanings.classes.values())),
            "pairs_proved": len(built.meanings.same),
            "kept_for": dict(sorted(Counter(built.template_parts.values()).items())),
        },
        "by_database": types_by_database(built.parts["test"]),
        "lacking": {db_id: dict(kinds) for db_id, kinds in sorted(built.lacking.items())},
        "left_out": built.left_out,
        "notes": [*built.notes, *problems],
        "files": digests,
    }
    write_text(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)).decode())
    return manifest


def finish(folder: Path) -> None:
    """All files of a benchmark are written: from now on it is one."""
    remove_parts(folder)
    (folder / UNFINISHED).unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text in one step, with one line end behind it."""
    write_at_once(path, (text.rstrip("\n") + "\n").encode(), lasting=False)


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> str:
    """Write JSONL; returns its digest."""
    digest = hashlib.sha256()
    with replacing(path, lasting=False) as stream:
        for record in records:
            line = msgspec.json.encode(record) + b"\n"
            digest.update(line)
            stream.write(line)
    return digest.hexdigest()


def _templates(built: BuiltBenchmark) -> Iterable[dict[str, Any]]:
    """The templates, each with its meaning and the part it is kept for."""
    used: Counter[str] = Counter()
    places: dict[str, Counter[str]] = {}
    for case in built.cases:
        if "template" in case.tags:
            used[case.tags["template"]] += 1
            parts = places.setdefault(case.tags["template"], Counter())
            parts[case.tags[SPLIT_TAG]] += 1
    proofs = {pair.second.id: pair for pair in built.meanings.same}
    for template in sorted(built.meanings.templates.values(), key=lambda t: (t.db_id, t.id)):
        meaning = built.meanings.classes[template.id]
        record: dict[str, Any] = {
            "id": template.id,
            "meaning": meaning,
            "db_id": template.db_id,
            "text": template.text,
            "kept_for": built.template_parts.get(meaning),
            "parts": dict(sorted(places.get(meaning, Counter()).items())),
        }
        if template.id in proofs:
            pair = proofs[template.id]
            record |= {"same_as": pair.first.id, "by": list(pair.rules)}
        yield record


def _link(cases: Sequence[Case], folder: Path) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Link to the databases; returns each one's file and its link, and what went wrong."""
    files: dict[str, str] = {}
    for case in cases:
        if case.database is not None and Path(case.database).is_file():
            files.setdefault(case.db_id, case.database)
    template_parts: dict[str, tuple[str, str]] = {}
    problems: list[str] = []
    for db_id, file in sorted(files.items()):
        path = Path(file).resolve()
        # A folder that is the database's own may hold a test suite: link it whole.
        own = path.parent.name.casefold() == db_id.casefold()
        link = folder / db_id if own else folder / f"{db_id}{path.suffix}"
        target = path.parent if own else path
        template_parts[db_id] = (file, str(Path(DATABASES) / link.relative_to(folder)))
        if own:
            template_parts[db_id] = (file, str(Path(DATABASES) / db_id / path.name))
        try:
            folder.mkdir(exist_ok=True)
            if link.is_symlink():
                link.unlink()
            if not link.exists():
                link.symlink_to(target, target_is_directory=own)
        except OSError as error:
            parent = Path(file).parent.parent if own else Path(file).parent
            problems = [
                f"no links to the databases could be made ({error.strerror}): name their folder "
                f"when you evaluate (option databases): {parent}"
            ]
    return template_parts, problems


def _relative(case: Case, template_parts: Mapping[str, tuple[str, str]]) -> str | None:
    """A case's own database path, where it is not simply its database's file.

    Readers give some cases a path that leads nowhere, on purpose: that must not be lost.
    """
    if case.database is None or case.db_id not in template_parts:
        return None
    file, link = template_parts[case.db_id]
    if case.database == file:
        return None
    return link + case.database[len(file) :] if case.database.startswith(file) else case.database
