"""Starts a run with the results of an earlier one whose golds are partly others.

A result of the earlier run stands where the golds of its case are the same, for all else that
decides it must be the same too. The rest is evaluated as in any run that is resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from sqlverdict.errors import OptionName, RunLogError
from sqlverdict.evidence import Refuted
from sqlverdict.files.atomic import replacing
from sqlverdict.load.overlays import OVERLAY
from sqlverdict.records import RESULT_SCHEMA, Case, Result
from sqlverdict.runlog.folder import WITNESSES, copy_witness, lock_folder
from sqlverdict.runlog.log import RESULTS, is_sound
from sqlverdict.runlog.manifest import (
    Manifest,
    changes_between,
    read_manifest,
    write_manifest,
)
from sqlverdict.runlog.run import SUMMARY

_decode = msgspec.json.Decoder(Result).decode


def reuse_results(base: Path, out: Path, manifest: Manifest, cases: Iterable[Case]) -> None:
    """Fill a new run's folder with the results that stand.

    A folder that holds the same run stays as it is; one that holds a run of the same set of golds,
    which changed since, is filled anew.

    Args:
        base: The folder of the earlier run.
        out: The folder of the new run.
        manifest: That of the new run.
        cases: Those of the new run, with its golds.

    Raises:
        RunLogError: more than the golds changed, or there is no run.
    """
    earlier = read_manifest(base)
    changes = changes_between(_without_overlays(earlier), _without_overlays(manifest))
    if changes:
        raise RunLogError(
            f"{base} cannot be scored again with other golds alone: {'; '.join(changes)}. Evaluate "
            "it again first, with the command that made it and ",
            OptionName("overwrite", True),
            ".",
            reason="another_run",
        )
    if (out / RESULTS).exists() and not _is_outdated(read_manifest(out), manifest):
        return
    out.mkdir(parents=True, exist_ok=True)
    lock = lock_folder(out)
    try:
        (out / SUMMARY).unlink(missing_ok=True)
        started = datetime.now(UTC).isoformat(timespec="seconds")
        write_manifest(out, replace(manifest, started=started))
        # The log comes last: where it lies, the manifest and all witnesses that it names do too.
        with replacing(out / RESULTS) as target:
            for line, result in _standing(base, {case.id: case.logged_golds for case in cases}):
                target.write(line)
                _copy_witnesses(result, base, out)
    finally:
        lock.release()


def _is_outdated(there: Manifest, manifest: Manifest) -> bool:
    """Whether a run is an earlier state of another: the same system, on sets of the same name."""
    if there.fingerprint == manifest.fingerprint or there.system != manifest.system:
        return False
    own, now = (
        {name for name in each.inputs if name.startswith(OVERLAY)} for each in (there, manifest)
    )
    return bool(own) and own == now


def _without_overlays(manifest: Manifest) -> Manifest:
    inputs = {
        name: digest for name, digest in manifest.inputs.items() if not name.startswith(OVERLAY)
    }
    return replace(manifest, inputs=inputs)


def _standing(base: Path, golds: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[bytes, Result]]:
    """The lines of the earlier run whose cases have the same golds now."""
    with (base / RESULTS).open("rb") as lines:
        for line in lines:
            try:
                result = _decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            whole = line.endswith(b"\n") and is_sound(line)
            if whole and result.schema == RESULT_SCHEMA and golds.get(result.id) == result.gold:
                yield line, result


def _copy_witnesses(result: Result, base: Path, out: Path) -> None:
    for piece in result.evidence:
        if isinstance(piece, Refuted) and piece.file:
            copy_witness(piece.file, base / WITNESSES, out / WITNESSES)
