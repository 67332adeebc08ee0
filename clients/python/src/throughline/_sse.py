"""Server-sent events, read from bytes as they arrive."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class ServerSentEvent:
    """Event of a stream: its name, its data, and the id to resume from once it was handled."""

    event: str
    data: str
    id: str | None


class EventReader:
    """Reader of one connection. Lines end in LF, CR or CRLF and nowhere else: JSON may hold other line separators."""

    def __init__(self) -> None:
        self._rest = b""
        self._name = ""
        self._data: list[str] = []
        self._id: str | None = None
        #: Seconds to pause before the next connection, if the server said so.
        self.retry: float | None = None

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """Returns the events that this chunk completes."""
        text = self._rest + chunk
        # A CR at the end may be the first half of a CRLF.
        held = b"\r" if text.endswith(b"\r") else b""
        text = text[: len(text) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = text.split(b"\n")
        self._rest = rest + held
        events = [self._line(line.decode("utf-8", "replace")) for line in lines]
        return [event for event in events if event]

    def _line(self, line: str) -> ServerSentEvent | None:
        if not line:
            return self._complete()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isdecimal():
            self.retry = int(value) / 1000
        return None

    def _complete(self) -> ServerSentEvent | None:
        event = ServerSentEvent(self._name or "message", "\n".join(self._data), self._id)
        complete = bool(self._data)
        self._name, self._data, self._id = "", [], None
        return event if complete else None
