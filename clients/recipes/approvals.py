"""Approvals of an agent's acts: the one place that the recipes for LangGraph and the OpenAI Agents SDK share."""

import hashlib
import json
from typing import Any

from throughline import Throughline, models


def request_approval(client: Throughline, lane: str, user: str, call: str, tool: str, args: dict[str, Any]) -> str:
    """Asks people to approve one call of a tool, and returns the approval's id. Asked again, it is the same approval.

    The call is an option that changes something; choosing it, in the user's name, puts it on a card. Approved are the
    bytes of the option: the label that people read, and the reference, which has the hash of the arguments.
    """
    act: models.OptionBody = {
        "id": "act",
        "label": f"{tool} {json.dumps(args)}"[:200],
        "exec_ref": reference(tool, args),
        "risk": "write",
        "repeatable": False,
    }
    shown: models.ShownBody = {"scope": "widget", "scope_instance": call, "options": [act]}
    listed = client.show_options(lane, shown, key=f"{call}:list")
    press: models.EventPress = {"set": listed["id"], "version": listed["exec_rev"], "option": "act"}
    event: models.EventBody = {
        "lane": place(client, lane),
        "actor": {"id": user},
        "kind": "card.pressed",
        "press": press,
    }
    turn = client.deliver(event, key=f"{call}:press")
    # Nobody chooses it from the list a second time.
    client.close_options(lane, listed["id"], key=f"{call}:close")
    return next(card["id"] for message in turn["messages"] if (card := message.get("card")))


def refusal(client: Throughline, approval: str) -> str | None:
    """Returns why what waited for this approval will never be done; nothing while it may be."""
    asked = client.approval(approval)
    if asked["state"] in ("rejected", "cancelled", "expired"):
        return asked["state"]
    for effect in client.effects(lane=asked["lane"], state="failed"):
        if effect.get("approval") == f"{approval} v{asked['version']}":
            return "changed after it was approved"
    return None


def reference(tool: str, args: dict[str, Any]) -> str:
    """Names a call by its tool and the hash of its arguments."""
    return f"{tool}:{hashlib.sha256(json.dumps(args, sort_keys=True).encode()).hexdigest()[:32]}"


def say(client: Throughline, lane: str, text: str, key: str) -> None:
    """Says something in a conversation, once for each key."""
    said: models.EventAssistant = {"kind": "answer", "text": text}
    client.deliver({"lane": place(client, lane), "kind": "assistant.posted", "assistant": said}, key=key)


def place(client: Throughline, lane: str) -> models.EventLane:
    known = client.lane(lane)
    where: models.EventLane = {"channel": known["channel"], "conversation": known["conversation"]}
    if known["thread"]:
        where["thread"] = known["thread"]
    return where
