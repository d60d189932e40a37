"""The run log: ``results.jsonl``, one line per case, written as cases finish.

While a run goes on, lines are appended in the order of finishing; a torn last line (power
cut, kill -9) is dropped when the log is opened again, and its case is evaluated anew. When
the run is done the lines are put into the order of the cases, in a new file that replaces
the old one at once.

Each line holds a checksum of all that stands before it; ``timings``, which no two runs share,
stand behind it. A line that was changed afterwards is refused by readers, and its case is
evaluated anew by a run that is resumed.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import structs

from sqlverdict.errors import RunLogError
from sqlverdict.files.atomic import replacing
from sqlverdict.records import RESULT_SCHEMA, Result
from sqlverdict.runlog.manifest import MANIFEST, no_run, read_manifest, require_schema

RESULTS = "results.jsonl"

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Result).decode
_NOWHERE = 2**64 - 1
_AGAIN = 0
_MARK = b',"checksum":"'
_HEX = 16
_TAIL = re.compile(rb'","timings":\{[^{}]*\}\}\s*')


class _LineHead(msgspec.Struct):
    index: int
    schema: int
    database: str = ""
    inputs: str = ""
    final: bool = True


_line_head = msgspec.json.Decoder(_LineHead).decode


def encode_result(result: Result | dict[str, Any]) -> bytes:
    """A result, or a dict with its fields, as one line without the line feed."""
    if isinstance(result, Result):
        result = structs.asdict(result)
        if result["usage"] is None:
            del result["usage"]
        if not result["knowledge"]:
            del result["knowledge"]
        if not result["session"]:
            del result["session"], result["turn"], result["earlier"]
    before = {name: value for name, value in result.items() if name != "timings"}
    return encode_fields(before, result.get("timings", {}))


def encode_fields(before: dict[str, Any], timings: Mapping[str, float]) -> bytes:
    """A line without the line feed, of the fields before its checksum and the timings."""
    body = _encode(before)[:-1]
    checksum = blake2b(body, digest_size=_HEX // 2).hexdigest().encode()
    return b'%b%b%b","timings":%b}' % (body, _MARK, checksum, _encode(timings))


def is_sound(line: bytes) -> bool:
    """Whether a line is as it was written."""
    end = line.rfind(_MARK)
    start = end + len(_MARK)
    # Written out, for every line is read several times.
    digest = blake2b(line[:end], digest_size=_HEX // 2)
    if end <= 0 or line[start : start + _HEX] != digest.hexdigest().encode():
        return False
    # Only the timings stand behind it: a field written there would be read instead of the first.
    return _TAIL.fullmatch(line, start + _HEX) is not None


class RunLog:
    """An open run log. Remembers where each case's line stands, and what it rests on."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / RESULTS
        self._offsets = array("Q")
        self._rests_on = array("L")
        self._inputs = array("Q")
        self._digests: dict[str, int] = {}
        self._in_order = True
        self._last = -1
        self.count = 0
        self.damaged = 0
        self.standing = 0
        """Cases whose results stand, unless their databases changed."""
        folder.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = self.path.open("a+b")
        try:
            self._recover()
        except BaseException:
            # Whatever it was, Ctrl-C included, it is raised on; the file is closed.
            self._file.close()
            raise

    def _recover(self) -> None:
        self._file.seek(0)
        end = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            try:
                head = _line_head(line)
                require_schema(self.path, head.schema, RESULT_SCHEMA)
                sound = is_sound(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                sound = False
            if sound:
                number = self._number_for(head.database) if head.final else _AGAIN
                self._note(head.index, end, number, _number_of(head.inputs))
            else:
                self.damaged += 1
                self._in_order = False
            end += len(line)
        if self._file.seek(0, os.SEEK_END) != end:
            self._file.truncate(end)
            self._file.seek(end)
        self._end = end
        self.standing = sum(number != _AGAIN for number in self._rests_on)

    @property
    def is_tidy(self) -> bool:
        """Whether the file holds one sound line a case, in the order of the cases."""
        return self._in_order and not self.damaged

    def _number_for(self, digest: str) -> int:
        """What stands for the content of a database in here."""
        return self._digests.setdefault(digest, len(self._digests) + 1) if digest else _AGAIN

    def _note(self, index: int, offset: int, number: int = _AGAIN, content: int = _AGAIN) -> None:
        self._in_order = self._in_order and index == self._last + 1
        self._last = index
        missing = index - len(self._offsets)
        if missing >= 0:
            if missing:
                self._offsets.extend([_NOWHERE] * missing)
                self._rests_on.extend([_AGAIN] * missing)
                self._inputs.extend([_AGAIN] * missing)
            self._offsets.append(offset)
            self._rests_on.append(number)
            self._inputs.append(content)
            self.count += 1
            return
        self.count += self._offsets[index] == _NOWHERE
        self._offsets[index] = offset
        self._rests_on[index] = number
        self._inputs[index] = content

    def has(self, index: int) -> bool:
        """Whether the case at that position is in the log."""
        return index < len(self._offsets) and self._offsets[index] != _NOWHERE

    def is_done(self, index: int, digest: str, inputs: str) -> bool:
        """Whether the case's result stands: it is final, and of that database and those inputs."""
        return self.is_of(index, inputs) and self._rests_on[index] == self._digests.get(digest, -1)

    def is_of(self, index: int, inputs: str) -> bool:
        """Whether the line at that position is about that case and that prediction."""
        return self.has(index) and self._inputs[index] == _number_of(inputs) != _AGAIN

    def rests_on_other(self, index: int, digest: str) -> bool:
        """Whether the case has a result that would stand, had its database not changed."""
        return self.has(index) and self._rests_on[index] not in (
            _AGAIN,
            self._digests.get(digest, -1),
        )

    def append(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Add finished lines, made by :func:`encode_result`, and hand them to the system.

        Raises:
            OSError: they cannot be written, and do not count.
        """
        finished = list(lines)
        self._file.write(b"".join([text + b"\n" for _, text in finished]))
        self._file.flush()
        for index, text in finished:
            # What is in the log from now on is not asked for again by the same process.
            self._note(index, self._end)
            self._end += len(text) + 1

    def finish(self, cases: int | None = None) -> None:
        """Put the lines into the order of the cases, and close the log.

        ``cases`` is how many there are; a line beyond them was not written by this run.
        """
        self._file.flush()
        if self.is_tidy and (cases is None or self.count <= cases):
            os.fsync(self._file.fileno())
        else:
            with replacing(self.path) as target:
                for offset in self._offsets[:cases]:
                    if offset != _NOWHERE:
                        self._file.seek(offset)
                        target.write(self._file.readline())
        self.close()

    def close(self) -> None:
        """Close the log as it is; the run can be resumed."""
        # A full disk was reported when it was met; what could not be written is done again.
        with suppress(OSError):
            self._file.close()


def _number_of(inputs: str) -> int:
    """Sixteen hexadecimal digits as a number; nothing, or another text, stands for no case."""
    try:
        return int(inputs, 16) if len(inputs) == _HEX else _AGAIN
    except ValueError:
        return _AGAIN


def read_results(folder: Path) -> Iterator[Result]:
    """The results of a run, one by one.

    Raises:
        RunLogError: there is no run, a line cannot be read or was changed, or lines of a
            finished run are missing, there twice or not in their order.
    """
    path = folder / RESULTS
    try:
        file = path.open("rb")
    except OSError as error:
        raise no_run(folder, RESULTS, error) from error
    number, in_order = 0, True
    with file:
        for number, line in enumerate(file, 1):
            try:
                result = _read(line, path)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                if not line.endswith(b"\n"):
                    number -= 1
                    break
                raise RunLogError(
                    f"{path}, line {number}: {error}. {_AGAIN_WORDS}", reason="damaged"
                ) from error
            if not is_sound(line):
                raise RunLogError(
                    f"{path}, line {number} (case {result.id!r}) was changed after it was "
                    f"written: its checksum does not match. {_AGAIN_WORDS}",
                    reason="damaged",
                )
            in_order = in_order and result.index == number - 1
            yield result
    _check_whole(folder, number, in_order=in_order)


def _read(line: bytes, path: Path) -> Result:
    """A line's result; one of another schema is refused as such, whether it decodes or not."""
    try:
        result = _decode(line)
    except msgspec.ValidationError:
        require_schema(path, _line_head(line).schema, RESULT_SCHEMA)
        raise
    require_schema(path, result.schema, RESULT_SCHEMA)
    return result


_AGAIN_WORDS = "Run the same evaluate command again: it runs such cases again and keeps the others."


def _check_whole(folder: Path, lines: int, *, in_order: bool) -> None:
    """Refuse the log of a finished run that lacks lines; what is under way may lack some."""
    if not (folder / MANIFEST).exists():
        return
    manifest = read_manifest(folder)
    expected = manifest.cases
    if manifest.finished and expected is not None and lines != expected:
        raise RunLogError(
            f"{folder / RESULTS} has {lines:,} lines, and the run has {expected:,} cases: the file "
            f"was cut short or added to. {_AGAIN_WORDS}",
            reason="damaged",
        )
    if manifest.finished and not in_order:
        raise RunLogError(
            f"{folder / RESULTS} does not have each case once, in the order of the cases: lines "
            f"were copied or moved. {_AGAIN_WORDS}",
            reason="damaged",
        )
