"""The data, the runs and the demo that exhibits are computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlverdict.errors import DataError
from sqlverdict.execute.engine import Limits
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.benchmarks.demo import DATA, INSTANCES, STEPS, predictions_path, systems
from sqlverdict.load.predictions import Predictions, load_predictions
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.run.options import SearchOptions
from sqlverdict.runlog.run import Run

RUNS = "runs"
DEMO = "demo"
DEMO_OPTIONS = Options(
    metrics="verdict,ex,etm,esm[script],esm[values]",
    limits=Limits(steps=STEPS),
    search=SearchOptions(SearchBudget(instances=INSTANCES)),
)


class MissingFile(DataError):
    """A published file is not in the data folder."""

    def __init__(self, file: str) -> None:
        super().__init__(file, reason="missing")


@dataclass
class PaperData:
    """What exhibits are computed from.

    Attributes:
        root: The folder of published files; ``None``: there is none.
        folder: Where runs go; a run that is there already is resumed.
        options: The workers and the progress of runs.
        tell: Shows what is being done.
        runs: Runs that an exhibit made, for the next one.
        has_files: Whether any file that was asked for is in the folder.
    """

    root: Path | None
    folder: Path
    options: Options = field(default_factory=Options)
    tell: Callable[[str], None] = lambda _: None
    runs: dict[str, list[Run]] = field(default_factory=dict)
    has_files: bool = False

    def path(self, *parts: str) -> Path:
        """A file or folder of the data.

        Raises:
            MissingFile: it is not there.
        """
        path = self.root.joinpath(*parts) if self.root is not None else None
        if path is None or not path.exists():
            raise MissingFile("/".join(parts))
        self.has_files = True
        return path

    def lines(self, *parts: str) -> list[str]:
        """The lines of a text file of the data."""
        return self.path(*parts).read_text(encoding="utf-8").splitlines()

    def evaluate(
        self,
        name: str,
        benchmark: Benchmark,
        predictions: Mapping[str, Path | Predictions],
        options: Options,
    ) -> list[Run]:
        """Evaluate systems, or resume it; the second exhibit that asks gets the same runs.

        Args:
            name: The folder of the runs.
            benchmark: The cases.
            predictions: The file of each system, or what was read from one.
            options: Metrics and evidence.
        """
        if name not in self.runs:
            self.tell(f"evaluate {', '.join(predictions)} on {benchmark.name}")
            ids = [case.id for case in benchmark.cases]
            entries = []
            for system, file in predictions.items():
                loaded = file if isinstance(file, Predictions) else load_predictions(file, ids)
                folder = self.folder / RUNS / name / system
                entries.append(System(system, loaded, folder, loaded.sha256))
            own = replace(options, workers=self.options.workers, progress=self.options.progress)
            self.runs[name] = evaluate_systems(benchmark, entries, options=own)
        return self.runs[name]

    def demo_runs(self) -> list[Run]:
        """The runs of the three systems of the embedded demo, in the order of their names."""
        files = {system: predictions_path(system) for system in systems()}
        return self.evaluate(DEMO, BENCHMARKS.get(DEMO).read(DATA), files, DEMO_OPTIONS)
