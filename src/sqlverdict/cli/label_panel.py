"""Labels of other predictions: proofs that they hold, and what to do where a gate lacks some."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from sqlverdict.cli.run_cases import run_cases
from sqlverdict.errors import SqlverdictError
from sqlverdict.estimate.accuracy import Accuracy
from sqlverdict.estimate.matching import AskProof
from sqlverdict.estimate.plan import FEWEST
from sqlverdict.files.text import count
from sqlverdict.load.people.labels import Labels
from sqlverdict.load.people.votes import is_vote_log, vote_digest
from sqlverdict.records import Case
from sqlverdict.runlog.run import Run

_JSON_LINES = (".jsonl", ".ndjson", "")


def proofs_on(runs: Sequence[Run]) -> AskProof:
    """Asks for proofs on the databases that the commands of the runs name.

    Where they are not at hand, only queries of the same text are equal.
    """
    cases: dict[str, Case] = {}
    read = False

    def is_proved(case_id: str, gold: str, prediction: str) -> bool:
        nonlocal read
        if gold == prediction:
            return True
        if not read:
            read = True
            for run in runs:
                cases.update(_cases(run))
        case = cases.get(case_id)
        return case is not None and case.database is not None and _proved(case, gold, prediction)

    return is_proved


def _cases(run: Run) -> dict[str, Case]:
    try:
        return dict(run_cases(run))
    except SqlverdictError:
        return {}


def _proved(case: Case, gold: str, prediction: str) -> bool:
    from sqlverdict.api.calls import prove_pair

    try:
        return prove_pair(gold, prediction, db=case.database).proved
    except SqlverdictError:
        return False


def few_labels(outcome: Accuracy) -> tuple[str, ...]:
    """How many labels are missing for any answer, as a line; or none.

    Drawn cases without a label count as if they had one: they are asked for by id.
    """
    share = outcome.share
    number = share.labels + share.pending
    if number >= FEWEST or all(each.sample == each.size for each in share.strata):
        return ()
    return (f"{FEWEST} labels are needed at least, and {count(number, 'case')} were drawn",)


def vote_step(run: Run, labels: Labels, outcome: Accuracy) -> str:
    """How the cases that need a label get one, in words that fit the file; empty: they have one.

    Args:
        run: The run.
        labels: The labels that there are.
        outcome: What they say of the run.
    """
    file = shlex.quote(str(labels.path))
    is_sheet = not any(each.pair for each in labels.items)
    if few_labels(outcome):
        return _draw_more(run, labels.path, is_sheet)
    if not outcome.needed:
        return ""
    if is_vote_log(labels.path):
        own = {vote_digest(each.id, each.gold, each.prediction) for each in run.results()}
        if any(each.id in outcome.needed and each.pair in own for each in labels.items):
            return (
                "vote on these cases, on the page that label opened; a vote takes the place of an "
                "annotator's earlier one"
            )
        return (
            "export the votes from the run that they are about, and check with that file, to which "
            "more votes can be added: sqlverdict label EARLIER_RUN --export-votes panel.jsonl"
        )
    if is_sheet:
        names_query = any(each.prediction is not None for each in labels.items)
        what = "its prediction in this run and its label" if names_query else "its label"
        return (
            f"look at each of these cases ({shlex.join(['sqlverdict', 'show', str(run.folder)])} "
            f"ID), and write {what} into its row of {file}"
        )
    suffix = labels.path.suffix.lower()
    more = "more.csv" if suffix == ".csv" else "more.jsonl"
    line = shlex.join(["sqlverdict", "label", str(run.folder), "--out", "more"])
    steps = [
        f"{line} --n {run.summary.cases}",
        "vote on these cases",
        f"{line} --export-votes {more}",
    ]
    if suffix == ".csv":
        steps.append(f"tail -n +2 {more} >> {file}")
    elif suffix in _JSON_LINES:
        steps.append(f"cat {more} >> {file}")
    else:
        steps.append(f"add the rows of {more} to {file}")
    return "; ".join(steps)


def _draw_more(run: Run, path: Path, is_sheet: bool) -> str:
    """How a sample that is too small for any answer becomes larger."""
    folder = shlex.quote(str(run.folder))
    plan = f"sqlverdict estimate {folder} --plan says how many labels an interval takes"
    if is_sheet:
        return (
            f"{plan}; draw more cases at random, and add a row with the label of each to "
            f"{shlex.quote(str(path))}"
        )
    return (
        f"{plan}; draw so many anew, or at least: sqlverdict label {folder} --queue estimate "
        f"--n {FEWEST} --out more; vote, and check with more/votes.jsonl"
    )
