"""What requests have to be besides what a JSON Schema can state, and what the installation knows that they name."""

from __future__ import annotations

import itertools
import json
import os
import urllib.request
from collections import defaultdict
from typing import Any

import schemathesis

SERVER = os.environ["THROUGHLINE_URL"]
#: Channels and users of a demo: a configuration names them, no schema does.
CHANNELS = ["api", "terminal", "web"]
USERS = ["you", "ana", "bob"]
#: Longest id of a supervisor's task, in bytes. A schema counts characters.
TASK_BYTES = 128
#: Longest content of an act of the host's, as JSON.
ACT_BYTES = 8192

#: How often each operation was called: every second request is about something that is there.
calls: dict[str, Any] = defaultdict(itertools.count)


def ask(method: str, path: str, body: Any = None, key: str = "") -> Any:
    headers = {"Content-Type": "application/json", "Prefer": "wait=5", **({"Idempotency-Key": key} if key else {})}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(SERVER + path, data, headers, method=method)) as answer:
        return json.load(answer)


def begun() -> dict[str, str]:
    """Has a conversation, and returns the ids of what it left."""
    text = "Create a ticket for login bug\nSteps: open /login\nExpected: a form\nActual: a blank page"
    event = {"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "message.posted", "text": text}
    turn = ask("POST", "/v1/events", event, "hooks-1")
    card = next(message["card"] for message in turn["messages"] if "card" in message)
    decision = {"version": card["version"], "decision": "approve", "actor": {"id": "bob"}}
    ask("POST", f"/v1/approvals/{card['id']}/decide", decision, "hooks-2")
    lane = turn["lane"]
    fact = {"lane": lane, "type": "decision", "text": "We use PostgreSQL."}
    ask("POST", "/v1/facts", fact, "hooks-3")
    shown = {"scope": "chat", "scope_instance": "c1", "options": [{"id": "a", "label": "One"}, {"id": "b", "label": "Two"}]}
    listed = ask("POST", f"/v1/lanes/{lane}/option-sets", shown, "hooks-4")
    effects = ask("GET", "/v1/effects?state=done")["items"]
    facts = ask("GET", f"/v1/facts?scope=thread&id={lane}")["items"]
    issues = ask("GET", "/v1/tracker/issues")["items"]
    return {
        "lane": lane,
        "turn": turn["turn"],
        "approval": card["id"],
        "effect": effects[0]["id"],
        "set": listed["id"],
        "fact": facts[0]["canonical_id"],
        "key": issues[0]["key"],
        "id": "ana",
    }


KNOWN = begun()


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    operation = case.operation.definition.raw["operationId"]
    number = next(calls[operation])
    headers = case.headers or {}
    if headers.get("Idempotency-Key"):
        # A key is of one request.
        headers["Idempotency-Key"] = f"{number}-{headers['Idempotency-Key']}"[:255]
    if number % 2:
        # What was erased is there no more, so nothing is.
        if not operation.startswith("erase"):
            for name in case.path_parameters or {}:
                case.path_parameters[name] = KNOWN.get(name, case.path_parameters[name])
    query(case)
    if isinstance(case.body, dict):
        body(case.body, operation, number)


def query(case: Any) -> None:
    asked = case.query or {}
    # A cursor is one that the list gave out, and none did.
    asked.pop("cursor", None)
    if "wait" in asked:
        asked["wait"] = 0
    if "lane" in asked:
        asked["lane"] = KNOWN["lane"]


def body(sent: dict[str, Any], operation: str, number: int) -> None:
    if sent.get("event_id"):
        # The id of an event is of one event.
        sent["event_id"] = f"{number}-{sent['event_id']}"[:255]
    if operation in ("postSignInLink", "postTelegramLink"):
        sent["user"] = USERS[len(sent["user"]) % len(USERS)]
    lane = sent.get("lane")
    if isinstance(lane, dict):
        if lane.get("channel") is not None:
            lane["channel"] = CHANNELS[len(lane["channel"]) % len(CHANNELS)]
        if sent.get("panel"):
            # A panel is the thread.
            lane.pop("thread", None)
    task = sent.get("task")
    if operation == "renderContext" and isinstance(task, dict):
        task["task_id"] = task["task_id"].encode()[:TASK_BYTES].decode(errors="ignore")
    approval = sent.get("approval")
    if isinstance(approval, dict):
        # The id of a request is of one request, and its content is short and has numbers that every program reads.
        approval["request_id"] = f"{number}-{approval['request_id']}"[:255]
        content = short(approval["payload"])
        approval["payload"] = content if len(json.dumps(content)) <= ACT_BYTES else {"number": number}
    if operation == "runAgent":
        return
    shown_in(sent)


def short(value: Any) -> Any:
    """Returns a value whose numbers have at most 15 digits."""
    if isinstance(value, dict):
        return {name: short(member) for name, member in value.items()}
    if isinstance(value, list):
        return [short(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return int(value) % 10**9
    return value


def shown_in(part: Any) -> None:
    """Lets the lists in a body name their options once, and nothing else."""
    if isinstance(part, list):
        for inner in part:
            shown_in(inner)
    if not isinstance(part, dict):
        return
    for inner in part.values():
        shown_in(inner)
    options = part.get("options")
    if isinstance(options, list) and options and all(isinstance(one, dict) for one in options):
        for number, option in enumerate(options):
            option["id"] = f"{number}{option['id']}"[:128]
            fields(option)
        ids = [option["id"] for option in options]
        if part.get("displayed") is not None:
            part["displayed"] = ids[: len(part["displayed"])]
        for focused in ("focused_option", "focused"):
            if part.get(focused) is not None:
                part[focused] = ids[0]
        # A list for everybody names nobody, and one for somebody says whom.
        if part.get("audience") is not None:
            part["audience"] = "user" if part.get("user") else "lane"
    for comparison in part.get("comparisons") or []:
        comparison.update(name=named(comparison["name"]), field=named(comparison["field"]))


def fields(option: dict[str, Any]) -> None:
    given = option.get("fields")
    if isinstance(given, dict):
        option["fields"] = {named(name): rounded(value) for name, value in given.items()}


def named(name: str) -> str:
    """Returns a name with a letter in it: one that words can ask for."""
    return f"f{name}"[:64]


def rounded(value: Any) -> Any:
    """Returns a number with at most 18 digits behind the point: no schema states that of floating point numbers."""
    if isinstance(value, float):
        return round(value, 6) + 0.0 if abs(value) < 1e15 else int(value)
    if isinstance(value, dict) and "value" in value:
        return {**value, "value": rounded(value["value"])}
    return value
