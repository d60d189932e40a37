"""Tests each integration, and each example plug-in, against the real package.

    python tests/integrations/environments.py [NAME ...]

Each has an environment of its own. Environments are kept in ``.venv-integrations`` (or ``SQLVERDICT_ENVIRONMENTS``) and made again
when ``pyproject.toml`` changes. A package that cannot be installed within 20 minutes is reported
and is no failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("SQLVERDICT_ENVIRONMENTS", ROOT / ".venv-integrations"))

PACKAGES: dict[str, tuple[str, ...]] = {
    "pytest": (".[pytest]", "pytest-xdist"),
    "inspect_ai": (".[inspect]", "tiktoken"),
    "mlflow": (".[mlflow]",),
    "langsmith": (".[langsmith]",),
    "dspy": (".[dspy]",),
    "promptfoo": (".",),
    "deepeval": (".[deepeval]",),
    "lm_eval": (".[lm-eval]",),
    "evalbench": (".", "absl-py", "pandas", "protobuf", "pyaml-env"),
    "braintrust": (".[braintrust]",),
    "langfuse": (".[langfuse]",),
    "phoenix": (".[phoenix]", "pandas"),
    "weave": (".[weave]",),
    "ragas": (".[ragas]",),
    "engine_datafusion": (".", "--editable", "./examples/engine_datafusion"),
    "engine_clickhouse": (".", "--editable", "./examples/engine_clickhouse"),
}
"""What each integration's tests need, by the name of its test file; of a plug-in, its folder."""

ALONE = {"evalbench": "google-evalbench"}
"""What is installed without its dependencies: evalbench has many, and one needs a compiler."""

LONGEST_SECONDS = 1_200
"""How long one step of an installation may take; promptfoo's 688 packages took nine minutes."""

PYTEST = (
    *("-q", "-p", "no:cacheprovider", "--confcutdir", "tests/integrations"),
    # Frameworks warn and leave things open; these are theirs.
    *("-W", "default", "-p", "no:unraisableexception"),
)


def main(names: list[str]) -> int:
    """Test the integrations of these names, all by default; 1 where a test fails."""
    unknown = sorted(set(names) - set(PACKAGES))
    if unknown:
        print(f"no integration {', '.join(unknown)}; there are {', '.join(PACKAGES)}")
        return 2
    words = {name: test(name) for name in names or PACKAGES}
    for name, word in words.items():
        print(f"{name:17} {word}")
    return int("failed" in words.values())


def test(name: str) -> str:
    """Make an environment and run the tests in it; what came of it, in words."""
    python = FOLDER / name / "bin" / "python"
    stamp = FOLDER / name / ".installed"
    if not stamp.exists() or stamp.stat().st_mtime < (ROOT / "pyproject.toml").stat().st_mtime:
        problem = install(name, python)
        if problem:
            return f"not installed: {problem}"
        stamp.touch()
    environment = dict(os.environ)
    if name == "promptfoo":
        command = FOLDER / name / "node_modules" / ".bin" / "promptfoo"
        environment["SQLVERDICT_PROMPTFOO"] = str(command)
    plugin = ROOT / "examples" / name / "tests"
    file = f"tests/integrations/test_integration_{name}.py"
    tests = str(plugin) if plugin.is_dir() else file
    done = subprocess.run([python, "-m", "pytest", *PYTEST, tests], cwd=ROOT, env=environment)
    return "ok" if done.returncode == 0 else "failed"


def install(name: str, python: Path) -> str:
    """Make an environment; the last line of what went wrong, or nothing."""
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if shutil.which("uv"):
        # The same, ten times as fast.
        pip = ["uv", "pip", "install", "--quiet", "--python", str(python)]
    packages = ["--editable", PACKAGES[name][0], *PACKAGES[name][1:], "pytest>=8"]
    commands = [[sys.executable, "-m", "venv", str(FOLDER / name)], [*pip, *packages]]
    if name in ALONE:
        commands.append([*pip, "--no-deps", ALONE[name]])
    if name == "promptfoo":
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix"]
        commands.append([*npm, str(FOLDER / name), "promptfoo"])
    for command in commands:
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            return lines[-1] if lines else f"{command[0]} ended with {done.returncode}"
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
