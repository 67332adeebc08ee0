"""A real server for the tests: the built program, on a free port, in a temporary folder."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from throughline import Throughline

ROOT = Path(__file__).resolve().parents[3]
HOTEL = """[policy]
fallback = "host"
capabilities = ["selection", "pending"]
[[approvers]]
effects = ["host.act"]
targets = ["act:*"]
allow = ["user:bob"]
"""


def program() -> Path:
    """Returns the built program, which THROUGHLINE_BIN names."""
    found = Path(os.environ.get("THROUGHLINE_BIN", ROOT / "target" / "debug" / "throughline"))
    if not found.exists():
        pytest.exit(f"there is no {found}: build it with `cargo build`, or name it in THROUGHLINE_BIN", 2)
    return found


class Server:
    """Server that can be killed and started again on the same port and folder."""

    def __init__(self, folder: Path, config: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        (folder / "config.toml").write_text(config)
        self._process: subprocess.Popen[bytes] | None = None

    def launch(self) -> None:
        """Starts it and does not wait until it listens."""
        command = [str(program()), "serve", "--demo", "--config", "config.toml", "--listen", f"127.0.0.1:{self.port}"]
        # Settings of whoever runs the tests are not this server's.
        env = {name: value for name, value in os.environ.items() if not name.startswith("THROUGHLINE_")}
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log, env=env)

    def start(self) -> None:
        """Starts it and waits until it listens."""
        self.launch()
        assert self._process
        until = time.monotonic() + 60
        while time.monotonic() < until and self._process.poll() is None:
            try:
                if httpx.get(f"{self.url}/livez").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.02)
        raise AssertionError((self._folder / "log").read_text())

    def kill(self) -> None:
        """Kills it as a crash does."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Server that all tests share which do not harm it, with hotels."""
    server = Server(tmp_path_factory.mktemp("server"), HOTEL)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def tracker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Server that does everything by itself, as in a demo without a configuration."""
    server = Server(tmp_path_factory.mktemp("tracker"), "")
    server.start()
    yield server
    server.kill()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """Server that a test may kill."""
    folder = tmp_path / "server"
    folder.mkdir()
    server = Server(folder, HOTEL)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def client(server: Server) -> Iterator[Throughline]:
    """Client of the shared server."""
    with Throughline(server.url) as client:
        yield client


@pytest.fixture
def conversation() -> str:
    """Conversation of this test alone."""
    return f"c-{uuid.uuid4()}"
