"""Systems under several sets of golds: each prediction is scored by all of them.

What the run under the first golds says stands where the golds of a case are the same. The other
cases are evaluated again, and their golds are held against each other: a proof, a witness, or other
answers on the real database.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.api.arguments import Reference
from sqlverdict.api.spelling import names_arguments
from sqlverdict.errors import OptionName, RunLogError, UsageError
from sqlverdict.load.benchmark import Benchmark, SourceFile
from sqlverdict.load.overlays import (
    OVERLAY,
    CorrectedGold,
    GoldOverlay,
    overlay_title,
    read_overlay,
    reworded_cases,
    same_golds,
    with_golds,
    with_overlays,
)
from sqlverdict.pipeline import check_distinct_systems, evaluate_systems
from sqlverdict.records import Case
from sqlverdict.run.options import Options, System
from sqlverdict.run.task import as_benchmark
from sqlverdict.runlog.folder import TemporaryFolder
from sqlverdict.runlog.run import Run

if TYPE_CHECKING:
    from sqlverdict.report.several_runs.golds_board import GoldColumn, GoldsBoard

OWN = "run"
"""The name of the golds that runs were made with."""
PAIRS = "pairs"
"""The folder of golds that are held against each other."""
Golds = Mapping[str, Mapping[str, str | Sequence[str]] | Reference] | Sequence[Reference]
"""Sets of golds: files, or by name a file or the golds by case id."""


@dataclass(frozen=True)
class EvaluatedGolds:
    """Systems under several sets of golds.

    Attributes:
        board: Values with intervals, changes, ranks that move, and questions with their evidence.
        columns: The runs under each set.

    Examples:
        >>> cases = [sv.Case("1", "shop", "", ("SELECT 1",), "shop.sqlite")]
        >>> systems = [sv.System("a", {"1": "SELECT 2"})]
        >>> result = sv.evaluate_golds(cases, systems, {"fixed": {"1": "SELECT 2"}})
        >>> [(each.golds, each.value) for each in result.board.places]
        [('run', 0.0), ('fixed', 1.0)]
    """

    board: GoldsBoard
    columns: tuple[GoldColumn, ...]
    _keep: TemporaryFolder | None = field(default=None, repr=False, compare=False)

    def to_html(self, path: Reference | None = None) -> str:
        """The table, the questions that move systems, and every case, as one HTML page.

        Args:
            path: A file that gets the page as well.

        Returns:
            The page.
        """
        from sqlverdict.report.html.build import make_document
        from sqlverdict.report.html.golds import page_golds
        from sqlverdict.report.html.page import page_text

        golds = page_golds(self.board, self.columns)
        return page_text(make_document(self.columns[0].runs, golds=golds), path)


@names_arguments
def evaluate_golds(
    cases: Benchmark | Sequence[Case],
    systems: Sequence[System],
    golds: Golds,
    *,
    metrics: Sequence[str] = (),
    out: Reference | None = None,
    options: Options | None = None,
) -> EvaluatedGolds:
    """Evaluate systems under the golds of the cases and under other sets of golds.

    Args:
        cases: A benchmark, or cases.
        systems: The systems. Their ``out`` is not used: every run lies below ``out``.
        golds: Files, each a whole revision or corrections, or a mapping from a name to a file or to
            golds by case id.
        metrics: What the board shows; by default all metrics of the options.
        out: Where the runs go, as ``SYSTEM/SET``; without it a temporary folder that lives as long
            as the result.
        options: How cases are evaluated.

    Raises:
        DataError: a set cannot be read, or does not fit the cases.
        UsageError: two sets or two systems have one name, or there is no such metric.

    Examples:
        >>> cases = [sv.Case("1", "shop", "", ("SELECT 1",), "shop.sqlite")]
        >>> systems = [sv.System("a", {"1": "SELECT 2"})]
        >>> result = sv.evaluate_golds(cases, systems, {"fixed": {"1": "SELECT 2"}})
        >>> [(each.id, each.relation) for each in result.board.questions]
        [('1', 'other answer')]
    """
    from sqlverdict.report.several_runs.golds_board import GoldColumn, rank_golds

    check_distinct_systems(systems)
    benchmark = cases if isinstance(cases, Benchmark) else as_benchmark(cases)
    options = options or Options()
    sets = [_gold_set(name, source) for name, source in _name_sources(golds)]
    check_set_names([each.name for each, _ in sets])
    keep = TemporaryFolder() if out is None else None
    folder = keep.path if keep is not None else Path(os.fspath(out or "."))
    own = [replace(each, out=folder / each.name / OWN, base=None) for each in systems]
    runs = evaluate_systems(benchmark, own, options=options)
    unchanged = [is_unchanged(runs, each) for each, _ in sets]
    columns = [] if any(unchanged) else [GoldColumn(OWN, "", tuple(runs))]
    for (overlay, file), same in zip(sets, unchanged, strict=True):
        under = runs
        if not same:
            others = [
                replace(each, out=folder / each.name / overlay.name, base=run.folder)
                for each, run in zip(own, runs, strict=True)
            ]
            changed = _changed(benchmark, overlay)
            under = evaluate_systems(changed, others, options=replace(options, overwrite=False))
        columns.append(gold_column(overlay, file, under))
    pair_folder = folder / systems[0].name
    columns = with_gold_pairs(columns, benchmark, pair_folder, options)
    return EvaluatedGolds(rank_golds(columns, metrics), tuple(columns), keep)


def _name_sources(golds: Golds) -> list[tuple[str, Mapping[str, str | Sequence[str]] | Reference]]:
    if isinstance(golds, Mapping):
        return list(golds.items())
    if isinstance(golds, str | os.PathLike):
        raise UsageError("golds is one path; expected a list of files, or a mapping from names")
    if not isinstance(golds, Sequence):
        raise UsageError(
            f"golds is {type(golds).__name__}; expected a list of files, or a mapping from names"
        )
    return [(Path(os.fspath(each)).stem, each) for each in golds]


def _gold_set(
    name: str, source: Mapping[str, str | Sequence[str]] | Reference
) -> tuple[GoldOverlay, str]:
    """A set, and its file; empty: it is in memory."""
    if not isinstance(source, Mapping):
        return read_overlay(name, Path(os.fspath(source))), os.fspath(source)
    golds = {
        str(case_id): CorrectedGold(
            str(case_id), (gold,) if isinstance(gold, str) else tuple(gold), where=f"golds {name!r}"
        )
        for case_id, gold in source.items()
    }
    text = repr(sorted((gold.id, gold.golds) for gold in golds.values()))
    return GoldOverlay(
        name, sha256(text.encode("utf-8", "backslashreplace")).hexdigest(), golds
    ), ""


def _changed(benchmark: Benchmark, overlay: GoldOverlay) -> Benchmark:
    """The benchmark with a set's golds; its name and sources say so."""
    changed = with_overlays(benchmark, [overlay])
    source = SourceFile(f"{OVERLAY} {overlay.name}", overlay.sha256)
    name = benchmark.name + overlay_title([overlay.name])
    return replace(changed, name=name, sources=(*benchmark.sources, source))


