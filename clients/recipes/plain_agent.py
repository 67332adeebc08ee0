"""Agent of plain Python with Throughline as its turn engine: `python plain_agent.py http://127.0.0.1:7070`.

It keeps each conversation as a file in the folder it runs in, and may be killed anywhere.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

import backups
from scripted import decide

Step = dict[str, Any]

# The agent: a model, two tools, and a loop that goes on from where its file stands.


def advance(chat: dict[str, Any]) -> str | None:
    """Goes on until the agent says something. Nothing if it waits for an approval."""
    while True:
        last: Step = chat["steps"][-1]
        if "text" in last:
            return last["text"]
        if last.get("tool") == "delete_backups":
            return None
        if last.get("tool") == "list_backups":
            chat["steps"].append({"result": backups.listed()})
        else:
            chat["steps"].append(think(chat["steps"]))
        save(chat)


def think(steps: list[Step]) -> Step:
    """Asks the model for the next step on the newest message."""
    begin = max(n for n, step in enumerate(steps) if "heard" in step)
    said = decide(steps[begin]["heard"], [step["result"] for step in steps[begin:] if "result" in step])
    if "text" in said:
        return said
    # It may name several calls, and is asked again after each.
    return {**said["calls"][0], "call": f"{steps[begin]['id']}.{len(steps)}"}


def load(lane: str) -> dict[str, Any]:
    file = Path(f"{lane}.json")
    new = {"lane": lane, "steps": [], "by": None, "asked": None}
    return json.loads(file.read_text()) if file.exists() else new


def save(chat: dict[str, Any]) -> None:
    new = Path(f"{chat['lane']}.new")
    new.write_text(json.dumps(chat, indent=1))
    os.replace(new, f"{chat['lane']}.json")


# Its turns: what Throughline hands over, and what people decided.


def on_message(effect: dict[str, Any]) -> dict[str, Any]:
    """Answers a message, or asks for the approval that the answer needs."""
    chat = load(effect["lane"])
    if not any(step.get("id") == effect["id"] for step in chat["steps"]):
        if chat["asked"]:
            return answer("One thing after the other: please decide on the card first.")
        chat["steps"].append({"heard": effect["text"], "id": effect["id"]})
        chat["by"] = effect["by"]
        save(chat)
    text = said_or_asked(chat)
    return answer(text) if text else {"outcome": "applied"}


def on_act(effect: dict[str, Any]) -> dict[str, Any]:
    """Does what was approved, which is what the effect brings."""
    args = json.loads(effect["payload"])["args"]
    go_on(load(effect["lane"]), effect["request_id"], lambda: backups.delete(**args, key=effect["id"]))
    return {"outcome": "applied"}


def on_end(chat: dict[str, Any], how: str) -> None:
    """Lets the agent go on without the act that it waits for."""
    go_on(chat, chat["asked"]["call"], lambda: how)


def go_on(chat: dict[str, Any], call: str, result: Callable[[], str]) -> None:
    """Takes the result of the call that waits, unless that was done before a crash, and tells what follows, once."""
    if chat["steps"][-1].get("call") == call:
        chat["steps"].append({"result": result()})
        save(chat)
    if text := said_or_asked(chat):
        say(chat["lane"], text, key=f"{call}:said")
        chat["asked"] = None
        save(chat)


def said_or_asked(chat: dict[str, Any]) -> str | None:
    """Returns what the agent says in the end. If it waits, people are asked, and the card says it."""
    text = advance(chat)
    if not text:
        step = chat["steps"][-1]
        chat["asked"] = {"call": step["call"], **request_approval(chat["lane"], chat["by"], step)}
        save(chat)
    return text


def answer(text: str) -> dict[str, Any]:
    return {"outcome": "applied", "answer": {"assistant": {"kind": "answer", "text": text}}}


def request_approval(lane: str, user: str, step: Step) -> dict[str, str]:
    """Asks people to approve a call of a tool. Asked again, it is the same request.

    Returns the approval, or why nobody can be asked.
    """
    act = {
        "request_id": step["call"],
        "title": f"Run {step['tool']}",
        "target": step["tool"],
        "payload": {"tool": step["tool"], "args": step["args"]},
    }
    event = {"lane": place(lane), "actor": {"id": user}, "kind": "approval.requested", "approval": act}
    try:
        turn = call("POST", "/v1/events", event, key=step["call"])
    except httpx.HTTPStatusError as refused:
        if refused.response.status_code != 422:
            raise
        return {"refused": refused.response.json()["detail"]}
    card = next((message["card"] for message in turn["messages"] if message.get("card")), None)
    return {"approval": card["id"]} if card else {"refused": turn["reason"]}


def end_of(asked: dict[str, str]) -> str | None:
    """Returns how a request ended of which no act will follow; nothing while one may."""
    if "refused" in asked:
        return f"nothing was done here, nobody can be asked: {asked['refused']}"
    approval = call("GET", f"/v1/approvals/{asked['approval']}")
    # Of what was erased there is no card.
    state = approval["card"]["request"]["state"] if approval["card"] else approval["state"]
    waits = state in ("pending", "approved", "uncertain")
    return None if waits else f"nothing was done here, the request is {state}"


def say(lane: str, text: str, key: str) -> None:
    event = {"lane": place(lane), "kind": "assistant.posted", "assistant": {"kind": "answer", "text": text}}
    call("POST", "/v1/events", event, key)


def place(lane: str) -> dict[str, str]:
    known = call("GET", f"/v1/lanes/{lane}")
    return {name: known[name] for name in ("channel", "conversation", "thread") if known[name]}


# The API. A call is repeated until it is answered; its key makes it one act.

http = httpx.Client(base_url=sys.argv[1], timeout=40)


def call(method: str, path: str, body: Any = None, key: str | None = None) -> Any:
    headers = {"Idempotency-Key": key, "Prefer": "wait=10"} if key else {}
    while True:
        try:
            said = http.request(method, path, json=body, headers=headers)
            again = said.status_code in (202, 429) or said.status_code >= 500 or "idempotency.in_progress" in said.text
        except httpx.TransportError:
            again = True
        if not again:
            return said.raise_for_status().json()
        time.sleep(0.1)


def perform(effect: dict[str, Any]) -> None:
    done = on_message(effect) if effect["class"] == "turn.handover" else on_act(effect)
    try:
        call("POST", f"/v1/effects/{effect['id']}/result", done, key=effect["id"])
    except httpx.HTTPStatusError as refused:
        # It was taken back meanwhile, as by a "stop".
        if refused.response.status_code != 409:
            raise


while True:
    for effect in reversed(call("GET", "/v1/effects?state=attempted")["items"]):
        perform(effect)
    for file in Path().glob("ln_*.json"):
        chat = json.loads(file.read_text())
        if chat["asked"] and (how := end_of(chat["asked"])):
            on_end(chat, how)
    time.sleep(0.2)
