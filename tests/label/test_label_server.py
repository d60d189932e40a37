"""``sqlverdict label`` as a process: kills, restarts, and two annotators behind a reverse proxy."""

from __future__ import annotations

import json
import signal
import stat
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from label_runs import label_server, results, write_database, write_run
from reverse_proxy import reverse_proxy
from sqlverdict.label.session_key import KEY_FILE
from sqlverdict.load.people.votes import VoteEvent, VoteLogContent, read_events
from tiers import THOROUGH
from timeouts import HANG_SECONDS

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")
pytestmark = pytest.mark.slow

VOTES = 400 if THOROUGH else 90
CHOICES = ("both", "neither", "only_a", "only_b", "undecided", "unanswerable")
KILLS = (VOTES // 3, 2 * VOTES // 3)


class Annotator:
    """Somebody with an address, as a browser would ask with it."""

    def __init__(self, link: str) -> None:
        self.base, _, self.token = link.partition("#token=")
        self.acts = 0

    def ask(self, name: str, body: object = None, act: str = "", **headers: str) -> Any:
        """A reply; an error as ``(status, text)``."""
        parts = urlsplit(self.base)
        self.acts += 1
        own = {
            "Origin": f"{parts.scheme}://{parts.netloc}",
            "x-sqlverdict-token": self.token,
            "x-sqlverdict-request": act or f"{self.token} {self.acts}",
        }
        request = Request(
            f"{self.base}api/{name}", json.dumps(body or {}).encode(), {**own, **headers}
        )
        try:
            with urlopen(request, timeout=HANG_SECONDS) as reply:
                return json.loads(reply.read())
        except HTTPError as error:
            return error.code, error.read().decode()


def events_of(run: Path) -> list[VoteEvent]:
    return list(read_events(run / "labels" / "votes.jsonl"))


@pytest.mark.sampled
def test_a_restart_keeps_addresses_and_no_vote_is_lost(tmp_path: Path) -> None:
    """Two kills while votes come in: what was answered is saved, once, and old addresses work."""
    run, databases = write_run(tmp_path / "run").folder, write_database(tmp_path / "databases")
    options = ("--annotators", "ann,bob")
    links: list[dict[str, str]] = []
    saved: list[tuple[str, str]] = []
    sent = 0
    for start in range(len(KILLS) + 1):
        with label_server(run, databases, *options) as server:
            links.append(server.links)
            people = {
                name: Annotator(f"{_address(server.links[name])}#{_token(links[0][name])}")
                for name in ("ann", "bob")
            }
            items = {name: one.ask("state")["items"] for name, one in people.items()}
            while sent < VOTES and server.process.poll() is None:
                sent += 1
                if start < len(KILLS) and sent == KILLS[start]:
                    with ThreadPoolExecutor(1) as pool:
                        on_its_way = pool.submit(_vote, people, items, sent)
                        server.process.send_signal(signal.SIGKILL)
                        server.process.wait(HANG_SECONDS)
                    if on_its_way.exception() is None:
                        saved.append(on_its_way.result())
                    else:
                        assert isinstance(on_its_way.exception(), OSError | HTTPException)
                else:
                    saved.append(_vote(people, items, sent))
    assert {name: _token(link) for name, link in links[0].items()} == {
        name: _token(link) for name, link in links[-1].items()
    }
    events = events_of(run)
    votes = [(event.annotator, event.note) for event in events]
    assert [vote for vote in votes if vote in saved] == saved
    assert len(saved) >= VOTES - len(KILLS)
    assert len({*votes}) == len(votes) <= VOTES
    key = run / "labels" / KEY_FILE
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert str(json.loads(key.read_text())["port"]) in links[-1]["ann"]


def _vote(people: dict[str, Annotator], items: Any, number: int) -> tuple[str, str]:
    name = ("ann", "bob")[number % 2]
    pair = items[name][number // 2 % len(items[name])]["pair"]
    ballot = {"pair": pair, "choice": CHOICES[number % len(CHOICES)], "note": str(number)}
    assert people[name].ask("vote", ballot)["progress"]["total"] == len(items[name])
    return name, str(number)


def _address(link: str) -> str:
    return link.partition("#")[0]


def _token(link: str) -> str:
    return link.partition("#")[2]


def test_the_port_of_the_last_start_is_taken_again(tmp_path: Path) -> None:
    from sqlverdict.cli.commands.labels.label import _listen
    from sqlverdict.cli.options.label import ServerArgs
    from sqlverdict.web.server import open_socket

    free = open_socket("127.0.0.1", 0)
    port = free.getsockname()[1]
    with _listen(ServerArgs(), port) as other:
        assert other.getsockname()[1] != port, "it is taken: another one"
    free.close()
    with _listen(ServerArgs(), port) as again:
        assert again.getsockname()[1] == port


def test_two_annotators_of_one_pair_behind_a_reverse_proxy(tmp_path: Path) -> None:
    run, databases = write_run(tmp_path / "run").folder, write_database(tmp_path / "databases")
    with reverse_proxy() as proxy:
        options = ("--annotators", "ann,bob", "--set", f"address={proxy.address}/")
        with label_server(run, databases, *options) as server:
            assert all(link.startswith(f"{proxy.address}/") for link in server.links.values())
            port = json.loads((run / "labels" / KEY_FILE).read_text())["port"]
            proxy.upstream = port
            ann, bob = (Annotator(server.links[name]) for name in ("ann", "bob"))
            for name in ("", "adjudicate", "label.js", "label.css"):
                with urlopen(f"{proxy.address}/{name}", timeout=HANG_SECONDS) as reply:
                    assert reply.headers["cache-control"] == "no-store"
                    assert reply.headers["set-cookie"] is None
            assert proxy.stored == {}
            with ThreadPoolExecutor(2) as pool:
                done = list(pool.map(_vote_on_all, (ann, bob), ("both", "neither")))
            assert done == [6, 6]
            # Each POST came twice: each vote is one line, and a withdrawal takes back one.
            assert len(events_of(run)) == 12
            assert ann.ask("undo")["state"]["progress"]["done"] == 5
            assert [event.kind for event in events_of(run)].count("undo") == 1
            for keeps_host in (False, True):
                proxy.keeps_host = keeps_host
                assert bob.ask("state")["progress"]["done"] == 6
                _refusals(ann, bob, port)
    content = VoteLogContent(events_of(run))
    assert [len(votes.votes) for votes in content.pairs.values()].count(2) == 5
    assert results()[0].id in {votes.id for votes in content.pairs.values()}


def _vote_on_all(person: Annotator, choice: str) -> int:
    done = 0
    for entry in person.ask("state")["items"]:
        item = person.ask("item", {"pair": entry["pair"]})["item"]
        ballot = {"pair": item["pair"], "choice": choice, "digest": item["digest"]}
        done = person.ask("vote", ballot)["progress"]["done"]
    return done


def _refusals(ann: Annotator, bob: Annotator, port: int) -> None:
    """Whatever the proxy adds or an attacker claims, tokens, origins and hosts are what counts."""
    own = ann.ask("state")["items"][0]["pair"]
    assert bob.ask("vote", {"pair": own, "choice": "both"})[0] == 404
    assert ann.ask("disputes")[0] == 400
    assert ann.ask("state", Origin="http://evil.example")[0] == 403
    assert ann.ask("state", Origin="")[0] == 403
    assert ann.ask("state", **{"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert ann.ask("state", **{"x-sqlverdict-token": "x"})[0] == 403
    for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1:{port + 1}"):
        connection = HTTPConnection("127.0.0.1", port, timeout=HANG_SECONDS)
        headers = {
            "Host": host,
            "Origin": f"http://{host}",
            "X-Forwarded-Host": f"127.0.0.1:{port}",
            "x-sqlverdict-token": ann.token,
        }
        connection.request("POST", "/api/state", b"{}", headers)
        assert connection.getresponse().status == 403
        connection.close()
