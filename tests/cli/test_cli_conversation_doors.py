"""One test over every command: where a later question is shown, the earlier ones stand with it.

Every command is a door or is in ``SILENT``, with the reason why it shows no question: a new one has
to say which. What a door prints holds the earlier question as lines before it, in the same line, or
as fields of the record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import SECTIONS, sqlverdict
from talks import PREDICTIONS, TALKS, write_sparc

CASE = "1_2"
LINES = ("Turn 1: Show all prices.", "Turn 2, asked now: Only the highest.")
ONE_LINE = "Only the highest. (after: Show all prices.)"
SAME = ("mine", "other", "third")
"""Systems with the same answers."""
SILENT = {
    "abstain": "its output has SQL by case id; a generator's prompt is in test_cli_conversations",
    "bank": "witnesses of pairs of queries",
    "demo": "questions that stand alone",
    "estimate": "figures of a run; the cases that need a label, by id",
    "evaluate": "tables of figures; its reports are doors below",
    "explain": "words of the toolkit",
    "init": "a project file",
    "lint": "queries and what is suspect in them",
    "pair": "two queries without a question",
    "prove": "two queries without a question",
    "refute": "two queries without a question",
    "reliability": "figures of a run",
    "reproduce": "figures of papers, whose questions stand alone",
    "table": "figures of runs",
    "view": "a server; its page is that of report.html (test_browser_conversations)",
}


@dataclass(frozen=True)
class Talks:
    """A run of conversations, one in which all is right, and where more may be written."""

    sparc: Path
    run: Path
    right: Path
    folder: Path

    @property
    def labels(self) -> Path:
        """People call the case right that the run calls wrong."""
        path = self.folder / "labels.csv"
        path.write_text(f"id,label\n{CASE},1\n")
        return path

    def in_folder(self, name: str) -> Path:
        """A file that a command writes."""
        return self.folder / name


def cli(*words: str | Path) -> str:
    result = CliRunner().invoke(sqlverdict, list(map(str, words)))
    assert result.exit_code in (0, 1, 4), result.output
    return result.output


def run_of(sparc: Path, name: str, answers: tuple[tuple[str, ...], ...]) -> Path:
    file = sparc.parent / f"{name}.txt"
    file.write_text("\n\n".join("\n".join(turns) for turns in answers) + "\n")
    out = sparc.parent / name
    cli(
        *("evaluate", "--benchmark", "sparc", "--root", sparc, "--out", out, "--workers", "0"),
        *("--predictions", file, "--metrics", "ex,verdict", "--set", "policy=results"),
    )
    return out


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    sparc = write_sparc(tmp_path_factory.mktemp("doors") / "sparc")
    right = tuple(tuple(gold for _, gold in talk) for talk in TALKS)
    mine, *_ = [run_of(sparc, name, PREDICTIONS) for name in SAME]
    return sparc, mine, run_of(sparc, "right", right)


@pytest.fixture
def talks(runs: tuple[Path, Path, Path], tmp_path: Path) -> Talks:
    return Talks(*runs, tmp_path)


def label(talks: Talks, *words: str | Path) -> str:
    data = ("--databases", talks.sparc / "database", "--out", talks.folder / "labels")
    return cli("label", talks.run, *data, "--annotators", "cai", *words)


def exported(talks: Talks, option: str) -> str:
    label(talks, "--import", talks.labels)
    file = talks.in_folder("exported.jsonl")
    label(talks, option, file)
    return file.read_text("utf-8")


def offline_page(talks: Talks) -> str:
    page = talks.in_folder("cai.html")
    label(talks, "--queue", "random", "--offline", page)
    return page.read_text("utf-8")


def audited(talks: Talks, *words: str | Path) -> str:
    """Three systems give one answer, and it is not the gold's."""
    return cli(
        "audit",
        *(talks.run.parent / name for name in SAME),
        "--show",
        "20",
        *words,
    )


def written_audit(talks: Talks, name: str) -> str:
    file = talks.in_folder(name)
    audited(talks, "--out", file)
    return file.read_text("utf-8")


