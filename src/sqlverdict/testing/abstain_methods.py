"""What generators and detectors alike promise; see ``check_generator`` and ``check_detector``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from sqlverdict.abstain.method import ABSTAINERS, Need, Tools, TrainingData, TrainingExample
from sqlverdict.errors import MissingExtra, SqlverdictError
from sqlverdict.llm.request import NoReply
from sqlverdict.testing.abstain_fixture import MethodData, ScriptedAnswerer
from sqlverdict.testing.members import member_of

OPTIONAL = ("sklearn", "scipy", "numpy", "torch", "transformers", "tokenizers", "httpx")
"""Packages that no method may take for granted."""
NO_REPLY = NoReply("the server is gone", attempts=3)
_PLAIN = (str, int, float, bool, Path, type(None))

T = TypeVar("T")


@dataclass(frozen=True)
class MethodUnderTest:
    """A method under test.

    Attributes:
        kind: ``detector`` or ``generator``.
        name: Its name.
        make: A new one of it, with the same options.
    """

    kind: str
    name: str
    make: Callable[[], Any]

    def expect(self, holds: bool, complaint: str) -> None:
        """As assert, but also under ``python -O``."""
        if not holds:
            raise AssertionError(f"{self.kind} {self.name} {complaint}")

    def attempt(self, what: str, work: Callable[[], T]) -> T | None:
        """Do something that may be refused with an error of ours, and with no other.

        Returns:
            What came of it; ``None``: it was refused.
        """
        try:
            return work()
        except SqlverdictError:
            return None
        except Exception as error:
            raise AssertionError(
                f"{self.kind} {self.name} raised {type(error).__name__}: {error} for {what}; raise "
                f"an error of sqlverdict.errors that says what to do"
            ) from error


def method_under_test(kind: str, method: Any, headings: Sequence[str]) -> MethodUnderTest:
    """The method under test, its form checked: name, version, needs, options, document."""
    registry_name = method if isinstance(method, str) else None
    member: Any = member_of(ABSTAINERS, method)
    name = str(registry_name or getattr(member, "name", type(member).__name__))

    def fresh() -> Any:
        # What was learned is no option, and stays behind.
        options = {one.name: getattr(member, one.name) for one in fields(member) if one.init}
        return type(member)(**options)

    subject = MethodUnderTest(kind, name, fresh)
    subject.expect(member.name == name, f"calls itself {member.name!r}; use its file's name")
    version = member.version
    counts = isinstance(version, int) and not isinstance(version, bool) and version >= 1
    subject.expect(counts, f"has version {version!r}; it must be a whole number from 1")
    unknown = sorted(set(member.needs) - set(get_args(Need)))
    subject.expect(not unknown, f"needs {unknown}; expected some of {', '.join(get_args(Need))}")
    subject.expect(
        is_dataclass(member), "is no dataclass; a composition sets its fields as options"
    )
    _check_options(subject, member)
    document = inspect.cleandoc(sys.modules[type(member).__module__].__doc__ or "")
    lines = document.splitlines()
    subject.expect(bool(lines), "has no document; begin its file with what it does")
    for heading in headings:
        subject.expect(f"{heading}:" in lines, f"has nothing under {heading!r} in its document")
    return subject


def _check_options(subject: MethodUnderTest, member: Any) -> None:
    hints = get_type_hints(type(member))
    for one in fields(member):
        if not one.init:
            continue
        value = getattr(member, one.name)
        subject.expect(
            isinstance(value, _PLAIN),
            f"has the option {one.name}={value!r}; a line of text must be able to set it, and a "
            f"manifest to keep it",
        )
        subject.expect(one.name in hints, f"does not say the type of its option {one.name}")


def learned(subject: MethodUnderTest, data: MethodData) -> Any:
    """A new method that has learned from the data's training; these must be left as they are."""
    method = subject.make()
    before = deepcopy(data.training)
    method.fit(data.training, data.tools)
    subject.expect(data.training == before, "changed the training it learned from; copy them")
    return method


def check_empty_training(subject: MethodUnderTest, data: MethodData) -> None:
    """Nothing to learn from is refused or learned from, and nothing else."""
    for what, training in (
        ("no training", TrainingData()),
        ("answerable training only", replace(data.training, train=data.training.answerable())),
        ("one question", TrainingData(train=data.training.train[:1])),
    ):
        subject.attempt(f"fit on {what}", partial(subject.make().fit, training, data.tools))


def check_hostile_training(
    subject: MethodUnderTest, data: MethodData, speak: Callable[[Any], Any], same: Any
) -> None:
    """Training data of odd texts are learned from, kept and read back, or refused.

    Args:
        subject: The method.
        data: The database, the questions and the training.
        speak: What a method says to the questions.
        same: Whether two sayings are the same.
    """
    odd = [
        TrainingExample(ask, bool(n % 2), ask.question, data.draft(ask, ask.question), bool(n % 4))
        for n, ask in enumerate(data.hostile)
    ]
    training = TrainingData(
        [*data.training.train, *odd], [*data.training.validation, *odd], data.training.background
    )
    method = subject.make()

    def fit_and_reload() -> Any:
        method.fit(training, data.tools)
        home = data.folder / "odd"
        method.save(home)
        again = subject.make()
        if home.is_dir():
            again.load(home)
            return speak(method), speak(again)
        return None

    replies = subject.attempt("fit on odd texts, save and load", fit_and_reload)
    if replies is not None:
        subject.expect(
            same(*replies), "says something else after it kept odd training and read them"
        )


