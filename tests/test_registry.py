"""The registry: one file per member, one name per member, one door for built-ins and plug-ins."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from sqlverdict import registry
from sqlverdict.compare.preset import PRESETS
from sqlverdict.errors import RegistryError, UnknownMember
from sqlverdict.execute.engine import ENGINES, Engine
from sqlverdict.judge.judge import JUDGES
from sqlverdict.records import Case, Prediction, Score
from sqlverdict.registry import Registry, shape_faults
from sqlverdict.score.metric import METRICS, MetricSpec, score_case

NUMBERS = count()
MakeRegistry = Callable[..., "Registry[object]"]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeRegistry:
    """A registry over a package of its own, whose files are given by name."""
    monkeypatch.syspath_prepend(tmp_path)
    plugins: list[EntryPoint] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: plugins if group == "g" else [])

    def build(files: dict[str, str], points: dict[str, str] | None = None) -> Registry[object]:
        package = f"members{next(NUMBERS)}"
        folder = tmp_path / package
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "registry_here.py").write_text(
            "from sqlverdict.registry import Registry\n"
            f"HERE = Registry('thing', '{package}', 'g')\n"
        )
        for name, body in files.items():
            (folder / f"{name}.py").write_text(
                f"from {package}.registry_here import HERE\n{body.replace('PACKAGE', package)}"
            )
        for name, value in (points or {}).items():
            plugins.append(EntryPoint(name, value.replace("PACKAGE", package), "g"))
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        __import__(f"{package}.registry_here")
        result: Registry[object] = sys.modules[f"{package}.registry_here"].HERE
        return result

    return build


MEMBER = "@HERE.member\nclass Thing:\n    value = {!r}\n"


def test_a_file_is_a_member_under_its_own_name(make: MakeRegistry) -> None:
    things = make({"beta": MEMBER.format(2), "alpha": MEMBER.format(1)})
    assert things.names() == ["alpha", "beta"]
    assert [(name, member.value) for name, member in things.items()] == [  # type: ignore[attr-defined]
        ("alpha", 1),
        ("beta", 2),
    ]
    assert things.home("alpha").endswith(".alpha")
    assert things.get("alpha") is things.get("alpha")


def test_one_member_is_found_without_loading_the_others(make: MakeRegistry) -> None:
    things = make({"good": MEMBER.format(1), "costly": "raise RuntimeError('loaded')\n"})
    assert things.get("good").value == 1  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="loaded"):
        things.names()


def test_an_unknown_name_lists_what_there_is(make: MakeRegistry) -> None:
    things = make({"alpha": MEMBER.format(1), "beta": MEMBER.format(2)})
    with pytest.raises(
        UnknownMember, match=r"no thing called 'alpa'.*mean 'alpha'.*alpha, beta.*entry point"
    ) as unknown:
        things.get("alpa")
    assert unknown.value.details == {
        "kind": "thing",
        "name": "alpa",
        "near": "alpha",
        "known": ["alpha", "beta"],
    }
    for odd in ("", "../alpha", "alpha.beta", "os", "a b", "registry_here"):
        with pytest.raises(UnknownMember):
            things.get(odd)


def test_a_member_whose_own_import_is_missing_says_so(make: MakeRegistry) -> None:
    things = make({"alpha": "import no_such_module_here\n"})
    with pytest.raises(ModuleNotFoundError, match="no_such_module_here"):
        things.get("alpha")


def test_two_members_of_one_name_are_an_error(make: MakeRegistry) -> None:
    things = make(
        {"alpha": MEMBER.format(1), "other": "class Thing:\n    value = 2\n"},
        {"alpha": "PACKAGE.other:Thing"},
    )
    with pytest.raises(RegistryError, match="'alpha'"):
        things.names()


def test_plug_ins_come_through_the_same_door(make: MakeRegistry) -> None:
    things = make(
        {"alpha": MEMBER.format(1), "other": "class Thing:\n    value = 2\nTHING = Thing()\n"},
        {"gamma": "PACKAGE.other:Thing", "delta": "PACKAGE.other:THING"},
    )
    assert things.get("gamma").value == 2  # type: ignore[attr-defined]
    assert things.names() == ["alpha", "delta", "gamma"]


def test_members_of_one_kind_may_lie_in_several_folders(make: MakeRegistry) -> None:
    first, second = (make({}).packages[0] for _ in range(2))
    things: Registry[object] = Registry("thing", (first, second), "g")
    for package, name in ((first, "left"), (second, "right")):
        module = sys.modules[f"{package}.registry_here"]
        folder = Path(str(module.__file__)).parent
        (folder / f"{name}.py").write_text(
            f"from {package}.registry_here import HERE\n{MEMBER.format(name)}"
        )
        module.HERE = things
    assert things.get("right").value == "right"  # type: ignore[attr-defined]
    assert things.names() == ["left", "right"]
    assert things.home("left") == f"{first}.left"


def test_one_name_in_two_folders_is_an_error(make: MakeRegistry) -> None:
    first, second = (make({}).packages[0] for _ in range(2))
    things: Registry[object] = Registry("thing", [first, second], "g")
    for package in (first, second):
        module = sys.modules[f"{package}.registry_here"]
        folder = Path(str(module.__file__)).parent
        (folder / "alpha.py").write_text(
            f"from {package}.registry_here import HERE\n{MEMBER.format(1)}"
        )
        module.HERE = things
    with pytest.raises(RegistryError, match="'alpha'"):
        things.get("alpha")


def test_registering_again_from_the_same_home_is_harmless(make: MakeRegistry) -> None:
    things = make({"alpha": MEMBER.format(1)})
    first = things.get("alpha")
    things.register(first, "alpha", things.home("alpha"))
    with pytest.raises(RegistryError, match="elsewhere"):
        things.register(first, "alpha", "elsewhere")


def test_the_real_registries_hold_their_built_ins() -> None:
    assert "sqlite" in ENGINES.names()
    assert {"ex", "text_match", "ves", "r_ves", "soft_f1", "soft_f1_bird", "ts"} <= set(
        METRICS.names()
    )
    for result, members in ((ENGINES, ENGINES.items()), (METRICS, METRICS.items())):
        for name, member in members:
            assert member.name == name
            assert result.home(name).rpartition(".")[2] == name


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("raise RuntimeError('boom')", "RuntimeError: boom"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("def (:", "SyntaxError"),
        ("other = 1", "AttributeError"),
        ("class bad:\n    def __init__(self):\n        raise ValueError('no')", "ValueError: no"),
        ("bad = None", "it has no size (AttributeError"),
        ("class bad:\n    size = 'x'\n    def work(self): ...", "its size is 'x', and not int"),
        ("class bad:\n    size = 1\n    work = 2", "its work is not a method"),
    ],
)
def test_a_plugin_that_is_no_member_is_named_and_refused(
    make: MakeRegistry, body: str, fault: str
) -> None:
    class Shape:
        @property
        def size(self) -> int:
            return 0

        def work(self) -> None: ...

    things = make({}, {"bad": "PACKAGE_plugin:bad"})
    things.shape = Shape
    package = things.packages[0]
    folder = Path(sys.modules[package].__path__[0]).parent
    (folder / f"{package}_plugin.py").write_text(body)
    with pytest.raises(RegistryError, match=rf"'bad' of the plug-in {package}_plugin") as refusal:
        things.names()
    assert fault in str(refusal.value)


def engines_with_plugin(make: MakeRegistry, head: str) -> Registry[object]:
    """A registry of engines with one plug-in, which has no attribute that has a default."""
    things = make({}, {"bare": "PACKAGE_plugin:bare"})
    things.shape = Engine
    package = things.packages[0]
    folder = Path(sys.modules[package].__path__[0]).parent
    body = "    name = 'bare'\n    dialect = 'sqlite'\n    version = '1'\n"
    methods = "".join(f"    def {name}(self): ...\n" for name in ("open", "digest", "schema"))
    (folder / f"{package}_plugin.py").write_text(f"{head}:\n{body}{methods}")
    return things


def test_an_engine_that_inherits_nothing_is_told_what_to_inherit_from(make: MakeRegistry) -> None:
    with pytest.raises(RegistryError, match=r"'bare' of the plug-in \w+_plugin:bare") as refusal:
        engines_with_plugin(make, "class bare").names()
    assert "does not inherit from sqlverdict.execute.engine.Engine" in str(refusal.value)
    assert "it has no suffixes" in str(refusal.value)


def test_an_engine_that_inherits_needs_no_more_than_what_has_no_default(
    make: MakeRegistry,
) -> None:
    head = "from sqlverdict.execute.engine import Engine\n\nclass bare(Engine)"
    assert engines_with_plugin(make, head).has("bare")


@pytest.mark.parametrize("kind", [ENGINES, METRICS, PRESETS, JUDGES])
def test_built_in_members_have_the_shape_that_plugins_are_held_to(kind: Registry[object]) -> None:
    assert kind.shape is not None
    assert {name: shape_faults(member, kind.shape) for name, member in kind.items()} == {
        name: [] for name in kind.names()
    }


@pytest.mark.parametrize("score", ["x", None, Score("x"), Score(float("nan")), Score(2.0), 1.0])  # type: ignore[arg-type]
def test_a_metric_that_gives_no_score_is_an_error_of_that_metric_alone(score: object) -> None:
    class Odd:
        name, version, binary = "odd", 1, True
        needs: frozenset[str] = frozenset()
        parameters = ()

        def score(self, item: object, parameter: str) -> object:
            return score

    item = SimpleNamespace(
        case=Case("1", "d", "", ("SELECT 1",)), prediction=Prediction("1", "SELECT 1")
    )
    with pytest.raises(TypeError, match="metric odd"):
        score_case(MetricSpec("odd", Odd(), ""), item)  # type: ignore[arg-type]
