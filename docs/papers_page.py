"""The page of a paper, from its facts: what ``sqlverdict reproduce PAPER --json`` printed.

``sqlverdict reproduce etm --data DIR --json > docs/papers/etm.json`` writes the facts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import exhibit_heading
from sqlverdict.papers.output import cell_table, summary_line
from sqlverdict.report.terminal.tables import markdown, md_cell

FACTS = Path(__file__).parent / "papers"


def fact_names() -> list[str]:
    """The papers that have a file of facts."""
    return sorted(path.stem for path in FACTS.glob("*.json"))


def paper_page(note: str, name: str) -> str:
    """The page of a paper; ``note`` says that it is written by a program."""
    facts = json.loads((FACTS / f"{name}.json").read_text(encoding="utf-8"))
    parts = [f"# {md_cell(facts['title'])}", note, _introduction(facts)]
    for exhibit in facts["exhibits"]:
        heading = exhibit_heading(exhibit["names"])
        parts.append(f"## {heading[:1].upper()}{heading[1:]}: {md_cell(exhibit['title'])}")
        parts += [md_cell(exhibit[part]) for part in ("about", "note") if exhibit[part]]
        if exhibit["command"]:
            parts.append(f"```bash\n{exhibit['command']}\n```")
        if exhibit["cells"]:
            parts.append(markdown(cell_table([_cell(each) for each in exhibit["cells"]])))
    return "\n\n".join(parts) + "\n"


def _introduction(facts: dict[str, Any]) -> str:
    cells = [_cell(each) for exhibit in facts["exhibits"] for each in exhibit["cells"]]
    rows = "\n".join(f"- `{path}`: {md_cell(what)}" for path, what in facts["sources"].items())
    return (
        f"`sqlverdict reproduce {facts['paper']} --data DIR` computes what follows. It prints our "
        "value beside the paper's, with the number of items behind ours (n), the difference and "
        "its reason. “equal” means equal at the precision that the paper prints, “follows” "
        "that ours is computed from other numbers of the paper and agrees: a check of its "
        "arithmetic, and no measurement. The command "
        "below a heading does the same on files of your own.\n\n"
        f"With the files at hand {summary_line(cells)}.\n\nWhat goes into DIR:\n\n{rows}"
    )


def _cell(fact: dict[str, Any]) -> PaperCell:
    values = (fact[key] for key in ("row", "column", "ours", "paper", "n", "reason"))
    return PaperCell(*values, from_print=fact.get("from_print", False))
