"""Agent that speaks AG-UI, as a stand-in for yours: `python scripted_agui.py 8000`.

It keeps nothing: all it knows is in the input of a run. What its tools do has the key that the answer to its interrupt
brings.
"""

import json
import sys
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ag_ui.core import (
    BaseEvent,
    Interrupt,
    Message,
    ResumeEntry,
    RunAgentInput,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCall,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from ag_ui.encoder import EventEncoder

import backups
from scripted import decide

HOTELS = [
    {"id": "azul", "label": "Casa Azul", "fields": {"price": {"value": 120, "unit": "EUR"}}},
    {"id": "inn", "label": "Lisbon Inn", "fields": {"price": {"value": 85, "unit": "EUR"}}},
]


def run(given: RunAgentInput) -> Iterator[BaseEvent]:
    """Runs the agent until it ends or waits for a decision."""
    yield RunStartedEvent(thread_id=given.thread_id, run_id=given.run_id)
    outcome = None
    messages = list(given.messages)
    begin = max(n for n, message in enumerate(messages) if message.role == "user")
    results = [message.content for message in messages[begin:] if message.role == "tool"]
    if given.resume:
        call = open_call(messages)
        results.append(result := resumed(given.resume[0]))
        yield ToolCallResultEvent(message_id=f"{call.id}.result", tool_call_id=call.id, content=result)
    while outcome is None:
        step = next_step(messages[begin].content, results)
        if "text" in step:
            yield from said(step["text"])
            break
        call = ToolCall(id=str(uuid.uuid4()), function={"name": step["tool"], "arguments": json.dumps(step["args"])})
        yield from called(call)
        if step["tool"] in ("show_options", "ask"):
            break
        if step["tool"] == "list_backups":
            results.append(result := backups.listed())
            yield ToolCallResultEvent(message_id=f"{call.id}.result", tool_call_id=call.id, content=result)
        else:
            asked = Interrupt(id=call.id, reason="tool_call", message=f"Run {step['tool']}?", tool_call_id=call.id)
            outcome = RunFinishedInterruptOutcome(interrupts=[asked])
    yield RunFinishedEvent(thread_id=given.thread_id, run_id=given.run_id, outcome=outcome)


def next_step(request: str, results: list[str]) -> dict[str, Any]:
    """Returns the next step on a request: a call of a tool or a text."""
    if "hotel" not in request:
        step = decide(request, results)
        return step if "text" in step else step["calls"][0]
    if not results:
        return {"tool": "show_options", "args": {"title": "These have rooms.", "options": HOTELS}}
    if len(results) == 1:
        return {"tool": "ask", "args": {"question": "For how many nights?", "expected": "number"}}
    hotel, nights = (json.loads(result) for result in results)
    return {"text": f"{hotel['label']} is booked for {nights['answer']} nights."}


def resumed(answer: ResumeEntry) -> str:
    """Does what was approved, or says why it was not."""
    known = answer.metadata["throughline"]
    if answer.status == "cancelled":
        return known["reason"]
    return backups.delete(**known["approved"]["args"], key=known["key"])


def open_call(messages: list[Message]) -> ToolCall:
    """Returns the newest call, which waited for the decision."""
    return next(message for message in reversed(messages) if getattr(message, "tool_calls", None)).tool_calls[-1]


def said(text: str) -> Iterator[BaseEvent]:
    message = str(uuid.uuid4())
    yield TextMessageStartEvent(message_id=message, role="assistant")
    yield TextMessageContentEvent(message_id=message, delta=text)
    yield TextMessageEndEvent(message_id=message)


def called(call: ToolCall) -> Iterator[BaseEvent]:
    yield ToolCallStartEvent(tool_call_id=call.id, tool_call_name=call.function.name)
    yield ToolCallArgsEvent(tool_call_id=call.id, delta=call.function.arguments)
    yield ToolCallEndEvent(tool_call_id=call.id)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        given = RunAgentInput.model_validate_json(self.rfile.read(int(self.headers["Content-Length"])))
        encoder = EventEncoder()
        self.send_response(200)
        self.send_header("Content-Type", encoder.get_content_type())
        self.end_headers()
        for event in run(given):
            self.wfile.write(encoder.encode(event).encode())


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
