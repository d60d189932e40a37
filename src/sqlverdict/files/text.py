"""Reading text and JSON files, with errors that say where and what to do."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Generator, Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar, overload

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.exact_number import ExactNumber, json_number
from sqlverdict.files.regular import NOT_REGULAR

T = TypeVar("T")

UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_FEW = 5
_HALVES = re.compile("[\ud800-\udfff]")


def few_of(things: Iterable[object], most: int = _FEW) -> str:
    """The first few things, for a message: ``'a', 'b', 'c' and 12 more``."""
    every = [repr(thing) for thing in things]
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def count(number: int, one: str, many: str = "") -> str:
    """``1 case``, ``2 cases``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def bounded(number: int | None) -> int | None:
    """A number of items as Python's iterators take it; nobody has more items than that."""
    return None if number is None else min(number, sys.maxsize)


def near(name: str, known: Iterable[str]) -> str:
    """A hint at similar names, or nothing: `` Did you mean 'a' or 'b'?``."""
    matches = get_close_matches(name, list(known), n=3)
    return f" Did you mean {' or '.join(map(repr, matches))}?" if matches else ""


def need_file(path: Path, error: type[DataError]) -> None:
    """Check that a path is a file.

    Raises:
        DataError: of the given kind; the message lists similar names beside it.
    """
    if path.is_file():
        return
    if path.is_dir():
        raise error(
            f"{path} is a folder, not a file. Name the file inside it.", reason="wrong_kind"
        )
    if path.exists():
        raise error(
            f"{path} cannot be read: {NOT_REGULAR}, and inputs are read more than once. Write it "
            f"to a file first, and name that.",
            reason="wrong_kind",
        )
    beside = [child.name for child in path.parent.iterdir()] if path.parent.is_dir() else []
    hint = near(path.name, beside)
    raise error(f"{path}: there is no such file.{hint} Check the path.", reason="missing")


def read_bytes(path: Path, error: type[DataError]) -> bytes:
    """The bytes of a file that should hold text, without a UTF-8 byte-order mark.

    Raises:
        DataError: of the given kind; the file is missing, unreadable, empty, not UTF-8 or
            holds a NUL byte.
    """
    data = _read(path, error)
    check_text(data, str(path), error)
    return data


def read_any_text(path: Path, error: type[DataError]) -> str:
    """The text of a file; bytes that are not UTF-8 become halves of surrogate pairs.

    For predictions: such a byte spoils the one it stands in, and no other.

    Raises:
        DataError: of the given kind; the file is missing, unreadable, empty, UTF-16 or holds a
            NUL byte.
    """
    return any_text(_read(path, error), str(path), error)


def any_text(data: bytes, where: str, error: type[DataError], first_line: int = 1) -> str:
    """As :func:`check_text`; bytes that are not UTF-8 become halves of surrogate pairs."""
    _refuse_binary(data, where, error, first_line)
    return data.decode("utf-8", "surrogateescape")


def is_unicode(text: str) -> bool:
    """Whether a text can be written down: no half of a surrogate pair is in it."""
    return _HALVES.search(text) is None


def _read(path: Path, error: type[DataError]) -> bytes:
    need_file(path, error)
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise error(
            f"{path} cannot be read: {problem.strerror}. Check its rights.", reason="unreadable"
        ) from problem
    data = data.removeprefix(UTF8_BOM)
    if not data.strip():
        raise error(
            f"{path} is empty. Expected text; check that it was written to the end.", reason="empty"
        )
    return data


def check_text(data: bytes, where: str, error: type[DataError], first_line: int = 1) -> str:
    """The bytes as text, if they are UTF-8 without NUL.

    Raises:
        DataError: of the given kind; the message names line and byte.
    """
    _refuse_binary(data, where, error, first_line)
    try:
        return data.decode()
    except UnicodeDecodeError as bad:
        line = first_line + data.count(b"\n", 0, bad.start)
        column = bad.start - (data.rfind(b"\n", 0, bad.start) + 1) + 1
        raise error(
            f"{where}: line {line}, byte {column} (0x{data[bad.start]:02x}) is not UTF-8. "
            f"Save the file as UTF-8 (Excel calls it 'CSV UTF-8').{_in_windows(data, bad.start)}",
            reason="unreadable",
        ) from bad


def _in_windows(data: bytes, bad: int) -> str:
    """The word of a byte as Windows writes Western texts, and how to convert them; never a guess.

    Another code page makes other letters of the same bytes, so that a person has to look.
    """
    head = re.search(rb"[^\W_]*$", data[max(0, bad - 30) : bad])
    tail = re.match(rb"[\w\x80-\xff]{1,30}", data[bad:])
    try:
        word = ((head[0] if head else b"") + (tail[0] if tail else b"")).decode("cp1252")
    except UnicodeDecodeError:
        return ""
    return (
        f" If {word!r} is what stands there, it is in Windows-1252: "
        "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW"
    )


