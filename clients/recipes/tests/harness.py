"""A recipe's agent, killed at chosen steps: it talks to the server through a proxy that sees each of its requests."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal, TypeVar

import httpx
from conftest import Server

HERE = Path(__file__).parents[1]
CONFIG = """
[policy]
fallback = "host"
capabilities = ["selection", "pending"]

[[approvers]]
effects = ["host.act"]
targets = ["act:delete_backups"]
allow = ["role:approver"]
"""
#: Headers of an answer that hold for one connection only, or that are made anew.
OWN_HEADERS = {"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"}
ASKED_ANEW = {"accept-encoding", "connection", "content-length", "host"}
#: The longest time for anything to come, in seconds: a framework takes its own to start on a machine that is busy.
PATIENCE = 180

Found = TypeVar("Found")


@dataclass(frozen=True)
class Step:
    """Step of a recipe, by the request that it is made of."""

    name: str
    request: str
    #: What the answer has in it, for a request that is made again and again.
    answer: str = ""
    nth: int = 1


@dataclass
class Kill:
    """Kill of one or both sides when a step is reached, once."""

    step: Step
    when: Literal["before", "after"]
    sides: tuple[Literal["agent", "server"], ...]
    seen: int = 0
    #: True when whoever was killed has been started again.
    done: bool = False

    def due(self, when: str, request: str, answer: str) -> bool:
        """True if this is the moment. Before a step its answer is not known, so the first such request counts."""
        if self.done or when != self.when or not re.search(self.step.request, request):
            return False
        if when == "after" and self.step.answer not in answer:
            return False
        self.seen += 1
        return self.seen == self.step.nth


class Recipe:
    """Running agent of one recipe, in a folder of its own."""

    def __init__(self, program: str, folder: Path, server: Server, *, behind: str | None = None) -> None:
        """Makes it. `behind` is a program that the recipe talks to, or the address of one that the tests run."""
        self.folder = folder
        self.kill: Kill | None = None
        #: State that requests of this agent which wait are said to be in.
        self.pretended: str | None = None
        self._server = server
        self._turn = threading.Lock()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._proxy = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._proxy.serve_forever, daemon=True).start()
        self._url = f"http://127.0.0.1:{self._proxy.server_port}"
        self._commands = [[_runs(program), program, self._url]]
        if behind and behind.endswith(".py"):
            port = _free_port()
            self._commands = [[_runs(behind), behind, str(port)], [*self._commands[0], f"http://127.0.0.1:{port}/"]]
        elif behind:
            self._commands[0].append(behind)
        for file in [*HERE.glob("*.py"), *HERE.glob("*.mjs")]:
            shutil.copy(file, folder / ("real_" + file.name if file.stem == "backups" else file.name))
        for file in (HERE / "tests" / "crashing").glob("backups.*"):
            shutil.copy(file, folder)
        (folder / "node_modules").symlink_to(HERE / "node_modules")

    def start(self) -> None:
        env = {**os.environ, "RECIPE_STEPS": self._url, "PYTHONDONTWRITEBYTECODE": "1"}
        with (self.folder / "log").open("ab") as log:
            given: dict[str, Any] = {"cwd": self.folder, "stdout": log, "stderr": log, "env": env}
            self._processes = [subprocess.Popen(command, **given) for command in self._commands]

    def crash(self) -> None:
        """Ends it as a crash does."""
        # The recipe first: it would tell that the program behind it is gone.
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def end(self) -> None:
        self.crash()
        self._proxy.shutdown()
        self._proxy.server_close()

    def fault(self) -> str | None:
        """Returns what it wrote if it ended by itself."""
        ends = [process.poll() for process in self._processes]
        if any(end is not None and end >= 0 for end in ends):
            return (self.folder / "log").read_text()
        return None

    def kill_is_over(self) -> bool:
        return self.kill is None or self.kill.done

    def deleted(self) -> list[str]:
        file = self.folder / "deleted.txt"
        return file.read_text().splitlines() if file.exists() else []

    def _reached(self, when: str, request: str, answer: str = "") -> bool:
        """Kills, and starts again, what is to be killed here; true if it was."""
        with self._turn:
            if not (self.kill and self.kill.due(when, request, answer)):
                return False
            sides = self.kill.sides
            if "agent" in sides:
                self.crash()
            if "server" in sides:
                self._server.kill()
                self._server.start()
            if "agent" in sides:
                self.start()
            self.kill.done = True
            return True

    def _pretend(self, request: str, content: bytes) -> bytes:
        if self.pretended and request.startswith("GET /v1/approvals/"):
            return content.replace(b'"state":"pending"', f'"state":"{self.pretended}"'.encode())
        return content

    def _handler(recipe) -> type[BaseHTTPRequestHandler]:
        # It holds connections open longer than any server start takes.
        upstream = httpx.Client(base_url=recipe._server.url, timeout=60, headers={"Accept-Encoding": "identity"})

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = f"{self.command} {self.path} {body.decode()}"
                if self.path.startswith("/step/"):
                    recipe._reached(self.path.rsplit("/", 1)[1], request)
                    return self.answer(204, {}, b"")
                if recipe._reached("before", request):
                    return self.drop()
                headers = {name: value for name, value in self.headers.items() if name.lower() not in ASKED_ANEW}
                try:
                    if self.path.startswith("/v1/stream"):
                        return self.stream(headers)
                    said = upstream.request(self.command, self.path, content=body, headers=headers)
                except httpx.TransportError:
                    return self.drop()
                if recipe._reached("after", request, said.text):
                    return self.drop()
                kept = {name: value for name, value in said.headers.items() if name.lower() not in OWN_HEADERS}
                return self.answer(said.status_code, kept, recipe._pretend(request, said.content))

            do_GET = do_POST = do_PUT = do_DELETE = do

            def answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
                try:
                    self.send_response_only(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except ConnectionError:
                    # It was killed meanwhile.
                    self.close_connection = True

            def stream(self, headers: dict[str, str]) -> None:
                """Passes on what comes, until one of both ends."""
                with upstream.stream("GET", self.path, headers=headers) as said:
                    self.close_connection = True
                    self.send_response_only(said.status_code)
                    self.send_header("Content-Type", said.headers["Content-Type"])
                    self.end_headers()
                    try:
                        for chunk in said.iter_raw():
                            self.wfile.write(chunk)
                    except ConnectionError:
                        # It was killed meanwhile.
                        pass

            def drop(self) -> None:
                """Ends the connection without an answer."""
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _runs(program: str) -> str:
    return "node" if program.endswith(".mjs") else sys.executable


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def change(folder: Path) -> int:
    """Changes the arguments of what waits, wherever the recipe keeps them; returns in how many places."""
    places = 0
    for file in folder.glob("ln_*.json"):
        text, changed = re.subn(r'(older_than_days[\\": ]+)30', r"\g<1>1", file.read_text())
        file.write_text(text)
        places += changed
    return places + _change_graph(folder / "graph.db")


def _change_graph(file: Path) -> int:
    if not file.exists():
        return 0
    places = 0
    with sqlite3.connect(file) as db:
        for table, column in (("checkpoints", "checkpoint"), ("writes", "value")):
            for row, blob in db.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
                # The number follows the name: 30 is one byte.
                changed = blob.replace(b"older_than_days\x1e", b"older_than_days\x01")
                places += changed != blob
                db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, row))
    return places


def wait_for(look: Callable[[], Found | None], news: Callable[[], None], recipe: Recipe) -> Found:
    """Returns what `look` finds; looks again after all news."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if found := look():
            return found
        if fault := recipe.fault():
            raise AssertionError(f"the agent ended by itself:\n{fault}")
        news()
    raise AssertionError(f"it never came; the agent wrote:\n{(recipe.folder / 'log').read_text()}")
