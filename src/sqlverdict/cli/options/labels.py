"""People's labels: the file and its fields, and what a judge is asked again about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click

from sqlverdict.cli.options.fields import Heading, group, option, setting
from sqlverdict.cli.options.llm import LlmArgs
from sqlverdict.cli.options.shared import FILE
from sqlverdict.load.people.combine import Combine
from sqlverdict.load.people.labels import Half, Labels, read_labels
from sqlverdict.runlog.run import Run


def half_option() -> Any:
    """``--half``."""
    return option(
        "--half",
        type=click.Choice(["drop", "0", "1"]),
        default="drop",
        heading=Heading.LABELS,
        help="What to do with a label of 0.5.",
    )


@dataclass(frozen=True, kw_only=True)
class LabelFieldArgs:
    """Which fields of a file of people's labels are which."""

    HEADING: ClassVar[Heading] = Heading.LABELS

    label_field: str | None = option(
        "--label-field", help="The label's field. [default: human, label or correct]"
    )
    id_field: str | None = option(
        "--id-field", help="The field of the case id, or a pattern such as '{set}-{i}'."
    )
    annotator_field: str | None = setting(
        "annotator-field",
        help="The annotator's field, where each row is one vote. [default: annotator, rater ...]",
    )
    votes: tuple[str, ...] = option(
        "--votes",
        multiple=True,
        help="An annotator's column, or the field of all votes; where each row is one vote, an "
        "annotator who counts. Repeatable.",
    )

    def read(
        self,
        path: Path,
        runs: Iterable[Run],
        combine: Combine = "majority",
        half: Half = "drop",
    ) -> Labels:
        """The labels of a file about cases of runs; see :func:`read_labels`."""
        return read_labels(
            path,
            label_field=self.label_field,
            votes=self.votes,
            id_field=self.id_field,
            annotator_field=self.annotator_field,
            combine=combine,
            half=half,
            case_ids=(result.id for run in runs for result in run.results()),
        )


@dataclass(frozen=True, kw_only=True)
class LabelArgs:
    """A file of people's labels."""

    HEADING: ClassVar[Heading] = Heading.LABELS

    labels: Path = option(
        "--labels",
        type=FILE,
        required=True,
        help="People's labels: a table, JSONL, JSON, or a vote log of label.",
    )
    fields: LabelFieldArgs = group(LabelFieldArgs)


@dataclass(frozen=True, kw_only=True)
class ContextArgs:
    """The contexts in which a judge is asked again."""

    HEADING: ClassVar[Heading] = Heading.JUDGE

    contexts: tuple[str, ...] = option(
        "--context",
        multiple=True,
        metavar="NAME",
        help="Ask the judge flex about the run in this context, or in all. Repeatable.",
    )
    published: bool = option(
        "--published",
        is_flag=True,
        help="With --context: the kappas that FLEX published beside ours, all times 100.",
    )
    dry_run: bool = option(
        "--dry-run",
        is_flag=True,
        help="With --context: only estimate the calls, tokens and cost.",
    )
    llm: LlmArgs = group(LlmArgs)
