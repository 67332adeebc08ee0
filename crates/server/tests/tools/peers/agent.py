"""An agent of the official kit: `agent.py PORT FOLDER jsonrpc|rest`.

Every message it takes is a line of FOLDER/messages. What it does depends on the words: it asks back, goes on until
FOLDER/go is there, says no, or answers at once. What its card says of it is in FOLDER/about when that is there.
"""

import asyncio
import pathlib
import sys

import uvicorn
from a2a.helpers import (
    new_task_from_user_message,
    new_text_artifact_update_event,
    new_text_status_update_event,
)
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TaskState
from starlette.applications import Starlette

PORT, FOLDER, BINDING = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
ABOUT = FOLDER / "about"


class Writer(AgentExecutor):
    async def execute(self, context, queue):
        text = context.get_user_input()
        task = context.current_task or new_task_from_user_message(context.message)
        with open(FOLDER / "messages", "a") as messages:
            messages.write(f"{task.id} {context.message.message_id} {text}\n")

        async def status(state, said):
            event = new_text_status_update_event(task_id=task.id, context_id=task.context_id, state=state, text=said)
            await queue.enqueue_event(event)

        async def made(said):
            event = new_text_artifact_update_event(
                task_id=task.id, context_id=task.context_id, name="text", text=said
            )
            await queue.enqueue_event(event)
            await status(TaskState.TASK_STATE_COMPLETED, "done")

        if context.current_task is not None:
            return await made(f"Dear partners of {text}.")
        await queue.enqueue_event(task)
        if "invite" in text:
            return await status(TaskState.TASK_STATE_INPUT_REQUIRED, "Which city?")
        if "refuse" in text:
            return await status(TaskState.TASK_STATE_REJECTED, "That is not my trade.")
        if "slowly" in text:
            await status(TaskState.TASK_STATE_WORKING, "1 of 2 is done")
            while not (FOLDER / "go").exists():
                await asyncio.sleep(0.05)
        return await made(f"Written: {text}")

    async def cancel(self, context, queue):
        with open(FOLDER / "messages", "a") as messages:
            messages.write(f"{context.task_id} cancelled\n")
        event = new_text_status_update_event(
            task_id=context.task_id,
            context_id=context.context_id,
            state=TaskState.TASK_STATE_CANCELED,
            text="stopped",
        )
        await queue.enqueue_event(event)


url = f"http://127.0.0.1:{PORT}/"
binding = {"jsonrpc": "JSONRPC", "rest": "HTTP+JSON"}[BINDING]
card = AgentCard(
    name="writer",
    description=ABOUT.read_text() if ABOUT.exists() else "Writes letters.",
    version="1",
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
    capabilities=AgentCapabilities(streaming=True),
    skills=[AgentSkill(id="write", name="write", description="Writes.", tags=["letters"])],
    supported_interfaces=[AgentInterface(protocol_binding=binding, protocol_version="1.0", url=url)],
)
handler = DefaultRequestHandler(agent_executor=Writer(), task_store=InMemoryTaskStore(), agent_card=card)
spoken = create_jsonrpc_routes(handler, "/") if BINDING == "jsonrpc" else create_rest_routes(handler)
app = Starlette(routes=[*create_agent_card_routes(card), *spoken])
uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
