"""Every operation a host needs, against the real server."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Any

import pytest
from conftest import Server

from throughline import AsyncThroughline, Event, Problem, Throughline, models, show

BUG = "Create a ticket for login bug\nSteps: open /login\nExpected: a form\nActual: a blank page"


def message(conversation: str, text: str) -> models.EventBody:
    return {"lane": {"conversation": conversation}, "actor": {"id": "ana"}, "kind": "message.posted", "text": text}


def question(conversation: str) -> models.EventBody:
    asked: models.EventAssistant = {
        "kind": "question",
        "text": "Which city?",
        "expected": "location",
        "asked_of": "ana",
    }
    return {"lane": {"conversation": conversation}, "kind": "assistant.posted", "assistant": asked}


def test_a_key_is_one_act(client: Throughline, conversation: str) -> None:
    first = client.deliver(question(conversation), key=conversation)
    assert client.deliver(question(conversation), key=conversation)["turn"] == first["turn"]
    with pytest.raises(Problem) as told:
        client.deliver(message(conversation, "another"), key=conversation)
    assert (told.value.status, told.value.name) == (422, "idempotency.key_reused")


def test_turns_are_read_and_explained(client: Throughline, conversation: str) -> None:
    received = client.post(question(conversation), key=conversation)
    turn = client.turn(f"key:{conversation}")
    assert turn["lane"] == received["lane"]
    assert client.why(turn["turn"])["turn"] == turn["turn"]
    assert turn["turn"] in client.why_text(turn["turn"])
    answer = client.deliver(message(conversation, "in Swansea, please"))
    applied = answer.get("applied")
    assert applied
    assert applied["value"] == "Swansea"


def test_lanes_and_what_is_in_them(client: Throughline, conversation: str) -> None:
    lane = client.deliver(question(conversation))["lane"]
    assert lane in [each["id"] for each in client.lanes()]
    assert client.lane(lane)["id"] == lane
    assert [each["text"] for each in client.messages(lane)] == ["Which city?"]
    assert len(client.pending(lane)) == 1
    assert len(list(client.turns(lane))) == 1
    assert "READ-ONLY" in client.context(lane)["prompt"]
    assert client.render_context({"state": {"goal": "ship it"}})["prompt"]


def test_lists_go_over_their_pages(client: Throughline, conversation: str) -> None:
    lane = client.deliver(question(conversation))["lane"]
    for n in range(201):
        client.post(question(conversation), key=f"{conversation}-{n}")
    client.turn(f"key:{conversation}-200")
    assert len({turn["turn"] for turn in client.turns(lane)}) == 202


def test_options_are_shown_chosen_and_closed(client: Throughline, conversation: str) -> None:
    lane = client.deliver(question(conversation))["lane"]
    shown = show({"open:1": "Budget", "open:2": "Roadmap"}).get("shown")
    assert shown
    answer = client.show_options(lane, shown)
    assert client.set_focus(lane, {"scope": "chat", "scope_instance": "chat", "user": "ana"})["lane"] == lane
    turn = client.deliver(message(conversation, "the second one"))
    (effect,) = [each for each in client.effects(state="attempted", lane=lane) if each["class"] == "option.execute"]
    assert effect["id"] in [each["id"] for each in turn["effects"]]
    assert client.report(effect["id"], {"outcome": "applied"})["settled"]
    assert not client.report(effect["id"], {"outcome": "applied"}, key="again")["settled"]
    assert client.effect(effect["id"])["state"] == "done"
    with pytest.raises(Problem) as told:
        client.report(effect["id"], {"outcome": "rejected"}, key="other")
    assert (told.value.status, told.value.name) == (409, "effect.already_settled")
    assert client.close_options(lane, answer["id"])


def test_wrong_members_are_named(client: Throughline) -> None:
    wrong: Any = {"lane": {"conversation": "c"}, "kind": "no.such", "txt": "x"}
    with pytest.raises(Problem) as told:
        client.deliver(wrong)
    assert (told.value.status, told.value.name) == (422, "request.schema")
    assert told.value.errors
    assert told.value.errors[0]["pointer"] in str(told.value)
    with pytest.raises(Problem) as told:
        client.lane("ln_none")
    assert told.value.status == 404


def test_approvals_facts_and_issues(tracker: Server, conversation: str) -> None:
    with Throughline(tracker.url) as client:
        lane = client.deliver(message(conversation, BUG))["lane"]
        (approval,) = [each for each in client.approvals() if each["lane"] == lane]
        assert client.approval(approval["id"])["version"] == approval["version"]
        done = client.decide(
            approval["id"], {"version": approval["version"], "decision": "approve", "actor": {"id": "ana"}}
        )
        assert done["decision"] == "done"
        with pytest.raises(Problem) as told:
            client.decide(approval["id"], {"version": approval["version"], "decision": "reject"})
        assert told.value.name == "press.consumed"
        (issue,) = client.issues(q="login")
        assert client.issue(issue["key"])["key"] == issue["key"]
        client.state_fact({"lane": lane, "type": "decision", "text": "The database is PostgreSQL."})
        (fact,) = client.facts("thread", lane)
        assert client.erase_fact(fact["canonical_id"], lane=lane)["reason"] == "fact.erased"
        assert client.tools() == []
        assert client.version()["name"] == "throughline"


def test_a_stream_tells_what_a_poll_tells(client: Throughline, conversation: str) -> None:
    lane = client.deliver(question(conversation))["lane"]
    client.deliver(message(conversation, "Lisbon"))
    polled = [event for event in client.poll(lane, after="0", wait=0) if event.get("id")]
    streamed: list[models.LaneEvent] = []
    for event in client.stream(lane, after="0"):
        streamed += [event] if event.get("id") else []
        if len(streamed) == len(polled):
            break
    assert streamed == polled
    middle = polled[len(polled) // 2].get("id")
    assert middle
    rest = [event for event in client.poll(lane, after=middle, wait=0) if event.get("id")]
    assert rest == polled[len(polled) // 2 + 1 :]


def test_a_stream_goes_on_over_a_crash_of_the_server(own_server: Server, conversation: str) -> None:
    with Throughline(own_server.url) as client:
        lane = client.deliver(question(conversation))["lane"]
        ids: list[str] = []
        texts: list[str] = []
        for event in client.stream(lane, after="0"):
            if (at := event.get("id")) is not None:
                ids.append(at)
                texts += [event["data"]["text"]] if event["event"] == "message" else []
            if event["event"] == "status" and len(texts) == 1:
                own_server.kill()
                own_server.start()
                client.deliver(message(conversation, "Lisbon"))
            if "Lisbon" in texts and event["event"] == "pending":
                break
        assert len(ids) == len(set(ids))
        assert texts[:2] == ["Which city?", "Lisbon"]


def test_the_stream_of_everything_tells_what_its_poll_tells(own_server: Server) -> None:
    with Throughline(own_server.url) as client:
        lanes = {client.deliver(question(name))["lane"] for name in ("one", "two")}
        client.deliver(message("one", "Lisbon"))
        polled = client.poll_events(after="0", wait=0)
        assert {event.get("lane") for event in polled["items"]} == lanes
        streamed = list(islice(client.events(after="0"), len(polled["items"])))
        assert streamed == polled["items"]
        # Page by page, behind each cursor, it is the same again.
        paged: list[Event] = []
        after = "0"
        while (page := client.poll_events(after=after, wait=0, limit=2))["items"]:
            paged += page["items"]
            after = page["cursor"]
        assert paged == polled["items"]
        turns = client.poll_events(after="0", kinds=["turn"], wait=0)["items"]
        assert turns == [event for event in polled["items"] if event["type"] == "turn"]
        middle = polled["items"][len(polled["items"]) // 2]
        rest = polled["items"][polled["items"].index(middle) + 1 :]
        assert client.poll_events(after=middle["id"], wait=0)["items"] == rest


def test_the_stream_of_everything_goes_on_over_a_crash_of_the_server(own_server: Server) -> None:
    with Throughline(own_server.url) as client:
        client.deliver(question("before"))
        events: list[Event] = []
        for event in client.events(after="0", kinds=["message", "turn"]):
            events.append(event)
            if len(events) == 2:
                own_server.kill()
                own_server.start()
                client.deliver(question("after"))
            if len(events) == 4:
                break
        assert [event["type"] for event in events] == ["turn", "message"] * 2
        places = [place["conversation"] for event in events if (place := event.get("place"))]
        assert places == ["before"] * 2 + ["after"] * 2
        # Another process goes on behind the cursor that the first one kept.
        with Throughline(own_server.url) as other:
            behind = other.events(after=events[1]["id"], kinds=["message", "turn"])
            assert [next(behind), next(behind)] == events[2:]


def test_a_stream_that_may_not_be_read_is_refused(client: Throughline) -> None:
    with pytest.raises(Problem) as told:
        next(iter(client.stream("ln_none")))
    assert told.value.status == 404


def test_the_asynchronous_client_is_the_same(server: Server, conversation: str) -> None:
    async def run() -> None:
        async with AsyncThroughline(server.url) as client:
            turn, other = await asyncio.gather(
                client.deliver(question(conversation)), client.deliver(question(conversation + "2"))
            )
            assert turn["lane"] != other["lane"]
            assert turn["lane"] in [lane["id"] async for lane in client.lanes()]
            async for event in client.stream(turn["lane"], after="0"):
                if event["event"] == "pending":
                    break
            with pytest.raises(Problem):
                await client.lane("ln_none")

    asyncio.run(run())
