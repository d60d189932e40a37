"""h as one line: ``clsprompt > sqlprompt > selfref``, ``t5[maxprob]``, ``abstain_all``.

A line names exactly one generator. Before it, with ``>``, stand detectors that see the question
alone; behind it those that see the query too; in its brackets those that look inside it. All
must agree for an answer to be given. Options stand in parentheses:
``sqlprompt(shots=4)[voting(n=10, equality=proof)] > error_gate``.

The paper's way of writing is read too: ``RF -> T5 -> RF*``, ``SQLPROMPT[VOTING]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from sqlverdict.abstain.method import ABSTAINERS, Detector, Generator, is_generator
from sqlverdict.errors import UnknownMember, UsageError

_TOKEN = re.compile(
    r"\s*(?:(?P<arrow>->|→|>)|(?P<sign>[\[\](),=])|(?P<text>'[^']*'|\"[^\"]*\")"
    r"|(?P<word>[^\s\[\](),=>→'\"]+))"
)
_WORDS = {"rf*": "rf_star", "din_sql": "din_sql", "abstain_all": "abstain_all"}
_WRONG_POSITIONS = {
    "before": "{name} looks at the question alone: write it before the generator, {name} > ...",
    "with": "{name} looks inside the generator: write it in brackets, ...[{name}]",
    "after": "{name} looks at the finished query: write it behind the generator, ... > {name}",
}


@dataclass(frozen=True)
class MethodPart:
    """One method of a line, with its options as written."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        arguments = ", ".join(f"{key}={_quoted(value)}" for key, value in self.options.items())
        return f"{self.name}({arguments})" if arguments else self.name


@dataclass(frozen=True)
class Composition:
    """A line, read and checked; ``str`` gives it back in one spelling."""

    generator: MethodPart
    before: tuple[MethodPart, ...] = ()
    within: tuple[MethodPart, ...] = ()
    after: tuple[MethodPart, ...] = ()

    def __str__(self) -> str:
        inner = f"[{', '.join(map(str, self.within))}]" if self.within else ""
        return " > ".join(map(str, [*self.before, f"{self.generator}{inner}", *self.after]))

    @property
    def detectors(self) -> tuple[MethodPart, ...]:
        """Every detector, in the order in which they are asked."""
        return (*self.before, *self.within, *self.after)


def parse_composition(line: str) -> Composition:
    """Read a line.

    Raises:
        UsageError: it is malformed, a method stands in the wrong position, or an option is wrong;
            the message says where and what was expected.
    """
    reader = _LineReader(line)
    chain: list[tuple[MethodPart, tuple[MethodPart, ...]]] = [reader.link()]
    while reader.take("arrow"):
        chain.append(reader.link())
    reader.end()
    return _composition(line, chain)


def make_method(part: MethodPart) -> Any:
    """The method of a part, with its options set.

    Raises:
        UsageError: there is no such method or option, or a value does not fit.
    """
    member = ABSTAINERS.get(part.name)
    known = {one.name: one for one in fields(member) if one.init}
    hints = get_type_hints(type(member))
    values = {}
    for key, text in part.options.items():
        if key not in known:
            options = ", ".join(f"{name}={_default(one)}" for name, one in known.items()) or "none"
            raise UsageError(f"{part.name} has no option {key!r}. Options: {options}")
        values[key] = _value(part.name, key, text, hints[key])
    return type(member)(**values)


def make_generator(composition: Composition) -> Generator:
    """The generator of a composition."""
    generator: Generator = make_method(composition.generator)
    return generator


def make_detectors(parts: Sequence[MethodPart]) -> list[Detector]:
    """The detectors of some parts."""
    return [make_method(part) for part in parts]


def _value(method: str, key: str, text: str, kind: Any) -> Any:
    import msgspec

    if kind in (Path, Path | None):
        return Path(text)
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"{method}({key}={text}): {error}") from error


def _default(one: Any) -> Any:
    return one.default if one.default is not MISSING else "..."


def _quoted(value: str) -> str:
    return value if re.fullmatch(r"[^\s\[\](),=>→'\"]+", value) else f'"{value}"'


