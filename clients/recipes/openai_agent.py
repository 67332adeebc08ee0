"""Agent of the OpenAI Agents SDK with Throughline as its turn engine: `python openai_agent.py http://127.0.0.1:7070`.

A conversation is a file in the folder it runs in, with the state of the run that waits. It may be killed anywhere.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import agents
from agents.tool_context import ToolContext
from throughline import Act, Agent, Handover, Rejected

import backups
from approvals import end_of, request_approval, say
from scripted_openai import ScriptedModel

# The agent, as it would be without Throughline.


@agents.function_tool
def list_backups() -> str:
    """Lists the backups."""
    return backups.listed()


@agents.function_tool(needs_approval=True)
def delete_backups(context: ToolContext[dict[str, Act]], older_than_days: int) -> str:
    """Deletes the backups older than so many days."""
    approved = context.context[context.tool_call_id]
    return backups.delete(**json.loads(approved["payload"])["args"], key=approved["id"])


keeper = agents.Agent(name="Keeper of backups", model=ScriptedModel(), tools=[list_backups, delete_backups])
agents.set_tracing_disabled(True)


async def run(chat: dict[str, Any], given: Any) -> None:
    """Runs the agent until it ends or waits, and keeps what it is then."""
    result = await agents.Runner.run(keeper, given)
    waits = result.interruptions
    chat["waits"] = [{"call": each.call_id, "tool": each.name, "args": json.loads(each.arguments)} for each in waits]
    chat["state"] = result.to_state().to_string() if waits else None
    chat["items"] = chat["items"] if waits else result.to_input_list()
    chat["said"] = result.final_output
    save(chat)


# Its turns: what Throughline hands over, and what people decided.

host = Agent(sys.argv[1])


@host.on_handover
def answer(message: Handover) -> str | None:
    """Answers a message, or asks for the approvals that the answer needs."""
    chat = load(message["lane"])
    if message["id"] not in chat["heard"]:
        if chat["state"]:
            return "One thing after the other: please decide on the card first."
        chat["heard"].append(message["id"])
        chat["by"] = message["by"]
        said = {"role": "user", "content": message["text"], "id": message["id"]}
        asyncio.run(run(chat, [*chat["items"], said]))
    return said_or_asked(chat)


@host.on_act
def act(approved: Act) -> None:
    """Resumes a call with what was approved."""
    asyncio.run(resume(load(approved["lane"]), approved["request_id"], approved))


async def resume(chat: dict[str, Any], call: str, approved: Act | None, how: str = "") -> None:
    """Resumes a call that waits, unless that was done before a crash, and tells what the agent says, once."""
    waits = None
    if chat["state"]:
        state = await agents.RunState.from_string(keeper, chat["state"], context_override={call: approved})
        waits = next((waits for waits in state.get_interruptions() if waits.call_id == call), None)
    try:
        if waits and approved:
            state.approve(waits)
            del chat["asked"][call]
        elif waits:
            state.reject(waits, rejection_message=how)
    except agents.ModelBehaviorError:
        # The SDK goes on with no state that was changed.
        waits = None
        chat.update(state=None, waits=[], said=f"The run was given up: {how}.")
    if waits:
        await run(chat, state)
    elif approved and call in chat["asked"]:
        raise Rejected("the state of the run was changed")
    if text := said_or_asked(chat):
        say(host.client, chat["lane"], text, key=f"{call}:said")
    chat["asked"].pop(call, None)
    save(chat)


def said_or_asked(chat: dict[str, Any]) -> str | None:
    """Returns what the agent says in the end. If it waits, people are asked, and the card says it."""
    for waits in chat["waits"]:
        if waits["call"] not in chat["asked"]:
            chat["asked"][waits["call"]] = request_approval(host.client, chat["lane"], chat["by"], **waits)
            save(chat)
    return chat["said"]


def load(lane: str) -> dict[str, Any]:
    file = Path(f"{lane}.json")
    new = {"lane": lane, "by": None, "heard": [], "items": [], "state": None, "waits": [], "asked": {}, "said": None}
    return json.loads(file.read_text()) if file.exists() else new


def save(chat: dict[str, Any]) -> None:
    new = Path(f"{chat['lane']}.new")
    new.write_text(json.dumps(chat, indent=1))
    os.replace(new, f"{chat['lane']}.json")


while True:
    host.recover()
    for file in Path().glob("ln_*.json"):
        chat = json.loads(file.read_text())
        for call, asked in list(chat["asked"].items()):
            if how := end_of(host.client, asked):
                asyncio.run(resume(chat, call, None, how))
    time.sleep(0.2)