def under_other_golds(talks: Talks) -> str:
    overlay = talks.in_folder("fixed.jsonl")
    gold = ["SELECT min(price) FROM item"]
    overlay.write_text(json.dumps({"id": CASE, "gold": gold, "reason": "a test"}) + "\n")
    out = talks.in_folder("again")
    return cli("leaderboard", talks.run, "--golds", overlay, "--out", out, "--quiet")


def built(talks: Talks) -> str:
    out = talks.in_folder("built")
    data = ("--benchmark", "sparc", "--root", talks.sparc, "--set", "no-proofs=true")
    cli("build", *data, "--unanswerable", "0", "--quiet", "--out", out)
    return "".join(file.read_text("utf-8") for file in sorted(out.glob("*.jsonl")))


def repeated(talks: Talks) -> str:
    """Doctor, on a file with one question twice, after different ones."""
    same = {"db_id": "shop", "question": "Only the highest.", "gold": "SELECT max(price) FROM item"}
    turn = {"session": "x", "turn": 2, "earlier": ["Show all prices."]}
    cases = talks.in_folder("twice.jsonl")
    lines = [{"id": f"x{n}", **same, **turn, "session": str(n)} for n in range(2)]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return cli("doctor", "--cases", cases, "--databases", talks.sparc / "database", "--json")


def checked(talks: Talks, *words: str) -> str:
    return cli("check", talks.run, "--baseline", talks.right, "--no-regressions", *words)


def compared(talks: Talks, *words: str) -> str:
    return cli("compare", talks.right, talks.run, *words)


DOORS: dict[str, Callable[[Talks], str]] = {
    "agree": lambda talks: cli("agree", talks.run, "--labels", talks.labels),
    "agree --json": lambda talks: cli("agree", talks.run, "--labels", talks.labels, "--json"),
    "audit": audited,
    "audit --json": lambda talks: audited(talks, "--json"),
    "audit --out FILE.jsonl": lambda talks: written_audit(talks, "golds.jsonl"),
    "audit --out FILE.md": lambda talks: written_audit(talks, "golds.md"),
    "build": built,
    "check": checked,
    "check --format github": lambda talks: checked(talks, "--format", "github"),
    "check --json": lambda talks: checked(talks, "--json"),
    "compare": compared,
    "compare --json": lambda talks: compared(talks, "--json"),
    "doctor": repeated,
    "label --export-cases": lambda talks: exported(talks, "--export-cases"),
    "label --offline": offline_page,
    "leaderboard --golds": under_other_golds,
    "show CASE": lambda talks: cli("show", talks.run, CASE),
    "show --format csv": lambda talks: cli("show", talks.run, "--format", "csv"),
    "evaluate: report.md": lambda talks: (talks.run / "report.md").read_text("utf-8"),
    "evaluate: junit.xml": lambda talks: (talks.run / "junit.xml").read_text("utf-8"),
    "evaluate: results.jsonl": lambda talks: (talks.run / "results.jsonl").read_text("utf-8"),
}


FIELDS = re.compile(r'"earlier":\s*\[\s*"Show all prices\."\s*\]|,1,2,Show all prices\.,')
"""In a record of JSON, and in a row of CSV."""


def has_earlier(text: str) -> bool:
    """Whether a text has the earlier question as lines, in the same line, or as a field."""
    lines = 0 <= text.find(LINES[0]) < text.find(LINES[1])
    return lines or ONE_LINE in text or FIELDS.search(text) is not None


@pytest.mark.parametrize("door", DOORS)
def test_a_later_question_is_shown_with_the_earlier_ones(door: str, talks: Talks) -> None:
    text = DOORS[door](talks)
    assert "Only the highest." in text
    assert has_earlier(text)


def test_every_command_is_a_door_or_says_why_not() -> None:
    folder = Path(__file__).parents[2] / "src/sqlverdict/cli/commands"
    commands = {
        file.stem
        for section in SECTIONS
        for file in (folder / section).glob("*.py")
        if file.stem != "__init__"
    }
    doors = {door.split()[0] for door in DOORS if ":" not in door}
    assert doors | SILENT.keys() == commands
    assert not doors & SILENT.keys()
