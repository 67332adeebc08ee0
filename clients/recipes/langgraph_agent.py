"""Agent of LangGraph with Throughline as its turn engine: `python langgraph_agent.py http://127.0.0.1:7070`.

A conversation is a thread of the graph. Its checkpoints are in a file of the folder it runs in, and it may be killed
anywhere.
"""

import json
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt
from throughline import Act, Agent, Handover

import backups
from approvals import end_of, request_approval, say
from scripted_langgraph import ScriptedChatModel

# The agent, as it would be without Throughline.


@tool
def list_backups() -> str:
    """Lists the backups."""
    return backups.listed()


@tool
def delete_backups(older_than_days: int) -> str:
    """Deletes the backups older than so many days."""
    decided = interrupt({"tool": "delete_backups", "args": {"older_than_days": older_than_days}})
    return decided["end"] if "end" in decided else backups.delete(**decided["args"], key=decided["key"])


class Chat(MessagesState):
    """A conversation, and who wrote last in it."""

    by: str


def calls(state: Chat) -> list[Send] | str:
    """Gives each call a task of its own: two that interrupt in one task could get each other's decision."""
    return [Send("tools", [call]) for call in state["messages"][-1].tool_calls] or END


model = ScriptedChatModel()  # yours, with `.bind_tools(tools)`
builder = StateGraph(Chat)
builder.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
builder.add_node("tools", ToolNode([list_backups, delete_backups]))
builder.add_edge(START, "model")
builder.add_conditional_edges("model", calls, ["tools", END])
builder.add_edge("tools", "model")
graph = builder.compile(checkpointer=SqliteSaver(sqlite3.connect("graph.db", check_same_thread=False)))

# Its turns: what Throughline hands over, and what people decided.

agent = Agent(sys.argv[1])
WAITING = Path("waiting")
WAITING.mkdir(exist_ok=True)


@agent.on_handover
def answer(message: Handover) -> str | None:
    """Answers a message, or asks for the approvals that the answer needs."""
    state = graph.get_state(thread(message["lane"]))
    if all(known.id != message["id"] for known in state.values.get("messages", [])):
        if state.interrupts:
            return "One thing after the other: please decide on the card first."
        heard = HumanMessage(message["text"], id=message["id"])
        go_on(message["lane"], {"messages": [heard], "by": message["by"]})
    elif state.next and not state.interrupts:
        go_on(message["lane"])  # it was killed in the middle
    return said_or_asked(message["lane"])


@agent.on_act
def act(approved: Act) -> None:
    """Resumes a call with what was approved."""
    args = json.loads(approved["payload"])["args"]
    resume(approved["lane"], approved["request_id"], {"args": args, "key": approved["id"]})


def resume(lane: str, call: str, decided: dict[str, Any]) -> None:
    """Resumes a call that waits, unless that was done before a crash, and tells what the graph says, once."""
    state = graph.get_state(thread(lane))
    if any(asked.id == call for asked in state.interrupts):
        go_on(lane, Command(resume={call: decided}))
    elif state.next:
        go_on(lane)
    if text := said_or_asked(lane):
        say(agent.client, lane, text, key=f"{call}:said")
    (WAITING / call).unlink(missing_ok=True)


def said_or_asked(lane: str) -> str | None:
    """Returns what the graph says in the end. If it waits, people are asked, and the card says it."""
    state = graph.get_state(thread(lane))
    for waits in state.interrupts:
        if not (WAITING / waits.id).exists():
            asked = request_approval(agent.client, lane, state.values["by"], waits.id, **waits.value)
            Path("new").write_text(json.dumps({"lane": lane, **asked}))
            Path("new").rename(WAITING / waits.id)
    return None if state.interrupts else state.values["messages"][-1].text


def go_on(lane: str, given: dict | Command | None = None) -> None:
    """Runs the graph until it ends or waits; every step is on disk before the next."""
    graph.invoke(given, thread(lane), durability="sync")


def thread(lane: str) -> dict:
    return {"configurable": {"thread_id": lane}}


while True:
    agent.recover()
    for file in WAITING.iterdir():
        asked = json.loads(file.read_text())
        if how := end_of(agent.client, asked):
            resume(asked["lane"], file.name, {"end": how})
    time.sleep(0.2)
