"""Scores a table of predictions with Ray Data: one evaluator for each actor.

Run: ``python ray_data.py CASES.jsonl DATABASES OUT``; needs ``sqlverdict[ray,tables,pandas]``.
"""

import sys

import ray

import sqlverdict as sv


def main(cases: str, databases: str, out: str) -> None:
    """Score the predictions of a file, and write them with their scores as Parquet."""
    rows = ray.data.read_json(cases)
    scored = rows.map_batches(
        sv.BatchEvaluator,
        fn_constructor_kwargs={"metrics": "ex", "databases": databases},
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=8),
        batch_size=16,
    )
    scored.write_parquet(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
