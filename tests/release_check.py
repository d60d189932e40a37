"""Builds the sdist and the wheel, looks inside, and tries both on every Python at hand.

    python tests/release_check.py [--strict] [PYTHON ...]

The files are left in ``dist/``. A PYTHON is a version (``3.12``) or a path; without one it is each
version that ``pyproject.toml`` names. A version that this machine lacks is left out, with a line
that says so; with ``--strict`` the check then fails, as a release is tried on all of them.
Environments are made in a temporary folder, so that nothing of the repository is imported by
accident.
"""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PACKAGE = "src/sqlverdict"
LARGEST_BYTES = 10_000_000
"""An archive above this holds data that nobody meant to ship."""
BESIDES = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "SECURITY.md", "pyproject.toml"}
"""What the sdist holds beside the package."""
BUILD_FILES = {".gitignore", "PKG-INFO"}
"""What the build writes into the sdist by itself."""
STRICT = "--strict"
"""Fail where a Python is not on this machine."""


class Broken(Exception):
    """A release that must not be made, and why."""


def main(words: Sequence[str]) -> int:
    """Build and check; 1 where something is wrong, with a line a fault."""
    pythons = [word for word in words if word != STRICT]
    left_out: list[str] = []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    try:
        wheel, sdist = build()
        check_contents(wheel, sdist)
        check_metadata(wheel, project)
        for name in pythons or supported_versions(project):
            python = find_python(name)
            if python is None:
                print(f"Python {name}: not on this machine, left out")
                left_out.append(name)
                continue
            for archive in (wheel, sdist):
                try_archive(python, archive)
            print(f"Python {name} ({python}): wheel and sdist install, import, and run the demo")
        if left_out and STRICT in words:
            raise Broken(f"not tried on Python {', '.join(left_out)}")
    except Broken as error:
        print(f"broken: {error}")
        return 1
    return 0


def build() -> tuple[Path, Path]:
    """The wheel and the sdist, from which the wheel is built; ``twine`` reads both."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(sys.executable), Path(folder))
        run(python, "-m", "pip", "install", "--quiet", "build", "twine")
        run(python, "-m", "build", "--outdir", str(DIST), str(ROOT))
        wheel, sdist = next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))
        run(python, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    return wheel, sdist


def check_contents(wheel: Path, sdist: Path) -> None:
    """Raise unless both hold the whole package, the licence, and nothing else."""
    tracked = run("git", "-C", str(ROOT), "ls-files", "-z", PACKAGE).split("\0")
    files = {name for name in tracked if name}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    with tarfile.open(sdist) as archive:
        # Every name starts with the folder of the sdist.
        sources = {
            PurePosixPath(*PurePosixPath(member.name).parts[1:]).as_posix()
            for member in archive
            if member.isfile()
        }
    sizes = {file.name: file.stat().st_size for file in (wheel, sdist)}
    large = [f"{name} has {size:,} bytes" for name, size in sizes.items() if size > LARGEST_BYTES]
    if faults := [*wheel_faults(names, files), *sdist_faults(sources, files), *large]:
        raise Broken("; ".join(faults))


def wheel_faults(names: Iterable[str], files: Iterable[str]) -> Iterator[str]:
    """What is wrong with the names of a wheel, by the files of the package in the repository."""
    there = set(names)
    expected = {name.removeprefix("src/") for name in files}
    about = {name for name in there if ".dist-info/" in name}
    yield from (f"the wheel lacks {name}" for name in sorted(expected - there))
    yield from (f"the wheel has {name}" for name in sorted(there - expected - about))
    for part in ("licenses/LICENSE", "METADATA", "entry_points.txt"):
        if not any(name.endswith(f".dist-info/{part}") for name in about):
            yield f"the wheel lacks {part}"


def sdist_faults(names: Iterable[str], files: Iterable[str]) -> Iterator[str]:
    """The same for an sdist."""
    there = set(names)
    expected = {*files, *BESIDES}
    yield from (f"the sdist lacks {name}" for name in sorted(expected - there))
    yield from (f"the sdist has {name}" for name in sorted(there - expected - BUILD_FILES))


def check_metadata(wheel: Path, project: dict[str, object]) -> None:
    """Raise unless the wheel says what ``pyproject.toml`` and the package do."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    extras = project["optional-dependencies"]
    expected = {
        "Name": project["name"],
        "Version": version(),
        "Requires-Python": project["requires-python"],
        "License-Expression": project["license"],
        "Description-Content-Type": "text/markdown",
    }
    for key, value in expected.items():
        if metadata[key] != value:
            raise Broken(f"the wheel's {key} is {metadata[key]}, not {value}")
    if faults := list(description_faults(metadata.get_payload())):  # type: ignore[arg-type]
        raise Broken("; ".join(faults))
    if set(metadata.get_all("Provides-Extra", ())) != set(extras):  # type: ignore[call-overload]
        raise Broken("the wheel has other extras than pyproject.toml")
    if not re.search(rf"^## {re.escape(version())} \(", changelog(), re.MULTILINE):
        raise Broken(f"CHANGELOG.md has no section for {version()}")


