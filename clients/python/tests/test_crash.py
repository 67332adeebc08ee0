"""Crashes of the agent and of the server: nothing is done twice in the world, nothing is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Server

from throughline import Agent, Execution, Handover, Throughline, show

POINTS = [
    "handover",
    "option",
    "before the report of the answer",
    "after the report of the answer",
    "before the report of the option",
    "after the report of the option",
]
AGENT = Path(__file__).parent / "crashing_agent.py"
TEXTS = ["find me a hotel", "the second one"]


def run(server: Server, folder: Path, point: str, texts: list[str]) -> int:
    return subprocess.run([sys.executable, AGENT, server.url, folder, point, *texts]).returncode


@pytest.mark.parametrize("server_too", [False, True])
@pytest.mark.parametrize("point", POINTS)
def test_a_crash_is_made_up_for(own_server: Server, tmp_path: Path, point: str, server_too: bool) -> None:
    assert run(own_server, tmp_path, point, TEXTS) == -signal.SIGKILL
    if server_too:
        own_server.kill()
        own_server.start()
    assert run(own_server, tmp_path, "nowhere", []) == 0
    with Throughline(own_server.url) as client:
        (lane,) = client.lanes()
        if len(list(client.turns(lane["id"]))) < 3:
            # It crashed before the second text was said.
            assert run(own_server, tmp_path, "nowhere", TEXTS[1:]) == 0
        effects = [effect for effect in client.effects() if effect["delivery"] == "host"]
        done = (tmp_path / "done").read_text().splitlines()
        assert sorted(done) == sorted(
            f"{'book' if effect['class'] == 'option.execute' else 'answer'} {effect['id']}" for effect in effects
        )
        assert [effect["state"] for effect in effects] == ["done", "done"]
        said = [message["text"] for message in client.messages(lane["id"]) if message["role"] == "assistant"]
        assert said.count("Casa Azul, Lisbon Inn") == 1
    assert list((tmp_path / "journal").iterdir()) == []


def test_the_server_crashes_while_an_effect_is_performed(own_server: Server) -> None:
    agent = Agent(own_server.url)
    done: list[str] = []

    def crash() -> None:
        own_server.kill()
        own_server.launch()

    @agent.on_handover
    def answer(message: Handover) -> object:
        crash()
        return show({"casa": "Casa Azul", "lisbon": "Lisbon Inn"})

    @agent.on_option
    def book(option: Execution) -> None:
        done.append(option["id"])
        crash()

    crash()
    agent.say(TEXTS[0], conversation="trip", user="ana")
    crash()
    said = agent.say(TEXTS[1], conversation="trip", user="ana")
    assert agent.client.effect(done[0])["state"] == "done"
    assert len(done) == 1
    texts = [message["text"] for message in agent.client.messages(said.turn["lane"])]
    assert [texts.count(text) for text in TEXTS] == [1, 1]


def test_a_report_that_comes_too_late_is_not_made_for_ever(own_server: Server, tmp_path: Path) -> None:
    """The agent crashed with an answer, and the person said "stop" before it came back."""
    assert run(own_server, tmp_path, "before the report of the answer", TEXTS[:1]) == -signal.SIGKILL
    with Throughline(own_server.url) as client:
        client.deliver(
            {"lane": {"conversation": "trip"}, "actor": {"id": "ana"}, "kind": "message.posted", "text": "stop"}
        )
    assert run(own_server, tmp_path, "nowhere", []) == 0
    assert list((tmp_path / "journal").iterdir()) == []
