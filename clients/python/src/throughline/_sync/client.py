"""Client of the HTTP API."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator, Iterable
from types import TracebackType
from typing import Any, Literal, cast

import httpx
from typing_extensions import Self

from .. import models
from .._calls import Again, Call, judge, lost, named, new_key, path, pause_before
from .._retry import Patience
from .._sse import EventReader, ServerSentEvent
from .._types import Event, Events
from .._version import VersionWarning, __version__, mismatch

#: Seconds without a byte after which a stream counts as lost; the server sends something every 15.
QUIET = 45.0


class Throughline:
    """Client of one Throughline.

    `patience` is how many seconds a call may take with its repetitions: a lost connection, 429 and 5xx are repeated,
    with one idempotency key per call. A refusal is raised as `Problem` at once. Calls that change something take a
    `key`: give one of yours if the call is to stay one act even when your process is restarted.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        patience: float = 60.0,
        http: httpx.Client | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._patience = patience
        self._http = http or httpx.Client()
        self._headers = {"User-Agent": f"throughline-python/{__version__}"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._compared = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    # Events and turns

    def deliver(self, event: models.EventBody, *, key: str | None = None, wait: int = 30) -> models.TurnAnswer:
        """Delivers an event and returns its turn, with the turns on what followed from it."""
        return self._turn(Call("POST", path("events"), body=event, key=key or new_key(), wait=wait))

    def post(self, event: models.EventBody, *, key: str | None = None) -> models.Received:
        """Delivers an event and does not wait for its turn: the event is durable."""
        call = Call("POST", path("events"), body=event, key=key or new_key(), until_decided=False)
        answer = self._send(call)
        if "turn" in answer:
            # The key was used before, for a delivery that waited.
            return {"state": "received", "lane": answer["lane"], "href": path("turns", answer["turn"])}
        return cast(models.Received, answer)

    def turn(self, turn: str) -> models.Turn:
        """Reads a turn, by its id or by `key:` and the key of its delivery; waits until it has run."""
        return cast(models.Turn, self._send(Call("GET", path("turns", turn))))

    def why(self, turn: str) -> models.Why:
        """Explains a turn: every rung with the predicate that failed."""
        return cast(models.Why, self._send(Call("GET", path("turns", turn, "why"))))

    def why_text(self, turn: str) -> str:
        """Explains a turn in plain words."""
        return str(self._send(Call("GET", path("turns", turn, "why"), accept="text/plain")))

    # Lanes

    def lane(self, lane: str) -> models.Lane:
        """Reads a lane in its current state."""
        return cast(models.Lane, self._send(Call("GET", path("lanes", lane))))

    def lanes(self) -> Iterator[models.LaneInfo]:
        """Lists the lanes."""
        for lane in self._pages(Call("GET", path("lanes"))):
            yield cast(models.LaneInfo, lane)

    def messages(self, lane: str) -> Iterator[models.Message]:
        """Lists a lane's messages: page by page back in time, within a page forward."""
        for message in self._pages(Call("GET", path("lanes", lane, "messages"))):
            yield cast(models.Message, message)

    def turns(self, lane: str) -> Iterator[models.TurnInfo]:
        """Lists a lane's turns, newest first."""
        for turn in self._pages(Call("GET", path("lanes", lane, "turns"))):
            yield cast(models.TurnInfo, turn)

    def pending(self, lane: str) -> list[models.Pending]:
        """Lists what waits for an answer."""
        return cast("list[models.Pending]", (self._send(Call("GET", path("lanes", lane, "pending"))))["items"])

    # Context and facts

    def context(self, lane: str, *, max_tokens: int | None = None) -> models.Context:
        """Reads the context that prompts give of a lane."""
        query = named(max_tokens=max_tokens)
        return cast(models.Context, self._send(Call("GET", path("lanes", lane, "context"), query)))

    def render_context(self, state: models.Render) -> models.Context:
        """Renders a supervisor's state."""
        return cast(models.Context, self._send(Call("POST", path("context", "render"), body=state)))

    def facts(self, scope: Literal["thread", "epic", "channel"], id: str) -> list[models.Fact]:
        """Lists the facts of one place, including those that no longer count."""
        call = Call("GET", path("facts"), {"scope": scope, "id": id})
        return cast("list[models.Fact]", (self._send(call))["items"])

    def state_fact(self, fact: models.StateFact, *, key: str | None = None) -> models.TurnAnswer:
        """States a fact."""
        return self._turn(Call("POST", path("facts"), body=fact, key=key or new_key(), wait=10))

    def erase_fact(self, fact: str, *, lane: str | None = None, key: str | None = None) -> models.TurnAnswer:
        """Erases a fact; one of a thread needs its lane."""
        query = named(lane=lane)
        return self._turn(Call("DELETE", path("facts", fact), query, key=key or new_key(), wait=10))

    # Options

    def show_options(
        self, lane: str, shown: models.ShownBody, *, key: str | None = None
    ) -> models.OptionSetAnswer:
        """Shows a list of options."""
        call = Call("POST", path("lanes", lane, "option-sets"), body=shown, key=key or new_key(), wait=10)
        return cast(models.OptionSetAnswer, self._send(call))

    def close_options(self, lane: str, set: str, *, key: str | None = None) -> models.OptionSetAnswer:
        """Closes a list of options: nothing is chosen from it any more."""
        call = Call("DELETE", path("lanes", lane, "option-sets", set), key=key or new_key(), wait=10)
        return cast(models.OptionSetAnswer, self._send(call))

    def set_focus(self, lane: str, focus: models.FocusBody, *, key: str | None = None) -> models.TurnAnswer:
        """Reports the place, and the option in it, that a user has before them."""
        call = Call("PUT", path("lanes", lane, "focus"), body=focus, key=key or new_key(), wait=10)
        return self._turn(call)

    # Approvals

    def request_approval(
        self,
        lane: models.EventLane,
        approval: models.EventApproval,
        *,
        actor: str | None = None,
        key: str | None = None,
    ) -> models.TurnAnswer:
        """Asks that a person approves an act of yours, which then comes as an effect `host.act`.

        Repeat it with the same `request_id` and content when you do not know whether it arrived: it is one request.
        """
        event: models.EventBody = {"lane": lane, "kind": "approval.requested", "approval": approval}
        if actor is not None:
            event["actor"] = {"id": actor}
        return self.deliver(event, key=key)

    def approvals(self, state: Literal["pending", "all"] = "pending") -> Iterator[models.Approval]:
        """Lists approvals at their current version, newest first."""
        for approval in self._pages(Call("GET", path("approvals"), {"state": state})):
            yield cast(models.Approval, approval)

    def approval(self, approval: str) -> models.Approval:
        """Reads an approval with its card."""
        return cast(models.Approval, self._send(Call("GET", path("approvals", approval))))

    def decide(self, approval: str, decide: models.Decide, *, key: str | None = None) -> models.TurnAnswer:
        """Decides an approval at the version that was seen."""
        call = Call("POST", path("approvals", approval, "decide"), body=decide, key=key or new_key(), wait=30)
        return self._turn(call)

    # Effects

    def effects(self, *, state: str | None = None, lane: str | None = None) -> Iterator[models.Effect]:
        """Lists effects, newest first. `state="attempted"` are those that were offered and not reported."""
        for effect in self._pages(Call("GET", path("effects"), named(state=state, lane=lane))):
            yield cast(models.Effect, effect)

    def effect(self, effect: str) -> models.Effect:
        """Reads an effect."""
        return cast(models.Effect, self._send(Call("GET", path("effects", effect))))

    def report(self, effect: str, report: models.ResultReport, *, key: str | None = None) -> models.Settled:
        """Reports what came of an effect. The key is the effect's id: a report is one act, whoever repeats it."""
        call = Call("POST", path("effects", effect, "result"), body=report, key=key or effect)
        return cast(models.Settled, self._send(call))

    def resolve(self, effect: str, resolve: models.Resolve, *, key: str | None = None) -> models.TurnAnswer:
        """Resolves an effect with an unknown outcome: it happened, make it again, or drop it."""
        call = Call("POST", path("effects", effect, "resolve"), body=resolve, key=key or new_key(), wait=30)
        return self._turn(call)

    # Tracker and operation

    def issues(self, *, project: str | None = None, q: str | None = None) -> Iterator[models.Issue]:
        """Lists issues of the local tracker."""
        for issue in self._pages(Call("GET", path("tracker", "issues"), named(project=project, q=q))):
            yield cast(models.Issue, issue)

    def issue(self, key: str) -> models.Issue:
        """Reads an issue of the local tracker."""
        return cast(models.Issue, self._send(Call("GET", path("tracker", "issues", key))))

    def tools(self) -> list[models.Tool]:
        """Lists tools and sub-agents."""
        return cast("list[models.Tool]", (self._send(Call("GET", path("tools"))))["items"])

    def version(self) -> models.Version:
        """Reads the server's version."""
        return cast(models.Version, self._repeat(Call("GET", "/version")))

    # Streams

    def stream(self, lane: str, *, after: str | None = None) -> Iterator[models.LaneEvent]:
        """Follows a lane, over lost connections: nothing is missing and nothing twice, but for effects and `status`.

        It begins behind the event `after` (`"0"` is the beginning), else now. Each connection begins with the effects
        that are offered and not reported, without an id. It does not end by itself.
        """
        for event in self._follow(path("lanes", lane, "stream"), named(after=after)):
            told: models.LaneEvent = {"event": event.event, "data": _read(event)}
            if event.id is not None:
                told["id"] = event.id
            yield told

    def poll(self, lane: str, *, after: str | None = None, wait: int = 25) -> list[models.LaneEvent]:
        """Returns the events of a lane behind `after`; waits up to `wait` seconds for one."""
        call = Call("GET", path("lanes", lane, "events"), named(after=after, wait=wait), wait=wait)
        return cast("list[models.LaneEvent]", (self._send(call))["items"])

    def events(self, *, after: str | None = None, kinds: Iterable[str] | None = None) -> Iterator[Event]:
        """Follows every lane of the tenant, over lost connections. `kinds` are the wanted types, all if absent."""
        query = named(after=after, kinds=",".join(kinds) if kinds is not None else None)
        for event in self._follow(path("stream"), query):
            yield cast(Event, _read(event))

    def poll_events(
        self,
        *,
        after: str | None = None,
        kinds: Iterable[str] | None = None,
        wait: int = 25,
        limit: int | None = None,
    ) -> Events:
        """Returns the tenant's events behind `after`, at most `limit`; waits up to `wait` seconds for one."""
        wanted = ",".join(kinds) if kinds is not None else None
        query = named(after=after, kinds=wanted, wait=wait, limit=limit)
        return cast(Events, self._send(Call("GET", path("events"), query, wait=wait)))

    # The way of a call

    def _turn(self, call: Call) -> models.TurnAnswer:
        return cast(models.TurnAnswer, self._send(call))

    def _pages(self, call: Call) -> Iterator[Any]:
        query = {**call.query, "limit": 200}
        while True:
            page = self._send(Call("GET", call.path, query))
            for item in page["items"]:
                yield item
            if not page.get("next"):
                return
            query["cursor"] = page["next"]

    def _send(self, call: Call) -> Any:
        self._compare_versions()
        return self._repeat(call)

    def _repeat(self, call: Call) -> Any:
        patience = Patience(self._patience, time.monotonic())
        while True:
            try:
                return self._try(call)
            except Again as again:
                pause = pause_before(again, patience)
            time.sleep(pause)

    def _try(self, call: Call) -> Any:
        try:
            answer = self._http.request(
                call.method,
                self._url + call.path,
                params=call.query,
                content=call.content(),
                headers={**self._headers, **call.headers()},
                timeout=call.timeout(),
            )
        except httpx.TransportError as why:
            raise lost(call, why) from why
        return judge(call, answer.status_code, answer.headers, answer.content)

    def _follow(self, where: str, query: dict[str, Any]) -> Iterator[ServerSentEvent]:
        self._compare_versions()
        call = Call("GET", where, query, accept="text/event-stream")
        patience = Patience(self._patience, time.monotonic())
        last: str | None = None
        while True:
            headers = {**self._headers, **call.headers()}
            if last is not None:
                headers["Last-Event-ID"] = last
            reader = EventReader()
            try:
                request = self._http.stream(
                    "GET",
                    self._url + call.path,
                    params=call.query,
                    headers=headers,
                    timeout=httpx.Timeout(10.0, read=QUIET),
                )
                with request as answer:
                    if answer.status_code != 200:
                        judge(call, answer.status_code, answer.headers, answer.read())
                    for chunk in answer.iter_bytes():
                        patience.renew(time.monotonic())
                        for event in reader.feed(chunk):
                            last = event.id if event.id is not None else last
                            yield event
                again = lost(call, httpx.RemoteProtocolError("the stream ended"))
            except Again as told:
                again = told
            except httpx.TransportError as why:
                again = lost(call, why)
            time.sleep(pause_before(again, patience))

    def _compare_versions(self) -> None:
        """Warns once if the server is of another line. A server that cannot be asked is asked with the next call."""
        if self._compared:
            return
        try:
            version = self._try(Call("GET", "/version"))
        except Exception:
            return
        self._compared = True
        told = mismatch(str(version.get("version", "")))
        if told:
            warnings.warn(told, VersionWarning, stacklevel=4)


def _read(event: ServerSentEvent) -> Any:
    return json.loads(event.data)
