"""lm-evaluation-harness: the function, and a real task with a model that always says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, blocks, needs

from sqlverdict.integrations.lm_eval import process_results


@pytest.mark.parametrize("results", [[RIGHT], [[RIGHT]], [f"```sql\n{RIGHT}\n```"]])
def test_a_verdict_is_a_row_of_metrics(shop: Path, results: list[object]) -> None:
    score = process_results(databases=".", keys={"gold": "query"})
    doc = {"query": GOLD, "db_id": "shop", "question": "?"}
    assert score(doc, results) == {"sql_correct": 1.0, "sql_scored": 1.0}
    assert score(doc, [WRONG]) == {"sql_correct": 0.0, "sql_scored": 1.0}


def test_an_unscored_document_has_no_score(shop: Path) -> None:
    assert process_results(db=shop)({"gold": BROKEN}, [RIGHT]) == {"sql_scored": 0.0}


@needs("lm_eval")
@pytest.mark.filterwarnings("default")
def test_the_example_of_the_docs_runs_and_leaves_unscored_documents_out(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Constant(LM):
        def generate_until(self, requests, disable_tqdm=False):  # type: ignore[no-untyped-def]
            return [RIGHT for _ in requests]

        def loglikelihood(self, requests, disable_tqdm=False):  # type: ignore[no-untyped-def]
            raise NotImplementedError

        def loglikelihood_rolling(self, requests, disable_tqdm=False):  # type: ignore[no-untyped-def]
            raise NotImplementedError

    monkeypatch.setenv("HF_HOME", str(shop.parent / "hf"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    Path("task").mkdir()
    Path("task/utils.py").write_text(blocks("lm-evaluation-harness")[0])
    Path("task/shop.yaml").write_text(blocks("lm-evaluation-harness", "yaml")[0])
    docs = [{"question": "?", "query": gold, "db_id": "shop"} for gold in (GOLD, GOLD, BROKEN)]
    Path("shop.jsonl").write_text("\n".join(map(json.dumps, docs)))
    result = lm_eval.simple_evaluate(
        model=Constant(),
        tasks=["shop"],
        task_manager=TaskManager(include_path="task", include_defaults=False),
        bootstrap_iters=0,
    )
    metrics = result["results"]["shop"]
    assert metrics["sql_correct,none"] == 1.0
    assert metrics["sql_scored,none"] == pytest.approx(2 / 3)
