"""A server of a test's own starts on another port where its own was taken."""

from __future__ import annotations

from typing import ClassVar

import pytest

from own_servers import OwnServer, _started


class TakenPorts(OwnServer):
    """A server whose first ports are taken."""

    ports: ClassVar[list[int]] = []

    def __init__(self, port: int) -> None:
        super().__init__(f"postgresql://127.0.0.1:{port}/own", (), (), None)
        self.ports.append(port)

    def start(self) -> None:
        assert len(self.ports) >= 3, "the address is in use"


def test_a_port_that_was_taken_meanwhile_is_left_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(TakenPorts, "ports", [])
    server = _started(TakenPorts)
    assert server.url.endswith(f":{TakenPorts.ports[2]}/own")
