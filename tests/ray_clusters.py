"""Ray clusters on this machine, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


def restore_nodes(cluster: Any, *cores: int) -> None:
    """Start the nodes of ``ray_cluster`` again that are gone."""
    for number, size in enumerate(cores):
        if cluster.nodes[number] not in cluster.list_all_nodes():
            cluster.nodes[number] = _add_node(cluster, size)


def kill_node(cluster: Any, node: Any) -> None:
    """Kill a node with all that runs on it, as a machine that loses its power.

    Ray kills the node's own processes; its actors go on until they see that, for a while that a
    busy machine makes long enough to end a short run.
    """
    import psutil  # Ray brings it.

    (raylet,) = node.all_processes["raylet"]
    actors = psutil.Process(raylet.process.pid).children(recursive=True)
    cluster.remove_node(node, allow_graceful=False)
    for actor in actors:
        with suppress(psutil.NoSuchProcess):
            actor.kill()
    psutil.wait_procs(actors)


def _add_node(cluster: Any, cores: int) -> Any:
    # No test reads logs or wants more nodes: each such helper is an interpreter that loads Ray.
    idle = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    return cluster.add_node(num_cpus=cores, object_store_memory=80 * 2**20, **idle)
