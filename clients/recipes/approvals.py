"""Approvals of an agent's acts: the one place that the recipes for LangGraph and the OpenAI Agents SDK share."""

from typing import Any

from throughline import Problem, Throughline, models


def request_approval(
    client: Throughline, lane: str, user: str, call: str, tool: str, args: dict[str, Any]
) -> dict[str, str]:
    """Asks people to approve a call of a tool. Asked again, it is the same request.

    Returns the approval, or why nobody can be asked.
    """
    act: models.EventApproval = {
        "request_id": call,
        "title": f"Run {tool}",
        "target": tool,
        "payload": {"tool": tool, "args": args},
    }
    try:
        turn = client.request_approval(place(client, lane), act, actor=user)
    except Problem as refused:
        if refused.status != 422:
            raise
        return {"refused": refused.detail}
    card = next((card for message in turn["messages"] if (card := message.get("card"))), None)
    return {"approval": card["id"]} if card else {"refused": turn["reason"]}


def end_of(client: Throughline, asked: dict[str, str]) -> str | None:
    """Returns how a request ended of which no act will follow; nothing while one may."""
    if "refused" in asked:
        return f"nothing was done here, nobody can be asked: {asked['refused']}"
    approval = client.approval(asked["approval"])
    # Of what was erased there is no card.
    card = approval.get("card")
    request = card.get("request") if card else None
    state = request["state"] if request else approval["state"]
    waits = state in ("pending", "approved", "uncertain")
    return None if waits else f"nothing was done here, the request is {state}"


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
