"""label: the queue, the server, and files of votes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import click

from sqlverdict.cli.options.fields import Heading, group, option, setting
from sqlverdict.cli.options.labels import LabelFieldArgs
from sqlverdict.cli.options.shared import FILE, NAMES, NumberRange, seed_setting
from sqlverdict.label.queue import QUEUE_NAMES, QueueName
from sqlverdict.web.server import LOCAL


@dataclass(frozen=True, kw_only=True)
class QueueArgs:
    """Which pairs are labelled, by whom, and how."""

    HEADING: ClassVar[Heading] = Heading.QUESTIONS

    queue: QueueName = option(
        "--queue",
        type=click.Choice(QUEUE_NAMES),
        default="stratified",
        help="Which pairs: some of every kind of evidence, a fixed draw to estimate accuracy from, "
        "those left to people, those on which metrics disagree, lucky matches, suspected golds, or "
        "any.",
    )
    size: int = option(
        "--n", type=click.IntRange(1), default=200, help="The most pairs in the queue."
    )
    seed: int = seed_setting("The seed of the queue.")
    annotators: tuple[str, ...] = option(
        "--annotators",
        type=NAMES,
        default=(),
        metavar="NAME,NAME",
        help="Who votes. [default: your login name]",
    )
    without_sql: tuple[str, ...] = option(
        "--without-sql",
        type=NAMES,
        default=(),
        metavar="NAME,NAME",
        help="Who votes on results alone: these annotators, besides others, see no SQL.",
    )
    overlap: float | None = option(
        "--overlap",
        type=NumberRange(0, 1),
        metavar="P",
        help="The share of the queue that every annotator labels; of the queue estimate, the share "
        "that two of them label. [default: 1, of estimate 0.2]",
    )
    adjudicator: str | None = setting(
        "adjudicator", metavar="NAME", help="Who decides disputes. [default: your login name]"
    )
    not_blind: bool = option(
        "--not-blind",
        is_flag=True,
        help="Show which query is the gold, metrics and verdict from the start.",
    )


@dataclass(frozen=True, kw_only=True)
class ServerArgs:
    """Where the page is served."""

    HEADING: ClassVar[Heading] = Heading.OUTPUT

    host: str = option("--host", default=LOCAL, help="The address to listen on.")
    port: int = option(
        "--port",
        type=click.IntRange(0, 65535),
        default=0,
        help="The port; 0 takes a free one, in label that of its last start.",
    )
    address: str | None = setting(
        "address",
        metavar="URL",
        help="The address that people use, if there is a proxy in between: "
        "https://example.org/label/. [default: the server's own]",
    )
    no_browser: bool = option("--no-browser", is_flag=True, help="Only print the addresses.")


@dataclass(frozen=True, kw_only=True)
class ImportArgs:
    """Files of votes to add to the log."""

    HEADING: ClassVar[Heading] = Heading.LABELS

    import_files: tuple[Path, ...] = option(
        "--import",
        type=FILE,
        multiple=True,
        help="Add the votes of a file and stop: an offline page's, ROSE's, a spreadsheet's. "
        "Repeatable.",
    )
    fields: LabelFieldArgs = group(LabelFieldArgs)


@dataclass(frozen=True, kw_only=True)
class ExportArgs:
    """Files to write from the log."""

    HEADING: ClassVar[Heading] = Heading.OUTPUT

    export_votes: Path | None = option(
        "--export-votes", type=FILE, help="Write the votes that count to CSV or JSONL, and stop."
    )
    export_golds: Path | None = option(
        "--export-golds", type=FILE, help="Write the corrected golds to JSONL, and stop."
    )
    export_cases: Path | None = option(
        "--export-cases", type=FILE, help="Write the labelled cases to JSONL, and stop."
    )

    @property
    def any(self) -> bool:
        """Whether a file is to be written."""
        return any((self.export_votes, self.export_golds, self.export_cases))