def check_set_names(names: Sequence[str]) -> None:
    """Refuse two sets of one name.

    Raises:
        UsageError: there are two, or one is called as the golds of the runs are.
    """
    every = [OWN, *names]
    twice = next((name for name in names if every.count(name) > 1), None)
    if twice is not None:
        raise UsageError(
            f"two sets of golds are called {twice!r} ({OWN!r} is what the runs were made with). "
            "Name one: ",
            OptionName("golds", "NAME=FILE"),
        )


def is_unchanged(runs: Sequence[Run], overlay: GoldOverlay) -> bool:
    """Whether all runs have the golds of a set already, and every case that corrections name."""
    ids = {result.id for run in runs for result in run.results()}
    if not overlay.whole and not ids.issuperset(overlay.golds):
        return False
    return all(
        same_golds(overlay.golds[result.id].golds, result.gold)
        if result.id in overlay.golds
        else not overlay.whole
        for run in runs
        for result in run.results()
    )


def gold_column(overlay: GoldOverlay, file: str, runs: Sequence[Run]) -> GoldColumn:
    """The runs under a set, with the cases that the set lacks or has in other words."""
    from sqlverdict.report.several_runs.golds_board import GoldColumn

    cases = {result.id: result for result in runs[0].results()}
    return GoldColumn(
        overlay.name,
        file,
        tuple(runs),
        lacking=tuple(case_id for case_id in cases if overlay.lacks(case_id)),
        reworded=reworded_cases(overlay, cases),
        reasons={gold.id: gold.reason for gold in overlay.golds.values() if gold.reason},
    )


def with_gold_pairs(
    columns: Sequence[GoldColumn], benchmark: Benchmark, folder: Path, options: Options
) -> list[GoldColumn]:
    """The columns, each with its golds held against those of the first.

    Args:
        columns: The sets.
        benchmark: The cases of the runs, with any golds.
        folder: Where the evidence goes, in a folder for each set.
        options: How cases are evaluated; metrics and judges of these are not used.
    """
    first, *others = columns
    paired = [
        replace(
            other,
            pairs=_gold_pairs(
                (first, other), benchmark, folder / f"{first.name}..{other.name}" / PAIRS, options
            ),
        )
        for other in others
    ]
    return [first, *paired]


def _gold_pairs(
    columns: tuple[GoldColumn, GoldColumn], benchmark: Benchmark, folder: Path, options: Options
) -> Run | None:
    """The golds of the second set, as predictions, against the first; ``None``: none differs."""
    before, after = (
        {result.id: result.gold for result in column.runs[0].results()} for column in columns
    )
    left_out = {*columns[0].lacking, *columns[1].lacking}
    changed = {
        case_id: golds[0]
        for case_id, golds in after.items()
        if case_id not in left_out and golds and before.get(case_id) not in (golds, None, ())
    }
    cases = [
        case if case.logged_golds == before[case.id] else with_golds(case, before[case.id])
        for case in benchmark.cases
        if case.id in changed
    ]
    if not cases:
        return None
    golds = replace(benchmark, cases=cases, count=len(cases), predictions=None, sessions=())
    plain = replace(options, metrics="ex,verdict", policy=None, judge=None, command=())
    search = None if options.search is None else replace(options.search, bank=None)
    plain = replace(plain, no_sql="wrong", tag=None, search=search, proof=None, overwrite=False)
    system = System(f"golds {columns[1].name}", changed, folder)
    try:
        (run,) = evaluate_systems(golds, [system], options=plain)
    except RunLogError:
        # An earlier state of the same two sets: what the folder holds is made anew.
        (run,) = evaluate_systems(golds, [system], options=replace(plain, overwrite=True))
    return run
