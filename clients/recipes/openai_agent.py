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
from throughline import Agent, Execution, Handover, Rejected

import backups
from approvals import reference, refusal, request_approval, say
from scripted_openai import ScriptedModel

# The agent, as it would be without Throughline.


@agents.function_tool
def list_backups() -> str:
    """Lists the backups."""
    return backups.listed()


@agents.function_tool(needs_approval=True)
def delete_backups(context: ToolContext[dict[str, str]], older_than_days: int) -> str:
    """Deletes the backups older than so many days."""
    return backups.delete(older_than_days, key=context.context[context.tool_call_id])


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
        said = {"role": "user", "content": message["text"], "id": message["id"]}
        asyncio.run(run(chat, [*chat["items"], said]))
    return said_or_asked(chat, message["by"])


@host.on_option
def act(approved: Execution) -> None:
    """Resumes what was approved, if that is still what would be done."""
    asyncio.run(resume(load(approved["lane"]), approved))


async def resume(chat: dict[str, Any], approved: Execution) -> None:
    call = approved["scope_instance"]
    state, asked = await interrupted(chat, call, key=approved["id"])
    if asked:
        if approved["exec_ref"] != reference(asked.name, json.loads(asked.arguments)):
            raise Rejected("what would be done is not what was approved")
        state.approve(asked)
        del chat["asked"][call]
        await run(chat, state)
    if text := said_or_asked(chat, approved["user"]):
        say(host.client, chat["lane"], text, key=f"{approved['id']}:said")


async def refused(chat: dict[str, Any]) -> None:
    """Resumes what was refused, so that the agent goes on without it."""
    for call, (approval, user) in list(chat["asked"].items()):
        if why := refusal(host.client, approval):
            state, asked = await interrupted(chat, call)
            told = f"nothing was done, it was {why}"
            try:
                if asked:
                    state.reject(asked, rejection_message=told)
                    await run(chat, state)
            except agents.ModelBehaviorError:
                # The SDK goes on with no state that was changed.
                chat.update(state=None, waits=[], said=f"The run was given up: {told}.")
            if text := said_or_asked(chat, user):
                say(host.client, chat["lane"], text, key=f"{approval}:said")
            del chat["asked"][call]
            save(chat)


async def interrupted(chat: dict[str, Any], call: str, key: str = "") -> tuple[Any, Any]:
    """Returns the state of the run that waits, and the call in it; no call if that is over."""
    if not chat["state"]:
        return None, None
    state = await agents.RunState.from_string(keeper, chat["state"], context_override={call: key})
    return state, next((asked for asked in state.get_interruptions() if asked.call_id == call), None)


def said_or_asked(chat: dict[str, Any], user: str) -> str | None:
    """Returns what the agent said in the end. If it waits, people are asked, and the card says it."""
    for item in chat["waits"]:
        if item["call"] not in chat["asked"]:
            chat["asked"][item["call"]] = [request_approval(host.client, chat["lane"], user, **item), user]
            save(chat)
    return chat["said"]


def load(lane: str) -> dict[str, Any]:
    file = Path(f"{lane}.json")
    new = {"lane": lane, "heard": [], "items": [], "state": None, "waits": [], "asked": {}, "said": None}
    return json.loads(file.read_text()) if file.exists() else new


def save(chat: dict[str, Any]) -> None:
    new = Path(f"{chat['lane']}.new")
    new.write_text(json.dumps(chat, indent=1))
    os.replace(new, f"{chat['lane']}.json")


while True:
    for file in Path().glob("ln_*.json"):
        if (chat := json.loads(file.read_text()))["asked"]:
            asyncio.run(refused(chat))
    host.recover()
    time.sleep(0.2)
