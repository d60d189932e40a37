"""The map is true: links lead somewhere, figures are bounded.

Whether generated pages are fresh, ``docs/generate.py --check`` says: ``make check`` runs it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROLE = r":(?:mod|data|class|func|meth|attr):`"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"]


def test_links_lead_somewhere() -> None:
    wrong = [
        f"{page.relative_to(ROOT)} links to {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", text_without_code(page))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert wrong == []


def test_every_page_is_linked_from_the_readme_or_an_index() -> None:
    indices = [
        ROOT / "README.md",
        *(ROOT / "docs" / page for page in ("index.md", "papers.md", "measurements/README.md")),
    ]
    linked = {
        (index.parent / target).resolve()
        for index in [*indices, ROOT / "docs" / "rules.md"]
        for target in re.findall(r"\]\(([^)#\s]+)\)", index.read_text(encoding="utf-8"))
    }
    pages = {page.resolve() for page in (ROOT / "docs").rglob("*.md")}
    assert pages - linked == set()


def test_no_page_shows_markup_of_docstrings() -> None:
    """A role, a ruler of a table or a block of attributes that the generator did not turn."""
    raw = re.compile(rf"^=====|^Attributes:|{ROLE}|``\w", re.MULTILINE)
    wrong = [
        f"{page.relative_to(ROOT)}: {match[0]}"
        for page in PAGES
        for match in [raw.search(text_without_code(page))]
        if match
    ]
    assert wrong == []


def test_files_that_the_guides_name_exist() -> None:
    guides = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md"]
    roots = [ROOT, ROOT / "src" / "sqlverdict"]
    wrong = [
        f"{guide.name} names {path}"
        for guide in guides
        for path in re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py)?)`", guide.read_text(encoding="utf-8"))
        if not any((root / path).exists() for root in roots)
    ]
    assert wrong == []


def test_a_file_that_a_row_names_alone_is_in_a_folder_of_that_row() -> None:
    package = ROOT / "src" / "sqlverdict"
    wrong = []
    for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines():
        paths = re.findall(r"`([a-z_]+/[a-z_/<>]*(?:\.\w+)?)`", line) if line[:2] == "| " else []
        patterns = [re.sub(r"<\w+>", "*", path) for path in paths]
        folders = [package, *(each for path in patterns for each in package.glob(path.rstrip("/")))]
        folders = [each if each.is_dir() else each.parent for each in folders]
        wrong += [
            f"{name} in {line}"
            for name in re.findall(r"`(\w+\.(?:py|js|css))`", line if paths else "")
            if not any((folder / name).is_file() for folder in folders)
        ]
    assert wrong == []


def test_names_of_ours_that_the_docs_import_exist() -> None:
    """In snippets that are not run as well; read from the source, which takes no import."""
    wrong = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for module, names in re.findall(r"^from (sqlverdict[\w.]*) import ([\w, ]+)$", text, re.M):
            path = ROOT / "src" / module.replace(".", "/")
            sources = [
                each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()
            ]
            known = (
                set(re.findall(r"\w+", sources[0].read_text(encoding="utf-8")))
                if sources
                else set()
            )
            wrong += [
                f"{page.relative_to(ROOT)}: {module}.{name}"
                for name in names.split(", ")
                if name not in known
            ]
    assert wrong == []


def test_each_row_of_the_guide_names_one_place_to_open_first() -> None:
    package = ROOT / "src" / "sqlverdict"
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Which file?")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    first = {row[0].strip(): row[1].strip() for row in rows[2:] if not row[0].startswith(" **")}
    assert len(first) > 50
    file = re.compile(r"`([\w/<>]+\.\w+)`(?: \([^()]+\))?|`([\w/]+/)`, one file per \w+")
    wrong = []
    for topic, cell in first.items():
        match = file.fullmatch(cell)
        path = re.sub(r"<\w+>", "*", (match[1] or match[2]).rstrip("/")) if match else ""
        if not path or not any(package.glob(path)):
            wrong.append(f"{topic}: {cell}")
    assert wrong == []


def test_the_architecture_page_has_every_folder() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `([a-z_]+)/` \|", page, re.MULTILINE))
    package = ROOT / "src" / "sqlverdict"
    assert rows == {path.parent.name for path in package.glob("*/__init__.py")}


def text_without_code(page: Path) -> str:
    """A page's text without its fenced blocks."""
    return re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def test_make_targets_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    mentions = set(re.findall(r"(?:`|^|\$ )make (\w+)", (ROOT / "README.md").read_text(), re.M))
    assert mentions <= targets


def test_ci_runs_what_the_readme_says() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in lines if line.startswith("make ")]
    assert commands
    readme = (ROOT / "README.md").read_text()
    for line in commands:
        assert line in readme, f".ci/run calls {line!r}, which the README hides"


@pytest.mark.slow
def test_the_site_builds(tmp_path: Path) -> None:
    """A broken link or anchor is an error, as in ``make site``."""
    pytest.importorskip("material", reason="the extra docs is not installed")
    pytest.importorskip("mkdocstrings", reason="the extra docs is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "SQLVERDICT_SITE_SEARCH": "false"}
    done = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "papers.html").is_file()
    api = (tmp_path / "api.html").read_text(encoding="utf-8")
    entries = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)
    assert [name for name in entries if f'id="{name}"' not in api] == []
    assert not re.search(ROLE, api), "docs/roles.py makes links of roles"
    assert not list(tmp_path.rglob("*.py*")), "exclude_docs in mkdocs.yml lists what is no page"


def test_the_navigation_of_the_site_has_every_page() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = re.findall(r"^ +- (?:[^:\n]+: )?([\w/.-]+\.md)$", text, re.MULTILINE)
    outside = {"contributing.md", "security.md", "changelog.md"}
    assert len(pages) > 40
    docs = ROOT / "docs"
    there = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    assert set(pages) <= there | outside
    # The pages of rules are reached from the table of rules.
    assert [page for page in sorted(there - set(pages)) if not page.startswith("rules/")] == []
