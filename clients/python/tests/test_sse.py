"""Server-sent events, however the bytes are cut."""

from __future__ import annotations

import pytest

from throughline._sse import EventReader, ServerSentEvent

STREAM = (
    ': here\n\nretry: 1500\n\nevent: turn\nid: 1.0\ndata: {"text":"a\u2028b\x85ü"}\n\n'
    "data: one\ndata:two\n\nid: 2.0\n\n"
)
EVENTS = [
    ServerSentEvent("turn", '{"text":"a\u2028b\x85ü"}', "1.0"),
    ServerSentEvent("message", "one\ntwo", None),
]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_every_cut_gives_the_same_events(end: str) -> None:
    stream = STREAM.replace("\n", end).encode()
    for cut in range(len(stream) + 1):
        reader = EventReader()
        events = reader.feed(stream[:cut]) + reader.feed(stream[cut:]) + reader.feed(b"\n")
        assert events == EVENTS, cut
        assert reader.retry == 1.5
    reader = EventReader()
    events = [event for byte in stream for event in reader.feed(bytes([byte]))]
    assert (events + reader.feed(b"\n")) == EVENTS


def test_an_event_that_is_cut_off_is_none() -> None:
    assert EventReader().feed(b"event: turn\nid: 1.0\ndata: {}\n") == []
