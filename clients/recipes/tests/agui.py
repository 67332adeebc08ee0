"""An AG-UI agent within the tests: each run does what the test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ag_ui.core import (
    BaseEvent,
    Interrupt,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunStartedEvent,
    TextMessageChunkEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallStartEvent,
)
from ag_ui.encoder import EventEncoder


class Run:
    """Run of the agent: what it was given, and the connection that it answers on."""

    def __init__(self, given: RunAgentInput, handler: BaseHTTPRequestHandler) -> None:
        self.given = given
        self.text = next(each.content for each in reversed(given.messages) if each.role == "user")
        self._handler = handler
        self._begun = False

    def status(self, code: int, content_type: str = "text/event-stream", length: int | None = None) -> None:
        """Begins to answer. A length that is never reached is a connection that breaks."""
        self._begun = True
        self._handler.send_response(code)
        self._handler.send_header("Content-Type", content_type)
        if length:
            self._handler.send_header("Content-Length", str(length))
        self._handler.end_headers()

    def begin(self) -> None:
        self.send(RunStartedEvent(thread_id=self.given.thread_id, run_id=self.given.run_id))

    def send(self, *events: BaseEvent | str) -> None:
        """Sends events, or what is none."""
        if not self._begun:
            self.status(200)
        for event in events:
            line = event if isinstance(event, str) else EventEncoder().encode(event)
            self._handler.wfile.write(line.encode())

    def say(self, text: str, message: str | None = None) -> None:
        self.send(TextMessageChunkEvent(message_id=message or f"{self.given.run_id}.{text}", delta=text))

    def call(self, call: str, tool: str, **args: Any) -> None:
        self.send(
            ToolCallStartEvent(tool_call_id=call, tool_call_name=tool),
            ToolCallArgsEvent(tool_call_id=call, delta=json.dumps(args)),
            ToolCallEndEvent(tool_call_id=call),
        )

    def finish(self, *interrupts: Interrupt) -> None:
        outcome = RunFinishedInterruptOutcome(interrupts=list(interrupts)) if interrupts else None
        self.send(RunFinishedEvent(thread_id=self.given.thread_id, run_id=self.given.run_id, outcome=outcome))

    def fail(self, message: str) -> None:
        self.send(RunErrorEvent(message=message))

    def left(self) -> bool:
        """Waits until whoever runs it has gone."""
        return self._handler.rfile.read(1) == b""


class AgUi:
    """Agent on an address of its own."""

    def __init__(self, script: Callable[[Run], None]) -> None:
        self.runs: list[Run] = []
        agent = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                run = Run(RunAgentInput.model_validate_json(self.rfile.read(int(self.headers["Content-Length"]))), self)
                agent.runs.append(run)
                script(run)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def end(self) -> None:
        self._server.shutdown()
        self._server.server_close()
