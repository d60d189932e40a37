"""Published judges' verdicts beside human labels: the file loads as it is, by a column map."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.people.labels import read_labels
from sqlverdict.pipeline import Options, evaluate_pairs
from sqlverdict.report.agreement.agreement import AgreementReport, compare_with_labels
from sqlverdict.score.agreement import agreement

COLUMNS = {
    "verdicts": "recorded.verdicts",
    "verdicts.decisive/EX": "recorded.equal",
    "set": "tags.set",
}
pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def file(data_root: Path) -> Path:
    return data_root / "labels" / "rose_vec.jsonl"


@pytest.fixture(scope="module")
def report(file: Path, tmp_path_factory: pytest.TempPathFactory) -> AgreementReport:
    run = evaluate_pairs(
        BENCHMARKS.get("jsonl").read(file, options=COLUMNS).cases.pairs(),
        out=tmp_path_factory.mktemp("run") / "run",
        options=Options(metrics="ex", workers=0, cache=None),
    )
    with pytest.MonkeyPatch.context() as patch:
        # Nobody reads the intervals here: few resamples for each of 43 metrics in three groups.
        patch.setattr(agreement, "MOST_DRAWS", 0)
        patch.setattr(agreement, "FEWEST_RESAMPLES", 10)
        return compare_with_labels(run, read_labels(file), combined=["any(ex, *)"], by=["set"])


def test_every_case_is_scored_by_its_record(file: Path, report: AgreementReport) -> None:
    assert BENCHMARKS.get("jsonl").read(file, options=COLUMNS).count == 288
    ex, recorded = report.metrics["ex"], report.metrics["recorded:decisive/EX"]
    assert (ex.n, ex.unscored) == (288, 0)
    assert (ex.tp, ex.fp, ex.fn, ex.tn) == (recorded.tp, recorded.fp, recorded.fn, recorded.tn)
    by_set = report.groups["set"]
    assert round(by_set["bird"]["ex"].kappa or 0, 3) == 0.456
    assert round(by_set["spider"]["ex"].kappa or 0, 3) == 0.132


def test_match_or_judge_is_never_worse_than_the_judge(report: AgreementReport) -> None:
    judges = [name for name in report.metrics if name.startswith("recorded:")]
    assert len(judges) == 21
    for name in judges:
        alone, either = report.metrics[name], report.metrics[f"any(ex, {name})"]
        assert (either.kappa or 0) >= (alone.kappa or 0), name
    best = report.metrics["any(ex, recorded:o3/ROSE)"]
    assert round(best.kappa or 0, 3) == 0.829
