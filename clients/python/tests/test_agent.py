"""Agents, against the real server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import Server

from throughline import Act, Agent, AsyncAgent, Execution, Handover, NoHandler, Rejected, Throughline, ask, reply, show
from throughline.models import EventApproval, EventLane

EXAMPLE = Path(__file__).parents[1] / "examples" / "hotel_agent.py"
TEXTS = ["find me a hotel", "the second one", "and a car?", "3", "thanks"]
SAID = """\
> find me a hotel
Casa Azul, Lisbon Inn, Porto Palace
> the second one
booking book:Lisbon Inn
“Lisbon Inn”: on it.
> and a car?
For how many nights?
> 3
it is an answer: 3
> thanks
For how many nights?
"""


def test_the_example_is_the_conversation_of_the_documentation(own_server: Server) -> None:
    run = subprocess.run([sys.executable, EXAMPLE, own_server.url, *TEXTS], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == (SAID, "")


def test_the_example_has_less_than_25_lines_and_is_the_one_of_the_page() -> None:
    text = EXAMPLE.read_text()
    assert len(text.splitlines()) < 25
    page = EXAMPLE.parents[3] / "docs" / "clients.md"
    assert f"```python\n{text}```" in page.read_text()


def test_the_asynchronous_agent_is_the_same(server: Server, conversation: str) -> None:
    async def run() -> list[str]:
        agent = AsyncAgent(server.url)
        booked: list[str] = []

        @agent.on_handover
        async def answer(message: Handover) -> object:
            return show({"casa": "Casa Azul", "lisbon": "Lisbon Inn"}) if "hotel" in message["text"] else reply("Good.")

        @agent.on_option
        async def book(option: Execution) -> None:
            booked.append(option["exec_ref"])

        said = [await agent.say(text, conversation=conversation, user="ana") for text in TEXTS[:2]]
        assert str(said[0]) == "Casa Azul, Lisbon Inn"
        await agent.client.aclose()
        return booked

    assert asyncio.run(run()) == ["lisbon"]


def test_a_handler_may_answer_with_a_text_a_question_or_nothing(server: Server, conversation: str) -> None:
    agent = Agent(server.url)
    answers = iter(["a text", None, ask("How many?", expected="number", of="ana")])

    @agent.on_handover
    def answer(message: Handover) -> object:
        return next(answers)

    said = [agent.say("tell me something", conversation=conversation, user="ana") for _ in range(3)]
    assert [str(each) for each in said] == ["a text", "", "How many?"]
    assert agent.say("7", conversation=conversation, user="ana").applied == "7"


def test_an_act_is_performed_once_it_was_approved(server: Server, conversation: str) -> None:
    agent = Agent(server.url)
    paid: list[object] = []

    @agent.on_act
    def pay(act: Act) -> str:
        paid.append(json.loads(act["payload"]))
        return "paid"

    lane: EventLane = {"conversation": conversation}
    bill: EventApproval = {"request_id": "b7", "title": "Pay 5 EUR", "target": "payments", "payload": {"amount": 5}}
    asked = agent.client.request_approval(lane, bill, actor="ana")
    assert asked["reason"] == "approval.needed"
    assert agent.client.request_approval(lane, bill, actor="ana")["reason"] == "request.known"
    card = asked["messages"][0].get("card")
    assert card
    turn = agent.client.decide(card["id"], {"version": 1, "decision": "approve", "actor": {"id": "bob"}})
    agent.perform(turn)
    assert paid == [{"amount": 5}]
    again = agent.client.request_approval(lane, bill, actor="ana")["messages"][0].get("card")
    assert again
    assert again.get("request") == {"id": "b7", "state": "done"}


def test_what_is_rejected_is_reported_so(server: Server, conversation: str) -> None:
    agent = Agent(server.url)

    @agent.on_handover
    def answer(message: Handover) -> object:
        raise Rejected("no model today")

    turn = agent.say("tell me something", conversation=conversation, user="ana").turn
    (effect,) = turn["effects"]
    assert agent.client.effect(effect["id"])["state"] == "failed"


def test_a_fault_of_a_handler_loses_nothing(server: Server, conversation: str) -> None:
    agent = Agent(server.url)

    @agent.on_handover
    def broken(message: Handover) -> object:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        agent.say("tell me something", conversation=conversation, user="ana")
    mended = Agent(server.url)

    @mended.on_handover
    def answer(message: Handover) -> object:
        return f"about {message['text']!r}"

    assert mended.recover() == 1
    (said,) = [
        each for each in mended.client.messages(lane_of(mended.client, conversation)) if each["role"] == "assistant"
    ]
    assert said["text"] == "about 'tell me something'"


def test_an_effect_is_performed_once_by_many_threads(server: Server, conversation: str) -> None:
    agent = Agent(server.url)
    performed: list[str] = []

    @agent.on_handover
    def answer(message: Handover) -> object:
        performed.append(message["id"])
        # Whoever asks for what is offered meanwhile leaves this one alone.
        threads = [threading.Thread(target=agent.recover) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return "done"

    said = agent.say("tell me something", conversation=conversation, user="ana")
    assert agent.recover() == 0
    again = agent.perform(said.turn)
    assert (len(performed), str(said), str(again)) == (1, "done", "")


def test_an_old_effect_that_fails_keeps_nobody_from_being_answered(own_server: Server) -> None:
    with Throughline(own_server.url) as client:
        for conversation in ("a", "b"):
            client.deliver(
                {
                    "lane": {"conversation": conversation},
                    "actor": {"id": "ana"},
                    "kind": "message.posted",
                    "text": "hi you",
                }
            )
    agent = Agent(own_server.url)
    answered: list[str] = []

    @agent.on_handover
    def answer(message: Handover) -> object:
        if message["text"] == "hi you" and not answered:
            answered.append("")
            raise RuntimeError("a bug")
        answered.append(message["text"])
        return "good"

    assert str(agent.say("tell me something", conversation="c", user="ana")) == "good"
    assert answered == ["", "hi you", "tell me something"]
    assert agent.recover() == 1


def test_an_effect_without_a_handler_is_said_and_stays(server: Server, conversation: str) -> None:
    agent = Agent(server.url)
    with pytest.raises(NoHandler, match=r"turn\.handover") as told:
        agent.say("tell me something", conversation=conversation, user="ana")
    assert agent.client.effect(told.value.effect)["state"] == "attempted"
    assert agent.recover() == 0
    agent.client.report(told.value.effect, {"outcome": "applied"})


def test_a_turn_that_is_taken_back_while_it_is_answered_is_no_error(server: Server, conversation: str) -> None:
    agent = Agent(server.url)

    @agent.on_handover
    def answer(message: Handover) -> object:
        with Throughline(server.url) as other:
            other.deliver(
                {
                    "lane": {"conversation": conversation},
                    "actor": {"id": "ana"},
                    "kind": "message.posted",
                    "text": "stop",
                }
            )
        return "too late"

    turn = agent.say("tell me something", conversation=conversation, user="ana").turn
    assert agent.client.effect(turn["effects"][0]["id"])["state"] == "cancelled"
    assert "too late" not in [each["text"] for each in agent.client.messages(turn["lane"])]


def lane_of(client: Throughline, conversation: str) -> str:
    (lane,) = [lane["id"] for lane in client.lanes() if lane["conversation"] == conversation]
    return lane
