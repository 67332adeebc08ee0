"""Agent of LangGraph with Throughline as its turn engine: `python langgraph_agent.py http://127.0.0.1:7070`.

A conversation is a thread of the graph. Its checkpoints are in a file of the folder it runs in, and it may be killed
anywhere.
"""

import json
import sqlite3
import sys
import time
from pathlib import Path

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Interrupt, Send, interrupt
from throughline import Agent, Execution, Handover, Rejected

import backups
from approvals import reference, refusal, request_approval, say
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
    if not decided["approved"]:
        return f"nothing was done, it was {decided['why']}"
    return backups.delete(older_than_days, key=decided["key"])


def calls(state: MessagesState) -> list[Send] | str:
    """Gives each call a task of its own: two that interrupt in one task could get each other's decision."""
    return [Send("tools", [call]) for call in state["messages"][-1].tool_calls] or END


model = ScriptedChatModel()  # yours, with `.bind_tools(tools)`
builder = StateGraph(MessagesState)
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
        go_on(message["lane"], {"messages": [HumanMessage(message["text"], id=message["id"])]})
    elif state.next and not state.interrupts:
        go_on(message["lane"])  # it was killed in the middle
    return said_or_asked(message["lane"], message["by"])


@agent.on_option
def act(approved: Execution) -> None:
    """Resumes what was approved, if that is still what would be done."""
    lane, call = approved["lane"], approved["scope_instance"]
    if asked := interrupted(lane, call):
        if approved["exec_ref"] != reference(**asked.value):
            raise Rejected("what would be done is not what was approved")
        go_on(lane, Command(resume={call: {"approved": True, "key": approved["id"]}}))
    elif graph.get_state(thread(lane)).next:
        go_on(lane)
    if text := said_or_asked(lane, approved["user"]):
        say(agent.client, lane, text, key=f"{approved['id']}:said")
    (WAITING / approved["approval"].split()[0]).unlink(missing_ok=True)


def refused() -> None:
    """Resumes what was refused, so that the graph goes on without it."""
    for file in WAITING.iterdir():
        lane, call, user = json.loads(file.read_text())
        if why := refusal(agent.client, file.name):
            if interrupted(lane, call):
                go_on(lane, Command(resume={call: {"approved": False, "why": why}}))
            elif graph.get_state(thread(lane)).next:
                go_on(lane)
            if text := said_or_asked(lane, user):
                say(agent.client, lane, text, key=f"{file.name}:said")
            file.unlink()


def said_or_asked(lane: str, user: str) -> str | None:
    """Returns what the graph said in the end. If it waits, people are asked, and the card says it."""
    state = graph.get_state(thread(lane))
    waiting = [json.loads(file.read_text())[1] for file in WAITING.iterdir()]
    for asked in state.interrupts:
        if asked.id not in waiting:
            approval = request_approval(agent.client, lane, user, asked.id, **asked.value)
            (WAITING / approval).write_text(json.dumps([lane, asked.id, user]))
    return None if state.interrupts else state.values["messages"][-1].text


def interrupted(lane: str, call: str) -> Interrupt | None:
    return next((asked for asked in graph.get_state(thread(lane)).interrupts if asked.id == call), None)


def go_on(lane: str, given: dict | Command | None = None) -> None:
    """Runs the graph until it ends or waits; every step is on disk before the next."""
    graph.invoke(given, thread(lane), durability="sync")


def thread(lane: str) -> dict:
    return {"configurable": {"thread_id": lane}}


while True:
    refused()
    agent.recover()
    time.sleep(0.2)
