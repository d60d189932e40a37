"""People's labels: the file and its fields, and what a judge is asked again about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click

from sqlverdict.cli.options.fields import Heading, group, option, setting
from sqlverdict.cli.options.llm import LlmArgs
from sqlverdict.cli.options.shared import FILE
from sqlverdict.load.people.labels import Combine, Half, Labels, read_labels


def label_field_option() -> Any:
    """``--label-field``."""
    text = "The label's field. [default: human, label or correct]"
    return option("--label-field", heading=Heading.LABELS, help=text)


def id_field_option() -> Any:
    """``--id-field``."""
    text = "The field of the case id, or a pattern such as '{set}-{i}'."
    return option("--id-field", heading=Heading.LABELS, help=text)


def annotator_field_setting() -> Any:
    """The setting ``annotator-field``."""
    text = "The annotator's field, where each row is one vote. [default: annotator, rater ...]"
    return setting("annotator-field", heading=Heading.LABELS, help=text)


def votes_option() -> Any:
    """``--votes``."""
    text = (
        "An annotator's column, or the field of all votes; where each row is one vote, an "
        "annotator who counts. Repeatable."
    )
    return option("--votes", multiple=True, heading=Heading.LABELS, help=text)


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
class LabelArgs:
    """A file of people's labels."""

    HEADING: ClassVar[Heading] = Heading.LABELS

    labels: Path = option(
        "--labels",
        type=FILE,
        required=True,
        help="People's labels: a table, JSONL, JSON, or a vote log of label.",
    )
    label_field: str | None = label_field_option()
    id_field: str | None = id_field_option()
    annotator_field: str | None = annotator_field_setting()
    votes: tuple[str, ...] = votes_option()

    def read(self, combine: Combine = "majority", half: Half = "drop") -> Labels:
        """The labels of the file; see :func:`read_labels`."""
        return read_labels(
            self.labels,
            label_field=self.label_field,
            votes=self.votes,
            id_field=self.id_field,
            annotator_field=self.annotator_field,
            combine=combine,
            half=half,
        )


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