def description() -> str:
    """The README as PyPI shows it, by the substitutions that ``pyproject.toml`` lists."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    text = (ROOT / "README.md").read_text("utf-8")
    for each in settings["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    return text


def description_faults(text: str) -> Iterator[str]:
    """What is wrong with a text on PyPI, which has no other file of the repository."""
    for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", text):
        link = next(filter(None, target))
        if not link.startswith(("https://", "#", "mailto:")):
            yield f"the description leads to {link}, which PyPI does not have"


def version() -> str:
    """The version of the package in the repository."""
    module = (ROOT / PACKAGE / "__init__.py").read_text("utf-8")
    (text,) = re.findall(r'^__version__ = "(.+)"$', module, re.MULTILINE)
    return str(text)


def changelog() -> str:
    """What changed, version by version."""
    return (ROOT / "CHANGELOG.md").read_text("utf-8")


def supported_versions(project: dict[str, object]) -> list[str]:
    """The versions of Python among the classifiers: ``3.11``."""
    return re.findall(r"Python :: (3\.\d+)", json.dumps(project["classifiers"]))


def find_python(name: str) -> Path | None:
    """An interpreter of that version or path that starts; those of pyenv count, too."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    choices = [Path(name)] if "/" in name else sorted(pyenv.glob(f"{name}.*/bin/python"))[::-1]
    on_path = shutil.which(f"python{name}")
    for choice in [*([Path(on_path)] if on_path else []), *choices]:
        with subprocess.Popen(
            [choice, "-c", ""], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as started:
            if started.wait() == 0:
                return choice
    return None


def try_archive(python: Path, archive: Path) -> None:
    """Install it into an empty environment, import it, and run the demo; raise what fails."""
    with tempfile.TemporaryDirectory() as folder:
        own = environment(python, Path(folder))
        run(own, "-m", "pip", "install", "--quiet", str(archive))
        code = "import sqlverdict; print(sqlverdict.__version__)"
        actual = run(own, "-W", "error", "-c", code, folder=folder).strip()
        if actual != version():
            raise Broken(f"{archive.name} on {python} is version {actual}")
        demo = [own.with_name("sqlverdict"), "demo", "--quiet", "--out"]
        run(*demo, f"{folder}/plain", folder=folder)
        if archive.suffix == ".whl":
            # The compiled parser has classes that cannot be extended as the plain ones can.
            run(own, "-m", "pip", "install", "--quiet", f"{archive}[fast]")
            run(*demo, f"{folder}/fast", folder=folder)


def environment(python: Path, folder: Path) -> Path:
    """The interpreter of a new environment."""
    run(python, "-m", "venv", str(folder / "venv"))
    return folder / "venv" / "bin" / "python"


def run(*command: str | Path, folder: str | None = None) -> str:
    """What a command prints; raise where it fails, with what it said."""
    settings = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    settings["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True)
    if done.returncode:
        words = " ".join(str(each) for each in command)
        raise Broken(f"{words}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
