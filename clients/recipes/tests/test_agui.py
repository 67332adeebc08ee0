"""The bridge to an agent that speaks AG-UI: what it is told, and what is told of it."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from ag_ui.core import Interrupt, TextMessageContentEvent
from agui import AgUi, Run
from conftest import Server
from conversation import Conversation
from harness import CONFIG, Kill, Recipe, Step

HOTELS = [{"id": "azul", "label": "Casa Azul"}, {"id": "inn", "label": "Lisbon Inn", "exec_ref": "book:inn"}]
NO_ANSWER = "I have no answer to that right now. Please send it again."
LISTED = "These have rooms.\n1. Casa Azul\n2. Lisbon Inn"
BOOKED = "Lisbon Inn is booked for 3 nights."
#: What the agent's words after a choice and after an answer are made of.
STEPS = [
    Step("the list is reported", r"^POST /v1/effects/\w+/result "),
    Step("the question is told", r"^POST /v1/events .*assistant\.posted"),
    Step("the choice is reported", r"^POST /v1/effects/\w+/result ", nth=2),
    Step("the answer is read", r"^GET /v1/turns/\w+ "),
    Step("the end is told", r"^POST /v1/events .*assistant\.posted", nth=2),
]
Bridge = Callable[[Callable[[Run], None]], tuple[AgUi, Recipe]]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "server"
    folder.mkdir()
    server = Server(folder, CONFIG)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def bridge(server: Server, tmp_path: Path) -> Iterator[Bridge]:
    """Starts the bridge to an agent that does what a script says."""
    with ExitStack() as ends:

        def start(script: Callable[[Run], None]) -> tuple[AgUi, Recipe]:
            agent = AgUi(script)
            ends.callback(agent.end)
            folder = tmp_path / "recipe"
            folder.mkdir()
            recipe = Recipe("agui-agent.mjs", folder, server, behind=agent.url)
            ends.callback(recipe.end)
            recipe.start()
            return agent, recipe

        yield start


def says(text: str) -> Callable[[Run], None]:
    """Returns the script of an agent that always says the same."""

    def script(run: Run) -> None:
        run.begin()
        run.say(text)
        run.finish()

    return script


def delete(call: str, **others: str) -> Interrupt:
    return Interrupt(id=f"i-{call}", reason="tool_call", message="Delete backups?", tool_call_id=call, **others)


def deletes(run: Run, *interrupts: Interrupt) -> None:
    """Asks to delete backups; resumed, it says what was decided."""
    run.begin()
    if run.given.resume:
        run.say(" ".join(sorted(f"{each.interrupt_id} {each.status}" for each in run.given.resume)))
        return run.finish()
    for interrupt in interrupts:
        run.call(interrupt.tool_call_id, "delete_backups", older_than_days=30)
    run.finish(*interrupts)


def test_a_message_is_a_run(server: Server, bridge: Bridge) -> None:
    agent, recipe = bridge(says("We do."))
    conversation = Conversation(server, recipe, "do you have rooms?")
    conversation.told("We do.")
    conversation.say("and a pool?")
    conversation.wait(lambda: conversation.texts() == ["We do."] * 2)
    conversation.settled()
    first, second = (run.given for run in agent.runs)
    effects = [each for each in conversation.client.effects(lane=conversation.lane) if each["class"] == "turn.handover"]
    assert [first.run_id, second.run_id] == [each["id"] for each in reversed(effects)]
    assert first.thread_id == second.thread_id == conversation.lane
    assert [(each.role, each.content) for each in second.messages] == [
        ("user", "do you have rooms?"),
        ("assistant", "We do."),
        ("user", "and a pool?"),
    ]
    # The agent knows its own words again.
    assert second.messages[1].id == f"{first.run_id}.We do."
    assert second.messages[0].id == first.messages[0].id
    assert {each.name for each in second.messages if each.role == "user"} == {"ana"}
    assert [each.name for each in second.tools] == ["show_options", "ask"]
    assert "READ-ONLY CONTEXT" in second.context[0].value
    assert "CONVERSATION" not in second.context[0].value


def test_texts_of_a_run_are_one_answer_and_nothing_is_none(server: Server, bridge: Bridge) -> None:
    def script(run: Run) -> None:
        run.begin()
        if run.text == "say something":
            run.say("One.")
            run.say("Two.")
        run.finish()

    _, recipe = bridge(script)
    conversation = Conversation(server, recipe, "say nothing")
    conversation.settled()
    assert conversation.texts() == []
    conversation.say("say something")
    conversation.told("One.\n\nTwo.")


def test_the_second_one_is_the_result_of_the_list(server: Server, bridge: Bridge) -> None:
    def script(run: Run) -> None:
        run.begin()
        last = run.given.messages[-1]
        if last.role == "tool":
            run.say(f"Booked: {last.content}")
        elif "hotel" in run.text:
            run.call("call-1", "show_options", title="These have rooms.", options=HOTELS)
        else:
            run.say("Both have a pool.")
        run.finish()

    agent, recipe = bridge(script)
    conversation = Conversation(server, recipe, "find me a hotel")
    conversation.told(LISTED)
    conversation.say("what about a pool?")
    conversation.told("Both have a pool.")
    (seen,) = [each.value for each in agent.runs[-1].given.context if each.description.startswith("List")]
    assert json.loads(seen)["options"] == ["azul", "inn"]
    conversation.say("the second one")
    booked = 'Booked: {"option":"inn","exec_ref":"book:inn","label":"Lisbon Inn"}'
    conversation.told(booked)
    *_, call, result = agent.runs[-1].given.messages
    assert call.tool_calls[0].id == result.tool_call_id == "call-1"
    effects = conversation.client.effects(lane=conversation.lane)
    (effect,) = [each for each in effects if each["class"] == "option.execute"]
    assert agent.runs[-1].given.run_id == effect["id"]
    assert effect["outcome"]["result"]["text"] == booked  # type: ignore[typeddict-item]
    # Chosen again, it is called again.
    conversation.say("the first one")
    conversation.told('Booked: {"option":"azul","exec_ref":"azul","label":"Casa Azul"}')
    calls = [call.id for each in agent.runs[-1].given.messages for call in getattr(each, "tool_calls", None) or []]
    results = [each.tool_call_id for each in agent.runs[-1].given.messages if each.role == "tool"]
    assert calls == results == ["call-1", agent.runs[-1].given.run_id]


def test_an_answer_is_the_result_of_the_question(server: Server, bridge: Bridge) -> None:
    def script(run: Run) -> None:
        run.begin()
        last = run.given.messages[-1]
        if last.role == "tool":
            run.say(f"Noted: {last.content}")
        elif run.text == "book a room":
            run.say("Gladly.")
            run.call("call-1", "ask", question="For how many nights?", expected="number")
        else:
            run.say("There is one.")
        run.finish()

    agent, recipe = bridge(script)
    conversation = Conversation(server, recipe, "book a room")
    conversation.told("Gladly.\n\nFor how many nights?")
    conversation.say("3")
    conversation.told('Noted: {"answer":"3"}')
    *_, call, result = agent.runs[-1].given.messages
    assert call.tool_calls[0].id == result.tool_call_id == "call-1"
    # What is no answer is a message, and ends the question.
    other = Conversation(server, recipe, "book a room")
    other.told("For how many nights?")
    other.say("is there a pool?")
    other.told("There is one.")
    other.say("thanks")
    other.wait(lambda: other.texts()[1:] == ["There is one."] * 2)
    assert [run.text for run in agent.runs] == ["book a room"] * 3 + ["is there a pool?", "thanks"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("sides", [("agent",), ("server",)], ids=["agent", "server"])
@pytest.mark.parametrize("step", STEPS, ids=[step.name for step in STEPS])
def test_a_kill_around_a_choice_or_an_answer_is_made_up_for(
    server: Server, tmp_path: Path, step: Step, when: str, sides: tuple[str, ...]
) -> None:
    recipe = Recipe("agui-agent.mjs", tmp_path, server, behind="scripted_agui.py")
    recipe.kill = Kill(step, when, sides)  # type: ignore[arg-type]
    recipe.start()
    try:
        conversation = Conversation(server, recipe, "find me a hotel")
        conversation.wait(lambda: LISTED in conversation.texts())
        conversation.say("the second one")
        conversation.wait(lambda: "For how many nights?" in conversation.texts())
        conversation.say("3")
        conversation.told(BOOKED)
        assert conversation.texts() == [LISTED, "“Lisbon Inn”: on it.", "For how many nights?", BOOKED]
    finally:
        recipe.end()


def test_interrupts_of_a_run_are_answered_together(server: Server, bridge: Bridge) -> None:
    agent, recipe = bridge(lambda run: deletes(run, delete("a"), delete("b")))
    conversation = Conversation(server, recipe)
    conversation.wait(lambda: len(list(conversation.client.approvals())) == 2)
    approvals = sorted(conversation.client.approvals(), key=lambda each: each["created_at"])
    conversation.decide(approvals[0], "approve")
    conversation.decide(approvals[1], "reject")
    conversation.told("i-a resolved i-b cancelled")
    (act,) = conversation.acts()
    assert act["state"] == "done"
    assert approvals[0]["payload"]["payload"] == act["payload"]  # type: ignore[typeddict-item]
    assert [run.given.run_id for run in agent.runs][1:] == [act["id"]]
    first, second = agent.runs[1].given.resume
    assert first.payload == {"approved": True}
    approved = {"tool": "delete_backups", "args": {"older_than_days": 30}}
    assert first.metadata["throughline"] == {"key": act["id"], "approved": approved}
    assert second.metadata["throughline"] == {"reason": "nothing was done here, the request is rejected"}


def test_an_interrupt_expires_when_it_says(server: Server, bridge: Bridge) -> None:
    # With an offset, as some agents write it.
    until = datetime.now(timezone(timedelta(hours=2))).replace(microsecond=0) + timedelta(hours=1)
    agent, recipe = bridge(lambda run: deletes(run, delete("a", expires_at=until.isoformat())))
    conversation = Conversation(server, recipe)
    expires = conversation.approval()["expires_at"]
    assert expires
    assert datetime.fromisoformat(expires.replace("Z", "+00:00")) == until
    conversation.settled()
    # The card says so from now on, which a turn of the conversation lets the bridge see.
    recipe.pretended = "expired"
    conversation.say("is it done?")
    conversation.told("i-a cancelled")
    reason = agent.runs[1].given.resume[0].metadata["throughline"]["reason"]
    assert reason == "nothing was done here, the request is expired"


def test_an_interrupt_that_expired_is_cancelled(server: Server, bridge: Bridge) -> None:
    agent, recipe = bridge(lambda run: deletes(run, delete("a", expires_at="2020-01-01T00:00:00Z")))
    conversation = Conversation(server, recipe)
    conversation.told("i-a cancelled")
    reason = agent.runs[1].given.resume[0].metadata["throughline"]["reason"]
    assert reason == "nothing was done here, nobody can be asked: request.late"
    assert conversation.acts() == []


def test_an_act_whose_run_breaks_off_is_a_persons_question(server: Server, bridge: Bridge) -> None:
    def script(run: Run) -> None:
        if len(agent.runs) == 2:
            run.begin()
        else:
            deletes(run, delete("a"))

    agent, recipe = bridge(script)
    conversation = Conversation(server, recipe)
    conversation.decide(conversation.approval(), "approve")
    conversation.wait(lambda: [each["state"] for each in conversation.acts()] == ["uncertain"])
    (act,) = conversation.acts()
    conversation.client.resolve(act["id"], {"as": "create_again", "actor": {"id": "bob"}})
    conversation.told("i-a resolved")
    assert {run.given.resume[0].metadata["throughline"]["key"] for run in agent.runs[1:]} == {
        each["id"] for each in conversation.acts()
    }
    assert len(conversation.acts()) == 2


def broken(run: Run) -> None:
    run.begin()
    run.say("I will")


BROKEN: dict[str, Callable[[Run], None]] = {
    "an error": lambda run: (run.begin(), run.fail("no model")),
    "no end": broken,
    "a connection that breaks": lambda run: (run.status(200, length=9999), broken(run)),
    "no JSON": lambda run: (run.begin(), run.send("data: {nothing\n\n")),
    "events out of order": lambda run: run.send(TextMessageContentEvent(message_id="m", delta="a")),
    "a page": lambda run: (run.status(200, "text/html"), run.send("<p>Hello</p>")),
    "a status": lambda run: run.status(500),
    "no list": lambda run: (run.begin(), run.call("c", "show_options", options="many"), run.finish()),
    "an option of a kind": lambda run: (run.begin(), run.call("c", "show_options", options=[7]), run.finish()),
    "a list that cannot be taken": lambda run: (
        run.begin(),
        run.call("c", "show_options", options=[{"id": "a", "label": "A"}] * 2),
        run.finish(),
    ),
    "a question without words": lambda run: (run.begin(), run.call("c", "ask", question=[]), run.finish()),
}


@pytest.mark.parametrize("how", BROKEN)
def test_an_agent_that_fails_leaves_no_answer(server: Server, bridge: Bridge, how: str) -> None:
    agent, recipe = bridge(lambda run: (BROKEN[how] if "broken" in run.text else says("I am back."))(run))
    conversation = Conversation(server, recipe, "this is broken")
    conversation.told(NO_ANSWER)
    conversation.say("and now?")
    conversation.told("I am back.")
    assert conversation.texts() == [NO_ANSWER, "I am back."]
    assert len(agent.runs) == 2


def test_an_option_that_fails_is_told(server: Server, bridge: Bridge) -> None:
    def script(run: Run) -> None:
        run.begin()
        if run.given.messages[-1].role == "tool":
            return run.fail("no rooms")
        run.call("call-1", "show_options", options=HOTELS)
        return run.finish()

    _, recipe = bridge(script)
    conversation = Conversation(server, recipe, "find me a hotel")
    conversation.told("1. Casa Azul\n2. Lisbon Inn")
    conversation.say("the second one")
    conversation.told("“Lisbon Inn” did not work: the agent failed: no rooms")


@pytest.mark.parametrize("how", ["a status", "no answer", "no event"])
def test_an_agent_that_is_not_there_is_tried_again(server: Server, bridge: Bridge, how: str) -> None:
    def script(run: Run) -> None:
        if len(agent.runs) > 2:
            says("Here I am.")(run)
        elif how == "a status":
            run.status(503)
        elif how == "no event":
            run.status(200, length=9999)

    agent, recipe = bridge(script)
    conversation = Conversation(server, recipe, "are you there?")
    conversation.told("Here I am.")
    assert len({run.given.run_id for run in agent.runs}) == 1


def test_a_stop_ends_the_run(server: Server, bridge: Bridge) -> None:
    began, left = threading.Event(), threading.Event()

    def script(run: Run) -> None:
        if run.text != "count the stars":
            return says("Yes.")(run)
        run.begin()
        run.say("1, 2")
        began.set()
        if run.left():
            left.set()
        return None

    _, recipe = bridge(script)
    conversation = Conversation(server, recipe, "count the stars")
    conversation.wait(began.is_set)
    conversation.say("stop")
    conversation.wait(left.is_set)
    conversation.say("are you still there?")
    conversation.told("Yes.")
    assert conversation.texts() == ["Stopped. Open cards stay where they are.", "Yes."]


def test_conversations_are_at_once_and_each_in_its_order(server: Server, bridge: Bridge) -> None:
    go_on = threading.Event()

    def script(run: Run) -> None:
        if run.text == "the slow thing":
            go_on.wait()
        says(f"Done: {run.text}")(run)

    agent, recipe = bridge(script)
    slow = Conversation(server, recipe, "the slow thing")
    slow.say("what comes behind it")
    quick = Conversation(server, recipe, f"the quick thing {uuid.uuid4()}")
    quick.wait(lambda: len(quick.texts()) == 1)
    assert {run.text for run in agent.runs} == {"the slow thing", quick.texts()[0].removeprefix("Done: ")}
    go_on.set()
    slow.wait(lambda: len(slow.texts()) == 2)
    slow.settled()
    assert slow.texts() == ["Done: the slow thing", "Done: what comes behind it"]


def test_a_message_while_a_card_waits_is_answered(server: Server, bridge: Bridge) -> None:
    agent, recipe = bridge(lambda run: deletes(run, delete("a")))
    conversation = Conversation(server, recipe)
    approval = conversation.approval()
    conversation.settled()
    conversation.say("is it done?")
    conversation.told("One thing after the other: please decide on the card first.")
    assert len(agent.runs) == 1
    conversation.decide(approval, "approve")
    conversation.told("i-a resolved")