def _composition(line: str, chain: list[tuple[MethodPart, tuple[MethodPart, ...]]]) -> Composition:
    methods = [(part, inner, make_method(part)) for part, inner in chain]
    writing = [position for position, (_, _, method) in enumerate(methods) if is_generator(method)]
    if len(writing) != 1:
        names = [chain[position][0].name for position in writing]
        generators = f"found {' and '.join(names)}" if names else "found none"
        known = ", ".join(name for name, member in ABSTAINERS.items() if is_generator(member))
        raise UsageError(
            f"{line!r} must name exactly one generator ({known}); {generators}. To give a detector "
            f"the answers of a file, use recorded(path=FILE)"
        )
    (at,) = writing
    for position, (part, inner, method) in enumerate(methods):
        if inner and position != at:
            raise UsageError(f"{line!r}: brackets follow a generator, and {part.name} is not one")
        if position != at:
            _check_position(line, part, method.position, "before" if position < at else "after")
    for part in methods[at][1]:
        method = make_method(part)
        if is_generator(method):
            raise UsageError(f"{line!r}: {part.name} is a generator and stands in brackets")
        _check_position(line, part, method.position, "with")
    part, inner, _ = methods[at]
    before = tuple(one for one, _, _ in methods[:at])
    after = tuple(one for one, _, _ in methods[at + 1 :])
    every = [one.name for one in (*before, *inner, *after)]
    twice = sorted({name for name in every if every.count(name) > 1})
    if twice:
        raise UsageError(f"{line!r} names {twice[0]} twice; once is enough")
    return Composition(part, before, inner, after)


def _check_position(line: str, part: MethodPart, own: str, position: str) -> None:
    if own != position:
        raise UsageError(f"{line!r}: " + _WRONG_POSITIONS[own].format(name=part.name))


class _LineReader:
    """Reads a line token by token, and says where it stumbles."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0

    def take(self, kind: str, sign: str | None = None) -> str | None:
        """The next token if it is of that kind (and that sign); else nothing is read."""
        token = _TOKEN.match(self.line, self.at)
        if token is None or token[kind] is None or (sign is not None and token[kind] != sign):
            return None
        self.at = token.end()
        return token[kind]

    def need(self, sign: str) -> None:
        """Read a sign, or complain."""
        if self.take("sign", sign) is None:
            self.complain(f"expected {sign!r}")

    def end(self) -> None:
        """Complain if anything is left."""
        if self.line[self.at :].strip():
            self.complain("expected '>' or the end of the line")

    def complain(self, expected: str) -> None:
        """Raise, with a mark at the position."""
        rest = self.line[self.at :]
        at = self.at + len(rest) - len(rest.lstrip())
        text = f"{self.line[at]!r}" if at < len(self.line) else "the end"
        raise UsageError(
            f"cannot read the composition: at column {at + 1} found {text}, {expected}\n"
            f"  {self.line}\n  {' ' * at}^\n"
            f"Write it like: clsprompt > sqlprompt > selfref, t5[maxprob], voting(n=5)"
        )

    def link(self) -> tuple[MethodPart, tuple[MethodPart, ...]]:
        """A method with its brackets."""
        part = self.part()
        inner: list[MethodPart] = []
        if self.take("sign", "["):
            inner.append(self.part())
            while self.take("sign", ","):
                inner.append(self.part())
            self.need("]")
        return part, tuple(inner)

    def part(self) -> MethodPart:
        """A method with its options."""
        start = self.at
        word = self.take("word")
        if word is None:
            self.complain("expected the name of a method")
        name = canonical_name(str(word))
        try:
            ABSTAINERS.get(name)
        except UnknownMember as unknown:
            at = start + len(self.line[start:]) - len(self.line[start:].lstrip())
            raise UsageError(f"at column {at + 1}: {unknown}") from unknown
        options: dict[str, str] = {}
        if self.take("sign", "(") and not self.take("sign", ")"):
            self.option(options)
            while self.take("sign", ","):
                self.option(options)
            self.need(")")
        return MethodPart(name, options)

    def option(self, options: dict[str, str]) -> None:
        """``key=value``."""
        key = self.take("word")
        if key is None:
            self.complain("expected the name of an option")
        self.need("=")
        text = self.take("text")
        value = text[1:-1] if text is not None else self.take("word")
        if value is None:
            self.complain(f"expected a value for {key}")
        if key in options:
            self.complain(f"{key} is given twice")
        options[str(key)] = str(value)


def canonical_name(word: str) -> str:
    """A method's name as the registry knows it: ``DIN-SQL`` is ``din_sql``, ``RF*`` ``rf_star``."""
    name = word.lower().replace("-", "_")
    return _WORDS.get(name, name)