def check_kept(
    subject: MethodUnderTest, method: Any, speak: Callable[[Any], Any], folder: Path, same: Any
) -> None:
    """What was learned comes back from disk, without pickles; a broken folder is refused.

    Args:
        subject: The method.
        method: One that has learned.
        speak: What a method says to the questions.
        folder: A place to write to.
        same: Whether two sayings are the same.
    """
    replies = speak(method)
    home = folder / "kept"
    method.save(home)
    files = [path for path in sorted(home.rglob("*")) if path.is_file()] if home.exists() else []
    if not files:
        again = subject.make()
        subject.attempt("load of an empty folder", lambda: again.load(home))
        return
    for path in files:
        start = path.read_bytes()[:2]
        pickled = path.suffix in (".pkl", ".pickle", ".pt", ".bin") or start[:1] == b"\x80"
        subject.expect(
            not pickled, f"keeps a pickle, {path.name}; whoever reads one runs its author's code"
        )
    again = subject.make()
    again.load(home)
    subject.expect(same(speak(again), replies), "says something else after save and load")
    for path in files:
        original = path.read_bytes()
        for broken in (b"", b"\x00nonsense{", b"{}", b"[1]", original[: len(original) // 2]):
            path.write_bytes(broken)
            subject.attempt(f"load with a broken {path.name}", lambda: subject.make().load(home))
        path.write_bytes(original)


def check_needs(
    subject: MethodUnderTest, data: MethodData, speak: Callable[[Any, Tools], Any]
) -> None:
    """It asks a model and runs queries only where it says so; without them it says what to do.

    Args:
        subject: The method.
        data: The database, the questions and the training.
        speak: What a method says to the questions, with given tools.
    """
    method = learned(subject, data)
    answerer = ScriptedAnswerer()
    speak(method, replace(data.tools, answerer=answerer))
    asks = "answerer" in method.needs
    subject.expect(
        bool(answerer.requests) == asks,
        f"asked a language model {len(answerer.requests)} times; its needs say "
        f"{'that it does' if asks else 'that it never does'}",
    )
    for need, without in (
        ("answerer", replace(data.tools, answerer=None, model="")),
        ("runner", replace(data.tools, runner=None)),
    ):
        needed = need in method.needs
        try:
            speak(method, without)
        except SqlverdictError as error:
            subject.expect(needed, f"cannot do without the {need}: {error}; name it in its needs")
        else:
            subject.expect(not needed, f"needs the {need} and does not miss it; do not name it")
    if asks:
        _check_prompts(subject, answerer)


def check_own_answer(
    subject: MethodUnderTest, data: MethodData, speak: Callable[[Any, Any], Any]
) -> None:
    """A question that it learned from is not shown to the model with its answer.

    Args:
        subject: The method.
        data: The database, the questions and the training.
        speak: What a method says to one question, asked with an answerer.
    """
    method = learned(subject, data)
    for example in data.training.answerable():
        answerer = ScriptedAnswerer()
        speak(method, (example, answerer))
        for request in answerer.requests:
            text = "\n".join(message.content for message in request.messages)
            subject.expect(
                text.count(example.ask.question) <= 1,
                f"shows {example.ask.question!r} as a demonstration when it is asked; leave the "
                f"question itself out",
            )


def _check_prompts(subject: MethodUnderTest, answerer: ScriptedAnswerer) -> None:
    for request in answerer.requests:
        name, _, version = request.purpose.rpartition("@")
        subject.expect(
            bool(name) and version.isdigit(),
            f"asks for the purpose {request.purpose!r}; write the prompt's name and version",
        )
        subject.expect(request.seed is not None, "asks without the seed; pass tools.seed on")


def check_extras(subject: MethodUnderTest, work: Callable[[], Any], blocked: Sequence[str]) -> None:
    """Where optional packages are missing it works all the same, or says which extra to install."""
    with _without(blocked):
        try:
            work()
        except MissingExtra:
            return
        except ImportError as error:
            raise AssertionError(
                f"{subject.kind} {subject.name} raised {type(error).__name__}: {error}; raise "
                f"sqlverdict.errors.MissingExtra, which says what to install"
            ) from error


@contextmanager
def _without(packages: Sequence[str]) -> Iterator[None]:
    """As if packages were not installed."""
    hidden = {
        name: module for name, module in sys.modules.items() if name.partition(".")[0] in packages
    }
    blocks: dict[str, Any] = dict.fromkeys((*packages, *hidden))
    sys.modules.update(blocks)
    try:
        yield
    finally:
        for name in blocks:
            del sys.modules[name]
        sys.modules.update(hidden)
