"""Agent of plain Python with Throughline as its turn engine: `python plain_agent.py http://127.0.0.1:7070`.

It keeps each conversation as a file in the folder it runs in, and may be killed anywhere.
"""

import hashlib
import json
import os
import sys
import time
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
    return json.loads(file.read_text()) if file.exists() else {"lane": lane, "steps": [], "approval": None}


def save(chat: dict[str, Any]) -> None:
    new = Path(f"{chat['lane']}.new")
    new.write_text(json.dumps(chat, indent=1))
    os.replace(new, f"{chat['lane']}.json")


# Its turns: what Throughline hands over, and what people decided.


def on_message(effect: dict[str, Any]) -> dict[str, Any]:
    """Answers a message, or asks for the approval that the answer needs."""
    chat = load(effect["lane"])
    if not any(step.get("id") == effect["id"] for step in chat["steps"]):
        if chat["approval"]:
            return answer("One thing after the other: please decide on the card first.")
        chat["steps"].append({"heard": effect["text"], "id": effect["id"]})
        save(chat)
    text = advance(chat)
    return answer(text) if text else ask(chat, effect["by"])


def on_approved(effect: dict[str, Any]) -> dict[str, Any]:
    """Does what was approved, if that is still what would be done, and lets the agent go on."""
    chat = load(effect["lane"])
    if not any(step.get("id") == effect["id"] for step in chat["steps"]):
        call = chat["steps"][-1]
        if effect["exec_ref"] != reference(call):
            return {"outcome": "rejected", "error": "what would be done is not what was approved"}
        result = backups.delete(**call["args"], key=effect["id"])
        chat["steps"].append({"result": result, "id": effect["id"]})
        chat["approval"] = None
        save(chat)
    if text := advance(chat):
        say(chat["lane"], text, key=f"{effect['id']}:said")
    else:
        ask(chat, effect["user"])
    return {"outcome": "applied"}


def on_refused(chat: dict[str, Any], why: str) -> None:
    """Lets the agent go on without what was refused."""
    if "tool" in chat["steps"][-1]:
        chat["steps"].append({"result": f"nothing was done, it was {why}"})
        save(chat)
    if text := advance(chat):
        say(chat["lane"], text, key=f"{chat['approval']}:said")
    save({**chat, "approval": None})


def answer(text: str) -> dict[str, Any]:
    return {"outcome": "applied", "answer": {"assistant": {"kind": "answer", "text": text}}}


def ask(chat: dict[str, Any], user: str) -> dict[str, Any]:
    """Asks for an approval, and says nothing more: the card says it."""
    chat["approval"] = request_approval(chat["lane"], user, chat["steps"][-1])
    save(chat)
    return {"outcome": "applied"}


def request_approval(lane: str, user: str, step: Step) -> str:
    """Asks people to approve one act, and returns the approval's id.

    The act is an option that changes something; choosing it, in the user's name, puts it on a card. Approved are the
    bytes of the option: the label that people read, and the reference, which has the hash of the arguments.
    """
    label = f"{step['tool']} {json.dumps(step['args'])}"[:200]
    act = {"id": "act", "label": label, "exec_ref": reference(step), "risk": "write", "repeatable": False}
    shown = {"scope": "widget", "scope_instance": step["call"], "options": [act]}
    sets = f"/v1/lanes/{lane}/option-sets"
    listed = call("POST", sets, shown, key=f"{step['call']}:list")
    press = {"set": listed["id"], "version": listed["exec_rev"], "option": "act"}
    event = {"lane": place(lane), "actor": {"id": user}, "kind": "card.pressed", "press": press}
    turn = call("POST", "/v1/events", event, key=f"{step['call']}:press")
    # Nobody chooses it from the list a second time.
    call("DELETE", f"{sets}/{listed['id']}", key=f"{step['call']}:close")
    return next(message["card"]["id"] for message in turn["messages"] if message.get("card"))


def reference(step: Step) -> str:
    """Names an act by its tool and the hash of its arguments."""
    hashed = hashlib.sha256(json.dumps(step["args"], sort_keys=True).encode()).hexdigest()
    return f"{step['tool']}:{hashed[:32]}"


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
    done = on_message(effect) if effect["class"] == "turn.handover" else on_approved(effect)
    try:
        call("POST", f"/v1/effects/{effect['id']}/result", done, key=effect["id"])
    except httpx.HTTPStatusError as refused:
        # It was taken back meanwhile, as by a "stop".
        if refused.response.status_code != 409:
            raise


def refusal(approval: str) -> str | None:
    """Returns why what waited for this approval will never be done; nothing while it may be."""
    asked = call("GET", f"/v1/approvals/{approval}")
    if asked["state"] in ("rejected", "cancelled", "expired"):
        return asked["state"]
    failed = call("GET", f"/v1/effects?state=failed&lane={asked['lane']}")["items"]
    changed = any(effect.get("approval") == f"{approval} v{asked['version']}" for effect in failed)
    return "changed after it was approved" if changed else None


while True:
    for file in Path().glob("ln_*.json"):
        chat = json.loads(file.read_text())
        if chat["approval"] and (why := refusal(chat["approval"])):
            on_refused(chat, why)
    for effect in reversed(call("GET", "/v1/effects?state=attempted")["items"]):
        perform(effect)
    time.sleep(0.2)
