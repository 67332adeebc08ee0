"""Repetitions of calls, against a server that answers as it is told."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from throughline import Problem, Throughline, Undecided, Unexpected, Unreachable, VersionWarning, __version__
from throughline._retry import Patience, retry_after

EVENT: Any = {"lane": {"conversation": "c"}, "kind": "message.posted", "text": "hi"}
TURN = {"turn": "tn_1", "lane": "ln_1", "messages": [], "effects": []}


def problem(status: int, name: str = "some.name", **headers: str) -> httpx.Response:
    body = {"code": "TL-0000", "name": name, "title": "It is so", "detail": "why", "status": status}
    return httpx.Response(status, json=body, headers={"Content-Type": "application/problem+json", **headers})


class Script:
    """Server that gives these answers, the last one again and again; `None` is a lost connection."""

    def __init__(self, *answers: httpx.Response | None, version: str = __version__) -> None:
        self._answers = list(answers)
        self._version = version
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/version":
            return httpx.Response(200, json={"name": "throughline", "version": self._version, "commit": "c"})
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer is None:
            raise httpx.ReadError("cut", request=request)
        # An answer is read once.
        return httpx.Response(answer.status_code, content=answer.content, headers=answer.headers)

    def client(self, patience: float = 5.0) -> Throughline:
        return Throughline(
            "http://t", "tlk_x", patience=patience, http=httpx.Client(transport=httpx.MockTransport(self))
        )


GOOD = httpx.Response(200, json=TURN)
AT_ONCE = {"Retry-After": "0"}


@pytest.mark.parametrize("status", [429, *range(500, 600, 7), 503, 504])
def test_what_is_not_possible_now_is_repeated_with_one_key(status: int) -> None:
    script = Script(problem(status, **AT_ONCE), problem(status, **AT_ONCE), GOOD)
    assert script.client().deliver(EVENT)["turn"] == "tn_1"
    keys = {request.headers["idempotency-key"] for request in script.requests}
    bodies = {request.content for request in script.requests}
    assert (len(script.requests), len(keys), len(bodies)) == (3, 1, 1)


@pytest.mark.parametrize("status", [status for status in range(400, 452) if status != 429])
def test_a_refusal_is_final(status: int) -> None:
    script = Script(problem(status), GOOD)
    with pytest.raises(Problem, match="why") as told:
        script.client().deliver(EVENT)
    assert (told.value.status, told.value.code, told.value.name) == (status, "TL-0000", "some.name")
    assert len(script.requests) == 1


def test_a_request_that_is_still_handled_is_asked_for_again() -> None:
    script = Script(None, problem(409, "idempotency.in_progress", **AT_ONCE), GOOD)
    assert script.client().deliver(EVENT)["turn"] == "tn_1"
    assert len({request.headers["idempotency-key"] for request in script.requests}) == 1


def test_a_lost_connection_is_repeated_and_the_error_names_the_key() -> None:
    script = Script(None, None, GOOD)
    assert script.client().deliver(EVENT)["turn"] == "tn_1"
    script = Script(None)
    with pytest.raises(Unreachable, match="key='mine'"):
        script.client(patience=0.0).deliver(EVENT, key="mine")
    assert script.requests[0].headers["idempotency-key"] == "mine"


def test_patience_ends() -> None:
    with pytest.raises(Problem) as told:
        Script(problem(503, **{"Retry-After": "3600"})).client().deliver(EVENT)
    assert told.value.retry_after == 3600
    waiting = httpx.Response(202, json={"state": "received", "lane": "ln_1", "href": "/x"}, headers={"Location": "/x"})
    with pytest.raises(Undecided, match="/x"):
        Script(waiting).client(patience=0.1).deliver(EVENT)
    assert Script(waiting).client().post(EVENT)["href"] == "/x"
    assert Script(GOOD).client().post(EVENT)["href"] == "/v1/turns/tn_1"


@pytest.mark.parametrize("answer", [httpx.Response(200, text="<html>"), httpx.Response(404, text="<html>")])
def test_an_answer_of_somebody_else_is_said(answer: httpx.Response) -> None:
    with pytest.raises(Unexpected, match="is the address Throughline's"):
        Script(answer).client().deliver(EVENT)


CALLS: list[Callable[[Throughline], object]] = [
    lambda client: client.deliver(EVENT),
    lambda client: client.post(EVENT),
    lambda client: client.state_fact({"lane": "ln_1", "type": "decision", "text": "it is so"}),
    lambda client: client.erase_fact("f1-1"),
    lambda client: client.show_options("ln_1", {"scope": "chat", "scope_instance": "c", "options": []}),
    lambda client: client.close_options("ln_1", "os1-1"),
    lambda client: client.set_focus("ln_1", {"scope": "chat", "scope_instance": "c"}),
    lambda client: client.decide("ap_1", {"version": 1, "decision": "approve"}),
    lambda client: client.resolve("fx_1", {"as": "adopt"}),
    lambda client: client.report("fx_1", {"outcome": "applied"}),
]


@pytest.mark.parametrize("call", CALLS)
def test_every_call_that_changes_something_has_a_key_and_the_token(call: Callable[[Throughline], object]) -> None:
    script = Script(GOOD)
    call(script.client())
    (request,) = script.requests
    assert request.headers["idempotency-key"]
    assert request.headers["authorization"] == "Bearer tlk_x"


def test_what_comes_from_outside_stays_in_its_place_of_the_path() -> None:
    script = Script(GOOD)
    script.client().turn("key:a/../b?c#d")
    assert script.requests[0].url.raw_path == b"/v1/turns/key:a%2F..%2Fb%3Fc%23d"


@pytest.mark.parametrize(("server", "says"), [("0.2.0", "upgrade the package"), ("0.0.9", "upgrade the server")])
def test_a_server_of_another_line_is_warned_of_once(server: str, says: str) -> None:
    client = Script(GOOD, version=server).client()
    with pytest.warns(VersionWarning, match=f"{server}.*{says}"):
        client.deliver(EVENT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        client.deliver(EVENT)


def test_a_server_of_the_same_line_is_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Script(GOOD, version="0.1.99").client().deliver(EVENT)


def test_pauses_grow_and_never_pass_the_limit() -> None:
    patience = Patience(60.0, 100.0)
    pauses = [patience.pause(100.0) for _ in range(12)]
    assert all(pause is not None and 0.05 <= pause <= 5.0 for pause in pauses)
    assert patience.pause(100.0, 60.0) == 60.0
    assert patience.pause(100.0, 60.1) is None
    assert patience.pause(160.1, 0.0) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), ("7", 7.0), ("soon", None), ("-1", None), ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0)],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, 10.0) == seconds


def told(n: int) -> str:
    return f'id: {n}\nevent: turn\ndata: {{"id": "{n}", "type": "turn", "at": "", "lane": "ln_1", "data": {{}}}}\n\n'


def test_the_events_of_the_tenant_go_on_behind_the_last_one() -> None:
    stream = {"Content-Type": "text/event-stream"}
    script = Script(
        httpx.Response(200, text=told(1) + told(2), headers=stream),
        problem(503, **AT_ONCE),
        httpx.Response(200, text=told(3) + "id: 4\ndata: {", headers=stream),
        problem(403),
    )
    events = script.client().events(after="0", kinds=["turn", "effect"])
    assert [next(events)["id"] for _ in range(3)] == ["1", "2", "3"]
    with pytest.raises(Problem):
        next(events)
    assert [request.headers.get("last-event-id") for request in script.requests] == [None, "2", "2", "3"]
    assert dict(script.requests[0].url.params) == {"after": "0", "kinds": "turn,effect"}


def test_the_events_of_the_tenant_are_polled() -> None:
    script = Script(httpx.Response(200, json={"items": [], "cursor": "7"}))
    assert script.client().poll_events(after="6", kinds=["turn"], wait=0, limit=5)["cursor"] == "7"
    (request,) = script.requests
    assert request.url.path == "/v1/events"
    assert dict(request.url.params) == {"after": "6", "kinds": "turn", "wait": "0", "limit": "5"}
