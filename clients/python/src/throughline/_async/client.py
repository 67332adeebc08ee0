"""Client of the HTTP API."""

from __future__ import annotations

import asyncio
import json
import time
import warnings
from collections.abc import AsyncIterator, Iterable
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


class AsyncThroughline:
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
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._patience = patience
        self._http = http or httpx.AsyncClient()
        self._headers = {"User-Agent": f"throughline-python/{__version__}"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._compared = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    # Events and turns

    async def deliver(self, event: models.EventBody, *, key: str | None = None, wait: int = 30) -> models.TurnAnswer:
        """Delivers an event and returns its turn, with the turns on what followed from it."""
        return await self._turn(Call("POST", path("events"), body=event, key=key or new_key(), wait=wait))

    async def post(self, event: models.EventBody, *, key: str | None = None) -> models.Received:
        """Delivers an event and does not wait for its turn: the event is durable."""
        call = Call("POST", path("events"), body=event, key=key or new_key(), until_decided=False)
        answer = await self._send(call)
        if "turn" in answer:
            # The key was used before, for a delivery that waited.
            return {"state": "received", "lane": answer["lane"], "href": path("turns", answer["turn"])}
        return cast(models.Received, answer)

    async def turn(self, turn: str) -> models.Turn:
        """Reads a turn, by its id or by `key:` and the key of its delivery; waits until it has run."""
        return cast(models.Turn, await self._send(Call("GET", path("turns", turn))))

    async def why(self, turn: str) -> models.Why:
        """Explains a turn: every rung with the predicate that failed."""
        return cast(models.Why, await self._send(Call("GET", path("turns", turn, "why"))))

    async def why_text(self, turn: str) -> str:
        """Explains a turn in plain words."""
        return str(await self._send(Call("GET", path("turns", turn, "why"), accept="text/plain")))

    # Lanes

    async def lane(self, lane: str) -> models.Lane:
        """Reads a lane in its current state."""
        return cast(models.Lane, await self._send(Call("GET", path("lanes", lane))))

    async def lanes(self) -> AsyncIterator[models.LaneInfo]:
        """Lists the lanes."""
        async for lane in self._pages(Call("GET", path("lanes"))):
            yield cast(models.LaneInfo, lane)

    async def messages(self, lane: str) -> AsyncIterator[models.Message]:
        """Lists a lane's messages: page by page back in time, within a page forward."""
        async for message in self._pages(Call("GET", path("lanes", lane, "messages"))):
            yield cast(models.Message, message)

    async def turns(self, lane: str) -> AsyncIterator[models.TurnInfo]:
        """Lists a lane's turns, newest first."""
        async for turn in self._pages(Call("GET", path("lanes", lane, "turns"))):
            yield cast(models.TurnInfo, turn)

    async def pending(self, lane: str) -> list[models.Pending]:
        """Lists what waits for an answer."""
        return cast("list[models.Pending]", (await self._send(Call("GET", path("lanes", lane, "pending"))))["items"])

    # Context and facts

    async def context(self, lane: str, *, max_tokens: int | None = None) -> models.Context:
        """Reads the context that prompts give of a lane."""
        query = named(max_tokens=max_tokens)
        return cast(models.Context, await self._send(Call("GET", path("lanes", lane, "context"), query)))

    async def render_context(self, state: models.Render) -> models.Context:
        """Renders a supervisor's state."""
        return cast(models.Context, await self._send(Call("POST", path("context", "render"), body=state)))

    async def facts(self, scope: Literal["thread", "epic", "channel"], id: str) -> list[models.Fact]:
        """Lists the facts of one place, including those that no longer count."""
        call = Call("GET", path("facts"), {"scope": scope, "id": id})
        return cast("list[models.Fact]", (await self._send(call))["items"])

    async def state_fact(self, fact: models.StateFact, *, key: str | None = None) -> models.TurnAnswer:
        """States a fact."""
        return await self._turn(Call("POST", path("facts"), body=fact, key=key or new_key(), wait=10))

    async def erase_fact(self, fact: str, *, lane: str | None = None, key: str | None = None) -> models.TurnAnswer:
        """Erases a fact; one of a thread needs its lane."""
        query = named(lane=lane)
        return await self._turn(Call("DELETE", path("facts", fact), query, key=key or new_key(), wait=10))

    # Options

    async def show_options(
        self, lane: str, shown: models.ShownBody, *, key: str | None = None
    ) -> models.OptionSetAnswer:
        """Shows a list of options."""
        call = Call("POST", path("lanes", lane, "option-sets"), body=shown, key=key or new_key(), wait=10)
        return cast(models.OptionSetAnswer, await self._send(call))

    async def close_options(self, lane: str, set: str, *, key: str | None = None) -> models.OptionSetAnswer:
        """Closes a list of options: nothing is chosen from it any more."""
        call = Call("DELETE", path("lanes", lane, "option-sets", set), key=key or new_key(), wait=10)
        return cast(models.OptionSetAnswer, await self._send(call))

    async def set_focus(self, lane: str, focus: models.FocusBody, *, key: str | None = None) -> models.TurnAnswer:
        """Reports the place, and the option in it, that a user has before them."""
        call = Call("PUT", path("lanes", lane, "focus"), body=focus, key=key or new_key(), wait=10)
        return await self._turn(call)

    # Approvals

    async def request_approval(
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
        return await self.deliver(event, key=key)

    async def approvals(self, state: Literal["pending", "all"] = "pending") -> AsyncIterator[models.Approval]:
        """Lists approvals at their current version, newest first."""
        async for approval in self._pages(Call("GET", path("approvals"), {"state": state})):
            yield cast(models.Approval, approval)

    async def approval(self, approval: str) -> models.Approval:
        """Reads an approval with its card."""
        return cast(models.Approval, await self._send(Call("GET", path("approvals", approval))))

    async def decide(self, approval: str, decide: models.Decide, *, key: str | None = None) -> models.TurnAnswer:
        """Decides an approval at the version that was seen."""
        call = Call("POST", path("approvals", approval, "decide"), body=decide, key=key or new_key(), wait=30)
        return await self._turn(call)

    # Effects

    async def effects(self, *, state: str | None = None, lane: str | None = None) -> AsyncIterator[models.Effect]:
        """Lists effects, newest first. `state="attempted"` are those that were offered and not reported."""
        async for effect in self._pages(Call("GET", path("effects"), named(state=state, lane=lane))):
            yield cast(models.Effect, effect)

    async def effect(self, effect: str) -> models.Effect:
        """Reads an effect."""
        return cast(models.Effect, await self._send(Call("GET", path("effects", effect))))

    async def report(self, effect: str, report: models.ResultReport, *, key: str | None = None) -> models.Settled:
        """Reports what came of an effect. The key is the effect's id: a report is one act, whoever repeats it."""
        call = Call("POST", path("effects", effect, "result"), body=report, key=key or effect)
        return cast(models.Settled, await self._send(call))

    async def resolve(self, effect: str, resolve: models.Resolve, *, key: str | None = None) -> models.TurnAnswer:
        """Resolves an effect with an unknown outcome: it happened, make it again, or drop it."""
        call = Call("POST", path("effects", effect, "resolve"), body=resolve, key=key or new_key(), wait=30)
        return await self._turn(call)

    # Tracker and operation

    async def issues(self, *, project: str | None = None, q: str | None = None) -> AsyncIterator[models.Issue]:
        """Lists issues of the local tracker."""
        async for issue in self._pages(Call("GET", path("tracker", "issues"), named(project=project, q=q))):
            yield cast(models.Issue, issue)

    async def issue(self, key: str) -> models.Issue:
        """Reads an issue of the local tracker."""
        return cast(models.Issue, await self._send(Call("GET", path("tracker", "issues", key))))

    async def tools(self) -> list[models.Tool]:
        """Lists tools and sub-agents."""
        return cast("list[models.Tool]", (await self._send(Call("GET", path("tools"))))["items"])

    async def version(self) -> models.Version:
        """Reads the server's version."""
        return cast(models.Version, await self._repeat(Call("GET", "/version")))

    # Streams

    async def stream(self, lane: str, *, after: str | None = None) -> AsyncIterator[models.LaneEvent]:
        """Follows a lane, over lost connections: nothing is missing and nothing twice, but for effects and `status`.

        It begins behind the event `after` (`"0"` is the beginning), else now. Each connection begins with the effects
        that are offered and not reported, without an id. It does not end by itself.
        """
        async for event in self._follow(path("lanes", lane, "stream"), named(after=after)):
            told: models.LaneEvent = {"event": event.event, "data": _read(event)}
            if event.id is not None:
                told["id"] = event.id
            yield told

    async def poll(self, lane: str, *, after: str | None = None, wait: int = 25) -> list[models.LaneEvent]:
        """Returns the events of a lane behind `after`; waits up to `wait` seconds for one."""
        call = Call("GET", path("lanes", lane, "events"), named(after=after, wait=wait), wait=wait)
        return cast("list[models.LaneEvent]", (await self._send(call))["items"])

    async def events(self, *, after: str | None = None, kinds: Iterable[str] | None = None) -> AsyncIterator[Event]:
        """Follows every lane of the tenant, over lost connections. `kinds` are the wanted types, all if absent."""
        query = named(after=after, kinds=",".join(kinds) if kinds is not None else None)
        async for event in self._follow(path("stream"), query):
            yield cast(Event, _read(event))

    async def poll_events(
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
        return cast(Events, await self._send(Call("GET", path("events"), query, wait=wait)))

    # The way of a call

    async def _turn(self, call: Call) -> models.TurnAnswer:
        return cast(models.TurnAnswer, await self._send(call))

    async def _pages(self, call: Call) -> AsyncIterator[Any]:
        query = {**call.query, "limit": 200}
        while True:
            page = await self._send(Call("GET", call.path, query))
            for item in page["items"]:
                yield item
            if not page.get("next"):
                return
            query["cursor"] = page["next"]

    async def _send(self, call: Call) -> Any:
        await self._compare_versions()
        return await self._repeat(call)

    async def _repeat(self, call: Call) -> Any:
        patience = Patience(self._patience, time.monotonic())
        while True:
            try:
                return await self._try(call)
            except Again as again:
                pause = pause_before(again, patience)
            await asyncio.sleep(pause)

    async def _try(self, call: Call) -> Any:
        try:
            answer = await self._http.request(
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

    async def _follow(self, where: str, query: dict[str, Any]) -> AsyncIterator[ServerSentEvent]:
        await self._compare_versions()
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
                async with request as answer:
                    if answer.status_code != 200:
                        judge(call, answer.status_code, answer.headers, await answer.aread())
                    async for chunk in answer.aiter_bytes():
                        patience.renew(time.monotonic())
                        for event in reader.feed(chunk):
                            last = event.id if event.id is not None else last
                            yield event
                again = lost(call, httpx.RemoteProtocolError("the stream ended"))
            except Again as told:
                again = told
            except httpx.TransportError as why:
                again = lost(call, why)
            await asyncio.sleep(pause_before(again, patience))

    async def _compare_versions(self) -> None:
        """Warns once if the server is of another line. A server that cannot be asked is asked with the next call."""
        if self._compared:
            return
        try:
            version = await self._try(Call("GET", "/version"))
        except Exception:
            return
        self._compared = True
        told = mismatch(str(version.get("version", "")))
        if told:
            warnings.warn(told, VersionWarning, stacklevel=4)


def _read(event: ServerSentEvent) -> Any:
    return json.loads(event.data)
