"""Shards of a run, evaluated apart, become one run.

Shard ``i`` of ``n`` has every ``n``-th case, from the ``i``-th on. Its manifest says so among its
inputs, so that shards of other inputs, options or versions are noticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from sqlverdict.account import SPENDING, merge_accounts
from sqlverdict.errors import OptionName, RunLogError
from sqlverdict.files.atomic import copy_at_once
from sqlverdict.runlog.folder import CONTRADICTIONS, WITNESSES, RunFolder
from sqlverdict.runlog.log import encode_result, read_results
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.runlog.run import Run, read_run

SELECTION = "selection"
"""The input of a manifest that says which cases were chosen."""
_SHARD = re.compile(r"(?:(.*); )?shard (\d+)/(\d+)")


@dataclass(frozen=True)
class Shard:
    """A part of a run: its number from 1, and how many there are."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise ValueError(
                f"shard {self.number}/{self.of}; expected one of 1/{self.of} and so on"
            )

    def __str__(self) -> str:
        return f"shard {self.number}/{self.of}"

    def has(self, position: int) -> bool:
        """Whether the case at a position, from 0, belongs to it."""
        return position % self.of == self.number - 1


def merge_runs(folders: Sequence[Path], out: Path, *, overwrite: bool = False) -> Run:
    """Put the shards of one run together; the result is the run of one process.

    Args:
        folders: The run of each shard, in any order.
        out: The folder of the merged run.
        overwrite: Start anew where ``out`` already holds a run.

    Raises:
        RunLogError: a run is not finished, not whole or no shard, shards are missing or there
            twice, or they differ in what decides results; or ``out`` is one of them.
    """
    for folder in folders:
        if folder.resolve() == out.resolve():
            raise RunLogError(
                f"{out} is one of the shards; give another folder for the whole run",
                reason="wrong_shards",
            )
    runs = _in_order([read_run(folder) for folder in folders])
    _check_whole(runs)
    first = runs[0].manifest
    facts = {
        "cases": sum(run.manifest.cases or 0 for run in runs),
        "killed_workers": sum(run.manifest.killed_workers for run in runs),
        "databases": _databases([run.manifest for run in runs]),
        "notes": tuple(dict.fromkeys(note for run in runs for note in run.manifest.notes)),
    }
    merged = RunFolder(out, _whole(first), overwrite=overwrite)
    try:
        # A line in the log stands: the files that it names are there before it, and what an
        # earlier merge left does not count as finished meanwhile.
        merged.append(())
        for run in runs:
            for name in (WITNESSES, CONTRADICTIONS):
                _copy_files(run.folder / name, out / name)
        merge_accounts([run.folder / SPENDING for run in runs], out / SPENDING)
        merged.append(_lines(runs))
        return merged.finish(**facts)
    finally:
        merged.close()


def shard_of(manifest: Manifest) -> Shard | None:
    """Which shard a run is; ``None`` for a whole run.

    Raises:
        RunLogError: there is no such shard.
    """
    match = _SHARD.fullmatch(manifest.inputs.get(SELECTION, ""))
    try:
        return Shard(int(match[2]), int(match[3])) if match else None
    except ValueError as error:
        raise RunLogError(
            f"a manifest has {error}. Evaluate the shard again", reason="damaged"
        ) from error


def _whole(manifest: Manifest) -> Manifest:
    """The manifest of the whole run."""
    inputs = dict(manifest.inputs)
    match = _SHARD.fullmatch(inputs.pop(SELECTION))
    assert match is not None, "only manifests of shards come here"
    if match[1]:
        inputs[SELECTION] = match[1]
    return replace(manifest, inputs=inputs, started="", finished="", seconds=0.0)


def _in_order(runs: Sequence[Run]) -> list[Run]:
    shards = [shard_of(run.manifest) for run in runs]
    for run, shard in zip(runs, shards, strict=True):
        if shard is None:
            raise RunLogError(
                f"{run.folder} is not a shard: it was not evaluated with ",
                OptionName("shard"),
                reason="wrong_shards",
            )
    known = [shard for shard in shards if shard is not None]
    if not known:
        raise RunLogError(
            "there is nothing to merge; name the runs of all shards", reason="wrong_shards"
        )
    count = known[0].of
    numbers = sorted(shard.number for shard in known)
    if {shard.of for shard in known} != {count} or numbers != list(range(1, count + 1)):
        names = ", ".join(f"{run.folder}: {shard}" for run, shard in zip(runs, known, strict=True))
        raise RunLogError(
            f"expected every shard of {count} once; found {names}", reason="wrong_shards"
        )
    ordered = [run for _, run in sorted(zip(known, runs, strict=True), key=lambda p: p[0].number)]
    first = ordered[0]
    for run in ordered[1:]:
        if _whole(run.manifest).fingerprint != _whole(first.manifest).fingerprint:
            raise RunLogError(
                f"{first.folder} and {run.folder} are not shards of one run: inputs, options or "
                f"versions differ. Compare their manifest.json",
                reason="another_run",
            )
    return ordered


def _check_whole(runs: Sequence[Run]) -> None:
    """Every shard has its share of the cases, and each of them once."""
    for run in runs:
        if run.manifest.cases is None:
            raise RunLogError(
                f"{run.folder} is not finished. Run the same evaluate command again",
                reason="unfinished",
            )
    total = sum(run.manifest.cases or 0 for run in runs)
    for number, run in enumerate(runs):
        share = len(range(number, total, len(runs)))
        indexes = sorted(result.index for result in read_results(run.folder))
        if run.manifest.cases != share or indexes != list(range(share)):
            raise RunLogError(
                f"{run.folder} does not have each of its {share} cases once. Evaluate this shard "
                "again with ",
                OptionName("overwrite", True),
                reason="damaged",
            )


def _lines(runs: Sequence[Run]) -> Iterator[tuple[int, bytes]]:
    for number, run in enumerate(runs):
        for result in read_results(run.folder):
            index = result.index * len(runs) + number
            yield index, encode_result(structs.replace(result, index=index))


def _databases(manifests: Sequence[Manifest]) -> Mapping[str, str]:
    known: dict[str, str] = {}
    for manifest in manifests:
        for db_id, digest in manifest.databases.items():
            if known.setdefault(db_id, digest) != digest:
                raise RunLogError(
                    f"the database {db_id!r} was not the same for all shards. Evaluate the shards "
                    f"of the older one again",
                    reason="another_run",
                )
    return dict(sorted(known.items()))


def _copy_files(source: Path, target: Path) -> None:
    # Not copytree: it goes on after a file that fails, and its error is a list of all of them.
    for file in sorted(source.rglob("*")):
        if file.is_file():
            copy = target / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy_at_once(file, copy)