def _refuse_binary(data: bytes, where: str, error: type[DataError], first_line: int) -> None:
    if data.startswith(UTF16_BOMS):
        raise error(f"{where} is UTF-16, not UTF-8. Save it as UTF-8.", reason="unreadable")
    if (nul := data.find(b"\0")) >= 0:
        line = first_line + data.count(b"\n", 0, nul)
        raise error(
            f"{where}: line {line} holds a NUL byte. Expected UTF-8 text; "
            f"check whether the file is binary or was cut off while it was written.",
            reason="unreadable",
        )


def read_text(path: Path, error: type[DataError]) -> str:
    """The text of a file; see :func:`read_bytes` for what is refused."""
    return read_bytes(path, error).decode()


def split_lines(text: str) -> list[str]:
    r"""The lines of a text: ends are ``\n`` or ``\r\n``, and one at the very end is normal.

    Not ``str.splitlines``: that also splits at U+2028 and others, which may stand in SQL, and
    every later line would shift.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def stream_lines(path: Path, error: type[DataError]) -> Generator[tuple[int, bytes], None, None]:
    """The lines of a file with their numbers, one at a time; for files larger than memory.

    Raises:
        DataError: of the given kind; the file is missing or unreadable.
    """
    need_file(path, error)
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                yield number, line.removeprefix(UTF8_BOM) if number == 1 else line
    except OSError as problem:
        raise error(
            f"{path} cannot be read: {problem.strerror}. Check its rights.", reason="unreadable"
        ) from problem


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """What reads JSON of a type; numbers of no type keep all of their digits."""
    return msgspec.json.Decoder(kind, float_hook=json_number)


def encode_json(value: object) -> bytes:
    """The JSON of what :func:`decode_json` read."""
    return msgspec.json.encode(value, enc_hook=_digits)


def _digits(value: object) -> msgspec.Raw:
    """A number that no float is, as its digits."""
    if isinstance(value, ExactNumber):
        return msgspec.Raw(value.digits.encode())
    raise NotImplementedError(f"{type(value).__name__} is not of JSON")


@overload
def decode_json(data: bytes, where: str, error: type[DataError]) -> Any: ...


@overload
def decode_json(data: bytes, where: str, error: type[DataError], kind: type[T]) -> T: ...


def decode_json(data: bytes, where: str, error: type[DataError], kind: Any = Any) -> Any:
    """Decode JSON, checked against a type.

    Raises:
        DataError: of the given kind; the message names line and column, or the item.
    """
    try:
        return _decoder(kind).decode(data)
    except msgspec.ValidationError as bad:
        raise error(
            f"{where}: {bad} (counted from 0). Check that item.", reason="wrong_value"
        ) from bad
    except (msgspec.DecodeError, UnicodeDecodeError) as bad:
        _raise_located(data, where, error, bad)
    except RecursionError as bad:
        raise error(
            f"{where} is nested too deeply to be JSON of records.", reason="unreadable"
        ) from bad


def _raise_located(data: bytes, where: str, error: type[DataError], cause: Exception) -> NoReturn:
    """Raise with line and column, which msgspec does not tell."""
    text = check_text(data, where, error)
    try:
        json.loads(text)
    except json.JSONDecodeError as bad:
        line = f"line {bad.lineno}, " if "\n" in text else ""
        raise error(
            f"{where}: broken JSON at {line}column {bad.colno}: {bad.msg}. "
            f"Check that the file was written to the end and quotes are escaped.",
            reason="unreadable",
        ) from cause
    except RecursionError:
        raise error(
            f"{where} is nested too deeply to be JSON of records.", reason="unreadable"
        ) from cause
    # Python's own decoder is laxer: it takes NaN and half surrogate pairs.
    raise error(
        f"{where}: {cause}. Expected strict JSON: no NaN, no Infinity, no half of a surrogate "
        "pair.",
        reason="unreadable",
    ) from cause


def decode_any_json(text: str, where: str, error: type[DataError]) -> Any:
    """Decode JSON whose texts may hold halves of surrogate pairs, as such or escaped.

    Raises:
        DataError: of the given kind; the message names line and column.
    """
    try:
        return _decoder(Any).decode(text.encode())
    except (msgspec.DecodeError, UnicodeError, RecursionError) as strict:
        try:
            # Python's own decoder takes them.
            return json.loads(text, parse_constant=_no_constant, parse_float=json_number)
        except (ValueError, RecursionError):
            data = text.encode("utf-8", "replace")
            try:
                msgspec.json.decode(data)
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                return decode_json(data, where, error)
            raise error(f"{where}: {strict}. Expected JSON.", reason="unreadable") from strict


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def repeated_keys(text: str) -> list[str]:
    """The keys that stand more than once in one object of a valid JSON text.

    Decoders keep the last of them in silence; here a repeated id must be seen.
    """
    repeated: list[str] = []

    def look(pairs: list[tuple[str, object]]) -> dict[str, object]:
        record = dict(pairs)
        if len(record) < len(pairs):
            times = Counter(key for key, _ in pairs)
            repeated.extend(key for key in record if times[key] > 1)
        return record

    json.loads(text, object_pairs_hook=look)
    return repeated
