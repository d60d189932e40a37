"""Ray clusters on this machine, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_ATTEMPTS = 5


@contextmanager
def ray_cluster(*cores: int) -> Iterator[Any]:
    """A cluster with a node for each number of cores; ``cluster.nodes`` are in that order.

    Ray gives a node 30 seconds to start. A busy machine may need more, so it is tried again.
    """
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'sqlverdict[ray]'")
    from ray.cluster_utils import Cluster

    for attempt in range(1, _ATTEMPTS + 1):
        cluster = Cluster()
        try:
            cluster.nodes = [_add_node(cluster, number) for number in cores]
        except Exception:
            cluster.shutdown()
            if attempt == _ATTEMPTS:
                raise
        else:
            break
    try:
        yield cluster
    finally:
        cluster.shutdown()


def _add_node(cluster: Any, cores: int) -> Any:
    # No test reads logs or wants more nodes: each such helper is an interpreter that loads Ray.
    idle = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    return cluster.add_node(num_cpus=cores, object_store_memory=80 * 2**20, **idle)
