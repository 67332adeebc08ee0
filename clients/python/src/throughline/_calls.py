"""One call without its input and output: what is sent, and what an answer means."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from ._errors import Problem, Undecided, Unexpected, Unreachable
from ._retry import Patience, retry_after

#: Pause before a turn that has not run yet is asked for again, in seconds.
UNDECIDED = 0.5
#: Name of the refusal that says that the first of two equal requests is still being handled.
IN_PROGRESS = "idempotency.in_progress"


def path(*parts: str) -> str:
    """Returns a path of the API; what comes from outside is escaped."""
    return "/".join(["/v1", *(quote(part, safe=":") for part in parts)])


def named(**members: Any) -> dict[str, Any]:
    """Returns the members that have a value."""
    return {name: value for name, value in members.items() if value is not None}


def new_key() -> str:
    """Returns an idempotency key for a new call."""
    return str(uuid.uuid4())


@dataclass
class Call:
    """A call. With a `key` it can be repeated, and is one act; without one it only reads."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Any = None
    key: str | None = None
    #: Seconds that the server may wait for the turn.
    wait: int | None = None
    #: False if `202 Accepted` is an answer, and no reason to ask again.
    until_decided: bool = True
    accept: str = "application/json"

    @property
    def act(self) -> str:
        """Name of the call in errors."""
        return f"{self.method} {self.path}"

    def headers(self) -> dict[str, str]:
        """Headers of the request."""
        headers = {"Accept": self.accept}
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        if self.key is not None:
            headers["Idempotency-Key"] = self.key
        if self.wait is not None:
            headers["Prefer"] = f"wait={self.wait}"
        return headers

    def content(self) -> bytes | None:
        """Body of the request: the same bytes for every repetition."""
        return None if self.body is None else json.dumps(self.body, ensure_ascii=False).encode()

    def timeout(self) -> httpx.Timeout:
        """Time for one try: what the server may wait, and some for the way."""
        return httpx.Timeout(10.0, read=(self.wait or 0) + 20.0)


class Again(Exception):
    """The call is to be repeated. `otherwise` is the error if there is no patience left for that."""

    def __init__(self, otherwise: Exception, asked: float | None = None) -> None:
        self.otherwise = otherwise
        self.asked = asked


def lost(call: Call, why: httpx.TransportError) -> Again:
    """Returns what a lost connection means: the call is repeated, which its key makes safe."""
    return Again(Unreachable(call.act, str(why) or type(why).__name__, call.key))


def judge(call: Call, status: int, headers: Mapping[str, str], content: bytes) -> Any:
    """Returns the answer's value, or raises its error, or `Again`.

    What is repeated: 429 and 5xx, as the API says of them, 202 until the turn has run, and a request whose first
    sending is still being handled, as after a lost connection. Every other refusal is final.
    """
    if status == 202 and call.until_decided:
        href = headers.get("location", call.path)
        raise Again(Undecided(call.act, href, call.key), UNDECIDED)
    if 200 <= status < 300:
        return _value(call, status, headers, content)
    asked = retry_after(headers.get("retry-after"), time.time())
    error = _refusal(call, status, content, asked)
    repeated = status == 429 or status >= 500
    if repeated or (isinstance(error, Problem) and error.name == IN_PROGRESS):
        raise Again(error, asked)
    raise error


def pause_before(again: Again, patience: Patience) -> float:
    """Returns the pause before the repetition, or raises the error if there is no patience left."""
    pause = patience.pause(time.monotonic(), again.asked)
    if pause is None:
        raise again.otherwise
    return pause


def _value(call: Call, status: int, headers: Mapping[str, str], content: bytes) -> Any:
    if not headers.get("content-type", "").startswith("application/json"):
        if call.accept == "application/json":
            raise Unexpected(call.act, status, content.decode("utf-8", "replace"))
        return content.decode()
    try:
        return json.loads(content)
    except ValueError:
        raise Unexpected(call.act, status, content.decode("utf-8", "replace")) from None


def _refusal(call: Call, status: int, content: bytes, asked: float | None) -> Problem | Unexpected:
    try:
        members: Any = json.loads(content)
    except ValueError:
        members = None
    if isinstance(members, dict) and "code" in members:
        return Problem(call.act, status, members, asked)
    return Unexpected(call.act, status, content.decode("utf-8", "replace"))
