"""What a release must agree on; ``make release-check`` builds one and tries it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import release_check
from release_check import (
    BESIDES,
    ROOT,
    changelog,
    description,
    description_faults,
    sdist_faults,
    supported_versions,
    version,
    wheel_faults,
)

ABOUT = {f"sqlverdict-1.dist-info/{each}" for each in ("METADATA", "entry_points.txt")}
LICENCE = "sqlverdict-1.dist-info/licenses/LICENSE"
FILES = {"src/sqlverdict/__init__.py", "src/sqlverdict/py.typed"}
WHEEL = {"sqlverdict/__init__.py", "sqlverdict/py.typed", LICENCE, *ABOUT}


def test_the_newest_section_of_the_changelog_is_that_of_the_version() -> None:
    sections = re.findall(r"^## (\S+) \((.+)\)$", changelog(), re.MULTILINE)
    assert sections[0][0] == version()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d|unreleased", sections[0][1])


def test_the_citation_names_the_version() -> None:
    assert f"\nversion: {version()}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_every_supported_python_is_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert supported_versions(project) == ["3.11", "3.12", "3.13", "3.14"]
    assert project["requires-python"] == ">=3.11"


@pytest.mark.parametrize(
    ("words", "code"), [(["3.99"], 0), (["--strict", "3.99"], 1), (["--strict", "3.11"], 0)]
)
def test_a_python_that_is_not_at_hand_is_a_fault_of_a_strict_check(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
) -> None:
    steps = {
        "build": lambda: (Path("a.whl"), Path("a.tar.gz")),
        "find_python": lambda name: Path("python") if name == "3.11" else None,
        **dict.fromkeys(("check_contents", "check_metadata", "try_archive"), lambda *_: None),
    }
    for name, step in steps.items():
        monkeypatch.setattr(release_check, name, step)
    assert release_check.main(words) == code
    assert ("broken: not tried on Python 3.99" in capsys.readouterr().out) is bool(code)


def test_a_whole_wheel_has_no_fault() -> None:
    assert list(wheel_faults(WHEEL, FILES)) == []


def test_a_wheel_holds_the_package_and_the_licence_alone() -> None:
    names = {*WHEEL, "tests/test_release.py"} - {LICENCE, "sqlverdict/py.typed"}
    assert list(wheel_faults(names, FILES)) == [
        "the wheel lacks sqlverdict/py.typed",
        "the wheel has tests/test_release.py",
        "the wheel lacks licenses/LICENSE",
    ]


def test_an_sdist_holds_no_data() -> None:
    names = {*FILES, *BESIDES, "PKG-INFO"}
    assert list(sdist_faults(names, FILES)) == []
    assert list(sdist_faults({*names, "shared/data/dev.json"} - {"LICENSE"}, FILES)) == [
        "the sdist lacks LICENSE",
        "the sdist has shared/data/dev.json",
    ]


SITE = "https://sqlverdict.readthedocs.io/en/latest/"
OUTSIDE = {
    "contributing": "CONTRIBUTING.md",
    "security": "SECURITY.md",
    "changelog": "CHANGELOG.md",
}


def test_a_link_within_the_repository_is_a_fault_on_pypi() -> None:
    text = "![a](docs/a.png) [b](https://b) [c](#c)"
    assert list(description_faults(text)) == [
        "the description leads to docs/a.png, which PyPI does not have"
    ]
    assert len(list(description_faults((ROOT / "README.md").read_text("utf-8")))) > 2


def test_the_description_on_pypi_leads_to_pages_of_the_site() -> None:
    text = description()
    assert list(description_faults(text)) == []
    links = re.findall(rf"\]\({re.escape(SITE)}([^)#]*)(?:#[^)]*)?\)", text)
    assert "images/report-case.png" in links
    for link in links:
        page = link.strip("/").removesuffix(".html")
        files = [ROOT / "docs" / name for name in (page, f"{page}.md")]
        files += [ROOT / "docs" / page / name for name in ("index.md", "README.md")]
        files += [ROOT / OUTSIDE[page]] if page in OUTSIDE else []
        assert any(file.is_file() for file in files), link
